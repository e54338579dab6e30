// The lobby: tables by rule book with live counts, private tables, and one click to play.

import { get, post } from "../api.js";
import { find, make, replace } from "../dom.js";
import "../elements/wt-header.js";
import { meterName } from "../elements/wt-meter.js";
import { Link } from "../link.js";
import { money } from "../money.js";
import { current, ensure, GUESTS, refresh } from "../session.js";
import { range } from "../table/book.js";
import { toured } from "../table/tour.js";
import { t } from "../page-texts.js";
import { serverWords } from "../words.js";
import { bookName, button, facts, mini, notice, sentenceOf, tableName, whyNot } from "./pieces.js";

/** @typedef {import("../types.js").Lobby} Lobby */
/** @typedef {import("../types.js").TableCard} TableCard */
/** @typedef {import("../types.js").BookShown} BookShown */
/** @typedef {import("../types.js").Me} Me */
/** @typedef {{name: string, title: string, offered: boolean}} ListedBook */

const ORDER = ["online", "washington", "maryland", "new-zealand", "california"];
const FIRST = "online";
const KEPT = "wartable-book";

/** @typedef {import("../page-texts.js").TextKey} TextKey */

/** @type {Record<string, TextKey>} */
const ABOUT = {
  california: "about.california",
  maryland: "about.maryland",
  "new-zealand": "about.new_zealand",
  online: "about.online",
  washington: "about.washington",
};

/** @type {Record<string, TextKey>} */
const AWAITS = {
  bets: "awaits.bets",
  choice: "awaits.choice",
  players: "awaits.players",
  start: "awaits.start",
  proceed: "awaits.proceed",
  approval: "awaits.approval",
  bank: "awaits.bank",
  taker: "awaits.bank",
  cut: "awaits.cut",
  number: "awaits.shuffle",
  list: "awaits.shuffle",
  cards: "awaits.shuffle",
  shuffle: "awaits.shuffle",
  decks: "awaits.decks",
  prepare: "awaits.prepare",
  load: "awaits.load",
  count: "awaits.count",
  device: "awaits.device",
};

const main = find("#main");
const said = make("div", { "data-said": true, role: "presentation" });
const welcome = make("div", { class: "who" });
const floor = make("div", { class: "floor" });
const terms = make("span", { class: "soft" }, t(GUESTS ? "lobby.no_sign_up" : "lobby.sign_in_first"));

/** @param {string} sentence */
function failed(sentence) {
  replace(said, notice(sentence, "bad"));
}

/**
 * Go to a table.
 * @param {string} name
 */
function sit(name) {
  location.assign(wayTo(name, true));
}

/**
 * The address of a table, with the tour of the first round if there is one to offer.
 * @param {string} name
 * @param {boolean} tour
 */
function wayTo(name, tour) {
  return `/table?name=${encodeURIComponent(name)}${tour && !toured() ? "&tour=1" : ""}`;
}

/**
 * Open the visitor's private table of a book, as a guest if need be, and go there.
 * @param {string} book
 */
async function own(book) {
  await ensure();
  const opened = await post("/tables/private", { book });
  try {
    localStorage.setItem(KEPT, book);
  } catch {
    // A browser without storage starts with the first book again.
  }
  sit(opened.name);
}

/**
 * The book of the last private table, if it is offered here.
 * @param {readonly string[]} books
 * @returns {string}
 */
function lastBook(books) {
  let kept = null;
  try {
    kept = localStorage.getItem(KEPT);
  } catch {
    // Nothing is stored.
  }
  if (kept !== null && books.includes(kept)) return kept;
  return books.includes(FIRST) ? FIRST : (books[0] ?? FIRST);
}

/** @param {readonly BookShown[]} books */
function hero(books) {
  const names = books.map((book) => book.name);
  const play = button(t("lobby.play_now"), "primary big", () => own(lastBook(names)), failed, { "data-play-now": true });
  return make(
    "section",
    { class: "hero" },
    make(
      "div",
      { class: "hero-words" },
      make("h1", {}, t("lobby.title")),
      make("p", {}, t("lobby.words")),
      make("div", { class: "row" }, play, terms),
      said,
    ),
    make("div", { class: "fan", "aria-hidden": "true" }, big("Ks"), big("9h"), big("Ad")),
  );
}

/** @param {string} card */
function big(card) {
  const made = mini(card);
  made.classList.add("big");
  return made;
}

