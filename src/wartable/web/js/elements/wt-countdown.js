// The time that is left, as a ring and in seconds.

import { draw, make, set, write } from "../dom.js";
import { t } from "../texts.js";

const RADIUS = 15;
const ROUND = 2 * Math.PI * RADIUS;
const TICK_MS = 200;

/** `<wt-countdown>`: hidden while there is no time limit; dispatches `second` at each whole second left. */
export class Countdown extends HTMLElement {
  constructor() {
    super();
    this.ring = draw("circle", { cx: 18, cy: 18, r: RADIUS, class: "left", "stroke-dasharray": `${ROUND}` });
    this.text = make("span", { class: "seconds" });
    /** @type {ReturnType<typeof setInterval> | null} */
    this.timer = null;
    this.untilMs = 0;
    this.wholeMs = 1;
    this.last = -1;
    /** @type {() => number} */
    this.now = Date.now;
  }

  connectedCallback() {
    if (this.hasChildNodes()) return;
    set(this, { role: "timer", hidden: true });
    this.append(
      draw("svg", { viewBox: "0 0 36 36", "aria-hidden": "true" }, draw("circle", { cx: 18, cy: 18, r: RADIUS, class: "track" }), this.ring),
      this.text,
    );
  }

  disconnectedCallback() {
    this.stop();
  }

  /**
   * Count down to a moment on the server's clock, or stop with null.
   * @param {number | null} untilMs
   * @param {() => number} now
   */
  start(untilMs, now) {
    if (untilMs === null) {
      this.stop();
      return;
    }
    if (untilMs !== this.untilMs) this.wholeMs = Math.max(1, untilMs - now());
    this.untilMs = untilMs;
    this.now = now;
    this.hidden = false;
    this.timer ??= setInterval(() => this.tick(), TICK_MS);
    this.tick();
  }

  /** Show nothing. */
  stop() {
    if (this.timer !== null) clearInterval(this.timer);
    this.timer = null;
    this.untilMs = 0;
    this.last = -1;
    this.hidden = true;
  }

  /** Show what is left. */
  tick() {
    const left = Math.max(0, this.untilMs - this.now());
    const seconds = Math.ceil(left / 1000);
    set(this.ring, { "stroke-dashoffset": ROUND * (1 - left / this.wholeMs) });
    if (seconds === this.last) return;
    this.last = seconds;
    this.dataset.seconds = String(seconds);
    this.classList.toggle("soon", seconds <= 5);
    this.hidden = seconds === 0;
    write(this.text, String(seconds));
    this.setAttribute("aria-label", t("time.left_short", { count: seconds }));
    this.dispatchEvent(new CustomEvent("second", { detail: seconds }));
  }
}

customElements.define("wt-countdown", Countdown);
