import { session } from "/console/api.js";
import { show } from "/console/dialog.js";
import { address, titles } from "/console/documents.js";
import { h } from "/console/elements.js";
import { recall, remember } from "/console/memory.js";

/** The keyboard shortcuts of the current screen: [key, description, action]. */
let own = [];
let places = [];
let isAwaitingPlace = false;

/** The paths of the documents about each service. */
const documents = { provider: ["first-five-minutes/campaign.md", "provider.md", "rejections.md"],
  gateway: ["console.md", "rejections.md", "admin-api.md", "operations/monitoring.md", "operations/rotate.md", "operations/backup.md"] };

/** Sets the keyboard shortcuts of the current screen, which are removed when the user leaves the screen. */
export function bind(keys) { own = keys; }

/** Returns, for each screen, the first letter of its name that no earlier screen uses. */
function letters(screens) {
  const taken = new Set();
  return Object.entries(screens).map(([name, screen]) => {
    const text = screen.short ?? screen.title;
    const letter = [...text.toLowerCase()].find((one) => /[a-z]/.test(one) && !taken.has(one));
    taken.add(letter);
    return [letter, name, text];
  });
}

function list(keys) {
  return h("dl", { class: "facts keys" }, keys.map(([key, text]) =>
    [h("dt", {}, key.split(" ").map((one) => h("kbd", {}, one))), h("dd", {}, text)]).flat());
}

/** Returns the search field of the current screen; null if the screen has none. */
function searchField() { return document.querySelector("main input[type=search]"); }

function help() {
  if (document.querySelector("dialog[open]")) return;
  const single = h("input", { type: "checkbox", checked: recall("shortcuts", true), onchange: () => remember("shortcuts", single.checked) });
  const close = h("button", { type: "button", class: "quiet", onclick: () => dialog.close() }, "Close");
  const dialog = show({ title: "Help", content: [
    h("h3", {}, "Keyboard shortcuts"),
    list([["?", "Show this help"], ...(searchField() ? [["/", "Go to the search field"]] : []), ...own, ...places.map(([letter, , text]) => [`g ${letter}`, `Go to ${text}`])]),
    h("label", { class: "inline" }, single, " Enable keyboard shortcuts"),
    h("h3", {}, "Documents"),
    h("ul", {}, (documents[session.service] ?? documents.gateway).map((path) => h("li", {}, h("a", { href: address(path), target: "_blank" }, titles[path])))),
    h("p", {}, "Commands: ", h("code", {}, "belfry --help"), ", ", h("code", {}, "belfry man COMMAND")),
    h("p", { class: "buttons" }, close),
  ] });
  close.focus();
}

/** Returns a button that shows the help. */
export function helpButton() {
  return h("button", { type: "button", class: "quiet", "aria-label": "Help and keyboard shortcuts", title: "Help and keyboard shortcuts (?)", onclick: help }, "?");
}

function press(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (event.target.closest?.("input:not([type=checkbox]), textarea, select, [contenteditable]") || document.querySelector("dialog[open]")) return;
  if (!recall("shortcuts", true)) return;
  if (isAwaitingPlace) {
    isAwaitingPlace = false;
    const place = places.find(([letter]) => letter === event.key);
    if (place) {
      event.preventDefault();
      location.hash = `#/${place[1]}`;
    }
    return;
  }
  const found = own.find(([key]) => key === event.key);
  if (event.key === "?") help();
  else if (event.key === "g") isAwaitingPlace = true;
  else if (event.key === "/") searchField()?.focus();
  else if (found) found[2]();
  else return;
  event.preventDefault();
}

/** Listens for the keyboard shortcuts of these screens. */
export function listen(screens) {
  places = letters(screens);
  document.addEventListener("keydown", press);
}
