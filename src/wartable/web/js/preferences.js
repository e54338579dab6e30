// What a visitor prefers on this device: theme, motion, sound and its volume, keys, language. Kept in the browser only.

/** @typedef {"theme" | "motion" | "sound" | "volume" | "keys" | "language"} Preference */

/** @type {Record<Preference, readonly string[]>} */
const VALUES = {
  theme: ["system", "light", "dark"],
  motion: ["system", "none"],
  sound: ["off", "on"],
  volume: ["50", "10", "25", "75", "100"],
  keys: ["on", "off"],
  language: ["house", "en", "es"],
};

/**
 * The preferred value; the first of the list if none is stored.
 * @param {Preference} name
 * @returns {string}
 */
export function preferred(name) {
  let kept = null;
  try {
    kept = localStorage.getItem(`wartable-${name}`);
  } catch {
    // A browser without storage has no preference.
  }
  return kept !== null && VALUES[name].includes(kept) ? kept : String(VALUES[name][0]);
}

/**
 * Store a preference and apply it to the page.
 * @param {Preference} name
 * @param {string} value
 */
export function prefer(name, value) {
  try {
    localStorage.setItem(`wartable-${name}`, value);
  } catch {
    // It applies to this page at least.
  }
  document.documentElement.dataset[name] = value;
  window.dispatchEvent(new CustomEvent("preference", { detail: { name, value } }));
}

/** Apply the stored preferences to the document. */
export function applyPreferences() {
  if (globalThis.document === undefined) return;
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
