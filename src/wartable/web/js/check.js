// The fairness check, written from docs/sealed.md and docs/fairness.md alone: it recomputes a finished shoe from
// its seeds, step by step, and stops a shoe at the first step that fails.

import { DECK, Failed, fair, need, pack, weighted } from "./check-parts.js";
import { PROOF_CHECKS } from "./check-proof.js";
import { incidents, sequenceProblem } from "./check-sequence.js";
import { t } from "./page-texts.js";
import { hex, hmac, sha256, unhex } from "./sha256.js";
import { phrase } from "./words.js";

/** @typedef {import("./types.js").Shoe} Shoe */

/**
 * One thing that was checked: of which shoe (0 is the whole record), and how it came out.
 * @typedef {object} Step
 * @property {number} shoe
 * @property {string} name
 * @property {boolean} ok
 * @property {string} sentence
 * @property {Readonly<Record<string, string>>} found
 */

/**
 * What one step sees: the shoe, and what the steps before it worked out.
 * @typedef {object} Work
 * @property {Shoe} shoe
 * @property {Uint8Array} seed
 * @property {Uint8Array} commitment
 * @property {Uint8Array} transcript
 * @property {string[]} order
 * @property {Record<string, string>} found
 */

const FORMATS = ["wartable-shoes-1", "wartable-shoes-2"];
const DECKS_MAX = 16;
const ITERATIONS_MAX = 1_000_000_000;
const LINKS_MAX = 65_536;
const MARGIN = 10;
const ONE_ROUND = ["every_round", "continuous"];
const RESERVED = ["order", "cut", "cover"];

/**
 * A stream of equally likely numbers, read from the seeds under a name.
 * @param {Uint8Array} seed
 * @param {Uint8Array} transcript
 * @param {string} label
 * @param {number} index
 * @param {number} width
 * @returns {(count: number) => number}
 */
export function drawer(seed, transcript, label, index, width) {
  const key = hmac(seed, pack("wartable-1 stream", transcript, label, index));
  const counter = new DataView(new ArrayBuffer(8));
  return fair((block) => {
    counter.setBigUint64(0, BigInt(block));
    return hmac(key, new Uint8Array(counter.buffer));
  }, width);
}

/**
 * The seal of a player's seed.
 * @param {Pick<Shoe["terms"], "table" | "number">} terms
 * @param {string} player
 * @param {Uint8Array} seed
 * @returns {string}
 */
export function seal(terms, player, seed) {
  return hex(sha256(pack("wartable-1 seal", terms.table, terms.number, player, seed)));
}

/** @param {Work} work */
function checkEnd({ shoe }) {
  need(shoe.ended !== "" && shoe.seed !== "", "check.seed_secret");
  const dealt = shoe.drawn.length > 0 || shoe.cover !== null || shoe.choices.length > 0;
  need(shoe.cards.length > 0 || !dealt, "check.no_stack");
  return t("check.seed_revealed", { ended: phrase("reason", shoe.ended) });
}

/** @param {Work} work */
function checkCommitment(work) {
  const { shoe } = work;
  const { table, number, method, decks, batch } = shoe.terms;
  work.seed = unhex(shoe.seed);
  const seals = shoe.seals.flatMap((each) => [each.player, unhex(each.seal)]);
  work.commitment = sha256(
    pack("wartable-1 commitment", table, number, method, decks, batch, work.seed, ...seals),
  );
  work.found = { seed: shoe.seed, "commitment by the seed": hex(work.commitment), "commitment published": shoe.commitment };
  need(hex(work.commitment) === shoe.commitment, "check.not_committed");
  return t("check.committed");
}

