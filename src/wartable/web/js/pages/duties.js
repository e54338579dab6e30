// What staff can do at a table: each command with its fields, and which one is due now.

import { REPORTS } from "../sentences.js";

/** @typedef {import("../sentences.js").Report} Report */
/** @typedef {import("../types.js").Due} Due */
/** @typedef {import("../types.js").FloorTable} FloorTable */

/**
 * A field of a duty: text, a whole number, money, a limit's value, yes or no, or one of some values.
 * @typedef {object} Asked
 * @property {string} name
 * @property {string} label
 * @property {"text" | "number" | "money" | "limit" | "choice" | "yes"} kind
 * @property {[string, string][]} [choices]
 * @property {string} [value]
 * @property {string} [hint]
 * @property {boolean} [optional]
 */

/**
 * A command that staff may give, with what it asks for.
 * @typedef {object} Duty
 * @property {string} type
 * @property {string} title
 * @property {"deal" | "cards" | "device" | "irregular" | "round" | "limits"} group
 * @property {Asked[]} asks
 */

export const GROUPS = /** @type {[Duty["group"], string][]} */ ([
  ["deal", "Dealing"],
  ["round", "The round"],
  ["irregular", "Irregularities"],
  ["cards", "Cards and people"],
  ["device", "Device and method"],
  ["limits", "Table limits"],
]);

/**
 * The duty to report an irregularity; a box and a yes or no are all that these ask for.
 * @param {Report} report
 * @returns {Duty}
 */
function reported({ type, title, asks }) {
  return { type, title, group: "irregular", asks: asks.map(([name, label]) => (name === BOX.name ? BOX : { name, label, kind: "yes" })) };
}

const REASON = /** @type {Asked} */ ({ name: "reason", label: "Reason", kind: "text" });
const BOX = /** @type {Asked} */ ({ name: "box", label: "Box", kind: "number", value: "1" });

/** @type {[string, string][]} */
const LIMITS = [
  ["boxes_per_player", "boxes per player"],
  ["players_per_box", "players per box"],
  ["box_max", "box maximum"],
  ["player_box_max", "box maximum per player"],
  ["primary_min", "minimum wager"],
  ["primary_max", "maximum wager"],
  ["tie_min", "minimum tie wager"],
  ["tie_max", "maximum tie wager"],
  ["wager_max", "maximum of any wager"],
];

/**
 * A limit in words.
 * @param {string} limit
 */
export function limitWords(limit) {
  return LIMITS.find(([name]) => name === limit)?.[1] ?? limit.replaceAll("_", " ");
}

/**
 * Whether a limit is an amount of money.
 * @param {unknown} limit
 */
export function ofMoney(limit) {
  return /_(min|max)$/.test(String(limit));
}

/**
 * Every command of the dealer and the floor, for a table of these methods and these steps.
 * @param {FloorTable} table
 * @param {readonly string[]} steps the steps of the cards' preparation that are the visitor's
 * @returns {Duty[]}
 */
