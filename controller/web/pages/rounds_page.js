// @ts-check
// The journals, and the rounds of one: looked for by time, spot, bet, amount, card, alert, person, and how they ended.
import { clock } from "./figures.js";
import { roundsPath, useAnswer } from "./journal.js";
import { Who, session } from "./session.js";
import { t, tn } from "./texts.js";
import { html, useEffect, useState } from "./vendor/preact-htm.js";

export function JournalsPage() {
  const journals = /** @type {{ value?: import("./wire.js").JournalFound[], refused?: string }} */ (useAnswer("/api/journals"));
  useEffect(() => {
    document.title = t("title.journals");
  }, []);
  return html`<div class="tables-page"><header class="head"><h1>${t("title.journals")}</h1>${session().collected ? html`<nav aria-label=${t("nav.label")}><a href="/shift">${t("nav.floor")}</a></nav>` : null}<${Who} /></header><main>
    ${journals.refused ? html`<p role="alert">${journals.refused}</p>` : null}
    ${journals.value?.length === 0 ? html`<p class="quiet">${t("round.nojournal")}</p>` : null}
    <ul class="tables">${(journals.value ?? []).map((one) => one.refused ? html`<li key=${one.path} class="quiet">${one.refused}</li>` : html`<li key=${one.epoch}><a href="/round/${one.site}/${one.table}/${one.epoch}"><b>${one.site}/${one.table}</b>
      <span>${t("round.epoch", { epoch: one.epoch })}</span><span>${tn("round.events", one.events)}</span></a></li>`)}</ul></main></div>`;
}

const FIELDS = /** @type {const} */ (["spot", "bet", "amount", "card", "alert", "person", "state"]);

/** @param {{ journal: string }} of */
export function RoundsPage({ journal }) {
  const [search, setSearch] = useState(Object.fromEntries(new URLSearchParams(location.search)));
  const found = /** @type {{ value?: import("./wire.js").RoundsFound, refused?: string }} */ (useAnswer(roundsPath(journal, search)));
  useEffect(() => {
    document.title = t("title.rounds", { journal });
    history.replaceState(null, "", `${location.pathname}?${new URLSearchParams(search)}`);
  }, [search]);
  const ask = (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    if (event.target instanceof HTMLFormElement) setSearch(asked(new FormData(event.target)));
  };
  return html`<div class="tables-page rounds-page"><header class="head"><h1>${t("title.rounds", { journal })}</h1><nav aria-label=${t("nav.label")}><a href="/round">${t("round.journals")}</a></nav><${Who} /></header><main>
    <form class="search" onSubmit=${ask}><label>${t("search.at")} <input type="datetime-local" step="1" name="at" /></label>
      ${FIELDS.map((name) => html`<label key=${name}>${t(`search.${name}`)} ${name === "state"
        ? html`<select name="state">${["", "open", "irregular", "corrected", "void"].map((one) => html`<option key=${one} value=${one} selected=${search.state === one}>${t(`search.state.${one || "any"}`)}</option>`)}</select>`
        : html`<input name=${name} size="8" value=${name === "amount" && search.amount ? Number(search.amount) / 100 : search[name] ?? ""} placeholder=${t(`search.${name}.example`)} />`}</label>`)}
      <button type="submit">${t("search.go")}</button></form>
    ${found.refused ? html`<p role="alert">${found.refused}</p>` : null}
    ${found.value?.rounds.length === 0 ? html`<p class="quiet">${t("search.none")}</p>` : null}
    ${found.value?.is_cut ? html`<p role="status">${t("search.cut", { count: found.value.at_most })}</p>` : null}
    <ul class="tables">${(found.value?.rounds ?? []).map((one) => html`<li key=${one.round}><a href="/round/${journal}/${one.round}"><b>${t("felt.round", { round: one.round })}</b>
      <span>${clock(one.began)}</span><span>${t(`outcome.${one.outcome || "running"}`)}</span>${one.corrected ? html`<span class="asks">${t("look.corrected")}</span>` : null}${one.alerts.length ? html`<span class="asks">${tn("alerts.title", one.alerts.length)}</span>` : null}${one.people.length ? html`<span class="quiet">${one.people.join(", ")}</span>` : null}</a></li>`)}</ul></main></div>`;
}

/** What the form asks, as the server takes it: times in UTC, amounts in cents. @param {FormData} form */
export function asked(form) {
  /** @type {Record<string, string>} */
  const search = {};
  for (const name of [...FIELDS, "at"]) {
    const text = String(form.get(name) ?? "").trim();
    if (!text) continue;
    if (name === "at") search.at = new Date(text).toISOString().replace(/\.(\d+)Z$/, ".999999Z");
    else if (name === "amount") search.amount = cents(text);
    else search[name] = text;
  }
  return search;
}

/** 12.50 -> 1250, without a rounding: digits are moved, never multiplied. @param {string} text */
export function cents(text) {
  const [whole = "", part = ""] = text.replace(/[$,\s]/g, "").replace("\u2212", "-").split(".");
  return `${whole}${part.padEnd(2, "0")}`;
}
