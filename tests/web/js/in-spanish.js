// What Spanish pages say instead of the server's English words: null for what they leave in English.

import { readFileSync } from "node:fs";

import { LINKS, TITLES } from "../../../src/wartable/web/js/navigation.js";
import { PHRASES, SENTENCES } from "../../../src/wartable/web/js/sentences.js";
import { TEXTS as ENGLISH_PAGES } from "../../../src/wartable/web/js/texts/en-pages.js";
import { TEXTS as ENGLISH } from "../../../src/wartable/web/js/texts/en.js";
import * as pages from "../../../src/wartable/web/js/texts/es-pages.js";
import * as table from "../../../src/wartable/web/js/texts/es.js";

Object.assign(globalThis, { document: { documentElement: { lang: "es", dataset: {} }, body: { dataset: {} }, querySelectorAll: () => [] } });
const { said } = await import("../../../src/wartable/web/js/page-texts.js");
const { serverWords } = await import("../../../src/wartable/web/js/words.js");

/** Every string in a value, however deep. @param {any} value @returns {string[]} */
const strings = (value) => (typeof value === "string" ? [value] : value instanceof RegExp ? [] : Object.values(value).flatMap(strings));

/** @param {any[]} values */
const words = (values) => new Set(strings(values).flatMap((text) => text.replace(/\{[^{}:]*/g, " ").toLowerCase().match(/\p{L}+/gu) ?? []));

const asked = JSON.parse(readFileSync(process.argv[2] ?? "", "utf-8"));
/** The words of the pages' titles and links in one language. @param {"en" | "es"} language */
const titles = (language) => [...Object.values(TITLES), ...LINKS.map((link) => link.words)].map((each) => each[language]);
const spanish = words([table, pages, titles("es")]);
console.log(JSON.stringify({
  said: asked.said.map((/** @type {[any, string]} */ [kind, name]) => said(kind, name, "") || null),
  told: asked.told.map((/** @type {string} */ text) => (serverWords(text) === text ? null : serverWords(text))),
  // Words that only the English catalogue has: a Spanish page that says one has been left in English.
  english: [...words([ENGLISH, ENGLISH_PAGES, SENTENCES, PHRASES, titles("en")])].filter((word) => word.length > 1 && !spanish.has(word)).sort(),
}));
