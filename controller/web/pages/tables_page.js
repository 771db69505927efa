// @ts-check
// Every table of the broker, a line each, to choose one.
import { useLive, useNow } from "./live.js";
import { Who, session } from "./session.js";
import { certainty, phase, standing } from "./table_page.js";
import { t, tn } from "./texts.js";
import { html, useEffect } from "./vendor/preact-htm.js";

export function TablesPage() {
  const live = useLive("*");
  const now = useNow(live.skew);
  useEffect(() => {
    document.title = t("title.tables");
  }, []);
  const names = Object.keys(live.tables).sort();
  return html`<div class="tables-page"><header class="head"><h1>${t("title.tables")}</h1><nav aria-label=${t("nav.label")}><a href="/pit">${t("nav.pit")}</a>${session().journals ? html` <a href="/round">${t("nav.journals")}</a>` : null}${session().collected ? html` <a href="/shift">${t("nav.floor")}</a>` : null}</nav><${Who} /></header><main>
    ${names.length ? null : html`<p class="quiet">${live.told ? (live.linked ? t("tables.none") : t("state.nobroker")) : t("felt.loading")}</p>`}
    <ul class="tables">${names.map((name) => {
      const table = live.tables[name] ?? {};
      const waiting = table.alerts?.unacknowledged.length ?? 0;
      return html`<li key=${name}><a href="/table/${name}"><b>${name}</b>
        <span>${phase(table)}</span><span>${table.felt ? certainty(table.felt) : ""}</span>
        ${table.round?.question ? html`<span class="asks">${t("tables.asks")}</span>` : null}
        ${waiting ? html`<span class="asks">${tn("alerts.title", waiting)}</span>` : null}
        <span class="state ${standing(live, name, now).kind}">${t(`state.word.${standing(live, name, now).kind}`)}</span></a></li>`;
    })}</ul></main></div>`;
}
