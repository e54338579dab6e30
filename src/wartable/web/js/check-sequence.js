// Whether the shoes of a record follow each other, and what a player should know about them.

import { committed, recordHash } from "./check-proof.js";
import { said, t } from "./page-texts.js";
import { INCIDENTS } from "./sentences.js";
import { hex, sha256, unhex } from "./sha256.js";

/** @typedef {import("./types.js").Shoe} Shoe */
/** @typedef {[shoe: number, sentence: string]} Problem */

const NO_RECORD = "0".repeat(64);

/**
 * What is wrong with the places of two shoes in the record.
 * @param {Shoe} first
 * @param {Shoe} second
 * @returns {Problem | null}
 */
function neighbours(first, second) {
  const { number } = second.terms;
  const follows = first.terms.number + 1;
  if (first.terms.table !== second.terms.table) return [number, t("check.shoe_table", { number })];
  if (number > follows) return [follows, t("check.shoe_missing", { missing: follows, number })];
  if (number < follows) return [number, t("check.shoe_order", { number, before: follows - 1 })];
  if (first.proof !== null && second.proof === null) return [number, t("check.shoe_older", { number })];
  const used = first.cards.length > 0 || first.drawn.length > 0;
  if (second.terms.method === "batches" && first.terms.batch === second.terms.batch && used) {
    return [number, t("check.shoe_batch", { number })];
  }
  return null;
}

/**
 * What is wrong with the shoe in use, after the last finished one.
 * @param {Shoe} last
 * @param {Shoe} current
 * @returns {Problem | null}
 */
function inUseProblem(last, current) {
  const { number } = current.terms;
  const follows = last.terms.number + 1;
  if (last.terms.table !== current.terms.table) return [number, t("check.shoe_table", { number })];
  if (number > follows) return [follows, t("check.shoe_missing", { missing: follows, number })];
  if (current.proof === null || committed(current)) return null;
  return [number, t("check.shoe_uncovered", { number })];
}

/**
 * What is wrong with a shoe's place after the one before it of the same batch.
 * @param {Shoe | undefined} before
 * @param {Shoe} shoe
 * @param {boolean} begins whether the record begins with the first shoe that has a proof
 * @returns {Problem | null}
 */
function bindingProblem(before, shoe, begins) {
  const bound = shoe.proof?.bound;
  const { number } = shoe.terms;
  if (bound === undefined) return null;
  if (before === undefined || before.proof === null) {
    if (begins && bound.before !== NO_RECORD) return [number, t("check.shoe_record", { number })];
    return leadsToEnd(bound) ? null : [number, t("check.shoe_chain", { number })];
  }
  const earlier = before.proof.bound;
  const old = before.terms.number;
  if (bound.before !== recordHash(before)) return [old, t("check.shoe_changed", { old, number })];
  if (bound.chain !== earlier.chain) return bound.used === 0 ? null : [number, t("check.shoe_begin", { number })];
  if (bound.used !== earlier.used + before.proof.draws.length) return [number, t("check.shoe_skipped", { old, number })];
  const link = before.seed === "" ? earlier.anchor : before.seed;
  return bound.anchor === link ? null : [number, t("check.shoe_link", { number, old })];
}

/**
 * Whether the last link before a shoe is as far from the published end as the shoe says.
 * @param {import("./types.js").Bound} bound
 */
function leadsToEnd({ anchor, used, links, chain }) {
  if (used > links) return false;
  let link = unhex(anchor);
  for (let i = 0; i < used; i += 1) link = sha256(link);
  return hex(link) === chain;
}

/**
 * The first problem of the sequence, or null.
 * @param {readonly Shoe[]} shoes
 * @param {Shoe | null} current
 * @param {boolean} whole whether these must be all of a table's shoes
 * @returns {Problem | null}
 */
export function sequenceProblem(shoes, current, whole) {
  const [first] = shoes;
  if (first === undefined) return [0, t("check.no_shoe")];
  if (whole && first.terms.number > 1) return [1, t("check.shoe_first", { number: first.terms.number })];
  const seeds = shoes.filter((shoe) => shoe.proof === null).map((shoe) => shoe.seed);
  if (new Set(seeds).size !== seeds.length) return [0, t("check.shoe_seed")];
  for (const [i, second] of shoes.entries()) {
    const before = shoes[i - 1];
    const problem = before === undefined ? null : neighbours(before, second);
    if (problem !== null) return problem;
  }
  const problem = current === null ? null : inUseProblem(shoes.at(-1) ?? first, current);
  if (problem !== null) return problem;
  /** @type {Map<string, Shoe>} */
  const last = new Map();
  for (const shoe of current === null ? shoes : [...shoes, current]) {
    if (shoe.proof === null) continue;
    const problem = bindingProblem(last.get(shoe.terms.batch), shoe, whole || first.proof === null);
    if (problem !== null) return problem;
    last.set(shoe.terms.batch, shoe);
  }
  return null;
}

/**
 * What a player should know: everything that moved, skipped or discarded cards, by whom.
 * @param {readonly Shoe[]} shoes
 * @returns {string | null}
 */
export function incidents(shoes) {
  if (shoes.every((shoe) => shoe.proof === null)) return null;
  const { draws, alone, told } = counts(shoes);
  const rest = told.length === 0 ? [t("check.no_incident")] : told;
  return `${[t("check.alone", { alone, count: draws }), ...rest].join("; ")}.`;
}

/**
 * How many draws shoes have, how many of them no player's number, and what happened how often.
 * @param {readonly Shoe[]} shoes
 * @returns {{draws: number, alone: number, told: string[]}}
 */
export function counts(shoes) {
  const proofs = shoes.flatMap((shoe) => (shoe.proof === null ? [] : [shoe.proof]));
  const draws = proofs.flatMap((proof) => proof.draws);
  /** @type {Map<string, number>} */
  const found = new Map();
  for (const { what, by } of proofs.flatMap((proof) => proof.incidents)) {
    const key = `${what}\n${by}`;
    found.set(key, (found.get(key) ?? 0) + 1);
  }
  const told = [...found.keys()].sort().map((key) => {
    const [what = "", by = ""] = key.split("\n");
    const count = found.get(key) ?? 0;
    const words = said("incident", what, INCIDENTS[what] ?? what);
    return by === "" ? t("check.told", { what: words, count }) : t("check.told_by", { what: words, count, by });
  });
  return { draws: draws.length, alone: draws.filter((draw) => draw.numbers.length === 0).length, told };
}
