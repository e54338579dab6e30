// The bonus wheel: it turns to the stop that the server drew, and says what that pays.

import { draw, make, replace, set, write } from "../dom.js";
import { money } from "../money.js";
import { isStill } from "../preferences.js";
import { communityStop, shareOf, stopName, wheelOf } from "../table/book.js";
import { t } from "../texts.js";
import { serverWords } from "../words.js";

/** @typedef {import("../types.js").Spun} Spun */
/** @typedef {import("../table/book.js").TableBook} TableBook */

const NONE = "none";
const JACKPOT = "jackpot_";
const COLORS = ["#7d1f2b", "#1f3f6b", "#5b4312", "#1d5a40"];
const SPIN_MS = 1400;
/** The wheel comes to the middle of the felt, turns, stands for a moment, and goes back. */
const SHOWN_MS = 2400;
const COMES = 0.12;
const GOES = 0.88;
/** How much of the felt it takes then. */
const SHARE = 0.86;

/**
 * A wedge of a ring.
 * @param {number} from in turns
 * @param {number} to in turns
 * @param {number} inner
 * @param {number} outer
 */
function wedge(from, to, inner, outer) {
  const point = (/** @type {number} */ turn, /** @type {number} */ radius) => {
    const angle = (turn - 0.25) * 2 * Math.PI;
    return `${(100 + radius * Math.cos(angle)).toFixed(2)} ${(100 + radius * Math.sin(angle)).toFixed(2)}`;
  };
  const large = to - from > 0.5 ? 1 : 0;
  return `M${point(from, inner)}L${point(from, outer)}A${outer} ${outer} 0 ${large} 1 ${point(to, outer)}L${point(to, inner)}A${inner} ${inner} 0 ${large} 0 ${point(from, inner)}z`;
}

/**
 * A ring of equal wedges, the middle of the first at the top; each has its chance beside it.
 * @param {{symbol: string, text: string, chance: string}[]} stops
 * @param {number} inner
 * @param {number} outer
 * @param {string} ring
 */
function ringOf(stops, inner, outer, ring) {
  const width = 1 / stops.length;
  const radius = (inner + outer) / 2;
  const parts = stops.flatMap(({ symbol, text, chance }, place) => {
    const middle = place * width;
    const turned = `rotate(${360 * middle} 100 100)`;
    const color = COLORS[place % COLORS.length] ?? "";
    return [
      draw("path", { d: wedge(middle - width / 2, middle + width / 2, inner, outer), fill: color, stroke: "#e7c877", "stroke-width": 0.8, "data-stop": symbol }),
      draw("text", { x: 100, y: 98 - radius, transform: turned, class: text.length > 8 ? "stop long" : "stop" }, text),
      draw("text", { x: 100, y: 107 - radius, transform: turned, class: "chance" }, chance),
    ];
  });
  return draw("g", { class: `ring ${ring}` }, ...parts);
}

/** `<wt-wheel>`: `data-community` and `data-hot-spot` are the stops that it shows. */
export class Wheel extends HTMLElement {
  constructor() {
    super();
    /** @type {string[]} */
    this.community = [];
    /** @type {string[]} */
    this.hot = [];
    /** @type {any} */
    this.spin = null;
    /** @type {(symbol: string) => number} */
    this.pays = () => 0;
    /** What the stop pays, which the felt puts below the dealer's cards. */
    this.words = make("p", { class: "stop-words", "aria-hidden": "true" });
    /** @type {SVGGElement | null} */
    this.outerRing = null;
    /** @type {SVGGElement | null} */
    this.innerRing = null;
    /** Its way to the middle of the felt and back.
     * @type {Animation | null} */
    this.way = null;
  }

  /**
   * Draw the wheel of the book.
   * @param {TableBook} book
   */
  open(book) {
    this.spin = wheelOf(book);
    const chances = /** @type {import("../table/book.js").WheelShown} */ (book.wheel);
    this.pays = (symbol) => chances.community_pays[symbol] ?? 0;
    this.hot = Object.keys(chances.hot_spot);
    this.community = Object.keys(chances.community);
    const hot = this.hot.map((symbol) => ({ symbol, text: symbol.startsWith(JACKPOT) ? `★ ${serverWords(symbol.slice(JACKPOT.length))}` : stopName(symbol), chance: shareOf(chances.hot_spot[symbol]) }));
    const community = this.community.map((symbol) => ({ symbol, text: communityStop(symbol, this.pays(symbol)), chance: shareOf(chances.community[symbol]) }));
    this.outerRing = ringOf(hot, 62, 96, "hot");
    this.innerRing = ringOf(community, 24, 61, "community");
    const picture = draw(
      "svg",
      { viewBox: "0 0 200 206", role: "img", "aria-label": t("wheel.title") },
      draw("circle", { cx: 100, cy: 100, r: 99, fill: "#3c2a12" }),
      this.outerRing,
      this.innerRing,
      draw("circle", { cx: 100, cy: 100, r: 23, fill: "#e7c877" }),
      draw("text", { x: 100, y: 104, class: "hub" }, t("wheel.for", { amount: money(this.spin.per) })),
      draw("path", { d: "M100 14 92 -1 108 -1z", fill: "#fff5d8", stroke: "#3c2a12", class: "pointer" }),
    );
    replace(this, picture);
    this.show(null, false);
  }

