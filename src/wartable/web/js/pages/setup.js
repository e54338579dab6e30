// Open a table: everything that the book leaves to the operator, and what it does to the edge.

import { get, post, put } from "../api.js";
import { make, replace } from "../dom.js";
import { money, parse, percent, typed as amountTyped } from "../money.js";
import { open, text, value } from "./console.js";
import { bookChoices, bookName, choose, facts, field, filled, form, notice, plain, sentenceOf, table, Unclear, when } from "./pieces.js";

/** @typedef {import("../types.js").FloorView} FloorView */
/** @typedef {import("../types.js").FormField} FormField */
/** @typedef {import("../types.js").TableForm} TableForm */
/** @typedef {import("../types.js").BookPage} BookPage */
/** @typedef {import("../types.js").Preview} Preview */
/** @typedef {import("../dom.js").Child} Child */

const PAUSE_MS = 400;

/** @type {readonly (readonly [string, RegExp])[]} */
const GROUPS = [
  ["Cards", /^(decks|shuffle|shoe\.)/],
  ["Layout and boxes", /^table\./],
  ["Limits", /^limits\./],
  ["Play", /^(war_burn|electronic|abandoned|deal\.)/],
  ["Side bets", /^wagers\.[a-z_]+\.(offered|trigger)/],
  ["Meters", /^wagers\.[a-z_]+\.meters?\./],
  ["The wheel's stops, by weight", /^wagers\.[a-z_]+\.wheel\./],
];

/** @type {[string, string][]} */
const ORDERS = [["", "as the house says"], ["shoe", "once a shoe"], ["after_bets", "after every “no more bets”"]];

/** @type {Record<string, string>} */
const LABELS = {
  decks: "Decks in a shoe",
  shuffle: "Shuffling method",
  war_burn: "Burn before the war",
  electronic: "Community cards",
  abandoned: "Wagers of a player who leaves",
  "table.boxes": "Boxes",
  "table.seats": "Seats",
  "table.boxes_per_player": "Boxes per player",
  "table.players_per_box": "Players per box",
  "shoe.cutting_cards": "Cutting cards",
  "shoe.cover_from_bottom": "Cover card from the bottom",
  "limits.primary.min": "Minimum wager",
  "limits.primary.max": "Maximum wager",
  "limits.tie.min": "Minimum tie wager",
  "limits.tie.max": "Maximum tie wager",
  "limits.war_tie.min": "Minimum tie wager at war",
  "limits.war_tie.max": "Maximum tie wager at war",
  "limits.payout_max": "Payout limit per hand",
  "limits.ceiling": "Ceiling of a single wager",
  "limits.box_max": "Box maximum",
  "limits.player_box_max": "Box maximum per player",
  "deal.payment": "How the dealer pays",
};

