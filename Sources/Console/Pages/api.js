/** What the service refused: what is wrong, and what to do; field by field where it says so. */
export class Refusal extends Error {
  constructor(status, what, advice, errors = []) {
    super(advice ? `${what}: ${advice}` : what);
    this.status = status;
    this.errors = errors;
  }
}

/** What is called when the session is over, and the name of the program behind the pages. */
export const session = { onEnded: () => {}, service: "gateway" };

/**
 * Makes a call of the admin API and returns the objects of its lines. The field proves that the call comes from this
 * page: other sites cannot send it.
 */
export async function call(method, path, body, options) {
  return (await ask(method, path, body, options)).rows;
}

/** The objects of a list's lines, and how many the whole list has. */
export async function list(path) {
  const { rows, response } = await ask("GET", path);
  return { rows, total: Number(response.headers.get("belfry-total") ?? rows.length) };
}

async function ask(method, path, body, { signal } = {}) {
  let response;
  try {
    response = await fetch(path, {
      method, signal, credentials: "same-origin",
      headers: { "x-belfry-console": "1", ...(body ? { "content-type": "application/json" } : {}) },
      body: typeof body === "string" ? body : body ? JSON.stringify(body) : undefined,
    });
  } catch (failure) {
    if (failure.name === "AbortError") throw failure;
    throw new Refusal(0, `the ${session.service} does not answer`, "is it running?");
  }
  const text = await response.text();
  if (response.ok) return { response, rows: text.split("\n").filter(Boolean).map((line) => JSON.parse(line)) };
  if (response.status === 401 && path !== "/console/session") session.onEnded();
  let refusal = {};
  try { refusal = JSON.parse(text); } catch { refusal = { error: text.trim() || `status ${response.status}` }; }
  throw new Refusal(response.status, refusal.error, refusal.advice, refusal.errors);
}

/**
 * Follows a stream of events, and takes it up again when it breaks: `onObject` gets each object, `onState` whether the
 * stream is there. Returns a function that ends it.
 */
export function follow(path, onObject, onState = () => {}) {
  const source = new EventSource(path);
  source.onopen = () => onState(true);
  source.onerror = () => {
    onState(false);
    // A browser tries again by itself, but not when it was refused: the session may be over.
    if (source.readyState === EventSource.CLOSED) {
      call("GET", "/console/session").then(([state]) => { if (!state.open) session.onEnded(); }).catch(() => {});
    }
  };
  source.onmessage = (event) => onObject(JSON.parse(event.data));
  return () => source.close();
}

/** Calls `body` now and every so many milliseconds while the page is seen; returns a function that ends it. */
export function every(milliseconds, body) {
  let isEnded = false;
  let timer;
  const round = async () => {
    if (!document.hidden) await body();
    if (!isEnded) timer = setTimeout(round, milliseconds);
  };
  round();
  return () => { isEnded = true; clearTimeout(timer); };
}
