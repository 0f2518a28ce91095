import { call, patience } from "/console/api.js";
import { Field, count, dateTime, disable, h, linked, put, select, sentences, table } from "/console/elements.js";
import { changeText, hasImage, imageKey, previews, sendText, warnings } from "/console/campaign-parts.js";
import { Languages } from "/console/compose-languages.js";
import { changedFile, readFiles } from "/console/compose-files.js";
import { confirm } from "/console/dialog.js";
import { invalidToken } from "/console/compose-recipients.js";
import { SendTime } from "/console/compose-time.js";

export const title = "New campaign";

/** Returns the name of the screen that the navigation marks: a campaign that is edited is one of the campaigns. */
export function section(parameters) { return parameters.get("id") ? "campaigns" : "new"; }

const types = ["alert", "background", "voip", "liveactivity", "complication", "fileprovider", "location", "mdm",
  "pushtotalk", "widgets", "controls"];

/** The user's input for a new campaign and, keyed by ID, for edited campaigns; kept while the page is open. */
const unsent = {};
const edits = new Map();

// Browsers ask before they leave a page with input that would be lost.
addEventListener("beforeunload", (event) => {
  if (edits.size || Object.keys(unsent).length) event.preventDefault();
});

/** Returns whether a campaign has unsaved changes. */
export function hasEdit(id) { return edits.has(id); }

/** Forgets the unsaved changes to a campaign. */
export function forgetEdit(id) { edits.delete(id); }

export function show(main, parameters) {
  const id = parameters?.get("id");
  if (!id) return showForm(main, unsent, null);
  let leave = () => {};
  let isLeft = false;
  const heading = main.querySelector("h1");
  heading.textContent = "Edit campaign";
  window.document.title = "Edit campaign – Belfry";
  const back = h("p", {}, h("a", { href: `#/campaigns?id=${id}` }, "Back to the campaign"));
  main.append(back);
  stored(id)
    .then(({ status, document }) => {
      if (isLeft) return;
      const draft = edits.get(id) ?? fromDocument(document, status);
      if (edits.has(id)) {
        const isOld = draft.revision !== status.revision;
        main.append(h("p", { class: "hint" }, `You have unsaved changes to this campaign. ${isOld ? "The campaign itself has changed since you began. " : ""}`,
          h("button", { type: "button", class: "quiet", onclick: () => {
            edits.delete(id);
            leave();
            put(main, heading, back);
            leave = showForm(main, fromDocument(document, status), { status, document });
          } }, "Discard changes")));
      }
      leave = showForm(main, draft, { status, document });
    })
    .catch((refusal) => {
      if (refusal.status === 404) forgetEdit(id);
      if (!isLeft) main.append(h("p", { class: "error" }, refusal.message));
    });
  return () => { isLeft = true; leave(); };
}

/** Returns a campaign's status and document. */
async function stored(id) {
  const [status] = await call("GET", `/campaigns/${id}`);
  // The document must not be older than the revision: otherwise, saving the form could undo a change without a warning.
  const [document] = await call("GET", `/campaigns/${id}/document`);
  return { status, document };
}

/** Returns the form's values for an existing campaign, and the revision that they are based on. */
function fromDocument(document, { revision }) {
  const [to, subject] = document.to.split(/:(.*)/s);
  const payload = structuredClone(document.payload ?? {});
  const image = typeof payload[imageKey] === "string" ? payload[imageKey] : "";
  if (image) {
    delete payload[imageKey];
    delete payload.aps?.["mutable-content"];
    if (payload.aps && Object.keys(payload.aps).length === 0) delete payload.aps;
  }
  const text = (value) => (value === undefined || value === null ? "" : String(value));
  return {
    ...SendTime.draft(document), revision, name: document.name, topic: document.topic, to, subject: subject ?? "", image,
    fallback: document.fallback === false ? "none" : text(document.fallback), arguments: (document.arguments ?? []).join("\n"),
    payload: Object.keys(payload).length ? JSON.stringify(payload, null, 2) : "",
    rate: text(document.rate), environment: text(document.environment), pushType: document.pushType ?? "alert",
    priority: text(document.priority), expiration: text(document.expiration), collapseID: text(document.collapseID),
    languages: document.alert && Object.values(document.alert).every((one) => typeof one === "object")
      ? Object.entries(document.alert).map(([language, texts]) => ({ language, ...texts })) : [{ language: "en", ...(document.alert ?? {}) }],
  };
}

