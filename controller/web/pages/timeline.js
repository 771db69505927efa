// @ts-check
// A round as a line of time: a lane for cards, chips, keys and conclusions, and the legal plays that remained.
import { clock } from "./figures.js";
import { t } from "./texts.js";
import { html } from "./vendor/preact-htm.js";

const WIDE = 1000;
const LANES = /** @type {const} */ (["cards", "chips", "keys", "told"]);
const OF = /** @type {Record<string, typeof LANES[number]>} */ ({
  card_drawn: "cards", card_opened: "cards", card_dealt: "cards", hole_card_revealed: "cards", card_burned: "cards", chips_changed: "chips", key_read: "keys", key_undone: "keys",
});
const HIGH = 24;
const LEFT = 86;
const CHART = 70;

/** @param {{ moments: import("./wire.js").Moment[], left: (number | undefined)[], at: number, go: (to: number) => void }} of */
export function Timeline({ moments, left, at, go }) {
  const times = moments.map((one) => Date.parse(one.time));
  const first = times[0] ?? 0;
  const span = Math.max(1, (times.at(-1) ?? 1) - first);
  // Moments of one instant lie side by side: half of the place is time, half is order.
  const x = (/** @type {number} */ place) => LEFT + (WIDE - LEFT - 12) * (0.5 * (((times[place] ?? first) - first) / span) + 0.5 * (place / Math.max(1, moments.length - 1)));
  const most = Math.max(1, ...left.map((one) => one ?? 0));
  const y = (/** @type {number} */ plays) => LANES.length * HIGH + CHART - (CHART - 16) * (Math.log2(plays + 1) / Math.log2(most + 1));
  const steps = left.flatMap((plays, place) => (plays === undefined ? [] : [`${x(place).toFixed(1)} ${y(plays).toFixed(1)}`]));
  return html`<svg class="timeline" viewBox="0 0 ${WIDE} ${LANES.length * HIGH + CHART + 22}" role="img" aria-label=${t("timeline.label")}>
    ${LANES.map((lane, row) => html`<g key=${lane}><text class="lane" x="0" y=${row * HIGH + 17}>${t(`lane.${lane}`)}</text><line class="rail" x1=${LEFT} x2=${WIDE - 12} y1=${row * HIGH + 12} y2=${row * HIGH + 12} /></g>`)}
    <text class="lane" x="0" y=${LANES.length * HIGH + 40}>${t("lane.plays")}</text>
    ${steps.length ? html`<polyline class="ways" points=${steps.join(" ")} /><text class="most" x=${WIDE - 12} y=${y(most) - 4} text-anchor="end">${t("lane.most", { count: most })}</text>` : null}
    <line class="here" x1=${x(at)} x2=${x(at)} y1="0" y2=${LANES.length * HIGH + CHART} />
    ${moments.map((one, place) => html`<circle key=${one.seq} class="dot ${OF[one.name] ?? "told"} ${place > at ? "later" : ""} ${moments[at]?.readings.includes(one.reading) ? "lit" : ""}" cx=${x(place)} cy=${LANES.indexOf(OF[one.name] ?? "told") * HIGH + 12} r=${place === at ? 8 : 5} onClick=${() => go(place)}><title>${clock(one.time)} ${one.text}</title></circle>`)}
    <text class="lane" x=${LEFT} y=${LANES.length * HIGH + CHART + 18}>${clock(moments[0]?.time ?? "")}</text>
    <text class="lane" x=${WIDE - 12} y=${LANES.length * HIGH + CHART + 18} text-anchor="end">${clock(moments.at(-1)?.time ?? "")}</text>
  </svg>`;
}
