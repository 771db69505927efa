"""Every picture of a table that is retained at the broker, as bytes, step by step."""

from __future__ import annotations

import copy
from collections.abc import Iterable

import msgspec

from controller.core.messages.events import Event
from controller.core.messages.house import House
from controller.core.table.state import State
from controller.formats.mqtt.retained_alerts import alerts_bytes
from controller.formats.mqtt.retained_layout import FeltPicture
from controller.formats.mqtt.retained_meters import meters_bytes
from controller.formats.mqtt.retained_orders import orders_bytes
from controller.formats.mqtt.retained_state import PaceNow, advice_bytes, round_bytes
from controller.reports.pace import Pace, figures, pace_after


class Pictures:
    """Those below ``state/`` that are made of what a step has published and left."""

    def __init__(self) -> None:
        self._felt = FeltPicture()
        self._pace = Pace()

    def fork(self) -> Pictures:
        """The same pictures, to be gone on with in another way."""
        other = Pictures()
        other._felt, other._pace = copy.deepcopy(self._felt), self._pace
        return other

    def after(self, house: House, state: State, events: Iterable[Event], at_ns: int) -> tuple[bytes, ...]:
        """Round, advice, alerts, orders, felt, meters and pace after a step that published these events."""
        published = list(events)
        for seq, event in enumerate(published, start=state.seq - len(published) + 1):
            self._felt.take(seq, event)
            self._pace = pace_after(self._pace, event, at_ns)
        return (
            round_bytes(house, state),
            advice_bytes(state),
            alerts_bytes(state),
            orders_bytes(house, state),
            msgspec.json.encode(self._felt.now()),
            meters_bytes(state),
            msgspec.json.encode(PaceNow(state.seq, figures(self._pace))),
        )
