// Lengths of time in words.

import { t } from "../texts.js";

const MINUTE_MS = 60_000;

/**
 * A length of time: "under a minute", "12 min", "3 h 5 min".
 * @param {number} ms
 * @returns {string}
 */
export function duration(ms) {
  const minutes = Math.floor(ms / MINUTE_MS);
  if (minutes < 1) return t("time.under");
  const hours = Math.floor(minutes / 60);
  return hours === 0 ? t("time.minutes", { minutes }) : t("time.hours", { hours, minutes: minutes % 60 });
}
