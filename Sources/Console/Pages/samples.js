/** The values of a metric by its only label, from the samples of /api/status. */
export function* byLabel(values, name) {
  for (const [key, value] of values) {
    if (!key.startsWith(`${name}{`)) continue;
    yield [key.slice(key.indexOf('"') + 1, key.lastIndexOf('"')), value];
  }
}

/** The sum of a metric over all of its labels. */
export function total(values, name) {
  let sum = values.get(name) ?? 0;
  for (const [, value] of byLabel(values, name)) sum += value;
  return sum;
}

/** Rates of counters between the latest two samples. */
export class Rates {
  #before = null;
  #now = null;

  add(milliseconds, values) {
    this.#before = this.#now;
    this.#now = { milliseconds, values };
  }

  /** The rate per second; nothing before the second sample. */
  of(name) {
    if (!this.#before || this.#now.milliseconds <= this.#before.milliseconds) return null;
    const seconds = (this.#now.milliseconds - this.#before.milliseconds) / 1000;
    return Math.max(0, total(this.#now.values, name) - total(this.#before.values, name)) / seconds;
  }

  text(name) {
    const rate = this.of(name);
    if (rate === null) return "–";
    return rate >= 100 ? Math.round(rate).toLocaleString() : rate.toFixed(1);
  }
}
