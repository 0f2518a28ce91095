import { call } from "/console/api.js";
import { Field, h, put, select } from "/console/elements.js";
import { show } from "/console/dialog.js";

/** Returns the host of a Web Push subscription's endpoint. */
export function endpointHost(endpoint) {
  try { return new URL(endpoint).host; } catch { return "unknown host"; }
}

/** Returns the parameters by which the service identifies a device token or a Web Push subscription. */
export function identity({ deviceToken, endpoint }) { return deviceToken ? { deviceToken } : { endpoint: endpoint ?? "" }; }

/** Returns a registered device in one line: its user, and the beginning of its token or the host of its endpoint. */
export function deviceName({ user, tags, language, deviceToken, endpoint }) {
  const address = deviceToken ? `token ${deviceToken.slice(0, 8)}…` : `Web Push at ${endpointHost(endpoint)}`;
  return [user, tags.join(", "), language, address].filter(Boolean).join(" · ");
}

/** Shows a dialog that sends a campaign's content to one registered device. */
export async function sendTest(campaign) {
  const result = h("p", { role: "status" });
  const device = new Field("Device", select([]), { hint: "Lists up to 100 of the app's registered devices." });
  const user = new Field("Find by user", h("input", { type: "text", spellcheck: "false", autocomplete: "off" }), { hint: "The exact name. Leave empty for all users." });
  const send = h("button", { type: "submit" }, "Send test");
  const dialog = show({
    title: `Send a test of “${campaign.name}”`,
    text: [h("p", { class: "hint" }, "The device gets the campaign's content now, in the device's language. The campaign does not change.")],
    content: h("form", { class: "stack", onsubmit: submit }, user.element, device.element, result,
      h("p", { class: "buttons" }, h("button", { type: "button", class: "quiet", onclick: () => dialog.close() }, "Close"), send)),
  });

  let loads = 0;
  let timer = null;
  let isSending = false;
  /** True if the list matches the text; otherwise, the selected device might be another user's. */
  let isListed = false;
  const arrange = () => { send.disabled = isSending || !isListed || !device.value; };
  arrange();

  async function load() {
    const number = ++loads;
    try {
      const query = new URLSearchParams({ topic: campaign.topic, limit: 100 });
      if (user.value.trim()) query.set("user", user.value.trim());
      const found = await call("GET", `/tokens?${query}`);
      // The user has continued typing in the meantime.
      if (number !== loads) return;
      // The first of several devices might be a customer's, so the user chooses the device.
      put(device.control, found.length > 1 ? h("option", { value: "" }, "Choose a device") : null,
        found.map((one) => h("option", { value: JSON.stringify(identity(one)) }, deviceName(one))));
      isListed = found.length > 0;
      device.fail(...(found.length ? [] : ["No registered device matches."]));
    } catch (refusal) {
      if (number === loads) device.fail(refusal.message);
    }
    arrange();
  }

  async function submit(event) {
    event.preventDefault();
    if (send.disabled) return;
    const hadFocus = document.activeElement === send;
    isSending = true;
    arrange();
    const recipient = device.control.selectedOptions[0]?.textContent ?? "";
    result.className = "";
    result.textContent = "Sending…";
    try {
      const [answer] = await call("POST", `/campaigns/${campaign.id}/test`, JSON.parse(device.value));
      const isAccepted = answer.status >= 200 && answer.status < 300;
      result.className = isAccepted ? "good" : "bad";
      result.textContent = isAccepted ? `Accepted by the push service for ${recipient}.` : `Refused for ${recipient}: ${answer.reason}. Help (?) links to an explanation of each reason.`;
    } catch (refusal) {
      result.className = "bad";
      result.textContent = refusal.message;
    }
    isSending = false;
    arrange();
    // The disabled button has lost the focus.
    if (hadFocus && document.activeElement === document.body) send.focus();
  }

  device.control.addEventListener("change", arrange);
  user.control.addEventListener("input", () => {
    isListed = false;
    // The result was about another device.
    if (!isSending) result.textContent = "";
    arrange();
    loads += 1;
    clearTimeout(timer);
    timer = setTimeout(load, 300);
  });
  await load();
  device.control.focus();
}
