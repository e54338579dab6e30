// A tied hand's choice: what each option costs, and what it can bring.

import { name } from "../cards.js";
import { make, replace } from "../dom.js";
import { money, parse, signed } from "../money.js";
import { label, outcomeWords } from "../words.js";
import { keptAtSurrender, warNets } from "./book.js";

/** @typedef {import("./room.js").Room} Room */
/** @typedef {import("../types.js").MayChoose} MayChoose */
/** @typedef {import("../types.js").Hand} Hand */

/** The choices that wait for the visitor, box by box. */
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
    const key = JSON.stringify([boxes, moves, room.stack]);
    if (key === this.key) return;
    this.key = key;
    this.element.classList.toggle("several", boxes.length > 1);
    const fields = boxes.map((box, place) => {
      const count = boxes.length > 1 ? ` (${place + 1} of ${boxes.length})` : "";
      return this.choice(box, moves.filter((move) => move.box === box), count);
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
   * @param {MayChoose[]} moves
   * @param {string} count
   */
  choice(box, moves, count) {
    const { room } = this;
    const round = room.state?.round ?? null;
    const hand = round?.hands.find((each) => each.box === box && each.player === room.you);
    const primary = hand?.wagers.find((wager) => wager.kind === "primary");
    const amount = primary === undefined ? 0 : primary.staked - primary.uncovered;
    const card = round?.cards[box] ?? "";
    const words = `Box ${box}: ${name(card)}${count}`;
    const war = moves.find((move) => move.choice === "war");
    return make(
      "fieldset",
      { class: "choice", "data-box": box },
      make("legend", {}, words),
      make("div", { class: "options" }, ...this.wars(box, amount, war)),
      war === undefined ? make("p", { class: "small" }, `War needs ${money(amount)} more at the table: bring money, or surrender.`) : null,
    );
  }

  /**
   * @param {number} box
   * @param {number} amount
   */
  surrender(box, amount) {
    const kept = keptAtSurrender(this.room.book, amount);
    const rule = outcomeWords(this.room.book, "primary", "surrendered");
    const words = `You get ${money(kept)} back and lose ${money(amount - kept)} (${rule}).`;
    return this.option(box, "surrender", "Surrender", [words], () => this.send(box, "surrender", 0));
  }

  /**
   * War alone and with the tie wager that the book offers at war, then surrender.
   * @param {number} box
   * @param {number} amount
   * @param {MayChoose | undefined} move
   * @returns {HTMLElement[]}
   */
  wars(box, amount, move) {
    const { book } = this.room;
    const nets = warNets(book, amount);
    const facts = [
      `Puts ${money(amount)} more at stake (${label(book, "war")}).`,
      `Win ${signed(nets.won)}, tie ${signed(nets.tied)}, lose ${signed(nets.lost)}.`,
    ];
    const offered = book.rules.options.war_tie_wager;
    const only = move?.war_tie?.only[0];
    const free = offered === "free" && move?.war_tie !== null && move?.war_tie !== undefined;
    const input = free ? this.tieInput(box) : null;
    const war = this.option(box, "war", "Go to war", facts, () => this.send(box, "war", this.tieAmount(input)), move === undefined);
    /** @type {HTMLElement[]} */
    const options = [war];
    if (offered === "equal_primary") {
      const pays = book.rules.wagers.war_tie.pays;
      const both = [`Puts ${money(amount * 2)} more at stake: ${label(book, "war")} and ${label(book, "war_tie")}.`, `The tie bet pays ${pays} if the war ties.`];
      options.push(this.option(box, "war_tie", "War + tie bet", both, () => this.send(box, "war", only ?? amount), only === undefined));
    }
    options.push(this.surrender(box, amount));
    if (input?.parentElement) options.push(input.parentElement);
    return options;
  }

  /**
   * The field for a tie wager of any size.
   * @param {number} box
   */
  tieInput(box) {
    const { book } = this.room;
    const id = `war-tie-${box}`;
    const input = make("input", { id, inputmode: "decimal", placeholder: "0", autocomplete: "off", "data-war-tie": box });
    make("div", { class: "war-tie" }, make("label", { for: id }, `With the war, ${label(book, "war_tie")} (pays ${book.rules.wagers.war_tie.pays}) $`), input);
    return input;
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
      this.complain(new Error("The tie wager is an amount such as 5 or 2.50."));
      return;
    }
    this.room.link.send("choose", { box, choice, war_tie: tie }).catch(this.complain);
  }
}
