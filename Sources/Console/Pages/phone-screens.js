import { h, hourMinute } from "/console/elements.js";

/** Returns an app's permission prompt. */
export function prompt(phone, app) {
  const answer = (allow) => phone.do("answer", { app, allow });
  return h("div", { class: "prompt", role: "alertdialog", "aria-label": "Permission" },
    h("h3", {}, `“${phone.name(app)}” Would Like to Send You Notifications`),
    h("p", {}, "Notifications may include alerts, sounds, and icon badges."),
    h("div", { class: "buttons" },
      h("button", { type: "button", class: "quiet", "data-key": "deny", onclick: () => answer(false) }, "Don’t Allow"),
      h("button", { type: "button", "data-key": "allow", onclick: () => answer(true) }, "Allow")));
}

/** Returns the buttons of a notification; a button with a text field opens that field. */
function actions(phone, { app, id, actions }, after) {
  return actions.map((action) => {
    const press = () => {
      if (action.placeholder === undefined) { after?.(); phone.do("act", { app, id, action: action.id }); return; }
      const input = h("input", { type: "text", "aria-label": action.title, placeholder: action.placeholder, autocomplete: "off" });
      const form = h("form", { class: "reply", onsubmit: async (event) => {
        event.preventDefault();
        const text = input.value;
        input.blur();
        after?.();
        await phone.do("act", { app, id, action: action.id, text });
        phone.draw();
      } }, input, h("button", { type: "submit" }, "Send"));
      button.replaceWith(form);
      input.focus();
    };
    const button = h("button", { type: "button", class: action.destructive ? "quiet danger" : "quiet",
      "data-key": `${app} ${id} ${action.id}`, onclick: press }, action.title);
    return button;
  });
}

function texts(one) {
  return [one.title ? h("strong", {}, one.title) : null, one.subtitle ? h("span", {}, one.subtitle) : null,
    one.body ? h("span", {}, one.body) : null];
}

/** Returns a banner at the top of the screen; `row` is its entry in Notification Center. */
export function banner(phone, one, row) {
  const go = () => { phone.banners.delete(one.key); phone.draw(); };
  const { app, id } = one;
  return h("article", { class: "banner", "data-banner": one.key, "aria-label": `Notification from ${phone.name(app)}` },
    h("p", { class: "from" }, phone.name(app), one.sound ? h("span", { title: "With sound" }, " ♪") : null),
    h("button", { type: "button", class: "texts", "data-key": `open ${one.key}`, onclick: () => { go(); phone.do("open", { app, id }); } }, texts(one)),
    h("div", { class: "buttons" },
      row ? actions(phone, row, go) : [],
      h("button", { type: "button", class: "quiet", "data-key": `dismiss ${one.key}`, onclick: () => { go(); phone.do("dismiss", { app, id }); } }, "Dismiss")));
}

/** Returns one of six colors for an app, so that apps with the same initial differ. */
function hue(app) { return [...app].reduce((sum, letter) => (sum * 31 + letter.codePointAt(0)) % 1000003, 7) % 6; }

/** Returns the apps with their badges, or the app in the foreground. */
export function home(phone) {
  if (phone.front && phone.snapshot.apps.some((one) => one.app === phone.front)) {
    return h("div", { class: "front" }, h("h3", {}, phone.name(phone.front)),
      h("p", {}, "The app is in the foreground, so it decides whether to show its own notifications."),
      h("button", { type: "button", "data-key": "home", onclick: () => { phone.front = null; phone.do("front"); phone.draw(); } }, "Home"));
  }
  const { apps } = phone.snapshot;
  if (apps.length === 0) return h("p", { class: "empty" }, "No apps yet. Install one.");
  return h("ul", { class: "icons" }, apps.map((one) => h("li", {},
    h("button", { type: "button", class: "icon", "data-key": one.app,
      "aria-label": one.badge ? `Open ${one.name}, badge ${one.badge}` : `Open ${one.name}`,
      onclick: () => { phone.front = one.app; phone.do("front", { app: one.app }); phone.draw(); } },
    h("span", { class: `letter hue-${hue(one.app)}`, "aria-hidden": "true" }, one.name.split(".").at(-1).charAt(0).toUpperCase()),
    one.badge ? h("span", { class: "count", "aria-hidden": "true" }, String(one.badge)) : null,
    h("span", { class: "name", "aria-hidden": "true" }, one.name.split(".").at(-1))))));
}

