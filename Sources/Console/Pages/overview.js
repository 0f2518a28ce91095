import { call, every, patience } from "/console/api.js";
import { clockTime, count, dateTime, h, put, retryButton, sentences, table } from "/console/elements.js";
import { short, spark } from "/console/plot.js";
import { Rates, byLabel } from "/console/samples.js";
import { word } from "/console/snippets.js";

export const title = "Overview";

/** Milliseconds between readings of the latest refused pushes, for which the gateway searches its log. */
const refusedPace = 10000;
/** Days before the expiration of a certificate at which the certificate is highlighted. */
const warningDays = 30;

/** Returns a duration in its two largest units. */
function duration(seconds) {
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86400) return `${Math.floor(seconds / 3600)} h ${Math.floor(seconds / 60) % 60} min`;
  return `${count(Math.floor(seconds / 86400), "day", "days")} ${Math.floor(seconds / 3600) % 24} h`;
}

function bytes(number) {
  const units = ["bytes", "kB", "MB", "GB", "TB"];
  let unit = 0;
  while (number >= 1000 && unit < 4) { number /= 1000; unit += 1; }
  return `${unit ? number.toFixed(1) : number} ${units[unit]}`;
}

const newest = (values) => values?.findLast((value) => value !== null) ?? null;
/** Returns the text of a latency in milliseconds, which the gateway measures in whole milliseconds. */
const latency = (value) => (value === null ? "–" : value < 1 ? "<1" : short(value));

/** Returns a gateway's notice as sentences in which the times are in the user's time zone. */
const notice = (text) => sentences(text.replace(/\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)/g, dateTime));

/** Returns the number of whole days until a certificate expires; null if there is no such certificate. */
const daysUntil = (end, now) => (end ? Math.floor((Date.parse(end) - Date.parse(now)) / 86400000) : null);

/** The certificates whose expiration the operator must not miss, with the members of the status. */
const renewed = [["Your own certificate", "ownCertificateEndsAt"], ["The server certificate", "serverCertificateEndsAt"],
  ["The CA certificate", "authorityEndsAt"], ["A provider certificate", "providerCertificateEndsAt"]];

/** Returns the sentences about scripted faults, which refuse or delay pushes until an operator removes them. */
function faultSentences(number, folder) {
  return [`${count(number, "fault is", "faults are")} active: the gateway returns scripted responses. To list the faults, run `,
    h("code", {}, `belfry fault list${folder ? ` --data ${word(folder)}` : ""}`), "."];
}

