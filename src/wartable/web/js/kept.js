// What a page keeps on this device by a key of several parts; the oldest are forgotten.

/**
 * Values of one kind, in the browser's storage, or as long as the page lasts if there is none.
 * @template Value
 */
export class Kept {
  #where;
  #most;
  /** What the browser did not store; what it did may be changed by another tab.
   * @type {Record<string, Value>} */
  #here = {};

  /**
   * @param {string} where the name in the browser's storage
   * @param {number} most
   */
  constructor(where, most) {
    this.#where = where;
    this.#most = most;
  }

  /**
   * All values, by the JSON text of their keys.
   * @returns {Record<string, Value>}
   */
  all() {
    try {
      return { ...JSON.parse(localStorage.getItem(this.#where) ?? "{}"), ...this.#here };
    } catch {
      return this.#here;
    }
  }

  /**
   * The value, or null if this device has none.
   * @param {...(string | number)} key
   * @returns {Value | null}
   */
  get(...key) {
    return this.all()[JSON.stringify(key)] ?? null;
  }

  /**
   * Keep a value.
   * @param {Value} value
   * @param {...(string | number)} key
   */
  keep(value, ...key) {
    const name = JSON.stringify(key);
    const others = Object.entries(this.all()).filter(([each]) => each !== name);
    this.#here = Object.fromEntries([...others, /** @type {[string, Value]} */ ([name, value])].slice(-this.#most));
    try {
      localStorage.setItem(this.#where, JSON.stringify(this.#here));
      this.#here = {};
    } catch {
      // The page still has it.
    }
  }
}
