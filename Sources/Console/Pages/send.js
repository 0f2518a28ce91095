import { call } from "/console/api.js";
import { Field, capital, copyButton, dateTime, h, put, select } from "/console/elements.js";
import { highlightIn, indented } from "/console/json-editor.js";
import { Recipient } from "/console/send-recipient.js";
import { Saved } from "/console/send-saved.js";
import { asCurl, asPython, asSwift } from "/console/snippets.js";

export const title = "Send a test push";
export const short = "Send";

const types = ["alert", "background", "voip", "liveactivity", "complication", "fileprovider", "location", "mdm",
  "pushtotalk", "widgets", "controls"];

export const samples = {
  "Alert": { aps: { alert: { title: "Burger Town", body: "Your order is ready." }, sound: "default", badge: 1 } },
  "Alert with actions": { aps: { alert: { title: "Anna", body: "Are you coming tonight?" }, category: "MESSAGE",
    "thread-id": "anna", sound: "default" }, from: "anna" },
  "Background": { aps: { "content-available": 1 }, reason: "menu" },
};

/** Returns the problem with a number of seconds until a push expires, or null. */
const lifetimeProblem = (text) => (text === "" || /^\d{1,9}$/.test(text) ? null : "Enter a number of seconds from now, from 0 to 999999999.");

/** The user's input, kept while the page is open. */
const draft = { payload: JSON.stringify(samples["Alert"], null, 2) };

/**
 * The fields that a link can fill in. They are restricted because anyone can create a link, and the form's values are
 * sent and copied as code.
 */
const linked = { token: /^[0-9A-Fa-f]{1,512}$/, topic: /^[A-Za-z0-9._-]{1,255}$/, device: /^\d{1,20}$/ };

