// @ts-check
// The account of a day or a shift, as the report writes it: live on a desk, and on paper with lines to sign.
import { money, net, perMille } from "./figures.js";
import { session } from "./session.js";
import { Symbol } from "./symbols.js";
import { bet, t, tn } from "./texts.js";
import { html, useEffect, useState } from "./vendor/preact-htm.js";

/** @typedef {import("./wire.js").ShiftAccount} ShiftAccount */
/** @typedef {import("./wire.js").Account} Account */

/** How often an account that still runs is asked for anew. */
const AGAIN_MS = 30000;

/** @param {{ name: string }} of */
export function ShiftPage({ name }) {
  const given = new URLSearchParams(location.search);
  const [asked, ask] = useState({ day: given.get("day") ?? "", shift: given.get("shift") ?? "" });
  const { found, refused } = useAccount(name, asked);
  useEffect(() => {
    document.title = t("title.shift", { name });
  }, [name]);
  return html`<div class="shift-page"><header class="head"><h1>${name}</h1><span class="fact"><b>${t("shift.title")}</b></span>
      <nav aria-label=${t("nav.label")}><a href="/table/${name}">${t("nav.table")}</a>${found ? html` <a href="/round/${name}/${found.account.epoch}">${t("nav.rounds")}</a>` : null}${session().collected ? html` <a href="/shift">${t("nav.floor")}</a>` : null}</nav><${Choice} asked=${asked} ask=${ask} /></header>
    ${refused ? html`<p class="notice absent" role="alert"><${Symbol} name="alert" />${refused}</p>` : null}
    <main>${found ? html`<${Paper} found=${found} />` : refused ? null : html`<p class="quiet">${t("shift.loading")}</p>`}</main></div>`;
}

/**
 * The account that is asked for, again and again while its time runs.
 * @param {string} name @param {{ day: string, shift: string }} asked
 */
function useAccount(name, asked) {
  const [told, tell] = useState(/** @type {{ found: ShiftAccount | null, refused: string }} */ ({ found: null, refused: "" }));
  useEffect(() => {
    let isLeft = false;
    let timer = 0;
    const look = async () => {
      const next = await fetched(name, asked);
      if (isLeft) return;
      tell((before) => ({ found: next.found ?? (next.isAway ? before.found : null), refused: next.refused }));
      if (next.isAway || next.found?.is_running) timer = setTimeout(look, AGAIN_MS);
    };
    void look();
    return () => {
      isLeft = true;
      clearTimeout(timer);
    };
  }, [name, asked.day, asked.shift]);
  return told;
}

/** @param {string} name @param {{ day: string, shift: string }} asked @returns {Promise<{ found: ShiftAccount | null, refused: string, isAway: boolean }>} */
async function fetched(name, asked) {
  try {
    const answer = await fetch(`/api/shift/${name}?${new URLSearchParams(asked)}`);
    if (!answer.ok) return { found: null, refused: (await answer.text()).trim(), isAway: false };
    return { found: await answer.json(), refused: "", isAway: false };
  } catch {
    return { found: null, refused: t("shift.away"), isAway: true };
  }
}

/** @param {{ asked: { day: string, shift: string }, ask: (asked: { day: string, shift: string }) => void }} of */
function Choice({ asked, ask }) {
  const choose = (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    const form = new FormData(/** @type {HTMLFormElement} */ (event.currentTarget));
    const next = { day: String(form.get("day") ?? ""), shift: String(form.get("shift") ?? "") };
    history.replaceState(null, "", `?${new URLSearchParams(next)}`);
    ask(next);
  };
  return html`<form class="choice" onSubmit=${choose}>
    <label>${t("shift.day")} <input name="day" value=${asked.day} placeholder="today" size="10" /></label>
    <label>${t("shift.shift")} <input name="shift" value=${asked.shift} size="8" /></label>
    <button type="submit">${t("shift.show")}</button><button type="button" onClick=${() => print()}>${t("shift.print")}</button></form>`;
}

