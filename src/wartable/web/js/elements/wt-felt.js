// The felt from the player's side: the dealer opposite, so the dealer's left is on the right here.
// Box 1, at the dealer's far left, is therefore the last on the right, beside the shoe, and the
// deal runs from right to left; the discard rack, at the dealer's right, stands on the left.

import { HIDDEN } from "../cards.js";
import { draw, make, replace, set, write } from "../dom.js";
import { keepWithinPaths } from "../fit.js";
import { money } from "../money.js";
import { boxesOf, limitsSign, shareOf, spotsOf, stopName, wheelOf } from "../table/book.js";
import { bankerOf, boxViews, shownRound } from "../table/boxes.js";
import { t } from "../texts.js";
import { dealerName, label, phrase, serverWords } from "../words.js";
import { Box, shownName } from "./wt-box.js";
import { newCard } from "./wt-card.js";
import { Meter } from "./wt-meter.js";
import { Wheel } from "./wt-wheel.js";

/** @typedef {import("../types.js").Table} Table */
/** @typedef {import("../types.js").Round} Round */
/** @typedef {import("../table/book.js").TableBook} TableBook */

const DECK = 52;

/** The methods that shuffle for every round, without a cover card. */
const ONE_ROUND = new Set(["every_round", "continuous"]);

/** How the dealer pays the boxes, as the house prefers. */
/** @type {Record<string, import("../texts.js").TextKey>} */
const PAYMENTS = { pick_and_pay: "felt.pick_and_pay", lay_and_pay: "felt.lay_and_pay" };

/** `<wt-felt>`: `open(book, you)` draws it once, `show(state, previous)` follows the table. */
export class Felt extends HTMLElement {
  constructor() {
    super();
    /** @type {TableBook | null} */
    this.book = null;
    /** @type {string | null} */
    this.you = null;
    this.sittable = false;
    /** @type {Map<number, Box>} */
    this.boxes = new Map();
    /** @type {Map<string, Meter>} */
    this.meters = new Map();
    this.dealer = make("div", { class: "dealer", "data-box": 0, role: "group" });
    this.dealerCards = make("div", { class: "cards" });
    this.burned = make("div", { class: "burned", "data-burned": 0 });
    this.banker = make("p", { class: "banker" });
    this.rack = make("div", { class: "rack", "data-rack": 0, role: "img" });
    this.shoe = make("div", { class: "shoe", "data-shoe": 0, role: "img" });
    this.limits = make("ul");
    this.limitsKey = "";
    this.meterRow = make("div", { class: "meters" });
    this.sign = make("div", { class: "device-sign", hidden: true, role: "status" });
    this.cover = make("div", { class: "cover-card", hidden: true, "data-cover": true, role: "img", "aria-label": t("felt.cover") });
    /** @type {Wheel | null} */
    this.wheel = null;
    this.spun = "";
    this.dealerKey = "";
  }

  /**
   * Draw the table of a book.
   * @param {TableBook} book
   * @param {string | null} you
   */
  open(book, you) {
    this.book = book;
    this.you = you;
    const count = boxesOf(book);
    const kinds = spotsOf(book);
    set(this, { "data-book": book.rules.name, "data-boxes": count, "data-spots": kinds.length });
    this.style.setProperty("--boxes", String(count));
    const row = make("div", { class: "boxes", role: "group", "aria-label": t("felt.boxes") });
    for (let box = 1; box <= count; box += 1) {
      const made = /** @type {Box} */ (document.createElement("wt-box"));
      made.open(book, box, kinds);
      // From 1 at the right end to -1 at the left end.
      const side = count === 1 ? 0 : 1 - (2 * (box - 1)) / (count - 1);
      made.style.setProperty("--side", side.toFixed(3));
      made.style.setProperty("--depth", (1 - side * side).toFixed(3));
      this.boxes.set(box, made);
      row.append(made);
    }
    const top = make("div", { class: "top" }, this.meterRow, this.left(book), this.middle(book), this.right(book));
    if (this.wheel !== null) top.append(this.wheel.words);
    const stage = make("div", { class: "stage" }, top, inscription(book), row);
    replace(this, make("div", { class: "rail" }, make("div", { class: "cloth" }, stage, this.payouts(book))));
  }

  /**
   * The dealer's right: discard rack, limits, and what the side bets pay.
   * @param {TableBook} book
   */
  left(book) {
    const sign = make("div", { class: "limits" }, make("h2", {}, t("felt.limits")), this.limits);
    return make("div", { class: "side left" }, this.rack, sign, sideBetLines(book));
  }

