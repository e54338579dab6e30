// The house's side of the console: closures, limits, accounts, keys, records, self-check.

import { get, post, put } from "../api.js";
import { make, replace } from "../dom.js";
import { parse } from "../money.js";
import { text, value } from "./console.js";
import { choose, facts, field, form, notice, sentenceOf, table, Unclear, when } from "./pieces.js";

/** @typedef {import("../types.js").FloorView} FloorView */
/** @typedef {import("../types.js").AccountShown} AccountShown */
/** @typedef {import("../types.js").SignificantEvent} Significant */

const SCOPES = /** @type {[string, string][]} */ ([["table", "a table"], ["book", "a rule book"], ["player", "a player"], ["gaming", "all gaming"]]);
const LIMITS = /** @type {[string, string][]} */ (["deposit_day", "deposit_week", "deposit_month", "loss_day", "loss_week", "loss_month", "minutes_day"].map((kind) => [kind, kind.replace("_", " per ")]));

/**
 * The form that confirms the time, which the administrator reads from another clock.
 * @param {() => Promise<void>} changed
 */
function confirmation(changed) {
  const time = make("input", { type: "datetime-local", name: "time", required: true, "aria-label": "The time now in UTC, by another clock" });
  const reason = make("input", { type: "text", name: "reason", required: true, maxlength: 200, placeholder: "Reason", "aria-label": "Reason to believe the clock" });
  return form({ "data-confirm-time": "", class: "inline" }, [time, reason], "Confirm the time (UTC)", async (sent) => {
    await post("/clock", { time: value(sent, "time"), reason: value(sent, "reason") });
    await changed();
  }, "small");
}

/**
 * What is disabled, and the forms to disable and to enable.
 * @param {FloorView} view
 * @param {() => Promise<void>} changed
 */
function closures(view, changed) {
  const rows = view.closures.map((each) => {
    if (each.scope === "gaming" && each.name === "clock") {
      return ["the house's clock", each.reason, each.actor, when(each.at_ms), view.rights.includes("clock") ? confirmation(changed) : ""];
    }
    const again = form({ "data-enable": `${each.scope} ${each.name}`.trim(), class: "inline" }, [make("input", { type: "text", name: "reason", required: true, maxlength: 200, placeholder: "Reason", "aria-label": `Reason to enable ${each.scope} ${each.name}` })], "Enable", async (sent) => {
      await post("/enable", { scope: each.scope, name: each.name, reason: value(sent, "reason") });
      await changed();
    }, "small");
    return [`${each.scope} ${each.name}`.trim(), each.reason, each.actor, when(each.at_ms), view.rights.includes("disable") ? again : ""];
  });
  const stop = form(
    { class: "filters", "data-disable": "" },
    [field("scope", "What", choose(SCOPES)), field("closing-name", "Name", make("input", { type: "text", maxlength: 80 }), "Leave empty for all gaming."), field("closing-reason", "Reason", text())],
    "Disable",
    async (sent) => {
      await post("/disable", { scope: value(sent, "scope"), name: value(sent, "closing-name"), reason: value(sent, "closing-reason") });
      await changed();
    },
    "danger",
  );
  return make(
    "section",
    { class: "panel", "data-closures": true },
    make("h2", {}, "Closures"),
    rows.length === 0 ? make("p", { class: "soft" }, "Nothing is disabled.") : table("Disabled now", ["What", "Reason", "By", "Since", "To end it"], rows),
    view.rights.includes("disable") && make("details", {}, make("summary", {}, "Disable"), stop),
  );
}

function limits() {
  const made = form(
    { class: "filters", "data-operator-limit": "" },
    [field("limit-account", "Account", text("* for everybody")), field("limit-kind", "Limit", choose(LIMITS)), field("limit-amount", "Amount", make("input", { type: "text" }), "Money, or minutes for playing time. Leave empty for no limit.")],
    "Set",
    async (sent) => {
      const [kind, said] = [value(sent, "limit-kind"), value(sent, "limit-amount")];
      const amount = said === "" ? null : kind.startsWith("minutes") ? Number(said) : parse(said);
      if (said !== "" && !Number.isInteger(amount)) throw new Unclear("Enter an amount such as 50, or whole minutes.");
      await put("/limits", { account: value(sent, "limit-account"), kind, amount });
      return "The limit is set.";
    },
  );
  return make("details", { class: "panel" }, make("summary", {}, "The operator's limits"), made);
}

