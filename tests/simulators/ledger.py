"""What somebody who watches a table has noted down, and how it is compared with the account people give of a round."""

from __future__ import annotations

from collections import Counter

from firmware_protocols.cards import Card
from simulators.people.acts import RoundPlayed
from simulators.people.house import House
from tests.simulators.seen import SeenBox, points


class Ledger:
    """Chips, cards and keys so far, and what each round comes to."""

    def __init__(self, house: House, values: dict[str, int]) -> None:
        self.house, self.values = house, values
        self.seen: Counter[str] = Counter()
        self.zones: dict[tuple[int, str], tuple[str, ...]] = {}
        self.phase = "closed"
        self.rounds = 0
        self.burn_due = True
        self.burned = False
        """No round has been dealt since the shoe was burned."""
        self.bet_last: set[int] = set()
        self._begin()

    def _begin(self) -> None:
        self.boxes: dict[int, SeenBox] = {}
        self.dealer: list[Card] = []
        self.order: list[int] = []
        self.offers_open = True
        self.decided = False
        self.entering: set[int] = set()
        self.named: int | None = None
        self.must_hit = False
        self.raised = 0
        self.raise_key = ""
        self.settled: list[int] = []

    def cents(self, spot: int, zone: str = "main") -> int:
        return sum(self.values[chip] for chip in self.zones.get((spot, zone), ()))

    def _account(self, truth: RoundPlayed) -> None:
        self.rounds += 1
        self.burned, self.bet_last = False, set(self.boxes)
        assert truth.round == self.rounds
        assert self.phase == "closed"
        assert truth.dealer == tuple(self.dealer)
        assert truth.surrendered == tuple(spot for spot, box in self.boxes.items() if box.surrendered)
        assert truth.hands == {str(s): tuple(tuple(h.cards) for h in box.hands) for s, box in self.boxes.items()}
        due = {(wager.spot, wager.bet): (wager.wager_cents, wager.net_cents) for wager in truth.wagers}
        assert list(due) == sorted(due, key=lambda place: (place[0], place[1] != "main"))
        for spot, box in self.boxes.items():
            net = self._due(box)
            assert due.pop((spot, "main")) == (box.wager, net)
            self._chips_agree(spot, box, net)
            if box.insurance:
                won, staked = self.house.insurance_pays
                natural = points(self.dealer[:2]) == 21
                net = box.insurance * won // staked if natural else -box.insurance
                assert due.pop((spot, "insurance")) == (box.insurance, net)
            assert self.cents(spot, "insurance") == 0
        assert not due
        moved = {spot for spot, box in self.boxes.items() if box.lying != box.stake + self._due(box)}
        paid = [spot for spot in self.settled if spot in moved]
        assert paid == sorted(paid, reverse=True)
        for box in self.boxes.values():
            self.seen["bust"] += box.all_broke

    def _chips_agree(self, spot: int, box: SeenBox, net: int) -> None:
        comes_back = box.stake + net
        left = self.cents(spot)
        assert left in {0, box.wager, comes_back}
        if comes_back and comes_back != box.lying:
            assert comes_back in box.reached, "what is due was laid"
        assert max([left, *box.reached]) <= comes_back or (box.surrendered or len(box.hands) > 1)

    def _due(self, box: SeenBox) -> int:
        dealer_natural = points(self.dealer[:2]) == 21
        if box.even_money:
            return box.wager
        if box.natural:
            self.seen["natural pushed" if dealer_natural else "natural paid"] += 1
            won, staked = self.house.natural_pays
            return 0 if dealer_natural else box.wager * won // staked
        if dealer_natural:
            self.seen["surrender lost to a natural"] += box.surrendered
            self.seen["only the original lost"] += box.stake > box.wager
            return -box.wager
        if box.surrendered:
            self.seen["surrender"] += 1
            return -(box.wager // 2)
        net = 0
        theirs = points(self.dealer)
        for hand in box.hands:
            ours = points(hand.cards)
            if ours > 21 or ours < theirs <= 21:
                net -= hand.stake
            elif theirs > 21 or ours > theirs:
                net += hand.stake
            else:
                self.seen["push"] += 1
        return net
