import { sentences } from "/console/elements.js";

/** Milliseconds before a refused stream is requested again, at first and at most. */
const retry = { first: 1000, most: 30000 };

/**
 * Milliseconds without a response after which a call fails: for a call that reads, for a call that searches a log or a
 * registry, and for a call that can take longer, such as a change or an export.
 */
export const patience = { short: 5000, search: 15000, long: 60000 };

/** The service's advice for clients of its HTTP requests, and the same advice for the user of the console. */
const ownAdvice = [
  ["'GET /tokens' and the console list", "the Devices screen lists"],
  ["'GET /tokens' and the device's details in the console contain", "the device's details on the Devices screen contain"],
  ["'GET /campaigns' lists", "the Campaigns screen lists"],
];

/** Returns the service's advice in the words of the console: the names of its screens replace the requests. */
function inConsole(text) {
  return ownAdvice.reduce((message, [request, screen]) => message.replace(request, screen), text);
}

/** The service's refusal: the problem and how to fix it, per field if available. */
export class Refusal extends Error {
  constructor(status, what, advice, errors = []) {
    super(sentences(what, advice && inConsole(advice)));
    this.status = status;
    this.errors = errors.map((one) => ({ ...one, advice: one.advice && inConsole(one.advice) }));
  }
}

/**
 * The callback for an expired session, the name of the service that the pages belong to, and the instructions of the
 * sign-in page: a command and the path of the file with the token, if the service provides them. `unsaved` contains the
 * generated credentials that the user has not saved yet; they are forgotten when the session ends.
 */
export const session = { onEnded: () => {}, service: "gateway", command: null, tokenFile: null, unsaved: [] };

/**
 * Calls the admin API and returns the objects in the lines of the response. The header field proves that the call is
 * from this page, because other sites can't send it.
 */
export async function call(method, path, body, options) {
  return (await ask(method, path, body, options)).rows;
}

/** Returns the objects in a list's lines, the number of lines in the entire list, and the address of the next page. */
export async function list(path, options) {
  const { rows, response } = await ask("GET", path, undefined, options);
  const [, next] = (response.headers.get("link") ?? "").match(/^<([^>]+)>; rel="next"$/) ?? [];
  return { rows, total: Number(response.headers.get("belfry-total") ?? rows.length), next };
}

/** Returns the content of a file that the service creates. */
export async function download(path) {
  return request("GET", path, { patience: patience.long }, (response) => response.blob());
}

/** With a `revision`, the service refuses the call if the campaign has changed since then. */
async function ask(method, path, body, { signal, patience: wait = method === "GET" ? patience.short : patience.long, revision } = {}) {
  return request(method, path, {
    signal, patience: wait,
    headers: { ...(body ? { "content-type": "application/json" } : {}), ...(revision ? { "if-match": `"${revision}"` } : {}) },
    body: typeof body === "string" ? body : body ? JSON.stringify(body) : undefined,
  }, async (response) => {
    const text = await response.text();
    return { response, rows: text.split("\n").filter(Boolean).map((line) => JSON.parse(line)) };
  });
}

/**
 * Sends a request and returns the result of `read` for the response; throws the service's refusal. `patience` is the
 * number of milliseconds to wait for the beginning of the response.
 */
async function request(method, path, { headers = {}, signal, patience: wait, ...options }, read) {
  const own = new AbortController();
  const stop = () => own.abort(signal.reason);
  let isLate = false;
  const timer = setTimeout(() => { isLate = true; own.abort(); }, wait);
  if (signal?.aborted) stop();
  signal?.addEventListener("abort", stop);
  try {
    const response = await fetch(path, { method, credentials: "same-origin", headers: { "x-belfry-console": "1", ...headers }, signal: own.signal, ...options });
    clearTimeout(timer);
    if (!response.ok) throw await refusalIn(response);
    // The connection can also break in the middle of the body.
    return await read(response);
  } catch (failure) {
    if (failure.status === 401 && path !== "/console/session") session.onEnded();
    if (isLate || failure.name === "TimeoutError") throw new Refusal(0, `the ${session.service} does not respond`);
    if (failure instanceof Refusal || failure.name === "AbortError") throw failure;
    throw new Refusal(0, `can't reach the ${session.service}`, "check that it's running");
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", stop);
  }
}

/** Returns the refusal in a response; a response from a proxy contains only a status. */
async function refusalIn(response) {
  const text = await response.text();
  let refusal;
  try { refusal = JSON.parse(text); } catch { refusal = { error: /^\s*</.test(text) || !text.trim() ? `status ${response.status}` : text.trim() }; }
  return new Refusal(response.status, refusal.error, refusal.advice, refusal.errors);
}

/** Requests a stream and returns its refusal; null if it isn't refused or the service can't be reached. */
async function streamRefusal(path) {
  const request = new AbortController();
  try {
    const response = await fetch(path, { signal: request.signal, credentials: "same-origin", headers: { accept: "text/event-stream" } });
    return response.ok ? null : await refusalIn(response);
  } catch {
    return null;
  } finally {
    request.abort();
  }
}

/**
 * Follows a stream of events and reconnects if the connection breaks. `onObject` receives each object. `onState`
 * receives whether the stream is connected and, if it isn't, the problem as a sentence. Returns a function that ends
 * the stream.
 */
export function follow(path, onObject, onState = () => {}) {
  let source;
  let timer;
  let isEnded = false;
  let pause = retry.first;
  const connect = () => {
    source = new EventSource(path);
    source.onopen = () => {
      pause = retry.first;
      onState(true);
    };
    source.onmessage = (event) => onObject(JSON.parse(event.data));
    source.onerror = async () => {
      onState(false, `Can't reach the ${session.service}. Reconnecting…`);
      // A browser reconnects after a broken connection, but not after a response that isn't a stream.
      if (source.readyState !== EventSource.CLOSED) return;
      const refusal = await streamRefusal(path);
      if (isEnded) return;
      if (refusal?.status === 401) { session.onEnded(); return; }
      if (refusal) onState(false, refusal.message);
      // Waiting fixes neither invalid parameters nor objects that don't exist.
      if (refusal?.status === 400 || refusal?.status === 404) return;
      timer = setTimeout(connect, pause);
      pause = Math.min(pause * 2, retry.most);
    };
  };
  connect();
  return () => {
    isEnded = true;
    clearTimeout(timer);
    source.close();
  };
}

/**
 * Calls `body` immediately, and then repeatedly at this interval, in milliseconds, while the page is visible; returns a
 * function that stops the calls.
 */
export function every(milliseconds, body) {
  let isEnded = false;
  let timer;
  const round = async () => {
    try {
      if (!document.hidden) await body();
    } finally {
      if (!isEnded) timer = setTimeout(round, milliseconds);
    }
  };
  round();
  return () => { isEnded = true; clearTimeout(timer); };
}
