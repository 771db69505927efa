// @ts-check
// The orders that a person may give at a table, whatever waits there: a button each.
import { announcingShoe, adjusting, assigningCard, declaringBox, enteringCount, namingCard, voiding } from "./order_forms.js";
import { grantingAward, movingMeter, reopening } from "./meter_orders.js";
import { may } from "./session.js";
import { Symbol } from "./symbols.js";
import { bet, t } from "./texts.js";
import { html } from "./vendor/preact-htm.js";

/** @typedef {import("./wire.js").Table} Table */
/** @typedef {{ verb: string, text: string, order: import("./orders.js").Order }} Entry */

/** @param {string} verb @param {string} text @param {import("./orders.js").Order} order @returns {Entry} */
const entry = (verb, text, order) => ({ verb, text, order });

/** The orders that a table's state allows to prepare. @param {Table} table @returns {Entry[]} */
function entries(table) {
  const wagers = table.orders?.wagers ?? [];
  const rounds = [...new Set(wagers.map((one) => one.round))];
  return [
    ...(wagers.length ? [entry("adjust", t("order.adjust"), (table) => adjusting(table))] : []),
    ...rounds.map((round) => entry("void", `${t("order.void", { round })}…`, (table) => voiding(table, round))),
    ...(table.felt?.cards.length ? ofCards() : []),
    entry("declare-box", `${t("order.declare-box")}…`, (table) => declaringBox(table)),
    entry("new-shoe", `${t("order.new-shoe")}…`, (table) => announcingShoe(table)),
    entry("inventory", `${t("order.inventory")}…`, (table) => enteringCount(table)),
    ...ofMeters(table),
  ];
}

/** @returns {Entry[]} */
const ofCards = () => [
  entry("set-card", `${t("order.set-card")}…`, (table) => namingCard(table)),
  entry("assign-card", `${t("order.assign-card")}…`, (table) => assigningCard(table)),
];

/** @param {Table} table @returns {Entry[]} */
function ofMeters(table) {
  const own = table.meters?.meters ?? [];
  const linked = table.meters?.linked ?? [];
  const named = [...own, ...linked].map((one) => one.meter);
  return [
    ...own.map((one) => entry("order-move", `${t("order.meter.move", { meter: bet(one.meter) })}…`, (table) => movingMeter(table, one))),
    ...(table.orders?.wagers.length ? named : []).map((one) => entry("order-move", `${t("order.award.grant", { meter: bet(one) })}…`, (table) => grantingAward(table, one))),
    ...linked.filter((one) => one.closed).map((one) => entry("reopen-meter", `${t("order.reopen-meter", { meter: bet(one.meter) })}…`, () => reopening(one))),
  ];
}

/** @param {{ table: Table, prepare: import("./orders.js").Prepare }} of */
export function OrderMenu({ table, prepare }) {
  const offered = entries(table).filter((one) => may(one.verb));
  if (!offered.length) return null;
  return html`<section class="panel order-menu"><h2><${Symbol} name="check" />${t("orders.title")}</h2>
    <p class="buttons">${offered.map((one) => html`<button key=${one.text} type="button" onClick=${() => prepare(one.order)}>${one.text}</button>`)}</p></section>`;
}
