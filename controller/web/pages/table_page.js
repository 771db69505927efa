// @ts-check
// One table, live: what happens now, what is certain, and what it waits for.
import { Felt, FeltList, dueText } from "./felt.js";
import { ago, clockAndZone, money, net } from "./figures.js";
import { useAnswer } from "./journal.js";
import { useLive, useNow } from "./live.js";
import { adjusting } from "./order_forms.js";
import { OrderMenu } from "./order_menu.js";
import { OrderDialog } from "./orders.js";
import { Advice, Alerts, Devices, Log, Meters, Proposals, Questions } from "./panels.js";
import { look, openWagers } from "./seats.js";
import { Who, may, seesAll, session } from "./session.js";
import { SettingsPanel, useNarrow, useSettings } from "./settings.js";
import { Symbol } from "./symbols.js";
import { bet, t, tn } from "./texts.js";
import { html, useEffect, useRef, useState } from "./vendor/preact-htm.js";

/** A table speaks every five seconds at least. */
const SILENT_MS = 12000;

/** @param {{ name: string }} of */
export function TablePage({ name }) {
  const live = useLive(name);
  const now = useNow(live.skew);
  const [chosen, change] = useSettings();
  const [wager, setWager] = useState(/** @type {import("./wire.js").Wager | null} */ (null));
  const [order, setOrder] = useState(/** @type {{ draw: import("./orders.js").Order } | null} */ (null));
  const prepare = (/** @type {import("./orders.js").Order} */ draw) => setOrder({ draw });
  const isList = useNarrow() || chosen.felt === "list";
  const table = live.tables[name];
  const state = standing(live, name, now);
  const felt = table?.felt;
  useEffect(() => {
    document.title = t("title.table", { name });
  }, [name]);
  return html`<div class="table-page ${state.kind}">
    <${Head} name=${name} table=${table} state=${state} chosen=${chosen} change=${change} />
    ${state.text ? html`<p class="notice ${state.kind}" role="status"><${Symbol} name=${state.symbol} />${state.text}</p>` : null}
    ${felt?.irregular ? html`<p class="notice irregular" role="alert"><${Symbol} name="alert" /><b>${t("felt.irregular")}</b> ${felt.irregular}</p>` : null}
    <main>
      <div class="stage">${felt
        ? isList
          ? html`<${FeltList} felt=${felt} currency=${table.currency} choose=${setWager} />`
          : html`<${Felt} felt=${felt} currency=${table.currency} mirrored=${chosen.side === "dealer"} title=${name.replace("/", "  ·  ")} subtitle=${phase(table)} shoe=${table.shoe} choose=${setWager} />`
        : html`<div class="felt-empty">${live.told ? t("felt.none") : t("felt.loading")}</div>`}</div>
      <aside>
        ${table ? html`<${Questions} table=${table} now=${now} prepare=${prepare} /><${Advice} table=${table} /><${Alerts} table=${table} prepare=${prepare} /><${Proposals} table=${table} prepare=${prepare} /><${Meters} table=${table} prepare=${prepare} /><${OrderMenu} table=${table} prepare=${prepare} />` : null}
      </aside>
      ${table && seesAll() ? html`<${Log} table=${table} count=${16} />` : null}${table && !session().name && session().wanted ? html`<p class="panel log quiet">${t("sign.in.public")}</p>` : null}
    </main>
    ${wager ? html`<${Why} wager=${wager} table=${table} close=${() => setWager(null)} prepare=${prepare} />` : null}
    ${order && table ? html`<${OrderDialog} name=${name} table=${table} skew=${live.skew} order=${order.draw} close=${() => setOrder(null)} />` : null}
  </div>`;
}

/**
 * How far a table can be believed now, in one word and a sentence.
 * @param {import("./wire.js").Live} live @param {string} name @param {number} now
 */
export function standing(live, name, now) {
  const table = live.tables[name];
  const heard = live.heard[name];
  const age = heard ? ago(now - heard) : "";
  if (!live.open && live.told) return { kind: "stale", symbol: "broker", text: t("state.server", { age }) };
  if (!live.told) return { kind: "loading", symbol: "broker", text: "" };
  if (!live.linked) return { kind: "stale", symbol: "broker", text: heard ? t("state.broker", { age }) : t("state.nobroker") };
  if (!table) return { kind: "absent", symbol: "broker", text: t("state.absent", { name }) };
  if (table.hold) return { kind: "held", symbol: "hold", text: table.hold.reason ? t("state.hold", { reason: table.hold.reason }) : t("state.held") };
  if (table.status?.state === "offline") return { kind: "stale", symbol: "broker", text: t("state.offline", { since: clockAndZone(table.status.since) }) };
  if (heard && now - heard > SILENT_MS) return { kind: "stale", symbol: "broker", text: t("state.silent", { age }) };
  return { kind: "live", symbol: "", text: "" };
}

/** @param {import("./wire.js").Table} table */
export function phase(table) {
  const felt = table.felt;
  if (felt && !felt.open && felt.outcome && table.round?.phase === "bets_open") return t("phase.over", { outcome: t(`outcome.${felt.outcome}`) });
  return t(`phase.${table.round?.phase ?? "unknown"}`);
}

