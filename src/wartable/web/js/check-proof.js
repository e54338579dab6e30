// The fairness check of a provable shoe, written from docs/fairness.md alone: links, numbers, the
// cards that they decide, and how its record follows the one before.

import { canonical, DECK, fair, need, pbkdf2, weighted } from "./check-parts.js";
import { t } from "./page-texts.js";
import { hex, hmac, sha256, unhex } from "./sha256.js";
import { phrase } from "./words.js";

/** @typedef {import("./types.js").Shoe} Shoe */
/** @typedef {import("./types.js").Proof} Proof */
/** @typedef {import("./types.js").DrawnCard} DrawnCard */

/**
 * What one step sees: the shoe, its proof, and what the steps before it worked out.
 * @typedef {object} ProofWork
 * @property {Shoe} shoe
 * @property {Proof} proof
 * @property {Uint8Array[]} keys
 * @property {Record<string, string>} found
 */

const ENDS = ["cover card", "one round"];
const HIDDEN = "??";
const VOIDS = ["round_voided", "box_voided", "player_left"];
const LIST_MAX = 256;

/**
 * @param {Proof} proof
 * @param {string} what
 */
function count({ incidents }, what) {
  return incidents.filter((each) => each.what === what).length;
}

/**
 * The hash of a finished shoe's record, to which the next one is bound.
 * @param {Shoe} shoe
 * @returns {string}
 */
export function recordHash(shoe) {
  return hex(digest("wartable-2 record", shoe));
}

/**
 * Whether the commitment of a shoe covers its terms and what is bound.
 * @param {Shoe} shoe
 * @returns {boolean}
 */
export function committed(shoe) {
  return hex(digest("wartable-2 shoe", shoe.terms, shoe.proof?.bound)) === shoe.commitment;
}

/**
 * The hash of values, as JSON.
 * @param {...unknown} values
 */
function digest(...values) {
  return sha256(canonical(values));
}

/** @param {ProofWork} work */
function checkEnd({ shoe, proof }) {
  need(shoe.ended !== "" && (proof.draws.length === 0 || shoe.seed !== ""), "check.link_secret");
  const old = shoe.seals.length + shoe.player_seeds.length + shoe.cards.length > 0 || proof.key !== "";
  need(!old, "check.older_parts");
  const told = proof.incidents.some((each) => each.what === "ended" || each.what === "reshuffle_ordered");
  need(ENDS.includes(shoe.ended) || told, "check.aside_by_nobody");
  const out = shoe.cover !== null && shoe.drawn.length > shoe.cover.position;
  need(shoe.ended !== "cover card" || out, "check.before_cover");
  need(shoe.ended !== "one round" || proof.bound.cover_low === null, "check.ended_early");
  need(shoe.seed === "" || proof.draws.length > 0, "check.link_unused");
  return t("check.links_known", { count: proof.draws.length, ended: phrase("reason", shoe.ended) });
}

/** @param {ProofWork} work */
function checkCommitment(work) {
  const { shoe, proof } = work;
  const made = hex(digest("wartable-2 shoe", shoe.terms, proof.bound));
  work.found = { "commitment of what is bound": made, "commitment published": shoe.commitment };
  need(made === shoe.commitment, "check.not_bound");
  const own = (proof.bound.owner !== "") === (proof.bound.order === "on_deal");
  need(own, "check.owner_only");
  return t("check.bound");
}

/** @param {ProofWork} work */
async function checkLinks(work) {
  const { shoe, proof } = work;
  const { bound, draws } = proof;
  let link = unhex(shoe.seed === "" ? bound.anchor : shoe.seed);
  const links = draws.map(() => {
    const used = link;
    link = sha256(link);
    return used;
  });
  links.reverse();
  work.found = { "last link": shoe.seed, "it leads to": hex(link), "last link before this shoe": bound.anchor };
  need(hex(link) === bound.anchor, "check.link_elsewhere");
  need(bound.used + draws.length <= bound.links, "check.chain_short", { links: bound.links });
  need(bound.used > 0 || bound.anchor === bound.chain, "check.chain_begin");
  for (const [place, draw] of draws.entries()) {
    const heard = digest("wartable-2 draw", shoe.commitment, place, shoe.cuts.slice(0, draw.cuts), draw.numbers);
    work.keys.push(await pbkdf2(links[place] ?? link, heard, bound.iterations));
  }
  return t("check.links_used", { count: draws.length });
}

