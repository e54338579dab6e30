// Rules and odds: a rule book to be read, clause by clause, with its paytable and exact odds.

import { get } from "../api.js";
import { find, make, replace } from "../dom.js";
import "../elements/wt-header.js";
import { money, number } from "../money.js";
import { range, shareOf, stopName } from "../table/book.js";
import { t } from "../page-texts.js";
import { dealerWord, outcomeName, phrase, serverWords } from "../words.js";
import { meterWords, oddsShown } from "./odds.js";
import { asked, bookName, facts, filled, notice, plain, quoted, sentenceOf, table } from "./pieces.js";

/** @typedef {import("../types.js").BookPage} BookPage */
/** @typedef {import("../types.js").BookShown} BookShown */
/** @typedef {import("../types.js").ClauseShown} Clause */

const METHODS = /** @type {Record<string, string>} */ ({
  shoe: t("rules.shoe"),
  batches: t("rules.batches"),
  every_round: t("rules.every_round"),
  continuous: t("rules.continuous"),
});

const main = find("#main");

/**
 * Links to the books.
 * @param {readonly BookShown[]} books
 * @param {string} chosen
 */
function tabs(books, chosen) {
  const items = books.map((book) =>
    make("li", {}, make("a", { href: `/rules?book=${book.name}`, "aria-current": book.name === chosen ? "page" : null, "data-book-link": book.name }, bookName(book.name))),
  );
  return make("nav", { class: "tabs", "aria-label": t("rules.books") }, make("ul", {}, ...items));
}

/**
 * A clause or reading by its id, with a link to its place on the page.
 * @param {string} id
 */
function link(id) {
  return make("a", { href: `#${id}`, class: "clause-link mono" }, id);
}

/** @param {readonly string[]} ids */
function links(ids) {
  return make("span", { class: "clause-links" }, ...ids.map(link));
}

/** @param {BookPage} page */
function head(page) {
  const { document: source, rules } = page;
  const notes = page.notices.map((clause) => make("li", { id: `notice-${clause.id}`, "data-notice-clause": clause.id }, quoted(clause.rule), " ", link(clause.id)));
  // The first mention of the game on this page carries its owner's mark.
  const marked = source.title?.replace("Casino War", "Casino War™") ?? "";
  return [
    make("header", { class: "felt-band book-head" }, make("h1", { lang: "en" }, page.title), make("p", { lang: "en" }, marked), page.differs !== "" && make("p", { "data-differs": page.name }, page.differs)),
    make(
      "section",
      { class: "panel", "aria-label": t("rules.about") },
      facts([
        [t("rules.document"), quoted(marked)],
        [t("rules.source"), quoted(source.source ?? "")],
        ...(source.version ? [/** @type {[string, string]} */ ([t("rules.document_version"), source.version])] : []),
        ...(source.date ? [/** @type {[string, string]} */ ([t("rules.date"), source.date])] : []),
        [t("rules.version"), page.version],
        [t("rules.digest"), make("span", { class: "mono small" }, page.digest)],
        [t("rules.who_banks"), t(rules.banker === "player" ? "rules.players_bank" : "rules.house_banks")],
        [t("lobby.cards"), `${serverWords(page.decks_in_use)}, ${METHODS[rules.options.shuffle]}`],
        [t("felt.boxes"), t("rules.boxes", { boxes: rules.table.boxes, most: rules.table.boxes_per_player })],
      ]),
      source.notice ? make("p", { class: "notice", "data-owner-notice": true, lang: "en" }, source.notice) : null,
      make("p", { class: "small soft" }, t("rules.words")),
      notes.length > 0 && make("details", {}, make("summary", {}, t("rules.notices")), make("ul", {}, ...notes)),
    ),
  ];
}

/** @param {BookPage} page */
function play(page) {
  const { labels, wagers } = page.rules;
  const alone = wagers.tie.with_primary ? "" : ` ${t("rules.alone", { tie: labels.tie ?? "" })}`;
  return make(
    "section",
    { id: "play" },
    make("h2", {}, t("rules.play")),
    make(
      "ol",
      {},
      make("li", {}, `${t(labels.tie ? "rules.place_tie" : "rules.place", { primary: labels.primary ?? "", tie: labels.tie ?? "" })}${alone}`),
      make("li", {}, t("rules.cards", { dealer: dealerWord(/** @type {any} */ (page)) })),
      make("li", {}, t("rules.tie")),
      make("li", {}, t("rules.war")),
      make("li", { "data-burns": true }, page.burns.map(serverWords).join(" ")),
      page.wheel && make("li", { "data-trigger": page.wheel.trigger.exact }, page.wheel.words.map(serverWords).join(" ")),
    ),
    make("h3", {}, t("rules.ranks")),
    make("p", { "data-ranks": true }, `${t("rules.high_low")} `, ...page.ranks.flatMap((rank) => [make("span", { class: "mini" }, rank), " "])),
  );
}

