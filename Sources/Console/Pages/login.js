import { call, session } from "/console/api.js";
import { Field, h, put } from "/console/elements.js";

/** Asks for the admin token. The address may contain it after #token=, which never leaves the browser. */
export function showLogin(main, onSignedIn, reason) {
  document.title = "Sign in – Belfry";
  const token = new Field("Admin token",
    h("input", { type: "password", autocomplete: "current-password", required: true, spellcheck: "false" }),
    { hint: `Find it in the admin-token file in the ${session.service}'s data directory. You stay signed in for 12 hours.` });
  const button = h("button", { type: "submit" }, "Sign in");

  async function signIn(event) {
    event?.preventDefault();
    token.fail();
    button.disabled = true;
    try {
      await call("POST", "/console/session", { token: token.value.trim() });
      onSignedIn();
    } catch (refusal) {
      token.fail(refusal.message);
      token.control.focus();
    }
    button.disabled = false;
  }

  put(main,
    h("form", { class: "card narrow", onsubmit: signIn },
      h("h1", {}, "Sign in"),
      reason ? h("p", { role: "status" }, reason) : null,
      token.element, button));
  const given = location.hash.match(/^#token=(.+)$/);
  if (given) {
    history.replaceState(null, "", location.pathname);
    token.value = decodeURIComponent(given[1]);
    signIn();
  } else {
    token.control.focus();
  }
}
