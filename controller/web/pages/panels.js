// @ts-check
// What stands beside the felt: the question, advice, alerts, meters, devices, and what was told last.
import { ago, clock, clockAndZone, money, net, shortMoney, shown, zoneAt } from "./figures.js";
import { deciding, decidingOn } from "./meter_orders.js";
import { acknowledging, answering } from "./order_forms.js";
import { proposed } from "./pit_needs.js";
import { may, session } from "./session.js";
import { Symbol } from "./symbols.js";
import { bet, betInShort, has, t, tn } from "./texts.js";
import { html } from "./vendor/preact-htm.js";

/** @typedef {import("./wire.js").Table} Table */

/** The device's name without the number of its address. @param {string} device */
const kind = (device) => device.split("/")[0]?.replace(/\d+$/, "") ?? "";

/** A kind of device in words. @param {string} one */
const named = (one) => (has(`device.kind.${one}`) ? t(`device.kind.${one}`) : one.replaceAll("_", " "));

/** Devices, one sign for each kind: it is as well as its worst. @param {{ devices: NonNullable<Table["devices"]> }} of */
export function Devices({ devices }) {
  const kinds = [...new Set(Object.keys(devices).map(kind))];
  return html`<ul class="devices" aria-label=${t("devices.label")}>${kinds.map((one) => {
    const mine = Object.entries(devices).filter(([name]) => kind(name) === one);
    const ill = mine.find(([, state]) => state.state !== "ready");
    const state = ill ? ill[1].state : "ready";
    const said = ill ? t("devices.ill", { device: ill[0], state: t(`device.${state}`), detail: ill[1].detail }) : t("devices.well", { device: named(one) });
    return html`<li key=${one} class=${state} title=${said}><${Symbol} name=${one} label=${said} /><span>${named(one)}${ill ? ` ${t(`device.${state}`)}` : ""}</span></li>`;
  })}</ul>`;
}

/** @param {{ table: Table, now: number, prepare?: import("./orders.js").Prepare }} of prepare: an answer is ordered */
export function Questions({ table, now, prepare }) {
  const questions = table.felt?.questions ?? [];
  return questions.map((one) => {
    const asked = table.asked?.[String(one.question)];
    const age = asked ? ago(now - Date.parse(asked.since)) : "";
    return html`<section key=${one.question} class="panel question" aria-live="polite">
      <h2><${Symbol} name="question" />${one.round === null || one.round === table.felt?.round ? t("question.title") : t("question.of", { round: one.round })}</h2>
      <p class="text">${one.text}</p>
      <p class="choices">${one.choices.map((choice) => (prepare && may("answer") ? html`<button key=${choice} type="button" onClick=${() => prepare(() => answering(one, choice))}>${choice}</button>` : html`<kbd key=${choice}>${choice}</kbd>`))}</p>
      <p class="quiet">${asked ? t(asked.exact ? "question.age" : "question.atLeast", { age }) : ""}</p>
    </section>`;
  });
}

/** Lines of advice in one column, and in two. */
const MOST_IN_ONE = 6;
const MOST_IN_TWO = 20;

/** @param {{ table: Table, large?: boolean }} of */
export function Advice({ table, large = false }) {
  const lines = table.advice?.lines ?? [];
  if (!lines.length) return large ? html`<p class="quiet">${t("advice.none")}</p>` : null;
  // Whoever reads it without input cannot scroll: as many columns, and letters as small, as all of it takes.
  const columns = lines.length > MOST_IN_ONE ? (lines.length > MOST_IN_TWO ? 3 : 2) : 1;
  const fit = large ? { "--columns": columns, "--rows": Math.ceil(lines.length / columns) } : {};
  return html`<section class="panel advice" style=${fit}><h2>${t("advice.title")}</h2><ol>${lines.map(
    (line, at) => html`<li key=${at} class=${line.move}>
      <b>${t(`advice.${line.move}`)}</b><span class="where">${t("advice.where", { spot: line.spot })}${line.hand === null ? "" : t("advice.hand", { hand: line.hand + 1 })}${line.bet === "main" ? "" : large ? ` · ${betInShort(line.bet)}` : ` ${bet(line.bet)}`}</span>
      <span class="cents">${line.move === "leave" ? "" : money(line.cents, table.currency)}</span>
      <span class="stacks">${line.chips.map((stack) => html`<span key=${stack.value_cents} class="stack">${stack.count}×${shortMoney(stack.value_cents)}</span>`)}${line.missing_cents ? html`<span class="missing">${t("advice.missing", { amount: money(line.missing_cents, table.currency) })}</span>` : null}</span>
    </li>`,
  )}</ol></section>`;
}

