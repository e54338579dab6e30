// Sounds made in the browser, without a file: chips, cards, a shuffle, the wheel and the result.
// They are off unless the visitor switches them on, and as loud as the visitor wants.

import { preferred } from "../preferences.js";

/** @typedef {"chip" | "card" | "shuffle" | "ask" | "won" | "large" | "jackpot" | "lost" | "wheel"} SoundName */

/** A soft bell: when it begins, its pitch in hertz, how long it rings, and how loud it is.
 * @typedef {readonly [number, number, number, number]} Bell */

/** A rustle of paper or a click of clay: when, the middle of its noise in hertz, how long, how loud.
 * @typedef {readonly [number, number, number, number]} Rustle */

const [C5, E5, G5, C6, E6, G6, A4, F4] = [523.25, 659.26, 783.99, 1046.5, 1318.5, 1568, 440, 349.23];

/** @type {Record<SoundName, {bells?: readonly Bell[], rustles?: readonly Rustle[]}>} */
export const SOUNDS = {
  chip: { bells: [[0, 3150, 0.05, 0.1], [0.028, 3600, 0.07, 0.08]], rustles: [[0, 4200, 0.02, 0.3]] },
  card: { rustles: [[0, 2100, 0.09, 0.4], [0.06, 900, 0.05, 0.25]] },
  shuffle: { rustles: Array.from({ length: 14 }, (_, place) => /** @type {Rustle} */ ([place * 0.045, 1500 + 130 * (place % 5), 0.05, 0.4])) },
  ask: { bells: [[0, C5, 0.5, 0.16], [0.12, G5, 0.6, 0.14]] },
  won: { bells: [[0, C5, 0.5, 0.16], [0.09, E5, 0.5, 0.16], [0.18, G5, 0.8, 0.18]] },
  large: { bells: [[0, C5, 0.5, 0.18], [0.09, E5, 0.5, 0.18], [0.18, G5, 0.6, 0.18], [0.27, C6, 0.9, 0.2], [0.36, E6, 1.1, 0.14]] },
  jackpot: { bells: [0, 0.5, 1].flatMap((at) => [C5, E5, G5, C6, E6, G6].map((pitch, place) => /** @type {Bell} */ ([at + place * 0.075, pitch, 1.2, 0.15]))) },
  lost: { bells: [[0, A4, 0.35, 0.08], [0.14, F4, 0.5, 0.07]] },
  // The clicks of the pegs begin when the wheel is in the middle of the felt, and grow slower until it stands.
  wheel: { rustles: Array.from({ length: 18 }, (_, place) => /** @type {Rustle} */ ([0.29 + 0.035 * place + 0.0026 * place * place, 3000, 0.018, 0.55])) },
};

/** @type {AudioContext | null} */
let audio = null;
/** @type {AudioBuffer | null} */
let noise = null;
/** When each sound was made last, by the clock of what plays it.
 * @type {Map<SoundName, number>} */
const made = new Map();

/** A whole table's cards that are shown at once are heard as one. */
const APART_S = 0.04;

/**
 * Make a sound, if sound is on. A browser lets none be heard before the visitor has done something,
 * and would play all of them together then.
 * @param {SoundName | null} name
 */
export function sound(name) {
  if (name === null || preferred("sound") !== "on" || navigator.userActivation?.hasBeenActive === false) return;
  audio ??= new AudioContext();
  if (audio.state === "suspended") void audio.resume();
  noise ??= noiseOf(audio);
  const now = audio.currentTime;
  if (now - (made.get(name) ?? -1) < APART_S) return;
  made.set(name, now);
  play(audio, noise, name, Number(preferred("volume")) / 100);
}

/**
 * Play a sound, now or into a recording.
 * @param {BaseAudioContext} context
 * @param {AudioBuffer} buffer noise
 * @param {SoundName} name
 * @param {number} volume from 0 to 1
 */
export function play(context, buffer, name, volume) {
  const out = context.createGain();
  out.gain.value = volume;
  out.connect(context.destination);
  const { bells = [], rustles = [] } = SOUNDS[name];
  for (const each of bells) ring(context, out, each);
  for (const each of rustles) rustle(context, out, buffer, each);
}

/**
 * Half a second of noise.
 * @param {BaseAudioContext} context
 */
export function noiseOf(context) {
  const made = context.createBuffer(1, context.sampleRate / 2, context.sampleRate);
  const samples = made.getChannelData(0);
  for (let place = 0; place < samples.length; place += 1) samples[place] = 2 * Math.random() - 1;
  return made;
}

/**
 * A tone with a quiet octave above, which swells for an instant and then fades like a bell.
 * @param {BaseAudioContext} context
 * @param {AudioNode} out
 * @param {Bell} bell
 */
function ring(context, out, [after, hertz, seconds, loud]) {
  const at = context.currentTime + after;
  for (const [times, share] of /** @type {const} */ ([[1, 1], [2, 0.25]])) {
    const tone = context.createOscillator();
    tone.frequency.value = hertz * times;
    tone.connect(fading(context, at, seconds, loud * share)).connect(out);
    tone.start(at);
    tone.stop(at + seconds);
  }
}

/**
 * A band of noise that fades.
 * @param {BaseAudioContext} context
 * @param {AudioNode} out
 * @param {AudioBuffer} buffer
 * @param {Rustle} rustled
 */
function rustle(context, out, buffer, [after, hertz, seconds, loud]) {
  const at = context.currentTime + after;
  const source = context.createBufferSource();
  source.buffer = buffer;
  const band = context.createBiquadFilter();
  band.type = "bandpass";
  band.frequency.value = hertz;
  band.Q.value = 1.1;
  source.connect(band).connect(fading(context, at, seconds, loud)).connect(out);
  source.start(at, Math.random() * 0.3, seconds);
}

/**
 * Loudness that rises within four milliseconds and fades to nothing.
 * @param {BaseAudioContext} context
 * @param {number} at
 * @param {number} seconds
 * @param {number} loud
 */
function fading(context, at, seconds, loud) {
  const level = context.createGain();
  level.gain.setValueAtTime(0.0001, at);
  level.gain.linearRampToValueAtTime(loud, at + 0.004);
  level.gain.exponentialRampToValueAtTime(0.0001, at + seconds);
  return level;
}