/** @param {ProofWork} work */
function checkNumbers({ proof }) {
  const { draws, bound } = proof;
  draws.forEach((draw, place) => {
    const names = draw.numbers.map((each) => each.player);
    need(new Set(names).size === names.length, "check.two_numbers", { draw: place + 1 });
    const others = bound.owner !== "" && names.some((name) => name !== bound.owner);
    need(!others, "check.strange_number", { draw: place + 1 });
    need(names.length <= LIST_MAX, "check.many_numbers", { draw: place + 1, max: LIST_MAX });
  });
  const missing = draws.filter((draw) => draw.numbers.length === 0).length;
  if (missing === 0) return t("check.numbers_in");
  return t("check.numbers_missing", { count: missing, draws: draws.length });
}

/** @param {ProofWork} work */
function checkCut({ shoe, proof }) {
  const least = proof.bound.cut_min;
  need(shoe.cuts.length === 0 || least !== null, "check.not_cut_here", { method: shoe.terms.method });
  const most = DECK.length * shoe.terms.decks - (least ?? 0);
  for (const { player, position } of shoe.cuts) {
    need((player === null) === (position === null), "check.cut_position");
    const inside = position === null || ((least ?? 0) <= position && position <= most);
    need(inside, "check.cut_place", { min: String(least), max: most, position: String(position) });
  }
  const recuts = count(proof, "recut_ordered");
  need(shoe.cuts.length <= 1 + recuts, "check.cut_often", { cuts: shoe.cuts.length, recuts });
  return t("check.cuts_made", { count: shoe.cuts.length });
}

/**
 * The draw that decided the card at a place; -1 for none.
 * @param {Proof} proof
 * @param {number} place
 */
function decidedBy(proof, place) {
  return proof.draws.filter((draw) => draw.first <= place).length - 1;
}

/**
 * @param {string[]} cards
 * @param {number} one
 * @param {number} other
 */
function swap(cards, one, other) {
  const card = cards[other] ?? "";
  cards[other] = cards[one] ?? "";
  cards[one] = card;
}

/**
 * Fair numbers below counts, by a draw's key: for its cards, or under a name.
 * @param {Uint8Array} key
 * @param {number} width
 * @param {...(string | number)} name
 */
function below(key, width, ...name) {
  return fair((block) => hmac(key, canonical([...name, block])), width);
}

/** @param {ProofWork} work */
function checkCards({ shoe, proof, keys }) {
  const firsts = proof.draws.map((draw) => draw.first);
  const rising = firsts.every((first, i) => (i === 0 ? first === 0 : (firsts[i - 1] ?? 0) <= first));
  need(rising, "check.draws_order");
  const cards = Array.from({ length: shoe.terms.decks }, () => DECK).flat();
  need(shoe.drawn.length <= cards.length, "check.too_many");
  const words = keys.map((key) => below(key, 2));
  shoe.drawn.forEach((dealt, place) => {
    const at = decidedBy(proof, place);
    const left = cards.length - place;
    swap(cards, place, place + (words[at]?.(left) ?? 0));
    if (dealt.card === HIDDEN) return;
    need(at >= 0, "check.before_draw", { place: place + 1 });
    const card = cards[place] ?? "";
    need(dealt.card === card, "check.other_card", { place: place + 1, card, dealt: dealt.card });
  });
  const undecided = undecidedOf(shoe, proof);
  const said = t("check.cards_said", { count: shoe.drawn.length });
  return undecided > 0 ? t("check.undecided", { said, count: undecided }) : `${said}.`;
}

/**
 * How many burned cards no draw decided, which can only be the last ones.
 * @param {Shoe} shoe
 * @param {Proof} proof
 */
function undecidedOf(shoe, proof) {
  const hidden = [...shoe.drawn.keys()].filter((place) => shoe.drawn[place]?.card === HIDDEN);
  const start = shoe.drawn.length - hidden.length;
  const last = hidden.every((place, i) => place === start + i && shoe.drawn[place]?.use === "burn");
  need(last, "check.card_hidden");
  const late = proof.draws.at(-1)?.first ?? 0;
  need(hidden.length === 0 || late <= start, "check.draw_late");
  return hidden.length;
}

/** @param {ProofWork} work */
function checkDraws(work) {
  return work.proof.bound.order === "shoe" ? checkOrderDraws(work) : checkDealDraws(work);
}

