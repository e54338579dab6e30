// What the page knows about its table: the link, the book, the visitor, and what is shown now.

import { atStake } from "./boxes.js";

/** @typedef {import("../types.js").Table} Table */
/** @typedef {import("../types.js").Round} Round */
/** @typedef {import("../types.js").Due} Due */
/** @typedef {import("../types.js").Move} Move */
/** @typedef {import("../types.js").Price} Price */
/** @typedef {import("../types.js").Guest} Guest */
/** @typedef {import("../link.js").Link} Link */
/** @typedef {import("./book.js").TableBook} TableBook */

/** The commands that belong to one round. */
const IN_ROUND = new Set(["bet", "withdraw", "decline", "close_bets", "choose"]);

/** One table as its visitor sees it; the parts of the page read it and never change it. */
export class Room {
  /** @type {Table | null} the state on screen, a moment behind the server's */
  state = null;
  /** @type {Round | null} the round before, while the next is bet on */
  previous = null;
  /** @type {ReadonlyArray<Due>} */
  due = [];
  /** @type {number | null} */
  untilMs = null;
  /** @type {ReadonlyArray<Move>} */
  moves = [];
  /** @type {ReadonlyArray<Price>} what the visitor's choices put at stake and bring */
  prices = [];
  /** @type {ReadonlyArray<string>} who will bet no more in this round */
  ready = [];
  /** @type {Set<number>} the boxes whose choice was made since the server last said what it awaits */
  chosen = new Set();
  /** @type {string | null} why nothing can be played */
  closed = null;
  connected = true;
  /** Whether the visitor leaves when the round is over that they bank. */
  leaves = false;
  #number = 0;
  /** @type {{number: number, resolve: () => void}[]} */
  #waiting = [];

  /**
   * @param {string} name
   * @param {Link} link
   * @param {TableBook} book
   * @param {string | null} you
   */
  constructor(name, link, book, you) {
    this.name = name;
    this.link = link;
    this.book = book;
    this.you = you;
    this.own = you !== null && name.endsWith(`@${you}`);
  }

  /** The number of the round on screen, which commands are meant for. */
  get round() {
    return this.state?.rounds ?? 0;
  }

  /** Whether the visitor banks the round that is open. */
  get banking() {
    const round = this.state?.round ?? null;
    return this.you !== null && round !== null && !round.closed && round.banker === this.you;
  }

  /** Whether the visitor took part in the round before, while it is in sight. */
  get played() {
    const { previous, you } = this;
    return previous !== null && (previous.banker === you || previous.hands.some((hand) => hand.player === you));
  }

  /** Whether anybody has a wager in the open round. */
  get wagered() {
    const round = this.state?.round ?? null;
    return round !== null && !round.closed && round.hands.length > 0;
  }

  /**
   * Give a command, and wait until its row arrives. One that belongs to a round is refused in another.
   * @param {string} type
   * @param {object} [fields]
   * @param {number} [round] the round that it is meant for
   */
  async send(type, fields = {}, round = this.round) {
    const meant = IN_ROUND.has(type) ? { round } : {};
    const { number } = await this.link.send(type, { ...fields, ...meant });
    if (number <= this.#number) return;
    await new Promise((resolve) => this.#waiting.push({ number, resolve: () => resolve(null) }));
  }

  /**
   * A row has arrived.
   * @param {number} number
   */
  heard(number) {
    this.#number = number;
    const due = this.#waiting.filter((each) => each.number <= number);
    this.#waiting = this.#waiting.filter((each) => each.number > number);
    for (const each of due) each.resolve();
  }

  /** @returns {Guest | null} the visitor at the table */
  get guest() {
    return this.you === null ? null : (this.state?.guests[this.you] ?? null);
  }

  /** The money on the table that is not at stake. */
  get stack() {
    return this.guest?.stack ?? 0;
  }

  /** What lies on the felt. */
  get atStake() {
    return this.state === null || this.you === null ? 0 : atStake(this.state, this.you);
  }

  /**
   * What of that kind is awaited from the visitor, or from nobody in particular.
   * @param {string} what
   * @returns {Due[]}
   */
  asked(what) {
    const made = (/** @type {Due} */ due) => what === "choice" && this.chosen.has(due.box ?? 0);
    return this.due.filter((due) => due.what === what && (due.player === null || due.player === this.you) && !made(due));
  }

  /** Whether bets are taken now. */
  get betting() {
    return this.due.some((due) => due.what === "bets");
  }

  /**
   * The visitor's wagers on the felt, by box and kind: "3.tie".
   * @returns {Map<string, number>}
   */
  get wagers() {
    const found = new Map();
    const round = this.link.state?.round;
    if (round === null || round === undefined || round.closed) return found;
    for (const hand of round.hands) {
      if (hand.player !== this.you) continue;
      for (const wager of hand.wagers) found.set(`${hand.box}.${wager.kind}`, wager.staked);
    }
    return found;
  }
}
