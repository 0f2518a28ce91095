import { list } from "/console/api.js";
import { Field, count, dateTime, h } from "/console/elements.js";
import { Section } from "/console/section.js";

/** The number of devices per page of the list. */
const page = 100;

/** The devices, one page at a time; a device can be found by its number, its name, or one of its tokens. */
export class Devices extends Section {
  constructor() {
    super("Devices", {
      empty: "No devices enrolled.",
      columns: [["Number", (row) => h("code", {}, String(row.device))], ["Name", (row) => row.name ?? ""], ["Enrolled", (row) => dateTime(row.enrolledAt)],
        ["State", (row) => (row.revokedAt ? `revoked ${dateTime(row.revokedAt)}` : "valid")]],
      remove: { text: "Revoke", done: "revoked", what: (row) => (row.name ? `device “${row.name}”` : `device ${row.device}`), path: (row) => `/api/devices/${row.device}` },
    });
    /** The last device of each page before this one. */
    this.before = [];
    this.wanted = "";
    this.find = new Field("Find a device", h("input", { type: "search", spellcheck: "false", autocomplete: "off" }),
      { hint: "Number, part of a name, or device token. Leave empty to list all devices." });
    this.state = h("p", { class: "hint", role: "status" });
    const step = (text, move) => h("button", { type: "button", class: "quiet", "aria-label": `${text} devices`, onclick: () => { move(); this.load(); } }, text);
    this.previous = step("Previous", () => this.before.pop());
    this.next = step("Next", () => this.before.push(String(this.rows.at(-1).device)));
    this.list.before(h("form", { class: "grid", onsubmit: (event) => {
      event.preventDefault();
      this.wanted = this.find.value.trim();
      this.before = [];
      this.load();
    } }, this.find.element, h("p", { class: "buttons end" }, h("button", { type: "submit" }, "Find"))), this.state);
    this.list.after(h("p", { class: "buttons" }, this.previous, this.next));
  }

  async read() {
    const of = this.wanted ? `&of=${encodeURIComponent(this.wanted)}` : "";
    const { rows, total } = await list(`/api/devices?limit=${page}&after=${this.before.at(-1) ?? ""}${of}`);
    const first = this.before.length * page;
    this.empty = this.wanted ? `No device matches “${this.wanted}”.` : "No devices enrolled.";
    this.state.textContent = total === 0 ? "" : total <= page ? count(total, "device", "devices")
      : `Devices ${first + 1}–${first + rows.length} of ${total.toLocaleString()}`;
    this.previous.hidden = this.before.length === 0;
    this.next.hidden = first + rows.length >= total;
    return rows;
  }
}