/** @param {Work} work */
function checkSeeds(work) {
  const { shoe } = work;
  const names = shoe.seals.map((each) => each.player);
  need(new Set(names).size === names.length, "check.two_seeds");
  const opened = shoe.player_seeds.map((each) => `${each.player} ${seal(shoe.terms, each.player, unhex(each.seed))}`);
  const sealed = shoe.seals.map((each) => `${each.player} ${each.seal}`);
  shoe.player_seeds.forEach((each, i) => {
    need(sealed.includes(opened[i] ?? ""), "check.other_seed", { player: each.player });
  });
  const whole = shoe.cards.length === 0 || opened.length === sealed.length;
  need(new Set(opened).size === opened.length && whole, "check.seed_shut");
  need(opened.join() === sealed.filter((each) => opened.includes(each)).join(), "check.seed_order");
  const pairs = shoe.player_seeds.flatMap((each) => [each.player, unhex(each.seed)]);
  work.transcript = sha256(pack("wartable-1 transcript", work.commitment, ...pairs));
  work.found = { transcript: hex(work.transcript) };
  if (opened.length === 0) return t("check.no_seed");
  return t("check.seeds_opened", { count: opened.length, sealed: t("check.sealed_seeds", { count: sealed.length }) });
}

/** @param {Work} work */
function checkComposition({ shoe }) {
  const strange = [...new Set(shoe.cards)].filter((card) => !DECK.includes(card)).sort();
  const problems = strange.map((card) => t("check.not_a_card", { card }));
  for (const card of DECK) {
    const count = shoe.cards.filter((each) => each === card).length;
    if (count !== shoe.terms.decks) problems.push(t("check.wrong_count", { count, card, decks: shoe.terms.decks }));
  }
  need(problems.length === 0, "check.problems", { problems: problems.join("; ") });
  return t("check.stack", { decks: shoe.terms.decks });
}

/** @param {Work} work */
function checkOrder(work) {
  const { shoe } = work;
  /** @type {string[]} */
  const cards = Array.from({ length: shoe.terms.decks }, () => DECK).flat();
  const below = drawer(work.seed, work.transcript, "order", 0, 2);
  for (let i = cards.length - 1; i > 0; i -= 1) {
    const j = below(i + 1);
    const card = cards[i] ?? "";
    cards[i] = cards[j] ?? "";
    cards[j] = card;
  }
  work.order = cards;
  work.found = { "top of the stack before the cut": cards.slice(0, 12).join(" ") };
  const given = shoe.cards.join("");
  need(
    given.length === 2 * cards.length && (cards.join("") + cards.join("")).indexOf(given) % 2 === 0,
    "check.other_order",
  );
  return t("check.order");
}

/** @param {Work} work */
function checkCut(work) {
  const { shoe } = work;
  const size = 52 * shoe.terms.decks;
  const single = ONE_ROUND.includes(shoe.terms.method);
  need(!single || shoe.cuts.length === 0, "check.not_cut", { method: shoe.terms.method });
  let cards = work.order;
  shoe.cuts.forEach((cut, index) => {
    const place = cut.position ?? -1;
    need(place >= MARGIN && place <= size - MARGIN, "check.cut_place", { min: MARGIN, max: size - MARGIN, position: String(cut.position) });
    const dealers = MARGIN + drawer(work.seed, work.transcript, "cut", index, 8)(size - 19);
    need(cut.player !== null || place === dealers, "check.dealers_cut", { position: dealers });
    cards = [...cards.slice(place), ...cards.slice(0, place)];
  });
  work.found = { "top of the stack": cards.slice(0, 12).join(" ") };
  need(cards.join() === shoe.cards.join(), "check.cut_elsewhere");
  if (shoe.cuts.length === 0) return t("check.no_cut");
  const cuts = shoe.cuts.map((cut) => t("check.cut_at", { player: cut.player ?? t("check.the_dealer"), position: String(cut.position) }));
  return t("check.cut_by", { cuts: cuts.join(`${t("check.then_by")} `) });
}

