// The visitor's number in the cards: sent with Deal and with choices at a table of their own, and by
// itself for each list of a shared table; a small sign says whether it decides the cards.

import { say } from "../announce.js";
import { make, write } from "../dom.js";
import { iterationMs, keptNumber, numberFor, typeNext, warning } from "../numbers.js";
import { t } from "../texts.js";

/** @typedef {import("./room.js").Room} Room */
/** @typedef {import("../types.js").Due} Due */
/** @typedef {import("../types.js").Event} TableEvent */
/** @typedef {import("../types.js").Shoe} Shoe */

/** How long an iteration takes where this browser cannot measure it. */
const USUAL_MS = 0.0005;

/**
 * The number for the next draw of a provable shoe.
 * @param {Room} room
 * @param {Shoe} shoe
 */
function numberOf(room, shoe) {
  return numberFor(room.name, shoe.terms.number, shoe.proof?.draws.length ?? 0, shoe.cuts.length);
}

/**
 * The visitor's number for the next cards, as a command's field; none where others decide.
 * @param {Room} room
 * @returns {{number?: string}}
 */
export function ownNumber(room) {
  const shoe = room.link.state?.shoe ?? null;
  if (room.you === null || shoe === null || shoe.proof === null || shoe.proof.bound.owner !== room.you) return {};
  return { number: numberOf(room, shoe) };
}

/**
 * The same for a choice: none if others are due too, who could choose knowing the cards by it.
 * @param {Room} room
 * @returns {{number?: string}}
 */
export function lastNumber(room) {
  return room.due.filter((due) => due.what === "choice").length === 1 ? ownNumber(room) : {};
}

/** The sign of the visitor's number. */
export class NumberSign {
  /**
   * @param {Room} room
   * @param {(error: unknown) => void} complain
   */
  constructor(room, complain) {
    this.room = room;
    this.complain = complain;
    /** The number that was sent by itself last, and when, so that it is sent once. */
    this.sent = "";
    this.sentMs = 0;
    /** @type {Promise<number | null> | null} */
    this.speed = null;
    this.words = make("a", { class: "small", href: `/fairness?table=${encodeURIComponent(room.name)}`, "data-own-number": "none" });
    const field = make("input", { id: "own-number", class: "mono", autocomplete: "off", spellcheck: "false", placeholder: t("number.random") });
    const use = make("button", { type: "button", class: "button small", "data-action": "type-number" }, t("number.use"));
    use.addEventListener("click", () => {
      if (typeNext(field.value)) {
        field.value = "";
        say(t("number.next"));
      } else this.complain(new Error(t("number.wrong")));
    });
    const typing = make("details", { class: "small" }, make("summary", {}, t("number.type")), make("div", { class: "field" }, make("label", { for: "own-number" }, t("number.digits")), field), use);
    this.waiting = make("p", { class: "small soft", "data-waiting": "", hidden: true });
    this.element = make("section", { class: "panel number-sign", "aria-label": t("number.title") }, this.words, this.waiting, typing);
    this.tell("none", t(room.own ? "number.will_cards" : "number.will_shuffle"));
    this.show();
  }

  /** Follow the room: only whoever sits at the table gives numbers. */
  show() {
    this.element.hidden = !this.room.own && this.room.guest === null;
    const bound = this.room.state?.shoe?.proof?.bound;
    if (bound !== undefined && !this.element.hidden) void this.wait(bound.order, bound.iterations);
  }

  /**
   * Say when the cards of a shared table are ordered, and how long everybody waits for that.
   * @param {string} order
   * @param {number} iterations
   */
  async wait(order, iterations) {
    const shown = `${order} ${iterations}`;
    if (order === "on_deal" || this.waiting.dataset.waiting === shown) return;
    this.waiting.dataset.waiting = shown;
    this.speed ??= iterationMs();
    const ms = ((await this.speed) ?? USUAL_MS) * iterations;
    write(this.waiting, t(order === "shoe" ? "number.wait_shoe" : "number.wait_bets", { count: Math.max(1, Math.round(ms / 1000)) }));
    this.waiting.hidden = false;
  }

  /**
   * @param {"none" | "yes" | "no"} part
   * @param {string} text
   */
  tell(part, text) {
    this.words.dataset.ownNumber = part;
    this.element.classList.toggle("bad", part === "no");
    write(this.words, text);
  }

  /**
   * An event of the player's private table: cards were decided, with this device's number or without it.
   * @param {TableEvent} event
   */
  follow(event) {
    const { room } = this;
    const shoe = room.state?.shoe ?? null;
    if (event.type !== "cards_decided" || !room.own || shoe === null || shoe.proof === null) return;
    const kept = keptNumber(room.name, shoe.terms.number, shoe.proof.draws.length - 1, shoe.cuts.length);
    const given = event.draw.numbers.find((each) => each.player === room.you);
    if (kept === null) this.tell("none", t("number.without"));
    else if (given?.number === kept) this.tell("yes", t("number.in_cards"));
    else this.tell("no", t("number.missing_cards"));
  }

  /**
   * Events as they come, before they are shown: a list was closed, with this device's number in it
   * and in time, or the visitor is warned before betting.
   * @param {readonly TableEvent[]} events
   */
  async heard(events) {
    const { room } = this;
    const nowMs = performance.now();
    const closed = events.find((event) => event.type === "numbers_closed");
    const shoe = room.link.state?.shoe ?? null;
    if (closed?.type !== "numbers_closed" || room.you === null || room.guest === null || shoe === null || shoe.proof === null) return;
    const { numbers, cuts } = closed;
    const kept = keptNumber(room.name, shoe.terms.number, shoe.proof.draws.length, cuts.length);
    const listed = numbers.find((each) => each.player === room.you)?.number ?? null;
    const eachMs = (await this.speed) ?? USUAL_MS;
    const took = kept === this.sent ? nowMs - this.sentMs : 0;
    const text = warning(kept, listed, took, shoe.proof.bound.iterations, eachMs);
    if (text === "") this.tell("yes", t("number.in_shuffle"));
    else {
      this.tell("no", text);
      say(`${text}.`, { assertive: true });
    }
  }

  /**
   * Send the number that is awaited, without waiting for the animations on the felt.
   * @param {readonly Due[]} due
   */
  async answer(due) {
    const { room } = this;
    const shoe = room.link.state?.shoe ?? null;
    if (shoe === null || shoe.proof === null || !due.some((each) => each.what === "number" && each.player === room.you)) return;
    const { owner } = shoe.proof.bound;
    if (owner !== "" && owner !== room.you) return;
    const number = numberOf(room, shoe);
    if (this.sent === number) return;
    this.sent = number;
    this.sentMs = performance.now();
    if (owner === "") this.speed ??= iterationMs();
    try {
      await room.send("send_number", { number });
    } catch (error) {
      if (owner !== "") this.complain(error); // the sign says that it came too late for a list
    }
  }
}
