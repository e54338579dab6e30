// The whole chain of a table: every finished shoe fetched and checked in this page, what happened in
// them over time, and what became of the visitor's own numbers.

import { get } from "../api.js";
import { counts } from "../check-sequence.js";
import { check } from "../check.js";
import { make, replace } from "../dom.js";
import { numbersIn } from "../numbers.js";
import { t } from "../page-texts.js";
import { notice, sentenceOf, table } from "./pieces.js";

/** @typedef {import("../types.js").Shoe} Shoe */
/** @typedef {import("../types.js").Shoes} Shoes */

/** How many shoes the house is asked for at a time. */
const PAGE = 50;
/** How many rows the table of what happened has at most. */
const ROWS_MAX = 12;

/**
 * What the page calls a step of the check, or what a step found.
 * @param {"check.name" | "check.found"} kind
 * @param {string} name
 */
export function named(kind, name) {
  return t(/** @type {import("../page-texts.js").TextKey} */ (`${kind}.${name.replace(/\W+/g, "_")}`));
}

/** The check of all of a table's shoes, which the visitor starts. */
export class WholeChain {
  constructor() {
    this.element = make("section", { "aria-label": t("fair.every"), "data-chain": "idle" });
    this.name = "";
    /** Counts what was started, so that only the last one goes on. */
    this.turn = 0;
  }

  /**
   * Offer the check of a table; one that runs ends.
   * @param {string} name
   * @param {HTMLElement} [said]
   */
  offer(name, said) {
    this.name = name;
    this.turn += 1;
    const go = make("button", { type: "button", class: "button", "data-check-all": true }, t("fair.check_every"));
    go.addEventListener("click", () => void this.run());
    this.show("idle", make("p", {}, t("fair.every_words")), make("p", {}, go), said);
  }

  /**
   * @param {string} state
   * @param {...(HTMLElement | undefined | false)} parts
   */
  show(state, ...parts) {
    this.element.dataset.chain = state;
    replace(this.element, make("h2", {}, t("fair.every")), ...parts.filter((each) => each instanceof HTMLElement));
  }

  /** Fetch and check everything, and show how far that is. */
  async run() {
    this.turn += 1;
    const mine = this.turn;
    const line = make("p", { class: "soft", "data-progress": true }, t("fair.fetching"));
    const bar = make("progress", { "aria-label": t("fair.progress") });
    const stop = make("button", { type: "button", class: "button quiet", "data-check-stop": true }, t("fair.stop"));
    stop.addEventListener("click", () => this.offer(this.name));
    this.show("running", line, bar, make("p", {}, stop));
    try {
      const [shoes, current] = await this.fetched(mine, line);
      if (mine !== this.turn) return;
      bar.max = shoes.length;
      const steps = await check(shoes, current, async (done) => {
        line.textContent = t("fair.checking", { done, count: shoes.length });
        bar.value = done;
        await new Promise((go) => setTimeout(go)); // the page can be used meanwhile
        if (mine !== this.turn) throw new Stopped();
      }, true);
      if (mine !== this.turn) return;
      this.tell(shoes, steps.find((step) => !step.ok) ?? null);
    } catch (error) {
      if (mine === this.turn) this.offer(this.name, notice(sentenceOf(error), "bad"));
    }
  }

  /**
   * All finished shoes, oldest first, and the one in use; the house answers with the newest first.
   * @param {number} mine
   * @param {HTMLElement} line
   * @returns {Promise<[Shoe[], Shoe | null]>}
   */
  async fetched(mine, line) {
    const address = `/tables/${encodeURIComponent(this.name)}/shoes?limit=${PAGE}`;
    /** @type {Shoes} */
    let page = await get(address);
    const { current } = page.record;
    const shoes = [...page.record.shoes];
    while (page.after !== null && mine === this.turn) {
      line.textContent = t("fair.fetched", { count: shoes.length });
      page = await get(`${address}&after=${page.after}`);
      shoes.push(...page.record.shoes);
    }
    return [shoes.sort((one, other) => one.terms.number - other.terms.number), current];
  }

  /**
   * @param {readonly Shoe[]} shoes
   * @param {import("../check.js").Step | null} failed
   */
  tell(shoes, failed) {
    const own = numbersIn(shoes);
    const sent = own.reduce((sum, each) => sum + each.sent, 0);
    const lost = own.findIndex((each) => each.lost !== null);
    const number = shoes[lost]?.terms.number;
    const bad = failed !== null ? t(failed.shoe === 0 ? "fair.record_fails" : "fair.shoe_fails", { number: failed.shoe, name: named("check.name", failed.name), sentence: failed.sentence }) : lost !== -1 ? t("fair.number_not_in", { number: number ?? "" }) : "";
    const good = t("fair.all_passed", { count: shoes.length });
    const mine = sent === 0 ? t("fair.no_numbers") : t(lost === -1 ? "fair.numbers_right" : "fair.numbers_wrong", { count: sent });
    const again = make("button", { type: "button", class: "button", "data-check-all": true }, t("fair.again"));
    again.addEventListener("click", () => void this.run());
    this.show(
      bad === "" ? "right" : "wrong",
      shoes.length === 0 ? notice(t("fair.none_yet")) : bad === "" ? notice(good, "good") : notice(bad, "bad"),
      shoes.length > 0 && make("p", { "data-own-numbers": sent }, mine),
      shoes.length > 0 && overTime(shoes, own),
      make("p", {}, again),
    );
  }
}

/** The visitor stopped the check, or began another. */
class Stopped extends Error {}

/**
 * What happened in the shoes, from the first to the last, in at most so many rows.
 * @param {readonly Shoe[]} shoes
 * @param {ReturnType<typeof numbersIn>} own
 */
function overTime(shoes, own) {
  const size = Math.ceil(shoes.length / ROWS_MAX);
  const rows = Array.from({ length: Math.ceil(shoes.length / size) }, (_, row) => {
    const some = shoes.slice(row * size, (row + 1) * size);
    const mine = own.slice(row * size, (row + 1) * size);
    const { draws, alone, told } = counts(some);
    const [first, last] = [some[0]?.terms.number, some.at(-1)?.terms.number];
    const lost = mine.filter((each) => each.lost !== null).length;
    const sent = mine.reduce((sum, each) => sum + each.sent, 0);
    return [first === last ? `${first}` : t("word.range", { min: first ?? "", max: last ?? "" }), draws, alone, told.length === 0 ? t("fair.nothing") : told.join("; "), lost === 0 ? sent : t("fair.missing_in", { sent, count: lost })];
  });
  return table(t("fair.over_time"), [t("fair.shoes"), t("fair.draws"), t("fair.alone"), t("fair.told"), t("fair.your_numbers")], rows, [1, 2]);
}
