// A progressive meter's display.

import { make, replace, set, write } from "../dom.js";
import { money } from "../money.js";
import { t } from "../texts.js";

/** @type {Record<string, import("../texts.js").TextKey>} */
const NAMES = { progressive: "meter.progressive", primary: "meter.primary", secondary: "meter.secondary" };

/**
 * A meter's full name.
 * @param {string} meter
 */
export function meterName(meter) {
  const key = NAMES[meter];
  return key === undefined ? meter : t(key);
}

/** `<wt-meter data-meter="progressive" data-amount="1000015">` */
export class Meter extends HTMLElement {
  /**
   * Show the meter's amount.
   * @param {string} meter
   * @param {number} cents
   */
  show(meter, cents) {
    if (this.childElementCount === 0) {
      replace(this, make("span", { class: "name" }, meterName(meter)), make("span", { class: "amount" }));
    }
    set(this, { "data-meter": meter, "data-amount": cents });
    const amount = this.lastElementChild;
    if (amount !== null) write(amount, money(cents));
  }
}

customElements.define("wt-meter", Meter);
