"""Dealer and players of an independent table: what they do with cards, chips and keys, and what they know of it.

They are honest and see one another; nothing they do hangs on what the table's program makes of it. What they know of
a round is its truth. Pauses are those of people, in milliseconds, and shorter by the factor
``pace``; where a wait must be as long as the program's own clocks it is not shortened.
"""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable
from typing import Final, Protocol

from tests.independent.cards import Shoe, is_soft, points, total
from tests.independent.dues import (
    SEVENS_STAKE,
    Box,
    Hand,
    hand_due,
    insurance_due,
    is_decided,
    main_due,
    side_due,
)
from tests.independent.habits import Habit
from tests.independent.houses import EZ_BUST, SEVENS, House
from tests.independent.rack import Rack
from tests.independent.rounds import Round

HIT, STAND, DOUBLE, SPLIT, SURRENDER = "KLMNO"
NO_MORE_BETS, INSURANCE_CLOSED, EVEN_MONEY, HOLE_TURNED, ROUND_CLOSED = "PQRST"
BURN: Final = "X"
DIGITS: Final = "ABCDEFG"

HIGHEST: Final = 20_000
"""The most anybody lets lie as the next main wager."""

Place = tuple[int, str]


class Hands(Protocol):
    """What people can do to the devices of their table."""

    refusals: int
    """How often the display has shown that *round closed* was refused."""

    async def pause(self, seconds: float) -> None:
        """Let time pass."""

    def card(self, card: str, number: int) -> None:
        """Draw a card for a round; 0: for none."""

    async def key(self, letter: str) -> None:
        """Press a key and let it go."""