/**
 * What every wager gets on a win and on a tie, deal by deal, in the book's words.
 * @param {BookPage} page
 */
function results(page) {
  const { labels, options, outcomes } = page.rules;
  const line = (/** @type {string} */ deal, /** @type {string} */ wager, /** @type {string | Node} */ win, /** @type {string | Node} */ tie) => [`${deal}: ${labels[wager]}`, win, tie];
  const at = (/** @type {string} */ wager, /** @type {string} */ outcome) => quoted(outcomes[wager][outcome]);
  const rows = [
    line(t("rules.first_deal"), "primary", at("primary", "won"), t("rules.not_decided")),
    line(t("rules.first_deal"), "tie", "–", at("tie", "won")),
    line(t("rules.war_deal"), "primary", at("primary", "war_won"), at("primary", "war_tied")),
    line(t("rules.war_deal"), "war", at("war", "war_won"), at("war", "war_tied")),
  ];
  if (options.war_tie_wager !== "none") rows.push(line(t("rules.war_deal"), "war_tie", "–", at("war_tie", "won")));
  return make("div", { "data-results": true }, table(t("rules.deals"), [t("receipt.wager"), t("rules.win"), t("rules.on_tie")], rows));
}

/**
 * How often the wheel stops at each of its places; null if the book has no wheel.
 * @param {BookPage} page
 */
function wheel(page) {
  if (page.wheel === null) return null;
  const { trigger, hot_spot, community } = page.wheel;
  const rows = [hot_spot, community].flatMap((ring) =>
    Object.entries(ring).map(([symbol, chance]) => [
      ring === community ? t("rules.community", { stop: stopName(symbol) }) : stopName(symbol),
      make("span", { title: chance.exact }, shareOf(chance)),
      chance.value === 0 ? t("rules.never") : t("rules.one_in", { count: number(Math.round(1 / (chance.value * trigger.value))) }),
    ]),
  );
  return make("div", { "data-wheel": true }, table(t("rules.stops"), [t("rules.stop"), t("rules.of_turns"), t("rules.of_rounds")], rows, [1, 2]));
}

/** @param {BookPage} page */
function pays(page) {
  const rows = page.paytable.map((row) => [row.label + (row.line ? `: ${serverWords(row.line)}` : ""), serverWords(row.pays), links([...row.clauses, ...row.readings])]);
  const ends = page.outcomes.map((row) => [row.label, outcomeName(row.wager, row.outcome), quoted(row.words), links(row.clauses)]);
  return make(
    "section",
    { id: "paytable" },
    make("h2", {}, t("rules.pay")),
    table(t("rules.paytable"), [t("receipt.wager"), t("rules.pays"), t("rules.clauses")], rows),
    results(page),
    wheel(page),
    page.payout_limit && make("p", {}, serverWords(page.payout_limit)),
    make("details", {}, make("summary", {}, t("rules.ends")), table(t("rules.outcomes"), [t("receipt.wager"), t("history.outcome"), t("rules.book_words"), t("rules.clauses")], ends)),
  );
}

/** @param {BookPage} page */
function limits(page) {
  const { limits: given } = page.rules;
  /** @type {[string, string][]} */
  const rows = [];
  for (const wager of ["primary", "tie", "war_tie"]) {
    if (page.rules.labels[wager] === undefined) continue;
    const equal = wager === "war_tie" && page.rules.options.war_tie_wager === "equal_primary";
    rows.push([page.rules.labels[wager] ?? plain(wager), equal ? t("rules.as_primary", { primary: page.rules.labels.primary ?? "" }) : range(given[wager])]);
  }
  if (given.ceiling !== null) rows.push([t("rules.single"), t("rules.ceiling", { amount: money(given.ceiling) })]);
  else if (given.ceiling_required) rows.push([t("rules.single"), t("rules.no_ceiling")]);
  if (given.box_max) rows.push([t("rules.a_box"), t("rules.at_most", { amount: money(given.box_max) })]);
  if (given.player_box_max) rows.push([t("rules.player_box"), t("rules.at_most", { amount: money(given.player_box_max) })]);
  if (given.payout_max) rows.push([t("rules.payout"), t("rules.at_most", { amount: money(given.payout_max) })]);
  for (const side of page.wagers.filter((wager) => wager.side_bet)) {
    rows.push([page.rules.labels[side.kind] ?? plain(side.kind), side.denominations.map(money).join(` ${t("word.or")} `)]);
    for (const [name, meter] of Object.entries(side.meters)) rows.push([t("rules.meter", { meter: phrase("meter", name) }), meterWords(meter)]);
  }
  return make("section", { id: "limits" }, make("h2", {}, t("rules.limits")), make("p", { class: "soft" }, t("rules.limits_words")), facts(rows));
}

