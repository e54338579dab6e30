// The pit: every open table, what it is waiting for, and what the visitor's role may do about it.

import { get, post } from "../api.js";
import { find, make, replace, write } from "../dom.js";
import { Link } from "../link.js";
import { parse } from "../money.js";
import { limitsSign } from "../table/book.js";
import { sentence } from "../words.js";
import { awards } from "./awards.js";
import { clausesOf, open, sees } from "./console.js";
import { duties, dueWords, GROUPS, nextStep, ofMoney } from "./duties.js";
import { badges, details, tile } from "./glance.js";
import { closures } from "./office.js";
import { button, choose, facts, field, form, notice, plain, sentenceOf, Unclear, whyNot } from "./pieces.js";

/** @typedef {import("../types.js").FloorView} FloorView */
/** @typedef {import("../types.js").FloorTable} FloorTable */
/** @typedef {import("./duties.js").Asked} Asked */
/** @typedef {import("./duties.js").Duty} Duty */

const LINES_MAX = 40;
const REFRESH_MS = 1_500;
// Commands that ask for what only the dealer can see. The page offers them when they are due, with empty fields.
const ASKED_WHEN_DUE = new Set(["count_side_bets"]);

/** @type {Record<string, string>} */
const YES_NO = { True: "yes", False: "no" };

let made = 0;
const page = Math.random().toString(36).slice(2, 10);

/**
 * Give a command at a table.
 * @param {string} table
 * @param {string} type
 * @param {Record<string, unknown>} fields
 */
function command(table, type, fields) {
  made += 1;
  return post(`/tables/${encodeURIComponent(table)}/commands`, { type, id: `floor-${page}-${made}`, ...fields });
}

/**
 * The control of a field.
 * @param {string} id
 * @param {Asked} ask
 */
function control(id, ask) {
  if (ask.kind === "choice") return field(id, ask.label, choose(ask.choices ?? [], ask.value ?? ""));
  if (ask.kind === "yes") return field(id, ask.label, choose([["no", "no"], ["yes", "yes"]]));
  const kind = ask.kind === "number" ? "number" : "text";
  return field(id, ask.label, make("input", { type: kind, required: !ask.optional, maxlength: 160, value: ask.value ?? null }), ask.hint);
}

/**
 * The fields of a command as they were filled in.
 * @param {Duty} duty
 * @param {HTMLFormElement} sent
 */
function given(duty, sent) {
  const data = new FormData(sent);
  /** @type {Record<string, unknown>} */
  const fields = {};
  for (const ask of duty.asks) {
    const said = String(data.get(`${duty.type}-${ask.name}`) ?? "").trim();
    if (said === "" && ask.optional) continue;
    if (ask.kind === "number") fields[ask.name] = Number(said);
    else if (ask.kind === "limit" && !ofMoney(fields.limit)) {
      if (!/^\d+$/.test(said)) throw new Unclear(`${ask.label}: enter a whole number.`);
      fields[ask.name] = Number(said);
    } else if (ask.kind === "money" || ask.kind === "limit") {
      const cents = parse(said);
      if (cents === null) throw new Unclear(`${ask.label}: enter an amount such as 25.`);
      fields[ask.name] = cents;
    } else fields[ask.name] = ask.kind === "yes" ? said === "yes" : said;
  }
  return fields;
}

