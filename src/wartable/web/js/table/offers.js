// What is offered to the visitor between rounds: the cut, the bank, a look at the cards.

import { make, replace, write } from "../dom.js";
import { CURRENCY_SIGN, money, parse, typed } from "../money.js";
import { t } from "../texts.js";

/** @typedef {import("./room.js").Room} Room */
/** @typedef {import("../types.js").MayBank} MayBank */

const DECK = 52;

/** The offer that the visitor has to answer. */
export class Offers {
  /**
   * @param {Room} room
   * @param {(error: unknown) => void} complain
   */
  constructor(room, complain) {
    this.room = room;
    this.complain = complain;
    this.element = make("div", { class: "offer", "data-panel": "offer" });
    this.key = "";
  }

  /** The kind of offer to answer, or null. */
  get kind() {
    const { room } = this;
    if (room.guest === null) return null;
    if (room.asked("cut").length > 0) return "cut";
    if (room.asked("bank").length > 0) return "bank";
    return null;
  }

  /**
   * The bank as it is offered to the visitor.
   * @returns {MayBank | undefined}
   */
  get offer() {
    for (const move of this.room.moves) if (move.type === "may_bank") return move;
    return undefined;
  }

  /** Follow the room. */
  show() {
    const kind = this.kind;
    const key = `${kind} ${this.room.guest?.stack} ${this.offer?.suggested}`;
    if (key === this.key) return;
    this.key = key;
    if (kind === "cut") replace(this.element, ...this.cut());
    else if (kind === "bank") replace(this.element, ...this.bank());
  }

  /** The cut: a place on the stack, by slider or keyboard. */
  cut() {
    const { room } = this;
    const count = DECK * room.book.decks;
    const least = room.book.rules.shoe.cut_from_end_min;
    const slider = make("input", { type: "range", id: "cut", min: least, max: count - least, value: Math.round(count / 2) });
    const words = make("output", { for: "cut" });
    const say = () => write(words, t("offer.cut_words", { cards: slider.value, count }));
    slider.addEventListener("input", say);
    say();
    return [
      make("p", { class: "offer-words" }, t("offer.cut", { count: least })),
      make("div", { class: "cut-field" }, make("label", { for: "cut" }, t("offer.lift")), slider, words),
      this.buttons(
        this.button("cut", t("offer.cut_here"), () => this.send("cut", { position: Number(slider.value) }), true),
        this.button("refuse_cut", t("offer.refuse"), () => this.send("refuse_cut", {})),
      ),
    ];
  }

  /** The bank: an amount to post, or a pass. */
  bank() {
    const { room } = this;
    const input = make("input", { id: "post", inputmode: "decimal", autocomplete: "off", size: 8 });
    const suggested = this.offer?.suggested ?? room.stack;
    input.value = typed(suggested);
    const why = t("offer.why", { suggested: money(suggested), rest: money(room.stack - suggested) });
    const rounds = room.book.rules.bank?.rounds_max ?? 1;
    const take = () => {
      const amount = parse(input.value);
      if (amount === null || amount === 0) this.complain(new Error(t("offer.enter")));
      else this.send("take_bank", { amount });
    };
    return [
      make("p", { class: "offer-words" }, t("offer.bank", { count: rounds, stack: money(room.stack) })),
      make("p", { class: "offer-words", "data-suggested": suggested }, why),
      make("div", { class: "buy-in" }, make("label", { for: "post" }, t("offer.post", { sign: CURRENCY_SIGN })), input),
      this.buttons(this.button("take_bank", t("offer.take"), take, true), this.button("pass_bank", t("offer.pass"), () => this.send("pass_bank", {}))),
    ];
  }

  /** @param {...HTMLElement} buttons */
  buttons(...buttons) {
    return make("div", { class: "buttons" }, ...buttons);
  }

  /**
   * @param {string} action
   * @param {string} text
   * @param {() => void} act
   * @param {boolean} [primary]
   */
  button(action, text, act, primary = false) {
    const made = make("button", { type: "button", class: primary ? "button primary" : "button", "data-action": action }, text);
    made.addEventListener("click", act);
    return made;
  }

  /**
   * @param {string} type
   * @param {object} fields
   */
  send(type, fields) {
    // The next offer may come at once and look alike: it is drawn anew all the same.
    this.room.link.send(type, fields).then(() => (this.key = ""), this.complain);
  }
}
