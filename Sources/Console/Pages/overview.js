import { call, every } from "/console/api.js";
import { clockTime, h, put, table } from "/console/elements.js";
import { Rates, byLabel } from "/console/samples.js";

export const title = "Overview";

/** Shows at a glance whether everything works. */
export function show(main) {
  const verdict = h("section", { class: "verdict", role: "status", "aria-label": "Status" }, "…");
  const tiles = h("section", { class: "tiles", "aria-label": "Key figures" });
  const refusals = h("section", { "aria-label": "Rejections" });
  main.append(verdict, tiles, refusals);
  const rates = new Rates();
  const seen = new Map();
  let shown = "";

  function judge(status) {
    const values = new Map(Object.entries(status.metrics));
    const problems = [];
    if (!status.ready) problems.push(`Not ready: ${status.obstacle}.`);
    for (const [store, value] of byLabel(values, "belfry_store_failing")) {
      if (value) problems.push(`The disk for the ${store} store is not writable.`);
    }
    const notices = [...status.notices];
    const clock = values.get("belfry_clock_disagreement_seconds");
    if (clock) notices.push(`The system clock was changed by ${clock} s. Expiry times are not adjusted yet.`);
    return { values, problems, notices };
  }

  function draw(status) {
    const { values, problems, notices } = judge(status);
    rates.add(Date.parse(status.at), values);
    const state = problems.length ? "bad" : notices.length ? "fair" : "good";
    const word = { bad: "Needs attention", fair: "Working, with warnings", good: "Everything is working" }[state];
    // Update only on changes, because screen readers read it aloud.
    if (shown !== word + problems + notices) {
      shown = word + problems + notices;
      verdict.className = `verdict ${state}`;
      put(verdict, h("h2", {}, word), h("p", {}, `${status.environment} gateway`),
        [...problems, ...notices].map((text) => h("p", {}, text)));
    }
    const sum = (name) => [...byLabel(values, name)].reduce((total, [, value]) => total + value, 0);
    const inState = (label) => values.get(`belfry_notifications_total{state="${label}"}`) ?? 0;
    const tile = (name, value, unit) => h("div", { class: "tile" },
      h("p", { class: "figure" }, value), h("p", {}, unit ? `${name} ${unit}` : name));
    const whole = (number) => Math.round(number).toLocaleString();
    put(tiles,
      tile("Devices connected", whole(values.get("belfry_device_connections") ?? 0)),
      tile("Providers connected", whole(values.get("belfry_provider_connections") ?? 0)),
      tile("Accepted", rates.text("belfry_pushes_accepted_total"), "per second"),
      tile("Rejected", rates.text("belfry_pushes_refused_total"), "per second"),
      tile("Delivered", whole(inState("Delivered to Device") + inState("Delivered (From Storage)")), "since startup"),
      status.waiting === undefined ? null : tile("Queued notifications", whole(status.waiting)));
    drawRefusals(values, status.at, sum("belfry_pushes_refused_total"));
  }

  function drawRefusals(values, at, total) {
    const rows = [];
    for (const [reason, count] of byLabel(values, "belfry_pushes_refused_total")) {
      const before = seen.get(reason);
      if (before === undefined || before.count !== count) {
        seen.set(reason, { count, at: before === undefined ? null : at });
      }
      if (count) rows.push({ reason, count, at: seen.get(reason).at });
    }
    rows.sort((one, other) => (other.at ?? "").localeCompare(one.at ?? "") || other.count - one.count);
    put(refusals, h("h2", {}, "Rejections"),
      table("Rejections by reason", [
        ["Reason", (row) => row.reason],
        ["Since startup", (row) => row.count.toLocaleString()],
        ["Latest", (row) => row.at ? clockTime(row.at) : "Before you opened this page"],
      ], rows, total === 0 ? "No pushes rejected since startup." : ""));
  }

  return every(2000, async () => {
    try {
      const [status] = await call("GET", "/api/status");
      draw(status);
    } catch (refusal) {
      shown = "";
      verdict.className = "verdict bad";
      put(verdict, h("h2", {}, "Connection lost"), h("p", {}, refusal.message));
    }
  });
}
