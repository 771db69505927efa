"""The sign: what a player reads is what the table says, within a second, through every trouble of the line."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from devices.sign import NOTICE_NS, SignSession
from firmware_protocols.readings import DeviceComplained, DeviceHealth, HealthState, Reading
from firmware_protocols.sign import alpha
from firmware_protocols.sign_messages import LayOutSign, RunPage, ShowAmount, ShowNotice, ShowPage
from simulators.devices.sign import SignSimulator
from simulators.devices.wire import NullModem
from simulators.faults.line_faults import Faults

S = 1_000_000_000
CAPTIONS = ("7S $", " MYSTERY $")


class Stage:
    """A session and its sign on a line of the protocol's speed."""

    def __init__(self, *, odometer: bool = False, mute: bool = False, faults: Faults | None = None) -> None:
        self.session = SignSession(alpha.CODEC, CAPTIONS, odometer=odometer)
        self.sign = SignSimulator(alpha.CODEC, mute=mute)
        self.modem: NullModem[Reading] = NullModem(
            self.session, self.sign, alpha.CODEC, paced=True, to_device=faults, to_host=faults
        )

    def up(self) -> None:
        self.modem.connect()
        self.pass_s(6)

    def pass_s(self, seconds: float) -> None:
        self.modem.run_until(self.modem.now_ns + int(seconds * S))

    def states(self) -> list[HealthState]:
        return [one.state for one in self.modem.readings if isinstance(one, DeviceHealth)]

    def complaints(self) -> list[tuple[str, str]]:
        return [(one.code, one.text) for one in self.modem.readings if isinstance(one, DeviceComplained)]


def stage(*, odometer: bool = False) -> Stage:
    made = Stage(odometer=odometer)
    made.session.show((1_234_567, 25_000))
    made.up()
    return made


def test_it_is_set_up_once_and_then_only_amounts_are_written() -> None:
    made = stage()
    assert made.sign.shown == "7S $   12,345.67 MYSTERY $      250.00"
    made.sign.heard.clear()
    for cents in range(25_010, 25_110, 10):
        made.session.show((1_234_567, cents))
        made.pass_s(1)
        assert made.sign.shown == f"7S $   12,345.67 MYSTERY $      {cents // 100}.{cents % 100:02d}"
    commands = [one for one in made.sign.heard if isinstance(one, ShowAmount | ShowPage | LayOutSign | RunPage)]
    assert len(commands) == 10
    assert {type(one) for one in commands} == {ShowAmount}
    assert made.states() == [HealthState.READY]


def test_until_the_truth_is_known_it_says_closed() -> None:
    made = Stage()
    made.up()
    assert made.sign.shown == "7S $      CLOSED MYSTERY $      CLOSED"
    made.session.show((500, None))
    made.pass_s(1)
    assert made.sign.shown == "7S $        5.00 MYSTERY $      CLOSED"


def test_a_hit_covers_the_page_at_once_and_for_a_minute() -> None:
    made = stage()
    made.session.show((5_000_000, 25_000), "JACKPOT $12,345.67 SPOT 3")
    made.pass_s(0.5)
    assert made.sign.shown == "JACKPOT $12,345.67 SPOT 3"
    made.pass_s(NOTICE_NS / S - 1)
    assert made.sign.shown == "JACKPOT $12,345.67 SPOT 3"
    made.pass_s(1.5)
    assert made.sign.shown == "7S $   50,000.00 MYSTERY $      250.00"
    made.pass_s(30)
    assert sum(isinstance(one, ShowNotice) and one.text != "" for one in made.sign.heard) == 1


def test_a_hit_that_was_settled_sooner_uncovers_the_page() -> None:
    made = stage()
    made.session.show((5_000_000, 25_000), "JACKPOT")
    made.pass_s(5)
    made.session.show((5_000_000, 25_000))
    made.pass_s(0.5)
    assert made.sign.shown == "7S $   50,000.00 MYSTERY $      250.00"


