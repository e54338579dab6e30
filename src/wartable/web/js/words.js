// Events as plain sentences, for screen readers and for the list of what happened. The words and the
// notation of their slots are those of the server (telling.py).

import { name as cardName } from "./cards.js";
import { money } from "./money.js";
import { nameOf } from "./names.js";
import { PHRASES, SENTENCES } from "./sentences.js";
import { FOREIGN, t } from "./texts.js";

/** @typedef {import("./types.js").Event} Event */

/**
 * What a sentence needs from a book: its own names, its words for each outcome, and who banks.
 * @typedef {object} BookWords
 * @property {{labels: Record<string, string>, outcomes: Record<string, Record<string, string>>, banker: string}} rules
 */

/**
 * The book whose words are used, if there is one, and the reader's name.
 * @typedef {object} Teller
 * @property {BookWords | null} book
 * @property {string} me
 */

/**
 * A count with its noun: "1 card", "2 cards".
 * @param {number} count
 * @param {string} noun
 * @param {string} [many] the noun for more than one, if an "s" does not make it
 * @returns {string}
 */
export function plural(count, noun, many = `${noun}s`) {
  return `${count} ${count === 1 ? noun : many}`;
}

const PART = /\$(\d)|\{(\d)\}/g;

/**
 * What the server says of payments, cards, the wheel and closures, in the visitor's language if it has the words.
 * @param {string} text
 * @returns {string}
 */
export function serverWords(text) {
  for (const [form, words] of FOREIGN?.FORMS ?? []) {
    const found = form.exec(text);
    if (found !== null) return words.replace(PART, (_, as, own) => (as === undefined ? serverWords(found[own] ?? "") : (found[as] ?? "")));
  }
  return text;
}

/**
 * The book's own name for a wager.
 * @param {BookWords | null} book
 * @param {string} kind
 * @returns {string}
 */
export function label(book, kind) {
  return book?.rules.labels[kind] ?? kind.replaceAll("_", " ");
}

/**
 * The book's own words for how a wager ended.
 * @param {BookWords | null} book
 * @param {string} wager
 * @param {string} outcome
 * @returns {string}
 */
export function outcomeWords(book, wager, outcome) {
  return foreignOutcome(wager, outcome) ?? book?.rules.outcomes[wager]?.[outcome] ?? outcome.replaceAll("_", " ");
}

/**
 * The visitor's own language's words for an outcome; undefined in English, which is the books'.
 * @param {string} wager
 * @param {string} outcome
 */
function foreignOutcome(wager, outcome) {
  return FOREIGN?.OUTCOMES[`${wager}.${outcome}`] ?? FOREIGN?.OUTCOMES[outcome];
}

/**
 * An outcome in one or two words, without the book's.
 * @param {string} wager
 * @param {string} outcome
 * @returns {string}
 */
export function outcomeName(wager, outcome) {
  return foreignOutcome(wager, outcome) ?? outcome.replaceAll("_", " ");
}

/**
 * The book's own name for the side that the cards are compared with, after its article where a language needs that.
 * @param {BookWords | null} book
 * @returns {readonly [string, string]}
 */
function dealerNamed(book) {
  const own = book?.rules.labels.dealer ?? "dealer";
  const lower = own.toLowerCase();
  return FOREIGN?.GRAMMAR.dealers[lower] ?? ["", lower === "dealer" ? lower : own];
}

/**
 * Who the cards are compared with, in a sentence.
 * @param {BookWords | null} book
 * @returns {string}
 */
export function dealerWord(book) {
  return dealerNamed(book).join(" ").trim();
}

/**
 * The same by itself, as it stands on the felt.
 * @param {BookWords | null} book
 * @returns {string}
 */
export function dealerName(book) {
  return cased(dealerNamed(book)[1], true);
}

