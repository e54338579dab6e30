// The lobby: tables by rule book with live counts, private tables, and one click to play.

import { get, post } from "../api.js";
import { find, make, replace } from "../dom.js";
import "../elements/wt-header.js";
import { meterName } from "../elements/wt-meter.js";
import { Link } from "../link.js";
import { money } from "../money.js";
import { current, ensure, GUESTS, refresh } from "../session.js";
import { range } from "../table/book.js";
import { t } from "../texts.js";
import { bookName, button, facts, mini, notice, sentenceOf, tableName, whyNot } from "./pieces.js";

/** @typedef {import("../types.js").Lobby} Lobby */
/** @typedef {import("../types.js").TableCard} TableCard */
/** @typedef {import("../types.js").BookShown} BookShown */
/** @typedef {import("../types.js").Me} Me */
/** @typedef {{name: string, title: string, offered: boolean}} ListedBook */

const ORDER = ["online", "washington", "maryland", "new-zealand", "california"];
const FIRST = "online";
const KEPT = "wartable-book";

/** @type {Record<string, string>} */
const ABOUT = {
  california: "Players bank in turn: the house only deals.",
  maryland: "Progressive meters, an envy bonus and a bonus wheel.",
  "new-zealand": "Up to seven boxes, several players on each.",
  online: "Up to three hands, with a new shuffle every round.",
  washington: "The classic table: one wager, one card, war on a tie.",
};

/** @type {Record<string, string>} */
const AWAITS = {
  bets: "Bets are open",
  choice: "War or surrender",
  players: "Waiting for a player",
  start: "Next round soon",
  proceed: "Cards are being dealt",
  approval: "An award is pending",
  bank: "The bank is offered",
  taker: "The bank is offered",
  cut: "The cards are cut",
  seed: "The cards are shuffled",
  number: "The cards are shuffled",
  list: "The cards are shuffled",
  cards: "The cards are shuffled",
  shuffle: "The cards are shuffled",
  decks: "New cards on the way",
  prepare: "New cards are prepared",
  load: "The shoe is loaded",
  count: "Side bets are counted",
  device: "Device out of order",
};

const main = find("#main");
const said = make("div", { "data-said": true, role: "presentation" });
const welcome = make("div", { class: "who" });
const floor = make("div", { class: "floor" });
const terms = make("span", { class: "soft" }, GUESTS ? "Play money, no sign-up." : "Sign in or register first.");

/** @param {string} sentence */
function failed(sentence) {
  replace(said, notice(sentence, "bad"));
}

/**
 * Go to a table.
 * @param {string} name
 */
function sit(name) {
  let toured = null;
  try {
    toured = localStorage.getItem("wartable-toured");
  } catch {
    // Without storage the tour is offered every time.
  }
  location.assign(`/table?name=${encodeURIComponent(name)}${toured === null ? "&tour=1" : ""}`);
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
  const play = button("Play now", "primary big", () => own(lastBook(names)), failed, { "data-play-now": true });
  return make(
    "section",
    { class: "hero" },
    make(
      "div",
      { class: "hero-words" },
      make("h1", {}, "Casino War, by the book"),
      make("p", {}, "The higher card wins. On a tie, go to war. Five published rule books, exact odds, and every shuffle can be checked."),
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
      make("p", {}, GUESTS && "You can play as a guest. ", make("a", { href: "/account" }, "Sign in or register"), GUESTS ? " to keep your name and your rounds." : " to play."),
    );
    return;
  }
  const total = Object.values(me.holds).reduce((sum, amount) => sum + amount, 0);
  if (!GUESTS) replace(terms, total === 0 && "Deposit at the cashier to play.");
  const elsewhere = Object.entries(me.holds).filter(([where, amount]) => where !== "wallet" && amount > 0);
  const parts = elsewhere.map(([where, amount]) =>
    make("li", {}, make("a", { href: `/table?name=${encodeURIComponent(where)}` }, `Back to: ${tableName(where)}`), ` (${money(amount)} there)`),
  );
  replace(
    welcome,
    parts.length > 0 && make("ul", { class: "back", "data-back": true }, ...parts),
    total === 0 && me.money === "play" && make("div", { class: "row" }, make("p", {}, "You have no play money left."), refill()),
  );
}

