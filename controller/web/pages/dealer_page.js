// @ts-check
// For the dealer, beside the rack and without input: what to answer, what to take and pay, one thing at a time.
import { useLive, useNow } from "./live.js";
import { Advice, Questions } from "./panels.js";
import { phase, standing } from "./table_page.js";
import { t } from "./texts.js";
import { html, useEffect } from "./vendor/preact-htm.js";

/** @param {{ name: string }} of */
export function DealerPage({ name }) {
  const live = useLive(name);
  const now = useNow(live.skew);
  const table = live.tables[name];
  const state = standing(live, name, now);
  useEffect(() => {
    document.title = t("title.dealer", { name });
  }, [name]);
  const felt = table?.felt;
  const asks = (felt?.questions ?? []).length > 0;
  return html`<div class="dealer-page ${state.kind}">
    <header class="head"><h1>${name}</h1><span class="fact">${felt?.round ? t("felt.round", { round: felt.round }) : ""}</span>
      <span class="fact state ${state.kind}">${t(`state.word.${state.kind}`)}</span></header>
    <main>
      ${state.text ? html`<p class="large" role="status">${state.text}</p>` : null}
      ${felt?.irregular ? html`<p class="large irregular" role="alert">${t("dealer.irregular")}</p>` : null}
      ${table ? html`<${Questions} table=${table} now=${now} />` : null}
      ${table && !asks && table.advice?.lines.length ? html`<${Advice} table=${table} large=${true} />` : null}
      ${table && !asks && !table.advice?.lines.length && !felt?.irregular ? html`<p class="large phase-word">${waits(table)}</p>` : null}
    </main>
  </div>`;
}

/** What the dealer does next, as far as the table can tell. @param {import("./wire.js").Table} table */
function waits(table) {
  const key = `dealer.${table.round?.phase ?? "unknown"}`;
  return t(key) === key ? phase(table) : t(key);
}
