// @ts-check
// The whole floor out of the collected database: a gaming day of every table, and its one line on the pit's page.
import { clockAndZone, dayAndClock, money, timesIn } from "./figures.js";
import { Who } from "./session.js";
import { percent } from "./shift_page.js";
import { Symbol } from "./symbols.js";
import { bet, t, tn } from "./texts.js";
import { html, useEffect, useState } from "./vendor/preact-htm.js";

/** @typedef {import("./wire.js").FloorDay} FloorDay */
/** @typedef {import("./wire.js").FloorFigures} FloorFigures */

/** How often a day that still runs is asked for anew. */
const AGAIN_MS = 5000;
/** A meter counts in 1/10,000 cent. */
const UNITS_IN_CENT = 10000;

/**
 * A gaming day of the floor, asked for again and again while it runs or cannot be read.
 * @param {string} day empty: today @returns {{ found: FloorDay | null, refused: string }}
 */
function useFloor(day) {
  const [told, tell] = useState(/** @type {{ found: FloorDay | null, refused: string }} */ ({ found: null, refused: "" }));
  useEffect(() => {
    let isLeft = false;
    let timer = 0;
    const look = async () => {
      const next = await fetched(day);
      if (isLeft) return;
      tell((before) => ({ found: next.found ?? (next.isAway ? before.found : null), refused: next.refused }));
      if (next.isAway || next.found?.is_running) timer = setTimeout(look, AGAIN_MS);
    };
    tell({ found: null, refused: "" });
    void look();
    return () => {
      isLeft = true;
      clearTimeout(timer);
    };
  }, [day]);
  return told;
}

/** @param {string} day @returns {Promise<{ found: FloorDay | null, refused: string, isAway: boolean }>} isAway: it may be there later */
async function fetched(day) {
  try {
    const answer = await fetch(`/api/shift?${new URLSearchParams({ day })}`);
    if (!answer.ok) return { found: null, refused: (await answer.text()).trim(), isAway: answer.status === 503 };
    return { found: await answer.json(), refused: "", isAway: false };
  } catch {
    return { found: null, refused: t("shift.away"), isAway: true };
  }
}

/** The latest event that was collected of any table; empty: there is none. @param {FloorDay} found */
const heldUntil = ({ tables }) => tables.reduce((last, one) => (one.held_until > last ? one.held_until : last), "");

/** What a hold is of, for not every table may be counted. @param {FloorDay["totals"][0]} total */
function holdOf({ hold, tables, figures }) {
  if (hold === null) return t("floor.hold.missing");
  return t(figures.counted < tables ? "floor.hold.part" : "floor.hold", { hold: percent(hold), count: figures.counted, tables });
}

/** The floor's day so far in one line, for the pit. */
export function FloorLine() {
  const { found, refused } = useFloor("");
  if (refused && !found) return html`<p class="whole-floor unread"><${Symbol} name="alert" /><b>${t("floor.title")}</b> ${refused}</p>`;
  if (!found) return html`<p class="whole-floor quiet"><b>${t("floor.title")}</b> ${t("floor.loading")}</p>`;
  const last = heldUntil(found);
  return html`<p class="whole-floor ${refused ? "unread" : ""}"><b>${t("floor.title")}</b> ${t("floor.today")}
    ${found.totals.length ? found.totals.map((one) => html`<span key=${one.figures.currency} class="total">${tn("shift.rounds", one.figures.rounds)}, ${t("floor.line", { handle: money(one.figures.handle_cents, one.figures.currency), win: money(one.figures.win_cents, one.figures.currency), hold: holdOf(one) })}</span>`) : html`<span>${t("floor.nothing")}</span>`}
    ${last ? html`<span class="quiet">${t("floor.until", { time: clockAndZone(last) })}</span>` : null}
    ${refused ? html`<span>${refused}</span>` : null}</p>`;
}

export function FloorPage() {
  const [day, choose] = useState(new URLSearchParams(location.search).get("day") ?? "");
  const { found, refused } = useFloor(day);
  timesIn(found?.time_zones ?? []);
  useEffect(() => {
    document.title = t("floor.title");
  }, []);
  const ask = (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    const wanted = String(new FormData(/** @type {HTMLFormElement} */ (event.currentTarget)).get("day") ?? "").trim();
    history.replaceState(null, "", `?${new URLSearchParams({ day: wanted })}`);
    choose(wanted);
  };
  return html`<div class="shift-page floor-page"><header class="head"><h1>${t("floor.title")}</h1>
      <nav aria-label=${t("nav.label")}><a href="/pit">${t("nav.pit")}</a> <a href="/round">${t("nav.journals")}</a></nav><${Who} />
      <form class="choice" onSubmit=${ask}><label>${t("shift.day")} <input name="day" value=${day} placeholder="today" size="10" /></label>
        <button type="submit">${t("shift.show")}</button><button type="button" onClick=${() => print()}>${t("shift.print")}</button></form></header>
    ${refused ? html`<p class="notice absent" role="alert"><${Symbol} name="alert" />${refused}</p>` : null}
    <main>${found ? html`<${Paper} found=${found} />` : refused ? null : html`<p class="quiet">${t("floor.loading")}</p>`}</main></div>`;
}

