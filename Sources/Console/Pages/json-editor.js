import { h, put } from "/console/elements.js";

/** The maximum number of characters that are highlighted: more than any payload, which has at most 5 kB. */
const most = 20000;

const parts = /("(?:\\.|[^"\\\n])*"?)(\s*:)?|\b(true|false|null)\b|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)/g;

/** Returns the text of a JSON document as spans, by kind: key, string, number, or word. */
export function highlight(text) {
  if (text.length > most) return [text];
  const spans = [];
  let end = 0;
  for (const match of text.matchAll(parts)) {
    const [all, string, colon, word] = match;
    const value = string ?? all;
    spans.push(text.slice(end, match.index), h("span", { class: string ? (colon ? "json-key" : "json-string") : word ? "json-word" : "json-number" }, value));
    end = match.index + value.length;
  }
  spans.push(text.slice(end));
  return spans;
}

/** Puts a text area over a copy of its text with highlighted JSON. Returns a function that updates the copy. */
export function highlightIn(area) {
  const copy = h("pre", { class: "code copy", "aria-hidden": "true" });
  const frame = h("div", { class: "editor" });
  area.replaceWith(frame);
  frame.append(copy, area);
  const update = () => {
    // A final line feed needs a character after it so that the last line has a height.
    put(copy, highlight(area.value), "\u200b");
    copy.scrollTop = area.scrollTop;
  };
  area.addEventListener("input", update);
  area.addEventListener("scroll", () => { copy.scrollTop = area.scrollTop; });
  update();
  return update;
}

/** Returns the text as indented JSON; unchanged if the text isn't JSON. */
export function indented(text) {
  try { return JSON.stringify(JSON.parse(text), null, 2); } catch { return text; }
}
