// The lab: choose a book, cards, options, wagers and a strategy, and see the exact odds change.

import { get } from "../api.js";
import { find, make, replace } from "../dom.js";
import "../elements/wt-header.js";
import { question, RANKS, read, written } from "../lab/address.js";
import { follow, sizeOf, WORK_MAX } from "../lab/course.js";
import { fan } from "../lab/fan.js";
import { seatShown, wagersShown } from "../lab/shown.js";
import { money, parse, percent } from "../money.js";
import { oddsShown } from "./odds.js";
import { asked, bookChoices, bookName, choose, field, notice, plain, sentenceOf, Unclear } from "./pieces.js";

/** @typedef {import("../types.js").LabForm} LabForm */
/** @typedef {import("../lab/address.js").Chosen} Chosen */

const PAUSE_MS = 120;
const BANKROLL = 50_000;
const ROUNDS = 200;
const ROUNDS_MAX = 5_000;

const STRATEGIES = /** @type {[string, string][]} */ ([["war", "always go to war"], ["surrender", "always surrender"], ["best", "the better choice each time"]]);
const MONEY_HINT = "Enter an amount such as 10.";

/**
 * A fraction's text times a whole number, as a whole number.
 * @param {string} text
 * @param {number} unit
 */
function times(text, unit) {
  const [over = "0", under = "1"] = text.split("/");
  return Math.round((Number(over) * unit) / Number(under));
}

/** @param {Record<string, {value: number}>} pmf @param {number} unit */
function results(pmf, unit) {
  return Object.entries(pmf).map(([net, chance]) => /** @type {[number, number]} */ ([times(net, unit), chance.value]));
}

/** The page: what is chosen, and what follows from it. */
class Lab {
  /** @param {readonly string[]} books */
  constructor(books) {
    this.books = books;
    this.main = find("#main");
    this.form = make("form", { class: "lab-form panel", "aria-label": "What is studied" });
    this.results = make("div", { class: "lab-results", "data-lab": "waiting" });
    this.problem = make("div", { role: "status", "data-problem": true });
    this.seat = make("section", { "data-part": "seat", "aria-label": "The seat" });
    this.session = make("section", { class: "panel", "data-part": "session", "aria-label": "A session" });
    this.wagers = make("section", { "data-part": "wagers", class: "lab-results", "aria-label": "Every wager" });
    this.more = make("section", { "data-part": "more", class: "panel" });
    this.asked = 0;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    /** @type {LabForm | null} */
    this.about = null;
    this.form.addEventListener("submit", (event) => event.preventDefault());
    this.form.addEventListener("input", () => this.later());
  }

  /** @param {string} book @param {URLSearchParams} query */
  async open(book, query) {
    const about = /** @type {LabForm} */ (await get(`/lab/books/${encodeURIComponent(book)}`));
    this.about = about;
    const first = about.wagers[0];
    /** @type {Chosen} */
    const start = { book, decks: String(about.decks), strategy: "war", bets: first ? { [first.shown.kind]: first.stake } : {}, options: {}, gone: {}, meter: "", boxes: "", bankroll: BANKROLL, rounds: ROUNDS };
    this.fill(about, read(query, start));
    replace(this.main, make("h1", {}, "Lab"), make("p", { class: "soft" }, "Every figure is exact and comes from the engine that pays at the table. Nothing here costs or moves money."), make("div", { class: "lab" }, this.form, this.results));
    replace(this.results, this.problem, this.seat, this.session, this.wagers, this.more);
    await this.study();
  }

