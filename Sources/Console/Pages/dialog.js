import { h } from "/console/elements.js";

/**
 * The time, in milliseconds, for which the confirmation button is disabled, so that the second click of a double-click
 * can't press it.
 */
const guardTime = 500;

let dialogs = 0;

/**
 * Shows a modal dialog; `text` describes the dialog to screen readers, and `content` follows the text. Escape closes
 * the dialog, and the focus returns to the element that had it. `onClosed` receives the dialog's return value.
 */
export function show({ title, text = [], content = [], role = "dialog", onClosed = () => {} }) {
  const id = `dialog-${++dialogs}`;
  const hasText = text.length > 0;
  const dialog = h("dialog", { role, "aria-labelledby": `${id}-title`, "aria-describedby": hasText ? `${id}-text` : null },
    h("h2", { id: `${id}-title` }, title), hasText ? h("div", { id: `${id}-text` }, text) : null, content);
  dialog.addEventListener("close", () => {
    dialog.remove();
    onClosed(dialog.returnValue);
  });
  // A click outside the dialog, such as the second click of a double-click, must not take the focus from its buttons.
  dialog.addEventListener("mousedown", (event) => { if (event.target === dialog) event.preventDefault(); });
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/** Closes every dialog, as if the user had pressed Escape, because the page's content changes. */
export function closeAll() {
  for (const dialog of document.querySelectorAll("dialog[open]")) dialog.close("");
}

/**
 * Asks the user to confirm an action that can't be undone; the button that changes nothing has the focus. Resolves to
 * true only if the user confirms. `action` and `keep` are the labels of the buttons.
 */
export function confirm({ title, text, action, keep = "Cancel" }) {
  return new Promise((resolve) => {
    const cancel = h("button", { type: "button", class: "quiet", onclick: () => dialog.close("") }, keep);
    const go = h("button", { type: "button", class: "danger", disabled: true, onclick: () => dialog.close("yes") }, action);
    const timer = setTimeout(() => { go.disabled = false; }, guardTime);
    const dialog = show({
      title, role: "alertdialog", text: [text].flat().map((sentence) => h("p", {}, sentence)),
      content: h("p", { class: "buttons" }, cancel, go),
      onClosed: (answer) => {
        clearTimeout(timer);
        resolve(answer === "yes");
      },
    });
    cancel.focus();
  });
}
