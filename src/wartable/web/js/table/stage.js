// The felt always fits its place on the screen: where it would be higher, all of it is drawn smaller.

/** @typedef {import("../elements/wt-felt.js").Felt} Felt */

/** Smaller than this it could not be read; then the felt is scrolled. */
const LEAST = 0.6;
/** Sizes differ by whole steps, so that a line more or less does not move everything. */
const STEP = 0.04;
const TRIES = 6;

/**
 * Keep the felt within its place, whatever the size of the window and of what lies on it.
 * @param {Felt} felt
 */
export function keepInSight(felt) {
  const rail = felt.querySelector(".rail");
  const stage = felt.querySelector(".stage");
  if (!(rail instanceof HTMLElement) || !(stage instanceof HTMLElement)) return;
  const fit = () => {
    let zoom = 1;
    for (let tries = 0; tries < TRIES; tries += 1) {
      felt.style.setProperty("--zoom", String(zoom));
      const share = felt.clientHeight / (stage.getBoundingClientRect().bottom - felt.getBoundingClientRect().top + felt.scrollTop);
      if (share >= 1 || zoom <= LEAST || !Number.isFinite(share)) break;
      zoom = Math.max(LEAST, Math.min(zoom - STEP, Math.floor((zoom * share) / STEP) * STEP));
    }
    hideCut(felt);
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
