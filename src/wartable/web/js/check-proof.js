// The fairness check of a provable shoe, written from docs/fairness.md alone: links, numbers, the
// cards that they decide, and how its record follows the one before.

import { canonical, DECK, fair, need, pack, pbkdf2, weighted } from "./check-parts.js";
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
const RESERVED = ["order", "cut", "cover"];
const RECORDED = /** @type {const} */ (["commitment", "cuts", "cover", "drawn", "discards", "choices", "ended", "seed"]);
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
  const fields = Object.fromEntries(RECORDED.map((name) => [name, shoe[name]]));
  const whole = { ...fields, draws: shoe.proof?.draws, incidents: shoe.proof?.incidents };
  return hex(sha256(pack("wartable-2 record", canonical(whole))));
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
  const made = hex(sha256(pack("wartable-2 shoe", canonical({ terms: shoe.terms, bound: proof.bound }))));
  work.found = { "commitment of what is bound": made, "commitment published": shoe.commitment };
  need(made === shoe.commitment, "The terms and what is bound do not hash to the commitment.");
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
    const heard = sha256(pack("wartable-2 draw", unhex(shoe.commitment), place, canonical(shoe.cuts.slice(0, draw.cuts)), canonical(draw.numbers)));
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
 * A fair number below a count, by a draw's key.
 * @param {Uint8Array} key
 * @param {string} label
 * @param {number} index
 * @param {number} count
 */
function below(key, label, index, count) {
  return fair((block) => hmac(key, pack("wartable-2 block", label, index, block)), 8)(count);
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
 * Fair numbers below counts, one for each card that a draw decides.
 * @param {Uint8Array} key
 */
function wordsOf(key) {
  return fair((block) => hmac(key, pack("wartable-2 block", "order", 0, block)), 2);
}

/** @param {ProofWork} work */
function checkCards({ shoe, proof, keys }) {
  const firsts = proof.draws.map((draw) => draw.first);
  const rising = firsts.every((first, i) => (i === 0 ? first === 0 : (firsts[i - 1] ?? 0) <= first));
  need(rising, "The draws do not follow each other.");
  const cards = Array.from({ length: shoe.terms.decks }, () => DECK).flat();
  need(shoe.drawn.length <= cards.length, "More cards were dealt than there are.");
  const words = keys.map(wordsOf);
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
    const used = cards !== 0 || choices !== 0 || void_.includes(draw.round_number);
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
 * The uses of a war deal of this many cards, the dealer's last.
 * @param {Proof["bound"]} bound
 * @param {number} cards
 * @returns {string[]}
 */
function war(bound, cards) {
  return Array.from({ length: cards }, (_, at) => {
    const last = bound.burn_war_when === "before_dealer" && at === cards - 1;
    const burns = at === 0 || bound.burn_war_when === "each_card" || last;
    return [...Array.from({ length: burns ? bound.burn_war : 0 }, () => "burn"), "war"];
  }).flat();
}

/**
 * One round's uses: burns before it, the original cards, then the war deal.
 * @param {Proof} proof
 * @param {number} number
 * @param {readonly DrawnCard[]} dealt
 * @param {boolean} first
 */
function checkRound({ bound, incidents }, number, dealt, first) {
  for (const { use, box } of dealt) {
    const unseen = use === "burn" || use === "set_aside";
    need((box === null) === unseen, `A card of round ${number} went neither to a box nor to the discards.`);
  }
  const uses = dealt.map((each) => each.use).filter((use) => use !== "set_aside");
  const shown = uses.findIndex((use) => use !== "burn");
  const before = shown === -1 ? uses.length : shown;
  const changed = incidents.some((each) => each.what === "dealer_changed" && each.round_number === number - 1);
  const due = (first ? bound.burn_first : 0) + (changed ? bound.burn_new_dealer : 0);
  const neverDealt = before === uses.length && before < due;
  need(before === due || neverDealt, `${before} cards were burned before round ${number}, not ${due}.`);
  const hands = uses.slice(before);
  const end = hands.findIndex((use) => use !== "original");
  const made = end === -1 ? [] : hands.slice(end);
  const wanted = war(bound, uses.filter((use) => use === "war").length);
  const isVoid = incidents.some((each) => each.what === "round_voided" && each.round_number === number);
  const right = made.join() === wanted.join() || (isVoid && made.join() === wanted.slice(0, made.length).join());
  need(right, `The cards of round ${number} were not used in the rule book's order.`);
  const toldWhy = incidents.some((each) => VOIDS.includes(each.what) && each.round_number === number);
  const boxes = boxesOf(bound, number, dealt, "original", toldWhy);
  const known = boxesOf(bound, number, dealt, "war", toldWhy).every((box) => boxes.includes(box));
  need(known, `A box of round ${number} got a war card without a first one.`);
}

/**
 * The boxes of one deal, which are dealt to in the book's order, and the dealer last.
 * @param {Proof["bound"]} bound
 * @param {number} number
 * @param {readonly DrawnCard[]} dealt
 * @param {string} use
 * @param {boolean} toldWhy
 */
function boxesOf(bound, number, dealt, use, toldWhy) {
  const boxes = dealt.filter((each) => each.use === use).map((each) => each.box ?? 0);
  const hands = boxes.at(-1) === 0 ? boxes.slice(0, -1) : boxes;
  const step = bound.deal_order === "counterclockwise" ? -1 : 1;
  const rising = hands.every((box, i) => box !== 0 && (i === 0 || (box - (hands[i - 1] ?? 0)) * step > 0));
  need(rising, `Round ${number} was not dealt in the order of the boxes, the dealer last.`);
  const whole = boxes.length === 0 || hands.length < boxes.length;
  need(whole || toldWhy, `The dealer got no card in round ${number}, and nothing was voided.`);
  return boxes;
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
  /** @type {Map<string, number>} */
  const seen = new Map();
  shoe.choices.forEach((choice, place) => {
    const { label, index, options } = choice;
    const known = proof.bound.labels.find((each) => each.name === label);
    need(known !== undefined && !RESERVED.includes(label), `${label} is not one of the choices that were bound.`);
    if (known === undefined) return;
    const some = known.options.filter((each) => options.includes(each));
    const part = known.weights.length === 0 && options.join("\n") === some.join("\n");
    const same = choice.weights.join() === known.weights.join() && (part || options.join("\n") === known.options.join("\n"));
    need(same, `${label} has other options or weights than were bound.`);
    need(index === (seen.get(label) ?? 0), `${label} number ${index} is out of turn.`);
    seen.set(label, index + 1);
    const key = keys[proof.draws.filter((draw) => draw.choices <= place).length - 1];
    need(key !== undefined, `${label} was chosen before any draw.`);
    const weights = choice.weights.length > 0 ? choice.weights : options.map(() => 1);
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    need(total > 0 && weights.length === options.length, `${label} has no weight for each option.`);
    const result = weighted(weights, below(key ?? new Uint8Array(0), label, index, total));
    need(result === choice.result, `${label} number ${index} is ${options[result]} by the link.`);
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
