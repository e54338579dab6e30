// Charts of the reports, drawn as SVG: results as bars, and returns within their bands.

import { draw, make } from "../dom.js";
import { percent, signed } from "../money.js";

/** @typedef {import("../types.js").ReturnLine} ReturnLine */

const WIDTH = 640;
const ROW = 26;
const LABEL = 230;
const FIGURE = 96;

/**
 * @param {string} caption
 * @param {number} rows
 * @param {import("../dom.js").Child[]} shapes
 */
function figure(caption, rows, shapes) {
  return make("figure", { class: "chart bars" }, draw("svg", { viewBox: `0 0 ${WIDTH} ${rows * ROW + 8}`, role: "img", "aria-label": `${caption}; the table has every figure` }, ...shapes), make("figcaption", { class: "small soft" }, caption));
}

/**
 * Results of money, one bar each: to the right what the house won, to the left what it lost.
 * @param {string} caption
 * @param {readonly (readonly [string, number])[]} results
 */
export function results(caption, results) {
  const most = Math.max(1, ...results.map(([, cents]) => Math.abs(cents)));
  const space = (WIDTH - LABEL - FIGURE) / 2;
  const middle = LABEL + space;
  const shapes = results.flatMap(([name, cents], i) => {
    const length = Math.max(1, (space * Math.abs(cents)) / most);
    const y = i * ROW + 6;
    return [
      draw("text", { x: LABEL - 8, y: y + 13, "text-anchor": "end" }, name),
      draw("rect", { x: cents < 0 ? middle - length : middle, y, width: length, height: 16, rx: 2, class: cents < 0 ? "loss" : "gain" }),
      draw("text", { x: WIDTH, y: y + 13, "text-anchor": "end" }, signed(cents)),
    ];
  });
  return figure(caption, results.length, [draw("line", { x1: middle, x2: middle, y1: 0, y2: results.length * ROW + 4 }), ...shapes]);
}

/**
 * Returns within three standard errors of theory: the band, the middle, and where each one is.
 * @param {string} caption
 * @param {readonly ReturnLine[]} lines
 */
export function bands(caption, lines) {
  const space = WIDTH - LABEL - FIGURE;
  const middle = LABEL + space / 2;
  const unit = space / 2 / 5; // five standard errors to either side
  const shapes = lines.flatMap((line, i) => {
    const y = i * ROW + 6;
    const off = Math.max(-4.9, Math.min(4.9, line.off));
    return [
      draw("text", { x: LABEL - 8, y: y + 13, "text-anchor": "end" }, `${line.name}, ${line.wager.replaceAll("_", " ")}`),
      draw("rect", { x: middle - 3 * unit, y: y + 2, width: 6 * unit, height: 12, class: "band" }),
      draw("circle", { cx: middle + off * unit, cy: y + 8, r: 5, class: line.state }),
      draw("text", { x: WIDTH, y: y + 13, "text-anchor": "end" }, percent(line.actual, 2)),
    ];
  });
  return figure(caption, lines.length, [...shapes, draw("line", { x1: middle, x2: middle, y1: 0, y2: lines.length * ROW + 4 })]);
}
