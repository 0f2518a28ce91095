import { follow } from "/console/api.js";
import { Field, clockTime, h, put } from "/console/elements.js";

export const title = "Delivery log";
export const short = "Log";

/** The number of notifications that are shown; older ones are still in `belfry log`. */
const most = 200;

/** Classifies a state as successful, waiting, or failed. */
function kind(state) {
  if (state.startsWith("Delivered")) return "good";
  if (state.startsWith("Discarded")) return "bad";
  if (state.startsWith("Stored")) return "fair";
  return "plain";
}

export function show(main, parameters) {
  const filter = new Field("Device token or notification ID",
    h("input", { type: "search", spellcheck: "false", autocomplete: "off", value: parameters.get("of") ?? "" }),
    { hint: "An apns-id or apns-unique-id also works. Leave empty to show everything." });
  const state = h("p", { role: "status", class: "hint" });
  const list = h("ol", { class: "log", "aria-label": "Notifications, newest first" });
  /** Keyed by unique ID and device, because a broadcast is sent to many devices. */
  let entries = new Map();
  let end = () => {};

  function add(line) {
    const key = `${line.uniqueID ?? `${line.apnsID} ${line.at}`} ${line.device ?? ""}`;
    let entry = entries.get(key);
    if (!entry) {
      entry = { line, states: [], element: h("li") };
      entries.set(key, entry);
      list.prepend(entry.element);
      if (entries.size > most) {
        const [oldest] = entries.keys();
        entries.get(oldest).element.remove();
        entries.delete(oldest);
      }
    }
    entry.states.push(line);
    draw(entry);
  }

  function draw({ line, states, element }) {
    const last = states.at(-1);
    const first = Date.parse(states[0].at);
    put(element,
      h("p", { class: "entry" },
        h("strong", {}, line.topic ?? "no topic"), line.device ? ` to device ${line.device}` : line.uniqueID ? " to a channel" : "", " ",
        h("span", { class: `badge ${kind(last.state)}` }, last.state)),
      h("ol", { class: "timeline", "aria-label": "States" }, states.map((one) =>
        h("li", { class: kind(one.state) }, h("time", { datetime: one.at }, clockTime(one.at)), " ", one.state,
          one.reason ? `, ${one.reason}` : "",
          one === states[0] ? "" : h("span", { class: "hint" }, ` +${Date.parse(one.at) - first} ms`)))),
      h("p", { class: "ids" }, "apns-id ", h("code", {}, line.apnsID), line.uniqueID ? [" apns-unique-id ", h("code", {}, line.uniqueID)] : ""));
  }

  function start() {
    end();
    entries = new Map();
    put(list);
    filter.fail();
    const of = filter.value.trim();
    if (of && !/^([0-9a-f]{2})+$|^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(of)) {
      filter.fail("Enter a device token or a notification ID.");
      state.textContent = "";
      return;
    }
    const query = of ? `&of=${encodeURIComponent(of)}` : "";
    end = follow(`/api/log?follow=1${query}`, add, (isOpen) => {
      if (isOpen) { entries = new Map(); put(list); }
      state.textContent = isOpen ? "Live" : "Can't reach the gateway. Reconnecting…";
    });
  }

  main.append(h("form", { class: "grid", onsubmit: (event) => {
    event.preventDefault();
    history.replaceState(null, "", filter.value.trim() ? `#/log?of=${encodeURIComponent(filter.value.trim())}` : "#/log");
    start();
  } }, filter.element, h("p", { class: "buttons end" }, h("button", { type: "submit" }, "Show"))), state, list);
  start();
  return () => end();
}
