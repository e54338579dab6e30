// The lab: choose a book, cards, options, wagers and a strategy, and see the exact odds change.

import { get } from "../api.js";
import { find, make, replace } from "../dom.js";
import "../elements/wt-header.js";
import { question, RANKS, read, written } from "../lab/address.js";
import { follow, sizeOf, WORK_MAX } from "../lab/course.js";
import { fan } from "../lab/fan.js";
import { seatShown, wagersShown } from "../lab/shown.js";
import { money, number, parse, percent, typed } from "../money.js";
import { filled, said, t } from "../page-texts.js";
import { oddsShown } from "./odds.js";
import { asked, bookChoices, bookName, choose, field, notice, optionName, optionValue, sentenceOf, Unclear } from "./pieces.js";

/** @typedef {import("../types.js").LabForm} LabForm */
/** @typedef {import("../lab/address.js").Chosen} Chosen */

const PAUSE_MS = 120;
const BANKROLL = 50_000;
const ROUNDS = 200;
const ROUNDS_MAX = 5_000;

const STRATEGIES = /** @type {[string, string][]} */ ([["war", t("lab.go_to_war")], ["surrender", t("odds.surrender")], ["best", t("lab.better")]]);

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

/**
 * What the server notes about the figures.
 * @param {{notes: readonly string[], noted: readonly Readonly<Record<string, string>>[]}} odds
 */
function notesOf({ notes, noted }) {
  return notes.map((note, i) => filled(said("note", noted[i]?.note ?? "", note), { ...noted[i], book: bookName(noted[i]?.book ?? ""), method: optionValue(noted[i]?.method ?? "") }));
}

/** The page: what is chosen, and what follows from it. */
class Lab {
  /** @param {readonly string[]} books */
  constructor(books) {
    this.books = books;
    this.main = find("#main");
    this.form = make("form", { class: "lab-form panel", "aria-label": t("lab.studied") });
    this.results = make("div", { class: "lab-results", "data-lab": "waiting" });
    this.problem = make("div", { role: "status", "data-problem": true });
    this.seat = make("section", { "data-part": "seat", "aria-label": t("lab.seat") });
    this.session = make("section", { class: "panel", "data-part": "session", "aria-label": t("lab.a_session") });
    this.wagers = make("section", { "data-part": "wagers", class: "lab-results", "aria-label": t("lab.every_wager") });
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
    replace(this.main, make("h1", {}, t("nav.lab")), make("p", { class: "soft" }, t("lab.words")), make("div", { class: "lab" }, this.form, this.results));
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
    const whole = (/** @type {string} */ value, /** @type {number} */ least, /** @type {number} */ most) => make("input", { type: "number", inputmode: "numeric", min: least, max: most, step: 1, value });
    const amount = (/** @type {number} */ cents) => make("input", { type: "text", inputmode: "decimal", maxlength: 14, value: cents === 0 ? "" : typed(cents) });
    const bets = about.wagers.map((each) => {
      const sizes = each.shown.denominations;
      const cents = chosen.bets[each.shown.kind] ?? 0;
      const control = sizes.length > 0 ? choose([["", t("lab.none")], .../** @type {[string, string][]} */ (sizes.map((size) => [typed(size), money(size)]))], cents === 0 ? "" : typed(cents)) : amount(cents);
      control.dataset.bet = each.shown.kind;
      return field(`bet-${each.shown.kind}`, each.shown.label, control);
    });
    const options = about.options.map((each) => {
      const control = choose(each.values.map((value) => [value, value === each.value ? t("lab.the_books", { value: optionValue(value) }) : optionValue(value)]), chosen.options[each.name] ?? each.value);
      control.dataset.option = each.name;
      return field(`option-${each.name}`, optionName(each.name), control);
    });
    const meter = amount(chosen.meter === "" ? 0 : Number(chosen.meter));
    replace(
      this.form,
      make("div", { class: "pair" }, field("lab-book", t("history.rule_book"), book), field("lab-decks", t("odds.decks"), whole(chosen.decks, 1, 100))),
      make("fieldset", {}, make("legend", {}, t("lab.wagers")), make("div", { class: "pair" }, ...bets)),
      field("lab-strategy", t("lab.at_tie"), choose(STRATEGIES, chosen.strategy)),
      about.meter !== null && field("lab-meter", t("lab.meter"), meter, t("lab.after_win", { amount: money(about.meter) })),
      make("div", { class: "pair" }, field("lab-bankroll", t("lab.bankroll"), amount(chosen.bankroll)), field("lab-rounds", t("leave.rounds"), whole(String(chosen.rounds), 1, ROUNDS_MAX))),
      make("details", { open: Object.keys(chosen.gone).length > 0 }, make("summary", {}, t("lab.gone")), this.sliders(Number(chosen.decks), chosen.gone)),
      make("details", { open: Object.keys(chosen.options).length > 0 }, make("summary", {}, t("lab.options")), ...options),
      field("lab-boxes", t("lab.boxes"), whole(chosen.boxes, 1, 9), t("lab.empty_one")),
    );
  }

  /** @param {number} decks @param {Record<string, number>} gone */
  sliders(decks, gone) {
    const most = 4 * decks;
    return make("div", { class: "sliders", "data-sliders": true }, ...RANKS.map((rank) => {
      const control = make("input", { type: "range", min: 0, max: most, step: 1, value: Math.min(gone[rank] ?? 0, most), "aria-label": t("lab.rank_gone", { rank: rank === "T" ? "10" : rank }), "data-gone": rank });
      const words = () => t("replay.of", { at: control.value, count: most });
      const shown = make("output", {}, words());
      control.addEventListener("input", () => replace(shown, words()));
      return make("label", { class: "slider" }, make("span", { class: "mono" }, rank === "T" ? "10" : rank), control, shown);
    }));
  }

