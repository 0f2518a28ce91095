import { call, list } from "/console/api.js";
import { Field, h, put, select } from "/console/elements.js";

/** The maximum number of devices that are offered; others are found by their number or a part of their name. */
const most = 200;

const label = (device) => device.name || `Device ${device.device}`;

/**
 * Fields to choose a device and one of its apps. `onChosen` receives the app's token, topic, and kind. A user who
 * pastes a token needs none of these fields.
 */
export class Recipient {
  #devices = [];
  #apps = [];
  /** The text whose device was searched for last. */
  #found = "";

  constructor({ device, topic, onChosen }) {
    this.onChosen = onChosen;
    this.wantedTopic = topic;
    this.options = h("datalist", { id: "send-devices" });
    this.device = new Field("Device", h("input", { type: "text", list: "send-devices", name: "device", autocomplete: "off", spellcheck: "false", value: device ?? "",
      onchange: () => { if (this.device.value.trim() !== this.#found) this.find(); } }), { hint: "A name or a number. Leave empty to paste a token." });
    this.app = new Field("App", select([["", "Choose a device first"]], { name: "app", disabled: true, onchange: () => this.choose() }));
    this.elements = [this.device.element, this.app.element, this.options];
    this.load();
  }

  async load() {
    const { rows } = await list(`/api/devices?limit=${most}`).catch(() => ({ rows: [] }));
    this.#devices = rows.filter((row) => !row.revokedAt);
    put(this.options, this.#devices.map((row) => h("option", { value: label(row) }, `${row.up ? "connected" : "offline"}, ${row.device}`)));
    if (this.device.value) this.find();
  }

  /** True while the user is choosing a device, so that Enter must not send the push. */
  get isChoosing() { return document.activeElement === this.device.control; }

  async find() {
    const text = this.device.value.trim();
    this.#found = text;
    this.device.fail();
    if (!text) { this.#show([], "Choose a device first"); return; }
    try {
      const isExact = (row) => label(row) === text || String(row.device) === text;
      const rows = this.#devices.filter(isExact).length ? this.#devices.filter(isExact)
        : (await list(`/api/devices?limit=2&of=${encodeURIComponent(text)}`)).rows.filter((row) => !row.revokedAt);
      if (rows.length === 0) { this.device.fail(`No device matches “${text}”.`); this.#show([], "Choose a device first"); return; }
      if (rows.length > 1) { this.device.fail(`More than one device matches “${text}”. Enter a device number.`); this.#show([], "Choose a device first"); return; }
      const apps = await call("GET", `/api/devices/${rows[0].device}/apps`);
      this.#show(apps.filter((app) => app.token), "This device has no apps");
    } catch (refusal) { this.device.fail(refusal.message); }
  }

  #show(apps, empty) {
    this.#apps = apps;
    const text = (app) => `${app.topic}${app.kind === "alert" ? "" : ` (${app.kind})`}${app.state === "disabled" ? ", notifications off" : ""}`;
    put(this.app.control, apps.length ? apps.map((app, index) => h("option", { value: index }, text(app))) : h("option", { value: "" }, empty));
    this.app.control.disabled = apps.length === 0;
    if (apps.length === 0) return;
    const wanted = apps.findIndex((app) => app.topic === this.wantedTopic);
    this.app.value = String(Math.max(0, wanted));
    this.choose();
  }

  choose() {
    const app = this.#apps[Number(this.app.value)];
    if (app) this.onChosen(app);
  }
}
