// The header of every page: logo, links, who is signed in with how much, theme, motion and sound.

import { draw, icon, make, replace, set, write } from "../dom.js";
import { money } from "../money.js";
import { shortName } from "../names.js";
import { LINKS } from "../navigation.js";
import { isDark, prefer, preferred } from "../preferences.js";
import { current } from "../session.js";
import { LANGUAGE, LANGUAGES, t } from "../texts.js";

const ICONS = {
  light: ["M12 3v2M12 19v2M3 12h2M19 12h2M5.6 5.6 7 7M17 17l1.4 1.4M5.6 18.4 7 17M17 7l1.4-1.4", "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8z"],
  dark: ["M20 14.5A8 8 0 0 1 9.5 4 8 8 0 1 0 20 14.5z"],
  off: ["M4 9.5v5h3.5L12 19V5L7.5 9.5z", "M16 9.5l5 5M21 9.5l-5 5"],
  on: ["M4 9.5v5h3.5L12 19V5L7.5 9.5z", "M15.5 9a4.2 4.2 0 0 1 0 6M18 6.5a7.8 7.8 0 0 1 0 11"],
  menu: ["M4 7h16M4 12h16M4 17h16"],
};

/** The header: sticky on top, with a menu that folds on a phone. */
export class Header extends HTMLElement {
  constructor() {
    super();
    this.chip = make("a", { class: "chip", href: "/account", id: "who", hidden: true });
    this.links = make("ul");
    this.theme = make("button", { class: "icon-button", type: "button", "data-switch": "theme" });
    this.sound = make("button", { class: "icon-button", type: "button", "data-switch": "sound" });
    this.language = languageSwitch();
    this.menu = make(
      "button",
      { class: "icon-button menu-button", type: "button", "aria-expanded": "false", "aria-label": t("nav.menu") },
      icon(...ICONS.menu),
    );
    /** @type {number | null} the visitor's money at the table of this page */
    this.atTable = null;
    this.show = () => void this.showWho();
  }

  connectedCallback() {
    if (!this.hasChildNodes()) this.build();
    window.addEventListener("session", this.show);
    this.showSwitches();
    this.show();
  }

  disconnectedCallback() {
    window.removeEventListener("session", this.show);
  }

  /** Make the parts once. */
  build() {
    this.setAttribute("role", "banner");
    this.showLinks();
    const logo = make("a", { class: "logo", href: "/" }, mark(), make("span", {}, "Wartable"));
    const nav = make("nav", { "aria-label": t("nav.pages") }, this.links);
    this.append(
      make("a", { class: "skip", href: "#main" }, t("nav.skip")),
      logo,
      nav,
      make("div", { class: "tools" }, this.sound, this.theme, this.chip, this.menu),
    );
    this.theme.addEventListener("click", () => {
      prefer("theme", isDark() ? "light" : "dark");
      this.showSwitches();
    });
    this.sound.addEventListener("click", () => {
      prefer("sound", preferred("sound") === "on" ? "off" : "on");
      this.showSwitches();
    });
    this.menu.addEventListener("click", () => {
      const open = this.dataset.menu !== "open";
      this.dataset.menu = open ? "open" : "closed";
      this.menu.setAttribute("aria-expanded", String(open));
    });
  }

  /** @param {readonly (readonly [string, string])[]} more */
  showLinks(...more) {
    const here = location.pathname;
    /** @type {[string, string][]} */
    const links = LINKS.map(({ path, words }) => [path, words[LANGUAGE]]);
    const items = [...links, ...more].map(([path, text]) => {
      const current = path === here ? "page" : null;
      return make("li", {}, make("a", { href: path, "aria-current": current }, text));
    });
    replace(this.links, ...items, make("li", {}, this.language));
  }

  /** The two switches as they stand. */
  showSwitches() {
    const dark = isDark();
    replace(this.theme, icon(...(dark ? ICONS.dark : ICONS.light)));
    this.theme.setAttribute("aria-label", t(dark ? "nav.light" : "nav.dark"));
    const on = preferred("sound") === "on";
    replace(this.sound, icon(...(on ? ICONS.on : ICONS.off)));
    this.sound.setAttribute("aria-label", t("sound.title"));
    this.sound.setAttribute("aria-pressed", String(on));
  }

  /**
   * Show the money at the table, as long as there is some, instead of the wallet.
   * @param {number | null} amount
   */
  showAtTable(amount) {
    if (amount === this.atTable) return;
    this.atTable = amount;
    this.show();
  }

  /** Who is signed in, and the money in the wallet or at the table. */
  async showWho() {
    const me = await current();
    this.chip.hidden = false;
    if (me === null) {
      replace(this.chip, make("span", { class: "money" }, t("account.sign_in")));
      return;
    }
    if (me.role !== "player") this.showLinks(["/floor", t("nav.console")]);
    if (this.chip.childElementCount < 2) {
      replace(
        this.chip,
        make("span", { class: "name" }),
        make("span", { class: "money", id: "wallet" }),
      );
    }
    const [name, amount] = this.chip.children;
    const called = me.display || shortName(me.name).text;
    if (name) write(name, called);
    const wallet = money(me.holds.wallet ?? 0);
    const there = this.atTable === null ? null : t("nav.at_table", { amount: money(this.atTable) });
    if (amount) write(amount, there ?? wallet);
    this.chip.setAttribute("aria-label", t("nav.account", { name: called, held: there ?? t("nav.in_wallet", { amount: wallet }) }));
  }
}

/** The way to another language, in its own words. */
function languageSwitch() {
  const made = make("button", { class: "language", type: "button", "data-switch": "language" });
  const [other = "en", name] = Object.entries(LANGUAGES).find(([each]) => each !== LANGUAGE) ?? [];
  set(made, { lang: other, "data-language": other });
  write(made, name ?? "");
  made.addEventListener("click", () => {
    prefer("language", other);
    location.reload();
  });
  return made;
}

/** The mark: two crossed cards on felt. */
function mark() {
  return draw(
    "svg",
    { viewBox: "0 0 32 32", "aria-hidden": "true" },
    draw("rect", { width: 32, height: 32, rx: 8, fill: "#0d5a41" }),
    draw("rect", { x: 6.5, y: 7, width: 12, height: 17, rx: 2, fill: "#f4ead2", transform: "rotate(-14 12 16)" }),
    draw("rect", { x: 13.5, y: 8, width: 12, height: 17, rx: 2, fill: "#fffdf8", stroke: "#0d5a41", transform: "rotate(10 19 16)" }),
    draw("path", { d: "M19.4 12.6c2 2.1 3.4 3.2 3.4 4.9a1.9 1.9 0 0 1-2.8 1.7l.6 2.1h-2.8l.7-2.1a1.9 1.9 0 0 1-2.7-1.8c0-1.7 1.6-2.7 3.6-4.8z", fill: "#211d17" }),
  );
}

customElements.define("wt-header", Header);
