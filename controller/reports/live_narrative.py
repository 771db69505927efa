"""The live account of a round for a person at a screen: who bet what, the cards, what was decided, what is due."""

from __future__ import annotations

import itertools
from typing import Final

from controller.core.game.wager import LockedWager
from controller.core.messages.alerts import CardsMayBeMissing, CloseRefused, RoundIrregular, SettlementDisputed
from controller.core.messages.events import (
    BettingClosed,
    CardDealt,
    CardOpened,
    Event,
    HandCompleted,
    HandDoubled,
    HandsSplit,
    HoleCardRevealed,
    InsuranceTaken,
    QuestionAnswered,
    QuestionAsked,
    QuestionWithdrawn,
    RoundClosed,
    RoundPending,
    ShoeCounted,
    SpotSurrendered,
    TableStarted,
    WagerSettled,
    WagerUnresolved,
)
from controller.formats.text.printable import dollars, many, net

DEALER = 0
INSURANCE: Final = "insurance"


def _bet_words(one: LockedWager) -> str:
    return dollars(one.cents) if one.bet == "main" else f"{one.bet} {dollars(one.cents)}"


class LiveNarrator:
    """Turns events, in order, into lines. Remembers the faces and owners of the cards of one round."""

    def __init__(self) -> None:
        self._faces: dict[int, str] = {}
        self._owners: dict[int, int] = {}
        self._dealt = False
        self._held: list[str] = []
        self._width = len(INSURANCE)

    def tell(self, event: Event) -> list[str]:
        """The lines an event gives; most give none."""
        match event:
            case CardOpened(card, face):
                self._faces[card] = face
            case CardDealt(_, card, spot):
                self._owners[card] = spot
            case _:
                pass
        deal = self._deal_if_done(event)
        lines = self._lines(event)
        if deal and not self._all_shown() and (not lines or isinstance(event, HoleCardRevealed)):
            # A deal opens once it is confirmed, or with the hole card: it is one line, which waits for the last card,
            # and the turn that opens it comes after it.
            self._held += lines
            return []
        if not deal and not lines:
            return []
        self._dealt = self._dealt or bool(deal)
        held, self._held = self._held, []
        return [*deal, *held, *lines]

    def _lines(self, event: Event) -> list[str]:
        match event:
            case TableStarted(version, profile, _, restart):
                return [f"table {'restarted' if restart else 'started'}: tableside {version}, {profile}"]
            case BettingClosed(number, wagers):
                bets = "   ".join(
                    f"{spot}: {', '.join(_bet_words(one) for one in of_spot)}"
                    for spot, of_spot in itertools.groupby(wagers, key=lambda one: one.spot)
                )
                self._width = max(len(name) for name in (INSURANCE, *(one.bet for one in wagers)))
                self._owners.clear()
                self._dealt = False
                return ["", f"Round {number}", f"  bets       {bets}"]
            case InsuranceTaken(_, spot, cents):
                return [f"  spot {spot}     insures for {dollars(cents)}"]
            case HandsSplit(_, spot, hands):
                return [f"  spot {spot}     splits to {hands} hands"]
            case HandDoubled(_, spot, hand, cents):
                return [f"  spot {spot}     doubles hand {hand + 1} for {dollars(cents)}"]
            case SpotSurrendered(_, spot):
                return [f"  spot {spot}     surrenders"]
            case HandCompleted(_, spot, _, cards, total, stake):
                end = "broke" if total > 21 else str(total)
                return [f"  spot {spot}     {self._cards(cards)} = {end}, {dollars(stake)} at stake"]
            case HoleCardRevealed():
                return ["  dealer     turns the hole card"]
            case WagerSettled(_, spot, bet, wager, due, basis, _, why, jackpot):
                if jackpot and due == jackpot - wager:
                    why = f"{why}: {dollars(jackpot)} of the meter, less the wager, which is the house's"
                amounts = f"{bet:{self._width}} {dollars(wager):>9} -> {net(due):>10}"
                return [f"  due        spot {spot} {amounts}   {why} [{basis}]"]
            case WagerUnresolved(_, spot, bet, wager, possible):
                nets = " or ".join(net(cents) for cents in possible)
                return [f"  OPEN       spot {spot} {bet:{self._width}} {dollars(wager):>9} -> {nets}"]
            case RoundClosed(number, dealer, plays, outcome):
                shown = f"dealer {self._cards(dealer)}, " if dealer else ""
                lines = [f"  closed     {shown}{outcome}, {many(plays, 'legal play')}"]
                self._faces.clear()
                return lines
            case _:
                return self._words(event)

    def _words(self, event: Event) -> list[str]:
        """Questions, answers, and what went wrong."""
        match event:
            case RoundIrregular(_, reason):
                return [f"  IRREGULAR  {reason}: the floor must rule"]
            case SettlementDisputed(_, spot, bet, _, due):
                return [f"  IN DOUBT   spot {spot} {bet} was settled as {net(due)}"]
            case CardsMayBeMissing(_, reason):
                return [f"  MISSING?   {reason}; this shoe does not number its cards"]
            case QuestionAsked(question, _, _, text, choices):
                return [f"  QUESTION   {question}: {text} ({'/'.join(choices)})"]
            case QuestionWithdrawn(question):
                return [f"  WITHDRAWN  {question}"]
            case RoundPending(_, question):
                return [f"  waits      for the answer to question {question}; the next round may begin"]
            case CloseRefused(_, reason):
                return [f"  NOT CLOSED {reason}"]
            case QuestionAnswered(question, answer, who):
                return [f"  ANSWER     {question}: {answer} ({who})"]
            case ShoeCounted(shoe, loaded, drawn, left, who):
                return [f"  counted    shoe {shoe}: {drawn} drawn and {left} left of {loaded} ({who})"]
            case _:
                return []

    def _cards(self, cards: tuple[int, ...]) -> str:
        return " ".join(self._faces.get(card, "??") for card in cards)

    def _deal_if_done(self, event: Event) -> list[str]:
        """The initial deal in one line, reported before the first thing that follows it."""
        done = sum(spot == DEALER for spot in self._owners.values()) >= 2
        if self._dealt or not done or isinstance(event, CardDealt):
            return []
        spots = sorted(set(self._owners.values()) - {DEALER})
        hands = [f"{spot}: {self._cards(tuple(self._initial(spot)))}" for spot in spots]
        return [f"  dealt      {'   '.join(hands)}   dealer: {self._cards(tuple(self._initial(DEALER)))}"]

    def _all_shown(self) -> bool:
        """Whether every card of the deal but the dealer's second lies open."""
        hands = [self._initial(spot)[: 1 if spot == DEALER else 2] for spot in set(self._owners.values())]
        return all(card in self._faces for hand in hands for card in hand)

    def _initial(self, spot: int) -> list[int]:
        return [card for card, owner in self._owners.items() if owner == spot][:2]
