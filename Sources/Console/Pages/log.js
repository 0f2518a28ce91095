import { call, follow } from "/console/api.js";
import { clockTime, count, dateTime, h, put, select } from "/console/elements.js";
import { save } from "/console/log-export.js";
import { LogRows, kind, most } from "/console/log-rows.js";
import { bind } from "/console/shortcuts.js";
import { VirtualTable } from "/console/virtual-table.js";

export const title = "Delivery log";
export const short = "Log";
export const isWide = true;

/**
 * The time, in milliseconds, between updates of the table; more frequent updates would cost time, and nobody can read
 * that fast.
 */
const pace = 250;
/** The number of lines in one page of older lines. */
const page = 500;
/** The maximum number of lines that a paused page keeps for later. */
const mostHeld = 20000;

const states = ["Received by APNs", "Sent", "Delivered to Device", "Delivered (From Storage)", "Stored – Device Offline",
  "Stored – Power Considerations", "Stored – No Room on Device", "Replaced", "Discarded – Disabled", "Discarded – Disabled (From Storage)",
  "Discarded – Expired", "Discarded – Token Unregistered", "Discarded – Token Unregistered (From Storage)", "Refused"];
const types = ["alert", "background", "voip", "liveactivity", "complication", "fileprovider", "location", "mdm", "pushtotalk", "widgets", "controls"];
const times = [["", "Any time"], ["5", "Last 5 minutes"], ["15", "Last 15 minutes"], ["60", "Last hour"], ["1440", "Last 24 hours"], ["custom", "Custom…"]];

const isToken = (text) => /^([0-9a-f]{2}){32,}$/i.test(text);
const isID = (text) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);

