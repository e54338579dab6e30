// Rules and odds: a rule book to be read, clause by clause, with its paytable and exact odds.

import { get } from "../api.js";
import { find, make, replace } from "../dom.js";
import "../elements/wt-header.js";
import { money } from "../money.js";
import { range, shareOf, stopName } from "../table/book.js";
import { meterWords, oddsShown } from "./odds.js";
import { asked, bookName, facts, filled, notice, plain, sentenceOf, table } from "./pieces.js";

/** @typedef {import("../types.js").BookPage} BookPage */
/** @typedef {import("../types.js").BookShown} BookShown */
/** @typedef {import("../types.js").ClauseShown} Clause */

const METHODS = /** @type {Record<string, string>} */ ({
  shoe: "a shoe with a cover card",
  batches: "with different backs, used in turn",
  every_round: "shuffled every round",
  continuous: "a continuous shuffler",
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
  return make("nav", { class: "tabs", "aria-label": "Rule books" }, make("ul", {}, ...items));
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
  const notes = page.notices.map((clause) => make("li", { id: `notice-${clause.id}`, "data-notice-clause": clause.id }, clause.rule, " ", link(clause.id)));
  // The first mention of the game on this page carries its owner's mark.
  const marked = source.title?.replace("Casino War", "Casino War™") ?? "";
  return [
    make("header", { class: "felt-band book-head" }, make("h1", {}, page.title), make("p", {}, marked), page.differs !== "" && make("p", { "data-differs": page.name }, page.differs)),
    make(
      "section",
      { class: "panel", "aria-label": "About this book" },
      facts([
        ["Document", marked],
        ["Source", source.source ?? ""],
        ...(source.version ? [/** @type {[string, string]} */ (["Version of the document", source.version])] : []),
        ...(source.date ? [/** @type {[string, string]} */ (["Date", source.date])] : []),
        ["Version of this book", page.version],
        ["Digest", make("span", { class: "mono small" }, page.digest)],
        ["Who banks", rules.banker === "player" ? "the players, in turn" : "the house"],
        ["Cards", `${page.decks_in_use}, ${METHODS[rules.options.shuffle] ?? plain(rules.options.shuffle)}`],
        ["Boxes", `${rules.table.boxes}, up to ${rules.table.boxes_per_player} per player`],
      ]),
      source.notice ? make("p", { class: "notice", "data-owner-notice": true }, source.notice) : null,
      make("p", { class: "small soft" }, "The clauses below put the document's rules in our own words. Each has the id that the engine and its tests use."),
      notes.length > 0 && make("details", {}, make("summary", {}, "Notices and disclosures"), make("ul", {}, ...notes)),
    ),
  ];
}

/** @param {BookPage} page */
function play(page) {
  const { labels, wagers } = page.rules;
  const alone = wagers.tie.with_primary ? "" : ` A ${labels.tie} may also stand alone: it is decided by the first cards, and there is no war.`;
  return make(
    "section",
    { id: "play" },
    make("h2", {}, "How it is played"),
    make(
      "ol",
      {},
      make("li", {}, `Place your ${labels.primary}${labels.tie ? `, and a ${labels.tie} if you like` : ""}.${alone}`),
      make("li", {}, `Each player and the ${labels.dealer ?? "dealer"} get one card. The higher card wins; suits do not count.`),
      make("li", {}, "On a tie, surrender and lose half of the wager, or go to war with a second, equal wager."),
      make("li", {}, "At war, each side gets one more card, and again the higher card wins."),
      make("li", { "data-burns": true }, page.burns.join(" ")),
      page.wheel && make("li", { "data-trigger": page.wheel.trigger.exact }, page.wheel.words.join(" ")),
    ),
    make("h3", {}, "Ranks"),
    make("p", { "data-ranks": true }, "From high to low: ", ...page.ranks.flatMap((rank) => [make("span", { class: "mini" }, rank), " "])),
  );
}

/**
 * What every wager gets on a win and on a tie, deal by deal, in the book's words.
 * @param {BookPage} page
 */
function results(page) {
  const { labels, options, outcomes } = page.rules;
  const line = (/** @type {string} */ deal, /** @type {string} */ wager, /** @type {string} */ win, /** @type {string} */ tie) => [`${deal}: ${labels[wager]}`, win, tie];
  const at = (/** @type {string} */ wager, /** @type {string} */ outcome) => outcomes[wager][outcome];
  const rows = [
    line("First deal", "primary", at("primary", "won"), "not decided yet: surrender or war"),
    line("First deal", "tie", "–", at("tie", "won")),
    line("War", "primary", at("primary", "war_won"), at("primary", "war_tied")),
    line("War", "war", at("war", "war_won"), at("war", "war_tied")),
  ];
  if (options.war_tie_wager !== "none") rows.push(line("War", "war_tie", "–", at("war_tie", "won")));
  return make("div", { "data-results": true }, table("Deal by deal", ["Wager", "Win", "Tie"], rows));
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
      `${ring === community ? "Community " : ""}${stopName(symbol)}`,
      make("span", { title: chance.exact }, shareOf(chance)),
      chance.value === 0 ? "never" : `1 in ${Math.round(1 / (chance.value * trigger.value)).toLocaleString("en")}`,
    ]),
  );
  return make("div", { "data-wheel": true }, table("The wheel's stops", ["Stop", "Of its turns", "Of all rounds"], rows, [1, 2]));
}

