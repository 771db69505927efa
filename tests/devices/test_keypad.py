"""The keypad: presses reported at once where holding means nothing, short kept from long where it does."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devices.keypad import HELD_NS, REST_NS, STUCK_NS, TAP_NS, KeypadSession
from firmware_protocols.codec import LineEnd
from firmware_protocols.keypad import matrix_orbital
from firmware_protocols.messages import KeyDown, KeyUp
from firmware_protocols.readings import DeviceComplained, KeyPressed, LineDisturbed, Reading
from simulators.devices.keypad import KeypadSimulator
from tests.devices.plain import PLAIN, PlainCodec

MS = 1_000_000
WIRE = PLAIN.open(LineEnd.DEVICE)


def keypad() -> KeypadSession:
    session = KeypadSession(PLAIN)
    session.connected(0)
    session.bytes_to_send()
    session.readings()
    return session


def down(session: KeypadSession, key: str, now_ns: int) -> tuple[Reading, ...]:
    session.receive(WIRE.encode(KeyDown(key)), now_ns)
    return session.readings()


def up(session: KeypadSession, key: str, now_ns: int) -> tuple[Reading, ...]:
    session.receive(WIRE.encode(KeyUp(key)), now_ns)
    return session.readings()


def test_it_is_set_up_on_every_connect() -> None:
    session = KeypadSession(matrix_orbital.CODEC)
    for _ in range(2):
        session.connected(0)
        assert session.bytes_to_send() == bytes.fromhex("FE 41 FE 7E 01")
        assert session.bytes_to_send() == b""
        session.disconnected(1)


class Unsettable(PlainCodec):
    """A keypad that only knows keys."""

    vocabulary = (KeyDown, KeyUp)


def test_a_keypad_without_settings_is_sent_nothing() -> None:
    session = KeypadSession(Unsettable())
    session.connected(0)
    assert session.bytes_to_send() == b""


def test_a_key_is_reported_when_it_goes_down() -> None:
    session = keypad()
    assert down(session, "K", 10) == (KeyPressed(at_ns=10, key="K"),)
    assert up(session, "K", 20) == ()


def test_a_key_held_long_that_nobody_waits_for_is_reported_once_and_short() -> None:
    session = keypad()
    assert down(session, "K", 0) == (KeyPressed(at_ns=0, key="K"),)
    session.handle_deadline(2 * HELD_NS)
    assert session.readings() == ()


def test_a_holdable_key_let_go_soon_is_a_short_press_dated_when_it_went_down() -> None:
    session = keypad()
    assert down(session, "X", 10) == ()
    assert up(session, "X", 10 + HELD_NS - 1) == ()
    assert session.next_deadline() == 10 + HELD_NS - 1 + REST_NS
    session.handle_deadline(10 + HELD_NS - 1 + REST_NS)
    assert session.readings() == (KeyPressed(at_ns=10, key="X", held=False),)


def test_a_holdable_key_is_reported_as_held_as_soon_as_it_is() -> None:
    session = keypad()
    down(session, "X", 10)
    assert session.next_deadline() == 10 + HELD_NS
    session.handle_deadline(10 + HELD_NS)
    assert session.readings() == (KeyPressed(at_ns=10, key="X", held=True),)
    assert up(session, "X", 10 + 2 * HELD_NS) == ()


def test_a_release_heard_before_the_deadline_was_served_still_counts_as_held() -> None:
    session = keypad()
    down(session, "X", 10)
    assert up(session, "X", 10 + HELD_NS) == (KeyPressed(at_ns=10, key="X", held=True),)


def test_down_again_without_up_is_the_same_press() -> None:
    session = keypad()
    down(session, "K", 0)
    # A contact that bounces, or a keypad in its repeating mode.
    assert [down(session, "K", at_ms * MS) for at_ms in (1, 60, 300)] == [()] * 3
    for at_ms in range(500, STUCK_NS // MS, 200):
        assert down(session, "K", at_ms * MS) == ()
    # Repeating beyond the stuck time is complained of, and still no second press.
    assert [type(reading) for reading in down(session, "K", STUCK_NS)] == [DeviceComplained]
    assert up(session, "K", STUCK_NS + 1) == ()
    assert down(session, "K", STUCK_NS + REST_NS + 1) == (KeyPressed(at_ns=STUCK_NS + REST_NS + 1, key="K"),)


@pytest.mark.parametrize(
    "edges_ms",
    [(0, 4, 9, 120), (0, 4, 9, 14, 19, 120), (0, 60, 85, 160), (0, 150, 155, 170), (0, 150, 189, 200)],
    ids=["as it goes down", "twice", "slowly", "as it comes up", "slowly as it comes up"],
)
@pytest.mark.parametrize("key", ["L", "X"])
def test_a_key_whose_contacts_bounce_is_one_press_although_it_was_let_go_between(
    key: str, edges_ms: tuple[int, ...]
) -> None:
    assert pressed(key, edges_ms) == [(0, False)]


@pytest.mark.parametrize("apart_ms", [90, 100, 140, 300])
@pytest.mark.parametrize("key", ["L", "X"])
def test_a_key_tapped_twice_as_fast_as_fingers_can_is_two_presses(key: str, apart_ms: int) -> None:
    assert pressed(key, (0, apart_ms - 40, apart_ms, apart_ms + 50)) == [(0, False), (apart_ms, False)]


def test_a_held_key_whose_contact_flickers_is_held_once() -> None:
    assert pressed("X", (0, 5, 10, 500, 503, 1_200)) == [(0, True)]


def test_a_key_that_will_not_stop_bouncing_is_one_press_and_complained_of_once() -> None:
    session = keypad()
    session.receive(b"".join(WIRE.encode(KeyDown("L")) + WIRE.encode(KeyUp("L")) for _ in range(100)), 0)
    press, complaint = session.readings()
    assert press == KeyPressed(at_ns=0, key="L")
    assert isinstance(complaint, DeviceComplained)
    assert (complaint.code, complaint.text) == ("bouncing_key", "key L has bounced 10 times in one press")


def test_a_key_that_came_up_as_the_line_went_was_pressed() -> None:
    session = keypad()
    down(session, "X", 10)
    up(session, "X", 20)
    session.disconnected(30)
    assert KeyPressed(at_ns=10, key="X", held=False) in session.readings()


def pressed(key: str, edges_ms: tuple[int, ...]) -> list[tuple[int, bool]]:
    """The presses of a key that goes down and comes up in turn at these milliseconds: when, and whether held."""
    session, readings = keypad(), list[Reading]()
    for number, at_ms in enumerate((*edges_ms, 20_000)):
        while (deadline_ns := session.next_deadline()) is not None and deadline_ns <= at_ms * MS:
            session.handle_deadline(deadline_ns)
            readings += session.readings()
        if number < len(edges_ms):
            readings += (up if number % 2 else down)(session, key, at_ms * MS)
    return [(one.at_ns // MS, one.held) for one in readings if isinstance(one, KeyPressed)]


# --- keypads that report no releases ----------------------------------------------------------------


def typed(session: KeypadSession, *presses: tuple[str, int]) -> list[tuple[str, int, bool]]:
    """The presses of a keypad that says these keys at these milliseconds, and then nothing for ten seconds."""
    readings: list[Reading] = []
    for key, at_ms in (*presses, ("", 20_000)):
        while (deadline_ns := session.next_deadline()) is not None and deadline_ns <= at_ms * MS:
            session.handle_deadline(deadline_ns)
            readings += session.readings()
        readings += down(session, key, at_ms * MS) if key else ()
    return [(one.key, one.at_ns // MS, one.held) for one in readings if isinstance(one, KeyPressed)]


def complaints(session: KeypadSession, *presses: tuple[str, int]) -> list[str]:
    for key, at_ms in presses:
        session.receive(WIRE.encode(KeyDown(key)), at_ms * MS)
    return [one.code for one in session.readings() if isinstance(one, DeviceComplained)]


@pytest.mark.parametrize("apart_ms", [400, 700, 1_199, 1_200, 2_500, 4_999])
def test_two_stands_within_five_seconds_are_two(apart_ms: int) -> None:
    """Two players stand one after the other, and the keypad reports no release."""
    assert typed(keypad(), ("L", 0), ("L", apart_ms)) == [("L", 0, False), ("L", apart_ms, False)]


@pytest.mark.parametrize("delay_ms", [500, 1_000])
def test_a_key_held_at_a_keypad_that_repeats_is_one_press(delay_ms: int) -> None:
    held = [("L", 0), *(("L", at_ms) for at_ms in range(delay_ms, delay_ms + 2_000, 200))]
    assert typed(keypad(), *held) == [("L", 0, False)]
    again = 6_000
    assert typed(keypad(), *held, ("L", again)) == [("L", 0, False), ("L", again, False)]


def test_a_keypad_that_was_seen_to_repeat_repeats() -> None:
    """Held just long enough to repeat once."""
    session = keypad()
    assert typed(session, ("L", 0), ("L", 500), ("L", 700)) == [("L", 0, False)]
    assert down(session, "L", 30_000 * MS) == (KeyPressed(at_ns=30_000 * MS, key="L"),)
    assert down(session, "L", 30_500 * MS) == ()
    session.handle_deadline(40_000 * MS)
    assert session.readings() == ()


def test_a_burn_tapped_twice_without_releases_is_two_short_presses_and_a_repeating_one_is_held() -> None:
    assert typed(keypad(), ("X", 0), ("X", 700)) == [("X", 0, False), ("X", 700, False)]
    repeating = [("X", 0), *(("X", at_ms) for at_ms in range(500, 1_800, 200))]
    assert typed(keypad(), *repeating) == [("X", 0, True)]


def test_that_releases_are_missing_is_complained_of_once_and_the_keypad_set_up_again() -> None:
    session = keypad()
    assert complaints(session, ("L", 0), ("L", 2_000), ("L", 4_000)) == ["no_releases"]
    simulator = KeypadSimulator(PLAIN)
    simulator.receive(session.bytes_to_send())
    assert simulator.is_set_up


def test_a_release_lost_on_the_line_swallows_no_press() -> None:
    session = keypad()
    assert down(session, "L", 0) == (KeyPressed(at_ns=0, key="L"),)
    assert down(session, "L", 600 * MS) == ()
    assert up(session, "L", 700 * MS) == (KeyPressed(at_ns=600 * MS, key="L"),)


def test_a_press_long_after_a_lost_release_is_a_new_one() -> None:
    session = keypad()
    down(session, "K", 0)
    assert KeyPressed(at_ns=STUCK_NS, key="K") in down(session, "K", STUCK_NS)


def test_up_without_down_means_nothing() -> None:
    assert up(keypad(), "K", 5) == ()


def test_a_stuck_key_is_complained_of_once_and_the_keypad_set_up_again() -> None:
    session = keypad()
    down(session, "K", 7)
    assert session.next_deadline() == 7 + STUCK_NS
    session.handle_deadline(7 + STUCK_NS)
    (complaint,) = session.readings()
    assert isinstance(complaint, DeviceComplained)
    assert (complaint.code, complaint.at_ns) == ("stuck_key", 7 + STUCK_NS)
    simulator = KeypadSimulator(PLAIN)
    simulator.receive(session.bytes_to_send())
    assert simulator.is_set_up
    session.handle_deadline(7 + 2 * STUCK_NS)
    assert session.readings() == ()
    assert session.next_deadline() is None


def test_a_key_cut_off_before_short_could_be_known_from_long_is_not_guessed() -> None:
    session = keypad()
    down(session, "X", 10)
    session.disconnected(20)
    complaint, _ = session.readings()
    assert isinstance(complaint, DeviceComplained)
    assert complaint.code == "cut_off"
    session.connected(30)
    session.readings()
    assert up(session, "X", 40) == ()


def test_noise_is_reported() -> None:
    session = keypad()
    session.receive(b"noise\n", 9)
    (fault,) = session.readings()
    assert isinstance(fault, LineDisturbed)
    assert (fault.device, fault.data, fault.at_ns) == ("keypad", b"noise\n", 9)


def test_a_key_cannot_be_stuck_before_it_is_held() -> None:
    with pytest.raises(ValueError, match="held before it is stuck"):
        KeypadSession(PLAIN, held_ns=5, stuck_ns=5)


@given(presses=st.lists(st.tuples(st.sampled_from("AKLX"), st.integers(1, 3 * HELD_NS)), max_size=12))
def test_every_press_is_reported_exactly_once_and_right(presses: list[tuple[str, int]]) -> None:
    session = keypad()
    readings: list[Reading] = []
    expected: list[Reading] = []
    now_ns = 0
    for key, length_ns in presses:
        now_ns += TAP_NS
        expected.append(KeyPressed(at_ns=now_ns, key=key, held=key == "X" and length_ns >= HELD_NS))
        readings += down(session, key, now_ns)
        end_ns = now_ns + length_ns
        while (deadline_ns := session.next_deadline()) is not None and deadline_ns <= end_ns:
            session.handle_deadline(deadline_ns)
            readings += session.readings()
        readings += up(session, key, end_ns)
        now_ns = end_ns
    session.handle_deadline(now_ns + TAP_NS)
    assert [*readings, *session.readings()] == expected
