import { capital, count, dateTime, h, hourMinute, sentences } from "/console/elements.js";

/** Returns a link to a campaign's own screen. */
export function link(campaign) {
  return h("a", { href: `#/campaigns?id=${campaign.id}` }, campaign.name ?? campaign.id);
}

/** Returns the label of a campaign's state. */
export function stateText({ state, problem, waitsUntil }) {
  if (state === "running" && (problem || waitsUntil)) return "waiting";
  return state;
}

export function stateBadge(campaign) {
  const { state, failed, unknown, problem } = campaign;
  const kind = state === "completed" ? (failed + unknown ? "fair" : "good")
    : problem ? "bad" : state === "paused" ? "fair" : "plain";
  return h("span", { class: `badge ${kind}` }, stateText(campaign));
}

/** Returns the results so far for a campaign's devices, in one line. */
export function outcome({ accepted, dead, failed, unknown, devices, sent, state }) {
  if (state === "draft") return "Not sent";
  if (state === "scheduled") return count(devices, "device", "devices");
  const parts = [`${accepted.toLocaleString()} accepted`];
  if (dead) parts.push(`${count(dead, "dead token", "dead tokens")} removed`);
  for (const [number, word] of [[failed, "failed"], [unknown, "unknown"]]) {
    if (number) parts.push(`${number.toLocaleString()} ${word}`);
  }
  const left = devices - sent - unknown;
  if (left > 0) parts.push(`${left.toLocaleString()} ${state === "cancelled" ? "not sent" : "left"}`);
  return parts.join(", ");
}

/** Returns a date in everyday words, such as "tomorrow". */
function day(date, now) {
  const start = (one) => new Date(one.getFullYear(), one.getMonth(), one.getDate());
  const days = Math.round((start(date) - start(now)) / 86_400_000);
  if (days === 0) return "today";
  if (days === 1) return "tomorrow";
  return date.toLocaleDateString([], { weekday: "short", day: "numeric", month: "short", year: "numeric" });
}

/** Returns the time of a campaign in words, such as "tomorrow at 09:00, each recipient's time zone". */
export function timeText(at, now = new Date()) {
  const [, date, time, offset] = at.match(/^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2})(?::\d{2})?(.*)$/) ?? [];
  if (!date) return at;
  if (!offset) return `${day(new Date(`${date}T${time}`), now)} at ${time}, each recipient's time zone`;
  const moment = new Date(at.replace(" ", "T"));
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return `${day(moment, now)} at ${hourMinute(moment)}${zone === "UTC" ? " UTC" : `, ${zone} time`}`;
}

/** Returns the time at which a campaign is or was to be sent; empty for a campaign without a time. */
export function schedule({ state, at }) {
  if (!at) return "";
  return state === "scheduled" ? `Scheduled for ${timeText(at)}` : timeText(at);
}

/** Returns when a campaign ended, continues, or is or was to be sent, for a list of campaigns. */
export function when(campaign) {
  const { state, finished, waitsFor, waitsUntil } = campaign;
  if (finished) return `${capital(state)} ${dateTime(finished)}`;
  if (waitsUntil) return `${waitsFor === "quiet hours" ? "Quiet hours until" : "Next time zone at"} ${dateTime(waitsUntil)}`;
  return schedule(campaign);
}

/** Returns the reason that a running campaign waits for a time; empty if it does not wait. */
export function waitText({ waitsFor, waitsUntil }) {
  if (!waitsUntil) return "";
  return waitsFor === "quiet hours" ? `Waiting for quiet hours to end at ${dateTime(waitsUntil)}.`
    : `Waiting for the campaign's time in the next time zone at ${dateTime(waitsUntil)}.`;
}

/** Returns the effect of starting a campaign with this time and these quiet hours now, for a confirmation. */
export function sendText({ devices, waitingDevices, waitsUntil }, { at, quietHours }) {
  const now = `${devices === waitingDevices ? "No device gets" : count(devices - waitingDevices, "device gets", "devices get")} the campaign now.`;
  if (!waitingDevices) return now;
  const reason = quietHours ? `quiet hours${at ? " or the time zone" : ""}` : "the time zone";
  const first = waitingDevices === 1 ? "at" : "the first at";
  return [now, `${count(waitingDevices, "device gets", "devices get")} it later because of ${reason}, ${first} ${dateTime(waitsUntil)}.`];
}

