import { call, every } from "/console/api.js";
import { h, put } from "/console/elements.js";
import { plot } from "/console/plot.js";

export const title = "Metrics of the last hour";
export const short = "Metrics";

/** The rate of a counter per second between samples; null across a restart. */
function rate(at, values) {
  return at.slice(1).map((moment, index) => {
    const [before, now] = [values[index], values[index + 1]];
    if (before === null || now === null || now < before) return null;
    return (now - before) / Math.max(0.001, (moment - at[index]) / 1000);
  });
}

/** The sum of several series; null where all of them are null. */
function add(lists, length) {
  if (lists.length === 0) return new Array(length).fill(null);
  return lists[0].map((_, index) => {
    const values = lists.map((list) => list[index]).filter((value) => value !== null);
    return values.length ? values.reduce((sum, value) => sum + value, 0) : null;
  });
}

/** A percentile of the durations, in milliseconds, from a histogram's buckets. */
function percentile(series, prefix, share, length) {
  const buckets = Object.entries(series).filter(([name]) => name.startsWith(prefix) && name.includes('le="'))
    .map(([name, values]) => [Number(name.match(/le="([^"]+)"/)[1].replace("+Inf", "Infinity")), values])
    .sort(([one], [other]) => one - other);
  return Array.from({ length: Math.max(0, length - 1) }, (_, index) => {
    const counts = buckets.map(([, values]) => (values[index + 1] ?? 0) - (values[index] ?? 0));
    const total = counts.at(-1) ?? 0;
    if (total <= 0) return null;
    const place = counts.findIndex((count) => count >= total * share);
    const bound = buckets[place][0];
    return (bound === Infinity ? buckets.at(-2)[0] : bound) * 1000;
  });
}

/** Lines of the 50th and 99th percentiles. */
function percentiles(series, prefix, length) {
  return [["p50", percentile(series, prefix, 0.5, length)], ["p99", percentile(series, prefix, 0.99, length)]];
}

export function show(main) {
  const place = h("div", { class: "plots" });
  const note = h("p", { class: "hint", role: "status" });
  main.append(note, place);

  function draw({ at, series }) {
    note.textContent = at.length < 3 ? "Collecting data. The first values appear in about 30 seconds." : "";
    const of = (prefix) => Object.entries(series).filter(([name]) => name === prefix || name.startsWith(`${prefix}{`)).map(([, values]) => values);
    const state = (...labels) => add(labels.flatMap((label) => series[`belfry_notifications_total{state="${label}"}`] ? [series[`belfry_notifications_total{state="${label}"}`]] : []), at.length);
    const moments = at.slice(1);
    const deliveries = "belfry_delivery_seconds_bucket";
    const commits = 'belfry_store_commit_seconds_bucket{store="notifications"';
    put(place,
      plot("Pushes per second", moments, [
        ["accepted", rate(at, add(of("belfry_pushes_accepted_total"), at.length))],
        ["rejected", rate(at, add(of("belfry_pushes_refused_total"), at.length))]]),
      plot("Notifications per second", moments, [
        ["delivered", rate(at, state("Delivered to Device", "Delivered (From Storage)"))],
        ["stored", rate(at, state("Stored – Device Offline", "Stored – Power Considerations", "Stored – No Room on Device"))],
        ["discarded", rate(at, state("Discarded – Token Unregistered", "Discarded – Expired", "Discarded – Disabled"))]]),
      plot("Connections", at, [["devices", add(of("belfry_device_connections"), at.length)], ["providers", add(of("belfry_provider_connections"), at.length)]]),
      plot("Queued notifications", at, [["queued", series.waiting ?? new Array(at.length).fill(null)]]),
      plot("Delivery latency (ms)", moments, percentiles(series, deliveries, at.length)),
      plot("Store commit latency (ms)", moments, percentiles(series, commits, at.length)));
  }

  return every(10000, async () => {
    try { draw((await call("GET", "/api/history"))[0]); } catch (refusal) { note.textContent = refusal.message; }
  });
}
