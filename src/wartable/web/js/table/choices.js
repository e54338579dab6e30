// A tied hand's choice: what each option costs, and what it can bring.

import { name } from "../cards.js";
import { make, replace, unbroken } from "../dom.js";
import { CURRENCY_SIGN, exactly, money, parse, signed } from "../money.js";
import { t } from "../texts.js";
import { label, outcomeWords, serverWords } from "../words.js";
import { lastNumber } from "./number.js";

/** @typedef {import("./room.js").Room} Room */
/** @typedef {import("../types.js").MayChoose} MayChoose */
/** @typedef {import("../types.js").Price} Price */

/** The choices that the visitor has to make, box by box. */
export class Choices {
  /**
   * @param {Room} room
   * @param {(error: unknown) => void} complain
   * @param {() => void} made a choice was made, and is not asked for any more
   */
  constructor(room, complain, made) {
    this.room = room;
    this.complain = complain;
    this.made = made;
    this.element = make("div", { class: "choices", "data-panel": "choice" });
    this.key = "";
  }

  /** Follow the room. */
  show() {
    const { room } = this;
    const boxes = room.asked("choice").map((due) => due.box ?? 0);
    const moves = room.moves.filter((move) => move.type === "may_choose");
    // Another round may ask the very same of the same box: what was pressed in the last one does not count there.
    const key = JSON.stringify([room.round, boxes, moves, room.prices, room.stack]);
    if (key === this.key) return;
    this.key = key;
    this.element.classList.toggle("several", boxes.length > 1);
    const fields = boxes.map((box, place) => {
      const count = boxes.length > 1 ? ` ${t("choice.count", { place: place + 1, count: boxes.length })}` : "";
      return this.choice(box, count);
    });
    replace(this.element, ...fields);
  }

  /** Put the focus on the first option. */
  focus() {
    const first = this.element.querySelector("button[data-choice]:not(:disabled)");
    if (first instanceof HTMLElement) first.focus({ preventScroll: true });
  }

  /**
   * @param {number} box
   * @param {string} count
   */
  choice(box, count) {
    const { room } = this;
    const card = room.state?.round?.cards[box] ?? "";
    const words = `${t("box.card", { box, card: name(card) })}${count}`;
    const war = room.prices.find((price) => price.box === box && price.choice === "war");
    const needs = war === undefined || this.move(box) !== undefined ? null : t("choice.needs", { amount: money(war.adds) });
    return make(
      "fieldset",
      { class: "choice", "data-box": box },
      make("legend", {}, words),
      make("div", { class: "options" }, ...this.options(box)),
      needs === null ? null : make("p", { class: "small" }, needs),
    );
  }

  /**
   * The war that the visitor can pay for.
   * @param {number} box
   * @returns {MayChoose | undefined}
   */
  move(box) {
    for (const move of this.room.moves) if (move.type === "may_choose" && move.choice === "war" && move.box === box) return move;
    return undefined;
  }

  /**
   * War alone and with the tie wager that the book offers at war, then surrender.
   * @param {number} box
   * @returns {HTMLElement[]}
   */
  options(box) {
    const { room } = this;
    const tie = this.move(box)?.war_tie ?? null;
    const input = tie !== null && tie.only.length === 0 ? this.tieInput(box) : null;
    /** @type {HTMLElement[]} */
    const options = room.prices.filter((price) => price.box === box).map((price) => {
      if (price.choice === "surrender") return this.surrender(price);
      if (price.war_tie > 0) return this.option(box, "war_tie", t("choice.war_tie"), this.warFacts(price), () => this.send(box, "war", price.war_tie), !tie?.only.includes(price.war_tie));
      const war = this.option(box, "war", t("choice.war"), this.warFacts(price), () => this.send(box, "war", this.tieAmount(input)), this.move(box) === undefined);
      input?.addEventListener("input", () => void this.priceTie(input, war, price));
      input?.addEventListener("keydown", (event) => event.key === "Enter" && war.click());
      return war;
    });
    if (input?.parentElement) options.push(input.parentElement);
    return options;
  }

  /** @param {Price} price */
  surrender({ box, back, lost }) {
    const rule = outcomeWords(this.room.book, "primary", "surrendered");
    const words = t("choice.back", { back: money(back), lost: money(-lost), rule });
    return this.option(box, "surrender", t("choice.surrender"), [words], () => this.send(box, "surrender", 0));
  }