  /**
   * The dealer, the bank and the cards that are burned.
   * @param {TableBook} book
   */
  middle(book) {
    const head = make("p", { class: "dealer-name" }, dealerName(book));
    const hands = make("div", { class: "dealer-hands", "data-old": t("felt.last_round").replace(" ", "\n") }, this.burned, this.dealerCards, this.cover);
    this.dealer.append(head, hands, this.banker);
    return make("div", { class: "middle" }, this.dealer, this.sign);
  }

  /**
   * The dealer's left: the shoe, and the wheel if there is one.
   * @param {TableBook} book
   */
  right(book) {
    const side = make("div", { class: "side right" }, this.shoe);
    if (wheelOf(book) !== undefined) {
      this.wheel = /** @type {Wheel} */ (document.createElement("wt-wheel"));
      this.wheel.open(book);
      side.append(this.wheel, spinLines(book) ?? "");
    }
    return side;
  }

  /**
   * Everything that is paid, line by line, from the paytable in force.
   * @param {TableBook} book
   */
  payouts(book) {
    const rows = book.paytable.map((pay) => {
      const line = pay.line ? `: ${serverWords(pay.line)}` : "";
      return make("li", { "data-pay": pay.wager, "data-line": pay.line || null }, make("span", {}, `${pay.label}${line}`), make("b", {}, serverWords(pay.pays)));
    });
    const list = make("ul", { class: "payout-lines" }, ...rows);
    const limit = book.payout_limit && make("p", { class: "payout-limit", "data-payout-limit": true }, serverWords(book.payout_limit));
    const payment = book.rules.deal.payment ?? "pick_and_pay";
    const hands = make("p", { class: "payout-limit", "data-payment": payment }, t(PAYMENTS[payment] ?? "felt.pick_and_pay"));
    const stops = wheelStops(book);
    const title = t("felt.pays");
    // If the felt does not state the payouts, the sign must be in sight.
    const sign = book.inscribed
      ? make("details", {}, make("summary", {}, title), list, stops, hands)
      : make("section", { "data-sign": true }, make("h2", {}, title), list, stops, hands);
    const wheel = book.wheel && make("p", { class: "payout-limit", "data-trigger": book.wheel.trigger.exact }, book.wheel.words.map(serverWords).join(" "));
    return make("div", { class: "payouts" }, sign, wheel, limit);
  }

  /**
   * Follow the table; `previous` is the round before while the next one is being bet on.
   * @param {Table} state
   * @param {Round | null} [previous]
   */
  show(state, previous = null) {
    const book = this.book;
    if (book === null) return;
    const back = state.shoe?.terms.batch ?? "";
    for (const view of boxViews(book, state, previous, this.you)) {
      this.boxes.get(view.box)?.show(view, { you: this.you, back, sittable: this.sittable && !book.community && view.box <= book.rules.table.seats });
    }
    this.showDealer(state, previous, back);
    this.showShoe(state, back);
    this.showMeters(state);
    this.showDevice(state);
    this.showLimits(state);
    this.showBank(state);
    const { round } = shownRound(state, previous);
    const spun = JSON.stringify(round?.spun ?? null);
    if (this.wheel !== null && spun !== this.spun) this.wheel.show(round?.spun ?? null, true);
    this.spun = spun;
  }

  /**
   * @param {Table} state
   * @param {Round | null} previous
   * @param {string} back
   */
  showDealer(state, previous, back) {
    const { round, old } = shownRound(state, previous);
    const cards = round === null ? [] : [round.cards[0], round.war_cards[0]];
    const burned = round === null || old ? 0 : round.burned.length;
    const key = JSON.stringify([cards, burned, old, back]);
    if (key === this.dealerKey) return;
    this.dealerKey = key;
    set(this.dealer, { "aria-label": dealerName(/** @type {TableBook} */ (this.book)), "data-round": old ? "previous" : "current" });
    this.dealerCards.classList.toggle("old", old);
    const deals = ["original", "war"];
    deals.forEach((deal, place) => {
      const card = cards[place];
      const there = this.dealerCards.querySelector(`[data-deal="${deal}"]`);
      if (card === undefined) {
        there?.remove();
      } else if (!(there instanceof HTMLElement) || there.dataset.card !== card) {
        there?.remove();
        const made = newCard(card, back);
        made.dataset.deal = deal;
        if (place === 0) this.dealerCards.prepend(made);
        else this.dealerCards.append(made);
      }
    });
    set(this.burned, { "data-burned": burned, title: burned ? t("felt.burned", { count: burned }) : null });
    while (this.burned.childElementCount > burned) this.burned.lastElementChild?.remove();
    while (this.burned.childElementCount < burned) this.burned.append(newCard(HIDDEN, back));
  }

