import { call, patience } from "/console/api.js";
import { clockTime, copyButton, dateTime, h, marked, put } from "/console/elements.js";
import { highlight, indented } from "/console/json-editor.js";
import { kind } from "/console/log-rows.js";

/**
 * A panel with one notification of the log: its history, its identifiers, and, if the gateway keeps it, its payload.
 */
export class LogDetail {
  #payload = null;
  #shown = 0;
  #number = 0;

  /** `onNewer` is called if the gateway knows a newer state than the row; the row then has this state. */
  constructor({ onClose, onNewer }) {
    this.onClose = onClose;
    this.onNewer = onNewer;
    this.element = h("aside", { class: "detail card", "aria-label": "Notification", tabindex: "-1", hidden: true });
  }

  /** Opens a row of the log, and adds the details from the gateway. */
  async open(row) {
    this.#number += 1;
    const number = this.#number;
    this.#payload = h("section", { "aria-label": "Payload" });
    this.#draw(row, row.states);
    this.element.hidden = false;
    const id = row.first.uniqueID ?? row.first.apnsID;
    this.#loadPayload(id, this.#payload);
    const all = await call("GET", `/api/log?of=${id}`, undefined, { patience: patience.search }).catch(() => []);
    const own = all.filter((line) => (line.device ?? "") === (row.first.device ?? "") && (row.first.uniqueID || line.at === row.first.at));
    if (number === this.#number && own.length > row.states.length) this.#draw(row, own);
    // In a cluster, the page's lines are those of its own node, and this answer contains those of every node.
    const latest = own.at(-1);
    if (!latest || Date.parse(latest.at) <= Date.parse(row.last.at)) return;
    row.last = latest;
    this.onNewer();
  }

  /** Draws the row again if it has new states. */
  update(row) {
    if (row.states.length === this.#shown) return;
    const hadFocus = this.element.contains(document.activeElement);
    this.#draw(row, row.states);
    if (hadFocus && !this.element.contains(document.activeElement)) this.element.focus({ preventScroll: true });
  }

  close() {
    this.#number += 1;
    this.element.hidden = true;
    put(this.element);
  }

  async #loadPayload(id, place) {
    try {
      const [{ payload }] = await call("GET", `/api/log/payload?id=${id}`);
      const text = indented(payload);
      put(place, h("h3", {}, "Payload"), h("pre", { tabindex: "0", "aria-label": "Payload" }, highlight(text)),
        h("p", { class: "buttons" }, copyButton(payload, "Copy payload")));
    } catch (refusal) {
      put(place, h("h3", {}, "Payload"), h("p", { class: refusal.status === 404 ? "hint" : "error" }, marked(refusal.message)));
    }
  }

  #draw(row, lines) {
    this.#shown = row.states.length;
    const { first, last } = { first: lines[0], last: lines.at(-1) };
    const begun = Date.parse(first.at);
    const device = first.device ?? null;
    const facts = [
      ["App", first.topic ? h("a", { href: `#/log?topic=${encodeURIComponent(first.topic)}` }, first.topic) : null],
      ["Device", device ? h("a", { href: `#/devices?of=${device}` }, String(device)) : first.uniqueID ? "a channel" : null],
      ["Push type", row.pushType], ["Reason", last.reason], ["Accepted", last.reason ? null : dateTime(first.at)],
      ["Refused", last.reason ? dateTime(first.at) : null],
      ["apns-id", h("code", {}, first.apnsID)], ["apns-unique-id", first.uniqueID ? h("code", {}, first.uniqueID) : null],
    ];
    put(this.element, h("div", { class: "grouphead" }, h("h2", {}, "Notification"),
      h("button", { type: "button", class: "quiet small", "aria-label": "Close the notification", onclick: this.onClose }, "✕")),
    h("p", {}, h("span", { class: `badge ${kind(last.state)}` }, last.state)),
    h("ol", { class: "timeline", "aria-label": "States" }, lines.map((one) =>
      h("li", { class: kind(one.state) }, h("time", { datetime: one.at }, clockTime(one.at)), " ", one.state,
        one.reason ? `, ${one.reason}` : "", one === first ? "" : h("span", { class: "hint" }, ` +${Date.parse(one.at) - begun} ms`)))),
    h("dl", { class: "facts" }, facts.filter(([, value]) => value).map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]).flat()),
    first.topic && device ? h("p", { class: "buttons" }, h("a", { href: `#/send?device=${device}&topic=${encodeURIComponent(first.topic)}` }, "Send to this device")) : null,
    this.#payload);
  }
}
