// How each event changes the cards: decks, cut, the shoe in use, the one that waits, the last one.

import { INCIDENTS } from "./sentences.js";

/** @typedef {import("./types.js").Event} Event */
/** @typedef {import("./types.js").Table} Table */
/** @typedef {import("./types.js").Shoe} Shoe */
/** @typedef {import("./types.js").DrawnCard} ShoeDealt */
/** @typedef {import("./types.js").CardIncident} CardIncident */

/**
 * The event of one type.
 * @template {Event["type"]} T
 * @typedef {import("./fold-round.js").Of<T>} Of
 */

export const NO_CUT = { offered: null, asked: [], last: null, made: false };

/**
 * The shoe that the event is about; an event of a shoe never comes without one.
 * @param {Table} state
 * @returns {Shoe}
 */
function shoeOf(state) {
  if (state.shoe === null) throw new Error("The event is about a shoe, and there is none.");
  return state.shoe;
}

/**
 * The table as if nothing had been dealt yet: the first to arrive is offered the cut.
 * @param {Table} state
 * @returns {Table}
 */
function gameBegins(state) {
  return { ...state, cover_box: null, cover_player: null, reshuffled_by_floor: false };
}

/**
 * @param {Table} state
 * @param {Of<"decks_received">} event
 * @returns {Table}
 */
function decksReceived(state, event) {
  const { condition, sets } = event;
  const at_ms = event.opened_ms ?? event.at_ms;
  const decks = { at_ms, condition, done: {}, inspectors: {}, ready: [], spread: [], sets };
  return gameBegins({ ...state, decks, idle: false, spread_up: false });
}

/**
 * @param {Table} state
 * @param {Of<"prepared">} event
 * @returns {Table}
 */
function prepared(state, event) {
  const { decks } = state;
  if (decks === null) throw new Error("The event is about decks, and there are none.");
  const done = { ...decks.done, [event.batch]: [...(decks.done[event.batch] ?? []), event.step] };
  const inspected = event.step === "inspect" ? { [event.batch]: event.by } : {};
  const inspectors = { ...decks.inspectors, ...inspected };
  return { ...state, decks: { ...decks, done, inspectors } };
}

/**
 * @param {Table} state
 * @param {Of<"shoe_started">} event
 * @returns {Table}
 */
function shoeStarted(state, event) {
  const { terms, commitment, seals, bound } = event;
  /** @type {Shoe} */
  const added = {
    terms,
    commitment,
    seals,
    cuts: [],
    player_seeds: [],
    cover: null,
    drawn: [],
    discards: [],
    choices: [],
    ended: "",
    seed: "",
    cards: [],
    proof: bound === null ? null : { bound, draws: [], incidents: [], key: "" },
  };
  let { decks } = state;
  if (decks !== null && !decks.ready.includes(terms.batch)) {
    decks = { ...decks, ready: [...decks.ready, terms.batch] };
  }
  const after = { ...state, shoes: terms.number, seals: [], idle: false, spread_up: false, decks };
  if (state.shoe !== null) return { ...after, stored: added };
  return { ...after, shoe: added, cut: NO_CUT, numbers: [], numbers_closed: false };
}

/**
 * @param {Table} state
 * @param {Of<"chain_started">} event
 * @returns {Table}
 */
function chainStarted(state, event) {
  const { end, links, book, owner, order, iterations, batch, root } = event;
  const record = state.chains[batch]?.record ?? "0".repeat(64);
  const chain = { end, links, book, owner, order, iterations, used: 0, link: end, record, root };
  return { ...state, chains: { ...state.chains, [batch]: chain } };
}

/**
 * @param {Table} state
 * @param {Of<"cards_decided">} event
 * @returns {Table}
 */
function cardsDecided(state, event) {
  const shoe = shoeOf(state);
  const { batch } = shoe.terms;
  const chain = state.chains[batch];
  if (shoe.proof === null || chain === undefined) throw new Error("The event is about links, and there are none.");
  const proof = { ...shoe.proof, draws: [...shoe.proof.draws, event.draw] };
  const chains = { ...state.chains, [batch]: { ...chain, used: chain.used + 1 } };
  return { ...state, shoe: { ...shoe, proof }, chains, undecided: false, numbers: [], numbers_closed: false };
}

/**
 * A shoe with an incident in its record; an older kind of shoe has none.
 * @param {Table} state
 * @param {Shoe} shoe
 * @param {CardIncident["what"]} what
 * @param {string} by
 * @param {string} reason
 * @returns {Shoe}
 */
function noteIn(state, shoe, what, by, reason) {
  if (shoe.proof === null) return shoe;
  const incident = { what, by, reason, place: shoe.drawn.length, round_number: state.rounds };
  return { ...shoe, proof: { ...shoe.proof, incidents: [...shoe.proof.incidents, incident] } };
}

/**
 * The table with an incident in the record of its shoe.
 * @param {Table} state
 * @param {CardIncident["what"]} what
 * @param {string} by
 * @param {string} [reason]
 * @returns {Table}
 */
