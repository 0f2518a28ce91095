import { call } from "/console/api.js";
import { Devices } from "/console/devices.js";
import { Field, copyButton, dateTime, h, put, select } from "/console/elements.js";
import { Section } from "/console/section.js";

export const title = "Teams, apps and devices";
export const short = "Manage";

const input = (attributes = {}) => h("input", { type: "text", spellcheck: "false", autocomplete: "off", ...attributes });
const environments = [["both", "both environments"], ["sandbox", "sandbox"], ["production", "production"]];
const whole = (object) => Object.fromEntries(Object.entries(object).filter(([, value]) => value !== "" && value !== undefined));

function download(name, text) {
  const link = h("a", { href: URL.createObjectURL(new Blob([text])), download: name });
  link.click();
  URL.revokeObjectURL(link.href);
}

export function show(main) {
  const teamField = () => new Field("Team", select([]));
  const teams = new Section("Teams", {
    path: "/api/teams", empty: "No teams.", action: "Add a team",
    columns: [["ID", (row) => h("code", {}, row.id)], ["Name", (row) => row.name], ["Added", (row) => dateTime(row.createdAt)]],
    // Offer forced removal only if the refusal mentions --force.
    remove: { text: "Remove", done: "removed", what: (row) => row.id, path: (row) => `/api/teams/${row.id}`, all: (refusal) => refusal.message.includes("--force") },
    fields: { name: new Field("Name", input()), id: new Field("ID", input({ maxlength: 10 }), { hint: "10 uppercase letters and digits. Generated if empty." }) },
    make: whole,
  });
  const apps = new Section("Apps", {
    path: "/api/topics", empty: "No apps. Add one, or register it from a device.", action: "Add an app",
    columns: [["Bundle identifier", (row) => row.topic], ["Team", (row) => h("code", {}, row.team)],
      ["Queue limit per token", (row) => String(row.keep)], ["Broadcasts", (row) => (row.broadcast ? "on" : "off")]],
    remove: { text: "Remove", done: "removed", what: (row) => row.topic, path: (row) => `/api/topics/${encodeURIComponent(row.topic)}` },
    fields: { team: teamField(), topic: new Field("Bundle identifier", input({ placeholder: "com.example.app" })),
      keep: new Field("Queue limit per token", input({ value: "1" }), { hint: "A number, or “all”." }),
      broadcast: new Field("Broadcasts", select([["false", "off"], ["true", "on"]])) },
    make: ({ team, topic, keep, broadcast }) => whole({ team, topic, broadcast: broadcast === "true",
      keep: keep === "all" ? keep : keep === "" ? undefined : Number.isInteger(Number(keep)) ? Number(keep) : keep }),
    note: "If the app already exists, it is updated.",
  });
  const keys = new Section("Provider keys", {
    path: "/api/keys", empty: "No provider keys.", action: "Generate a key",
    columns: [["ID", (row) => h("code", {}, row.id)], ["Team", (row) => h("code", {}, row.team)], ["Environment", (row) => row.environment],
      ["Topics", (row) => row.topics?.join(", ") ?? "all of the team's apps"], ["State", (row) => (row.revokedAt ? `revoked ${dateTime(row.revokedAt)}` : "valid")]],
    remove: { text: "Revoke", done: "revoked", what: (row) => row.id, path: (row) => `/api/keys/${row.id}` },
    fields: { team: teamField(), environment: new Field("Environment", select(environments)),
      topics: new Field("Topics", input(), { hint: "Separate with spaces. Leave empty for all of the team's apps." }) },
    make: ({ team, environment, topics }) => ({ team, environment, topics: topics.split(/[\s,]+/).filter(Boolean) }),
    done: (made) => h("p", {}, "The private key is in the file ", h("code", {}, made.file), "."),
  });
  const certificates = new Section("Provider certificates", {
    path: "/api/certificates", empty: "No provider certificates.", action: "Generate a certificate",
    columns: [["Serial", (row) => h("code", {}, row.serial)], ["Topic", (row) => row.topic], ["Environment", (row) => row.environment],
      ["Expires", (row) => dateTime(row.expiresAt)], ["State", (row) => (row.revokedAt ? `revoked ${dateTime(row.revokedAt)}` : "valid")]],
    remove: { text: "Revoke", done: "revoked", what: (row) => row.serial, path: (row) => `/api/certificates/${row.serial}` },
    fields: { team: teamField(), topic: new Field("Bundle identifier", input()), environment: new Field("Environment", select(environments)),
      form: new Field("Type", select([["universal", "universal (lists topics)"], ["uid", "bundle identifier only"]])),
      key: new Field("Key type", select([["ec", "ECDSA"], ["rsa", "RSA"]])) },
    make: (values) => values,
    done: (made) => h("p", { class: "buttons" }, "The gateway doesn't keep a copy of the private key. ",
      h("button", { type: "button", onclick: () => download(`${made.topic}.pem`, made.certificateChain + made.privateKey) }, "Save certificate and key (PEM)")),
  });
  const code = h("p", { class: "buttons" });
  const devices = new Devices();
  devices.list.before(code);
  const sections = [teams, apps, keys, certificates, devices];
  for (const section of sections) section.changed = () => sections.forEach((one) => one.load());
  teams.loaded = (rows) => {
    for (const section of sections) {
      const field = section.fields.team;
      if (!field) continue;
      const before = field.value;
      put(field.control, rows.map((row) => h("option", { value: row.id }, row.name === row.id ? row.id : `${row.name} (${row.id})`)));
      if (before) field.value = before;
    }
  };
  async function showCode(method) {
    try {
      const [answer] = await call(method, "/api/enrolment-code");
      put(code, "Enrollment code: ", h("code", {}, answer.code), copyButton(answer.code),
        h("button", { type: "button", class: "quiet", onclick: () => showCode("POST") }, "Regenerate"));
    } catch (refusal) { put(code, refusal.message); }
  }
  main.append(...sections.map((section) => section.element));
  sections.forEach((section) => section.load());
  showCode("GET");
}