  /** @param {LabForm} about @param {Chosen} chosen */
  fill(about, chosen) {
    const book = choose(bookChoices(this.books), chosen.book);
    book.addEventListener("input", (event) => {
      event.stopPropagation();
      void this.open(book.value, new URLSearchParams());
    });
    const number = (/** @type {string} */ value, /** @type {number} */ least, /** @type {number} */ most) => make("input", { type: "number", inputmode: "numeric", min: least, max: most, step: 1, value });
    const amount = (/** @type {number} */ cents) => make("input", { type: "text", inputmode: "decimal", maxlength: 14, value: cents === 0 ? "" : String(cents / 100) });
    const bets = about.wagers.map((each) => {
      const sizes = each.shown.denominations;
      const cents = chosen.bets[each.shown.kind] ?? 0;
      const control = sizes.length > 0 ? choose([["", "none"], .../** @type {[string, string][]} */ (sizes.map((size) => [String(size / 100), money(size)]))], cents === 0 ? "" : String(cents / 100)) : amount(cents);
      control.dataset.bet = each.shown.kind;
      return field(`bet-${each.shown.kind}`, each.shown.label, control);
    });
    const options = about.options.map((each) => {
      const control = choose(each.values.map((value) => [value, plain(value) + (value === each.value ? " (the book's)" : "")]), chosen.options[each.name] ?? each.value);
      control.dataset.option = each.name;
      return field(`option-${each.name}`, plain(each.name), control);
    });
    const meter = amount(chosen.meter === "" ? 0 : Number(chosen.meter));
    replace(
      this.form,
      make("div", { class: "pair" }, field("lab-book", "Rule book", book), field("lab-decks", "Decks", number(chosen.decks, 1, 100))),
      make("fieldset", {}, make("legend", {}, "Wagers of the seat"), make("div", { class: "pair" }, ...bets)),
      field("lab-strategy", "At a tie", choose(STRATEGIES, chosen.strategy)),
      about.meter !== null && field("lab-meter", "The meter shows", meter, `${money(about.meter)} after a win`),
      make("div", { class: "pair" }, field("lab-bankroll", "Bankroll", amount(chosen.bankroll)), field("lab-rounds", "Rounds", number(String(chosen.rounds), 1, ROUNDS_MAX))),
      make("details", { open: Object.keys(chosen.gone).length > 0 }, make("summary", {}, "Cards that have left the shoe"), this.sliders(Number(chosen.decks), chosen.gone)),
      make("details", { open: Object.keys(chosen.options).length > 0 }, make("summary", {}, "Named options of the book"), ...options),
      field("lab-boxes", "Boxes against one dealer card", number(chosen.boxes, 1, 9), "Empty for one."),
    );
  }

  /** @param {number} decks @param {Record<string, number>} gone */
  sliders(decks, gone) {
    const most = 4 * decks;
    return make("div", { class: "sliders", "data-sliders": true }, ...RANKS.map((rank) => {
      const control = make("input", { type: "range", min: 0, max: most, step: 1, value: Math.min(gone[rank] ?? 0, most), "aria-label": `Cards of rank ${rank === "T" ? "10" : rank} gone`, "data-gone": rank });
      const shown = make("output", {}, `${control.value} of ${most}`);
      control.addEventListener("input", () => replace(shown, `${control.value} of ${most}`));
      return make("label", { class: "slider" }, make("span", { class: "mono" }, rank === "T" ? "10" : rank), control, shown);
    }));
  }

