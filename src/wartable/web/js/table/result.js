// The end of a round: one line that says what it brought, and a moment to enjoy a win. A loss is
// said plainly and never celebrated.

import { make, set, write } from "../dom.js";
import { money, signed } from "../money.js";
import { isStill } from "../preferences.js";
import { roundNet } from "./bar.js";
import { shownRound } from "./boxes.js";
import { t } from "../texts.js";
import { label } from "../words.js";

/** @typedef {import("../types.js").Round} Round */
/** @typedef {import("../elements/wt-felt.js").Felt} Felt */
/** @typedef {import("./room.js").Room} Room */

/** How a hand ended, where the money alone does not say it. */
/** @type {Record<string, import("../texts.js").TextKey>} */
const HOW = {
  surrendered: "result.surrendered",
  war_won: "result.war_won",
  war_tied: "result.war_tied",
  war_lost: "result.war_lost",
  abandoned: "result.abandoned",
  not_dealt: "result.not_dealt",
  void: "result.void",
};

const WINS = ["war_won", "war_tied"];
const LOSSES = ["surrendered", "war_lost", "abandoned"];

/** From how many times the stake a win is a large one, and a wager's own win takes the whole felt. */
const LARGE = 5;
const HUGE = 200;
const CHIPS_MAX = 10;
const FLIGHT_MS = 620;

/** @typedef {"jackpot" | "large" | "won" | "even" | "lost"} Size */

/**
 * A round's result in one line: "War tied: you win $20."
 * @param {Round} round
 * @param {string | null} you
 * @returns {string} empty as long as there is none
 */
export function resultWords(round, you) {
  const net = roundNet(round, you);
  if (net === null) return "";
  if (round.banker === you) return t(net === 0 ? "result.bank_even" : net > 0 ? "result.bank_wins" : "result.bank_loses", { amount: money(Math.abs(net)) });
  const own = round.hands.filter((hand) => hand.player === you);
  const ends = new Set(own.map((hand) => hand.wagers[0]?.outcome ?? ""));
  const [end = ""] = ends;
  // Side bets can turn a lost war into a win, and the other way round: then only the money is told.
  const against = net > 0 ? LOSSES : net < 0 ? WINS : [...LOSSES, ...WINS];
  const key = ends.size === 1 && !against.includes(end) ? HOW[end] : undefined;
  const how = key === undefined ? "" : t(key);
  // It is a push if every wager came back, not if one paid for another.
  const pushed = own.every((hand) => hand.wagers.every((wager) => wager.returned === wager.staked));
  const nothing = how !== "" ? "result.back" : pushed ? "result.push" : "result.even";
  const brought = t(net > 0 ? "result.win" : net < 0 ? "result.lose" : nothing, { amount: money(Math.abs(net)) });
  const line = how === "" ? brought : `${how}: ${brought}`;
  return `${line.charAt(0).toUpperCase()}${line.slice(1)}.`;
}

/**
 * How large a result is, measured by what was staked for it.
 * @param {Round} round
 * @param {string | null} you
 * @returns {Size | null}
 */
export function resultSize(round, you) {
  const net = roundNet(round, you);
  if (net === null) return null;
  if (net <= 0) return net < 0 ? "lost" : "even";
  if (jackpots(round, you).length > 0) return "jackpot";
  const own = round.hands.filter((hand) => hand.player === you).flatMap((hand) => hand.wagers);
  const staked = own.reduce((sum, wager) => sum + wager.staked, round.banker === you ? (round.bank ?? 0) : 0);
  return net >= LARGE * staked ? "large" : "won";
}

/**
 * The wagers of a player that won a jackpot.
 * @param {Round} round
 * @param {string | null} you
 */
function jackpots(round, you) {
  const own = round.hands.filter((hand) => hand.player === you).flatMap((hand) => hand.wagers);
  return own.filter((wager) => wager.outcome.startsWith("jackpot") || wager.returned >= HUGE * wager.staked);
}

/** The line, and what is seen beside it. */
export class Result {
  /**
   * @param {Room} room
   * @param {Felt} felt
   */
  constructor(room, felt) {
    this.room = room;
    this.felt = felt;
    this.element = make("p", { id: "result", "data-result": null });
    this.jackpot = make("div", { class: "jackpot", hidden: true, "aria-hidden": "true" });
    this.jackpot.addEventListener("click", () => (this.jackpot.hidden = true));
    document.addEventListener("keydown", ({ key }) => (this.jackpot.hidden ||= key === "Escape"));
    felt.append(this.jackpot);
  }

  /** Show the result of the round on the felt for as long as its cards lie there. */
  show() {
    const { room } = this;
    const { round } = room.state === null ? { round: null } : shownRound(room.state, room.previous);
    const over = round !== null && round.closed;
    const size = over ? resultSize(round, room.you) : null;
    write(this.element, over ? resultWords(round, room.you) : "");
    set(this.element, { "data-result": size });
    if (size !== "jackpot") this.jackpot.hidden = true;
  }

  /**
   * A win is worth a moment: chips move to the player, and more of them for more.
   * @returns {Size | null} how large it was
   */
  celebrate() {
    const { room, felt } = this;
    const round = room.state?.round ?? null;
    const size = round === null ? null : resultSize(round, room.you);
    if (round === null || size === null || size === "lost" || size === "even") return size;
    if (size === "jackpot") this.fill(round);
    const balance = document.querySelector("#balance");
    if (balance === null || isStill() || document.hidden) return size;
    const chips = size === "won" ? 3 : CHIPS_MAX;
    for (const box of felt.querySelectorAll("wt-box.mine")) fly(box, balance, chips);
    return size;
  }

  /**
   * A jackpot takes the whole felt, until the next bet, a touch or the Escape key.
   * @param {Round} round
   */
  fill(round) {
    const { book, you } = this.room;
    const line = (/** @type {string} */ name, /** @type {string} */ text) => make("p", { class: name }, text);
    const from = jackpots(round, you).map((wager) => line("jackpot-wager", `${label(book, wager.kind)} ${signed(wager.returned - wager.staked)}`));
    this.jackpot.replaceChildren(line("jackpot-name", t("result.jackpot")), ...from, line("jackpot-words", resultWords(round, you)));
    this.jackpot.hidden = false;
    if (!isStill()) this.jackpot.animate([{ opacity: 0, transform: "scale(.92)" }, { opacity: 1, transform: "none" }], { duration: 380, easing: "ease-out" });
  }
}

/**
 * Chips move from a box to the player's balance.
 * @param {Element} from
 * @param {Element} to
 * @param {number} count
 */
function fly(from, to, count) {
  const [a, b] = [from.getBoundingClientRect(), to.getBoundingClientRect()];
  for (let place = 0; place < count; place += 1) {
    const chip = make("span", { class: "won-chip", "aria-hidden": "true" });
    chip.style.left = `${a.x + a.width / 2}px`;
    chip.style.top = `${a.y + a.height / 2}px`;
    document.body.append(chip);
    const way = `translate(${b.x + b.width / 2 - a.x - a.width / 2}px, ${b.y + b.height / 2 - a.y - a.height / 2}px) scale(.6)`;
    const moved = chip.animate([{ transform: "none", opacity: 1 }, { transform: way, opacity: 0.2 }], { duration: FLIGHT_MS, delay: place * 45, easing: "cubic-bezier(.3,.1,.3,1)", fill: "backwards" });
    const gone = () => chip.remove();
    moved.finished.then(gone, gone);
  }
}