/** @param {BookPage} page */
function glossary(page) {
  const [notes, words] = [page.glossary.filter((each) => each.term === "*"), page.glossary.filter((each) => each.term !== "*")];
  return make(
    "section",
    { id: "glossary", "data-glossary": true },
    make("h2", {}, t("rules.glossary")),
    ...notes.map((each) => make("p", { class: "soft" }, quoted(each.meaning), " ", link(each.source))),
    make("dl", { class: "glossary" }, ...words.flatMap((each) => [make("dt", { lang: "en" }, each.term), make("dd", {}, quoted(each.meaning), " ", link(each.source))])),
  );
}

/** @param {Clause} clause */
function clauseShown(clause) {
  const { readings } = clause;
  return make(
    "li",
    { id: clause.id, "data-clause": clause.id },
    make("span", { class: "mono clause-id" }, clause.id),
    make("span", {}, quoted(clause.rule), readings.length > 0 && " ", readings.length > 0 && links(readings)),
  );
}

/** @param {BookPage} page */
function clauses(page) {
  const count = page.sections.reduce((sum, part) => sum + part.clauses.length, 0);
  const parts = page.sections.map((part) =>
    make("details", { class: "part", "data-section": part.title }, make("summary", {}, quoted(part.title), " ", make("span", { class: "soft small" }, String(part.clauses.length))), make("ul", { class: "clauses" }, ...part.clauses.map(clauseShown))),
  );
  return make("section", { id: "clauses" }, make("h2", {}, t("rules.by_clause")), make("p", { class: "soft" }, t("rules.clause_count", { count })), ...parts);
}

/** @param {BookPage} page */
function readings(page) {
  const items = Object.values(page.readings).map((each) =>
    make("li", { id: each.id, "data-reading": each.id }, make("span", { class: "mono clause-id" }, each.id), make("span", { lang: "en" }, make("span", { class: "soft" }, `${each.problem}. `), each.reading)),
  );
  return make("section", { id: "readings" }, make("h2", {}, t("rules.readings")), make("p", { class: "soft" }, t("rules.readings_words")), make("details", { class: "part" }, make("summary", {}, t("rules.reading_count", { count: items.length })), make("ul", { class: "clauses" }, ...items)));
}

/** Open what hides the clause that the address names, and go there. */
function showTarget() {
  const id = decodeURIComponent(location.hash.slice(1));
  const target = id === "" ? null : document.getElementById(id);
  target?.closest("details")?.setAttribute("open", "");
  target?.scrollIntoView({ block: "center" });
}

async function start() {
  replace(main, make("h1", {}, t("table.rules_odds")), make("p", { class: "soft loading" }, t("rules.loading")));
  try {
    /** @type {BookShown[]} */
    const books = await get("/books");
    const wanted = asked("book");
    const chosen = books.some((book) => book.name === wanted) ? wanted : (books[0]?.name ?? "");
    /** @type {BookPage} */
    const page = await get(`/books/${chosen}/page`);
    document.title = `${page.title} · ${t("table.rules_odds")} · Wartable`;
    document.body.dataset.book = chosen;
    const odds = make("div", { id: "odds-shown" });
    const about = ["play", "paytable", "odds", "limits", "glossary", "clauses", "readings"];
    const names = [t("rules.play"), t("rules.paytable"), t("rules.odds"), t("felt.limits"), t("rules.glossary"), t("rules.clauses"), t("rules.readings")];
    replace(
      main,
      tabs(books, chosen),
      wanted !== "" && wanted !== chosen && notice(t("rules.no_book", { book: wanted }), "warn"),
      ...head(page),
      make("nav", { class: "inside", "aria-label": t("rules.on_page") }, make("ul", {}, ...about.map((id, i) => make("li", {}, make("a", { href: `#${id}` }, names[i]))))),
      play(page),
      pays(page),
      make("section", { id: "odds" }, make("h2", {}, t("rules.exact_odds")), odds),
      limits(page),
      glossary(page),
      clauses(page),
      readings(page),
    );
    window.addEventListener("hashchange", showTarget);
    showTarget();
    await filled(odds, t("rules.working"), get(`/books/${chosen}/odds`), (found) => oddsShown(found, page));
  } catch (error) {
    replace(main, make("h1", {}, t("table.rules_odds")), notice(sentenceOf(error), "bad"));
  }
}

void start();
