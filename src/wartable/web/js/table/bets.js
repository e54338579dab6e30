// Betting: chips to choose, spots to put them on, undo, clear, repeat, double, deal.

import { say } from "../announce.js";
import { CHIPS, chipPicture } from "../elements/wt-stack.js";
import { make, replace, set, write } from "../dom.js";
import { Kept } from "../kept.js";
import { money, parse } from "../money.js";
import { Refusal } from "../link.js";
import { languageOf, list, refusalWords, t } from "../texts.js";
import { withNames } from "../names.js";
import { label } from "../words.js";
import { mostOf } from "./book.js";
import { doubled, steps } from "./layouts.js";
import { ownNumber } from "./number.js";

/** @typedef {import("./room.js").Room} Room */
/** @typedef {import("./layouts.js").Layout} Layout */
/** @typedef {import("./layouts.js").Step} Step */
/** @typedef {import("../elements/wt-felt.js").Felt} Felt */

const REFUSAL_MS = 6000;
const MOVES_MAX = 4;
const FIRST_CHIP = 500;
const GAP_PX = 8;

/** The refusals that are about the size of a wager. */
const SIZES = new Set(["limit", "wrong_size", "odd_amount"]);

/** The last wagers by player and table.
 * @type {Kept<[string, number][]>} */
const LAST = new Kept("wartable-last", 20);

/** The tray with chips and the betting commands. */
export class Bets {
  /**
   * @param {Room} room
   * @param {Felt} felt
   * @param {(error: unknown) => void} complain
   * @param {(text: string) => void} tell
   */
  constructor(room, felt, complain, tell) {
    this.room = room;
    this.felt = felt;
    this.complain = complain;
    this.tell = tell;
    this.chip = FIRST_CHIP;
    /** The most that a wager can be. */
    this.most = Infinity;
    /** @type {Map<string, number>[]} layouts before each change, the last one last */
    this.past = [];
    /** @type {Map<string, number>} what was bet in the round before, which a reload does not forget */
    this.last = new Map(LAST.get(room.you ?? "", room.name));
    /** @type {Promise<void>} one action after another, each on the felt as it is then */
    this.turn = Promise.resolve();
    this.chips = make("div", { class: "chip-row", role: "radiogroup", "aria-label": t("bets.chip") });
    this.amount = /** @type {HTMLInputElement} */ (make("input", { id: "amount", inputmode: "decimal", placeholder: t("bets.other"), "aria-label": t("bets.amount"), autocomplete: "off", size: 6 }));
    this.deal = this.button("deal", t("bets.deal"), "button primary big");
    this.ready = this.button("ready", t("bets.ready"), "button primary big");
    this.undo = this.button("undo", t("bets.undo"));
    this.clear = this.button("clear", t("bets.clear"));
    this.repeat = this.button("repeat", t("bets.repeat"));
    this.double = this.button("double", t("bets.double"));
    this.decline = this.button("decline", t("bets.decline"));
    const actions = make("div", { class: "actions" }, this.undo, this.clear, this.repeat, this.double, this.decline);
    this.element = make("div", { class: "betting", "data-panel": "bets" }, make("div", { class: "tray" }, this.chips, this.amount), actions, this.deal, this.ready);
    this.fillTray();
    this.amount.addEventListener("input", () => this.readAmount());
  }

  /**
   * @param {"deal" | "ready" | "undo" | "clear" | "repeat" | "double" | "decline"} action
   * @param {string} text
   * @param {string} [style]
   */
  button(action, text, style = "button") {
    const made = make("button", { class: style, type: "button", "data-action": action }, text);
    made.addEventListener("click", () => void this.act(action));
    return made;
  }

  /** One button for each chip, the smallest first. */
  fillTray() {
    const ordered = [...CHIPS].reverse();
    const buttons = ordered.map((chip, place) => {
      const made = make(
        "button",
        { type: "button", class: "chip-choice", role: "radio", "data-chip": chip.cents, "aria-label": t("bets.one_chip", { amount: money(chip.cents) }), title: t("bets.chip_key", { amount: money(chip.cents), key: place + 1 }) },
        chipPicture(chip),
      );
      made.addEventListener("click", () => this.choose(chip.cents));
      return made;
    });
    replace(this.chips, ...buttons);
    this.showChip();
  }

  /** @param {number} cents */
  choose(cents) {
    this.chip = cents;
    this.amount.value = "";
    this.showChip();
  }

