// Prints the sentences of the events in a file of JSON: [event, book, reader] for each.

import { readFileSync } from "node:fs";

import { sentence } from "../../../src/wartable/web/js/words.js";

const asked = JSON.parse(readFileSync(process.argv[2], "utf-8"));
console.log(JSON.stringify(asked.map(([event, book, me]) => sentence(event, book, me))));