/** The page as it is printed. @param {{ found: ShiftAccount }} of */
function Paper({ found }) {
  const { account } = found;
  const at = clocks(account.time_zone);
  return html`<article class="paper">
    <h2>${account.site}/${account.table}${account.name ? `, ${account.name}` : ""}</h2>
    <p>${t("shift.span", { since: at(account.since ?? account.started), until: at(account.until ?? account.ended) })} ${account.currency ? t("shift.currency", { currency: account.currency }) : ""}</p>
    <p class="quiet">${t("shift.made", { written: at(account.written), version: account.version, versions: account.versions.join(", ") })}</p>
    ${found.is_running ? html`<p class="running"><b>${t("shift.running")}</b> ${t("shift.last", { time: at(account.ended) })}</p>` : null}
    <${Restated} found=${found} at=${at} />
    <p class="sum"><b>${tn("shift.rounds", account.rounds)}</b>${account.playing_seconds < 60 ? null : `, ${t("shift.pace", { count: account.rounds_per_hour, minutes: Math.floor(account.playing_seconds / 60) })}`}</p>
    <${Bets} found=${found} /><${Mix} account=${account} /><${Awards} account=${account} /><${Counts} found=${found} /><${Spots} account=${account} /><${Settled} account=${account} />
    <${Hours} account=${account} at=${at} />
    <${Attention} account=${account} at=${at} /><${Rulings} title=${t("shift.rulings")} rulings=${account.rulings} account=${account} at=${at} /><${Corrections} said=${account.corrections} at=${at} />
    <${Signatures} /></article>`;
}

/** A moment by the house's clock. @param {string} zone @returns {(time: string) => string} */
function clocks(zone) {
  const form = new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short", timeStyle: "medium" });
  return (time) => (time ? `${form.format(new Date(time))} ${zone}` : "");
}

/** 1234 -> 12.34 % @param {number} points */
export const percent = (points) => `${points < 0 ? "−" : ""}${Math.trunc(Math.abs(points) / 100)}.${String(Math.abs(points) % 100).padStart(2, "0")} %`;

/** What was ruled after the end: before all figures, for none of them has it. @param {{ found: ShiftAccount, at: (time: string) => string }} of */
function Restated({ found, at }) {
  const { account } = found;
  const now = account.restated;
  if (!now) return null;
  return html`<section class="restated"><h3>${t("shift.restated")}</h3>
    <p>${t("shift.restated.figures", { handle: money(found.handle_cents, account.currency), handleNow: money(now.handle_cents, account.currency), win: money(found.win_cents, account.currency), winNow: money(now.win_cents, account.currency), open: now.open_wagers })}</p>
    <${Rulings} title="" rulings=${now.rulings} account=${account} at=${at} />
    ${now.entries.length ? html`<${EnteredLater} found=${found} restated=${now} at=${at} />` : null}</section>`;
}

/** Counts that were entered after their time, and what the inventory comes to with them. @param {{ found: ShiftAccount, restated: NonNullable<import("./wire.js").Account["restated"]>, at: (time: string) => string }} of */
function EnteredLater({ found, restated, at }) {
  const { currency } = found.account;
  return html`<h4>${t("shift.restated.counts")}</h4>
    <${Racks} kept=${restated.inventory} win=${found.restated_table_win_cents} hold=${restated.hold} currency=${currency} />
    <ul>${restated.entries.map((one) => html`<li key=${one.entry}>${at(one.time)} <b>${one.who}</b>: ${t(`shift.count.${one.kind}`)} ${money(one.cents, currency)}${one.slip ? `, ${t("shift.slip", { slip: one.slip })}` : ""}; ${one.why}</li>`)}</ul>`;
}

