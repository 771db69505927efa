// @ts-check
// What is asked for an order about a round, a wager, a card, a box, the shoe or the rack, and what it changes.
import { centsOf, money, net, shown } from "./figures.js";
import { SEATS } from "./seats.js";
import { bet, t } from "./texts.js";

/** @typedef {import("./wire.js").Table} Table */
/** @typedef {import("./wire.js").Rulable} Rulable */
/** @typedef {import("./orders.js").Prepared} Prepared */
/** @typedef {import("./orders.js").Field} Field */

const RANKS = ["A", "K", "Q", "J", "T", "9", "8", "7", "6", "5", "4", "3", "2"];
const SUITS = ["s", "h", "d", "c"];
/** Stands for no face: the card was no card of the round. */
const NO_CARD = "none";
const KINDS = ["fill", "credit", "drop", "opener", "closer"];
/** As many cards as eight decks have. */
const MOST_CARDS = 416;
/** A count of one value of chips, such as 25x40. */
const CHIPS = /^\$?(\d{1,7})(?:\.(\d{2}))?x(-?\d{1,6})$/;

/** @returns {Field} */
export const whyField = () => ({ name: "why", label: t("order.why"), words: true });

/** @returns {Field} */
const caseField = () => ({ name: "case", label: t("order.case"), words: true, optional: true });

/** @param {string} name @param {string} label @param {{ value: string, text: string }[]} choices @returns {Field} */
export const choice = (name, label, choices) => ({ name, label, choices });

/** An amount as it stands, or that it is open. @param {number | null} cents @param {string} [currency] */
const due = (cents, currency) => (cents === null ? t("order.open") : net(cents, currency));

/** @param {{ round: number | null, spot: number | null, bet: string | null }} of */
export const wager = ({ round, spot, bet: what }) => t("order.wager", { round, spot, bet: bet(what ?? "") });

/** @param {Rulable} of */
const key = ({ round, spot, bet: what }) => `${round}/${spot}/${what}`;

/** @param {Rulable[]} wagers */
export const wagerField = (wagers) => choice("wager", t("order.which"), wagers.map((one) => ({ value: key(one), text: wager(one) })));

/** The wager that was chosen. @param {Rulable[]} wagers @param {string} [named] */
export const chosen = (wagers, named) => wagers.find((one) => key(one) === named);

/**
 * What one wager is due, in dollars; without it, one of the table's is chosen first.
 * @param {Table} table @param {Rulable} [only] @returns {Prepared}
 */
export function adjusting(table, only) {
  const wagers = table.orders?.wagers ?? [];
  return {
    verb: "adjust",
    title: only ? wager(only) : t("order.adjust.title"),
    fields: [...(only ? [] : [wagerField(wagers)]), { name: "amount", label: t("order.amount"), money: true, hint: "-25.00" }, whyField(), caseField()],
    formed: (values) => {
      const of = chosen(wagers, only ? key(only) : values.wager) ?? only;
      const cents = centsOf(values.amount ?? "");
      if (!of) return { request: null };
      return {
        request: cents === null ? null : { round: of.round, spot: of.spot, bet: of.bet, net_cents: cents },
        changes: [{ label: wager(of), before: due(of.net_cents, table.currency), after: due(cents, table.currency) }],
        bounds: t("order.bounds", { least: net(of.least_cents, table.currency), most: net(of.most_cents, table.currency) }),
        isBeyond: cents !== null && (cents < of.least_cents || cents > of.most_cents),
      };
    },
  };
}

/** @param {Table} table @param {number} round @returns {Prepared} */
export function voiding(table, round) {
  const wagers = (table.orders?.wagers ?? []).filter((one) => one.round === round);
  const changes = wagers.map((one) => ({ label: wager(one), before: due(one.net_cents, table.currency), after: net(0, table.currency) }));
  return { verb: "void", title: t("order.void", { round }), fields: [whyField(), caseField()], formed: () => ({ request: { round }, changes }) };
}

/** @param {import("./wire.js").Alert} one @returns {Prepared} */
export const acknowledging = (one) => ({
  verb: "ack", title: t("order.ack", { alert: one.alert }), said: one.text,
  fields: [{ name: "note", label: t("order.note"), words: true, optional: true }], formed: () => ({ request: { alert: one.alert } }),
});

/** @param {import("./wire.js").Question} one @param {string} answer @returns {Prepared} */
export const answering = (one, answer) => ({
  verb: "answer", title: t("order.answer", { answer }), said: one.text, fields: [], formed: () => ({ request: { question: one.question, answer } }),
});

/** Whose a card is, in words. @param {number | null} spot */
const place = (spot) => (spot === null ? t("order.card.nobody") : spot === 0 ? t("felt.dealer") : t("spot.short", { spot }));

/** A card of the felt in words. @param {import("./wire.js").Card} one */
const card = (one) => t("order.card", { card: one.card, face: one.face ? shown(one.face) : t("order.card.closed"), place: place(one.spot) });

/** The cards of the felt, last first, as choices. @param {Table} table */
function cards(table) {
  const found = [...(table.felt?.cards ?? [])].reverse();
  return { found, field: choice("card", t("order.card.which"), found.map((one) => ({ value: String(one.card), text: card(one) }))) };
}

