// The cards spread before the first shuffle, and those of an idle table.

import { name, rank, red, sign } from "../cards.js";
import { make, replace } from "../dom.js";
import { nameOf } from "../names.js";
import { t } from "../texts.js";

/** @typedef {import("./room.js").Room} Room */
/** @typedef {import("../types.js").Table} Table */

const SUITS = "cdhs";
const RANKS = "23456789TJQKA";

/**
 * Every card of the decks, by deck, suit and rank.
 * @param {number} decks
 * @returns {string[][]} one list for each deck and suit
 */
export function ordered(decks) {
  const rows = [];
  for (let deck = 0; deck < decks; deck += 1) {
    for (const suit of SUITS) rows.push([...RANKS].map((letter) => letter + suit));
  }
  return rows;
}

/**
 * The batch that is spread face up for inspection, or null.
 * @param {Table} state
 * @returns {string | null}
 */
function inspected(state) {
  for (const [batch, done] of Object.entries(state.decks?.done ?? {})) {
    if (done.includes("spread") && !done.includes("turn") && !done.includes("stack") && !inUse(state, batch)) return batch;
  }
  return null;
}

/**
 * Whether a batch is in the shoe.
 * @param {Table} state
 * @param {string} batch
 */
function inUse(state, batch) {
  return state.shoe !== null && state.shoe.terms.batch === batch;
}

/**
 * Whether the spread cards were turned face down to be mixed.
 * @param {Table} state
 */
function turned(state) {
  return Object.values(state.decks?.done ?? {}).some((done) => done.includes("turn"));
}

/**
 * The player who has been at the table longest, or null.
 * @param {Table} state
 * @returns {string | null}
 */
function firstOf(state) {
  const guests = Object.values(state.guests).sort((a, b) => a.arrival - b.arrival);
  return guests[0]?.player ?? null;
}

/** The spread above the felt. */
export class Spread {
  /**
   * @param {Room} room
   * @param {(error: unknown) => void} complain
   */
  constructor(room, complain) {
    this.room = room;
    this.complain = complain;
    this.element = make("section", { class: "panel spread", hidden: true, "aria-label": t("spread.cards") });
    this.key = "";
  }

  /** Follow the room. */
  show() {
    const { room } = this;
    const state = room.state;
    const batch = state === null ? null : inspected(state);
    const idle = state !== null && state.idle && !turned(state);
    const viewed = room.due.find((due) => due.what === "prepare" && due.step === "view");
    const first = viewed === undefined || state === null ? null : firstOf(state);
    const key = JSON.stringify([batch, idle, state?.spread_up, viewed, first, room.guest === null]);
    if (key === this.key) return;
    this.key = key;
    this.element.hidden = batch === null && !idle;
    const ask = first === null || viewed === undefined ? null : this.look(first, viewed.batch);
    if (batch !== null) replace(this.element, ...this.faceUp(batch), ask);
    else if (idle) replace(this.element, ...this.idle(state?.spread_up === true), ask);
  }

  /**
   * A button for the first player to let the next step begin; the others read who is asked.
   * @param {string} first
   * @param {string} batch
   */
  look(first, batch) {
    if (first !== this.room.you) return make("p", { "data-viewer": first }, t("spread.first", { player: nameOf(first) }));
    const seen = make("button", { type: "button", class: "button primary", "data-action": "view" }, t("spread.looked"));
    seen.addEventListener("click", () => void this.room.link.send("prepare", { step: "view", batch }).catch(this.complain));
    return seen;
  }

  /**
   * The cards face up, to be looked at.
   * @param {string} batch
   */
  faceUp(batch) {
    const words = t(batch ? "spread.words_backs" : "spread.words", { count: this.room.book.decks, batch });
    return [make("h2", {}, t("spread.new")), make("p", {}, words), this.rows()];
  }

  /**
   * An idle table's cards.
   * @param {boolean} up
   */
  idle(up) {
    const turn = make("button", { type: "button", class: "button", "data-action": "turn_up" }, t("spread.ask"));
    turn.addEventListener("click", () => void this.room.link.send("turn_up").catch(this.complain));
    const words = t(up ? "spread.idle_up" : "spread.idle_down");
    return [make("h2", {}, t("spread.cards")), make("p", {}, words), up ? this.rows() : make("div", { class: "spread-down", role: "img", "aria-label": t("spread.down") }), up ? null : turn];
  }

  /** The cards in rows. */
  rows() {
    const rows = ordered(this.room.book.decks).map((cards) =>
      make("li", {}, ...cards.map((card) => make("span", { class: red(card) ? "tiny red" : "tiny", "data-spread": card, title: name(card) }, make("span", {}, rank(card)), make("span", {}, sign(card))))),
    );
    return make("ol", { class: "spread-rows", tabindex: 0, "aria-label": t("spread.every") }, ...rows);
  }
}
