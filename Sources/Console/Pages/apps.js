import { call, session } from "/console/api.js";
import { Field, dateTime, h, marked, put, saveFile, select } from "/console/elements.js";
import { Section } from "/console/section.js";

export const title = "Manage";

const input = (attributes = {}) => h("input", { type: "text", spellcheck: "false", autocomplete: "off", ...attributes });
const environments = [["both", "both environments"], ["sandbox", "sandbox"], ["production", "production"]];
const whole = (object) => Object.fromEntries(Object.entries(object).filter(([, value]) => value !== "" && value !== undefined));

/** The largest queue limit per token; `all` is stored as the next number. */
const keepMost = 4294967294;

/** Returns the topics of a new key that no team has. */
const unknown = (key) => (key.unknownTopics ?? []).filter((topic) => !(topic in (key.topicTeams ?? {})));

/** The parts of this screen; each has its own address. */
const parts = [["apps", "Apps"], ["teams", "Teams"], ["keys", "Keys"], ["certificates", "Certificates"], ["channels", "Channels"]];

export function show(main, parameters) {
  /** The gateway's apps, once they are loaded for the form of a certificate. */
  let known = null;
  const part = parts.some(([name]) => name === parameters.get("part")) ? parameters.get("part") : "apps";
  const teamField = () => new Field("Team", select([]),
    { hint: "The gateway created the oldest team, First team, at its first start. Apps that devices register belong to it." });
  const teams = new Section("Teams", {
    path: "/api/teams", empty: "No teams.", action: "Add a team",
    columns: [["ID", (row) => h("code", {}, row.id)], ["Name", (row) => row.name], ["Added", (row) => dateTime(row.createdAt)]],
    // Offer a forced removal only if the refusal mentions --force.
    remove: { text: "Remove", done: "removed", what: (row) => `team ${row.id}`, path: (row) => `/api/teams/${row.id}`,
      effect: "The team is deleted if it is empty. Otherwise, its contents are listed before anything is deleted.", all: (refusal) => refusal.message.includes("--force") },
    fields: { name: new Field("Name", input()), id: new Field("ID", input({ maxlength: 10 }), { hint: "10 uppercase letters and digits. Generated if empty." }) },
    make: whole,
  });
  const apps = new Section("Apps", {
    path: "/api/topics", empty: "No apps. Add an app, or register one from a device.", action: "Add an app",
    columns: [["Bundle identifier", (row) => h("span", { class: "app" }, row.topic)], ["Team", (row) => h("code", {}, row.team)],
      ["Queue limit per token", (row) => String(row.keep)], ["Broadcasts", (row) => (row.broadcast ? "on" : "off")],
      [h("span", { class: "unseen" }, "Edit"), (row) => h("a", { href: `#/manage?part=apps&app=${encodeURIComponent(row.topic)}`, "aria-label": `Edit app ${row.topic}` }, "Edit")]],
    remove: { text: "Remove", done: "removed", what: (row) => `app ${row.topic}`, path: (row) => `/api/topics/${encodeURIComponent(row.topic)}`,
      effect: "All of the app's registrations, tokens, channels and queued notifications are deleted." },
    fields: { team: teamField(), topic: new Field("Bundle identifier", input({ placeholder: "com.example.app", oninput: () => chooseTeam() })),
      keep: new Field("Queue limit per token", input(), { hint: marked("A number, or “all” (`--keep` on the command line). If empty: 1 for a new app, unchanged for an existing app.") }),
      broadcast: new Field("Broadcasts", select([["", "default"], ["false", "off"], ["true", "on"]]), { hint: "Default: off for a new app, unchanged for an existing app." }) },
    required: { topic: "Enter the bundle identifier of the app." },
    rules: { keep: (text) => (text === "all" || (/^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= keepMost) ? null
      : `Enter a number from 1 to ${keepMost}, or all.`) },
    make: ({ team, topic, keep, broadcast }) => whole({ team, topic, broadcast: broadcast === "" ? undefined : broadcast === "true",
      keep: keep === "all" ? keep : keep === "" ? undefined : Number(keep) }),
    note: "If the app already exists, it is updated.",
    isSame: (one, other) => one.topic === other.topic,
  });
  /** Selects the team of the app in the form, if the app exists: an app can't move to another team. */
  function chooseTeam() {
    const app = apps.rows?.find((row) => row.topic === apps.fields.topic.value.trim());
    if (app) apps.fields.team.value = app.team;
    return app;
  }
  /** Opens the form with the values of an existing app. */
  function edit(topic) {
    const { fields, element } = apps;
    fields.topic.value = topic;
    const app = chooseTeam();
    if (!app) return;
    fields.keep.value = String(app.keep);
    fields.broadcast.value = String(app.broadcast);
    element.querySelector("details").open = true;
    fields.keep.control.focus();
  }
  const keys = new Section("Provider keys", {
    path: "/api/keys", empty: "No provider keys.", action: "Generate a key",
    columns: [["ID", (row) => h("code", {}, row.id)], ["Team", (row) => h("code", {}, row.team)], ["Environment", (row) => row.environment],
      ["Topics", (row) => row.topics?.join(", ") ?? "all of the team's apps"], ["State", (row) => (row.revokedAt ? `revoked ${dateTime(row.revokedAt)}` : "valid")]],
    remove: { text: "Revoke", done: "revoked", what: (row) => `key ${row.id}`, path: (row) => `/api/keys/${row.id}`,
      effect: "Providers that sign with this key can no longer send." },
    fields: { team: teamField(), environment: new Field("Environment", select(environments)),
      topics: new Field("Topics", input(), { hint: "Separate with spaces. Leave empty for all of the team's apps." }) },
    make: ({ team, environment, topics }) => ({ team, environment, topics: topics.split(/[\s,]+/).filter(Boolean) }),
    done: (made) => [h("p", {}, "The private key is in the file ", h("code", {}, made.file), "."),
      unknown(made).length ? h("p", { class: "bad" }, `Team ${made.team} has no apps with these bundle identifiers, so pushes to them `
        + `are refused until you add the apps: ${unknown(made).join(", ")}.`) : null,
      Object.entries(made.topicTeams ?? {}).map(([topic, team]) => h("p", { class: "bad" },
        `The app ${topic} belongs to team ${team}, so pushes to it with this key are refused. Revoke this key, and generate one for team ${team}.`))],
  });
  const certificates = new Section("Provider certificates", {
    path: "/api/certificates", empty: "No provider certificates.", action: "Generate a certificate",
    columns: [["Serial", (row) => h("code", {}, row.serial)], ["Team", (row) => h("code", {}, row.team)], ["Topic", (row) => h("span", { class: "app" }, row.topic)],
      ["Environment", (row) => row.environment], ["Expires", (row) => dateTime(row.expiresAt)],
      ["State", (row) => (row.revokedAt ? `revoked ${dateTime(row.revokedAt)}` : row.authorityRetired ? "not valid: authority retired" : "valid")]],
    remove: { text: "Revoke", done: "revoked", what: (row) => `certificate ${row.serial}`, path: (row) => `/api/certificates/${row.serial}`,
      effect: "Providers that use this certificate can no longer connect." },
    fields: { topic: new Field("Bundle identifier", input({ list: "certificate-apps" })), environment: new Field("Environment", select(environments)),
      form: new Field("Type", select([["universal", "universal (lists topics)"], ["uid", "bundle identifier only"]])),
      key: new Field("Key type", select([["ec", "ECDSA"], ["rsa", "RSA"]])) },
    required: { topic: "Enter the bundle identifier of the app." },
    rules: { topic: (text) => (!known || known.some((app) => app.topic === text) ? null : "The gateway has no app with this bundle identifier. Add the app under Apps first.") },
    make: (values) => values,
    done: (made) => {
      session.unsaved.push(made);
      drawUnsaved();
    },
  });
  const unsaved = h("div", {});
  /** Offers the certificates that the user has not saved, also after the user has left the screen and come back. */
  function drawUnsaved() {
    put(unsaved, session.unsaved.map((made) => h("p", { class: "buttons" },
      `The gateway doesn't keep a copy of the private key of certificate ${made.serial}. Save it before you close the console. `,
      h("button", { type: "button", "aria-label": `Save certificate and key (PEM) of ${made.serial}`, onclick: () => {
        saveFile(`${made.topic}.pem`, new Blob([made.certificateChain + made.privateKey]));
        // The button stays on the screen, in case the user cancels the download.
        session.unsaved = session.unsaved.filter((one) => one !== made);
      } }, "Save certificate and key (PEM)"))));
  }
  const channels = new Section("Channels", {
    path: "/api/channels", empty: "No channels. Turn on broadcasts for an app before you add a channel.", action: "Add a channel",
    columns: [["Channel", (row) => h("code", {}, row.channel)], ["App", (row) => row.app], ["Message storage", (row) => (row.storage ? "newest message" : "none")],
      ["Added", (row) => dateTime(row.createdAt)]],
    remove: { text: "Remove", done: "removed", what: (row) => `channel ${row.channel}`, effect: "Devices that subscribe to the channel no longer receive messages from it.",
      path: (row) => `/api/channels?channel=${encodeURIComponent(row.channel)}&app=${encodeURIComponent(row.app)}` },
    fields: { app: new Field("App", select([])), storage: new Field("Message storage", select([["0", "none"], ["1", "newest message"]])) },
    required: { app: "No app has broadcasts on. Turn on broadcasts for an app first." },
    make: ({ app, storage }) => ({ app, storage: Number(storage) }),
  });
  const all = { teams, apps, keys, certificates, channels };
  const navigation = h("nav", { class: "subnav", "aria-label": "Manage" }, parts.map(([name, text]) =>
    h("a", { href: `#/manage?part=${name}`, "aria-current": name === part ? "page" : false }, text)));
  const shown = all[part];
  // The navigation already shows the section's name.
  shown.element.querySelector("h2").className = "unseen";
  shown.changed = () => shown.load();
  main.append(navigation, shown.element);
  const loads = [shown.load()];
  // Load the choices of the form.
  if (shown.fields.team) {
    loads.push(call("GET", "/api/teams").then((rows) => put(shown.fields.team.control,
      rows.map((row) => h("option", { value: row.id }, row.name === row.id ? row.id : `${row.name} (${row.id})`)))).catch(() => {}));
  }
  if (shown === apps && parameters.has("app")) Promise.all(loads).then(() => edit(parameters.get("app")));
  if (part === "certificates") {
    const choices = h("datalist", { id: "certificate-apps" });
    main.append(unsaved, choices);
    drawUnsaved();
    call("GET", "/api/topics").then((rows) => {
      known = rows;
      put(choices, rows.map((row) => h("option", { value: row.topic })));
    }).catch(() => {});
  }
  if (part === "channels") {
    call("GET", "/api/topics").then((rows) => put(shown.fields.app.control,
      rows.filter((row) => row.broadcast).map((row) => h("option", { value: row.topic }, row.topic)))).catch(() => {});
  }
}
