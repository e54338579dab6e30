// Sitting down with money, bringing more, taking money off, leaving.

import { post } from "../api.js";
import { make, replace, write } from "../dom.js";
import { CURRENCY_SIGN, exactly, money, parse, typed } from "../money.js";
import { shortName } from "../names.js";
import { current, refresh } from "../session.js";
import { t } from "../texts.js";
import { seatsOf } from "./boxes.js";
import { ask } from "./dialogs.js";
import { ownNumber } from "./number.js";

/** @typedef {import("./room.js").Room} Room */

const CHOICES = [5_000, 10_000, 20_000, 50_000];
const USUAL = 20_000;

/** @type {Record<string, import("../texts.js").TextKey>} */
const ABANDONED = { lose: "leave.lose", surrender: "leave.surrender", hold: "leave.hold", play_on: "leave.play_on" };

/** The panel for visitors who are not at the table, and the dialogs about money. */
export class Seating {
  /**
   * @param {Room} room
   * @param {(error: unknown) => void} complain
   */
  constructor(room, complain) {
    this.room = room;
    this.complain = complain;
    this.wallet = 0;
    this.amount = USUAL;
    this.input = make("input", { id: "buy-in", inputmode: "decimal", autocomplete: "off", size: 8 });
    this.choices = make("div", { class: "buttons", role: "group", "aria-label": t("seat.buy_in") });
    this.words = make("p", { class: "seat-words" });
    this.go = make("button", { type: "button", class: "button primary big", "data-action": "sit" }, t("seat.sit"));
    this.behind = make("button", { type: "button", class: "button", "data-action": "stand" }, t("seat.none"));
    this.refill = make("button", { type: "button", class: "button primary", "data-action": "refill", hidden: true }, t("money.new"));
    const field = make("div", { class: "buy-in" }, make("label", { for: "buy-in" }, t("seat.buy_in_sign", { sign: CURRENCY_SIGN })), this.input);
    this.element = make("div", { class: "seating", "data-panel": "seat" }, this.words, this.choices, field, make("div", { class: "buttons" }, this.go, this.behind, this.refill));
    this.go.addEventListener("click", () => void this.join(this.bestSeat()));
    this.behind.addEventListener("click", () => void this.join(null));
    this.refill.addEventListener("click", () => void this.newMoney());
    this.input.addEventListener("input", () => {
      this.amount = parse(this.input.value) ?? 0;
      this.show();
    });
  }

  /** Read the wallet, and choose a sensible buy-in. */
  async begin() {
    const me = await current();
    this.wallet = me?.holds.wallet ?? 0;
    this.set(Math.min(this.wallet, USUAL));
  }

  /** @param {number} cents */
  set(cents) {
    this.amount = cents;
    this.input.value = typed(cents);
    this.show();
  }

  /** Follow the room. */
  show() {
    const { room } = this;
    const seat = this.bestSeat();
    const table = room.book.rules.table;
    const poor = this.wallet === 0;
    write(this.words, this.sentence(seat, poor));
    replace(
      this.choices,
      ...presetsOf(this.wallet).map((cents) => {
        const made = make("button", { type: "button", class: "button small", "aria-pressed": String(cents === this.amount), "data-buy-in": cents }, cents === this.wallet ? t("money.all", { amount: money(cents) }) : money(cents));
        made.addEventListener("click", () => this.set(cents));
        return made;
      }),
    );
    // Without a place there is nothing to bring money for.
    const shut = poor || (seat === null && !table.backline);
    this.choices.hidden = shut;
    this.input.parentElement?.toggleAttribute("hidden", shut);
    const wrong = this.amount <= 0 || this.amount > this.wallet || room.closed !== null;
    this.go.hidden = poor || seat === null;
    this.go.disabled = wrong;
    this.behind.hidden = poor || !table.backline;
    this.behind.disabled = wrong;
    this.refill.hidden = !poor;
  }

  /**
   * @param {number | null} seat
   * @param {boolean} poor
   */
  sentence(seat, poor) {
    if (poor) return t("seat.poor");
    if (this.amount > this.wallet) return t("seat.wallet", { amount: money(this.wallet) });
    if (this.room.closed !== null) return t("seat.closed");
    if (seat === null) return this.room.book.rules.table.backline ? t("seat.full_backline") : t("seat.full");
    if (this.room.state !== null && seatsOf(this.room.state).has(seat)) return t("seat.bot", { amount: money(this.wallet) });
    if (this.room.book.community) return t("seat.community", { amount: money(this.wallet) });
    return t("seat.choose", { box: seat, amount: money(this.wallet) });
  }

  /** The free seat nearest to the middle; at a full table a bot's, which it gives up. */
  bestSeat() {
    const { room } = this;
    const taken = room.state === null ? new Map() : seatsOf(room.state);
    const count = room.book.rules.table.seats;
    const middle = (count + 1) / 2;
    const seats = Array.from({ length: count }, (_, place) => place + 1).sort((a, b) => Math.abs(a - middle) - Math.abs(b - middle));
    const free = seats.find((seat) => !taken.has(seat));
    return free ?? seats.find((seat) => shortName(taken.get(seat)).bot) ?? null;
  }

