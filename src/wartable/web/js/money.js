// Amounts: whole cents in, words out, and back; currency and figures as the house writes them.

const LIMIT = 10 ** 14;
const page = globalThis.document?.documentElement;
const LOCALE = page?.dataset.locale || "en-US";
const CURRENCY = page?.dataset.currency || "USD";
const MINUS = "−";

/** @param {number} digits */
const formatOf = (digits) => new Intl.NumberFormat(LOCALE, { style: "currency", currency: CURRENCY, currencyDisplay: "narrowSymbol", minimumFractionDigits: digits, maximumFractionDigits: digits });
const WHOLE = formatOf(0);
const EXACT = formatOf(2);
const parts = EXACT.formatToParts(1_234_567.89);

/** @param {string} type */
const partOf = (type) => parts.find((part) => part.type === type)?.value ?? "";

/** The sign of the currency, for a field's label. */
export const CURRENCY_SIGN = partOf("currency");
const DECIMAL = partOf("decimal") || ".";
const GROUP = partOf("group") || ",";

/**
 * An amount as it is shown: "$25", "$2.50", "$1,000".
 * @param {number} cents
 * @returns {string}
 */
export function money(cents) {
  const shown = (cents % 100 === 0 ? WHOLE : EXACT).format(Math.abs(cents) / 100);
  return cents < 0 ? `${MINUS}${shown}` : shown;
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
 * A figure as the house writes it: 1,234 or 2.33.
 * @param {number} value
 * @param {number} [digits]
 * @returns {string}
 */
export function number(value, digits = 0) {
  return value.toLocaleString(LOCALE, { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/**
 * A figure with at most so many decimals: 1, 0.5, 1,234.25.
 * @param {number} value
 * @param {number} most
 * @returns {string}
 */
export function figure(value, most) {
  return value.toLocaleString(LOCALE, { maximumFractionDigits: most });
}

/**
 * A share as the house writes it: 2.33%.
 * @param {number} share
 * @param {number} [digits]
 * @returns {string}
 */
export function percent(share, digits = 2) {
  return share.toLocaleString(LOCALE, { style: "percent", minimumFractionDigits: digits, maximumFractionDigits: digits }).replace("-", MINUS);
}

/**
 * A share in four digits that count: 9.615%, 0.01%.
 * @param {number} share
 * @returns {string}
 */
export function rounded(share) {
  return share.toLocaleString(LOCALE, { style: "percent", maximumSignificantDigits: 4 });
}

/**
 * An amount as one types it into a field.
 * @param {number} cents
 * @returns {string}
 */
export function typed(cents) {
  return String(cents / 100).replace(".", DECIMAL);
}

/**
 * An amount as it is typed, to the cent: 2.50.
 * @param {number} cents
 * @returns {string}
 */
export function exactly(cents) {
  return (cents / 100).toFixed(2).replace(".", DECIMAL);
}

/** @param {string} text */
const literally = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
const FORM = new RegExp(`^(\\d+|\\d{1,3}(?:${literally(GROUP)}\\d{3})+)(?:${literally(DECIMAL)}(\\d{1,2}))?$`);

/**
 * The cents that a text stands for, or null if it is not an amount: "25", "$2.50", "1,000".
 * @param {string} text
 * @returns {number | null}
 */
export function parse(text) {
  const found = FORM.exec(text.replace(CURRENCY_SIGN, "").trim());
  if (found === null) return null;
  const whole = Number((found[1] ?? "").replaceAll(GROUP, ""));
  const cents = whole * 100 + Number((found[2] ?? "").padEnd(2, "0"));
  return cents <= LIMIT ? cents : null;
}
