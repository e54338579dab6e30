// SHA-256 and HMAC against the vectors of FIPS 180-4 and RFC 4231, and against Node's own.

import assert from "node:assert/strict";
import { createHash, createHmac } from "node:crypto";
import { test } from "node:test";

import { hex, hmac, sha256, unhex } from "../../../src/wartable/web/js/sha256.js";

const text = new TextEncoder();

test("the vectors of FIPS 180-4", () => {
  const known = {
    "": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    abc: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq:
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
  };
  for (const [message, digest] of Object.entries(known)) {
    assert.equal(hex(sha256(text.encode(message))), digest);
  }
});

test("the vectors of RFC 4231, short keys and long ones", () => {
  assert.equal(
    hex(hmac(text.encode("Jefe"), text.encode("what do ya want for nothing?"))),
    "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
  );
  const long = new Uint8Array(131).fill(0xaa);
  assert.equal(
    hex(hmac(long, text.encode("Test Using Larger Than Block-Size Key - Hash Key First"))),
    "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
  );
});

test("every length around the edge of a block is as Node has it", () => {
  for (let size = 0; size <= 200; size += 1) {
    const message = Uint8Array.from({ length: size }, (_, i) => (7 * i + size) % 256);
    assert.equal(hex(sha256(message)), createHash("sha256").update(message).digest("hex"));
    const key = message.subarray(0, size % 90);
    assert.equal(hex(hmac(key, message)), createHmac("sha256", key).update(message).digest("hex"));
  }
});

test("hexadecimal digits and back", () => {
  assert.equal(hex(unhex("00ff10")), "00ff10");
  assert.throws(() => unhex("0x"), /not hexadecimal/);
});