  /** The amount that was typed, instead of a chip. */
  readAmount() {
    const cents = parse(this.amount.value);
    const wrong = this.amount.value.trim() !== "" && (cents === null || cents === 0);
    set(this.amount, { "aria-invalid": wrong ? "true" : null });
    if (cents !== null && cents > 0) {
      this.chip = cents;
      this.showChip();
    }
  }

  /** Mark the chosen chip. */
  showChip() {
    for (const each of this.chips.children) {
      const chosen = Number(each.getAttribute("data-chip")) === this.chip;
      set(each, { "aria-checked": String(chosen), tabindex: chosen ? 0 : -1 });
    }
    if (this.chips.querySelector('[tabindex="0"]') === null) this.chips.firstElementChild?.setAttribute("tabindex", "0");
  }

  /** Offer only the chips that one wager can be made of here. */
  showTray() {
    const most = mostOf(this.room.book, this.room.state, this.room.you);
    if (most === this.most) return;
    this.most = most;
    for (const each of this.chips.children) set(each, { hidden: Number(each.getAttribute("data-chip")) > most });
    const best = this.offered.at(-1)?.cents;
    if (this.chip > most && best !== undefined) this.choose(best);
  }

  /** The chips in the tray, the smallest first. */
  get offered() {
    return [...CHIPS].reverse().filter((chip) => chip.cents <= this.most);
  }

  /** Whether there are last wagers that the visitor can pay for, with what lies on the felt. */
  get repeatable() {
    const { room, last } = this;
    return last.size > 0 && !room.banking && sum(last) <= room.stack + sum(room.wagers);
  }

  /** Follow the room. */
  show() {
    const { room } = this;
    const own = room.wagers;
    this.showTray();
    const some = [...own.keys()].length > 0;
    const open = room.connected && room.betting && room.guest !== null && !room.guest.leaving;
    const more = open && room.closed === null;
    const again = more && !some && this.repeatable ? money(sum(this.last)) : null;
    this.deal.hidden = !room.own;
    this.ready.hidden = room.own || room.book.staffed || room.banking;
    set(this.element, { "data-some": String(some) });
    set(this.deal, { disabled: !open || !(some || again !== null || (room.banking && room.wagered)) });
    write(this.deal, again === null ? t("bets.deal") : t("bets.deal_again", { amount: again }));
    const waits = room.betting && room.you !== null && room.ready.includes(room.you);
    set(this.ready, { disabled: !open || waits || !(some || again !== null || room.wagered), "aria-pressed": String(waits) });
    write(this.ready, waits ? t("bets.waiting") : again === null ? t("bets.ready") : t("bets.ready_again", { amount: again }));
    set(this.undo, { disabled: !more || this.past.length === 0 });
    set(this.clear, { disabled: !open || !some });
    set(this.repeat, { disabled: !more || !this.repeatable });
    set(this.double, { disabled: !more || !some });
    write(this.repeat, this.last.size === 0 ? t("bets.repeat") : t("bets.repeat_amount", { amount: money(sum(this.last)) }));
    const others = Object.keys(room.state?.guests ?? {}).length > 1;
    this.decline.hidden = !others || !room.moves.some((move) => move.type === "may_decline");
    this.showSpots(more);
  }

  /**
   * Mark the spots that take a wager now.
   * @param {boolean} open
   */
  showSpots(open) {
    const may = new Set();
    if (open) {
      for (const move of this.room.moves) if (move.type === "may_bet") may.add(`${move.box}.${move.wager}`);
    }
    for (const [box, element] of this.felt.boxes) {
      for (const [kind, button] of element.buttons) button.classList.toggle("open", may.has(`${box}.${kind}`));
    }
  }

  /**
   * The amount for a spot: the chosen chip, or the fitting one of a side bet's fixed amounts.
   * @param {number} box
   * @param {string} wager
   */
  amountFor(box, wager) {
    for (const move of this.room.moves) {
      if (move.type !== "may_bet" || move.box !== box || move.wager !== wager) continue;
      const only = [...move.amounts.only].sort((a, b) => a - b);
      if (only.length === 0) return this.chip;
      return only.filter((amount) => amount <= this.chip).at(-1) ?? only[0] ?? this.chip;
    }
    return this.chip;
  }