  /** What the form says; `Unclear` names a field that cannot be read. */
  chosen() {
    const about = /** @type {LabForm} */ (this.about);
    const value = (/** @type {string} */ id) => /** @type {HTMLInputElement | null} */ (this.form.querySelector(`#${id}`))?.value.trim() ?? "";
    const cents = (/** @type {string} */ label, /** @type {string} */ text) => {
      const found = text === "" ? 0 : parse(text);
      if (found === null) throw new Unclear(`${label}: ${MONEY_HINT}`);
      return found;
    };
    const whole = (/** @type {string} */ label, /** @type {string} */ text, /** @type {number} */ most) => {
      if (!/^[1-9][0-9]*$/.test(text) || Number(text) > most) throw new Unclear(`${label}: enter a whole number from 1 to ${most.toLocaleString("en")}.`);
      return text;
    };
    /** @type {Record<string, number>} */
    const bets = {};
    for (const each of about.wagers) {
      const stake = cents(each.shown.label, value(`bet-${each.shown.kind}`));
      if (stake > 0) bets[each.shown.kind] = stake;
    }
    const options = Object.fromEntries(about.options.map((each) => /** @type {[string, string]} */ ([each.name, value(`option-${each.name}`)])).filter(([name, set]) => set !== about.options.find((each) => each.name === name)?.value));
    const sliders = /** @type {NodeListOf<HTMLInputElement>} */ (this.form.querySelectorAll("[data-gone]"));
    const gone = Object.fromEntries([...sliders].map((each) => [each.dataset.gone ?? "", Number(each.value)]).filter(([, count]) => count !== 0));
    const meter = cents("The meter", value("lab-meter"));
    /** @type {Chosen} */
    const found = {
      book: about.name,
      decks: whole("Decks", value("lab-decks"), 100),
      strategy: value("lab-strategy"),
      bets,
      options,
      gone,
      meter: meter === 0 ? "" : String(meter),
      boxes: value("lab-boxes") === "" ? "" : whole("Boxes", value("lab-boxes"), 9),
      bankroll: cents("Bankroll", value("lab-bankroll")),
      rounds: Number(whole("Rounds", value("lab-rounds"), ROUNDS_MAX)),
    };
    return found;
  }