export function noted(state, what, by, reason = "") {
  return state.shoe === null ? state : { ...state, shoe: noteIn(state, state.shoe, what, by, reason) };
}

/**
 * Nobody may know the next cards before this, so that another link decides them.
 * @param {Table} state
 * @returns {Table}
 */
export function cardsDue(state) {
  const proof = state.shoe?.proof ?? null;
  if (proof === null || proof.bound.order === "shoe") return state;
  return { ...state, undecided: true, numbers: [], numbers_closed: false };
}

/**
 * @param {Table} state
 * @param {Of<"cut_made">} event
 * @returns {Table}
 */
function cutMade(state, event) {
  const shoe = shoeOf(state);
  const { player, position } = event;
  return {
    ...state,
    shoe: { ...shoe, cuts: [...shoe.cuts, { player, position }] },
    cut: { ...state.cut, offered: null, last: player, made: true },
  };
}

/**
 * @param {Table} state
 * @param {Of<"recut_ordered">} event
 * @returns {Table}
 */
function recutOrdered(state, event) {
  const { cut } = state;
  const passed = event.who === "next" && cut.last !== null ? [cut.last] : [];
  const told = noted(state, "recut_ordered", event.by, event.reason);
  return { ...told, cut: { ...cut, made: false, asked: [...cut.asked, ...passed] }, numbers: [], numbers_closed: false };
}

/**
 * @param {Table} state
 * @param {Of<"seed_opened">} event
 * @returns {Table}
 */
function seedOpened(state, event) {
  const shoe = shoeOf(state);
  const opened = [...shoe.player_seeds, { player: event.player, seed: event.seed }];
  // The seals' order was committed to; the order in which seeds are opened does not matter.
  const player_seeds = shoe.seals.flatMap((seal) =>
    opened.filter((each) => each.player === seal.player),
  );
  return { ...state, shoe: { ...shoe, player_seeds } };
}

/**
 * @param {Table} state
 * @param {Of<"shoe_loaded">} event
 * @returns {Table}
 */
function shoeLoaded(state, event) {
  const shoe = shoeOf(state);
  const { low, high } = event;
  // Between two different places the seed decides; a table names one.
  const cover = low === null || high === null ? null : { position: low, low, high };
  const loaded = { ...shoe, cover };
  const { batch } = shoe.terms;
  return gameBegins({ ...state, shoe: loaded, shoe_rounds: 0, last_batch: batch, reshuffle: null });
}

/**
 * @param {Table} state
 * @param {string} card
 * @param {ShoeDealt["use"]} use
 * @param {number | null} box
 * @returns {Table}
 */
function draw(state, card, use, box) {
  const shoe = shoeOf(state);
  const inRound = state.round !== null && !state.round.closed;
  const round_number = inRound ? state.rounds : state.rounds + 1;
  const drawn = [...shoe.drawn, { card, round_number, use, box }];
  const discards = box === null ? [...shoe.discards, shoe.drawn.length] : shoe.discards;
  return { ...state, shoe: { ...shoe, drawn, discards } };
}

/**
 * @param {Table} state
 * @param {Of<"cards_collected">} event
 * @returns {Table}
 */
function cardsCollected(state, event) {
  const shoe = shoeOf(state);
  const racked = new Set(shoe.discards);
  const places = [...shoe.drawn.keys()].filter((place) => !racked.has(place));
  const collected = [...new Set(event.boxes)].flatMap((box) =>
    places.filter((place) => shoe.drawn[place]?.box === box),
  );
  return { ...state, shoe: { ...shoe, discards: [...shoe.discards, ...collected] } };
}

/**
 * @param {Table} state
 * @param {Of<"house_chose">} event
 * @returns {Table}
 */
function houseChose(state, event) {
  const shoe = shoeOf(state);
  const { label, options, weights, result } = event;
  const before = shoe.choices.filter((choice) => choice.label === label).length;
  const index = shoe.proof === null ? before : state.rounds;
  const choices = [...shoe.choices, { label, index, options, weights, result }];
  return { ...state, shoe: { ...shoe, choices } };
}

/**
 * @param {Table} state
 * @param {Of<"shoe_ended">} event
 * @returns {Table}
 */
function shoeEnded(state, event) {
  const { reason: ended, seed, by } = event;
  const isStored = state.stored !== null && event.number === state.stored.terms.number;
  const shoe = isStored && state.stored !== null ? state.stored : shoeOf(state);
  const finished = { ...(by === "" ? shoe : noteIn(state, shoe, "ended", by, ended)), ended, seed };
  const { batch } = shoe.terms;
  const chain = state.chains[batch];
  let { chains } = state;
  if (shoe.proof !== null && chain !== undefined) {
    chains = { ...chains, [batch]: { ...chain, link: seed === "" ? chain.link : seed, record: event.record } };
  }
  if (isStored) return { ...state, chains, stored: null, finished };
  return {
    ...state,
    chains,
    shoe: state.stored,
    stored: null,
    finished,
    cut: NO_CUT,
    numbers: [],
    numbers_closed: false,
    reshuffle: null,
    reshuffled_by_floor: state.reshuffle !== null,
  };
}