const BRACKETS = /\[(?:(\w+)=(\w+)\?)?([^[\]|]*)(?:\|([^[\]]*))?\]/g;
const SLOT = /\{([\w.]+)('s)?(?::([^{}]*))?\}/g;

/**
 * The value of a field, or of a field's field; a capital letter only begins a sentence.
 * @param {any} event
 * @param {string} path
 * @returns {any}
 */
function valueOf(event, path) {
  return path.split(".").reduce((part, name) => part[name.charAt(0).toLowerCase() + name.slice(1)], event);
}

/**
 * Whether a slot is no field, or the field has a value.
 * @param {any} event
 * @param {string} path
 * @returns {boolean}
 */
function has(event, path) {
  return path.toLowerCase() === "label" || path === "banker" || ![null, undefined, "", 0].includes(valueOf(event, path));
}

/**
 * A field's value as people read it.
 * @param {any} event
 * @param {Teller} by
 * @param {string} field
 * @param {any} value
 * @returns {string}
 */
function shown(event, by, field, value) {
  switch (field) {
    case "player":
      return value === by.me ? (FOREIGN?.GRAMMAR.you ?? t("word.you")) : nameOf(value);
    case "amount":
    case "returned":
      return money(value);
    case "value":
      return /_(min|max)$/.test(event.limit) ? money(value) : String(value);
    case "card":
      return cardName(value);
    case "wager":
      return label(by.book, value);
    case "outcome":
      return outcomeWords(by.book, event.wager, value);
    case "method":
      return phrase(field, value).replaceAll("_", " ");
    case "accepted":
      return Object.entries(value)
        .filter(([kind, count]) => event[kind] !== count)
        .map(([kind, count]) => `${label(by.book, kind)}: ${event[kind]} counted, ${count} accepted`)
        .join("; ");
    default:
      return phrase(field, value);
  }
}

/**
 * The words for the value of an event's field: the visitor's language's, or the value itself.
 * @param {string} field
 * @param {any} value
 * @returns {string}
 */
export function phrase(field, value) {
  return (FOREIGN?.PHRASES ?? PHRASES)[field]?.[value] ?? String(value);
}

/**
 * A word as it begins a sentence, or as it stands within one.
 * @param {string} word
 * @param {boolean} begins
 */
function cased(word, begins) {
  return begins ? word.charAt(0).toUpperCase() + word.slice(1) : word;
}

/**
 * A slot filled in for a reader.
 * @param {any} event
 * @param {Teller} by
 * @param {string} path
 * @param {string | undefined} owner
 * @param {string | undefined} detail
 * @returns {string}
 */
function fill(event, by, path, owner, detail) {
  const begins = path.charAt(0) === path.charAt(0).toUpperCase();
  if (path.toLowerCase() === "label") return detail === "dealer" && FOREIGN !== null ? cased(dealerWord(by.book), begins) : label(by.book, detail ?? "");
  const banks = by.book?.rules.banker === "player" ? "bank" : "house";
  if (path === "banker") return FOREIGN?.GRAMMAR[banks] ?? banks;
  if (FOREIGN !== null && owner && detail !== undefined) return cased(ownedForeign(FOREIGN.GRAMMAR, valueOf(event, path), by.me, shown(event, by, detail, valueOf(event, detail))), begins);
  if (FOREIGN !== null && (owner || detail !== undefined)) return fillForeign(FOREIGN.GRAMMAR, event, by.me, path, detail);
  const value = valueOf(event, path);
  if (owner) return value === by.me ? cased(t("word.your"), begins) : t("word.owned", { player: nameOf(value) });
  if (detail !== undefined) {
    const [own, others] = detail.split("/");
    return value === by.me ? `${cased(t("word.you"), begins)} ${own}` : `${nameOf(value)} ${others}`;
  }
  return shown(event, by, path, value);
}

/**
 * The same in a language whose verbs say who acts, and in which the owner follows what is owned.
 * @param {import("./texts.js").Language["GRAMMAR"]} grammar
 * @param {any} event
 * @param {string} me
 * @param {string} path
 * @param {string | undefined} detail
 * @returns {string}
 */
function fillForeign(grammar, event, me, path, detail) {
  const player = valueOf(event, path);
  if (detail === undefined) return player === me ? grammar.your : grammar.of.replace("{player}", nameOf(player));
  const [own = "", others = ""] = detail.split("/");
  const begins = path.charAt(0) === path.charAt(0).toUpperCase();
  if (player !== me) return `${nameOf(player)} ${others}`;
  return cased(own, begins);
}

/**
 * What somebody owns, with its owner: before it for the reader, and after it for others.
 * @param {import("./texts.js").Language["GRAMMAR"]} grammar
 * @param {string} player
 * @param {string} me
 * @param {string} owned
 * @returns {string}
 */
function ownedForeign(grammar, player, me, owned) {
  return player === me ? `${t("word.your")} ${owned}` : `${owned} ${grammar.of.replace("{player}", nameOf(player))}`;
}

/**
 * Whether an event counts side bets where there are none, which nobody needs to be told.
 * @param {Event} event
 * @returns {boolean}
 */
export function countsNothing(event) {
  return event.type === "side_bets_counted" && Object.values(event).every((count) => typeof count !== "number" || count === 0);
}

/**
 * The event as a sentence; "" for an event that has none, such as a meter's share.
 * @param {Event} event
 * @param {BookWords | null} [book]
 * @param {string} [me] the reader's name
 * @returns {string}
 */
export function sentence(event, book = null, me = "") {
  let text = (FOREIGN?.SENTENCES ?? SENTENCES)[event.type] ?? "";
  while (text.includes("[")) {
    text = text.replace(BRACKETS, (_, field, value, one, other = "") => {
      const holds =
        field === undefined
          ? [...one.matchAll(SLOT)].every((slot) => has(event, slot[1] ?? ""))
          : String(valueOf(event, field)) === value;
      return holds ? one : other;
    });
  }
  return text.replace(SLOT, (_, path, owner, detail) => fill(event, { book, me }, path, owner, detail));
}
