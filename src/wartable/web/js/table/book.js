// The rule book in force at a table, and what the page reads from it.

import { figure, money, rounded } from "../money.js";
import { nameOf } from "../names.js";
import { t } from "../texts.js";
import { label, serverWords } from "../words.js";

/** @typedef {import("../types.js").Table} Table */
/** @typedef {import("../types.js").Wager["kind"]} WagerKind */
/** @typedef {WagerKind} SpotKind the wagers that are bet before the deal */
/** @typedef {Omit<import("../types.js").TableBook, "rules"> & {rules: any}} TableBook the rules as plain values */
/** @typedef {import("../types.js").WagerShown} WagerShown */
/** @typedef {import("../types.js").Pay} Pay */
/** @typedef {import("../types.js").Chance} Chance */
/** @typedef {import("../types.js").WheelShown} WheelShown */
/** @typedef {import("../types.js").Limit} Limit */

/**
 * A wager's name in print: the label without the word for a wager, a long one cut to its start.
 * @param {TableBook} book
 * @param {WagerKind} kind
 * @returns {string}
 */
export function printed(book, kind) {
  if (kind === "war_tie") return t("felt.war_tie");
  const words = label(book, kind).replace(/ (Wager|Bet)$/, "").split(" ");
  // The war wager has no spot of its own to fit into.
  return kind === "war" ? words.join(" ") : words.slice(0, wagerOf(book, kind)?.label_words).join(" ");
}

/**
 * The spots of every box.
 * @param {TableBook} book
 * @returns {SpotKind[]}
 */
export function spotsOf(book) {
  return book.wagers.filter((wager) => wager.before_deal).map((wager) => wager.kind);
}

/**
 * A wager that the book offers.
 * @param {TableBook} book
 * @param {WagerKind} kind
 * @returns {WagerShown | undefined}
 */
export function wagerOf(book, kind) {
  return book.wagers.find((wager) => wager.kind === kind);
}

/**
 * The book's section about the wager that a wheel pays; undefined if none is offered.
 * @param {TableBook} book
 * @returns {any}
 */
export function wheelOf(book) {
  const paid = book.wagers.find((wager) => wager.by_wheel);
  return paid && book.rules.wagers[paid.kind];
}

/**
 * The amount that a stop is named after, in cents: "$1,000"; null if it has another name.
 * @param {string} symbol
 * @returns {number | null}
 */
function faceOf(symbol) {
  return /^\$[\d,]+$/.test(symbol) ? 100 * Number(symbol.slice(1).replaceAll(",", "")) : null;
}

/**
 * A stop of the wheel in words.
 * @param {string} symbol
 */
export function stopName(symbol) {
  const face = faceOf(symbol);
  return symbol === "none" ? t("wheel.none") : face === null ? serverWords(symbol.replace("_", " ")) : money(face);
}

/**
 * What is printed on a community stop: it may pay another amount than its symbol says, then both.
 * @param {string} symbol
 * @param {number} pays
 */
export function communityStop(symbol, pays) {
  return faceOf(symbol) === pays ? stopName(symbol) : `${stopName(symbol)}→${figure(pays / 100, 2)}`;
}

/**
 * A chance as a share of the wheel's turns: 0.0962 is 9.62%.
 * @param {Chance | undefined} chance
 */
export function shareOf(chance) {
  return rounded(chance?.value ?? 0);
}

/**
 * How many boxes are drawn: the layout's, or one for each community card.
 * @param {TableBook} book
 * @returns {number}
 */
export function boxesOf(book) {
  return book.community || book.rules.table.boxes;
}

/**
 * The clauses behind an outcome.
 * @param {TableBook} book
 * @param {string} wager
 * @param {string} outcome
 * @returns {readonly string[]}
 */
export function clausesOf(book, wager, outcome) {
  return book.clauses[`${wager}.${outcome}`] ?? [];
}

/**
 * Whether primary, war wager and a match of the bank or the house are one pot of three units.
 * @param {TableBook} book
 * @returns {boolean}
 */
export function hasPot(book) {
  const { banker, deal, options } = book.rules;
  return (banker === "player" || deal.house_match) && ["both_units", "no_bonus"].includes(options.war_pays);
}

/**
 * The limits on the table's sign: the book's, and those set by the floor.
 * @param {TableBook} book
 * @param {Table} state
 * @returns {{name: string, text: string}[]}
 */
export function limitsSign(book, state) {
  const limits = book.rules.limits;
  const held = state.restrictions;
  const lines = [
    { name: "primary", text: `${label(book, "primary")} ${range({ min: held.primary_min ?? limits.primary.min, max: held.primary_max ?? limits.primary.max })}` },
    { name: "tie", text: `${label(book, "tie")} ${range({ min: held.tie_min ?? limits.tie.min, max: held.tie_max ?? limits.tie.max })}` },
  ];
  const add = (/** @type {string} */ name, /** @type {string} */ text) => lines.push({ name, text });
  const boxMost = held.box_max ?? limits.box_max;
  if (boxMost !== null) add("box_max", t("limits.box", { amount: money(boxMost) }));
  const playerMost = held.player_box_max ?? limits.player_box_max;
  if (playerMost !== null) add("player_box_max", t("limits.player_box", { amount: money(playerMost) }));
  for (const [player, most] of Object.entries(state.player_box_maximums)) {
    add("player_box_max", t("limits.box_of", { player: nameOf(player), amount: money(most) }));
  }
  const ceiling = held.wager_max ?? limits.ceiling;
  if (ceiling !== null) add("ceiling", t("limits.ceiling", { amount: money(ceiling) }));
  const boxes = held.boxes_per_player;
  if (boxes !== undefined) add("boxes_per_player", t("limits.boxes", { count: boxes }));
  const players = held.players_per_box;
  if (players !== undefined) add("players_per_box", t("limits.players", { count: players }));
  return lines;
}

/**
 * The most that any one wager can be here; Infinity if nothing limits it.
 * @param {TableBook} book
 * @param {Table | null} state
 * @param {string | null} you
 * @returns {number}
 */
export function mostOf(book, state, you) {
  const { limits } = book.rules;
  const held = state?.restrictions ?? {};
  const wager = Math.max(held.primary_max ?? limits.primary.max ?? Infinity, held.tie_max ?? limits.tie.max ?? Infinity);
  const box = held.box_max ?? limits.box_max ?? Infinity;
  const own = state?.player_box_maximums[you ?? ""] ?? held.player_box_max ?? limits.player_box_max ?? Infinity;
  return Math.min(wager, box, own, held.wager_max ?? limits.ceiling ?? Infinity);
}

/**
 * The range of a wager in words.
 * @param {Limit} limit
 * @returns {string}
 */
export function range(limit) {
  return limit.max === null ? t("word.from", { min: money(limit.min) }) : t("word.range", { min: money(limit.min), max: money(limit.max) });
}
