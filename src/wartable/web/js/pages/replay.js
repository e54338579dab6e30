// The replay: a round on the felt again, event by event, from the journal.

import { get } from "../api.js";
import { find, icon, make, replace, write } from "../dom.js";
import "../elements/wt-felt.js";
import "../elements/wt-header.js";
import { fold } from "../fold.js";
import { money, signed } from "../money.js";
import { callExactly, learn, nameOf } from "../names.js";
import { isStill } from "../preferences.js";
import { current } from "../session.js";
import { t } from "../page-texts.js";
import { countsNothing, outcomeWords, phrase, serverWords, sentence } from "../words.js";
import { asked, bookName, facts, mini, net, notice, sentenceOf, table, tableName, when, wonOrLost } from "./pieces.js";

/** @typedef {import("../types.js").Event} TableEvent */
/** @typedef {import("../types.js").Replay} Replay */
/** @typedef {import("../types.js").Table} Table */
/** @typedef {import("../table/book.js").TableBook} TableBook */
/** @typedef {import("../elements/wt-felt.js").Felt} Felt */

const PACE_MS = 900;
const ICONS = {
  first: ["M6 5v14", "M19 5 9 12l10 7z"],
  back: ["M16 5 7 12l9 7z"],
  forward: ["M8 5l9 7-9 7z"],
  last: ["M18 5v14", "M5 5l10 7-10 7z"],
};
const QUIET = new Set(["meter_fed", "meter_unfed", "meters_shown", "house_chose", "cards_collected", "opened"]);

const main = find("#main");

/**
 * One step of the replay: the table after it, and what happened in words.
 * @typedef {object} Step
 * @property {Table} state
 * @property {string} text
 * @property {string} type
 */

/**
 * The table before the round, and after each of its events.
 * @param {Replay} found
 * @param {TableBook} book
 * @param {string} me
 * @returns {Step[]}
 */
function stepsOf(found, book, me) {
  let state = found.before;
  // What the round before left on the felt is not this round's.
  const cleared = state.round?.closed ? { ...state, round: null } : state;
  const steps = [{ state: cleared, text: t("replay.before"), type: "before" }];
  for (const row of found.round.rows) {
    for (const event of /** @type {readonly TableEvent[]} */ (row.events)) {
      state = fold(state, event);
      const text = sentence(event, book, me);
      const last = steps[steps.length - 1];
      if (last !== undefined && (QUIET.has(event.type) || text === "" || countsNothing(event))) last.state = state;
      else steps.push({ state, text, type: event.type });
    }
  }
  return steps;
}

/** The felt with its controls. */
class Player {
  /**
   * @param {Felt} felt
   * @param {Step[]} steps
   */
  constructor(felt, steps) {
    this.felt = felt;
    this.steps = steps;
    this.at = 0;
    /** @type {ReturnType<typeof setInterval> | undefined} */
    this.timer = undefined;
    this.said = make("p", { class: "replay-said", role: "status", "data-step-text": true });
    this.count = make("span", { class: "number soft" });
    this.slider = make("input", { type: "range", min: 0, max: steps.length - 1, step: 1, value: 0, "aria-label": t("replay.step") });
    this.play = make("button", { class: "button primary", type: "button", "data-play": true }, t("replay.play"));
    this.items = steps.map((step, i) => {
      const go = make("button", { class: "step", type: "button" }, step.text);
      go.addEventListener("click", () => this.show(i));
      return make("li", { "data-step": i }, go);
    });
    this.slider.addEventListener("input", () => this.show(Number(this.slider.value)));
    this.play.addEventListener("click", () => (this.timer === undefined ? this.run() : this.stop()));
  }

  controls() {
    /** @type {(label: string, hook: keyof typeof ICONS, to: () => number) => HTMLButtonElement} */
    const jump = (label, hook, to) => {
      const made = make("button", { class: "button jump", type: "button", "aria-label": label, "data-jump": hook }, icon(...ICONS[hook]));
      made.addEventListener("click", () => {
        this.stop();
        this.show(to());
      });
      return made;
    };
    const last = this.steps.length - 1;
    return make(
      "div",
      { class: "panel replay-controls" },
      this.said,
      make(
        "div",
        { class: "row" },
        jump(t("replay.first"), "first", () => 0),
        jump(t("replay.back"), "back", () => this.at - 1),
        this.play,
        jump(t("replay.forward"), "forward", () => this.at + 1),
        jump(t("replay.last"), "last", () => last),
        this.count,
      ),
      this.slider,
    );
  }

  /** @param {number} wanted */
  show(wanted) {
    const at = Math.max(0, Math.min(this.steps.length - 1, wanted));
    const step = this.steps[at];
    if (step === undefined) return;
    this.at = at;
    this.felt.show(step.state);
    write(this.said, step.text);
    write(this.count, t("replay.of", { at, count: this.steps.length - 1 }));
    this.slider.value = String(at);
    this.slider.setAttribute("aria-valuetext", step.text);
    this.items.forEach((item, i) => {
      if (i === at) item.setAttribute("aria-current", "step");
      else item.removeAttribute("aria-current");
    });
  }

  run() {
    if (this.at === this.steps.length - 1) this.show(0);
    write(this.play, t("replay.pause"));
    this.timer = setInterval(() => {
      this.show(this.at + 1);
      if (this.at === this.steps.length - 1) this.stop();
    }, isStill() ? 2 * PACE_MS : PACE_MS);
  }