/** @param {Work} work */
function checkCover({ shoe, seed, transcript }) {
  const single = ONE_ROUND.includes(shoe.terms.method);
  const cover = shoe.cover;
  if (cover === null) {
    need(single, "check.no_cover");
    return t("check.cover_single");
  }
  need(!single, "check.cover_single");
  const size = shoe.cards.length;
  const most = size - Math.ceil(size / 4);
  const inside = MARGIN <= cover.low && cover.low <= cover.high && cover.high <= most;
  need(inside, "check.cover_range", { min: MARGIN, max: most });
  const place = cover.low + drawer(seed, transcript, "cover", 0, 8)(cover.high - cover.low + 1);
  need(place === cover.position, "check.cover_elsewhere", { position: place });
  return t("check.cover_of", { position: place, cards: size });
}

/** @param {Work} work */
function checkDealt({ shoe }) {
  need(shoe.drawn.length <= shoe.cards.length, "check.too_many");
  shoe.drawn.forEach((dealt, i) => {
    const card = shoe.cards[i];
    need(dealt.card === card, "check.other_in_order", { place: i + 1, card: String(card), dealt: dealt.card });
    const unseen = dealt.use === "burn" || dealt.use === "set_aside";
    need((dealt.box === null) === unseen, "check.card_lost", { place: i + 1 });
  });
  const rounds = shoe.drawn.map((dealt) => dealt.round_number);
  need(rounds.every((round, i) => i === 0 || (rounds[i - 1] ?? 0) <= round), "check.rounds_order");
  const single = ONE_ROUND.includes(shoe.terms.method);
  need(!single || new Set(rounds).size <= 1, "check.one_shuffle");
  const late = new Set(shoe.cover === null ? [] : rounds.slice(shoe.cover.position));
  need(late.size <= 1, "check.after_cover");
  const racked = shoe.discards;
  need(racked.every((place) => place < shoe.drawn.length), "check.discard_undealt");
  need(new Set(racked).size === racked.length, "check.discard_twice");
  return t("check.dealt_next", { count: shoe.drawn.length });
}

/** @param {Work} work */
function checkChoices({ shoe, seed, transcript }) {
  /** @type {Map<string, number>} */
  const seen = new Map();
  for (const choice of shoe.choices) {
    const index = seen.get(choice.label) ?? 0;
    need(!RESERVED.includes(choice.label), "check.own_name", { label: choice.label });
    need(choice.index === index, "check.out_of_turn", { label: choice.label, index: choice.index });
    seen.set(choice.label, index + 1);
    const weights = choice.weights.length > 0 ? choice.weights : choice.options.map(() => 1);
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    need(total > 0 && Number.isSafeInteger(total) && weights.length === choice.options.length, "check.no_chances", { most: String(Number.MAX_SAFE_INTEGER) });
    const result = weighted(weights, drawer(seed, transcript, choice.label, index, 8)(total));
    need(result === choice.result, "check.other_choice", { label: choice.label, index, result: String(choice.options[result]) });
  }
  return t("check.choices_seeds", { count: shoe.choices.length });
}

/** @type {[string, (work: Work) => string, boolean][]} */
const CHECKS = [
  ["end", checkEnd, false],
  ["commitment", checkCommitment, false],
  ["players' seeds", checkSeeds, false],
  ["composition", checkComposition, true],
  ["order", checkOrder, true],
  ["cut", checkCut, true],
  ["cover card", checkCover, true],
  ["dealt cards", checkDealt, true],
  ["choices", checkChoices, true],
];

/**
 * The steps of one finished shoe, up to the first that fails.
 * @param {Shoe} shoe
 * @returns {Promise<Step[]>}
 */
async function checkShoe(shoe) {
  const nothing = new Uint8Array(0);
  const { proof } = shoe;
  if (proof !== null) {
    /** @type {import("./check-proof.js").ProofWork} */
    const work = { shoe, proof, keys: [], found: {} };
    return stepsOf(work, PROOF_CHECKS);
  }
  /** @type {Work} */
  const work = { shoe, seed: nothing, commitment: nothing, transcript: nothing, order: [], found: {} };
  return stepsOf(work, CHECKS.flatMap(([name, check, needsCards]) => (needsCards && shoe.cards.length === 0 ? [] : [[name, check]])));
}