/** @param {ProofWork} work */
function checkOrderDraws({ shoe, proof }) {
  const { draws, incidents } = proof;
  const cuts = draws.map((draw) => draw.cuts);
  need(draws.every((draw) => draw.first === 0 && draw.choices === 0), "check.ordered_late");
  need(cuts.length - 1 <= count(proof, "recut_ordered"), "check.ordered_again");
  const used = shoe.drawn.length > 0 || shoe.choices.length > 0;
  const rising = cuts.every((made, i) => i === 0 || (cuts[i - 1] ?? 0) < made);
  need(rising && (!used || cuts.at(-1) === shoe.cuts.length), "check.ordered_once");
  need(cuts.length === 0 || used || incidents.length > 0, "check.order_discarded");
  return t("check.orders", { count: cuts.length });
}

/** @param {ProofWork} work */
function checkDealDraws({ shoe, proof }) {
  const { draws, incidents } = proof;
  need(draws.every((draw) => draw.cuts === shoe.cuts.length), "check.draw_before_cut");
  const void_ = incidents.filter((each) => VOIDS.includes(each.what)).map((each) => each.round_number);
  draws.forEach((draw, place) => {
    const then = draws[place + 1];
    const cards = (then?.first ?? shoe.drawn.length) - draw.first;
    const choices = (then?.choices ?? shoe.choices.length) - draw.choices;
    need(choices >= 0, "check.draws_order");
    const last = then?.round_number !== draw.round_number;
    const used = cards !== 0 || choices !== 0 || (last && void_.includes(draw.round_number));
    need(used, "check.draw_nothing", { draw: place + 1 });
  });
  /** @type {Map<string, number>} */
  const parts = new Map();
  shoe.drawn.forEach(({ use, round_number: number }, place) => {
    const at = decidedBy(proof, place);
    if (at < 0 || use === "burn" || use === "set_aside") return;
    need(draws[at]?.round_number === number, "check.card_round", { round: number });
    const part = `${number} ${use}`;
    if (!parts.has(part)) parts.set(part, at);
    need(parts.get(part) === at, "check.two_links", { round: number });
    const early = use === "war" && parts.get(`${number} original`) === at;
    need(!early, "check.war_early", { round: number });
  });
  return t("check.draws_used", { count: draws.length });
}

/** @param {ProofWork} work */
function checkCover({ shoe, proof }) {
  const { cover_low: low, cover_high: high } = proof.bound;
  const { cover } = shoe;
  if (low === null || high === null) {
    need(cover === null, "check.cover_single");
    return t("check.cover_single");
  }
  if (cover === null) {
    need(shoe.drawn.length === 0, "check.no_cover");
    return t("check.never_loaded");
  }
  const right = cover.position === low && cover.low === low && cover.high === high;
  need(right, "check.cover_bound", { position: low });
  return t("check.cover_under", { position: cover.position });
}

/**
 * What the cards of a war deal to these boxes are used for.
 * @param {Proof["bound"]} bound
 * @param {readonly number[]} boxes
 * @returns {string[]}
 */
function war(bound, boxes) {
  return boxes.flatMap((box, at) => {
    const last = bound.burn_war_when === "before_dealer" && box === 0;
    const burns = at === 0 || bound.burn_war_when === "each_card" || last;
    return [...burned(burns ? bound.burn_war : 0), `war ${box}`];
  });
}

/**
 * The uses of this many burned cards.
 * @param {number} count
 * @returns {string[]}
 */
function burned(count) {
  return Array.from({ length: count }, () => "burn null");
}

/**
 * What each card of a round was used for: burns before it, first cards, war cards.
 * @param {Proof} proof
 * @param {number} number
 * @param {readonly DrawnCard[]} dealt
 * @param {boolean} first
 */
function checkRound({ bound, incidents }, number, dealt, first) {
  const isVoid = incidents.some((each) => VOIDS.includes(each.what) && each.round_number === number);
  const changed = incidents.some((each) => each.what === "dealer_changed" && each.round_number === number - 1);
  const due = (first ? bound.burn_first : 0) + (changed ? bound.burn_new_dealer : 0);
  const uses = dealt.filter((each) => each.use !== "set_aside").map(({ use, box }) => `${use} ${box}`);
  const boxes = boxesOf(bound, dealt, "original");
  const atWar = boxesOf(bound, dealt, "war");
  need(atWar.every((box) => boxes.includes(box)), "check.war_alone", { round: number });
  const wars = atWar.length === 0 && isVoid ? [0] : atWar;
  const plan = [...burned(due), ...boxes.map((box) => `original ${box}`), ...war(bound, wars)];
  const follows = uses.every((use, i) => use === plan[i]);
  const whole = uses.length === plan.length || boxes.length === 0 || isVoid;
  need(follows && whole, "check.use_order", { round: number });
}

