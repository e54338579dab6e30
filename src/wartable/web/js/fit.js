// Labels printed on the felt fit their place in every font: they are measured, broken into lines and sized.

import { make, replace } from "./dom.js";

/** The smallest print that can be read. */
export const READABLE_PX = 9;

/** The height of a line in font sizes, as in css/boxes.css. */
const LINE = 1.1;

/** A text of more parts is not broken within words, because every way to break is tried. */
const PARTS_MAX = 8;

/** The start of a syllable that another one follows. */
const SYLLABLE = /(\w[aeiouy][^aeiouy]*?)(?=(?:[bcdfgkpt][lr]|[^aeiouy])[aeiouy]\w)/gi;
const BREAK = "\u00ad";

const MEASURED_PX = 100;

/** @typedef {{width: number, height: number, round: boolean}} Place */
/** @typedef {{text: string, hyphen: boolean}} Line */
/** @typedef {{lines: Line[], size: number}} Print */

/**
 * Every way to break a text into lines: between words and, with a hyphen, between syllables.
 * @param {string} text
 * @returns {Line[][]}
 */
function waysToBreak(text) {
  const words = text.split(" ");
  const syllables = words.map((word) => word.replace(SYLLABLE, `$1${BREAK}`).split(BREAK));
  const parts = syllables.flat().length > PARTS_MAX ? words.map((word) => [word]) : syllables;
  const ends = parts.flatMap((word) => word.map((part, place) => ({ part, joint: place === word.length - 1 ? " " : "" })));
  return Array.from({ length: 2 ** (ends.length - 1) }, (_, chosen) => {
    /** @type {Line[]} */
    const lines = [];
    let text = "";
    ends.forEach(({ part, joint }, place) => {
      text += part;
      const last = place === ends.length - 1;
      if (last || (chosen >> place) & 1) {
        lines.push({ text, hyphen: !last && joint === "" && !part.endsWith("-") });
        text = "";
      } else {
        text += joint;
      }
    });
    return lines;
  });
}

/**
 * A text as it is printed in a place: with no more hyphens than it takes to be readable, then as large as it can be.
 * @param {string} text
 * @param {Place} place
 * @param {number} largest the font's size where there is room
 * @param {(line: string) => number} measure the width of a line in font sizes
 * @returns {Print}
 */
export function fitted(text, place, largest, measure) {
  const ways = waysToBreak(text).map((lines) => {
    const hyphens = lines.filter((line) => line.hyphen).length;
    const [width, height] = [Math.max(...lines.map((line) => measure(line.hyphen ? `${line.text}-` : line.text))), LINE * lines.length];
    // The corners of the text lie within the circle, or its sides within the rectangle.
    const size = place.round ? place.width / Math.hypot(width, height) : Math.min(place.width / width, place.height / height);
    return { lines, hyphens, size: Math.min(size, largest) };
  });
  const short = (/** @type {{size: number}} */ way) => Math.max(0, READABLE_PX - way.size);
  ways.sort((one, other) => short(one) - short(other) || one.hyphens - other.hyphens || other.size - one.size || one.lines.length - other.lines.length);
  const best = /** @type {typeof ways[number]} */ (ways[0]);
  return { lines: best.lines, size: Math.max(best.size, READABLE_PX) };
}

/** @type {CanvasRenderingContext2D | null} */
let pen = null;

/**
 * How wide lines are in the font of an element, in font sizes.
 * @param {CSSStyleDeclaration} style
 * @returns {(line: string) => number}
 */
function measurer(style) {
  pen ??= document.createElement("canvas").getContext("2d");
  const font = `${style.fontWeight} ${MEASURED_PX}px ${style.fontFamily}`;
  return (line) => {
    if (pen === null) return line.length;
    pen.font = font;
    return pen.measureText(line).width / MEASURED_PX;
  };
}

/** @type {WeakMap<Element, (size: DOMRectReadOnly) => () => void>} */
const fits = new WeakMap();

// All are read before any is written, so that the page is laid out once.
const sizes = typeof ResizeObserver === "undefined" ? null : new ResizeObserver((entries) => {
  const writes = entries.flatMap(({ target, contentRect }) => (contentRect.width > 0 ? [fits.get(target)?.(contentRect)] : []));
  for (const write of writes) write?.();
});

/**
 * Keep a label fitted to the element that it is printed in, whatever its size.
 * @param {HTMLElement} place
 * @param {HTMLElement} label
 */
export function keepFitted(place, label) {
  const text = label.textContent ?? "";
  fits.set(place, ({ width, height }) => {
    const style = getComputedStyle(place);
    const round = style.borderTopLeftRadius.endsWith("%");
    const { lines, size } = fitted(text, { width, height, round }, parseFloat(style.fontSize), measurer(style));
    return () => {
      // The hyphen is drawn: the text stays the word that the spot's name has.
      const printed = lines.map(({ text: line, hyphen }, place) => {
        if (hyphen) return make("span", { class: "hyphen" }, line);
        return place === lines.length - 1 ? line : `${line}\n`;
      });
      replace(label, ...printed);
      label.style.fontSize = `${size.toFixed(2)}px`;
    };
  });
  sizes?.observe(place);
}

/**
 * Keep texts along paths no longer than their paths.
 * @param {SVGSVGElement} drawing
 */
export function keepWithinPaths(drawing) {
  fits.set(drawing, () => {
    const texts = [...drawing.querySelectorAll("textPath")].map((line) => {
      const path = drawing.querySelector(line.getAttribute("href") ?? "");
      const room = path instanceof SVGPathElement ? path.getTotalLength() : Infinity;
      const size = parseFloat(getComputedStyle(line).fontSize);
      return { line, size, share: room / line.getComputedTextLength() };
    });
    return () => {
      for (const { line, size, share } of texts) if (share < 1) line.style.fontSize = `${(size * share).toFixed(2)}px`;
    };
  });
  sizes?.observe(drawing);
}
