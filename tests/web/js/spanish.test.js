// A page in Spanish, of a house with its own currency and figures.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { before, test } from "node:test";

/** @type {any} */
let words, money, texts, names, check, book;

before(async () => {
  const documentElement = { lang: "es", dataset: { locale: "es-ES", currency: "EUR" } };
  Object.assign(globalThis, { document: { documentElement, body: { dataset: {} }, querySelectorAll: () => [] } });
  texts = await import("../../../src/wartable/web/js/texts.js");
  money = await import("../../../src/wartable/web/js/money.js");
  words = await import("../../../src/wartable/web/js/words.js");
  names = await import("../../../src/wartable/web/js/names.js");
  book = await import("../../../src/wartable/web/js/table/book.js");
  check = await import("../../../src/wartable/web/js/check.js");
});

test("texts and counts", () => {
  assert.equal(texts.LANGUAGE, "es");
  assert.equal(texts.t("away.rounds", { count: 1, net: "x" }), "Estuviste sin conexión una ronda: x");
  assert.equal(texts.t("away.rounds", { count: 2, net: "x" }), "Estuviste sin conexión 2 rondas: x");
  assert.equal(texts.t("bets.left_out", { count: 1, wagers: "x" }), "Quedó fuera una apuesta: x.");
  assert.equal(texts.t("bets.left_out", { count: 2, wagers: texts.list(["x", "z"]) }), "Quedaron fuera 2 apuestas: x y z.");
});

test("money as the house writes it, and as it is typed there", () => {
  const plain = (/** @type {string} */ text) => text.replace(/\s/g, " ");
  assert.equal(plain(money.money(2_500)), "25 €");
  assert.equal(plain(money.signed(-123_456_789)), "−1.234.567,89 €");
  assert.equal(plain(money.percent(0.186_49)), "18,65 %");
  assert.equal(money.parse("2,50"), 250);
  assert.equal(money.parse("1.000"), 100_000);
  assert.equal(money.parse("25 €"), 2_500);
  assert.equal(money.parse("2.5"), null);
  assert.equal(money.typed(250), "2,5");
  assert.equal(texts.t("money.enter", { exact: money.exactly(250) }), "Escribe una cantidad, como 25 o 2,50.");
  assert.equal(money.parse(money.typed(1_050)), 1_050);
});

test("the wheel's stops are amounts of the house's money", () => {
  const plain = (/** @type {string} */ text) => text.replace(/\s/g, " ");
  assert.equal(plain(book.stopName("$1,000")), "1000 €");
  assert.equal(plain(book.communityStop("$25", 2_500)), "25 €");
  assert.equal(plain(book.communityStop("$100", 12_500)), "100 €→125");
  assert.equal(book.stopName("jackpot_primary"), "bote principal");
});

test("events are told to the player and of others", () => {
  const book = { rules: { labels: { primary: "Main Bet", dealer: "House" }, outcomes: { primary: { won: "higher card" } }, banker: "house" } };
  const placed = { type: "placed", player: "ana", box: 3, wager: "primary", amount: 500 };
  const told = (/** @type {any} */ event, /** @type {string} */ me) => words.sentence(event, book, me).replace(/\s/g, " ");
  assert.equal(told(placed, "ana"), "Apuestas 5 € en la casilla 3, Main Bet.");
  assert.equal(told(placed, "eva"), "ana apuesta 5 € en la casilla 3, Main Bet.");
  assert.equal(told({ type: "shoe_ended", reason: "one round" }, "eva"), "El sabot terminó: una sola ronda. Su secreto ahora es público.");
  const settled = { type: "settled", player: "ana", box: 3, wager: "primary", returned: 1_000, outcome: "won" };
  assert.equal(told(settled, "ana"), "Casilla 3: tu Main Bet devuelve 10 € (carta más alta).");
  assert.equal(told(settled, "eva"), "Casilla 3: Main Bet de ana devuelve 10 € (carta más alta).");
});

test("guests and bots have names to read until staff must know the account", () => {
  const placed = { type: "placed", player: "guest-1ad30a728d", box: 3, wager: "primary", amount: 500 };
  assert.match(words.sentence(placed, null, "eva"), /^Invitado 1ad3 apuesta /);
  assert.equal(names.nameOf("guest-1ad30a728d"), "Invitado 1ad3");
  assert.equal(names.nameOf("guest-ana"), "guest-ana");
  assert.deepEqual(names.shortName("bot-leo-2"), { text: "Leo 2", bot: true });
  assert.equal(names.nameOf("bot-leo-2"), "Bot Leo 2");
  assert.equal(names.withNames("Box 3 is guest-1ad30a728d's."), "Box 3 is Invitado 1ad3's.");
  assert.equal(names.withNames("Only bot-leo-2, who arrived first, may view the cards."), "Only Bot Leo 2, who arrived first, may view the cards.");
  names.callExactly();
  assert.equal(names.nameOf("bot-leo-2"), "bot-leo-2");
  assert.equal(names.nameOf("guest-1ad30a728d"), "guest-1ad30a728d");
});

test("the fairness check speaks the visitor's language", async () => {
  const [{ shoe }] = JSON.parse(readFileSync(new URL("../../data/shoe-vectors.json", import.meta.url), "utf-8")).vectors;
  const whole = { ...shoe, proof: null };
  const steps = await check.check([whole]);
  assert.match(steps[0].sentence, /^El sabot terminó \(.+\) y su semilla se reveló\.$/);
  assert.equal(steps.at(-1).sentence, "El registro tiene 1 sabot en secuencia.");
  assert.ok(steps.every((/** @type {any} */ step) => step.ok));
  const [ended] = await check.check([{ ...whole, seed: "" }]);
  assert.deepEqual([ended.ok, ended.sentence], [false, "El sabot no ha terminado: su semilla aún no se revela."]);
  assert.throws(() => check.read("{"), /^Error: Esto no es JSON\.$/);
});

test("the side that deals has its article", () => {
  const told = (/** @type {string} */ dealer) => {
    const book = { rules: { labels: { dealer }, outcomes: {}, banker: "house" } };
    return [words.dealerName(book), words.dealerWord(book), words.sentence({ type: "dealt", box: 0, card: "Qh" }, book)];
  };
  assert.deepEqual(told("House"), ["Casa", "la casa", "La casa: reina de corazones."]);
  assert.deepEqual(told("Dealer"), ["Crupier", "el crupier", "El crupier: reina de corazones."]);
  assert.deepEqual(told("player/dealer"), ["Jugador/crupier", "el jugador/crupier", "El jugador/crupier: reina de corazones."]);
});

test("only too many wrong passwords say to wait", () => {
  assert.equal(texts.refusalWords("wrong_credentials", "The name or the password is wrong."), "El nombre o la contraseña no coinciden.");
  const source = readFileSync(new URL("../../../src/wartable/server/house/sessions.py", import.meta.url), "utf-8");
  const sentences = [...source.matchAll(/"(There were too many failures[^"]*)"/g)].map((found) => found[1]);
  assert.equal(sentences.length, 2);
  for (const each of sentences) assert.match(texts.refusalWords("wrong_credentials", each), /^Hubo demasiados intentos fallidos.* Espera 15 minutos/);
});

test("a refusal has its words, or the server's", () => {
  assert.equal(texts.refusalWords("seat_taken", "This seat is taken."), "Ese asiento está ocupado.");
  assert.equal(texts.refusalWords("unheard_of", "Something else."), "Something else.");
  assert.deepEqual(["Something else.", "Ese asiento está ocupado."].map(texts.languageOf), ["en", null]);
});
