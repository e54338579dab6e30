// What is chosen in the lab, in the page's address and in requests: one text each way.

/**
 * What is chosen; amounts in cents, `gone` has the cards that left the shoe by rank.
 * @typedef {object} Chosen
 * @property {string} book
 * @property {string} decks
 * @property {string} strategy
 * @property {Record<string, number>} bets
 * @property {Record<string, string>} options
 * @property {Record<string, number>} gone
 * @property {string} meter
 * @property {string} boxes
 * @property {number} bankroll
 * @property {number} rounds
 */

export const RANKS = ["2", "3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K", "A"];
const SUITS = ["s", "h", "d", "c"];

/** @param {Record<string, string | number>} pairs */
function joined(pairs) {
  return Object.entries(pairs).filter(([, value]) => value !== "" && value !== 0).map(([key, value]) => `${key}=${value}`).join(",");
}

/** @param {string} text */
function split(text) {
  return Object.fromEntries(text.split(",").filter((part) => part.includes("=")).map((part) => part.split("=", 2)));
}

/** @param {string} text @returns {Record<string, number>} */
function numbers(text) {
  return Object.fromEntries(Object.entries(split(text)).map(([key, value]) => [key, Number(value)]).filter(([, value]) => Number.isInteger(value) && Number(value) > 0));
}

/**
 * What an address has chosen, over what a page starts with.
 * @param {URLSearchParams} query
 * @param {Chosen} start
 * @returns {Chosen}
 */
export function read(query, start) {
  const text = (/** @type {string} */ key, /** @type {string} */ other) => query.get(key) ?? other;
  const amount = (/** @type {string} */ key, /** @type {number} */ other) => (/^[0-9]{1,12}$/.test(query.get(key) ?? "") ? Number(query.get(key)) : other);
  return {
    book: text("book", start.book),
    decks: text("decks", start.decks),
    strategy: text("strategy", start.strategy),
    bets: query.has("bets") ? numbers(text("bets", "")) : start.bets,
    options: query.has("options") ? split(text("options", "")) : start.options,
    gone: query.has("gone") ? numbers(text("gone", "")) : start.gone,
    meter: text("meter", start.meter),
    boxes: text("boxes", start.boxes),
    bankroll: amount("bankroll", start.bankroll),
    rounds: amount("rounds", start.rounds),
  };
}

/**
 * The address of what is chosen.
 * @param {Chosen} chosen
 * @returns {URLSearchParams}
 */
export function written(chosen) {
  const { book, decks, strategy, meter, boxes, bankroll, rounds } = chosen;
  const texts = { book, decks, strategy, meter, boxes, bets: joined(chosen.bets), options: joined(chosen.options), gone: joined(chosen.gone), bankroll: String(bankroll), rounds: String(rounds) };
  return new URLSearchParams(Object.entries(texts).filter(([, value]) => value !== ""));
}

/**
 * The question to the server; of each rank the suits leave in turn.
 * @param {Chosen} chosen
 * @returns {URLSearchParams}
 */
export function question(chosen) {
  const { book, decks, strategy, meter, boxes } = chosen;
  const seen = RANKS.flatMap((rank) => Array.from({ length: chosen.gone[rank] ?? 0 }, (_, i) => `${rank}${SUITS[i % 4]}`)).join(" ");
  const texts = { book, decks, strategy, meter, boxes, bets: joined(chosen.bets), options: joined(chosen.options), seen };
  return new URLSearchParams(Object.entries(texts).filter(([, value]) => value !== ""));
}
