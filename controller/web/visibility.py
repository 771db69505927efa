"""What each role may see: of a table, section by section, and whether its journals.

Without a role one sees what whoever stands at the table sees: the cards that lie open, the chips, the meters and the
limits. No alert, question, name or reason is in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple

import msgspec
from msgspec.structs import replace

from controller.formats.mqtt.envelope import Status
from controller.formats.mqtt.retained_layout import FeltNow
from controller.formats.mqtt.retained_meters import MetersNow
from controller.formats.mqtt.retained_state import Hold, Info, PaceNow, RoundNow
from controller.formats.orders.operators import ROLES, Role
from controller.web.table_view import EventEntry, KnownSection, TableView

AT_THE_TABLE: Final = frozenset({"currency", "felt", "hold", "info", "meters", "round", "shoe", "status"})
"""Sections that everybody is shown, narrowed by ``public_part``."""

FOR_THE_DEALER: Final = AT_THE_TABLE | {"advice", "asked", "devices", "epoch"}
FOR_THE_TECHNICIAN: Final = FOR_THE_DEALER | {"faults", "machine", "pace", "stream"}
EVERYTHING: Final = FOR_THE_TECHNICIAN | {"alerts", "log", "needs", "orders"}

SECTIONS: Final[dict[Role, frozenset[str]]] = {
    "dealer": FOR_THE_DEALER,
    "technician": FOR_THE_TECHNICIAN,
    "floor": EVERYTHING,
    "surveillance": EVERYTHING,
    "auditor": EVERYTHING,
}
"""What each role is shown of a table. An alert may be about the dealer: neither dealer nor technician is shown any."""

READS_JOURNALS: Final[frozenset[Role]] = frozenset({"floor", "surveillance", "auditor"})
"""Who may look at rounds and at the account of a shift."""

AWARD_PAID: Final = "jackpot_paid"

NO_MONEY: Final[dict[str, Any]] = {"bets": (), "average_bet_cents": None, "side_bet_per_mille": None}
"""Of the pace, where what the table takes is not published."""


class Sight(NamedTuple):
    """What somebody may see."""

    sections: frozenset[str]
    is_public: bool
    """Narrowed to what is seen at the table."""
    journals: bool

    def shown(self, view: TableView, since: int, wanted: frozenset[str]) -> Iterator[tuple[str, Any]]:
        """The sections that have changed since a version, of those that are wanted, as far as may be seen."""
        for name, section in view.sections.items():
            if section.version > since and name in wanted & self.sections:
                yield name, self._part(section)

    def _part(self, section: KnownSection) -> object:
        """What of a section may be seen; what a table wins is no matter of those who see no alert."""
        if self.is_public:
            return public_part(section.value)
        if isinstance(section.value, PaceNow) and "alerts" not in self.sections:
            return replace(section.value, figures=replace(section.value.figures, **NO_MONEY))
        return section.raw

    def lines(self, log: Iterable[EventEntry]) -> list[EventEntry]:
        """The events that may be seen; of the public's only that an award was paid, and when."""
        if "log" in self.sections:
            return list(log)
        paid = (one for one in log if one.name == AWARD_PAID)
        return [EventEntry(one.seq, one.time, one.name, {"jackpot": one.data["jackpot"]}) for one in paid]


WHOLE: Final = Sight(EVERYTHING, is_public=False, journals=True)
"""Of everybody, where nobody has to sign in."""


def sight_of(roles: Iterable[Role]) -> Sight:
    """What somebody of these roles may see; of none: what is seen at the table."""
    held = frozenset(roles)
    sections = AT_THE_TABLE.union(*(SECTIONS[role] for role in ROLES if role in held))
    return Sight(sections, is_public=not held, journals=bool(held & READS_JOURNALS))


class PublicMeter(msgspec.Struct, frozen=True):
    """A meter as its sign shows it."""

    meter: str
    shown_cents: int | None
    closed: str


class PublicMeters(msgspec.Struct, frozen=True):
    """The meters and the awards, without names, accounts or proposals."""

    seq: int
    meters: tuple[PublicMeter, ...]
    jackpots: tuple[Any, ...]
    linked: tuple[PublicMeter, ...]


def public_part(value: object) -> object:
    """What of a section is seen at the table."""
    match value:
        case FeltNow():
            return replace(value, wagers=(), questions=(), irregular="", legal_plays=None)
        case MetersNow():
            return PublicMeters(
                value.seq,
                tuple(PublicMeter(one.meter, one.shown_cents, "closed" if one.closed else "") for one in value.meters),
                tuple(replace(one, who="") for one in value.jackpots),
                tuple(PublicMeter(one.meter, one.shown_cents, "closed" if one.closed else "") for one in value.linked),
            )
        case Status():
            return replace(value, alarms=())
        case Info():
            return replace(value, version="", profile_hash="", formats={})
        case RoundNow():
            return replace(value, question=0)
        case Hold():
            return Hold("")
        case _:
            return value