const HEADS = /** @type {const} */ (["rounds", "open", "irregular", "void", "handle", "win", "rate", "tablewin", "hold", "critical", "warning", "notice"]);

/** The page as it is printed. @param {{ found: FloorDay }} of */
function Paper({ found }) {
  const last = heldUntil(found);
  const meters = found.tables.flatMap((one) => one.meters.map((meter) => ({ ...meter, name: `${one.site}/${one.table}`, currency: one.figures.currency })));
  return html`<article class="paper"><h2>${t("floor.day", { days: found.gaming_days.join(", ") })}</h2>
    <p class="quiet">${t("floor.made", { written: dayAndClock(found.written), version: found.version })}</p>
    ${found.is_running ? html`<p class="running"><b>${t("shift.running")}</b> ${last ? t("floor.until", { time: dayAndClock(last) }) : ""}</p>` : null}
    ${found.tables.length ? html`<${Tables} found=${found} />` : html`<p class="sum">${t("floor.nothing")}</p>`}
    ${found.totals.map((one) => html`<${Attention} key=${one.figures.currency} total=${one} />`)}
    ${meters.length ? html`<section class="meters-of-floor"><h3>${t("floor.meters")}</h3><dl>${meters.map((one) => html`<div key=${`${one.name} ${one.meter}`}><dt>${one.name} ${bet(one.meter)}</dt><dd>${money(Math.trunc(one.units / UNITS_IN_CENT), one.currency)}</dd></div>`)}</dl></section>` : null}
    ${found.idle.length ? html`<p class="quiet idle">${t("floor.idle", { tables: found.idle.join(", ") })}</p>` : null}</article>`;
}

/** A line a table, and one for all of a currency. @param {{ found: FloorDay }} of */
function Tables({ found }) {
  return html`<div class="wide" role="region" tabindex="0" aria-label=${t("floor.tables")}><table class="bets"><caption>${t("floor.tables")}</caption>
    <thead><tr><th scope="col">${t("nav.table")}</th>${HEADS.map((one) => html`<th key=${one} scope="col">${t(`floor.head.${one}`)}</th>`)}</tr></thead>
    <tbody>${found.tables.map((one) => html`<tr key=${`${one.site}/${one.table}`}><th scope="row"><a href="/table/${one.site}/${one.table}">${one.site}/${one.table}</a></th>${cells(one.figures, one.hold)}</tr>`)}</tbody>
    <tfoot>${found.totals.map((one) => html`<tr key=${one.figures.currency}><th scope="row">${tn("floor.all", one.tables)}</th>${cells(one.figures, one.hold)}</tr>`)}</tfoot></table></div>`;
}

/** @param {FloorFigures} one @param {number | null} hold */
function cells(one, hold) {
  const cash = (/** @type {number} */ cents) => money(cents, one.currency);
  const rate = one.handle_cents ? percent(Math.floor((20000 * one.win_cents + one.handle_cents) / (2 * one.handle_cents))) : "";
  const said = [one.rounds, one.open_rounds, one.irregular, one.void_rounds, cash(one.handle_cents), cash(one.win_cents), rate, one.counted ? cash(one.table_win_cents) : "", hold === null ? "" : percent(hold), one.critical, one.warning, one.notice];
  return said.map((value, place) => html`<td key=${place}>${value}</td>`);
}

/** What somebody should look at. @param {{ total: FloorDay["totals"][0] }} of */
function Attention({ total }) {
  const one = total.figures;
  const lines = [
    ...(one.open_wagers ? [tn("floor.open", one.open_wagers, { amount: money(one.open_cents, one.currency) })] : []),
    ...(one.doubted_wagers ? [tn("pit.doubted", one.doubted_wagers)] : []),
    ...(one.void_rounds ? [tn("shift.void", one.void_rounds, { amount: money(one.void_cents, one.currency) })] : []),
    ...(one.irregular ? [tn("pit.irregular", one.irregular)] : []),
    t("floor.counted", { count: one.counted, tables: total.tables }),
  ];
  return html`<section class="attention"><h3>${t("shift.attention")}${one.currency ? ` (${one.currency})` : ""}</h3><ul>${lines.map((line) => html`<li key=${line}>${line}</li>`)}</ul></section>`;
}
