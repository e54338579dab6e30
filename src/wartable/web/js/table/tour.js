// The first round, step by step: what to do next, beside what it is done with. It can be skipped.

import { say } from "../announce.js";
import { make, write } from "../dom.js";
import { t } from "../texts.js";

/** @typedef {import("./room.js").Room} Room */

const TOURED = "wartable-toured";

/** A guide through a visitor's first round. */
export class Tour {
  /**
   * @param {Room} room
   * @param {HTMLElement} place
   */
  constructor(room, place) {
    this.room = room;
    this.words = make("span");
    this.skip = make("button", { type: "button", class: "button small", "data-action": "skip" }, t("tour.skip"));
    this.element = make("div", { class: "notice tour", "data-tour": "", hidden: true }, this.words, " ", this.skip);
    this.on = new URLSearchParams(location.search).has("tour") && !toured();
    this.step = "";
    this.skip.addEventListener("click", () => this.end());
    place.append(this.element);
  }

  /**
   * The step that is next, and what it points at.
   * @returns {["tour.chip" | "tour.deal" | "tour.ready" | "tour.tie" | "tour.end", string] | null}
   */
  next() {
    const { room } = this;
    if (room.guest === null) return null;
    if (room.asked("choice").length > 0) return ["tour.tie", "#dock .option"];
    // While cards are being shown, the bets that were closed are still what was last awaited.
    const [shown, now] = [room.state, room.link.state];
    const open = shown?.rounds === now?.rounds && shown?.round?.bets_closed === false && now?.round?.bets_closed === false;
    if (!room.betting || !open || room.banking) return null;
    if (room.wagers.size > 0) return room.own ? ["tour.deal", '[data-action="deal"]'] : ["tour.ready", '[data-action="ready"]'];
    if (room.played) return ["tour.end", "wt-box.mine .result"];
    return this.step === "tour.end" ? null : ["tour.chip", "wt-box.mine [data-spot=primary]"];
  }

  /** Follow the room. */
  show() {
    if (!this.on) return;
    const next = this.next();
    if (this.step === "tour.end" && next?.[0] !== "tour.end") {
      this.end();
      return;
    }
    for (const each of document.querySelectorAll(".guided")) each.classList.remove("guided");
    this.element.hidden = next === null;
    if (next === null) return;
    const [step, selector] = next;
    document.querySelector(selector)?.classList.add("guided");
    if (step === this.step) return;
    this.step = step;
    this.element.dataset.tour = step;
    write(this.words, t(step));
    write(this.skip, t(step === "tour.end" ? "tour.done" : "tour.skip"));
    say(t(step));
  }

  /** The tour is over, for good. */
  end() {
    this.on = false;
    this.element.hidden = true;
    for (const each of document.querySelectorAll(".guided")) each.classList.remove("guided");
    try {
      localStorage.setItem(TOURED, "yes");
    } catch {
      // It is offered again next time.
    }
  }
}

/** Whether the visitor has had the tour on this device. */
export function toured() {
  try {
    return localStorage.getItem(TOURED) !== null;
  } catch {
    return false; // without storage it is offered every time
  }
}
