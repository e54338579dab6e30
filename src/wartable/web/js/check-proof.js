// The fairness check of a provable shoe, written from docs/fairness.md alone: links, numbers, the
// cards that they decide, and how its record follows the one before.

import { canonical, DECK, fair, need, pbkdf2, weighted } from "./check-parts.js";
import { hex, hmac, sha256, unhex } from "./sha256.js";
import { plural } from "./words.js";

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

/** @param {number} count */
function were(count) {
  return count === 1 ? "was" : "were";
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
  need(shoe.ended !== "" && (proof.draws.length === 0 || shoe.seed !== ""), "The shoe has not ended: its last link is not revealed yet.");
  const old = shoe.seals.length + shoe.player_seeds.length + shoe.cards.length > 0 || proof.key !== "";
  need(!old, "A provable shoe has no seals, no opened seeds, no stack and no key.");
  const told = proof.incidents.some((each) => each.what === "ended" || each.what === "reshuffle_ordered");
  need(ENDS.includes(shoe.ended) || told, "The shoe was set aside, and the record does not say by whom.");
  const out = shoe.cover !== null && shoe.drawn.length > shoe.cover.position;
  need(shoe.ended !== "cover card" || out, "The shoe ended before its cover card appeared.");
  need(shoe.ended !== "one round" || proof.bound.cover_low === null, "A shoe of many rounds ended after one.");
  need(shoe.seed === "" || proof.draws.length > 0, "A link is revealed that no draw used.");
  return `The shoe ended (${shoe.ended}) and its ${plural(proof.draws.length, "link")} can be checked.`;
}

/** @param {ProofWork} work */
function checkCommitment(work) {
  const { shoe, proof } = work;
  const made = hex(digest("wartable-2 shoe", shoe.terms, proof.bound));
  work.found = { "commitment of what is bound": made, "commitment published": shoe.commitment };
  need(made === shoe.commitment, "The terms and what is bound do not hash to the commitment.");
  const own = (proof.bound.owner !== "") === (proof.bound.order === "on_deal");
  need(own, "The cards of a table are decided after Deal if it has an owner, only then.");
  return "The rules, the chain and the record before it are those committed to.";
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
  need(hex(link) === bound.anchor, "The revealed link does not lead to the last one before this shoe.");
  need(bound.used + draws.length <= bound.links, `The chain has only ${bound.links} links.`);
  need(bound.used > 0 || bound.anchor === bound.chain, "The first shoe of a chain does not begin at its published end.");
  for (const [place, draw] of draws.entries()) {
    const heard = digest("wartable-2 draw", shoe.commitment, place, shoe.cuts.slice(0, draw.cuts), draw.numbers);
    work.keys.push(await pbkdf2(links[place] ?? link, heard, bound.iterations));
  }
  return `${plural(draws.length, "link")} of the published chain ${were(draws.length)} used.`;
}

/** @param {ProofWork} work */
function checkNumbers({ proof }) {
  const { draws, bound } = proof;
  draws.forEach((draw, place) => {
    const names = draw.numbers.map((each) => each.player);
    need(new Set(names).size === names.length, `Draw ${place + 1} has two numbers of one player for one link.`);
    const others = bound.owner !== "" && names.some((name) => name !== bound.owner);
    need(!others, `Draw ${place + 1} has a number of somebody who does not own the table.`);
    need(names.length <= LIST_MAX, `Draw ${place + 1} has more than ${LIST_MAX} numbers.`);
  });
  const missing = draws.filter((draw) => draw.numbers.length === 0).length;
  if (missing === 0) return "Every draw has a player's number in it.";
  return `${plural(missing, "draw")} of ${draws.length} had no player's number.`;
}

