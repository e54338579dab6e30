import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

const kept = new Map([["wartable-sound", "on"]]);
let started = 0;

/** Whatever a sound is made of; it only counts what begins. */
const node = () => new Proxy({}, { get: (_, name) => (name === "start" ? () => (started += 1) : name === "connect" ? (next) => next : name === "then" ? undefined : param), set: () => true });
const param = Object.assign(() => null, { setValueAtTime() {}, linearRampToValueAtTime() {}, exponentialRampToValueAtTime() {} });

class AudioContext {
  static now = 0;
  state = "running";
  sampleRate = 8;
  get currentTime() {
    return AudioContext.now;
  }
  createGain = node;
  createOscillator = node;
  createBufferSource = node;
  createBiquadFilter = node;
  createBuffer = () => ({ getChannelData: () => [] });
}

const userActivation = { hasBeenActive: true };
Object.defineProperty(globalThis, "navigator", { value: { userActivation }, configurable: true });
Object.assign(globalThis, { AudioContext, localStorage: { getItem: (name) => kept.get(name) ?? null } });
const { SOUNDS, sound } = await import("../../../src/wartable/web/js/table/sound.js");

beforeEach(() => {
  started = 0;
  AudioContext.now += 1;
});

test("cards that are shown at once are heard as one", () => {
  for (let card = 0; card < 18; card += 1) sound("card");
  assert.equal(started, SOUNDS.card.rustles.length);
  AudioContext.now += 0.33;
  sound("card");
  assert.equal(started, 2 * SOUNDS.card.rustles.length);
  sound("shuffle");
  assert.equal(started, 2 * SOUNDS.card.rustles.length + SOUNDS.shuffle.rustles.length);
});

test("nothing is kept for the moment at which the browser lets it be heard", () => {
  userActivation.hasBeenActive = false;
  sound("card");
  assert.equal(started, 0);
  userActivation.hasBeenActive = true;
  sound("card");
  assert.notEqual(started, 0);
});

test("sounds are off unless the visitor wants them", () => {
  kept.set("wartable-sound", "off");
  sound("won");
  assert.equal(started, 0);
});
