// Checks the records in a file, one on each line, and prints the steps of each as JSON.

import { readFileSync } from "node:fs";

import { check, read } from "../../../src/wartable/web/js/check.js";

for (const line of readFileSync(process.argv[2], "utf8").trimEnd().split("\n")) {
  const { shoes, current } = read(line);
  const steps = await check(shoes, current);
  console.log(JSON.stringify(steps.map(({ shoe, name, ok, sentence }) => ({ shoe, name, ok, sentence }))));
}
