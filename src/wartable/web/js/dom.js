// Elements made and changed from script: text is always text, never markup.

/** @typedef {Node | string | number | null | undefined | false} Child */
/** @typedef {Record<string, string | number | boolean | null | undefined | ((event: any) => void)>} Attributes */

const SVG = "http://www.w3.org/2000/svg";

/**
 * Set attributes; `true` is an empty attribute, `false` and null remove it, `on...` listens.
 * @param {Element} element
 * @param {Attributes} attributes
 */
export function set(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") {
      element.addEventListener(name.slice(2), value);
    } else if (value === null || value === undefined || value === false) {
      if (element.hasAttribute(name)) element.removeAttribute(name);
    } else {
      const text = value === true ? "" : String(value);
      if (element.getAttribute(name) !== text) element.setAttribute(name, text);
    }
  }
}

/**
 * A new HTML element.
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Attributes} [attributes]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[Name]}
 */
export function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  set(element, attributes);
  fill(element, children);
  return element;
}

/**
 * A new SVG element.
 * @template {keyof SVGElementTagNameMap} Name
 * @param {Name} name
 * @param {Attributes} [attributes]
 * @param {...Child} children
 * @returns {SVGElementTagNameMap[Name]}
 */
export function draw(name, attributes = {}, ...children) {
  const element = /** @type {SVGElementTagNameMap[Name]} */ (document.createElementNS(SVG, name));
  set(element, attributes);
  fill(element, children);
  return element;
}

/**
 * Append the children that are not empty.
 * @param {Element} element
 * @param {Child[]} children
 */
function fill(element, children) {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    element.append(typeof child === "number" ? String(child) : child);
  }
}

/**
 * Write a text if it has changed.
 * @param {Element} element
 * @param {string} text
 */
export function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/**
 * Replace all children.
 * @param {Element} element
 * @param {...Child} children
 */
export function replace(element, ...children) {
  element.replaceChildren();
  fill(element, children);
}

/**
 * The one element that a selector finds, or an error that names it.
 * @param {string} selector
 * @param {ParentNode} [within]
 * @returns {HTMLElement}
 */
export function find(selector, within = document) {
  const found = within.querySelector(selector);
  if (!(found instanceof HTMLElement)) throw new Error(`There is no ${selector} on this page.`);
  return found;
}

/**
 * A line icon on a grid of 24, from path data.
 * @param {...string} paths
 * @returns {SVGSVGElement}
 */
export function icon(...paths) {
  const lines = paths.map((d) => draw("path", { d }));
  return draw(
    "svg",
    {
      viewBox: "0 0 24 24",
      fill: "none",
      stroke: "currentColor",
      "stroke-width": 1.8,
      "stroke-linecap": "round",
      "stroke-linejoin": "round",
      "aria-hidden": "true",
    },
    ...lines,
  );
}

/** A loss with its amount. */
const LOSS = /(−[^\s]*\d[^\s]*)/;

/**
 * A text in parts, without line breaks between a minus and its amount.
 * @param {string} text
 * @returns {(HTMLElement | string)[]}
 */
export function unbroken(text) {
  return text.split(LOSS).map((part) => (part.startsWith("−") ? make("span", { class: "whole" }, part) : part));
}
