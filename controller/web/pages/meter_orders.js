// @ts-check
// What is asked for an order about a meter or an award, what it changes, and what a second person is asked to approve.
import { centsOf, money, net } from "./figures.js";
import { choice, chosen, wager, wagerField, whyField } from "./order_forms.js";
import { bet, t } from "./texts.js";

/** @typedef {import("./wire.js").Table} Table */
/** @typedef {import("./wire.js").Meter} Meter */
/** @typedef {import("./wire.js").Jackpot} Jackpot */
/** @typedef {import("./wire.js").Proposal} Proposal */
/** @typedef {import("./orders.js").Prepared} Prepared */
/** @typedef {import("./orders.js").Change} Change */

/** A meter counts in 1/10,000 of a cent; people are shown whole cents of it. */
const UNITS = 10000;
const RAISED_FOR = ["funding", "equipment_correction"];
const LOWERED_FOR = ["equipment_correction", "over_limit_correction", "seed_recovery"];

/** Units as money, a part of a cent left out. @param {number} units @param {string} [currency] */
const ofUnits = (units, currency) => money(Math.trunc(units / UNITS), currency);

/** What a meter or its reserve stands at, and what it then would. @param {Meter} meter @param {string} pool @param {number} units @param {string} [currency] @returns {Change} */
function moved(meter, pool, units, currency) {
  const stands = pool === "reserve" ? meter.reserve_units : meter.meter_units;
  return { label: t(`order.meter.pool.${pool}`, { meter: bet(meter.meter) }), before: ofUnits(stands, currency), after: ofUnits(stands + units, currency) };
}

/** @param {Table} table @param {Meter} lately as it was @returns {Prepared} */
export function movingMeter(table, lately) {
  const meter = table.meters?.meters.find((one) => one.meter === lately.meter) ?? lately;
  const currency = table.currency;
  const reasons = [...new Set([...LOWERED_FOR, ...RAISED_FOR])].map((value) => ({ value, text: t(`order.reason.${value}`) }));
  const pools = ["meter", "reserve"].map((value) => ({ value, text: t(`order.meter.pool.${value}`, { meter: bet(meter.meter) }) }));
  return {
    verb: "order-move",
    title: t("order.meter.move", { meter: bet(meter.meter) }),
    said: t("order.meter.two"),
    fields: [choice("pool", t("order.meter.what"), pools), { name: "amount", label: t("order.meter.by"), money: true, hint: "-12.50" }, choice("reason", t("order.meter.reason"), reasons), whyField()],
    formed: ({ pool = "meter", amount = "", reason = "" }) => {
      const cents = centsOf(amount);
      const units = (cents ?? 0) * UNITS;
      const { after, ...change } = moved(meter, pool, units, currency);
      const least = pool === "reserve" ? meter.reserve_units : reason === "over_limit_correction" ? meter.overflow_units : meter.meter_units;
      const isBeyond = cents !== null && !(pool === "reserve" ? ["equipment_correction"] : cents < 0 ? LOWERED_FOR : RAISED_FOR).includes(reason);
      return {
        request: !cents ? null : { meter: meter.meter, move: { type: "adjustment", pool, units, reason } },
        changes: [{ ...change, after: cents === null ? "…" : after }],
        bounds: isBeyond ? t("order.meter.wrong") : t("order.meter.bounds", { amount: ofUnits(least, currency) }),
      };
    },
  };
}

/** @param {Table} table @param {string} meter @returns {Prepared} */
export function grantingAward(table, meter) {
  const wagers = (table.orders?.wagers ?? []).filter((one) => one.bet !== "insurance");
  const now = [...(table.meters?.meters ?? []), ...(table.meters?.linked ?? [])].find((one) => one.meter === meter)?.shown_cents ?? null;
  return {
    verb: "order-move",
    title: t("order.award.grant", { meter: bet(meter) }),
    said: `${t("order.meter.two")} ${now === null ? "" : t("order.award.stands", { amount: money(now, table.currency) })}`,
    fields: [
      wagerField(wagers),
      { name: "row", label: t("order.award.row"), hint: "three_diamonds" },
      whyField(),
    ],
    formed: ({ wager: at, row = "" }) => {
      const of = chosen(wagers, at);
      const named = row.trim().toLowerCase().replaceAll(" ", "_");
      if (!of || !/^\w{1,64}$/.test(named)) return { request: null };
      return { request: { meter, move: { type: "grant", round: of.round, spot: of.spot, bet: of.bet, row: named } }, changes: [{ label: wager(of), before: of.net_cents === null ? t("order.open") : net(of.net_cents, table.currency), after: t("order.award.part", { row: bet(named) }) }] };
    },
  };
}

