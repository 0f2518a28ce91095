/**
 * Values that this browser remembers, such as the theme. Without storage, as in some private windows, the values are
 * forgotten when the page is closed.
 */
const prefix = "belfry-console:";
const session = new Map();

/** Returns a remembered value, or `fallback`. */
export function recall(name, fallback) {
  try {
    const text = localStorage.getItem(prefix + name);
    return text === null ? session.get(name) ?? fallback : JSON.parse(text);
  } catch {
    return session.get(name) ?? fallback;
  }
}

/** Remembers a value; null forgets it. */
export function remember(name, value) {
  session.set(name, value);
  try {
    if (value === null) localStorage.removeItem(prefix + name);
    else localStorage.setItem(prefix + name, JSON.stringify(value));
  } catch {
    // The storage is full or disabled, so the value is lost when the page is closed.
  }
}