/** @param {FloorView["roles"]} names */
function accounts(names) {
  const roles = /** @type {[string, string][]} */ (names.map((role) => [role, role]));
  const found = make("div", {});
  const look = form({ class: "filters", "data-accounts": "" }, [field("begins", "Names starting with", make("input", { type: "text", maxlength: 32 }))], "Search", async (sent) => {
    /** @type {AccountShown[]} */
    const rows = await get(`/accounts?begins=${encodeURIComponent(value(sent, "begins"))}`);
    const shown = rows.map((each) => [each.name, each.role, each.money, when(each.opened_ms), each.excluded_until_ms > Date.now() ? when(each.excluded_until_ms) : ""]);
    replace(found, rows.length === 0 ? make("p", { class: "soft" }, "No account name starts with that.") : table("Accounts", ["Name", "Role", "Money", "Opened", "Excluded until"], shown));
  }, "");
  const open = form(
    { class: "filters", "data-open-account": "" },
    [field("account-name", "Name", text()), field("account-password", "Password", make("input", { type: "password", required: true, autocomplete: "new-password" })), field("account-role", "Role", choose(roles))],
    "Open the account",
    async (sent) => {
      await post("/accounts", { name: value(sent, "account-name"), password: value(sent, "account-password"), role: value(sent, "account-role") });
      return "The account is open.";
    },
  );
  const role = form(
    { class: "filters", "data-role": "" },
    [field("role-name", "Account", text()), field("role-role", "New role", choose(roles)), field("role-reason", "Reason", text())],
    "Change the role",
    async (sent) => {
      await put(`/accounts/${encodeURIComponent(value(sent, "role-name"))}/role`, { role: value(sent, "role-role"), reason: value(sent, "role-reason") });
      return "The role has been changed. The account's sessions have ended.";
    },
  );
  const shown = make("div", {});
  const password = form(
    { class: "filters", "data-new-password": "" },
    [field("password-name", "Account", text()), field("password-reason", "Reason", text())],
    "Make a new password",
    async (sent) => {
      replace(shown);
      const made = await post(`/accounts/${encodeURIComponent(value(sent, "password-name"))}/password`, { reason: value(sent, "password-reason") });
      replace(shown, make("p", { class: "notice warn" }, `The new password for ${made.name} is shown only once: `, make("code", {}, made.password)));
      return "The old password no longer works. The account's sessions have ended.";
    },
    "danger",
  );
  return make("details", { class: "panel" }, make("summary", {}, "Accounts"), look, found, make("h3", {}, "New account"), open, make("h3", {}, "Change a role"), role, make("h3", {}, "Lost password"), password, shown);
}

function keys() {
  const shown = make("div", {});
  const made = form({ class: "filters", "data-key": "" }, [field("key-name", "Name of the key", text("cashier"))], "Make a key", async (sent) => {
    const key = await post("/keys", { name: value(sent, "key-name") });
    replace(shown, make("p", { class: "notice warn" }, "This key is shown only once: ", make("code", {}, key.token)));
    await look();
  });
  const list = make("div", { "data-operator-keys": "" });
  const look = async () => {
    /** @type {import("../types.js").KeyShown[]} */
    const found = await get("/keys");
    replace(list, found.length === 0 ? make("p", { class: "soft" }, "There is no key.") : table("Keys", ["Name", "State"], found.map((each) => [each.name, each.holds ? "works" : "revoked"])));
  };
  const revoke = form({ class: "filters", "data-revoke": "" }, [field("revoke-name", "Name of the key", text()), field("revoke-reason", "Reason", text())], "Revoke the key", async (sent) => {
    await post(`/keys/${encodeURIComponent(value(sent, "revoke-name"))}/revoke`, { reason: value(sent, "revoke-reason") });
    await look();
    return "The key no longer works.";
  }, "danger");
  const panel = make("details", { class: "panel" }, make("summary", {}, "Operator's cashier keys"), list, made, shown, revoke);
  opening(panel, list, look);
  return panel;
}

/**
 * Fill a panel whenever it is opened.
 * @param {HTMLDetailsElement} panel
 * @param {HTMLElement} place
 * @param {() => Promise<void>} look
 */
function opening(panel, place, look) {
  panel.addEventListener("toggle", () => {
    if (panel.open) void look().catch((error) => replace(place, notice(sentenceOf(error), "bad")));
  });
}

