// Fairness: the commitment now, the seeds of finished shoes, and a check that runs in this page.

import { get } from "../api.js";
import { takesLong } from "../check-parts.js";
import { check, read } from "../check.js";
import { find, make, replace } from "../dom.js";
import "../elements/wt-header.js";
import { numbersIn } from "../numbers.js";
import { keptSeed } from "../seeds.js";
import { current } from "../session.js";
import { t } from "../page-texts.js";
import { named, WholeChain } from "./chain.js";
import { phrase } from "../words.js";
import { asked, choose, facts, field, mini, notice, optionValue, sentenceOf, tableName } from "./pieces.js";

/** @typedef {import("../check.js").Step} Step */
/** @typedef {import("../types.js").Lobby} Lobby */
/** @typedef {import("../types.js").Proof} Proof */
/** @typedef {import("../types.js").Shoe} Shoe */
/** @typedef {import("../types.js").Shoes} Shoes */

/** @type {Readonly<Record<string, import("../page-texts.js").TextKey>>} */
const WHEN = { on_deal: "fair.when_deal", shoe: "fair.when_shoe", after_bets: "fair.when_bets" };

/** The visitor's name, to find their own seed. */
let you = "";

/** Counts the checks that were asked for, so that a result that comes too late is not shown. */
let turn = 0;

/** Counts the tables that were asked for, in the same way. */
let loads = 0;

/** What the page itself wrote into the field for a record: anything else is the visitor's own. */
let filled = "";

const main = find("#main");
const now = make("section", { "aria-label": t("fair.in_use") });
const verdict = make("section", { "aria-label": t("fair.check"), "aria-live": "polite" });
const chain = new WholeChain();
const pasted = make("textarea", { rows: 8, spellcheck: "false", class: "mono", placeholder: '{"format": "wartable-shoes-2", "shoes": [ ... ]}' });

/** @param {Step} step */
function stepShown(step) {
  const found = Object.entries(step.found);
  return make(
    "li",
    { class: step.ok ? "ok" : "failed", "data-check": step.name, "data-ok": String(step.ok) },
    make("span", { class: "sign", "aria-hidden": "true" }, step.ok ? "✓" : "✗"),
    make(
      "div",
      {},
      make("strong", {}, named("check.name", step.name)),
      make("span", { class: "visually-hidden" }, `: ${t(step.ok ? "fair.step_passed" : "fair.step_failed")}`),
      make("div", {}, step.sentence),
      found.length > 0 && make("dl", { class: "found" }, ...found.flatMap(([name, value]) => [make("dt", {}, named("check.found", name)), make("dd", { class: "mono" }, value)])),
    ),
  );
}

/**
 * A shoe with its cards: dealt first, then what was left.
 * @param {Shoe} shoe
 */
function cardsOf(shoe) {
  if (shoe.proof !== null && shoe.drawn.length > 0) {
    const cards = shoe.drawn.map((each) => mini(each.card));
    return make("details", {}, make("summary", {}, t("fair.dealt_cards", { count: shoe.drawn.length })), make("p", { class: "shoe-cards" }, ...cards));
  }
  if (shoe.cards.length === 0) return null;
  const dealt = shoe.cards.slice(0, shoe.drawn.length).map(mini);
  return make("details", {}, make("summary", {}, t("fair.all_cards", { cards: shoe.cards.length, dealt: shoe.drawn.length })), make("p", { class: "shoe-cards" }, ...dealt), make("p", { class: "small soft" }, `${t("fair.never_dealt")} `, shoe.cards.slice(shoe.drawn.length).join(" ")));
}

/**
 * What happened to the visitor's own seed, which this device keeps: the record alone cannot prove
 * that it is the one that was sealed here. Null if the visitor took no part.
 * @param {Shoe} shoe
 * @returns {{ok: boolean, part: string, sentence: string} | null}
 */
function ownSeed(shoe) {
  if (shoe.proof !== null) return ownNumbers(shoe);
  const { table, number } = shoe.terms;
  const kept = you === "" ? null : keptSeed(table, number, you);
  const opened = shoe.player_seeds.find((each) => each.player === you);
  const sealed = shoe.seals.some((each) => each.player === you);
  if (kept === null) return sealed ? { ok: true, part: "unknown", sentence: t("fair.seed_elsewhere") } : null;
  if (opened?.seed === kept.seed) return { ok: true, part: "yes", sentence: t("fair.seed_used", { seed: kept.seed }) };
  if (opened !== undefined) return { ok: false, part: "no", sentence: t("fair.seed_other", { seed: kept.seed }) };
  if (!kept.committed) return { ok: true, part: "no", sentence: t("fair.seed_late") };
  if (!sealed) return { ok: false, part: "no", sentence: t("fair.seed_missing", { seed: kept.seed }) };
  return { ok: shoe.cards.length === 0, part: "no", sentence: t("fair.seed_shut") };
}

