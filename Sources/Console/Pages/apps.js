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
    path: "/api/teams", empty: "There is no team.", action: "Add a team",
    columns: [["Id", (row) => h("code", {}, row.id)], ["Name", (row) => row.name], ["Added", (row) => dateTime(row.createdAt)]],
    // Offer forced removal only if the refusal mentions --force.
    remove: { text: "Remove", what: (row) => row.id, path: (row) => `/api/teams/${row.id}`, all: (refusal) => refusal.message.includes("--force") },
    fields: { name: new Field("Name", input()), id: new Field("Id", input({ maxlength: 10 }), { hint: "Ten capitals and digits; made where it is empty." }) },
    make: whole,
  });
  const apps = new Section("Apps", {
    path: "/api/topics", empty: "There is no app: add one, or let a device register it.", action: "Add an app",
    columns: [["Bundle identifier", (row) => row.topic], ["Team", (row) => h("code", {}, row.team)],
      ["Kept for each token", (row) => String(row.keep)], ["Broadcasts", (row) => (row.broadcast ? "on" : "off")]],
    remove: { text: "Remove", what: (row) => row.topic, path: (row) => `/api/topics/${encodeURIComponent(row.topic)}` },
    fields: { team: teamField(), topic: new Field("Bundle identifier", input({ placeholder: "com.example.app" })),
      keep: new Field("Kept for each token", input({ value: "1" }), { hint: "The newest so many, or all." }),
      broadcast: new Field("Broadcasts", select([["false", "off"], ["true", "on"]])) },
    make: ({ team, topic, keep, broadcast }) => whole({ team, topic, broadcast: broadcast === "true",
      keep: keep === "all" ? keep : keep === "" ? undefined : Number.isInteger(Number(keep)) ? Number(keep) : keep }),
    note: "An app that the team has already is changed.",
  });
  const keys = new Section("Provider keys", {
    path: "/api/keys", empty: "There is no key.", action: "Make a key",
    columns: [["Id", (row) => h("code", {}, row.id)], ["Team", (row) => h("code", {}, row.team)], ["For", (row) => row.environment],
      ["Topics", (row) => row.topics?.join(", ") ?? "all of the team's"], ["State", (row) => (row.revokedAt ? `revoked ${dateTime(row.revokedAt)}` : "good")]],
    remove: { text: "Revoke", what: (row) => row.id, path: (row) => `/api/keys/${row.id}` },
    fields: { team: teamField(), environment: new Field("For", select(environments)),
      topics: new Field("Topics", input(), { hint: "Separated by spaces; empty: all of the team's." }) },
    make: ({ team, environment, topics }) => ({ team, environment, topics: topics.split(/[\s,]+/).filter(Boolean) }),
    done: (made) => h("p", {}, "Its private half is the file ", h("code", {}, made.file), "."),
  });
  const certificates = new Section("Provider certificates", {
    path: "/api/certificates", empty: "There is no certificate.", action: "Make a certificate",
    columns: [["Serial", (row) => h("code", {}, row.serial)], ["Topic", (row) => row.topic], ["For", (row) => row.environment],
      ["Ends", (row) => dateTime(row.expiresAt)], ["State", (row) => (row.revokedAt ? `revoked ${dateTime(row.revokedAt)}` : "good")]],
    remove: { text: "Revoke", what: (row) => row.serial, path: (row) => `/api/certificates/${row.serial}` },
    fields: { team: teamField(), topic: new Field("Bundle identifier", input()), environment: new Field("For", select(environments)),
      form: new Field("Form", select([["universal", "universal, with topics"], ["uid", "bundle identifier alone"]])),
      key: new Field("Key", select([["ec", "ECDSA"], ["rsa", "RSA"]])) },
    make: (values) => values,
    done: (made) => h("p", { class: "buttons" }, "The gateway keeps no copy of the private key: ",
      h("button", { type: "button", onclick: () => download(`${made.topic}.pem`, made.certificateChain + made.privateKey) }, "Save both as PEM")),
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
      put(code, "Devices enrol with the code ", h("code", {}, answer.code), copyButton(answer.code),
        h("button", { type: "button", class: "quiet", onclick: () => showCode("POST") }, "Make a new code"));
    } catch (refusal) { put(code, refusal.message); }
  }
  main.append(...sections.map((section) => section.element));
  sections.forEach((section) => section.load());
  showCode("GET");
}
