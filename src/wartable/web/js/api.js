// Requests to the server: JSON up, JSON down, and every failure is one `Problem`.

import { t } from "./texts.js";

/** Why a request failed: the status, a code, and a sentence to show. */
export class Problem extends Error {
  /**
   * @param {number} status
   * @param {string} code
   * @param {string} sentence
   */
  constructor(status, code, sentence) {
    super(sentence);
    this.name = "Problem";
    this.status = status;
    this.code = code;
    this.sentence = sentence;
  }
}

export const NO_ANSWER = t("link.no_answer");

/**
 * The JSON in a text, or null if it has none.
 * @param {string} text
 * @returns {any}
 */
function read(text) {
  try {
    return text === "" ? null : JSON.parse(text);
  } catch {
    return null;
  }
}

/**
 * The server's answer; throws a `Problem` on failure.
 * @param {string} method
 * @param {string} path
 * @param {unknown} [body]
 * @param {Record<string, string>} [headers]
 * @returns {Promise<any>}
 */
async function exchange(method, path, body, headers = {}) {
  /** @type {RequestInit} */
  const request = { method, headers: { accept: "application/json", ...headers }, credentials: "same-origin" };
  if (body !== undefined) {
    request.headers = { ...request.headers, "content-type": "application/json" };
    request.body = JSON.stringify(body);
  }
  let response, text;
  try {
    response = await fetch(path, request);
    text = await response.text();
  } catch {
    throw new Problem(0, "offline", NO_ANSWER);
  }
  const found = read(text);
  if (!response.ok) {
    throw new Problem(response.status, found?.code ?? "error", found?.sentence ?? NO_ANSWER);
  }
  return found;
}

/**
 * @param {string} path
 * @param {Record<string, string>} [headers]
 * @returns {Promise<any>}
 */
export function get(path, headers) {
  return exchange("GET", path, undefined, headers);
}

/**
 * @param {string} path
 * @param {unknown} [body]
 * @param {Record<string, string>} [headers]
 * @returns {Promise<any>}
 */
export function post(path, body, headers) {
  return exchange("POST", path, body, headers);
}

/**
 * @param {string} path
 * @param {unknown} body
 * @returns {Promise<any>}
 */
export function put(path, body) {
  return exchange("PUT", path, body);
}
