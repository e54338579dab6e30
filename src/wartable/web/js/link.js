// The connection to a table or the lobby: state comes down as rows, commands go up with an id.
// It reconnects by itself and asks for exactly the rows that it missed. A command that was sent and
// not answered is sent again under the same id, so that nothing happens twice; without a connection
// nothing is sent, now or later.

import { fold } from "./fold.js";
import { t } from "./texts.js";

/** @typedef {import("./types.js").Accepted} Accepted */
/** @typedef {import("./types.js").Awaited} Awaited */
/** @typedef {import("./types.js").Event} TableEvent */
/** @typedef {import("./types.js").Happened} Happened */
/** @typedef {import("./types.js").Message} Message */
/** @typedef {import("./types.js").Snapshot} Snapshot */
/** @typedef {import("./types.js").Table} Table */
/** @typedef {import("./types.js").Welcome} Welcome */

/** `full` is a server, or its room for us, that has no place: `why` says more.
 * @typedef {"connected" | "reconnecting" | "offline" | "full"} Status */

/**
 * What `table` tells: the table after a row, and the row's events (none for a snapshot).
 * @typedef {object} TableDetail
 * @property {Table} state
 * @property {number} number
 * @property {ReadonlyArray<TableEvent>} events
 * @property {Awaited | null} awaited
 * @property {Welcome | null} welcome
 */

/**
 * A message that waits for its answer.
 * @typedef {object} Pending
 * @property {object} message
 * @property {(answer: any) => void} resolve
 * @property {(error: Error) => void} reject
 * @property {number} tries
 */

const BACK_OFF_MS = 250;
const BACK_OFF_MS_MAX = 8_000;
const OFFLINE_TRIES = 3;
const FULL_MS = 60_000;
const PING_MS = 15_000;
/** How long a server may say nothing at all once it was asked; it doubles with each connection that fails. */
const SILENCE_MS = 10_000;
const SILENCE_MS_MAX = 40_000;
const AGAIN_MS = 500;
const TRIES_MAX = 5;
const CLOSE_ORIGIN = 4403;
/** One connection or message too many; a house with as many connections as it can serve. */
const CLOSE_FULL = [4429, 4503];

/** Why a command was not carried out: a code, and a sentence to show. */
export class Refusal extends Error {
  /**
   * @param {string} code
   * @param {string} sentence
   */
  constructor(code, sentence) {
    super(sentence);
    this.name = "Refusal";
    this.code = code;
    this.sentence = sentence;
  }
}

/** One table, or the lobby, over a WebSocket that reconnects by itself. */
export class Link extends EventTarget {
  /** @type {string | null} */
  #table;
  /** @type {WebSocket | null} */
  #socket = null;
  /** @type {Map<string, Pending>} */
  #pending = new Map();
  /** @type {Status} */
  #status = "reconnecting";
  #why = "";
  /** @type {Table | null} */
  #state = null;
  /** @type {Awaited | null} */
  #awaited = null;
  /** @type {Welcome | null} */
  #welcome = null;
  #number = 0;
  #missedFrom = -1;
  #open = false;
  #welcomed = false;
  #failures = 0;
  #ahead_ms = 0;
  #made = 0;
  #name = newName();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #silence;
  #online = () => this.#retryNow();
  #offline = () => this.#goneOffline();

  /** @param {string | null} table */
  constructor(table) {
    super();
    this.#table = table;
  }

  /** The table as it was told last, or null before the first time. */
  get state() {
    return this.#state;
  }

  /** The state of the connection. */
  get status() {
    return this.#status;
  }

  /** The server's reason for not accepting the connection, while that lasts. */
  get why() {
    return this.#why;
  }

  /** Who the server takes us for, and by which book the table is played. */
  get welcome() {
    return this.#welcome;
  }

