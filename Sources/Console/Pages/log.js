import { call, follow, list, patience } from "/console/api.js";
import { clockTime, count, h, put, select } from "/console/elements.js";
import { LogDetail } from "/console/log-detail.js";
import { save } from "/console/log-export.js";
import { LogRows, kind, most } from "/console/log-rows.js";
import { bind } from "/console/shortcuts.js";
import { deviceCommand } from "/console/snippets.js";
import { VirtualTable } from "/console/virtual-table.js";

export const title = "Delivery log";
export const short = "Log";
export const isWide = true;

/**
 * The time, in milliseconds, between updates of the table. More frequent updates would take processor time, and nobody
 * can read that fast.
 */
const pace = 250;
/** The number of lines in one page of older lines. */
const page = 500;
/** The maximum number of lines that a paused page keeps for later. */
const mostHeld = 20000;
/** The maximum number of devices among which a device with an exact name is found. */
const mostDevices = 200;
/** The maximum length, in bytes, of a text that the gateway searches for. */
const mostSearched = 128;

const states = ["Received by APNs", "Sent", "Delivered to Device", "Delivered (From Storage)", "Stored – Device Offline",
  "Stored – Power Considerations", "Stored – No Room on Device", "Replaced", "Withdrawn", "Discarded – Disabled", "Discarded – Disabled (From Storage)",
  "Discarded – Expired", "Discarded – Token Unregistered", "Discarded – Token Unregistered (From Storage)", "Refused", "Relayed", "Unknown"];
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
    device: text("Device number or name", "device", { hint: "Device" }),
    time: choice("Time", "time", times),
    from: h("input", { type: "datetime-local", step: 1, name: "from", value: given("from") }),
    to: h("input", { type: "datetime-local", step: 1, name: "to", value: given("to") }),
  };
  /** The fields of a custom time, with visible labels, because an empty field of a time doesn't show its name. */
  const range = [h("label", { class: "range" }, "From ", controls.from), h("label", { class: "range" }, "To ", controls.to)];
  const apps = h("datalist", { id: "log-apps" });
  const error = h("p", { class: "error", role: "alert", hidden: true });
  const state = h("span", { role: "status", class: "hint" });
  const summary = h("span", { class: "hint" });
  const pause = h("button", { type: "button", class: "quiet", "aria-pressed": "false", onclick: () => setPaused(!isPaused) }, "Pause");
  const older = h("button", { type: "button", class: "quiet", onclick: () => loadOlder() }, "Load older");
  /** A note about the cluster; hidden for a single gateway. */
  const note = h("p", { class: "hint", hidden: true });
  const detail = new LogDetail({ onClose: () => close(), onNewer: () => table.schedule() });
  let command = deviceCommand();
  let rows = new LogRows();
  let held = [];
  /** The number of lines that arrived during a pause and are no longer held. */
  let dropped = 0;
  let isPaused = false;
  let isLive = false;
  /** The state of the stream, which is shown unless the page is paused. */
  let connection = "";
  /** The number of times that the stream was requested or ended; a later request replaces one that is being prepared. */
  let starts = 0;
  let isFiltered = false;
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
  async function query() {
    const values = new URLSearchParams();
    const search = controls.q.value.trim();
    error.hidden = true;
    if (isToken(search) || isID(search)) values.set("of", search.toLowerCase());
    else if (search) values.set("q", search);
    for (const name of ["topic", "state", "reason", "type", "device"]) {
      const value = controls[name].value.trim();
      if (value) values.set(name, value);
    }
    try {
      if (values.has("device")) values.set("device", await deviceNumber(values.get("device")));
    } catch (refusal) { return wrong(refusal.message); }
    if (new TextEncoder().encode(values.get("q") ?? "").length > mostSearched) return wrong(`Enter at most ${mostSearched} bytes to search for.`);
    const minutes = Number(controls.time.value);
    if (minutes) values.set("since", String(Date.now() - minutes * 60000));
    if (controls.time.value === "custom") {
      if (controls.from.value) values.set("since", String(Date.parse(controls.from.value)));
      if (controls.to.value) values.set("until", String(Date.parse(controls.to.value)));
    }
    return values;
  }

  /** Returns the number of the device with this number or name; throws if there isn't exactly one such device. */
  async function deviceNumber(text) {
    if (/^\d{1,20}$/.test(text)) return text;
    const { rows } = await list(`/api/devices?limit=${mostDevices}&of=${encodeURIComponent(text)}`);
    const named = rows.filter((row) => row.name === text);
    const found = named.length ? named : rows;
    if (found.length === 1) return String(found[0].device);
    throw new Error(found.length ? `More than one device matches “${text}”. Enter a device number.` : `No device matches “${text}”.`);
  }

  function wrong(message) {
    error.textContent = message;
    error.hidden = false;
    return null;
  }

  /** Puts the conditions into the address, so that the page can be reloaded and its address can be shared. */
  function keep(values) {
    const shown = new URLSearchParams(values);
    shown.delete("since");
    shown.delete("until");
    for (const name of ["time", "from", "to"]) {
      if (controls[name].value && (name === "time" || controls.time.value === "custom")) shown.set(name, controls[name].value);
    }
    history.replaceState(null, "", `#/log${shown.size ? `?${shown}` : ""}`);
  }

  async function start() {
    for (const one of range) one.hidden = controls.time.value !== "custom";
    const number = ++starts;
    const values = await query();
    if (!values || number !== starts) return;
    keep(values);
    isFiltered = values.size > 0;
    isLive = false;
    end();
    close();
    clear();
    setPaused(false);
    setConnection("Connecting…");
    end = follow(`/api/log?follow=1&${values}`, receive, (isOpen, problem) => {
      isLive = isOpen;
      if (isOpen) clear();
      setConnection(isOpen ? "Live" : `Not live. ${problem}`);
    });
  }

  function setConnection(text) {
    connection = text;
    state.textContent = isPaused && isLive ? "Paused" : connection;
  }

  function clear() {
    rows = new LogRows();
    held = [];
    dropped = 0;
    oldest = null;
    older.hidden = false;
    table.update(0);
    table.explain();
    scheduleRefresh();
  }

  let isDue = false;
  let added = 0;
  function receive(line) {
    if (isPaused) {
      held.push(line);
      // Remove lines in blocks, because each removal at the front moves the others.
      if (held.length >= mostHeld * 2) dropped += held.splice(0, mostHeld).length;
    } else {
      added += rows.add(line);
    }
    oldest ??= line.at;
    scheduleRefresh();
  }

  function scheduleRefresh() {
    if (isDue) return;
    isDue = true;
    timers.refresh = setTimeout(refresh, pace);
  }

  function refresh() {
    isDue = false;
    table.update(rows.count, added);
    added = 0;
    const full = rows.count >= most ? ", the maximum on this page" : "";
    const waiting = isPaused ? `, ${count(held.length + dropped, "new line", "new lines")}` : "";
    const lost = dropped > 0 ? `; ${count(dropped, "line", "lines")} received while paused are not shown` : "";
    summary.textContent = `${count(rows.count, "notification", "notifications")}${full}${waiting}${lost}`;
    if (rows.count === 0 && isLive) table.explain(...emptyText());
    else table.explain();
    if (opened && !isPaused) {
      const row = rows.get(opened);
      if (row) detail.update(row);
    }
  }

  /** Returns the text that is shown instead of rows: the next step for the user. */
  function emptyText() {
    if (isFiltered) return ["No notifications match the filters. ", h("button", { type: "button", class: "link", onclick: () => { clearFilters(); controls.q.focus(); } }, "Clear filters")];
    return [h("p", {}, "No notifications yet. ", h("a", { href: "#/send" }, "Send a test push"), "."),
      h("p", {}, "To get a device that receives it, add a ", h("a", { href: "#/phone" }, "virtual phone"), " or run this command on the gateway's machine:"), command];
  }

  function setPaused(value) {
    isPaused = value;
    pause.setAttribute("aria-pressed", String(value));
    pause.textContent = value ? "Resume" : "Pause";
    setConnection(connection);
    if (!value) for (const line of held.splice(0)) added += rows.add(line);
    refresh();
  }

  async function loadOlder() {
    const values = await query();
    if (!values || !oldest) return;
    older.disabled = true;
    values.set("until", String(Date.parse(oldest)));
    values.set("limit", String(page));
    try {
      const lines = await call("GET", `/api/log?${values}`, undefined, { patience: patience.search });
      rows.prepend(lines);
      if (lines.length) oldest = lines[0].at;
      if (lines.length < page || rows.count >= most) older.hidden = true;
      refresh();
    } catch (refusal) { wrong(refusal.message); }
    older.disabled = false;
  }

  // MARK: One notification

  function open(row) {
    opened = row.key;
    detail.open(row);
    layout.classList.add("split");
    table.schedule();
    detail.element.focus({ preventScroll: matchMedia("(min-width: 64rem)").matches });
  }

  function close() {
    if (!opened) return;
    const key = opened;
    const hadFocus = detail.element.contains(document.activeElement) || document.activeElement === document.body;
    opened = null;
    detail.close();
    layout.classList.remove("split");
    table.schedule();
    if (hadFocus) {
      // Wait until the table is drawn; a row that is far away isn't in the document.
      requestAnimationFrame(() => (table.body.querySelector(`[data-row="${CSS.escape(key)}"]`) ?? table.element).focus({ preventScroll: true }));
    }
  }

  async function exportAs(form) {
    const values = await query();
    if (!values) return;
    try { state.textContent = `Exported ${count(await save(form, values), "line", "lines")}`; } catch (refusal) { wrong(refusal.message); }
  }

  const layout = h("div", { class: "loglayout" }, table.element, detail.element);
  const timers = {};
  const later = () => { clearTimeout(timers.start); timers.start = setTimeout(start, 400); };

  function clearFilters() {
    for (const one of Object.values(controls)) one.value = "";
    start();
  }

  main.append(
    h("form", { class: "filters", role: "search", "aria-label": "Filter the log", onsubmit: (event) => { event.preventDefault(); clearTimeout(timers.start); start(); },
      oninput: later }, Object.values(controls).filter((one) => one !== controls.from && one !== controls.to), range, apps),
    error, note,
    h("div", { class: "logbar" }, state, summary,
      h("span", { class: "buttons" }, pause, older,
        h("button", { type: "button", class: "quiet", onclick: () => exportAs("jsonl") }, "Export JSON lines"),
        h("button", { type: "button", class: "quiet", onclick: () => exportAs("csv") }, "Export CSV"),
        h("button", { type: "button", class: "quiet", onclick: clearFilters }, "Clear filters"))),
    layout);
  bind([["p", "Pause or resume the log", () => setPaused(!isPaused)], ["Escape", "Close the notification", close]]);
  call("GET", "/api/topics").then((topics) => put(apps, topics.map((topic) => h("option", { value: topic.topic })))).catch(() => {});
  call("GET", "/api/status").then(([{ node }]) => {
    if (!node) return;
    put(note, `This is the log of the node ${node}. Pushes and states of the other nodes in the cluster are missing here. `
      + "Open a notification to see its states on every node, or run ", h("code", {}, "belfry log"), ".");
    note.hidden = false;
  }).catch(() => {});
  call("GET", "/api/push").then(([place]) => { command = deviceCommand(place.folder); scheduleRefresh(); }).catch(() => {});
  start();
  return () => {
    starts += 1;
    clearTimeout(timers.start);
    clearTimeout(timers.refresh);
    end();
    table.end();
  };
}
