import { address, titles } from "/console/documents.js";
import { call, download, every, follow, patience } from "/console/api.js";
import { capital, count, dateTime, h, linked, put, saveFile, sentences, table } from "/console/elements.js";
import { changeText, contents, duration, hasImage, imageAddress, languageLabel, link, outcome, previews, schedule, sendText, stateBadge, stateText, timeText, waitText, when } from "/console/campaign-parts.js";
import { sendTest } from "/console/campaign-test.js";
import { forgetEdit, hasEdit } from "/console/compose.js";
import { confirm } from "/console/dialog.js";

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
      // Without problems, their empty column would take the space of the others.
      const problems = campaigns.some((row) => row.problem) ? [["Problem", (row) => row.problem ?? ""]] : [];
      put(list, table("Campaigns, newest first", [
        ["Campaign", (row) => link(row)], ["State", (row) => stateBadge(row)], ["When", (row) => when(row)],
        ["Outcome", (row) => outcome(row)], ["App", (row) => h("span", { class: "app" }, row.topic)], ["Created", (row) => dateTime(row.created)],
        ...problems,
      ], campaigns.reverse(), "No campaigns."));
    } catch (refusal) {
      put(list, h("p", { class: "error" }, refusal.message));
    }
  });
}

const ended = ["completed", "cancelled"];

/**
 * Milliseconds between two readings of the report of a running campaign. The report searches the gateway's log, so a
 * reading that takes long is repeated less often.
 */
const reportPace = { least: 1000, most: 10000, perMillisecond: 20 };

/** Returns the kind of the recipients in a row of a report. */
const kindName = ({ kind }) => (kind === "webPush" ? "Web Push subscription" : "device");

/** Returns the time of day in seconds. */
const timeOfDay = () => new Date().toLocaleTimeString([], { hourCycle: "h23" });

/** Returns whether a preview reports that the time of a campaign has passed for every device. */
function hasPassed(preview) { return preview.problems.some((one) => one.field === "at"); }

