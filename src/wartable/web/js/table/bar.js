// The bar that is always there: balance, what is at stake, the round's result, the session.

import { make, set, write } from "../dom.js";
import { netOf } from "../fold-round.js";
import { money, signed } from "../money.js";
import { current } from "../session.js";
import { resultOf, shownRound } from "./boxes.js";
import { t } from "../texts.js";

/** @typedef {import("./room.js").Room} Room */
/** @typedef {import("../types.js").Round} Round */

/**
 * What a player won or lost in a round; null if they took no part, or while a wager is open.
 * @param {Round | null} round
 * @param {string | null} you
 * @returns {number | null}
 */
export function roundNet(round, you) {
  if (round === null || you === null || !round.bets_closed) return null;
  const own = round.hands.filter((hand) => hand.player === you || round.banker === you);
  if (own.some((hand) => resultOf(hand) === null)) return null;
  const net = own.reduce((sum, hand) => sum + netOf(hand), 0);
  if (round.banker === you) return -net;
  return own.length === 0 ? null : net;
}

/** With more characters than this, the figures stand one below the other where there is little room. */
const SHORT = 15;

/** Balance, stakes and results in figures. */
export class Bar {
  /**
   * @param {Room} room
   * @param {{receipt: () => void, cashier: () => void, leave: () => void}} act
   */
  constructor(room, act) {
    this.room = room;
    this.balance = make("output", { id: "balance" });
    this.stake = make("output", { id: "at-stake" });
    this.net = make("button", { id: "net", type: "button", class: "net", title: t("bar.receipt") });
    this.session = make("span", { id: "session" });
    this.cash = make("button", { type: "button", class: "button small", "data-action": "cashier" }, t("bar.money"));
    this.leave = make("button", { type: "button", class: "button small", "data-action": "leave" }, t("bar.leave"));
    this.net.addEventListener("click", act.receipt);
    this.cash.addEventListener("click", act.cashier);
    this.leave.addEventListener("click", act.leave);
    window.addEventListener("session", () => void this.showSession());
    this.figures = make("div", { class: "figures" }, part(t("bar.balance"), this.balance), part(t("bar.stake"), this.stake), part(t("bar.round"), this.net), part(t("bar.session"), this.session));
    this.element = make("div", { class: "bar", id: "bar" }, this.figures, make("div", { class: "buttons" }, this.cash, this.leave));
  }

  /** Follow the room. */
  show() {
    const { room } = this;
    const here = room.guest !== null;
    this.element.hidden = room.you === null;
    write(this.balance, money(room.stack));
    set(this.balance, { "data-amount": room.stack });
    write(this.stake, money(room.atStake));
    set(this.stake, { "data-amount": room.atStake });
    const { round } = room.state === null ? { round: null } : shownRound(room.state, room.previous);
    const net = roundNet(round, room.you);
    write(this.net, net === null ? "–" : signed(net));
    this.figures.classList.toggle("long", [this.balance, this.stake, this.net].map((each) => each.textContent).join("").length > SHORT);
    // Only a return above the stake counts as a win.
    this.net.classList.toggle("won", net !== null && net > 0);
    set(this.net, { "data-amount": net, disabled: net === null, "aria-label": net === null ? t("bar.no_result") : t("bar.result", { net: signed(net) }) });
    this.cash.hidden = this.leave.hidden = !here;
    set(this.leave, { disabled: here && room.guest?.leaving === true });
    void this.showSession();
  }

  /** How long the session has lasted, and what the visitor won or lost. */
  async showSession() {
    const me = await current().catch(() => null);
    if (me === null) return;
    write(this.session, t("bar.session_words", { minutes: me.session_minutes, net: signed(me.session_net) }));
    set(this.session, { "data-net": me.session_net, "data-minutes": me.session_minutes });
  }
}

/**
 * @param {string} name
 * @param {HTMLElement} value
 */
function part(name, value) {
  return make("div", { class: "part" }, make("span", { class: "part-name" }, name), value);
}