  /**
   * What a war puts at stake, what it can bring, and what the bank cannot match.
   * @param {Price} price
   */
  warFacts({ war_tie, adds, back, won, tied, lost, matched, sure }) {
    const { book } = this.room;
    if (matched === 0) return [t("choice.unmatched", { amount: money(back) })];
    const [war, tie] = [label(book, "war"), label(book, "war_tie")];
    const puts = war_tie > 0 ? t("choice.puts_both", { amount: money(adds), war, tie }) : t("choice.puts", { amount: money(adds), war });
    const pays = war_tie > 0 ? ` ${t("choice.tie_pays", { pays: serverWords(book.rules.wagers.war_tie.pays) })}` : "";
    const facts = [puts, `${t("choice.ends", { won: signed(won), tied: signed(tied), lost: signed(lost) })}${pays}`];
    if (matched !== null) facts.push(back > 0 ? t("choice.matched_part", { matched: money(matched), war, back: money(back) }) : t("choice.matched"));
    if (!sure) facts.push(t("choice.unsure"));
    return facts;
  }

  /**
   * The field for a tie wager of any size.
   * @param {number} box
   */
  tieInput(box) {
    const { book } = this.room;
    const id = `war-tie-${box}`;
    const input = make("input", { id, inputmode: "decimal", placeholder: "0", autocomplete: "off", "data-war-tie": box });
    make("div", { class: "war-tie" }, make("label", { for: id }, t("choice.add_tie", { pays: serverWords(book.rules.wagers.war_tie.pays), sign: CURRENCY_SIGN })), input);
    return input;
  }

  /**
   * Show the war's price with the tie wager as typed; an unfinished amount counts as none.
   * @param {HTMLInputElement} input
   * @param {HTMLElement} war
   * @param {Price} alone
   */
  async priceTie(input, war, alone) {
    const { value } = input;
    const cents = parse(value) ?? 0;
    const price = cents === 0 ? alone : await this.askPrice(alone.box, cents).catch(() => alone);
    if (input.value !== value) return; // the amount has changed meanwhile
    for (const old of war.querySelectorAll(":scope > span")) old.remove();
    war.append(...this.warFacts(price).map((text) => make("span", {}, ...unbroken(text))));
  }

  /**
   * What a war on the box with a tie wager of this amount would stake and return.
   * @param {number} box
   * @param {number} war_tie
   * @returns {Promise<Price>}
   */
  async askPrice(box, war_tie) {
    /** @type {import("../types.js").Priced} */
    const answer = await this.room.link.send("ask_price", { box, war_tie });
    return answer.price;
  }

  /** @param {HTMLInputElement | null} input */
  tieAmount(input) {
    if (input === null || input.value.trim() === "") return 0;
    const cents = parse(input.value);
    input.setAttribute("aria-invalid", String(cents === null));
    if (cents === null) input.focus();
    return cents;
  }

  /**
   * @param {number} box
   * @param {string} choice
   * @param {string} title
   * @param {string[]} facts
   * @param {() => void} act
   * @param {boolean} [disabled]
   */
  option(box, choice, title, facts, act, disabled = false) {
    const made = make(
      "button",
      { type: "button", class: `option ${choice}`, "data-choice": choice, "data-box": box, disabled },
      make("b", {}, title),
      ...facts.map((text) => make("span", {}, ...unbroken(text))),
    );
    made.addEventListener("click", act);
    return made;
  }

  /**
   * @param {number} box
   * @param {"war" | "surrender"} choice
   * @param {number | null} tie
   */
  send(box, choice, tie) {
    if (tie === null) {
      this.complain(new Error(t("choice.enter", { exact: exactly(250) })));
      return;
    }
    // What was chosen is no longer offered, even while the cards before it are still shown.
    const asked = this.element.querySelector(`fieldset[data-box="${box}"]`);
    if (asked instanceof HTMLFieldSetElement) asked.disabled = true;
    this.room.send("choose", { box, choice, war_tie: tie, ...lastNumber(this.room) }).then(
      () => {
        this.room.chosen.add(box);
        this.made();
      },
      (error) => {
        if (asked instanceof HTMLFieldSetElement) asked.disabled = false;
        this.complain(error);
      },
    );
  }
}
