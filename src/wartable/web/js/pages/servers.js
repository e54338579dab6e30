// The dashboard: servers, tables and where they are, rates, latencies, the database and its replicas.

import { get } from "../api.js";
import { make, replace } from "../dom.js";
import { open } from "./console.js";
import { facts, notice, sentenceOf, table, tableName, when } from "./pieces.js";

/** @typedef {import("../types.js").Watched} Watched */

const REFRESH_MS = 2_000;
const MEGABYTE = 1_048_576;

/** @param {number} perSecond */
function rate(perSecond) {
  return `${perSecond.toFixed(1)} a second`;
}

/** @param {number | null} ms */
function within(ms) {
  return ms === null ? "no figure" : `within ${ms} ms`;
}

/** @param {Watched} now */
function servers(now) {
  if (now.servers.length === 0) {
    return make("p", { class: "soft" }, "A house on SQLite has one server: its file is locked by one process.");
  }
  const rows = now.servers.map((each) => [
    make("span", { "data-server": each.name }, each.name),
    make("span", { class: "badge" }, each.has_house ? "has the house" : "carries"),
    each.address,
    each.version,
    String(each.connections),
    when(each.began_ms),
  ]);
  return table("Servers that run", ["Name", "Does", "Reached at", "Version", "Connections", "Since"], rows, [4]);
}

/** @param {Watched} now */
function tables(now) {
  const rows = now.tables.map((each) => [tableName(each.name), each.server, String(each.guests), String(each.watching), String(each.rounds)]);
  return table("Shared tables and their server", ["Table", "Server", "Players", "Watching", "Rounds"], rows, [2, 3, 4]);
}

/** @param {Watched} now */
function database(now) {
  const { kind, answers, bytes, replicas } = now.database;
  const known = facts([
    ["Kind", kind === "sqlite" ? "SQLite" : "PostgreSQL"],
    ["Answers", make("span", { "data-answers": answers }, answers ? "yes" : "no")],
    ["Size", `${(bytes / MEGABYTE).toFixed(1)} MB`],
    ["Half of the commits", within(now.rates.commit_p50_ms)],
    ["99 of 100 commits", within(now.rates.commit_p99_ms)],
  ]);
  if (replicas.length === 0) return [known, make("p", { class: "soft" }, "No replica is connected.")];
  const rows = replicas.map((each) => [
    each.name,
    each.state,
    each.lag_ms === null ? "none measured" : `${each.lag_ms} ms`,
    each.behind_bytes === null ? "not known" : `${each.behind_bytes} bytes`,
  ]);
  return [known, table("Replicas", ["Name", "State", "Lag", "Behind by"], rows, [2, 3])];
}

/** @param {Watched} now */
function shown(now) {
  const rates = facts([
    ["Commands accepted", rate(now.rates.commands)],
    ["Commands refused", rate(now.rates.refused)],
    ["Requests", rate(now.rates.requests)],
    ["Commits", rate(now.rates.commits)],
    ["Followers of tables", String(now.connections)],
    ["Private tables open", String(now.private)],
  ]);
  return [
    make("section", { class: "panel" }, make("h2", {}, "Servers"), servers(now)),
    make("section", { class: "panel" }, make("h2", {}, "The last minute"), rates),
    make("section", { class: "panel" }, make("h2", {}, "Database"), ...database(now)),
    make("section", { class: "panel" }, make("h2", {}, "Tables"), tables(now)),
  ];
}

void open("Servers", async (_view, main) => {
  const place = make("div", { class: "stack", "data-watched": true });
  replace(main, place);
  const look = async () => {
    try {
      replace(place, ...shown(await get("/staff/servers")));
    } catch (error) {
      replace(place, notice(sentenceOf(error), "bad"));
    }
    setTimeout(() => void look(), REFRESH_MS);
  };
  await look();
});
