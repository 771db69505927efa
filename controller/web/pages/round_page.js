// @ts-check
// A round of a journal: forwards, backwards, to a moment; what each statement rests on; the ways that remained.
import { Felt, FeltList } from "./felt.js";
import { clock, clockAndZone, forEvidence, offsetAt, timesIn, zoneAt } from "./figures.js";
import { useAnswer } from "./journal.js";
import { SettingsPanel, useNarrow, useSettings } from "./settings.js";
import { Symbol } from "./symbols.js";
import { Timeline } from "./timeline.js";
import { t, tn } from "./texts.js";
import { Trust } from "./trust.js";
import { html, useEffect, useMemo, useRef, useState } from "./vendor/preact-htm.js";

/** @typedef {import("./wire.js").Course} Course */

const STEP_MS = 700;
const ADDRESS_MS = 100;

/** @param {{ journal: string, round: string }} of */
export function RoundPage({ journal, round }) {
  const path = `/api/journals/${journal}/rounds/${round}`;
  const course = /** @type {{ value?: Course, refused?: string }} */ (useAnswer(path));
  const counted = /** @type {{ value?: import("./wire.js").Plays[] }} */ (useAnswer(course.value?.outcome ? `${path}/plays` : ""));
  useEffect(() => {
    document.title = t("title.round", { round, journal });
  }, [path]);
  if (course.refused) return html`<main class="round-empty"><p role="alert">${course.refused}</p><a href="/round">${t("nav.journals")}</a></main>`;
  if (!course.value) return html`<main class="round-empty"><p>${t("round.loading")}</p></main>`;
  if (!course.value.moments.length) return html`<main class="round-empty"><p>${t("round.nothing")}</p></main>`;
  timesIn([course.value.time_zone]);
  return html`<${Player} key=${path} course=${course.value} plays=${counted.value ?? []} journal=${journal} path=${path} />`;
}

