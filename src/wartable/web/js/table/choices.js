// A tied hand's choice: what each option costs, and what it can bring.

import { name } from "../cards.js";
import { make, replace } from "../dom.js";
import { money, parse, signed } from "../money.js";
import { label, outcomeWords } from "../words.js";
import { lastNumber } from "./number.js";

/** @typedef {import("./room.js").Room} Room */
/** @typedef {import("../types.js").MayChoose} MayChoose */
/** @typedef {import("../types.js").Price} Price */

/** The choices that the visitor has to make, box by box. */
export class Choices {
  /**
   * @param {Room} room
   * @param {(error: unknown) => void} complain
   */
  constructor(room, complain) {
    this.room = room;
    this.complain = complain;
    this.element = make("div", { class: "choices", "data-panel": "choice" });
    this.key = "";
  }

  /** Follow the room. */
  show() {
    const { room } = this;
    const boxes = room.asked("choice").map((due) => due.box ?? 0);
    const moves = room.moves.filter((move) => move.type === "may_choose");
    const key = JSON.stringify([boxes, moves, room.prices, room.stack]);
    if (key === this.key) return;
    this.key = key;
    this.element.classList.toggle("several", boxes.length > 1);
    const fields = boxes.map((box, place) => {
      const count = boxes.length > 1 ? ` (${place + 1} of ${boxes.length})` : "";
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
    const words = `Box ${box}: ${name(card)}${count}`;
    const war = room.prices.find((price) => price.box === box && price.choice === "war");
    const needs = war === undefined || this.move(box) !== undefined ? null : `You need ${money(war.adds)} at the table to go to war. Bring money, or surrender.`;
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
      if (price.war_tie > 0) return this.option(box, "war_tie", "War + tie bet", this.warFacts(price), () => this.send(box, "war", price.war_tie), !tie?.only.includes(price.war_tie));
      const war = this.option(box, "war", "Go to war", this.warFacts(price), () => this.send(box, "war", this.tieAmount(input)), this.move(box) === undefined);
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
    const words = `You get ${money(back)} back and lose ${money(-lost)} (${rule}).`;
    return this.option(box, "surrender", "Surrender", [words], () => this.send(box, "surrender", 0));
  }

  /**
   * What a war puts at stake, what it can bring, and what the bank cannot match.
   * @param {Price} price
   */
  warFacts({ war_tie, adds, back, won, tied, lost, matched, sure }) {
    const { book } = this.room;
    if (matched === 0) return [`The bank has nothing left to match it with: no war is dealt, and ${money(back)} goes back to you.`];
    const wagers = war_tie > 0 ? `: ${label(book, "war")} and ${label(book, "war_tie")}.` : ` (${label(book, "war")}).`;
    const pays = war_tie > 0 ? ` The tie bet pays ${book.rules.wagers.war_tie.pays}.` : "";
    const facts = [`Puts ${money(adds)} more at stake${wagers}`, `Win ${signed(won)}, tie ${signed(tied)}, lose ${signed(lost)}.${pays}`];
    if (matched !== null) facts.push(back > 0 ? `The bank can match ${money(matched)} of the ${label(book, "war")}; ${money(back)} is returned at once.` : `The bank can match all of it.`);
    if (!sure) facts.push("Boxes before yours are matched first if they go to war, so less may be left.");
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
    make("div", { class: "war-tie" }, make("label", { for: id }, `Add a tie bet on the war (${book.rules.wagers.war_tie.pays}) $`), input);
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
    const price = cents === 0 ? alone : await this.room.link.price(alone.box, cents).catch(() => alone);
    if (input.value !== value) return; // the amount has changed meanwhile
    for (const old of war.querySelectorAll("span")) old.remove();
    war.append(...this.warFacts(price).map((text) => make("span", {}, text)));
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
      ...facts.map((text) => make("span", {}, text)),
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
      this.complain(new Error("Enter the tie bet as an amount such as 5 or 2.50."));
      return;
    }
    // What was chosen is no longer offered, even while the cards before it are still shown.
    const asked = this.element.querySelector(`fieldset[data-box="${box}"]`);
    if (asked instanceof HTMLFieldSetElement) asked.disabled = true;
    this.room.send("choose", { box, choice, war_tie: tie, ...lastNumber(this.room) }).then(
      () => asked?.remove(),
      (error) => {
        if (asked instanceof HTMLFieldSetElement) asked.disabled = false;
        this.complain(error);
      },
    );
  }
}
