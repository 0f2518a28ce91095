import { call, follow } from "/console/api.js";
import { samples } from "/console/send.js";
import { confirm } from "/console/dialog.js";
import { Field, clockTime, copyButton, h, hourMinute, marked, put, retryButton } from "/console/elements.js";
import { beep, sentence } from "/console/phone-events.js";
import { banner, center, home, lockScreen, prompt, settings } from "/console/phone-screens.js";

export const title = "Virtual phone";
export const short = "Phone";

/**
 * The time, in milliseconds, after which a banner disappears, unless the user is interacting with it or prefers reduced
 * motion.
 */
const bannerTime = 15000;
/** The time, in milliseconds, for which a notification still counts as new on a page that is opened later. */
const newsTime = 300000;
/** Milliseconds within which a presented notification is listed; if it isn't, it was handled elsewhere. */
const settleTime = 5000;

/** A phone whose screen is on this page and whose agent runs in the gateway. */
class Phone {
  snapshot = null;
  screen = "home";
  front = null;
  banners = new Map();
  /** The notifications presented shortly before the page was opened. */
  news = [];
  hasSound = false;

  constructor(number, onGone) {
    this.number = number;
    this.onGone = onGone;
    this.stage = h("div", { class: "stage" });
    this.overlay = h("div", { class: "overlay", role: "region", "aria-label": "Banners", "aria-live": "polite" });
    this.status = h("p", { class: "statusbar" });
    this.frame = h("section", { class: "phone", "aria-label": `Phone ${number}` },
      h("h2", { class: "unseen" }, "Screen"), this.status, this.overlay, this.stage);
    this.error = h("p", { class: "error", role: "alert" });
    this.events = h("ol", { class: "happened", tabindex: "0", "aria-label": "Activity, newest first" });
    this.tabs = h("div", { class: "buttons", role: "group", "aria-label": "Screen" });
    this.link = h("p", { class: "error", role: "alert" });
    this.end = follow(`/api/phones/${number}/events`, (event) => this.receive(event), (isOpen, problem) => { this.link.textContent = isOpen ? "" : problem; });
  }

  /** Sends a command to the phone; shows an error if it fails. */
  async do(verb, fields = {}) {
    this.error.textContent = "";
    try {
      await call("POST", `/api/phones/${this.number}/do`, { do: verb, ...fields });
      return true;
    } catch (refusal) {
      this.error.textContent = refusal.message;
      return false;
    }
  }

  get isLocked() { return this.snapshot?.state[0]?.locked === "on"; }

  /**
   * The entries of the lock screen, newest first: received notifications that weren't dismissed, of apps whose
   * notifications may be shown there. The entries depend only on the phone's state, and not on the time.
   */
  get onLockScreen() {
    const { center, settings, shown } = this.snapshot;
    const visible = new Map(settings.filter((row) => row.lockScreen === "on"
      && (row.authorization === "authorized" || row.authorization === "ephemeral")).map((row) => [row.app, row]));
    const listed = center.filter((row) => visible.has(row.app)).sort((one, other) => other.date - one.date)
      .map((row) => (visible.get(row.app).previews === "always" ? row : { app: row.app, title: "Notification" }));
    // First show the notifications of apps that aren't in Notification Center, with the text that the agent allows on a
    // locked screen.
    const unlisted = shown.filter((one) => visible.has(one.app) && !this.row(one.app, one.id)).reverse();
    return [...unlisted, ...listed];
  }

  row(app, id) { return this.snapshot?.center.find((row) => row.app === app && row.id === id); }

  name(app) { return this.snapshot?.apps.find((one) => one.app === app)?.name ?? app; }

  receive(event) {
    if (event.event === "snapshot") {
      this.snapshot = event;
      for (const one of this.news) if (this.row(one.app, one.id)) this.happen(one);
      // A notification that was just presented might not be listed until the next snapshot.
      this.news = this.news.filter((one) => !this.row(one.app, one.id) && Date.now() - Date.parse(one.at) < settleTime);
      // A notification that is no longer listed was handled elsewhere.
      for (const [key, one] of this.banners) if (one.wasListed && !this.row(one.app, one.id)) this.banners.delete(key);
      this.draw();
      this.onSnapshot?.(event);
    } else if (event.event === "past") {
      put(this.events);
      for (const one of event.events) this.note(one);
      this.news = event.events.filter((one) =>
        (one.event === "presented" || one.event === "updated") && Date.now() - Date.parse(one.at) < newsTime);
    } else if (event.event) {
      this.note(event);
      this.happen(event);
    }
  }