export function duties(table, steps) {
  const methods = table.methods.map((method) => /** @type {[string, string]} */ ([method, method.replaceAll("_", " ")]));
  const counts = Object.entries(table.side_bets).map(([name, label]) => /** @type {Asked} */ ({ name, label: `${label}s`, kind: "number" })); // counted by the dealer, so nothing is filled in
  return [
    { type: "receive_decks", title: "Receive new cards", group: "cards", asks: [] },
    { type: "prepare", title: "Prepare the cards", group: "cards", asks: [{ name: "step", label: "Step", kind: "choice", choices: steps.map((step) => [step, step]) }, { name: "batch", label: "Batch", kind: "text", optional: true }] },
    { type: "shuffle_cards", title: "Shuffle", group: "deal", asks: [] },
    { type: "load_shoe", title: "Load the shoe", group: "deal", asks: [] },
    { type: "start_round", title: "Open the betting", group: "deal", asks: [] },
    ...(table.bank === null ? [] : [/** @type {Duty} */ ({ type: "offer_bank", title: "Offer the bank again", group: "deal", asks: [] })]),
    { type: "close_bets", title: "No more bets", group: "deal", asks: [] },
    { type: "count_side_bets", title: "Count the side bets", group: "deal", asks: counts },
    { type: "proceed", title: "Deal", group: "deal", asks: [] },
    { type: "timeout", title: "Time is up for a choice", group: "round", asks: [{ name: "player", label: "Player", kind: "text" }, BOX] },
    { type: "approve", title: "Approve the award", group: "round", asks: [] },
    { type: "void_round", title: "Void the round", group: "round", asks: [REASON] },
    ...REPORTS.map(reported),
    { type: "order_recut", title: "Order another cut", group: "irregular", asks: [{ name: "who", label: "By", kind: "choice", choices: [["last", "the player who cut last"], ["next", "the next player entitled"]] }, REASON] },
    { type: "order_reshuffle", title: "Order a reshuffle", group: "irregular", asks: [REASON] },
    { type: "change_dealer", title: "Change the dealer", group: "cards", asks: [{ name: "dealer", label: "New dealer", kind: "text" }] },
    { type: "go_idle", title: "Spread the cards: the table is idle", group: "cards", asks: [] },
    { type: "fail_device", title: "The device has failed", group: "device", asks: [REASON] },
    { type: "mark_device", title: "Mark the device", group: "device", asks: [{ name: "mark", label: "It is", kind: "choice", choices: [["covered", "covered"], ["signed", "marked with a sign"]] }] },
    { type: "repair_device", title: "The device has been repaired", group: "device", asks: [] },
    { type: "change_method", title: "Change the shuffling method", group: "device", asks: [{ name: "method", label: "Method", kind: "choice", choices: methods }, { name: "approval", label: "Approval reference", kind: "text", optional: true }] },
    { type: "restrict", title: "Set the limit for new wagers", group: "limits", asks: [{ name: "limit", label: "Limit", kind: "choice", choices: LIMITS }, { name: "value", label: "New value", kind: "limit", hint: "An amount such as 25, or how many boxes or players. 0 lifts the limit." }, { name: "whom", label: "Only for this player", kind: "text", optional: true }] },
  ];
}

/** @type {Record<string, string>} */
const NEXT = {
  decks: "receive_decks",
  prepare: "prepare",
  shuffle: "shuffle_cards",
  load: "load_shoe",
  start: "start_round",
  taker: "offer_bank",
  bets: "close_bets",
  count: "count_side_bets",
  proceed: "proceed",
  approval: "approve",
  choice: "timeout",
  device: "repair_device",
};

/** @type {Record<string, string>} */
const WAITING = {
  players: "players",
  bets: "bets",
  bank: "the bank",
  cut: "the cut",
  number: "players' numbers",
  list: "players' numbers",
  cards: "the order of the cards",
  choice: "a choice",
  approval: "approval of an award",
  device: "repair of the device",
};

/**
 * What a table is waiting for, in words.
 * @param {readonly Due[]} due
 * @returns {string}
 */
export function dueWords(due) {
  return due
    .map((each) => {
      const what = WAITING[each.what] ?? each.what.replaceAll("_", " ");
      const detail = [each.step, each.batch, each.player ?? "", each.box === null ? "" : `box ${each.box}`].filter(Boolean).join(", ");
      return detail === "" ? what : `${what} (${detail})`;
    })
    .join("; ");
}

/** @type {Record<string, string>} */
const FLOOR_STEPS = { verify: "floor", view: "player" };

/**
 * Whose turn it is: the players who are asked, the floor or the dealer.
 * @param {readonly Due[]} due
 * @returns {string}
 */
export function whose(due) {
  const turns = due.map((each) => {
    if (each.player !== null) return each.player;
    if (each.what === "prepare") return FLOOR_STEPS[each.step] ?? "dealer";
    if (each.what === "approval" || each.what === "device") return "floor";
    return each.what === "players" || each.what === "bank" ? "players" : "dealer";
  });
  return [...new Set(turns)].join(", ");
}

/**
 * The command that is due, with its fields as far as the table knows them, and the batch it is for.
 * @param {Due} due
 * @returns {{type: string, fields: Record<string, unknown>, batch: string} | null}
 */
export function nextStep(due) {
  const type = NEXT[due.what];
  if (type === undefined) return null;
  switch (type) {
    case "prepare":
      return due.step === "view" ? null : { type, fields: { step: due.step, batch: due.batch }, batch: due.batch };
    case "timeout":
      return { type, fields: { player: due.player, box: due.box }, batch: "" };
    default:
      return { type, fields: {}, batch: due.batch };
  }
}
