// The connection, with a socket and a clock that the test holds in its hands.

import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";

import { start } from "../../../src/wartable/web/js/fold.js";
import { Link } from "../../../src/wartable/web/js/link.js";

/** Every socket that was opened, in order. */
let sockets = [];

class FakeSocket {
  constructor(url) {
    this.url = url;
    this.sent = [];
    this.closed = false;
    sockets.push(this);
  }

  send(text) {
    this.sent.push(JSON.parse(text));
  }

  close() {
    this.closed = true;
  }

  /** The messages of one type that were sent over this socket. */
  of(type) {
    return this.sent.filter((message) => message.type === type);
  }

  hear(message) {
    this.onmessage?.({ data: JSON.stringify(message) });
  }
}

const JOINED = { type: "joined", player: "ann", amount: 10_000, seat: 1 };

beforeEach(() => {
  sockets = [];
  globalThis.WebSocket = FakeSocket;
  globalThis.location = { protocol: "http:", host: "table.test" };
  mock.timers.enable({ apis: ["setTimeout", "Date"], now: 1_000_000 });
});

afterEach(() => mock.timers.reset());

/** A link to a table, with everything that it tells. */
function followed(table = "online") {
  const link = new Link(table);
  const told = [];
  for (const type of ["table", "awaited", "lobby", "status", "reality", "missed", "refused"]) {
    link.addEventListener(type, (event) => told.push([type, event.detail]));
  }
  link.open();
  return { link, told, of: (type) => told.filter(([kind]) => kind === type).map(([, each]) => each) };
}

function last() {
  return sockets[sockets.length - 1];
}

/** Let the newest socket connect and be welcomed. */
function welcome(number = 0, at_ms = 1_000_000) {
  last().onopen();
  last().hear({ type: "welcome", at_ms, name: "ann", role: "player", table: "online", book: "online", digest: "", number });
}

function snapshot(number, state = start()) {
  last().hear({ type: "snapshot", table: "online", number, state });
}

function row(number, ...events) {
  last().hear({ type: "happened", table: "online", number, at_ms: 0, events });
}

test("a table is named in the address, for the server that has it, and the lobby is not", () => {
  for (const [table, named] of [["online@ann", "?table=online%40ann"], ["online 1", "?table=online%201"], [null, ""]]) {
    const link = new Link(table);
    link.open();
    assert.equal(last().url, `ws://table.test/play${named}`);
    link.close();
  }
});

test("hello, snapshot, rows: the table is told after each", () => {
  const { told, of } = followed();
  assert.equal(last().url, "ws://table.test/play?table=online");
  welcome(4);
  assert.deepEqual(last().sent, [{ type: "hello", table: "online", after: null }]);
  snapshot(4);
  row(5, JOINED);
  assert.deepEqual(told.map(([type]) => type), ["status", "table", "table"]);
  const [before, after] = of("table");
  assert.deepEqual([before.number, before.events], [4, []]);
  assert.deepEqual([after.number, after.events], [5, [JOINED]]);
  assert.equal(after.state.guests.ann.stack, 10_000);
  assert.equal(after.welcome.name, "ann");
});

test("after a drop it resumes after the last row and says how many were missed", () => {
  const { of } = followed();
  welcome(4);
  snapshot(4);
  row(5, JOINED);
  last().onclose({ code: 1006 });
  assert.equal(sockets.length, 1);
  mock.timers.tick(250);
  assert.equal(sockets.length, 2);
  welcome(7);
  assert.deepEqual(last().of("hello"), [{ type: "hello", table: "online", after: 5 }]);
  row(6, { type: "bought_in", player: "ann", amount: 1 });
  assert.deepEqual(of("missed"), []);
  row(7, { type: "bought_in", player: "ann", amount: 1 });
  assert.deepEqual(of("missed"), [{ rows: 2 }]);
  assert.equal(of("table").at(-1).state.guests.ann.stack, 10_002);
  assert.deepEqual(of("status"), ["connected", "reconnecting", "connected"]);
  row(8, { type: "bought_in", player: "ann", amount: 1 });
  assert.deepEqual(of("missed"), [{ rows: 2 }]);
});

test("after a drop without anything missed nothing is said", () => {
  const { of } = followed();
  welcome(4);
  snapshot(4);
  last().onclose({ code: 1006 });
  mock.timers.tick(250);
  welcome(4);
  assert.deepEqual(of("missed"), []);
});

test("a command without an answer is sent again under the same id, after the welcome", async () => {
  const { link } = followed();
  welcome();
  snapshot(0);
  const answer = link.send("bet", { box: 1, wager: "primary", amount: 500 });
  const [first] = last().of("bet");
  assert.deepEqual(last().of("bet"), [{ type: "bet", id: first.id, box: 1, wager: "primary", amount: 500 }]);
  last().onclose({ code: 1006 });
  mock.timers.tick(250);
  last().onopen();
  assert.deepEqual(last().of("bet"), []);
  welcome();
  assert.deepEqual(last().of("bet"), [first]);
  last().hear({ type: "accepted", id: first.id, number: 1 });
  assert.equal((await answer).number, 1);
  last().onclose({ code: 1006 });
  mock.timers.tick(250);
  welcome(1);
  assert.deepEqual(last().of("bet"), []);
});

