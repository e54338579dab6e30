// Folds the tables in a file and compares the state after every event with the one given there.
// Each line is {"name", "state"}, where a table begins, or {"event", "state"}.

import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";

import { fold } from "../../../src/wartable/web/js/fold.js";

/** Where two values differ first, as a path with both sides. */
function difference(found, wanted, path = "state") {
  if (isDeepStrictEqual(found, wanted)) return null;
  const both = [found, wanted].every((value) => typeof value === "object" && value !== null);
  if (both) {
    for (const key of new Set([...Object.keys(wanted), ...Object.keys(found)])) {
      const deeper = difference(found[key], wanted[key], `${path}.${key}`);
      if (deeper !== null) return deeper;
    }
  }
  return `${path} is ${JSON.stringify(found)} and should be ${JSON.stringify(wanted)}`;
}

function freeze(value) {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(freeze);
  }
  return value;
}

let [name, state, count] = ["", null, 0];
for (const line of readFileSync(process.argv[2], "utf8").trimEnd().split("\n")) {
  const row = JSON.parse(line);
  if (row.event === undefined) {
    [name, state] = [row.name, row.state];
    continue;
  }
  // A frozen state throws where the fold would change it in place.
  state = fold(freeze(state), freeze(row.event));
  count += 1;
  const told = difference(state, row.state);
  if (told !== null) {
    console.log(`${name}: after ${JSON.stringify(row.event)} ${told}`);
    process.exit(1);
  }
}
console.log(`${count} events`);
