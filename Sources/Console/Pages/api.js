import { sentences } from "/console/elements.js";

/** The service's refusal: the problem and how to fix it, per field if available. */
export class Refusal extends Error {
  constructor(status, what, advice, errors = []) {
    super(sentences(what, advice));
    this.status = status;
    this.errors = errors;
  }
}

/**
 * The callback for an expired session, the name of the service behind the pages, and the instructions of the sign-in
 * page: a command and the file with the token, if the service names them.
 */
export const session = { onEnded: () => {}, service: "gateway", command: null, tokenFile: null };

/**
 * Calls the admin API and returns the objects of its lines. The header proves that the call is from this page, because
 * other sites can't send it.
 */
export async function call(method, path, body, options) {
  return (await ask(method, path, body, options)).rows;
}

/** The objects of a list's lines, the number of lines in the entire list, and the address of the next page. */
export async function list(path) {
  const { rows, response } = await ask("GET", path);
  const [, next] = (response.headers.get("link") ?? "").match(/^<([^>]+)>; rel="next"$/) ?? [];
  return { rows, total: Number(response.headers.get("belfry-total") ?? rows.length), next };
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
    throw new Refusal(0, `can't reach the ${session.service}`, "check that it's running");
  }
  const text = await response.text();
  if (response.ok) return { response, rows: text.split("\n").filter(Boolean).map((line) => JSON.parse(line)) };
  if (response.status === 401 && path !== "/console/session") session.onEnded();
  let refusal = {};
  try { refusal = JSON.parse(text); } catch { refusal = { error: text.trim() || `status ${response.status}` }; }
  throw new Refusal(response.status, refusal.error, refusal.advice, refusal.errors);
}

/**
 * Follows a stream of events and reconnects if it breaks. `onObject` receives each object, `onState` whether the stream
 * is connected. Returns a function that ends it.
 */
export function follow(path, onObject, onState = () => {}) {
  const source = new EventSource(path);
  source.onopen = () => onState(true);
  source.onerror = () => {
    onState(false);
    // A browser reconnects automatically, except after a refusal: the session may have expired.
    if (source.readyState === EventSource.CLOSED) {
      call("GET", "/console/session").then(([state]) => { if (!state.open) session.onEnded(); }).catch(() => {});
    }
  };
  source.onmessage = (event) => onObject(JSON.parse(event.data));
  return () => source.close();
}

/**
 * Calls `body` now and at this interval in milliseconds while the page is visible; returns a function that stops it.
 */
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
