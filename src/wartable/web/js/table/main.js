// The table page: it joins the link, the felt and the panels, and shows what the server says.

import "../elements/wt-header.js";
import "../elements/wt-countdown.js";
import "../elements/wt-felt.js";
import { get } from "../api.js";
import { say } from "../announce.js";
import { find, make, write } from "../dom.js";
import { Link } from "../link.js";
import { money } from "../money.js";
import { learn } from "../names.js";
import { ensure, refresh } from "../session.js";
import { refusalWords, t } from "../texts.js";
import { serverWords, sentence } from "../words.js";
import { awayWords } from "./away.js";
import { Bar } from "./bar.js";
import { Bets } from "./bets.js";
import { Choices } from "./choices.js";
import { Company } from "./company.js";
import { Keys } from "./keys.js";
import { move } from "./motion.js";
import { Notices } from "./notices.js";
import { NumberSign } from "./number.js";
import { Offers } from "./offers.js";
import { Pace } from "./pace.js";
import { Presses } from "./press.js";
import { showReceipt } from "./receipt.js";
import { Record } from "./record.js";
import { Result } from "./result.js";
import { Room } from "./room.js";
import { Seating } from "./seating.js";
import { sound } from "./sound.js";
import { Spread } from "./spread.js";
import { keepInSight } from "./stage.js";
import { Stay } from "./stay.js";
import { statusWords } from "./status.js";
import { Tips } from "./tips.js";
import { Tour } from "./tour.js";
import { atStake, shownRound } from "./boxes.js";

/** @typedef {import("../types.js").Table} Table */
/** @typedef {import("../types.js").Event} TableEvent */
/** @typedef {import("../types.js").Awaited} Awaited */
/** @typedef {import("../elements/wt-felt.js").Felt} Felt */
/** @typedef {import("../elements/wt-header.js").Header} Header */
/** @typedef {import("../elements/wt-countdown.js").Countdown} Countdown */

const WARN_AT_SECONDS = [10, 5];

/** What has a time limit that is worth showing. */
const HURRIED = new Set(["bets", "choice", "cut", "bank", "start", "taker"]);

/** What is awaited from an event on, until the server says what it awaits next.
 * @type {{[event in TableEvent["type"]]?: "proceed" | "start"}} */
const THEN = { bets_closed: "proceed", closed: "start" };

/** @type {{[event in TableEvent["type"]]?: import("./sound.js").SoundName}} */
const SOUNDS = { placed: "chip", dealt: "card", burned: "card", shoe_started: "shuffle", spun: "wheel" };

/** @type {{[size in import("./result.js").Size]: import("./sound.js").SoundName | null}} */
const ENDS = { jackpot: "jackpot", large: "large", won: "won", even: null, lost: "lost" };

/** The whole page. */
class TablePage {
  /**
   * @param {Room} room
   * @param {Notices} notices
   */
  constructor(room, notices) {
    const complain = (/** @type {unknown} */ error) => notices.complain(error);
    this.room = room;
    this.notices = notices;
    this.felt = /** @type {Felt} */ (find("wt-felt"));
    this.countdown = /** @type {Countdown} */ (find("wt-countdown"));
    this.header = /** @type {Header} */ (find("wt-header"));
    this.dock = find("#dock");
    this.status = find("#status");
    this.felt.open(room.book, room.you);
    keepInSight(this.felt);
    this.tips = new Tips(this.felt, room.book);
    this.bets = new Bets(room, this.felt, complain, (text) => notices.tell(text));
    this.choices = new Choices(room, complain, () => this.showDock());
    this.offers = new Offers(room, complain);
    this.seating = new Seating(room, complain);
    this.spread = new Spread(room, complain);
    this.record = new Record(room);
    this.company = new Company(room, complain);
    this.stay = new Stay(room);
    this.number = new NumberSign(room, complain);
    this.keys = new Keys(this.bets, this.felt);
    this.bar = new Bar(room, {
      receipt: () => void this.receipt(null),
      cashier: () => void this.seating.cashier(),
      leave: () => void this.seating.leave().then(() => this.showDock()),
    });
    this.result = new Result(room, this.felt);
    this.pace = new Pace((state, event) => this.show(state, event));
    this.tour = new Tour(room, find("#toasts"));
    this.presses = new Presses(this.dock, { busy: () => this.pace.busy, rush: () => this.rush(), round: () => room.round });
    this.panel = "";
    /** @type {number | null} the box of the visitor's seat, when the spots' place in the order of the Tab key was chosen */
    this.seat = null;
    this.seated = false;
    /** Whether a visitor without a seat was shown a box to bet on. */
    this.stood = false;
    /** What is told only after it was seen: the wheel's stop.
     * @type {TableEvent | null} */
    this.seen = null;
    /** The table when the connection was lost, and what happened since then.
     * @type {{before: Table, events: TableEvent[]} | null} */
    this.away = null;
    /** What had the focus when the connection was lost.
     * @type {Element | null} */
    this.focused = null;
    this.build();
    this.listen();
  }

