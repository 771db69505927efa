"""What was ruled and corrected in a time: each change with who, why, before and after, and what the house won by it."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from controller.core.game.wager import Basis
from controller.core.messages.events import WagerAdjusted, WagerSettled
from controller.core.messages.floor_events import BoxDeclared, CardAssigned, CardSet, CorrectionEntered, RoundVoided
from controller.core.table.alert_list import money
from controller.formats.mqtt.envelope import Published


class ShiftRuling(msgspec.Struct, frozen=True):
    """What a person or a correction changed: a wager's net before and after (None: it was open), or a void round.

    Nets are the player's, ``win_cents`` is what the house's win changed by. ``case`` is the house's number for the
    matter, and may be empty; ``who`` is empty where the table itself settled later. ``elsewhere``: its round did not
    close in the account's time, so that it changes no figure of this account.
    """

    time: str
    round: int
    spot: int
    """0: the whole round."""
    bet: str
    before_cents: int | None
    net_cents: int | None
    who: str
    why: str
    case: str = ""
    elsewhere: bool = False
    win_cents: int = 0

    @property
    def confirms(self) -> bool:
        """Whether the wager was settled so already: it was in doubt, and stands."""
        return self.net_cents is not None and self.before_cents == self.net_cents


class ShiftCorrection(msgspec.Struct, frozen=True):
    """A card that was named, struck or given an owner, or a box that was declared: what people said of a round."""

    time: str
    round: int | None
    """The round; null: the next one."""
    text: str
    """What was said, for display."""
    who: str
    why: str


def corrections(events: Iterable[Published]) -> tuple[ShiftCorrection, ...]:
    """What people said of cards and boxes, in order; what wagers came to by it is among the rulings."""
    found: list[ShiftCorrection] = []
    for one in events:
        match one.event:
            case CardSet(number, card, before, after, who, why):
                said = f"card {card}: {before or 'closed'} -> {after or 'no card of the round'}"
            case CardAssigned(number, card, spot, who, why):
                said = f"card {card}: {f'of spot {spot}' if spot else 'of the dealer'}"
            case BoxDeclared(number, spot, cents, who, why):
                said = f"spot {spot}: {f'box of {money(cents)} declared' if cents else 'no box after all'}"
            case _:
                continue
        place = "next round" if number is None else f"round {number}"
        found.append(ShiftCorrection(one.time, number, f"{place} {said}", who, why))
    return tuple(found)


def rulings(events: Iterable[Published]) -> tuple[ShiftRuling, ...]:
    """What was ruled and corrected, in order; of a void round one line."""
    found: list[ShiftRuling] = []
    void: dict[int, int] = {}
    cases: dict[tuple[int, int | None, str | None], str] = {}
    for one in events:
        event = one.event
        match event:
            case CorrectionEntered(case, number, spot, bet):
                cases[number, spot, bet] = case
            case RoundVoided(number, who, why):
                void[number] = len(found)
                case = cases.pop((number, None, None), "")
                found.append(ShiftRuling(one.time, number, 0, "", None, None, who, why, case))
            case WagerAdjusted(number, _, _, _, before, due) if number in void:
                line = found[void[number]]
                found[void[number]] = msgspec.structs.replace(line, win_cents=line.win_cents + before - due)
            case WagerAdjusted(number, spot, bet, _, before, due, who, why):
                case = cases.pop((number, spot, bet), "")
                found.append(
                    ShiftRuling(one.time, number, spot, bet, before, due, who, why, case, win_cents=before - due)
                )
            case WagerSettled(number, spot, bet, _, due, Basis.FLOOR, _, why) if number not in void:
                who, _, reason = why.partition(": ")
                case = cases.pop((number, spot, bet), "")
                found.append(ShiftRuling(one.time, number, spot, bet, None, due, who, reason, case, win_cents=-due))
            case _:
                pass
    return tuple(found)
