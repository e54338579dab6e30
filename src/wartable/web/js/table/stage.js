// The felt always fits its place on the screen: where it would be higher, all of it is drawn smaller.

/** @typedef {import("../elements/wt-felt.js").Felt} Felt */

/** Smaller than this it could not be read; then the felt is scrolled. */
const LEAST = 0.6;
/** Sizes differ by whole steps, so that a line more or less does not move everything. */
const STEP = 0.04;
const TRIES = 6;
/** A smaller felt may take fewer rows, and then there is room for a larger one. */
const LARGER = 3;

/**
 * Keep the felt within its place, whatever the size of the window and of what lies on it.
 * @param {Felt} felt
 */
export function keepInSight(felt) {
  const rail = felt.querySelector(".rail");
  const stage = felt.querySelector(".stage");
  if (!(rail instanceof HTMLElement) || !(stage instanceof HTMLElement)) return;
  const shareAt = (/** @type {number} */ zoom) => {
    felt.style.setProperty("--zoom", String(zoom));
    return felt.clientHeight / (stage.getBoundingClientRect().bottom - felt.getBoundingClientRect().top + felt.scrollTop);
  };
  const sizes = () => [felt.clientWidth, felt.clientHeight, stage.offsetWidth, stage.offsetHeight].join(" ");
  let fitted = "";
  const fit = () => {
    if (sizes() === fitted) return; // what changed was the felt's own doing
    let [zoom, above] = [1, 1];
    for (let tries = 0; tries < TRIES; tries += 1) {
      const share = shareAt(zoom);
      if (share >= 1 || zoom <= LEAST || !Number.isFinite(share)) break;
      above = zoom;
      zoom = Math.max(LEAST, Math.min(zoom - STEP, Math.floor((zoom * share) / STEP) * STEP));
    }
    for (let tries = 0; tries < LARGER && above - zoom > STEP * 1.5; tries += 1) {
      const between = Math.round((zoom + above) / 2 / STEP) * STEP;
      if (shareAt(between) >= 1) zoom = between;
      else above = between;
    }
    felt.style.setProperty("--zoom", String(zoom));
    hideCut(felt);
    fitted = sizes();
  };
  felt.addEventListener("scroll", () => hideCut(felt), { passive: true });
  const watch = new ResizeObserver(() => requestAnimationFrame(fit));
  watch.observe(felt);
  watch.observe(stage);
}

/**
 * Below the boxes a line is shown whole or not at all; scrolling brings it.
 * @param {Felt} felt
 */
function hideCut(felt) {
  const end = felt.getBoundingClientRect().bottom;
  for (const line of felt.querySelectorAll(".payouts summary, .payout-limit")) {
    const { top, bottom } = line.getBoundingClientRect();
    line.classList.toggle("cut", top < end && bottom > end + 1);
  }
}
