// @ts-check
// The symbols of the pages, drawn once.
import { html } from "./vendor/preact-htm.js";

/** @type {Record<string, string>} */
const PATHS = {
  shoe: "M2 15 L6 5 H20 V15 Z M6 5 H9 L5 15",
  bet_spots: "M12 3 a9 9 0 1 0 .1 0 M12 8 a4 4 0 1 0 .1 0",
  keypad: "M5 3 h14 v18 h-14 z M9 8 h.1 M12 8 h.1 M15 8 h.1 M9 12 h.1 M12 12 h.1 M15 12 h.1 M9 16 h.1 M12 16 h.1 M15 16 h.1",
  sign: "M3 6 h18 v9 h-18 z M12 15 v6 M8 21 h8",
  mystery_trigger: "M12 2 L4 6 v6 c0 5 4 8 8 10 c4 -2 8 -5 8 -10 v-6 z",
  bet_sensors: "M4 12 a8 8 0 0 1 16 0 M8 12 a4 4 0 0 1 8 0 M12 12 v8",
  device: "M4 4 h16 v12 h-16 z M9 20 h6 M12 16 v4",
  broker: "M12 20 h.1 M8 16 a6 6 0 0 1 8 0 M4 12 a11 11 0 0 1 16 0",
  settings: "M4 7 h10 M18 7 h2 M4 17 h2 M10 17 h10 M14 4.5 v5 M18 4.5 v5 M14 4.5 h4 M14 9.5 h4 M6 14.5 v5 M10 14.5 v5 M6 14.5 h4 M6 19.5 h4",
  alert: "M12 3 L22 20 H2 Z M12 9 v5 M12 17 h.1",
  question: "M9 9 a3 3 0 1 1 4 3 c-1 .5 -1 1 -1 2.5 M12 18 h.1",
  hold: "M8 5 v14 M16 5 v14",
  close: "M6 6 L18 18 M18 6 L6 18",
  first: "M18 5 L11 12 L18 19 M7 5 v14",
  last: "M6 5 L13 12 L6 19 M17 5 v14",
  left: "M15 5 L8 12 L15 19",
  right: "M9 5 L16 12 L9 19",
  play: "M8 5 L19 12 L8 19 Z",
  key: "M14 10 a4 4 0 1 1 -.1 0 M11 13 L3 21 M6 18 L9 21",
  check: "M5 13 L10 18 L19 7",
};

/** @param {{ name: string, label?: string }} symbol */
export function Symbol({ name, label = "" }) {
  return html`<svg class="symbol" viewBox="0 0 24 24" role=${label ? "img" : null} aria-label=${label || null} aria-hidden=${label ? null : "true"}>
    <path d=${PATHS[name] ?? PATHS.device} /></svg>`;
}