export function show(main, parameters) {
  const given = (name) => parameters.get(name) ?? "";
  const choice = (label, name, options) => {
    const all = options.some(([value]) => value === given(name)) || !given(name) ? options : [...options, [given(name), given(name)]];
    const control = select(all, { "aria-label": label, name });
    control.value = given(name);
    return control;
  };
  const text = (label, name, attributes = {}) =>
    h("input", { type: "text", "aria-label": label, placeholder: attributes.hint ?? label, name, spellcheck: "false", autocomplete: "off", value: given(name), ...attributes, hint: null });
  const controls = {
    q: text("Search, or a device token or ID", "q", { type: "search", hint: "Search, token or ID", maxlength: 600, value: given("of") || given("q") }),
    topic: text("App", "topic", { list: "log-apps" }),
    state: choice("State", "state", [["", "Any state"], ...states.map((state) => [state, state])]),
    reason: text("Reason", "reason"),
    type: choice("Push type", "type", [["", "Any type"], ...types.map((type) => [type, type])]),
    device: text("Device number", "device", { hint: "Device", inputmode: "numeric" }),
    time: choice("Time", "time", times),
    from: h("input", { type: "datetime-local", step: 1, "aria-label": "From", name: "from", value: given("from") }),
    to: h("input", { type: "datetime-local", step: 1, "aria-label": "To", name: "to", value: given("to") }),
  };
  const apps = h("datalist", { id: "log-apps" });
  const error = h("p", { class: "error", role: "alert", hidden: true });
  const state = h("span", { role: "status", class: "hint" });
  const summary = h("span", { class: "hint" });
  const pause = h("button", { type: "button", class: "quiet", "aria-pressed": "false", onclick: () => setPaused(!isPaused) }, "Pause");
  const older = h("button", { type: "button", class: "quiet", onclick: () => loadOlder() }, "Load older");
  const detail = h("aside", { class: "detail card", "aria-label": "Notification", tabindex: "-1", hidden: true });
  let rows = new LogRows();
  let held = [];
  let isPaused = false;
  let opened = null;
  let oldest = null;
  let end = () => {};

  const table = new VirtualTable("Notifications, newest first", {
    columns: [
      ["Time", "time", (row) => clockTime(row.first.at)],
      ["App", "app", (row) => row.first.topic ?? ""],
      ["Type", "type", (row) => row.pushType ?? ""],
      ["Device", "device", (row) => String(row.first.device ?? (row.first.uniqueID ? "channel" : ""))],
      ["State", "state", (row) => h("span", { class: `badge ${kind(row.last.state)}` }, row.last.state)],
      ["Reason", "reason", (row) => row.last.reason ?? ""],
      ["apns-id", "id", (row) => row.first.apnsID],
    ],
    row: (index) => rows.row(index),
    isOpen: (row) => row.key === opened,
    onOpen: (row) => (row.key === opened ? close() : open(row)),
  });

  /** Returns the conditions as a query of the API; null if one of them is invalid. */
  function query({ isFinal = false } = {}) {
    const values = new URLSearchParams();
    const search = controls.q.value.trim();
    error.hidden = true;
    if (isToken(search) || isID(search)) values.set("of", search.toLowerCase());
    else if (search) values.set("q", search.slice(0, 128));
    for (const name of ["topic", "state", "reason", "type", "device"]) {
      const value = controls[name].value.trim();
      if (value) values.set(name, value);
    }
    if (values.has("device") && !/^\d{1,20}$/.test(values.get("device"))) return wrong("Enter a device number, such as 2519692535136313.");
    const minutes = Number(controls.time.value);
    if (minutes) values.set("since", String(Date.now() - minutes * 60000));
    if (controls.time.value === "custom") {
      if (controls.from.value) values.set("since", String(Date.parse(controls.from.value)));
      if (controls.to.value) values.set("until", String(Date.parse(controls.to.value)));
    }
    if (!isFinal) return values;
    return values;
  }

  function wrong(message) {
    error.textContent = message;
    error.hidden = false;
    return null;
  }

  /** Puts the conditions into the address, so that the page can be reloaded and its address shared. */
  function keep(values) {
    const shown = new URLSearchParams(values);
    shown.delete("since");
    shown.delete("until");
    for (const name of ["time", "from", "to"]) {
      if (controls[name].value && (name === "time" || controls.time.value === "custom")) shown.set(name, controls[name].value);
    }
    history.replaceState(null, "", `#/log${shown.size ? `?${shown}` : ""}`);
  }

  function start() {
    for (const one of [controls.from, controls.to]) one.hidden = controls.time.value !== "custom";
    const values = query();
    if (!values) return;
    keep(values);
    end();
    close();
    clear();
    setPaused(false);
    end = follow(`/api/log?follow=1&${values}`, receive, (isOpen) => {
      if (isOpen) clear();
      state.textContent = isOpen ? "Live" : "Can't reach the gateway. Reconnecting…";
    });
  }

  function clear() {
    rows = new LogRows();
    held = [];
    oldest = null;
    older.hidden = false;
    table.update(0);
  }

  let isDue = false;
  let added = 0;
  function receive(line) {
    if (isPaused) {
      if (held.length < mostHeld) held.push(line);
      else { held.shift(); held.push(line); }
    } else {
      added += rows.add(line);
    }
    oldest ??= line.at;
    if (isDue) return;
    isDue = true;
    setTimeout(refresh, pace);
  }

  function refresh() {
    isDue = false;
    table.update(rows.count, added);
    added = 0;
    const full = rows.count >= most ? ", the most that this page keeps" : "";
    summary.textContent = `${count(rows.count, "notification", "notifications")}${full}${isPaused ? `, ${held.length.toLocaleString()} new lines` : ""}`;
    if (opened && !isPaused) {
      const row = rows.get(opened);
      if (row && row.states.length !== shownStates) drawDetail(row, row.states);
    }
  }

  function setPaused(value) {
    isPaused = value;
    pause.setAttribute("aria-pressed", String(value));
    pause.textContent = value ? "Resume" : "Pause";
    if (!value) for (const line of held.splice(0)) added += rows.add(line);
    refresh();
  }

  async function loadOlder() {
    const values = query();
    if (!values || !oldest) return;
    values.set("until", String(Date.parse(oldest)));
    values.set("limit", String(page));
    try {
      const lines = await call("GET", `/api/log?${values}`);
      const length = rows.prepend(lines);
      if (lines.length) oldest = lines[0].at;
      if (lines.length < page || length === 0) older.hidden = true;
      refresh();
    } catch (refusal) { wrong(refusal.message); }
  }

  // MARK: One notification

  let shownStates = 0;
  async function open(row) {
    opened = row.key;
    drawDetail(row, row.states);
    table.schedule();
    detail.focus({ preventScroll: matchMedia("(min-width: 64rem)").matches });
    const id = row.first.uniqueID ?? row.first.apnsID;
    const all = await call("GET", `/api/log?of=${id}`).catch(() => []);
    const own = all.filter((line) => (line.device ?? "") === (row.first.device ?? "") && (row.first.uniqueID || line.at === row.first.at));
    if (opened === row.key && own.length > row.states.length) drawDetail(row, own);
  }

  function close() {
    if (!opened) return;
    const key = opened;
    opened = null;
    detail.hidden = true;
    layout.classList.remove("split");
    table.schedule();
    if (detail.contains(document.activeElement) || document.activeElement === document.body) {
      requestAnimationFrame(() => table.body.querySelector(`[data-row="${CSS.escape(key)}"]`)?.focus());
    }
  }

  function drawDetail(row, lines) {
    shownStates = row.states.length;
    const { first, last } = { first: lines[0], last: lines.at(-1) };
    const begun = Date.parse(first.at);
    const device = first.device ?? null;
    const facts = [
      ["App", first.topic ? h("a", { href: `#/log?topic=${encodeURIComponent(first.topic)}` }, first.topic) : null],
      ["Device", device ? h("a", { href: `#/devices?of=${device}` }, String(device)) : first.uniqueID ? "a channel" : null],
      ["Push type", row.pushType], ["Reason", last.reason], ["Accepted", dateTime(first.at)],
      ["apns-id", h("code", {}, first.apnsID)], ["apns-unique-id", first.uniqueID ? h("code", {}, first.uniqueID) : null],
    ];
    detail.hidden = false;
    layout.classList.add("split");
    put(detail, h("div", { class: "grouphead" }, h("h2", {}, "Notification"),
      h("button", { type: "button", class: "quiet", "aria-label": "Close the notification", onclick: close }, "✕")),
    h("p", {}, h("span", { class: `badge ${kind(last.state)}` }, last.state)),
    h("ol", { class: "timeline", "aria-label": "States" }, lines.map((one) =>
      h("li", { class: kind(one.state) }, h("time", { datetime: one.at }, clockTime(one.at)), " ", one.state,
        one.reason ? `, ${one.reason}` : "", one === first ? "" : h("span", { class: "hint" }, ` +${Date.parse(one.at) - begun} ms`)))),
    h("dl", { class: "facts" }, facts.filter(([, value]) => value).map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]).flat()),
    h("p", { class: "buttons" }, first.topic && device ? h("a", { href: `#/send?device=${device}&topic=${encodeURIComponent(first.topic)}` }, "Send to this device") : null));
  }

  async function exportAs(form) {
    const values = query();
    if (!values) return;
    try { state.textContent = `Exported ${count(await save(form, values), "line", "lines")}`; } catch (refusal) { wrong(refusal.message); }
  }

  const layout = h("div", { class: "loglayout" }, table.element, detail);
  let timer;
  const later = () => { clearTimeout(timer); timer = setTimeout(start, 400); };
  main.append(
    h("form", { class: "filters", role: "search", "aria-label": "Filter the log", onsubmit: (event) => { event.preventDefault(); clearTimeout(timer); start(); },
      oninput: later }, Object.values(controls), apps),
    error,
    h("div", { class: "logbar" }, state, summary,
      h("span", { class: "buttons" }, pause, older,
        h("button", { type: "button", class: "quiet", onclick: () => exportAs("jsonl") }, "Export JSON lines"),
        h("button", { type: "button", class: "quiet", onclick: () => exportAs("csv") }, "Export CSV"),
        h("button", { type: "button", class: "quiet", onclick: () => { for (const one of Object.values(controls)) one.value = ""; start(); } }, "Clear filters"))),
    layout);
  bind([["p", "Pause or resume the log", () => setPaused(!isPaused)], ["Escape", "Close the notification", close]]);
  call("GET", "/api/topics").then((topics) => put(apps, topics.map((topic) => h("option", { value: topic.topic })))).catch(() => {});
  start();
  return () => { clearTimeout(timer); end(); table.end(); };
}