/** Who is signed in, and a way to get new money when it has run out. */
async function showWho() {
  const me = await current();
  if (me === null) {
    replace(
      welcome,
      make("p", {}, GUESTS && `${t("lobby.guest")} `, make("a", { href: "/account" }, t("lobby.sign_in")), ` ${t(GUESTS ? "lobby.to_keep" : "lobby.to_play")}`),
    );
    return;
  }
  const total = Object.values(me.holds).reduce((sum, amount) => sum + amount, 0);
  if (!GUESTS) replace(terms, total === 0 && t("lobby.deposit"));
  const elsewhere = Object.entries(me.holds).filter(([where, amount]) => where !== "wallet" && amount > 0);
  const parts = elsewhere.map(([where, amount]) =>
    make("li", {}, make("a", { href: `/table?name=${encodeURIComponent(where)}` }, t("lobby.back", { table: tableName(where) })), ` ${t("lobby.there", { amount: money(amount) })}`),
  );
  replace(
    welcome,
    parts.length > 0 && make("ul", { class: "back", "data-back": true }, ...parts),
    total === 0 && me.money === "play" && make("div", { class: "row" }, make("p", {}, t("lobby.broke")), refill()),
  );
}

function refill() {
  const id = `refill-${Date.now()}`;
  const act = async () => {
    await post("/me/refill", { id });
    await refresh();
    await showWho();
  };
  return button(t("account.refill"), "primary", act, failed, { "data-refill": true });
}

/**
 * The last rounds: the dealer's cards with how the hands ended.
 * @param {TableCard} card
 */
function lastRounds(card) {
  if (card.last.length === 0) return make("p", { class: "small soft" }, t("lobby.no_rounds"));
  const items = card.last.map((round) => {
    const ended = [
      round.won > 0 && t("lobby.won", { count: round.won }),
      round.lost > 0 && t("lobby.lost", { count: round.lost }),
      round.tied > 0 && t("lobby.tied", { count: round.tied }),
    ].filter(Boolean);
    return make("li", { title: t("lobby.round", { number: round.number, ended: ended.join(", ") }) }, mini(round.dealer), make("span", { class: "visually-hidden" }, ended.join(", ")));
  });
  return make("div", {}, make("p", { class: "small soft label-line" }, t("lobby.last")), make("ol", { class: "last" }, ...items));
}

/**
 * Seats, stakes, pace and meters by their names.
 * @param {TableCard} card
 * @returns {[string, string][]}
 */
function tableFacts(card) {
  const { bots, watching, ceiling, betting_ms } = card;
  const company = [bots > 0 && t("lobby.bots", { count: bots }), watching > 0 && t("lobby.watching", { count: watching })].filter(Boolean);
  const stakes = range({ min: card.minimum, max: card.maximum });
  return [
    [t("lobby.seats"), [t("lobby.taken", { seated: card.seated, seats: card.seats }), ...company].join(", ")],
    [t("lobby.stakes"), ceiling === null || (card.maximum !== null && card.maximum <= ceiling) ? stakes : `${stakes}, ${t("lobby.ceiling", { amount: money(ceiling) })}`],
    [t("lobby.pace"), betting_ms === null ? t("lobby.dealer") : t("lobby.seconds", { count: Math.ceil(betting_ms / 1000) })],
    [t("lobby.cards"), serverWords(card.decks_in_use)],
    ...Object.entries(card.meters).map(([name, amount]) => /** @type {[string, string]} */ ([meterName(name), money(amount)])),
  ];
}

/** @param {TableCard} card */
function tableRow(card) {
  // A bot gives up its seat for a person.
  const free = card.seats - card.seated + card.bots;
  const full = t(card.backline ? "seat.none" : "lobby.watch");
  const invites = card.closed === null ? (free > 0 ? t("seat.sit") : full) : t("lobby.watch");
  const awaits = AWAITS[card.awaits];
  const state = card.closed === null ? (awaits === undefined ? card.awaits : t(awaits)) : (card.reason ?? t("lobby.closed"));
  return make(
    "li",
    { class: "table-row", "data-table": card.name },
    make(
      "div",
      { class: "table-words" },
      make("h3", {}, tableName(card.name)),
      card.differs !== "" && make("p", { class: "small", "data-differs": card.name }, `${card.title}. ${card.differs}`),
      facts(tableFacts(card)),
      make(
        "p",
        { class: "badges" },
        make("span", { class: `badge ${card.closed === null ? "" : "bad"}` }, state),
        card.staffed && make("span", { class: "badge" }, t("table.live")),
        free === 0 && make("span", { class: "badge warn" }, t("lobby.full")),
      ),
      lastRounds(card),
    ),
    make("a", { class: "button", href: wayTo(card.name, !card.staffed), "data-sit": card.name }, invites),
  );
}