  /** Put the parts on the page. */
  build() {
    const { room } = this;
    write(find("#title"), t("table.title", { book: room.book.rules.title, table: room.name }));
    document.title = `${room.book.rules.title} · Wartable`;
    find("#head").append(...headParts(room, () => void this.keys.help()));
    this.dock.append(this.bets.element, this.choices.element, this.offers.element, this.seating.element);
    find("#bar-place").append(this.bar.element);
    this.status.before(this.result.element);
    find("#side").append(this.record.element, this.company.element, this.number.element);
    this.record.list.before(this.stay.element);
    find("#spread-place").append(this.spread.element);
  }

  /** Listen to the link and the felt. */
  listen() {
    const { room } = this;
    const { link } = room;
    const on = (/** @type {string} */ type, /** @type {(detail: any) => void} */ hear) =>
      link.addEventListener(type, (event) => hear(/** @type {CustomEvent} */ (event).detail));
    on("table", (row) => {
      void this.meet(row.state);
      room.heard(row.number);
      void this.number.heard(row.events);
      if (row.events.length === 0) void this.stay.catchUp(row.state).catch(() => null); // then the sum lacks a round
      this.away?.events.push(...row.events);
      this.pace.row(row);
      this.pace.then(() => (this.felt.dataset.number = String(row.number)));
    });
    on("awaited", (awaited) => {
      void this.number.answer(awaited.due);
      // The time runs already while the last cards are still shown.
      const hurried = awaited.due.some((/** @type {import("../types.js").Due} */ due) => HURRIED.has(due.what));
      this.countdown.start(hurried ? awaited.until_ms : null, () => link.serverNow());
      this.pace.then(() => {
        if (room.connected) this.away = null;
        this.awaited(awaited);
      });
    });
    on("status", (status) => {
      this.connect(status === "connected");
      this.notices.status(status, link.why);
      if (status !== "connected") return;
      // If wagers are not taken, the server says so next.
      room.closed = null;
      this.notices.showClosed(null);
    });
    on("missed", () => this.pace.then(() => this.tellAway()));
    on("reality", (reality) => void this.notices.reality(reality, room, () => this.seating.leaveFreely()));
    on("wagering", ({ disabled, sentence: said }) => this.wagering(disabled, serverWords(said)));
    on("refused", (refusal) => this.notices.showClosed(refusalWords(refusal.code, refusal.sentence)));
    const felt = this.felt;
    const heard = (/** @type {string} */ type, /** @type {(detail: any) => void} */ hear) =>
      felt.addEventListener(type, (event) => hear(/** @type {CustomEvent} */ (event).detail));
    heard("spot", ({ box, wager }) => this.touch(box, wager));
    heard("receipt", ({ box }) => void this.receipt(box));
    heard("seat", ({ box }) => void this.seating.join(box));
    heard("enlarge", ({ box }) => this.enlarge(box));
    this.countdown.addEventListener("second", (event) => {
      const seconds = /** @type {CustomEvent} */ (event).detail;
      if (this.room.guest !== null && WARN_AT_SECONDS.includes(seconds)) say(t("time.left", { count: seconds }));
    });
  }

