// Disputes as staff see them: the round that a player finds wrong, and the answer.

import { get, post } from "../api.js";
import { make, replace } from "../dom.js";
import { money, parse } from "../money.js";
import { value } from "./console.js";
import { answerWords } from "./complaint.js";
import { choose, facts, field, form, net, notice, plain, sentenceOf, Unclear, when } from "./pieces.js";

/** @typedef {import("../types.js").DisputeShown} Shown */
/** @typedef {import("../types.js").FloorView} FloorView */

const REFRESH_MS = 3_000;
const ENDS = /** @type {[string, string][]} */ ([
  ["stands", "The round stands"],
  ["void", "Take the round back: the house pays what it cost"],
  ["corrected", "Correct it: the house pays an amount"],
]);

/**
 * @param {Shown} shown
 * @param {boolean} may
 * @param {() => Promise<void>} changed
 */
function one(shown, may, changed) {
  const { dispute, result } = shown;
  const { number, answer } = dispute;
  const answering = () =>
    form(
      { "data-answer": String(number) },
      [
        field(`end-${number}`, "Answer", choose(ENDS)),
        field(`amount-${number}`, "Amount", make("input", { type: "text", inputmode: "decimal" }), "Only for a correction."),
        field(`words-${number}`, "Why, in words for the player", make("textarea", { required: true, maxlength: 500, rows: 2 })),
      ],
      "Answer",
      async (sent) => {
        const [end, said] = [value(sent, `end-${number}`), value(sent, `amount-${number}`)];
        const amount = said === "" ? 0 : parse(said);
        if (amount === null) throw new Unclear("Enter an amount such as 25.");
        await post(`/disputes/${number}/answer`, { end, amount, words: value(sent, `words-${number}`) });
        await changed();
      },
    );
  return make(
    "li",
    { class: "panel", "data-dispute": number, "data-answered": answer === null ? "no" : answer.end },
    make("h3", {}, `${dispute.player}: ${dispute.table}, round ${dispute.round}`),
    make("blockquote", {}, dispute.words),
    facts([
      ["Said", when(dispute.at_ms)],
      ...(result === null
        ? []
        : /** @type {[string, import("../dom.js").Child][]} */ ([
            ["Ended", when(result.at_ms)],
            ["Staked", money(result.staked)],
            ["Returned", money(result.returned)],
            ["Net", net(result.net)],
            ["Outcomes", plain(result.outcomes.trim()).replaceAll(":", ": ")],
          ])),
    ]),
    make("p", {}, make("a", { class: "button small", href: `/replay?table=${encodeURIComponent(dispute.table)}&round=${dispute.round}` }, "Replay the round on the felt")),
    answer === null ? may && answering() : make("p", { class: "notice" }, `${answer.by}, `, when(answer.at_ms), `: ${answerWords(answer)}`),
  );
}

/**
 * The disputes: those that wait, then those that are answered.
 * @param {FloorView} view
 */
export function disputes(view) {
  const place = make("section", { class: "panel", "data-disputes": "" });
  /** @type {string | null} */
  let key = null;
  const show = async () => {
    /** @type {Shown[]} */
    const found = await get("/disputes");
    const now = found.map(({ dispute }) => `${dispute.number} ${dispute.answer === null}`).join(";");
    if (now === key) return; // what somebody types stays
    key = now;
    const may = view.rights.includes("disputes");
    const [waiting, answered] = [true, false].map((open) => found.filter(({ dispute }) => (dispute.answer === null) === open).map((each) => one(each, may, show)));
    replace(
      place,
      make("h2", {}, "Disputes"),
      waiting?.length ? make("ol", { class: "disputes" }, ...waiting) : make("p", { class: "soft" }, "Nobody waits for an answer."),
      answered !== undefined && answered.length > 0 && make("details", {}, make("summary", {}, `${answered.length} answered`), make("ol", { class: "disputes" }, ...answered)),
    );
    place.dataset.disputes = String(waiting?.length ?? 0);
  };
  const look = () => void show().catch((error) => replace(place, notice(sentenceOf(error), "bad")));
  look();
  setInterval(() => document.visibilityState === "visible" && look(), REFRESH_MS);
  return place;
}
