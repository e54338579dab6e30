// The visitor's own part in the shuffle: a seed that is sealed before it and opened after the cut.

import { make, write } from "../dom.js";
import { keepSeed, keptSeed, randomSeed, typedSeed } from "../seeds.js";
import { unhex } from "../sha256.js";

/** @typedef {import("./room.js").Room} Room */
/** @typedef {import("../types.js").Due} Due */
/** @typedef {import("../types.js").Event} TableEvent */

const WRONG = "A seed is an even number of hexadecimal digits, from 32 to 128. Leave the field empty for a random seed.";

/** The panel of the visitor's seed. */
export class OwnSeed {
  /**
   * @param {Room} room
   * @param {(error: unknown) => void} complain
   */
  constructor(room, complain) {
    this.room = room;
    this.complain = complain;
    /** The shoe whose seed was opened last, so that it is opened once. */
    this.opened = 0;
    this.words = make("p", { class: "small", "data-own-seed": "none" });
    this.typed = make("input", { id: "seed", class: "mono", autocomplete: "off", spellcheck: "false", placeholder: "random" });
    this.every = make("input", { id: "seed-always", type: "checkbox" });
    this.add = make("button", { type: "button", class: "button small", "data-action": "seal" }, "Add my seed");
    this.add.addEventListener("click", () => void this.seal(this.typed.value));
    const own = make("details", {}, make("summary", {}, "Enter my own seed"), make("div", { class: "field" }, make("label", { for: "seed" }, "Hexadecimal digits, hard to guess"), this.typed));
    const always = make("p", { class: "row small" }, this.every, make("label", { for: "seed-always" }, "Add one to every shuffle while I am here"));
    this.form = make("div", { class: "stack" }, make("div", { class: "buttons" }, this.add), always, own);
    const check = make("p", { class: "small" }, make("a", { href: `/fairness?table=${encodeURIComponent(room.name)}` }, "Check finished shoes"));
    this.element = make("section", { class: "panel seed-panel", hidden: true }, make("h2", {}, "Your part in the shuffle"), this.words, this.form, check);
  }

  /** The number of the shoe that is shuffled next. */
  get next() {
    return (this.room.link.state?.shoes ?? 0) + 1;
  }

  /** Whether the visitor has sealed a seed for the next shuffle. */
  get sealed() {
    return this.room.state?.seals.some((each) => each.player === this.room.you) ?? false;
  }

  /** Follow the room. */
  show() {
    const { room } = this;
    this.element.hidden = room.guest === null;
    if (room.guest === null) return;
    const shoe = room.state?.shoe ?? null;
    const mine = shoe?.seals.some((each) => each.player === room.you) ?? false;
    const opened = shoe?.player_seeds.some((each) => each.player === room.you) ?? false;
    const now = opened ? `Your seed helped to shuffle shoe ${shoe?.terms.number}. ` : mine ? `Your seed is sealed in shoe ${shoe?.terms.number}. ` : "";
    const then = this.sealed ? `Your sealed seed is ready for shoe ${this.next}. This page opens it after the cut.` : "Add your own seed to the next shuffle, and nobody can choose the order of the cards.";
    this.words.dataset.ownSeed = this.sealed ? "sealed" : opened ? "opened" : mine ? "committed" : "none";
    write(this.words, now + then);
    this.form.hidden = this.sealed;
  }

  /**
   * An event of the table: a shuffle that took the seal, or the next one to seal for.
   * @param {TableEvent} event
   */
  follow(event) {
    const { room } = this;
    if (event.type !== "shoe_started" || room.you === null || room.guest === null) return;
    const { table, number } = event.terms;
    const kept = keptSeed(table, number, room.you);
    const taken = event.seals.some((each) => each.player === room.you);
    if (kept !== null && taken) keepSeed(table, number, room.you, { ...kept, committed: true });
    if (this.every.checked) void this.seal("");
  }

  /**
   * Seal a seed for the next shuffle: what was typed, or a random one.
   * @param {string} text
   */
  async seal(text) {
    const { room } = this;
    const seed = text.trim() === "" ? randomSeed() : typedSeed(text);
    if (seed === null || room.you === null) {
      this.complain(new Error(WRONG));
      return;
    }
    const number = this.next;
    try {
      // The code that seals and checks is loaded when it is needed.
      const { seal } = await import("../check.js");
      keepSeed(room.name, number, room.you, { seed, committed: false });
      await room.send("seal_seed", { seal: seal({ table: room.name, number }, room.you, unhex(seed)) });
      this.typed.value = "";
    } catch (error) {
      this.complain(error);
    }
  }

  /**
   * Open the sealed seed once it is awaited, without waiting for the animations on the felt.
   * @param {readonly Due[]} due
   */
  async open(due) {
    const { room } = this;
    const number = room.link.state?.shoe?.terms.number ?? 0;
    if (room.you === null || this.opened === number || !due.some((each) => each.what === "seed" && each.player === room.you)) return;
    this.opened = number;
    const kept = keptSeed(room.name, number, room.you);
    if (kept === null) {
      this.complain(new Error("The seed that you sealed is not on this device, so the cards will be shuffled again."));
      return;
    }
    try {
      await room.send("open_seed", { seed: kept.seed });
    } catch (error) {
      this.complain(error);
    }
  }
}
