// Dialogs: a question with answers, or something to read.

import { make } from "../dom.js";
import { t } from "../texts.js";

/** @typedef {{value: string, text: string, primary?: boolean, danger?: boolean}} Answer */

/**
 * Ask, and get the chosen answer, or null when it was dismissed.
 * @param {string} title
 * @param {Node[]} content
 * @param {Answer[]} answers
 * @param {{must?: boolean, wide?: boolean, name?: string, dismiss?: string}} [how] `must` cannot be dismissed
 * @returns {Promise<string | null>}
 */
export function ask(title, content, answers, how = {}) {
  const heading = make("h2", { id: "dialog-title" }, title);
  const close = how.must ? null : make("button", { type: "button", class: "button", value: "" }, how.dismiss ?? (t(answers.length === 0 ? "dialog.close" : "dialog.cancel")));
  const buttons = answers.map(({ value, text, primary, danger }) =>
    make("button", { type: "button", value, class: `button${primary ? " primary" : ""}${danger ? " danger" : ""}`, "data-answer": value }, text),
  );
  const row = make("div", { class: "buttons" }, close, ...buttons);
  const dialog = make("dialog", { "aria-labelledby": "dialog-title", class: how.wide ? "wide" : null, "data-dialog": how.name ?? null }, heading, ...content, row);
  document.body.append(dialog);
  return new Promise((resolve) => {
    row.addEventListener("click", (event) => {
      if (event.target instanceof HTMLButtonElement) dialog.close(event.target.value);
    });
    // Enter in a field means what is offered first.
    dialog.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || !(event.target instanceof HTMLInputElement)) return;
      event.preventDefault();
      row.querySelector("button.primary")?.dispatchEvent(new MouseEvent("click", { bubbles: true }));
    });
    dialog.addEventListener("cancel", (event) => {
      if (how.must) event.preventDefault();
    });
    dialog.addEventListener("close", () => {
      // A second Escape closes any dialog, whatever the page says to the first one.
      if (how.must && dialog.returnValue === "") {
        dialog.showModal();
        return;
      }
      dialog.remove();
      resolve(dialog.returnValue === "" ? null : dialog.returnValue);
    });
    dialog.showModal();
  });
}