def test_an_odometer_runs_up_and_arrives_within_a_second() -> None:
    made = stage(odometer=True)
    made.sign.read.clear()
    made.session.show((1_234_600, 25_000))
    made.pass_s(1)
    assert [text[4:16].strip() for text in made.sign.read] == ["12,345.84", "12,346.00"]
    made.sign.read.clear()
    made.session.show((100, 25_000))
    made.pass_s(1)
    assert [text[4:16].strip() for text in made.sign.read] == ["1.00"]


@pytest.mark.parametrize("trouble", ["forgets everything", "holds something else", "meets an error"])
def test_a_sign_that_is_not_what_it_was_set_to_be_is_set_up_anew(trouble: str) -> None:
    made = stage()
    match trouble:
        case "forgets everything":
            made.sign.forget()
        case "holds something else":
            made.sign.spoil(2, "999,999.99")
        case _:
            made.sign.upset()
    made.pass_s(15)
    assert made.sign.shown == "7S $   12,345.67 MYSTERY $      250.00"
    assert made.complaints()
    assert made.states() == [HealthState.READY]


def test_what_it_held_wrongly_is_reported() -> None:
    made = stage()
    made.sign.spoil(2, "999,999.99")
    made.pass_s(15)
    assert made.complaints() == [("sign_differs", "field 2 showed '999,999.99', not '250.00'")]


def test_a_sign_that_keeps_meeting_errors_is_faulty_until_it_does_not() -> None:
    made = stage()
    for _ in range(40):
        made.sign.upset("parity")
        made.pass_s(1)
    assert made.states() == [HealthState.READY, HealthState.FAULTY]
    made.pass_s(15)
    assert made.states()[-1] is HealthState.READY


def test_a_mute_sign_is_faulty_and_shows_the_amounts_all_the_same() -> None:
    made = Stage(mute=True)
    made.session.show((1_234_567, 25_000))
    made.up()
    assert made.states() == [HealthState.FAULTY]
    made.session.show((1_234_568, 25_000))
    made.pass_s(1)
    assert made.sign.shown == "7S $   12,345.68 MYSTERY $      250.00"


def test_a_line_that_comes_back_brings_the_amounts_of_now() -> None:
    made = stage()
    made.modem.disconnect()
    made.session.show((1_300_000, None))
    made.pass_s(5)
    assert made.sign.shown == "7S $   12,345.67 MYSTERY $      250.00"
    made.up()
    assert made.sign.shown == "7S $   13,000.00 MYSTERY $      CLOSED"
    assert made.states() == [HealthState.READY, HealthState.LOST, HealthState.READY]


def test_an_amount_too_long_for_its_field_is_not_cut() -> None:
    made = stage()
    made.session.show((123_456_789_012, 12_345_678_901_234))
    made.pass_s(1)
    assert made.sign.shown == "7S $------------ MYSTERY $------------"
    made.session.show((12_345_678_901, 25_000))
    made.pass_s(1)
    assert made.sign.shown == "7S $123456789.01 MYSTERY $      250.00"


@settings(max_examples=30)
@example(  # a question was on its way when the second meter rose
    amounts=[(None, 0), (None, 0), (None, 0), (0, 4)], pauses_ms=[0, 0, 200] + [0] * 9, odometer=True
)
@given(
    amounts=st.lists(st.tuples(st.none() | st.integers(0, 10**9), st.integers(0, 10**5)), min_size=1, max_size=12),
    pauses_ms=st.lists(st.integers(0, 1_500), min_size=12, max_size=12),
    odometer=st.booleans(),
)
def test_whatever_the_amounts_do_the_last_one_stands_within_a_second(
    amounts: list[tuple[int | None, int]], pauses_ms: list[int], odometer: bool
) -> None:
    made = stage(odometer=odometer)
    for (left, right), pause_ms in zip(amounts, pauses_ms, strict=False):
        made.session.show((left, right))
        made.pass_s(pause_ms / 1_000)
    made.pass_s(1)
    left, right = amounts[-1]
    shown = made.sign.shown
    assert shown[4:16].strip().replace(",", "") == ("CLOSED" if left is None else f"{left // 100}.{left % 100:02d}")
    assert shown[-12:].strip().replace(",", "") == f"{right // 100}.{right % 100:02d}"
