import { call, session } from "/console/api.js";
import { closeAll, confirm } from "/console/dialog.js";
import { h, put } from "/console/elements.js";
import { showLogin } from "/console/login.js";
import { bind, helpButton, listen } from "/console/shortcuts.js";
import { themeSwitch } from "/console/theme.js";

const main = document.getElementById("main");
const navigation = document.getElementById("navigation");
const signOut = document.getElementById("sign-out");
let screens = {};
let end = () => {};
let isSignedIn = false;

// Make the browser ask before the user leaves a page that has the only copy of a private key.
addEventListener("beforeunload", (event) => {
  if (session.unsaved.length) event.preventDefault();
});

/** Asks before an unsaved private key is lost; resolves to true if every key is saved. */
async function mayForgetKeys() {
  const serials = session.unsaved.map((made) => made.serial);
  return !serials.length || confirm({
    title: "Sign out without the private key?", action: "Sign out",
    text: [`You haven't saved the private key of certificate ${serials.join(", ")}, and the gateway doesn't keep a copy. `
      + "Save it under Manage, Certificates, or revoke the certificate."],
  });
}

/** Ends the current screen, with its streams, shortcuts, and dialogs. */
function leave() {
  end();
  end = () => {};
  bind([]);
  closeAll();
}

/** Returns whether the address contains a secret that signs in. */
function hasSecret() { return /^#(link|token)=/.test(location.hash); }

/** Returns the screen's name and the parameters of an address such as #/log?of=…. */
function place() {
  const [name, query] = location.hash.replace(/^#\/?/, "").split("?");
  return { name, parameters: new URLSearchParams(query ?? "") };
}

/** Removes a secret from the address bar, where it must not remain if an open session makes it unnecessary. */
function forgetSecret() {
  if (hasSecret()) history.replaceState(null, "", location.pathname);
}

function show({ movesFocus = true } = {}) {
  leave();
  if (!isSignedIn) return;
  const { name, parameters } = place();
  const screen = screens[name] ?? screens[""];
  const marked = screen.section?.(parameters) ?? name;
  for (const link of navigation.querySelectorAll("a")) {
    if (link.dataset.name === marked) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  document.title = `${screen.title} – Belfry`;
  main.className = screen.isWide ? "broad" : "";
  put(main, h("h1", {}, screen.title));
  if (movesFocus) main.focus({ preventScroll: true });
  end = screen.show(main, parameters) ?? end;
}

/**
 * Shows the screen that the address specifies. The focus moves to the screen if it was in the form that the screen
 * replaces.
 */
function signedIn({ movesFocus = true } = {}) {
  isSignedIn = true;
  navigation.hidden = signOut.hidden = false;
  show({ movesFocus });
}

function signedOut(reason) {
  leave();
  isSignedIn = false;
  session.unsaved = [];
  navigation.hidden = signOut.hidden = true;
  showLogin(main, () => signedIn(), reason);
}

/** Runs a console with these screens, keyed by their names in the address; the first screen has no name. */
export async function run(all, { service }) {
  screens = all;
  session.service = service;
  put(navigation, Object.entries(screens).map(([name, screen]) =>
    h("a", { href: `#/${name}`, "data-name": name }, screen.short ?? screen.title)));
  signOut.before(themeSwitch(), helpButton());
  listen(screens);
  signOut.addEventListener("click", async () => {
    if (!await mayForgetKeys()) return;
    await call("DELETE", "/console/session").catch(() => {});
    signedOut();
  });
  session.onEnded = () => { if (isSignedIn) signedOut("Your session has ended. Sessions end after 12 hours, and when the service restarts."); };
  // If the link were followed, it would replace the address of the screen.
  document.querySelector(".skip").addEventListener("click", (event) => {
    event.preventDefault();
    main.focus();
  });

  const [state] = await call("GET", "/console/session").catch(() => [{ open: false }]);
  session.command = state.command;
  session.tokenFile = state.tokenFile;
  addEventListener("hashchange", () => {
    // A sign-in link that is opened in this tab changes only this part of the address, so the page isn't loaded again.
    if (hasSecret() && !isSignedIn) signedOut();
    else {
      forgetSecret();
      show();
    }
  });
  if (state.open) {
    forgetSecret();
    signedIn({ movesFocus: false });
  } else signedOut();
}
