// @ts-check
// What a table needs, in one line, and how urgently: the order of the pit's tiles.
import { money, net } from "./figures.js";
import { proposedMove } from "./meter_orders.js";
import { bet, t, tn } from "./texts.js";

/** @typedef {import("./wire.js").Table} Table */

/** From what cannot wait to what can. */
export const ORDER = /** @type {const} */ (["asks", "irregular", "held", "jackpot", "critical", "alert", "proposal", "device", "consumer", "program", "away", "slow", "closed", "fine"]);

/** @typedef {{ kind: typeof ORDER[number], text: string, since: string, exact: boolean, symbol: string }} Need */

/** How the alarm of a consumer begins; the others are of the table's own program. */
const CONSUMER = "consumer ";

/** Fewer rounds than these tell no pace. */
const ROUNDS_FOR_A_PACE = 10;

/**
 * The most urgent thing of a table.
 * @param {Table} table @param {boolean} isHeard whether it speaks @param {number} target rounds an hour that are expected; 0: none are
 * @returns {Need}
 */
export function need(table, isHeard, target) {
  return all(table, isHeard, target)[0] ?? { kind: "fine", text: t("need.fine"), since: "", exact: true, symbol: "check" };
}

/** @param {Table} table @param {boolean} isHeard @param {number} target @returns {Need[]} */
function all(table, isHeard, target) {
  return [...ofRound(table), ...ofPeople(table), ...ofMachine(table, isHeard), ...ofPace(table, target)];
}

/** @param {Table} table @returns {Need[]} */
function ofRound({ needs, hold, meters, currency }) {
  const question = needs?.questions[0];
  const hit = meters?.jackpots.find((one) => one.standing === "pending" || one.standing === "verified");
  return [
    ...(question ? [made("asks", question.text, "question", question.waits)] : []),
    ...(needs?.irregular ? [made("irregular", needs.irregular.reason, "alert", needs.irregular.waits)] : []),
    ...(hold ? [made("held", t("state.hold", { reason: hold.reason }), "hold", needs?.hold)] : []),
    ...(hit ? [made("jackpot", t(`jackpot.${hit.standing}`, { amount: money(hit.cents, currency), meter: bet(hit.meter), spot: hit.spot, row: bet(hit.row) }), "sign")] : []),
  ];
}

/** @param {Table} table @returns {Need[]} */
function ofPeople({ alerts, needs, currency }) {
  const waiting = alerts?.unacknowledged ?? [];
  const worst = waiting.find((one) => one.severity === "critical") ?? waiting.find((one) => one.severity === "warning") ?? waiting[0];
  const proposal = needs?.proposals[0];
  return [
    ...(worst ? [made(worst.severity === "critical" ? "critical" : "alert", worst.text, "alert", { since: worst.raised, exact: true })] : []),
    ...(proposal ? [made("proposal", t("need.proposal", { who: proposal.who, what: proposed(proposal, currency) }), "check", proposal.waits)] : []),
  ];
}

/** @param {Table} table @param {boolean} isHeard @returns {Need[]} */
function ofMachine({ devices, status, needs }, isHeard) {
  const ill = Object.entries(devices ?? {}).find(([, one]) => one.state !== "ready");
  const alarm = status?.alarms[0];
  const away = status?.state === "offline" || !isHeard;
  return [
    ...(ill && !away ? [made("device", t("devices.ill", { device: ill[0], state: t(`device.${ill[1].state}`), detail: ill[1].detail }), ill[0].split("/")[0] ?? "device", { since: ill[1].since, exact: true })] : []),
    ...(alarm && !away ? [made(alarm.startsWith(CONSUMER) ? "consumer" : "program", alarm, "device")] : []),
    ...(away ? [made("away", t(status?.state === "offline" ? "need.offline" : "need.silent"), "broker", needs?.offline)] : []),
  ];
}

/** @param {Table} table @param {number} target @returns {Need[]} */
function ofPace({ round, pace }, target) {
  const figures = pace?.figures;
  const isClosed = round?.phase === "closed";
  const isSlow = !isClosed && target > 0 && figures !== undefined && figures.rounds >= ROUNDS_FOR_A_PACE && figures.rounds_per_hour < target;
  return [
    ...(isSlow ? [made("slow", t("need.slow", { count: figures.rounds_per_hour, target }), "right")] : []),
    ...(isClosed ? [made("closed", t("phase.closed"), "close")] : []),
  ];
}

/** @param {Need["kind"]} kind @param {string} text @param {string} symbol @param {{ since: string, exact: boolean } | null} [waits] @returns {Need} */
const made = (kind, text, symbol, waits) => ({ kind, text, symbol, since: waits?.since ?? "", exact: waits?.exact ?? true });

/** What is proposed, in words. @param {import("./wire.js").Proposal} one @param {string} [currency] */
export function proposed(one, currency) {
  if (one.meter) return proposedMove(one, currency);
  if (one.text) return one.round === null ? one.text : t("proposal.in", { round: one.round, text: one.text });
  const ruling = ruled(one, currency);
  return one.case ? t("proposal.case", { ruling, case: one.case }) : ruling;
}

/** A proposed ruling, in words. @param {import("./wire.js").Proposal} one @param {string} [currency] */
function ruled(one, currency) {
  if (one.spot === null || one.net_cents === null) return t("proposal.void", { round: one.round });
  if (one.before_cents !== null) return t("proposal.change", { round: one.round, spot: one.spot, bet: bet(one.bet ?? ""), before: net(one.before_cents, currency), net: net(one.net_cents, currency) });
  return t("proposal.wager", { round: one.round, spot: one.spot, bet: bet(one.bet ?? ""), net: net(one.net_cents, currency) });
}

/** How many of each waits, as words; what there is none of is not said. @param {Table} table @returns {string[]} */
export function counts({ alerts, needs, pace }) {
  const waiting = alerts?.unacknowledged.length ?? 0;
  const asked = needs?.questions.length ?? 0;
  const open = needs?.open_wagers ?? 0;
  const doubted = needs?.doubted_wagers ?? 0;
  const rounds = pace ? unlikeOthers(pace.figures) : "";
  const proposals = needs?.proposals.length ?? 0;
  return [
    waiting ? tn("alerts.title", waiting) : "",
    asked ? tn("pit.questions", asked) : "",
    open ? tn("open", open) : "",
    doubted ? tn("pit.doubted", doubted) : "",
    rounds ? t("pit.hour", { rounds }) : "",
    proposals ? tn("pit.proposals", proposals) : "",
  ].filter((text) => text);
}

/** The rounds of the last hour that did not end as others do. @param {import("./wire.js").Figures} figures */
function unlikeOthers({ open_rounds: open = 0, irregular, void_rounds: voided = 0 }) {
  return [open ? tn("pit.open", open) : "", irregular ? tn("pit.irregular", irregular) : "", voided ? tn("pit.void", voided) : ""].filter((text) => text).join(", ");
}