  /** Show everything at once, and a turning wheel at its stop. */
  rush() {
    this.pace.rush();
    this.felt.wheel?.rest();
  }

  /**
   * Learn what the players at the table are called.
   * @param {Table} state
   */
  async meet(state) {
    if ((await learn(Object.keys(state.guests))) && this.room.state !== null && !this.pace.busy) this.show(this.room.state, null);
  }

  /**
   * Show the table after an event.
   * @param {Table} state
   * @param {TableEvent | null} event
   */
  show(state, event) {
    const { room } = this;
    if (this.seen !== null) this.record.tell(this.seen);
    this.seen = null;
    this.keepPrevious(state, event);
    room.state = state;
    if (event?.type === "bets_closed") {
      this.bets.closed(state.round?.hands ?? []);
      this.tips.hide();
    }
    this.felt.sittable = this.sittable;
    this.felt.show(state, room.previous);
    if (event !== null) this.follow(event);
    this.bar.show();
    this.header.showAtTable(room.guest === null ? null : room.stack + room.atStake);
    this.result.show();
    this.spread.show();
    this.company.show();
    this.number.show();
    if (event !== null) return;
    this.seating.leaveAfter();
    this.showDock();
  }

  /**
   * Without a connection nothing can be pressed, from the moment that it is lost.
   * @param {boolean} connected
   */
  connect(connected) {
    const { room } = this;
    if (!connected && room.link.state !== null) this.away ??= { before: room.link.state, events: [] };
    room.connected = connected;
    const focused = document.activeElement;
    const controls = find(".controls");
    controls.inert = !connected;
    if (!connected && controls.contains(focused)) this.focused = focused;
    if (connected && this.focused instanceof HTMLElement && document.activeElement === document.body) this.focused.focus({ preventScroll: true });
    if (room.state !== null) this.show(room.state, null);
  }

  /** Say what happened to the visitor's money while they were offline. */
  tellAway() {
    const { away, room } = this;
    this.away = null;
    if (away === null || room.link.state === null || room.you === null) return;
    const words = awayWords(away.before, room.link.state, away.events, room.you);
    if (words !== "") this.notices.showMissed(words);
  }

  /**
   * New wagers are refused from now on, or taken again: a banner, and the controls follow.
   * @param {import("../types.js").Wagering["disabled"]} disabled
   * @param {string} sentence
   */
  wagering(disabled, sentence) {
    const { room } = this;
    room.closed = disabled === null ? null : sentence;
    const held = room.link.state === null || room.you === null ? 0 : atStake(room.link.state, room.you);
    const felt = held > 0 ? ` ${t("closed.felt", { amount: money(held) })}` : "";
    const stack = room.link.state?.guests[room.you ?? ""] === undefined ? "" : ` ${t("closed.leave")}`;
    this.notices.showClosed(disabled === null ? null : sentence + felt + stack);
    say(disabled === null ? sentence : sentence + felt, { assertive: true });
    if (room.state !== null) this.show(room.state, null);
  }

  /** Whether the visitor may take a seat. */
  get sittable() {
    const { room } = this;
    return room.connected && room.you !== null && room.guest === null && room.closed === null;
  }

  /**
   * Keep the cards of the last round in sight until the next one is bet on.
   * @param {Table} state
   * @param {TableEvent | null} event
   */
  keepPrevious(state, event) {
    const { room } = this;
    const before = room.state?.round ?? null;
    const round = state.round;
    // A banker has no bet to place, and reads what there is to do instead of the last result.
    const banks = room.you !== null && round?.banker === room.you;
    if (event?.type === "round_started" && before !== null && before.closed && before.bets_closed && !banks) room.previous = before;
    const mine = event?.type === "placed" && event.player === room.you;
    if (mine || (round !== null && round.bets_closed)) room.previous = null;
  }

