import { call, list, patience } from "/console/api.js";
import { Field, dateTime, h, put, select, sentences, table } from "/console/elements.js";
import { deviceName, endpointHost, identity } from "/console/campaign-test.js";
import { confirm } from "/console/dialog.js";

export const title = "Devices";

const input = (attributes = {}) => h("input", { type: "text", spellcheck: "false", autocomplete: "off", ...attributes });

/** Returns a state of the delivery log in sentence case, such as "Delivered to device". */
const stateName = (state) => state.replace(/[ (][A-Z](?=[a-z])/g, (start) => start.toLowerCase());

/** Returns the short name of a registration in the list: the beginning of its token, or the host of its endpoint. */
const shortName = ({ deviceToken, endpoint }) => (deviceToken ? `${deviceToken.slice(0, 12)}…` : `Web Push: ${endpointHost(endpoint)}`);

/** Shows the screen that finds registered devices, shows the notifications sent to a device, and removes the device. */
export function show(main) {
  const fields = {
    user: new Field("User", input({ type: "search" }), { hint: "The exact name." }), tag: new Field("Tag", input(), { hint: "The exact tag." }),
    language: new Field("Language", input(), { hint: "fr also finds fr-CA." }),
    deviceToken: new Field("Device token", input(), { hint: "The whole token, or at least its first 8 digits." }),
    kind: new Field("Kind", select([["", "All"], ["device", "Device tokens"], ["webPush", "Web Push subscriptions"]]), { hint: "Browsers and desktop apps have subscriptions." }),
  };
  const found = h("section", { "aria-label": "Found devices", "aria-live": "polite" });
  const one = h("section", { "aria-label": "Device", "aria-live": "polite" });
  let after = 0;

  async function search(start = 0) {
    for (const field of Object.values(fields)) field.fail();
    put(one);
    const query = new URLSearchParams({ limit: 50, after: start });
    // The console shows the beginning of a token with an ellipsis, which might be pasted with it.
    fields.deviceToken.value = fields.deviceToken.value.replace(/(…|\.{3})\s*$/, "");
    for (const [name, field] of Object.entries(fields)) if (field.value.trim()) query.set(name, field.value.trim());
    const isShort = /^[0-9a-f]{1,7}$/i.test(fields.deviceToken.value.replace(/[\s<>]/g, ""));
    try {
      let { rows, next } = await list(`/tokens?${query}`, { patience: patience.search });
      // A page of results can be empty even if the search isn't complete.
      for (let turns = 0; rows.length === 0 && next && turns < 50; turns += 1) ({ rows, next } = await list(next, { patience: patience.search }));
      after = next ? Number(new URLSearchParams(next.split("?")[1]).get("after")) : 0;
      put(found, h("h2", {}, "Devices"), table("Devices", [
        ["Token", (row) => h("button", { type: "button", class: "link", "aria-label": `Show ${deviceName(row)}`, onclick: () => showDevice(row) }, h("code", {}, shortName(row)))],
        ["User", (row) => row.user ?? "–"], ["Tags", (row) => row.tags.join(", ") || "–"], ["Language", (row) => row.language ?? "–"],
        ["Time zone", (row) => row.timeZone ?? "–"], ["App", (row) => h("span", { class: "app" }, row.topic)], ["Last registered", (row) => dateTime(row.renewed)],
      ], rows, isShort ? "No registered device has this token. To search for the beginning of a token, enter at least 8 digits." : "No registered device matches."),
      after ? h("p", { class: "buttons" }, h("button", { type: "button", class: "quiet", onclick: () => search(after) }, "Next page")) : null);
    } catch (refusal) {
      const problems = refusal.errors?.filter((problem) => fields[problem.field]) ?? [];
      for (const problem of problems) {
        // The service takes an odd number of digits for a wrong token, because it does not search for so few digits.
        fields[problem.field].fail(isShort && problem.field === "deviceToken" ? "Enter the whole token, or at least its first 8 digits."
          : sentences(problem.error, problem.advice));
      }
      put(found, problems.length ? null : h("p", { class: "error" }, refusal.message));
    }
  }

  async function showDevice(row) {
    const sent = h("div", {}, h("p", { class: "hint" }, "…"));
    const isWebPush = row.kind === "webPush";
    const kind = isWebPush ? "Web Push subscription" : "Device";
    const heading = h("h2", { tabindex: "-1" }, row.user ? `${kind} of ${row.user}` : kind);
    put(one, heading,
      h("dl", { class: "facts card" }, [[isWebPush ? "Endpoint" : "Device token", h("code", {}, row.deviceToken ?? row.endpoint ?? "–")], ["App", row.topic], ["User", row.user ?? "–"],
        ["Tags", row.tags.join(", ") || "–"], ["Language", row.language ?? "–"], ["Time zone", row.timeZone ?? "–"],
        ...(isWebPush ? [] : [["Environment", row.environment ?? "not given"]]), ["First registered", dateTime(row.registered)], ["Last registered", dateTime(row.renewed)],
      ].flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)])),
      h("p", { class: "buttons" }, h("button", { type: "button", class: "danger", onclick: () => remove(row) }, "Remove…")),
      ...(isWebPush ? [] : [h("h3", {}, "Sent to this device"), sent]));
    heading.focus();
    // The delivery log identifies notifications by the device token.
    if (isWebPush) return;
    try {
      const query = new URLSearchParams({ deviceToken: row.deviceToken, topic: row.topic });
      const [answer] = await call("GET", `/sent?${query}`, undefined, { patience: patience.search });
      put(sent, answer.sent === null ? h("p", { class: "hint" }, "Not available: the push service does not provide a delivery log.")
        : table("Sent to this device", [["Campaign", (line) => h("a", { href: `#/campaigns?id=${line.id}` }, line.name)],
          ["State", (line) => stateName(line.state)], ["Time", (line) => dateTime(line.at)], ["Notification ID", (line) => h("code", {}, line.apnsID)]],
        answer.sent, "The gateway's delivery log contains no campaign notifications to this device."),
      h("p", { class: "hint" }, "Based on the gateway's delivery log, which keeps only the most recent lines, and on the app's 200 newest campaigns. Tests are not listed."));
    } catch (refusal) {
      put(sent, h("p", { class: "error" }, refusal.message));
    }
  }

  async function remove(row) {
    const name = row.user ? `of the user “${row.user}”` : row.deviceToken ? `with the token ${row.deviceToken.slice(0, 8)}…` : `at ${endpointHost(row.endpoint)}`;
    const kind = row.kind === "webPush" ? "subscription" : "device";
    const isSure = await confirm({ title: `Remove the ${kind} ${name}?`,
      text: [deviceName(row), `The ${kind} gets no campaigns until it is registered again.`], action: `Remove ${kind}` });
    if (!isSure) return;
    try {
      await call("DELETE", `/register?${new URLSearchParams({ ...identity(row), topic: row.topic })}`);
      await search();
      const done = h("p", { class: "good", tabindex: "-1" }, row.kind === "webPush" ? "Subscription removed." : "Device removed.");
      put(one, done);
      // The button that had the focus is gone.
      if (document.activeElement === document.body) done.focus();
    } catch (refusal) {
      put(one, h("p", { class: "error" }, refusal.message));
    }
  }

  main.append(h("form", { class: "grid", novalidate: true, onsubmit: (event) => { event.preventDefault(); search(); } },
    Object.values(fields).map((field) => field.element),
    h("p", { class: "wide buttons" }, h("button", { type: "submit" }, "Find devices"))), found, one);
  search();
}