/** Shows the state of the gateway at a glance: its problems, notices, and main numbers. */
export function show(main) {
  const verdict = h("section", { class: "verdict", role: "status", "aria-label": "Status" }, "…");
  const tiles = h("section", { class: "tiles", "aria-label": "Key figures" });
  const refusals = h("div", {});
  const reasons = h("div", {});
  const facts = h("section", { "aria-label": "Gateway" });
  const numbers = h("div", { class: "overview" }, tiles, h("div", { class: "halves" }, h("div", {}, refusals, reasons), facts));
  main.append(verdict, numbers);
  const rates = new Rates();
  let shown = null;
  let status = null;
  let series = {};
  let refused = null;
  let refusedAt = 0;

  function judge(values) {
    const problems = [];
    if (!status.ready) problems.push(`Not ready: ${status.obstacle}.`);
    for (const [store, value] of byLabel(values, "belfry_store_failing")) {
      if (value) problems.push(store.endsWith(".sqlite") ? `The disk for the ${store} store is not writable.` : `The database can't be used (${store}).`);
    }
    const notices = status.notices.map(notice);
    const stopped = status.stoppedNodes ?? [];
    if (stopped.length) notices.push(stopped.length === 1 ? `The node ${stopped[0]} of the cluster is not running.` : `These nodes of the cluster are not running: ${stopped.join(", ")}.`);
    const clock = values.get("belfry_clock_disagreement_seconds");
    if (clock) notices.push(`The system clock was changed by ${clock} s. Expiry times are not adjusted yet.`);
    for (const [name, key] of renewed) {
      const days = daysUntil(status[key], status.at);
      // The gateway reports expired certificates itself.
      if (days !== null && days >= 0 && days < warningDays) notices.push(`${name} expires in ${count(days, "day", "days")}.`);
    }
    return { problems, notices };
  }

  function draw() {
    const values = new Map(Object.entries(status.metrics));
    const { problems, notices } = judge(values);
    const faults = status.activeFaults ?? 0;
    rates.add(Date.parse(status.at), values);
    const state = problems.length ? "bad" : notices.length || faults ? "fair" : "good";
    const word = { bad: "Needs attention", fair: "Working, with warnings", good: "Everything is working" }[state];
    numbers.classList.remove("stale");
    // Update the text only on changes, because screen readers read it aloud.
    if (shown !== word + problems + notices + faults) {
      shown = word + problems + notices + faults;
      verdict.className = `verdict ${state}`;
      put(verdict, h("h2", {}, word), h("p", {}, `${status.environment} gateway`, status.version ? `, version ${status.version}` : ""),
        status.node ? h("p", {}, `The figures are those of the node ${status.node}, not of the whole cluster.`) : null,
        faults ? h("p", {}, faultSentences(faults, status.data)) : null, [...problems, ...notices].map((text) => h("p", {}, text)));
    }
    drawTiles(values);
    drawFacts();
    const total = [...byLabel(values, "belfry_pushes_refused_total")].reduce((sum, [, value]) => sum + value, 0);
    if (total !== refused && Date.now() - refusedAt >= refusedPace) {
      refused = total;
      refusedAt = Date.now();
      drawReasons(values);
      loadRefusals();
    }
  }

  function drawTiles(values) {
    const tile = (name, value, { line, lines, link } = {}) => h("div", { class: "tile" },
      h("p", { class: "figure" }, value), h("p", {}, link ? h("a", { href: link }, name) : name),
      lines ?? line ? spark(lines ?? [line]) : null);
    const whole = (number) => Math.round(number).toLocaleString();
    put(tiles,
      tile("Accepted per second", rates.text("belfry_pushes_accepted_total"), { line: series.accepted ?? [] }),
      tile("Delivered per second", rates.text("belfry_notifications_total", (label) => label.startsWith("Delivered")), { line: series.delivered ?? [] }),
      tile("Refused per second", rates.text("belfry_pushes_refused_total"), { line: series.refused ?? [], link: "#/log?state=Refused" }),
      tile("Delivery latency p50 / p99", `${latency(newest(series.deliveryP50))} / ${latency(newest(series.deliveryP99))} ms`,
        { lines: [series.deliveryP50 ?? [], series.deliveryP99 ?? []] }),
      tile("Devices connected", whole(values.get("belfry_device_connections") ?? 0), { line: series.devices ?? [], link: "#/devices" }),
      tile("Providers connected", whole(values.get("belfry_provider_connections") ?? 0), { line: series.providers ?? [] }),
      status.waiting === undefined ? null : tile("Queued notifications", whole(status.waiting), { line: series.waiting ?? [] }),
      tile("Delivered since startup", whole(status.delivered ?? 0)));
  }

  function drawFacts() {
    const end = (text) => {
      if (!text) return null;
      const days = daysUntil(text, status.at);
      return h("span", { class: days < warningDays ? "bad" : "" }, `${new Date(text).toLocaleDateString()} (in ${count(days, "day", "days")})`);
    };
    const address = (text) => (text ? h("span", { class: "address" }, text) : null);
    const addresses = (texts) => texts?.flatMap((text, index) => (index ? [", ", address(text)] : [address(text)]));
    const used = status.diskTotalBytes ? status.diskTotalBytes - status.diskFreeBytes : null;
    const rows = [
      ["Version", status.version], ["Environment", status.environment],
      ["Up", status.upSeconds === undefined ? null : `${duration(status.upSeconds)}, since ${dateTime(status.startedAt)}`],
      ["Provider API", addresses(status.providerAddresses) ?? address(status.providerAddress)], ["Devices", address(status.deviceAddress)], ["Binary interface", address(status.binaryAddress)],
      ["Feedback", address(status.feedbackAddress)], ["Console", address(status.consoleAddress)],
      ["Your own certificate expires", end(status.ownCertificateEndsAt)],
      ["Server certificate expires", end(status.serverCertificateEndsAt)], ["CA certificate expires", end(status.authorityEndsAt)],
      ["Next CA certificate expires", end(status.nextAuthorityEndsAt)],
      ["Earliest provider certificate expires", end(status.providerCertificateEndsAt)],
      ["Disk", used === null ? null : [`${bytes(status.diskFreeBytes)} free of ${bytes(status.diskTotalBytes)}`,
        h("progress", { max: status.diskTotalBytes, value: used, "aria-label": "Disk space used" })]],
      ["Cluster node", status.node ?? null], ["Bus", status.bus ? `${status.bus}${status.busConnected ? "" : " (not connected)"}` : null],
      ["Database", status.database ?? null],
      ["Stores", status.controlStoreBytes === undefined ? null : `control ${bytes(status.controlStoreBytes)}, notifications ${bytes(status.notificationStoreBytes)}`],
      ["Memory", status.residentBytes === undefined ? null : bytes(status.residentBytes)], ["Data folder", status.data],
    ];
    put(facts, h("h2", {}, "Gateway"), h("dl", { class: "facts card" }, rows.filter(([, value]) => value !== null && value !== undefined)
      .map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]).flat()));
  }

  function drawReasons(values) {
    const rows = [...byLabel(values, "belfry_pushes_refused_total")].filter(([, number]) => number)
      .sort(([, one], [, other]) => other - one);
    put(reasons, rows.length === 0 ? null : [h("h2", {}, "Refusals by reason"), table("Refusals by reason", [
      ["Reason", ([reason]) => h("a", { href: `#/log?state=Refused&reason=${encodeURIComponent(reason)}` }, reason)],
      ["Since startup", ([, number]) => number.toLocaleString()],
    ], rows, "")]);
  }

  async function loadRefusals() {
    const heading = h("h2", {}, "Latest refused pushes");
    let rows;
    try {
      rows = await call("GET", "/api/log?state=Refused&limit=8", undefined, { patience: patience.search });
    } catch (refusal) {
      // The list is read again at the next opportunity.
      refused = null;
      put(refusals, heading, h("p", { class: "error" }, refusal.message));
      return;
    }
    put(refusals, heading, table("Latest refused pushes", [
      ["Time", (row) => h("a", { href: `#/log?of=${row.apnsID}` }, clockTime(row.at))],
      ["Reason", (row) => row.reason], ["App", (row) => row.topic ?? ""],
    ], rows.reverse(), "No pushes refused recently."));
  }

  function fail(refusal) {
    const since = status ? `The numbers below are from ${clockTime(status.at)}.` : "";
    if (shown !== refusal.message + since) {
      shown = refusal.message + since;
      verdict.className = "verdict bad";
      put(verdict, h("h2", {}, "Connection lost"), h("p", {}, refusal.message), since ? h("p", {}, since) : null,
        refusal.status === 0 ? retryButton(load) : null);
    }
    numbers.classList.toggle("stale", status !== null);
  }

  async function load() {
    try {
      [status] = await call("GET", "/api/status");
      draw();
    } catch (refusal) {
      fail(refusal);
    }
  }

  const endStatus = every(2000, load);
  const endSeries = every(10000, async () => {
    series = (await call("GET", "/api/history?minutes=15").catch(() => [{}]))[0].series ?? {};
    if (status && !numbers.classList.contains("stale")) draw();
  });
  return () => { endStatus(); endSeries(); };
}
