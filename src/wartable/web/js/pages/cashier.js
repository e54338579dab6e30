// The cashier's desk: what a player holds, and payments in and out, each with the number of its slip.

import { get, post } from "../api.js";
import { find, make, replace } from "../dom.js";
import { money, parse } from "../money.js";
import { bar, text, value } from "./console.js";
import { field, form, table, Unclear } from "./pieces.js";

/** @typedef {{name: string, holds: Record<string, number>}} Wallet */

const PAYMENTS_MAX = 50;

/** The desk; its key stays in this page and is forgotten with it. */
class Desk {
  constructor() {
    this.key = "";
    this.wallet = make("div", { "data-wallet": "", role: "status" });
    this.done = make("div", { "data-payments": "" });
    /** @type {string[][]} */
    this.payments = [];
  }

  headers() {
    return { authorization: `Bearer ${this.key}` };
  }

  /** @param {Wallet} found */
  showWallet(found) {
    const rows = Object.entries(found.holds).map(([where, cents]) => [where, money(cents)]);
    replace(this.wallet, table(`What ${found.name} holds`, ["Where", "Amount"], rows, [1]));
    this.wallet.dataset.wallet = String(found.holds.wallet ?? 0);
  }

  /** @param {string} name */
  async look(name) {
    this.showWallet(await get(`/wallets/${encodeURIComponent(name)}`, this.headers()));
  }

  /** @param {HTMLFormElement} sent */
  async pay(sent) {
    const [name, way, slip] = [value(sent, "pay-name"), value(sent, "pay-way"), value(sent, "pay-slip")];
    const amount = parse(value(sent, "pay-amount"));
    if (amount === null || amount <= 0) throw new Unclear("Enter an amount such as 25.");
    const answer = await post(`/wallets/${encodeURIComponent(name)}/${way}`, { amount }, { ...this.headers(), "idempotency-key": slip });
    const words = way === "deposit" ? "paid in" : "paid out";
    this.payments = [[slip, name, words, money(amount), String(answer.number)], ...this.payments].slice(0, PAYMENTS_MAX);
    replace(this.done, table("Payments of this page", ["Slip", "Player", "What", "Amount", "Row"], this.payments, [3, 4]));
    await this.look(name);
    return `${money(amount)} ${words}, row ${answer.number} of the cashier's journal.`;
  }

  panels() {
    const desk = make("div", { class: "stack", hidden: true });
    const way = make("select", {}, make("option", { value: "deposit" }, "Pay in"), make("option", { value: "withdraw" }, "Pay out"));
    const unlock = form({ class: "filters", "data-desk-key": "" }, [field("desk-key", "The desk's key", make("input", { type: "password", required: true, autocomplete: "off", maxlength: 200 }), "An administrator makes it on the page House. It stays in this page only.")], "Open the desk", async (sent) => {
      this.key = value(sent, "desk-key");
      sent.reset();
      desk.hidden = false;
      return "The desk is open until this page is closed.";
    });
    const look = form({ class: "filters", "data-look": "" }, [field("look-name", "Player", text())], "Look", (sent) => this.look(value(sent, "look-name")), "");
    const pay = form(
      { class: "filters", "data-pay": "" },
      [field("pay-name", "Player", text()), field("pay-way", "What", way), field("pay-amount", "Amount", make("input", { type: "text", required: true, inputmode: "decimal" })), field("pay-slip", "Number of the slip", make("input", { type: "text", required: true, maxlength: 64 }), "A slip is paid once, however often it is sent.")],
      "Pay",
      (sent) => this.pay(sent),
    );
    replace(desk, make("section", { class: "panel" }, make("h2", {}, "Pay in or out"), pay, this.done), make("section", { class: "panel" }, make("h2", {}, "A wallet"), look, this.wallet));
    return [make("section", { class: "panel" }, make("h2", {}, "Desk"), unlock), desk];
  }
}

async function start() {
  const main = find("#main");
  const title = make("h1", {}, "Cashier");
  const play = document.documentElement.dataset.money === "play";
  const panels = play ? [make("p", { class: "empty", "data-empty": true }, "This house plays with play money, which is not paid in or out.")] : new Desk().panels();
  replace(main, await bar(), title, make("div", { class: "stack" }, ...panels));
}

void start();