  /**
   * What an event brings besides the new state: movement, words, sounds.
   * @param {TableEvent} event
   */
  follow(event) {
    const { room } = this;
    move(this.felt, event);
    if (event.type === "spun") this.seen = event;
    else this.record.tell(event);
    this.stay.follow(event);
    this.number.follow(event);
    if (event.type === "withdrawn" && event.player === room.you && event.gives_way_to) this.notices.tell(sentence(event, room.book, room.you));
    const heard = SOUNDS[event.type];
    if (heard !== undefined) sound(heard);
    const what = THEN[event.type];
    if (what !== undefined) {
      // Nothing of the last wait may be pressed or read any more.
      room.due = [{ what, player: null, box: null, step: "", batch: "" }];
      this.showDock();
    }
    if (event.type === "closed") {
      sound(ENDS[this.result.celebrate() ?? "even"]);
      if (room.guest !== null) void refresh().catch(() => null);
    } else if (event.type === "departed" && event.player === room.you) this.left(event.amount);
  }

  /**
   * After leaving, the way back to the lobby.
   * @param {number} amount
   */
  left(amount) {
    void refresh()
      .then(() => this.seating.begin())
      .catch(() => null);
    void this.stay.tell(amount).then(() => this.seating.go.focus({ preventScroll: true }));
  }

  /**
   * Show what the table is waiting for, once everything before it has been shown.
   * @param {Awaited} awaited
   */
  awaited(awaited) {
    const { room } = this;
    room.due = awaited.due;
    room.chosen.clear();
    room.untilMs = awaited.until_ms;
    room.moves = awaited.moves;
    room.prices = awaited.prices;
    room.ready = awaited.ready;
    this.sitDown();
    this.showBox();
    this.showDock();
  }

  /** At a private table the visitor is seated without being asked. */
  sitDown() {
    const { room, seating } = this;
    if (!room.own || this.seated || room.state === null) return;
    this.seated = true;
    if (room.guest === null && seating.amount > 0) void seating.join(seating.bestSeat());
  }

  /** Without a box of their own, a visitor on a phone would see no spot at all: one box is enlarged for them. */
  showBox() {
    const { guest, moves } = this.room;
    if (guest === null || guest.seat !== null) this.stood = false;
    const move = moves.find((each) => each.type === "may_bet");
    if (this.stood || guest === null || guest.seat !== null || move?.type !== "may_bet") return;
    this.stood = true;
    if (this.felt.querySelector("wt-box:is(.mine, .large)") === null) this.enlarge(move.box);
  }

  /** The panel that fits what is awaited. */
  showDock() {
    const { room } = this;
    const choosing = room.guest !== null && room.asked("choice").length > 0;
    const panel = choosing ? "choice" : this.offers.kind !== null ? "offer" : room.guest !== null ? "bets" : room.you === null ? "" : "seat";
    const parts = { choice: this.choices, offer: this.offers, bets: this.bets, seat: this.seating };
    for (const [name, part] of Object.entries(parts)) {
      part.element.hidden = name !== panel;
      if (name === panel) part.show();
    }
    if (panel !== "offer") this.offers.show(); // what was typed there does not count for the next offer
    if (panel !== "bets") this.bets.showSpots(false);
    this.spread.show();
    this.dock.dataset.panel = panel;
    write(this.status, statusWords(room));
    if (panel !== this.panel) this.changed(panel);
    this.panel = panel;
    this.tour.show();
    this.tabStop();
  }

  /**
   * A question to the visitor gets the focus and a sound; after leaving, the way back in gets the focus.
   * @param {string} panel
   */
  changed(panel) {
    if (panel === "seat" && this.panel === "bets" && document.activeElement === document.body) this.seating.go.focus({ preventScroll: true });
    if (panel !== "choice" && panel !== "offer") return;
    sound("ask");
    say(statusWords(this.room), { assertive: true });
    if (panel !== "choice") return;
    this.choices.focus();
    this.felt.scrollTop = 0;
  }

