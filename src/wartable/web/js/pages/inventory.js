// The inventory of cards: every set, where it is, its seals and its log, and what the role may do.

import { get, post } from "../api.js";
import { make, replace } from "../dom.js";
import { plural } from "../words.js";
import { value } from "./console.js";
import { choose, duration, field, form, notice, sentenceOf, table, when } from "./pieces.js";

/** @typedef {import("../types.js").FloorView} FloorView */
/** @typedef {import("../types.js").CardsShown} CardsShown */

const WARN_MS = 2 * 3_600_000;

/** @type {Record<string, string>} */
const MOVES = {
  received: "received",
  inspected: "inspected for defects",
  verified: "inspection verified",
  shuffled: "shuffled",
  secured: "secured in a place",
  issued: "issued to a table",
  destroyed: "destroyed",
};

/**
 * Where a set is, in words.
 * @param {CardsShown} shown
 */
function whereabouts({ cards, in_use }) {
  if (in_use !== null) return `in use at ${in_use}`;
  if (cards.state === "issued") return `issued to ${cards.place}`;
  const place = cards.place === "" ? cards.state : `${cards.state} in ${cards.place}`;
  return cards.seal === "" ? place : `${place}, seal ${cards.seal}`;
}

/**
 * How long a set may still be dealt, where its table's book sets an age; a warning before that.
 * @param {CardsShown} shown
 * @param {FloorView} view
 */
function ageOf({ cards }, view) {
  const until_ms = view.tables.find((table) => table.sets.includes(cards.name))?.cards_until_ms ?? null;
  if (until_ms === null) return "";
  const left = until_ms - view.at_ms;
  const text = left <= 0 ? "too old to deal" : `change within ${duration(left)}`;
  return make("span", { class: left <= WARN_MS ? "badge bad" : null, "data-set-age": cards.name, "data-old": left <= WARN_MS }, text);
}

/**
 * What was done with a set before it came to a table.
 * @param {CardsShown["cards"]} cards
 */
function condition({ inspected_by, verified_by, shuffled_by }) {
  const done = [verified_by ? `inspected by ${inspected_by}, verified by ${verified_by}` : inspected_by && `inspected by ${inspected_by}, not verified`, shuffled_by && `shuffled by ${shuffled_by}`].filter(Boolean);
  return done.length === 0 ? "new" : done.join("; ");
}

/**
 * The life of a set so far: who did what with it, when and where.
 * @param {CardsShown["cards"]} cards
 */
function log(cards) {
  const lines = cards.log.map((each) => [when(each.at_ms), MOVES[each.what] ?? each.what, each.seal === "" ? each.place : `${each.place}, seal ${each.seal}`, each.by]);
  return make("details", { "data-log": cards.name }, make("summary", {}, `Log of ${cards.name}`), table(`Log of ${cards.name}`, ["When", "What", "Place", "By"], lines));
}

/**
 * The panel of the inventory; it reads the sets at once and after each change.
 * @param {FloorView} view
 */
export function inventory(view) {
  const place = make("div", { "data-cards": true });
  const panel = make("section", { class: "panel", "data-inventory": true }, place);

  const received = () =>
    form(
      { class: "filters", "data-receive-cards": "" },
      [field("cards-name", "Name of the set", make("input", { type: "text", required: true, maxlength: 32, placeholder: "red-17" }), "Lowercase letters, digits and hyphens."), field("cards-decks", "Decks", make("input", { type: "number", required: true, min: 1, max: 16, value: "6" })), field("cards-back", "Colour of the backs", make("input", { type: "text", required: true, maxlength: 32, value: "red" }))],
      "Receive",
      async (sent) => {
        await post("/cards", { name: value(sent, "cards-name"), decks: Number(value(sent, "cards-decks")), back: value(sent, "cards-back") });
        await show();
      },
    );

  const moved = (/** @type {CardsShown[]} */ sets) =>
    form(
      { class: "filters", "data-move-cards": "" },
      [field("moved-name", "Set", choose(sets.map(({ cards }) => [cards.name, cards.name]))), field("moved-what", "It was", choose(view.card_moves.filter((what) => what !== "received").map((what) => [what, MOVES[what] ?? what]))), field("moved-place", "Place or table", make("input", { type: "text", maxlength: 80 }), "Where it is secured or destroyed, or the table."), view.card_moves.includes("secured") && field("moved-seal", "Seal", make("input", { type: "text", maxlength: 40 }), "The seal's number, if it is secured under one.")],
      "Write down",
      async (sent) => {
        await post(`/cards/${encodeURIComponent(value(sent, "moved-name"))}/moves`, { what: value(sent, "moved-what"), place: value(sent, "moved-place"), seal: value(sent, "moved-seal") });
        await show();
      },
    );

  const show = async () => {
    try {
      /** @type {CardsShown[]} */
      const sets = await get("/cards");
      view = await get("/staff"); // the tables that use them
      const rows = sets.map((each) => [each.cards.name, `${plural(each.cards.decks, "deck")}, ${each.cards.back}`, whereabouts(each), condition(each.cards), each.cards.opened_ms === null ? "" : when(each.cards.opened_ms), ageOf(each, view)]);
      replace(
        place,
        sets.length === 0 ? make("p", { class: "soft" }, "The house has no cards. Receive a set first.") : table("Sets of cards", ["Set", "Cards", "Where", "Condition", "Opened", "Age"], rows),
        ...sets.map(({ cards }) => log(cards)),
        sets.length > 0 && view.card_moves.length > 0 && make("h2", {}, "What was done with a set"),
        sets.length > 0 && view.card_moves.length > 0 && moved(sets),
        view.card_moves.includes("received") && make("h2", {}, "A new set"),
        view.card_moves.includes("received") && received(),
      );
    } catch (error) {
      replace(place, notice(sentenceOf(error), "bad"));
    }
  };
  void show();
  return panel;
}
