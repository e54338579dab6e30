// Movement on the felt: only transforms and opacity, each below 400 ms, none if the visitor wants none.

import { isStill } from "../preferences.js";

/** @typedef {import("../types.js").Event} TableEvent */
/** @typedef {import("../elements/wt-felt.js").Felt} Felt */

const FLIGHT = { duration: 320, easing: "cubic-bezier(.2,.75,.3,1)" };
const SHORT = { duration: 220, easing: "ease-out" };

/**
 * The way from one element's middle to another's, in pixels.
 * @param {Element} from
 * @param {Element} to
 */
function way(from, to) {
  const a = from.getBoundingClientRect();
  const b = to.getBoundingClientRect();
  return `translate(${a.x + a.width / 2 - b.x - b.width / 2}px, ${a.y + a.height / 2 - b.y - b.height / 2}px)`;
}

/**
 * Move what an event has just changed on the felt.
 * @param {Felt} felt
 * @param {TableEvent} event
 */
export function move(felt, event) {
  if (isStill() || document.hidden) return;
  switch (event.type) {
    case "dealt":
      return deal(felt, felt.querySelector(`[data-box="${event.box}"] .cards [data-deal="${event.deal}"]`), true);
    case "burned":
      return deal(felt, felt.burned.lastElementChild, false);
    case "placed":
      return push(stackOf(felt, event));
    case "settled":
      return settle(felt, stackOf(felt, event), event.returned);
    case "cover_card_out":
      return deal(felt, felt.cover, false);
    default:
  }
}

/**
 * @param {Felt} felt
 * @param {{box: number, player: string, wager: string}} event
 */
function stackOf(felt, event) {
  const box = felt.boxes.get(event.box);
  const stacks = box === undefined ? [] : [...box.querySelectorAll(`wt-stack[data-wager="${event.wager}"]`)];
  return stacks.find((each) => each.getAttribute("data-player") === event.player) ?? null;
}

/**
 * A card comes out of the shoe, and is turned on the way.
 * @param {Felt} felt
 * @param {Element | null} card
 * @param {boolean} turned
 */
function deal(felt, card, turned) {
  if (card === null) return;
  card.animate([{ transform: `${way(felt.shoe, card)} rotate(18deg) scale(.8)`, opacity: 0.6 }, { transform: "none", opacity: 1 }], FLIGHT);
  if (turned) card.querySelector(".sides")?.animate([{ transform: "rotateY(180deg)" }, { transform: "rotateY(180deg)", offset: 0.35 }, { transform: "none" }], FLIGHT);
}

/**
 * Chips are put down.
 * @param {Element | null} stack
 */
function push(stack) {
  stack?.animate([{ transform: "translateY(2.2rem) scale(.9)", opacity: 0 }, { transform: "none", opacity: 1 }], SHORT);
}

/**
 * Chips are paid by the dealer, or collected.
 * @param {Felt} felt
 * @param {Element | null} stack
 * @param {number} returned
 */
function settle(felt, stack, returned) {
  const pile = stack?.querySelector(".pile");
  if (pile === null || pile === undefined) return;
  const far = way(felt.dealer, pile);
  // Pick and pay: the chips come back from the dealer. Lay and pay: the payment slides in beside them.
  const beside = felt.querySelector('[data-payment="lay_and_pay"]') !== null;
  const from = beside ? "translateX(120%)" : far;
  if (returned > 0) pile.animate([{ transform: from, opacity: 0.4 }, { transform: "none", opacity: 1 }], FLIGHT);
  else pile.animate([{ transform: "none", opacity: 1 }, { transform: far, opacity: 0 }], FLIGHT);
}