/** Alerts that wait, and who has seen the last ones. @param {{ table: Table, prepare?: import("./orders.js").Prepare }} of */
export function Alerts({ table, prepare }) {
  const alerts = table.alerts?.unacknowledged ?? [];
  const seen = [...(table.alerts?.acknowledged ?? [])].reverse();
  if (!alerts.length && !seen.length) return null;
  return html`<section class="panel alerts" aria-live="polite"><h2><${Symbol} name="alert" />${alerts.length ? tn("alerts.title", alerts.length) : t("alerts.none")}</h2>
    <ul>${[...alerts].reverse().slice(0, 6).map((one) => html`<li key=${one.alert} class=${one.severity}>
      <b>${t(`severity.${one.severity}`)}</b> ${one.text} <span class="quiet">${clockAndZone(one.raised)}</span>
      ${prepare && may("ack") ? html` <button type="button" onClick=${() => prepare(() => acknowledging(one))}>${t("alerts.acknowledge")}</button>` : null}</li>`)}</ul>
    ${alerts.length > 6 ? html`<p class="quiet">${t("alerts.more", { count: alerts.length - 6 })}</p>` : null}
    ${seen.length ? html`<details class="seen"><summary>${t("alerts.seen", { who: seen[0]?.who ?? "", time: clockAndZone(seen[0]?.acknowledged ?? "") })}</summary><ul>${seen.map((one) => html`<li key=${one.alert.alert}>
      ${one.alert.text} <span class="quiet">${clockAndZone(one.alert.raised)}</span> <b>${one.who}</b> <span class="quiet">${clockAndZone(one.acknowledged)}</span> ${one.note}</li>`)}</ul></details>` : null}</section>`;
}

/** What waits for a second person. @param {{ table: Table, prepare: import("./orders.js").Prepare }} of */
export function Proposals({ table, prepare }) {
  const waiting = table.needs?.proposals ?? [];
  if (!waiting.length) return null;
  return html`<section class="panel proposals" aria-live="polite"><h2><${Symbol} name="check" />${tn("pit.proposals", waiting.length)}</h2>
    <ul>${waiting.map((one) => {
      const said = t("proposal.said", { who: one.who, what: proposed(one, table.currency), why: one.why });
      return html`<li key=${one.order}><b class="proposed">${t("proposal.proposed")}</b> ${said} <span class="quiet">${clockAndZone(one.waits.since)}</span> <span class="buttons">
        ${may("approve-order") && one.who !== session().name ? html`<button type="button" onClick=${() => prepare((now) => decidingOn(now, one, said, "approve-order"))}>${t("proposal.approve")}</button>` : null}
        ${may("withdraw-order") ? html`<button type="button" onClick=${() => prepare((now) => decidingOn(now, one, said, "withdraw-order"))}>${t("proposal.withdraw")}</button>` : null}</span></li>`;
    })}</ul></section>`;
}

