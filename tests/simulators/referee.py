"""Somebody who watches a table's acts and knows the rules: a second account of every round, from acts alone.

It shares no rule with the simulated dealer. It follows tables where each stand, double, split and surrender is keyed.
"""

from __future__ import annotations

from typing import assert_never

from firmware_protocols.cards import Card
from simulators.people.acts import Act, AnswerEntry, AnswerQuestions, Draw, Lay, Pause, Press, RoundPlayed
from simulators.people.rack import ZONE_CHIPS_LIMIT, pieces
from tests.simulators.ledger import Ledger
from tests.simulators.seen import POINTS, SeenBox, SeenHand, is_split_ace, points, soft, splittable

DEALER = 0


class Referee(Ledger):
    """Feed it acts; it asserts that each is right, and counts in ``seen`` what happened."""

    def see(self, act: Act) -> None:
        match act:
            case Pause(milliseconds=ms):
                assert 0 < ms <= 2100
            case Draw(card=card):
                self._draw(card)
            case Lay(spot=spot, zone=zone, chips=chips):
                self._lay(spot, zone, chips)
            case Press(key=key):
                self._press(key)
            case AnswerQuestions():
                pass
            case AnswerEntry():
                self._answer_entry(act)
            case RoundPlayed():
                self._account(act)
            case unknown:
                assert_never(unknown)

    def _answer_entry(self, act: AnswerEntry) -> None:
        assert self.house.mid_shoe_entry == "refused"
        assert self.phase == "deal"
        assert act.spot in self.boxes
        self.entering.remove(act.spot)
        self.seen["let in" if act.dealt_in else "sent away"] += 1
        if not act.dealt_in:
            del self.boxes[act.spot]
            self.order = [spot for spot in self.order if spot != act.spot]

    # --- cards

    def _draw(self, card: Card) -> None:
        if self.burn_due:
            assert self.phase == "closed"
            self.burn_due, self.burned = False, True
            self.seen["burn"] += 1
        elif self.phase == "deal":
            assert not self.entering, "the dealer looks at newcomers before the first card"
            spot = self.order.pop(0)
            (self.dealer if spot == DEALER else self.boxes[spot].hands[0].cards).append(card)
            if not self.order:
                self.phase = "play"
        elif self.phase == "play":
            self._play_card(card)
        else:
            assert self.phase == "turned"
            assert not self.settled, "no card after payments have begun"
            if len(self.dealer) == 1:
                assert self.house.hole_card == "none"
                assert self._second_is_awaited()
            else:
                assert self._dealer_must_draw()
                assert self._insurance_is_settled(), "insurance comes before the dealer's drawing"
            self.dealer.append(card)

    def _insurance_is_settled(self) -> bool:
        return all(box.insurance_settled or not box.insurance for box in self.boxes.values())

    def _may_be_natural(self) -> bool:
        return POINTS[self.dealer[0].value[0]] not in range(2, 10)

    def _second_is_awaited(self) -> bool:
        waits = [box for box in self.boxes.values() if box.natural or box.surrendered]
        insured = any(box.insurance for box in self.boxes.values())
        return insured or any(box.live for box in self.boxes.values()) or (self._may_be_natural() and bool(waits))

    def _known_to_have_none(self) -> bool:
        """Everybody knows that the dealer has no natural: by the up card, or because the device found none."""
        checked = self.house.hole_check == "device" and not (self.offers_open and self.dealer[0].value[0] == "A")
        return not self._may_be_natural() or (checked and points(self.dealer) != 21)

    def _stopped(self) -> bool:
        checked = self.house.hole_check == "device" and self._may_be_natural()
        return checked and points(self.dealer) == 21 and not self.decided

    def _dealer_must_draw(self) -> bool:
        total = points(self.dealer)
        soft_17 = total == 17 and soft(self.dealer) and self.house.soft_17 == "hit"
        return (total < 17 or soft_17) and any(box.live for box in self.boxes.values())

    def _play_card(self, card: Card) -> None:
        spot, hand = self._in_play()
        box = self.boxes[spot]
        assert self.raised == 0, "the chips have their key before the card"
        assert not self.raise_key, "the key has its chips before the card"
        assert hand.waits or not is_split_ace(box, hand), "split aces get one card"
        assert self.named in {None, spot}
        if not hand.waits:
            self._first_decision()
            self.seen["hit"] += 1
        self._broke_are_taken()
        self.named, self.must_hit = None, False
        hand.cards.append(card)

    def _broke_are_taken(self) -> None:
        for spot, box in self.boxes.items():
            assert not box.all_broke or self.cents(spot) == 0, "broken spots are taken before the next card"

    def _first_decision(self) -> None:
        insured = self.house.insurance and self.dealer[0].value[0] == "A"
        assert not (insured and self.offers_open), "insurance is closed before anybody plays"
        assert not self._stopped(), "the device ends a round against a natural"
        self.offers_open, self.decided = False, True

    # --- hands

    def _in_play(self) -> tuple[int, SeenHand]:
        for spot, box in self.boxes.items():
            for hand in box.hands if not box.surrendered else ():
                if not self._finished(box, hand):
                    return spot, hand
        raise AssertionError("nobody is to play")

    def _finished(self, box: SeenBox, hand: SeenHand) -> bool:
        if hand.waits:
            return False
        if hand.stood or hand.extra or points(hand.cards) >= 21:
            return True
        return is_split_ace(box, hand) and not splittable(self.house, box, hand)

    # --- chips

    def _lay(self, spot: int, zone: str, chips: tuple[str, ...]) -> None:
        elsewhere = {chip for place, lying in self.zones.items() if place != (spot, zone) for chip in lying}
        assert not elsewhere.intersection(chips), "a chip lies in one zone only"
        assert len(set(chips)) == len(chips)
        before = self.cents(spot, zone)
        assert chips != self.zones.get((spot, zone), ())
        self.zones[spot, zone] = chips
        after = self.cents(spot, zone)
        fewest = len(pieces(after))
        assert len(chips) <= max(ZONE_CHIPS_LIMIT, fewest), "a high stack is coloured up"
        if self.phase == "closed":
            assert zone == "main"
        elif self.phase == "deal":
            self.seen["touched or swapped in the deal"] += 1
        elif zone == "insurance":
            self._lay_insurance(spot, after)
        elif before == after:
            self.seen["swapped"] += 1
        elif self.phase == "play":
            self._lay_in_play(spot, before, after)
        else:
            self._lay_after_turn(spot, after)

    def _lay_insurance(self, spot: int, after: int) -> None:
        box = self.boxes[spot]
        if self.phase == "play" and not self._known_to_have_none():
            assert self.dealer[0].value[0] == "A"
            assert self.house.insurance
            assert self.offers_open
            assert box.insurance < after <= -(-box.wager // 2)
            box.insurance = after
            return
        assert self.phase == "turned" or not self.offers_open
        won, staked = self.house.insurance_pays
        lost = points(self.dealer[:2]) != 21
        paid = 0 if lost else box.insurance + box.insurance * won // staked
        assert after == (0 if box.insurance_settled else paid)
        if not box.insurance_settled:
            self.seen["insurance lost" if lost else "insurance won"] += 1
        box.insurance_settled = True

    def _lay_in_play(self, spot: int, before: int, after: int) -> None:
        box = self.boxes[spot]
        if box.natural:
            won, staked = self.house.natural_pays
            assert self._known_to_have_none(), "naturals wait against an ace or a ten"
            assert self.house.naturals_paid == "at_once"
            assert after in {box.wager + box.wager * won // staked, 0}
            box.reached.append(after)
        elif box.surrendered:
            assert after == 0
            assert self._known_to_have_none()
        elif after > before:
            in_play, hand = self._in_play()
            assert spot == in_play
            assert len(hand.cards) == 2
            assert self.raised == 0
            self.raised = after - before
            self._raise_if_whole()
        elif box.all_broke:
            assert after == 0
            for hand in box.hands:
                hand.taken = True
        elif lost := [h for h in box.hands if points(h.cards) > 21 and not h.taken and h.stake == before - after]:
            lost[0].taken = True
            self.seen["split hand taken"] += 1
        else:
            self._surrender(spot, box, after)

    def _surrender(self, spot: int, box: SeenBox, after: int) -> None:
        assert self.house.surrender == "late"
        assert after in {box.wager // 2, 0}
        assert len(box.hands) == 1
        assert len(box.hands[0].cards) == 2
        early = self.offers_open and self.house.surrender_turn == "any"
        assert early or self._in_play()[0] == spot
        box.surrendered = True
        box.reached.append(box.wager // 2)

    def _lay_after_turn(self, spot: int, after: int) -> None:
        assert self.phase == "turned"
        box = self.boxes[spot]
        box.reached.append(after)
        if not (box.natural or box.surrendered) and spot not in self.settled:
            assert not self._dealer_must_draw(), "the dealer's hand is complete before anybody is paid"
            self.settled.append(spot)

    def _raise_if_whole(self) -> None:
        if not (self.raised and self.raise_key):
            return
        self._first_decision()
        spot, hand = self._in_play()
        box = self.boxes[spot]
        assert self.named in {None, spot}
        if self.raise_key == "N":
            assert splittable(self.house, box, hand)
            assert self.raised == box.wager
            place = box.hands.index(hand)
            box.hands[place : place + 1] = [SeenHand([card], box.wager) for card in hand.cards]
            self.seen[f"split to {len(box.hands)}"] += 1
            if hand.cards[0].value[0] == "A":
                self.seen["aces split" if len(box.hands) == 2 else "aces split again"] += 1
        else:
            self._double(box, hand)
        self.raised, self.raise_key, self.named = 0, "", None

    def _double(self, box: SeenBox, hand: SeenHand) -> None:
        assert not is_split_ace(box, hand)
        assert len(box.hands) == 1 or self.house.double_after_split
        assert self.house.double_on != "nine_to_eleven" or points(hand.cards) in {9, 10, 11}
        assert self.raised == hand.base or (self.raised < hand.base and self.house.double_for_less)
        hand.extra = self.raised
        self.seen["double" if self.raised == hand.base else "double for less"] += 1
        self.seen["double after split"] += len(box.hands) > 1

    # --- keys

    def _press(self, key: str) -> None:
        assert not self.must_hit, "a card follows the hit key"
        if key in "ABCDEFG":
            assert self.named is None
            self.named = "ABCDEFG".index(key) + 1
        elif key in "KLMN":
            self._play_key(key)
        elif key in "OR":
            self._offer_key(key)
        else:
            assert self.named is None
            self._phase_key(key)

    def _play_key(self, key: str) -> None:
        assert self.phase == "play"
        spot, hand = self._in_play()
        assert self.named in {None, spot}
        assert not hand.waits
        assert points(hand.cards) < 21
        if key in "MN":
            assert not self.raise_key
            self.raise_key = key
            self._raise_if_whole()
            return
        self._first_decision()
        self.named = None
        if key == "L":
            hand.stood = True
        else:
            self.must_hit = True

    def _offer_key(self, key: str) -> None:
        assert self.phase == "play"
        if key == "R":
            assert self.named is not None
            assert self.house.even_money
            assert self.offers_open
            assert self.dealer[0].value[0] == "A"
            box = self.boxes[self.named]
            assert box.natural
            box.even_money = True
            self.seen["even money"] += 1
        else:
            assert any(box.surrendered for box in self.boxes.values())
            assert self.named is None or self.boxes[self.named].surrendered
        self.named = None

    def _phase_key(self, key: str) -> None:
        if key == "X":
            assert self.phase == "closed"
            self.burn_due = True
        elif key == "P":
            assert self.phase == "closed"
            assert not self.burn_due
            self._begin()
            self.phase = "deal"
            wagers = {spot: self.cents(spot) for spot in range(1, 8) if self.cents(spot)}
            assert max(wagers) <= self.house.boxes
            if self.house.mid_shoe_entry == "refused" and not self.burned:
                self.entering = set(wagers) - self.bet_last
            self.boxes = {spot: SeenBox(cents, [SeenHand([], cents)]) for spot, cents in wagers.items()}
            hole = [DEALER] if self.house.hole_card == "dealt" else []
            self.order = [*wagers, DEALER, *wagers, *hole]
        elif key == "Q":
            assert self.phase == "play"
            assert self.offers_open
            assert self.dealer[0].value[0] == "A"
            self.offers_open = False
        elif key == "S":
            assert self.phase == "play"
            done = [box.surrendered or all(self._finished(box, h) for h in box.hands) for box in self.boxes.values()]
            assert all(done) or self._stopped()
            self.seen["stopped"] += not all(done)
            self._broke_are_taken()
            self.phase = "turned"
        else:
            assert key == "T"
            assert self.phase == "turned"
            assert not self._dealer_must_draw()
            assert self._insurance_is_settled()
            self.phase = "closed"