  /**
   * Put the chosen chip on a spot.
   * @param {number} box
   * @param {string} wager
   */
  bet(box, wager) {
    const amount = this.amountFor(box, wager);
    // Sent at once, because time may be short; later actions wait until its row arrives.
    const sent = this.place(box, wager, amount);
    this.turn = this.turn.then(() => sent);
    return sent;
  }

  /**
   * @param {number} box
   * @param {string} wager
   * @param {number} amount
   */
  async place(box, wager, amount) {
    const key = `${box}.${wager}`;
    try {
      await this.room.send("bet", { box, wager, amount });
      this.forgive();
      const before = new Map(this.room.wagers);
      const left = (before.get(key) ?? 0) - amount;
      if (left > 0) before.set(key, left);
      else before.delete(key);
      this.past.push(before);
    } catch (error) {
      this.refuse(box, wager, error);
    }
    this.show();
  }

  /**
   * Take a whole wager back.
   * @param {number} box
   * @param {string} wager
   */
  withdraw(box, wager) {
    const { round } = this.room;
    this.turn = this.turn.then(async () => {
      const before = this.room.wagers;
      if (!before.has(`${box}.${wager}`)) return;
      try {
        await this.room.send("withdraw", { box, wager }, round);
        this.past.push(new Map(before));
      } catch (error) {
        this.refuse(box, wager, error);
      }
      this.show();
    });
    return this.turn;
  }

  /**
   * Show a refusal at the spot.
   * @param {number} box
   * @param {string} wager
   * @param {unknown} error
   */
  refuse(box, wager, error) {
    const spot = this.felt.boxes.get(box);
    if (!(error instanceof Refusal) || spot === undefined || error.code === "signed_out") {
      this.complain(error);
      return;
    }
    this.forgive();
    const words = this.inDollars(error, box, wager);
    const sentence = withNames(words);
    const bubble = make("p", { class: "refusal", "data-refusal": error.code, "data-wager": wager, lang: languageOf(words) }, sentence);
    spot.append(bubble);
    keepInside(bubble, this.felt);
    say(sentence, { assertive: true });
    setTimeout(() => bubble.remove(), REFUSAL_MS);
  }

  /** Take away what was said about an earlier wager: it would lie over the cards to come. */
  forgive() {
    for (const bubble of this.felt.querySelectorAll(".refusal")) bubble.remove();
  }

  /**
   * The server's refusal; one about an amount is put in dollars, from what the server permits.
   * @param {Refusal} error
   * @param {number} box
   * @param {string} wager
   */
  inDollars(error, box, wager) {
    if (error.code === "insufficient") return t("bets.insufficient", { amount: money(this.room.stack) });
    if (error.code === "primary_required") return t("bets.primary_first", { primary: label(this.room.book, "primary"), wager: label(this.room.book, wager) });
    const seat = this.room.guest?.seat ?? null;
    if (error.code === "not_adjacent" && seat !== null && !this.room.wagers.has(`${box}.${wager}`)) return t("spot.adjacent", { box: seat });
    const move = this.room.moves.find((each) => each.type === "may_bet" && each.box === box && each.wager === wager);
    if (!SIZES.has(error.code) || move?.type !== "may_bet") return refusalWords(error.code, error.sentence);
    return t("bets.accepted", { amounts: accepted(move.amounts), box, wager: label(this.room.book, wager) });
  }

  /**
   * Do what a button or key asks for.
   * @param {string} action
   */
  act(action) {
    const { round } = this.room;
    this.forgive();
    // A second press that still waited when the cards were dealt meant the bets before them.
    const open = () => this.room.link.state?.rounds === round && this.room.link.state.round?.bets_closed === false;
    this.turn = this.turn.then(() => (open() ? this.do(action, round) : undefined));
    return this.turn;
  }

  /**
   * @param {string} action
   * @param {number} round the round that it was asked for in
   */
  async do(action, round) {
    const { room } = this;
    try {
      if (action === "deal" || action === "ready") await this.finish(action, round);
      else if (action === "undo") await this.become(this.past.pop() ?? room.wagers, false, round);
      else if (action === "clear") await this.become(new Map(), true, round);
      else if (action === "repeat") await this.become(this.last, true, round);
      else if (action === "double") await this.become(doubled(room.wagers), true, round);
      else if (action === "decline") await this.declineTie();
    } catch (error) {
      this.complain(error);
    }
    this.show();
  }

