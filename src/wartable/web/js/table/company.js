// Who is at the table, and bots for players who would rather not sit alone.

import { post, Problem } from "../api.js";
import { shownName } from "../elements/wt-box.js";
import { make, replace } from "../dom.js";
import { money } from "../money.js";
import { learned } from "../names.js";
import { t } from "../texts.js";

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
    this.add = make("button", { type: "button", class: "button small", "data-action": "bots", hidden: true }, t("company.add"));
    this.dismiss = make("button", { type: "button", class: "button small", "data-action": "no-bots", hidden: true }, t("company.remove"));
    this.offered = true;
    const buttons = make("div", { class: "buttons" }, this.add, this.dismiss);
    this.element = make("section", { class: "panel company-panel" }, make("h2", {}, t("company.title")), this.list, buttons);
    this.add.addEventListener("click", () => void this.ask("bots", { count: BOTS }));
    this.dismiss.addEventListener("click", () => void this.ask("bots/leave", { count: null }));
  }

  /** Follow the room. */
  show() {
    const { room } = this;
    const guests = Object.values(room.state?.guests ?? {});
    const key = JSON.stringify([learned(), ...guests.map(({ player, seat, stack }) => [player, seat, stack])]);
    const seats = room.book.rules.table.seats;
    const free = guests.filter((guest) => guest.seat !== null).length < seats;
    this.add.hidden = !this.offered || room.guest === null || seats < 2 || !free;
    this.dismiss.hidden = room.guest === null || !guests.some((guest) => shownName(guest.player, room.you).bot);
    if (key === this.key) return;
    this.key = key;
    const rows = guests
      .sort((a, b) => (a.seat ?? 99) - (b.seat ?? 99))
      .map((guest) => {
        const { text, bot } = shownName(guest.player, room.you);
        const place = guest.seat === null ? t("company.no_seat") : t(room.book.community ? "company.seat" : "company.box", { number: guest.seat });
        return make("li", { "data-guest": guest.player }, make("span", {}, text, bot ? make("span", { class: "badge" }, t("company.bot")) : null), make("span", { class: "soft" }, place), make("span", { class: "number" }, money(guest.stack)));
      });
    replace(this.list, ...(rows.length > 0 ? rows : [make("li", { class: "soft" }, t("company.nobody"))]));
  }

  /**
   * Add or remove bots; a house without bots is asked only once.
   * @param {string} path
   * @param {object} body
   */
  async ask(path, body) {
    this.add.disabled = this.dismiss.disabled = true; // pressed twice, it would ask for the same bots
    try {
      await post(`/tables/${encodeURIComponent(this.room.name)}/${path}`, body);
    } catch (error) {
      if (error instanceof Problem && error.code === "no_bots") this.offered = false;
      this.show();
      this.complain(error);
    } finally {
      this.add.disabled = this.dismiss.disabled = false;
    }
  }
}
