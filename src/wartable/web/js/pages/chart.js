// A distribution as a small chart: one bar for each result, with its chance in figures.

import { draw, make } from "../dom.js";
import { percent } from "../money.js";
import { t } from "../page-texts.js";

const WIDTH = 320;
const HEIGHT = 120;
const FOOT = 22;
const BARS_MAX = 14;

/**
 * A result per unit staked: "+1", "−½", "+10".
 * @param {string} units
 * @returns {string}
 */
function unitsOf(units) {
  const text = units.replace("-", "−").replace("1/2", "½");
  return units.startsWith("-") || units === "0" ? text : `+${text}`;
}

/**
 * The value of a fraction's text.
 * @param {string} text
 * @returns {number}
 */
function valueOf(text) {
  const [over = "0", under = "1"] = text.split("/");
  return Number(over) / Number(under);
}

/**
 * @param {string} caption
 * @param {Readonly<Record<string, {exact: string, value: number}>>} pmf
 * @returns {HTMLElement}
 */
export function distribution(caption, pmf) {
  const all = Object.entries(pmf).sort(([a], [b]) => valueOf(a) - valueOf(b));
  // A wheel has many results: the likeliest are drawn, and the list has them all.
  const likely = [...all].sort(([, a], [, b]) => b.value - a.value).slice(0, BARS_MAX);
  const bars = all.filter((each) => likely.includes(each));
  const most = Math.max(...bars.map(([, chance]) => chance.value));
  const step = WIDTH / bars.length;
  const shapes = bars.flatMap(([units, chance], i) => {
    const height = Math.max(1.5, (HEIGHT - FOOT - 16) * (chance.value / most));
    const width = Math.min(44, step * 0.7);
    const middle = (i + 0.5) * step;
    const y = HEIGHT - FOOT - height;
    const gain = valueOf(units) > 0 ? "gain" : valueOf(units) < 0 ? "loss" : "even";
    return [
      draw("rect", { x: middle - width / 2, y, width, height, rx: 2, class: gain }),
      draw("text", { x: middle, y: HEIGHT - 6, "text-anchor": "middle" }, unitsOf(units)),
      bars.length <= 6 && draw("text", { x: middle, y: y - 4, "text-anchor": "middle" }, percent(chance.value, 1)),
    ];
  });
  const rows = all.map(([units, chance]) =>
    make("li", {}, make("span", { class: "number" }, unitsOf(units)), make("span", { class: "number" }, percent(chance.value, 4)), make("span", { class: "number soft" }, chance.exact)),
  );
  return make(
    "figure",
    { class: "chart" },
    draw("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": t("odds.list", { caption }) }, ...shapes),
    make("figcaption", { class: "small soft" }, t("odds.units", { caption })),
    make("details", {}, make("summary", {}, t("odds.chances")), make("ul", { class: "chances" }, ...rows)),
  );
}