/**
 * What happened to the numbers that this device sent for a provable shoe.
 * @param {Shoe} shoe
 * @returns {{ok: boolean, part: string, sentence: string} | null}
 */
function ownNumbers(shoe) {
  const [{ sent, lost } = { sent: 0, lost: null }] = numbersIn([shoe]);
  if (sent === 0) return null;
  if (lost !== null) return { ok: false, part: "no", sentence: t("fair.number_missing", { number: lost.number, draw: lost.draw + 1 }) };
  return { ok: true, part: "yes", sentence: t("fair.numbers_used", { count: sent }) };
}

/**
 * Check shoes and show every step.
 * @param {readonly Shoe[]} shoes
 * @param {Shoe | null} current
 */
async function showCheck(shoes, current) {
  turn += 1;
  const mine = turn;
  const line = make("p", { class: "soft", "data-checking": true });
  const long = shoes.some((shoe) => takesLong(shoe.proof?.bound.iterations ?? 0));
  replace(verdict, make("h2", {}, t("fair.check")), line, long && notice(t("fair.slow")));
  const steps = await check(shoes, current, (done) => {
    line.textContent = t("fair.checking", { done, count: shoes.length });
  });
  if (mine !== turn) return;
  const seeds = new Map(shoes.map((shoe) => [shoe, ownSeed(shoe)]));
  const swapped = shoes.find((shoe) => seeds.get(shoe)?.ok === false);
  const failed = steps.find((step) => !step.ok);
  const bad = failed ?? (swapped && { shoe: swapped.terms.number, name: t("fair.your_seed"), sentence: seeds.get(swapped)?.sentence ?? "" });
  const parts = shoes.map((shoe) => {
    const own = steps.filter((step) => step.shoe === shoe.terms.number);
    const mine = seeds.get(shoe) ?? null;
    const fine = own.every((step) => step.ok) && mine?.ok !== false;
    const { table, number, method, decks, batch } = shoe.terms;
    return make(
      "details",
      { class: "panel shoe-check", open: !fine || shoes.length === 1, "data-shoe-check": number, "data-ok": String(fine) },
      make("summary", {}, `${fine ? "✓" : "✗"} ${t("fair.shoe_of", { number, table: tableName(table) })}`),
      facts([[t("fair.shuffled_by"), `${optionValue(method)}, ${t("word.decks", { count: decks })}${batch ? `, ${t("felt.backs", { back: batch })}` : ""}`], [t("fair.ended"), phrase("reason", shoe.ended)]]),
      mine !== null && make("p", { class: mine.ok ? "notice" : "notice bad", "data-own-seed": mine.part }, mine.sentence),
      make("ol", { class: "checks" }, ...own.map(stepShown)),
      cardsOf(shoe),
    );
  });
  const whole = steps.filter((step) => step.shoe === 0);
  replace(
    verdict,
    make("h2", {}, t("fair.check")),
    bad === undefined
      ? notice(t("fair.passed", { count: shoes.length, checks: steps.length }), "good")
      : notice(t(bad.shoe === 0 ? "fair.record_fails" : "fair.shoe_fails", { number: bad.shoe, name: failed === undefined ? bad.name : named("check.name", failed.name), sentence: bad.sentence }), "bad"),
    make("p", { class: "small soft" }, t("fair.by_browser")),
    ...parts,
    make("ol", { class: "checks panel" }, ...whole.map(stepShown)),
  );
  find(".notice", verdict).setAttribute("data-verdict", bad === undefined ? "right" : "wrong");
}

function pastePanel() {
  const said = make("div", {});
  const go = make("button", { class: "button primary", type: "button", "data-check-pasted": true }, t("fair.check_pasted"));
  go.addEventListener("click", async () => {
    replace(said);
    try {
      const { shoes, current } = read(pasted.value);
      await showCheck(shoes, current);
      verdict.scrollIntoView({ block: "start" });
    } catch (error) {
      replace(said, notice(error instanceof Error ? error.message : String(error), "bad"));
    }
  });
  return make(
    "details",
    { class: "panel" },
    make("summary", {}, t("fair.own_record")),
    field("record", t("fair.record"), pasted, t("fair.record_hint")),
    make("div", { class: "buttons" }, go),
    said,
  );
}

