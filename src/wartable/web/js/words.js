// Events as plain sentences, for who listens and for the list of what happened.

import { name as cardName } from "./cards.js";
import { money } from "./money.js";

/** @typedef {import("./types.js").Event} Event */

/**
 * The event of one type.
 * @template {Event["type"]} T
 * @typedef {import("./fold-round.js").Of<T>} Of
 */

/**
 * What a sentence needs of a book: its own names, its words for each outcome, and who banks.
 * @typedef {object} BookWords
 * @property {{labels: Record<string, string>, outcomes: Record<string, Record<string, string>>, banker: string}} rules
 */

/**
 * Whose words are used: the book's, if there is one, and who reads them.
 * @typedef {object} Teller
 * @property {BookWords | null} book
 * @property {string} me
 */

/** @type {Record<string, string>} */
const STEPS = {
  inspect: "The new cards are inspected.",
  verify: "A floorperson verifies the cards.",
  spread: "The cards are spread face up.",
  view: "The players may look at the cards.",
  turn: "The cards are turned face down.",
  wash: "The cards are washed.",
  stack: "The cards are stacked.",
  riffle: "The cards are riffled.",
};

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
  return book?.rules.outcomes[wager]?.[outcome] ?? outcome.replaceAll("_", " ");
}

/**
 * "You bet" or "ann bets".
 * @param {Teller} by
 * @param {string} player
 * @param {string} own
 * @param {string} others
 * @returns {string}
 */
function doing(by, player, own, others) {
  return player === by.me ? `You ${own}` : `${player} ${others}`;
}

/**
 * The side that a box belongs to, in words.
 * @param {Teller} by
 * @param {number} box
 * @returns {string}
 */
function place(by, box) {
  return box === 0 ? `The ${label(by.book, "dealer")}` : `Box ${box}`;
}

/**
 * @param {Of<"settled">} event
 * @param {Teller} by
 * @returns {string}
 */
function settled(event, by) {
  const whose = event.player === by.me ? "your" : `${event.player}'s`;
  const how = outcomeWords(by.book, event.wager, event.outcome);
  const back = event.returned > 0 ? `${money(event.returned)} back` : "nothing back";
  return `Box ${event.box}, ${whose} ${label(by.book, event.wager)}: ${how}; ${back}.`;
}

/**
 * @param {Of<"chosen">} event
 * @param {Teller} by
 * @returns {string}
 */
function chosen(event, by) {
  const decided = event.by === "player" ? "" : ` (decided by the ${event.by})`;
  const what =
    event.choice === "war"
      ? doing(by, event.player, "go to war", "goes to war")
      : doing(by, event.player, "surrender", "surrenders");
  return `${what} on box ${event.box}${decided}.`;
}

/**
 * @param {Of<"spun">} event
 * @returns {string}
 */
function spun(event) {
  const community = event.community === null ? "" : ` for everybody: ${event.community}`;
  const hot =
    event.hot_spot === null ? "" : `; hot spot on box ${event.hot_spot_box}: ${event.hot_spot}`;
  return `The wheel stops${community}${hot}.`;
}

/**
 * @param {Of<"cut_made">} event
 * @param {Teller} by
 * @returns {string}
 */
function cutMade(event, by) {
  if (event.player === null) return "The dealer cuts the cards.";
  return `${doing(by, event.player, "cut", "cuts")}: ${event.position} cards go to the bottom.`;
}

/**
 * How each event is told; one that is not here says nothing by itself.
 * @type {{[T in Event["type"]]?: (event: Of<T>, by: Teller) => string}}
 */
