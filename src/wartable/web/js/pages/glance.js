// A table as staff see it: at a glance in the pit, and in full beside its commands.

import { make } from "../dom.js";
import { money, signed } from "../money.js";
import { plural, sentence } from "../words.js";
import { dueWords, limitWords, ofMoney, whose } from "./duties.js";
import { bookName, duration, facts, plain, table as rows, when } from "./pieces.js";

/** @typedef {import("../types.js").FloorTable} FloorTable */
/** @typedef {import("../dom.js").Child} Child */

const WARN_MS = 2 * 3_600_000;
const INCIDENTS_SHOWN = 5;
const INCIDENTS_KEPT = 20;

/**
 * The limits that the floor has set, in words.
 * @param {FloorTable} table
 * @returns {string[]}
 */
export function restrictions(table) {
  const held = Object.entries(table.restrictions).map(([limit, value]) => `${limitWords(limit)} ${ofMoney(limit) ? money(value) : value}`);
  const named = Object.entries(table.player_box_maximums).map(([player, value]) => `box maximum for ${player} ${money(value)}`);
  return [...held, ...named];
}

/**
 * How long the cards may still be dealt; null where the book sets no age.
 * @param {FloorTable} table
 * @param {number} now_ms
 */
function ageOf(table, now_ms) {
  if (table.cards_until_ms === null) return null;
  const left = table.cards_until_ms - now_ms;
  const text = left <= 0 ? "too old to deal" : `change within ${duration(left)}`;
  return { text, old: left <= WARN_MS };
}

/**
 * The batches in words: "red in play (280 left), blue in the device".
 * @param {FloorTable} table
 */
function batchWords(table) {
  return table.batches.map((batch) => `${batch.name === "" ? "the cards" : batch.name} ${batch.where}`).join(", ");
}

/** @param {FloorTable} table */
function bankWords(table) {
  const bank = table.bank;
  if (bank === null) return "the house";
  if (bank.banker === null) return bank.offered === null ? "nobody" : `offered to ${bank.offered}`;
  return `${bank.banker}, ${money(bank.posted)}, ${bank.rounds} of ${plural(bank.rounds_max, "round")}`;
}

/** @param {FloorTable} table */
function meterWords(table) {
  return Object.entries(table.meters).map(([name, amount]) => `${plain(name)} ${money(amount)}`).join(", ");
}

/**
 * What is due, and whose turn it is where that is not the same.
 * @param {FloorTable} table
 */
function nextWords(table) {
  const [what, who] = [dueWords(table.due), whose(table.due)];
  return what === who ? what : `${what} (${who})`;
}

/**
 * A table's tile in the pit.
 * @param {FloorTable} table
 * @param {number} now_ms
 * @returns {Child[]}
 */
export function tile(table, now_ms) {
  const age = ageOf(table, now_ms);
  const held = restrictions(table);
  /** @type {[string, string, string][]} */
  const lines = [
    ["due", "Next", nextWords(table)],
    ["players", "Players", `${table.players.length}${table.staked > 0 ? `, ${money(table.staked)} staked` : ""}`],
  ];
  if (table.bank !== null) lines.push(["bank", "Bank", bankWords(table)]);
  if (table.batches.length > 1) lines.push(["batches", "Batches", batchWords(table)]);
  if (age !== null) lines.push(["age", "Cards", age.text]);
  if (held.length > 0) lines.push(["restrictions", "Set", held.join(", ")]);
  if (Object.keys(table.meters).length > 0) lines.push(["meters", "Meters", meterWords(table)]);
  const [last] = table.incidents;
  if (last !== undefined) lines.push(["incidents", "Incidents", `${countOf(table)}, the last ${duration(Math.max(0, now_ms - last.at_ms))} ago`]);
  return [
    make("strong", {}, table.name),
    make("span", { class: "small soft" }, `${bookName(table.book)}, round ${table.rounds}${table.in_round ? ", in play" : ""}`),
    make("span", { class: "glance" }, ...lines.flatMap(([hook, term, said]) => [make("span", { class: "soft" }, term), make("span", { [`data-glance-${hook}`]: true }, said)])),
    make("span", { class: "badges" }, ...badges(table, now_ms)),
  ];
}

/**
 * What is unusual at a table.
 * @param {FloorTable} table
 * @param {number} now_ms
 */
export function badges(table, now_ms) {
  const age = ageOf(table, now_ms);
  return [
    table.staffed && make("span", { class: "badge" }, "live dealer"),
    table.owner !== null && make("span", { class: "badge" }, "private"),
    table.miscounted && make("span", { class: "badge bad", "data-miscounted": true }, "side-bet count differs"),
    table.award !== null && make("span", { class: "badge warn", "data-award": table.award }, `${table.award} award pending`),
    table.device_failed !== null && make("span", { class: "badge bad", "data-device-failed": true }, `device failed: ${table.device_failed}${table.device_mark ? `, ${table.device_mark}` : ""}`),
    table.reshuffle !== null && make("span", { class: "badge warn", "data-reshuffle": true }, `reshuffle ordered: ${table.reshuffle}`),
    table.cover_card_out && make("span", { class: "badge warn", "data-cover-out": true }, "cover card out: last round of the shoe"),
    table.burn_due && make("span", { class: "badge", "data-burn-due": true }, "new dealer burns a card"),
    table.idle && make("span", { class: "badge", "data-idle": true }, "idle"),
    age?.old && make("span", { class: "badge bad", "data-old-cards": true }, `cards: ${age.text}`),
    table.closed !== null && make("span", { class: "badge bad" }, `disabled: ${table.closed}`),
  ];
}