  happen(event) {
    const key = `${event.app} ${event.id}`;
    if (event.event === "presented" || event.event === "updated") {
      if (!this.isLocked) this.addBanner(key, event);
      this.draw();
    } else if (event.event === "removed") {
      this.banners.delete(key);
      this.draw();
    } else if (event.event === "sound" && this.hasSound) {
      beep();
    }
  }

  addBanner(key, event) {
    const one = { ...event, key };
    this.banners.set(key, one);
    // Only this many banners fit on the screen; the others are in the list.
    while (this.banners.size > 3) this.banners.delete(this.banners.keys().next().value);
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const go = () => {
      const element = this.overlay.querySelector(`[data-banner="${CSS.escape(key)}"]`);
      if (element?.matches(":hover, :focus-within")) setTimeout(go, 2000);
      else if (this.banners.get(key) === one) { this.banners.delete(key); this.draw(); }
    };
    setTimeout(go, bannerTime);
  }

  note(event) {
    const text = sentence(event, (app) => this.name(app));
    if (!text) return;
    this.events.prepend(h("li", {}, event.at ? h("time", { datetime: event.at }, clockTime(event.at)) : "", " ", text));
    while (this.events.children.length > 100) this.events.lastChild.remove();
  }

  show(screen) {
    this.screen = screen;
    // A user who opens another screen has seen the banners; their notifications remain in the list.
    this.banners.clear();
    this.draw();
  }

  draw() {
    if (!this.snapshot) return;
    const { linked, prompts, state } = this.snapshot;
    put(this.status, h("span", {}, hourMinute(new Date())),
      h("span", {}, state[0]?.focus === "on" ? "Focus " : "", linked ? "connected" : "not connected"));
    const screens = { home: "Home", center: "Notification Center", settings: "Settings" };
    keepFocus(this.tabs, () => [
      ...Object.entries(screens).map(([name, text]) => h("button", { type: "button", class: "quiet", "data-key": name,
        "aria-pressed": String(!this.isLocked && this.screen === name), disabled: this.isLocked,
        onclick: () => this.show(name) }, text)),
      h("button", { type: "button", class: "quiet", "data-key": "lock", onclick: () =>
        this.do("state", { name: "locked", value: this.isLocked ? "off" : "on" }) }, this.isLocked ? "Unlock" : "Lock"),
      h("button", { type: "button", class: "quiet", "data-key": "focus", "aria-pressed": String(state[0]?.focus === "on"), onclick: () =>
        this.do("state", { name: "focus", value: state[0]?.focus === "on" ? "off" : "on" }) }, "Focus"),
    ]);
    keepFocus(this.overlay, () => this.isLocked ? [] : [...this.banners.values()].map((one) => {
      const row = this.row(one.app, one.id);
      if (row) one.wasListed = true;
      return banner(this, one, row);
    }));
    keepFocus(this.stage, () => {
      if (this.isLocked) return [lockScreen(this)];
      if (prompts.length) return [prompt(this, prompts[0])];
      return [{ home, center, settings }[this.screen](this)];
    });
  }
}

/** Redraws the content of an element, unless the user is typing in it, and preserves the focus. */
function keepFocus(element, build) {
  const active = document.activeElement;
  const isInside = element.contains(active);
  if (isInside && active.matches("input[type=text]")) return;
  const key = isInside ? active.dataset.key : null;
  put(element, build());
  if (key) element.querySelector(`[data-key="${CSS.escape(key)}"]`)?.focus();
}