class People:
    """The people of one table. ``felt`` is what lies where; ``moment`` is reported each stage of a round."""

    def __init__(
        self, house: House, boxes: int, habit: Habit, chance: random.Random, *, hands: Hands, pace: float
    ) -> None:
        self.house = house
        self.habit = habit
        self.chance = chance
        self.hands = hands
        self.pace = pace
        self.rack = Rack()
        self.shoe = Shoe(house.decks, chance)
        self.seats = list(range(1, min(boxes, house.boxes) + 1))
        self.felt: dict[Place, list[str]] = {}
        self.rounds: list[Round] = []
        self.moment: Callable[[str, Round], Awaitable[None]] = self._nothing
        self._sitting_out: set[int] = set()
        self._gap = 550
        self._fresh = True

    async def _nothing(self, what: str, now: Round) -> None:
        del what, now

    # --- time, cards, chips, keys ---------------------------------------------------------------------

    async def pause(self, least: int, most: int) -> None:
        """Milliseconds of a person of this table."""
        await self.hands.pause(self.chance.randint(least, most) / 1000 / self.pace)

    async def wait(self, least: int, most: int) -> None:
        """Milliseconds by the clock."""
        await self.hands.pause(self.chance.randint(least, most) / 1000)

    def happens(self, per_mille: int) -> bool:
        """Chance."""
        return self.chance.randrange(1000) < per_mille

    async def draw(self, number: int) -> str:
        """The next card, after the dealer's own rhythm."""
        await self.pause(self._gap * 9 // 10, self._gap * 11 // 10)
        card = self.shoe.draw()
        self.hands.card(card, number)
        return card

    async def press(self, key: str, per_mille: int) -> None:
        """Press a key of the procedure, if this dealer does."""
        if self.happens(per_mille):
            await self.hands.key(key)
            await self.pause(150, 400)

    def cents(self, spot: int, zone: str) -> int:
        """What lies there."""
        return self.rack.cents(self.felt.get((spot, zone), []))

    def put(self, spot: int, zone: str, chips: list[str]) -> None:
        """Lay chips beside what lies there."""
        self.felt[spot, zone] = [*self.felt.get((spot, zone), []), *chips]

    def pick(self, spot: int, zone: str, chips: list[str] | None = None) -> None:
        """Take these chips off; None: all."""
        lying = self.felt.get((spot, zone), [])
        gone = list(lying) if chips is None else chips
        self.felt[spot, zone] = [chip for chip in lying if chip not in gone]
        self.rack.back(gone)

    async def lay(self, spot: int, zone: str, cents: int) -> list[str]:
        """Make a zone hold so much, sometimes in two movements of the hand; the chips that came."""
        lying = self.cents(spot, zone)
        if lying > cents:
            self.pick(spot, zone)
            await self.pause(300, 700)
            lying = 0
        more = self.rack.change(cents - lying)
        if len(more) > 1 and self.happens(200):
            self.put(spot, zone, more[:1])
            await self.pause(200, 400)
            self.put(spot, zone, more[1:])
        elif more:
            self.put(spot, zone, more)
        return more

    # --- a round --------------------------------------------------------------------------------------

    async def play(self, rounds: int) -> None:
        """Play so many rounds, and begin one more, which ends the last of them if nothing else does."""
        for _ in range(rounds):
            now = await self.begin()
            await self.offer(now)
            await self.settle_first(now)
            for spot in sorted(now.boxes):
                await self.moment("spot", now)
                await self.play_box(now, now.boxes[spot])
            await self.turn(now)
            await self.settle(now)
            await self.leave(now)
        await self.begin()

    async def begin(self) -> Round:
        """Bets and the deal."""
        await self.shuffle()
        now = Round(len(self.rounds) + 1)
        await self.bet(now)
        self.rounds.append(now)
        await self.deal(now)
        return now

    async def shuffle(self) -> None:
        """A new shoe where the old one is at its end, announced by whoever announces it."""
        fresh, self._fresh = self._fresh, False
        needed = 18 * len(self.seats) if self.house.decks < 4 else 60
        if not fresh and self.shoe.left > needed:
            return
        self.shoe.shuffle()
        if not self.habit.announces_shoe:
            return
        self._sitting_out = {spot for spot in self.seats if self.happens(150)}
        await self.hands.key(BURN)
        await self.pause(700, 1200)
        await self.draw(0)
        await self.pause(700, 1500)

    async def bet(self, now: Round) -> None:
        """Wagers are laid, and locked by the key if this dealer presses it."""
        shuffled = self.house.shuffled_entry
        betting = [s for s in self.seats if s not in self._sitting_out and (shuffled or not self.happens(120))]
        for spot in self.seats:
            await self.pause(150, 600)
            for zone in self.house.zones:
                if spot not in (betting or self.seats[:1]) and self.cents(spot, zone):
                    self.pick(spot, zone)
            if spot in (betting or self.seats[:1]):
                now.boxes[spot] = await self.bet_at(spot)
        await self.moment("bets", now)
        await self.pause(500, 1500)
        await self.press(NO_MORE_BETS, self.habit.bets)
        await self.moment("locked", now)
        await self.pause(300, 800)

    async def bet_at(self, spot: int) -> Box:
        """One player's wagers."""
        lying = self.cents(spot, "main")
        wager = lying
        if not 500 <= lying <= HIGHEST or lying % 200 or self.happens(500):
            wager = self.chance.choice([600, 1000, 1000, 1400, 2000, 2600, 5000])
            await self.lay(spot, "main", wager)
        box = Box(spot, wager)
        for bet in self.house.side_bets:
            if bet == EZ_BUST:
                continue
            wanted = self.happens(350)
            cents = SEVENS_STAKE if bet == SEVENS else self.chance.choice([500, 500, 1000, 2500])
            if self.cents(spot, bet) == cents or wanted:
                await self.pause(100, 400)
                await self.lay(spot, bet, cents)
                box.sides[bet] = cents
            elif self.cents(spot, bet):
                await self.pause(100, 400)
                self.pick(spot, bet)
        return box

    async def deal(self, now: Round) -> None:
        """Two cards to each box and to the dealer, in one rhythm, and then a look round."""
        self._gap = self.chance.randint(480, 620)
        for _ in range(2):
            for spot in sorted(now.boxes):
                now.boxes[spot].dealt.append(await self.draw(now.number))
            now.dealer.append(await self.draw(now.number))
            await self.moment("first cards" if len(now.dealer) == 1 else "dealt", now)
        for spot, box in now.boxes.items():
            box.hands = [Hand(list(box.dealt), box.wager, chips=list(self.felt[spot, "main"]))]
        shortest = max(1250, int(3.6 * self._gap / self.pace))
        await self.wait(shortest, shortest + 600)

    async def offer(self, now: Round) -> None:
        """Insurance, even money and EZ Bust, whatever the up card offers."""
        up = now.dealer[0]
        for spot, box in now.boxes.items():
            if up[0] == "A":
                if box.natural and self.house.even_money and self.happens(500):
                    await self.take_even_money(box)
                elif self.happens(300):
                    await self.pause(300, 900)
                    box.insurance = self.chance.choice([box.wager // 2, 100 * max(1, box.wager // 400)])
                    await self.lay(spot, "insurance", box.insurance)
            if EZ_BUST in self.house.side_bets and up[0] in "23456" and self.happens(300):
                await self.pause(300, 900)
                box.sides[EZ_BUST] = self.chance.choice([500, 1000])
                await self.lay(spot, EZ_BUST, box.sides[EZ_BUST])
        await self.moment("offered", now)
        if up[0] == "A":
            await self.pause(600, 1200)
            await self.press(INSURANCE_CLOSED, self.habit.insurance)

    async def take_even_money(self, box: Box) -> None:
        """A natural is paid one to one at once."""
        await self.pause(500, 1200)
        if self.habit.plays:
            await self.hands.key(DIGITS[box.spot - 1])
            await self.pause(150, 300)
            await self.hands.key(EVEN_MONEY)
        await self.pause(400, 900)
        box.even_money = box.paid = True
        self.put(box.spot, "main", self.rack.change(box.wager))

    async def settle_first(self, now: Round) -> None:
        """What the first cards have decided is taken and paid before anybody plays, the highest spot first."""
        up = now.dealer[0]
        for spot, box in sorted(now.boxes.items(), reverse=True):
            for bet, cents in box.sides.items():
                if is_decided(bet, box, up):
                    await self.pay(now, spot, bet, cents)
            if box.natural and not box.paid and up[0] not in "ATJQK":
                await self.pause(300, 700)
                self.put(spot, "main", self.rack.change(box.wager * 3 // 2))
                box.paid = True
            if box.paid and self.happens(700):
                await self.pause(500, 1000)
                self.pick(spot, "main")
        await self.moment("settled first", now)

    async def pay(self, now: Round, spot: int, bet: str, cents: int) -> None:
        """Take or pay one wager beside the main one; what is paid is picked up soon, or later."""
        due = insurance_due(cents, now.dealer) if bet == "insurance" else None
        if bet != "insurance":
            due = side_due(bet, cents, now.boxes[spot], now.dealer, all_broke=now.all_broke)
        await self.pause(250, 600)
        if due is None or due == 0:
            return
        if due < 0:
            self.pick(spot, bet)
            return
        self.put(spot, bet, self.rack.change(due))
        if self.happens(700):
            await self.pause(500, 1000)
            self.pick(spot, bet)

    # --- a box plays ----------------------------------------------------------------------------------

    async def play_box(self, now: Round, box: Box) -> None:
        """One player's decisions."""
        if box.natural:
            return
        await self.pause(500, 1300)
        if self.house.surrender and self.wants_surrender(now, box):
            await self.surrender(now, box)
            return
        at = 0
        while at < len(box.hands):
            hand = box.hands[at]
            if len(hand.cards) == 1:
                hand.cards.append(await self.draw(now.number))
            await self.play_hand(now, box, hand)
            at += 1
        if box.all_broke and self.happens(800):
            await self.take_broken(box)

    def wants_surrender(self, now: Round, box: Box) -> bool:
        """Sixteen and fifteen against a high card, mostly."""
        weak = total(box.dealt) in {15, 16} and (points(now.dealer[0]) >= 9 or now.dealer[0][0] == "A")
        return self.happens(450 if weak else 15)

    async def surrender(self, now: Round, box: Box) -> None:
        """Half the wager is taken at once, or with the key alone once it is known whether the dealer has a natural."""
        box.surrendered = True
        if self.habit.plays:
            await self.hands.key(SURRENDER)
            if now.dealer[0][0] in "ATJQK" and self.happens(500):
                return
        await self.pause(400, 800)
        self.pick(box.spot, "main")
        self.put(box.spot, "main", self.rack.change(box.wager // 2))
        if now.dealer[0][0] not in "ATJQK":
            box.paid = True
            await self.pause(500, 900)
            self.pick(box.spot, "main")

    async def play_hand(self, now: Round, box: Box, hand: Hand) -> None:
        """One hand to its end."""
        aces = len(box.hands) > 1 and hand.cards[0][0] == "A"
        while total(hand.cards) < 21:
            if self.wants_split(hand, len(box.hands), aces=aces):
                await self.split(now, box, hand)
                aces = hand.cards[0][0] == "A"
                continue
            if aces:
                return
            await self.pause(500, 1500)
            if self.wants_double(hand):
                await self.double(now, box, hand)
                return
            if not self.wants_card(now, hand):
                await self.moment("stands", now)
                await self.press(STAND, 1000 if self.habit.plays else 0)
                return
            await self.press(HIT, 400 if self.habit.plays else 0)
            hand.cards.append(await self.draw(now.number))
            await self.moment("hit", now)
        if hand.broke and len(box.hands) > 1 and self.happens(400):
            await self.pause(250, 500)
            self.pick(box.spot, "main", hand.chips)
            hand.taken = True

    def wants_split(self, hand: Hand, hands: int, *, aces: bool) -> bool:
        """Whether a pair is split."""
        if len(hand.cards) != 2 or hands >= self.house.hands or not self.house.is_pair(*hand.cards):
            return False
        if aces and not self.house.resplits_aces:
            return False
        return self.happens({"A": 850, "8": 800, "T": 60}.get(hand.cards[0][0], 350))

    def wants_double(self, hand: Hand) -> bool:
        """Nine to eleven mostly; where the card allows it now and then anything."""
        if len(hand.cards) != 2:
            return False
        if 9 <= total(hand.cards) <= 11:
            return self.happens(550)
        return not self.house.doubles_nine_to_eleven and total(hand.cards) < 20 and self.happens(40)

    def wants_card(self, now: Round, hand: Hand) -> bool:
        """About as people do."""
        mine, high = total(hand.cards), points(now.dealer[0]) >= 7 or now.dealer[0][0] == "A"
        if mine <= 11:
            return True
        if is_soft(hand.cards):
            return self.happens(950 if mine <= 17 else 60)
        if mine <= 16:
            return self.happens(700 if high else 250)
        return self.happens(15)

    async def double(self, now: Round, box: Box, hand: Hand) -> None:
        """As much again, or less; the key before its chips or after them."""
        less = self.happens(150)
        added = 100 * self.chance.randint(1, hand.wager // 100 - 1) if less else hand.wager
        first = self.happens(300)
        if first:
            await self.press(DOUBLE, 1000 if self.habit.plays else 0)
        chips = self.rack.change(added)
        self.put(box.spot, "main", chips)
        hand.added, hand.chips = added, [*hand.chips, *chips]
        await self.moment("double", now)
        await self.pause(300, 700)
        if not first:
            await self.press(DOUBLE, 1000 if self.habit.plays else 0)
        hand.cards.append(await self.draw(now.number))

    async def split(self, now: Round, box: Box, hand: Hand) -> None:
        """The pair becomes two hands; the left one gets its second card."""
        await self.pause(500, 1200)
        chips = self.rack.change(box.wager)
        first = self.happens(300)
        if first:
            await self.press(SPLIT, 1000 if self.habit.plays else 0)
        self.put(box.spot, "main", chips)
        await self.pause(300, 700)
        if not first:
            await self.press(SPLIT, 1000 if self.habit.plays else 0)
        right = Hand([hand.cards.pop()], box.wager, chips=chips)
        box.hands.insert(next(at for at, one in enumerate(box.hands) if one is hand) + 1, right)
        await self.moment("split", now)
        hand.cards.append(await self.draw(now.number))

    async def take_broken(self, box: Box) -> None:
        """The chips of a box of which no hand is left."""
        await self.pause(250, 600)
        self.pick(box.spot, "main")
        for hand in box.hands:
            hand.taken = True

    # --- the dealer -----------------------------------------------------------------------------------

    async def turn(self, now: Round) -> None:
        """The hole card is turned, and the dealer draws if anybody waits for it."""
        await self.pause(500, 1100)
        await self.moment("turns", now)
        await self.press(HOLE_TURNED, self.habit.turned)
        now.turned = True
        bust_bets = any(EZ_BUST in box.sides for box in now.boxes.values()) and not now.all_broke
        if not bust_bets and not any(box.waits for box in now.boxes.values()):
            return
        while total(now.dealer) < 17 or (self.house.hits_soft_17 and total(now.dealer) == 17 and is_soft(now.dealer)):
            now.dealer.append(await self.draw(now.number))
            await self.moment("dealer", now)

    async def settle(self, now: Round) -> None:
        """Insurance first, then the boxes from the highest."""
        await self.pause(700, 1400)
        for spot, box in now.boxes.items():
            if box.insurance:
                await self.pay(now, spot, "insurance", box.insurance)
        for spot, box in sorted(now.boxes.items(), reverse=True):
            for bet, cents in box.sides.items():
                if bet == EZ_BUST or not is_decided(bet, box, now.dealer[0]):
                    await self.pay(now, spot, bet, cents)
            if not box.paid:
                await self.settle_main(now, box)
        await self.moment("paid", now)

    async def settle_main(self, now: Round, box: Box) -> None:
        """Hand by hand from the right; where the box has one due for all its hands, at once."""
        box.paid = True
        dealer_natural = len(now.dealer) == 2 and total(now.dealer) == 21
        await self.pause(300, 700)
        if not (box.natural or box.surrendered or dealer_natural):
            for hand in reversed(box.hands):
                due = hand_due(hand, now.dealer)
                if due < 0 and not hand.taken:
                    self.pick(box.spot, "main", hand.chips)
                elif due > 0:
                    self.put(box.spot, "main", self.rack.change(due))
                else:
                    continue
                await self.pause(250, 600)
            return
        lies, remains = self.cents(box.spot, "main"), sum(hand.stake for hand in box.hands) + main_due(box, now.dealer)
        if remains < lies:
            self.pick(box.spot, "main")
            if remains:
                self.put(box.spot, "main", self.rack.change(remains))
        elif remains > lies:
            self.put(box.spot, "main", self.rack.change(remains - lies))

    async def close_round(self) -> None:
        """The key, and once more where the display shows that it was refused."""
        refused = self.hands.refusals
        await self.press(ROUND_CLOSED, self.habit.closed)
        await self.wait(400, 700)
        if self.hands.refusals > refused:
            await self.pause(500, 1500)
            await self.hands.key(ROUND_CLOSED)

    async def leave(self, now: Round) -> None:
        """Players pick up what is theirs or let it lie for the next round; the round is closed before or after."""
        early = self.happens(300)
        await self.pause(300, 800)
        if early:
            await self.close_round()
        for (spot, zone), chips in sorted(self.felt.items()):
            kept = zone == "main" and self.cents(spot, zone) <= HIGHEST and self.happens(250)
            kept = kept or (zone in self.house.side_bets and zone != EZ_BUST and self.happens(200))
            if chips and not kept:
                await self.pause(100, 400)
                self.pick(spot, zone)
        if not early:
            await self.pause(300, 800)
            await self.close_round()
        now.over = True
        await self.moment("over", now)
        if self.habit.closed == 1000:
            await self.pause(1500, 4000)
        else:
            await self.wait(4000, 8000)
