// The house: closures, limits, accounts, keys, self-check and significant events.

import { get } from "../api.js";
import { make, replace } from "../dom.js";
import { open } from "./console.js";
import { closures, office } from "./office.js";

void open((view, main) => {
  const closed = make("div", {});
  /** @param {import("../types.js").FloorView} now */
  const show = (now) => {
    replace(closed, closures(now, async () => show(await get("/staff"))));
  };
  show(view);
  replace(main, closed, ...office(view));
});
