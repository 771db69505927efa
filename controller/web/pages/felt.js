// @ts-check
// The felt as a picture: the dealer above, seven boxes in an arc. Seen from the players' side first base, spot 1, is on
// the right, at the dealer's left hand; a setting turns it round.
import { Card, Chips, HEIGHT, WIDTH } from "./cards.js";
import { money, net, shown, spoken, total } from "./figures.js";
import { dealers, look, seats, unplaced } from "./seats.js";
import { bet, betInShort, t } from "./texts.js";
import { html } from "./vendor/preact-htm.js";

/** @typedef {import("./wire.js").Felt} FeltNow */
/** @typedef {import("./seats.js").Seat} Seat */
/** @typedef {(wager: import("./wire.js").Wager) => void} Choose */

const WIDE = 1600;
const HIGH = 980;
const SLOT = 204;
/** The size of players' cards, and of the dealer's. */
const CARD = 1.3;
const DEALERS = 1.55;

/** Where a seat's betting circle is. @param {number} at @param {number} of @param {boolean} mirrored */
export function place(at, of, mirrored) {
  const spread = of > 1 ? ((at / (of - 1)) * 2 - 1) * 0.985 : 0;
  const side = mirrored ? 1 : -1;
  return { x: WIDE / 2 + side * 726 * Math.sin(spread), y: 96 + 668 * Math.cos(spread) };
}

/**
 * @param {{ felt: FeltNow, currency?: string, mirrored?: boolean, title: string, subtitle: string, choose: Choose,
 *   shoe?: { drawn: number, decks: number } }} table
 */
export function Felt({ felt, currency = "", mirrored = false, title, subtitle, choose, shoe }) {
  const all = seats(felt);
  return html`<svg class="felt ${felt.open ? "" : "over"}" viewBox="0 0 ${WIDE} ${HIGH}" role="group" aria-label=${t("felt.label", { round: felt.round })}>
    <defs>
      <radialGradient id="cloth" cx="50%" cy="18%" r="85%">
        <stop class="cloth-near" offset="0" /><stop class="cloth-far" offset="1" />
      </radialGradient>
      <pattern id="hatch" width="9" height="9" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <rect class="hatch-ground" width="9" height="9" /><rect class="hatch-line" width="4" height="9" />
      </pattern>
      <path id="motto" d="M 400 318 Q 800 470 1200 318" />
    </defs>
    <path class="cloth" d="M 8 34 Q 8 8 34 8 H 1566 Q 1592 8 1592 34 V 250 C 1592 720 1180 972 800 972 C 420 972 8 720 8 250 Z" fill="url(#cloth)" />
    <path class="line" d="M 352 262 Q 800 440 1248 262" /><path class="line" d="M 330 312 Q 800 512 1270 312" />
    <text class="motto" aria-hidden="true"><textPath href="#motto" startOffset="50%" text-anchor="middle">${title}</textPath></text>
    <g class="round"><text class="round-number" x="64" y="78">${t("felt.round", { round: felt.round || "–" })}</text>
      <text class="round-phase" x="64" y="112">${subtitle}</text></g>
    <${Shoe} shoe=${shoe} cards=${unplaced(felt)} />
    <${Dealer} felt=${felt} />
    ${all.map((seat, at) => html`<${Spot} key=${seat.spot} seat=${seat} felt=${felt} currency=${currency} choose=${choose} ...${place(at, all.length, mirrored)} />`)}
  </svg>`;
}