/** The page: the tables on the left, the chosen one beside them. */
class FloorPage {
  /** @param {FloorView} view */
  constructor(view) {
    this.view = view;
    this.chosen = new URLSearchParams(location.search).get("table") ?? view.tables.find((table) => table.staffed)?.name ?? "";
    /** @type {Link | null} */
    this.link = null;
    this.list = make("ul", { class: "floor-tables", "aria-label": "Tables" });
    this.closures = make("div", {});
    this.table = make("div", { class: "floor-table stack" });
    this.next = make("div", { class: "buttons", "data-next": true });
    this.said = make("div", {});
    this.why = make("div", {});
    this.about = make("div", {});
    this.sign = make("ul", { class: "small", "data-sign": true });
    /** @type {import("../table/book.js").TableBook | null} */
    this.book = null;
    this.assumed = make("div", {});
    this.awards = make("div", { "data-awards": true });
    /** @type {import("../types.js").TableSheet | null} */
    this.sheet = null;
    this.panels = make("div", { class: "stack" });
    this.lines = make("ol", { class: "floor-lines", tabindex: 0, "aria-label": "What happened" });
    this.waiting = false;
    /** @type {Record<string, number>} when time can be called for each player who must choose */
    this.times = {};
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    /** @type {Map<string, import("../types.js").TableCard>} the shared tables as the lobby has them */
    this.cards = new Map();
  }

  /** @param {HTMLElement} main */
  show(main) {
    const lobby = new Link(null);
    replace(
      main,
      whyNot(lobby),
      this.awards,
      make("div", { class: "floor-page" }, this.list, this.table),
      this.closures,
    );
    this.showList();
    this.choose(this.chosen);
    void this.showAwards();
    lobby.addEventListener("lobby", (event) => {
      const { tables } = /** @type {CustomEvent<import("../types.js").Lobby>} */ (event).detail;
      this.cards = new Map(tables.map((card) => [card.name, card]));
      void this.later();
    });
    lobby.open();
  }

  /** Look again soon, once for many changes. */
  async later() {
    if (this.waiting) return;
    this.waiting = true;
    await new Promise((resolve) => setTimeout(resolve, REFRESH_MS));
    this.waiting = false;
    await this.refresh().catch((error) => replace(this.said, notice(sentenceOf(error), "bad")));
  }

  async refresh() {
    const before = JSON.stringify(this.view.closures);
    this.view = await get("/staff");
    this.showList(before !== JSON.stringify(this.view.closures));
    this.times = this.view.tables.find((each) => each.name === this.chosen)?.time_up_ms ?? {};
    this.showAbout();
    await this.showAwards();
  }

  /** The awards that wait at any table, if they are not shown already. */
  async showAwards() {
    const waiting = this.view.tables.filter((table) => table.award !== null).map((table) => `${table.name} ${table.rounds} ${table.award} ${table.approved_by}`);
    const key = waiting.join(";");
    if (this.awards.dataset.key === key) return;
    this.awards.dataset.key = key;
    const found = waiting.length === 0 ? [] : await get("/awards");
    const may = (/** @type {string} */ type) => this.view.commands.includes(type);
    replace(this.awards, awards(found, sees(this.view), may, (table, type, fields) => command(table, type, fields)));
  }

