// Who is at the table, and bots for who does not like to sit alone.

import { post } from "../api.js";
import { shownName } from "../elements/wt-box.js";
import { make, replace } from "../dom.js";
import { money } from "../money.js";

/** @typedef {import("./room.js").Room} Room */

const BOTS = 2;

/** The people at the table. */
export class Company {
  /**
   * @param {Room} room
   * @param {(error: unknown) => void} complain
   */
  constructor(room, complain) {
    this.room = room;
    this.complain = complain;
    this.key = "";
    this.list = make("ul", { class: "company", id: "company" });
    this.add = make("button", { type: "button", class: "button small", "data-action": "bots", hidden: true }, "Add players");
    this.element = make("section", { class: "panel company-panel" }, make("h2", {}, "At the table"), this.list, this.add);
    this.add.addEventListener("click", () => void this.invite());
  }

  /** Follow the room. */
  show() {
    const { room } = this;
    const guests = Object.values(room.state?.guests ?? {});
    const key = JSON.stringify(guests.map(({ player, seat, stack }) => [player, seat, stack]));
    const seats = room.book.rules.table.seats;
    const free = guests.filter((guest) => guest.seat !== null).length < seats;
    this.add.hidden = room.guest === null || seats < 2 || !free;
    if (key === this.key) return;
    this.key = key;
    const rows = guests
      .sort((a, b) => (a.seat ?? 99) - (b.seat ?? 99))
      .map((guest) => {
        const { text, bot } = shownName(guest.player, room.you);
        const place = guest.seat === null ? "standing behind" : `box ${guest.seat}`;
        return make("li", { "data-guest": guest.player }, make("span", {}, text, bot ? make("span", { class: "badge" }, "bot") : null), make("span", { class: "soft" }, place), make("span", { class: "number" }, money(guest.stack)));
      });
    replace(this.list, ...(rows.length > 0 ? rows : [make("li", { class: "soft" }, "Nobody sits here yet.")]));
  }

  /** Ask for bots at the free seats. */
  async invite() {
    try {
      await post(`/tables/${encodeURIComponent(this.room.name)}/bots`, { count: BOTS });
    } catch (error) {
      this.complain(error);
    }
  }
}