/** @param {ProofWork} work */
function checkCut({ shoe, proof }) {
  const least = proof.bound.cut_min;
  need(shoe.cuts.length === 0 || least !== null, `Cards shuffled by the method ${shoe.terms.method} are not cut here.`);
  const most = DECK.length * shoe.terms.decks - (least ?? 0);
  for (const { player, position } of shoe.cuts) {
    need((player === null) === (position === null), "A player's cut has a position, and the dealer's has none.");
    const inside = position === null || ((least ?? 0) <= position && position <= most);
    need(inside, `A cut lifts ${least} to ${most} cards, not ${position}.`);
  }
  const recuts = count(proof, "recut_ordered");
  need(shoe.cuts.length <= 1 + recuts, `There were ${shoe.cuts.length} cuts, but ${recuts} recuts were ordered.`);
  return `${plural(shoe.cuts.length, "cut")} ${were(shoe.cuts.length)} made before the cards.`;
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
  need(rising, "The draws do not follow each other.");
  const cards = Array.from({ length: shoe.terms.decks }, () => DECK).flat();
  need(shoe.drawn.length <= cards.length, "More cards were dealt than there are.");
  const words = keys.map((key) => below(key, 2));
  shoe.drawn.forEach((dealt, place) => {
    const at = decidedBy(proof, place);
    const left = cards.length - place;
    swap(cards, place, place + (words[at]?.(left) ?? 0));
    if (dealt.card === HIDDEN) return;
    need(at >= 0, `Card ${place + 1} was dealt before any draw.`);
    const card = cards[place] ?? "";
    need(dealt.card === card, `Card ${place + 1} is ${card}, but ${dealt.card} was dealt.`);
  });
  const undecided = undecidedOf(shoe, proof);
  const said = `${plural(shoe.drawn.length, "card")} ${were(shoe.drawn.length)} dealt, as links and numbers say`;
  return said + (undecided > 0 ? `; the last ${undecided} ${were(undecided)} never decided.` : ".");
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
  need(last, "A dealt card is hidden.");
  const late = proof.draws.at(-1)?.first ?? 0;
  need(hidden.length === 0 || late <= start, "A draw did not decide the cards before it.");
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
  need(draws.every((draw) => draw.first === 0 && draw.choices === 0), "The cards were ordered again after they were dealt from.");
  need(cuts.length - 1 <= count(proof, "recut_ordered"), "The cards were ordered again, and nobody ordered a recut.");
  const used = shoe.drawn.length > 0 || shoe.choices.length > 0;
  const rising = cuts.every((made, i) => i === 0 || (cuts[i - 1] ?? 0) < made);
  need(rising && (!used || cuts.at(-1) === shoe.cuts.length), "The cards were not ordered once after each cut.");
  need(cuts.length === 0 || used || incidents.length > 0, "The order was calculated and discarded.");
  return `${plural(cuts.length, "order")} ${were(cuts.length)} calculated, after the cut.`;
}

/** @param {ProofWork} work */
function checkDealDraws({ shoe, proof }) {
  const { draws, incidents } = proof;
  need(draws.every((draw) => draw.cuts === shoe.cuts.length), "A draw was made before the last cut.");
  const void_ = incidents.filter((each) => VOIDS.includes(each.what)).map((each) => each.round_number);
  draws.forEach((draw, place) => {
    const then = draws[place + 1];
    const cards = (then?.first ?? shoe.drawn.length) - draw.first;
    const choices = (then?.choices ?? shoe.choices.length) - draw.choices;
    need(choices >= 0, "The draws do not follow each other.");
    const last = then?.round_number !== draw.round_number;
    const used = cards !== 0 || choices !== 0 || (last && void_.includes(draw.round_number));
    need(used, `Draw ${place + 1} decided nothing: its link was discarded.`);
  });
  /** @type {Map<string, number>} */
  const parts = new Map();
  shoe.drawn.forEach(({ use, round_number: number }, place) => {
    const at = decidedBy(proof, place);
    if (at < 0 || use === "burn" || use === "set_aside") return;
    need(draws[at]?.round_number === number, `A card of round ${number} was decided for another round.`);
    const part = `${number} ${use}`;
    if (!parts.has(part)) parts.set(part, at);
    need(parts.get(part) === at, `One deal of round ${number} was decided by two links.`);
    const early = use === "war" && parts.get(`${number} original`) === at;
    need(!early, `The war cards of round ${number} were decided before the last choice.`);
  });
  return `${plural(draws.length, "draw")} ${were(draws.length)} used, each for one deal.`;
}

