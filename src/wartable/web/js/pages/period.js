// The choice of a period: today, this month, this year, or any two dates, in UTC.

import { make } from "../dom.js";
import { value } from "./console.js";
import { choose, field, form } from "./pieces.js";

const DAY_MS = 86_400_000;

/**
 * A date as the server reads it.
 * @param {Date} date
 */
function day(date) {
  return date.toISOString().slice(0, 10);
}

/**
 * The beginning and the end of a usual period; empty is unbounded.
 * @param {string} span
 * @param {number} now_ms
 * @returns {[string, string]}
 */
export function spanOf(span, now_ms) {
  const now = new Date(now_ms);
  if (span === "day") return [day(now), day(new Date(now_ms + DAY_MS))];
  if (span === "month") return [day(new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1))), day(new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1)))];
  if (span === "year") return [`${now.getUTCFullYear()}-01-01`, `${now.getUTCFullYear() + 1}-01-01`];
  return ["", ""];
}

/**
 * The form that asks for a period.
 * @param {number} now_ms
 * @param {(since: string, until: string) => Promise<void>} show
 */
export function period(now_ms, show) {
  const since = make("input", { type: "date" });
  const until = make("input", { type: "date" });
  const span = choose([["all", "since the beginning"], ["day", "today"], ["month", "this month"], ["year", "this year"], ["any", "between two dates"]]);
  span.addEventListener("change", () => {
    if (span.value !== "any") [since.value, until.value] = spanOf(span.value, now_ms);
  });
  const asked = form(
    { class: "filters", "data-period": "" },
    [field("period-span", "Period", span), field("period-since", "From", since), field("period-until", "Until before", until)],
    "Show",
    (sent) => show(value(sent, "period-since"), value(sent, "period-until")),
  );
  return asked;
}

/**
 * A query of a period.
 * @param {string} since
 * @param {string} until
 */
export function query(since, until) {
  return new URLSearchParams([...(since === "" ? [] : [["since", since]]), ...(until === "" ? [] : [["until", until]])]);
}
