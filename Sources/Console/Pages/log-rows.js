/**
 * The maximum number of notifications that the page keeps: at 1,000 per second, those of less than a minute. The
 * gateway still has older ones.
 */
export const most = 20000;
/** The maximum number of states that are kept for each notification; the gateway has the others. */
const mostStates = 12;

/** Classifies a state as successful, waiting, or failed. */
export function kind(state) {
  if (state.startsWith("Delivered")) return "good";
  if (state.startsWith("Discarded") || state === "Refused") return "bad";
  if (state.startsWith("Stored") || state === "Unknown") return "fair";
  return "plain";
}

/**
 * The notifications of the log, one row for each with its latest state. The rows are in a ring buffer, in the order of
 * their first line, so that adding a line takes constant time.
 */
export class LogRows {
  #rows = [];
  #start = 0;
  #byKey = new Map();

  get count() { return this.#rows.length; }

  /** Adds a line; returns 1 if it begins a row, otherwise 0. */
  add(line) {
    // Rows are keyed by unique ID and device, because a broadcast is sent to many devices.
    const key = `${line.uniqueID ?? `${line.apnsID} ${line.at}`} ${line.device ?? ""}`;
    const known = this.#byKey.get(key);
    if (known) {
      known.last = line;
      known.pushType ??= line.pushType;
      if (known.states.length < mostStates) known.states.push(line);
      return 0;
    }
    const row = { key, first: line, last: line, states: [line], pushType: line.pushType };
    this.#byKey.set(key, row);
    if (this.#rows.length < most) {
      this.#rows.push(row);
    } else {
      this.#byKey.delete(this.#rows[this.#start].key);
      this.#rows[this.#start] = row;
      this.#start = (this.#start + 1) % most;
    }
    return 1;
  }

  /** Adds older lines below the others, as far as space is available; returns the number of new rows. */
  prepend(lines) {
    const older = new LogRows();
    for (const line of lines) older.add(line);
    const room = most - this.#rows.length;
    const rows = older.#rows.filter((row) => !this.#byKey.has(row.key)).slice(-room || undefined);
    if (room <= 0) return 0;
    for (const row of rows) this.#byKey.set(row.key, row);
    this.#rows = [...rows, ...this.#rows.slice(this.#start), ...this.#rows.slice(0, this.#start)];
    this.#start = 0;
    return rows.length;
  }

  /** Returns the row at a position, counted from the newest. */
  row(index) { return this.#rows[(this.#start + this.#rows.length - 1 - index) % this.#rows.length]; }

  get(key) { return this.#byKey.get(key); }
}