/** The meters, and the awards that are not paid. @param {{ table: Table, prepare?: import("./orders.js").Prepare }} of */
export function Meters({ table, prepare }) {
  const meters = [...(table.meters?.meters ?? []), ...(table.meters?.linked ?? [])];
  if (!meters.length) return null;
  const hits = (table.meters?.jackpots ?? []).filter((one) => one.standing === "pending" || one.standing === "verified");
  return html`<section class="panel meters"><h2>${t("meters.title")}</h2>
    <dl>${meters.map((one) => html`<div key=${one.meter}><dt>${bet(one.meter)}</dt><dd>${one.shown_cents === null ? t("meters.unknown") : money(one.shown_cents, table.currency)}
      ${one.closed ? html`<span class="quiet">${t("meters.closed", { reason: one.closed })}</span>` : null}</dd></div>`)}</dl>
    ${hits.map((one) => html`<p key=${one.jackpot} class="hit">${t(`jackpot.${one.standing}`, { amount: money(one.cents, table.currency), meter: bet(one.meter), spot: one.spot, row: bet(one.row) })}${prepare ? html`<${AwardSteps} one=${one} prepare=${prepare} />` : null}</p>`)}
  </section>`;
}

/** What may be done about an award: who verified it does not pay it. @param {{ one: import("./wire.js").Jackpot, prepare: import("./orders.js").Prepare }} of */
function AwardSteps({ one, prepare }) {
  const isVerified = one.standing === "verified";
  const step = isVerified ? "pay-jackpot" : "verify-jackpot";
  const mayStep = may(step) && !(isVerified && one.who === session().name);
  return html` <span class="buttons">
    ${mayStep ? html`<button type="button" onClick=${() => prepare((now) => deciding(now, one, step))}>${t(`award.${step}`)}</button>` : null}
    ${may("order-move") ? html`<button type="button" onClick=${() => prepare((now) => deciding(now, one, "refusal"))}>${t("award.refusal")}</button>` : null}</span>`;
}

/** The last events, newest first. @param {{ table: Table, count?: number }} of */
export function Log({ table, count = 12 }) {
  const lines = (table.log ?? []).map((one) => ({ ...one, text: sentence(one, table) })).filter((one) => one.text);
  const last = [...lines].reverse().slice(0, count);
  return html`<section class="panel log"><h2>${t("log.title")}${last[0] ? html` <span class="zone">${t("times.in", { zone: zoneAt(last[0].time) })}</span>` : null}</h2>
    ${last.length ? null : html`<p class="quiet">${t("log.empty")}</p>`}
    <ol>${last.map((one) => html`<li key=${one.seq} title=${t("log.event", { seq: one.seq, time: one.time })}><time datetime=${one.time}>${clock(one.time)}</time><span>${one.text}</span></li>`)}</ol></section>`;
}

/**
 * An event in words, from the catalogue; empty where it says nothing to a person.
 * @param {import("./wire.js").Logged} one @param {Table} table
 */
export function sentence(one, table) {
  const key = `event.${one.name}`;
  if (!has(key)) return t("event.other", { name: one.name.replaceAll("_", " ") });
  const data = /** @type {Record<string, any>} */ (one.data);
  /** @type {Record<string, unknown>} */
  const values = { ...data };
  for (const [name, value] of Object.entries(data)) {
    if (name === "net_cents" || name === "before_cents" && one.name === "wager_adjusted") values[name] = net(value, table.currency);
    else if (name === "possible_cents" && Array.isArray(value)) values[name] = value.map((cents) => one.name === "wager_uncertain" ? money(cents, table.currency) : net(cents, table.currency)).join(t("due.or"));
    else if (name.endsWith("_cents") || name === "cents") values[name] = typeof value === "number" ? money(value, table.currency) : value;
    else if (name === "face") values.face = shown(value);
    else if (name === "bet" || name === "zone" || name === "meter") values[name] = bet(String(value));
    else if (name === "meaning") values.meaning = String(value).replaceAll("_", " ");
    else if (name === "spot") values.spot = value === 0 ? t("spot.dealer") : t("spot.short", { spot: value });
    else if (name === "hand" && typeof value === "number") values.hand = value + 1;
  }
  return t(key, values);
}