/**
 * The steps of one shoe's checks, up to the first that fails.
 * @template {{shoe: Shoe, found: Record<string, string>}} W
 * @param {W} work
 * @param {readonly (readonly [string, (work: W) => string | Promise<string>])[]} checks
 * @returns {Promise<Step[]>}
 */
async function stepsOf(work, checks) {
  const steps = [];
  for (const [name, check] of checks) {
    work.found = {};
    let ok = true;
    let sentence;
    try {
      sentence = await check(work);
    } catch (error) {
      ok = false;
      sentence = error instanceof Failed ? error.message : t("check.unreadable", { error: String(error) });
    }
    steps.push({ shoe: work.shoe.terms.number, name, ok, sentence, found: work.found });
    if (!ok) break;
  }
  return steps;
}

/**
 * Whether that is a whole number from 1 to the most.
 * @param {number} most
 * @param {unknown} found
 */
function upTo(most, found) {
  return Number.isInteger(found) && Number(found) >= 1 && Number(found) <= most;
}

/**
 * The shoes in a record's text, or an error whose message says what is wrong with it.
 * @param {string} text
 * @returns {{shoes: Shoe[], current: Shoe | null}}
 */
export function read(text) {
  let found;
  try {
    found = JSON.parse(text);
  } catch {
    throw new Error(t("check.no_json"));
  }
  // A whole answer from the server, a record, or a single shoe.
  const record = found?.record ?? (found?.terms === undefined ? found : { format: FORMATS[1], shoes: [found] });
  if (!FORMATS.includes(record?.format) || !Array.isArray(record.shoes)) {
    throw new Error(t("check.no_record", { format: String(FORMATS[1]) }));
  }
  const lists = ["seals", "player_seeds", "cuts", "cards", "drawn", "discards", "choices"];
  for (const shoe of record.shoes) {
    const texts = [shoe?.commitment, shoe?.seed, shoe?.ended, shoe?.terms?.table, shoe?.terms?.method];
    const numbers = [shoe?.terms?.number, shoe?.terms?.decks];
    const whole =
      texts.every((each) => typeof each === "string") &&
      numbers.every((each) => Number.isInteger(each)) &&
      lists.every((name) => Array.isArray(shoe[name])) &&
      shoe.cover !== undefined;
    if (!whole) throw new Error(t("check.no_field"));
    const { iterations, links } = shoe.proof?.bound ?? { iterations: 1, links: 1 };
    const within = upTo(DECKS_MAX, shoe.terms.decks) && upTo(ITERATIONS_MAX, iterations) && upTo(LINKS_MAX, links);
    if (!within) throw new Error(t("check.too_large"));
  }
  const shoes = record.shoes.map((/** @type {Shoe} */ shoe) => ({ ...shoe, proof: shoe.proof ?? null }));
  return { shoes, current: record.current ?? null };
}

/**
 * Every step checked, shoe by shoe, the sequence of the shoes, and what happened to them.
 * @param {readonly Shoe[]} shoes
 * @param {Shoe | null} [current]
 * @param {(done: number) => void | Promise<void>} [progress] called with how many shoes are done
 * @param {boolean} [whole] whether these must be all of a table's shoes
 * @returns {Promise<Step[]>}
 */
export async function check(shoes, current = null, progress = () => {}, whole = false) {
  const problem = sequenceProblem(shoes, current, whole);
  /** @type {Step[]} */
  const steps = [];
  for (const [done, shoe] of shoes.entries()) {
    await progress(done);
    steps.push(...(await checkShoe(shoe)));
  }
  const said = problem === null ? t("check.in_sequence", { count: shoes.length }) : problem[1];
  steps.push({ shoe: problem?.[0] ?? 0, name: "sequence", ok: problem === null, sentence: said, found: {} });
  const told = problem === null ? incidents(shoes) : null;
  if (told !== null) steps.push({ shoe: 0, name: "incidents", ok: true, sentence: told, found: {} });
  return steps;
}
