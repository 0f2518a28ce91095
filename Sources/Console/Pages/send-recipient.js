import { call, list } from "/console/api.js";
import { Field, h, put, select } from "/console/elements.js";

/** The maximum number of devices that are offered; others are found by their number or a part of their name. */
const most = 200;

const label = (device) => device.name || `Device ${device.device}`;

/**
 * Fields to choose a device and one of its apps. `onChosen` receives the app's token, topic, and kind; `onReleased` is
 * called when the text in the field for the device no longer names the device of this token. A user who pastes a token
 * needs none of these fields.
 */
export class Recipient {
  #devices = [];
  #apps = [];
  /** The text in the field for the device when it was last read. */
  #last;
  /** The search for this text; null if the text has not been searched for. */
  #search = null;
  /** The text whose device was found; null if no device is chosen. */
  #chosen = null;

  constructor({ device, topic, onChosen, onReleased }) {
    this.onChosen = onChosen;
    this.onReleased = onReleased;
    this.wantedTopic = topic;
    this.options = h("datalist", { id: "send-devices" });
    // If the field has its previous text again, there is no change event, so the blur event starts the search.
    const find = () => { if (!this.#search) this.find(); };
    this.device = new Field("Device", h("input", { type: "text", list: "send-devices", name: "device", autocomplete: "off", spellcheck: "false", value: device ?? "",
      oninput: () => { if (this.#text !== this.#last) this.#release(); }, onchange: find, onblur: find }),
    { hint: "A name or a number. Leave empty to paste a token." });
    this.app = new Field("App", select([["", "Choose a device first"]], { name: "app", disabled: true, onchange: () => this.choose() }));
    this.elements = [this.device.element, this.app.element, this.options];
    this.#last = this.#text;
    this.load();
  }

  async load() {
    const { rows } = await list(`/api/devices?limit=${most}`).catch(() => ({ rows: [] }));
    this.#devices = rows.filter((row) => !row.revokedAt);
    put(this.options, this.#devices.map((row) => h("option", { value: label(row) }, `${row.up ? "connected" : "offline"}, ${row.device}`)));
    if (!this.#search && !this.isChoosing) this.find();
  }

  get #text() { return this.device.value.trim(); }

  /** True while the user is choosing a device, so that Enter must not send the push. */
  get isChoosing() { return document.activeElement === this.device.control; }

  /** True if the field for the device contains a text that doesn't name the chosen device, so that nothing may be sent. */
  get isUnresolved() { return this.#text !== "" && this.#text !== this.#chosen; }

  /** Finds the device that the text names, and shows its apps or the problem. */
  async find() {
    if (!this.isUnresolved) return;
    if (!this.#search?.isRunning) {
      this.#release();
      const search = { isRunning: true };
      this.#search = search;
      search.end = this.#find(search);
    }
    await this.#search.end;
  }

  async #find(search) {
    const text = this.#text;
    let apps = null;
    let problem = "";
    try { apps = await this.#appsOf(text); } catch (refusal) { problem = refusal.message; }
    search.isRunning = false;
    // The user changed the text during the search.
    if (search !== this.#search) return;
    if (!apps) { this.device.fail(problem); return; }
    this.#chosen = text;
    this.#show(apps, "This device has no apps");
  }

  /** Returns the apps of the device that the text names; throws if there isn't exactly one such device. */
  async #appsOf(text) {
    const isExact = (row) => label(row) === text || String(row.device) === text;
    const rows = this.#devices.filter(isExact).length ? this.#devices.filter(isExact)
      : (await list(`/api/devices?limit=2&of=${encodeURIComponent(text)}`)).rows.filter((row) => !row.revokedAt);
    if (rows.length === 0) throw new Error(`No device matches “${text}”.`);
    if (rows.length > 1) throw new Error(`More than one device matches “${text}”. Enter a device number.`);
    const apps = await call("GET", `/api/devices/${rows[0].device}/apps`);
    return apps.filter((app) => app.token);
  }

  /** Forgets the device, because the text no longer names it. */
  #release() {
    this.#forget();
    this.onReleased();
  }

  #forget() {
    this.#last = this.#text;
    this.#search = null;
    this.#chosen = null;
    this.device.fail();
    this.#show([], "Choose a device first");
  }

  /** Empties the fields if `token`, which the user entered, is not the token of the chosen app. */
  leave(token) {
    if (this.#text === "" || (!this.isUnresolved && this.#apps[Number(this.app.value)]?.token === token)) return;
    this.device.value = "";
    this.#forget();
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
    if (!app) return;
    this.wantedTopic = app.topic;
    this.onChosen(app);
  }
}