/** An award in words. @param {Table} table @param {Jackpot} one */
const award = (table, one) => t("order.award", { jackpot: one.jackpot, amount: money(one.cents, table.currency), meter: bet(one.meter), round: one.round, spot: one.spot });

/** @param {string} standing */
const standing = (standing) => t(`order.award.standing.${standing}`);

/**
 * The next step of an award: it is in order, it was paid, or it goes back into its meter.
 * @param {Table} table @param {Jackpot} one @param {"verify-jackpot" | "pay-jackpot" | "refusal"} step @returns {Prepared}
 */
export function deciding(table, one, step) {
  const after = { "verify-jackpot": "verified", "pay-jackpot": "paid", refusal: "refused" }[step];
  const changes = [{ label: award(table, one), before: standing(one.standing), after: standing(after) }];
  const request = step === "refusal" ? { meter: one.meter, move: { type: "refusal", jackpot: one.jackpot } } : { jackpot: one.jackpot };
  const said = step === "refusal" ? t("order.meter.two") : t(`order.said.${step}`, { who: one.who });
  return { verb: step === "refusal" ? "order-move" : step, title: t(`order.${step}`, { jackpot: one.jackpot }), said, fields: [whyField()], formed: () => ({ request, changes }) };
}

/** @param {import("./wire.js").LinkedMeter} one @returns {Prepared} */
export const reopening = (one) => ({
  verb: "reopen-meter", title: t("order.reopen-meter", { meter: bet(one.meter) }), said: one.closed, fields: [whyField()], formed: () => ({ request: { meter: one.meter } }),
});

/** What is proposed of a meter, in words. @param {Proposal} one @param {string} [currency] */
export function proposedMove(one, currency) {
  const meter = bet(one.meter);
  const { move } = one;
  switch (move?.type) {
    case "adjustment":
      return t("proposal.adjustment", { what: t(`order.meter.pool.${move.pool}`, { meter }), amount: net(Math.trunc(move.units / UNITS), currency), reason: t(`order.reason.${move.reason}`) });
    case "refusal":
      return t("proposal.refusal", { meter, jackpot: move.jackpot });
    case "grant":
      return t("proposal.grant", { meter, round: move.round, spot: move.spot, bet: bet(move.bet), row: bet(move.row) });
    case "new_parameters":
      return t("proposal.parameters", { meter, reset: money(move.parameters.reset_cents, currency), part: move.parameters.rate.join("/"), limit: move.parameters.limit_cents ? money(move.parameters.limit_cents, currency) : t("proposal.nolimit"), hidden: move.parameters.hidden_rate.join("/") });
    default:
      return t("proposal.meter", { meter });
  }
}

/** What a proposal would change, before and after. @param {Table} table @param {Proposal} one @returns {Change[]} */
export function changesOf(table, one) {
  const { move } = one;
  const { currency } = table;
  const meter = table.meters?.meters.find((known) => known.meter === one.meter);
  if (move?.type === "adjustment" && meter) return [moved(meter, move.pool, move.units, currency)];
  const hit = move?.type === "refusal" ? table.meters?.jackpots.find((known) => known.jackpot === move.jackpot) : undefined;
  if (hit) return [{ label: award(table, hit), before: standing(hit.standing), after: standing("refused") }];
  if (one.net_cents === null) return [];
  return [{ label: wager(one), before: one.before_cents === null ? t("order.open") : net(one.before_cents, currency), after: net(one.net_cents, currency) }];
}

/** @param {Table} table @param {Proposal} one @param {string} said @param {"approve-order" | "withdraw-order"} verb @returns {Prepared} */
export const decidingOn = (table, one, said, verb) => ({
  verb, title: t(`order.${verb}`, { order: one.order }), said, fields: verb === "withdraw-order" ? [whyField()] : [],
  formed: () => ({ request: { order: one.order }, changes: changesOf(table, one) }),
});
