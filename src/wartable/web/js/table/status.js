// What the table is waiting for, in one sentence.

import { name } from "../cards.js";
import { money } from "../money.js";
import { nameOf } from "../names.js";
import { list, t } from "../texts.js";
import { dealerWord, label } from "../words.js";

/** @typedef {import("./room.js").Room} Room */
/** @typedef {import("../types.js").Due} Due */

/**
 * @param {Room} room
 * @returns {string}
 */
export function statusWords(room) {
  const due = room.due.find((each) => each.player === room.you && room.you !== null) ?? room.due[0];
  if (due === undefined) return "";
  if (room.leaves) return t("status.leaves");
  const tell = WORDS[due.what];
  return tell === undefined ? "" : tell(room, due, due.player !== null && due.player === room.you);
}

/** @type {Record<string, (room: Room, due: Due, own: boolean) => string>} */
const WORDS = {
  bets: betWords,
  choice: (room, due, own) => (own ? (room.asked("choice").length > 0 ? tieWords(room) : t("status.chosen")) : t("status.choosing", { player: nameOf(due.player ?? "") })),
  cut: (_, due, own) => (t(own ? "status.cut" : "status.cut_by", { player: nameOf(due.player ?? "") })),
  bank: (_, due, own) => (t(own ? "status.bank" : "status.bank_to", { player: nameOf(due.player ?? "") })),
  taker: () => t("status.taker"),
  players: playerWords,
  start: () => t("status.start"),
  proceed: () => t("status.proceed"),
  count: () => t("status.count"),
  approval: () => t("status.approval"),
  device: () => t("status.device"),
  decks: () => t("status.decks"),
  prepare: (_, due) => (t(due.step === "view" ? "status.view" : "status.prepare")),
  shuffle: () => t("status.shuffle"),
  load: () => t("status.load"),
  number: (_, __, own) => (t(own ? "status.number" : "status.numbers")),
  list: () => t("status.numbers"),
  cards: () => t("status.cards"),
};

/** @param {Room} room */
function betWords(room) {
  if (room.closed !== null) return t("status.closed");
  if (room.guest === null) return t("status.open");
  if (room.banking) return t(!room.wagered ? "bank.others" : room.own ? "bank.yours" : "bank.theirs");
  if (room.wagers.size === 0 && room.stack < leastOf(room)) return room.stack === 0 ? t("status.broke") : t("status.short", { amount: money(room.stack) });
  if (room.guest.seat === null && room.wagers.size === 0) return t("status.stand");
  if (room.own) return room.wagers.size > 0 ? t("status.deal") : t("status.chip", { wager: label(room.book, "primary") });
  return t("status.bets");
}

/**
 * The table's minimum if the visitor can bet nothing now, else nothing.
 * @param {Room} room
 */
function leastOf(room) {
  return room.moves.some((move) => move.type === "may_bet") ? 0 : room.book.rules.limits.primary.min;
}

/** @param {Room} room */
function playerWords(room) {
  const least = room.book.rules.table.players_min;
  const here = Object.keys(room.state?.guests ?? {}).length;
  if (here >= least) return t("status.players");
  return t("status.players_min", { count: least });
}

/** @param {Room} room */
function tieWords(room) {
  const boxes = room.asked("choice").map((due) => due.box ?? 0);
  const card = room.state?.round?.cards[boxes[0] ?? 0];
  const dealer = dealerWord(room.book);
  if (boxes.length > 1) return t("status.ties", { boxes: list(boxes), dealer });
  return t("status.tie", { card: card === undefined ? t("word.card") : name(card), box: boxes[0] ?? 0, dealer });
}
