// What players are called: the display names of those who chose one, asked for once each.

import { get } from "./api.js";
import { t } from "./texts.js";

const ASKED_MAX = 100;
const BOT = /^bot-/;
const GUEST = /^guest-([0-9a-f]{4})[0-9a-f]+$/;
/** Guests and bots in a sentence. */
const ACCOUNTS = /\b(?:guest-[0-9a-f]{5,}|bot-[a-z0-9-]*[a-z0-9])\b/g;

/** Whether accounts are called by their own names only, as staff must know them. */
let exactly = false;

/** @type {Map<string, string>} */
const known = new Map();
/** @type {Set<string>} */
const asked = new Set();

/**
 * Ask what players are called, if nobody asked before; whether anything new is known now.
 * @param {Iterable<string>} players
 * @returns {Promise<boolean>}
 */
export async function learn(players) {
  const wanted = [...new Set(players)].filter((player) => !asked.has(player) && !BOT.test(player)).slice(0, ASKED_MAX);
  if (wanted.length === 0) return false;
  for (const player of wanted) asked.add(player);
  const query = new URLSearchParams(wanted.map((player) => ["player", player]));
  /** @type {Record<string, string>} */
  const found = await get(`/names?${query}`).catch(() => ({}));
  for (const [player, display] of Object.entries(found)) known.set(player, display);
  return Object.keys(found).length > 0;
}

/** How many display names are known, which says whether something shown is out of date. */
export function learned() {
  return known.size;
}

/** From now on guests are called by their accounts: two could have the same short name. */
export function callExactly() {
  exactly = true;
}

/**
 * What a player is called in a sentence: a guest who chose no name is "Guest 1ad3", a bot "Bot Ada".
 * @param {string} player
 * @returns {string}
 */
export function nameOf(player) {
  if (exactly) return known.get(player) ?? player;
  if (BOT.test(player)) return t("company.bot_name", { name: botName(player) });
  const guest = GUEST.exec(player);
  return known.get(player) ?? (guest === null ? player : t("company.guest", { number: guest[1] ?? "" }));
}

/**
 * A bot's own name: "bot-ada-2" is Ada 2.
 * @param {string} player
 * @returns {string}
 */
function botName(player) {
  const name = player.replace(BOT, "").replaceAll("-", " ");
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/**
 * A sentence of the server, with players as this page calls them.
 * @param {string} sentence
 * @returns {string}
 */
export function withNames(sentence) {
  return sentence.replace(ACCOUNTS, nameOf);
}

/**
 * The same in little room, without the mark of a bot, and whether it is one.
 * @param {string} player
 * @returns {{text: string, bot: boolean}}
 */
export function shortName(player) {
  const bot = BOT.test(player);
  return { text: bot ? botName(player) : nameOf(player), bot };
}
