import { call } from "/console/api.js";
import { confirm } from "/console/dialog.js";
import { h, put, retryButton, sentences, table } from "/console/elements.js";

/**
 * A section with a list and a form that adds to the list. `fields` are the form's fields by name; `make` converts their
 * values to the body of the call. `required` contains, by name, the messages for required fields that are empty;
 * `rules` contains, by name, functions that return the problem with a value, or null. `isSame` returns whether two
 * entries are the same one; a section whose form can also update an entry needs it.
 */
export class Section {
  constructor(name, { path, columns, empty, remove, fields, make, done, action, note, required = {}, rules = {}, isSame = () => false }) {
    Object.assign(this, { name, path, columns, empty, remove, make, done, action, required, rules, isSame });
    this.list = h("div", {}, h("p", { class: "hint" }, "Loading…"));
    this.result = h("div", { "aria-live": "polite" });
    this.fields = fields ?? {};
    const form = fields ? h("details", {}, h("summary", {}, action),
      h("form", { class: "grid", novalidate: true, onsubmit: (event) => this.add(event) },
        Object.values(this.fields).map((field) => field.element),
        note ? h("p", { class: "hint wide" }, note) : null,
        h("p", { class: "buttons wide" }, h("button", { type: "submit" }, action)))) : null;
    this.element = h("section", { "aria-label": name }, h("h2", {}, name), this.list, form, this.result);
  }

  async load() {
    try {
      this.rows = await this.read();
      this.problem = null;
      const hadFocus = this.list.contains(document.activeElement);
      const columns = this.remove ? [...this.columns, [h("span", { class: "unseen" }, this.remove.text), (row) => this.remover(row)]] : this.columns;
      put(this.list, table(`List of ${this.name.toLowerCase()}`, columns, this.rows, this.empty));
      // The button that had the focus might have disappeared along with its row.
      if (hadFocus) this.list.querySelector("[tabindex='0']")?.focus();
    } catch (refusal) {
      this.problem = refusal.message;
      // Without a response, the service might be busy or restarting; a failure of its database also ends.
      const canRetry = refusal.status === 0 || refusal.status >= 500;
      put(this.list, h("p", { class: "error" }, refusal.message), canRetry ? retryButton(() => this.retry()) : null);
    }
  }

  retry() { this.load(); }

  read() { return call("GET", this.path); }

  /**
   * Returns a button that asks for confirmation before an action that can't be undone; `remove.effect` describes the
   * action.
   */
  remover(row) {
    const { text, path, what, effect } = this.remove;
    if (row.revokedAt) return "";
    return h("button", { type: "button", class: "quiet danger", "aria-label": `${text} ${what(row)}`, onclick: async () => {
      const isSure = await confirm({ title: `${text} ${what(row)}?`, text: [effect ?? "", "This can't be undone."].filter(Boolean), action: text });
      if (isSure) await this.requestRemoval(what(row), path(row));
    } }, text);
  }

  /**
   * Removes or revokes an entry. If the service refuses, shows the reason and, if possible, a button that also removes
   * everything that depends on the entry.
   */
  async requestRemoval(name, path) {
    try {
      await call("DELETE", path);
      put(this.result, h("p", { class: "good" }, sentences(`${name} ${this.remove.done}`)));
    } catch (refusal) {
      const { all, text } = this.remove;
      const canForce = all?.(refusal) && !path.includes("?");
      put(this.result, h("p", { class: "error" }, refusal.message), canForce ? h("p", { class: "buttons" },
        h("button", { type: "button", class: "quiet danger", onclick: async () => {
          if (await confirm({ title: `${text} ${name} and everything in it?`, text: [refusal.message, "This can't be undone."], action: `${text} everything` })) {
            await this.requestRemoval(name, `${path}?force=1`);
          }
        } }, `${text} ${name} and everything in it`)) : null);
    }
    this.changed();
  }

  async add(event) {
    event.preventDefault();
    for (const field of Object.values(this.fields)) field.fail();
    const values = Object.fromEntries(Object.entries(this.fields).map(([name, field]) => [name, field.value.trim()]));
    for (const [name, field] of Object.entries(this.fields)) {
      const problem = values[name] ? this.rules[name]?.(values[name]) : this.required[name];
      if (!problem) continue;
      field.fail(problem);
      field.control.focus();
      return;
    }
    try {
      const [made] = await call("POST", this.path, this.make(values));
      const isUpdate = this.rows?.some((row) => this.isSame(row, made));
      put(this.result, h("p", { class: "good" }, isUpdate ? "Updated." : "Added."), this.done?.(made) ?? null);
      this.changed();
    } catch (refusal) {
      const field = this.guilty(refusal.message);
      if (field) { field.fail(refusal.message); field.control.focus(); }
      else put(this.result, h("p", { class: "error" }, refusal.message));
    }
  }

  /** Returns the field that a refusal names, or whose value the refusal repeats. */
  guilty(message) {
    for (const [name, field] of Object.entries(this.fields)) if (message.startsWith(`'${name}'`)) return field;
    return Object.values(this.fields).find((field) => field.value.trim() && message.includes(field.value.trim())
      && field.control.tagName === "INPUT");
  }
}
