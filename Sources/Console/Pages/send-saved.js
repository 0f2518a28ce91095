import { dateTime, h, put } from "/console/elements.js";
import { recall, remember } from "/console/memory.js";

/** The maximum numbers of sent pushes and of saved payloads that this browser keeps. */
const most = { sent: 20, payloads: 30 };
/** The maximum number of characters of a push that is kept: more than any payload has. */
const mostCharacters = 20000;

function saved(name) {
  const list = recall(name, []);
  return Array.isArray(list) ? list : [];
}

/**
 * The sections for the history and the saved payloads. `draft()` returns the form's values; `use(values)` fills the
 * form.
 */
export class Saved {
  constructor({ draft, use }) {
    Object.assign(this, { draft, use });
    this.note = h("p", { class: "hint", role: "status" });
    this.payloads = h("div", {});
    this.history = h("div", {});
    this.name = h("input", { type: "text", "aria-label": "Name for the payload", placeholder: "Name", maxlength: 60, autocomplete: "off" });
    this.element = h("section", { "aria-label": "Saved payloads and history" },
      h("details", {}, h("summary", {}, "Saved payloads"), this.payloads,
        h("form", { class: "inline", onsubmit: (event) => { event.preventDefault(); this.save(); } }, this.name, h("button", { type: "submit", class: "quiet" }, "Save payload"))),
      h("details", {}, h("summary", {}, "History"), this.history), this.note);
    this.draw();
  }

  save() {
    const { payload, type } = this.draft();
    const name = this.name.value.trim();
    if (!name) { this.note.textContent = "Enter a name for the payload."; this.name.focus(); return; }
    if (payload.length > mostCharacters) { this.note.textContent = "The payload is too long to save."; return; }
    remember("payloads", [{ name, payload, type }, ...saved("payloads").filter((one) => one.name !== name)].slice(0, most.payloads));
    this.name.value = "";
    this.note.textContent = `Saved “${name}” in this browser.`;
    this.draw();
  }

  /** Adds a push to the history. */
  sent(push, result) {
    if (JSON.stringify(push).length > mostCharacters) return;
    const entry = { ...push, at: new Date().toISOString(), status: result.status, reason: result.reason, apnsID: result.apnsID };
    remember("sent", [entry, ...saved("sent")].slice(0, most.sent));
    this.draw();
  }

  remove(name, index) {
    const before = saved(name);
    remember(name, before.filter((_, at) => at !== index));
    this.draw();
    put(this.note, "Deleted. ", h("button", { type: "button", class: "link", onclick: () => {
      remember(name, before);
      this.note.textContent = "Restored.";
      this.draw();
    } }, "Undo"));
  }

  draw() {
    const button = (text, label, onclick) => h("button", { type: "button", class: "quiet small", "aria-label": label, onclick }, text);
    const list = (name, empty, describe) => {
      const rows = saved(name);
      return rows.length === 0 ? h("p", { class: "empty" }, empty) : h("ul", { class: "saved" }, rows.map((row, index) => {
        const [text, label] = describe(row);
        return h("li", {}, h("span", {}, text), h("span", { class: "buttons" },
          button("Use", `Use ${label}`, () => this.use(row)), button("Delete", `Delete ${label}`, () => this.remove(name, index))));
      }));
    };
    put(this.payloads, list("payloads", "No saved payloads.", (row) => [row.name, `payload ${row.name}`]));
    put(this.history, list("sent", "Nothing sent from this browser yet.", (row) => [
      [h("time", { datetime: row.at }, dateTime(row.at)), ` ${row.topic ?? ""} `,
        h("span", { class: row.status === 200 ? "badge good" : "badge bad" }, row.status === 200 ? "200" : `${row.status} ${row.reason}`), " ",
        h("a", { href: `#/log?of=${row.apnsID}`, "aria-label": `Log of the push of ${dateTime(row.at)}` }, "Log")], `the push of ${dateTime(row.at)}`]));
  }
}