/** @param {string} key */
function labelOf(key) {
  if (LABELS[key] !== undefined) return LABELS[key];
  const words = plain(key.replace(/^(limits|wagers)\./, "").replaceAll(".", " "));
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/**
 * A value as it is typed: money in units, anything else as it is.
 * @param {FormField} each
 * @param {string | number | boolean | null} given
 */
function typed(each, given) {
  if (given === null) return "";
  return each.kind === "money" && typeof given === "number" ? amountTyped(given) : String(given);
}

/**
 * What is allowed, and where it comes from.
 * @param {FormField} each
 */
function hintOf(each) {
  const bound = (/** @type {number} */ amount) => (each.kind === "money" ? money(amount) : String(amount));
  const only = each.least !== null && each.least === each.most;
  const range = only ? `only ${bound(/** @type {number} */ (each.least))}` : [each.least !== null && (each.kind !== "money" || each.least > 1) && `at least ${bound(each.least)}`, each.most !== null && `at most ${bound(each.most)}`].filter(Boolean).join(", ");
  const usual = each.value === null ? "none in the book" : `usually ${usually(each)}`;
  return [usual, range, each.note, [...each.clauses, ...each.readings].join(", ")].filter(Boolean).join("; ");
}

/**
 * The book's own value in words.
 * @param {FormField} each
 */
function usually({ kind, value }) {
  if (kind === "yes") return value === true ? "yes" : "no";
  return kind === "money" && typeof value === "number" ? money(value) : plain(String(value));
}

/** @param {FormField} each */
function control(each) {
  const id = `set-${each.key.replace(/[^a-z0-9]+/gi, "-")}`;
  const given = typed(each, each.value);
  /** @type {HTMLInputElement | HTMLSelectElement} */
  let made;
  if (each.kind === "choice") made = choose(each.choices.map((choice) => [choice, plain(choice)]), given);
  else if (each.kind === "yes") made = choose([["true", "yes"], ["false", "no"]], given);
  else made = make("input", { type: "text", inputmode: each.kind === "share" ? null : "decimal", maxlength: 40, value: given });
  made.name = each.key;
  const shown = field(id, labelOf(each.key), made, hintOf(each));
  shown.dataset.setting = each.key;
  shown.dataset.clauses = each.clauses.join(" ");
  return shown;
}

/**
 * What differs from the book, as the server takes it.
 * @param {HTMLFormElement} sent
 * @param {readonly FormField[]} fields
 */
function chosen(sent, fields) {
  /** @type {{options: Record<string, string>, settings: Record<string, unknown>, decks: number | null}} */
  const found = { options: {}, settings: {}, decks: null };
  for (const each of fields) {
    const said = value(sent, each.key);
    if (said === "" || said === typed(each, each.value)) continue;
    if (each.key === "decks") found.decks = Number(said);
    else if (!each.key.includes(".")) found.options[each.key] = said;
    else if (each.kind === "money") {
      const cents = parse(said);
      if (cents === null) throw new Unclear(`${labelOf(each.key)}: enter an amount such as 25.`);
      found.settings[each.key] = cents;
    } else if (each.kind === "number") {
      if (!/^\d+$/.test(said)) throw new Unclear(`${labelOf(each.key)}: enter a whole number.`);
      found.settings[each.key] = Number(said);
    } else found.settings[each.key] = each.kind === "yes" ? said === "true" : said;
  }
  return found;
}

/** The page for one book after another. */
class SetupPage {
  /** @param {FloorView} view */
  constructor(view) {
    this.view = view;
    this.book = choose(bookChoices(view.books), new URLSearchParams(location.search).get("book") ?? "");
    this.fields = make("div", { class: "stack" });
    this.edges = make("div", { "data-edges": true });
    this.confirm = make("div", { "data-confirm": true });
    this.papers = make("div", { class: "stack" });
    /** @type {TableForm | null} */
    this.form = null;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    this.asked = 0;
  }

  /** @param {HTMLElement} main */
  async show(main) {
    const sent = form(
      { "data-open-table": "" },
      [
        make("div", { class: "settings" }, field("table-name", "Name", text("washington 2"), "Lowercase letters, digits and spaces."), field("table-book", "Rule book", this.book), field("table-staffed", "Dealer", choose([["yes", "live dealer"], ["no", "automatic"]]))),
        make("div", { class: "settings" }, field("table-order", "Cards are ordered", choose(ORDERS), "After every “no more bets” nobody can bet by what they know, but each deal waits."), field("table-iterations", "Iterations", make("input", { type: "number", min: 1, inputmode: "numeric" }), "How long that is calculated: 5,000,000 take about three seconds. Leave empty for the house's.")),
        this.fields,
        this.confirm,
      ],
      "Open the table",
      async (given) => {
        const opened = await post("/tables", this.body(given));
        return `${opened.name} is open.`;
      },
    );
    this.sent = sent;
    replace(main, make("div", { class: "setup-page" }, make("section", { class: "panel" }, sent), make("div", { class: "setup-beside stack" }, make("section", { class: "panel" }, make("h2", {}, "The edge"), this.edges), this.papers)));
    this.book.addEventListener("change", () => void this.read());
    sent.addEventListener("input", () => this.later());
    await this.read();
  }

  /** @param {HTMLFormElement} given */
  body(given) {
    const confirmed = [...this.confirm.querySelectorAll("input:checked")].map((each) => each.getAttribute("value"));
    return {
      name: value(given, "table-name"),
      book: this.book.value,
      staffed: value(given, "table-staffed") === "yes",
      approval: value(given, "table-approval"),
      layout: value(given, "table-layout"),
      confirmed,
      order: value(given, "table-order") || null,
      iterations: Number(value(given, "table-iterations")) || null,
      ...chosen(given, this.form?.fields ?? []),
    };
  }

  async read() {
    const book = this.book.value;
    replace(this.confirm);
    /** @type {[TableForm, BookPage] | null} */
    const both = await filled(this.fields, "Loading the book...", Promise.all([get(`/books/${book}/form`), get(`/books/${book}/page`)]), ([found]) => this.groups(found));
    if (both === null || book !== this.book.value) return;
    const [found, page] = both;
    this.form = found;
    replace(this.papers, filing(book, found, this.view, () => this.read()), documents(page, found));
    await this.preview();
  }

  /**
   * The fields by topic; the wheel's are folded.
   * @param {TableForm} found
   */
  groups(found) {
    const approvals = [
      found.layout_approval && field("table-layout", "Layout's approval", make("input", { type: "text", maxlength: 80 }), "The reference under which the layout was approved; leave empty for the house's."),
      found.approval_methods.length > 0 && field("table-approval", "Method's approval", make("input", { type: "text", maxlength: 80 }), `The reference of the approval that ${found.approval_methods.map(plain).join(" and ")} shuffling needs.`),
    ].filter((each) => each instanceof HTMLElement);
    const shown = GROUPS.flatMap(([title, keys]) => {
      const own = found.fields.filter((each) => keys.test(each.key));
      if (own.length === 0) return [];
      const inside = make("div", { class: "settings" }, ...own.map(control));
      return [make("details", { class: "group", open: !/stops/.test(title), "data-setting-group": title }, make("summary", {}, title), inside)];
    });
    return approvals.length === 0 ? shown : [make("div", { class: "settings" }, ...approvals), ...shown];
  }

  /** Look at the edge soon, once for many keys. */
  later() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.preview(), PAUSE_MS);
  }

  async preview() {
    if (this.sent === undefined) return;
    const number = ++this.asked;
    const done = () => (this.edges.dataset.edges = String(number));
    try {
      const body = this.body(this.sent);
      /** @type {Preview} */
      const found = await post("/tables/preview", { ...body, name: "preview", confirmed: [] });
      if (number !== this.asked) return;
      this.showEdges(found);
      done();
    } catch (error) {
      if (number !== this.asked) return;
      replace(this.edges, notice(sentenceOf(error), "bad"));
      done();
    }
  }

  /** @param {Preview} found */
  showEdges(found) {
    const rows = Object.entries(found.edges).map(([wager, edge]) => {
      const usual = found.book_edges[wager];
      const change = usual === undefined || Math.abs(edge - usual) < 5e-7 ? "as the book" : `${edge > usual ? "+" : "−"}${percent(Math.abs(edge - usual), 3)}`;
      return [make("span", { "data-edge": wager, "data-value": edge.toFixed(6) }, wager), percent(edge, 3), make("span", { "data-change": true }, change)];
    });
    replace(
      this.edges,
      rows.length > 0 && table("House edge, always war, meters at reset", ["Wager", "Edge", "Change"], rows, [1, 2]),
      ...found.problems.map((sentence) => make("p", { class: "notice bad", "data-problem": true }, sentence)),
      make("details", {}, make("summary", {}, "What the felt says"), make("ul", { class: "small", "data-felt-says": true }, ...found.inscription.map((line) => make("li", {}, line)), found.payout_limit !== "" && make("li", { "data-felt-payout-limit": true }, found.payout_limit))),
    );
    const checked = new Set([...this.confirm.querySelectorAll("input:checked")].map((each) => each.getAttribute("value")));
    const gifts = Object.entries(found.gifts).map(([kind, sentence]) => make("label", { class: "row check", "data-gift": kind }, make("input", { type: "checkbox", value: kind, checked: checked.has(kind) }), `Confirm: ${sentence}`));
    replace(this.confirm, ...gifts);
  }
}