  /** What the form says; `Unclear` names a field that cannot be read. */
  chosen() {
    const about = /** @type {LabForm} */ (this.about);
    const value = (/** @type {string} */ id) => /** @type {HTMLInputElement | null} */ (this.form.querySelector(`#${id}`))?.value.trim() ?? "";
    const cents = (/** @type {string} */ label, /** @type {string} */ text) => {
      const found = text === "" ? 0 : parse(text);
      if (found === null) throw new Unclear(t("lab.enter_amount", { label }));
      return found;
    };
    const whole = (/** @type {string} */ label, /** @type {string} */ text, /** @type {number} */ most) => {
      if (!/^[1-9][0-9]*$/.test(text) || Number(text) > most) throw new Unclear(t("lab.enter_whole", { label, max: number(most) }));
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
    const meter = cents(t("lab.meter"), value("lab-meter"));
    /** @type {Chosen} */
    const found = {
      book: about.name,
      decks: whole(t("odds.decks"), value("lab-decks"), 100),
      strategy: value("lab-strategy"),
      bets,
      options,
      gone,
      meter: meter === 0 ? "" : String(meter),
      boxes: value("lab-boxes") === "" ? "" : whole(t("felt.boxes"), value("lab-boxes"), 9),
      bankroll: cents(t("lab.bankroll"), value("lab-bankroll")),
      rounds: Number(whole(t("leave.rounds"), value("lab-rounds"), ROUNDS_MAX)),
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
      replace(this.problem, ...notesOf(odds).map((note) => notice(note, "warn")));
      replace(this.seat, make("h2", {}, t("lab.title", { book: bookName(about.name), decks: t("word.decks", { count: odds.decks }), cards: t("lab.cards_left", { count: odds.cards, figure: number(odds.cards) }) })), ...(odds.seat ? seatShown(odds.seat, about) : [make("p", {}, t("lab.enter_wager"))]), this.files(query, odds.boxes));
      replace(this.wagers, make("h2", {}, t("lab.alone")), ...wagersShown(odds, about));
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
    const share = make("button", { type: "button", class: "button", "data-share": true }, t("lab.copy"));
    share.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(location.href);
        replace(copied, t("lab.copied"));
      } catch {
        replace(copied, t("lab.copy_failed"));
      }
    });
    return make(
      "div",
      { class: "stack" },
      boxes !== undefined && make("p", { "data-boxes": boxes.count }, t("lab.boxes_words", { count: boxes.count, deviation: number(boxes.sd, 4), correlation: number(boxes.correlation.value, 4) })),
      make("div", { class: "buttons" }, share, link(`/lab/odds?${query}&whole=true`, "JSON", "odds.json"), link(`/lab/odds?${query}&whole=true&lines=true`, "CSV", "odds.csv"), link(`/lab/par?${sheet}&sheet=pdf`, t("lab.par", { format: "PDF" }), "par.pdf"), link(`/lab/par?${sheet}&sheet=html`, t("lab.par", { format: "HTML" }), "par.html"), copied),
    );
  }

  /** @param {URLSearchParams} query */
  whole(query) {
    const place = make("div");
    const made = make("details", {}, make("summary", {}, t("lab.rest")), place);
    made.addEventListener("toggle", async () => {
      if (!made.open || place.childElementCount > 0) return;
      replace(place, make("p", { class: "soft" }, t("lab.computing")), make("progress", {}));
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
    const head = make("h2", {}, t("lab.session", { count: chosen.rounds, figure: number(chosen.rounds), amount: money(chosen.bankroll) }));
    if (!seat) return replace(this.session);
    const results_ = { rich: results(seat.pmf, seat.unit), poor: results(seat.without_war, seat.unit), needs: seat.needs, needsWar: seat.needs_war };
    if (chosen.bankroll < seat.needs) return replace(this.session, head, make("p", { "data-session": "short" }, t("lab.one_round", { amount: money(seat.needs) })));
    if (sizeOf(results_, chosen.bankroll, chosen.rounds).work > WORK_MAX) return replace(this.session, head, make("p", { "data-session": "large" }, t("lab.too_large")));
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
        make("div", { class: "figure panel" }, make("span", { class: "small soft" }, t("lab.ruin")), make("strong", { class: "number", "data-ruin": course.ruined }, percent(course.ruined, 4))),
        make("div", { class: "figure panel" }, make("span", { class: "small soft" }, t("lab.ahead")), make("strong", { class: "number", "data-ahead": course.ahead }, percent(course.ahead))),
        make("div", { class: "figure panel" }, make("span", { class: "small soft" }, t("lab.mean")), make("strong", { class: "number", "data-mean": course.mean }, money(Math.round(course.mean))))),
      fan(course.lines, chosen.bankroll),
      make("p", { class: "small soft" }, t("lab.ruin_words", { amount: money(seat.needs) })),
    );
  }
}

const books = /** @type {{name: string}[]} */ (await get("/books"));
const names = books.map((book) => book.name);
const wanted = asked("book");
const lab = new Lab(names);
await lab.open(names.includes(wanted) ? wanted : (names[0] ?? ""), new URLSearchParams(location.search));
