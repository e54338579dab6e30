// What a visitor prefers on this device: theme, motion, sound, keys. Kept in the browser only.

/** @typedef {"theme" | "motion" | "sound" | "keys"} Preference */

/** @type {Record<Preference, readonly string[]>} */
const VALUES = {
  theme: ["system", "light", "dark"],
  motion: ["system", "none"],
  sound: ["off", "on"],
  keys: ["on", "off"],
};

/**
 * The preferred value; the first of the list where nothing is kept.
 * @param {Preference} name
 * @returns {string}
 */
export function preferred(name) {
  let kept = null;
  try {
    kept = localStorage.getItem(`wartable-${name}`);
  } catch {
    // A browser that keeps nothing has no preference.
  }
  return kept !== null && VALUES[name].includes(kept) ? kept : String(VALUES[name][0]);
}

/**
 * Keep a preference and let the page follow it.
 * @param {Preference} name
 * @param {string} value
 */
export function prefer(name, value) {
  try {
    localStorage.setItem(`wartable-${name}`, value);
  } catch {
    // It holds for this page at least.
  }
  document.documentElement.dataset[name] = value;
  window.dispatchEvent(new CustomEvent("preference", { detail: { name, value } }));
}

/** Put the kept preferences on the document. */
export function applyPreferences() {
  for (const name of /** @type {Preference[]} */ (Object.keys(VALUES))) {
    document.documentElement.dataset[name] = preferred(name);
  }
}

/** Whether the page is dark now. */
export function isDark() {
  const theme = preferred("theme");
  if (theme !== "system") return theme === "dark";
  return matchMedia("(prefers-color-scheme: dark)").matches;
}

/** Whether nothing may move. */
export function isStill() {
  return (
    document.documentElement.dataset.motion === "none" ||
    matchMedia("(prefers-reduced-motion: reduce)").matches
  );
}

applyPreferences();
