// The pieces that the pages are built from: problems as sentences, tables, fields, times.

import { say } from "../announce.js";
import { Problem } from "../api.js";
import { name, rank, red, sign } from "../cards.js";
import { make, replace, set } from "../dom.js";
import { Refusal } from "../link.js";
import { money, signed } from "../money.js";
import { LANGUAGE, languageOf, refusalWords, said, t } from "../page-texts.js";

export { duration } from "../table/time.js";

/** @typedef {import("../dom.js").Child} Child */

/**
 * A book's short name, for a heading or a list.
 * @param {string} book
 * @returns {string}
 */
export function bookName(book) {
  return book.replace(/-/g, " ").replace(/\b[a-z]/g, (letter) => letter.toUpperCase());
}

/**
 * Books to choose from, as `choose` takes them.
 * @param {readonly string[]} books
 * @returns {[string, string][]}
 */
export function bookChoices(books) {
  return books.map((book) => [book, bookName(book)]);
}

/**
 * A table's name as it is shown; a private table's own name has its owner's name in it.
 * @param {string} table
 * @returns {string}
 */
export function tableName(table) {
  const [book = "", owner] = table.split("@");
  if (owner !== undefined) return t("lobby.private_of", { book: bookName(book) });
  return /^[a-z-]+ \d+$/.test(table) ? bookName(table) : table;
}

/** Why a visitor's input cannot be used, as a sentence. */
export class Unclear extends Error {}

/**
 * The sentence that says why something failed.
 * @param {unknown} error
 * @returns {string}
 */
export function sentenceOf(error) {
  if (error instanceof Unclear) return error.message;
  if (error instanceof Problem || error instanceof Refusal) return refusalWords(error.code, error.sentence);
  console.error(error);
  return t("link.wrong");
}

/**
 * A sentence in a frame, announced to screen readers as well.
 * @param {string} sentence
 * @param {"bad" | "good" | "warn" | ""} [kind]
 * @returns {HTMLElement}
 */
export function notice(sentence, kind = "") {
  say(sentence, { assertive: kind === "bad" });
  return make("div", { class: `notice ${kind}`, "data-notice": kind || "info" }, make("p", { lang: languageOf(sentence) }, sentence));
}

/**
 * A notice of why the server does not accept a connection, as long as it does not.
 * @param {import("../link.js").Link} link
 */
export function whyNot(link) {
  const place = make("div", { role: "status", "data-connection": link.status });
  link.addEventListener("status", () => {
    set(place, { "data-connection": link.status });
    replace(place, link.status === "full" && notice(`${link.why} ${t("link.later")}`, "warn"));
  });
  return place;
}

/**
 * The text shown while something is loading.
 * @param {string} text
 * @returns {HTMLElement}
 */
export function loading(text) {
  return make("p", { class: "soft loading", "data-loading": true }, text);
}

/**
 * Fill a place with a promise's result; it says so while loading, and shows a failure as a sentence.
 * @template Value
 * @param {Element} place
 * @param {string} text
 * @param {Promise<Value>} promise
 * @param {(value: Value) => Child[]} show
 * @returns {Promise<Value | null>}
 */
export async function filled(place, text, promise, show) {
  replace(place, loading(text));
  try {
    const value = await promise;
    replace(place, ...show(value));
    return value;
  } catch (error) {
    replace(place, notice(sentenceOf(error), "bad"));
    return null;
  }
}

/**
 * A table with a caption; numbers are aligned to the right.
 * @param {string} caption
 * @param {readonly string[]} heads
 * @param {readonly (readonly Child[])[]} rows
 * @param {readonly number[]} [numbers]
 * @returns {HTMLElement}
 */
export function table(caption, heads, rows, numbers = []) {
  const kind = (/** @type {number} */ i) => (numbers.includes(i) ? "number" : null);
  const head = heads.map((text, i) => make("th", { scope: "col", class: kind(i) }, text));
  const lines = rows.map((row) =>
    make("tr", {}, ...row.map((cell, i) => make(i === 0 ? "th" : "td", { scope: i === 0 ? "row" : null, class: kind(i) }, cell))),
  );
  return make(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": caption },
    make("table", {}, make("caption", {}, caption), make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...lines)),
  );
}

/**
 * Terms and their values.
 * @param {readonly (readonly [Child, Child])[]} pairs
 * @returns {HTMLElement}
 */
export function facts(pairs) {
  return make("dl", { class: "facts" }, ...pairs.flatMap(([term, said]) => [make("dt", {}, term), make("dd", {}, said)]));
}

/**
 * A labelled field.
 * @param {string} id
 * @param {string} label
 * @param {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} control
 * @param {string} [hint]
 * @returns {HTMLElement}
 */