  stop() {
    clearInterval(this.timer);
    this.timer = undefined;
    write(this.play, t("replay.play"));
  }
}

/**
 * @param {Replay} found
 * @param {TableBook} book
 * @param {boolean} staff
 */
function summary(found, book, staff) {
  const { round } = found;
  const cards = Object.entries(round.cards).map(([box, dealt]) =>
    /** @type {[string, Node]} */ ([Number(box) === 0 ? t("replay.dealer") : t("box.name", { box }), make("span", { class: "row small-row" }, ...dealt.map(mini))]),
  );
  const wagers = round.wagers.map((each) => [
    `${t("box.name", { box: each.box })}, ${nameOf(each.player)}`,
    each.label,
    money(each.staked),
    money(each.returned),
    net(each.net),
    outcomeWords(book, each.wager, each.outcome),
    each.clauses.join(", "),
  ]);
  return make(
    "div",
    { class: "stack" },
    make("section", { class: "panel" }, make("h2", {}, t("lobby.cards")), facts(cards), round.burned > 0 && make("p", { class: "small soft" }, `${t("felt.burned", { count: round.burned })}.`), found.burned.length > 0 && make("p", { "data-burned-cards": true }, `${t("replay.burned")} `, ...found.burned.flatMap((card) => [mini(card), " "]))),
    make("section", { class: "panel" }, make("h2", {}, t("replay.wagers")), table(t("replay.how"), [t("replay.hand"), t("receipt.wager"), t("receipt.staked"), t("receipt.returned"), t("receipt.net"), t("replay.why"), t("rules.clauses")], wagers, [2, 3, 4])),
    make(
      "section",
      { class: "panel" },
      make("h2", {}, t("replay.record")),
      facts([
        [t("replay.began"), when(round.started_ms)],
        ...(round.ended_ms === null ? [] : [/** @type {[string, Node]} */ ([t("replay.ended"), when(round.ended_ms)])]),
        ...(round.void === null ? [] : [/** @type {[string, string]} */ ([t("history.void"), phrase("reason", round.void)])]),
        [t("history.rule_book"), `${bookName(round.book)} ${round.version}, ${serverWords(round.decks_in_use)}`],
        ...(round.edition === "" ? [] : [/** @type {[string, string]} */ ([t("rules.document"), serverWords(round.edition)])]),
        ...(round.bank === null ? [] : [/** @type {[string, string]} */ ([t("box.bank"), `${t("replay.posted", { player: nameOf(round.banker ?? ""), amount: money(round.bank) })} ${wonOrLost(round.banker_net)}`])]),
        ...(staff ? [/** @type {[string, Node]} */ ([t("replay.tray"), make("span", { "data-house-credit": round.house }, signed(round.house))])] : []),
        ...(staff ? Object.entries(round.meters).map(([name, [before, after]]) => /** @type {[string, Node]} */ ([t("rules.meter", { meter: phrase("meter", name) }), make("span", { "data-meter-before": before, "data-meter-after": after }, t("replay.meter", { before: money(before), after: money(after) }))])) : []),
        [t("rules.digest"), make("span", { class: "mono small" }, round.digest)],
        [t("replay.commitment"), make("span", { class: "mono small" }, round.commitment)],
        [t("replay.rows"), t("word.range", { min: round.first_row, max: round.last_row })],
      ]),
      make("p", {}, make("a", { href: `/fairness?table=${encodeURIComponent(round.table)}` }, t("replay.check"))),
    ),
  );
}

async function start() {
  const [name, number] = [asked("table"), asked("round")];
  const title = make("h1", {}, t("history.replay"));
  if (name === "" || !/^\d+$/.test(number)) {
    replace(main, title, make("div", { class: "empty", "data-empty": true }, make("p", {}, t("replay.choose")), make("a", { class: "button primary", href: "/history" }, t("nav.history"))));
    return;
  }
  replace(main, title, make("p", { class: "soft loading" }, t("replay.loading")));
  try {
    const me = await current();
    if (me !== null && me.role !== "player") callExactly();
    const where = encodeURIComponent(name);
    /** @type {[Replay, TableBook]} */
    const [found, book] = await Promise.all([get(`/rounds/${where}/${number}`), get(`/tables/${where}/book`)]);
    await learn([...found.round.wagers.map((each) => each.player), found.round.banker ?? ""].filter(Boolean));
    const felt = /** @type {Felt} */ (document.createElement("wt-felt"));
    const player = new Player(felt, stepsOf(found, book, me?.name ?? ""));
    document.title = `${t("replay.of_round", { number })} · Wartable`;
    replace(
      main,
      make("div", { class: "replay-mark", "data-replay": true, role: "note" }, make("strong", {}, t("replay.mark")), ` ${t("replay.over")}`),
      make("h1", {}, t("replay.title", { number, table: tableName(name) })),
      make("div", { class: "replay" }, make("div", { class: "replay-felt" }, player.controls(), felt), make("section", { class: "panel" }, make("h2", {}, t("replay.steps")), make("ol", { class: "steps" }, ...player.items))),
      summary(found, book, me !== null && me.role !== "player"),
    );
    felt.open(book, me?.name ?? null);
    player.show(0);
  } catch (error) {
    replace(main, title, notice(sentenceOf(error), "bad"), make("p", {}, make("a", { href: "/history" }, t("replay.back_to"))));
  }
}

void start();