/** @param {Table} table @returns {Prepared} */
export function namingCard(table) {
  const { found, field } = cards(table);
  const ranks = [...RANKS.map((value) => ({ value, text: t(`rank.${value}`) })), { value: NO_CARD, text: t("order.card.none") }];
  return {
    verb: "set-card",
    title: t("order.set-card"),
    fields: [field, choice("rank", t("order.card.rank"), ranks), choice("suit", t("order.card.suit"), SUITS.map((value) => ({ value, text: t(`suit.${value}`) }))), whyField()],
    formed: ({ card: number, rank, suit }) => {
      const of = found.find((one) => String(one.card) === number);
      const face = rank === NO_CARD ? NO_CARD : `${rank}${suit}`;
      if (!of) return { request: null };
      const before = of.face ? shown(of.face) : t("order.card.closed");
      return { request: { card: of.card, face }, changes: [{ label: t("order.card.number", { card: of.card }), before, after: face === NO_CARD ? t("order.card.none") : shown(face) }] };
    },
  };
}

/** @param {string} label @param {number} first @returns {Field} */
export const spotField = (label, first) =>
  choice("spot", label, Array.from({ length: SEATS + 1 - first }, (_, at) => ({ value: String(at + first), text: place(at + first) })));

/** @param {Table} table @returns {Prepared} */
export function assigningCard(table) {
  const { found, field } = cards(table);
  return {
    verb: "assign-card",
    title: t("order.assign-card"),
    fields: [field, spotField(t("order.card.owner"), 0), whyField()],
    formed: ({ card: number, spot }) => {
      const of = found.find((one) => String(one.card) === number);
      if (!of) return { request: null };
      return { request: { card: of.card, spot: Number(spot) }, changes: [{ label: card(of), before: place(of.spot), after: place(Number(spot)) }] };
    },
  };
}

/** @param {Table} table @returns {Prepared} */
export function declaringBox(table) {
  return {
    verb: "declare-box",
    title: t("order.declare-box"),
    said: t("order.box.said"),
    fields: [spotField(t("search.spot"), 1), { name: "amount", label: t("order.box.amount"), money: true, hint: "25.00" }, whyField()],
    formed: (values) => {
      const spot = Number(values.spot);
      const cents = centsOf(values.amount ?? "");
      const lies = table.round?.spots.find((one) => one.spot === spot)?.main_cents ?? 0;
      return {
        request: cents === null || cents < 0 ? null : { spot, cents },
        changes: [{ label: t("order.box.label", { spot }), before: money(lies, table.currency), after: cents === null ? "…" : money(cents, table.currency) }],
      };
    },
  };
}

/** @param {Table} table @returns {Prepared} */
export function announcingShoe(table) {
  return {
    verb: "new-shoe",
    title: t("order.new-shoe"),
    said: table.shoe ? t("order.shoe.said", { shoe: table.shoe.shoe }) : "",
    fields: [{ name: "left", label: t("order.shoe.left"), optional: true, hint: "87" }],
    formed: ({ left = "" }) => {
      const text = left.trim();
      const isCount = /^\d{1,3}$/.test(text) && Number(text) <= MOST_CARDS;
      return { request: text === "" ? {} : isCount ? { left: Number(text) } : null };
    },
  };
}

/** 25x40 100x20 as chips by their value in cents, or 1234.00 as an amount alone; null: neither. @param {string} text */
export function counted(text) {
  const total = centsOf(text);
  if (total !== null) return { cents: total, chips: {} };
  /** @type {Record<string, number>} */
  const chips = {};
  for (const word of text.trim().split(/\s+/)) {
    const found = CHIPS.exec(word);
    const value = found ? Number(`${found[1]}${found[2] ?? "00"}`) : 0;
    if (!found || !value || !Number(found[3])) return null;
    chips[value] = (chips[value] ?? 0) + Number(found[3]);
  }
  return { cents: Object.entries(chips).reduce((sum, [value, count]) => sum + Number(value) * count, 0), chips };
}

/** @param {Table} table @returns {Prepared} */
export function enteringCount(table) {
  const days = ["", "today", "yesterday"].map((value) => ({ value, text: t(`order.count.day.${value || "now"}`) }));
  return {
    verb: "inventory",
    title: t("order.inventory"),
    fields: [
      choice("kind", t("order.count.kind"), KINDS.map((value) => ({ value, text: t(`shift.count.${value}`) }))),
      { name: "chips", label: t("order.count.chips"), hint: "100x20 25x40" },
      { name: "slip", label: t("order.count.slip"), words: true, optional: true },
      choice("gaming_day", t("order.count.day"), days),
      whyField(),
    ],
    formed: ({ kind, chips = "", gaming_day }) => {
      const found = counted(chips);
      const day = gaming_day ? { gaming_day } : {};
      return {
        request: found ? { kind, cents: found.cents, chips: found.chips, ...day } : null,
        bounds: found ? t("order.count.total", { amount: money(found.cents, table.currency) }) : t("order.count.expected"),
      };
    },
  };
}
