// One box on the felt: its cards, its spots with chips, who plays there, and the result.

import { name } from "../cards.js";
import { make, replace, set, unbroken, write } from "../dom.js";
import { keepFitted } from "../fit.js";
import { money, signed } from "../money.js";
import { learned, nameOf, shortName } from "../names.js";
import { printed, wagerOf } from "../table/book.js";
import { t } from "../texts.js";
import { label, outcomeWords } from "../words.js";
import { newCard } from "./wt-card.js";
import { newStack } from "./wt-stack.js";

/** @typedef {import("../table/book.js").TableBook} TableBook */
/** @typedef {import("../table/boxes.js").BoxView} BoxView */
/** @typedef {import("../table/boxes.js").SpotView} SpotView */
/** @typedef {import("../table/boxes.js").StackView} StackView */

/**
 * A player's name as it is shown, a guest's shortened, and whether it is a bot.
 * @param {string} player
 * @param {string | null} you
 */
export function shownName(player, you) {
  if (player === you) return { text: t("box.you"), bot: false };
  return shortName(player);
}

/** `<wt-box data-box="3">` */
export class Box extends HTMLElement {
  constructor() {
    super();
    /** @type {TableBook | null} */
    this.book = null;
    /** @type {string | null} */
    this.you = null;
    this.key = "";
    this.cards = make("div", { class: "cards", "data-void": t("box.void") });
    this.spots = make("div", { class: "spots" });
    // The words beside the chips; each spot's label has them for screen readers.
    this.slips = make("div", { class: "slips", "aria-hidden": "true" });
    this.badge = make("span", { class: "number" });
    this.owner = make("span", { class: "owner" });
    this.money = make("span", { class: "purse" });
    this.mark = make("span", { class: "button-mark", hidden: true }, t("box.bank"));
    this.result = make("button", { class: "result", type: "button", hidden: true });
    this.pot = make("span", { class: "pot", hidden: true });
    this.sit = make("button", { class: "sit", type: "button", "data-sit": true, hidden: true });
    this.opener = make("button", { class: "opener", type: "button", hidden: true });
    /** @type {Map<string, HTMLButtonElement>} */
    this.buttons = new Map();
    /** @type {Map<string, string>} */
    this.keys = new Map();
  }

  /**
   * Make the parts once.
   * @param {TableBook} book
   * @param {number} box
   * @param {import("../table/book.js").SpotKind[]} kinds
   */
  open(book, box, kinds) {
    this.book = book;
    set(this, { "data-box": box, role: "group" });
    write(this.badge, String(box));
    for (const kind of kinds) {
      const side = wagerOf(book, kind)?.side_bet;
      const print = make("span", { class: "print", "aria-hidden": "true" }, printed(book, kind));
      const button = make(
        "button",
        { class: side ? `spot side ${kind}` : `spot ${kind}`, type: "button", "data-spot": kind, tabindex: -1 },
        print,
        make("span", { class: "chips", "aria-hidden": "true" }),
        side ? make("span", { class: "lamp" }) : null,
      );
      button.addEventListener("click", () => this.tell("spot", { box, wager: kind }));
      keepFitted(button, print);
      this.buttons.set(kind, button);
      this.spots.append(button);
    }
    this.result.addEventListener("click", () => this.tell("receipt", { box }));
    this.sit.addEventListener("click", () => this.tell("seat", { box }));
    this.opener.addEventListener("click", () => this.tell("enlarge", { box }));
    write(this.sit, t("box.sit"));
    set(this.sit, { "aria-label": t("box.sit_at", { box }) });
    set(this.opener, { "aria-label": t("box.enlarge", { box }) });
    const plate = make("div", { class: "plate" }, this.badge, this.owner, this.mark, this.money);
    this.append(this.cards, this.pot, this.spots, this.slips, plate, this.sit, this.result, this.opener);
  }

