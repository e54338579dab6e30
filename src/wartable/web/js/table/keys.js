// The keyboard: number keys for chips, arrows between spots, letters for what the buttons do.

import { make } from "../dom.js";
import { money } from "../money.js";
import { prefer, preferred } from "../preferences.js";
import { ask } from "./dialogs.js";
import { sound } from "./sound.js";
import { t } from "../texts.js";

/** @typedef {import("./bets.js").Bets} Bets */
/** @typedef {import("../elements/wt-felt.js").Felt} Felt */

/**
 * @param {readonly import("../elements/wt-stack.js").Chip[]} chips
 * @returns {[string, string][]}
 */
const help = (chips) => [
  [t("keys.digits", { count: chips.length }), t("keys.chip", { min: money(chips[0]?.cents ?? 0), max: money(chips.at(-1)?.cents ?? 0) })],
  ["← → ↑ ↓", t("keys.move")],
  ["Enter", t("keys.bet")],
  ["Backspace", t("keys.back")],
  ["D", t("keys.deal")],
  ["R", t("keys.repeat")],
  ["X", t("keys.double")],
  ["U", t("keys.undo")],
  ["C", t("keys.clear")],
  ["W", t("keys.war")],
  ["T", t("keys.war_tie")],
  ["S", t("keys.surrender")],
  ["?", t("keys.help")],
];

/** @type {Record<string, string>} */
const ACTIONS = { d: "deal", r: "repeat", x: "double", u: "undo", c: "clear" };
/** @type {Record<string, string>} */
const CHOICES = { w: "war", t: "war_tie", s: "surrender" };

/** The keys of the table page. */
export class Keys {
  /**
   * @param {Bets} bets
   * @param {Felt} felt
   */
  constructor(bets, felt) {
    this.bets = bets;
    this.felt = felt;
    document.addEventListener("keydown", (event) => this.press(event));
    felt.addEventListener("focusin", (event) => this.remember(event.target));
  }

  /** Show what the keys do. */
  help() {
    const rows = help(this.bets.offered).map(([key, does]) => make("tr", {}, make("th", { scope: "row" }, make("kbd", {}, key)), make("td", {}, does)));
    const keys = this.toggle("keys", "off", "on", t("keys.shortcuts"));
    const motion = this.toggle("motion", "none", "system", t("keys.animations"));
    return ask(t("keys.title"), [make("table", {}, make("tbody", {}, ...rows)), keys, motion, volume()], [], { name: "help" });
  }

  /**
   * A preference as a checkbox.
   * @param {import("../preferences.js").Preference} name
   * @param {string} off
   * @param {string} on
   * @param {string} text
   */
  toggle(name, off, on, text) {
    const box = make("input", { type: "checkbox", id: `prefer-${name}` });
    box.checked = preferred(name) !== off;
    box.addEventListener("change", () => prefer(name, box.checked ? on : off));
    return make("p", { class: "row" }, box, make("label", { for: `prefer-${name}` }, text));
  }

  /** @param {KeyboardEvent} event */
  press(event) {
    const target = event.target;
    if (event.ctrlKey || event.altKey || event.metaKey || document.querySelector("dialog[open]") !== null) return;
    if (target instanceof HTMLInputElement || target instanceof HTMLSelectElement || target instanceof HTMLTextAreaElement) return;
    if (target instanceof HTMLElement && target.matches("[data-spot]") && this.onSpot(event, target)) return;
    if (target instanceof HTMLElement && target.matches("[data-chip]") && this.onChip(event, target)) return;
    if (preferred("keys") === "off") return;
    this.letter(event);
  }

  /** @param {KeyboardEvent} event */
  letter(event) {
    const key = event.key.toLowerCase();
    const chip = this.bets.offered[Number(key) - 1];
    const choice = CHOICES[key];
    const action = ACTIONS[key];
    if (chip !== undefined) this.bets.choose(chip.cents);
    else if (choice !== undefined) this.choose(choice);
    else if (action === "deal") this.click('[data-action="deal"]:not([hidden]), [data-action="ready"]:not([hidden])');
    else if (action !== undefined) this.click(`[data-action="${action}"]`);
    else if (key === "?") void this.help();
    else return;
    event.preventDefault();
  }