  /** @param {number | null} seat */
  async join(seat) {
    try {
      await this.room.link.send("join", { amount: this.amount, seat });
      await refresh();
    } catch (error) {
      this.complain(error);
    }
  }

  /** Ask for new play money. */
  async newMoney() {
    try {
      await post("/me/refill", { id: crypto.randomUUID?.() ?? String(Date.now()) });
      const me = await refresh();
      this.wallet = me?.holds.wallet ?? 0;
      this.set(Math.min(this.wallet, USUAL));
    } catch (error) {
      this.complain(error);
    }
  }

  /** Bring more money to the table, or take some off. */
  async cashier() {
    const { room } = this;
    const me = await refresh().catch(() => null);
    const wallet = me?.holds.wallet ?? 0;
    const input = make("input", { id: "cash", inputmode: "decimal", autocomplete: "off" });
    const words = make("p", {}, t("money.words", { wallet: money(wallet), stack: money(room.stack) }));
    const field = make("div", { class: "field" }, make("label", { for: "cash" }, t("money.amount")), input);
    const empty = wallet === 0 && me?.money === "play";
    const presets = make("div", { class: "buttons presets" }, ...presetsOf(wallet).map((cents) => preset(cents, wallet, input)));
    const answer = await ask(t("money.title"), empty ? [words] : [words, presets, field], [
      { value: "cash_out", text: t("money.take") },
      empty ? { value: "refill", text: t("money.new"), primary: true } : { value: "buy_in", text: t("money.bring"), primary: true },
    ].filter(({ value }) => !(empty && value === "cash_out")));
    if (answer === null) return;
    if (answer === "refill") {
      await this.newMoney();
      return;
    }
    const amount = parse(input.value);
    if (amount === null || amount === 0) {
      this.complain(new Error(t("money.enter", { exact: exactly(250) })));
      return;
    }
    try {
      await room.link.send(answer, { amount });
      await refresh();
    } catch (error) {
      this.complain(error);
    }
  }

  /** Whether leaving has its price: bets are closed on the visitor's wagers, or others play against their bank. */
  get held() {
    const { room } = this;
    const round = room.link.state?.round ?? null;
    if (round === null || round.closed) return false;
    return (round.bets_closed && room.atStake > 0) || (room.banking && room.wagered);
  }

  /** Leave, after a warning if something is at stake. */
  async leave() {
    const { room, held } = this;
    if (room.banking && room.wagered) {
      await this.leaveBank();
      return;
    }
    const round = room.link.state?.round ?? null;
    const playing = round !== null && !round.closed && room.atStake > 0;
    const key = ABANDONED[room.book.rules.options.abandoned];
    const rule = key === undefined ? "" : t(key);
    const words = held
      ? [`${t("leave.stake", { amount: money(room.atStake) })} ${rule}`, t("leave.when")]
      : [t("leave.with", { amount: money(room.stack + room.atStake) })];
    const answer = await ask(t("leave.title"), words.map((text) => make("p", {}, text)), [{ value: "leave", text: t("bar.leave"), danger: playing, primary: !playing }]);
    if (answer === null) return;
    // Bets may have closed while the question was read: then it is asked again, with the price.
    await (held ? this.depart() : this.leaveFreely());
  }

  /** Leave without a question, unless it has its price. */
  async leaveFreely() {
    await (this.held ? this.leave() : this.depart());
  }

  /** Leave now. */
  async depart() {
    try {
      await this.room.link.send("leave");
    } catch (error) {
      this.complain(error);
    }
  }

  /** A banker whom others play against stays until the round is over. */
  async leaveBank() {
    const { room } = this;
    const dealing = room.own && room.state?.round?.bets_closed === false;
    const text = t(dealing ? "leave.deal" : "leave.after");
    const answer = await ask(t("leave.title"), [make("p", {}, t("leave.banking"))], [{ value: "after", text, primary: true }]);
    if (answer === null) return;
    room.leaves = true;
    try {
      if (dealing) await room.send("close_bets", ownNumber(room));
    } catch (error) {
      this.complain(error);
    }
    this.leaveAfter();
  }

  /** Leave if the visitor asked for it and nothing holds them any more. */
  leaveAfter() {
    const { room } = this;
    if (!room.leaves || !room.connected || (room.banking && room.wagered)) return;
    room.leaves = false;
    if (room.guest !== null) room.link.send("leave").catch(this.complain);
  }
}

/**
 * The usual amounts that a wallet has, and all of it.
 * @param {number} wallet
 */
function presetsOf(wallet) {
  return [...new Set([...CHOICES.filter((each) => each < wallet), wallet])];
}

/**
 * A button that fills in an amount.
 * @param {number} cents
 * @param {number} wallet
 * @param {HTMLInputElement} input
 */
function preset(cents, wallet, input) {
  const text = cents === wallet ? t("money.all", { amount: money(cents) }) : money(cents);
  const made = make("button", { type: "button", class: "button small", "data-preset": cents }, text);
  made.addEventListener("click", () => {
    input.value = typed(cents);
    input.focus();
  });
  return made;
}