  /**
   * @param {string} type
   * @param {object} detail
   */
  tell(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { bubbles: true, detail }));
  }

  /**
   * Show the box as it is.
   * @param {BoxView} view
   * @param {{you: string | null, back: string, sittable: boolean}} context
   */
  show(view, context) {
    const key = JSON.stringify([view, context, learned()]);
    if (key === this.key) return;
    this.key = key;
    this.you = context.you;
    this.classList.toggle("mine", view.mine);
    this.classList.toggle("bank", view.bank);
    this.classList.toggle("void", view.void);
    this.classList.toggle("free", view.seated === null && view.players.length === 0);
    set(this, {
      "data-seated": view.seated,
      "data-round": view.old ? "previous" : "current",
      "data-choice-made": view.choice,
      "aria-label": this.describe(view),
    });
    this.showCards(view);
    this.showPlate(view);
    for (const spot of view.spots) this.showSpot(spot, view);
    this.showSlips(view);
    this.showResult(view);
    this.pot.hidden = view.pot === null;
    set(this.pot, { "data-pot": view.pot });
    if (view.pot !== null) write(this.pot, t("box.pot", { amount: money(view.pot) }));
    this.sit.hidden = !(context.sittable && view.seated === null);
    this.opener.hidden = view.mine;
  }

  /**
   * The box in words.
   * @param {BoxView} view
   */
  describe(view) {
    const parts = [t("box.name", { box: view.box })];
    if (view.bank) parts.push(t("box.the_bank"));
    if (view.seated !== null) parts.push(shownName(view.seated, this.you).text);
    if (view.card !== null) parts.push(view.old ? t("box.last_card", { card: name(view.card) }) : name(view.card));
    if (view.war !== null) parts.push(t("box.war_card", { card: name(view.war) }));
    return parts.join(", ");
  }

  /** @param {BoxView} view */
  showCards(view) {
    this.cards.classList.toggle("old", view.old);
    const wanted = [view.card, view.war];
    const deals = ["original", "war"];
    deals.forEach((deal, place) => {
      const card = wanted[place] ?? null;
      const there = this.cards.querySelector(`[data-deal="${deal}"]`);
      if (card === null) {
        there?.remove();
      } else if (!(there instanceof HTMLElement) || there.dataset.card !== card) {
        there?.remove();
        const made = newCard(card);
        made.dataset.deal = deal;
        if (deal === "original") this.cards.prepend(made);
        else this.cards.append(made);
      }
    });
  }

  /** @param {BoxView} view */
  showPlate(view) {
    const names = view.seated === null ? view.players : [view.seated, ...view.players.filter((each) => each !== view.seated)];
    const shown = names.map((player) => shownName(player, this.you));
    const first = shown[0];
    replace(
      this.owner,
      first === undefined ? "" : make("span", { title: names[0] && nameOf(names[0]) }, first.text),
      first?.bot ? make("span", { class: "bot", title: t("box.bot_here") }, t("company.bot")) : null,
      shown.length > 1 ? make("span", { class: "more", title: names.slice(1).map(nameOf).join(", ") }, ` +${shown.length - 1}`) : null,
      view.leaving ? make("span", { class: "more" }, ` ${t("box.leaving")}`) : null,
    );
    write(this.money, view.stack === null ? "" : money(view.stack));
    this.mark.hidden = !view.bank;
  }

  /**
   * @param {SpotView} spot
   * @param {BoxView} view
   */
  showSpot(spot, view) {
    const button = this.buttons.get(spot.kind);
    if (button === undefined || this.book === null) return;
    const key = JSON.stringify([spot, view.counted, learned()]);
    if (this.keys.get(spot.kind) === key) return;
    this.keys.set(spot.kind, key);
    const own = spot.stacks.filter((each) => each.mine);
    set(button, {
      "data-amount": spot.stacks.reduce((sum, each) => sum + each.staked, 0),
      "data-mine": own.reduce((sum, each) => sum + each.staked, 0),
      "data-lamp": spot.lamp,
      "aria-label": this.spotWords(spot, view),
    });
    const place = button.querySelector(".chips");
    if (place === null) return;
    // The seated player's chips lie nearest the dealer, the others' in line behind.
    const players = [...new Set(spot.stacks.map((each) => each.player))];
    const lines = players.map((player) => spot.stacks.filter((each) => each.player === player));
    const drawn = lines.map((line) => {
      const counted = line[0]?.player === view.counted;
      return make("span", { class: counted ? "line counted" : "line" }, ...line.map((each) => this.stackOf(each, counted)));
    });
    replace(place, ...drawn);
    place.classList.toggle("queued", lines.length > 1);
  }

  /**
   * @param {SpotView} spot
   * @param {BoxView} view
   */
  spotWords(spot, view) {
    const book = /** @type {TableBook} */ (this.book);
    const parts = [`${t("box.name", { box: view.box })}, ${label(book, spot.kind)}`];
    for (const each of spot.stacks) {
      const who = each.mine ? t("word.you") : nameOf(each.player);
      const kind = each.wager === spot.kind ? "" : ` ${label(book, each.wager)}`;
      const end = each.outcome === "" ? "" : `, ${outcomeWords(book, each.wager, each.outcome)}, ${signed(each.returned - each.staked)}`;
      parts.push(`${who}${kind} ${money(each.staked)}${end}`);
    }
    if (spot.stacks.length === 0) parts.push(t("box.empty"));
    if (spot.lamp !== null) parts.push(t(spot.lamp === "on" ? "box.accepted" : "box.not_accepted"));
    return parts.join("; ");
  }

  /**
   * The words beside the chips of the player shown here, one slip for each wager that needs one.
   * @param {BoxView} view
   */
  showSlips(view) {
    const book = /** @type {TableBook} */ (this.book);
    const lines = view.spots.map((spot) => spot.stacks.filter((each) => each.player === view.counted));
    // The end of a single wager is the result of the box.
    const single = view.net !== null && lines.flat().length === 1;
    const slips = lines.flatMap((line) =>
      line.flatMap((each) => {
        const words = single ? "" : slipWords(each, line.length > 1);
        const won = each.outcome !== "" && each.returned > each.staked;
        const slip = make("span", { class: won ? "slip won" : "slip", "data-slip": each.wager }, ...unbroken(`${printed(book, each.wager)} ${words}`));
        const match = make("span", { class: "slip", "data-matched": each.matched }, t(book.rules.banker === "player" ? "box.bank_match" : "box.house_match", { amount: money(each.matched) }));
        return [...(words === "" ? [] : [slip]), ...(each.outcome === "" && each.matched > 0 ? [match] : [])];
      }),
    );
    replace(this.slips, ...slips);
  }

  /**
   * A wager's chips: the stake, or what was returned; with words if no slip has them.
   * @param {StackView} each
   * @param {boolean} counted
   */
  stackOf(each, counted) {
    const over = each.outcome !== "";
    const net = each.returned - each.staked;
    const stack = newStack(over ? Math.max(each.returned, 0) : each.staked - each.uncovered);
    set(stack, {
      class: `${each.mine ? "own" : "other"}${over ? " over" : ""}${over && net > 0 ? " won" : ""}`,
      "data-player": each.player,
      "data-wager": each.wager,
      "data-staked": each.staked,
      "data-outcome": each.outcome || null,
      "data-returned": over ? each.returned : null,
      "data-net": over ? net : null,
    });
    const words = counted ? "" : slipWords(each, false);
    if (words !== "") stack.append(make("span", { class: "tag", "data-text": words }));
    return stack;
  }

  /** @param {BoxView} view */
  showResult(view) {
    this.result.hidden = view.net === null;
    set(this.result, { "data-net": view.net });
    if (view.net === null) return;
    this.result.classList.toggle("won", view.net > 0);
    const text = view.net === 0 ? t("streak.even") : signed(view.net);
    write(this.result, text);
    set(this.result, { "aria-label": t("box.result", { box: view.box, result: text }) });
  }
}

/**
 * The words for a wager: a gain, a returned stake, or a loss; before that the stake if other chips
 * are beside it, and what was not covered.
 * @param {StackView} each
 * @param {boolean} beside
 */
function slipWords(each, beside) {
  if (each.outcome === "") {
    const lies = beside || each.uncovered > 0 ? [money(each.staked - each.uncovered)] : [];
    const back = each.uncovered > 0 ? [t("box.amount_returned", { amount: money(each.uncovered) })] : [];
    return [...lies, ...back].join(", ");
  }
  const net = each.returned - each.staked;
  if (net > 0 || each.returned === 0) return signed(net);
  return net === 0 ? t("box.returned") : t("box.back", { amount: money(each.returned) });
}

customElements.define("wt-box", Box);
