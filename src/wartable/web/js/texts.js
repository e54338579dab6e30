// The texts of the pages in the language of the house, with the form that a count asks for.

import { TEXTS as ENGLISH } from "./texts/en.js";

/** @typedef {keyof typeof ENGLISH} TextKey */
/** @typedef {import("./texts/en.js").Text} Text */

/** The language of the page, as the server wrote it. */
export const LANGUAGE = globalThis.document?.documentElement.lang || "en";

/** @type {Readonly<Record<TextKey, Text>>} */
const TEXTS = ENGLISH;
const PLURALS = new Intl.PluralRules(LANGUAGE);
const SLOT = /\{(\w+)\}/g;

/**
 * The text of a key with its slots filled; `count` chooses between the forms.
 * @param {TextKey} key
 * @param {Readonly<Record<string, string | number>>} [values]
 * @returns {string}
 */
export function t(key, values = {}) {
  const text = TEXTS[key];
  const form = typeof text === "string" ? text : PLURALS.select(Number(values.count)) === "one" ? text.one : text.other;
  return form.replace(SLOT, (whole, name) => String(values[name] ?? whole));
}