/** @param {BookPage} page */
function pays(page) {
  const rows = page.paytable.map((row) => [row.label + (row.line ? `: ${row.line}` : ""), row.pays, links([...row.clauses, ...row.readings])]);
  const ends = page.outcomes.map((row) => [row.label, plain(row.outcome), row.words, links(row.clauses)]);
  return make(
    "section",
    { id: "paytable" },
    make("h2", {}, "What wagers pay"),
    table("Paytable", ["Wager", "Pays", "Clauses"], rows),
    results(page),
    wheel(page),
    page.payout_limit && make("p", {}, page.payout_limit),
    make("details", {}, make("summary", {}, "Every way a wager can end"), table("Outcomes", ["Wager", "Outcome", "In the book's words", "Clauses"], ends)),
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
    rows.push([page.rules.labels[wager] ?? plain(wager), equal ? `as the ${page.rules.labels.primary}` : range(given[wager])]);
  }
  if (given.ceiling !== null) rows.push(["Any single wager", `at most ${money(given.ceiling)}, the ceiling of this house`]);
  else if (given.ceiling_required) rows.push(["Any single wager", "this house has set no ceiling, so it opens no table of this book"]);
  if (given.box_max) rows.push(["A box", `at most ${money(given.box_max)}`]);
  if (given.player_box_max) rows.push(["Each player on a box", `at most ${money(given.player_box_max)}`]);
  if (given.payout_max) rows.push(["Payout of a hand", `at most ${money(given.payout_max)}`]);
  for (const side of page.wagers.filter((wager) => wager.side_bet)) {
    rows.push([page.rules.labels[side.kind] ?? plain(side.kind), side.denominations.map(money).join(" or ")]);
    for (const [name, meter] of Object.entries(side.meters)) rows.push([`Meter: ${name}`, meterWords(meter)]);
  }
  return make("section", { id: "limits" }, make("h2", {}, "Limits and meters"), make("p", { class: "soft" }, "The limits of this house's tables, unless a table posts its own."), facts(rows));
}

/** @param {BookPage} page */
function glossary(page) {
  const [notes, words] = [page.glossary.filter((each) => each.term === "*"), page.glossary.filter((each) => each.term !== "*")];
  return make(
    "section",
    { id: "glossary", "data-glossary": true },
    make("h2", {}, "Glossary"),
    ...notes.map((each) => make("p", { class: "soft" }, each.meaning, " ", link(each.source))),
    make("dl", { class: "glossary" }, ...words.flatMap((each) => [make("dt", {}, each.term), make("dd", {}, each.meaning, " ", link(each.source))])),
  );
}