/** @param {{ shoe?: { drawn: number, decks: number }, cards: import("./wire.js").Card[] }} shown */
function Shoe({ shoe, cards }) {
  const part = shoe ? Math.min(1, shoe.drawn / (shoe.decks * 52)) : 0;
  return html`<g class="shoe" transform="translate(1370 52)" role="img"
      aria-label=${shoe ? t("shoe.label", { drawn: shoe.drawn, cards: shoe.decks * 52 }) : t("shoe.unknown")}>
      <path class="box" d="M 0 62 L 18 12 H 150 V 62 Z" /><path class="mouth" d="M 0 62 L 18 12 H 34 L 16 62 Z" />
      ${shoe ? html`<rect class="fill" x="40" y="30" width="102" height="14" rx="7" /><rect class="left" x="40" y="30" width=${102 * (1 - part)} height="14" rx="7" />` : null}
    </g>
    ${cards.map((card, at) => html`<${Card} key=${card.card} id=${card.card} face=${card.face} x=${1262 - (cards.length - 1 - at) * 44} y=${44} scale="1.05" sure=${false}
      label=${t("card.unplaced", { card: spoken(card.face) })} />`)}`;
}

/** @param {{ felt: FeltNow }} of */
function Dealer({ felt }) {
  const cards = dealers(felt);
  const scale = DEALERS;
  const step = cards.length > 4 ? 58 : WIDTH * scale + 10;
  const width = (cards.length - 1) * step + WIDTH * scale;
  const left = WIDE / 2 - width / 2;
  const points = total(cards.map((card) => card.face));
  return html`<g role="group" aria-label=${t("felt.dealer")}>
    <text class="name" x="800" y="40" text-anchor="middle">${t("felt.dealer")}</text>
    ${cards.map((card, at) => html`<${Card} key=${card.card} id=${card.card} face=${card.face} x=${left + at * step} y=${58} scale=${scale}
      label=${card.face ? spoken(card.face) : t("card.hole")} />`)}
    ${cards.length ? null : html`<rect class="empty" x="746" y="58" width="108" height="152" rx="11" />`}
    ${points.points ? html`<${Badge} x=${left + width + 52} y=${134} text=${dealersTotal(cards)} over=${points.points > 21} />` : null}
  </g>`;
}

/** @param {{ points: number, soft: boolean }} points @param {boolean} isWhole */
function badge({ points, soft }, isWhole) {
  if (points > 21) return t("total.broke", { total: points });
  const text = soft && points < 21 ? t("total.soft", { total: points }) : String(points);
  return isWhole ? text : t("total.more", { total: text });
}

/** @param {{ x: number, y: number, text: string, over: boolean }} badge */
function Badge({ x, y, text, over }) {
  const width = 24 + text.length * 12.5;
  return html`<g class="badge ${over ? "broke" : ""}" transform="translate(${x} ${y})">
    <rect x=${-width / 2} y="-17" width=${width} height="34" rx="17" /><text y="8" text-anchor="middle">${text}</text></g>`;
}

/** @param {{ seat: Seat, felt: FeltNow, currency: string, choose: Choose, x: number, y: number }} at */
function Spot({ seat, felt, currency, choose, x, y }) {
  const outer = x < WIDE / 2 ? -1 : 1;
  const isPlayed = seat.hands.length > 0 || seat.cents > 0 || seat.wagers.length > 0;
  return html`<g class="spot ${isPlayed ? "played" : ""} ${seat.asked ? "asked" : ""}" role="group" aria-label=${heard(seat, currency)} transform="translate(${x} ${y})">
    <circle class="box" r="54" /><circle class="box inner" r="47" />
    ${seat.asked ? html`<circle class="pulse" r="61" />` : null}
    ${seat.cents ? html`<${Chips} x=${0} y=${16} cents=${seat.cents} />` : html`<text class="number" y="11" text-anchor="middle">${seat.spot}</text>`}
    ${seat.cents ? html`<g class="tag" transform="translate(${outer * 50} -40)"><circle r="17" /><text y="6" text-anchor="middle">${seat.spot}</text></g>
      <${Amount} y=${58} text=${money(seat.cents, currency)} />` : null}
    ${seat.asked ? html`<g class="mark" transform="translate(${outer * -50} -40)"><circle r="19" /><text y="8" text-anchor="middle">?</text></g>` : null}
    <${Hands} seat=${seat} />
    <${Dues} seat=${seat} felt=${felt} currency=${currency} choose=${choose} room=${Math.min(x, WIDE - x) - 12} outer=${outer} />
  </g>`;
}

