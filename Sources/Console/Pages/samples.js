/** Yields the values of a metric by its only label, from the samples of /api/status. */
export function* byLabel(values, name) {
  for (const [key, value] of values) {
    if (!key.startsWith(`${name}{`)) continue;
    yield [key.slice(key.indexOf('"') + 1, key.lastIndexOf('"')), value];
  }
}

/** Returns the sum of a metric over its labels, or over those for which `isWanted` returns true. */
export function total(values, name, isWanted = () => true) {
  let sum = values.get(name) ?? 0;
  for (const [label, value] of byLabel(values, name)) if (isWanted(label)) sum += value;
  return sum;
}

/** The rates of counters between the latest two samples. */
export class Rates {
  #before = null;
  #now = null;

  add(milliseconds, values) {
    if (this.#now?.milliseconds === milliseconds) return;
    this.#before = this.#now;
    this.#now = { milliseconds, values };
  }

  /** Returns the rate per second; null before the second sample. */
  of(name, isWanted) {
    if (!this.#before || this.#now.milliseconds <= this.#before.milliseconds) return null;
    const seconds = (this.#now.milliseconds - this.#before.milliseconds) / 1000;
    return Math.max(0, total(this.#now.values, name, isWanted) - total(this.#before.values, name, isWanted)) / seconds;
  }

  text(name, isWanted) {
    const rate = this.of(name, isWanted);
    if (rate === null) return "–";
    return rate >= 100 ? Math.round(rate).toLocaleString() : rate.toFixed(1);
  }
}
