import { call, list } from "/console/api.js";
import { confirm } from "/console/dialog.js";
import { Field, copyButton, count, dateTime, h, put } from "/console/elements.js";
import { Section } from "/console/section.js";
import { deviceCommand } from "/console/snippets.js";

export const title = "Devices";

/** The number of devices on each page of the list. */
const page = 100;

/** The devices, one page at a time; a device can be found by its number, its name, or one of its tokens. */
class Devices extends Section {
  constructor(wanted) {
    const name = (row) => (row.name ? `device “${row.name}”` : `device ${row.device}`);
    super("Devices", {
      columns: [
        ["Name", (row) => h("button", { type: "button", class: "link", "aria-expanded": "false", "aria-label": `Apps of ${name(row)}`,
          onclick: (event) => this.open(row, event.currentTarget) }, row.name || `Device ${row.device}`)],
        ["Number", (row) => h("code", {}, String(row.device))],
        ["Connection", (row) => (row.revokedAt ? "" : row.up ? [h("span", { class: "dot good" }), "connected"] : [h("span", { class: "dot" }), "offline"])],
        ["Last seen", (row) => (row.up ? "now" : row.lastSeenAt ? dateTime(row.lastSeenAt) : "not since startup")],
        ["Enrolled", (row) => dateTime(row.enrolledAt)],
        ["State", (row) => (row.revokedAt ? `revoked ${dateTime(row.revokedAt)}` : row.lockedOut ? "locked out: authority retired" : "valid")],
        ["Log", (row) => h("a", { href: `#/log?device=${row.device}`, "aria-label": `Log of ${name(row)}` }, "Log")],
      ],
      // Devices can have the same name, so also show the number.
      remove: { text: "Revoke", done: "revoked", what: (row) => (row.name ? `${name(row)} (${row.device})` : name(row)), path: (row) => `/api/devices/${row.device}`,
        effect: "The device is disconnected, its tokens become invalid, and its key can't enroll again." },
    });
    /** The last device of each page before the current one. */
    this.before = [];
    this.wanted = wanted;
    this.find = new Field("Find a device", h("input", { type: "search", spellcheck: "false", autocomplete: "off", value: wanted }),
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
    const folder = this.folder ?? call("GET", "/api/push").then(([place]) => place.folder).catch(() => undefined);
    const of = this.wanted ? `&of=${encodeURIComponent(this.wanted)}` : "";
    const { rows, total } = await list(`/api/devices?limit=${page}&after=${this.before.at(-1) ?? ""}${of}`).catch((refusal) => {
      // Without a list, there is no page to go to.
      this.previous.hidden = this.next.hidden = true;
      this.state.textContent = "";
      throw refusal;
    });
    this.folder = await folder;
    const first = this.before.length * page;
    this.empty = this.wanted ? `No device matches “${this.wanted}”.` : [
      h("p", {}, "No devices enrolled. To invite a machine, run ", h("code", {}, "belfry device invite"), "."),
      h("p", {}, "To get a device for tests, add a ", h("a", { href: "#/phone" }, "virtual phone"), " or run this command on the gateway's machine:"),
      deviceCommand(this.folder)];
    this.state.textContent = total === 0 ? "" : total <= page ? count(total, "device", "devices")
      : `Devices ${first + 1}–${first + rows.length} of ${total.toLocaleString()}`;
    this.previous.hidden = this.before.length === 0;
    this.next.hidden = first + rows.length >= total;
    return rows;
  }

  /** Shows a device's apps in a row below it, or hides them. */
  async open(row, button) {
    const place = button.closest("tr");
    if (button.getAttribute("aria-expanded") === "true") {
      place.nextElementSibling?.remove();
      button.setAttribute("aria-expanded", "false");
      return;
    }
    button.setAttribute("aria-expanded", "true");
    const cell = h("td", { colspan: place.children.length }, "…");
    place.after(h("tr", { class: "apps" }, cell));
    try {
      const apps = await call("GET", `/api/devices/${row.device}/apps`);
      put(cell, apps.length === 0 ? h("p", { class: "empty" }, "This device has not registered any apps.") : h("ul", { class: "apps" }, apps.map((app) =>
        h("li", {}, h("strong", {}, app.topic), ` ${app.kind}, ${app.state} since ${dateTime(app.changedAt)} `,
          app.token ? [h("code", {}, app.token), h("span", { class: "buttons" },
            app.kind === "alert" && app.state === "active" ? h("a", { href: `#/send?device=${row.device}&topic=${app.topic}` }, `Send to ${app.topic}`) : null,
            h("a", { href: `#/log?of=${app.token}`, "aria-label": `Log of ${app.topic}` }, "Log"), copyButton(app.token, "Copy token"))] : null))));
    } catch (refusal) {
      put(cell, h("p", { class: "error" }, refusal.message));
    }
  }
}

export function show(main, parameters) {
  const code = h("p", { class: "buttons" });
  const devices = new Devices(parameters.get("of") ?? "");
  devices.changed = () => devices.load();
  devices.retry = () => showCode("GET", devices.load());

  /** Shows the enrollment code. `list` is the promise of the list that is loaded at the same time, if any. */
  async function showCode(method, list) {
    try {
      const [answer] = await call(method, "/api/enrolment-code");
      put(code, "Enrollment code: ", h("code", {}, answer.code), copyButton(answer.code),
        h("button", { type: "button", class: "quiet danger", onclick: regenerate }, "Regenerate"));
    } catch (refusal) {
      await list;
      // A problem that the list also has is shown once, in the list, which can have a button to retry.
      put(code, list && refusal.message === devices.problem ? "" : refusal.message);
    }
  }

  async function regenerate() {
    const isSure = await confirm({ title: "Regenerate the enrollment code?", action: "Regenerate",
      text: ["The current code stops working. Devices that are already enrolled stay enrolled.", "This can't be undone."] });
    if (isSure) await showCode("POST");
  }

  // The title already shows the section's name.
  devices.element.querySelector("h2").className = "unseen";
  main.append(code, devices.element);
  showCode("GET", devices.load());
}
