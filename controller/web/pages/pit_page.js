// @ts-check
// All tables of the broker, a tile each: which one needs somebody, and why.
import { ago, clockAndZone, money, perMille, shortMoney } from "./figures.js";
import { FloorLine } from "./floor_page.js";
import { useLive, useNow } from "./live.js";
import { ORDER, counts, need } from "./pit_needs.js";
import { Who, seesAll, session } from "./session.js";
import { OrderMenu } from "./order_menu.js";
import { OrderDialog } from "./orders.js";
import { Alerts, Meters as MetersPanel, Proposals, Questions } from "./panels.js";
import { SettingsPanel, useSettings } from "./settings.js";
import { Symbol } from "./symbols.js";
import { standing } from "./table_page.js";
import { bet, t, tn } from "./texts.js";
import { html, useEffect, useRef, useState } from "./vendor/preact-htm.js";

/** @typedef {import("./wire.js").Table} Table */
/** @typedef {{ name: string, table: Table, need: import("./pit_needs.js").Need, state: { kind: string } }} Row */

/** More tables than these are drawn smaller. */
const MANY = 24;
/** How far a round has come, for the bar: its phases in order. */
const PHASES = ["bets_open", "dealing", "playing", "closing"];

/** @param {{ target?: number }} of target: rounds an hour that are expected of a table; 0: nothing is. */
export function PitPage({ target = 0 }) {
  const live = useLive("*");
  const now = useNow(live.skew);
  const [chosen, change] = useSettings();
  const [isHeld, hold] = useState(false);
  const [acting, act] = useState("");
  useEffect(() => {
    document.title = t("title.pit");
  }, []);
  const rows = Object.entries(live.tables).map(([name, table]) => {
    const state = standing(live, name, now);
    return { name, table, state, need: need(table, state.kind === "live" || state.kind === "held", target) };
  });
  const shown = useOrder(rows, isHeld);
  const waiting = rows.filter((row) => ORDER.indexOf(row.need.kind) < ORDER.indexOf("slow")).length;
  const broker = standing({ ...live, tables: { "": {} }, heard: {} }, "", now);
  return html`<div class="pit-page">
    <header class="head"><h1>${t("title.pit")}</h1>
      <span class="fact"><b>${tn("pit.tables", rows.length)}</b></span><span class="fact">${rows.length && seesAll() ? tn("pit.waiting", waiting) : ""}</span>
      <span class="fact state ${broker.kind}">${t(`state.word.${broker.kind}`)}</span>
      <nav aria-label=${t("nav.label")}><a href="/">${t("nav.tables")}</a>${session().journals ? html` <a href="/round">${t("nav.journals")}</a>` : null}${session().collected ? html` <a href="/shift">${t("nav.floor")}</a>` : null}</nav><${Who} />
      <details class="look"><summary aria-label=${t("setting.title")}><${Symbol} name="settings" /></summary><${SettingsPanel} chosen=${chosen} change=${change} /></details>
    </header>
    ${broker.text ? html`<p class="notice ${broker.kind}" role="status"><${Symbol} name="broker" />${broker.text}</p>` : null}
    <main>${session().collected ? html`<${FloorLine} />` : null}${seesAll() ? null : html`<p class="quiet">${t("sign.in.pit")}</p>`}${rows.length || !seesAll() ? null : html`<p class="quiet">${live.told ? t("tables.none") : t("felt.loading")}</p>`}
      <ul class="pit ${rows.length > MANY ? "many" : ""} ${live.open && live.linked ? "" : "stale"}" onPointerEnter=${() => hold(true)} onPointerLeave=${() => hold(false)}
        onFocusIn=${() => hold(true)} onFocusOut=${() => hold(false)}>
        ${(seesAll() ? shown : []).map((row) => html`<${Tile} key=${row.name} row=${row} target=${target} now=${now} act=${act} />`)}</ul></main>
    ${acting && live.tables[acting] ? html`<${Acting} name=${acting} short=${live.tables[acting]} close=${() => act("")} />` : null}</div>`;
}

/** The tiles by need, and within one need by name; as they lie while a hand is over them. @param {Row[]} rows @param {boolean} isHeld */
function useOrder(rows, isHeld) {
  const lying = useRef(/** @type {string[]} */ ([]));
  const places = new Map(lying.current.map((name, place) => [name, place]));
  const place = (/** @type {Row} */ row) => (isHeld ? places.get(row.name) ?? places.size : ORDER.indexOf(row.need.kind));
  const shown = [...rows].sort((one, other) => place(one) - place(other) || one.name.localeCompare(other.name, "en", { numeric: true }));
  lying.current = shown.map((row) => row.name);
  return shown;
}

/**
 * All that one table waits for, and what may be ordered there: it is heard whole while this is open.
 * @param {{ name: string, short: Table, close: () => void }} of short: what the pit knows of it
 */
function Acting({ name, short, close }) {
  const [order, setOrder] = useState(/** @type {{ draw: import("./orders.js").Order } | null} */ (null));
  const prepare = (/** @type {import("./orders.js").Order} */ draw) => setOrder({ draw });
  const live = useLive(name);
  const now = useNow(live.skew);
  const table = { ...short, ...live.tables[name] };
  const dialog = useRef(/** @type {HTMLDialogElement | null} */ (null));
  useEffect(() => dialog.current?.showModal(), []);
  const ended = (/** @type {Event} */ event) => event.target === dialog.current && close();
  return html`<dialog ref=${dialog} class="why acting" onClose=${ended} aria-labelledby="acting-title"><h2 id="acting-title">${name}</h2>
    <${Questions} table=${table} now=${now} prepare=${prepare} /><${Alerts} table=${table} prepare=${prepare} /><${Proposals} table=${table} prepare=${prepare} /><${MetersPanel} table=${table} prepare=${prepare} /><${OrderMenu} table=${table} prepare=${prepare} />
    <form method="dialog"><button type="submit">${t("why.close")}</button></form>
    ${order ? html`<${OrderDialog} name=${name} table=${table} skew=${live.skew} order=${order.draw} close=${() => setOrder(null)} />` : null}</dialog>`;
}