function refill() {
  const id = `refill-${Date.now()}`;
  const act = async () => {
    await post("/me/refill", { id });
    await refresh();
    await showWho();
  };
  return button("Get new play money", "primary", act, failed, { "data-refill": true });
}

/**
 * The last rounds: the dealer's cards with how the hands ended.
 * @param {TableCard} card
 */
function lastRounds(card) {
  if (card.last.length === 0) return make("p", { class: "small soft" }, "No rounds yet.");
  const items = card.last.map((round) => {
    const ended = [
      round.won > 0 && `${round.won} won`,
      round.lost > 0 && `${round.lost} lost`,
      round.tied > 0 && `${round.tied} tied`,
    ].filter(Boolean);
    return make("li", { title: `Round ${round.number}: ${ended.join(", ")}` }, mini(round.dealer), make("span", { class: "visually-hidden" }, ended.join(", ")));
  });
  return make("div", {}, make("p", { class: "small soft label-line" }, "Dealer's last cards"), make("ol", { class: "last" }, ...items));
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
    [t("lobby.cards"), card.decks_in_use],
    ...Object.entries(card.meters).map(([name, amount]) => /** @type {[string, string]} */ ([meterName(name), money(amount)])),
  ];
}

/** @param {TableCard} card */
function tableRow(card) {
  const free = card.seats - card.seated;
  const full = card.backline ? t("seat.none") : "Watch";
  const invites = card.closed === null ? (free > 0 ? "Sit down" : full) : "Watch";
  const state = card.closed === null ? (AWAITS[card.awaits] ?? card.awaits) : (card.reason ?? "Betting is closed");
  return make(
    "li",
    { class: "table-row", "data-table": card.name },
    make(
      "div",
      { class: "table-words" },
      make("h3", {}, card.name),
      card.differs !== "" && make("p", { class: "small", "data-differs": card.name }, `${card.title}. ${card.differs}`),
      facts(tableFacts(card)),
      make(
        "p",
        { class: "badges" },
        make("span", { class: `badge ${card.closed === null ? "" : "bad"}` }, state),
        card.staffed && make("span", { class: "badge" }, "live dealer"),
        free === 0 && make("span", { class: "badge warn" }, "full"),
      ),
      lastRounds(card),
    ),
    make("a", { class: "button", href: `/table?name=${encodeURIComponent(card.name)}`, "data-sit": card.name }, invites),
  );
}

/**
 * The ways from a book to a private table and to its rules.
 * @param {ListedBook} book
 */
function waysOf(book) {
  const mine = button("Private table", "primary", () => own(book.name), failed, { "data-private": book.name, "aria-label": `Private table, ${book.title}` });
  const rules = make("a", { class: "button quiet", href: `/rules?book=${book.name}` }, "Rules and odds");
  return make("div", { class: "buttons" }, mine, rules);
}

/**
 * A book's tables; one that the house no longer offers has only these.
 * @param {ListedBook} book
 * @param {readonly TableCard[]} cards
 */
function bookPanel(book, cards) {
  return make(
    "section",
    { class: "panel book", "data-book": book.name },
    make("header", { class: "felt-band" }, make("h2", {}, bookName(book.name)), make("p", {}, ABOUT[book.name] ?? book.title)),
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
    shut && make("p", { class: "notice warn", "data-shut": true }, "The house is not taking bets at the moment. You can watch."),
    make("p", { class: "soft small", "data-connected": lobby.connected }, lobby.connected > 1 ? `${lobby.connected} people are here now.` : ""),
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
  replace(main, make("p", { class: "soft loading" }, "Loading the tables..."));
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
    replace(main, make("h1", {}, "Lobby"), notice(sentenceOf(error), "bad"));
  }
}

void start();