  /**
   * Whether time can be called for a player's choice now; if it can be later, look again then.
   * @param {string} player
   */
  timeUp(player) {
    const at = this.times[player];
    if (at === undefined || this.link === null) return false;
    const left = at - this.link.serverNow();
    if (left <= 0) return true;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.showAbout(), left);
    return false;
  }

  /** @param {boolean} [closed] */
  showList(closed = true) {
    const now_ms = this.view.at_ms;
    const items = this.view.tables.map((table) => {
      const go = make("button", { class: "floor-choice", type: "button", "aria-pressed": String(table.name === this.chosen), "data-floor-table": table.name }, ...tile(table, now_ms));
      go.addEventListener("click", () => this.choose(table.name));
      return make("li", {}, go);
    });
    const focused = document.activeElement?.getAttribute("data-floor-table");
    replace(this.list, ...items);
    if (focused) /** @type {HTMLElement | null} */ (this.list.querySelector(`[data-floor-table="${CSS.escape(focused)}"]`))?.focus();
    if (closed && sees(this.view)) replace(this.closures, closures(this.view, () => this.refresh()));
  }

  /** @param {string} name */
  choose(name) {
    const table = this.view.tables.find((each) => each.name === name);
    this.link?.close();
    this.link = null;
    this.times = table?.time_up_ms ?? {};
    this.chosen = name;
    for (const each of this.list.querySelectorAll("button")) each.setAttribute("aria-pressed", String(each.dataset.floorTable === name));
    if (table === undefined) {
      replace(this.table, make("div", { class: "panel empty" }, make("p", {}, "Choose a table.")));
      return;
    }
    history.replaceState(null, "", `/floor?table=${encodeURIComponent(name)}`);
    replace(this.lines);
    replace(this.said);
    replace(
      this.table,
      make("section", { class: "panel" }, make("div", { class: "row spread" }, make("h2", {}, name), make("a", { class: "button small", href: `/table?name=${encodeURIComponent(name)}` }, "Watch the table")), this.why, this.about, this.next, this.said, this.assumed),
      this.panels,
      make("section", { class: "panel" }, make("h2", {}, "What happened"), this.lines),
    );
    this.sheet = null;
    this.book = null;
    replace(this.sign);
    replace(this.panels, ...this.dutyPanels(table));
    this.showAbout();
    this.follow(name);
    void this.showAssumed(name);
    void this.showSheet(table);
  }

  /**
   * What the table's document leaves open and the house has taken from elsewhere.
   * @param {string} name
   */
  async showAssumed(name) {
    replace(this.assumed);
    /** @type {import("../types.js").TableBook} */
    const book = await get(`/tables/${encodeURIComponent(name)}/book`);
    if (name !== this.chosen) return;
    this.book = book;
    this.showSign();
    const lines = book.assumptions.map((each) => make("li", { "data-assumption": each.key }, `${each.key.replaceAll(".", " ").replaceAll("_", " ")}: ${YES_NO[each.value] ?? each.value} (${[each.readings.join(", "), each.note].filter(Boolean).join(": ")})`));
    const notice = String(book.rules.document?.notice ?? "");
    replace(
      this.assumed,
      book.layout !== "" && make("p", { "data-layout": book.layout }, `Layout: ${book.layout}`),
      lines.length > 0 && make("details", { "data-assumptions": lines.length }, make("summary", {}, "Assumptions: what the document does not say"), notice !== "" && make("p", {}, notice), make("ul", {}, ...lines)),
    );
  }

  /** The limits as players read them at the table. */
  showSign() {
    const state = this.link?.state ?? null;
    if (this.book === null || state === null) return;
    replace(this.sign, ...limitsSign(this.book, state).map(({ name, text }) => make("li", { "data-sign-line": name }, text)));
  }

  /**
   * What stands behind the table: approvals, settings, and the clauses of every action.
   * @param {FloorTable} table
   */
  async showSheet(table) {
    /** @type {import("../types.js").TableSheet} */
    const sheet = await get(`/staff/tables/${encodeURIComponent(table.name)}`);
    if (table.name !== this.chosen) return;
    this.sheet = sheet;
    // Nobody has had time to fill anything in; what is open stays open.
    const opened = [...this.panels.querySelectorAll("details[open]")].map((each) => each.getAttribute("data-group"));
    for (const each of this.panels.querySelectorAll("form[data-command]")) {
      const type = each.getAttribute("data-command") ?? "";
      each.append(...[clausesOf(this.clauses(type))].filter((made) => made instanceof Node));
    }
    for (const group of opened) this.panels.querySelector(`[data-group="${group}"]`)?.setAttribute("open", "");
    this.panels.append(sheetPanel(sheet));
    delete this.next.dataset.key;
    this.showAbout();
  }

  /**
   * The clauses behind a command, or behind a step of the cards' preparation.
   * @param {string} type
   * @param {unknown} [step]
   */
  clauses(type, step) {
    const actions = this.sheet?.actions ?? {};
    if (type !== "prepare") return actions[type];
    return step === undefined ? Object.entries(actions).filter(([action]) => action.startsWith("prepare.")).flatMap(([, clauses]) => clauses) : actions[`prepare.${step}`];
  }

  /** @param {string} name */
  follow(name) {
    const link = new Link(name);
    replace(this.why, whyNot(link));
    link.addEventListener("table", (event) => {
      const { events } = /** @type {CustomEvent<import("../link.js").TableDetail>} */ (event).detail;
      for (const each of events) {
        const text = sentence(each);
        if (text !== "") this.lines.prepend(make("li", { "data-event": each.type }, text));
        if (each.type === "count_differed") replace(this.said, notice(text, "bad"));
      }
      while (this.lines.childElementCount > LINES_MAX) this.lines.lastElementChild?.remove();
      this.showSign();
      void this.later();
    });
    link.addEventListener("awaited", (event) => {
      const { due } = /** @type {CustomEvent<import("../types.js").Awaited>} */ (event).detail;
      this.times = {}; // the next look at the floor brings the new ones
      this.showDue(due);
    });
    link.open();
    this.link = link;
  }

  showAbout() {
    const table = this.view.tables.find((each) => each.name === this.chosen);
    if (table === undefined) return;
    const now_ms = this.view.at_ms;
    const card = this.cards.get(table.name);
    replace(
      this.about,
      ...details(table, now_ms, sees(this.view)),
      make("p", { class: "badges" }, ...badges(table, now_ms)),
      card && make("p", { class: "small soft", "data-free-places": card.free_places }, `Free places at tables with these limits: ${card.free_places}.`),
      card?.warning && make("p", { class: "notice warn", "data-warning": true }, card.warning),
    );
    this.showDue(table.due);
  }

  /** @param {readonly import("../types.js").Due[]} due */
  showDue(due) {
    const table = this.view.tables.find((each) => each.name === this.chosen);
    if (table === undefined) return;
    const known = duties(table, this.view.steps);
    const shown = find("[data-due]", this.about);
    set(shown, due);
    const steps = due.flatMap((each) => {
      const step = nextStep(each);
      const mine = each.what !== "prepare" || this.view.steps.includes(each.step);
      if (step === null || !mine || !this.may(step.type, table)) return [];
      return step.type !== "timeout" || this.timeUp(each.player ?? "") ? [step] : [];
    });
    const key = JSON.stringify(steps);
    if (this.next.dataset.key === key && this.next.childElementCount > 0) return;
    this.next.dataset.key = key;
    replace(
      this.next,
      ...steps.map((step) => {
        const duty = known.find((each) => each.type === step.type);
        if (duty !== undefined && ASKED_WHEN_DUE.has(step.type)) return dutyForm(table, duty, "primary big");
        const title = duty?.title ?? plain(step.type);
        const { step: part, player, box } = step.fields;
        const detail = [part, step.batch && `${step.batch} batch`, player, box && `box ${box}`].filter(Boolean).join(", ");
        const act = () => command(table.name, step.type, step.fields).then(() => replace(this.said));
        const go = button(detail === "" ? title : `${title}: ${detail}`, "primary big", act, (sentence) => replace(this.said, notice(sentence, "bad")), { "data-step-command": step.type });
        return make("div", { class: "step-due" }, go, clausesOf(this.clauses(step.type, part)));
      }),
    );
  }

  /**
   * Whether the visitor's role may give a command at this table.
   * @param {string} type
   * @param {FloorTable} table
   */
  may(type, table) {
    return this.view.commands.includes(type) && (table.staffed || !this.view.attended.includes(type));
  }

  /** @param {FloorTable} table */
  dutyPanels(table) {
    // Time is called by the step that is offered once it is over.
    const mine = duties(table, this.view.steps).filter((duty) => duty.type !== "timeout" && !ASKED_WHEN_DUE.has(duty.type) && this.may(duty.type, table));
    const panels = GROUPS.flatMap(([group, title]) => {
      const own = mine.filter((duty) => duty.group === group);
      if (own.length === 0) return [];
      const forms = own.map((duty) => dutyForm(table, duty, duty.type === "void_round" ? "danger" : ""));
      const sign = group === "limits" && make("div", {}, make("h3", {}, "The sign at the table"), this.sign);
      return [make("details", { class: "panel", "data-group": group }, make("summary", {}, title), make("div", { class: "duties" }, ...forms, sign))];
    });
    return this.view.rights.includes("open_tables") && document.documentElement.dataset.money === "play" ? [...panels, botsPanel(table)] : panels;
  }
}