  /**
   * Bet no more: deal, or let the others know; without a wager, the last ones first.
   * @param {"deal" | "ready"} action
   * @param {number} round
   */
  async finish(action, round) {
    const { room } = this;
    if (room.wagers.size === 0 && this.repeatable && !(await this.become(this.last, true, round))) return;
    if (action === "deal") await room.send("close_bets", ownNumber(room), round);
    else await room.link.send("ready", { round }).catch(unlessOver);
  }

  /**
   * Make the wagers on the felt these, as far as the server accepts them; returns whether all of it was accepted.
   * @param {Layout} wanted
   * @param {boolean} remember
   * @param {number} round
   */
  async become(wanted, remember, round) {
    const before = new Map(this.room.wagers);
    /** @type {Step[]} */
    const left = [];
    /** @type {(() => void) | null} */
    let why = null;
    let changed = false;
    for (const step of steps(before, wanted, this.room.guest?.seat ?? 1)) {
      const { type, ...fields } = step;
      // A wager that was taken back with its primary needs no command of its own.
      if (type === "withdraw" && !this.room.wagers.has(`${step.box}.${step.wager}`)) continue;
      if (left.some((each) => each.box === step.box && needed(each))) {
        left.push(step);
        continue;
      }
      try {
        await this.room.send(type, fields, round);
        changed = true;
      } catch (error) {
        left.push(step);
        why ??= () => this.refuse(step.box, step.wager, error);
      }
    }
    if (remember && changed) this.past.push(before);
    if (changed && left.length > 0) this.tell(leftWords(this.room.book, left));
    else why?.();
    return left.length === 0;
  }

  /** Let others bet the tie. */
  async declineTie() {
    const move = this.room.moves.find((each) => each.type === "may_decline");
    if (move !== undefined && "box" in move) await this.room.send("decline", { box: move.box });
  }

  /**
   * Keep the wagers of a round for `Repeat`, and forget what could be undone.
   * @param {ReadonlyArray<import("../types.js").Hand>} hands
   */
  closed(hands) {
    const kept = new Map();
    for (const hand of hands) {
      if (hand.player !== this.room.you) continue;
      for (const wager of hand.wagers) kept.set(`${hand.box}.${wager.kind}`, wager.staked);
    }
    if (kept.size > 0) {
      this.last = kept;
      LAST.keep([...kept], this.room.you ?? "", this.room.name);
    }
    this.past = [];
    this.forgive();
  }
}

/**
 * The accepted amounts in words.
 * @param {import("../types.js").Amounts} amounts
 */
function accepted(amounts) {
  if (amounts.only.length > 0) return amounts.only.map(money).join(` ${t("word.or")} `);
  return `${t("word.range", { min: money(amounts.min), max: money(amounts.max) })}${amounts.step === 2 ? ` ${t("bets.even")}` : ""}`;
}

/**
 * Whether what follows on the same box makes no sense without it.
 * @param {Step} step
 */
function needed(step) {
  return step.type === "withdraw" || step.wager === "primary";
}

/**
 * The wagers that were left out, in one sentence.
 * @param {import("./book.js").TableBook} book
 * @param {readonly Step[]} steps
 */
function leftWords(book, steps) {
  const wagers = [...new Set(steps.map(({ box, wager }) => t("bets.on_box", { box, wager: label(book, wager) })))];
  return t("bets.left_out", { count: wagers.length, wagers: list(wagers) });
}

/**
 * Take for done what was refused because the betting that it was to end is over.
 * @param {unknown} error
 */
function unlessOver(error) {
  if (!(error instanceof Refusal) || error.code !== "other_round") throw error;
}

/** @param {Layout} layout */
function sum(layout) {
  return [...layout.values()].reduce((total, amount) => total + amount, 0);
}

/**
 * Move a refusal at a box near the felt's edge so that all of it can be read.
 * @param {HTMLElement} bubble
 * @param {Element} felt
 */
function keepInside(bubble, felt) {
  const inside = felt.getBoundingClientRect();
  const [left, right] = [Math.max(inside.left, 0) + GAP_PX, Math.min(inside.right, innerWidth) - GAP_PX];
  let moved = 0;
  // On a felt that is drawn smaller it moves less than it was told: what is left is told again.
  for (let tries = 0; tries < MOVES_MAX; tries += 1) {
    const own = bubble.getBoundingClientRect();
    moved += own.left < left ? left - own.left : Math.min(0, right - own.right);
    bubble.style.translate = `${moved}px`;
  }
}
