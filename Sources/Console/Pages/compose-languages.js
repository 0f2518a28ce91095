import { Field, h, put } from "/console/elements.js";
import { banner, filled } from "/console/campaign-parts.js";
import { confirm } from "/console/dialog.js";

const texts = [["title", "Title"], ["subtitle", "Subtitle"], ["body", "Body"]];

/** The texts of a campaign, side by side: one group of fields per language, with a live preview. */
export class Languages {
  constructor(draft, onChange) {
    this.onChange = onChange;
    this.rows = [];
    this.list = h("div", { class: "languages" });
    this.error = h("p", { class: "error", role: "alert", hidden: true });
    this.element = h("div", { class: "wide" }, this.list, this.error,
      h("p", { class: "buttons" }, h("button", { type: "button", class: "quiet", onclick: () => this.add({}, true) }, "Add a language")));
    for (const values of draft.languages ?? [{ language: "en" }]) this.add(values);
  }

  add(values, isNew = false) {
    const input = (name) => {
      const control = h(name === "body" ? "textarea" : "input", { ...(name === "body" ? { rows: 3 } : { type: "text" }),
        autocomplete: "off", "data-name": name, dir: name === "language" ? false : "auto" });
      control.value = values[name] ?? "";
      return control;
    };
    const preview = h("div", { class: "screens" });
    const fields = { language: new Field("Language", input("language"), { hint: "For example, fr, pt-BR or zh-Hant." }) };
    for (const [name, label] of texts) fields[name] = new Field(label, input(name));
    const legend = h("legend", {});
    const remove = h("button", { type: "button", class: "quiet", onclick: async () => {
      const title = `Remove ${legend.textContent}?`;
      if (!this.isBlank(row) && !await confirm({ title, text: "The texts in this language are deleted. This can't be undone.", action: "Remove language" })) return;
      this.rows = this.rows.filter((one) => one !== row);
      row.element.remove();
      this.name();
      this.onChange();
    } }, "Remove");
    const row = { fields, legend, remove, preview, element: h("fieldset", {}, legend, h("div", { class: "stack" }, Object.values(fields).map((field) => field.element)), remove, preview) };
    this.rows.push(row);
    this.list.append(row.element);
    this.name();
    if (isNew) { fields.language.control.focus(); this.onChange(); }
  }

  /** Labels each group, and its button, with its language. */
  name() {
    this.rows.forEach((row, index) => {
      const name = row.fields.language.value.trim() || `Language ${index + 1}`;
      row.legend.textContent = name;
      row.remove.setAttribute("aria-label", `Remove ${name}`);
      row.remove.hidden = this.rows.length === 1;
      for (const [key, label] of texts) row.fields[key].control.setAttribute("aria-label", `${label}, ${name}`);
      row.fields.language.control.setAttribute("aria-label", `Language ${index + 1}`);
    });
  }

  /** Shows each language as a banner and on a lock screen while the user types. */
  preview({ app, values, image }) {
    for (const row of this.rows) {
      const own = Object.fromEntries(texts.map(([name]) => [name, filled(row.fields[name].value, values)]));
      const name = row.legend.textContent;
      const lang = row.fields.language.value.trim() || null;
      put(row.preview,
        h("p", { class: "hint" }, "Banner"), banner(app, own, { lang, image, label: `Banner, ${name}` }),
        h("p", { class: "hint" }, "Lock screen"), h("div", { class: "lockscreen" },
          h("p", { class: "clock", "aria-hidden": "true" }, "9:41"), banner(app, own, { lang, image, label: `Lock screen, ${name}` })));
    }
  }

  remember(draft) {
    this.name();
    draft.languages = this.rows.map((row) => Object.fromEntries(Object.entries(row.fields).map(([name, field]) => [name, field.value])));
  }

  get hasTexts() { return this.rows.some(({ fields }) => texts.some(([name]) => fields[name].value)); }

  isBlank({ fields }) { return texts.every(([name]) => !fields[name].value.trim()); }

  /** Returns true if a problem such as `alert.fr.body` is about a text that is still empty. */
  isAboutEmpty(name) {
    const [alert, language, text] = (name ?? "").split(".");
    if (alert !== "alert") return false;
    const row = this.rows.find((one) => one.fields.language.value.trim() === language);
    return text && row ? row.fields[text]?.value === "" : !this.hasTexts;
  }

  names() { return this.rows.map((row) => row.fields.language.value.trim()).filter(Boolean); }

  /**
   * Returns the campaign's `alert`; reports problems that prevent combining the groups into one object. If `isFull` is
   * false, a language without texts is not a problem, because the user might not have entered them yet.
   */
  alert(problems, isFull) {
    const alert = {};
    const hasTexts = this.hasTexts;
    for (const { fields } of this.rows) {
      const language = fields.language.value.trim();
      const own = {};
      for (const [name] of texts) if (fields[name].value) own[name] = fields[name].value;
      if (Object.keys(own).length === 0) {
        // Without any text, the service decides whether the campaign needs one.
        if (language && isFull && hasTexts) problems.push({ field: `alert.${language}.title`, error: "no text", advice: "enter a title or a body, or remove the language" });
        continue;
      }
      if (!language) problems.push({ field: "alert", error: "missing language", advice: "enter a language code, such as fr" });
      else if (alert[language]) problems.push({ field: "alert", error: `duplicate language ${language}`, advice: "remove one" });
      else alert[language] = own;
    }
    return alert;
  }

  clear() {
    this.error.hidden = true;
    put(this.error);
    for (const row of this.rows) for (const field of Object.values(row.fields)) field.fail();
  }

  /**
   * Reports beside the field if a text contains a placeholder such as %d but the campaign has no arguments, even before
   * the form is complete enough for the service to check it.
   */
  warnOfPlaceholders() {
    for (const { fields } of this.rows) {
      for (const [name] of texts) {
        const [placeholder] = fields[name].value.replaceAll("%%", "").match(/(?<!\d)%(\d+\$)?[duDU](?![A-Za-z])/) ?? [];
        if (placeholder && fields[name].error.hidden) {
          fields[name].fail(`No value for '${placeholder}': “Placeholder values” has 0 values. Add the value to “Placeholder values”.`);
        }
      }
    }
  }

  /** Shows a problem with `alert`, `alert.fr`, or `alert.fr.body`; returns false for a problem with another field. */
  fail(name, said) {
    const [alert, language, text] = (name ?? "").split(".");
    if (alert !== "alert") return false;
    const row = this.rows.find((one) => one.fields.language.value.trim() === language);
    const blank = !language && !this.hasTexts ? this.rows[0] : null;
    if (row ?? blank) {
      const { fields } = row ?? blank;
      (fields[text] ?? (this.isBlank({ fields }) ? fields.title : fields.language)).fail(said);
    } else {
      this.error.append(h("span", { class: "line" }, said));
      this.error.hidden = false;
    }
    return true;
  }
}