  /** Study again, soon after the last key. */
  later() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.study(), PAUSE_MS);
  }

  /** Ask for the odds of what is chosen, and show them. */
  async study() {
    const turn = ++this.asked;
    this.results.dataset.lab = "asking";
    this.results.setAttribute("aria-busy", "true");
    try {
      this.fitSliders();
      const chosen = this.chosen();
      history.replaceState(null, "", `/lab?${written(chosen)}`);
      const query = question(chosen);
      const odds = await get(`/lab/odds?${query}`);
      if (turn !== this.asked) return;
      const about = /** @type {LabForm} */ (this.about);
      replace(this.problem, ...odds.notes.map((/** @type {string} */ note) => notice(note, "warn")));
      replace(this.seat, make("h2", {}, `${bookName(about.name)}, ${odds.decks} decks, ${odds.cards.toLocaleString("en")} cards left`), ...(odds.seat ? seatShown(odds.seat, about) : [make("p", {}, "Enter a primary wager or a tie wager.")]), this.files(query, odds.boxes));
      replace(this.wagers, make("h2", {}, "Every wager, alone"), ...wagersShown(odds, about));
      replace(this.more, this.whole(query));
      this.results.dataset.lab = "shown";
      this.results.setAttribute("aria-busy", "false");
      await this.play(odds.seat, chosen, turn);
    } catch (error) {
      if (turn !== this.asked) return;
      replace(this.problem, notice(sentenceOf(error), "bad"));
      this.results.dataset.lab = "refused";
      this.results.setAttribute("aria-busy", "false");
    }
  }

  /** With other decks, let the sliders reach as far as there are cards. */
  fitSliders() {
    const { decks, gone } = this.chosen();
    const first = /** @type {HTMLInputElement} */ (find("[data-gone]", this.form));
    if (Number(first.max) !== 4 * Number(decks)) find("[data-sliders]", this.form).replaceWith(this.sliders(Number(decks), gone));
  }

  /** @param {URLSearchParams} query @param {any} boxes */
  files(query, boxes) {
    const sheet = new URLSearchParams([...query].filter(([key]) => ["book", "options", "decks"].includes(key)));
    const link = (/** @type {string} */ href, /** @type {string} */ text, /** @type {string} */ file) => make("a", { class: "button", href, download: file }, text);
    const copied = make("span", { role: "status", class: "small soft" });
    const share = make("button", { type: "button", class: "button", "data-share": true }, "Copy this page's address");
    share.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(location.href);
        replace(copied, "Copied.");
      } catch {
        replace(copied, "Copy it from the address bar.");
      }
    });
    return make(
      "div",
      { class: "stack" },
      boxes !== undefined && make("p", { "data-boxes": boxes.count }, `${boxes.count} boxes with a unit primary wager each: deviation ${boxes.sd.toFixed(4)} units, correlation of two boxes ${boxes.correlation.value.toFixed(4)}.`),
      make("div", { class: "buttons" }, share, link(`/lab/odds?${query}&whole=true`, "JSON", "odds.json"), link(`/lab/odds?${query}&whole=true&lines=true`, "CSV", "odds.csv"), link(`/lab/par?${sheet}&sheet=pdf`, "PAR sheet (PDF)", "par.pdf"), link(`/lab/par?${sheet}&sheet=html`, "PAR sheet (HTML)", "par.html"), copied),
    );
  }

  /** @param {URLSearchParams} query */
  whole(query) {
    const place = make("div");
    const made = make("details", {}, make("summary", {}, "Side bets, bank, decks and readings"), place);
    made.addEventListener("toggle", async () => {
      if (!made.open || place.childElementCount > 0) return;
      replace(place, make("p", { class: "soft" }, "Computing the rest takes a few seconds ..."), make("progress", {}));
      try {
        const about = /** @type {LabForm} */ (this.about);
        const [odds, page] = await Promise.all([get(`/lab/odds?${query}&whole=true`), get(`/books/${encodeURIComponent(about.name)}/page`)]);
        replace(place, ...oddsShown(odds, page));
      } catch (error) {
        replace(place, notice(sentenceOf(error), "bad"));
      }
    });
    return made;
  }

  /**
   * The session with these bets, round by round.
   * @param {any} seat
   * @param {Chosen} chosen
   * @param {number} turn
   */
  async play(seat, chosen, turn) {
    const head = make("h2", {}, `A session of ${chosen.rounds.toLocaleString("en")} rounds with ${money(chosen.bankroll)}`);
    if (!seat) return replace(this.session);
    const results_ = { rich: results(seat.pmf, seat.unit), poor: results(seat.without_war, seat.unit), needs: seat.needs, needsWar: seat.needs_war };
    if (chosen.bankroll < seat.needs) return replace(this.session, head, make("p", { "data-session": "short" }, `One round takes ${money(seat.needs)}.`));
    if (sizeOf(results_, chosen.bankroll, chosen.rounds).work > WORK_MAX) return replace(this.session, head, make("p", { "data-session": "large" }, "This session has too many states to follow exactly. Choose fewer rounds, or wagers that are multiples of a larger coin."));
    const bar = make("progress", { max: 1, value: 0 });
    if (this.session.childElementCount === 0) replace(this.session, head, bar);
    const course = await follow(results_, chosen.bankroll, chosen.rounds, (share) => {
      bar.value = share;
      if (!bar.isConnected && turn === this.asked) replace(this.session, head, bar);
      return turn === this.asked;
    });
    if (course === null || turn !== this.asked) return;
    replace(
      this.session,
      head,
      make("div", { class: "figures", "data-session": "shown" },
        make("div", { class: "figure panel" }, make("span", { class: "small soft" }, "Chance of ruin, exact"), make("strong", { class: "number", "data-ruin": course.ruined }, percent(course.ruined, 4))),
        make("div", { class: "figure panel" }, make("span", { class: "small soft" }, "Ahead at the end"), make("strong", { class: "number", "data-ahead": course.ahead }, percent(course.ahead))),
        make("div", { class: "figure panel" }, make("span", { class: "small soft" }, "Mean at the end"), make("strong", { class: "number", "data-mean": course.mean }, money(Math.round(course.mean))))),
      fan(course.lines, chosen.bankroll),
      make("p", { class: "small soft" }, `Ruin is having less than ${money(seat.needs)}, which one round takes. A player who cannot pay a war surrenders.`),
    );
  }
}

const books = /** @type {{name: string}[]} */ (await get("/books"));
const names = books.map((book) => book.name);
const wanted = asked("book");
const lab = new Lab(names);
await lab.open(names.includes(wanted) ? wanted : (names[0] ?? ""), new URLSearchParams(location.search));
