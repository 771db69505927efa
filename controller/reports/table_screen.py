"""A table on one screen of a terminal, in the words of the pages: certain, open, asked, corrected, in doubt.

Made of published events alone. Rows of plain text with their marks come out; how they look is the terminal's business.
"""

from __future__ import annotations

from collections import deque
from enum import StrEnum
from typing import Final, NamedTuple

from controller.core.messages.alerts import PlayBlocked, PlayUnblocked
from controller.core.messages.events import DeviceStatusChanged, TableStarted
from controller.core.messages.raised_alerts import AlertAcknowledged, AlertRaised
from controller.core.table.shoe import ShoeAccount
from controller.formats.mqtt.envelope import Published
from controller.formats.mqtt.retained_layout import DEALER, FeltNow, FeltPicture, WagerNow
from controller.formats.text.printable import dollars, net
from controller.reports.live_narrative import LiveNarrator
from controller.reports.status import NOT_RUNNING, shoe_after

LINES: Final = 12
"""The latest lines of the account that are kept."""

ALERTS: Final = 100
"""Alerts that wait and are kept by their words; the rest is counted."""


class Certainty(StrEnum):
    """How sure something is, as every page says it."""

    CERTAIN = "certain"
    OPEN = "open"
    ASKED = "asked"
    CORRECTED = "corrected"
    IN_DOUBT = "in doubt"
    WAITING = "not settled yet"


class ScreenLine(NamedTuple):
    """A spot or the dealer: the cards of each hand, what is bet, and each due with its mark."""

    spot: str
    cards: str
    bets: str
    dues: tuple[tuple[Certainty, str], ...]
    is_asked: bool = False


class ScreenNow(NamedTuple):
    """The whole screen."""

    title: str
    spots: tuple[ScreenLine, ...]
    asked: tuple[str, ...]
    troubles: tuple[str, ...]
    lines: tuple[str, ...]


class TableScreen:
    """Follows the events of a table, in order, from the first."""

    def __init__(self) -> None:
        self._felt = FeltPicture()
        self._teller = LiveNarrator()
        self._lines: deque[str] = deque(maxlen=LINES)
        self._last: Published | None = None
        self._profile = ""
        self._devices: dict[str, str] = {}
        self._closed: dict[str, str] = {}
        self._alerts: dict[int, str] = {}
        self._more_alerts = 0
        self._shoe = ShoeAccount()
        self.is_stopped = False
        """Whether the daemon is known not to run."""

    def take(self, one: Published) -> None:
        """One more event."""
        self._last = one
        self._felt.take(one.seq, one.event)
        self._shoe = shoe_after(self._shoe, one.event)
        lines = [line.strip() for line in self._teller.tell(one.event) if line]
        self._lines.extend(f"{one.time[11:19]}  {line}" for line in lines)
        match one.event:
            case TableStarted(_, profile):
                self._profile, self._devices = profile, {}
            case DeviceStatusChanged(device, state):
                self._devices[device] = str(state)
            case PlayBlocked(cause, reason):
                self._closed[cause] = reason
            case PlayUnblocked(cause):
                self._closed.pop(cause, None)
            case AlertRaised(number, _, severity, text):
                if len(self._alerts) < ALERTS:
                    self._alerts[number] = f"{severity}: {text}"
                else:
                    self._more_alerts += 1
            case AlertAcknowledged(number):
                self._more_alerts -= self._alerts.pop(number, None) is None and self._more_alerts > 0
            case _:
                pass

    def now(self) -> ScreenNow:
        """The screen after the last event."""
        felt = self._felt.now()
        asked = tuple(f"{one.text} [{' / '.join(one.choices)}]" for one in felt.questions)
        return ScreenNow(self._title(felt), tuple(_spots(felt)), asked, self._troubles(felt), tuple(self._lines))

    def _title(self, felt: FeltNow) -> str:
        if self._last is None:
            return "no event yet"
        identity = self._last.identity
        phase = "being played" if felt.open else (felt.outcome or "no round yet")
        plays = "" if felt.legal_plays is None else f" · {felt.legal_plays} legal play{'s' * (felt.legal_plays != 1)}"
        drawn = f"{self._shoe.drawn} of {self._shoe.decks * 52} drawn"
        shoe = f" · shoe {self._shoe.shoe}: {drawn}" if self._shoe.shoe else ""
        when = self._last.time[:19].replace("T", " ")
        whose = f"{identity.site}/{identity.table} · {self._profile}"
        return f"{whose} · round {felt.round} {phase}{plays}{shoe} · event {felt.seq} at {when}"

    def _troubles(self, felt: FeltNow) -> tuple[str, ...]:
        found = [f"the daemon {NOT_RUNNING}"] if self.is_stopped else []
        found += [f"CLOSED no round may begin: {reason}" for reason in self._closed.values()]
        found += [f"IRREGULAR {felt.irregular}"] if felt.irregular else []
        found += [f"{device} is {state}" for device, state in sorted(self._devices.items()) if state != "ready"]
        found += list(self._alerts.values())
        return (*found, f"{self._more_alerts} more alerts") if self._more_alerts else tuple(found)


