import { call, session } from "/console/api.js";
import { Field, copyButton, h, put } from "/console/elements.js";

/**
 * Prompts for the admin token. The address can contain the token after #token=, or the secret of a link after #link=;
 * the browser never sends this part of an address to a server.
 */
export function showLogin(main, onSignedIn, reason) {
  document.title = "Sign in – Belfry";
  const { command, service, tokenFile } = session;
  const token = new Field("Admin token",
    h("input", { type: "password", autocomplete: "current-password", required: true, spellcheck: "false" }),
    { hint: [tokenFile ? ["Find it in ", h("code", {}, tokenFile), "."] : `Find it in the file admin-token in the ${service}'s data folder, which is ~/.local/state/belfry/${service} by default.`,
      " You stay signed in for up to 12 hours."].flat() });
  const button = h("button", { type: "submit" }, "Sign in");

  async function begin(body) {
    token.fail();
    button.disabled = true;
    try {
      await call("POST", "/console/session", body);
      onSignedIn();
    } catch (refusal) {
      token.fail(refusal.message);
      token.control.focus();
    }
    button.disabled = false;
  }

  function signIn(event) {
    event.preventDefault();
    begin({ token: token.value.trim() });
  }

  put(main,
    h("form", { class: "card narrow", onsubmit: signIn },
      h("h1", {}, "Sign in"),
      reason ? h("p", { role: "status" }, reason) : null,
      command ? h("div", { class: "field" },
        h("p", {}, "On the gateway's machine, run this command and open the URL that it prints:"),
        h("pre", { tabindex: "0", "aria-label": "Command" }, command), copyButton(command, "Copy command"),
        h("p", {}, "Or enter the admin token.")) : null,
      token.element, button));
  const [, kind, secret] = location.hash.match(/^#(token|link)=(.+)$/) ?? [];
  if (!kind) {
    token.control.focus();
    return;
  }
  history.replaceState(null, "", location.pathname);
  let text = secret;
  try { text = decodeURIComponent(secret); } catch { /* It isn't encoded. */ }
  if (kind === "token") token.value = text;
  begin({ [kind]: text });
}