/** Formats seconds as a readable duration. */
export function duration(seconds) {
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Returns the English name of a language, such as "Japanese"; the tag itself if the language has no name. */
export function languageName(tag) {
  try { return new Intl.DisplayNames(["en"], { type: "language" }).of(tag) ?? tag; } catch { return tag; }
}

/** Returns a language with its tag, such as "Japanese (ja)"; the tag itself if the language has no name. */
export function languageLabel(tag) {
  const name = languageName(tag);
  return name === tag ? tag : `${name} (${tag})`;
}

/**
 * Returns the service's message about a changed campaign as a sentence for a user who had opened the campaign under this
 * name.
 */
export function changeText(message, name) {
  const [, parts] = message.match(/^the (.+) of campaign \S+ (?:has|have) changed since it was read$/) ?? [];
  return parts ? `Somebody changed the ${parts} of “${name}” after you opened it.` : sentences(message);
}

/** Returns the warnings of a preview; warnings about missing languages contain the languages' names. */
export function warnings(preview) {
  const missing = preview.languages.filter((one) => one.fallback)
    .map((one) => `No ${languageName(one.language)} text: ${count(one.devices, "device", "devices")} will get ${languageName(one.shows)}.`);
  // The service writes these warnings for the command line, with language tags.
  return [...missing, ...preview.warnings.filter((text) => !/^no \S+ text: /.test(text))];
}

/** The key of an image in the payload, for the app's notification service extension. */
export const imageKey = "image-url";

/** Returns whether a campaign's document contains an image. */
export function hasImage({ payload }) { return typeof payload?.[imageKey] === "string"; }

/** Returns a line with the address of a document's image, which a banner does not show; null without an image. */
export function imageAddress(document) {
  return hasImage(document) ? h("p", { class: "hint" }, "Image: ", h("code", {}, document.payload[imageKey])) : null;
}

/** Returns a banner as a device shows it. */
export function banner(app, texts, { lang, label, image } = {}) {
  const { title, subtitle, body } = texts;
  const shown = [title ? h("strong", { class: "line", dir: "auto" }, title) : null,
    ...[subtitle, body].filter(Boolean).map((text) => h("span", { class: "line", dir: "auto" }, text))];
  return h("article", { class: "banner still", lang: lang ?? false, dir: "auto", "aria-label": label ?? "Banner" },
    h("p", { class: "from" }, app || "Your app"),
    shown.some(Boolean) ? shown : h("span", { class: "hint" }, "No visible text"),
    image ? h("p", { class: "attached" }, "Image attached") : null);
}

/** Shows each language of a preview as a device would. */
export function previews(preview, app, image = false) {
  return h("ul", { class: "previews", "aria-label": "Preview" }, preview.languages.map((one) => {
    const alert = typeof one.alert === "string" ? { body: one.alert } : one.alert ?? {};
    const texts = Object.fromEntries(["title", "subtitle", "body"].map((key) => [key, alert[key] ?? keyed(alert, key)]));
    const name = one.language ? languageLabel(one.language) : "no language";
    const isSame = one.shows === null || (one.shows === one.language && !one.fallback);
    const where = isSame ? "" : `, shown in ${languageName(one.shows)}${one.fallback ? " (fallback)" : ""}`;
    return h("li", {},
      h("p", { class: "hint" }, h("strong", {}, name), `: ${one.devices.toLocaleString()} ${one.devices === 1 ? "device" : "devices"}${where}`),
      one.alert === null
        ? h("p", { class: "error" }, "Not sent: the campaign has no text in this language.")
        : banner(app, texts, { lang: one.shows, image, label: one.language ? `On a device set to ${name}` : "On a device without a language" }));
  }));
}

/** Returns a text that the device itself looks up. */
function keyed(alert, key) {
  const name = { title: "title-loc-key", subtitle: "subtitle-loc-key", body: "loc-key" }[key];
  return alert[name] ? `“${alert[name]}” from the app's strings file` : null;
}

/** Returns a text with the campaign's values in place of its placeholders. */
export function filled(text, values) {
  let next = 0;
  return text.replace(/%(?:(\d+)\$)?([@du%])/g, (placeholder, place, kind) => {
    if (kind === "%") return values.length ? "%" : placeholder;
    return values[place ? place - 1 : next++] ?? placeholder;
  });
}

/** Returns the plural form of a text that the first number among the values selects, with these values filled in. */
function resolved(text, language, values) {
  if (typeof text !== "object") return filled(text, values);
  let form = "other";
  try {
    form = new Intl.PluralRules(language ?? "en").select(values.find((one) => typeof one === "number"));
  } catch { /* The browser doesn't know the language. */ }
  return filled(text[form] ?? text.other ?? "", values);
}

/** Shows the texts of a campaign's document as devices show them, one per language of the campaign. */
export function contents({ alert, arguments: values = [], payload }, app, image) {
  const keys = ["title", "subtitle", "body"];
  const own = alert ?? payload?.aps?.alert ?? {};
  const isSingle = typeof own === "string" || Object.keys(own).length === 0 || [...keys, "title-loc-key", "subtitle-loc-key", "loc-key"].some((key) => key in own);
  return h("ul", { class: "previews", "aria-label": "Text" }, (isSingle ? [[null, own]] : Object.entries(own)).map(([language, texts]) => {
    const parts = typeof texts === "string" ? { body: texts } : texts;
    const shown = Object.fromEntries(keys.map((key) => [key, parts[key] ? resolved(parts[key], language, alert ? values : []) : keyed(parts, key)]));
    const name = language ? languageLabel(language) : "same text for all";
    return h("li", {}, h("p", { class: "hint" }, h("strong", {}, name)), banner(app, shown, { lang: language, image, label: name }));
  }));
}