export function field(id, label, control, hint = "") {
  control.id = id;
  if (control.name === "") control.name = id;
  if (hint !== "") control.setAttribute("aria-describedby", `${id}-hint`);
  return make(
    "div",
    { class: "field" },
    make("label", { for: id }, label),
    control,
    hint !== "" && make("span", { class: "hint", id: `${id}-hint` }, hint),
  );
}

/**
 * A list to choose from.
 * @param {readonly (readonly [string, string])[]} choices
 * @param {string} [chosen]
 * @returns {HTMLSelectElement}
 */
export function choose(choices, chosen = "") {
  const options = choices.map(([value, text]) => make("option", { value, selected: value === chosen }, text));
  return make("select", {}, ...options);
}

/**
 * A form that this function sends; a failure is shown below it as a sentence.
 * @param {Record<string, string>} attributes
 * @param {readonly Child[]} children
 * @param {string} text
 * @param {(form: HTMLFormElement) => Promise<string | null | void>} send
 * @param {string} [kind]
 * @returns {HTMLFormElement}
 */
export function form(attributes, children, text, send, kind = "primary") {
  const button = make("button", { class: `button ${kind}`, type: "submit" }, text);
  const said = make("div", { "data-said": true });
  const made = make("form", attributes, ...children, make("div", { class: "buttons" }, button), said);
  made.addEventListener("submit", async (event) => {
    event.preventDefault();
    button.disabled = true;
    replace(said);
    try {
      const done = await send(made);
      if (done) replace(said, notice(done, "good"));
    } catch (error) {
      replace(said, notice(sentenceOf(error), "bad"));
    } finally {
      button.disabled = false;
    }
  });
  return made;
}

/**
 * A button that does something once at a time; a failure is shown by `failed`.
 * @param {string} text
 * @param {string} kind
 * @param {() => Promise<unknown>} act
 * @param {(sentence: string) => void} failed
 * @param {import("../dom.js").Attributes} [more]
 * @returns {HTMLButtonElement}
 */
export function button(text, kind, act, failed, more = {}) {
  const made = make("button", { class: `button ${kind}`, type: "button", ...more }, text);
  made.addEventListener("click", async () => {
    made.disabled = true;
    try {
      await act();
    } catch (error) {
      failed(sentenceOf(error));
    } finally {
      made.disabled = false;
    }
  });
  return made;
}

/**
 * A moment in the visitor's own time.
 * @param {number} at_ms
 * @returns {HTMLElement}
 */
export function when(at_ms) {
  const date = new Date(at_ms);
  const text = date.toLocaleString(LANGUAGE === "en" ? undefined : LANGUAGE, { dateStyle: "medium", timeStyle: "short" });
  return make("time", { datetime: date.toISOString(), class: "when" }, text);
}

/**
 * A result with its sign, and in a colour that is not its only sign.
 * @param {number} cents
 * @returns {HTMLElement}
 */
export function net(cents) {
  return make("span", { class: `number ${cents > 0 ? "good" : cents < 0 ? "bad" : ""}` }, signed(cents));
}

/**
 * A banker's result in words: "won $50", "lost $50".
 * @param {number} cents
 * @returns {string}
 */
export function wonOrLost(cents) {
  return t(cents === 0 ? "bank.even" : cents < 0 ? "bank.lost" : "bank.won", { amount: money(Math.abs(cents)) });
}

/**
 * A small card.
 * @param {string} card
 * @returns {HTMLElement}
 */
export function mini(card) {
  return make(
    "span",
    { class: `mini ${red(card) ? "red" : ""}`, role: "img", "aria-label": name(card) },
    `${rank(card)}${sign(card)}`,
  );
}

/**
 * A word of the books and the code in plain words: "war_lost" is "war lost".
 * @param {string} word
 * @returns {string}
 */
export function plain(word) {
  return word.replaceAll("_", " ");
}

/**
 * The documents' own words, and ours about them: they are in English on every page.
 * @param {string} text
 * @returns {HTMLElement}
 */
export function quoted(text) {
  return make("span", { lang: "en" }, text);
}

/**
 * A named option's name in plain words.
 * @param {string} option
 * @returns {string}
 */
export function optionName(option) {
  return said("option", option, plain(option));
}

/**
 * A named option's value in plain words.
 * @param {string} value
 * @returns {string}
 */
export function optionValue(value) {
  return said("value", value, plain(value));
}

/**
 * A value of the page's address.
 * @param {string} key
 * @returns {string}
 */
export function asked(key) {
  return new URLSearchParams(location.search).get(key) ?? "";
}
