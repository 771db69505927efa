// @ts-check
// Cards and chips, drawn. A face that is not told is a back; nothing of it is in the drawing.
import { SUITS, rank, spoken } from "./figures.js";
import { html } from "./vendor/preact-htm.js";

export const WIDTH = 70;
export const HEIGHT = 98;

/**
 * One card with its upper left corner at x, y.
 * @param {{ face: string | null, x: number, y: number, scale?: number, sure?: boolean, label?: string, id?: number }} card
 */
export function Card({ face, x, y, scale = 1, sure = true, label = "", id = 0 }) {
  const suit = face && face !== "??" ? face[1] ?? "" : "";
  const kind = face === null ? "back" : face === "??" ? "unread" : `suit-${suit}`;
  return html`<g transform="translate(${x} ${y}) scale(${scale})" role="img" aria-label=${label || spoken(face)} data-card=${id}>
    <g class="card ${kind} ${sure ? "" : "unsure"}">
      <rect class="paper" width=${WIDTH} height=${HEIGHT} rx="7" />
      ${face === null ? html`<${Back} />` : html`<${Face} face=${face} />`}
    </g>
  </g>`;
}

/** @param {{ face: string }} card */
function Face({ face }) {
  if (face === "??") return html`<text class="pip" x="35" y="64" text-anchor="middle">?</text>`;
  const suit = SUITS[face[1] ?? ""] ?? "";
  return html`<text class="rank" x="7" y="30">${rank(face)}</text>
    <text class="small" x="8" y="50">${suit}</text>
    <text class="pip" x="44" y="84" text-anchor="middle">${suit}</text>`;
}

function Back() {
  const lines = [0, 1, 2, 3, 4, 5, 6, 7, 8].map((n) => `M${6 + n * 7.25} 6 L6 ${6 + n * 7.25} M64 ${34 + n * 7.25} L${6 + n * 7.25} 92`);
  return html`<rect class="weave" x="6" y="6" width="58" height="86" rx="4" />
    <path class="thread" d=${lines.join(" ")} />
    <path class="gem" d="M35 33 L47 49 L35 65 L23 49 Z" />`;
}

/**
 * A stack of chips whose lowest chip's middle is at x, y. Which chips they are is not told: its height says how much.
 * @param {{ x: number, y: number, cents: number }} stack
 */
export function Chips({ x, y, cents }) {
  const count = Math.min(9, 1 + Math.floor(Math.log2(Math.max(1, cents / 500)) + 1));
  const chips = Array.from({ length: Math.max(1, count) }, (_, level) => y - level * 7);
  return html`<g class="chips" aria-hidden="true">
    ${chips.map((top) => html`<g transform="translate(${x} ${top})">
      <path class="edge" d="M-31 0 v6 a31 13 0 0 0 62 0 v-6 z" />
      <ellipse class="top" rx="31" ry="13" />
      <ellipse class="ring" rx="21" ry="8.5" />
    </g>`)}
  </g>`;
}
