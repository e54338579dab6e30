// What both kinds of the fairness check share: fields as bytes, fair draws from them, and failing.

import { t } from "./page-texts.js";
import { hmac } from "./sha256.js";

const TEXT = new TextEncoder();
/** So many iterations take no time that anybody notices. */
const FEW = 1_000;
export const DECK = ["c", "d", "h", "s"].flatMap((suit) => [..."23456789TJQKA"].map((rank) => rank + suit));

/** Why a step of a check fails. */
export class Failed extends Error {}

/**
 * Stop the shoe's check with the sentence of a text, unless something holds.
 * @param {boolean} holds
 * @param {import("./page-texts.js").TextKey} key
 * @param {Readonly<Record<string, string | number>>} [values]
 */
export function need(holds, key, values) {
  if (holds) return;
  const sentence = t(key, values);
  throw new Failed(sentence.slice(0, 1).toUpperCase() + sentence.slice(1));
}

/**
 * Fields one after another, each preceded by its length.
 * @param {...(string | number | Uint8Array)} fields
 * @returns {Uint8Array}
 */
export function pack(...fields) {
  const parts = fields.map((field) => (field instanceof Uint8Array ? field : TEXT.encode(String(field))));
  const whole = new Uint8Array(parts.reduce((size, part) => size + 4 + part.length, 0));
  const view = new DataView(whole.buffer);
  let at = 0;
  for (const part of parts) {
    view.setUint32(at, part.length);
    whole.set(part, at + 4);
    at += 4 + part.length;
  }
  return whole;
}

/**
 * Equally likely numbers below a count, read in words of this many bytes from blocks.
 * @param {(block: number) => Uint8Array} blockOf
 * @param {number} width
 * @returns {(count: number) => number}
 */
export function fair(blockOf, width) {
  const range = 1n << BigInt(8 * width);
  let block = 0;
  let bytes = new Uint8Array(0);
  let at = 0;
  function word() {
    if (at === bytes.length) {
      bytes = new Uint8Array(blockOf(block));
      block += 1;
      at = 0;
    }
    let value = 0n;
    for (const byte of bytes.subarray(at, at + width)) value = value * 256n + BigInt(byte);
    at += width;
    return value;
  }
  return (count) => {
    const many = BigInt(count);
    for (;;) {
      const value = word();
      if (value < range - (range % many)) return Number(value % many);
    }
  };
}

/**
 * The option of a weighted choice at which a number below the sum of the weights falls.
 * @param {readonly number[]} weights
 * @param {number} number
 * @returns {number}
 */
export function weighted(weights, number) {
  let left = number;
  return weights.findIndex((weight) => (left -= weight) < 0);
}

/**
 * The value as the one JSON text of it: sorted keys, no spaces.
 * @param {unknown} value
 * @returns {Uint8Array}
 */
export function canonical(value) {
  return TEXT.encode(JSON.stringify(value, (_, each) => (each !== null && typeof each === "object" && !Array.isArray(each) ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1))) : each)));
}

/**
 * Whether this many iterations take long here: a browser has a fast way only where the page came over
 * TLS or from this machine.
 * @param {number} iterations
 * @returns {boolean}
 */
export function takesLong(iterations) {
  return iterations > FEW && globalThis.crypto?.subtle === undefined;
}

/**
 * PBKDF2-HMAC-SHA-256, its first 32 bytes: by the browser if there is much to do and it can.
 * @param {Uint8Array} password
 * @param {Uint8Array} salt
 * @param {number} iterations
 * @returns {Promise<Uint8Array>}
 */
export async function pbkdf2(password, salt, iterations) {
  const subtle = globalThis.crypto?.subtle;
  if (iterations <= FEW || subtle === undefined) return plainPbkdf2(password, salt, iterations);
  const key = await subtle.importKey("raw", Uint8Array.from(password), "PBKDF2", false, ["deriveBits"]);
  const how = { name: "PBKDF2", hash: "SHA-256", salt: Uint8Array.from(salt), iterations };
  return new Uint8Array(await subtle.deriveBits(how, key, 256));
}

/**
 * PBKDF2-HMAC-SHA-256 in the page itself, with pauses in which the page can do other things.
 * @param {Uint8Array} password
 * @param {Uint8Array} salt
 * @param {number} iterations
 * @returns {Promise<Uint8Array>}
 */
export async function plainPbkdf2(password, salt, iterations) {
  let last = hmac(password, Uint8Array.of(...salt, 0, 0, 0, 1));
  const found = Uint8Array.from(last);
  for (let done = 1; done < iterations; done += 1) {
    if (done % FEW === 0) await new Promise((go) => setTimeout(go));
    last = hmac(password, last);
    last.forEach((byte, i) => (found[i] = (found[i] ?? 0) ^ byte));
  }
  return found;
}