/** What a screen reader says of a seat. @param {Seat} seat @param {string} currency */
export function heard(seat, currency) {
  const hands = seat.hands.map((hand) => hand.cards.map((card) => spoken(card.face)).join(", "));
  const dues = seat.wagers.filter((one) => one.net_cents !== null).map((one) => t("spot.due", { bet: bet(one.bet), net: net(one.net_cents ?? 0, currency) }));
  const parts = [t("spot.name", { spot: seat.spot }), seat.cents ? money(seat.cents, currency) : t("spot.empty"), ...hands, ...dues];
  if (seat.surrendered) parts.push(t("spot.surrendered"));
  if (seat.asked) parts.push(t("look.asked"));
  return parts.join("; ");
}

/** @param {{ y: number, text: string }} of */
function Amount({ y, text }) {
  const width = 22 + text.length * 11.2;
  return html`<g class="amount" transform="translate(0 ${y})"><rect x=${-width / 2} y="-16" width=${width} height="32" rx="16" /><text y="7" text-anchor="middle">${text}</text></g>`;
}

/** A seat's hands side by side, above its circle. @param {{ seat: Seat }} of */
function Hands({ seat }) {
  const count = seat.hands.length;
  if (!count) return null;
  const gap = 10;
  const widths = seat.hands.map((hand) => WIDTH + (hand.cards.length - 1) * fan(hand.cards.length, count));
  const whole = widths.reduce((sum, width) => sum + width, 0) + gap * (count - 1);
  const scale = Math.min(CARD, SLOT / whole);
  let left = -(whole * scale) / 2;
  return seat.hands.map((hand, at) => {
    const x = left;
    left += ((widths[at] ?? 0) + gap) * scale;
    return html`<${OneHand} key=${hand.hand} hand=${hand} x=${x} scale=${scale} step=${fan(hand.cards.length, count)} split=${count > 1} />`;
  });
}

/** @param {number} cards @param {number} hands */
const fan = (cards, hands) => (hands > 1 ? 22 : cards > 3 ? 27 : 34);

/** @param {{ hand: import("./seats.js").Hand, x: number, scale: number, step: number, split: boolean }} of */
function OneHand({ hand, x, scale, step, split }) {
  const top = -72 - HEIGHT * scale;
  const points = total(hand.cards.map((card) => card.face));
  const middle = x + ((WIDTH + (hand.cards.length - 1) * step) * scale) / 2;
  return html`<g role="group">
    ${hand.cards.map((card, at) => html`<${Card} key=${card.card} id=${card.card} face=${card.face} x=${x + at * step * scale} y=${top} scale=${scale}
      sure=${card.hand !== null || card.spot === 0} />`)}
    ${points.points ? html`<${Badge} x=${middle} y=${top - 24} text=${handTotal(hand, split)} over=${points.points > 21} />` : null}
  </g>`;
}

/** A hand's total in words. @param {import("./seats.js").Hand} hand @param {boolean} split */
function handTotal(hand, split) {
  const faces = hand.cards.map((card) => card.face);
  const points = total(faces);
  const natural = !split && hand.cards.length === 2 && points.points === 21;
  const text = natural ? t("total.natural") : badge(points, faces.every((face) => face !== null));
  return hand.doubled ? t("total.doubled", { total: text }) : text;
}

/** The dealer's total in words; empty while no card is open. @param {import("./wire.js").Card[]} cards */
function dealersTotal(cards) {
  const faces = cards.map((card) => card.face);
  const points = total(faces);
  return points.points ? badge(points, faces.every((face) => face && face !== "??")) : "";
}

/**
 * What a seat's wagers are due, below its circle: moved inwards where the cloth ends.
 * @param {{ seat: Seat, felt: FeltNow, currency: string, choose: Choose, room: number, outer: number }} of
 */