/** @param {import("../types.js").Limit} limit */
function range(limit) {
  return limit.max === null ? `from ${money(limit.min)}` : `${money(limit.min)} to ${money(limit.max)}`;
}

/**
 * How many incidents there were; the house remembers so many of each table.
 * @param {FloorTable} table
 */
function countOf({ incidents }) {
  return `${incidents.length}${incidents.length >= INCIDENTS_KEPT ? " or more" : ""}`;
}

/**
 * What was irregular at the table, the last first.
 * @param {FloorTable} table
 */
function incidents(table) {
  if (table.incidents.length === 0) return make("span", { "data-incidents": 0 }, "none in the last 24 hours");
  const lines = table.incidents.slice(0, INCIDENTS_SHOWN).map((each) => make("li", { "data-incident": each.event.type }, when(each.at_ms), `, ${each.round === 0 ? "before the first round" : `round ${each.round}`}: ${sentence(each.event)}`));
  if (lines.length < table.incidents.length) lines.push(make("li", { class: "soft" }, `${countOf(table)} in the last 24 hours`));
  return make("ul", { class: "incidents", "data-incidents": table.incidents.length }, ...lines);
}

/**
 * The table in full: people, limits, cards, bank, meters and incidents.
 * @param {FloorTable} table
 * @param {number} now_ms
 * @param {boolean} recalls whether the visitor may look at rounds again
 * @returns {Child[]}
 */
export function details(table, now_ms, recalls) {
  const age = ageOf(table, now_ms);
  const held = restrictions(table);
  const seats = Object.entries(table.seats).map(([seat, player]) => `${seat} ${player}`);
  /** @type {[Child, Child][]} */
  const pairs = [
    ["Rule book", `${bookName(table.book)}, ${table.decks_in_use}, ${plain(table.method)}`],
    ["Dealer", table.staffed ? (table.dealer ?? "nobody yet") : "automatic"],
    ["Seats", make("span", { "data-seats": table.boxes }, `${plural(table.boxes, "box", "boxes")}; ${seats.length === 0 ? "nobody seated" : seats.join(", ")}`)],
    ["Players", table.players.length === 0 ? "nobody" : table.players.join(", ")],
    ["Waiting for", make("span", { "data-due": table.due.map((each) => each.what).join(" ") }, dueWords(table.due))],
    ["On the felt", make("span", { "data-staked": table.staked }, money(table.staked))],
    ["Limits", make("span", { "data-limits": true }, `wager ${range(table.limits.primary)}, tie ${range(table.limits.tie)}${table.limits.ceiling === null ? "" : `, single wager at most ${money(table.limits.ceiling)}`}${table.limits.payout_max === null ? "" : `, payout at most ${money(table.limits.payout_max)}`}; ${plural(table.boxes_per_player, "box", "boxes")} per player${table.players_per_box === null ? "" : `, ${plural(table.players_per_box, "player")} per box`}`)],
    ["Set by the floor", make("span", { "data-restrictions": held.length }, held.length === 0 ? "nothing" : held.join(", "))],
    ["Banker", make("span", { "data-bank": true }, bankWords(table), table.bank === null ? "" : ` (${table.bank.rotation}${table.bank.passed.length > 0 ? `; passed: ${table.bank.passed.join(", ")}` : ""})`)],
  ];
  if (table.bank === null) pairs.push(["House, this round", make("span", { "data-house": table.house }, signed(table.house))]);
  if (Object.keys(table.side_bets).length > 0) {
    const late = table.late.map((each) => `${each.player}, ${(table.side_bets[each.wager] ?? plain(each.wager)).toLowerCase()} on box ${each.box}`);
    const state = !table.in_round ? "no round" : table.locked ? "locked at no more bets" : "taken";
    pairs.push(["Side bets", make("span", { "data-lock-out": table.in_round ? (table.locked ? "locked" : "taken") : "none", "data-late": table.late.length }, late.length === 0 ? state : `${state}; refused as too late: ${late.join("; ")}`)]);
  }
  if (Object.keys(table.meters).length > 0) pairs.push(["Meters", make("span", { "data-meters": true }, meterWords(table))]);
  if (table.cards_since_ms !== null) pairs.push(["Cards in use", make("span", { "data-cards-in-use": true }, `${table.sets.join(", ")} (${plain(table.condition)}), since `, when(table.cards_since_ms), age === null ? "" : `, ${age.text}`)]);
  pairs.push(["Incidents", incidents(table)]);
  if (table.rounds > 0 && recalls) pairs.push([table.in_round ? "This round" : "Last round", make("a", { "data-last-round": table.rounds, href: `/replay?table=${encodeURIComponent(table.name)}&round=${table.rounds}` }, `Round ${table.rounds}, step by step`)]);
  const batches = table.batches.map((batch) => [
    make("span", { "data-batch": batch.name, "data-where": batch.where }, batch.name === "" ? "one set" : batch.name),
    batch.where,
    String(batch.left),
    String(batch.racked),
    batch.steps.join(" or "),
  ]);
  return [facts(pairs), rows("Batches of cards", ["Batch", "Where", "Left", "In the rack", "Next step"], batches, [2, 3])];
}
