// The catalogue: every language says everything, and the players' pages say nothing beside it.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { PHRASES, SENTENCES } from "../../../src/wartable/web/js/sentences.js";
import { TEXTS as ENGLISH_PAGES } from "../../../src/wartable/web/js/texts/en-pages.js";
import { TEXTS as ENGLISH_TABLE } from "../../../src/wartable/web/js/texts/en.js";
import { SAID as TOLD, TEXTS as SPANISH_PAGES } from "../../../src/wartable/web/js/texts/es-pages.js";
import * as spanish from "../../../src/wartable/web/js/texts/es.js";

const ENGLISH = { ...ENGLISH_PAGES, ...ENGLISH_TABLE };
const SPANISH = { ...SPANISH_PAGES, ...spanish.TEXTS };

const ROOT = new URL("../../../", import.meta.url);
const WEB = new URL("src/wartable/web/", ROOT);
const SLOT = /\{[\w.]+/g;

/** @param {string | {one: string, other: string}} text */
const forms = (text) => (typeof text === "string" ? [text] : [text.one, text.other]);

/** @param {string} text */
const slots = (text) => [...new Set(text.match(SLOT) ?? [])].map((each) => each.toLowerCase()).sort();

test("every language has every text, with the same slots", () => {
  assert.deepEqual(Object.keys(SPANISH).sort(), Object.keys(ENGLISH).sort());
  for (const [key, text] of Object.entries(ENGLISH)) {
    const other = SPANISH[key];
    assert.equal(typeof other, typeof text, key);
    const least = slots(forms(text).at(-1)); // the form for one may say "one" instead of the count
    assert.deepEqual(slots(forms(other).at(-1)), least, key);
    for (const form of [...forms(text), ...forms(other)]) {
      assert.ok(slots(form).every((each) => least.includes(each)), `${key}: ${form}`);
      assert.equal(form, form.trim(), key);
    }
    assert.ok(!(key in ENGLISH_PAGES && key in ENGLISH_TABLE), `${key} stands in two files`);
    // `figure` is the count as the house writes it.
    if (typeof text !== "string") assert.ok(least.includes("{count") || least.includes("{figure"), `${key} has two forms and no count`);
  }
});

test("no text was left in English", () => {
  // What both languages say alike: slots and signs, a unit of time, and what Spanish took over.
  const alike = new Set(["bar.session_words", "time.hours", "time.minutes", "account.total", "company.bot", "company.bot_name", "lobby.bots"]);
  const same = Object.keys(ENGLISH).filter((key) => /\p{L}{2}/u.test(forms(ENGLISH[key]).join().replace(/\{\w+\}/g, "")) && forms(ENGLISH[key]).join() === forms(SPANISH[key]).join());
  assert.deepEqual(same.filter((key) => !alike.has(key)), []);
  const small = /(?<![\p{L}_])(the|of|and|is|are|was|were|with|your|you|to|for|this|that|not)(?!\p{L})/iu;
  const said = [...Object.values(SPANISH).flatMap(forms), ...Object.values(spanish.SENTENCES), ...Object.values(spanish.OUTCOMES), ...Object.values(spanish.REFUSALS), ...spanish.FORMS.map(([, words]) => words), ...Object.values(TOLD).flatMap(Object.values)];
  assert.deepEqual(said.filter((text) => small.test(text)), []);
});

test("every event and phrase has its words in every language", () => {
  assert.deepEqual(Object.keys(spanish.SENTENCES).sort(), Object.keys(SENTENCES).sort());
  for (const [type, text] of Object.entries(SENTENCES)) {
    const known = slots(text);
    for (const slot of slots(spanish.SENTENCES[type])) assert.ok(known.includes(slot), `${type} has no ${slot}}`);
  }
  for (const [field, words] of Object.entries(PHRASES)) {
    assert.deepEqual(Object.keys(spanish.PHRASES[field] ?? {}).sort(), Object.keys(words).sort(), field);
  }
});

test("every outcome of the books has its words", () => {
  const books = new URL("src/wartable/rules/books/", ROOT);
  let count = 0;
  for (const file of readdirSync(books)) {
    const text = readFileSync(new URL(file, books), "utf-8");
    for (const [, wager, lines = ""] of text.matchAll(/^\[outcomes\.(\w+)\]\n((?:.+\n)*)/gm)) {
      for (const [, outcome = ""] of lines.matchAll(/^(\w+) *=/gm)) {
        count += 1;
        assert.ok(`${wager}.${outcome}` in spanish.OUTCOMES || outcome in spanish.OUTCOMES, `${file}: ${wager}.${outcome}`);
      }
    }
  }
  assert.ok(count > 50, "no outcomes were found in the books");
});

/** The scripts of the players' pages; the console is English. */
const SCRIPTS = [
  ...["api", "cards", "check", "check-parts", "check-proof", "check-sequence", "link", "money", "names", "numbers", "session", "words"].map((name) => `js/${name}.js`),
  ...["table", "elements", "lab"].flatMap((folder) => readdirSync(new URL(`js/${folder}/`, WEB)).map((name) => `js/${folder}/${name}`)),
  ...["account", "chain", "chart", "complaint", "fairness", "history", "lab", "lobby", "odds", "pieces", "replay", "rules"].map((name) => `js/pages/${name}.js`),
];
const PAGES = ["missing.html", "page.html", "table.html"];

/** Which arguments of a function or method are shown: from one, and up to another. */
const SHOWN = new Map(Object.entries({
  make: [2, 99], replace: [1, 99], write: [1, 2], say: [0, 1], notice: [0, 1], button: [0, 1], field: [1, 2], table: [0, 2],
  figure: [0, 1], ask: [0, 2], part: [0, 1], loading: [0, 1], filled: [1, 2], ".append": [0, 99], ".prepend": [0, 99],
  ".button": [1, 2], ".option": [2, 4], ".tell": [1, 2], ".toggle": [3, 4],
}));
const SAID = new Set(["aria-label", "title", "placeholder", "alt", "data-name", "aria-valuetext", "aria-description"]);
const SENTENCE = /^[A-Z][a-z]+( .*|[.:?!]*)$|[a-z]{2,} [a-z]+.*[.?!:]$/;
const WORD = /\p{L}{2,}/u;
/** Names of things, the same in every language. */
const CARD = /^[2-9TJQKA][cdhs]$/;
const SAME = new Set(["Wartable", "· Wartable", "English", "Español", "Enter", "Backspace", "Casino War", "Casino War™", '{"format": "wartable-shoes-2", "shoes": [ ... ]}']);

/**
 * Every string of a script that a visitor would read.
 * @param {any} ts
 * @param {string} name
 * @param {string} content
 * @returns {string[]}
 */
function strings(ts, name, content) {
  const source = ts.createSourceFile(name, content, ts.ScriptTarget.ES2022, true, ts.ScriptKind.JS);
  const found = [];
  /** @param {any} node */
  const isText = (node) => ts.isStringLiteralLike(node) || node.kind === ts.SyntaxKind.TemplateHead || node.kind === ts.SyntaxKind.TemplateMiddle || node.kind === ts.SyntaxKind.TemplateTail;
  /** @param {any} node @param {boolean} shown */
  const look = (node, shown) => {
    if (ts.isImportDeclaration(node) || ts.isRegularExpressionLiteral?.(node)) return;
    if (isText(node)) {
      const text = node.text.trim();
      const whole = ts.isStringLiteralLike(node) && SENTENCE.test(text);
      if ((whole || (shown && WORD.test(text))) && !SAME.has(text) && !CARD.test(text)) found.push(text);
      return;
    }
    if (ts.isCallExpression(node) || ts.isNewExpression(node)) return call(node);
    if (ts.isPropertyAssignment(node)) return look(node.initializer, SAID.has(node.name.text));
    if (ts.isBinaryExpression(node) && /^[!=]==?$/.test(node.operatorToken.getText())) return;
    if (ts.isBinaryExpression(node) && node.left.getText() === "this.name") return; // an error's own name
    if (ts.isElementAccessExpression(node) || ts.isCaseClause(node)) return ts.forEachChild(node, (each) => isText(each) || look(each, false));
    if (ts.isConditionalExpression(node)) {
      look(node.condition, false);
      look(node.whenTrue, shown);
      return look(node.whenFalse, shown);
    }
    const passes = ts.isTemplateExpression(node) || ts.isTemplateSpan(node) || ts.isBinaryExpression(node) || ts.isParenthesizedExpression(node) || ts.isArrayLiteralExpression(node) || ts.isSpreadElement(node);
    ts.forEachChild(node, (each) => look(each, shown && passes));
  };
  /** @param {any} node */
  const call = (node) => {
    const named = node.expression.name?.text ?? node.expression.text ?? "";
    // Errors for developers, and what is thrown at once if a page is broken.
    if (named === "Error" && ts.isThrowStatement(node.parent)) return;
    if (node.expression.expression?.text === "console" || named === "t" || named === "find") return;
    look(node.expression, false);
    const [from, to] = SHOWN.get(ts.isPropertyAccessExpression(node.expression) ? `.${named}` : named) ?? [Infinity, 0];
    (node.arguments ?? []).forEach((each, place) => look(each, from <= place && place < to));
  };
  look(source, false);
  return found;
}

test("the players' pages say nothing that is not in the catalogue", () => {
  const ts = createRequire(new URL(".venv/npm/", ROOT))("typescript");
  const sample = 'make("p", { title: "A tip" }, n > 1 ? "cards" : t("x.y"), `of ${n} rounds`); say("Well done."); const WORDS = ["Never mind"];';
  assert.deepEqual(strings(ts, "sample.js", sample), ["A tip", "cards", "of", "rounds", "Well done.", "Never mind"], "the search finds nothing");
  const found = SCRIPTS.map((script) => [script, strings(ts, script, readFileSync(new URL(script, WEB), "utf-8"))]);
  assert.deepEqual(found.filter(([, said]) => said.length > 0), []);
});

test("every text is used", () => {
  const scripts = readdirSync(new URL("js/", WEB), { recursive: true }).filter((name) => name.endsWith(".js") && !name.includes("texts/"));
  const all = [...scripts.map((name) => `js/${name}`), ...PAGES].map((name) => readFileSync(new URL(name, WEB), "utf-8")).join("");
  const made = /^(limit|rank|check\.name|check\.found)\.|^felt\.\w+_cards$/; // the rest of these keys is a value
  assert.deepEqual(Object.keys(ENGLISH).filter((key) => !made.test(key) && !all.includes(`"${key}"`)), []);
});

test("styles add no words", () => {
  const folder = new URL("css/", WEB);
  for (const file of readdirSync(folder)) {
    for (const [said = ""] of readFileSync(new URL(file, folder), "utf-8").matchAll(/content: ".*?"/g)) {
      assert.doesNotMatch(said.slice(8).replaceAll("\\A", ""), WORD, file);
    }
  }
});

test("what the pages say before their scripts run is in the catalogue", () => {
  for (const page of PAGES) {
    const html = readFileSync(fileURLToPath(new URL(page, WEB)), "utf-8");
    for (const [, key = "", text = ""] of html.matchAll(/data-text-key="([\w.]+)"[^>]*>([^<]*)/g)) {
      assert.ok(key in ENGLISH_TABLE, `${page}: ${key}`);
      if (text.trim() !== "") assert.equal(text.replace(" · Wartable", ""), ENGLISH[key], `${page}: ${key}`);
    }
    const rest = html.replace(/<[^>]*data-text-key[^>]*>[^<]*/g, "").replace(/<[^>]*>/g, " ").replace("Wartable", "").replaceAll(/@\w+/g, "");
    assert.doesNotMatch(rest, WORD, page);
  }
});