/** @param {Clause} clause */
function clauseShown(clause) {
  const { readings } = clause;
  return make(
    "li",
    { id: clause.id, "data-clause": clause.id },
    make("span", { class: "mono clause-id" }, clause.id),
    make("span", {}, clause.rule, readings.length > 0 && " ", readings.length > 0 && links(readings)),
  );
}

/** @param {BookPage} page */
function clauses(page) {
  const count = page.sections.reduce((sum, part) => sum + part.clauses.length, 0);
  const parts = page.sections.map((part) =>
    make("details", { class: "part", "data-section": part.id }, make("summary", {}, `${part.title} `, make("span", { class: "soft small" }, `${part.id}, ${part.clauses.length}`)), make("ul", { class: "clauses" }, ...part.clauses.map(clauseShown))),
  );
  return make("section", { id: "clauses" }, make("h2", {}, "Clause by clause"), make("p", { class: "soft" }, `${count} clauses. Where one is unclear, its reading is beside it.`), ...parts);
}

/** @param {BookPage} page */
function readings(page) {
  const items = Object.values(page.readings).map((each) =>
    make("li", { id: each.id, "data-reading": each.id }, make("span", { class: "mono clause-id" }, each.id), make("span", {}, make("span", { class: "soft" }, `${each.problem}. `), each.reading)),
  );
  return make("section", { id: "readings" }, make("h2", {}, "Readings"), make("p", { class: "soft" }, "How we read the unclear parts of the document."), make("details", { class: "part" }, make("summary", {}, `${items.length} readings`), make("ul", { class: "clauses" }, ...items)));
}

/** Open what hides the clause that the address names, and go there. */
function showTarget() {
  const id = decodeURIComponent(location.hash.slice(1));
  const target = id === "" ? null : document.getElementById(id);
  target?.closest("details")?.setAttribute("open", "");
  target?.scrollIntoView({ block: "center" });
}

async function start() {
  replace(main, make("h1", {}, "Rules and odds"), make("p", { class: "soft loading" }, "Loading the book..."));
  try {
    /** @type {BookShown[]} */
    const books = await get("/books");
    const wanted = asked("book");
    const chosen = books.some((book) => book.name === wanted) ? wanted : (books[0]?.name ?? "");
    /** @type {BookPage} */
    const page = await get(`/books/${chosen}/page`);
    document.title = `${page.title} · Rules and odds · Wartable`;
    document.body.dataset.book = chosen;
    const odds = make("div", { id: "odds-shown" });
    const about = ["play", "paytable", "odds", "limits", "glossary", "clauses", "readings"];
    const names = ["How it is played", "Paytable", "Odds", "Limits", "Glossary", "Clauses", "Readings"];
    replace(
      main,
      tabs(books, chosen),
      wanted !== "" && wanted !== chosen && notice(`There is no rule book called ${wanted} here.`, "warn"),
      ...head(page),
      make("nav", { class: "inside", "aria-label": "On this page" }, make("ul", {}, ...about.map((id, i) => make("li", {}, make("a", { href: `#${id}` }, names[i]))))),
      play(page),
      pays(page),
      make("section", { id: "odds" }, make("h2", {}, "Exact odds"), odds),
      limits(page),
      glossary(page),
      clauses(page),
      readings(page),
    );
    window.addEventListener("hashchange", showTarget);
    showTarget();
    await filled(odds, "Working out the odds...", get(`/books/${chosen}/odds`), (found) => oddsShown(found, page));
  } catch (error) {
    replace(main, make("h1", {}, "Rules and odds"), notice(sentenceOf(error), "bad"));
  }
}

void start();
