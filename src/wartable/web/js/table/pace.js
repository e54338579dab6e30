// Rows are shown event by event, each for a short time; input never waits for them.

import { fold } from "../fold.js";
import { isStill } from "../preferences.js";

/** @typedef {import("../types.js").Table} Table */
/** @typedef {import("../types.js").Event} TableEvent */

/** How long each event is shown before the next; the others take no time. */
/** @type {Record<string, number>} */
const TIMES_MS = {
  bets_closed: 150,
  dealt: 330,
  burned: 140,
  card_burned: 140,
  settled: 240,
  returned: 200,
  chosen: 150,
  matched: 150,
  spun: 2400,
  envy_paid: 300,
  card_set_aside: 400,
  closed: 300,
};

const QUEUE_MAX = 60;

/**
 * @typedef {object} Row
 * @property {Table} state the table after the row
 * @property {ReadonlyArray<TableEvent>} events
 */

/** The order in which rows and notices are shown. */
export class Pace {
  /** @type {Table | null} */
  shown = null;
  /** @type {({event: TableEvent} | {state: Table} | {then: () => void})[]} */
  #queue = [];
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  #running = false;
  #show;

  /** @param {(state: Table, event: TableEvent | null) => void} show */
  constructor(show) {
    this.#show = show;
  }

  /**
   * Show a row after all that came before it.
   * @param {Row} row
   */
  row(row) {
    for (const event of row.events) this.#queue.push({ event });
    this.#queue.push({ state: row.state });
    // A visitor who was away sees the table as it is now, not a long replay.
    if (this.#queue.length > QUEUE_MAX || document.hidden) this.rush();
    else this.#run();
  }

  /**
   * Do something once all that came before is shown.
   * @param {() => void} then
   */
  then(then) {
    this.#queue.push({ then });
    this.#run();
  }

  /** Whether anything waits to be shown. */
  get busy() {
    return this.#queue.length > 0;
  }

  /** Show everything now. */
  rush() {
    clearTimeout(this.#timer);
    this.#running = true;
    while (this.#queue.length > 0) this.#next();
    this.#running = false;
  }

  #run() {
    if (this.#running) return;
    this.#running = true;
    this.#step();
  }

  #step() {
    while (this.#queue.length > 0) {
      const wait_ms = this.#next();
      if (wait_ms > 0 && !isStill()) {
        this.#timer = setTimeout(() => this.#step(), wait_ms);
        return;
      }
    }
    this.#running = false;
  }

  /** Show the next item; returns how long to wait after it. */
  #next() {
    const item = this.#queue.shift();
    if (item === undefined) return 0;
    if ("then" in item) {
      item.then();
      return 0;
    }
    if ("state" in item) {
      const changed = this.shown !== item.state;
      this.shown = item.state;
      if (changed) this.#show(item.state, null);
      return 0;
    }
    if (this.shown === null) return 0;
    this.shown = fold(this.shown, item.event);
    this.#show(this.shown, item.event);
    return TIMES_MS[item.event.type] ?? 0;
  }
}
