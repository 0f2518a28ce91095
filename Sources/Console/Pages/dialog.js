import { h } from "/console/elements.js";

/** Milliseconds for which the confirming button is disabled, so that the second click of a double click can't press it. */
const guardTime = 500;

let dialogs = 0;

/** Shows a modal dialog with this content; `onClosed` receives its return value. Escape closes it. */
export function show({ title, content, role = "dialog", className = "", onClosed = () => {} }) {
  const id = `dialog-${++dialogs}`;
  const dialog = h("dialog", { class: `sheet ${className}`, role, "aria-labelledby": `${id}-title`, "aria-describedby": `${id}-text` },
    h("h2", { id: `${id}-title` }, title), h("div", { id: `${id}-text` }, content.text), content.buttons);
  dialog.addEventListener("close", () => {
    dialog.remove();
    onClosed(dialog.returnValue);
  });
  // A click beside the dialog, such as the second of a double click, must not take the focus from its buttons.
  dialog.addEventListener("mousedown", (event) => { if (event.target === dialog) event.preventDefault(); });
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/**
 * Asks before an action that can't be undone; Cancel has the focus. Resolves to true only if the user confirms.
 * `action` is the label of the confirming button.
 */
export function confirm({ title, text, action }) {
  return new Promise((resolve) => {
    const cancel = h("button", { type: "button", class: "quiet", onclick: () => dialog.close("") }, "Cancel");
    const go = h("button", { type: "button", class: "danger", disabled: true, onclick: () => dialog.close("yes") }, action);
    const timer = setTimeout(() => { go.disabled = false; }, guardTime);
    const dialog = show({
      title, role: "alertdialog",
      content: { text: [text].flat().map((line) => (line instanceof Node ? line : h("p", {}, line))), buttons: h("p", { class: "buttons" }, cancel, go) },
      onClosed: (answer) => {
        clearTimeout(timer);
        resolve(answer === "yes");
      },
    });
    cancel.focus();
  });
}

/** Shows a dialog element of its own; returns it. `done` is called once it is closed, and the focus returns. */
export function open(dialog, done = () => {}) {
  const before = document.activeElement;
  dialog.addEventListener("close", () => {
    dialog.remove();
    before?.focus?.();
    done();
  });
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}
