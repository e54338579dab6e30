// The account: sign in or register, money, session, limits, exclusion, password.

import { post, put } from "../api.js";
import { find, make, replace } from "../dom.js";
import "../elements/wt-header.js";
import { money, parse } from "../money.js";
import { current, ensure, GUESTS, refresh, register, signIn, signOut } from "../session.js";
import { button, choose, duration, facts, field, form, net, notice, sentenceOf, tableName, Unclear, when } from "./pieces.js";

/** @typedef {import("../types.js").Me} Me */
/** @typedef {Me["limits"][number]} Limit */

const MINUTE_MS = 60_000;
const WORDS = /** @type {Record<string, string>} */ ({
  deposit: "Deposits",
  loss: "Losses",
  minutes: "Playing time",
});
const DAYS = /** @type {[string, string][]} */ ([
  ["1", "for a day"],
  ["7", "for a week"],
  ["30", "for a month"],
  ["182", "for half a year"],
  ["365", "for a year"],
  ["1825", "for five years"],
]);

const main = find("#main");

/** @param {HTMLFormElement} made @param {string} name */
function value(made, name) {
  return String(new FormData(made).get(name) ?? "");
}

/**
 * @param {string} id
 * @param {string} label
 * @param {string} kind
 */
function password(id, label, kind) {
  const hint = kind === "new-password" ? "At least 10 characters." : "";
  return field(id, label, make("input", { type: "password", autocomplete: kind, required: true, maxlength: 200 }), hint);
}

/** @param {string} id */
function nameField(id) {
  return field(id, "Name", make("input", { type: "text", autocomplete: "username", required: true, maxlength: 32, autocapitalize: "none", spellcheck: "false" }));
}

function signInForm() {
  return form({ "data-sign-in": "" }, [nameField("sign-in-name"), password("sign-in-password", "Password", "current-password")], "Sign in", async (made) => {
    await signIn(value(made, "sign-in-name").trim(), value(made, "sign-in-password"));
    await show();
  });
}

function registerForm() {
  return form({ "data-register": "" }, [nameField("register-name"), password("register-password", "Password", "new-password")], "Register", async (made) => {
    await register(value(made, "register-name").trim(), value(made, "register-password"));
    await show();
  });
}

function strangers() {
  const said = make("div", {});
  return [
    make("h1", {}, "Account"),
    make("p", {}, GUESTS ? "Sign in, register, or just play as a guest. All money here is play money." : "Sign in or register. Deposit and withdraw at the operator's cashier."),
    make(
      "div",
      { class: "cards" },
      make("section", { class: "panel" }, make("h2", {}, "Sign in"), signInForm()),
      make("section", { class: "panel" }, make("h2", {}, "Register"), registerForm()),
      GUESTS && make("section", { class: "panel" }, make("h2", {}, "Stay a guest"), make("p", {}, "You get a name and play money at once."), button("Play as a guest", "", async () => { await ensure(); await show(); }, (sentence) => replace(said, notice(sentence, "bad")), { "data-guest": true }), said),
    ),
  ];
}

/** @param {Me} me */
function moneyPanel(me) {
  const said = make("div", {});
  const total = Object.values(me.holds).reduce((sum, amount) => sum + amount, 0);
  const places = Object.entries(me.holds).map(([where, amount]) => /** @type {[Node | string, string]} */ ([where === "wallet" ? "In the wallet" : make("a", { href: `/table?name=${encodeURIComponent(where)}` }, tableName(where)), money(amount)]));
  const id = `refill-${Date.now()}`;
  const refill = async () => {
    await post("/me/refill", { id });
    await show("You have new play money.");
  };
  return make(
    "section",
    { class: "panel", "data-money": true },
    make("h2", {}, "Money"),
    facts([...places, ["Total", make("strong", {}, money(total))]]),
    make("p", { class: "small soft" }, me.money === "play" ? "Play money: it cannot be deposited or withdrawn." : "Deposited money: deposit and withdraw at the operator's cashier."),
    me.money === "play" && total === 0 && button("Get new play money", "primary", refill, (sentence) => replace(said, notice(sentence, "bad")), { "data-refill": true }),
    said,
  );
}

/** @param {Me} me */
function sessionPanel(me) {
  const said = make("div", {});
  const leave = async () => {
    await signOut();
    await show("You are signed out.");
  };
  const acknowledge = async () => {
    await post("/me/acknowledge");
    replace(said, notice("Thank you. You can keep playing.", "good"));
  };
  return make(
    "section",
    { class: "panel", "data-session": true },
    make("h2", {}, "This session"),
    facts([
      ["Time", duration(me.session_minutes * MINUTE_MS)],
      ["Won or lost", net(me.session_net)],
      ["Role", me.role],
    ]),
    make("p", { class: "small soft" }, "After every hour of play you see how long you have played and what you have won or lost. You cannot bet again until you have read it."),
    make("div", { class: "buttons" }, button("I have read my reality check", "", acknowledge, (sentence) => replace(said, notice(sentence, "bad")), { "data-acknowledge": true }), button("Sign out", "", leave, (sentence) => replace(said, notice(sentence, "bad")), { "data-sign-out": true })),
    said,
  );
}

