import { h, hourMinute, put, svg, table } from "/console/elements.js";

/**
 * The largest width of a plot in its own units. A narrower plot has as many units as its frame has pixels, so that its
 * labels stay readable.
 */
const widest = 520;
const narrowest = 200;
const height = 170;
const left = 44;
const bottom = 20;
/**
 * The maximum number of rows in a plot's table; if there are more steps, each row contains the largest value of several
 * steps.
 */
const tableRows = 48;

/** Returns the next round number: 1, 2, or 5 times a power of ten. */
function round(value) {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((step) => step * power).find((step) => step >= value);
}

/** Returns a number in a few characters. */
export function short(value) {
  if (value === null || value === undefined) return "–";
  if (value >= 1e6) return `${(value / 1e6).toFixed(1)} M`;
  if (value >= 1e4) return `${(value / 1e3).toFixed(0)} k`;
  return value >= 100 || Number.isInteger(value) ? Math.round(value).toLocaleString() : value.toPrecision(2);
}

/** Returns the path of a line, interrupted where a value is missing. */
function path(values, x, y) {
  let text = "";
  let isDown = false;
  values.forEach((value, index) => {
    if (value !== null) {
      text += `${isDown ? "L" : "M"}${x(index).toFixed(1)} ${y(value).toFixed(1)}`;
      // Draw a single value between missing ones as a dot.
      if (!isDown && (values[index + 1] ?? null) === null) text += "h2";
    }
    isDown = value !== null;
  });
  return text;
}

const largest = (values) => values.reduce((one, value) => (value !== null && (one === null || value > one) ? value : one), null);

/** Returns small lines without axes, for a figure that is shown as text next to the lines. */
export function spark(lines) {
  const top = Math.max(1e-9, ...lines.map((values) => largest(values) ?? 0));
  const length = Math.max(...lines.map((values) => values.length));
  return svg("svg", { class: "spark", viewBox: "0 0 120 28", preserveAspectRatio: "none", "aria-hidden": "true" },
    lines.map((values, index) => svg("path", { class: `line-${index}`,
      d: path(values, (at) => (length > 1 ? (at / (length - 1)) * 118 + 1 : 60), (value) => 26 - (value / top) * 24) })));
}

/**
 * Lines over time, with the values at the pointer or, with the arrow keys, at a cursor. The legend and a table provide
 * the same values as text.
 */
export class Plot {
  #at = [];
  #lines = [];
  #cursor = null;
  #hasDate = false;
  #width = widest;

  constructor(title) {
    this.drawing = svg("svg", { viewBox: `0 0 ${widest} ${height}`, "aria-hidden": "true" });
    this.frame = h("div", { class: "frame", tabindex: "0", role: "group", "aria-label": `${title}: use the arrow keys to read values`,
      onkeydown: (event) => this.#press(event), onblur: () => this.#move(null),
      onpointermove: (event) => this.#point(event), onpointerleave: () => this.#move(null) }, this.drawing);
    new ResizeObserver(() => this.#fit()).observe(this.frame);
    this.reading = h("p", { class: "reading", role: "status" });
    this.legend = h("ul", { class: "legend" });
    this.rows = h("div", {});
    this.details = h("details", { ontoggle: () => this.#drawTable() }, h("summary", {}, "Table"), this.rows);
    this.title = title;
    this.element = h("figure", { class: "plot" }, h("figcaption", {}, title), this.frame, this.reading, this.legend, this.details);
  }

  /** Shows these lines; `lines` are [name, values], with null for missing values. */
  draw(at, lines, hasDate = false) {
    this.#at = at;
    this.#lines = lines;
    this.#hasDate = hasDate;
    if (this.#cursor !== null && this.#cursor >= at.length) this.#cursor = null;
    this.#drawLines();
    put(this.legend, lines.map(([name, values], index) => h("li", {}, h("span", { class: `line-${index}` }),
      `${name}: ${short(values.findLast((value) => value !== null))} (max ${short(largest(values))})`)));
    this.#drawTable();
  }

  #time(moment) {
    return hourMinute(new Date(moment), this.#hasDate ? { month: "short", day: "numeric" } : {});
  }

  /** Adapts the drawing to the width of its frame. */
  #fit() {
    const width = Math.max(narrowest, Math.min(widest, Math.round(this.frame.clientWidth)));
    if (width === this.#width) return;
    this.#width = width;
    this.drawing.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.#drawLines();
  }

  #x(index) {
    const [first, last] = [this.#at[0], this.#at.at(-1)];
    return left + (this.#width - left - 8) * (last > first ? (this.#at[index] - first) / (last - first) : 0);
  }

  #drawLines() {
    const top = round(Math.max(1, ...this.#lines.map(([, values]) => largest(values) ?? 0)));
    const y = (value) => 8 + (height - bottom - 8) * (1 - value / top);
    const cursor = this.#cursor;
    const width = this.#width;
    put(this.drawing,
      [0, 0.5, 1].map((share) => [
        svg("line", { class: "gridline", x1: left, x2: width - 8, y1: y(top * share), y2: y(top * share) }),
        svg("text", { x: left - 6, y: y(top * share) + 4, "text-anchor": "end" }, short(top * share))]).flat(),
      this.#at.length ? [svg("text", { x: left, y: height - 4 }, this.#time(this.#at[0])),
        svg("text", { x: width - 8, y: height - 4, "text-anchor": "end" }, this.#time(this.#at.at(-1)))] : [],
      this.#lines.map(([, values], index) => svg("path", { class: `line-${index}`, d: path(values, (at) => this.#x(at), y) })),
      cursor === null ? [] : [
        svg("line", { class: "cursor", x1: this.#x(cursor), x2: this.#x(cursor), y1: 8, y2: height - bottom }),
        ...this.#lines.filter(([, values]) => values[cursor] !== null)
          .map(([, values]) => svg("circle", { class: "mark", cx: this.#x(cursor), cy: y(values[cursor]), r: 3.5 }))]);
  }

  #move(index) {
    if (index === this.#cursor) return;
    this.#cursor = index;
    this.#drawLines();
    this.reading.textContent = index === null ? ""
      : `${this.#time(this.#at[index])}: ${this.#lines.map(([name, values]) => `${name} ${short(values[index])}`).join(", ")}`;
  }

  #point(event) {
    if (this.#at.length === 0) return;
    const box = this.drawing.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * this.#width;
    let best = 0;
    this.#at.forEach((_, index) => { if (Math.abs(this.#x(index) - x) < Math.abs(this.#x(best) - x)) best = index; });
    this.#move(best);
  }

  #press(event) {
    const last = this.#at.length - 1;
    if (last < 0) return;
    const now = this.#cursor ?? last;
    const next = { ArrowLeft: this.#cursor === null ? last : now - 1, ArrowRight: now + 1, Home: 0, End: last, PageUp: now - 10, PageDown: now + 10 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    this.#move(Math.min(last, Math.max(0, next)));
  }

  #drawTable() {
    if (!this.details.open) return;
    const step = Math.max(1, Math.ceil(this.#at.length / tableRows));
    const starts = this.#at.map((_, index) => index).filter((index) => index % step === 0).reverse();
    put(this.rows, step > 1 ? h("p", { class: "hint" }, `Each row is the largest value of ${step} steps.`) : null,
      table(`${this.title}: table`, [["Time", (index) => this.#time(this.#at[index])],
        ...this.#lines.map(([name, values]) => [name, (index) => short(largest(values.slice(index, index + step)))])], starts, "No values yet."));
  }
}
