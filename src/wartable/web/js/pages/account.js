// The account: sign in or register, display name, money, session, limits, exclusion, password, recovery codes.

import { post, put } from "../api.js";
import { find, make, replace } from "../dom.js";
import "../elements/wt-header.js";
import { exactly, money, parse } from "../money.js";
import { nameOf } from "../names.js";
import { current, ensure, GUESTS, recover, refresh, register, signIn, signOut } from "../session.js";
import { t } from "../page-texts.js";
import { button, choose, duration, facts, field, form, net, notice, sentenceOf, tableName, Unclear, when } from "./pieces.js";

/** @typedef {import("../types.js").Me} Me */
/** @typedef {Me["limits"][number]} Limit */

const MINUTE_MS = 60_000;
const DAYS = /** @type {[string, string][]} */ ([
  ["1", t("account.day")],
  ["7", t("account.week")],
  ["30", t("account.month")],
  ["182", t("account.half_year")],
  ["365", t("account.year")],
  ["1825", t("account.five_years")],
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
  const hint = kind === "new-password" ? t("account.password_hint") : "";
  return field(id, label, make("input", { type: "password", autocomplete: kind, required: true, maxlength: 200 }), hint);
}

/** @param {string} id */
function nameField(id) {
  return field(id, t("account.name"), make("input", { type: "text", autocomplete: "username", required: true, maxlength: 32, autocapitalize: "none", spellcheck: "false" }));
}

function signInForm() {
  const made = form({ "data-sign-in": "" }, [nameField("sign-in-name"), password("sign-in-password", t("account.password"), "current-password")], t("account.sign_in"), async (sent) => {
    await signIn(value(sent, "sign-in-name").trim(), value(sent, "sign-in-password"));
    await show();
  });
  return make("div", {}, made, make("details", { "data-forgot": true }, make("summary", {}, t("account.forgot")), recoverForm()));
}

function recoverForm() {
  const code = make("input", { type: "text", autocomplete: "one-time-code", required: true, maxlength: 40, autocapitalize: "characters", spellcheck: "false", class: "mono" });
  return form({ "data-recover": "" }, [nameField("recover-name"), field("recover-code", t("account.code"), code), password("recover-password", t("account.new_password"), "new-password")], t("account.recover"), async (sent) => {
    await recover(value(sent, "recover-name").trim(), value(sent, "recover-code"), value(sent, "recover-password"));
    await show(t("account.recovered"));
  }, "");
}

function registerForm() {
  return form({ "data-register": "" }, [nameField("register-name"), password("register-password", t("account.password"), "new-password")], t("account.register"), async (made) => {
    const secret = value(made, "register-password");
    await register(value(made, "register-name").trim(), secret);
    const { codes } = await post("/me/codes", { password: secret }).catch(() => ({ codes: [] }));
    await show(t("account.registered"), codes);
  });
}

function strangers() {
  const said = make("div", {});
  return [
    make("h1", {}, t("account.title")),
    make("p", {}, t(GUESTS ? "account.choose_play" : "account.choose_deposited")),
    make(
      "div",
      { class: "cards" },
      make("section", { class: "panel" }, make("h2", {}, t("account.sign_in")), signInForm()),
      make("section", { class: "panel" }, make("h2", {}, t("account.register")), registerForm()),
      GUESTS && make("section", { class: "panel" }, make("h2", {}, t("account.stay_guest")), make("p", {}, t("account.guest_words")), button(t("account.play_guest"), "", async () => { await ensure(); await show(); }, (sentence) => replace(said, notice(sentence, "bad")), { "data-guest": true }), said),
    ),
  ];
}

/** @param {Me} me */
function moneyPanel(me) {
  const said = make("div", {});
  const total = Object.values(me.holds).reduce((sum, amount) => sum + amount, 0);
  const places = Object.entries(me.holds).map(([where, amount]) => /** @type {[Node | string, string]} */ ([where === "wallet" ? t("account.wallet") : make("a", { href: `/table?name=${encodeURIComponent(where)}` }, tableName(where)), money(amount)]));
  const id = `refill-${Date.now()}`;
  const refill = async () => {
    await post("/me/refill", { id });
    await show(t("account.refilled"));
  };
  return make(
    "section",
    { class: "panel", "data-money": true },
    make("h2", {}, t("account.money")),
    facts([...places, [t("account.total"), make("strong", {}, money(total))]]),
    make("p", { class: "small soft" }, t(me.money === "play" ? "account.play_money" : "account.deposited_money")),
    me.money === "play" && total === 0 && button(t("account.refill"), "primary", refill, (sentence) => replace(said, notice(sentence, "bad")), { "data-refill": true }),
    said,
  );
}

/** @param {Me} me */
function sessionPanel(me) {
  const said = make("div", {});
  const leave = async () => {
    await signOut();
    await show(t("account.signed_out"));
  };
  const acknowledge = async () => {
    await post("/me/acknowledge");
    await show(t("account.acknowledged"));
  };
  return make(
    "section",
    { class: "panel", "data-session": true },
    make("h2", {}, t("account.session")),
    facts([
      [t("account.time"), duration(me.session_minutes * MINUTE_MS)],
      [t("account.net"), net(me.session_net)],
      ...(me.role === "player" ? [] : [/** @type {[string, string]} */ ([t("account.role"), me.role])]),
    ]),
    make("p", { class: "small soft" }, t("account.reality")),
    make("div", { class: "buttons" }, me.reality_due && button(t("account.acknowledge"), "", acknowledge, (sentence) => replace(said, notice(sentence, "bad")), { "data-acknowledge": true }), button(t("account.sign_out"), "", leave, (sentence) => replace(said, notice(sentence, "bad")), { "data-sign-out": true })),
    said,
  );
}

/** @param {Limit} limit @param {number | null} amount */
function amountWords(limit, amount) {
  if (amount === null) return t("account.no_limit");
  return limit.kind.startsWith("minutes") ? duration(amount * MINUTE_MS) : money(amount);
}

/** @param {Limit} limit */
function limitForm(limit) {
  const minutes = limit.kind.startsWith("minutes");
  const label = t(/** @type {import("../page-texts.js").TextKey} */ (`limit.${limit.kind}`));
  const input = make("input", { type: "text", inputmode: "decimal", placeholder: t(minutes ? "account.minutes_empty" : "account.amount_empty") });
  const made = form({ "data-limit": limit.kind, class: "limit" }, [field(`limit-${limit.kind}`, label, input, t("account.used", { now: amountWords(limit, limit.amount), used: amountWords(limit, Math.max(0, limit.used)) }))], t("account.set"), async () => {
    const text = input.value.trim();
    const amount = text === "" ? null : minutes ? Number(text) : parse(text);
    if (text !== "" && (amount === null || !Number.isInteger(amount))) throw new Unclear(minutes ? t("account.enter_minutes") : t("account.enter_amount", { exact: exactly(1250) }));
    await put("/me/limits", { kind: limit.kind, amount });
    await show(t("account.limit_set", { limit: label }));
  }, "");
  if (limit.next_from_ms) made.append(make("p", { class: "small soft" }, t("account.from"), " ", when(limit.next_from_ms), `: ${amountWords(limit, limit.next_amount)}`));
  return made;
}

/** @param {Me} me */
function limitsPanel(me) {
  return make(
    "section",
    { class: "panel wide-panel", "data-limits": true },
    make("h2", {}, t("account.limits")),
    make("p", {}, t("account.limits_words")),
    make("div", { class: "cards" }, ...me.limits.map(limitForm)),
  );
}

/** @param {Me} me */
function exclusionPanel(me) {
  const excluded = me.excluded_until_ms > Date.now();
  const made = form(
    { "data-exclude": "" },
    [
      field("days", t("account.how_long"), choose(DAYS)),
      field("reason", t("account.reason"), make("input", { type: "text", maxlength: 200 })),
      make("label", { class: "row check" }, make("input", { type: "checkbox", name: "sure", required: true }), t("account.sure")),
    ],
    t("account.exclude"),
    async (sent) => {
      await post("/me/exclude", { days: Number(value(sent, "days")), reason: value(sent, "reason") });
      await show(t("account.excluded"));
    },
    "danger",
  );
  return make(
    "section",
    { class: "panel" },
    make("h2", {}, t("account.break")),
    excluded ? make("p", { class: "notice warn" }, t("account.excluded_until"), " ", when(me.excluded_until_ms)) : make("p", {}, t("account.break_words")),
    made,
  );
}

/** @param {Me} me */
function displayPanel(me) {
  const input = make("input", { type: "text", maxlength: 20, autocomplete: "nickname", spellcheck: "false", value: me.display });
  const made = form({ "data-display": "" }, [field("display", t("account.display"), input, t("account.display_hint"))], t("account.save"), async (sent) => {
    await put("/me/name", { display: value(sent, "display").trim() });
    await show(t("account.display_set"));
  }, "");
  return make("section", { class: "panel" }, make("h2", {}, t("account.display")), made);
}

function passwordPanel() {
  const made = form({ "data-password": "" }, [password("old", t("account.current_password"), "current-password"), password("new", t("account.new_password"), "new-password")], t("account.change"), async (sent) => {
    await post("/me/password", { old: value(sent, "old"), new: value(sent, "new") });
    sent.reset();
    return t("account.password_changed");
  }, "");
  return make("section", { class: "panel" }, make("h2", {}, t("account.password")), made);
}

/** @param {Me} me */
function codesPanel(me) {
  const made = form({ "data-make-codes": "" }, [password("codes-password", t("account.current_password"), "current-password")], t("account.make_codes"), async (sent) => {
    const { codes } = await post("/me/codes", { password: value(sent, "codes-password") });
    await show(t("account.codes_made"), codes);
  }, "");
  return make("section", { class: "panel", "data-codes-left": me.codes }, make("h2", {}, t("account.codes")), make("p", {}, t("account.codes_words")), make("p", { class: "small soft" }, t("account.codes_left", { count: me.codes })), made);
}

/**
 * New recovery codes, which are shown only now.
 * @param {readonly string[]} codes
 */
function codesShown(codes) {
  const items = codes.map((code) => make("li", { class: "mono", "data-code": code }, code));
  return make("section", { class: "panel notice warn", "data-codes": codes.length }, make("h2", {}, t("account.codes")), make("p", {}, t("account.codes_once")), make("ul", { class: "codes" }, ...items));
}

function keepPanel() {
  return make("section", { class: "panel" }, make("h2", {}, t("account.you_guest")), make("p", {}, t("account.keep")), make("div", { class: "cards" }, make("div", {}, make("h3", {}, t("account.register")), registerForm()), make("div", {}, make("h3", {}, t("account.sign_in")), signInForm())));
}

/**
 * @param {string} [said]
 * @param {readonly string[]} [codes] new recovery codes
 */
async function show(said = "", codes = []) {
  try {
    const me = said === "" ? await current() : await refresh();
    if (me === null) {
      replace(main, said !== "" && notice(said, "good"), ...strangers());
      return;
    }
    const player = me.role === "player";
    replace(
      main,
      make("h1", { "data-name": me.name }, me.display || nameOf(me.name)),
      said !== "" && notice(said, "good"),
      codes.length > 0 && codesShown(codes),
      make("div", { class: "cards account" }, moneyPanel(me), sessionPanel(me), player && limitsPanel(me), player && displayPanel(me), player && exclusionPanel(me), me.guest ? keepPanel() : passwordPanel(), player && !me.guest && codesPanel(me)),
    );
    if (said !== "") lookUp();
  } catch (error) {
    replace(main, make("h1", {}, t("account.title")), notice(sentenceOf(error), "bad"));
  }
}

/** What was said, and codes that are shown once, stand at the top: the form was far below. */
function lookUp() {
  main.focus({ preventScroll: true });
  scrollTo({ top: 0, behavior: "instant" });
}

replace(main, make("h1", {}, t("account.title")), make("p", { class: "soft loading" }, t("account.loading")));
void refresh().then(() => show(), () => show());
