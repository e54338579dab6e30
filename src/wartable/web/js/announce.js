// Announcements to screen readers: two live regions at the end of the page, made when first needed.

/** @type {Map<string, HTMLElement>} */
const regions = new Map();

/**
 * The live region of that kind.
 * @param {"polite" | "assertive"} kind
 * @returns {HTMLElement}
 */
function region(kind) {
  let found = regions.get(kind);
  if (found === undefined) {
    found = document.createElement("div");
    found.id = kind === "polite" ? "announcement" : "alert";
    found.className = "spoken";
    found.setAttribute("aria-live", kind);
    found.setAttribute("role", kind === "polite" ? "status" : "alert");
    found.setAttribute("aria-atomic", "true");
    document.body.append(found);
    regions.set(kind, found);
  }
  return found;
}

/** @type {Map<string, string[]>} */
const waiting = new Map();

/**
 * Announce a text to screen readers. All texts of one turn are joined, because a region that changes
 * twice at once is read out only once.
 * @param {string} text
 * @param {{assertive?: boolean}} [how]
 * @returns {void}
 */
export function say(text, how = {}) {
  const kind = how.assertive ? "assertive" : "polite";
  const texts = waiting.get(kind);
  if (texts !== undefined) {
    texts.push(text);
    return;
  }
  const begun = [text];
  waiting.set(kind, begun);
  const place = region(kind);
  queueMicrotask(() => {
    waiting.delete(kind);
    const whole = begun.join(" ");
    // A region whose text does not change is not read again: an invisible space makes it differ.
    place.textContent = place.textContent === whole ? `${whole}\u00a0` : whole;
  });
}