/** @param {ProofWork} work */
function checkCover({ shoe, proof }) {
  const { cover_low: low, cover_high: high } = proof.bound;
  const { cover } = shoe;
  if (low === null || high === null) {
    need(cover === null, "A shoe of one round has no cover card.");
    return "A shoe of one round has no cover card.";
  }
  if (cover === null) {
    need(shoe.drawn.length === 0, "There was no cover card.");
    return "The shoe was never loaded.";
  }
  const right = cover.position === low && cover.low === low && cover.high === high;
  need(right, `The cover card was bound to a place under ${low} cards.`);
  return `The cover card was under ${cover.position} cards.`;
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
  need(atWar.every((box) => boxes.includes(box)), `A box of round ${number} got a war card without a first one.`);
  const wars = atWar.length === 0 && isVoid ? [0] : atWar;
  const plan = [...burned(due), ...boxes.map((box) => `original ${box}`), ...war(bound, wars)];
  const follows = uses.every((use, i) => use === plan[i]);
  const whole = uses.length === plan.length || boxes.length === 0 || isVoid;
  need(follows && whole, `The cards of round ${number} were not used in the rule book's order.`);
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
  need(rounds.every((round, i) => i === 0 || (rounds[i - 1] ?? 0) <= round), "The rounds are not in order.");
  const single = proof.bound.cover_low === null;
  need(!single || new Set(rounds).size <= 1, "More than one round was dealt from one shuffle.");
  const late = new Set(shoe.cover === null ? [] : rounds.slice(shoe.cover.position));
  need(late.size <= 1, "Another round was dealt after the one in which the cover card appeared.");
  [...new Set(rounds)].forEach((number, i) => {
    checkRound(proof, number, shoe.drawn.filter((dealt) => dealt.round_number === number), i === 0);
  });
  const aside = [...shoe.drawn.keys()].filter((place) => shoe.drawn[place]?.use === "set_aside");
  const told = proof.incidents.filter((each) => each.what === "card_set_aside").map((each) => each.place - 1);
  need(aside.join() === told.join(), "A card was set aside, and the record does not say by whom.");
  const racked = shoe.discards;
  need(racked.every((place) => place < shoe.drawn.length), "A card that was not dealt is in the discards.");
  need(new Set(racked).size === racked.length, "A card is in the discards twice.");
  return "Cards were burned and dealt in the order of the rule book.";
}

/** @param {ProofWork} work */
function checkChoices({ shoe, proof, keys }) {
  const { bound, draws } = proof;
  const seen = new Set();
  const dealt = new Set(shoe.drawn.map((each) => each.round_number));
  shoe.choices.forEach((choice, place) => {
    const { label, index, options } = choice;
    const name = `${label} of round ${index}`;
    const known = bound.labels.find((each) => each.name === label);
    need(known !== undefined, `${label} is not one of the choices that were bound.`);
    if (known === undefined) return;
    const some = known.options.filter((each) => options.includes(each));
    const wanted = known.weights.length > 0 ? known.options : some;
    const same = choice.weights.join() === known.weights.join() && options.join("\n") === wanted.join("\n");
    need(same, `${name} has other options or weights than were bound.`);
    const at = draws.filter((draw) => draw.choices <= place).length - 1;
    const key = keys[at];
    need(key !== undefined, `${name} was chosen before any draw.`);
    const inTurn = bound.order === "shoe" || draws[at]?.round_number === index;
    need(inTurn, `${name} was decided for another round.`);
    const once = !seen.has(name) && dealt.has(index);
    need(once, `${name} was chosen twice, or without a card.`);
    seen.add(name);
    const weights = choice.weights.length > 0 ? choice.weights : options.map(() => 1);
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    need(total > 0 && weights.length === options.length, `${label} has no weight for each option.`);
    const result = weighted(weights, below(key ?? new Uint8Array(0), 8, label, index)(total));
    need(result === choice.result, `${name} is ${options[result]} by the link.`);
  });
  return `Links and numbers give the same result for ${plural(shoe.choices.length, "choice")}.`;
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
