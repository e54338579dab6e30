// What the table is waiting for, in one sentence.

import { name } from "../cards.js";
import { nameOf } from "../names.js";
import { t } from "../texts.js";
import { label } from "../words.js";

/** @typedef {import("./room.js").Room} Room */
/** @typedef {import("../types.js").Due} Due */

/**
 * @param {Room} room
 * @returns {string}
 */
export function statusWords(room) {
  const due = room.due.find((each) => each.player === room.you && room.you !== null) ?? room.due[0];
  if (due === undefined) return "";
  const tell = WORDS[due.what];
  return tell === undefined ? "" : tell(room, due, due.player !== null && due.player === room.you);
}

/** @type {Record<string, (room: Room, due: Due, own: boolean) => string>} */
const WORDS = {
  bets: betWords,
  choice: (room, due, own) => (own ? tieWords(room) : `${nameOf(due.player ?? "")} has a tie and is choosing.`),
  cut: (_, due, own) => (own ? "Cut the cards, or refuse." : `${nameOf(due.player ?? "")} is asked to cut the cards.`),
  bank: (_, due, own) => (own ? "The bank is offered to you." : `The bank is offered to ${nameOf(due.player ?? "")}.`),
  taker: () => "Nobody took the bank. It will be offered again.",
  players: playerWords,
  start: () => "The next round begins in a moment.",
  proceed: () => "No more bets. The cards are dealt.",
  count: () => "No more bets. The side bets are counted.",
  approval: () => "Waiting for a floorperson to approve the award.",
  device: () => "The shuffling device is out of order.",
  decks: () => "New cards are brought to the table.",
  prepare: (_, due) => (due.step === "view" ? "The players may look at the new cards." : "The new cards are being prepared."),
  shuffle: () => "The cards are shuffled.",
  load: () => "The cards go into the shoe.",
  seed: () => "A player's seed is opened.",
  number: (_, __, own) => (own ? "Your number is awaited." : "The players' numbers are awaited."),
  list: () => "The players' numbers are awaited.",
  cards: () => "The order of the cards is being calculated.",
};

/** @param {Room} room */
function betWords(room) {
  if (room.closed !== null) return "Betting is closed.";
  if (room.guest === null) return "Bets are open.";
  if (room.banking) return t(!room.own ? "bank.theirs" : room.wagered ? "bank.yours" : "bank.others");
  if (room.stack === 0 && room.wagers.size === 0) return "You have no money left at the table. Press Money to bring more.";
  if (room.own) return room.wagers.size > 0 ? "Press Deal when you are ready." : `Choose a chip and bet on ${label(room.book, "primary")}.`;
  return "Place your bets.";
}

/** @param {Room} room */
function playerWords(room) {
  const least = room.book.rules.table.players_min;
  const here = Object.keys(room.state?.guests ?? {}).length;
  if (here >= least) return "Waiting for players.";
  return least === 1 ? "Waiting for a player." : `Waiting for players: at least ${least} are needed.`;
}

/** @param {Room} room */
function tieWords(room) {
  const boxes = room.asked("choice").map((due) => due.box ?? 0);
  const card = room.state?.round?.cards[boxes[0] ?? 0];
  const where = boxes.length > 1 ? `Boxes ${boxes.join(" and ")} tie` : `Your ${card === undefined ? "card" : name(card)} on box ${boxes[0]} ties`;
  return `${where} the ${label(room.book, "dealer")}: war or surrender?`;
}
