// The course of a bankroll as a fan: the middle line, and the bands that hold half and nine tenths.

import { draw, make } from "../dom.js";
import { money, number } from "../money.js";
import { t } from "../page-texts.js";

const WIDTH = 640;
const HEIGHT = 260;
const LEFT = 64;
const FOOT = 26;

/**
 * @param {readonly number[][]} lines from the lowest quantile to the highest
 * @param {number} bankroll
 * @returns {HTMLElement}
 */
export function fan(lines, bankroll) {
  const rounds = (lines[0]?.length ?? 1) - 1;
  const top = Math.max(bankroll, ...lines.flat()) * 1.05;
  const x = (/** @type {number} */ round) => LEFT + ((WIDTH - LEFT - 8) * round) / Math.max(1, rounds);
  const y = (/** @type {number} */ cents) => HEIGHT - FOOT - ((HEIGHT - FOOT - 8) * Math.max(0, cents)) / top;
  const points = (/** @type {readonly number[]} */ line) => line.map((cents, round) => `${x(round).toFixed(1)},${y(cents).toFixed(1)}`);
  const band = (/** @type {number} */ low, /** @type {number} */ high, /** @type {string} */ name) =>
    draw("polygon", { class: name, points: [...points(lines[low] ?? []), ...points(lines[high] ?? []).reverse()].join(" ") });
  const marks = [0, 0.25, 0.5, 0.75, 1].map((share) => share * top);
  const shapes = [
    ...marks.map((cents) => draw("line", { class: "rule", x1: LEFT, x2: WIDTH - 8, y1: y(cents), y2: y(cents) })),
    ...marks.map((cents) => draw("text", { x: LEFT - 6, y: y(cents) + 4, "text-anchor": "end" }, money(Math.round(cents / 100) * 100))),
    band(0, 4, "band wide"),
    band(1, 3, "band narrow"),
    draw("polyline", { class: "middle", points: points(lines[2] ?? []).join(" ") }),
    draw("line", { class: "start", x1: LEFT, x2: WIDTH - 8, y1: y(bankroll), y2: y(bankroll) }),
    draw("text", { x: LEFT, y: HEIGHT - 8 }, t("lab.start")),
    draw("text", { x: WIDTH - 8, y: HEIGHT - 8, "text-anchor": "end" }, t("lab.rounds", { count: rounds, figure: number(rounds) })),
  ];
  const ends = lines.map((line) => money(line.at(-1) ?? 0));
  return make(
    "figure",
    { class: "chart fan-chart" },
    draw("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": t("lab.fan", { count: rounds, figure: number(rounds), low: String(ends[0]), middle: String(ends[2]), high: String(ends[4]) }) }, ...shapes),
    make("figcaption", { class: "small soft" }, t("lab.fan_words")),
  );
}
