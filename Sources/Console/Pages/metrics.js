import { call, every } from "/console/api.js";
import { clockTime, h, put, retryButton } from "/console/elements.js";
import { recall, remember } from "/console/memory.js";
import { Plot } from "/console/plot.js";

export const title = "Metrics";

const ranges = [[15, "15 minutes"], [60, "1 hour"], [360, "6 hours"], [1440, "24 hours"], [10080, "7 days"]];

/** The plots: a title, and the lines of the plot with the names of their series. */
const plots = [
  ["Pushes per second", [["accepted", "accepted"], ["refused", "refused"]]],
  ["Notifications per second", [["delivered", "delivered"], ["stored", "stored"], ["discarded", "discarded"]]],
  ["Delivery latency (ms)", [["p50", "deliveryP50"], ["p90", "deliveryP90"], ["p99", "deliveryP99"]]],
  ["Store commit latency (ms)", [["p50", "commitP50"], ["p90", "commitP90"], ["p99", "commitP99"]]],
  ["Connections", [["devices", "devices"], ["providers", "providers"]]],
  ["Queued notifications", [["queued", "waiting"]]],
];

export function show(main) {
  let minutes = recall("range", 60);
  if (!ranges.some(([range]) => range === minutes)) minutes = 60;
  const note = h("p", { class: "hint", role: "status" });
  const shown = plots.map(([name, lines]) => ({ plot: new Plot(name), lines }));
  const empty = h("p", { class: "empty", hidden: true }, "No pushes in this period. ", h("a", { href: "#/send" }, "Send a test push"), ", or choose a longer period.");
  const problem = h("div", { role: "alert" });
  const drawings = h("div", { class: "plots" }, shown.map(({ plot }) => plot.element));
  /** The time of the latest answer; null before the first answer. */
  let answeredAt = null;
  let shownProblem = "";
  const choice = h("div", { class: "buttons", role: "group", "aria-label": "Time range" });

  function drawChoice() {
    put(choice, ranges.map(([range, text]) => h("button", { type: "button", class: "quiet", "data-key": range, "aria-pressed": String(range === minutes),
      onclick: () => {
        minutes = range;
        remember("range", range);
        drawChoice();
        choice.querySelector(`[data-key="${range}"]`).focus();
        load();
      } }, text)));
  }

  async function load() {
    const wanted = minutes;
    try {
      const [{ at, series, stepSeconds }] = await call("GET", `/api/history?minutes=${wanted}`);
      if (wanted !== minutes) return;
      answeredAt = new Date().toISOString();
      shownProblem = "";
      put(problem);
      drawings.classList.remove("stale");
      const step = stepSeconds < 60 ? `${stepSeconds} seconds` : stepSeconds === 60 ? "minute" : `${stepSeconds / 60} minutes`;
      note.textContent = at.length < 2 ? `Collecting data: one value every ${step}.` : `One value every ${step}. Percentiles are computed from all values of each step.`;
      empty.hidden = ["accepted", "refused", "delivered", "stored", "discarded"].some((key) => series[key]?.some((value) => value > 0));
      for (const { plot, lines } of shown) plot.draw(at, lines.map(([name, key]) => [name, series[key] ?? []]), minutes >= 1440);
    } catch (refusal) { fail(refusal); }
  }

  /** Shows the problem, and marks the plots as old; they still show the period that was selected before. */
  function fail(refusal) {
    const since = answeredAt ? `The plots below are from ${clockTime(answeredAt)}.` : "";
    note.textContent = "";
    drawings.classList.toggle("stale", answeredAt !== null);
    // Update the text only on changes, because screen readers read it aloud.
    if (shownProblem === refusal.message + since) return;
    shownProblem = refusal.message + since;
    put(problem, h("p", { class: "error" }, refusal.message), since ? h("p", {}, since) : null, refusal.status === 0 ? retryButton(load) : null);
  }

  drawChoice();
  main.append(choice, note, problem, empty, drawings);
  return every(10000, load);
}