/**
 * What is on file for the book, and the form to record it.
 * @param {string} book
 * @param {TableForm} found
 * @param {FloorView} view
 * @param {() => Promise<void>} changed
 */
function filing(book, found, view, changed) {
  const { filed } = found;
  const input = (/** @type {string} */ kept) => make("input", { type: "text", maxlength: 80, value: kept });
  const missing = found.agreement !== "" && filed.agreement === "";
  return make(
    "section",
    { class: "panel", "data-filing": book },
    make("h2", {}, "On file"),
    missing && make("p", { class: "notice warn", "data-no-agreement": true }, `No agreement with the game's owner is on file. The document asks for it (${found.agreement}).`),
    facts([
      ["Submission", filed.submission === "" ? "none recorded" : `${filed.submission}, ${filed.submitted}`],
      ["Owner's agreement", filed.agreement === "" ? "none recorded" : `${filed.agreement}, ${filed.agreed}`],
      ["Recorded", filed.at_ms === 0 ? "never" : make("span", {}, `by ${filed.by}, `, when(filed.at_ms))],
    ]),
    view.rights.includes("open_tables") &&
      make(
        "details",
        {},
        make("summary", {}, "Record"),
        form(
          { "data-file": "" },
          [field("filing-submission", "Rules submission", input(filed.submission), "Its reference."), field("filing-submitted", "Date of the submission", input(filed.submitted)), field("filing-agreement", "Owner's agreement", input(filed.agreement), "Its reference."), field("filing-agreed", "Date of the agreement", input(filed.agreed))],
          "Record",
          async (sent) => {
            await put(`/books/${book}/filing`, { submission: value(sent, "filing-submission"), submitted: value(sent, "filing-submitted"), agreement: value(sent, "filing-agreement"), agreed: value(sent, "filing-agreed") });
            await changed();
          },
          "",
        ),
      ),
  );
}