/** @param {{ row: Row, target: number, now: number, act: (name: string) => void }} of */
function Tile({ row, target, now, act }) {
  const { name, table, need: urgent, state } = row;
  const age = urgent.since ? ago(now - Date.parse(urgent.since)) : "";
  const said = counts(table);
  const [site, number] = name.split("/");
  return html`<li class="tile need-${urgent.kind}" data-need=${urgent.kind}>
    <div class="first"><h2 class="number"><a href="/table/${name}">${number}</a></h2><span class="quiet site">${site}</span><span class="state ${table.round?.phase === "closed" ? "" : state.kind}">${opened(table, state)}</span></div>
    <div class="game"><span class="profile">${table.info?.profile ?? ""}</span><span class="least">${table.info?.minimum_cents ? t("pit.minimum", { amount: shortMoney(table.info.minimum_cents, table.currency) }) : ""}</span></div>
    <p class="need"><${Symbol} name=${urgent.symbol} /><b>${t(`need.word.${urgent.kind}`)}</b>${urgent.kind === "fine" ? "" : html` <span class="text">${urgent.text}</span>`}${age ? html` <span class="age">${urgent.exact ? age : t("pit.atLeast", { age })}</span>` : null}</p>
    <${Round} table=${table} />
    <div class="figures"><span>${tn("pit.boxes", boxes(table))}</span><span>${rate(table, target)}</span></div>
    <${Win} table=${table} />
    ${said.length ? html`<ul class="counts">${said.map((one) => html`<li key=${one}>${one}</li>`)}</ul>` : null}
    <${Meters} table=${table} />
    ${session().verbs.length ? html`<button type="button" class="act" aria-label=${t("pit.act.label", { name })} onClick=${() => act(name)}>${t("pit.act")}</button>` : null}
  </li>`;
}

/** Rounds an hour, and how many are expected where that was said. @param {Table} table @param {number} target */
function rate({ pace }, target) {
  if (!pace) return t("pit.pace.unknown");
  return t(target ? "pit.pace.target" : "pit.pace", { count: pace.figures.rounds_per_hour, target });
}

/** How many boxes have chips on the main wager. @param {Table} table */
const boxes = (table) => table.round?.spots.filter((one) => one.main_cents > 0).length ?? 0;

/** @param {Table} table @param {{ kind: string }} state */
function opened(table, state) {
  if (state.kind !== "live") return t(`state.word.${state.kind}`);
  return t(table.round?.phase === "closed" ? "pit.closed" : "pit.opened");
}

/** The phase as a thin bar and a word. @param {{ table: Table }} of */
function Round({ table }) {
  const now = table.round?.phase ?? "";
  const done = PHASES.indexOf(now) + 1;
  return html`<div class="stage-of-round"><span class="bar ${now}" aria-hidden="true">${PHASES.map((one, place) => html`<i key=${one} class=${place < done ? "done" : ""}></i>`)}</span>
    <span>${table.round?.round ? `${t("felt.round", { round: table.round.round })} ` : ""}${t(`pit.phase.${now || "unknown"}`)}</span></div>`;
}

/** What the table won in the last hour, and what its rules would have. @param {{ table: Table }} of */
function Win({ table }) {
  const bets = table.pace?.figures.bets ?? [];
  if (!bets.length) return null;
  const known = bets.filter((one) => one.theoretical_cents !== null);
  const unknown = bets.filter((one) => one.theoretical_cents === null && one.handle_cents);
  const sum = (/** @type {(number | null)[]} */ cents) => cents.reduce((/** @type {number} */ total, one) => total + (one ?? 0), 0);
  const theoretical = money(sum(known.map((one) => one.theoretical_cents)), table.currency);
  const { average_bet_cents: average, side_bet_per_mille: aside } = table.pace?.figures ?? {};
  return html`<p class="win">${t("pit.win", { win: money(sum(bets.map((one) => one.win_cents)), table.currency), handle: money(sum(bets.map((one) => one.handle_cents)), table.currency) })}
    ${known.length ? html`<span class="quiet">${unknown.length ? t("pit.theoretical.part", { theoretical, bets: unknown.map((one) => bet(one.bet)).join(", ") }) : t("pit.theoretical", { theoretical })}</span>` : null}
    ${typeof average === "number" ? html`<span class="mix">${t("pit.average", { average: money(average, table.currency) })}${typeof aside === "number" ? `, ${t("pit.aside", { share: perMille(aside) })}` : ""}</span>` : null}
    ${table.pace?.time ? html` <time class="quiet" datetime=${table.pace.time}>${t("pit.asof", { time: clockAndZone(table.pace.time) })}</time>` : null}</p>`;
}

/** @param {{ table: Table }} of */
function Meters({ table }) {
  const meters = [...(table.meters?.meters ?? []), ...(table.meters?.linked ?? [])];
  if (!meters.length) return null;
  return html`<dl class="tile-meters">${meters.map((one) => html`<div key=${one.meter}><dt>${bet(one.meter)}</dt><dd>${one.shown_cents === null || one.closed ? t("meters.unknown") : money(one.shown_cents, table.currency)}</dd></div>`)}</dl>`;
}
