import { h, svg } from "/console/elements.js";

const width = 520;
const height = 170;
const left = 44;
const bottom = 20;

/** The next round number: 1, 2 or 5 times a power of ten. */
function round(value) {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((step) => step * power).find((step) => step >= value);
}

function short(value) {
  if (value === null || value === undefined) return "–";
  if (value >= 1e6) return `${(value / 1e6).toFixed(1)} M`;
  if (value >= 1e4) return `${(value / 1e3).toFixed(0)} k`;
  return value >= 100 || Number.isInteger(value) ? Math.round(value).toLocaleString() : value.toPrecision(2);
}

/**
 * Lines over time; `lines` are [name, values], with null for missing values. The legend also describes the plot as
 * text.
 */
export function plot(title, at, lines) {
  const known = lines.flatMap(([, values]) => values).filter((value) => value !== null);
  const top = round(Math.max(1, ...known));
  const [first, last] = [at[0] ?? 0, at.at(-1) ?? 1];
  const x = (moment) => left + (width - left - 8) * (last > first ? (moment - first) / (last - first) : 0);
  const y = (value) => 8 + (height - bottom - 8) * (1 - value / top);
  const time = (moment) => new Date(moment).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  const path = (values) => {
    let text = "";
    let isDown = false;
    values.forEach((value, index) => {
      if (value !== null) text += `${isDown ? "L" : "M"}${x(at[index]).toFixed(1)} ${y(value).toFixed(1)}`;
      isDown = value !== null;
    });
    return text;
  };
  const newest = (values) => values.findLast((value) => value !== null);
  return h("figure", { class: "plot" },
    h("figcaption", {}, title),
    svg("svg", { viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" },
      [0, 0.5, 1].map((share) => [
        svg("line", { class: "gridline", x1: left, x2: width - 8, y1: y(top * share), y2: y(top * share) }),
        svg("text", { x: left - 6, y: y(top * share) + 4, "text-anchor": "end" }, short(top * share))]).flat(),
      at.length ? [svg("text", { x: left, y: height - 4 }, time(first)),
        svg("text", { x: width - 8, y: height - 4, "text-anchor": "end" }, time(last))] : [],
      lines.map(([, values], index) => svg("path", { class: `line-${index}`, d: path(values) }))),
    h("ul", { class: "legend" }, lines.map(([name, values], index) => {
      const most = values.reduce((one, value) => (value !== null && (one === null || value > one) ? value : one), null);
      return h("li", {}, h("span", { class: `line-${index}` }), `${name}: ${short(newest(values))} (max ${short(most)})`);
    })));
}
