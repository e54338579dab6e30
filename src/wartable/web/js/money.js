// Amounts: whole cents in, words out, and back.

const LIMIT = 10 ** 14;

/**
 * An amount as it is shown: "$25", "$2.50", "$1,000".
 * @param {number} cents
 * @returns {string}
 */
export function money(cents) {
  const whole = Math.trunc(Math.abs(cents) / 100);
  const rest = Math.abs(cents) % 100;
  const grouped = String(whole).replace(/\B(?=(\d{3})+$)/g, ",");
  const sign = cents < 0 ? "−" : "";
  return `${sign}$${grouped}${rest === 0 ? "" : `.${String(rest).padStart(2, "0")}`}`;
}

/**
 * A result as it is shown: "+$25", "−$12.50", "$0".
 * @param {number} cents
 * @returns {string}
 */
export function signed(cents) {
  return cents > 0 ? `+${money(cents)}` : money(cents);
}

/**
 * The cents that a text stands for, or null if it is not an amount: "25", "$2.50", "1,000".
 * @param {string} text
 * @returns {number | null}
 */
export function parse(text) {
  const found = /^\$?\s*(\d+|\d{1,3}(?:,\d{3})+)(?:\.(\d{1,2}))?$/.exec(text.trim());
  if (found === null) return null;
  const whole = Number((found[1] ?? "").replaceAll(",", ""));
  const cents = whole * 100 + Number((found[2] ?? "").padEnd(2, "0"));
  return cents <= LIMIT ? cents : null;
}