/**
 * @param {Table} state
 * @returns {Table}
 */
function tableIdle(state) {
  let { decks } = state;
  if (decks !== null) {
    const { ready } = decks;
    const left = Object.entries(decks.done).filter(([batch]) => !ready.includes(batch));
    const spread = [...decks.spread, ...ready];
    decks = { ...decks, done: Object.fromEntries(left), ready: [], spread };
  }
  return gameBegins({ ...state, idle: true, spread_up: false, decks });
}

/**
 * @param {Table} state
 * @param {Of<"method_changed">} event
 * @returns {Table}
 */
function methodChanged(state, event) {
  let { decks } = state;
  if (decks !== null) {
    const { ready } = decks; // what was begun for one method is begun anew for another
    const kept = Object.entries(decks.done).filter(([batch]) => ready.includes(batch));
    decks = { ...decks, done: Object.fromEntries(kept) };
  }
  return { ...state, method: event.method, decks };
}

/**
 * @param {Table} state
 * @param {Of<"seed_sealed">} event
 * @returns {Table}
 */
function seedSealed(state, event) {
  const others = state.seals.filter((each) => each.player !== event.player);
  return { ...state, seals: [...others, { player: event.player, seal: event.seal }] };
}

/**
 * @param {Table} state
 * @param {Of<"cover_card_out">} event
 * @returns {Table}
 */
function coverCardOut(state, event) {
  const hand = state.round?.hands.find((each) => each.box === event.box);
  return { ...state, cover_box: event.box, cover_player: hand?.player ?? null };
}

/**
 * Whether cards were decided that may not come if a player leaves now.
 * @param {Table} state
 */
function leftDecided({ shoe, round }) {
  const order = shoe?.proof?.bound.order ?? "shoe";
  return order !== "shoe" && round !== null && round.bets_closed;
}

/**
 * The table after an incident that changes nothing but the record.
 * @param {Table} state
 * @param {Event} event
 * @returns {Table}
 */
function onlyNoted(state, event) {
  const { type, by } = /** @type {Of<"jammed">} */ (event); // each of these says who reports it
  return noted(state, type, by);
}

/**
 * The table with what the event does to its cards; one that is not about them changes nothing.
 * @param {Table} state
 * @param {Event} event
 * @returns {Table}
 */
export function foldShoe(state, event) {
  const { cut } = state;
  switch (event.type) {
    case "decks_received":
      return decksReceived(state, event);
    case "decks_removed":
      return { ...state, decks: null };
    case "prepared":
      return prepared(state, event);
    case "seed_sealed":
      return seedSealed(state, event);
    case "chain_started":
      return chainStarted(state, event);
    case "number_given": {
      const { player, number } = event;
      return { ...state, numbers: [...state.numbers, { player, number }], numbered: true };
    }
    case "numbers_closed":
      return { ...state, numbers: event.numbers, numbers_closed: true };
    case "cards_decided":
      return cardsDecided(state, event);
    case "bets_closed":
    case "chosen":
      return cardsDue(state);
    case "left":
      return leftDecided(state) ? noted(state, "player_left", event.player) : state;
    case "box_voided":
      return noted(state, "box_voided", event.by ?? "", `box ${event.box}`);
    case "round_voided":
      return noted(state, "round_voided", event.by ?? "platform", event.reason);
    case "reshuffle_ordered":
      return noted(state, "reshuffle_ordered", event.by, event.reason);
    case "shoe_started":
      return shoeStarted(state, event);
    case "cut_offered":
      return { ...state, cut: { ...cut, offered: event.player } };
    case "cut_refused":
      return { ...state, cut: { ...cut, offered: null, asked: [...cut.asked, event.player] } };
    case "cut_made":
      return cutMade(state, event);
    case "recut_ordered":
      return recutOrdered(state, event);
    case "seed_opened":
      return seedOpened(state, event);
    case "shoe_loaded":
      return shoeLoaded(state, event);
    case "card_burned":
    case "burned":
      return draw(state, event.card, "burn", null);
    case "card_set_aside":
      return noted(draw(state, event.card, "set_aside", null), "card_set_aside", event.by, event.why);
    case "dealt":
      return draw(state, event.card, event.deal, event.box);
    case "cards_collected":
      return cardsCollected(state, event);
    case "house_chose":
      return houseChose(state, event);
    case "cover_card_out":
      return coverCardOut(state, event);
    case "shoe_ended":
      return shoeEnded(state, event);
    case "table_idle":
      return tableIdle(state);
    case "spread_turned_up":
      return { ...state, spread_up: true };
    case "method_changed":
      return methodChanged(state, event);
    case "dealer_changed":
      return state; // fold.js notes it, unless the table opens with this dealer
    default:
      return event.type in INCIDENTS ? onlyNoted(state, event) : state;
  }
}