/**
 * The document behind the book: edition, notices, glossary, and the clauses of the form.
 * @param {BookPage} page
 * @param {TableForm} found
 */
function documents(page, found) {
  const { document } = page;
  const line = (/** @type {string} */ id, /** @type {string} */ rule) => make("li", { "data-clause": id }, make("span", { class: "clause-id" }, id), ` ${rule}`);
  return make(
    "section",
    { class: "panel", "data-document": page.name },
    make("h2", {}, "The document"),
    make("p", {}, `${document.title ?? ""}, ${document.source ?? ""}${document.version ? `, version ${document.version} of ${document.date}` : ""}. ${bookName(page.name)} ${page.version}.`),
    document.notice && make("p", { class: "small" }, document.notice),
    page.notices.length > 0 && make("details", { "data-notices": page.notices.length }, make("summary", {}, "Notices"), make("ul", { class: "clause-list small" }, ...page.notices.map((each) => line(each.id, each.rule)))),
    page.glossary.length > 0 && make("details", { "data-glossary": page.glossary.length }, make("summary", {}, "Glossary"), make("dl", { class: "small" }, ...page.glossary.flatMap((each) => [make("dt", {}, each.term === "*" ? "All terms" : each.term), make("dd", {}, `${each.meaning} (${each.source})`)]))),
    make("details", { "data-form-clauses": true }, make("summary", {}, "Clauses behind the form"), make("ul", { class: "clause-list small" }, ...Object.entries(found.clauses).map(([id, rule]) => line(id, rule)))),
  );
}

void open((view, main) => new SetupPage(view).show(main));
