// Notices above the felt: the connection, why a table is closed, what went wrong.

import { say } from "../announce.js";
import { make, set, write } from "../dom.js";
import { signed } from "../money.js";
import { withNames } from "../names.js";
import { languageOf, refusalWords, t } from "../texts.js";
import { ask } from "./dialogs.js";

/** @typedef {import("../link.js").Status} Status */
/** @typedef {import("./room.js").Room} Room */

const COMPLAINT_MS = 9000;

/** The notices of the table page. */
export class Notices {
  /**
   * @param {HTMLElement} place what stays until it changes
   * @param {HTMLElement} passing what is shown for a while, over the felt so that it does not move
   */
  constructor(place, passing) {
    this.connection = make("p", { class: "notice warn", id: "connection", hidden: true, role: "status" });
    this.closed = make("p", { class: "notice warn", id: "closed", hidden: true, role: "status" });
    this.missed = make("p", { class: "notice", id: "missed", hidden: true });
    this.message = make("p", { class: "notice warn", id: "message", hidden: true });
    this.complaint = make("p", { class: "notice bad", id: "complaint", hidden: true });
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    this.asking = false;
    place.append(this.connection, this.closed);
    passing.append(this.missed, this.message, this.complaint);
  }

  /**
   * Show the state of the connection.
   * @param {Status} status
   * @param {string} why
   */
  status(status, why) {
    const texts = {
      connected: t("link.connected"),
      reconnecting: t("link.lost"),
      offline: t("link.offline"),
      full: `${why} ${t("link.later")}`,
    };
    const text = texts[status];
    this.connection.hidden = status === "connected";
    set(this.connection, { "data-status": status });
    write(this.connection, text);
    say(text, { assertive: true });
  }

  /** @param {string | null} reason */
  showClosed(reason) {
    this.closed.hidden = reason === null;
    if (reason !== null) write(this.closed, reason);
  }

  /** @param {string} text */
  showMissed(text) {
    write(this.missed, text);
    this.missed.hidden = false;
    say(text);
    setTimeout(() => {
      this.missed.hidden = true;
    }, COMPLAINT_MS * 2);
  }

  /**
   * Tell the visitor what others did to a wager of theirs.
   * @param {string} text
   */
  tell(text) {
    write(this.message, text);
    this.message.hidden = false;
    say(text, { assertive: true });
    setTimeout(() => {
      this.message.hidden = true;
    }, COMPLAINT_MS * 2);
  }

  /**
   * Show why something did not work, in one sentence.
   * @param {unknown} error
   */
  complain(error) {
    const known = /** @type {any} */ (error);
    const words = typeof known?.sentence === "string" ? refusalWords(known.code, known.sentence) : error instanceof Error ? error.message : String(error);
    const text = withNames(words);
    set(this.complaint, { "data-code": typeof known?.code === "string" ? known.code : "error", lang: languageOf(words) });
    write(this.complaint, text);
    this.complaint.hidden = false;
    say(text, { assertive: true });
    clearTimeout(this.timer);
    if (known?.code === "signed_out") {
      this.complaint.append(" ", make("a", { href: "/account" }, t("link.sign_in")));
      return;
    }
    this.timer = setTimeout(() => {
      this.complaint.hidden = true;
    }, COMPLAINT_MS);
  }

  /**
   * The reality check, to be read before the next wager.
   * @param {{minutes: number, net: number}} reality
   * @param {Room} room
   * @param {() => Promise<void>} leave
   */
  async reality(reality, room, leave) {
    if (this.asking) return;
    this.asking = true;
    const words = [t("reality.minutes", { count: reality.minutes }), t("reality.net", { net: signed(reality.net) })];
    const answer = await ask(t("reality.title"), words.map((text) => make("p", {}, text)), [
      { value: "leave", text: t("reality.leave") },
      { value: "on", text: t("reality.read"), primary: true },
    ], { must: true, name: "reality" });
    this.asking = false;
    try {
      await room.link.send("acknowledge");
      if (answer === "leave" && room.guest !== null) await leave();
    } catch (error) {
      this.complain(error);
    }
  }
}
