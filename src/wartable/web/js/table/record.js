// What happened, as text: the list beside the felt, and what is announced to screen readers.

import { say } from "../announce.js";
import { make, write } from "../dom.js";
import { money, signed } from "../money.js";
import { plural, sentence } from "../words.js";
import { roundNet } from "./bar.js";

/** @typedef {import("./room.js").Room} Room */
/** @typedef {import("../types.js").Event} TableEvent */

const LINES_MAX = 200;
const LOSS = /(−\$[\d,.]*\d\.?)/;

/** Events that are announced to everybody; others are announced only to the player concerned. */
const ALOUD = new Set([
  "round_started", "bets_closed", "spun", "cover_card_out", "card_set_aside", "drawn_in_error", "box_voided", "round_voided",
  "dealer_changed", "reshuffle_ordered", "device_failed", "device_marked", "jammed", "bank_untaken", "count_differed", "award_pending", "table_idle", "recut_ordered",
]);

/** Events that are not told at all. */
const QUIET = new Set(["meter_fed", "meter_unfed", "meters_shown", "house_chose", "cards_collected", "opened"]);

/** The list of what happened. */
export class Record {
  /** @param {Room} room */
  constructor(room) {
    this.room = room;
    this.list = make("ol", { id: "record", class: "record", tabindex: 0, "aria-label": "What happened" });
    this.missed = make("p", { class: "soft small" }, "Newest first.");
    this.element = make("section", { class: "panel record-panel" }, make("h2", {}, "What happened"), this.missed, this.list);
  }

  /**
   * Tell an event.
   * @param {TableEvent} event
   */
  tell(event) {
    if (QUIET.has(event.type)) return;
    if (event.type === "side_bets_counted" && Object.values(event).every((count) => typeof count !== "number" || count === 0)) return;
    const { room } = this;
    const text = sentence(event, room.book, room.you ?? "");
    if (text === "") return;
    const own = "player" in event && event.player === room.you;
    this.add(text, event.type, own);
    const listened = own || ALOUD.has(event.type) || (event.type === "dealt" && this.mine(event.box));
    if (listened) say(text);
    if (event.type === "closed") this.tellNet();
  }

  /**
   * Whether a box is the dealer's or one where the visitor plays.
   * @param {number} box
   */
  mine(box) {
    if (box === 0) return true;
    const hands = this.room.state?.round?.hands ?? [];
    return hands.some((hand) => hand.box === box && hand.player === this.room.you);
  }

  /** Say the visitor's result; praise only what is above the stake. */
  tellNet() {
    const net = roundNet(this.room.state?.round ?? null, this.room.you);
    if (net === null) return;
    const text = net > 0 ? `You won ${money(net)} this round.` : `Your result this round: ${signed(net)}.`;
    this.add(text, "result", true);
    say(text);
  }

  /**
   * @param {string} text
   * @param {string} type
   * @param {boolean} own
   */
  add(text, type, own) {
    // No line breaks between a minus and its amount.
    const parts = text.split(LOSS).map((part) => (part.startsWith("−") ? make("span", { class: "whole" }, part) : part));
    this.list.prepend(make("li", { "data-event": type, class: own ? "own" : null }, ...parts));
    while (this.list.childElementCount > LINES_MAX) this.list.lastElementChild?.remove();
  }

  /**
   * Say how much was missed while the visitor was offline.
   * @param {number} events
   */
  tellMissed(events) {
    const text = `You missed ${plural(events, "event")} while you were offline. See the list under What happened.`;
    write(this.missed, text);
    this.missed.dataset.missed = String(events);
    return text;
  }
}
