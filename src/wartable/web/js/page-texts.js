// The texts of the players' pages beside the table, which the table does not have to load.

import { filled, LANGUAGE, t as shared } from "./texts.js";
import { TEXTS as ENGLISH } from "./texts/en-pages.js";

export { LANGUAGE, refusalWords } from "./texts.js";

/** @typedef {keyof typeof ENGLISH} PageKey */
/** @typedef {import("./texts.js").TextKey | PageKey} TextKey */
/** @typedef {Readonly<Record<PageKey, import("./texts.js").Text>>} PageTexts */

/** @type {PageTexts} */
const TEXTS = LANGUAGE === "es" ? (await import("./texts/es-pages.js")).TEXTS : ENGLISH;

/**
 * The text of a key with its slots filled; `count` chooses between the forms.
 * @param {TextKey} key
 * @param {Readonly<Record<string, string | number>>} [values]
 * @returns {string}
 */
export function t(key, values = {}) {
  return key in TEXTS ? filled(TEXTS[/** @type {PageKey} */ (key)], values) : shared(/** @type {import("./texts.js").TextKey} */ (key), values);
}