/** @param {Limit} limit @param {number | null} amount */
function amountWords(limit, amount) {
  if (amount === null) return "no limit";
  return limit.kind.startsWith("minutes") ? duration(amount * MINUTE_MS) : money(amount);
}

/** @param {Limit} limit */
function limitForm(limit) {
  const [what = "", period = ""] = limit.kind.split("_");
  const minutes = what === "minutes";
  const label = `${WORDS[what] ?? what} per ${period}`;
  const input = make("input", { type: "text", inputmode: "decimal", placeholder: minutes ? "minutes, empty for none" : "$, empty for none" });
  const made = form({ "data-limit": limit.kind, class: "limit" }, [field(`limit-${limit.kind}`, label, input, `Now: ${amountWords(limit, limit.amount)}. Used: ${amountWords(limit, limit.used)}.`)], "Set", async () => {
    const text = input.value.trim();
    const amount = text === "" ? null : minutes ? Number(text) : parse(text);
    if (text !== "" && (amount === null || !Number.isInteger(amount))) throw new Unclear(minutes ? "Enter whole minutes, such as 60." : "Enter an amount such as 50 or 12.50.");
    await put("/me/limits", { kind: limit.kind, amount });
    await show(`${label}: a stricter limit applies now, a looser one in 24 hours.`);
  }, "");
  if (limit.next_from_ms) made.append(make("p", { class: "small soft" }, `From `, when(limit.next_from_ms), `: ${amountWords(limit, limit.next_amount)}.`));
  return made;
}

/** @param {Me} me */
function limitsPanel(me) {
  return make(
    "section",
    { class: "panel wide-panel", "data-limits": true },
    make("h2", {}, "Your limits"),
    make("p", {}, "A stricter limit applies at once. A looser one, or none, applies after 24 hours."),
    make("div", { class: "cards" }, ...me.limits.map(limitForm)),
  );
}

/** @param {Me} me */
function exclusionPanel(me) {
  const excluded = me.excluded_until_ms > Date.now();
  const made = form(
    { "data-exclude": "" },
    [
      field("days", "How long", choose(DAYS)),
      field("reason", "Reason (optional)", make("input", { type: "text", maxlength: 200 })),
      make("label", { class: "row check" }, make("input", { type: "checkbox", name: "sure", required: true }), "I understand that this cannot be undone."),
    ],
    "Exclude me",
    async (sent) => {
      await post("/me/exclude", { days: Number(value(sent, "days")), reason: value(sent, "reason") });
      await show("You are now excluded from play.");
    },
    "danger",
  );
  return make(
    "section",
    { class: "panel" },
    make("h2", {}, "Take a break"),
    excluded ? make("p", { class: "notice warn" }, "You are excluded from play until ", when(me.excluded_until_ms), ".") : make("p", {}, "Exclude yourself from play and deposits, starting now."),
    made,
  );
}

function passwordPanel() {
  const made = form({ "data-password": "" }, [password("old", "Current password", "current-password"), password("new", "New password", "new-password")], "Change", async (sent) => {
    await post("/me/password", { old: value(sent, "old"), new: value(sent, "new") });
    sent.reset();
    return "Your password has been changed. Your other sessions have ended.";
  }, "");
  return make("section", { class: "panel" }, make("h2", {}, "Password"), made);
}

/**
 * Whether this is a guest's account, which has no known password.
 * @param {Me} me
 */
function isGuest(me) {
  return me.role === "player" && me.name.startsWith("guest-");
}

function keepPanel() {
  return make("section", { class: "panel" }, make("h2", {}, "You are a guest"), make("p", {}, "This browser remembers you. To play on other devices, register. A guest's money and rounds are not carried over."), make("div", { class: "cards" }, make("div", {}, make("h3", {}, "Register"), registerForm()), make("div", {}, make("h3", {}, "Sign in"), signInForm())));
}

/** @param {string} [said] */
async function show(said = "") {
  try {
    const me = said === "" ? await current() : await refresh();
    if (me === null) {
      replace(main, said !== "" && notice(said, "good"), ...strangers());
      return;
    }
    replace(
      main,
      make("h1", { "data-name": me.name }, me.name),
      said !== "" && notice(said, "good"),
      make("div", { class: "cards account" }, moneyPanel(me), sessionPanel(me), me.role === "player" && limitsPanel(me), me.role === "player" && exclusionPanel(me), isGuest(me) ? keepPanel() : passwordPanel()),
    );
  } catch (error) {
    replace(main, make("h1", {}, "Account"), notice(sentenceOf(error), "bad"));
  }
}

replace(main, make("h1", {}, "Account"), make("p", { class: "soft loading" }, "Loading your account..."));
void refresh().then(() => show(), () => show());
