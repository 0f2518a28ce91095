import { titles } from "/console/documents.js";
import { h, put } from "/console/elements.js";
import "/console/theme.js";

/** Returns the anchor that Markdown renderers give to a heading. */
const slug = (text) => text.toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, "").replaceAll(" ", "-");

/** Returns the path that a relative link in a document refers to. */
function resolve(path, target) {
  const parts = path.split("/").slice(0, -1);
  for (const part of target.split("/")) {
    if (part === "..") parts.pop(); else if (part !== ".") parts.push(part);
  }
  return parts.join("/");
}

/** Returns a link; a document that the console does not contain is only named. */
function anchor(text, target, path) {
  if (/^https?:/.test(target)) return h("a", { href: target, target: "_blank", rel: "noreferrer" }, text);
  const [file, part] = target.split("#");
  const name = file ? resolve(path, file) : path;
  return titles[name] ? h("a", { href: `#${name}${part ? `#${part}` : ""}` }, text) : h("span", {}, text);
}

/** Returns the elements of a line: code, links, and bold or italic text. */
function inline(text, path) {
  const pattern = /`([^`]+)`|!?\[((?:[^\]`]|`[^`]*`)*)\]\(([^)\s]+)\)|\*\*([^*]+)\*\*|\*([^*\s][^*]*)\*/g;
  const found = [];
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    found.push(text.slice(end, match.index));
    end = match.index + match[0].length;
    const [whole, code, label, target, bold, italic] = match;
    if (code !== undefined) found.push(h("code", {}, code));
    else if (target !== undefined) found.push(whole.startsWith("!") ? "" : anchor(inline(label, path), target, path));
    else found.push(bold === undefined ? h("em", {}, italic) : h("strong", {}, bold));
  }
  return [...found, text.slice(end)].map((one) => (typeof one === "string" ? one.replaceAll("\\|", "|") : one));
}

/** Splits a row of a table into cells; a bar in code or after a backslash is text. */
function cells(line) {
  const found = [""];
  let isCode = false;
  const row = line.trim().replace(/^\||\|$/g, "");
  for (let index = 0; index < row.length; index += 1) {
    if (row[index] === "`") isCode = !isCode;
    if (row[index] === "|" && row[index - 1] !== "\\" && !isCode) found.push("");
    else found[found.length - 1] += row[index];
  }
  return found.map((cell) => cell.trim());
}

/** Returns the elements of a document. */
function render(text, path) {
  const lines = text.replace(/<!--[\s\S]*?-->/g, "").split("\n");
  const found = [];
  let at = 0;
  const take = (test) => {
    const taken = [];
    while (at < lines.length && test(lines[at])) taken.push(lines[at++]);
    return taken;
  };
  const isText = (line) => line.trim() && !/^(#{1,6} |```|\||\s*([-*]|\d+\.) )/.test(line);
  while (at < lines.length) {
    const line = lines[at];
    const heading = line.match(/^(#{1,6}) (.*)$/);
    if (!line.trim()) at += 1;
    else if (heading) {
      at += 1;
      found.push(h(`h${heading[1].length}`, { id: slug(heading[2].replaceAll("`", "")), tabindex: "-1" }, inline(heading[2], path)));
    } else if (line.trim().startsWith("```")) {
      at += 1;
      const code = take((one) => !one.trim().startsWith("```"));
      at += 1;
      found.push(h("pre", { tabindex: "0" }, h("code", {}, code.join("\n"))));
    } else if (line.startsWith("|")) {
      const [head, , ...rows] = take((one) => one.startsWith("|")).map(cells);
      found.push(h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Table" }, h("table", {},
        h("thead", {}, h("tr", {}, head.map((cell) => h("th", { scope: "col" }, inline(cell, path))))),
        h("tbody", {}, rows.map((row) => h("tr", {}, row.map((cell) => h("td", {}, inline(cell, path)))))))));
    } else if (/^\s*([-*]|\d+\.) /.test(line)) {
      const isOrdered = /^\s*\d+\. /.test(line);
      const items = [];
      for (const one of take((each) => /^\s*([-*]|\d+\.) /.test(each) || (/^\s+\S/.test(each) && !each.trim().startsWith("```")))) {
        if (/^\s*([-*]|\d+\.) /.test(one)) items.push(one.replace(/^\s*([-*]|\d+\.) /, "")); else items[items.length - 1] += ` ${one.trim()}`;
      }
      found.push(h(isOrdered ? "ol" : "ul", {}, items.map((item) => h("li", {}, inline(item, path)))));
    } else {
      const text = take(isText);
      found.push(h("p", {}, inline(text.length ? text.join(" ") : lines[at++], path)));
    }
  }
  return found;
}

const main = document.getElementById("main");
let shown = "";

async function show() {
  const [path, part] = decodeURIComponent(location.hash.slice(1)).split("#");
  const name = titles[path] ? path : "console.md";
  put(document.getElementById("navigation"), h("a", { href: "/" }, "Back to the console"), Object.entries(titles).map(([file, text]) =>
    h("a", { href: `#${file}`, "aria-current": file === name ? "page" : false }, text)));
  if (shown !== name) {
    try {
      const answer = await fetch(`/console/docs/${name}`);
      if (!answer.ok) throw new Error(`The console answered with status ${answer.status}.`);
      put(main, render(await answer.text(), name));
      shown = name;
      document.title = `${titles[name]} – Belfry`;
    } catch (failure) {
      put(main, h("p", { class: "error", role: "alert" }, `Cannot load the document. ${failure.message}`));
      return;
    }
  }
  const target = part && document.getElementById(part);
  if (target) { target.scrollIntoView(); target.focus(); } else window.scrollTo(0, 0);
}

window.addEventListener("hashchange", show);
show();