/**
 * The forms that call bots to a table and send them away.
 * @param {FloorTable} table
 */
function botsPanel(table) {
  const path = `/tables/${encodeURIComponent(table.name)}/bots`;
  const call = form({ class: "duty", "data-bots": "" }, [field("bots-count", "How many", make("input", { type: "number", required: true, min: 1, max: 9, value: "2" }))], "Call bots", async (sent) => {
    const { names } = await post(path, { count: Number(new FormData(sent).get("bots-count")) });
    return names.length === 0 ? "No seat is free for a bot." : `${names.join(", ")} come to the table.`;
  }, "");
  const dismiss = form({ class: "duty", "data-no-bots": "" }, [], "Send all bots away", async () => {
    const { names } = await post(`${path}/leave`, { count: null });
    return names.length === 0 ? "No bot is at the table." : `${names.join(", ")} leave when they have nothing at stake.`;
  }, "");
  return make("details", { class: "panel", "data-group": "bots" }, make("summary", {}, "Bots"), make("div", { class: "duties" }, call, dismiss));
}

/**
 * The form of a duty.
 * @param {FloorTable} table
 * @param {Duty} duty
 * @param {string} kind
 */
function dutyForm(table, duty, kind) {
  return form({ "data-command": duty.type, class: "duty" }, duty.asks.map((ask) => control(`${duty.type}-${ask.name}`, ask)), duty.title, async (sent) => {
    await command(table.name, duty.type, given(duty, sent));
    return `Done: ${duty.title.toLowerCase()}.`;
  }, kind);
}