export function show(main, parameters) {
  const refused = [];
  /** The names of the fields that the user has changed; only these fields show errors. */
  const touched = new Set();
  if (parameters.has("device") || parameters.has("token")) draft.device = draft.token = "";
  for (const [name, form] of Object.entries(linked)) {
    const text = parameters.get(name);
    if (text && form.test(text)) draft[name] = text;
    else if (text) refused.push(name);
  }
  // The token is that of the device's app.
  if (draft.device) draft.token = "";
  const apps = h("datalist", { id: "apps" });
  const input = (name, attributes = {}) =>
    h("input", { type: "text", spellcheck: "false", autocomplete: "off", name, value: draft[name] ?? "", ...attributes });
  const fields = {
    token: new Field("Device token", input("token"), { hint: "Hex string, exactly as the app received it.", wide: true }),
    topic: new Field("Topic", input("topic", { list: "apps" }), { hint: "The app's bundle identifier, plus a suffix for some push types." }),
    type: new Field("Push type", select(types.map((type) => [type, type]), { name: "type" })),
    priority: new Field("Priority", select([["", "default for the push type"], ["10", "10 (immediately)"], ["5", "5 (power-saving)"], ["1", "1 (lowest)"]], { name: "priority" })),
    lifetime: new Field("Expires after (seconds)", input("lifetime", { inputmode: "numeric" }), { hint: "Leave empty for the maximum. 0 = try once, don't store." }),
    collapseID: new Field("Collapse ID", input("collapseID"), { hint: "Replaces an earlier notification with the same ID." }),
    id: new Field("apns-id", input("id"), { hint: "UUID. Generated if empty." }),
    key: new Field("Sign with", select([["", "any key of the app's team"]], { name: "key" })),
    payload: new Field("Payload", h("textarea", { name: "payload", rows: 12, spellcheck: "false", class: "code" }), { wide: true }),
  };
  fields.payload.value = draft.payload;
  for (const name of ["type", "priority", "key"]) if (draft[name]) fields[name].value = draft[name];
  const verdict = h("p", { class: "check", role: "status" });
  const notes = h("ul", { class: "notes", "aria-label": "Warnings" });
  const button = h("button", { type: "submit" }, "Send");
  const answer = h("section", { "aria-live": "polite", "aria-label": "Response" });
  const copies = h("section", { "aria-label": "Code" });
  let place = null;
  let timer;
  /** True while the response is about a push that was not sent. */
  let isUnsent = false;
  const recipient = new Recipient({ device: draft.device, topic: draft.topic, onChosen: (app) => {
    fields.token.value = app.token;
    fields.topic.value = app.topic;
    const type = types.includes(app.kind) ? app.kind : "alert";
    if (app.kind !== "alert" || fields.type.value !== "background") fields.type.value = type;
    changed();
  }, onReleased: () => {
    draft.device = "";
    fields.token.value = "";
    touched.delete(fields.token);
    fields.token.fail();
    running.abort();
    verdict.className = "check";
    verdict.textContent = "Choose a device and an app, or paste a device token.";
    changed();
  } });
  const saved = new Saved({ draft: () => ({ payload: fields.payload.value, type: fields.type.value }), use: fillIn });
  const updatePayload = highlightIn(fields.payload.control);

  /** Fills the form with a saved push or payload. */
  function fillIn(values) {
    for (const [name, field] of Object.entries(fields)) if (typeof values[name] === "string") field.value = values[name];
    if (typeof values.token === "string") recipient.leave(values.token.trim());
    updatePayload();
    changed();
    fields.payload.control.focus();
  }
  let running = new AbortController();
  let isOpen = true;

  /** Returns the push in the form that the gateway's API accepts. */
  function push() {
    const body = {};
    for (const [name, field] of Object.entries(fields)) {
      draft[name] = field.value;
      if (name === "lifetime" || name === "payload" || field.value.trim() === "") continue;
      body[name] = field.value.trim();
    }
    body.payload = fields.payload.value;
    const lifetime = fields.lifetime.value.trim();
    if (lifetime === "0") body.expiration = "0";
    else if (lifetimeProblem(lifetime)) body.expiration = lifetime;
    else if (lifetime) body.expiration = String(Math.floor(Date.now() / 1000) + Number(lifetime));
    return body;
  }

  function showCheck(check) {
    for (const field of Object.values(fields)) field.fail();
    const fieldOf = (fault) => fields[fault.field === "expiration" ? "lifetime" : fault.field];
    const isShown = (fault) => touched.has(fieldOf(fault)) || fieldOf(fault).value.trim() !== "";
    for (const fault of check.faults.filter(isShown)) {
      const field = fieldOf(fault);
      // The gateway's text is about the header field, which contains a time.
      const problem = field === fields.lifetime && lifetimeProblem(field.value.trim());
      if (problem) { field.fail(problem); continue; }
      const since = fault.since ? `, since ${dateTime(fault.since)}` : "";
      const when = fault.reason === "MissingDeviceToken" ? "enter a device token" : fault.when;
      const parts = [h("strong", {}, fault.reason), fault.line ? ` (${fault.status}).` : ` (${fault.status}): ${when}${since}.`];
      if (fault.line) {
        parts.push(` Invalid JSON at line ${fault.line}, column ${fault.column}: ${fault.what}. ${capital(fault.advice)}. `,
          h("button", { type: "button", class: "link", onclick: () => goTo(fault) }, `Go to line ${fault.line}`));
      }
      field.fail(...parts);
    }
    const size = `${check.bytes} of ${check.bytesMax} bytes`;
    const isIncomplete = !check.ok && !check.faults.some(isShown);
    verdict.className = check.ok ? "check good" : isIncomplete ? "check" : "check bad";
    verdict.textContent = isIncomplete ? `Choose a device and an app, or paste a device token. ${size}.` : check.ok
      ? `Would be accepted: ${size}, ${check.type}, priority ${check.priority}, device ${check.device}.`
      : `Would be refused: ${check.faults.map((fault) => fault.reason).join(", ")}. ${size}.`;
    put(notes, check.notes.map((note) => h("li", {}, note)));
    notes.hidden = check.notes.length === 0;
    showCopies(check);
  }

  function goTo(fault) {
    const lines = fields.payload.value.split("\n");
    let at = lines.slice(0, fault.line - 1).reduce((sum, line) => sum + line.length + 1, 0);
    // The gateway's columns count characters, but the text field counts UTF-16 code units.
    at += [...(lines[fault.line - 1] ?? "")].slice(0, fault.column - 1).join("").length;
    fields.payload.control.focus();
    fields.payload.control.setSelectionRange(at, at + 1);
  }

  function showCopies(check) {
    if (!place) return;
    const body = { ...push(), key: check.key ?? "KEY-ID" };
    const code = [["curl", asCurl], ["Swift, with BelfryProvider", asSwift], ["Python, with aioapns", asPython]];
    const open = new Set([...copies.querySelectorAll("details[open]")].map((details) => details.dataset.name));
    put(copies, h("h2", {}, "Code"), code.map(([name, make]) => {
      const text = make(body, { ...place, team: check.team ?? "TEAM-ID" });
      return h("details", { "data-name": name, open: open.has(name) }, h("summary", {}, name),
        h("pre", { tabindex: "0", "aria-label": name }, text), copyButton(text));
    }));
  }

  async function check() {
    running.abort();
    running = new AbortController();
    try {
      const [result] = await call("POST", "/api/push-check", push(), { signal: running.signal });
      showCheck(result);
    } catch (refusal) {
      if (refusal.name === "AbortError") return;
      verdict.className = "check bad";
      verdict.textContent = refusal.message;
    }
  }

  function changed(event) {
    for (const field of Object.values(fields)) if (field.control === event?.target) touched.add(field);
    if (event?.target === fields.token.control) recipient.leave(fields.token.value.trim());
    // The reason no longer applies to the changed push.
    if (isUnsent) put(answer);
    isUnsent = false;
    clearTimeout(timer);
    timer = setTimeout(check, 200);
  }

  async function submit(event) {
    event.preventDefault();
    if (recipient.isChoosing) { recipient.find(); return; }
    button.disabled = true;
    if (await isRecipientFound()) await send();
    button.disabled = false;
    check();
  }

  /** Returns whether the push goes to the device in the form; finds this device first, if necessary. */
  async function isRecipientFound() {
    if (!recipient.isUnresolved) return true;
    const topic = fields.topic.value.trim();
    await recipient.find();
    if (!isOpen) return false;
    if (recipient.isUnresolved) showUnsent("No device is selected. Enter the name or number of a device.");
    else if (!fields.token.value) showUnsent("This device has no apps.");
    else if (topic && topic !== fields.topic.value) showUnsent(`This device does not have the app ${topic}. Check the app, and send the push again.`);
    else return true;
    return false;
  }

  async function send() {
    for (const field of Object.values(fields)) touched.add(field);
    if (lifetimeProblem(fields.lifetime.value.trim())) { fields.lifetime.control.focus(); return; }
    try {
      const [result] = await call("POST", "/api/push", push());
      saved.sent({ ...Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.value])), id: "" }, result);
      showAnswer(result);
      isUnsent = false;
    } catch (refusal) {
      showUnsent(refusal.message);
    }
  }

  function showUnsent(problem) {
    isUnsent = true;
    put(answer, h("h2", {}, "Not sent"), h("p", { class: "bad" }, problem));
  }

  function showAnswer(result) {
    const isAccepted = result.status === 200;
    put(answer, h("h2", {}, isAccepted ? "Accepted" : `Refused: ${result.reason}`),
      h("p", { class: isAccepted ? "good" : "bad" },
        isAccepted ? "Status 200. " : `Status ${result.status}: ${result.when ?? result.reason}. `,
        h("a", { href: `#/log?of=${result.apnsID}` }, "View in the log")),
      h("p", {}, "apns-id ", h("code", { class: "apns-id" }, result.apnsID)));
  }

  main.append(
    refused.length ? h("p", { class: "bad", role: "alert" },
      `Ignored the ${refused.join(" and ")} in the link: invalid ${refused.length > 1 ? "values" : "value"}.`) : "",
    h("form", { class: "grid", onsubmit: submit, oninput: changed, novalidate: true }, recipient.elements,
      Object.values(fields).slice(0, -1).map((field) => field.element), apps,
      h("p", { class: "wide buttons" }, "Templates: ", Object.entries(samples).map(([name, sample]) =>
        h("button", { type: "button", class: "quiet", onclick: () => {
          fields.payload.value = JSON.stringify(sample, null, 2);
          fields.type.value = name === "Background" ? "background" : "alert";
          updatePayload();
          changed();
        } }, name)), h("button", { type: "button", class: "quiet end-right", onclick: () => {
          fields.payload.value = indented(fields.payload.value);
          updatePayload();
          changed();
        } }, "Format JSON")),
      fields.payload.element,
      h("div", { class: "wide" }, verdict, notes, button)),
    answer, saved.element, copies);

  call("GET", "/api/push").then(([found]) => { place = found; check(); }).catch(check);
  call("GET", "/api/topics").then((topics) => {
    put(apps, topics.map((topic) => h("option", { value: topic.topic })));
    if (topics.length === 1 && !fields.topic.value) { fields.topic.value = topics[0].topic; changed(); }
  }).catch(() => {});
  call("GET", "/api/keys").then((keys) => {
    for (const key of keys.filter((key) => !key.revokedAt)) {
      fields.key.control.append(h("option", { value: key.id }, `${key.id}, team ${key.team}`));
    }
    if (draft.key) fields.key.value = draft.key;
  }).catch(() => {});
  return () => { isOpen = false; clearTimeout(timer); running.abort(); };
}
