// The floor: every open table, what it is waiting for, and what the visitor's role may do about it.

import { get, post } from "../api.js";
import { find, make, replace, write } from "../dom.js";
import "../elements/wt-header.js";
import { Link } from "../link.js";
import { parse } from "../money.js";
import { current } from "../session.js";
import { plural, sentence } from "../words.js";
import { duties, dueWords, GROUPS, nextStep } from "./duties.js";
import { closures, office } from "./office.js";
import { bookName, button, choose, facts, field, form, notice, plain, sentenceOf, Unclear, whyNot } from "./pieces.js";

/** @typedef {import("../types.js").FloorView} FloorView */
/** @typedef {import("../types.js").FloorTable} FloorTable */
/** @typedef {import("../types.js").Table} Table */
/** @typedef {import("./duties.js").Asked} Asked */
/** @typedef {import("./duties.js").Duty} Duty */

const LINES_MAX = 40;
const REFRESH_MS = 1_500;

const main = find("#main");
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
  return field(id, ask.label, make("input", { type: kind, required: !ask.optional, maxlength: 160, value: ask.value ?? null }));
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
    else if (ask.kind === "money") {
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
    /** @type {Table | null} */
    this.state = null;
    this.list = make("ul", { class: "floor-tables", "aria-label": "Tables" });
    this.closures = make("div", {});
    this.table = make("div", { class: "floor-table stack" });
    this.next = make("div", { class: "buttons", "data-next": true });
    this.said = make("div", {});
    this.why = make("div", {});
    this.about = make("div", {});
    this.assumed = make("div", {});
    this.lines = make("ol", { class: "floor-lines", tabindex: 0, "aria-label": "What happened" });
    this.waiting = false;
    /** @type {Record<string, number>} when time can be called for each player who must choose */
    this.times = {};
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    /** @type {Map<string, string | null>} */
    this.warnings = new Map();
  }

  show() {
    const lobby = new Link(null);
    replace(
      main,
      make("h1", {}, "Floor"),
      whyNot(lobby),
      make("p", { class: "soft", "data-role": this.view.role }, `${this.view.name}, ${this.view.role}`),
      make("div", { class: "floor-page" }, make("div", { class: "stack" }, this.list, this.closures, ...office(this.view, () => this.refresh())), this.table),
    );
    this.showList();
    this.choose(this.chosen);
    lobby.addEventListener("lobby", (event) => {
      const { tables } = /** @type {CustomEvent<import("../types.js").Lobby>} */ (event).detail;
      this.warnings = new Map(tables.map((card) => [card.name, card.warning]));
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
    const items = this.view.tables.map((table) => {
      const go = make("button", { class: "floor-choice", type: "button", "aria-pressed": String(table.name === this.chosen), "data-floor-table": table.name }, make("strong", {}, table.name), make("span", { class: "small soft" }, `${plural(table.players.length, "player")}, round ${table.rounds}${table.in_round ? ", in play" : ""}`), make("span", { class: "badges" }, ...badges(table)));
      go.addEventListener("click", () => this.choose(table.name));
      return make("li", {}, go);
    });
    const focused = document.activeElement?.getAttribute("data-floor-table");
    replace(this.list, ...items);
    if (focused) /** @type {HTMLElement | null} */ (this.list.querySelector(`[data-floor-table="${CSS.escape(focused)}"]`))?.focus();
    if (closed) replace(this.closures, closures(this.view, () => this.refresh()));
  }

  /** @param {string} name */
  choose(name) {
    const table = this.view.tables.find((each) => each.name === name);
    this.link?.close();
    this.link = null;
    this.state = null;
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
      ...this.dutyPanels(table),
      make("section", { class: "panel" }, make("h2", {}, "What happened"), this.lines),
    );
    this.showAbout();
    this.follow(name);
    void this.showAssumed(name);
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
    const lines = book.assumptions.map((each) => make("li", { "data-assumption": each.key }, `${each.key.replaceAll(".", " ").replaceAll("_", " ")}: ${each.value} (${[each.readings.join(", "), each.note].filter(Boolean).join(": ")})`));
    const notice = String(book.rules.document?.notice ?? "");
    replace(
      this.assumed,
      book.layout !== "" && make("p", { "data-layout": book.layout }, `Layout: ${book.layout}`),
      lines.length > 0 && make("details", { "data-assumptions": lines.length }, make("summary", {}, "Assumptions: what the document does not say"), notice !== "" && make("p", {}, notice), make("ul", {}, ...lines)),
    );
  }

  /** @param {string} name */
  follow(name) {
    const link = new Link(name);
    replace(this.why, whyNot(link));
    link.addEventListener("table", (event) => {
      const { state, events } = /** @type {CustomEvent<import("../link.js").TableDetail>} */ (event).detail;
      this.state = state;
      for (const each of events) {
        const text = sentence(each);
        if (text !== "") this.lines.prepend(make("li", { "data-event": each.type }, text));
        if (each.type === "count_differed") replace(this.said, notice(text, "bad"));
      }
      while (this.lines.childElementCount > LINES_MAX) this.lines.lastElementChild?.remove();
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
    replace(
      this.about,
      facts([
        ["Rule book", `${bookName(table.book)}, ${table.decks_in_use}, ${plain(table.method)}`],
        ["Dealer", table.staffed ? (table.dealer ?? "nobody yet") : "automatic"],
        ["Players", table.players.length === 0 ? "nobody" : table.players.join(", ")],
        ["Waiting for", make("span", { "data-due": table.due.map((each) => each.what).join(" ") }, dueWords(table.due))],
      ]),
      make("p", { class: "badges" }, ...badges(table)),
      this.warnings.get(table.name) && make("p", { class: "notice warn", "data-warning": true }, this.warnings.get(table.name)),
    );
    this.showDue(table.due);
  }

  /** @param {readonly import("../types.js").Due[]} due */
  showDue(due) {
    const table = this.view.tables.find((each) => each.name === this.chosen);
    if (table === undefined) return;
    const known = duties(table);
    const shown = find("[data-due]", this.about);
    set(shown, due);
    const steps = due.flatMap((each) => {
      const step = nextStep(each, this.state, table);
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
        const title = known.find((duty) => duty.type === step.type)?.title ?? plain(step.type);
        const { step: part, player, box } = step.fields;
        const counted = Object.keys(table.side_bets).filter((kind) => step.fields[kind]);
        const counts = counted.map((kind) => plural(Number(step.fields[kind]), plain(kind)));
        const detail = [part, step.batch && `${step.batch} batch`, player, box && `box ${box}`, ...counts].filter(Boolean).join(", ");
        const act = () => command(table.name, step.type, step.fields).then(() => replace(this.said));
        return button(detail === "" ? title : `${title}: ${detail}`, "primary big", act, (told) => replace(this.said, notice(told, "bad")), { "data-step-command": step.type });
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
    const mine = duties(table).filter((duty) => duty.type !== "timeout" && this.may(duty.type, table));
    return GROUPS.flatMap(([group, title]) => {
      const own = mine.filter((duty) => duty.group === group);
      if (own.length === 0) return [];
      const forms = own.map((duty) =>
        form({ "data-command": duty.type, class: "duty" }, duty.asks.map((ask) => control(`${duty.type}-${ask.name}`, ask)), duty.title, async (sent) => {
          await command(table.name, duty.type, given(duty, sent));
          return `Done: ${duty.title.toLowerCase()}.`;
        }, duty.type === "void_round" ? "danger" : ""),
      );
      return [make("details", { class: "panel", "data-group": group }, make("summary", {}, title), make("div", { class: "duties" }, ...forms))];
    });
  }
}

/**
 * @param {HTMLElement} element
 * @param {readonly import("../types.js").Due[]} due
 */
function set(element, due) {
  element.dataset.due = due.map((each) => each.what).join(" ");
  write(element, dueWords(due));
}

/** @param {FloorTable} table */
function badges(table) {
  return [
    table.staffed && make("span", { class: "badge" }, "live dealer"),
    table.owner !== null && make("span", { class: "badge" }, "private"),
    table.miscounted && make("span", { class: "badge bad", "data-miscounted": true }, "side-bet count differs"),
    table.award !== null && make("span", { class: "badge warn", "data-award": table.award }, `${table.award} award pending`),
    table.device_failed !== null && make("span", { class: "badge bad" }, `device failed: ${table.device_failed}${table.device_mark ? `, ${table.device_mark}` : ""}`),
    table.reshuffle !== null && make("span", { class: "badge warn" }, "reshuffle ordered"),
    table.idle && make("span", { class: "badge" }, "idle"),
    table.closed !== null && make("span", { class: "badge bad" }, `disabled: ${table.closed}`),
  ];
}

async function start() {
  const title = make("h1", {}, "Floor");
  replace(main, title, make("p", { class: "soft loading" }, "Loading the tables..."));
  try {
    const me = await current();
    if (me === null || me.role === "player") {
      replace(main, title, make("div", { class: "empty", "data-empty": true }, make("p", {}, "This page is for dealers, the floor, auditors and administrators."), make("a", { class: "button primary", href: "/account" }, "Sign in")));
      return;
    }
    new FloorPage(await get("/staff")).show();
  } catch (error) {
    replace(main, title, notice(sentenceOf(error), "bad"));
  }
}

void start();