const TELL = {
  joined: (e, by) =>
    `${doing(by, e.player, "join", "joins")} ${e.seat === null ? "the table" : `at seat ${e.seat}`} with ${money(e.amount)}.`,
  bought_in: (e, by) => `${doing(by, e.player, "bring", "brings")} ${money(e.amount)} more.`,
  cashed_out: (e, by) => `${doing(by, e.player, "take", "takes")} ${money(e.amount)} off the table.`,
  departed: (e, by) => `${doing(by, e.player, "leave", "leaves")} the table with ${money(e.amount)}.`,
  left: (e, by) => `${doing(by, e.player, "leave", "leaves")} during the round.`,
  decks_received: () => "New cards come to the table.",
  prepared: (e) => STEPS[e.step] ?? "",
  seed_sealed: (e, by) => `${doing(by, e.player, "seal", "seals")} a seed for the next shuffle.`,
  shoe_started: (e) => `The cards are shuffled: shoe ${e.terms.number}.`,
  cut_offered: (e, by) =>
    e.player === by.me ? "The cut is offered to you." : `The cut is offered to ${e.player}.`,
  cut_refused: (e, by) => `${doing(by, e.player, "refuse", "refuses")} the cut.`,
  cut_made: cutMade,
  recut_ordered: (e) => `The floor orders another cut: ${e.reason}.`,
  seed_opened: (e, by) => `${doing(by, e.player, "open", "opens")} the sealed seed.`,
  shoe_loaded: () => "The cards are in the shoe.",
  card_burned: () => "A card is burned unseen.",
  bank_offered: (e, by) =>
    e.player === by.me ? "The bank is offered to you." : `The bank is offered to ${e.player}.`,
  bank_taken: (e, by) =>
    `${doing(by, e.player, "take", "takes")} the bank with ${money(e.amount)}.`,
  bank_passed: (e, by) => `${doing(by, e.player, "pass", "passes")} the bank.`,
  bank_untaken: () => "Nobody takes the bank: no round is dealt.",
  round_started: (e) => `Round ${e.number}. Place your bets.`,
  side_bets_counted: () => "The side bets are counted.",
  award_pending: (e) => `The award of the ${e.meter} meter waits for a floorperson.`,
  award_approved: (e) => `The award of the ${e.meter} meter is approved.`,
  meter_reset: (e) => `The house puts ${money(e.amount)} on the ${e.meter} meter.`,
  meter_read: (e) => `The ${e.meter} meter shows ${money(e.amount)} and is paid.`,
  cover_card_out: () => "The cover card is out: this is the last round of the shoe.",
  shoe_ended: (e) => `The shoe is over: ${e.reason}. Its seed is public now.`,
  card_set_aside: (e) => `A card was seen before its turn and is set aside: ${cardName(e.card)}.`,
  drawn_in_error: () => "A card was drawn in error, unseen; it is the next card.",
  dealer_changed: (e) => `${e.dealer} deals now.`,
  reshuffle_ordered: (e) => `The cards are reshuffled after this round: ${e.reason}.`,
  table_idle: () => "The table is idle; the cards are spread face down.",
  spread_turned_up: () => "The spread cards are turned face up.",
  device_failed: (e) => `The shuffling device cannot be used: ${e.reason}.`,
  device_marked: (e) =>
    e.mark === "covered" ? "The device is covered." : "The device has an out-of-order sign.",
  device_repaired: () => "The device can be used again.",
  method_changed: (e) => `The next shoe is shuffled by the method ${e.method.replaceAll("_", " ")}.`,
  restricted: (e) => {
    const what = `${e.limit.replaceAll("_", " ")}${e.whom ? ` of ${e.whom}` : ""}`;
    const value = e.limit.endsWith("box_max") ? money(e.value) : String(e.value);
    return e.value ? `From now on the ${what} is ${value}.` : `The ${what} is as the book has it.`;
  },
  jammed: () => "The shuffling device jammed.",
  placed: (e, by) =>
    `${doing(by, e.player, "bet", "bets")} ${money(e.amount)} on box ${e.box}, ${label(by.book, e.wager)}.`,
  withdrawn: (e, by) =>
    `${doing(by, e.player, "take back", "takes back")} ${money(e.amount)} from box ${e.box}, ${label(by.book, e.wager)}.`,
  declined: (e, by) =>
    `${doing(by, e.player, "leave", "leaves")} the tie spot of box ${e.box} to others.`,
  bets_closed: () => "No more bets.",
  returned: (e, by) =>
    `Box ${e.box}: ${money(e.amount)} of ${e.player === by.me ? "your" : `${e.player}'s`} ${label(by.book, e.wager)} ${outcomeWords(by.book, e.wager, e.outcome)}.`,
  dealt: (e, by) => `${place(by, e.box)}: ${cardName(e.card)}.`,
  burned: () => "A card is burned.",
  chosen,
  matched: (e, by) =>
    `The ${by.book?.rules.banker === "player" ? "bank" : "house"} puts ${money(e.amount)} against box ${e.box}.`,
  spun,
  settled,
  envy_paid: (e, by) =>
    `${doing(by, e.player, "get", "gets")} ${money(e.amount)}, ${label(by.book, "envy")}, for ${e.holder === by.me ? "your" : `${e.holder}'s`} hand.`,
  box_voided: (e) => `Box ${e.box} got no card: its wagers go back.`,
  round_voided: (e) => `The round is void (${e.reason}): every wager goes back.`,
  closed: () => "The round is over.",
};

/**
 * The event as a sentence; "" for one that says nothing by itself, such as a meter's share.
 * @param {Event} event
 * @param {BookWords | null} [book]
 * @param {string} [me] who reads it
 * @returns {string}
 */
export function sentence(event, book = null, me = "") {
  /** @type {((event: any, by: Teller) => string) | undefined} */
  const tell = TELL[event.type];
  return tell === undefined ? "" : tell(event, { book, me });
}