/** @param {{ found: ShiftAccount }} of */
function Bets({ found }) {
  const { account } = found;
  const heads = /** @type {const} */ (["bet", "wagers", "handle", "win", "rate", "expected", "band"]);
  const cash = (/** @type {number | null} */ cents) => (cents === null ? "" : money(cents, account.currency));
  return html`<div class="wide" role="region" tabindex="0" aria-label=${t("shift.bets")}><table class="bets"><caption>${t("shift.bets")}</caption><thead><tr>${heads.map((one) => html`<th key=${one} scope="col">${t(`shift.${one}`)}</th>`)}</tr></thead>
    <tbody>${account.bets.map((one) => html`<tr key=${one.bet}><th scope="row">${bet(one.bet)}</th><td>${one.wagers}</td><td>${cash(one.handle_cents)}</td><td>${cash(one.win_cents)}</td><td>${percent(one.win_per_handle)}</td><td>${cash(one.expected_cents)}</td><td>${band(one, cash)}</td></tr>`)}</tbody>
    <tfoot><tr><th scope="row">${t("shift.all")}</th><td>${account.bets.reduce((sum, one) => sum + one.wagers, 0)}</td><td>${cash(found.handle_cents)}</td><td>${cash(found.win_cents)}</td><td></td><td></td><td></td></tr></tfoot></table></div>`;
}

/** The average main wager, and what of the handle was on side wagers. @param {{ account: import("./wire.js").Account }} of */
function Mix({ account }) {
  if (account.average_bet_cents === null) return null;
  return html`<p class="mix">${t("shift.average", { average: money(account.average_bet_cents, account.currency), share: perMille(account.side_bet_per_mille ?? 0) })}</p>`;
}

/** What meters awarded, by which the win is less. @param {{ account: Account }} of */
function Awards({ account }) {
  const cents = account.bets.reduce((sum, one) => sum + one.jackpot_cents, 0);
  return cents ? html`<p class="awards">${t("shift.awarded", { amount: money(cents, account.currency) })}</p>` : null;
}

/** The wagers of each spot. @param {{ account: Account }} of */
function Spots({ account }) {
  const cash = (/** @type {number} */ cents) => money(cents, account.currency);
  if (!account.spots.length) return null;
  return html`<section><h3>${t("shift.spots")}</h3><table class="few spots"><thead><tr>${["spot", "wagers", "handle", "win"].map((one) => html`<th key=${one} scope="col">${t(`shift.${one}`)}</th>`)}</tr></thead>
    <tbody>${account.spots.map((one) => html`<tr key=${one.spot}><th scope="row">${one.spot}</th><td>${one.wagers}</td><td>${cash(one.handle_cents)}</td><td>${cash(one.win_cents)}</td></tr>`)}</tbody></table></section>`;
}

/** What settled the wagers, and what did not. @param {{ account: Account }} of */
function Settled({ account }) {
  const lines = [
    ...Object.entries(account.bases).map(([basis, count]) => [t(`shift.basis.${basis}`), count]),
    [t("shift.settled.open"), account.open_wagers ? `${account.open_wagers}, ${money(account.open_cents, account.currency)}` : 0],
    [t("shift.settled.doubted"), account.doubted_wagers],
    [t("shift.settled.questions"), account.questions],
  ];
  return html`<section><h3>${t("shift.settled")}</h3><dl class="settled">${lines.map(([name, value]) => html`<div key=${name}><dt>${name}</dt><dd>${value}</dd></div>`)}</dl></section>`;
}

/** @param {import("./wire.js").BetLine} line @param {(cents: number | null) => string} cash */
function band(line, cash) {
  if (line.low_cents === null || line.high_cents === null) return t("shift.notheory");
  const inside = line.low_cents <= line.win_cents && line.win_cents <= line.high_cents;
  return t(inside ? "shift.within" : "shift.outside", { low: cash(line.low_cents), high: cash(line.high_cents) });
}

/** Drop, fills and hold, by the words of the pit. @param {{ found: ShiftAccount }} of */
function Counts({ found }) {
  const { account } = found;
  return html`<section><h3>${t("shift.counts")}</h3><${Racks} kept=${account.inventory} win=${found.table_win_cents} hold=${found.hold} currency=${account.currency} /></section>`;
}

