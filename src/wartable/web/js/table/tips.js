// What a wager wins, told at its spot: on a hover, on the keyboard's focus, or on a long touch.

import { get } from "../api.js";
import { make, replace, set } from "../dom.js";
import { percent } from "../money.js";
import { t } from "../texts.js";
import { dealerWord, label, serverWords } from "../words.js";
import { wagerOf } from "./book.js";

/** @typedef {import("../elements/wt-felt.js").Felt} Felt */
/** @typedef {import("./book.js").TableBook} TableBook */
/** @typedef {import("./book.js").WagerKind} WagerKind */

const HOVER_MS = 450;
const LINES_MAX = 9;
const GAP_PX = 8;

/** The tip of the spot that is pointed at. */
export class Tips {
  /**
   * @param {Felt} felt
   * @param {TableBook} book
   */
  constructor(felt, book) {
    this.felt = felt;
    this.book = book;
    /** @type {Promise<any> | null} */
    this.odds = null;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    this.held = false;
    /** The spot that was pressed: its tip would be in the way until the pointer comes back to it.
     * @type {Element | null} */
    this.quiet = null;
    this.element = make("div", { id: "spot-tip", class: "spot-tip", role: "tooltip", hidden: true });
    document.body.append(this.element);
    felt.addEventListener("pointerover", (event) => this.point(event.target));
    felt.addEventListener("pointerout", (event) => this.leave(event.relatedTarget));
    felt.addEventListener("focusin", (event) => event.target instanceof Element && event.target.matches(":focus-visible") && this.point(event.target));
    felt.addEventListener("focusout", () => this.hide());
    // A long touch tells, and does not bet.
    felt.addEventListener("contextmenu", (event) => this.held && event.preventDefault());
    felt.addEventListener("click", (event) => this.click(event), { capture: true });
    document.addEventListener("keydown", (event) => event.key === "Escape" && this.hide());
    document.addEventListener("pointerdown", () => this.hide(), { capture: true });
    felt.addEventListener("pointerdown", (event) => event.pointerType === "touch" && this.point(event.target, true));
    felt.addEventListener("pointercancel", () => this.hide());
  }

  /**
   * Show the tip of a spot in a moment.
   * @param {EventTarget | null} target
   * @param {boolean} [touched]
   */
  point(target, touched = false) {
    const spot = target instanceof Element ? target.closest("[data-spot]") : null;
    clearTimeout(this.timer);
    if (!(spot instanceof HTMLElement) || spot === this.quiet) return;
    this.timer = setTimeout(() => {
      this.held = touched;
      this.show(spot);
    }, HOVER_MS);
  }

  /**
   * The pointer leaves something for something else.
   * @param {EventTarget | null} next
   */
  leave(next) {
    if (!(next instanceof Node && this.quiet?.contains(next))) this.quiet = null;
    this.hide();
  }

  /** @param {MouseEvent} event */
  click(event) {
    this.quiet = event.target instanceof Element ? event.target.closest("[data-spot]") : null;
    if (this.held) event.stopPropagation();
    else this.hide(); // Enter presses the spot without a pointer
    this.held = false;
  }

  /** Take the tip away: it would lie over the cards. */
  hide() {
    clearTimeout(this.timer);
    this.element.hidden = true;
  }

  /** @param {HTMLElement} spot */
  show(spot) {
    const kind = /** @type {WagerKind} */ (spot.dataset.spot);
    replace(this.element, ...this.words(kind));
    this.element.hidden = false;
    set(this.element, { "data-tip": kind });
    const [at, own] = [spot.getBoundingClientRect(), this.element.getBoundingClientRect()];
    const left = Math.max(GAP_PX, Math.min(at.x + at.width / 2 - own.width / 2, innerWidth - own.width - GAP_PX));
    const above = at.y - own.height - GAP_PX;
    this.element.style.left = `${left}px`;
    this.element.style.top = `${above >= GAP_PX ? above : at.bottom + GAP_PX}px`;
    // A table with a live dealer offers no help in real time.
    if (!this.book.staffed) void this.tellEdge(kind);
  }

  /**
   * The wager's name, when it wins, and what it pays.
   * @param {WagerKind} kind
   * @returns {HTMLElement[]}
   */
  words(kind) {
    const { book } = this;
    const pays = book.paytable.filter((pay) => pay.wager === kind);
    const rows = pays.slice(0, LINES_MAX).map((pay) => make("li", {}, make("span", {}, serverWords(pay.line) || t("tip.pays")), make("b", {}, serverWords(pay.pays))));
    const when = t(kind === "primary" ? "tip.primary" : kind === "tie" ? "tip.tie" : "tip.side", { dealer: dealerWord(book) });
    const trigger = wagerOf(book, kind)?.by_wheel ? serverWords(book.wheel?.words[0] ?? "") : when;
    const more = pays.length > LINES_MAX ? [make("p", { class: "soft" }, t("tip.more"))] : [];
    return [make("b", {}, label(book, kind)), make("p", {}, trigger), make("ul", {}, ...rows), ...more, make("p", { class: "edge", hidden: true })];
  }

  /**
   * The house's edge, asked for once.
   * @param {WagerKind} kind
   */
  async tellEdge(kind) {
    this.odds ??= get(`/books/${encodeURIComponent(this.book.rules.name)}/odds`);
    const odds = await this.odds.catch(() => null);
    const shown = odds?.wagers?.[kind];
    const edge = shown?.edge ?? shown?.war?.edge;
    const place = this.element.querySelector(".edge");
    if (edge === undefined || !(place instanceof HTMLElement) || this.element.dataset.tip !== kind) return;
    place.hidden = false;
    place.textContent = t("tip.edge", { share: percent(edge.value) });
  }
}
