// A press counts for what could be seen when it began. One that hurries the cards presses nothing that
// came with them, the second one of a double click nothing that the first one brought, and a key that
// is held down is pressed once.

const HELD = /^(Enter|[^ ])$/u;

/** Watches what is pressed in the part of the page that changes under the visitor's hand. */
export class Presses {
  /**
   * @param {Element} dock where buttons take each other's places
   * @param {{busy: () => boolean, rush: () => void, round: () => number}} shown what is still to be shown, and the round on screen
   */
  constructor(dock, shown) {
    this.dock = dock;
    this.shown = shown;
    /** What could be pressed when the press began, if anything moved then.
     * @type {Map<Element, string> | null} */
    this.seen = null;
    /** Whether the press only hurries what is still to be shown. */
    this.hurries = false;
    /** @type {[Element, string] | null} what the last click pressed */
    this.last = null;
    document.addEventListener("pointerdown", () => this.begin(), { capture: true });
    document.addEventListener("keydown", (event) => this.key(event), { capture: true });
    document.addEventListener("click", (event) => this.click(event), { capture: true });
  }

  /** A visitor who acts has seen enough of the movement. */
  begin() {
    const buttons = this.shown.busy() ? [...this.dock.querySelectorAll("button:not(:disabled)")] : null;
    this.seen = buttons && new Map(buttons.filter((each) => each.checkVisibility()).map((each) => [each, this.meaning(each)]));
    this.hurries = buttons !== null;
    this.shown.rush();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const typed = event.key !== "Enter" && event.target instanceof Element && event.target.matches("input, textarea");
    if (event.repeat && HELD.test(event.key) && !typed && !event.ctrlKey && !event.altKey && !event.metaKey) {
      event.preventDefault();
      event.stopPropagation();
    } else this.begin();
  }

  /** @param {MouseEvent} event */
  click(event) {
    const button = event.target instanceof Element ? event.target.closest("button") : null;
    const { seen, last } = this;
    this.seen = this.last = null;
    if (button === null || !this.dock.contains(button)) return;
    const meaning = this.meaning(button);
    const late = seen !== null && seen.get(button) !== meaning;
    const second = event.detail > 1 && (last?.[0] !== button || last[1] !== meaning);
    if (!late) this.last = [button, meaning];
    if (!late && !second) return;
    event.preventDefault();
    event.stopPropagation();
  }

  /**
   * What a press on the button does: the same button deals another round later.
   * @param {Element} button
   */
  meaning(button) {
    return button.hasAttribute("data-action") ? `${this.shown.round()} ${button.textContent}` : button.textContent;
  }
}