test("without a connection nothing is sent, now or later, and the sender is told", async () => {
  const { link } = followed();
  await assert.rejects(link.send("bet", { amount: 1 }), { name: "Refusal", code: "offline", sentence: "You are offline. Nothing was sent." });
  welcome();
  snapshot(0);
  assert.deepEqual(last().sent.map(({ type }) => type), ["hello"]);
  last().onclose({ code: 1006 });
  await assert.rejects(link.send("bet", { amount: 2 }), { code: "offline" });
  mock.timers.tick(250);
  welcome();
  assert.deepEqual(last().sent.map(({ type }) => type), ["hello"]);
});

test("commands go out in their order, each with an id of its own", () => {
  const { link } = followed();
  welcome();
  void link.send("bet", { amount: 1 });
  void link.send("bet", { amount: 2 });
  void link.send("close_bets");
  assert.deepEqual(last().sent.map(({ type }) => type), ["hello", "bet", "bet", "close_bets"]);
  const ids = last().sent.slice(1).map(({ id }) => id);
  assert.equal(new Set(ids).size, 3);
});

test("a device that says it is offline has lost its connection at once", () => {
  const heard = {};
  globalThis.addEventListener = (type, listener) => (heard[type] = listener);
  const { of } = followed();
  welcome();
  snapshot(0);
  heard.offline();
  assert.equal(sockets[0].closed, true);
  assert.equal(of("status").at(-1), "reconnecting");
  heard.online();
  assert.equal(sockets.length, 2);
  delete globalThis.addEventListener;
});

test("a refusal rejects with code and sentence", async () => {
  const { link } = followed();
  welcome();
  const answer = link.send("bet", { box: 9 });
  const { id } = last().of("bet")[0];
  last().hear({ type: "refused", id, code: "no_such_box", sentence: "There is no box 9." });
  await assert.rejects(answer, { name: "Refusal", code: "no_such_box", sentence: "There is no box 9." });
});

test("where the server does not know yet, the same id is asked again", async () => {
  const { link } = followed();
  welcome();
  const answer = link.send("leave");
  const [first] = last().of("leave");
  last().hear({ type: "refused", id: first.id, code: "no_answer", sentence: "..." });
  assert.equal(last().of("leave").length, 1);
  mock.timers.tick(500);
  assert.deepEqual(last().of("leave"), [first, first]);
  last().hear({ type: "accepted", id: first.id, number: 3 });
  assert.equal((await answer).number, 3);
});

test("it waits longer each time, at most eight seconds, and says when it is offline", () => {
  const { of } = followed();
  const waits = [];
  mock.method(Math, "random", () => 1);
  for (let each = 0; each < 8; each += 1) {
    const before = sockets.length;
    last().onclose({ code: 1006 });
    let waited = 0;
    while (sockets.length === before) {
      mock.timers.tick(10);
      waited += 10;
    }
    waits.push(waited);
  }
  mock.restoreAll();
  assert.deepEqual(waits, [250, 500, 1000, 2000, 4000, 8000, 8000, 8000]);
  assert.deepEqual(of("status"), ["offline"]);
  welcome();
  assert.deepEqual(of("status"), ["offline", "connected"]);
  last().onclose({ code: 1006 });
  assert.equal(of("status").at(-1), "reconnecting");
});

test("one connection too many: it says why in the server's words, and asks again seldom", () => {
  const { link, of } = followed();
  mock.method(Math, "random", () => 0);
  for (let each = 1; each <= 3; each += 1) {
    last().onopen();
    last().onclose({ code: 4429, reason: "This account has 20 connections." });
    assert.deepEqual(of("status"), ["full"]);
    assert.equal(link.why, "This account has 20 connections.");
    mock.timers.tick(29_990);
    assert.equal(sockets.length, each);
    mock.timers.tick(10);
    assert.equal(sockets.length, each + 1);
  }
  last().onclose({ code: 4503, reason: "The house is full." });
  assert.equal(link.why, "The house is full.");
  mock.timers.tick(30_000);
  mock.restoreAll();
  welcome();
  assert.deepEqual([of("status").at(-1), link.why], ["connected", ""]);
  last().onclose({ code: 1006, reason: "" });
  assert.deepEqual([of("status").at(-1), link.why], ["reconnecting", ""]);
});

