"""Many tables at a real broker, each as the pictures it retains: what a pit page is tried with."""

from __future__ import annotations

from typing import Final

import msgspec
from msgspec.structs import replace

from controller.formats.mqtt.envelope import Topics, device_bytes, status_bytes
from controller.formats.mqtt.retained_alerts import AlertNow, AlertsNow
from controller.formats.mqtt.retained_layout import FeltNow, QuestionNow
from controller.formats.mqtt.retained_meters import JackpotNow, LinkedNow, MetersNow, OrderNow
from controller.formats.mqtt.retained_state import (
    BetFigures,
    DeviceFigures,
    Hold,
    Info,
    PaceFigures,
    PaceNow,
    RoundNow,
    SpotNow,
)
from controller.io.mqtt.connection import CheckedClient
from controller.io.system.clock import SystemClock
from controller.reports.pace import average_bet, side_share

SITE: Final = "harbour"
BETS: Final = (
    BetFigures("lucky_ladies", 22_000, 7_000, None, 44, 22_000),
    BetFigures("main", 1_250_000, 41_500, 4_556, 240, 1_080_000),
)
PLAYED: Final = PaceFigures(
    *(3_500, 60, 62, 0, {}, 4, 0, 3_000, {}, 0, 1, (DeviceFigures("shoe", "ready", 0, 0, 0, 0),), BETS),
    average_bet_cents=average_bet(BETS),
    side_bet_per_mille=side_share(BETS),
)
UNLIKE_OTHERS: Final = replace(PLAYED, open_rounds=1, irregular=3, void_rounds=2)
"""An hour with rounds that did not end as others do."""

FELT: Final = FeltNow(812, 60, True, (), (), (), (), ())


AS_OF: Final = "2026-11-21T21:14:07.000000Z"
"""When the figures of the last hour were made."""


class TablePictures(msgspec.Struct, frozen=True):
    """What one table retains."""

    round: RoundNow = RoundNow(812, 60, "playing", 0, 12, (SpotNow(1, 2_500, 0), SpotNow(4, 10_000, 0)))
    felt: FeltNow = FELT
    pace: PaceFigures = PLAYED
    info: Info = Info("0.1.0", "hollywood-penn-national", "00" * 32, {}, 2_500, 200_000)
    alerts: tuple[AlertNow, ...] = ()
    meters: MetersNow | None = None
    devices: tuple[tuple[str, str, str], ...] = (("shoe", "ready", ""), ("keypad", "ready", ""))
    alarms: tuple[str, ...] = ()
    state: str = "online"
    hold: str = ""


def phase(name: str) -> RoundNow:
    """The round as it stands in this phase."""
    return replace(TablePictures().round, phase=name)


def asks(text: str) -> TablePictures:
    """A table that asks."""
    question = QuestionNow(7, 60, 2, text, ("2", "3"))
    return TablePictures(felt=replace(FELT, questions=(question,)), pace=UNLIKE_OTHERS)


def irregular(reason: str) -> TablePictures:
    """A table whose round no legal play explains."""
    return TablePictures(round=phase("irregular"), felt=replace(FELT, irregular=reason))


def alerted(text: str, severity: str = "warning") -> TablePictures:
    """A table with an alert that nobody has acknowledged."""
    alert = AlertNow(3, "bet_touched", severity, text, 60, 3, "main", "2026-11-21T11:08:34.000000Z")
    return TablePictures(alerts=(alert,))


def metered(*, jackpot: bool = False, order: str = "") -> TablePictures:
    """A table on a pool; with an award to be verified, or an order of this person's."""
    linked = LinkedNow("sevens", "pit-1", 900_961, "", 3, 0, 5, 2, 0, 0, 0, 0, 0)
    hit = JackpotNow(1, "sevens", 60, 4, "three_diamonds", 1_000_085, "pending", "")
    wanted = OrderNow(4, "sevens", {}, order, "as counted")
    orders = (wanted,) if order else ()
    return TablePictures(meters=MetersNow(812, (), (hit,) if jackpot else (), orders, 0, (linked,)))


class Floor:
    """Tables of one site. ``identity`` in no event: these tables publish pictures only."""

    def __init__(self, client: CheckedClient) -> None:
        self._client = client

    async def show(self, table: str, shown: TablePictures) -> None:
        """Retain what a table shows now."""
        topics, now = Topics(SITE, table), SystemClock().wall_ns()
        states = {
            "round": shown.round,
            "felt": shown.felt,
            "pace": PaceNow(812, shown.pace, "2026-11-21T21:14:07.000000Z"),
        }
        states |= {"alerts": AlertsNow(812, len(shown.alerts), shown.alerts)}
        states |= {"meters": shown.meters} if shown.meters else {}
        for name, picture in states.items():
            await self._retain(topics.state(name), msgspec.json.encode(picture))
        await self._retain(topics.state("hold"), msgspec.json.encode(Hold(shown.hold)) if shown.hold else b"")
        await self._retain(topics.info, msgspec.json.encode(shown.info))
        for device, state, detail in shown.devices:
            await self._retain(topics.device(device), device_bytes(state, detail, now))
        await self._retain(topics.status, status_bytes(shown.state, 1, now, shown.alarms))

    async def _retain(self, topic: str, payload: bytes) -> None:
        await self._client.publish(topic, payload, 1, True)


def sixty() -> dict[str, TablePictures]:
    """A whole floor in the evening: most tables play, some need somebody."""
    tables = {f"bj-{number:02}": TablePictures(round=phase(PHASES[number % 4])) for number in range(1, 61)}
    tables |= {f"bj-{number:02}": TablePictures(pace=UNLIKE_OTHERS) for number in range(5, 61, 10)}
    return tables | {
        "bj-07": asks("Spot 2, first hand: how many cards lie?"),
        "bj-12": irregular("no legal play explains the evidence: spot 4 has a card too many"),
        "bj-19": alerted("spot 1 main: 50.00 became 25.00, which is what lay there before it was touched"),
        "bj-23": TablePictures(hold="record 50 could not be stepped; see its event internal_error"),
        "bj-31": metered(jackpot=True),
        "bj-32": metered(),
        "bj-33": metered(),
        "bj-38": metered(order="A. Ames"),
        "bj-44": TablePictures(devices=(("shoe", "lost", "no answer on /dev/shoe"),)),
        "bj-51": TablePictures(round=phase("closed")),
        "bj-52": TablePictures(pace=replace(PLAYED, rounds_per_hour=31)),
        "bj-60": TablePictures(state="offline"),
    }


PHASES: Final = ("bets_open", "dealing", "playing", "closing")