  /**
   * A tied hand's choice; a tie wager of any size at war is typed first, and Enter sends it.
   * @param {string} choice
   */
  choose(choice) {
    const field = document.querySelector("input[data-war-tie]");
    if (choice === "war_tie" && field instanceof HTMLInputElement) field.focus();
    else this.click(`button[data-choice="${choice}"]`);
  }

  /** @param {string} selector */
  click(selector) {
    const found = document.querySelector(selector);
    if (found instanceof HTMLButtonElement && !found.disabled && found.offsetParent !== null) found.click();
  }

  /**
   * Arrows between the chips, as between any radio buttons.
   * @param {KeyboardEvent} event
   * @param {HTMLElement} chip
   */
  onChip(event, chip) {
    const by = event.key === "ArrowRight" || event.key === "ArrowDown" ? 1 : event.key === "ArrowLeft" || event.key === "ArrowUp" ? -1 : 0;
    if (by === 0) return false;
    const next = by > 0 ? chip.nextElementSibling : chip.previousElementSibling;
    if (next instanceof HTMLButtonElement && !next.hidden) {
      next.click();
      next.focus();
    }
    event.preventDefault();
    return true;
  }

  /**
   * @param {KeyboardEvent} event
   * @param {HTMLElement} spot
   */
  onSpot(event, spot) {
    const box = Number(spot.closest("wt-box")?.getAttribute("data-box"));
    const kind = spot.dataset.spot ?? "";
    // Box 1 is at the right end, so the arrow to the right leads to the lower number.
    /** @type {Record<string, readonly [number, number]>} */
    const moves = { ArrowRight: [-1, 0], ArrowLeft: [1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };
    const move = moves[event.key];
    if (move !== undefined) {
      this.go(box + move[0], kind, move[1]);
      event.preventDefault();
      return true;
    }
    if (event.key === "Backspace" || event.key === "Delete") {
      void this.bets.withdraw(box, kind);
      event.preventDefault();
      return true;
    }
    return false;
  }

  /**
   * Put the focus on a neighbouring spot.
   * @param {number} box
   * @param {string} kind
   * @param {number} by
   */
  go(box, kind, by) {
    const buttons = this.felt.boxes.get(box)?.buttons;
    if (buttons === undefined) return;
    const kinds = [...buttons.keys()];
    const wanted = kinds[kinds.indexOf(kind) + by];
    const button = wanted === undefined ? undefined : buttons.get(wanted);
    if (button === undefined) return;
    if (button.offsetParent === null || getComputedStyle(button).pointerEvents === "none") this.felt.boxes.get(box)?.tell("enlarge", { box });
    button.focus();
  }

  /**
   * Keep one spot in the order of the Tab key: the one that was used last.
   * @param {EventTarget | null} target
   */
  remember(target) {
    if (!(target instanceof HTMLElement) || !target.matches("[data-spot]")) return;
    for (const each of this.felt.querySelectorAll('[data-spot][tabindex="0"]')) each.setAttribute("tabindex", "-1");
    target.setAttribute("tabindex", "0");
  }
}

/** The loudness of the sounds; choosing one switches sound on and lets it be heard. */
function volume() {
  const levels = [["off", t("sound.off")], ["10", t("sound.very_quiet")], ["25", t("sound.quiet")], ["50", t("sound.medium")], ["75", t("sound.loud")], ["100", t("sound.very_loud")]];
  const options = levels.map(([value, text]) => make("option", { value }, text));
  const select = make("select", { id: "volume", "data-preference": "volume" }, ...options);
  select.value = preferred("sound") === "on" ? preferred("volume") : "off";
  select.addEventListener("change", () => {
    prefer("sound", select.value === "off" ? "off" : "on");
    if (select.value !== "off") prefer("volume", select.value);
    sound("won");
  });
  return make("label", { class: "row", for: "volume" }, t("sound.title"), " ", select);
}
