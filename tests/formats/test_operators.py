"""Who may order what: every verb by every role, and nobody in another's name."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.formats.orders.operators import (
    PROTOCOL,
    RIGHTS,
    ROLES,
    STATUS,
    ChannelUser,
    OperatorRefused,
    Role,
    read_operators,
    read_request,
    request_frames,
)
from controller.formats.orders.requests import VERBS
from controller.formats.text.toml_schema import ConfigError

TABLE = "harbour/bj-1"
KEYS = ["4nC={n>i9m(dF.OtnoC#/Mv>Q==%=CMpk(d:(6lp", "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7"]
FILE = f"""
[[operator]]
name = "M. Okafor"
roles = ["floor"]
keys = ["{KEYS[0]}"]

[[operator]]
name = "J. Lee"
roles = ["surveillance", "auditor"]
keys = ["{KEYS[1]}"]
"""


def asked(verb: str, *roles: Role, name: str = "", **body: object) -> dict[str, object]:
    asking = ChannelUser(frozenset(roles), name)
    found = read_request(request_frames(TABLE, verb, body), TABLE, asking)
    assert found.verb == verb
    return msgspec.json.decode(found.payload, type=dict[str, object])


def test_every_verb_is_somebodys() -> None:
    assert set(RIGHTS) == {STATUS, *VERBS}
    assert all(RIGHTS.values())


@pytest.mark.parametrize("verb", RIGHTS)
@pytest.mark.parametrize("role", ROLES)
def test_a_role_may_what_is_its_own_and_nothing_else(verb: str, role: Role) -> None:
    if role in RIGHTS[verb]:
        assert asked(verb, role, question=1) == {"question": 1}
    else:
        with pytest.raises(OperatorRefused, match=f"{verb} is for .*; you are {role}"):
            asked(verb, role)


def test_an_auditor_orders_nothing() -> None:
    assert [verb for verb, roles in RIGHTS.items() if "auditor" in roles] == [STATUS]


def test_money_is_the_floors_alone() -> None:
    assert {RIGHTS[verb] for verb in ("void", "adjust", "set-card", "assign-card")} == {frozenset({"floor"})}


def test_who_comes_with_a_key_asks_in_their_own_name() -> None:
    assert asked("void", "floor", name="M. Okafor", round=1) == {"round": 1, "who": "M. Okafor"}
    assert asked("void", "floor", name="M. Okafor", who="M. Okafor") == {"who": "M. Okafor"}
    with pytest.raises(OperatorRefused, match=r"your key is M\. Okafor's"):
        asked("void", "floor", name="M. Okafor", who="J. Lee")


def test_another_tables_request_is_refused() -> None:
    with pytest.raises(OperatorRefused, match="this is table harbour/bj-1"):
        read_request(request_frames("harbour/bj-2", "void", {}), TABLE, ChannelUser(frozenset(ROLES)))


@given(frames=st.lists(st.binary(max_size=50), max_size=6))
def test_bytes_that_are_no_request_are_refused(frames: list[bytes]) -> None:
    with pytest.raises(OperatorRefused):
        read_request(frames, TABLE, ChannelUser(frozenset(ROLES), "M. Okafor"))


@given(payload=st.binary(max_size=50).filter(lambda one: not one.strip().startswith(b"{")))
def test_a_request_in_a_name_must_be_an_object(payload: bytes) -> None:
    with pytest.raises(OperatorRefused, match="expected a JSON object"):
        read_request([PROTOCOL, TABLE.encode(), b"void", payload], TABLE, ChannelUser(frozenset(ROLES), "M. Okafor"))


def test_the_file_says_who_has_which_key() -> None:
    assert read_operators(FILE, "operators.toml") == {
        KEYS[0]: ChannelUser(frozenset({"floor"}), "M. Okafor"),
        KEYS[1]: ChannelUser(frozenset({"surveillance", "auditor"}), "J. Lee"),
    }


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ('"floor"', '"boss"', "operators.toml:4: "),
        (KEYS[0], "short", "operators.toml:5: "),
        (KEYS[1], KEYS[0], "the key is M. Okafor's"),
        ("J. Lee", "M. Okafor", "given twice"),
        ("[[operator]]", "[[operators]]", "operators.toml:2: "),
        ("[[operator]]", "[[operator]]\nname = " + "[" * 2000, "nested deeper than 32"),
        ("roles = [", "roles = ", "operators.toml:4: "),
    ],
)
def test_mistakes_are_reported_by_line(before: str, after: str, message: str) -> None:
    with pytest.raises(ConfigError) as error:
        read_operators(FILE.replace(before, after), "operators.toml")
    assert message in error.value.lines[0]
    assert "\n" not in error.value.lines[0]


@pytest.mark.parametrize(("mark", "named"), [("\\u202e", "U+202E"), ("\\n", "U+000A"), ("\\u001b", "U+001B")])
def test_a_name_in_the_file_reads_as_it_is(mark: str, named: str) -> None:
    """No order in it would be taken."""
    with pytest.raises(
        ConfigError, match=rf"expected plain text on one line, got the unseen character U\+{named[2:]}; type it"
    ):
        read_operators(FILE.replace("J. Lee", f"J. {mark}eeL"), "operators.toml")


@pytest.mark.parametrize("unseen", ["   ", "\\u200b", "\\u3164", "\\u202e"])
def test_a_name_in_the_file_can_be_seen(unseen: str) -> None:
    with pytest.raises(ConfigError, match="expected a name that can be seen"):
        read_operators(FILE.replace("J. Lee", unseen), "operators.toml")