function Dues({ seat, felt, currency, choose, room, outer }) {
  const main = seat.wagers.filter((one) => one.bet === "main" && (look(one) !== "waiting" || felt.irregular));
  const others = seat.wagers.filter((one) => one.bet !== "main");
  let y = 98;
  const rows = [...main, ...others].map((wager) => {
    const at = y;
    y += (wager.bet === "main" ? 40 : 34) + (isInTwoLines(wager, felt) ? SECOND_LINE : 0);
    return html`<${Due} key=${wager.bet} wager=${wager} felt=${felt} y=${at} currency=${currency} choose=${choose} room=${room} outer=${outer} />`;
  });
  return html`${seat.surrendered && !main.some((one) => one.net_cents !== null) ? html`<text class="word" y="98" text-anchor="middle">${t("spot.surrendered")}</text>` : null}${rows}`;
}

const SECOND_LINE = 24;

/** Amounts that remain, and what the floor rules, stand in two lines: a neighbour's cards are near. @param {import("./wire.js").Wager} wager @param {FeltNow} felt */
const isInTwoLines = (wager, felt) => wager.net_cents === null && (wager.possible_cents.length > 1 || felt.irregular !== "");

/**
 * What is written at a due, line by line; of many ways the least and the most, and how many there are.
 * @param {import("./wire.js").Wager} wager @param {string} currency @param {FeltNow} felt
 */
function dueLines(wager, currency, felt) {
  const text = dueText(wager, currency, felt.irregular !== "");
  if (!isInTwoLines(wager, felt)) return [text];
  const ways = wager.possible_cents;
  const least = net(Math.min(...ways), currency);
  const most = net(Math.max(...ways), currency);
  if (ways.length > 2) return [least, t("due.most", { most, count: ways.length })];
  if (ways.length) return [least, `${t("due.or").trimStart()}${most}`];
  const words = text.split(" ");
  const last = words.pop() ?? "";
  return words.length ? [words.join(" "), last] : [last];
}

/** @param {{ wager: import("./wire.js").Wager, felt: FeltNow, y: number, currency: string, choose: Choose, room: number, outer: number }} of */
function Due({ wager, felt, y, currency, choose, room, outer }) {
  const kind = look(wager);
  const isMain = wager.bet === "main";
  const lines = dueLines(wager, currency, felt);
  if (!isMain) lines[0] = `${betInShort(wager.bet)} ${lines[0]}`;
  const label = lines.join(" ");
  const more = (lines.length - 1) * SECOND_LINE;
  const width = Math.max(64, 28 + Math.max(...lines.map((line) => line.length)) * (isMain ? 13 : 10.6));
  const outcome = (wager.net_cents ?? 0) > 0 ? "pays" : (wager.net_cents ?? 0) < 0 ? "takes" : "pushes";
  const press = (/** @type {KeyboardEvent} */ event) => (event.key === "Enter" || event.key === " ") && (event.preventDefault(), choose(wager));
  const old = wager.before_cents === null ? "" : net(wager.before_cents, currency);
  return html`<g class="due ${kind} ${wager.net_cents === null ? "" : outcome} ${isMain ? "main" : "side"}" transform="translate(${-outer * Math.max(0, width / 2 - room)} ${y})">
    <g class="press" role="button" tabindex="0" aria-label=${dueSpoken(wager, label, kind, old)} onClick=${() => choose(wager)} onKeyDown=${press}>
      <rect x=${-width / 2} y=${isMain ? -18 : -15} width=${width} height=${(isMain ? 36 : 30) + more} rx=${isMain ? 18 : 15} fill=${kind === "open" ? "url(#hatch)" : null} />
      <text y=${isMain ? 6 : 5} text-anchor="middle">${lines.map((line, at) => html`${at ? " " : ""}<tspan x="0" dy=${at ? SECOND_LINE : 0}>${line}</tspan>`)}</text>
    </g>
    ${kind === "corrected" ? html`<text class="old" aria-hidden="true" x=${-width / 2 - 8} y="6" text-anchor="end">${old}</text>` : null}
    ${kind === "doubt" ? html`<text class="margin" aria-hidden="true" x=${width / 2 + 8} y="7">!</text>` : null}
  </g>`;
}

