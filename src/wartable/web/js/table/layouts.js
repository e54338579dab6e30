// Wagers as a layout, and the commands that lead from one layout to another.

/** @typedef {ReadonlyMap<string, number>} Layout amounts by "box.kind" */
/** @typedef {{type: "bet", box: number, wager: string, amount: number} | {type: "withdraw", box: number, wager: string}} Step */

/** Wagers that others may depend on come first. */
const FIRST = ["primary", "tie"];

/**
 * @param {string} key
 * @returns {{box: number, wager: string}}
 */
export function readKey(key) {
  const [box = "0", wager = ""] = key.split(".");
  return { box: Number(box), wager };
}

/**
 * The boxes of a layout.
 * @param {Layout} layout
 * @returns {Set<number>}
 */
function boxesIn(layout) {
  return new Set([...layout.keys()].map((key) => readKey(key).box));
}

/**
 * The wagers of a layout, as they lie on it.
 * @param {Layout} layout
 * @returns {string[]}
 */
function wagersIn(layout) {
  return [...layout.keys()].map((key) => readKey(key).wager);
}

/**
 * The commands that lead to the wanted wagers. Wagers that only grow are added to. Where one
 * shrinks, it is taken back and bet again, because wagers are withdrawn whole. Boxes are taken back
 * from the outside in and bet from the seat outwards, so that boxes that must be adjacent always are.
 * @param {Layout} from
 * @param {Layout} to
 * @param {number} seat
 * @returns {Step[]}
 */
export function steps(from, to, seat) {
  const boxes = [...new Set([...boxesIn(from), ...boxesIn(to)])];
  const order = [...new Set([...FIRST, ...wagersIn(from), ...wagersIn(to)])];
  boxes.sort((a, b) => Math.abs(a - seat) - Math.abs(b - seat) || a - b);
  /** @type {Step[]} */
  const back = [];
  /** @type {Step[]} */
  const placed = [];
  for (const box of boxes) {
    const had = (/** @type {string} */ wager) => from.get(`${box}.${wager}`) ?? 0;
    const wants = (/** @type {string} */ wager) => to.get(`${box}.${wager}`) ?? 0;
    const shrinks = order.some((wager) => wants(wager) < had(wager));
    if (shrinks) back.unshift(...withdrawals(order, box, had, wants));
    for (const wager of order) {
      const kept = shrinks && !keeps(had, wants, wager) ? 0 : had(wager);
      const amount = wants(wager) - kept;
      if (amount > 0) placed.push({ type: "bet", box, wager, amount });
    }
  }
  return [...back, ...placed];
}

/**
 * Whether a wager stays while others of its box are taken back.
 * @param {(wager: string) => number} had
 * @param {(wager: string) => number} wants
 * @param {string} wager
 */
function keeps(had, wants, wager) {
  const primaryGoes = had("primary") > 0 && wants("primary") < had("primary");
  return !primaryGoes && wants(wager) >= had(wager);
}

/**
 * The wagers to take back from a box; those that need the primary go with it.
 * @param {readonly string[]} order
 * @param {number} box
 * @param {(wager: string) => number} had
 * @param {(wager: string) => number} wants
 * @returns {Step[]}
 */
function withdrawals(order, box, had, wants) {
  /** @type {Step[]} */
  const found = [];
  for (const wager of [...order].reverse()) {
    if (had(wager) > 0 && !keeps(had, wants, wager)) found.push({ type: "withdraw", box, wager });
  }
  return found;
}

/**
 * The layout with every wager twice; side bets have fixed amounts and stay.
 * @param {Layout} layout
 * @returns {Map<string, number>}
 */
export function doubled(layout) {
  return new Map(
    [...layout].map(([key, amount]) => {
      const { wager } = readKey(key);
      return [key, wager === "primary" || wager === "tie" ? amount * 2 : amount];
    }),
  );
}
