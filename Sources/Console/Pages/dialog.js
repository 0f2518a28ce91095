import { h } from "/console/elements.js";

/**
 * Asks before an action that can't be undone. Cancel has the focus, so that Enter or a double click does no harm.
 * Returns whether the user confirmed.
 */
export function confirm({ title, text, action }) {
  return new Promise((resolve) => {
    const cancel = h("button", { type: "button", class: "quiet", autofocus: true, onclick: () => dialog.close() }, "Cancel");
    const dialog = h("dialog", { "aria-labelledby": "dialog-title", "aria-describedby": "dialog-text" },
      h("h2", { id: "dialog-title" }, title), h("p", { id: "dialog-text" }, text),
      h("p", { class: "buttons" }, cancel,
        h("button", { type: "button", class: "danger", onclick: () => dialog.close("yes") }, action)));
    open(dialog, () => resolve(dialog.returnValue === "yes"));
    cancel.focus();
  });
}

/** Shows a dialog with content of its own; returns it. `done` is called once it is closed. */
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
