// @ts-check
// The journals, and the rounds of one: looked for by time, spot, bet, amount, card, alert, person, and how they ended.
import { centsOf, dayAndClock, forEvidence, money, timesIn, wallOf, zoneAt } from "./figures.js";
import { roundsPath, useAnswer } from "./journal.js";
import { Who, session } from "./session.js";
import { bet, betMeant, t, tn } from "./texts.js";
import { html, useEffect, useState } from "./vendor/preact-htm.js";

export function JournalsPage() {
  const journals = /** @type {{ value?: import("./wire.js").JournalFound[], refused?: string }} */ (useAnswer("/api/journals"));
  useEffect(() => {
    document.title = t("nav.journals");
  }, []);
  return html`<div class="tables-page"><header class="head"><h1>${t("nav.journals")}</h1><nav aria-label=${t("nav.label")}><a href="/">${t("nav.tables")}</a>${session().collected ? html` <a href="/shift">${t("nav.floor")}</a>` : null}</nav><${Who} /></header><main>
    ${journals.refused ? html`<p role="alert">${journals.refused}</p>` : null}
    ${journals.value?.length === 0 ? html`<p class="quiet">${t("round.nojournal")}</p>` : null}
    <ul class="tables">${(journals.value ?? []).map((one) => one.refused ? html`<li key=${one.path} class="quiet">${one.refused}</li>` : html`<li key=${one.epoch}><a href="/round/${one.site}/${one.table}/${one.epoch}"><b>${one.site}/${one.table}</b>
      <span>${t("round.epoch", { epoch: one.epoch })}</span><span>${tn("round.events", one.events)}</span></a></li>`)}</ul></main></div>`;
}

const FIELDS = /** @type {const} */ (["spot", "bet", "amount", "card", "alert", "person", "outcome"]);
const OUTCOMES = ["", "settled", "open", "irregular", "corrected", "void", "running"];

/** @typedef {Record<string, string>} Search */

/** @param {{ journal: string }} of */
export function RoundsPage({ journal }) {
  const { state, ...given } = Object.fromEntries(new URLSearchParams(location.search));
  // Links made before call the outcome so.
  const [search, setSearch] = useState(/** @type {Search} */ (state ? { outcome: state, ...given } : given));
  const found = /** @type {{ value?: import("./wire.js").RoundsFound, refused?: string }} */ (useAnswer(roundsPath(journal, search.bet ? { ...search, bet: betMeant(search.bet) } : search)));
  timesIn([found.value?.time_zone]);
  useEffect(() => {
    document.title = t("title.rounds", { journal });
    history.replaceState(null, "", `${location.pathname}?${new URLSearchParams(search)}`);
  }, [search]);
  const ask = (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    if (!(event.target instanceof HTMLFormElement)) return;
    const time = event.target.elements.namedItem("at");
    // Of a time that is filled in by half the browser gives no value.
    const half = time instanceof HTMLInputElement && time.validity.badInput;
    const filled = asked(new FormData(event.target));
    setSearch(half ? { ...filled, at: "?" } : filled);
  };
  const mistakes = found.value?.mistakes ?? {};
  return html`<div class="tables-page rounds-page"><header class="head"><h1>${t("title.rounds", { journal })}</h1>
      <nav aria-label=${t("nav.label")}><a href="/table/${journal.split("/").slice(0, 2).join("/")}">${t("nav.table")}</a> <a href="/round">${t("nav.journals")}</a></nav><${Who} /></header><main>
    <form class="search" noValidate onSubmit=${ask}>${["at", ...FIELDS].map((name) => html`<${Field} key=${name} name=${name} search=${search} known=${mistakes[name]} zone=${found.value ? zoneAt(found.value.rounds[0]?.began ?? "") : ""} />`)}
      <button type="submit">${t("search.go")}</button></form>
    ${found.refused ? html`<p role="alert">${found.refused}</p>` : null}
    ${found.value?.rounds.length === 0 ? html`<p class="quiet">${t("search.none")}</p>` : null}
    ${found.value?.is_cut ? html`<p role="status">${t("search.cut", { count: found.value.at_most })}</p>` : null}
    <ul class="tables">${(found.value?.rounds ?? []).map((one) => html`<li key=${one.round}><a href="/round/${journal}/${one.round}"><b>${t("felt.round", { round: one.round })}</b>
      <time datetime=${one.began} title=${forEvidence(one.began)}>${dayAndClock(one.began)}</time><span>${t(`outcome.${one.outcome || "running"}`)}</span>${one.irregular && one.outcome !== "irregular" ? html`<span class="asks">${t("round.irregular")}</span>` : null}${one.corrected ? html`<span class="asks">${t("look.corrected")}</span>` : null}${one.alerts.length ? html`<span class="asks">${tn("alerts.title", one.alerts.length)}</span>` : null}${one.people.length ? html`<span class="quiet">${one.people.join(", ")}</span>` : null}</a></li>`)}</ul></main></div>`;
}

/**
 * One field of the search, and beside it what was expected where it was not understood.
 * @param {{ name: string, search: Search, known: string[] | undefined, zone: string }} of known: what the field may be; undefined: it was understood
 */
function Field({ name, search, known, zone }) {
  const said = known && `search-${name}`;
  const given = search[name] ?? "";
  const label = name === "at" && zone ? t("search.at.zone", { zone }) : t(`search.${name}`);
  const marks = { name, "aria-invalid": known ? "true" : null, "aria-describedby": said };
  return html`<div class="field"><label>${label} ${name === "outcome"
    ? html`<select ...${marks}>${OUTCOMES.map((one) => html`<option key=${one} value=${one} selected=${given === one}>${t(`search.outcome.${one || "any"}`)}</option>`)}</select>`
    : name === "at"
      ? html`<input type="datetime-local" step="1" value=${wallOf(given)} ...${marks} />`
      : html`<input size="8" value=${name === "amount" ? amountTyped(given) : given} placeholder=${t(`search.${name}.example`)} ...${marks} />`}</label>
    ${known ? html`<p id=${said} class="mistake" role="alert">${known.length ? t(`search.${name}.known`, { known: known.map((one) => inWords(name, one)).join(", ") }) : t(`search.${name}.wrong`)}</p>` : null}</div>`;
}

/** What may stand in a field, as people write it. @param {string} name @param {string} one */
function inWords(name, one) {
  if (name === "bet") return bet(one);
  return name === "outcome" ? t(`search.outcome.${one}`) : one.replaceAll("_", " ");
}

/** What the form asks, as the server takes it: amounts in cents, times by the house's clock. @param {FormData} form */
export function asked(form) {
  /** @type {Search} */
  const search = {};
  for (const name of [...FIELDS, "at"]) {
    const text = String(form.get(name) ?? "").trim();
    if (!text) continue;
    if (name === "amount") search.amount = String(centsOf(text) ?? `$${text}`);
    else search[name] = text;
  }
  return search;
}

/** 1250 -> 12.50, and what was no amount as it was typed. @param {string} given */
const amountTyped = (given) => (/^-?\d+$/.test(given) ? money(Number(given)).replace("$", "") : given.replace("$", ""));
