// Small sounds made in the browser: off unless the visitor switches them on.

import { preferred } from "../preferences.js";

/** @type {AudioContext | null} */
let audio = null;

/** Notes by occasion: frequency in hertz, length in seconds. */
/** @type {Record<string, readonly (readonly [number, number])[]>} */
const SOUNDS = {
  chip: [[1900, 0.03], [2500, 0.03]],
  card: [[420, 0.05]],
  won: [[660, 0.09], [880, 0.14]],
  ask: [[520, 0.08]],
};

/**
 * Make a sound, if sound is on.
 * @param {keyof typeof SOUNDS & string} name
 */
export function sound(name) {
  if (preferred("sound") !== "on") return;
  audio ??= new AudioContext();
  let at = audio.currentTime;
  for (const [hertz, seconds] of SOUNDS[name] ?? []) {
    const tone = audio.createOscillator();
    const level = audio.createGain();
    tone.frequency.value = hertz;
    tone.type = "triangle";
    level.gain.setValueAtTime(0.08, at);
    level.gain.exponentialRampToValueAtTime(0.0008, at + seconds);
    tone.connect(level).connect(audio.destination);
    tone.start(at);
    tone.stop(at + seconds);
    at += seconds;
  }
}