/** How many legal plays, or what is still open. @param {import("./wire.js").Felt} felt */
export function certainty(felt) {
  if (felt.legal_plays !== null && felt.legal_plays > 0) return tn("plays", felt.legal_plays);
  const open = openWagers(felt).length;
  return open ? tn("open", open) : "";
}

/**
 * @param {{ name: string, table?: import("./wire.js").Table, state: { kind: string }, chosen: import("./settings.js").Settings,
 *   change: (some: Partial<import("./settings.js").Settings>) => void }} of
 */
function Head({ name, table, state, chosen, change }) {
  const felt = table?.felt;
  const shoe = table?.shoe;
  const rounds = useRounds(name, table?.epoch);
  return html`<header class="head">
    <h1><a href="/" title=${t("nav.tables")}>${name}</a></h1>
    ${felt ? html`<span class="fact"><b>${felt.round ? t("felt.round", { round: felt.round }) : t("felt.none")}</b></span><span class="fact phase ${table.round?.phase ?? ""}">${phase(table)}</span>
      <span class="fact">${certainty(felt)}</span>` : null}
    ${shoe ? html`<span class="fact">${t("head.shoe", { percent: Math.floor((shoe.drawn * 100) / (shoe.decks * 52)) })}</span>` : null}
    <span class="fact state ${state.kind}">${t(`state.word.${state.kind}`)}</span>
    ${table?.devices ? html`<${Devices} devices=${table.devices} />` : null}
    <nav aria-label=${t("nav.label")}><a href="/dealer/${name}">${t("nav.dealer")}</a> <a href="/sign/${name}">${t("nav.sign")}</a> <a href="/technician/${name}">${t("nav.technician")}</a> <a href="/shift/${name}">${t("nav.shift")}</a>${rounds ? html` <a href=${rounds}>${t("nav.rounds")}</a>` : null}</nav><${Who} />
    <details class="look"><summary aria-label=${t("setting.title")}><${Symbol} name="settings" /></summary><${SettingsPanel} chosen=${chosen} change=${change} /></details>
  </header>`;
}

/**
 * Where the rounds of a table are: in the journal of its epoch, else in the last one that is served; empty: in none.
 * @param {string} name @param {number | undefined} epoch
 */
function useRounds(name, epoch) {
  const journals = /** @type {{ value?: import("./wire.js").JournalFound[] }} */ (useAnswer(session().journals ? "/api/journals" : ""));
  const epochs = (journals.value ?? []).filter((one) => `${one.site}/${one.table}` === name).map((one) => one.epoch);
  if (!epochs.length) return "";
  return `/round/${name}/${epoch !== undefined && epochs.includes(epoch) ? epoch : Math.max(...epochs)}`;
}

/** Why a wager is due what it is. @param {{ wager: import("./wire.js").Wager, table?: import("./wire.js").Table, close: () => void,
 *   prepare: import("./orders.js").Prepare }} of */
function Why({ wager, table, close, prepare }) {
  const dialog = useRef(/** @type {HTMLDialogElement | null} */ (null));
  useEffect(() => dialog.current?.showModal(), []);
  const kind = look(wager);
  const now = table?.felt?.wagers.find((one) => one.spot === wager.spot && one.bet === wager.bet) ?? wager;
  const told = (table?.log ?? []).filter((one) => (one.name === "wager_settled" || one.name === "wager_adjusted") && one.data.spot === wager.spot && one.data.bet === wager.bet && one.data.round === table?.felt?.round).at(-1);
  const rulable = table?.orders?.wagers.find((one) => one.round === table.felt?.round && one.spot === wager.spot && one.bet === wager.bet);
  const rule = () => {
    close();
    if (rulable) prepare((now) => adjusting(now, rulable));
  };
  const readings = /** @type {number[]} */ (told?.data.readings ?? []);
  return html`<dialog ref=${dialog} class="why" onClose=${close} aria-labelledby="why-title">
    <h2 id="why-title">${t("why.title", { spot: wager.spot, bet: bet(wager.bet) })}</h2>
    <p class="due-large ${kind}">${kind === "corrected" ? html`<s>${net(now.before_cents ?? 0, table?.currency)}</s> ` : null}${dueText(now, table?.currency ?? "", Boolean(table?.felt?.irregular))}</p>
    <p class="look-word">${t(`look.${kind}`)}${now.who ? `: ${now.who}` : ""}</p>
    ${now.why ? html`<p>${now.why}</p>` : html`<p class="quiet">${t("why.waiting")}</p>`}
    <dl><div><dt>${t("why.wager")}</dt><dd>${money(now.wager_cents, table?.currency)}</dd></div>
      ${now.basis ? html`<div><dt>${t("why.basis")}</dt><dd>${t(`basis.${now.basis}`)}</dd></div>` : null}
      ${told ? html`<div><dt>${t("why.told")}</dt><dd>${t("log.event", { seq: told.seq, time: clockAndZone(told.time) })}</dd></div>` : null}
      ${readings.length ? html`<div><dt>${t("why.readings")}</dt><dd>${readings.join(" ")}</dd></div>` : null}</dl>
    <form method="dialog">${rulable && may("adjust") ? html`<button type="button" class="rule" onClick=${rule}>${t("order.adjust")}</button> ` : null}<button type="submit">${t("why.close")}</button></form>
  </dialog>`;
}