/**
 * Who must get the cards of one deal: its boxes in the book's order, then the dealer, 0.
 * @param {Proof["bound"]} bound
 * @param {readonly DrawnCard[]} dealt
 * @param {string} use
 * @returns {number[]}
 */
function boxesOf(bound, dealt, use) {
  const boxes = new Set(dealt.filter((each) => each.use === use).map((each) => each.box ?? 0));
  boxes.delete(0);
  const step = bound.deal_order === "counterclockwise" ? -1 : 1;
  return boxes.size === 0 ? [] : [...[...boxes].sort((a, b) => (a - b) * step), 0];
}

/** @param {ProofWork} work */
function checkDeal({ shoe, proof }) {
  const rounds = shoe.drawn.map((dealt) => dealt.round_number);
  need(rounds.every((round, i) => i === 0 || (rounds[i - 1] ?? 0) <= round), "check.rounds_order");
  const single = proof.bound.cover_low === null;
  need(!single || new Set(rounds).size <= 1, "check.one_shuffle");
  const late = new Set(shoe.cover === null ? [] : rounds.slice(shoe.cover.position));
  need(late.size <= 1, "check.after_cover");
  [...new Set(rounds)].forEach((number, i) => {
    checkRound(proof, number, shoe.drawn.filter((dealt) => dealt.round_number === number), i === 0);
  });
  const aside = [...shoe.drawn.keys()].filter((place) => shoe.drawn[place]?.use === "set_aside");
  const told = proof.incidents.filter((each) => each.what === "card_set_aside").map((each) => each.place - 1);
  need(aside.join() === told.join(), "check.card_aside");
  const racked = shoe.discards;
  need(racked.every((place) => place < shoe.drawn.length), "check.discard_undealt");
  need(new Set(racked).size === racked.length, "check.discard_twice");
  return t("check.deal_order");
}

/** @param {ProofWork} work */
function checkChoices({ shoe, proof, keys }) {
  const { bound, draws } = proof;
  const seen = new Set();
  const dealt = new Set(shoe.drawn.map((each) => each.round_number));
  shoe.choices.forEach((choice, place) => {
    const { label, index, options } = choice;
    const name = t("check.choice_of", { label, round: index });
    const known = bound.labels.find((each) => each.name === label);
    need(known !== undefined, "check.choice_unbound", { label });
    if (known === undefined) return;
    const some = known.options.filter((each) => options.includes(each));
    const wanted = known.weights.length > 0 ? known.options : some;
    const same = choice.weights.join() === known.weights.join() && options.join("\n") === wanted.join("\n");
    need(same, "check.choice_other", { name });
    const at = draws.filter((draw) => draw.choices <= place).length - 1;
    const key = keys[at];
    need(key !== undefined, "check.choice_early", { name });
    const inTurn = bound.order === "shoe" || draws[at]?.round_number === index;
    need(inTurn, "check.choice_round", { name });
    const once = !seen.has(name) && dealt.has(index);
    need(once, "check.choice_twice", { name });
    seen.add(name);
    const weights = choice.weights.length > 0 ? choice.weights : options.map(() => 1);
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    need(total > 0 && Number.isSafeInteger(total) && weights.length === options.length, "check.choice_weights", { label });
    const result = weighted(weights, below(key ?? new Uint8Array(0), 8, label, index)(total));
    need(result === choice.result, "check.choice_result", { name, result: String(options[result]) });
  });
  return t("check.choices_links", { count: shoe.choices.length });
}

/** @type {[string, (work: ProofWork) => string | Promise<string>][]} */
export const PROOF_CHECKS = [
  ["end", checkEnd],
  ["commitment", checkCommitment],
  ["links", checkLinks],
  ["numbers", checkNumbers],
  ["cut", checkCut],
  ["cards", checkCards],
  ["draws", checkDraws],
  ["cover card", checkCover],
  ["deal", checkDeal],
  ["choices", checkChoices],
];