export function show(main) {
  const place = h("div", {});
  const error = h("p", { class: "error", role: "alert" });
  let phone = null;
  main.append(error, place);
  put(place, h("p", { class: "hint" }, "Loading…"));

  async function choose() {
    error.textContent = "";
    try {
      const [[status], list] = await Promise.all([call("GET", "/api/status"), call("GET", "/api/phones")]);
      const on = list.find((one) => one.on);
      if (on) open(on.phone);
      else if (status.environment === "production") put(place, h("p", {}, marked("Virtual phones require a sandbox gateway. Use a sandbox gateway, or 'belfry device run'.")));
      else put(place, h("div", { class: "card narrow" },
        h("p", {}, "A virtual phone connected to this gateway. Install an app, send it a push and see what the user would see."),
        ...list.map((one) => h("button", { type: "button", onclick: () => turnOn(one.phone) }, `Turn on phone ${one.phone}`)),
        list.length < 4 ? h("button", { type: "button", class: list.length ? "quiet" : "", onclick: () => turnOn() }, "Add a phone") : null));
    } catch (refusal) {
      error.textContent = refusal.message;
      put(place, refusal.status === 0 ? retryButton(choose) : null);
    }
  }

  async function turnOn(number) {
    error.textContent = "";
    try {
      const [made] = await call("POST", number ? `/api/phones/${number}` : "/api/phones");
      open(made.phone);
    } catch (refusal) {
      error.textContent = refusal.message;
    }
  }

  function open(number) {
    phone?.end();
    phone = new Phone(number);
    const app = new Field("Bundle identifier", h("input", { type: "text", value: "com.example.burger", spellcheck: "false", autocomplete: "off" }));
    const quiet = h("input", { type: "checkbox" });
    const sound = h("input", { type: "checkbox", onchange: () => { phone.hasSound = sound.checked; } });
    const apps = h("div", {});
    let shown = "";
    phone.onSnapshot = ({ tokens }) => {
      if (shown === JSON.stringify(tokens)) return;
      shown = JSON.stringify(tokens);
      drawApps(tokens);
    };
    const drawApps = (tokens) => put(apps, Object.entries(tokens).map(([id, token]) => h("div", { class: "token" },
      h("strong", {}, id), h("code", {}, token),
      h("p", { class: "buttons" },
        h("a", { href: `#/send?token=${token}&topic=${id}` }, `Compose a push to ${id}`),
        Object.entries(samples).map(([name, sample]) => h("button", { type: "button", class: "quiet",
          "aria-label": `Push to ${id}: ${name}`, onclick: () => push(token, id, name, sample) }, name)),
        copyButton(token, "Copy token"),
        h("button", { type: "button", class: "quiet danger", "aria-label": `Remove ${id}`, onclick: () => removeApp(id) }, "Remove")))));
    put(place, h("div", { class: "desk" },
      h("div", {}, phone.frame, phone.tabs, phone.error, phone.link),
      h("div", {},
        h("h2", {}, "Apps"), apps,
        h("form", { class: "card install", onsubmit: async (event) => {
          event.preventDefault();
          app.fail();
          try {
            await call("POST", `/api/phones/${number}/do`, { do: "install", app: app.value.trim(), quiet: quiet.checked });
          } catch (refusal) { app.fail(refusal.message); }
        } }, app.element,
          h("label", { class: "inline" }, quiet, " Deliver quietly (provisional authorization)"),
          h("button", { type: "submit" }, "Install"),
          h("p", { class: "hint" }, "Every app has the categories MESSAGE (Reply with text, Like, Delete) and INVITATION (Accept, Decline).")),
        h("h2", {}, "Activity"), h("label", { class: "inline" }, sound, " Play sounds"), phone.events,
        h("p", { class: "buttons" },
          h("button", { type: "button", class: "quiet", onclick: () => leave("POST", "/off") }, "Turn off"),
          h("button", { type: "button", class: "quiet danger", onclick: deletePhone }, "Delete phone")),
        h("p", { class: "hint" }, "While the phone is off, the gateway queues its notifications."))));

    async function push(token, topic, name, sample) {
      try {
        const type = name === "Background" ? "background" : "alert";
        const [answer] = await call("POST", "/api/push", { token, topic, type, payload: JSON.stringify(sample) });
        phone.error.textContent = answer.status === 200 ? "" : `${answer.reason}: ${answer.when}`;
      } catch (refusal) { phone.error.textContent = refusal.message; }
    }

    async function removeApp(id) {
      const isSure = await confirm({ title: `Remove ${id} from phone ${number}?`, action: "Remove",
        text: ["Its device token becomes invalid, and its notifications are removed.", "If you install the app again, it gets a new token."] });
      if (isSure) phone.do("remove", { app: id });
    }

    async function deletePhone() {
      const isSure = await confirm({ title: `Delete phone ${number}?`, action: "Delete phone",
        text: ["Its apps, their tokens and its notifications are deleted. To keep them, turn the phone off instead.", "This can't be undone."] });
      if (isSure) leave("DELETE", "");
    }

    async function leave(method, path) {
      try {
        await call(method, `/api/phones/${number}${path}`);
        phone.end();
        phone = null;
        choose();
      } catch (refusal) { error.textContent = refusal.message; }
    }
  }

  choose();
  return () => phone?.end();
}