/** @param {{ kept: import("./wire.js").Inventory, win: number | null, hold: number | null, currency: string }} of */
function Racks({ kept, win, hold, currency }) {
  const cash = (/** @type {number | null} */ cents) => (cents === null ? t("shift.missing") : money(cents, currency));
  const lines = [
    [t("shift.opener"), cash(kept.opener_cents)],
    [t("shift.fills"), cash(kept.fill_cents)],
    [t("shift.credits"), cash(kept.credit_cents)],
    [t("shift.closer"), cash(kept.closer_cents)],
    [t("shift.drop"), cash(kept.drop_cents)],
    [t("shift.tablewin"), cash(win)],
    [t("shift.hold"), hold === null ? t("shift.missing") : percent(hold)],
  ];
  return html`<dl class="counts-of-table">${lines.map(([name, value]) => html`<div key=${name}><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

/** A bar for each hour. @param {{ account: Account, at: (time: string) => string }} of */
function Hours({ account, at }) {
  const hours = Object.entries(account.rounds_by_hour);
  const most = Math.max(1, ...hours.map(([, count]) => count));
  if (!hours.length) return null;
  return html`<section><h3>${t("shift.hours")} <span class="quiet">${t("times.in", { zone: account.time_zone })}</span></h3><ul class="hours">${hours.map(([hour, count]) => html`<li key=${hour}><span>${at(hour).slice(0, 16)}</span>
    <svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true"><rect width=${(100 * count) / most} height="6" /></svg><b>${count}</b></li>`)}</ul></section>`;
}

/** What somebody should look at. @param {{ account: Account, at: (time: string) => string }} of */
function Attention({ account, at }) {
  const lines = [
    ...account.irregular.map((one) => t("shift.irregular", { round: one.round, time: at(one.time), reason: one.reason })),
    ...account.unsettled.map((one) => t(one.net_cents === null ? "shift.open" : "shift.doubted", { round: one.round, spot: one.spot, bet: bet(one.bet), amount: money(one.staked_cents, account.currency), why: one.why })),
    ...(account.void_rounds ? [tn("shift.void", account.void_rounds, { amount: money(account.void_cents, account.currency) })] : []),
    ...account.alerts.map((one) => t("shift.alert", { count: one.count, kind: one.kind.replaceAll("_", " "), severity: one.severity })),
    ...Object.entries(account.device_faults).map(([device, count]) => tn("shift.fault", count, { device })),
  ];
  return html`<section class="attention"><h3>${t("shift.attention")}</h3>${lines.length ? html`<ul>${lines.map((one, place) => html`<li key=${place}>${one}</li>`)}</ul>` : html`<p>${t("shift.nothing")}</p>`}</section>`;
}

/** Corrections, by whom. @param {{ title: string, rulings: import("./wire.js").Ruling[], account: Account, at: (time: string) => string }} of */
function Rulings({ title, rulings, account, at }) {
  if (!rulings.length) return title ? html`<section><h3>${title}</h3><p>${t("shift.rulings.none")}</p></section>` : null;
  const amount = (/** @type {number | null} */ cents) => (cents === null ? t("look.open") : net(cents, account.currency));
  return html`<section class="rulings">${title ? html`<h3>${title}</h3>` : null}<ul>${rulings.map((one, place) => html`<li key=${place}>${at(one.time)} <b>${one.who || t("shift.itself")}</b>: ${one.spot ? t("shift.ruled", { round: one.round, spot: one.spot, bet: bet(one.bet), before: amount(one.before_cents), net: amount(one.net_cents) }) : t("shift.voided", { round: one.round })}${one.why ? `; ${one.why}` : ""}${one.case ? ` (${one.case})` : ""}</li>`)}</ul></section>`;
}

/** What people said of cards and boxes. @param {{ said: import("./wire.js").Correction[], at: (time: string) => string }} of */
function Corrections({ said, at }) {
  if (!said.length) return null;
  return html`<section class="rulings"><ul>${said.map((one, place) => html`<li key=${place}>${at(one.time)} <b>${one.who}</b>: ${one.text}; ${one.why}</li>`)}</ul></section>`;
}

/** Lines for a pen. */
function Signatures() {
  const people = [t("shift.sign.made"), t("shift.sign.checked"), t("shift.sign.accounting")];
  return html`<section class="signatures" aria-label=${t("shift.signatures")}>${people.map((one) => html`<div key=${one}><span class="line"></span><span>${one}</span><span class="quiet">${t("shift.sign.date")}</span></div>`)}</section>`;
}