  /**
   * The shoe with what is left in it, and the discards in the rack.
   * @param {Table} state
   * @param {string} back
   */
  showShoe(state, back) {
    const shoe = state.shoe;
    const count = shoe === null ? 0 : DECK * shoe.terms.decks;
    const drawn = shoe === null ? 0 : shoe.drawn.length;
    const discards = shoe === null ? 0 : shoe.discards.length;
    // Cards that are dealt down to a cover card are in the shoe once it has its place.
    const loaded = shoe !== null && (shoe.cover !== null || ONE_ROUND.has(shoe.terms.method));
    gauge(this.shoe, "shoe", loaded ? count - drawn : 0, count, back, "felt.in_shoe");
    gauge(this.rack, "rack", discards, count, back, "felt.discarded");
    const out = state.cover_box !== null;
    this.cover.hidden = !out;
    set(this.cover, { "data-cover": out ? String(state.cover_box) : null });
  }

  /** @param {Table} state */
  showMeters(state) {
    for (const [name, meter] of Object.entries(state.meters)) {
      let made = this.meters.get(name);
      if (made === undefined) {
        made = /** @type {Meter} */ (document.createElement("wt-meter"));
        this.meters.set(name, made);
        this.meterRow.append(made);
      }
      made.show(name, meter.shown);
    }
  }

  /**
   * The cover or the sign on a device that is out of order.
   * @param {Table} state
   */
  showDevice(state) {
    this.sign.hidden = state.device_failed === null;
    set(this.sign, { "data-device": state.device_failed === null ? null : (state.device_mark ?? "failed") });
    if (state.device_failed === null) return;
    const mark = t(state.device_mark === "covered" ? "felt.covered" : "felt.out_of_order");
    write(this.sign, `${mark}: ${state.device_failed}`);
  }

  /** @param {Table} state */
  showLimits(state) {
    const lines = limitsSign(/** @type {TableBook} */ (this.book), state);
    const key = JSON.stringify(lines);
    if (key === this.limitsKey) return;
    this.limitsKey = key;
    replace(this.limits, ...lines.map(({ name, text }) => make("li", { "data-limit": name }, text)));
  }

  /** @param {Table} state */
  showBank(state) {
    const book = /** @type {TableBook} */ (this.book);
    if (book.rules.banker !== "player") {
      write(this.banker, t("felt.house_banks", { operator: book.operator }));
      return;
    }
    const banker = bankerOf(state);
    const round = state.round;
    const playing = round !== null && !round.closed && round.banker !== null;
    const posted = playing ? (round.bank ?? 0) : state.bank.posted;
    set(this.banker, { "data-banker": banker, "data-posted": posted });
    if (banker === null || (!playing && state.bank.taken === null)) write(this.banker, t("felt.bank_open"));
    else write(this.banker, t(banker === this.you ? "felt.you_bank" : "felt.banks", { player: shownName(banker, this.you).text, amount: money(posted) }));
  }
}

/**
 * A holder of cards with how many are in it.
 * @param {HTMLElement} element
 * @param {string} kind
 * @param {number} cards
 * @param {number} count
 * @param {string} back
 * @param {"felt.in_shoe" | "felt.discarded"} words
 */
function gauge(element, kind, cards, count, back, words) {
  if (element.childElementCount === 0) {
    element.append(make("span", { class: "holder" }, make("span", { class: "fill" })), make("span", { class: "count" }));
  }
  const key = `${cards} ${count} ${back}`;
  if (element.dataset.key === key) return;
  set(element, { "data-key": key, [`data-${kind}`]: cards, "data-back": back || "red", "aria-label": `${t(`${words}_cards`, { count: cards })}${back ? `, ${t("felt.backs", { back: phrase("back", back) })}` : ""}` });
  element.style.setProperty("--share", count === 0 ? "0" : (cards / count).toFixed(3));
  const text = element.lastElementChild;
  if (text !== null) write(text, t(words, { count: cards }));
}

