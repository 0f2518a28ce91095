import { call } from "/console/api.js";
import { Field, copyButton, dateTime, h, put, select } from "/console/elements.js";

export const title = "Token tools";
export const short = "Tools";

const area = () => h("textarea", { rows: 3, spellcheck: "false", class: "code", autocomplete: "off" });
const line = () => h("input", { type: "text", spellcheck: "false", autocomplete: "off" });

/** Returns names with their values; names without a value are omitted. */
function facts(pairs) {
  return h("dl", { class: "facts" }, pairs.filter(([, value]) => value !== undefined && value !== "")
    .map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]).flat());
}

function tool(name, fields, action, run) {
  const answer = h("div", { "aria-live": "polite" });
  return h("section", { "aria-label": name }, h("h2", {}, name),
    h("form", { class: "card install", novalidate: true, onsubmit: async (event) => {
      event.preventDefault();
      for (const field of Object.values(fields)) field.fail();
      try { put(answer, await run()); } catch (refusal) {
        const [first] = Object.values(fields);
        if (refusal.status === 400) first.fail(refusal.message);
        else put(answer, h("p", { class: "error" }, refusal.message));
      }
    } }, Object.values(fields).map((field) => field.element), h("button", { type: "submit" }, action), answer));
}

function verdict(isGood, text) { return h("p", { class: isGood ? "check good" : "check bad" }, text); }

export function show(main) {
  const device = { token: new Field("Device token", area()), topic: new Field("Topic", line(), { hint: "Leave empty to use the token's own topic." }) };
  const provider = { token: new Field("Provider token (JWT)", area()), topic: new Field("Topic", line(), { hint: "Leave empty to skip the topic check." }) };
  const key = { key: new Field("Key", select([["", "First valid key"]])) };
  const given = (field) => field.value.trim() || undefined;

  main.append(
    tool("Check a device token", device, "Check", async () => {
      if (!given(device.token)) { device.token.fail("Enter a device token."); return []; }
      const [found] = await call("POST", "/api/token-check", { token: device.token.value.trim(), topic: given(device.topic) });
      return [
        verdict(found.ok, found.ok ? (found.disabled ? "Valid, but the user has turned off notifications for this app." : "Valid")
          : found.faults.map((fault) => `${fault.reason}: ${fault.when}${fault.since ? `, since ${dateTime(fault.since)}` : ""}.`).join(" ")),
        facts([["Topic", found.topic], ["Team", found.team], ["Type", found.kind], ["Device", found.device], ["Name", found.deviceName], ["Environment", found.environment]]),
        found.ok ? h("p", {}, h("a", { href: `#/send?token=${device.token.value.trim()}&topic=${found.topic}` }, "Send a push to this device")) : null,
      ];
    }),
    tool("Check a provider token", provider, "Check", async () => {
      if (!given(provider.token)) { provider.token.fail("Enter a provider token, with or without “bearer”."); return []; }
      const [found] = await call("POST", "/api/provider-token-check", { token: provider.token.value.trim(), topic: given(provider.topic) });
      return [
        verdict(found.ok, found.ok ? found.detail : `${found.reason}: ${found.detail}`),
        facts([["Key (kid)", found.key], ["Team (iss)", found.team], ["Algorithm", found.algorithm], ["Issued (iat)", dateTime(found.issuedAt)], ["Valid until", dateTime(found.expiresAt)]]),
      ];
    }),
    tool("Generate a provider token", key, "Generate", async () => {
      const [made] = await call("POST", "/api/tokens", key.key.value ? { key: key.key.value } : {});
      return [h("p", {}, `Signed with ${made.key}. Valid for one hour.`), h("pre", { tabindex: "0", "aria-label": "Provider token" }, made.token), copyButton(made.token)];
    }));
  call("GET", "/api/keys").then((keys) => {
    for (const one of keys.filter((one) => !one.revokedAt)) key.key.control.append(h("option", { value: one.id }, `${one.id}, team ${one.team}`));
  }).catch(() => {});
}
