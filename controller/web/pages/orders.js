// @ts-check
// Orders: prepared here with before and after, signed here with the operator's own key, brought to the table unchanged.
import { signed } from "./operator_key.js";
import { ownKey, session } from "./session.js";
import { t } from "./texts.js";
import { html, useEffect, useRef, useState } from "./vendor/preact-htm.js";

/** @typedef {import("./wire.js").Table} Table */
/** @typedef {{ label: string, before: string, after: string }} Change what something is, and will be */
/**
 * What is asked for. words: what a person says of it; it may be left out where it is optional.
 * @typedef {{ name: string, label: string, words?: boolean, optional?: boolean, money?: boolean, hint?: string,
 *   choices?: { value: string, text: string }[] }} Field
 */
/** What the fields come to so far; null: not yet a request. @typedef {{ request: Record<string, unknown> | null, changes?: Change[], bounds?: string, isBeyond?: boolean }} Formed */
/** @typedef {Record<string, string>} Values */
/** @typedef {{ verb: string, title: string, said?: string, fields: Field[], formed: (values: Values) => Formed }} Prepared */
/** An order about a table as it is now: drawn anew when the table changes. @typedef {(table: Table) => Prepared} Order */
/** @typedef {(order: Order) => void} Prepare */

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

/** @param {{ change: Change }} of */
const Changed = ({ change }) => html`<li><span>${change.label}</span> <b>${change.before}</b> → <b>${change.after}</b></li>`;

/** @param {{ field: Field, value: string, isDisabled: boolean, set: (value: string) => void }} of */
function Asked({ field, value, isDisabled, set }) {
  const told = (/** @type {{ target: HTMLInputElement | HTMLSelectElement }} */ { target }) => set(target.value);
  const label = field.optional ? t("order.optional", { label: field.label }) : field.label;
  if (field.choices)
    return html`<label>${label} <select name=${field.name} value=${value} disabled=${isDisabled} onChange=${told}>${field.choices.map((one) => html`<option key=${one.value} value=${one.value}>${one.text}</option>`)}</select></label>`;
  return html`<label>${label} <input name=${field.name} inputmode=${field.money ? "decimal" : "text"} maxlength="200" autocomplete="off" placeholder=${field.hint ?? ""} value=${value} disabled=${isDisabled} onInput=${told} /></label>`;
}

/** What every field holds at first. @param {Field[]} fields @returns {Values} */
const initial = (fields) => Object.fromEntries(fields.map((one) => [one.name, one.choices?.[0]?.value ?? ""]));

/**
 * An order as it will be signed, and the table's reply to it.
 * @param {{ name: string, table: Table, skew: number, order: Order, close: () => void }} of
 */
export function OrderDialog({ name, table, skew, order: draw, close }) {
  const order = draw(table);
  const dialog = useRef(/** @type {HTMLDialogElement | null} */ (null));
  const [values, setValues] = useState(initial(order.fields));
  const [reply, setReply] = useState(/** @type {{ status: string, text: string } | null} */ (null));
  const [isSending, setSending] = useState(false);
  useEffect(() => dialog.current?.showModal(), []);
  const { request, changes = [], bounds, isBeyond } = order.formed(values);
  const words = order.fields.filter((one) => one.words);
  const isWhole = request !== null && words.every((one) => one.optional || values[one.name]?.trim());
  const submit = async (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    setSending(true);
    const said = Object.fromEntries(words.map((one) => [one.name, (values[one.name] ?? "").trim()]).filter(([, text]) => text));
    setReply(await send(name, table, skew, order.verb, { ...request, ...said }).catch((error) => ({ status: "refused", text: String(error) })));
    setSending(false);
  };
  const field = (/** @type {Field} */ one) => html`<${Asked} key=${one.name} field=${one} value=${values[one.name] ?? ""} isDisabled=${reply !== null} set=${(/** @type {string} */ value) => setValues({ ...values, [one.name]: value })} />`;
  return html`<dialog ref=${dialog} class="why order" onClose=${close} aria-labelledby="order-title">
    <h2 id="order-title">${name}: ${order.title}</h2>
    <form onSubmit=${submit}>
      ${order.said ? html`<p>${order.said}</p>` : null}
      ${order.fields.filter((one) => !one.words).map(field)}
      ${changes.length ? html`<ul class="changes">${changes.map((one) => html`<${Changed} key=${one.label} change=${one} />`)}</ul>` : null}
      ${bounds ? html`<p class=${isBeyond ? "beyond" : "quiet"}>${bounds} ${isBeyond ? html`<b>${t("order.beyond")}</b>` : null}</p>` : null}
      ${words.map(field)}
      ${reply ? html`<p class="reply ${reply.status}" role="status"><b>${t(`order.${reply.status}`)}</b> ${reply.text}</p>` : html`<p class="quiet">${t("order.as", { who: session().name })}</p>`}
      <div class="buttons">${reply ? null : html`<button type="submit" disabled=${!isWhole || isSending}>${t("order.send")}</button>`}
        <button type="button" onClick=${() => dialog.current?.close()}>${t(reply ? "why.close" : "order.cancel")}</button></div>
    </form></dialog>`;
}
