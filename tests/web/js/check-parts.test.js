// PBKDF2 by the browser and in the page itself: the same bytes as Node's own.

import assert from "node:assert/strict";
import { pbkdf2Sync } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { read } from "../../../src/wartable/web/js/check.js";
import { pbkdf2, plainPbkdf2, takesLong } from "../../../src/wartable/web/js/check-parts.js";
import { hex } from "../../../src/wartable/web/js/sha256.js";

const VECTORS = new URL("../../data/shoe-vectors.json", import.meta.url);
const LINK = Uint8Array.from({ length: 32 }, (_, i) => 7 * i);
const HEARD = Uint8Array.from({ length: 32 }, (_, i) => 255 - i);

for (const iterations of [1, 2, 1_000, 1_001, 2_048]) {
  test(`${iterations} iterations give the same bytes everywhere`, async () => {
    const known = pbkdf2Sync(LINK, HEARD, iterations, 32, "sha256").toString("hex");
    assert.equal(hex(await pbkdf2(LINK, HEARD, iterations)), known);
    assert.equal(hex(await plainPbkdf2(LINK, HEARD, iterations)), known);
  });
}

test("many iterations are the browser's own, unless it has none", async (t) => {
  let asked = 0;
  const { subtle } = globalThis.crypto;
  const derive = t.mock.method(subtle, "deriveBits", async () => {
    asked += 1;
    return new ArrayBuffer(32);
  });
  assert.equal(hex(await pbkdf2(LINK, HEARD, 5_000_000)), "00".repeat(32));
  assert.equal(asked, 1);
  await pbkdf2(LINK, HEARD, 1_000);
  assert.equal(asked, 1);
  derive.mock.restore();
  assert.equal(takesLong(5_000_000), false);
  t.mock.getter(globalThis.crypto, "subtle", () => undefined);
  assert.equal(takesLong(5_000_000), true);
  assert.equal(takesLong(1_000), false);
  const known = pbkdf2Sync(LINK, HEARD, 1_500, 32, "sha256").toString("hex");
  assert.equal(hex(await pbkdf2(LINK, HEARD, 1_500)), known);
});

test("a record that would take for ever is refused at once", () => {
  const { shoe } = JSON.parse(readFileSync(VECTORS, "utf8")).vectors[0];
  const told = (decks, iterations, links) => {
    const proof = iterations === undefined ? null : { bound: { iterations, links } };
    read(JSON.stringify({ ...shoe, terms: { ...shoe.terms, decks }, proof }));
  };
  for (const sound of [[1], [16], [6, 1, 1], [6, 1e9, 65_536]]) told(...sound);
  for (const large of [[0], [17], [6, 0, 1], [6, 1e9 + 1, 1], [6, 1, 65_537], [6, 1], [6, 1, 2.5], [6, "9", 1]]) {
    assert.throws(() => told(...large), /no shoe has so many decks, links or iterations/, String(large));
  }
});