/** Returns true if the form can show a campaign's texts: plain texts only, without plural forms or keys of the app. */
function isPlain(alert) {
  if (!alert) return true;
  const plain = (one) => typeof one === "object" && Object.entries(one).every(([key, value]) => ["title", "subtitle", "body"].includes(key) && typeof value === "string");
  return plain(alert) || Object.values(alert).every(plain);
}

/** Shows the form with a draft's values; `edited` is the campaign that the form changes, or null for a new one. */
function showForm(main, draft, edited) {
  const apps = h("datalist", { id: "apps" });
  const text = (name, attributes = {}) =>
    h("input", { type: "text", name, spellcheck: "false", autocomplete: "off", value: draft[name] ?? "", ...attributes });
  const area = (name, rows, attributes = {}) => {
    const control = h("textarea", { name, rows, spellcheck: "false", ...attributes });
    control.value = draft[name] ?? "";
    return control;
  };
  const fields = {
    name: new Field("Name", text("name"), { hint: "Leave empty to use the first title." }),
    topic: new Field("App", text("topic", { list: "apps" }), { hint: "Bundle identifier" }),
    to: new Field("To", select([["all", "all devices"], ["tag", "devices with a tag"], ["user", "one user's devices"], ["list", "a list of device tokens"]], { name: "to" })),
    subject: new Field("Tag", text("subject")),
    list: new Field("Device tokens", area("list", 3, { class: "code" }), { hint: edited?.document.to === "list" ? "One hex device token per line. Leave empty to keep the current list." : "One hex device token per line.", wide: true }),
    fallback: new Field("Other languages", select([], { name: "fallback" }), { hint: "The text for devices in other languages. The most widely spoken is English, if the campaign has English text." }),
    arguments: new Field("Placeholder values, one per line", area("arguments", 2), { hint: "Values for %@, %d or %2$@, in order; the same for every recipient. Plural forms need a file: see “Use a file instead”." }),
    rate: new Field("Rate limit (per second)", text("rate", { inputmode: "numeric" }), { hint: "Leave empty for no limit." }),
    environment: new Field("Token environment", select([["", "any environment"], ["sandbox", "development (sandbox)"], ["production", "production"]], { name: "environment" })),
    pushType: new Field("Push type", select(types.map((type) => [type, type]), { name: "pushType" })),
    priority: new Field("Priority", select([["", "default for the push type"], ["10", "10 (immediately)"], ["5", "5 (power-saving)"], ["1", "1 (lowest)"]], { name: "priority" })),
    expiration: new Field("Expires after (seconds)", text("expiration", { inputmode: "numeric" }), { hint: "Leave empty for the maximum. 0 = try once, don't store." }),
    collapseID: new Field("Collapse ID", text("collapseID"), { hint: "Replaces an earlier notification with the same ID." }),
    image: new Field("Image URL", text("image", { inputmode: "url", placeholder: "https://" }), { hint: `Sent as “${imageKey}” with mutable-content, for the app's notification service extension.` }),
    payload: new Field("Additional payload", area("payload", 4, { class: "code" }), { hint: "JSON object, such as {\"aps\":{\"sound\":\"default\"}}.", wide: true }),
  };
  for (const name of ["to", "environment", "pushType", "priority"]) if (draft[name]) fields[name].value = draft[name];
  const languages = new Languages(draft, () => changed());
  const time = new SendTime(draft, () => changed(), Boolean(edited));
  // A browser reports no change if the user chooses the same files again, for example after correcting one of them.
  const file = new Field("Campaign and strings files", h("input", { type: "file", name: "files", multiple: true, accept: ".json,.strings,.stringsdict,.xcstrings",
    onclick: () => { file.control.value = ""; } }),
  { hint: "The campaign as a JSON file, and the strings files that it references. After you change a file, choose all files again.", wide: true });
  const inUse = h("p", { class: "hint", role: "status", hidden: true });
  const general = h("div", { class: "wide", role: "alert" });
  const result = h("section", { "aria-label": "Dry run", "aria-live": "polite" });
  const dryRun = h("button", { type: "submit" }, "Dry run");
  const store = h("button", { type: "button", class: "quiet", onclick: () => save(store) }, edited ? "Save changes" : "Save draft");
  const written = h("div", { class: "grid wide inner" }, languages.element, fields.fallback.element, fields.arguments.element, fields.image.element);
  const more = h("details", { class: "wide" }, h("summary", {}, "Payload, push type and priority"),
    h("div", { class: "grid" }, ["pushType", "priority", "expiration", "collapseID", "environment", "payload"].map((name) => fields[name].element)));
  const removeFile = h("button", { type: "button", class: "quiet", hidden: true, onclick: () => {
    file.control.value = "";
    choices += 1;
    names = [];
    takeBack();
    choose(kept, "", kept !== null);
    file.control.focus();
  } }, "Remove file");
  const fromFile = h("details", { class: "wide" }, h("summary", {}, "Use a file instead"), file.element, inUse, h("p", { class: "buttons" }, removeFile),
    h("p", { class: "hint" }, "The text and payload are taken from the file. The file's name, app, recipients, rate, time and quiet hours are copied to the form. You can change all of them except the app."));
  /** The selected campaign and its files; null if the form's own texts apply. */
  let chosen = edited && !isPlain(edited.document.alert) ? { campaign: contentOf(edited.document), files: {} } : null;
  /** The content that an edited campaign keeps unless the user chooses a file. */
  const kept = chosen;
  /** True if the service has accepted the selected campaign; until then, the form's own texts remain visible. */
  let isAccepted = chosen !== null;
  /** The reason that the selected files can't be used; empty if they can. */
  let fault = "";
  /** The names of the selected files. */
  let names = [];
  let timer;
  let running = new AbortController();
  /** The fields into which a file's campaign is copied; the fields of a group belong together. */
  const groups = [[fields.name.control], [fields.topic.control], [fields.to.control, fields.subject.control], [fields.rate.control], ...time.groups];
  /** The groups that the selected file has changed, with their values before and after that. */
  let copies = [];
  /** The number of choices of files, so that files that are read late don't replace a later choice. */
  let choices = 0;
  /** The number of changes to the form, so that the result of an earlier dry run is not shown. */
  let version = 0;

  function remember() {
    for (const [name, field] of Object.entries(fields)) draft[name] = field.value;
    languages.remember(draft);
    time.remember(draft);
  }

  /** Forgets the input after it has been stored as a campaign. */
  function forget() {
    if (edited) edits.delete(edited.status.id);
    else for (const key of Object.keys(unsent)) delete unsent[key];
  }

  function showLive() {
    const values = fields.arguments.value.split("\n").map((line) => line.trim()).filter(Boolean);
    languages.preview({ app: fields.topic.value.trim(), values, image: fields.image.value.trim() !== "" });
  }

  /** Returns the campaign in the form that the service accepts, and the problems with the form's values. */
  function campaign(isFull = true) {
    const value = (name) => fields[name].value.trim();
    const problems = fault ? [{ field: "files", error: fault }] : [];
    if (isFull && !chosen && !value("topic")) problems.push({ field: "topic", error: "enter the app's bundle identifier, such as com.example.app" });
    if (isFull && lacksSubject()) problems.push({ field: "to", error: `enter a ${fields.to.value}` });
    if (isFull && lacksTokens()) problems.push({ field: "to", error: "enter at least one token" });
    const invalid = fields.to.value === "list" ? invalidToken(fields.list.value) : null;
    if (invalid) problems.push({ field: "to", isOfList: true, ...invalid });
    const body = chosen ? { ...chosen.campaign, files: chosen.files } : {};
    if (!chosen) {
      const alert = languages.alert(problems, isFull);
      if (Object.keys(alert).length) body.alert = alert;
      if (fields.fallback.value === "none") body.fallback = false;
      else if (fields.fallback.value) body.fallback = fields.fallback.value;
      const lines = fields.arguments.value.split("\n").map((line) => line.trim()).filter(Boolean);
      if (lines.length) body.arguments = lines.map((line) => (/^-?\d{1,15}$/.test(line) ? Number(line) : line));
      for (const name of ["collapseID", "environment"]) if (value(name)) body[name] = value(name);
      if (fields.pushType.value !== "alert") body.pushType = fields.pushType.value;
      for (const name of ["priority", "expiration"]) if (value(name)) body[name] = whole(value(name));
      if (value("payload")) {
        // The service reports what is wrong with a text that is not a JSON object, with the line and the column.
        body.payload = objectIn(fields.payload.value) ?? fields.payload.value;
      }
      if (value("image")) {
        if (!/^https?:\/\/\S+$/.test(value("image"))) problems.push({ field: "image", error: "not a URL", advice: "enter an address such as https://example.com/picture.png" });
        if (typeof body.payload !== "string") body.payload = { ...body.payload, [imageKey]: value("image"), aps: { ...body.payload?.aps, "mutable-content": 1 } };
      }
    }
    if (value("name")) body.name = value("name");
    // A campaign must not be sent to the users of another app than the one that its file names.
    const app = chosen?.sources && typeof chosen.campaign.topic === "string" ? chosen.campaign.topic.trim() : "";
    if (app && value("topic") && value("topic") !== app) {
      problems.push({ field: "topic", error: `the file is for ${app}, but App is ${value("topic")}`, advice: `enter ${app}, or choose another file` });
    }
    if (value("topic") || !chosen) body.topic = value("topic");
    const to = fields.to.value;
    body.to ??= to === "tag" || to === "user" ? `${to}:${value("subject")}` : to;
    time.apply(body, problems, isFull);
    if (value("rate")) body.rate = whole(value("rate"));
    // An edit leaves omitted members unchanged, so send empty fields as null.
    if (edited) for (const name of ["name", "at", "rate"]) body[name] ??= null;
    return { body, problems };
  }

  /** Returns true if the selected recipients need a tag or a user, and the field for it is empty. */
  function lacksSubject() {
    return ["tag", "user"].includes(fields.to.value) && !fields.subject.value.trim();
  }

  /** Returns true if the campaign is sent to a list that has no tokens; an edited campaign keeps its own list. */
  function lacksTokens() {
    return fields.to.value === "list" && edited?.document.to !== "list" && !fields.list.value.trim();
  }

  function arrange() {
    const to = fields.to.value;
    fields.subject.element.hidden = to !== "tag" && to !== "user";
    fields.subject.element.querySelector("label").textContent = to === "user" ? "User" : "Tag";
    fields.list.element.hidden = to !== "list";
    written.hidden = more.hidden = chosen !== null && isAccepted;
    removeFile.hidden = names.length === 0;
    inUse.hidden = names.length === 0 || !chosen || !isAccepted;
    inUse.textContent = `In use: ${names.join(", ")}.`;
    const current = fields.fallback.value || draft.fallback || "";
    put(fields.fallback.control, [["", "most widely spoken"], ...languages.names().map((name) => [name, name]), ["none", "none: refuse to send"]]
      .map(([value, name]) => h("option", { value }, name)));
    fields.fallback.value = [...fields.fallback.control.options].some((one) => one.value === current) ? current : "";
  }

  /** Returns the values of a group of fields. */
  function values(group) { return group.map((control) => (control.type === "radio" ? control.checked : control.value)); }

  /** Restores the fields that the former file has changed, except those that the user has changed since then. */
  function takeBack() {
    for (const { group, before, after } of copies) {
      if (values(group).some((value, index) => value !== after[index])) continue;
      group.forEach((control, index) => { control[control.type === "radio" ? "checked" : "value"] = before[index]; });
    }
    copies = [];
  }

  /**
   * Copies the app of a file's campaign to the form, and moves its name, recipients, rate, time and quiet hours there.
   * Values that the form can't show remain in the campaign, so that the service reports them.
   */
  function takeOver(campaign) {
    const former = groups.map(values);
    for (const name of ["name", "topic"]) {
      if (campaign[name] === undefined || campaign[name] === null) continue;
      const isText = typeof campaign[name] === "string";
      fields[name].value = isText ? campaign[name] : "";
      // The file's app remains known, because App must not contradict it.
      if (isText && name !== "topic") delete campaign[name];
    }
    const [, whole, kind, subject] = typeof campaign.to === "string" ? campaign.to.match(/^(?:(all|list)|(tag|user):(.+))$/s) ?? [] : [];
    if (whole || kind) {
      fields.to.value = whole || kind;
      fields.subject.value = subject ?? "";
      delete campaign.to;
    }
    if (campaign.rate !== undefined && campaign.rate !== null) fields.rate.value = typeof campaign.rate === "string" ? campaign.rate : JSON.stringify(campaign.rate);
    delete campaign.rate;
    time.takeOver(campaign);
    copies = groups.map((group, index) => ({ group, before: former[index], after: values(group) }))
      .filter(({ before, after }) => before.some((value, index) => value !== after[index]));
  }

  /** Returns a problem as sentences; without a file, the labels of the fields replace the names of the members. */
  function said(problem) {
    if (hasPassed(problem) && !isOfFile(problem)) {
      return "The time has passed for every device. Enter a later time, or clear the date and the time to send the campaign now.";
    }
    const text = sentences(problem.error, problem.advice);
    return chosen ? text : labeled(text);
  }

  /** Returns true if a problem is about the content of the selected file, and not about a field of the form. */
  function isOfFile({ field: name }) {
    if (!chosen) return false;
    // The form took over the time and the quiet hours of the file, unless it can't show them.
    if (/^(at|quietHours)(\.|$)/.test(name ?? "")) return name.split(".")[0] in chosen.campaign;
    const field = fields[name];
    return name !== "to" && (!field || written.contains(field.element) || more.contains(field.element));
  }

  /** Hides the form's own texts once the service has accepted the selected file, and shows them if it refuses it. */
  function accept(problems) {
    const isGood = chosen !== null && !problems.some(isOfFile);
    if (isGood === isAccepted) return;
    isAccepted = isGood;
    arrange();
  }

  /** Shows each problem beside its field; problems without a field are shown above the buttons. */
  function showProblems(problems) {
    for (const field of Object.values(fields)) field.fail();
    languages.clear();
    time.clear();
    file.fail();
    const rest = [];
    for (const problem of problems) {
      const text = said(problem);
      const name = { to: fields.to.value === "list" ? "list" : fields.subject.element.hidden ? "to" : "subject" }[problem.field] ?? problem.field;
      const field = fields[name];
      // The problem might be solved with a field that is hidden in this section.
      if (["“Additional payload”", "“Token environment”"].some((label) => text.includes(label))) more.open = true;
      if (fault && problem.field === "files") { file.fail(fault); fromFile.open = true; }
      else if (isOfFile(problem)) file.fail(...file.error.childNodes, h("span", { class: "line" }, `${problem.field ?? "campaign"}: ${text}`));
      else if (field) { field.fail(...linked(text)); if (more.contains(field.element)) more.open = true; }
      else if (!languages.fail(problem.field, text) && !time.fail(problem.field, text)) rest.push(h("p", { class: "error" }, linked(text)));
    }
    if (!chosen && !fields.arguments.value.trim()) languages.warnOfPlaceholders();
    put(general, rest);
    if (!chosen || file.error.hidden) return;
    fromFile.open = true;
    if (names.length) file.error.append(h("span", { class: "line" }, "After you have corrected a file, choose all files again."));
  }

  /** Returns whether the selected files are still as the form has read them; if they aren't, shows which file has changed. */
  async function hasCurrentFiles() {
    const name = chosen?.sources ? await changedFile(chosen.sources) : null;
    if (!name) return true;
    choose(null, `${name} has changed since you chose it. Choose all files again.`);
    showProblems([{ field: "files", error: fault }]);
    fromFile.open = true;
    return false;
  }

  async function preview({ isFull, signal }) {
    const { body, problems } = campaign(isFull);
    if (problems.length) return { problems: [...problems, ...await otherProblems(body, problems, signal)] };
    if (body.to !== "list" || !isFull) {
      const [found] = await call("POST", "/campaigns", { ...body, dryRun: true }, { signal });
      return found;
    }
    if (!fields.list.value.trim()) {
      // Without a new list, the edited campaign keeps its own.
      const [found] = await call("PUT", `/campaigns/${edited.status.id}`, { ...body, dryRun: true }, { signal });
      return found;
    }
    const id = await hold(body);
    try {
      const [found] = await call("GET", `/campaigns/${id}/preview`, undefined, { patience: patience.long });
      return found;
    } finally {
      await call("DELETE", `/campaigns/${id}`).catch(() => {});
    }
  }

  /** Returns the problems that the service finds in the other fields, so that all problems are shown together. */
  async function otherProblems(body, known, signal) {
    // Without its files, the campaign has no content to check.
    if (fault) return [];
    let found;
    try {
      [{ problems: found }] = await call("POST", "/campaigns", { ...body, dryRun: true }, { signal });
    } catch (refusal) {
      if (refusal.name === "AbortError") throw refusal;
      found = refusal.errors ?? [];
    }
    return found.filter((one) => !known.some(({ field }) => field === one.field));
  }

  /** Adds the campaign without starting it, with its list of recipients if it has one; returns its ID. */
  async function hold(body) {
    const [added] = await call("POST", "/campaigns", { ...body, draft: true });
    if (body.to !== "list") return added.id;
    await bring(added.id);
    return added.id;
  }

  /** Uploads the list of recipients; if a line is invalid, deletes the campaign if it is new. */
  async function bring(id, isNew = true) {
    let start = 0;
    try {
      const lines = fields.list.value.split("\n");
      for (; start < lines.length; start += 5000) {
        await call("POST", `/campaigns/${id}/recipients`, lines.slice(start, start + 5000).join("\n"));
      }
    } catch (refusal) {
      if (isNew) await call("DELETE", `/campaigns/${id}`).catch(() => {});
      for (const error of refusal.errors ?? []) {
        // The service counts lines from the first line of each request.
        const line = error.field?.match(/^line (\d+)$/);
        if (line) error.error = `line ${Number(line[1]) + start}: ${error.error}`;
        error.field = "to";
      }
      throw refusal;
    }
  }

  /** Stores the form as a draft, or as the new content of the edited campaign, and shows that campaign. */
  async function save(button) {
    // The response to a check must not replace the errors of this action.
    clearTimeout(timer);
    running.abort();
    if (!await hasCurrentFiles()) return;
    const { body, problems } = campaign();
    if (problems.length) return showProblems(problems);
    button.disabled = true;
    try {
      const id = edited ? await replace(body) : await hold(body);
      forget();
      location.hash = `#/campaigns?id=${id}`;
    } catch (refusal) {
      showRefusal(refusal);
      button.disabled = false;
    }
  }

  /** Shows why the campaign was not stored. */
  function showRefusal(refusal) {
    if (refusal.status === 409 && refusal.errors[0]?.field === "revision") return showChange(refusal.errors[0].error);
    showProblems(refusal.errors?.length ? refusal.errors : [{ error: refusal.message, advice: "try again" }]);
  }

  /** Offers a choice if the edited campaign has changed since the form was opened, because saving would undo the change. */
  function showChange(what) {
    const id = edited.status.id;
    const discard = () => { edits.delete(id); location.hash = `#/campaigns?id=${id}`; };
    const overwrite = async () => {
      try {
        draft.revision = (await stored(id)).status.revision;
      } catch (refusal) {
        return showRefusal(refusal);
      }
      await save(store);
    };
    showProblems([]);
    put(general, h("p", { class: "error" }, `${changeText(what, edited.status.name)} Your changes have not been saved. If you save them, the other changes are lost.`),
      h("p", { class: "buttons" }, h("button", { type: "button", class: "quiet", onclick: discard }, "Discard my changes"),
        h("button", { type: "button", class: "danger", onclick: overwrite }, "Save my changes")));
  }

  async function replace(body) {
    const id = edited.status.id;
    const hasList = body.to === "list" && fields.list.value.trim() !== "";
    // A scheduled campaign must not start with only a part of its new list.
    const [saved] = await call("PUT", `/campaigns/${id}`, hasList ? { ...body, draft: true } : body, { revision: draft.revision });
    // If a later step fails, the user can save the form again.
    draft.revision = saved.revision;
    if (!hasList) return id;
    await call("DELETE", `/campaigns/${id}/recipients`);
    await bring(id, false);
    if (edited.status.state === "scheduled" && body.at) await call("POST", `/campaigns/${id}/resume`);
    return id;
  }

  /**
   * Returns true if a problem should be reported before the form is sent: a field that is still empty isn't invalid
   * yet.
   */
  function isOfWhatWasTyped({ field, isOfList }) {
    if (field === "topic" && !fields.topic.value.trim() && !chosen) return false;
    if (field === "to" && lacksSubject()) return false;
    if (!chosen && languages.isAboutEmpty(field)) return false;
    // The check does not send the list, so the service's other problems with it are unknown until the dry run.
    return fields.to.value !== "list" || field !== "to" || isOfList === true;
  }

  async function check() {
    running.abort();
    running = new AbortController();
    try {
      const found = await preview({ isFull: false, signal: running.signal });
      if (found.languages) accept(found.problems);
      showProblems(found.problems.filter(isOfWhatWasTyped));
    } catch (refusal) {
      if (refusal.name === "AbortError") return;
      if (refusal.errors?.length) accept(refusal.errors);
      showProblems(refusal.errors?.length ? refusal.errors.filter(isOfWhatWasTyped) : [{ error: refusal.message, advice: "try again" }]);
    }
  }

  function changed() {
    version += 1;
    remember();
    if (edited) edits.set(edited.status.id, draft);
    arrange();
    showLive();
    put(result);
    clearTimeout(timer);
    // The response to a check of the former values must not replace the problems of the current ones.
    running.abort();
    if (!fault) timer = setTimeout(check, 300);
  }

  async function submit(event) {
    event.preventDefault();
    clearTimeout(timer);
    running.abort();
    remember();
    if (!await hasCurrentFiles()) return file.control.focus();
    const enable = disable(dryRun);
    const checked = version;
    try {
      const found = await preview({ isFull: true });
      if (version === checked) {
        if (found.languages) accept(found.problems);
        showProblems(found.problems);
        if (found.languages) showPreview(found);
      }
    } catch (refusal) {
      if (version === checked) {
        if (refusal.errors?.length) accept(refusal.errors);
        showProblems(refusal.errors?.length ? refusal.errors : [{ error: refusal.message, advice: "try again" }]);
      }
    }
    enable();
    main.querySelector("[aria-invalid]")?.focus();
  }

  function showPreview(found) {
    const isLater = found.startsInSeconds > 0;
    const isGood = found.problems.length === 0 && found.devices > 0;
    const verb = isLater ? "Schedule for" : "Send to";
    const send = h("button", { type: "button", onclick: () => start(send, isLater ? null : found) },
      `${edited ? `Save and ${verb.toLowerCase()}` : verb} ${count(found.devices, "device", "devices")}${isLater ? "" : "…"}`);
    // A scheduled campaign starts automatically once its changes are saved.
    const canStart = isGood && (!edited || edited.status.state === "draft");
    const notes = warnings(found);
    put(result, h("h2", {}, "Dry run"),
      h("p", { class: isGood ? "check good" : "check bad" }, isGood ? `Would be sent to ${count(found.devices, "device", "devices")}. Nothing has been sent.`
        : found.problems.length ? "Would be refused. Nothing has been sent." : "No devices match."),
      found.problems.length ? h("ul", { class: "notes wrong" }, found.problems.map((one) => h("li", {}, said(one)))) : null,
      notes.length ? h("ul", { class: "notes", "aria-label": "Warnings" }, notes.map((one) => h("li", {}, sentences(one)))) : null,
      previews(found, (fields.topic.value.trim() || chosen?.campaign.topic) ?? "", hasImage(campaign().body)),
      // A campaign whose time has passed is refused, so it has no times to show.
      found.timeZones.length && !found.problems.some(hasPassed) ? table("By time zone", [["Time zone", (row) => row.timeZone ?? "no time zone (UTC)"],
        ["Devices", (row) => row.devices.toLocaleString()], ["First sent (your time)", (row) => dateTime(row.at)]], found.timeZones, "") : null,
      canStart ? h("p", { class: "buttons" }, send) : null);
  }

  /** Uses another campaign instead of the form's own texts, or null, and shows why the selected files can't be used. */
  function choose(campaign, problem, isKnown = false) {
    chosen = campaign;
    fault = problem;
    isAccepted = isKnown;
    changed();
    if (!fault) showProblems([]);
  }

  /** Starts or schedules the campaign; `found` is the preview to confirm if it is sent immediately. */
  async function start(button, found) {
    if (!await hasCurrentFiles()) return;
    const { body, problems } = campaign();
    if (problems.length) return showProblems(problems);
    // Without a name, a campaign is called by its first title.
    const texts = Object.values(body.alert ?? {}).map((one) => one?.title || one?.body).filter((one) => typeof one === "string");
    const title = `Send “${body.name || texts[0] || body.topic}” now?`;
    if (found && !await confirm({ title, text: sendText(found, body), action: "Send" })) return;
    button.disabled = store.disabled = true;
    let id;
    let isStarting = false;
    try {
      id = edited ? await replace(body) : await hold(body);
      isStarting = true;
      await call("POST", `/campaigns/${id}/resume`, undefined, { revision: edited ? draft.revision : undefined });
      forget();
      location.hash = `#/campaigns?id=${id}`;
    } catch (refusal) {
      // Without an answer, the campaign might have started: a second attempt could send it twice.
      if (isStarting && !(refusal.status >= 400 && refusal.status < 500)) {
        forget();
        location.hash = `#/campaigns?id=${id}`;
        return;
      }
      // Don't leave a new campaign that didn't start.
      if (id && !edited) await call("DELETE", `/campaigns/${id}`).catch(() => {});
      showRefusal(refusal);
      button.disabled = store.disabled = false;
    }
  }

  file.control.addEventListener("change", async (event) => {
    event.stopPropagation();
    choices += 1;
    const choice = choices;
    const selected = [...file.control.files];
    names = selected.map((one) => one.name);
    let read;
    try {
      read = await readFiles(selected);
    } catch (problem) {
      if (choice !== choices) return;
      takeBack();
      choose(null, problem.message);
      showProblems([{ field: "files", error: fault }]);
      return;
    }
    if (choice !== choices) return;
    takeBack();
    if (!read) return choose(kept, "", kept !== null);
    takeOver(read.campaign);
    choose(read, "");
  });

  main.append(h("form", { class: "grid", onsubmit: submit, oninput: changed, novalidate: true },
    fields.name.element, fields.topic.element, apps, fields.to.element, fields.subject.element, fields.list.element,
    chosen ? h("p", { class: "hint wide" }, "This campaign contains plural forms or refers to the app's strings, which the form can't show. They are kept unless you choose a file.") : null,
    written, time.element, fields.rate.element,
    more, fromFile, general, h("p", { class: "wide buttons" }, dryRun, store)), result);
  arrange();
  showLive();
  call("GET", "/status").then(([status]) => {
    put(apps, status.apps.map((app) => h("option", { value: app.topic })));
    if (status.apps.length !== 1 || fields.topic.value) return;
    fields.topic.value = status.apps[0].topic;
    showLive();
    // The user might have entered text in the meantime; check it for this app.
    if (languages.hasTexts) changed();
  }).catch(() => {});
  return () => {
    clearTimeout(timer);
    running.abort();
    // The form forgets its file when the user leaves it, unless the input has been stored.
    if (copies.length === 0 || Object.keys(draft).length === 0) return;
    takeBack();
    remember();
  };
}

/** Returns the JSON object in a text, or null if the text is anything else. */
function objectIn(text) {
  try {
    const value = JSON.parse(text);
    return value !== null && typeof value === "object" && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

/** Returns a whole number; returns any other text unchanged, for the service to reject. */
function whole(text) { return /^\d{1,15}$/.test(text) ? Number(text) : text; }

/** Returns the part of a campaign's document that a file contains. */
function contentOf(document) {
  const { name, to, rate, at, quietHours, ...content } = document;
  return content;
}

/** Returns true if a problem is that the campaign's time has passed for every device. */
function hasPassed({ field, advice }) { return field === "at" && advice?.startsWith("the time has passed"); }

/** Replaces the names of a campaign's members in a message with the labels of their fields. */
function labeled(text) {
  const labels = { arguments: "Placeholder values", fallback: "Other languages", environment: "Token environment", payload: "Additional payload" };
  return text.replace("Add 'alert' or", "Add a title, a subtitle or a body, or").replaceAll("'alert'", "the title, subtitle or body")
    .replace(/'(arguments|fallback|environment|payload)'/g, (_, name) => `“${labels[name]}”`);
}
