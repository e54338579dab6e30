// What happened, as text: the list beside the felt, and what is announced to screen readers.

import { say } from "../announce.js";
import { make, unbroken } from "../dom.js";
import { money, signed } from "../money.js";
import { ALOUD } from "../sentences.js";
import { LANGUAGE, t } from "../texts.js";
import { countsNothing, sentence } from "../words.js";
import { roundNet } from "./bar.js";

/** @typedef {import("./room.js").Room} Room */
/** @typedef {import("../types.js").Event} TableEvent */

const LINES_MAX = 200;
const KEPT_MAX = 80;

/** The list of what happened. */
export class Record {
  /** @param {Room} room */
  constructor(room) {
    this.room = room;
    this.key = `wartable-record:${room.name}`;
    /** @type {[string, string, boolean, string][]} */
    this.kept = [];
    this.list = make("ol", { id: "record", class: "record", tabindex: 0, "aria-label": t("record.title") });
    const order = make("p", { class: "soft small" }, t("record.order"));
    this.element = make("section", { class: "panel record-panel" }, make("h2", {}, t("record.title")), order, this.list);
    this.restore();
    window.addEventListener("pagehide", () => this.keep());
  }

  /**
   * Tell an event.
   * @param {TableEvent} event
   */
  tell(event) {
    if (countsNothing(event)) return;
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
    const text = t(net > 0 ? "record.won" : "record.result", { amount: net > 0 ? money(net) : signed(net) });
    this.add(text, "result", true);
    say(text);
  }

  /**
   * @param {string} text
   * @param {string} type
   * @param {boolean} own
   * @param {string} [language] another one, of a line that was told before the visitor chose this one
   */
  add(text, type, own, language = LANGUAGE) {
    const lang = language === LANGUAGE ? null : language;
    this.list.prepend(make("li", { "data-event": type, class: own ? "own" : null, lang }, ...unbroken(text)));
    while (this.list.childElementCount > LINES_MAX) this.list.lastElementChild?.remove();
    this.kept.push([text, type, own, language]);
    if (this.kept.length > KEPT_MAX) this.kept.shift();
  }

  /** Keep the last lines for a reload, while the tab is open. */
  keep() {
    try {
      sessionStorage.setItem(this.key, JSON.stringify(this.kept));
    } catch {
      // Without storage a reload begins an empty list.
    }
  }

  /** Show the lines that were there before a reload. */
  restore() {
    try {
      for (const [text, type, own, language] of JSON.parse(sessionStorage.getItem(this.key) ?? "[]")) this.add(text, type, own, language);
    } catch {
      // Nothing is kept.
    }
  }
}