function backups() {
  const place = make("div", { "data-backups": "" });
  const look = async () => {
    /** @type {import("../types.js").BackupShown[]} */
    const found = await get("/backups");
    const rows = found.map((each) => [each.name, when(each.at_ms), `${Math.ceil(each.bytes / 1024)} kB`]);
    replace(place, found.length === 0 ? make("p", { class: "soft" }, "No backup was made here yet.") : table("Backups in the house's folder", ["File", "Made", "Size"], rows, [2]));
  };
  const back = form({ "data-back-up": "" }, [], "Back up now", async () => {
    const made = await post("/backups");
    await look();
    return `${made.name} has everything as of now. Move it to a safe place, apart from the key file.`;
  });
  const panel = make("details", { class: "panel" }, make("summary", {}, "Backups"), place, back);
  opening(panel, place, look);
  return panel;
}

function records() {
  const place = make("div", { "data-records": true });
  const panel = make("details", { class: "panel" }, make("summary", {}, "Significant events"), place);
  panel.addEventListener("toggle", async () => {
    if (!panel.open) return;
    try {
      /** @type {Significant[]} */
      let rows = [];
      for (let after = 0; ; after = rows[rows.length - 1]?.number ?? after) {
        const next = await get(`/records/significant?after=${after}`);
        rows = [...rows, ...next].slice(-200);
        if (next.length < 500) break;
      }
      const shown = rows.reverse().map((each) => [each.kind.replaceAll("_", " "), when(each.at_ms), each.actor, each.subject, each.reason, each.before, each.after]);
      replace(place, table("The last significant events", ["Event", "When", "By", "About", "Reason", "Before", "After"], shown));
    } catch (error) {
      replace(place, notice(sentenceOf(error), "bad"));
    }
  });
  return panel;
}

/** @param {FloorView} view */
function selfCheck(view) {
  const about = make("div", { "data-program": "" });
  const look = async () => {
    /** @type {import("../types.js").ProgramShown} */
    const found = await get("/program");
    about.dataset.program = found.approved.includes(found.running) ? "approved" : "not approved";
    replace(
      about,
      facts([
        ["Running", make("span", {}, `Wartable ${found.version}, `, make("code", { class: "small" }, found.running))],
        ["Approved", make("span", {}, ...found.approved.map((digest) => (digest === found.running ? "this program, " : make("span", {}, make("code", { class: "small" }, digest), ", "))), "by ", `${found.by}, `, when(found.at_ms), `: ${found.reason}`)],
      ]),
    );
  };
  const beside = make("input", { type: "text", pattern: "[0-9a-f]{64}", autocomplete: "off" });
  const fields = [field("approve-reason", "Why it may be used", text(), "Which version, who tested it, and when."), field("approve-beside", "Another server's program", beside, "For an upgrade: the digest of the program to approve beside this one. Empty approves this one alone.")];
  const approve = form({ class: "filters", "data-approve-program": "" }, fields, "Approve the program", async (sent) => {
    /** @type {{whole: boolean, problems: string[]}} */
    const found = await post("/program/approve", { reason: value(sent, "approve-reason"), beside: value(sent, "approve-beside") || null });
    replace(shown, ...found.problems.map((problem) => make("p", { class: "notice bad" }, problem)));
    await look();
    return found.whole ? "The program is approved." : null;
  }, "danger");
  const shown = make("div", { "data-self-check": true });
  const check = form({ "data-check": "" }, [], "Check the program now", async () => {
    /** @type {{whole: boolean, problems: string[]}} */
    const found = await post("/selfcheck");
    replace(shown, ...found.problems.map((problem) => make("p", { class: "notice bad" }, problem)));
    return found.whole ? "The program, its books and its tables are those that were approved." : null;
  }, "");
  const panel = make("details", { class: "panel" }, make("summary", {}, "Self-check and approval"), about, make("p", { class: "small soft" }, "A difference from what was approved disables all gaming."), check, shown, view.rights.includes("program") && approve);
  opening(panel, about, look);
  return panel;
}

/**
 * The panels of the house that the role has a right to.
 * @param {FloorView} view
 * @returns {import("../dom.js").Child[]}
 */
export function office(view) {
  const may = (/** @type {string} */ right) => view.rights.includes(right);
  return [may("set_limits") && limits(), may("accounts") && accounts(view.roles), may("keys") && keys(), may("records") && selfCheck(view), may("backups") && backups(), may("records") && records()];
}

export { closures };
