// A stay at a table: what the rounds since sitting down were, told when the visitor leaves.

import { get } from "../api.js";
import { make, replace } from "../dom.js";
import { Kept } from "../kept.js";
import { money, signed } from "../money.js";
import { t } from "../texts.js";
import { roundNet } from "./bar.js";
import { ask } from "./dialogs.js";
import { duration } from "./time.js";

/** @typedef {import("../types.js").Event} TableEvent */
/** @typedef {import("./room.js").Room} Room */
/** @typedef {import("../types.js").Table} Table */
/** @typedef {{since_ms: number, rounds: number, staked: number, net: number, recent: number[], last: number | null, arrival: number | null}} Sum */

const RECENT_MAX = 12;

/** The stays by player and table, which all tabs of a browser share.
 * @type {Kept<Sum>} */
const STAYS = new Kept("wartable-stay", 20);

/** @returns {Sum} */
const nothing = () => ({ since_ms: Date.now(), rounds: 0, staked: 0, net: 0, recent: [], last: null, arrival: null });

/**
 * The number of the last round that is over.
 * @param {Table} state
 */
const lastOver = ({ rounds, round }) => (round === null || round.closed ? rounds : rounds - 1);

/** The visitor's rounds at the table, kept on this device until they leave. */
export class Stay {
  /** @param {Room} room */
  constructor(room) {
    this.room = room;
    this.sum = this.read();
    this.element = make("p", { class: "recent", hidden: true, "data-recent": true });
    this.showRecent();
  }

  /** @returns {Sum} */
  read() {
    return { ...nothing(), ...STAYS.get(this.room.you ?? "", this.room.name) };
  }

  /** @param {Sum} sum */
  keep(sum) {
    this.sum = sum;
    STAYS.keep(sum, this.room.you ?? "", this.room.name);
  }

  /**
   * An event of the table: the visitor sat down, or a round of theirs is over.
   * @param {TableEvent} event
   */
  follow(event) {
    const { room } = this;
    if (room.state === null) return;
    if (event.type === "joined" && event.player === room.you) this.begin(room.state);
    const { round } = room.state;
    if (event.type !== "closed" || round === null) return;
    this.sum = this.read();
    if (room.round <= (this.sum.last ?? -1)) return;
    const net = roundNet(round, room.you);
    if (net === null) return;
    const own = round.hands.filter((hand) => hand.player === room.you).flatMap((hand) => hand.wagers);
    // What a bank posted is no wager, as in the history.
    const staked = own.reduce((sum, wager) => sum + wager.staked, 0);
    this.add(room.round, staked, net);
  }

  /**
   * Count from this state on, unless another tab already does.
   * @param {Table} state
   */
  begin(state) {
    const arrival = state.guests[this.room.you ?? ""]?.arrival ?? null;
    this.sum = this.read();
    if (this.sum.arrival !== arrival) this.keep({ ...nothing(), last: lastOver(state), arrival });
    this.showRecent();
  }

  /**
   * The whole table was told, and no events: add the visitor's rounds that ended unseen, as before a reload.
   * @param {Table} state
   */
  async catchUp(state) {
    const { room } = this;
    if (room.you === null || state.guests[room.you] === undefined) return;
    this.begin(state);
    const [from, over] = [this.sum.last ?? 0, lastOver(state)];
    if (over <= from) return;
    this.keep({ ...this.sum, last: over }); // what is still to be shown of these rounds is not counted again
    const { rounds } = await get(`/me/rounds?table=${encodeURIComponent(room.name)}`);
    this.sum = this.read();
    for (const each of rounds.reverse()) if (each.round > from && each.round <= over) this.add(each.round, each.staked, each.net);
  }

  /**
   * @param {number} last the number of the round
   * @param {number} staked
   * @param {number} net
   */
  add(last, staked, net) {
    const { sum } = this;
    const recent = [net, ...sum.recent].slice(0, RECENT_MAX);
    this.keep({ ...sum, rounds: sum.rounds + 1, staked: sum.staked + staked, net: sum.net + net, recent, last: Math.max(last, sum.last ?? 0) });
    this.showRecent();
  }

  /** Show the visitor's last results at this table, and a streak. */
  showRecent() {
    const { recent } = this.sum;
    const sign = Math.sign(recent[0] ?? 0);
    const other = recent.findIndex((net) => Math.sign(net) !== sign);
    const count = other < 0 ? recent.length : other;
    const words = recent.map((net) => t(net > 0 ? "streak.won" : net < 0 ? "streak.lost" : "streak.even"));
    const row = sign === 0 || count < 2 ? "" : t(sign > 0 ? "streak.wins" : "streak.losses", { count });
    this.element.hidden = recent.length === 0;
    const marks = recent.map((net) => make("span", { class: `mark ${net > 0 ? "won" : net < 0 ? "lost" : "even"}`, title: signed(net) }, net > 0 ? "+" : net < 0 ? "−" : "="));
    const spoken = make("span", { class: "visually-hidden" }, t("streak.last", { list: words.join(", ") }));
    replace(this.element, spoken, make("span", { "aria-hidden": "true", class: "marks" }, ...marks), row === "" ? null : make("span", { class: "small", "data-streak": sign * count }, ` ${row}`));
  }

  /**
   * Tell what the stay brought, and offer the way to the lobby.
   * @param {number} amount what the visitor left with
   */
  async tell(amount) {
    const { since_ms, rounds, staked, net } = this.sum;
    const lines = [
      [t("leave.rounds"), String(rounds)],
      [t("leave.staked"), money(staked)],
      [t("leave.net"), signed(net)],
      [t("leave.time"), duration(Date.now() - since_ms)],
    ];
    const facts = make("dl", { class: "facts", "data-summary": rounds, "data-net": net, "data-staked": staked }, ...lines.flatMap(([term = "", text = ""]) => [make("dt", {}, term), make("dd", {}, text)]));
    const answer = await ask(t("leave.summary", { amount: money(amount) }), [facts], [{ value: "lobby", text: t("leave.lobby"), primary: true }], { name: "summary", dismiss: t("leave.stay") });
    if (answer === "lobby") location.assign("/");
  }
}
