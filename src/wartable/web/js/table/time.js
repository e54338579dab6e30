// Lengths of time in words.

const MINUTE_MS = 60_000;

/**
 * A length of time: "under a minute", "12 min", "3 h 5 min".
 * @param {number} ms
 * @returns {string}
 */
export function duration(ms) {
  const minutes = Math.floor(ms / MINUTE_MS);
  if (minutes < 1) return "under a minute";
  const hours = Math.floor(minutes / 60);
  return hours === 0 ? `${minutes} min` : `${hours} h ${minutes % 60} min`;
}
