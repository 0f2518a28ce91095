import { Field, h } from "/console/elements.js";

const two = (number) => String(number).padStart(2, "0");

/** The time of a campaign: date and time pickers, in each recipient's time zone or a fixed one, and quiet hours. */
export class SendTime {
  constructor(draft, onChange, isEdit = false) {
    const input = (type, name) => h("input", { type, name, value: draft[name] ?? "" });
    this.date = new Field("Date", input("date", "date"));
    this.time = new Field("Time", input("time", "time"));
    this.from = new Field("Start", input("time", "quietFrom"));
    this.to = new Field("End", input("time", "quietTo"));
    /** The fields that have had the focus. */
    this.touched = new Set();
    for (const pair of [[this.date, this.time], [this.from, this.to]]) {
      for (const field of pair) {
        field.control.addEventListener("blur", () => {
          this.touched.add(field);
          // An empty field has no input that starts a check.
          if (this.isLeftHalf(...pair)) onChange();
        });
      }
    }
    this.error = h("p", { class: "error", role: "alert", hidden: true });
    const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    const radio = (value, text) => h("label", { class: "inline" },
      h("input", { type: "radio", name: "zone", value, checked: (draft.zone ?? "each") === value, onchange: onChange }), text);
    this.zones = h("div", { role: "radiogroup", "aria-label": "Time zone" },
      radio("each", "each recipient's time zone"), radio("fixed", `a fixed time (${zone})`));
    this.element = h("div", { class: "grid wide inner" },
      h("fieldset", { class: "plain" }, h("legend", {}, "Send at"),
        h("div", { class: "pair" }, this.date.element, this.time.element), this.zones,
        h("p", { class: "hint" }, isEdit ? "Without a time, the campaign is a draft until you send it." : "Leave empty to send now."), this.error),
      h("fieldset", { class: "plain" }, h("legend", {}, "Quiet hours"),
        h("div", { class: "pair" }, this.from.element, this.to.element),
        h("p", { class: "hint" }, "Each recipient's time zone. Leave empty for no quiet hours.")));
  }

  /** The controls into which a file's campaign is copied, in groups that belong together. */
  get groups() {
    return [[this.date.control, this.time.control, ...this.zones.querySelectorAll("input")], [this.from.control, this.to.control]];
  }

  /**
   * Moves the time and the quiet hours of a file's campaign to the fields. If the fields can't show them, they remain in
   * the campaign, and the fields are cleared, so that no other value hides them from the service.
   */
  takeOver(campaign) {
    const draft = SendTime.draft({ at: typeof campaign.at === "string" ? campaign.at : undefined });
    if (draft.date && !Number.isNaN(Date.parse(`${draft.date}T${draft.time}`))) {
      [this.date.value, this.time.value] = [draft.date, draft.time];
      this.zones.querySelector(`[value=${draft.zone}]`).checked = true;
      delete campaign.at;
    } else if (campaign.at !== undefined && campaign.at !== null) this.date.value = this.time.value = "";
    const quiet = campaign.quietHours;
    if ([quiet?.from, quiet?.to].every((one) => /^([01]\d|2[0-3]):[0-5]\d$/.test(one))) {
      [this.from.value, this.to.value] = [quiet.from, quiet.to];
      delete campaign.quietHours;
    } else if (quiet !== undefined && quiet !== null) this.from.value = this.to.value = "";
  }

  get isFixed() { return this.zones.querySelector("[value=fixed]").checked; }

  /** Returns true if the user has left both fields of a pair, and only one of them has a value. */
  isLeftHalf(first, second) {
    return this.touched.has(first) && this.touched.has(second) && Boolean(first.value) !== Boolean(second.value);
  }

  remember(draft) {
    Object.assign(draft, { date: this.date.value, time: this.time.value, quietFrom: this.from.value, quietTo: this.to.value, zone: this.isFixed ? "fixed" : "each" });
  }

  /** Returns the values of the fields for a campaign's `at` and `quietHours`. */
  static draft({ at, quietHours }) {
    const draft = { quietFrom: quietHours?.from ?? "", quietTo: quietHours?.to ?? "", zone: "each" };
    const [, date, time, offset] = at?.match(/^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2})(?::\d{2})?(.*)$/) ?? [];
    if (!date) return draft;
    if (!offset) return { ...draft, date, time };
    const moment = new Date(at.replace(" ", "T"));
    return { ...draft, zone: "fixed", date: `${moment.getFullYear()}-${two(moment.getMonth() + 1)}-${two(moment.getDate())}`,
      time: `${two(moment.getHours())}:${two(moment.getMinutes())}` };
  }

  /**
   * Sets `at` and `quietHours` of a campaign; reports incomplete times. If `isFull` is false, the user might not have
   * reached the other half of a time yet.
   */
  apply(body, problems, isFull) {
    const [date, time] = [this.date.value, this.time.value];
    if (date && time) body.at = this.isFixed ? new Date(`${date}T${time}`).toISOString().replace(/:\d{2}\.\d+/, ":00") : `${date}T${time}`;
    else if ((date || time) && (isFull || this.isLeftHalf(this.date, this.time))) problems.push({ field: "at", error: "incomplete time", advice: "enter a date and time, such as 2026-11-25 09:00" });
    const [from, to] = [this.from.value, this.to.value];
    if (from && to) body.quietHours = { from, to };
    else if ((from || to) && (isFull || this.isLeftHalf(this.from, this.to))) {
      problems.push(from ? { field: "quietHours.to", error: "enter an end time, or remove the start time" }
        : { field: "quietHours.from", error: "enter a start time, or remove the end time" });
    }
  }

  clear() {
    this.error.hidden = true;
    for (const field of [this.date, this.time, this.from, this.to]) field.fail();
  }

  /** Shows a problem with `at` or `quietHours`; returns false for another field. */
  fail(name, said) {
    if (name === "quietHours.to") this.to.fail(said);
    else if (name === "quietHours" || name === "quietHours.from") this.from.fail(said);
    else if (name === "at") { this.error.textContent = said; this.error.hidden = false; } else return false;
    return true;
  }
}
