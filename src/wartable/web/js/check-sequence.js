// Whether the shoes of a record follow each other, and what a player should know about them.

import { committed, recordHash } from "./check-proof.js";
import { INCIDENTS } from "./sentences.js";
import { hex, sha256, unhex } from "./sha256.js";
import { plural } from "./words.js";

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
  if (first.terms.table !== second.terms.table) return [number, `Shoe ${number} is of another table.`];
  if (number > follows) return [follows, `Shoe ${follows} is missing: shoe ${number} does not follow it.`];
  if (number < follows) return [number, `Shoe ${number} is out of order: it does not follow shoe ${follows - 1}.`];
  if (first.proof !== null && second.proof === null) return [number, `Shoe ${number} is of the older kind, but follows a provable one.`];
  const used = first.cards.length > 0 || first.drawn.length > 0;
  if (second.terms.method === "batches" && first.terms.batch === second.terms.batch && used) {
    return [number, `Shoe ${number} has the same batch as the one before.`];
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
  if (last.terms.table !== current.terms.table) return [number, `Shoe ${number} is of another table.`];
  if (number > follows) return [follows, `Shoe ${follows} is missing: shoe ${number} does not follow it.`];
  if (current.proof === null || committed(current)) return null;
  return [number, `The commitment of shoe ${number} does not cover what it is bound to.`];
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
    if (begins && bound.before !== NO_RECORD) return [number, `Shoe ${number} is bound to a record that is missing.`];
    return leadsToEnd(bound) ? null : [number, `Shoe ${number} does not go on from the published end of its chain.`];
  }
  const earlier = before.proof.bound;
  const old = before.terms.number;
  if (bound.before !== recordHash(before)) return [old, `Shoe ${old} was changed: shoe ${number} is bound to another record of it.`];
  if (bound.chain !== earlier.chain) return bound.used === 0 ? null : [number, `Shoe ${number} does not begin its chain at the end.`];
  if (bound.used !== earlier.used + before.proof.draws.length) return [number, `Links were skipped between shoe ${old} and shoe ${number}.`];
  const link = before.seed === "" ? earlier.anchor : before.seed;
  return bound.anchor === link ? null : [number, `Shoe ${number} does not go on from the last link of shoe ${old}.`];
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
  if (first === undefined) return [0, "There is no shoe in the record."];
  if (whole && first.terms.number > 1) return [1, `Shoe 1 is missing: the table's record begins with shoe ${first.terms.number}.`];
  const seeds = shoes.filter((shoe) => shoe.proof === null).map((shoe) => shoe.seed);
  if (new Set(seeds).size !== seeds.length) return [0, "Two shoes were made from one seed."];
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
  const said = [`${alone} of ${plural(draws, "draw")} without a player's number`, ...told];
  if (told.length === 0) said.push("no shoe set aside, no round voided, no card skipped");
  return `${said.join("; ")}.`;
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
    return `${INCIDENTS[what]} ${count > 1 ? `${count} times` : "once"}${by === "" ? "" : ` by ${by}`}`;
  });
  return { draws: draws.length, alone: draws.filter((draw) => draw.numbers.length === 0).length, told };
}