/**
 * The ways from a book to a private table and to its rules.
 * @param {ListedBook} book
 */
function waysOf(book) {
  const mine = button(t("lobby.private"), "primary", () => own(book.name), failed, { "data-private": book.name, "aria-label": t("lobby.private_of", { book: book.title }) });
  const rules = make("a", { class: "button quiet", href: `/rules?book=${book.name}` }, t("table.rules_odds"));
  return make("div", { class: "buttons" }, mine, rules);
}

/**
 * A book's tables; one that the house no longer offers has only these.
 * @param {ListedBook} book
 * @param {readonly TableCard[]} cards
 */
function bookPanel(book, cards) {
  const about = ABOUT[book.name];
  return make(
    "section",
    { class: "panel book", "data-book": book.name },
    make("header", { class: "felt-band" }, make("h2", {}, bookName(book.name)), make("p", {}, about === undefined ? book.title : t(about))),
    book.offered && waysOf(book),
    make("ul", { class: "tables" }, ...cards.map(tableRow)),
  );
}

/**
 * The books of the lobby: those that the house offers, then those that only open tables have.
 * @param {readonly BookShown[]} books
 * @param {readonly TableCard[]} cards
 * @returns {ListedBook[]}
 */
function listedBooks(books, cards) {
  const offered = new Set(books.map((book) => book.name));
  const others = new Map(cards.filter((card) => !offered.has(card.book)).map((card) => [card.book, card.title]));
  return [
    ...books.map(({ name, title }) => ({ name, title, offered: true })),
    ...[...others].map(([name, title]) => ({ name, title, offered: false })),
  ];
}

/**
 * @param {readonly BookShown[]} books
 * @param {Lobby} lobby
 */
function showFloor(books, lobby) {
  const focused = document.activeElement;
  const key = focused instanceof HTMLElement && floor.contains(focused) ? focusKey(focused) : null;
  const listed = listedBooks(books, lobby.tables);
  const panels = listed.map((book) => bookPanel(book, lobby.tables.filter((card) => card.book === book.name)));
  const shut = lobby.tables.some((card) => card.closed === "gaming");
  replace(
    floor,
    shut && make("p", { class: "notice warn", "data-shut": true }, t("lobby.shut")),
    make("p", { class: "soft small", "data-connected": lobby.connected }, lobby.connected > 1 ? t("lobby.here", { count: lobby.connected }) : ""),
    make("div", { class: "books" }, ...panels),
  );
  // The lobby is redrawn every second or so: the focused button keeps the focus.
  if (key !== null) /** @type {HTMLElement | null} */ (floor.querySelector(key))?.focus({ preventScroll: true });
}

/**
 * A selector that finds an element again after a redraw.
 * @param {HTMLElement} element
 * @returns {string | null}
 */
function focusKey(element) {
  for (const name of ["data-private", "data-sit"]) {
    const value = element.getAttribute(name);
    if (value !== null) return `[${name}="${CSS.escape(value)}"]`;
  }
  const book = element.closest("[data-book]")?.getAttribute("data-book");
  return book ? `[data-book="${CSS.escape(book)}"] a.quiet` : null;
}

/**
 * A book's place in the lobby; the house's own books come after the documents'.
 * @param {string} book
 */
function placeOf(book) {
  const place = ORDER.indexOf(book);
  return place < 0 ? ORDER.length : place;
}

async function start() {
  replace(main, make("p", { class: "soft loading" }, t("lobby.loading")));
  try {
    const [books, lobby] = await Promise.all([get("/books"), get("/lobby")]);
    /** @type {BookShown[]} */
    const sorted = [...books].sort((a, b) => placeOf(a.name) - placeOf(b.name));
    const link = new Link(null);
    replace(main, whyNot(link), hero(sorted), welcome, floor);
    showFloor(sorted, lobby);
    let drawn = JSON.stringify([lobby.connected, lobby.tables]);
    link.addEventListener("lobby", (event) => {
      const detail = /** @type {CustomEvent<Lobby>} */ (event).detail;
      const now = JSON.stringify([detail.connected, detail.tables]);
      if (now !== drawn) showFloor(sorted, detail);
      drawn = now;
    });
    link.open();
    window.addEventListener("session", () => void showWho());
    await showWho();
  } catch (error) {
    replace(main, make("h1", {}, t("nav.lobby")), notice(sentenceOf(error), "bad"));
  }
}

void start();