/**
 * @param {HTMLElement} element
 * @param {readonly import("../types.js").Due[]} due
 */
function set(element, due) {
  element.dataset.due = due.map((each) => each.what).join(" ");
  write(element, dueWords(due));
}

/**
 * The papers of a table: approvals, what its operator set, what its felt says.
 * @param {import("../types.js").TableSheet} sheet
 */
function sheetPanel(sheet) {
  const own = Object.entries(sheet.own);
  return make(
    "details",
    { class: "panel", "data-sheet": true },
    make("summary", {}, "Papers and settings"),
    facts([
      ["Book", `${sheet.title}, ${sheet.digest.slice(0, 12)}`],
      ["Operator on the felt", make("span", { "data-operator": true }, sheet.operator)],
      ["Odds are stated", make("span", { "data-stated": sheet.inscribed ? "felt" : "sign" }, sheet.inscribed ? "on the felt" : "on the payout sign, because the felt has none")],
      ["Layout", sheet.layout === "" ? "needs no approval" : sheet.layout],
      ["Approval of the method", sheet.approval === "" ? "none recorded" : sheet.approval],
      ["Submission on file", sheet.filed.submission === "" ? "none recorded" : `${sheet.filed.submission}, ${sheet.filed.submitted}`],
      ["Payout limit", sheet.payout_limit === "" ? "none" : sheet.payout_limit],
      ["Set by the operator", make("span", { "data-own-settings": own.length }, own.length === 0 ? "nothing" : own.map(([key, value]) => `${plain(key)}: ${value}`).join("; "))],
    ]),
    make("h3", {}, sheet.inscribed ? "Inscription" : "Payout sign"),
    make("ul", { class: "small", "data-inscribed": true }, ...sheet.inscription.map((line) => make("li", {}, line))),
  );
}

void open((view, main) => new FloorPage(view).show(main));
