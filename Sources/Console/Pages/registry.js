import { call, every } from "/console/api.js";
import { clockTime, count, dateTime, h, put, table } from "/console/elements.js";
import { link, outcome, stateBadge, when } from "/console/campaign-parts.js";

export const title = "Overview";

/** Sorts findings into problems, which prevent sending, and notices. */
function judge({ service, held, paused, scheduled, latest, devices, disk, notices: found }) {
  const problems = [];
  const notices = found.map((text) => `${text}.`);
  if (disk) problems.push(`The registry is not writable: ${disk}.`);
  if (service.connection === "failed") {
    problems.push(service.name ? `Can't connect to ${service.name}: ${service.problem}.` : `Can't send: ${service.problem}.`);
  }
  for (const { name, problem } of held) problems.push(`“${name}”: ${problem}.`);
  // A campaign that the user paused isn't a problem.
  const news = [];
  if (paused.length) news.push(`${count(paused.length, "campaign", "campaigns")} paused: ${paused.map((one) => `“${one.name}”`).join(", ")}.`);
  if (scheduled) news.push(`${count(scheduled, "campaign", "campaigns")} scheduled.`);
  if (latest && latest.failed + latest.unknown > 0) {
    const parts = [];
    if (latest.failed) parts.push(`failed for ${count(latest.failed, "device", "devices")}`);
    if (latest.unknown) parts.push(`has an unknown outcome for ${count(latest.unknown, "device", "devices")}`);
    notices.push(`The latest completed campaign, “${latest.name}”, ${parts.join(" and ")}.`);
  }
  if (devices === 0) notices.push("No device tokens registered yet.");
  return { problems, notices, news };
}

function connectionText({ name, environment, connection, since }) {
  const place = `the ${environment ? `${environment} ` : ""}push service${name ? ` at ${name}` : ""}`;
  if (connection === "connected") return `Connected to ${place} since ${dateTime(since)}.`;
  // The service connects again as a test, and then reports the result.
  if (connection === "ended") return `The connection to ${place} ended at ${dateTime(since)}. Connecting again…`;
  if (connection === "failed") return `Not connected to ${place}.`;
  return `Connecting to ${place}…`;
}

/** Shows the state of the service at a glance: its problems, notices, and main numbers. */
export function show(main) {
  const verdict = h("section", { class: "verdict", role: "status", "aria-label": "Status" }, "…");
  const tiles = h("section", { class: "tiles", "aria-label": "Key figures" });
  const apps = h("section", { "aria-label": "Apps" });
  const sends = h("section", { "aria-label": "Recent campaigns" });
  const numbers = h("div", {}, tiles, apps, sends);
  main.append(verdict, numbers);
  let shown = "";
  /** The time of the latest answer; null before the first answer. */
  let answeredAt = null;

  function draw(status) {
    const { problems, notices, news } = judge(status);
    // Until a connection has been tested, it is unknown whether the service can send.
    const isTested = ["connected", "failed"].includes(status.service.connection);
    const state = problems.length ? "bad" : !isTested ? "untested" : notices.length ? "fair" : "good";
    const word = { bad: "Needs attention", untested: "Checking the connection…", fair: "Working, with warnings", good: "Everything is working" }[state];
    const lines = [connectionText(status.service), ...problems, ...notices, ...news];
    answeredAt = status.at;
    numbers.classList.remove("stale");
    // Update the text only on changes, because screen readers read it aloud.
    if (shown !== word + lines) {
      shown = word + lines;
      verdict.className = `verdict ${state}`;
      put(verdict, h("h2", {}, word), lines.map((text) => h("p", {}, text)));
    }
    const tile = (name, value) => h("div", { class: "tile" }, h("p", { class: "figure" }, value), h("p", {}, name));
    const languages = new Set(status.apps.flatMap((app) => app.languages.map((one) => one.language).filter(Boolean)));
    put(tiles, tile("Registered devices", status.devices.toLocaleString()),
      status.webPush ? tile("Web Push subscriptions", status.webPush.toLocaleString()) : null, tile("Apps", String(status.apps.length)),
      tile("Languages", String(languages.size)), tile("Dead tokens removed", status.dead.toLocaleString()));
    const parts = (list, key, none) => list.map((one) => `${one[key] ?? none} ${one.devices.toLocaleString()}`).join(", ");
    put(apps, h("h2", {}, "Apps"), table("Apps", [
      ["App", (row) => h("code", { class: "app" }, row.topic)],
      ["Devices", (row) => row.devices.toLocaleString()],
      ["By language", (row) => parts(row.languages, "language", "no language")],
      ...(status.webPush ? [["Web Push", (row) => row.webPush.toLocaleString()]] : []),
      ["By environment", (row) => parts(row.environments, "environment", "no environment")],
      ["Dead tokens removed", (row) => row.dead.toLocaleString()],
    ], status.apps, "No device tokens registered yet. Apps register tokens with /register."));
    put(sends, h("h2", {}, "Recent campaigns"), table("Recent campaigns", [
      ["Campaign", (row) => link(row)], ["State", (row) => stateBadge(row)], ["When", (row) => when(row)], ["Outcome", (row) => outcome(row)],
      ["App", (row) => h("span", { class: "app" }, row.topic)], ["Created", (row) => dateTime(row.created)],
    ], status.campaigns, "No campaigns."), h("p", { class: "buttons" }, h("a", { class: "button", href: "#/new" }, "Create a campaign")));
  }

  function fail(refusal) {
    const since = answeredAt ? `The numbers and states below are from ${clockTime(answeredAt)}.` : "";
    numbers.classList.toggle("stale", answeredAt !== null);
    if (shown === refusal.message + since) return;
    shown = refusal.message + since;
    verdict.className = "verdict bad";
    put(verdict, h("h2", {}, "Connection lost"), h("p", {}, refusal.message), since ? h("p", {}, since) : null);
  }

  return every(2000, async () => {
    try {
      const [status] = await call("GET", "/status");
      draw(status);
    } catch (refusal) {
      fail(refusal);
    }
  });
}