/**
 * @param {Shoe} shoe
 * @returns {[string, string]}
 */
function sealedBy(shoe) {
  return [t("fair.sealed_by"), shoe.seals.length === 0 ? t("fair.nobody") : shoe.seals.map((each) => each.player).join(", ")];
}

/**
 * @param {Proof} proof
 * @returns {[string, string | HTMLElement][]}
 */
function boundTo({ bound, draws }) {
  const order = WHEN[bound.order];
  return [
    [t("fair.chain_end"), make("span", { class: "mono" }, bound.chain)],
    [t("fair.ordered"), order === undefined ? bound.order : t(order)],
    [t("fair.iterations"), String(bound.iterations)],
    [t("fair.links_used"), t("replay.of", { at: bound.used + draws.length, count: bound.links })],
    [t("fair.before"), make("span", { class: "mono" }, bound.before)],
  ];
}

/**
 * @param {Shoes} found
 * @param {number} since the turn in which the table was asked for
 */
async function showTable(found, since) {
  const shoe = found.current;
  const finished = found.record.shoes;
  const text = JSON.stringify(found.record, null, 1);
  const file = make("a", { class: "button", download: "wartable-shoes.json", href: `data:application/json,${encodeURIComponent(text)}`, "data-download": true }, t("fair.download"));
  replace(
    now,
    make("h2", {}, t("fair.in_use")),
    shoe === null
      ? make("p", {}, t("fair.none_in_use"))
      : facts([
          [t("fair.shoe"), `${shoe.terms.number}, ${optionValue(shoe.terms.method)}, ${t("word.decks", { count: shoe.terms.decks })}`],
          [t("fair.commitment"), make("span", { class: "mono", "data-commitment": shoe.commitment }, shoe.commitment)],
          ...(shoe.proof === null ? [sealedBy(shoe)] : boundTo(shoe.proof)),
          [t("fair.so_far"), String(shoe.drawn.length)],
          [t(shoe.proof === null ? "fair.seed" : "fair.last_link"), t("fair.revealed")],
        ]),
    make("p", { class: "small soft" }, t("fair.write_down")),
    finished.length > 0 && make("p", {}, file),
  );
  if (pasted.value === filled) {
    pasted.value = text;
    filled = text;
  }
  if (since !== turn) return; // meanwhile the visitor had another record checked
  if (finished.length > 0) await showCheck(finished, found.record.current);
  else replace(verdict, make("h2", {}, t("fair.check")), make("div", { class: "empty", "data-empty": true }, make("p", {}, t("fair.none_ended"))));
}

/** @param {string} name */
async function load(name) {
  replace(now, make("p", { class: "soft loading" }, t("fair.loading")));
  replace(verdict);
  chain.offer(name);
  turn += 1;
  loads += 1;
  const [mine, since] = [loads, turn];
  try {
    const found = await get(`/tables/${encodeURIComponent(name)}/shoes`);
    if (mine === loads) await showTable(found, since);
  } catch (error) {
    if (mine === loads) replace(now, notice(sentenceOf(error), "bad"));
  }
}

function explained() {
  return make(
    "ol",
    { class: "explained" },
    make("li", {}, make("strong", {}, t("fair.first")), t("fair.first_words")),
    make("li", {}, make("strong", {}, t("fair.second")), t("fair.second_words")),
    make("li", {}, make("strong", {}, t("fair.third")), t("fair.third_words")),
  );
}

async function start() {
  const title = make("h1", {}, t("fair.title"));
  try {
    const me = await current();
    you = me?.name ?? "";
    /** @type {Lobby} */
    const lobby = await get("/lobby");
    const own = Object.keys(me?.holds ?? {}).filter((where) => where !== "wallet");
    const wanted = asked("table");
    const names = [...new Set([...(wanted === "" ? [] : [wanted]), ...own, ...lobby.tables.map((card) => card.name)])];
    const chosen = wanted || names[0] || "";
    const list = choose(names.map((name) => /** @type {[string, string]} */ ([name, tableName(name)])), chosen);
    list.addEventListener("change", () => {
      history.replaceState(null, "", `/fairness?table=${encodeURIComponent(list.value)}`);
      void load(list.value);
    });
    replace(main, title, explained(), field("table", t("history.table"), list), now, verdict, chain.element, pastePanel());
    if (chosen !== "") await load(chosen);
  } catch (error) {
    replace(main, title, notice(sentenceOf(error), "bad"), pastePanel(), verdict);
  }
}

void start();
