/**
 * Creates an element. Attribute names that begin with "on" add listeners; the values false and null omit an attribute.
 */
export function h(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

/** Creates an SVG element in the same way as `h`. */
export function svg(name, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

/** Replaces the content of an element. If the focused link is still present afterward, it keeps the focus. */
export function put(element, ...children) {
  const place = element.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
  element.replaceChildren(...children.flat().filter((child) => child !== null && child !== undefined));
  if (place) element.querySelector(`a[href="${CSS.escape(place)}"]`)?.focus();
}

let fields = 0;

/** A labeled field with space for a hint and for an error beside it. `control` is an input, a select, or a textarea. */
export class Field {
  constructor(label, control, { hint, wide } = {}) {
    const id = `field-${++fields}`;
    this.control = control;
    control.id = id;
    this.error = h("p", { class: "error", id: `${id}-error`, hidden: true });
    const hintElement = hint ? h("p", { class: "hint", id: `${id}-hint` }, hint) : null;
    control.setAttribute("aria-describedby", `${id}-error${hint ? ` ${id}-hint` : ""}`);
    this.element = h("div", { class: wide ? "field wide" : "field" },
      h("label", { for: id }, label), control, hintElement, this.error);
  }

  get value() { return this.control.value; }
  set value(text) { this.control.value = text; }

  /** Shows an error; without arguments, removes the error. */
  fail(...content) {
    const isWrong = content.length > 0;
    put(this.error, ...content);
    this.error.hidden = !isWrong;
    if (isWrong) this.control.setAttribute("aria-invalid", "true");
    else this.control.removeAttribute("aria-invalid");
  }
}

/** Returns a select element with [value, text] pairs as its options. */
export function select(options, attributes = {}) {
  return h("select", attributes, options.map(([value, text]) => h("option", { value }, text)));
}

/**
 * Disables a button, which loses the focus; returns a function that enables the button again and restores its focus,
 * unless another element has the focus by then.
 */
export function disable(button) {
  const hadFocus = document.activeElement === button;
  button.disabled = true;
  return () => {
    button.disabled = false;
    if (hadFocus && document.activeElement === document.body) button.focus();
  };
}

/** Returns a button with which the user repeats an action that failed because the service did not respond. */
export function retryButton(action) {
  return h("p", { class: "buttons" }, h("button", { type: "button", class: "quiet", onclick: action }, "Retry"));
}

/** Returns a table of rows; `columns` are [heading, (row) => cell]. */
export function table(caption, columns, rows, empty) {
  if (rows.length === 0) return h("div", { class: "empty" }, empty);
  return scrollable(caption, h("table", {},
      h("caption", { class: "unseen" }, caption),
      h("thead", {}, h("tr", {}, columns.map(([heading]) => h("th", { scope: "col" }, heading)))),
      h("tbody", {}, rows.map((row) => h("tr", {}, columns.map(([, cell]) => h("td", {}, cell(row))))))));
}

/** Returns a frame in which a table scrolls horizontally if it is too wide, with a note about scrolling. */
function scrollable(caption, content) {
  const sign = h("p", { class: "sideways", "aria-hidden": "true", hidden: true }, "⟷ Scroll sideways to see more.");
  const frame = h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption }, sign, content);
  const observer = new ResizeObserver(() => { sign.hidden = frame.scrollWidth <= frame.clientWidth + 1; });
  observer.observe(frame);
  observer.observe(content);
  return frame;
}

/** Returns a button that copies a text and confirms that the text was copied. */
export function copyButton(text, label = "Copy") {
  const button = h("button", { type: "button", class: "quiet", onclick: async () => {
    try {
      await navigator.clipboard.writeText(typeof text === "function" ? text() : text);
      button.textContent = "Copied";
    } catch {
      button.textContent = "Select the text and copy it manually";
    }
    setTimeout(() => { button.textContent = label; }, 2000);
  } }, label);
  return button;
}

/** Saves a file with this name and content. */
export function saveFile(name, content) {
  const url = URL.createObjectURL(content);
  h("a", { href: url, download: name }).click();
  // Some browsers read the content only after the user has chosen where to save it.
  setTimeout(() => URL.revokeObjectURL(url), 60000);
}

/** Returns the parts of a text: commands and options in single quotes, and all parts in backticks, are code. */
export function marked(text) {
  const parts = text.replace(/'((?:belfry |--)[^']*)'/g, "`$1`").split("`");
  return parts.map((part, index) => (index % 2 ? h("code", {}, part) : part));
}

/** The addresses of the provider's screens that messages name. */
const screens = { "Devices screen": "#/devices", "Campaigns screen": "#/campaigns" };

/** Returns the parts of a message, in which the names of screens are links. */
export function linked(text) {
  return text.split(/((?:Devices|Campaigns) screen)/).filter(Boolean)
    .map((part) => (screens[part] ? h("a", { href: screens[part] }, part) : part));
}

/** The clock of all times in the pages: 24 hours, like the times that the gateway logs. */
const clock = { hourCycle: "h23" };

/** Returns the hour and minute of a date; `parts` are the options of other parts to show, such as the day. */
export function hourMinute(date, parts = {}) {
  return date.toLocaleString([], { ...parts, hour: "2-digit", minute: "2-digit", ...clock });
}

/** Returns the time of day of a timestamp, with milliseconds. */
export function clockTime(text) {
  const date = new Date(text);
  return date.toLocaleTimeString([], clock) + "." + String(date.getMilliseconds()).padStart(3, "0");
}

/** Returns a timestamp as date and time; empty if there is no timestamp. */
export function dateTime(text) {
  return text ? new Date(text).toLocaleString([], clock) : "";
}

/** Returns a text with its first letter in uppercase. */
export function capital(text) { return text.charAt(0).toUpperCase() + text.slice(1); }

/**
 * Returns the parts as sentences, adding an initial capital and a final period to each; a part that begins with a name
 * or a number keeps its initial.
 */
export function sentences(...parts) {
  return parts.filter(Boolean).map((part) => `${/^[a-z']+[ ,]/.test(part) ? capital(part) : part}${/[.?!…]$/.test(part) ? "" : "."}`).join(" ");
}

/** Returns a number with its noun in the singular or plural. */
export function count(number, one, many) {
  return `${number.toLocaleString()} ${number === 1 ? one : many}`;
}