test("a row that does not fit is not shown: the whole table is asked for", () => {
  mock.method(console, "warn", () => {});
  const { of } = followed();
  welcome(4);
  snapshot(4);
  row(6, JOINED);
  assert.deepEqual(last().of("hello").at(-1), { type: "hello", table: "online", after: null });
  row(7, JOINED);
  assert.equal(of("table").length, 1);
  snapshot(7);
  row(7, JOINED);
  assert.equal(of("table").at(-1).number, 7);
  assert.equal(of("table").length, 2);
  row(8, { type: "bought_in", player: "nobody", amount: 1 });
  assert.equal(last().of("hello").length, 3);
  assert.equal(of("table").length, 2);
  mock.restoreAll();
});

test("a table that is not for us ends it: no more tries", () => {
  const { of } = followed("secret");
  last().onopen();
  last().hear({ type: "refused", id: "", code: "no_table", sentence: "There is no such table." });
  assert.equal(of("refused")[0].sentence, "There is no such table.");
  assert.equal(last().closed, true);
  mock.timers.tick(60_000);
  assert.equal(sockets.length, 1);
});

test("prices, the server's clock, the lobby and the reality check", async () => {
  const { link, of } = followed(null);
  welcome(0, 1_005_000);
  assert.deepEqual(last().of("hello"), [{ type: "hello", table: null, after: null }]);
  mock.timers.tick(1_000);
  assert.equal(link.serverNow(), 1_006_000);
  const price = link.send("ask_price", { box: 2, war_tie: 500 });
  const { id, ...asked } = last().of("ask_price")[0];
  assert.deepEqual(asked, { type: "ask_price", box: 2, war_tie: 500 });
  last().hear({ type: "priced", id, number: 1, price: { box: 2, adds: 1500 } });
  assert.deepEqual((await price).price, { box: 2, adds: 1500 });
  last().hear({ type: "lobby", at_ms: 1, connected: 2, tables: [] });
  last().hear({ type: "reality", minutes: 60, net: -500 });
  assert.equal(of("lobby")[0].connected, 2);
  assert.deepEqual([of("reality")[0].minutes, of("reality")[0].net], [60, -500]);
  const read = link.send("acknowledge");
  last().hear({ type: "pong", id: last().of("acknowledge")[0].id, at_ms: 1_001_000 });
  await read;
  assert.equal(link.serverNow(), 1_001_000);
});

test("a connection that says nothing any more is given up, at the latest after the next ping", () => {
  followed();
  welcome();
  mock.timers.tick(15_000);
  assert.equal(last().of("ping").length, 1);
  last().hear({ type: "pong", id: "x", at_ms: 1_015_000 });
  mock.timers.tick(15_000);
  assert.equal(last().of("ping").length, 2);
  mock.timers.tick(9_999);
  assert.equal(sockets[0].closed, false);
  mock.timers.tick(1);
  assert.equal(sockets[0].closed, true);
  mock.timers.tick(1_000);
  assert.equal(sockets.length, 2);
});

test("a command that is answered by silence is sent again over another connection", async () => {
  const { link, of } = followed();
  welcome();
  const answer = link.send("bet", { box: 1 });
  mock.timers.tick(5_000);
  link.send("bet", { box: 2 }); // another command gives the server no more time
  mock.timers.tick(4_999);
  assert.equal(sockets[0].closed, false);
  mock.timers.tick(1);
  assert.equal(sockets[0].closed, true);
  assert.equal(of("status").at(-1), "reconnecting");
  mock.timers.tick(250);
  welcome();
  const [first, second] = last().of("bet");
  assert.deepEqual([first, second], sockets[0].of("bet"), "under the same ids");
  last().hear({ type: "accepted", id: first.id, number: 1 });
  assert.equal((await answer).number, 1);
  mock.timers.tick(9_999);
  assert.equal(sockets.length, 2, "a server that says anything is there");
});

test("a server that never answers is tried again, with more patience each time", () => {
  mock.method(Math, "random", () => 0);
  followed();
  for (const [number, patience_ms] of [10_000, 20_000, 40_000, 40_000].entries()) {
    assert.equal(sockets.length, number + 1);
    mock.timers.tick(patience_ms - 1);
    assert.equal(last().closed, false);
    mock.timers.tick(1);
    assert.equal(last().closed, true);
    mock.timers.tick(4_000);
  }
  mock.restoreAll();
});

test("a connection that is left is expected to say nothing", () => {
  const { link, of } = followed();
  welcome();
  link.send("leave").catch(() => {});
  last().onclose({ code: 1006, reason: "" });
  mock.timers.tick(250);
  welcome();
  last().hear({ type: "pong", id: "x", at_ms: 1_000_000 });
  mock.timers.tick(14_000);
  assert.equal(sockets.length, 2);
  assert.equal(of("status").at(-1), "connected");
});

test("closing ends it, and rejects what waits", async () => {
  const { link } = followed();
  welcome();
  const answer = link.send("leave");
  link.close();
  await assert.rejects(answer, { code: "closed" });
  mock.timers.tick(60_000);
  assert.equal(sockets.length, 1);
});
