// @ts-check
// A round as a line of time: lanes for cards, the chips of each spot, keys, devices and statements, and the legal plays.
import { clock, clockAndZone, offsetAt } from "./figures.js";
import { t, tn } from "./texts.js";
import { html, useEffect, useRef, useState } from "./vendor/preact-htm.js";

/** @typedef {import("./wire.js").Moment} Moment */
/** @typedef {{ kind: string, spot: number | null, name: string, places: number[] }} Lane places: of its moments among all */

/** How wide it is before it has been measured, in units of which a letter takes LETTER. */
const WIDE = 1000;
const LETTER = 14;
/** A letter on the screen, in parts of the page's own. */
const LETTER_REM = 0.9;
/** Narrower than this there is no room for all clocks. */
const NARROW = 640;
const OF = /** @type {Record<string, string>} */ ({
  card_drawn: "cards", card_opened: "cards", card_dealt: "cards", hole_card_revealed: "cards", card_burned: "cards", chips_changed: "chips", key_read: "keys", key_undone: "keys",
  device_status_changed: "devices", device_alarm: "devices",
});
const HIGH = 24;
const LEFT = 104;
const CHART = 70;
/** Keys from lane to lane, and with Shift along one. */
const ACROSS = ["ArrowUp", "ArrowDown"];
const ALONG = ["ArrowLeft", "ArrowRight"];
/** Places where the wall clock is written below the line. */
const CLOCKS = 5;
/** What a clock takes, with the room around it. */
const CLOCK = 70;
/** A press that moves less is a click. */
const DRAG_PIXELS = 4;

/** The lane of what is no card, no chips, no key and no device: what was concluded, asked, answered, ordered. */
const kindOf = (/** @type {Moment} */ one) => OF[one.name] ?? "told";

/**
 * The lanes from above, chips a lane for each spot; only a round's own spots have one.
 * @param {Moment[]} moments @returns {Lane[]}
 */
export function lanesOf(moments) {
  const spots = [...new Set(moments.filter((one) => kindOf(one) === "chips").map((one) => one.spot))].sort((one, other) => Number(one) - Number(other));
  const lane = (/** @type {string} */ kind, /** @type {number | null} */ spot = null) => ({
    kind, spot, name: spot === null ? t(`lane.${kind}`) : t("lane.chips.spot", { spot }),
    places: moments.flatMap((one, place) => (kindOf(one) === kind && (kind !== "chips" || one.spot === spot) ? [place] : [])),
  });
  return [lane("cards"), ...(spots.length ? spots.map((spot) => lane("chips", spot)) : [lane("chips")]), lane("keys"), lane("devices"), lane("told")];
}

/**
 * Where a key leads from a moment: up and down to the nearest moment of the next lane that has any, with Shift left and right within the lane.
 * @param {Lane[]} lanes @param {number} at @param {string} key @param {boolean} shift @returns {number | undefined}
 */
export function reached(lanes, at, key, shift) {
  const row = lanes.findIndex((one) => one.places.includes(at));
  const own = lanes[row]?.places ?? [];
  if (shift) return key === "ArrowRight" ? own.find((place) => place > at) : own.findLast((place) => place < at);
  const others = key === "ArrowUp" ? lanes.slice(0, Math.max(0, row)).reverse() : key === "ArrowDown" ? lanes.slice(row + 1) : [];
  const places = others.find((one) => one.places.length)?.places ?? [];
  return places.toSorted((one, other) => Math.abs(one - at) - Math.abs(other - at))[0];
}

