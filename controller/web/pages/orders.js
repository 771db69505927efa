// @ts-check
// Orders: prepared here with before and after, signed here with the operator's own key, brought to the table unchanged.
import { centsOf, net } from "./figures.js";
import { signed } from "./operator_key.js";
import { ownKey, session } from "./session.js";
import { bet, t } from "./texts.js";
import { html, useEffect, useRef, useState } from "./vendor/preact-htm.js";

/** @typedef {import("./wire.js").Table} Table */
/** @typedef {import("./wire.js").Rulable} Rulable */
/** @typedef {{ label: string, before: number | null, after: number | null }} Change what a wager was due, and will be */
/**
 * @typedef {{ verb: string, title: string, request: Record<string, unknown>, changes?: Change[], said?: string,
 *   asks?: "why" | "note", rules?: Rulable }} Prepared
 * asks: the words that go with it; rules: the wager whose new net is asked, and what its rules give
 */
/** @typedef {(order: Prepared) => void} Prepare */

const WHAT = "tableside.order.v1";
/** The number of the last order that was signed here: each is higher than the one before. */
let last = 0;

/**
 * Sign an order and have it brought to its table; what the table replies.
 * @param {string} name @param {Table} table @param {number} skew what the server's clock is ahead, in ms
 * @param {string} verb @param {Record<string, unknown>} request
 * @returns {Promise<{ status: string, text: string }>}
 */
async function send(name, table, skew, verb, request) {
  const own = await ownKey();
  if (!own) return { status: "refused", text: t("order.nokey") };
  if (!table.epoch) return { status: "refused", text: t("order.noepoch") };
  last = Math.max(Date.now() + skew, last + 1);
  const order = { what: WHAT, table: name, epoch: table.epoch, number: last, verb, request: { ...request, who: session().name } };
  const body = JSON.stringify(await signed(own, JSON.stringify(order)));
  const answer = await fetch(`/api/order/${name}/${verb}`, { method: "POST", body });
  return answer.ok ? answer.json() : { status: "refused", text: (await answer.text()).trim() };
}

/** An amount as it stands, or that it is open. @param {number | null} cents @param {string} [currency] */
const due = (cents, currency) => (cents === null ? t("order.open") : net(cents, currency));

/** @param {{ change: Change, currency: string }} of */
const Changed = ({ change, currency }) => html`<li><span>${change.label}</span> <b>${due(change.before, currency)}</b> → <b>${due(change.after, currency)}</b></li>`;

/**
 * An order as it will be signed, and the table's reply to it.
 * @param {{ name: string, table: Table, skew: number, order: Prepared, close: () => void }} of
 */
export function OrderDialog({ name, table, skew, order, close }) {
  const dialog = useRef(/** @type {HTMLDialogElement | null} */ (null));
  const [amount, setAmount] = useState("");
  const [words, setWords] = useState("");
  const [reply, setReply] = useState(/** @type {{ status: string, text: string } | null} */ (null));
  const [isSending, setSending] = useState(false);
  useEffect(() => dialog.current?.showModal(), []);
  const currency = table.currency ?? "";
  const cents = centsOf(amount);
  const { rules } = order;
  const isWhole = (!rules || cents !== null) && (order.asks !== "why" || words.trim() !== "");
  const changes = rules ? [{ label: wager(rules), before: rules.net_cents, after: cents }] : order.changes ?? [];
  const submit = async (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    setSending(true);
    const said = order.asks ? { [order.asks]: words.trim() } : {};
    const request = { ...order.request, ...(rules ? { net_cents: cents } : {}), ...said };
    setReply(await send(name, table, skew, order.verb, request).catch((error) => ({ status: "refused", text: String(error) })));
    setSending(false);
  };
  return html`<dialog ref=${dialog} class="why order" onClose=${close} aria-labelledby="order-title">
    <h2 id="order-title">${name}: ${order.title}</h2>
    <form onSubmit=${submit}>
      ${order.said ? html`<p>${order.said}</p>` : null}
      ${rules ? html`<label>${t("order.amount")} <input name="amount" inputmode="decimal" autocomplete="off" placeholder="-25.00" value=${amount} disabled=${reply !== null} onInput=${(/** @type {{ target: HTMLInputElement }} */ { target }) => setAmount(target.value)} /></label>` : null}
      ${changes.length ? html`<ul class="changes">${changes.map((one) => html`<${Changed} key=${one.label} change=${one} currency=${currency} />`)}</ul>` : null}
      ${rules ? html`<p class=${cents !== null && (cents < rules.least_cents || cents > rules.most_cents) ? "beyond" : "quiet"}>${t("order.bounds", { least: net(rules.least_cents, currency), most: net(rules.most_cents, currency) })}
        ${cents !== null && (cents < rules.least_cents || cents > rules.most_cents) ? html`<b>${t("order.beyond")}</b>` : null}</p>` : null}
      ${order.asks ? html`<label>${t(`order.${order.asks}`)} <input name="words" maxlength="200" autocomplete="off" value=${words} disabled=${reply !== null} onInput=${(/** @type {{ target: HTMLInputElement }} */ { target }) => setWords(target.value)} /></label>` : null}
      ${reply ? html`<p class="reply ${reply.status}" role="status"><b>${t(`order.${reply.status}`)}</b> ${reply.text}</p>` : html`<p class="quiet">${t("order.as", { who: session().name })}</p>`}
      <div class="buttons">${reply ? null : html`<button type="submit" disabled=${!isWhole || isSending}>${t("order.send")}</button>`}
        <button type="button" onClick=${() => dialog.current?.close()}>${t(reply ? "why.close" : "order.cancel")}</button></div>
    </form></dialog>`;
}

/** @param {Rulable} of */
const wager = ({ round, spot, bet: what }) => t("order.wager", { round, spot, bet: bet(what) });

/** @param {Rulable} of @returns {Prepared} */
export const adjusting = (of) => ({ verb: "adjust", title: wager(of), request: { round: of.round, spot: of.spot, bet: of.bet }, rules: of, asks: "why" });

/** @param {Table} table @param {number} round @returns {Prepared} */
export function voiding(table, round) {
  const wagers = (table.orders?.wagers ?? []).filter((one) => one.round === round);
  return { verb: "void", title: t("order.void", { round }), request: { round }, changes: wagers.map((one) => ({ label: wager(one), before: one.net_cents, after: 0 })), asks: "why" };
}

/** @param {import("./wire.js").Proposal} one @param {string} said @param {"approve-order" | "withdraw-order"} verb @returns {Prepared} */
export function deciding(one, said, verb) {
  const changes = one.net_cents === null ? [] : [{ label: t("order.wager", { round: one.round, spot: one.spot, bet: bet(one.bet ?? "") }), before: one.before_cents, after: one.net_cents }];
  const title = t(`order.${verb}`, { order: one.order });
  return { verb, title, request: { order: one.order }, changes, said, ...(verb === "withdraw-order" ? { asks: "why" } : {}) };
}

/** @param {import("./wire.js").Alert} one @returns {Prepared} */
export const acknowledging = (one) => ({ verb: "ack", title: t("order.ack", { alert: one.alert }), request: { alert: one.alert }, said: one.text, asks: "note" });

/** @param {import("./wire.js").Question} one @param {string} answer @returns {Prepared} */
export const answering = (one, answer) => ({ verb: "answer", title: t("order.answer", { answer }), request: { question: one.question, answer }, said: one.text });