  /**
   * Show a stop; `now` turns the wheel to it.
   * @param {Spun | null} spun
   * @param {boolean} now
   */
  show(spun, now) {
    const community = spun?.community ?? null;
    // A turn without a hot spot stops at the place that says so.
    const hot = spun === null ? null : (spun.hot_spot ?? NONE);
    this.rest();
    set(this, { "data-community": community, "data-hot-spot": hot, "data-hot-spot-box": spun?.hot_spot_box ?? null });
    write(this.words, spun === null ? "" : this.sentence(spun));
    this.turn(this.innerRing, this.community, community, now);
    this.turn(this.outerRing, this.hot, hot, now);
    if (now && spun !== null && !isStill()) this.enlarge();
  }

  /** Bring the wheel large over the felt while it turns. */
  enlarge() {
    const felt = this.closest("wt-felt")?.getBoundingClientRect();
    const own = this.firstElementChild?.getBoundingClientRect();
    if (felt === undefined || own === undefined || own.height === 0) return;
    const below = document.querySelector(".controls")?.getBoundingClientRect().top ?? innerHeight;
    const above = document.querySelector("wt-header")?.getBoundingClientRect().bottom ?? 0;
    const [top, bottom] = [Math.max(felt.top, above), Math.min(felt.bottom, below)];
    const times = Math.max(1, (SHARE * Math.min(felt.width, bottom - top)) / own.height);
    // It grows around the point that its style names.
    const [x, y] = getComputedStyle(this).transformOrigin.split(" ").map(Number.parseFloat);
    const grown = (/** @type {number} */ middle, /** @type {number} */ around) => around + times * (middle - around);
    const right = felt.left + felt.width / 2 - own.left - grown(own.width / 2, x ?? 0);
    const down = (top + bottom) / 2 - own.top - grown(own.height / 2, y ?? 0);
    const small = { translate: "0 0", scale: 1 };
    const large = { translate: `${right}px ${down}px`, scale: times };
    this.classList.add("turning");
    const shown = this.animate([small, { ...large, offset: COMES }, { ...large, offset: GOES }, small], { duration: SHOWN_MS, easing: "ease-in-out" });
    this.way = shown;
    const over = () => this.way === shown && this.classList.remove("turning");
    shown.finished.then(over, over);
  }

  /** Be at its place and stand, for a visitor who has seen enough or has the next round before them. */
  rest() {
    this.way = null;
    this.classList.remove("turning");
    for (const each of this.getAnimations({ subtree: true })) each.finish();
  }

  /**
   * What the stop pays, in words.
   * @param {Spun} spun
   */
  sentence(spun) {
    const pays = spun.community === null ? 0 : this.pays(spun.community);
    const all = t("wheel.community", { amount: money(pays), per: money(this.spin.per) });
    if (spun.hot_spot === null || spun.hot_spot === NONE) return `${all}. ${t("wheel.no_hot_spot")}`;
    const fixed = this.spin.hot_spot[spun.hot_spot];
    const hot = fixed === undefined ? t("wheel.meter", { meter: serverWords(spun.hot_spot.slice(JACKPOT.length)) }) : money(fixed);
    return `${all}. ${t("wheel.hot_spot", { box: spun.hot_spot_box ?? 0, pays: hot })}`;
  }

  /**
   * @param {SVGGElement | null} ring
   * @param {string[]} stops
   * @param {string | null} stop
   * @param {boolean} now
   */
  turn(ring, stops, stop, now) {
    if (ring === null) return;
    const place = stop === null ? -1 : stops.indexOf(stop);
    const end = place < 0 ? 0 : -360 * (place / stops.length);
    ring.style.setProperty("transform", `rotate(${end}deg)`);
    for (const each of ring.querySelectorAll("[data-stop]")) {
      each.classList.toggle("hit", place >= 0 && each.getAttribute("data-stop") === stop);
    }
    if (!now || place < 0 || isStill()) return;
    // Where it will stop is marked once it stands.
    ring.classList.add("moving");
    const moved = ring.animate([{ transform: `rotate(${end + 1080}deg)` }, { transform: `rotate(${end}deg)` }], { duration: SPIN_MS, delay: COMES * SHOWN_MS, fill: "backwards", easing: "cubic-bezier(.15,.7,.2,1)" });
    const stands = () => ring.classList.remove("moving");
    moved.finished.then(stands, stands);
  }
}

customElements.define("wt-wheel", Wheel);