/** Shows a campaign: its progress, its available actions, and its results at the end. */
function showOne(main, id) {
  const heading = main.querySelector("h1");
  heading.tabIndex = -1;
  const head = h("p", {}, h("a", { href: "#/campaigns" }, "All campaigns"), " · ID ", h("code", {}, id));
  const bar = h("progress", { max: 1, value: 0, "aria-label": "Processed devices" });
  const figures = h("p", { class: "figures" }, "…");
  const news = h("p", { role: "status" });
  const remark = h("p", { class: "error", hidden: true });
  /** The reason that the last action failed, which remains while the campaign's state is updated. */
  const failure = h("p", { class: "error", role: "alert", hidden: true });
  const edited = h("p", { class: "hint", "aria-live": "polite", hidden: true });
  const unsaved = h("p", { class: "hint", hidden: true }, "You have unsaved changes to this campaign, which this page doesn't show. Choose Edit to save or discard them.");
  const buttons = h("p", { class: "buttons" });
  const report = h("section", { "aria-label": "Report", "aria-live": "polite" });
  const facts = h("dl", { class: "facts card" });
  /** The texts of a campaign that has started. */
  const content = h("section", { "aria-label": "Text of the campaign" });
  main.append(head, h("section", { class: "card", "aria-label": "Progress" }, news, bar, figures, remark, failure, edited, unsaved, buttons), facts, report, content);
  let state = "";
  /** The status that the page shows. */
  let current = {};
  /** The report that is shown, as text, the time of its numbers, and the number of devices that it counts. */
  let shown = "";
  const asOf = h("p", { class: "hint" });
  let reportedDone = 0;
  /** The time at which the report was requested, and the milliseconds until the next request. */
  let reportedAt = -Infinity;
  let pace = reportPace.least;
  let end = () => {};
  let isAsking = false;

  async function attempt(work) {
    const focused = buttons.contains(document.activeElement) ? document.activeElement : null;
    for (const button of buttons.querySelectorAll("button")) button.disabled = true;
    failure.hidden = true;
    try {
      await work();
    } catch (refusal) {
      fail(refusal);
      if (isChange(refusal)) await refresh();
    }
    for (const button of buttons.querySelectorAll("button")) button.disabled = false;
    // A disabled or removed button loses the focus. A screen reader continues at the button, or else at the heading.
    if (focused && document.activeElement === document.body) (focused.isConnected ? focused : heading).focus();
  }

  /** Returns whether an action was refused because another user or program has changed the campaign. */
  function isChange(refusal) { return refusal.status === 409 && refusal.errors[0]?.field === "revision"; }

  /** Shows why an action failed. */
  function fail(refusal) {
    failure.hidden = false;
    put(failure, linked(isChange(refusal)
      ? sentences(changeText(refusal.errors[0].error, current.name), "nothing was sent", "check the new version on this page, then send it") : refusal.message));
  }

  /** Shows the campaign's present status, unless `isWanted` returns false by the time the response arrives. */
  async function refresh(isWanted = () => true) {
    try {
      const [status] = await call("GET", `/campaigns/${id}`);
      if (isWanted()) draw(status);
    } catch (refusal) {
      remark.hidden = false;
      remark.textContent = refusal.message;
    }
  }

  const act = (verb, revision) => attempt(async () => {
    const [status] = await call("POST", `/campaigns/${id}/${verb}`, undefined, { revision });
    draw(status);
  });

  /**
   * Schedules a draft, or sends it to all of its devices immediately after the user has confirmed it. The service refuses
   * a draft that has changed since the page showed it.
   */
  async function send() {
    // A disabled button would lose the focus, which returns to it after the dialog.
    if (isAsking) return;
    isAsking = true;
    failure.hidden = true;
    const seen = current;
    let preview;
    try {
      [preview] = await call("GET", `/campaigns/${id}/preview`, undefined, { patience: patience.long });
    } catch (refusal) {
      fail(refusal);
      return;
    } finally {
      isAsking = false;
    }
    if (preview.startsInSeconds > 0) return act("resume", seen.revision);
    if (!await confirm({ title: `Send “${seen.name}” now?`, text: sendText(preview, seen), action: "Send" })) return;
    await (hasPassed(preview) ? sendWithoutTime(seen.revision) : act("resume", seen.revision));
  }

  /** Sends a draft whose time has passed: the service refuses such a time, so the draft loses it. */
  const sendWithoutTime = (revision) => attempt(async () => {
    const [document] = await call("GET", `/campaigns/${id}/document`);
    const [saved] = await call("PUT", `/campaigns/${id}`, { ...document, at: null }, { revision });
    const [status] = await call("POST", `/campaigns/${id}/resume`, undefined, { revision: saved.revision });
    draw(status);
  });

  async function cancel(status) {
    const text = status.state === "scheduled" ? "The campaign will not be sent. To send it later, copy it."
      : "No more pushes are sent, and the campaign can't be resumed. The report still includes the pushes that were sent.";
    if (await confirm({ title: `Cancel “${status.name}”?`, text, action: "Cancel campaign", keep: "Keep campaign" })) await act("cancel");
  }

  async function remove(status) {
    const text = ended.includes(status.state) ? "The report is deleted, too. This can't be undone." : "This can't be undone.";
    if (!await confirm({ title: `Delete “${status.name}”?`, text, action: "Delete campaign" })) return;
    await attempt(async () => {
      await call("DELETE", `/campaigns/${id}`);
      forgetEdit(id);
      location.hash = "#/campaigns";
    });
  }

  const copy = () => attempt(async () => {
    const [made] = await call("POST", `/campaigns/${id}/copy`);
    location.hash = `#/new?id=${made.id}`;
  });

  /** Returns the actions that the state allows, with the most likely action first. */
  function actions(status) {
    const button = (text, onclick, kind = "quiet") => h("button", { type: "button", class: kind, onclick }, text);
    const edit = h("a", { class: "button quiet", href: `#/new?id=${id}` }, "Edit");
    const all = {
      send: h("button", { type: "button", class: "", "data-name": "send", onclick: send }, sendLabel(status)), edit,
      test: button("Send a test…", () => sendTest(current)), copy: button("Copy", copy),
      pause: button("Pause", () => act("pause")), resume: button("Resume", () => act("resume"), ""),
      cancel: button("Cancel campaign…", () => cancel(current), "danger"),
      remove: button("Delete…", () => remove(current), "danger"),
    };
    const names = {
      draft: ["send", "edit", "test", "copy", "remove"], scheduled: ["edit", "test", "copy", "cancel", "remove"],
      running: ["pause", "cancel"], paused: ["resume", "test", "copy", "cancel"],
      completed: ["copy", "remove"], cancelled: ["copy", "remove"],
    };
    return (names[status.state] ?? []).map((name) => all[name]);
  }

  function sendLabel({ at }) { return at ? "Schedule" : "Send now…"; }

  function draw(status) {
    const done = status.sent + status.unknown;
    const isEdited = state === status.state && status.revision && current.revision !== status.revision;
    current = status;
    const isStarted = status.state !== "draft" && status.state !== "scheduled";
    heading.textContent = status.name;
    document.title = `${status.name} – Belfry`;
    bar.hidden = !isStarted;
    bar.max = Math.max(1, status.devices);
    bar.value = status.devices === 0 && status.state === "completed" ? 1 : done;
    if (isStarted) {
      const parts = [`${done.toLocaleString()} of ${count(status.devices, "device", "devices")}`];
      if (status.devices) parts.push(`${Math.floor((done * 100) / status.devices)}%`);
      const wait = waitText(status);
      if (!wait && status.perSecond) parts.push(`${status.perSecond.toLocaleString()} per second`);
      if (!wait && status.secondsLeft) parts.push(`about ${duration(status.secondsLeft)} left`);
      figures.textContent = [`${parts.join(" · ")}. ${outcome(status)}.`, wait].filter(Boolean).join(" ");
    } else {
      figures.textContent = status.state !== "scheduled" ? "Nothing has been sent."
        : status.to === "list" ? `${count(status.devices, "device token", "device tokens")} in the list.`
          : `${count(status.devices, "device", "devices")} registered now. Devices that register before the scheduled time are included.`;
    }
    remark.hidden = !status.problem;
    remark.textContent = status.problem ? sentences(status.problem) : "";
    // Announce the state once per change, not with every number. A running campaign can begin and cease to wait.
    const words = status.state === "scheduled" ? schedule(status) : capital(stateText(status));
    if (news.textContent !== words) news.textContent = words;
    if (isEdited) {
      edited.hidden = false;
      edited.textContent = `The campaign was changed at ${timeOfDay()}. This page shows the new version.`;
      const button = buttons.querySelector("[data-name=send]");
      if (button) button.textContent = sendLabel(status);
      showFacts(status, isStarted);
      put(report);
      showPreview();
    }
    if (state === status.state) {
      if (state === "running") refreshReport(done);
      else if (state === "paused" && done !== reportedDone) showReport();
      return;
    }
    state = status.state;
    edited.hidden = true;
    unsaved.hidden = isStarted || !hasEdit(id);
    put(buttons, actions(status));
    showFacts(status, isStarted);
    end();
    end = () => {};
    // A screen reader must not read the report again with every change of a running campaign.
    report.setAttribute("aria-live", state === "running" ? "off" : "polite");
    shown = "";
    put(report);
    if (!isStarted) put(content);
    else if (!content.firstChild) showContent();
    if (ended.includes(state)) showReport();
    else if (state === "paused") { showReport(); poll(); }
    else if (state === "running") { reportedAt = -Infinity; refreshReport(done); watch(); } else { showPreview(); poll(); }
  }

  function showFacts(status, isStarted) {
    const quiet = status.quietHours ? `${status.quietHours.from} to ${status.quietHours.to}, each recipient's time zone` : "none";
    put(facts, [["App", status.topic], ["To", audience(status.to)], ["Time", status.at ? `${status.state === "cancelled" ? "was scheduled for " : ""}${timeText(status.at)}` : isStarted ? "immediately" : "as soon as you start it"],
      ["Quiet hours", quiet], ["Created", dateTime(status.created)],
      [status.state === "cancelled" ? "Cancelled" : "Completed", dateTime(status.finished) || "not yet"],
      ["Rate limit", status.rate ? `${status.rate} per second` : "none"]].flatMap(([name, value]) =>
      [h("dt", {}, name), h("dd", {}, value)]));
  }

  /** Shows the report of a running campaign once it has outcomes, and updates it occasionally. */
  function refreshReport(done) {
    if (done === 0 || performance.now() - reportedAt < pace) return;
    showReport();
  }

  /** Shows the texts of a campaign that has started, which no longer change. */
  async function showContent() {
    try {
      const [document] = await call("GET", `/campaigns/${id}/document`);
      put(content, h("h2", {}, "Text"), contents(document, document.topic, hasImage(document)), imageAddress(document));
    } catch (refusal) {
      put(content, h("p", { class: "error" }, refusal.message));
    }
  }

  async function showPreview() {
    const asked = current.revision;
    try {
      const [[preview], [document]] = await Promise.all([
        call("GET", `/campaigns/${id}/preview`, undefined, { patience: patience.long }), call("GET", `/campaigns/${id}/document`)]);
      // The campaign might have another content or state by now, for which the page shows something else.
      if (current.revision !== asked) return;
      const image = hasImage(document);
      const status = preview.problems.filter((one) => one.field !== "at").map((one) => h("li", {}, sentences(one.error, one.advice)));
      // A draft whose time has passed can't be scheduled, and its start needs a confirmation.
      if (state === "draft" && preview.startsInSeconds === 0) buttons.querySelector("[data-name=send]").textContent = "Send now…";
      const notes = hasPassed(preview) ? ["The scheduled time has passed, so the campaign is a draft. Starting it sends it immediately."] : [];
      put(report, notes.length ? h("ul", { class: "notes", "aria-label": "Warnings" }, notes.map((one) => h("li", {}, one))) : null,
        h("h2", {}, "Preview"), status.length ? h("ul", { class: "notes wrong" }, status) : null,
        preview.languages.length ? previews(preview, facts.querySelector("dd").textContent, image) : h("p", { class: "empty" }, "No registered device matches."), imageAddress(document));
    } catch (refusal) {
      put(report, h("p", { class: "error" }, refusal.message));
    }
  }

  async function showReport() {
    const asked = state;
    reportedAt = performance.now();
    pace = reportPace.most;
    reportedDone = current.sent + current.unknown;
    try {
      const [found] = await call("GET", `/campaigns/${id}/report`, undefined, { patience: patience.long });
      pace = Math.min(reportPace.most, Math.max(reportPace.least, (performance.now() - reportedAt) * reportPace.perMillisecond));
      // The campaign might have another state by now, for which the page shows something else.
      if (state !== asked) return;
      // The line above the buttons is updated more often than the report, so the two can differ.
      asOf.textContent = `As of ${timeOfDay()}. Updated every few seconds while the campaign is being sent.`;
      if (shown === JSON.stringify(found)) return;
      shown = JSON.stringify(found);
      const number = (value) => (value === null || value === undefined ? "not available" : value.toLocaleString());
      const left = Math.max(0, found.devices - found.sent - found.unknown);
      const { dataset, ariaLabel } = report.contains(document.activeElement) ? document.activeElement : { dataset: {} };
      const focused = dataset.name ? `[data-name=${dataset.name}]` : ariaLabel ? `[aria-label="${ariaLabel}"]` : null;
      put(report, h("h2", {}, ended.includes(found.state) ? "Report" : "Progress so far"),
        ended.includes(found.state) ? null : asOf,
        h("dl", { class: "facts card" }, [
          ["Accepted", number(found.accepted)], ["Delivered (from the gateway's log)", number(found.delivered)],
          ["Replaced by a newer notification", number(found.replaced)], ["Dead tokens", number(found.dead)],
          ["Kept (re-registered since)", number(found.kept)],
          ["Failed", number(found.failed)], ["Outcome unknown", number(found.unknown)],
          ...(left || found.state === "cancelled" ? [[ended.includes(found.state) ? "Not sent" : "Not sent yet", number(left)]] : []),
        ].flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)])),
        ...(found.kinds.some((row) => row.kind === "webPush") ? [h("h3", {}, "By kind"), table("By kind", [
          ["Kind", (row) => kindName(row)], ["Recipients", (row) => row.devices.toLocaleString()], ["Accepted", (row) => row.accepted.toLocaleString()],
          ["Dead", (row) => row.dead.toLocaleString()], ["Failed", (row) => row.failed.toLocaleString()],
          ["Unknown", (row) => row.unknown.toLocaleString()]], found.kinds, "No outcomes.")] : []),
        h("h3", {}, "By language"),
        table("By language", [["Text language", (row) => (row.language ? languageLabel(row.language) : "same text for all")],
          ["Devices", (row) => row.devices.toLocaleString()], ["Accepted", (row) => row.accepted.toLocaleString()],
          ["Dead tokens", (row) => row.dead.toLocaleString()], ["Failed", (row) => row.failed.toLocaleString()],
          ["Unknown", (row) => row.unknown.toLocaleString()]], found.languages, "No outcomes."),
        h("h3", {}, "By outcome"),
        table("By outcome", [["Outcome", (row) => (row.outcome !== "dead" ? row.outcome : row.kind === "webPush" ? "ended subscription" : "dead token")],
          ...(found.kinds.some((row) => row.kind === "webPush") ? [["Kind", (row) => kindName(row)]] : []), ["Reason", (row) => row.reason ?? "–"],
          ["Text language", (row) => (row.language ? languageLabel(row.language) : "–")], ["Devices", (row) => row.devices.toLocaleString()]], found.outcomes, "No outcomes."),
        found.failed ? h("p", { class: "hint" }, h("a", { href: address("rejections.md"), target: "_blank" }, titles["rejections.md"])) : null,
        h("p", { class: "hint" }, "Opens and actions are not included: devices report only deliveries."),
        h("p", { class: "buttons" }, h("button", { type: "button", class: "quiet", "data-name": "json", onclick: () => save("json") }, "Export as JSON"),
          h("button", { type: "button", class: "quiet", "data-name": "csv", onclick: () => save("csv") }, "Export as CSV")));
      if (focused) report.querySelector(focused)?.focus();
    } catch (refusal) {
      if (state !== asked) return;
      shown = "";
      put(report, h("p", { class: "error" }, refusal.message));
    }
  }

  /** Saves the report as a file. */
  const save = (format) => attempt(async () => {
    saveFile(`campaign-${id}.${format}`, await download(`/campaigns/${id}/report?format=${format}`));
  });

  function watch() {
    end();
    end = follow(`/campaigns/${id}/events`, draw, (isOpen, problem) => {
      remark.hidden = isOpen;
      remark.textContent = problem ?? "";
    });
  }

  /**
   * Refreshes the screen periodically, because a scheduled campaign starts automatically, and other users and programs can
   * change a campaign or resume it.
   */
  function poll() {
    let isEnded = false;
    const stop = every(2000, () => refresh(() => !isEnded));
    end = () => { isEnded = true; stop(); };
  }

  call("GET", `/campaigns/${id}`).then(([status]) => draw(status))
    .catch((refusal) => { figures.textContent = ""; bar.hidden = true; remark.hidden = false; remark.textContent = refusal.status === 404 ? "This campaign does not exist. It might have been deleted." : refusal.message; });
  return () => end();
}

/** Returns a description of the audience. */
function audience(to) {
  const [kind, name] = to.split(/:(.*)/s);
  return { all: "all devices", list: "a list of device tokens", tag: `devices with the tag “${name}”`, user: `devices of the user “${name}”` }[kind] ?? to;
}
