import { count, h } from "/console/elements.js";

/** The link to a campaign's own screen. */
export function link(campaign) {
  return h("a", { href: `#/campaigns?id=${campaign.id}` }, h("code", {}, campaign.id));
}

/** The label of a campaign's state. */
export function stateText({ state, problem }) {
  if (state === "paused") return "paused";
  if (state === "running" && problem) return "waiting";
  return state;
}

export function stateBadge(campaign) {
  const { state, failed, unknown, problem } = campaign;
  const kind = state === "finished" ? (failed + unknown ? "fair" : "good") : state === "paused" || problem ? "bad" : "plain";
  return h("span", { class: `badge ${kind}` }, stateText(campaign));
}

/** The results for a campaign's devices so far, in one line. */
export function outcome({ accepted, dead, failed, unknown, devices, sent }) {
  const parts = [`${accepted.toLocaleString()} accepted`];
  if (dead) parts.push(`${count(dead, "expired token", "expired tokens")} removed`);
  for (const [number, word] of [[failed, "failed"], [unknown, "unknown"]]) {
    if (number) parts.push(`${number.toLocaleString()} ${word}`);
  }
  const left = devices - sent - unknown;
  if (left > 0) parts.push(`${left.toLocaleString()} left`);
  return parts.join(", ");
}

/** Formats seconds as a readable duration. */
export function duration(seconds) {
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Shows each language of a preview as a device would. */
export function previews(preview, app) {
  return h("ul", { class: "previews", "aria-label": "Preview" }, preview.languages.map((one) => {
    const alert = typeof one.alert === "string" ? { body: one.alert } : one.alert ?? {};
    const texts = ["title", "subtitle", "body"].map((key) => alert[key] ?? keyed(alert, key)).filter(Boolean);
    const name = one.language ?? "unknown language";
    const where = one.shows === null ? "" : one.fallback ? `, shown in ${one.shows} (fallback)` : one.shows !== one.language ? `, shown in ${one.shows}` : "";
    return h("li", {},
      h("p", { class: "hint" }, h("strong", {}, name), `: ${one.devices.toLocaleString()} ${one.devices === 1 ? "device" : "devices"}${where}`),
      one.alert === null
        ? h("p", { class: "error" }, "Not sent: the campaign has no text in this language.")
        : h("article", { class: "banner still", lang: one.shows ?? false, dir: "auto", "aria-label": `On a device set to ${name}` },
          h("p", { class: "from" }, app),
          texts.length ? texts.map((text, index) => h(index === 0 && alert.title ? "strong" : "span", { class: "line", dir: "auto" }, text))
            : h("span", { class: "hint" }, "No visible text")));
  }));
}

/** A text that the device looks up itself. */
function keyed(alert, key) {
  const name = { title: "title-loc-key", subtitle: "subtitle-loc-key", body: "loc-key" }[key];
  return alert[name] ? `“${alert[name]}” from the app's strings file` : null;
}
