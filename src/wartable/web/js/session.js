// The signed-in account; a visitor without one becomes a guest in one step.

import { get, post, Problem } from "./api.js";
import { t } from "./texts.js";

/** Whether visitors may play as guests: only in a house with play money. */
export const GUESTS = document.documentElement.dataset.money === "play";

/** @typedef {import("./types.js").Me} Me */

/** @type {Me | null} */
let known = null;
/** @type {Promise<Me | null> | null} */
let asking = null;
/** @type {Promise<Me> | null} */
let ensuring = null;

/**
 * Remember the account, and tell the page with the event `session`.
 * @param {Me | null} me
 * @returns {void}
 */
function remember(me) {
  known = me;
  asking = Promise.resolve(me);
  window.dispatchEvent(new CustomEvent("session", { detail: me }));
}

/**
 * The account as last fetched, or null if nobody is signed in; fetches only the first time.
 * @returns {Promise<Me | null>}
 */
export async function current() {
  asking ??= refresh().catch((error) => {
    asking = null;
    throw error;
  });
  await asking;
  return known;
}

/**
 * The account as it is now, or null if nobody is signed in.
 * @returns {Promise<Me | null>}
 */
export async function refresh() {
  remember(await get("/session"));
  return known;
}

/**
 * The signed-in account; a new guest if nobody is signed in.
 * @returns {Promise<Me>}
 */
export function ensure() {
  ensuring ??= makeSure().finally(() => {
    ensuring = null;
  });
  return ensuring;
}

/** @returns {Promise<Me>} */
async function makeSure() {
  const me = await current();
  if (me !== null) return me;
  if (!GUESTS) throw new Problem(403, "no_guests", t("session.no_guests"));
  await post("/guest");
  return again();
}

/** @returns {Promise<Me>} */
async function again() {
  const me = await refresh();
  if (me === null) throw new Problem(401, "signed_out", t("session.cookies"));
  return me;
}

/**
 * @param {string} name
 * @param {string} password
 * @returns {Promise<Me>}
 */
export async function signIn(name, password) {
  await post("/sign-in", { name, password });
  return again();
}

/**
 * @param {string} name
 * @param {string} password
 * @returns {Promise<Me>}
 */
export async function register(name, password) {
  await post("/register", { name, password });
  return again();
}

/**
 * Set a new password with a recovery code, and be signed in.
 * @param {string} name
 * @param {string} code
 * @param {string} password
 * @returns {Promise<Me>}
 */
export async function recover(name, code, password) {
  await post("/recover", { name, code, password });
  return again();
}

/** @returns {Promise<void>} */
export async function signOut() {
  await post("/sign-out");
  remember(null);
}