  /** Connect, and stay connected until `close`. */
  open() {
    if (this.#open) return;
    this.#open = true;
    globalThis.addEventListener?.("online", this.#online);
    globalThis.addEventListener?.("offline", this.#offline);
    this.#connect();
  }

  /** End the connection; what was not answered is rejected. */
  close() {
    this.#open = false;
    globalThis.removeEventListener?.("online", this.#online);
    globalThis.removeEventListener?.("offline", this.#offline);
    clearTimeout(this.#timer);
    this.#drop();
    this.#rejectAll(new Refusal("closed", t("link.closed")));
  }

  /**
   * Give a command or ask a question. A command is answered once it is stored, a refusal is thrown as
   * `Refusal`, and without a connection everything is refused at once.
   * @template {Message} [Answer=Accepted]
   * @param {string} type
   * @param {object} [fields]
   * @returns {Promise<Answer>}
   */
  send(type, fields = {}) {
    if (!this.#welcomed) return Promise.reject(new Refusal("offline", t("offline.nothing_sent")));
    this.#made += 1;
    const id = `${this.#name}-${this.#made}`;
    return new Promise((resolve, reject) => {
      const message = { ...fields, type, id };
      this.#pending.set(id, { message, resolve, reject, tries: 0 });
      this.#write(message);
    });
  }

  /** The server's clock, in milliseconds since the epoch. */
  serverNow() {
    return Date.now() + this.#ahead_ms;
  }

  #connect() {
    clearTimeout(this.#timer);
    this.#drop();
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    // Whichever server of the house we reach, it must know at once whether another has the table.
    const named = this.#table === null ? "" : `?table=${encodeURIComponent(this.#table)}`;
    const socket = new WebSocket(`${scheme}//${location.host}/play${named}`);
    this.#socket = socket;
    this.#expect();
    socket.onopen = () => this.#hello(this.#state === null ? null : this.#number);
    socket.onmessage = (message) => this.#hear(JSON.parse(message.data));
    socket.onclose = (event) => this.#lost(event.code, event.reason);
    this.#timer = setTimeout(() => this.#watch(), PING_MS);
  }

  /** Forget the socket without hearing from it again. */
  #drop() {
    const socket = this.#socket;
    this.#socket = null;
    this.#welcomed = false;
    this.#heard();
    if (socket === null) return;
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.close();
  }

  /**
   * @param {number} code
   * @param {string} [reason]
   */
  #lost(code, reason = "") {
    this.#drop();
    clearTimeout(this.#timer);
    if (code === CLOSE_ORIGIN) {
      this.#refused(new Refusal("origin", t("link.origin")));
      return;
    }
    this.#failures += 1;
    const full = CLOSE_FULL.includes(code);
    const away = globalThis.navigator?.onLine === false || this.#failures >= OFFLINE_TRIES;
    this.#why = full ? reason : "";
    this.#say(full ? "full" : away ? "offline" : "reconnecting");
    // Somebody has to make room first: asking often would only slow the others down.
    const longest_ms = full ? FULL_MS : Math.min(BACK_OFF_MS_MAX, BACK_OFF_MS * 2 ** (this.#failures - 1));
    // Half of the wait is random, so that a full room does not reconnect all at once.
    const wait_ms = longest_ms * (0.5 + Math.random() / 2);
    this.#timer = setTimeout(() => this.#connect(), wait_ms);
  }

  /** The device says that it has no network: the socket would notice much later. */
  #goneOffline() {
    if (this.#socket !== null) this.#lost(0);
  }

  #retryNow() {
    if (this.#open && this.#socket === null) this.#connect();
  }

  /** Drop the connection if nothing is heard: a server that loses its power says no goodbye. */
  #expect() {
    const patience_ms = Math.min(SILENCE_MS_MAX, SILENCE_MS * 2 ** this.#failures);
    this.#silence ??= setTimeout(() => this.#lost(0), patience_ms);
  }

  /** The server is there. */
  #heard() {
    clearTimeout(this.#silence);
    this.#silence = undefined;
  }

  /** Ping now and then, so that a server that is gone is noticed. */
  #watch() {
    if (this.#welcomed) this.#write({ type: "ping", id: `${this.#name}-ping` });
    this.#timer = setTimeout(() => this.#watch(), PING_MS);
  }

  /** @param {number | null} after */
  #hello(after) {
    this.#write({ type: "hello", table: this.#table, after: this.#table === null ? null : after });
  }

  /** @param {object} message */
  #write(message) {
    if (this.#socket === null) return;
    this.#socket.send(JSON.stringify(message));
    this.#expect();
  }

  /** @param {Message} message */
  #hear(message) {
    this.#heard();
    switch (message.type) {
      case "welcome":
        this.#welcomes(message);
        break;
      case "snapshot":
        this.#shows(message);
        break;
      case "happened":
        this.#happens(message);
        break;
      case "awaited":
        this.#awaited = message;
        this.#tell("awaited", message);
        break;
      case "pong":
        this.#ahead_ms = message.at_ms - Date.now();
        this.#answered(message.id)?.resolve(message);
        break;
      case "refused":
        this.#refuses(message);
        break;
      default:
        if ("id" in message) this.#answered(message.id)?.resolve(message);
        else this.#tell(message.type, message);
    }
  }

  /** @param {Welcome} welcome */
  #welcomes(welcome) {
    this.#welcome = welcome;
    this.#ahead_ms = welcome.at_ms - Date.now();
    this.#failures = 0;
    this.#why = "";
    if (this.#welcomed) return; // only the table was asked for again
    this.#welcomed = true;
    this.#missedFrom = this.#state === null ? -1 : this.#number;
    this.#say("connected");
    for (const each of this.#pending.values()) this.#write(each.message);
    this.#caughtUp();
  }

  /** @param {Snapshot} snapshot */
  #shows(snapshot) {
    this.#state = snapshot.state;
    this.#number = snapshot.number;
    this.#tellTable([]);
  }

  /** @param {Happened} row */
  #happens(row) {
    if (this.#state === null || row.number <= this.#number) return;
    let state = this.#state;
    try {
      if (row.number !== this.#number + 1) throw new Error("A row is missing.");
      for (const event of row.events) state = fold(state, event);
    } catch (error) {
      // Never show a state that may be wrong: ask for the whole table, and drop rows until it arrives.
      console.warn("Asking for the whole table again:", error);
      this.#state = null;
      this.#hello(null);
      return;
    }
    this.#state = state;
    this.#number = row.number;
    this.#tellTable(row.events);
  }

  /** @param {ReadonlyArray<TableEvent>} events */
  #tellTable(events) {
    const [state, number] = [this.#state, this.#number];
    const [awaited, welcome] = [this.#awaited, this.#welcome];
    this.#tell("table", { state, number, events, awaited, welcome });
    this.#caughtUp();
  }

  /** After a reconnect, say once how many rows happened meanwhile, when all of them are shown. */
  #caughtUp() {
    const from = this.#missedFrom;
    if (from < 0 || this.#number < (this.#welcome?.number ?? 0)) return;
    this.#missedFrom = -1;
    const rows = (this.#welcome?.number ?? 0) - from;
    if (rows > 0) this.#tell("missed", { rows });
  }

  /**
   * @param {string} id
   * @returns {Pending | undefined}
   */
  #answered(id) {
    const found = this.#pending.get(id);
    this.#pending.delete(id);
    return found;
  }

  /** @param {{id: string, code: string, sentence: string}} message */
  #refuses(message) {
    const refusal = new Refusal(message.code, message.sentence);
    const waiting = this.#pending.get(message.id);
    if (waiting === undefined) {
      if (!this.#welcomed) this.#refused(refusal);
      return;
    }
    // Nobody knows yet whether it was carried out: sending the same id again gets the answer.
    if (message.code === "no_answer" && waiting.tries < TRIES_MAX) {
      waiting.tries += 1;
      setTimeout(() => {
        if (this.#welcomed && this.#pending.has(message.id)) this.#write(waiting.message);
      }, AGAIN_MS);
      return;
    }
    this.#answered(message.id)?.reject(refusal);
  }

  /**
   * This visitor may not see the table: say so, and do not reconnect.
   * @param {Refusal} refusal
   */
  #refused(refusal) {
    this.#open = false;
    clearTimeout(this.#timer);
    this.#drop();
    this.#rejectAll(refusal);
    this.#tell("refused", refusal);
  }

  /** @param {Refusal} refusal */
  #rejectAll(refusal) {
    const waiting = [...this.#pending.values()];
    this.#pending.clear();
    for (const each of waiting) each.reject(refusal);
  }

  /** @param {Status} status */
  #say(status) {
    if (status === this.#status) return;
    this.#status = status;
    this.#tell("status", status);
  }

  /**
   * @param {string} type
   * @param {unknown} detail
   */
  #tell(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}

/** A name that no other connection of this visitor has had at the table. */
function newName() {
  const bytes = crypto.getRandomValues(new Uint8Array(8));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
