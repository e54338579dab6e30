// What an administrator watches: the servers of the house, where tables are, rates, the database.

import { get } from "../api.js";
import { draw, make, replace } from "../dom.js";
import { number } from "../money.js";
import { open } from "./console.js";
import { loading, notice, sentenceOf, table, when } from "./pieces.js";

/** @typedef {import("../types.js").Watched} Watched */
/** @typedef {import("../dom.js").Child} Child */

const LOOK_MS = 2_000;
const LOOKS_MAX = 60;
const WIDTH = 640;
const HEIGHT = 96;
const NOT_KNOWN = "not known";

/**
 * @param {string} name
 * @param {string} label
 * @param {string} value
 */
function figure(name, label, value) {
  return make("div", { class: "figure", "data-figure": name }, make("span", { class: "small soft" }, label), make("strong", {}, value));
}

/** @param {number | null} ms */
function within(ms) {
  return ms === null ? NOT_KNOWN : `${number(ms, ms < 10 ? 1 : 0)} ms`;
}

/** @param {number} bytes */
function size(bytes) {
  return bytes < 1e9 ? `${number(bytes / 1e6, 1)} MB` : `${number(bytes / 1e9, 1)} GB`;
}

/** @param {Watched} now */
function figures({ rates, connections, private: own, database }) {
  return [
    figure("commands", "Commands a second", number(rates.commands, 1)),
    figure("refused", "Refused a second", number(rates.refused, 1)),
    figure("requests", "Requests a second", number(rates.requests, 1)),
    figure("commits", "Commits a second", number(rates.commits, 1)),
    figure("p50", "Half of the commits within", within(rates.commit_p50_ms)),
    figure("p99", "99 % of the commits within", within(rates.commit_p99_ms)),
    figure("connections", "Connections here", number(connections)),
    figure("private", "Private tables here", number(own)),
    figure("database", `Database (${database.kind})`, database.answers ? size(database.bytes) : "does not answer"),
  ];
}

/**
 * The commands a second since the page was opened, two minutes at most.
 * @param {readonly number[]} rates
 */
function course(rates) {
  const most = Math.max(1, ...rates);
  const step = WIDTH / (LOOKS_MAX - 1);
  const points = rates.map((rate, i) => `${(WIDTH - (rates.length - 1 - i) * step).toFixed(1)},${(HEIGHT - 4 - (HEIGHT - 24) * (rate / most)).toFixed(1)}`);
  const caption = `Commands a second in the last two minutes, at most ${number(most, 1)}`;
  return make(
    "figure",
    { class: "chart bars", "data-course": rates.length },
    draw("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": caption }, draw("line", { x1: 0, x2: WIDTH, y1: HEIGHT - 4, y2: HEIGHT - 4 }), draw("polyline", { points: points.join(" "), class: "course" })),
    make("figcaption", { class: "small soft" }, caption),
  );
}

/** @param {Watched} now */
function servers({ servers: running, server }) {
  if (running.length === 0) return [make("p", {}, "This house has one server, because its records are a SQLite file. With PostgreSQL it can have several.")];
  const rows = running.map((each) => [
    make("span", { "data-server": each.name }, each.name),
    each.has_house ? "has the house" : each.address === "" ? "takes no tables" : "has private tables",
    number(each.tables),
    number(each.connections),
    make("span", { title: each.program }, `${each.version}, ${each.program.slice(0, 12)}`),
    each.address || "not reached by others",
    when(each.began_ms),
  ]);
  const more = running.some((each) => each.name === server) ? null : make("p", { class: "small soft" }, `${server} has answered, and is not entered yet.`);
  return [table("Servers that run", ["Server", "Part", "Tables", "Connections", "Version and program", "Address", "Since"], rows, [2, 3]), more];
}

/** @param {Watched} now */
function tables({ tables: open_ }) {
  const rows = open_.map((each) => [make("span", { "data-open-table": each.name }, each.name), each.server, number(each.guests), number(each.watching), number(each.rounds)]);
  return [rows.length === 0 ? make("p", {}, "No shared table is open.") : table("Shared tables and where they are", ["Table", "Server", "Players", "Connections", "Rounds"], rows, [2, 3, 4])];
}

/** @param {Watched} now */
function replicas({ database }) {
  if (database.kind === "sqlite") return [];
  if (database.replicas.length === 0) return [make("p", {}, "The database has no replica that is connected.")];
  const rows = database.replicas.map((each) => [
    make("span", { "data-replica": each.name }, each.name),
    each.state,
    each.lag_ms === null ? "none" : `${number(each.lag_ms)} ms`,
    each.behind_bytes === null ? NOT_KNOWN : size(each.behind_bytes),
  ]);
  return [table("Replicas of the database", ["Replica", "State", "Lag", "Behind"], rows, [2, 3])];
}

/** A part of the page that is made again only if what it shows is new and nobody is in it. */
class Part {
  /** @param {(now: Watched) => Child[]} show */
  constructor(show) {
    this.show = show;
    /** @type {HTMLElement | null} */
    this.made = null;
    this.place = make("section", { class: "panel" }, loading("Asking..."));
  }

  /** @param {Watched} now */
  update(now) {
    const children = this.show(now);
    const made = make("div", {}, ...children);
    if (this.made !== null && (this.made.isEqualNode(made) || this.made.contains(document.activeElement))) return;
    this.made = made;
    this.place.hidden = children.length === 0;
    replace(this.place, made);
  }
}

void open(async (_, main) => {
  const told = make("div", { role: "status" });
  const shown = make("div", { class: "figures", "data-rates": true });
  const drawn = make("div", {});
  const parts = [servers, tables, replicas].map((show) => new Part(show));
  /** @type {number[]} */
  const rates = [];
  const look = async () => {
    try {
      /** @type {Watched} */
      const now = await get("/staff/servers");
      rates.push(now.rates.commands);
      if (rates.length > LOOKS_MAX) rates.shift();
      replace(told);
      replace(shown, ...figures(now));
      replace(drawn, course(rates));
      for (const part of parts) part.update(now);
    } catch (error) {
      replace(told, notice(`${sentenceOf(error)} What is shown here is old.`, "warn"));
    }
    setTimeout(() => void again(), LOOK_MS);
  };
  const again = async () => {
    // Nobody looks at a hidden page, so that it asks nothing.
    if (document.hidden) document.addEventListener("visibilitychange", () => void again(), { once: true });
    else await look();
  };
  replace(main, told, make("section", { class: "panel" }, shown, drawn, make("p", { class: "small soft" }, "Rates and times are of the last minute, at the server that has the house.")), ...parts.map((part) => part.place));
  await look();
});
