// A player's disputes: "something is wrong with this round", and what the house answered.

import { get, post } from "../api.js";
import { make, replace } from "../dom.js";
import { money } from "../money.js";
import { t } from "../page-texts.js";
import { field, form, tableName, when } from "./pieces.js";

/** @typedef {import("../types.js").Dispute} Dispute */
/** @typedef {import("../types.js").OwnRound} Result */

const ENDS = { stands: t("dispute.stands"), void: t("dispute.void"), corrected: t("dispute.corrected") };

/**
 * The words of an answer.
 * @param {NonNullable<Dispute["answer"]>} answer
 */
export function answerWords(answer) {
  return `${ENDS[answer.end]} ${answer.amount > 0 ? `${t("dispute.paid", { amount: money(answer.amount) })} ` : ""}${answer.words}`;
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
    make("p", {}, make("strong", {}, `${t("dispute.you_said")} `), dispute.words),
    answer === null ? make("p", { class: "soft" }, t("dispute.sent")) : make("p", {}, make("strong", {}, `${t("dispute.answered")} `), answerWords(answer), " ", when(answer.at_ms)),
  );
}

/** The player's disputes, as the pages of rounds show them. */
export class Complaints {
  constructor() {
    /** @type {readonly Dispute[]} */
    this.found = [];
    this.answers = make("section", { "aria-label": t("dispute.answers"), "data-answers": true });
  }

  /** Ask for them, and show the answers above the rounds. */
  async load() {
    this.found = await get("/me/disputes");
    const rows = this.found.map((each) => make("li", { class: "panel" }, make("strong", {}, t("history.round", { table: tableName(each.table), number: each.round })), said(each)));
    replace(this.answers, rows.length > 0 && make("details", { open: true }, make("summary", {}, t("dispute.title")), make("ol", { class: "rounds" }, ...rows)));
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
      [field(id, t("dispute.what"), words, t("dispute.hint"))],
      t("dispute.send"),
      async () => {
        const made = await post("/me/disputes", { table: round.table_name, round: round.round, words: words.value.trim() });
        this.found = [made, ...this.found];
        replace(place, said(made));
      },
    );
    return make("details", {}, make("summary", { class: "small" }, t("dispute.ask")), sent);
  }
}
