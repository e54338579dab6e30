// SHA-256 and HMAC-SHA-256 over bytes, in the page itself: a browser offers its own only where
// the page came over TLS, and a check must run anywhere.

/** @typedef {[number, number, number, number, number, number, number, number]} Eight */

const FRACTIONS = constants();
const BLOCK = 64;
const SIZE = 32;

/**
 * The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
 * @returns {Uint32Array}
 */
function constants() {
  const found = new Uint32Array(64);
  let count = 0;
  for (let candidate = 2; count < 64; candidate += 1) {
    let prime = true;
    for (let factor = 2; factor * factor <= candidate; factor += 1) {
      if (candidate % factor === 0) prime = false;
    }
    if (prime) {
      found[count] = cubeRootBits(BigInt(candidate));
      count += 1;
    }
  }
  return found;
}

/**
 * The 32 bits after the point of a cube root, by whole numbers only.
 * @param {bigint} value
 * @returns {number}
 */
function cubeRootBits(value) {
  const scaled = value << 96n;
  let low = 0n;
  let high = 1n << 40n;
  while (low < high) {
    const middle = (low + high + 1n) >> 1n;
    if (middle * middle * middle <= scaled) low = middle;
    else high = middle - 1n;
  }
  return Number(low & 0xffffffffn);
}

/**
 * A word turned right by some bits.
 * @param {number} word
 * @param {number} by
 * @returns {number}
 */
function turn(word, by) {
  return (word >>> by) | (word << (32 - by));
}

/**
 * The message with its end mark and its length, in whole blocks.
 * @param {Uint8Array} message
 * @returns {DataView}
 */
function padded(message) {
  const size = Math.ceil((message.length + 9) / BLOCK) * BLOCK;
  const bytes = new Uint8Array(size);
  bytes.set(message);
  bytes[message.length] = 0x80;
  const view = new DataView(bytes.buffer);
  view.setBigUint64(size - 8, BigInt(message.length) * 8n);
  return view;
}

/**
 * The state after one more block.
 * @param {Uint32Array} state
 * @param {DataView} data
 * @param {number} at
 * @param {Uint32Array} words
 */
function compress(state, data, at, words) {
  for (let i = 0; i < 16; i += 1) words[i] = data.getUint32(at + 4 * i);
  for (let i = 16; i < 64; i += 1) {
    const early = /** @type {number} */ (words[i - 15]);
    const late = /** @type {number} */ (words[i - 2]);
    const first = turn(early, 7) ^ turn(early, 18) ^ (early >>> 3);
    const second = turn(late, 17) ^ turn(late, 19) ^ (late >>> 10);
    words[i] = /** @type {number} */ (words[i - 16]) + first + /** @type {number} */ (words[i - 7]) + second;
  }
  let [a, b, c, d, e, f, g, h] = /** @type {Eight} */ (Array.from(state));
  for (let i = 0; i < 64; i += 1) {
    const mixed = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25);
    const choice = (e & f) ^ (~e & g);
    /** @type {number} */
    const one = (h + mixed + choice + /** @type {number} */ (FRACTIONS[i]) + /** @type {number} */ (words[i])) | 0;
    /** @type {number} */
    const other = turn(a, 2) ^ turn(a, 13) ^ turn(a, 22);
    /** @type {number} */
    const two = (other + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
  }
  const after = [a, b, c, d, e, f, g, h];
  after.forEach((word, i) => { state[i] = /** @type {number} */ (state[i]) + word; });
}

/**
 * The SHA-256 of the bytes.
 * @param {Uint8Array} message
 * @returns {Uint8Array}
 */
export function sha256(message) {
  const state = Uint32Array.of(
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
  );
  const data = padded(message);
  const words = new Uint32Array(64);
  for (let at = 0; at < data.byteLength; at += BLOCK) compress(state, data, at, words);
  const digest = new Uint8Array(SIZE);
  const view = new DataView(digest.buffer);
  state.forEach((word, i) => view.setUint32(4 * i, word));
  return digest;
}

/**
 * The HMAC-SHA-256 of a message under a key.
 * @param {Uint8Array} key
 * @param {Uint8Array} message
 * @returns {Uint8Array}
 */
export function hmac(key, message) {
  const short = key.length > BLOCK ? sha256(key) : key;
  const inner = new Uint8Array(BLOCK + message.length).fill(0x36, 0, BLOCK);
  const outer = new Uint8Array(BLOCK + SIZE).fill(0x5c, 0, BLOCK);
  short.forEach((byte, i) => {
    inner[i] = byte ^ 0x36;
    outer[i] = byte ^ 0x5c;
  });
  inner.set(message, BLOCK);
  outer.set(sha256(inner), BLOCK);
  return sha256(outer);
}

/**
 * Bytes as lower-case hexadecimal digits.
 * @param {Uint8Array} bytes
 * @returns {string}
 */
export function hex(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * The bytes that hexadecimal digits stand for; throws an error if they are not.
 * @param {string} digits
 * @returns {Uint8Array}
 */
export function unhex(digits) {
  if (!/^(?:[0-9a-f]{2})*$/.test(digits)) throw new Error("These are not hexadecimal digits.");
  return Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}