/** @param {{ course: Course, plays: import("./wire.js").Plays[], journal: string, path: string }} of */
function Player({ course, plays, journal, path }) {
  const { moments } = course;
  const asked = Number(new URLSearchParams(location.search).get("at") ?? 0);
  const first = asked ? Math.max(0, moments.findLastIndex((one) => one.seq <= asked)) : moments.length - 1;
  const [at, setAt] = useState(first);
  const [pace, setPace] = useState(0);
  const [chosen, change] = useSettings();
  const isList = useNarrow() || chosen.felt === "list";
  const go = (/** @type {number} */ to) => setAt(Math.max(0, Math.min(moments.length - 1, to)));
  const now = moments[at];
  const felt = course.felts[now?.felt ?? 0];
  const left = useMemo(() => playsAfter(moments, plays), [moments, plays]);
  useAddress(now?.seq);
  useEffect(() => {
    if (!pace) return undefined;
    const timer = setTimeout(() => (at + pace < 0 || at + pace >= moments.length ? setPace(0) : setAt(at + pace)), STEP_MS);
    return () => clearTimeout(timer);
  }, [at, pace]);
  useEffect(() => {
    const press = (/** @type {KeyboardEvent} */ event) => keyed(event, { at, go, setPace, last: moments.length - 1 });
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [at]);
  if (!now || !felt) return null;
  const settled = (/** @type {import("./wire.js").Wager} */ wager) => go(moments.findIndex((one) => course.felts[one.felt]?.wagers.some((other) => isSame(other, wager))));
  const count = left[at];
  const over = endOf(moments);
  return html`<div class="round-page">
    <header class="head"><h1><a href="/round/${journal}">${course.site}/${course.table}</a></h1>
      <span class="fact"><b>${t("felt.round", { round: course.round })}</b></span><span class="fact">${t(`outcome.${course.outcome || "running"}`)}</span><span class="fact">${count === undefined ? "" : at < over ? tn("plays.now", count) : tn("plays.whole", count)}</span>
      <nav aria-label=${t("round.others")}><a href="/round/${journal}">${t("nav.rounds")}</a> <${Beside} journal=${journal} round=${course.before} text=${t("round.before")} end=${t("round.first")} /> <${Beside} journal=${journal} round=${course.after} text=${t("round.after")} end=${t("round.last")} /></nav>
      <span class="exports"><a href="${path}?as=text">${t("round.text")}</a> <a href=${path}>${t("round.json")}</a></span>
      <details class="look"><summary aria-label=${t("setting.title")}><${Symbol} name="settings" /></summary><${SettingsPanel} chosen=${chosen} change=${change} /></details>
    </header>
    <main>
      <div class="stage">${isList
          ? html`<${FeltList} felt=${felt} choose=${settled} />`
          : html`<${Felt} felt=${felt} mirrored=${chosen.side === "dealer"} title=${`${course.site}  ·  ${course.table}`} subtitle=${clockAndZone(now.time)} choose=${settled} />`}
        <${Controls} at=${at} last=${moments.length - 1} pace=${pace} go=${go} setPace=${setPace} now=${now} moments=${moments} />
        <${Timeline} moments=${moments} left=${left} at=${at} go=${go} />
      </div>
      <${Account} course=${course} at=${at} go=${go} />
      <aside><section class="panel plays"><h2>${t("plays.title")}</h2>
          <p class="count">${count === undefined ? t("plays.unknown") : count}</p><p class="quiet">${course.outcome ? (count === undefined ? "" : at < over ? tn("plays.explain", count) : tn("plays.explained", count)) : t("plays.later")}</p></section>
        <${Trust} course=${course} path=${path} /></aside>
    </main>
  </div>`;
}

/** Keep the moment in the address: a browser refuses when it is changed as often as a pointer moves. @param {number | undefined} seq */
function useAddress(seq) {
  const last = useRef(0);
  useEffect(() => {
    const write = () => {
      last.current = performance.now();
      history.replaceState(null, "", `${location.pathname}?at=${seq}`);
    };
    const wait = last.current + ADDRESS_MS - performance.now();
    if (seq === undefined) return undefined;
    if (wait <= 0) return void write();
    const timer = setTimeout(write, wait);
    return () => clearTimeout(timer);
  }, [seq]);
}

/** A round beside this one, where the journal has it. @param {{ journal: string, round: number | null, text: string, end: string }} of */
const Beside = ({ journal, round, text, end }) => (round === null ? html`<span class="quiet">${end}</span>` : html`<a href="/round/${journal}/${round}">${text}</a>`);

/** The place of the moment at which a round was over; behind all of them while it is not. @param {import("./wire.js").Moment[]} moments */
function endOf(moments) {
  const found = moments.findIndex((one) => one.name === "round_pending" || one.name === "round_closed");
  return found < 0 ? moments.length : found;
}

/** @param {import("./wire.js").Wager} one @param {import("./wire.js").Wager} other */
const isSame = (one, other) => one.spot === other.spot && one.bet === other.bet && one.net_cents === other.net_cents;

/**
 * How many plays explained the round once each moment had been told; nothing before the first reading that was counted.
 * @param {import("./wire.js").Moment[]} moments @param {import("./wire.js").Plays[]} plays
 * @returns {(number | undefined)[]}
 */
export function playsAfter(moments, plays) {
  return moments.map((moment) => plays.filter((one) => one.reading <= moment.reading).at(-1)?.plays);
}

/**
 * @param {KeyboardEvent} event
 * @param {{ at: number, last: number, go: (to: number) => void, setPace: (pace: number) => void }} player
 */
function keyed(event, { at, last, go, setPace }) {
  if (event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement || event.ctrlKey || event.metaKey || event.altKey) return;
  /** @type {Record<string, () => void>} */
  const keys = { ArrowRight: () => go(at + 1), ArrowLeft: () => go(at - 1), Home: () => go(0), End: () => go(last), l: () => setPace(1), k: () => setPace(0), j: () => setPace(-1) };
  const act = keys[event.key];
  if (act) {
    event.preventDefault();
    act();
  }
}

/**
 * @param {{ at: number, last: number, pace: number, now: import("./wire.js").Moment, moments: import("./wire.js").Moment[],
 *   go: (to: number) => void, setPace: (pace: number) => void }} of
 */
function Controls({ at, last, pace, go, setPace, now, moments }) {
  const toTime = (/** @type {{ target: HTMLInputElement }} */ { target }) => {
    const found = moments.findLastIndex((one) => clock(one.time) <= (target.value.length === 5 ? `${target.value}:00` : target.value));
    if (target.value) go(Math.max(0, found));
  };
  return html`<div class="controls" role="group" aria-label=${t("player.label")}>
    <button type="button" onClick=${() => go(0)} aria-label=${t("player.first")}><${Symbol} name="first" /></button>
    <button type="button" onClick=${() => go(at - 1)} aria-label=${t("player.back")}><${Symbol} name="left" /></button>
    <button type="button" onClick=${() => setPace(pace ? 0 : 1)} aria-label=${pace ? t("player.stop") : t("player.play")}><${Symbol} name=${pace ? "hold" : "play"} /></button>
    <button type="button" onClick=${() => go(at + 1)} aria-label=${t("player.next")}><${Symbol} name="right" /></button>
    <button type="button" onClick=${() => go(last)} aria-label=${t("player.last")}><${Symbol} name="last" /></button>
    <input type="range" min="0" max=${last} value=${at} aria-label=${t("player.moment")} aria-valuetext=${now.text} onInput=${(/** @type {{ target: HTMLInputElement }} */ { target }) => go(Number(target.value))} />
    <label>${t("player.time", { offset: offsetAt(now.time) })} <input type="time" step="1" value=${clock(now.time)} onChange=${toTime} /></label>
    <time class="quiet" datetime=${now.time} title=${now.time}>${t("log.event", { seq: now.seq, time: forEvidence(now.time) })}</time>
  </div>`;
}

/** The round in words; a sentence lights up what it rests on, and what rests on it. @param {{ course: Course, at: number, go: (to: number) => void }} of */
function Account({ course, at, go }) {
  const list = useRef(/** @type {HTMLOListElement | null} */ (null));
  const now = course.moments[at];
  useEffect(() => {
    list.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
  }, [at]);
  return html`<section class="panel account"><h2>${t("account.title")} <span class="zone">${t("times.in", { zone: zoneAt(now?.time ?? "") })}</span></h2><ol ref=${list}>${course.moments.map((one, place) => {
    const rests = place !== at && now && now.readings.includes(one.reading);
    const bears = place !== at && now && one.readings.includes(now.reading) && one.readings.length > 1;
    return html`<li key=${one.seq}><button type="button" class="${place > at ? "later" : ""} ${rests ? "rests" : ""} ${bears ? "bears" : ""}" aria-current=${place === at ? "step" : null} onClick=${() => go(place)}>
      <time datetime=${one.time} title=${forEvidence(one.time)}>${clock(one.time)}</time><span>${one.text}${rests ? html` <em>${t("account.rests")}</em>` : null}</span></button></li>`;
  })}</ol></section>`;
}