/**
 * What the side bets without a wheel pay, printed small on the cloth; null if there are none.
 * @param {TableBook} book
 */
function sideBetLines(book) {
  if (!book.inscribed) return null;
  const lined = book.wagers.filter((wager) => wager.side_bet && !wager.by_wheel).map((wager) => String(wager.kind));
  const pays = book.paytable.filter((pay) => lined.includes(pay.wager) || pay.wager === "envy");
  if (pays.length === 0) return null;
  const rows = pays.map((pay) => make("li", {}, make("span", {}, pay.wager === "envy" ? pay.label : serverWords(pay.line) || pay.label), make("b", {}, serverWords(pay.pays))));
  return make("ul", { class: "micro", "aria-hidden": "true" }, ...rows);
}

/**
 * The wheel's stops and what they pay, printed small; a symbol that pays its face stands alone.
 * @param {TableBook} book
 */
function spinLines(book) {
  if (!book.inscribed) return null;
  const paid = book.wagers.find((wager) => wager.by_wheel)?.kind;
  const per = ` for ${money(wheelOf(book).per)}`;
  const words = (/** @type {string} */ ring) =>
    book.paytable
      .filter((pay) => pay.wager === paid && pay.line.startsWith(ring))
      .map((pay) => {
        const [symbol, pays] = [serverWords(pay.line.slice(ring.length + 1)), serverWords(pay.pays.replace(per, ""))];
        return symbol === pays ? symbol : t("wheel.pays", { symbol, pays });
      })
      .join(", ");
  const text = t("wheel.lines", { hot_spot: words("hot spot"), community: words("community"), amount: money(wheelOf(book).per) });
  return make("p", { class: "micro", "aria-hidden": "true" }, make("b", {}, serverWords(book.wheel?.words[0] ?? "")), ` ${text}`);
}

/**
 * How often the wheel stops at each of its places; null if there is no wheel.
 * @param {TableBook} book
 */
function wheelStops(book) {
  if (book.wheel === null) return null;
  const ring = (/** @type {Readonly<Record<string, import("../table/book.js").Chance>>} */ stops) =>
    Object.entries(stops).map(([symbol, chance]) => `${stopName(symbol)} ${shareOf(chance)}`).join(", ");
  const text = t("wheel.turns", { hot_spot: ring(book.wheel.hot_spot), community: ring(book.wheel.community) });
  return make("p", { class: "payout-limit", "data-stops": true }, text);
}

/**
 * What is printed in an arc across the felt: operator, what the main wagers pay, payout limit;
 * the operator alone if a sign says the rest.
 * @param {TableBook} book
 */
function inscription(book) {
  const short = book.paytable.filter((pay) => pay.wager === "primary" || pay.wager === "tie" || pay.wager === "war_tie");
  const first = short.slice(0, 2).map((pay) => t("felt.label_pays", { label: pay.label, pays: serverWords(pay.pays) })).join("  ♦  ");
  const arc = (/** @type {string} */ id, /** @type {number} */ y) => draw("path", { id, d: `M40 ${y}Q500 ${y + 92} 960 ${y}`, fill: "none" });
  const line = (/** @type {string} */ id, /** @type {string} */ style, /** @type {(string | Node)[]} */ ...text) =>
    draw("text", { class: style }, draw("textPath", { href: `#${id}`, startOffset: "50%" }, ...text));
  const war = [t("felt.equals", { war: label(book, "war"), primary: label(book, "primary") }), book.war_printed && "  ♦  ", draw("tspan", { lang: "en" }, book.war_printed)];
  const svg = draw(
    "svg",
    { viewBox: "0 44 1000 100", "aria-hidden": "true" },
    draw("defs", {}, arc("arc-a", 22), arc("arc-b", 54), arc("arc-c", 84)),
    line("arc-a", "operator", book.operator),
    ...(book.inscribed ? [line("arc-b", "pays", first.toUpperCase()), line("arc-c", "war", ...war)] : []),
  );
  keepWithinPaths(svg);
  const said = book.inscribed ? [book.operator, ...book.inscription] : [book.operator];
  const words = make("p", { class: "visually-hidden", lang: "en" }, said.join(". "));
  const flat = make("p", { class: "flat", "aria-hidden": "true" }, make("b", {}, book.operator), book.inscribed ? make("span", {}, first) : null);
  return make("div", { class: "inscription", "data-inscription": true }, svg, flat, words);
}

customElements.define("wt-felt", Felt);
