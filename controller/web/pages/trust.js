// @ts-check
// Why a round may be believed: its chain, who signed the journal's head, the round stepped again, its proof, its cards.
import { forEvidence, shown } from "./figures.js";
import { t, tn } from "./texts.js";
import { html, useEffect, useState } from "./vendor/preact-htm.js";

/** @typedef {import("./wire.js").Trust} TrustFound */

const AGAIN_MS = 700;

/**
 * What the server says of a round's trust, asked again while there is something under way.
 * @param {string} path of the round
 * @returns {{ value?: TrustFound, refused?: string, begin: () => void }}
 */
function useTrust(path) {
  const [found, setFound] = useState(/** @type {{ value?: TrustFound, refused?: string }} */ ({}));
  const [asked, ask] = useState(0);
  useEffect(() => {
    let wanted = true;
    fetch(`${path}/trust`)
      .then(async (said) => (said.ok ? { value: await said.json() } : { refused: (await said.text()).trim() }))
      .catch((error) => ({ refused: String(error) }))
      .then((now) => wanted && setFound(now));
    return () => {
      wanted = false;
    };
  }, [path, asked]);
  const busy = found.value !== undefined && isBusy(found.value);
  useEffect(() => {
    if (!busy) return undefined;
    const timer = setTimeout(() => ask(asked + 1), AGAIN_MS);
    return () => clearTimeout(timer);
  }, [found]);
  const begin = () => {
    fetch(`${path}/replay`, { method: "POST" })
      .then(async (said) => (said.ok ? ask(asked + 1) : setFound({ ...found, refused: (await said.text()).trim() })))
      .catch((error) => setFound({ ...found, refused: String(error) }));
  };
  return { ...found, begin };
}

/** Whether the server is still at it. @param {TrustFound} trust */
export const isBusy = (trust) => trust.stepping.state === "running" || (!trust.damage && trust.record < trust.records);

/** @param {{ course: import("./wire.js").Course, path: string }} of */
export function Trust({ course, path }) {
  const { value, refused, begin } = useTrust(path);
  return html`<section class="panel trust" aria-label=${t("trust.title")}><h2>${t("trust.title")}</h2>
    ${value ? html`<${Chain} trust=${value} /><${Head} trust=${value} /><${Stepped} trust=${value} begin=${begin} /><${Proof} trust=${value} path=${path} round=${course.round} />` : html`<p class="quiet">${t("trust.loading")}</p>`}
    ${refused ? html`<p role="alert" class="bad">${refused}</p>` : null}
    <${Cards} cards=${course.commitments} /></section>`;
}

/** @param {{ trust: TrustFound }} of */
function Chain({ trust }) {
  const { record, records, event, damage, last } = trust;
  if (damage) return html`<p class="chain bad">${t("trust.chain.broken", { damage, event })}</p>`;
  if (record < records) return html`<p class="chain"><label>${t("trust.chain.reading", { record, records })} <progress max=${records} value=${record} /></label></p>`;
  return html`<p class="chain good">${t("trust.chain.whole", { event, record, last })}</p>`;
}

/** @param {{ trust: TrustFound }} of */
function Head({ trust }) {
  const { signature, signed_record: record, signed_at: at, key } = trust;
  const isGood = signature === "holds" && trust.record === trust.records && !trust.damage;
  const text = t(`trust.head.${signature}`, { record, time: at ? forEvidence(at) : "", key });
  return html`<p class="signature ${isGood ? "good" : signature === "wrong" ? "bad" : "quiet"}">${text}</p>`;
}

/** @param {{ trust: TrustFound, begin: () => void }} of */
function Stepped({ trust, begin }) {
  const { state, done, records, events, last, text, versions, resumed } = trust.stepping;
  const isRunning = state === "running";
  const good = state === "same" ? "good" : state === "differs" ? "bad" : "quiet";
  const values = { records: tn("trust.readings", records), events: tn("round.events", events), last, text, versions: versions.join(", ") };
  return html`<div class="stepped"><button type="button" disabled=${isRunning} onClick=${begin}>${t("trust.replay")}</button>
    <div role="status">${isRunning ? html`<label>${t("trust.replay.running", { done, records })} <progress max=${records} value=${done} /></label>` : html`<p class=${good}>${t(`trust.replay.${state}`, values)}${resumed ? ` ${tn("trust.resumed", resumed)}` : ""}</p>`}</div></div>`;
}

/** @param {{ trust: TrustFound, path: string, round: number }} of */
function Proof({ trust, path, round }) {
  if (!trust.is_closed) return html`<p class="quiet">${t("trust.proof.open")}</p>`;
  if (trust.signature !== "holds") return html`<p class="quiet">${t("trust.proof.nokey")}</p>`;
  return html`<details class="proof"><summary>${t("trust.proof")}</summary>
    <p><a href="${path}/proof" download="round-${round}.zip">${t("trust.proof.file", { round })}</a></p><p class="quiet">${t("trust.proof.how", { round })}</p>
    <code>unzip round-${round}.zip</code><code>tableside verify --verifier '${trust.verifier}' round-${round}</code></details>`;
}

/** @param {{ cards: import("./wire.js").Course["commitments"] }} of */
function Cards({ cards }) {
  const right = cards.filter((one) => one.holds).length;
  const wrong = cards.filter((one) => one.holds === false);
  return html`<h3>${t("trust.cards")}</h3><p class="opened ${wrong.length ? "bad" : "good"}">${wrong.length ? tn("trust.wrong", wrong.length) : t("trust.right", { right, cards: cards.length })}</p>
    <ul class="ticks">${cards.map((one) => html`<li key=${one.card} class=${one.holds === null ? "closed" : one.holds ? "right" : "wrong"}>
      <span class="face suit-${one.face?.[1] ?? "x"} ${one.face ? "" : "back"}">${shown(one.face)}</span>${one.holds === null ? t("trust.closed") : one.holds ? "✓" : "✗"}</li>`)}</ul>
    <p class="quiet">${t("trust.how")}</p>`;
}
