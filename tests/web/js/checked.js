// Checks the records in a file, one on each line, and prints the steps of each as JSON; without a file, those in each
// file that is named on standard input, with an empty line after its last.

import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

import { check, read } from "../../../src/wartable/web/js/check.js";

/** @param {string} file */
async function tell(file) {
  for (const line of readFileSync(file, "utf8").trimEnd().split("\n")) {
    const { shoes, current } = read(line);
    const steps = await check(shoes, current);
    console.log(JSON.stringify(steps.map(({ shoe, name, ok, sentence }) => ({ shoe, name, ok, sentence }))));
  }
}

if (process.argv[2] !== undefined) {
  await tell(process.argv[2]);
} else {
  for await (const file of createInterface({ input: process.stdin })) {
    await tell(file);
    console.log("");
  }
}
