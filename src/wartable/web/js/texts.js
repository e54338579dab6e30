// The texts of the players' pages in the visitor's language, with the form that a count asks for.

import { TITLES } from "./navigation.js";
import { preferred } from "./preferences.js";
import { TEXTS as ENGLISH } from "./texts/en.js";

/** @typedef {keyof typeof ENGLISH} TextKey */
/** @typedef {import("./texts/en.js").Text} Text */
/** @typedef {Readonly<Record<TextKey, Text>>} Texts */

/**
 * A language beside English: its texts, and its words for what the server says in English.
 * @typedef {object} Language
 * @property {Texts} TEXTS
 * @property {Readonly<Record<string, string>>} SENTENCES
 * @property {Readonly<Record<string, Readonly<Record<string, string>>>>} PHRASES
 * @property {Readonly<Record<string, string>>} OUTCOMES
 * @property {Readonly<Record<string, string>>} REFUSALS
 * @property {readonly (readonly [RegExp, string])[]} FORMS
 * @property {{you: string, your: string, of: string, house: string, bank: string, dealers: Record<string, [string, string]>}} GRAMMAR
 */

/** The languages, each by its own name. */
export const LANGUAGES = /** @type {const} */ ({ en: "English", es: "Español" });

const page = globalThis.document?.documentElement;

/** The visitor's choice, or else the house's language, as the server wrote it. */
export const LANGUAGE = chosen();

/** @returns {keyof typeof LANGUAGES} */
function chosen() {
  const wanted = [preferred("language"), page?.lang ?? ""].find((each) => each in LANGUAGES);
  return /** @type {keyof typeof LANGUAGES} */ (wanted ?? "en");
}

/** @type {Language | null} */
export const FOREIGN = LANGUAGE === "es" ? await import("./texts/es.js") : null;

/** @type {Texts} */
const TEXTS = FOREIGN?.TEXTS ?? ENGLISH;
const PLURALS = new Intl.PluralRules(LANGUAGE);
const LISTS = new Intl.ListFormat(LANGUAGE);
const SLOT = /\{(\w+)\}/g;

/** @type {Set<string>} */
const english = new Set();

/**
 * The text of a key with its slots filled; `count` chooses between the forms.
 * @param {TextKey} key
 * @param {Readonly<Record<string, string | number>>} [values]
 * @returns {string}
 */
export function t(key, values = {}) {
  return filled(TEXTS[key], values);
}

/**
 * Some things as one says them: "1, 2, and 3".
 * @param {readonly (string | number)[]} things
 * @returns {string}
 */
export function list(things) {
  return LISTS.format(things.map(String));
}

/**
 * A text in the form that a count asks for, with its slots filled.
 * @param {Text} text
 * @param {Readonly<Record<string, string | number>>} values
 * @returns {string}
 */
export function filled(text, values) {
  const form = typeof text === "string" ? text : PLURALS.select(Number(values.count)) === "one" ? text.one : text.other;
  return form.replace(SLOT, (whole, name) => String(values[name] ?? whole));
}

/**
 * Why the server refused something: its sentence, or the words of the visitor's language for that or for its code.
 * @param {string} code
 * @param {string} sentence
 * @returns {string}
 */
export function refusalWords(code, sentence) {
  const words = FOREIGN?.REFUSALS[sentence] ?? FOREIGN?.REFUSALS[code];
  if (words === undefined && FOREIGN !== null) english.add(sentence);
  return words ?? sentence;
}

/**
 * "en" for a sentence of the server that has no words in the visitor's language, so that it is read as English.
 * @param {string} text
 * @returns {"en" | null}
 */
export function languageOf(text) {
  return english.has(text) ? "en" : null;
}

/** Translate what the page itself says, before its script adds the rest. */
function translatePage() {
  page.lang = LANGUAGE;
  const title = TITLES[document.body.dataset.page ?? ""]?.[LANGUAGE];
  if (title !== undefined) {
    for (const each of document.querySelectorAll("[data-title]")) each.textContent = each instanceof HTMLTitleElement ? `${title} · Wartable` : title;
  }
  for (const each of document.querySelectorAll("[data-text-key]")) {
    const key = /** @type {TextKey} */ (each.getAttribute("data-text-key"));
    if (each.hasAttribute("aria-label")) each.setAttribute("aria-label", t(key));
    else each.textContent = each instanceof HTMLTitleElement ? `${t(key)} · Wartable` : t(key);
  }
}

if (page !== undefined && FOREIGN !== null) translatePage();
