// Events as plain sentences, for screen readers and for the list of what happened.

import { name as cardName } from "./cards.js";
import { money } from "./money.js";

/** @typedef {import("./types.js").Event} Event */

/**
 * The event of one type.
 * @template {Event["type"]} T
 * @typedef {import("./fold-round.js").Of<T>} Of
 */

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

/** @type {Record<string, string>} */
const LIMITS = {
  box_max: "box maximum",
  player_box_max: "box maximum per player",
  boxes_per_player: "boxes per player",
  players_per_box: "players per box",
};

/**
 * A count with its noun: "1 card", "2 cards".
 * @param {number} count
 * @param {string} noun
 * @returns {string}
 */
export function plural(count, noun) {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
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
  return book?.rules.outcomes[wager]?.[outcome] ?? outcome.replaceAll("_", " ");
}

/**
 * "You bet" for the reader, "ann bets" for anyone else.
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
 * A box, or the dealer's side, in words.
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
  const end = event.returned > 0 ? `returned ${money(event.returned)}` : "lost";
  return `Box ${event.box}: ${whose} ${label(by.book, event.wager)} ${end} (${how}).`;
}

/**
 * @param {Of<"chosen">} event
 * @param {Teller} by
 * @returns {string}
 */
function chosen(event, by) {
  const called = event.called_by ? `; ${event.called_by} called time` : "";
  const decided = event.by === "player" ? "" : ` (decided by the ${event.by}${called})`;
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
  const community = event.community === null ? "" : ` Community: ${event.community}.`;
  const hot =
    event.hot_spot === null ? "" : ` Hot spot on box ${event.hot_spot_box}: ${event.hot_spot}.`;
  return `The wheel stops.${community}${hot}`;
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
 * @param {Of<"count_differed">} event
 * @param {Teller} by
 * @returns {string}
 */
function countDiffered(event, by) {
  const counted = /** @type {Record<string, unknown>} */ (/** @type {unknown} */ (event));
  const kinds = Object.entries(event.accepted).filter(([kind, accepted]) => counted[kind] !== accepted);
  const told = kinds.map(([kind, accepted]) => `${label(by.book, kind)}: ${counted[kind]} counted, ${accepted} accepted`);
  return `The side bets do not agree and are counted again (${told.join("; ")}).`;
}

/**
 * What is said of a wager that went back because another bettor has the first claim to its spot.
 * @param {Of<"withdrawn">} event
 * @param {Teller} by
 * @returns {string | null}
 */
function gaveWay(event, by) {
  const to = event.gives_way_to ?? null; // older rows have none
  if (to === null) return null;
  const whose = event.player === by.me ? "Your" : `${event.player}'s`;
  const claim = `${to === by.me ? "you have" : `${to} has`} a ${label(by.book, "primary")} there and the first claim to the spot`;
  return `${whose} ${label(by.book, event.wager)} of ${money(event.amount)} on box ${event.box} goes back: ${claim}.`;
}

/**
 * The sentence for each event; an event that is not here has none.
 * @type {{[T in Event["type"]]?: (event: Of<T>, by: Teller) => string}}
 */
const TELL = {
  joined: (e, by) =>
    `${doing(by, e.player, "join", "joins")} ${e.seat === null ? "the table" : `at seat ${e.seat}`} with ${money(e.amount)}.`,
  bought_in: (e, by) => `${doing(by, e.player, "buy in", "buys in")} for ${money(e.amount)} more.`,
  cashed_out: (e, by) => `${doing(by, e.player, "take", "takes")} ${money(e.amount)} off the table.`,
  departed: (e, by) => `${doing(by, e.player, "leave", "leaves")} the table with ${money(e.amount)}.`,
  left: (e, by) => `${doing(by, e.player, "leave", "leaves")} during the round.`,
  decks_received: () => "New cards are brought to the table.",
  decks_removed: (event) => `The cards are taken away: ${event.reason}.`,
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
  bank_untaken: () => "Nobody takes the bank, so no round is dealt.",
  round_started: (e) => `Round ${e.number}. Place your bets.`,
  side_bets_counted: () => "The side bets are counted.",
  count_differed: countDiffered,
  award_pending: (e) => `The ${e.meter} meter award is waiting for a floorperson.`,
  award_approved: (e) => `The ${e.meter} meter award is approved.`,
  meter_reset: (e) => `The house adds ${money(e.amount)} to the ${e.meter} meter.`,
  meter_read: (e) => `The ${e.meter} meter stands at ${money(e.amount)} and is paid.`,
  cover_card_out: () => "The cover card is out: this is the last round of the shoe.",
  shoe_ended: (e) => `The shoe has ended: ${e.reason}. Its seed is now public.`,
  card_set_aside: (e) => `A card was exposed early and is set aside: ${cardName(e.card)}.`,
  drawn_in_error: () => "A card was drawn in error but not exposed. It will be the next card dealt.",
  dealer_changed: (e) => `${e.dealer} is now dealing.`,
  reshuffle_ordered: (e) => `The cards will be reshuffled after this round: ${e.reason}.`,
  table_idle: () => "The table is idle; the cards are spread face down.",
  spread_turned_up: () => "The spread cards are turned face up.",
  device_failed: (e) => `The shuffling device is out of order: ${e.reason}.`,
  device_marked: (e) =>
    e.mark === "covered" ? "The device is covered." : "The device has an out-of-order sign.",
  device_repaired: () => "The device can be used again.",
  method_changed: (e) => `The shuffling method of the next shoe is ${e.method.replaceAll("_", " ")}.`,
  restricted: (e) => {
    const what = `${LIMITS[e.limit] ?? e.limit}${e.whom ? ` for ${e.whom}` : ""}`;
    const value = e.limit.endsWith("box_max") ? money(e.value) : String(e.value);
    return e.value ? `New limit: ${what} ${value}.` : `Limit lifted: ${what}.`;
  },
  jammed: () => "The shuffling device jammed.",
  placed: (e, by) =>
    `${doing(by, e.player, "bet", "bets")} ${money(e.amount)} on box ${e.box}, ${label(by.book, e.wager)}.`,
  withdrawn: (e, by) =>
    gaveWay(e, by) ?? `${doing(by, e.player, "take back", "takes back")} ${money(e.amount)} from box ${e.box}, ${label(by.book, e.wager)}.`,
  declined: (e, by) =>
    `${doing(by, e.player, "let", "lets")} others bet the tie on box ${e.box}.`,
  bets_closed: () => "No more bets.",
  returned: (e, by) =>
    `Box ${e.box}, ${e.player === by.me ? "your" : `${e.player}'s`} ${label(by.book, e.wager)}: ${money(e.amount)} ${outcomeWords(by.book, e.wager, e.outcome)}.`,
  dealt: (e, by) => `${place(by, e.box)}: ${cardName(e.card)}.`,
  burned: () => "A card is burned.",
  chosen,
  matched: (e, by) =>
    `The ${by.book?.rules.banker === "player" ? "bank" : "house"} matches box ${e.box} with ${money(e.amount)}.`,
  spun,
  settled,
  envy_paid: (e, by) =>
    `${doing(by, e.player, "get", "gets")} ${money(e.amount)} for ${e.holder === by.me ? "your" : `${e.holder}'s`} hand (${label(by.book, "envy")}).`,
  box_voided: (e) => `Box ${e.box} was not dealt a card: its wagers are returned.`,
  round_voided: (e) => `The round is void (${e.reason}): all wagers are returned.`,
  closed: () => "The round is over.",
};

/**
 * The event as a sentence; "" for an event that has none, such as a meter's share.
 * @param {Event} event
 * @param {BookWords | null} [book]
 * @param {string} [me] the reader's name
 * @returns {string}
 */
export function sentence(event, book = null, me = "") {
  /** @type {((event: any, by: Teller) => string) | undefined} */
  const tell = TELL[event.type];
  return tell === undefined ? "" : tell(event, { book, me });
}
