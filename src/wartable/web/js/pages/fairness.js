// Fairness: the commitment now, the seeds of finished shoes, and a check that runs in this page.

import { get } from "../api.js";
import { takesLong } from "../check-parts.js";
import { check, read } from "../check.js";
import { find, make, replace } from "../dom.js";
import "../elements/wt-header.js";
import { numbersIn } from "../numbers.js";
import { keptSeed } from "../seeds.js";
import { current } from "../session.js";
import { plural } from "../words.js";
import { WholeChain } from "./chain.js";
import { asked, choose, facts, field, mini, notice, plain, sentenceOf, tableName } from "./pieces.js";

/** @typedef {import("../check.js").Step} Step */
/** @typedef {import("../types.js").Lobby} Lobby */
/** @typedef {import("../types.js").Proof} Proof */
/** @typedef {import("../types.js").Shoe} Shoe */
/** @typedef {import("../types.js").Shoes} Shoes */

/** @type {Readonly<Record<string, string>>} */
const WHEN = {
  on_deal: "after each Deal and each last choice",
  shoe: "once, before the shoe is loaded",
  after_bets: "after every “no more bets”, and again before war cards",
};

/** The visitor's name, to find their own seed. */
let you = "";

/** Counts what was asked for, so that an answer that comes too late is not shown. */
let turn = 0;

const main = find("#main");
const now = make("section", { "aria-label": "The shoe in use" });
const verdict = make("section", { "aria-label": "The check", "aria-live": "polite" });
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
      make("strong", {}, step.name),
      make("span", { class: "visually-hidden" }, step.ok ? ": passed" : ": FAILED"),
      make("div", {}, step.sentence),
      found.length > 0 && make("dl", { class: "found" }, ...found.flatMap(([name, value]) => [make("dt", {}, name), make("dd", { class: "mono" }, value)])),
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
    return make("details", {}, make("summary", {}, `All ${shoe.drawn.length} cards that were dealt`), make("p", { class: "shoe-cards" }, ...cards));
  }
  if (shoe.cards.length === 0) return null;
  const dealt = shoe.cards.slice(0, shoe.drawn.length).map(mini);
  return make("details", {}, make("summary", {}, `All ${shoe.cards.length} cards, ${shoe.drawn.length} of them dealt`), make("p", { class: "shoe-cards" }, ...dealt), make("p", { class: "small soft" }, "Never dealt: ", shoe.cards.slice(shoe.drawn.length).join(" ")));
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
  if (kept === null) return sealed ? { ok: true, part: "unknown", sentence: "Your seed is in the record, but not on this device, so only its seal could be checked." } : null;
  if (opened?.seed === kept.seed) return { ok: true, part: "yes", sentence: `Your seed was part of this shuffle, exactly as you sealed it: ${kept.seed}` };
  if (opened !== undefined) return { ok: false, part: "no", sentence: `The record's seed for you is not the one that you sealed, ${kept.seed}` };
  if (!kept.committed) return { ok: true, part: "no", sentence: "Your seed was not part of this shuffle: the cards were shuffled without your seal." };
  if (!sealed) return { ok: false, part: "no", sentence: `You sealed a seed, ${kept.seed}, but the record does not have your seal.` };
  return { ok: shoe.cards.length === 0, part: "no", sentence: "Your sealed seed was not opened; no card may be dealt from such a shoe." };
}

/**
 * What happened to the numbers that this device sent for a provable shoe.
 * @param {Shoe} shoe
 * @returns {{ok: boolean, part: string, sentence: string} | null}
 */
function ownNumbers(shoe) {
  const [{ sent, lost } = { sent: 0, lost: null }] = numbersIn([shoe]);
  if (sent === 0) return null;
  if (lost !== null) return { ok: false, part: "no", sentence: `This device sent the number ${lost.number} for draw ${lost.draw + 1}, but the record does not have it.` };
  return { ok: true, part: "yes", sentence: `${plural(sent, "number")} of this device decided ${sent === 1 ? "a draw" : "draws"} of this shoe, exactly as sent.` };
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
  replace(verdict, make("h2", {}, "The check"), line, long && notice("Checking takes long here, because your browser offers its fast calculation only to pages that came over HTTPS."));
  const steps = await check(shoes, current, (done) => {
    line.textContent = `Checking: ${done} of ${plural(shoes.length, "shoe")} done...`;
  });
  if (mine !== turn) return;
  const seeds = new Map(shoes.map((shoe) => [shoe, ownSeed(shoe)]));
  const swapped = shoes.find((shoe) => seeds.get(shoe)?.ok === false);
  const failed = steps.find((step) => !step.ok);
  const bad = failed ?? (swapped && { shoe: swapped.terms.number, name: "your seed", sentence: seeds.get(swapped)?.sentence ?? "" });
  const parts = shoes.map((shoe) => {
    const own = steps.filter((step) => step.shoe === shoe.terms.number);
    const mine = seeds.get(shoe) ?? null;
    const fine = own.every((step) => step.ok) && mine?.ok !== false;
    const { table, number, method, decks, batch } = shoe.terms;
    return make(
      "details",
      { class: "panel shoe-check", open: !fine || shoes.length === 1, "data-shoe-check": number, "data-ok": String(fine) },
      make("summary", {}, `${fine ? "✓" : "✗"} Shoe ${number} of ${tableName(table)}`),
      facts([["Shuffled by", `${plain(method)}, ${plural(decks, "deck")}${batch ? `, ${batch} backs` : ""}`], ["Ended", shoe.ended]]),
      mine !== null && make("p", { class: mine.ok ? "notice" : "notice bad", "data-own-seed": mine.part }, mine.sentence),
      make("ol", { class: "checks" }, ...own.map(stepShown)),
      cardsOf(shoe),
    );
  });
  const whole = steps.filter((step) => step.shoe === 0);
  replace(
    verdict,
    make("h2", {}, "The check"),
    bad === undefined
      ? notice(`Passed: ${plural(shoes.length, "shoe")} ${shoes.length === 1 ? "was" : "were"} dealt exactly as committed. All ${steps.length} checks passed.`, "good")
      : notice(`FAILED: ${bad.shoe === 0 ? "the record" : `shoe ${bad.shoe}`} fails the check “${bad.name}”. ${bad.sentence}`, "bad"),
    make("p", { class: "small soft" }, "Your browser did this check from the published specification, without the server's programs."),
    ...parts,
    make("ol", { class: "checks panel" }, ...whole.map(stepShown)),
  );
  find(".notice", verdict).setAttribute("data-verdict", bad === undefined ? "right" : "wrong");
}

