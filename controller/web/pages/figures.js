// @ts-check
// Money, times and cards as text. Money is whole cents; nothing is ever rounded here.
import { t } from "./texts.js";

const MINUS = "\u2212";
const SIGNS = /** @type {Record<string, string>} */ ({ USD: "$", EUR: "€", GBP: "£", "": "$" });

/** 125000 -> $1,250.00, with a true minus below zero. @param {number} cents @param {string} [currency] */
export function money(cents, currency = "") {
  const whole = Math.trunc(Math.abs(cents) / 100).toString().replace(/\B(?=(\d{3})+$)/g, ",");
  const rest = (Math.abs(cents) % 100).toString().padStart(2, "0");
  const sign = SIGNS[currency] ?? `${currency} `;
  return `${cents < 0 ? MINUS : ""}${sign}${whole}.${rest}`;
}

/** The same without cents where there are none: 2500 -> $25, 2550 -> $25.50. @param {number} cents @param {string} [currency] */
export const shortMoney = (cents, currency) => money(cents, currency).replace(/\.00$/, "");

/** 84 -> 8.4 %. @param {number} share of a thousand */
export const perMille = (share) => `${Math.trunc(share / 10)}.${share % 10} %`;

/** A player's net, always with its sign. @param {number} cents @param {string} [currency] */
export const net = (cents, currency) => (cents > 0 ? `+${money(cents, currency)}` : money(cents, currency));

/** -12.50 or 1,250.00 as cents, digits moved and never multiplied; null: it is no amount. @param {string} text */
export function centsOf(text) {
  const found = /^([+\-\u2212]?)\$?(\d{1,3}(?:,\d{3}){1,2}|\d{1,9})(?:\.(\d{1,2}))?$/.exec(text.trim());
  if (!found) return null;
  const cents = Number(`${found[2]?.replaceAll(",", "")}${(found[3] ?? "").padEnd(2, "0")}`);
  return found[1] && found[1] !== "+" && cents ? -cents : cents;
}

/** The zone of every time on the page: the house's, as soon as it is known. */
let zone = Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";

/**
 * Show all times in the zone of these houses; where they are of several zones, in UTC. Of none known: as before.
 * @param {(string | null | undefined)[]} names of the IANA database
 */
export function timesIn(names) {
  const known = [...new Set(names.filter((one) => one))];
  if (known.length) zone = (known.length === 1 && known[0]) || "UTC";
}

/** @type {Map<string, Intl.DateTimeFormat>} */
const forms = new Map();

/** @returns {Intl.DateTimeFormat} */
function form() {
  const made = forms.get(zone) ?? formOf(zone) ?? new Intl.DateTimeFormat("en-US", { ...PARTS, timeZone: "UTC" });
  forms.set(zone, made);
  return made;
}

const PARTS = /** @type {const} */ ({ year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23", timeZoneName: "shortOffset" });

/** Of a zone that this browser does not know, none. @param {string} name */
function formOf(name) {
  try {
    return new Intl.DateTimeFormat("en-US", { ...PARTS, timeZone: name });
  } catch {
    return null;
  }
}

/** What the house's calendar and clock show. @param {string} time RFC 3339 @returns {{ day: string, clock: string, offset: string } | null} */
function shownAt(time) {
  const at = new Date(time);
  if (Number.isNaN(at.getTime())) return null;
  const parts = Object.fromEntries(form().formatToParts(at).map((one) => [one.type, one.value]));
  const offset = (parts.timeZoneName ?? "").replace("GMT", "UTC").replace(/\+0$/, "").replace("-", MINUS);
  return { day: `${parts.year}-${parts.month}-${parts.day}`, clock: `${parts.hour}:${parts.minute}:${parts.second}`, offset };
}

/** 14:14:07 of an RFC 3339 time, where the zone is said beside. @param {string} time */
export const clock = (time) => shownAt(time)?.clock ?? time;

/** UTC−5: what the house's clock is set to at a time. @param {string} time */
export const offsetAt = (time) => shownAt(time)?.offset ?? "";

/** America/New_York (UTC−5): the zone of the page's times. @param {string} time */
export function zoneAt(time) {
  const offset = offsetAt(time);
  return zone === "UTC" || !offset ? zone : `${zone} (${offset})`;
}

/** 14:14:07 UTC−5 of an RFC 3339 time. @param {string} time */
export const clockAndZone = (time) => `${clock(time)} ${offsetAt(time)}`.trim();

/** 2026-07-04 14:14:07 UTC−5 of an RFC 3339 time. @param {string} time */
export function dayAndClock(time) {
  const at = shownAt(time);
  return at ? `${at.day} ${at.clock} ${at.offset}` : time;
}

/** The same with the time in UTC beside it, where that is another, to hold against journals. @param {string} time */
export function forEvidence(time) {
  const at = new Date(time);
  const shown = dayAndClock(time);
  return Number.isNaN(at.getTime()) || shown.endsWith(" UTC") ? shown : t("time.evidence", { shown, utc: at.toISOString().slice(11, 19) });
}

/** 2026-07-04T14:14:07, as a field for a day and a time takes it. @param {string} time */
export function wallOf(time) {
  const at = shownAt(time);
  return at && time.endsWith("Z") ? `${at.day}T${at.clock}` : time;
}

/** 79456894976 -> 74.0 GiB. @param {number} bytes */
export const size = (bytes) => (bytes < 2 ** 30 ? `${Math.floor(bytes / 2 ** 20)} MiB` : `${(Math.floor(bytes / 2 ** 20 / 102.4) / 10).toFixed(1)} GiB`);

/** Whole hundredths of something. @param {number} part @param {number} whole */
export const percent = (part, whole) => Math.floor((100 * part) / Math.max(1, whole));

/** How long ago in words: 6 s, 4 min, 2 h. @param {number} ms */
export function ago(ms) {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 90) return t("ago.seconds", { count: seconds });
  if (seconds < 5400) return t("ago.minutes", { count: Math.floor(seconds / 60) });
  return t("ago.hours", { count: Math.floor(seconds / 3600) });
}

/** A face for a screen reader: ace of spades. @param {string | null} face */
export function spoken(face) {
  if (!face || face === "??") return t(face ? "card.unread" : "card.closed");
  return t("card.spoken", { rank: t(`rank.${face[0]}`), suit: t(`suit.${face[1]}`) });
}

/** A face for the eye: A♠. @param {string | null} face */
export function shown(face) {
  if (!face || face === "??") return face ? "?" : t("card.back");
  return `${rank(face)}${SUITS[face[1] ?? ""] ?? ""}`;
}

/** @param {string} face */
export const rank = (face) => (face[0] === "T" ? "10" : face[0] ?? "");

/** @type {Record<string, string>} */
export const SUITS = { s: "♠", h: "♥", d: "♦", c: "♣" };

/** The best total of open cards, and whether an ace counts eleven in it. @param {(string | null)[]} faces */
export function total(faces) {
  let points = 0;
  let aces = 0;
  for (const face of faces) {
    const first = face?.[0] ?? "?";
    if (first === "A") aces += 1;
    points += first === "A" ? 1 : "TJQK".includes(first) ? 10 : Number(first) || 0;
  }
  const soft = aces > 0 && points <= 11;
  return { points: soft ? points + 10 : points, soft };
}
