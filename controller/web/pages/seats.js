// @ts-check
// What lies where, worked out of a picture of the felt: hands in order, what is due, and how sure that is.

/**
 * @typedef {{ hand: number, cards: import("./wire.js").Card[], total: number | null, doubled: boolean }} Hand
 * @typedef {{ spot: number, hands: Hand[], lying: import("./wire.js").Zone[], wagers: import("./wire.js").Wager[],
 *   surrendered: boolean, asked: boolean, cents: number }} Seat
 */

export const DEALER = 0;
export const SEATS = 7;

/** How a wager is shown; the words are in the catalogue. @typedef {"certain" | "open" | "corrected" | "doubt" | "waiting"} Look */

/** @param {import("./wire.js").Wager} wager @returns {Look} */
export function look(wager) {
  if (wager.disputed) return "doubt";
  if (wager.net_cents === null) return wager.possible_cents.length ? "open" : "waiting";
  return wager.before_cents !== null && wager.before_cents !== wager.net_cents ? "corrected" : "certain";
}

/** Every seat of the table, by number. @param {import("./wire.js").Felt} felt @returns {Seat[]} */
export function seats(felt) {
  const most = Math.max(SEATS, ...felt.zones.map((zone) => zone.spot), ...felt.cards.map((card) => card.spot ?? 0));
  return Array.from({ length: most }, (_, at) => seat(felt, at + 1));
}

/** @param {import("./wire.js").Felt} felt @param {number} spot @returns {Seat} */
export function seat(felt, spot) {
  const mine = felt.cards.filter((card) => card.spot === spot);
  const numbers = [...new Set(mine.map((card) => card.hand ?? 0))].sort((a, b) => a - b);
  const lying = felt.zones.filter((zone) => zone.spot === spot && zone.cents > 0);
  return {
    spot,
    hands: numbers.map((hand) => ({
      hand,
      cards: mine.filter((card) => (card.hand ?? 0) === hand),
      total: felt.hands.find((one) => one.spot === spot && one.hand === hand)?.total ?? null,
      doubled: felt.doubles.some((one) => one.spot === spot && one.hand === hand),
    })),
    lying,
    wagers: felt.wagers.filter((wager) => wager.spot === spot),
    surrendered: felt.surrendered_spots.includes(spot),
    asked: felt.questions.some((question) => question.spot === spot),
    cents: lying.find((zone) => zone.zone === "main")?.cents ?? 0,
  };
}

/** The dealer's cards. @param {import("./wire.js").Felt} felt */
export const dealers = (felt) => felt.cards.filter((card) => card.spot === DEALER);

/** Cards that left the shoe and lie nobody has said where. @param {import("./wire.js").Felt} felt */
export const unplaced = (felt) => felt.cards.filter((card) => card.spot === null);

/** Wagers that are not settled. @param {import("./wire.js").Felt} felt */
export const openWagers = (felt) => felt.wagers.filter((wager) => wager.net_cents === null);