/**
 * What a screen reader says of a due: with the words that are written there, as whoever speaks to the page says them.
 * @param {import("./wire.js").Wager} wager @param {string} text @param {string} kind @param {string} old
 */
function dueSpoken(wager, text, kind, old) {
  const said = { spot: wager.spot, bet: bet(wager.bet), text, look: t(`look.${kind}`) };
  return kind === "corrected" ? t("due.label.corrected", { ...said, old }) : t("due.label", said);
}

/** @param {import("./wire.js").Wager} wager @param {string} currency @param {boolean} irregular */
export function dueText(wager, currency, irregular) {
  if (wager.net_cents === 0) return t("due.push");
  if (wager.net_cents !== null) return net(wager.net_cents, currency);
  if (wager.possible_cents.length) return wager.possible_cents.map((cents) => net(cents, currency)).join(t("due.or"));
  return irregular ? t("due.floor") : money(wager.wager_cents, currency);
}

/** The same for a narrow screen: a row for each seat in play. @param {{ felt: FeltNow, currency?: string, choose: Choose }} of */
export function FeltList({ felt, currency = "", choose }) {
  const inPlay = seats(felt).filter((seat) => seat.hands.length || seat.cents || seat.wagers.length);
  return html`<div class="felt-list">
    <div class="row"><span class="who">${t("felt.dealer")}</span><span class="hands"><${Faces} cards=${dealers(felt)} /><${Total} text=${dealersTotal(dealers(felt))} /></span></div>
    ${unplaced(felt).length ? html`<div class="row"><span class="who">${t("felt.unplaced")}</span><${Faces} cards=${unplaced(felt)} /></div>` : null}
    ${inPlay.map((seat) => html`<div key=${seat.spot} class="row ${seat.asked ? "asked" : ""}">
      <span class="who">${t("spot.short", { spot: seat.spot })}${seat.asked ? " ?" : ""}</span>
      <span class="hands">${seat.hands.map((hand) => html`<span key=${hand.hand} class="hand"><${Faces} cards=${hand.cards} /><${Total} text=${total(hand.cards.map((card) => card.face)).points ? handTotal(hand, seat.hands.length > 1) : ""} /></span>`)}${seat.surrendered ? html`<span class="total">${t("spot.surrendered")}</span>` : null}</span>
      <span class="sum">${seat.cents ? money(seat.cents, currency) : ""}</span>
      <span class="dues">${seat.wagers.filter((wager) => look(wager) !== "waiting" || felt.irregular).map((wager) => html`<button key=${wager.bet} type="button" class="due-line ${look(wager)}" onClick=${() => choose(wager)}>
        ${wager.bet === "main" ? "" : `${bet(wager.bet)} `}${look(wager) === "corrected" ? html`<s>${net(wager.before_cents ?? 0, currency)}</s> ` : null}${dueText(wager, currency, felt.irregular !== "")}</button>`)}</span>
    </div>`)}
    ${inPlay.length ? null : html`<p class="quiet">${t("felt.nobody")}</p>`}
  </div>`;
}

/** @param {{ text: string }} of */
const Total = ({ text }) => (text ? html`<span class="total">${text}</span>` : null);

/** @param {{ cards: import("./wire.js").Card[] }} of */
function Faces({ cards }) {
  return html`<span class="faces">${cards.map((card) => html`<span key=${card.card} class="face suit-${card.face?.[1] ?? "x"} ${card.face ? "" : "back"}" role="img" aria-label=${spoken(card.face)}>${shown(card.face)}</span>`)}</span>`;
}
