// A player's disputes: "something is wrong with this round", and what the house answered.

import { get, post } from "../api.js";
import { make, replace } from "../dom.js";
import { money } from "../money.js";
import { field, form, tableName, when } from "./pieces.js";

/** @typedef {import("../types.js").Dispute} Dispute */
/** @typedef {import("../types.js").OwnRound} Result */

const ENDS = { stands: "The round stands.", void: "The round was taken back.", corrected: "The round was corrected." };

/**
 * The words of an answer.
 * @param {NonNullable<Dispute["answer"]>} answer
 */
export function answerWords(answer) {
  return `${ENDS[answer.end]} ${answer.amount > 0 ? `The house paid ${money(answer.amount)}. ` : ""}${answer.words}`;
}

/**
 * What a player said of a round, and the answer.
 * @param {Dispute} dispute
 */
function said(dispute) {
  const { answer } = dispute;
  return make(
    "div",
    { class: "small dispute", "data-dispute": dispute.number, "data-answered": answer === null ? "no" : answer.end },
    make("p", {}, make("strong", {}, "You said: "), dispute.words),
    answer === null ? make("p", { class: "soft" }, "The floor has your message and will answer here.") : make("p", {}, make("strong", {}, "The house answered: "), answerWords(answer), " ", when(answer.at_ms)),
  );
}

/** The player's disputes, as the pages of rounds show them. */
export class Complaints {
  constructor() {
    /** @type {readonly Dispute[]} */
    this.found = [];
    this.answers = make("section", { "aria-label": "Answers", "data-answers": true });
  }

  /** Ask for them, and show the answers above the rounds. */
  async load() {
    this.found = await get("/me/disputes");
    const rows = this.found.map((each) => make("li", { class: "panel" }, make("strong", {}, `${tableName(each.table)}, round ${each.round}`), said(each)));
    replace(this.answers, rows.length > 0 && make("details", { open: true }, make("summary", {}, "What you found wrong"), make("ol", { class: "rounds" }, ...rows)));
  }

  /**
   * What belongs below a round: what was said of it, or the form to say so.
   * @param {Result} round
   */
  below(round) {
    const place = make("div", { class: "complaint" });
    const own = this.found.find((each) => each.table === round.table_name && each.round === round.round);
    replace(place, own !== undefined ? said(own) : this.asking(round, place));
    return place;
  }

  /**
   * @param {Result} round
   * @param {HTMLElement} place
   */
  asking(round, place) {
    const id = `wrong-${round.table_name}-${round.round}`.replace(/[^a-z0-9-]/gi, "-");
    const words = make("textarea", { required: true, maxlength: 500, rows: 3, name: "words" });
    const sent = form(
      { "data-complain": `${round.table_name} ${round.round}` },
      [field(id, "What is wrong?", words, "The floor sees this round with every card and wager, and answers here.")],
      "Send to the floor",
      async () => {
        const made = await post("/me/disputes", { table: round.table_name, round: round.round, words: words.value.trim() });
        this.found = [made, ...this.found];
        replace(place, said(made));
      },
    );
    return make("details", {}, make("summary", { class: "small" }, "Something is wrong with this round"), sent);
  }
}