def mark(wager: WagerNow) -> Certainty:
    """How sure a due is."""
    if wager.disputed:
        return Certainty.IN_DOUBT
    if wager.net_cents is None:
        return Certainty.OPEN if wager.possible_cents else Certainty.WAITING
    is_changed = wager.before_cents is not None and wager.before_cents != wager.net_cents
    return Certainty.CORRECTED if is_changed else Certainty.CERTAIN


def due(wager: WagerNow) -> str:
    """What a wager is due, and why."""
    bet = "" if wager.bet == "main" else f"{wager.bet} "
    match mark(wager):
        case Certainty.WAITING:
            return f"{bet}{dollars(wager.wager_cents)}"
        case Certainty.OPEN:
            return f"{bet}{' or '.join(net(cents) for cents in wager.possible_cents)}"
        case Certainty.CORRECTED:
            return f"{bet}{net(wager.before_cents or 0)} -> {net(wager.net_cents or 0)} by {wager.who}: {wager.why}"
        case _:
            return f"{bet}{net(wager.net_cents or 0)} {wager.why} [{wager.basis}]"


def _spots(felt: FeltNow) -> list[ScreenLine]:
    named = {one.spot for one in felt.zones} | {one.spot for one in felt.wagers}
    named |= {one.spot for one in felt.cards if one.spot is not None}
    lines = [ScreenLine("dealer", _cards(felt, DEALER), "", ())]
    for spot in sorted(named - {DEALER}):
        lying = " ".join(
            dollars(one.cents) + ("" if one.zone == "main" else f" {one.zone}")
            for one in felt.zones
            if one.spot == spot and one.cents
        )
        dues = tuple((mark(one), due(one)) for one in felt.wagers if one.spot == spot)
        asked = any(one.spot == spot for one in felt.questions)
        lines.append(ScreenLine(str(spot), _cards(felt, spot), lying, dues, asked))
    unplaced = [one.face or "##" for one in felt.cards if one.spot is None]
    return lines + ([ScreenLine("?", " ".join(unplaced), "", ())] if unplaced else [])


def _cards(felt: FeltNow, spot: int) -> str:
    hands = sorted({one.hand or 0 for one in felt.cards if one.spot == spot})
    totals = {(one.spot, one.hand): one.total for one in felt.hands}
    doubled = {(one.spot, one.hand) for one in felt.doubles}
    found = []
    for hand in hands:
        mine = [one.face or "##" for one in felt.cards if one.spot == spot and (one.hand or 0) == hand]
        total = totals.get((spot, hand))
        end = "" if total is None else (" broke" if total > 21 else f" = {total}")
        found.append(" ".join(mine) + end + (" doubled" if (spot, hand) in doubled else ""))
    return " | ".join(found) + (" surrendered" if spot in felt.surrendered_spots else "")