function pastePanel() {
  const said = make("div", {});
  const go = make("button", { class: "button primary", type: "button", "data-check-pasted": true }, "Check this record");
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
    make("summary", {}, "Check a record of your own"),
    field("record", "A record of finished shoes, as JSON", pasted, "What this page downloads, what `wartable verify` takes, or a single shoe. Change a card, and the check finds it."),
    make("div", { class: "buttons" }, go),
    said,
  );
}

/**
 * @param {Shoe} shoe
 * @returns {[string, string]}
 */
function sealedBy(shoe) {
  return ["Sealed by players", shoe.seals.length === 0 ? "nobody" : shoe.seals.map((each) => each.player).join(", ")];
}

/**
 * @param {Proof} proof
 * @returns {[string, string | HTMLElement][]}
 */
function boundTo({ bound, draws }) {
  return [
    ["End of its chain of links", make("span", { class: "mono" }, bound.chain)],
    ["Cards are ordered", WHEN[bound.order] ?? bound.order],
    ["Iterations of the calculation", String(bound.iterations)],
    ["Links used", `${bound.used + draws.length} of ${bound.links}`],
    ["Record before it", make("span", { class: "mono" }, bound.before)],
  ];
}

/** @param {Shoes} found */
async function showTable(found) {
  const shoe = found.current;
  const finished = found.record.shoes;
  const text = JSON.stringify(found.record, null, 1);
  const file = make("a", { class: "button", download: "wartable-shoes.json", href: `data:application/json,${encodeURIComponent(text)}`, "data-download": true }, "Download the record");
  replace(
    now,
    make("h2", {}, "The shoe in use"),
    shoe === null
      ? make("p", {}, "No shoe is in use. The house commits to one before the next cards are dealt.")
      : facts([
          ["Shoe", `${shoe.terms.number}, ${plain(shoe.terms.method)}, ${plural(shoe.terms.decks, "deck")}`],
          ["Commitment", make("span", { class: "mono", "data-commitment": shoe.commitment }, shoe.commitment)],
          ...(shoe.proof === null ? [sealedBy(shoe)] : boundTo(shoe.proof)),
          ["Dealt so far", String(shoe.drawn.length)],
          [shoe.proof === null ? "Seed" : "Last link", "revealed when the shoe ends"],
        ]),
    make("p", { class: "small soft" }, "Write the commitment down before you play. When the shoe ends, what it rests on is published here, and it must hash to this commitment."),
    finished.length > 0 && make("p", {}, file),
  );
  pasted.value = text;
  if (finished.length > 0) await showCheck(finished, found.record.current);
  else replace(verdict, make("h2", {}, "The check"), make("div", { class: "empty", "data-empty": true }, make("p", {}, "No shoe has ended at this table yet. The check runs here as soon as one does.")));
}

/** @param {string} name */
async function load(name) {
  replace(now, make("p", { class: "soft loading" }, "Loading the shoes..."));
  replace(verdict);
  chain.offer(name);
  turn += 1;
  const mine = turn;
  try {
    const found = await get(`/tables/${encodeURIComponent(name)}/shoes`);
    if (mine === turn) await showTable(found);
  } catch (error) {
    replace(now, notice(sentenceOf(error), "bad"));
  }
}

function explained() {
  return make(
    "ol",
    { class: "explained" },
    make("li", {}, make("strong", {}, "Before the cards are cut"), ", the house publishes a hash of its secrets: the commitment. From then on it cannot change them."),
    make("li", {}, make("strong", {}, "Players take part"), ": at a table of your own, your browser sends a random number with Deal and with your last choice, and only then are the cards decided. At a shared table it sends a fresh number for each shuffle, the list of all numbers is closed, and only then is the order calculated."),
    make("li", {}, make("strong", {}, "When the shoe ends"), ", the secrets are revealed, and this page works out every card and the wheel again."),
  );
}

async function start() {
  const title = make("h1", {}, "Every shuffle can be checked");
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
    replace(main, title, explained(), field("table", "Table", list), now, verdict, chain.element, pastePanel());
    if (chosen !== "") await load(chosen);
  } catch (error) {
    replace(main, title, notice(sentenceOf(error), "bad"), pastePanel(), verdict);
  }
}

void start();
