// Awards that wait for the floor: what would be paid, to whom, on which cards, and the answer.

import { make } from "../dom.js";
import { money } from "../money.js";
import { button, facts, field, form, mini, notice, plain, table } from "./pieces.js";

/** @typedef {import("../types.js").AwardShown} AwardShown */

/**
 * The awards with their evidence; those whose role may answer get the two ways to do it.
 * @param {readonly AwardShown[]} found
 * @param {boolean} recalls whether the visitor may look at rounds again
 * @param {(type: string) => boolean} may
 * @param {(table: string, type: string, fields: Record<string, unknown>) => Promise<unknown>} give
 */
export function awards(found, recalls, may, give) {
  if (found.length === 0) return null;
  return make("section", { class: "stack" }, make("h2", {}, "Awards waiting for approval"), ...found.map((each) => one(each, recalls, may, give)));
}

/**
 * @param {AwardShown} award
 * @param {boolean} recalls
 * @param {(type: string) => boolean} may
 * @param {(table: string, type: string, fields: Record<string, unknown>) => Promise<unknown>} give
 */
function one(award, recalls, may, give) {
  const said = make("div", {});
  const cards = Object.entries(award.cards).map(([box, dealt]) => make("span", { class: "row small-row", "data-award-cards": box }, Number(box) === 0 ? "Dealer" : `Box ${box}`, ...dealt.map(mini)));
  const shares = award.shares.map((share) => [
    make("span", { "data-share": share.player, "data-amount": share.amount }, share.player),
    String(share.box),
    plain(share.wager),
    money(share.amount),
    share.words,
    share.clauses.join(", "),
  ]);
  const wheel = award.community === null && award.symbol === null ? "not turned" : [award.hot_spot !== null && `hot spot on box ${award.hot_spot}: ${plain(award.symbol ?? "")}`, award.community !== null && `community ${award.community}`].filter(Boolean).join("; ");
  const replay = `/replay?table=${encodeURIComponent(award.table)}&round=${award.round}`;
  return make(
    "section",
    { class: "panel award", "data-award-at": award.table },
    make("h3", {}, `${award.table}, round ${award.round}: ${plain(award.meter)} meter`),
    facts([
      ["Cards", make("span", {}, ...cards)],
      ["Accepted by the system", make("span", { "data-lamps": award.lamps.join(" ") }, award.lamps.length === 0 ? "no side bet" : `lamp lit at box ${award.lamps.join(", ")}`)],
      ["Wheel", make("span", { "data-award-wheel": true }, wheel)],
      ["Meter", make("span", { "data-before": award.before, "data-after": award.after }, `${money(award.before)} before, ${money(award.after)} after`)],
    ]),
    table("What approval pays", ["Player", "Box", "Wager", "Amount", "Why", "Clauses"], shares, [3]),
    recalls && make("p", {}, make("a", { href: replay, target: "_blank" }, "The round so far, step by step")),
    award.approved_by !== "" && make("p", { class: "notice warn", "data-approved-by": award.approved_by }, `${award.approved_by} has approved it. Another person must, too.`),
    may("approve") && button("Approve", "primary", () => give(award.table, "approve", {}), (sentence) => said.replaceChildren(notice(sentence, "bad")), { "data-approve": true }),
    may("void_round") &&
      form(
        { "data-refuse": "" },
        [field(`refuse-${award.table.replaceAll(" ", "-")}`, "Reason to refuse", make("input", { type: "text", name: "reason", required: true, maxlength: 120 }), "Refusing voids the round: every wager goes back, and the meter stays as it was.")],
        "Refuse",
        async (sent) => {
          await give(award.table, "void_round", { reason: `award refused: ${String(new FormData(sent).get("reason") ?? "").trim()}` });
        },
        "danger",
      ),
    said,
  );
}
