import { h, put } from "/console/elements.js";

/** The height of a row in pixels, as in the style sheet. */
const rowHeight = 26;
/** The number of rows drawn above and below the visible ones. */
const margin = 8;

/**
 * A table with any number of rows, of which only the visible ones are in the document. `columns` are [heading, class,
 * (row) => content]; `row(index)` returns a row by its position from the top, or nothing.
 */
export class VirtualTable {
  #count = 0;
  #frame = null;

  constructor(caption, { columns, row, onOpen, isOpen }) {
    Object.assign(this, { columns, row, onOpen, isOpen });
    // Each filler row has a single cell, because further cells would be columns that the style sheet may hide.
    this.above = h("tr", { "aria-hidden": "true" }, h("td"));
    this.below = h("tr", { "aria-hidden": "true" }, h("td"));
    this.body = h("tbody", {}, this.above, this.below);
    this.table = h("table", { class: "virtual" }, h("caption", { class: "unseen" }, caption),
      h("thead", {}, h("tr", {}, columns.map(([heading, name]) => h("th", { scope: "col", class: name }, heading)))), this.body);
    this.empty = h("div", { class: "empty", hidden: true });
    this.element = h("div", { class: "rows", tabindex: "0", role: "region", "aria-label": caption, onscroll: () => this.schedule() }, this.table, this.empty);
    this.observer = new ResizeObserver(() => this.schedule());
    this.observer.observe(this.element);
  }

  /** Sets the number of rows, of which `added` are new at the top. A scrolled table keeps its position. */
  update(count, added = 0) {
    this.#count = count;
    if (added && this.element.scrollTop > rowHeight) this.element.scrollTop += added * rowHeight;
    this.schedule();
  }

  /** Shows this content instead of rows; without arguments, removes it. */
  explain(...content) {
    put(this.empty, content);
    this.empty.hidden = content.length === 0;
  }

  /** Schedules drawing for the next frame. */
  schedule() {
    this.#frame ??= requestAnimationFrame(() => {
      this.#frame = null;
      this.#draw();
    });
  }

  #draw() {
    const top = this.element.scrollTop;
    const first = Math.max(0, Math.min(this.#count, Math.floor(top / rowHeight) - margin));
    const last = Math.min(this.#count, Math.ceil((top + this.element.clientHeight) / rowHeight) + margin);
    const focused = document.activeElement?.dataset?.row;
    const rows = [];
    for (let index = first; index < last; index += 1) {
      const row = this.row(index);
      if (row) rows.push(this.#element(row, index));
    }
    this.above.firstChild.style.height = `${first * rowHeight}px`;
    this.below.firstChild.style.height = `${(this.#count - last) * rowHeight}px`;
    this.above.hidden = first === 0;
    this.below.hidden = last === this.#count;
    this.table.setAttribute("aria-rowcount", String(this.#count + 1));
    put(this.body, this.above, rows, this.below);
    // If the focused row is no longer drawn, the table itself receives the focus.
    if (focused) (this.body.querySelector(`[data-row="${CSS.escape(focused)}"]`) ?? this.element).focus({ preventScroll: true });
  }

  #element(row, index) {
    return h("tr", { "aria-rowindex": String(index + 2), class: this.isOpen(row) ? "open" : "", onclick: () => this.onOpen(row) },
      this.columns.map(([, name, cell], column) => {
        const content = cell(row);
        return h("td", { class: name, title: typeof content === "string" ? content : false },
          column > 0 ? content : h("button", { type: "button", class: "link", "data-row": row.key, "aria-expanded": String(this.isOpen(row)),
            onclick: (event) => { event.stopPropagation(); this.onOpen(row); } }, content));
      }));
  }

  end() { this.observer.disconnect(); }
}
