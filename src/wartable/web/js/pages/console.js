// The console: what all pages of staff have in common, the way between them and who may see which.

import { get } from "../api.js";
import { find, make, replace } from "../dom.js";
import "../elements/wt-header.js";
import { callExactly } from "../names.js";
import { current } from "../session.js";
import { notice, sentenceOf } from "./pieces.js";

/** @typedef {import("../types.js").FloorView} FloorView */
/** @typedef {import("../dom.js").Child} Child */

/**
 * Whether the role is told of closures and disputes, and may look at rounds again.
 * @param {FloorView} view
 */
export function sees(view) {
  return view.rights.includes("disable") || view.rights.includes("records");
}

/**
 * Who is at work, and the pages that their role has.
 * @param {FloorView} view
 */
function shell(view) {
  const waiting = view.disputes > 0 && make("span", { class: "count", "data-waiting": view.disputes, "aria-label": `${view.disputes} waiting` }, String(view.disputes));
  const links = view.pages.map(({ path, title }) =>
    make("li", {}, make("a", { href: path, "aria-current": path === location.pathname ? "page" : null }, title, path === "/people" && waiting)),
  );
  return make(
    "div",
    { class: "console-bar" },
    make("nav", { "aria-label": "Console" }, make("ul", { class: "console-pages", "data-console": true }, ...links)),
    make("p", { class: "soft", "data-role": view.role }, `${view.name}, ${view.role}`),
  );
}

/**
 * The bar of the console; nothing for somebody who does not work here.
 * @returns {Promise<Child>}
 */
export async function bar() {
  const me = await current().catch(() => null);
  return me === null || me.role === "player" ? null : shell(await get("/staff"));
}

/**
 * Open a page of the console for those who may see it.
 * @param {(view: FloorView, main: HTMLElement) => void | Promise<void>} show fills the place below the title
 */
export async function open(show) {
  const main = find("#main");
  const heading = find("#main h1");
  replace(main, heading, make("p", { class: "soft loading" }, "Loading..."));
  try {
    const me = await current();
    if (me === null || me.role === "player") {
      replace(main, heading, make("div", { class: "empty", "data-empty": true }, make("p", {}, "This page is for the house's staff."), make("a", { class: "button primary", href: "/account" }, "Sign in")));
      return;
    }
    callExactly();
    /** @type {FloorView} */
    const view = await get("/staff");
    const place = make("div", { class: "stack" });
    replace(main, shell(view), heading, place);
    if (view.pages.some(({ path }) => path === location.pathname)) await show(view, place);
    else replace(place, make("div", { class: "empty", "data-empty": true }, make("p", {}, `The role ${view.role} has no part in this page.`)));
  } catch (error) {
    replace(main, heading, notice(sentenceOf(error), "bad"));
  }
}

/**
 * The value of a form's field without spaces around it.
 * @param {HTMLFormElement} sent
 * @param {string} name
 */
export function value(sent, name) {
  return String(new FormData(sent).get(name) ?? "").trim();
}

/**
 * A required field for a line of text.
 * @param {string} [hint]
 */
export function text(hint = "") {
  return make("input", { type: "text", required: true, maxlength: 200, placeholder: hint });
}

/**
 * The clauses behind something, each with its rule in our words.
 * @param {readonly {id: string, rule: string}[] | undefined} clauses
 * @returns {Child}
 */
export function clausesOf(clauses) {
  if (clauses === undefined || clauses.length === 0) return null;
  const lines = clauses.map(({ id, rule }) => make("li", { "data-clause": id }, make("span", { class: "clause-id" }, id), ` ${rule}`));
  return make("ul", { class: "clause-list small soft" }, ...lines);
}