/** Returns the received notifications that weren't dismissed, with the texts that may be shown. */
export function lockScreen(phone) {
  return h("div", { class: "lock" },
    h("p", { class: "clock" }, hourMinute(new Date())),
    h("p", {}, new Date().toLocaleDateString([], { weekday: "long", day: "numeric", month: "long" })),
    phone.onLockScreen.map((one) => h("article", { class: "banner", "aria-label": `Notification from ${phone.name(one.app)}` },
      h("p", { class: "from" }, phone.name(one.app)), h("p", { class: "texts" }, texts(one)))));
}

/** Returns the delivered notifications, by app and by thread within an app, newest first. */
export function center(phone) {
  const rows = [...phone.snapshot.center].sort((one, other) => other.date - one.date);
  if (rows.length === 0) return h("p", { class: "empty" }, "No notifications.");
  const groups = Map.groupBy(rows, (row) => row.app);
  return h("div", { class: "center" }, [...groups].map(([app, all]) => h("section", { "aria-label": all[0].name },
    h("div", { class: "grouphead" }, h("h3", {}, all[0].name),
      h("button", { type: "button", class: "quiet", "data-key": `clear ${app}`, "aria-label": `Clear ${all[0].name}`,
        onclick: () => phone.do("dismiss", { app }) }, "Clear")),
    all[0].authorization === "provisional" ? h("div", { class: "buttons" },
      h("button", { type: "button", "data-key": `keep ${app}`, onclick: () => phone.do("answer", { app, allow: true }) }, "Keep"),
      h("button", { type: "button", class: "quiet", "data-key": `off ${app}`, onclick: () => phone.do("answer", { app, allow: false }) }, "Turn Off")) : null,
    [...Map.groupBy(all, (row) => row.thread)].map(([thread, some]) => h("div", { class: thread ? "thread" : "" },
      thread ? h("p", { class: "hint" }, `${thread}, ${some.length}`) : null,
      some.map((row) => h("article", { class: "banner", "aria-label": row.title || row.body || row.id },
        h("button", { type: "button", class: "texts", "data-key": `open ${app} ${row.id}`, onclick: () => phone.do("open", { app, id: row.id }) }, texts(row)),
        h("div", { class: "buttons" }, actions(phone, row),
          h("button", { type: "button", class: "quiet", "data-key": `dismiss ${app} ${row.id}`, onclick: () => phone.do("dismiss", { app, id: row.id }) }, "Dismiss")))))))));
}

const words = { alert: "Alerts", sound: "Sounds", badge: "Badges", center: "Notification Center", lockScreen: "Lock screen",
  timeSensitive: "Time-sensitive", criticalAlert: "Critical alerts" };
const choices = { style: ["Style", ["none", "banner", "alert"]], previews: ["Previews", ["always", "whenAuthenticated", "never"]] };

/** Returns the user's switches for each app. */
export function settings(phone) {
  const rows = phone.snapshot.settings;
  if (rows.length === 0) return h("p", { class: "empty" }, "No apps yet.");
  return h("div", { class: "settings" }, rows.map((row) => {
    const change = (name, value) => phone.do("settings", { app: row.app, name, value });
    const toggle = (name, text, isOn) => h("label", { class: "inline" },
      h("input", { type: "checkbox", role: "switch", checked: isOn, "data-key": `${row.app} ${name}`,
        onchange: (event) => change(name, event.target.checked ? "on" : "off") }), ` ${text}`);
    return h("fieldset", {}, h("legend", {}, row.name),
      toggle("notifications", "Allow notifications", row.authorization === "authorized" || row.authorization === "provisional"),
      Object.entries(words).filter(([name]) => row[name]).map(([name, text]) => toggle(name, text, row[name] === "on")),
      Object.entries(choices).map(([name, [text, values]]) => h("label", { class: "inline" }, `${text} `,
        h("select", { "data-key": `${row.app} ${name}`, onchange: (event) => change(name, event.target.value) },
          values.map((value) => h("option", { value, selected: row[name] === value }, value))))));
  }));
}
