// Prints which scripts of a file of JSON, [name, one, other] each, are not the same but for comments.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const ts = createRequire(new URL("../../../.venv/npm/", import.meta.url))("typescript");
const options = { compilerOptions: { removeComments: true, target: "ES2022", module: "ES2022", allowJs: true } };
const code = (/** @type {string} */ text) => ts.transpileModule(text, options).outputText;
const scripts = JSON.parse(readFileSync(process.argv[2], "utf-8"));
console.log(JSON.stringify(scripts.filter(([, one, other]) => code(one) !== code(other)).map(([name]) => name)));
