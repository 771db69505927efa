// @ts-check
// For players, five metres away: what the meters stand at. Never more than is certain; where the truth is not known, the
// last certain amount with "at least", and after a while nothing but the house's name.
import { clock, money, shortMoney } from "./figures.js";
import { useLive, useNow } from "./live.js";
import { standing } from "./table_page.js";
import { bet, t } from "./texts.js";
import { html, useEffect, useRef, useState } from "./vendor/preact-htm.js";

/** How long a sign says "at least" before it says nothing; ?patience=SECONDS says otherwise. */
const PATIENCE_S = 120;
const ROLL_MS = 1200;
/** The picture moves so often by so much, so that no screen burns in. */
const MOVE_MS = 600000;
const MOVE_PX = 6;

/** @param {{ name: string }} of */
export function SignPage({ name }) {
  const live = useLive(name);
  const now = useNow(live.skew);
  const known = useRef(/** @type {Record<string, { cents: number, at: number }>} */ ({}));
  const table = live.tables[name];
  const isLive = standing(live, name, now).kind === "live";
  const patience = patienceMs(new URLSearchParams(location.search).get("patience"));
  useEffect(() => {
    document.title = t("title.sign", { name });
  }, [name]);
  const meters = [...(table?.meters?.meters ?? []), ...(table?.meters?.linked ?? [])];
  const shown = meters.map((meter) => {
    const certain = isLive && meter.shown_cents !== null && !meter.closed;
    if (certain && meter.shown_cents !== null) known.current[meter.meter] = { cents: meter.shown_cents, at: now };
    const last = known.current[meter.meter];
    return { name: meter.meter, certain, last: last && now - last.at <= patience ? last : undefined };
  });
  const told = shown.filter((meter) => meter.last);
  const step = Math.floor(now / MOVE_MS) % 4;
  const move = [[0, 0], [MOVE_PX, 0], [MOVE_PX, MOVE_PX], [0, MOVE_PX]][step] ?? [0, 0];
  return html`<main class="sign-page meters-${Math.min(3, told.length)}"><div class="drift" style=${{ transform: `translate(${move[0]}px, ${move[1]}px)` }}>
    <h1 class=${told.length ? "heard" : "house"}>${name.split("/")[0]}</h1>
    ${told.map((meter) => html`<section key=${meter.name} aria-label=${bet(meter.name)}>
      <h2>${bet(meter.name)}</h2>
      <p class="amount"><span class="least">${meter.certain ? "" : t("sign.least")}</span><${Rolling} cents=${meter.last?.cents ?? 0} currency=${table?.currency ?? ""} /></p>
    </section>`)}
    <${LastAward} table=${table} />
    <${Posted} table=${table} />
  </div></main>`;
}

/** For how long an amount that is no longer certain is shown; what is no number of seconds is the usual time. @param {string | null} asked */
function patienceMs(asked) {
  return (/^\d{1,6}$/.test(asked ?? "") ? Number(asked) : PATIENCE_S) * 1000;
}

/** An amount that rolls up to what is certain and never past it; downwards it is there at once. @param {{ cents: number, currency: string }} of */
function Rolling({ cents, currency }) {
  const [shown, setShown] = useState(cents);
  const from = useRef(cents);
  useEffect(() => {
    const start = from.current;
    from.current = cents;
    if (cents <= start || matchMedia("(prefers-reduced-motion: reduce)").matches) {
      setShown(cents);
      return undefined;
    }
    const began = performance.now();
    let frame = 0;
    const roll = (/** @type {number} */ at) => {
      // A frame may have begun before we did: it must not count down.
      const part = Math.min(1, Math.max(0, (at - began) / ROLL_MS));
      setShown(Math.min(cents, start + Math.floor((cents - start) * part)));
      if (part < 1) frame = requestAnimationFrame(roll);
    };
    frame = requestAnimationFrame(roll);
    return () => cancelAnimationFrame(frame);
  }, [cents]);
  const text = money(shown, currency);
  // As large as its digits allow: each is a good half as wide as it is high.
  const size = { fontSize: `min(${Math.floor(146 / text.length)}vw, var(--tall))` };
  return html`<span class="digits" role="img" style=${size} aria-label=${money(cents, currency)}>${[...text].map((one, at) => html`<span key=${at - text.length} class=${/\d/.test(one) ? "digit" : "point"}>${one}</span>`)}</span>`;
}

/** Limits and rules, as they stand on a sign at any table. @param {{ table?: import("./wire.js").Table }} of */
function Posted({ table }) {
  const info = table?.info;
  if (!info) return null;
  const odds = (/** @type {[number, number]} */ [win, stake]) => t("sign.odds", { win, stake });
  const limits = /** @type {const} */ ([["minimum", info.minimum_cents], ["maximum", info.maximum_cents], ["side.maximum", info.side_maximum_cents]]);
  const rules = info.rules;
  const lines = [
    limits.flatMap(([name, cents]) => (cents ? [t(`sign.${name}`, { amount: shortMoney(cents, table?.currency) })] : [])),
    rules ? [t("sign.natural", { odds: odds(rules.natural_pays) }), t(`sign.soft17.${rules.soft_17}`)] : [],
    rules ? [...(rules.insurance_pays ? [t("sign.insurance", { odds: odds(rules.insurance_pays) })] : []), ...(rules.tie === "loses" ? [t("sign.tie.loses")] : [])] : [],
  ];
  return html`<div class="posted">${lines.map((line, at) => (line.length ? html`<p key=${at}>${line.join(" · ")}</p>` : null))}</div>`;
}

/** The last award that was paid, with its amount and nobody's name. @param {{ table?: import("./wire.js").Table }} of */
function LastAward({ table }) {
  const paid = (table?.meters?.jackpots ?? []).filter((one) => one.standing === "paid").at(-1);
  const when = (table?.log ?? []).filter((one) => one.name === "jackpot_paid" && one.data.jackpot === paid?.jackpot).at(-1);
  if (!paid) return null;
  return html`<p class="last">${t("sign.last", { amount: money(paid.cents, table?.currency), meter: bet(paid.meter) })}${when ? `, ${clock(when.time).slice(0, 5)}` : ""}</p>`;
}