  /** One spot is in the order of the Tab key: the visitor's own first, from the moment that they sit down. */
  tabStop() {
    const seat = this.room.guest?.seat ?? null;
    const stop = this.felt.querySelector('[data-spot][tabindex="0"]');
    const moved = seat !== this.seat && stop !== document.activeElement;
    this.seat = seat;
    if (stop !== null && !moved) return;
    const own = this.felt.querySelector("wt-box.mine [data-spot]") ?? this.felt.querySelector("[data-spot]");
    stop?.setAttribute("tabindex", "-1");
    own?.setAttribute("tabindex", "0");
  }

  /**
   * A spot was clicked: a bet while bets are open, an explanation otherwise.
   * @param {number} box
   * @param {string} wager
   */
  touch(box, wager) {
    const { room } = this;
    if (room.guest !== null && room.betting) void this.bets.bet(box, wager);
    else if (!this.presses.hurries) void this.receipt(box); // a bet that comes too late asks for no receipt
  }

  /** @param {number | null} box */
  receipt(box) {
    const { room } = this;
    if (room.state === null) return null;
    const { round } = shownRound(room.state, room.previous);
    return round === null ? null : showReceipt(room.book, round, room.you, box);
  }

  /**
   * On a phone, enlarge one of the other players' boxes at a time.
   * @param {number} box
   */
  enlarge(box) {
    this.bets.forgive(); // the boxes move
    for (const [number, element] of this.felt.boxes) element.classList.toggle("large", number === box && !element.classList.contains("large"));
  }
}

/**
 * Which of its book's tables this is: its number, or the name that the house gave it.
 * @param {Room} room
 * @returns {string}
 */
function placeName({ own, name, book }) {
  if (own) return t("table.private");
  const number = name.startsWith(`${book.rules.name} `) ? name.slice(book.rules.name.length + 1) : "";
  return /^\d+$/.test(number) ? t("table.number", { number }) : name;
}

/**
 * The line above the felt.
 * @param {Room} room
 * @param {() => void} help
 */
function headParts(room, help) {
  const { book } = room;
  const keys = make("button", { type: "button", class: "button quiet small", "data-action": "help" }, t("table.keyboard"));
  keys.addEventListener("click", help);
  const rules = `/rules?book=${encodeURIComponent(book.rules.name)}`;
  // A table with a live dealer offers no help in real time.
  const odds = t(book.staffed ? "table.rules" : "table.rules_odds");
  return [
    make("p", { class: "table-title" }, make("b", {}, book.rules.title), make("span", { class: "soft" }, ` ${placeName(room)}`)),
    book.differs === "" ? null : make("p", { class: "small", "data-differs": room.name }, book.differs),
    make("span", { class: "badge", "data-decks": book.decks }, serverWords(book.decks_in_use)),
    book.staffed ? make("span", { class: "badge" }, t("table.live")) : null,
    make("span", { class: "grow" }),
    make("a", { class: "button quiet small", href: book.staffed ? `${rules}&odds=no` : rules, "data-link": "rules" }, odds),
    make("a", { class: "button quiet small", href: `/fairness?table=${encodeURIComponent(room.name)}` }, t("nav.fairness")),
    keys,
  ].filter((each) => each !== null);
}

/** Open the page. */
async function begin() {
  const notices = new Notices(find("#notices"), find("#toasts"));
  const name = new URLSearchParams(location.search).get("name") ?? "";
  try {
    const me = await ensure();
    const book = await get(`/tables/${encodeURIComponent(name)}/book`);
    const room = new Room(name, new Link(name), book, me.role === "player" ? me.name : null);
    const seen = (/** @type {Event} */ { type }) => {
      find("#loading").hidden = true;
      find("#room").hidden = type !== "table"; // nothing to press before there is a table
    };
    for (const type of ["table", "refused"]) room.link.addEventListener(type, seen, { once: true });
    const page = new TablePage(room, notices);
    await page.seating.begin();
    room.link.open();
  } catch (error) {
    find("#loading").hidden = true;
    find("#notices").append(notices.complaint);
    notices.complain(error);
    notices.complaint.append(" ", make("a", { href: "/" }, t("leave.lobby")));
    clearTimeout(notices.timer);
  }
}

void begin();