/** @param {{ moments: Moment[], left: (number | undefined)[], at: number, go: (to: number) => void }} of */
export function Timeline({ moments, left, at, go }) {
  const place = useRef(/** @type {SVGSVGElement | null} */ (null));
  useEffect(() => {
    // Who is on the line with the keyboard stays on the moment that is shown.
    if (place.current?.contains(document.activeElement)) /** @type {SVGElement | null} */ (place.current.querySelector("[aria-current]"))?.focus({ preventScroll: true });
  }, [at]);
  const wide = useWide(place);
  const times = moments.map((one) => Date.parse(one.time));
  const first = times[0] ?? 0;
  const span = Math.max(1, (times.at(-1) ?? 1) - first);
  // Moments of one instant lie side by side: half of the place is time, half is order.
  const x = (/** @type {number} */ one) => LEFT + (wide - LEFT - 12) * (0.5 * (((times[one] ?? first) - first) / span) + 0.5 * (one / Math.max(1, moments.length - 1)));
  const lanes = lanesOf(moments);
  const foot = lanes.length * HIGH + CHART;
  const press = (/** @type {KeyboardEvent} */ event) => {
    const to = reached(lanes, at, event.key, event.shiftKey);
    if (!(event.shiftKey ? ALONG : ACROSS).includes(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
    if (to !== undefined) go(to);
  };
  return html`<svg class="timeline" ref=${place} viewBox="0 0 ${wide} ${foot + 22}" role="group" aria-label=${t("timeline.label")} onKeyDown=${press} onPointerDown=${drag(moments.map((_, one) => x(one)), go)}>
    <line class="here" x1=${x(at)} x2=${x(at)} y1="0" y2=${foot} />
    ${lanes.map((lane, row) => html`<${LaneLine} key=${lane.kind + lane.spot} lane=${lane} row=${row} moments=${moments} at=${at} x=${x} wide=${wide} go=${go} />`)}
    <${Ways} left=${left} x=${x} wide=${wide} top=${lanes.length * HIGH} />
    <text class="lane" x="0" y=${foot + 18}>${offsetAt(moments[0]?.time ?? "")}</text>
    ${apart(clocksOf(moments, wide < NARROW ? 3 : CLOCKS), x).map((one, count, all) => html`<text key=${one} class="lane" x=${x(one)} y=${foot + 18} text-anchor=${count === 0 ? "start" : count === all.length - 1 ? "end" : "middle"}>${clock(moments[one]?.time ?? "")}</text>`)}
  </svg>`;
}

/**
 * What a press on the line does: it moves to the moment there, and on to others as a mouse, a pen or a finger is dragged.
 * @param {number[]} places where each moment lies, from the left @param {(to: number) => void} go
 * @returns {(event: PointerEvent) => void}
 */
const drag = (places, go) => (event) => {
  if (!event.isPrimary || event.button !== 0) return;
  const line = /** @type {SVGSVGElement} */ (event.currentTarget);
  const follow = (/** @type {PointerEvent} */ { clientX, clientY }) => go(nearest(places, new DOMPoint(clientX, clientY).matrixTransform(line.getScreenCTM()?.inverse()).x));
  // A dot is pressed for its own moment, which its click goes to.
  let isDrag = !(event.target instanceof SVGCircleElement);
  if (isDrag) follow(event);
  const ended = new AbortController();
  const { signal } = ended;
  const isOther = (/** @type {PointerEvent} */ one) => one.pointerId !== event.pointerId;
  const move = (/** @type {PointerEvent} */ one) => {
    isDrag = isDrag || Math.abs(one.clientX - event.clientX) >= DRAG_PIXELS;
    if (isDrag && !isOther(one)) follow(one);
  };
  // Followed beyond the line too.
  addEventListener("pointermove", move, { signal });
  for (const end of /** @type {const} */ (["pointerup", "pointercancel"])) addEventListener(end, (one) => isOther(one) || ended.abort(), { signal });
};

/** The place of the moment that lies nearest. @param {number[]} places from the left @param {number} across */
export function nearest(places, across) {
  const distances = places.map((one) => Math.abs(one - across));
  return distances.indexOf(Math.min(...distances));
}

/**
 * How wide the line is in its own units, so that letters are as large on a phone and on a wall as the page's others.
 * @param {{ current: SVGSVGElement | null }} place
 */
function useWide(place) {
  const [wide, setWide] = useState(WIDE);
  useEffect(() => {
    const measure = () => {
      const letter = LETTER_REM * parseFloat(getComputedStyle(document.documentElement).fontSize);
      if (place.current?.clientWidth) setWide(Math.round((place.current.clientWidth * LETTER) / letter));
    };
    measure();
    addEventListener("resize", measure);
    return () => removeEventListener("resize", measure);
  }, []);
  return wide;
}

/** The moments at which the wall clock is written. @param {Moment[]} moments @param {number} most @returns {number[]} */
const clocksOf = (moments, most) => [...new Set(Array.from({ length: most }, (_, count) => Math.round((count * (moments.length - 1)) / (most - 1))))];

/**
 * Of the places of clocks those whose letters leave each other room; the first and the last always.
 * @param {number[]} places @param {(place: number) => number} x @returns {number[]}
 */
export function apart(places, x) {
  const last = places.at(-1);
  // The first is written from its place on and the last up to its own, the others around theirs.
  let free = x(places[0] ?? 0) + CLOCK;
  return places.filter((one, count) => {
    if (count === 0 || one === last) return true;
    const fits = x(one) - CLOCK / 2 >= free && x(one) + CLOCK / 2 <= x(last ?? 0) - CLOCK;
    if (fits) free = x(one) + CLOCK / 2;
    return fits;
  });
}

/** @param {{ lane: Lane, row: number, moments: Moment[], at: number, x: (place: number) => number, wide: number, go: (to: number) => void }} of */
function LaneLine({ lane, row, moments, at, x, wide, go }) {
  const y = row * HIGH + 12;
  return html`<g role="group" aria-label=${tn("lane.label", lane.places.length, { lane: lane.name })}>
    <text class="lane" x="0" y=${y + 5} aria-hidden="true">${lane.name}</text><line class="rail" x1=${LEFT} x2=${wide - 12} y1=${y} y2=${y} />
    ${lane.places.map((place) => {
      const one = /** @type {Moment} */ (moments[place]);
      const label = `${clockAndZone(one.time)} ${one.text}`;
      const act = (/** @type {KeyboardEvent} */ event) => (event.key === "Enter" || event.key === " ") && (event.preventDefault(), go(place));
      return html`<circle key=${one.seq} class="dot ${lane.kind} ${place > at ? "later" : ""} ${moments[at]?.readings.includes(one.reading) ? "lit" : ""}" cx=${x(place)} cy=${y} r=${place === at ? 8 : 5}
        role="button" tabindex=${place === at ? 0 : -1} aria-current=${place === at ? "step" : null} aria-label=${label} onClick=${() => go(place)} onKeyDown=${act}><title>${label}</title></circle>`;
    })}</g>`;
}

/** How many legal plays remained, from moment to moment. @param {{ left: (number | undefined)[], x: (place: number) => number, wide: number, top: number }} of */
function Ways({ left, x, wide, top }) {
  const most = Math.max(1, ...left.map((one) => one ?? 0));
  const y = (/** @type {number} */ plays) => top + CHART - (CHART - 16) * (Math.log2(plays + 1) / Math.log2(most + 1));
  const steps = left.flatMap((plays, place) => (plays === undefined ? [] : [`${x(place).toFixed(1)} ${y(plays).toFixed(1)}`]));
  return html`<g aria-hidden="true"><text class="lane" x="0" y=${top + 40}>${t("lane.plays")}</text>
    ${steps.length ? html`<polyline class="ways" points=${steps.join(" ")} /><text class="most" x=${wide - 12} y=${y(most) - 4} text-anchor="end">${tn("plays", most)}</text>` : null}</g>`;
}
