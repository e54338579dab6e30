// The cards of the house: every set from receipt to destruction.

import { open } from "./console.js";
import { inventory } from "./inventory.js";

void open((view, main) => main.replaceChildren(inventory(view)));
