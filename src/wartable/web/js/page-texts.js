// The texts of the players' pages beside the table, which the table does not have to load.

import { filled, LANGUAGE, t as shared } from "./texts.js";
import { TEXTS as ENGLISH } from "./texts/en-pages.js";

export { filled, LANGUAGE, languageOf, refusalWords } from "./texts.js";

/** @typedef {keyof typeof ENGLISH} PageKey */
/** @typedef {import("./texts.js").TextKey | PageKey} TextKey */
/** @typedef {Readonly<Record<PageKey, import("./texts.js").Text>>} PageTexts */

const FOREIGN = LANGUAGE === "es" ? await import("./texts/es-pages.js") : null;

/** @type {PageTexts} */
const TEXTS = FOREIGN?.TEXTS ?? ENGLISH;

/**
 * The text of a key with its slots filled; `count` chooses between the forms.
 * @param {TextKey} key
 * @param {Readonly<Record<string, string | number>>} [values]
 * @returns {string}
 */
export function t(key, values = {}) {
  return key in TEXTS ? filled(TEXTS[/** @type {PageKey} */ (key)], values) : shared(/** @type {import("./texts.js").TextKey} */ (key), values);
}

/**
 * What the server says in English, or the visitor's language's words for it.
 * @param {"incident" | "measure" | "note" | "option" | "value" | "way"} kind
 * @param {string} name
 * @param {string} english
 * @returns {string}
 */
export function said(kind, name, english) {
  return FOREIGN?.SAID[kind]?.[name] ?? english;
}
