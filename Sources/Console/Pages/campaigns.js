import { call, every, follow } from "/console/api.js";
import { capital, count, dateTime, h, put, sentences, table } from "/console/elements.js";
import { duration, link, outcome, previews, stateBadge, stateText } from "/console/campaign-parts.js";

export const title = "Campaigns";

export function show(main, parameters) {
  const id = parameters.get("id");
  return id ? showOne(main, id) : showAll(main);
}

function showAll(main) {
  const list = h("div", {}, h("p", { class: "hint" }, "…"));
  main.append(h("p", { class: "buttons" }, h("a", { class: "button", href: "#/new" }, "Create a campaign")), list);
  return every(2000, async () => {
    try {
      const campaigns = await call("GET", "/campaigns");
      put(list, table("Campaigns, newest first", [
        ["Campaign", (row) => link(row)], ["State", (row) => stateBadge(row)], ["Outcome", (row) => outcome(row)],
        ["App", (row) => row.topic], ["Created", (row) => dateTime(row.created)], ["Problem", (row) => row.problem ?? ""],
      ], campaigns.reverse(), "No campaigns."));
    } catch (refusal) {
      put(list, h("p", { class: "error" }, refusal.message));
    }
  });
}

/** A campaign: its progress, its available actions, and its results at the end. */
function showOne(main, id) {
  const head = h("p", {}, h("a", { href: "#/campaigns" }, "All campaigns"), " · campaign ", h("code", {}, id));
  const bar = h("progress", { max: 1, value: 0, "aria-label": "Processed devices" });
  const figures = h("p", { class: "figures" }, "…");
  const news = h("p", { role: "status" });
  const remark = h("p", { class: "error", hidden: true });
  const buttons = h("p", { class: "buttons" });
  const report = h("section", { "aria-label": "Report", "aria-live": "polite" });
  const facts = h("dl", { class: "facts card" });
  main.append(head, h("section", { class: "card", "aria-label": "Progress" }, bar, figures, news, remark, buttons), facts, report);
  let state = "";
  let end = () => {};

  async function act(verb) {
    for (const button of buttons.querySelectorAll("button")) button.disabled = true;
    try {
      const [status] = await call("POST", `/campaigns/${id}/${verb}`);
      draw(status);
    } catch (refusal) {
      remark.hidden = false;
      remark.textContent = refusal.message;
      for (const button of buttons.querySelectorAll("button")) button.disabled = false;
    }
  }

  function draw(status) {
    const done = status.sent + status.unknown;
    bar.max = Math.max(1, status.devices);
    bar.value = status.devices === 0 && status.state === "finished" ? 1 : done;
    const parts = [`${done.toLocaleString()} of ${count(status.devices, "device", "devices")}`];
    if (status.devices) parts.push(`${Math.floor((done * 100) / status.devices)} %`);
    if (status.perSecond) parts.push(`${status.perSecond.toLocaleString()} per second`);
    if (status.secondsLeft) parts.push(`about ${duration(status.secondsLeft)} left`);
    figures.textContent = `${parts.join(" · ")}. ${outcome(status)}.`;
    remark.hidden = !status.problem;
    remark.textContent = status.problem ? sentences(status.problem) : "";
    if (state === status.state) return;
    state = status.state;
    // Announced once per change, not with every number.
    news.textContent = capital(stateText(status));
    const verb = { running: "pause", paused: "resume", preparing: "resume" }[state];
    const word = { running: "Pause", paused: "Resume", preparing: "Start" }[state];
    put(buttons, verb ? h("button", { type: "button", class: verb === "pause" ? "quiet" : false, onclick: () => act(verb) }, word) : null);
    put(facts, [["App", status.topic], ["Created", dateTime(status.created)], ["Finished", dateTime(status.finished) || "not yet"],
      ["Rate limit", status.rate ? `${status.rate} per second` : "none"]].flatMap(([name, value]) =>
      [h("dt", {}, name), h("dd", {}, value)]));
    if (state === "finished" || state === "paused") { end(); showReport(); } else { put(report); watch(); }
  }

  async function showReport() {
    try {
      const [found] = await call("GET", `/campaigns/${id}/report`);
      const number = (value) => (value === null || value === undefined ? "not available" : value.toLocaleString());
      const reasons = Object.entries(found.reasons ?? {}).map(([reason, times]) => ({ reason, times }));
      put(report, h("h2", {}, found.state === "finished" ? "Report" : "Progress so far"),
        h("dl", { class: "facts card" }, [
          ["Accepted", number(found.accepted)], ["Delivered (from the gateway's log)", number(found.delivered)],
          ["Replaced by a newer notification", number(found.replaced)], ["Expired tokens", number(found.dead)],
          ["Kept (re-registered since)", number(found.kept)],
          ["Failed", number(found.failed)], ["Unknown (not sent)", number(found.unknown)],
        ].flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)])),
        table("Reasons", [["Reason", (row) => row.reason], ["Devices", (row) => row.times.toLocaleString()]], reasons,
          "No rejections."));
      if (found.state === "paused") {
        const [preview] = await call("GET", `/campaigns/${id}/preview`);
        report.append(h("h2", {}, "Preview"), previews(preview, found.topic));
      }
    } catch (refusal) {
      put(report, h("p", { class: "error" }, refusal.message));
    }
  }

  function watch() {
    end();
    end = follow(`/campaigns/${id}/events`, draw);
  }

  call("GET", `/campaigns/${id}`).then(([status]) => draw(status))
    .catch((refusal) => { figures.textContent = ""; remark.hidden = false; remark.textContent = refusal.message; });
  return () => end();
}
