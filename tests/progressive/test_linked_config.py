"""The table file's section about linked meters, their keys, and the links made of them."""

from __future__ import annotations

import random
from pathlib import Path, PurePath

import pytest
import zmq
from msgspec.structs import replace

from controller.core.messages.inputs import PoolEntryRead, PoolReading, PoolStateRead
from controller.core.meters.pool_postings import ContributionOutcome, WagerPosting
from controller.core.meters.pooled_meter import PendingPosting, PooledMeter, PooledTerms, PostingBacklog
from controller.core.meters.state import Progressives
from controller.core.table.desired import Desired
from controller.core.table.state import State
from controller.daemon.pool_links import LinkEndParts, OtherPool, PoolLink, PoolLinks
from controller.formats.config.pooled_meters import LinkedMeterSection, OtherLink, linked_profile_checks, linked_terms
from controller.formats.config.table_file import Config, read_config
from controller.formats.journal.records import Identity
from controller.formats.text.moments import HOUR_NS
from controller.formats.text.toml_schema import ConfigError
from controller.io.files import profile_files
from controller.io.files.secret_files import SecretRefused, read_curve_secret, write_secret
from controller.io.system.clock import SystemClock
from controller.pool.postings import LedgerEntry
from controller.pool.session import PoolState, PostingConfirmed
from firmware_protocols.readings import DeviceComplained
from tests.progressive.test_meter_config import METERS, TABLE

KEY = "a" * 40
LINKED = f"""\
[[linked_meters]]
name = "pit_sevens"
pool = "pit-1"
fed_by = ["blazing7s"]
link = "10.20.0.5:7400"
link_key = "{KEY}"
key_file = "pit.key"
title = "Blazing 7's of the pit"
[[signs]]
protocol = "alpha"
port = "/dev/sign"
meters = ["pit_sevens"]
"""


def others(*addresses: str) -> str:
    """The key of further link processes."""
    entries = ", ".join(f'{{link = "{address}", link_key = "{KEY}"}}' for address in addresses)
    return f"other_links = [{entries}]"


def read(text: str = LINKED) -> Config:
    return read_config(TABLE + text, "bj-1.toml", PurePath("/etc"))


def test_a_linked_meter_is_as_the_file_says() -> None:
    (section,) = read().linked_meters
    assert section.key_file == "/etc/pit.key"
    assert linked_terms((section,)) == (
        PooledTerms("pit_sevens", "pit-1", ("blazing7s",), "Blazing 7's of the pit", 24 * HOUR_NS),
    )
    (refusing,) = linked_terms((replace(section, while_closed="refuse"),))
    assert refusing.while_closed == "refuse"
    rules = profile_files.load("hollywood-penn-national", {}).rules
    assert list(linked_profile_checks((section,), rules)) == []


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ('"blazing7s"', '"blazing8s"', "fed_by: expected some of"),
        ('"blazing7s"', '"ez_bust"', "fed_by: ez_bust is made after the deal and feeds no meter"),
        ("10.20.0.5:7400", "10.20.0.5:74000", "link: expected HOST:PORT with a port of at most 65535"),
        ("10.20.0.5:7400", "10.20.0.5", "link: expected HOST:PORT"),
        (KEY, "a" * 39, "link_key: expected a public key"),
        ('"pit-1"', '"Pit 1"', "pool: expected a name of at most 32 lower-case letters"),
        (
            'key_file = "pit.key"',
            f'key_file = "pit.key"\n{others("10.20.0.6:74000")}',
            "other_links.link: expected HOST:PORT with a",
        ),
        (
            'key_file = "pit.key"',
            f'key_file = "pit.key"\n{others("10.20.0.5:7400")}',
            "10.20.0.5:7400 is given twice; another",
        ),
        ("link_key", "link_kye", "unknown key; did you mean link_key?"),
        ('meters = ["pit_sevens"]', 'meters = ["sevens"]', "meters: no meter is called sevens"),
    ],
)
def test_a_mistake_is_named(before: str, after: str, message: str) -> None:
    assert LINKED.count(before) == 1
    with pytest.raises(ConfigError) as refused:
        read(LINKED.replace(before, after))
    assert any(message in line for line in refused.value.lines), refused.value.lines


def test_meters_that_get_in_each_others_way_are_named() -> None:
    second = LINKED[: LINKED.index("[[signs]]")]
    with pytest.raises(ConfigError) as refused:
        read(METERS.replace('"/dev/sign"', '"/dev/sign2"') + LINKED.replace('"pit_sevens"', '"sevens"') + second)
    message = "\n".join(refused.value.lines)
    for expected in (
        "name: sevens is the name of another meter",
        "rows of blazing7s are paid by meter sevens already",
        "pool pit-1 is given twice",
    ):
        assert expected in message


def test_a_wager_no_row_of_which_pays_a_part_of_a_meter_is_named() -> None:
    rules = profile_files.load("hollywood-penn-national", {}).rules
    (section,) = read().linked_meters
    bonus = replace(section, fed_by=("five_card_progressive",))
    assert list(linked_profile_checks((bonus,), rules)) == [
        "[[linked_meters]] pit_sevens: fed_by: no row of these wagers pays a part of a meter"
    ]
    other = profile_files.load("borgata", {}).rules
    assert next(iter(linked_profile_checks((section,), other))) == (
        "[[linked_meters]] pit_sevens: fed_by: profile borgata does not offer blazing7s"
    )


def test_a_key_that_others_may_read_or_that_is_none_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "pit.key"
    secret = zmq.curve_keypair()[1]
    write_secret(path, secret + b"\n")
    assert read_curve_secret(path) == secret
    path.chmod(0o640)
    with pytest.raises(SecretRefused, match=r"others may read .* chmod 600"):
        read_curve_secret(path)
    assert read_curve_secret(path, kept_by_service=True) == secret
    path.chmod(0o600)
    path.write_text("short")
    with pytest.raises(SecretRefused, match="expected the secret half of a CURVE pair; run: tableside keys curve"):
        read_curve_secret(path)


# --- the links made of it ---------------------------------------------------------------------------------

OWED = tuple(PendingPosting(seq, WagerPosting(500)) for seq in (2, 3))
KNOWN = PooledMeter("pit_sevens", "pit-1", posted=3, owed=OWED)


def sections() -> tuple[LinkedMeterSection, ...]:
    public, _ = zmq.curve_keypair()
    return tuple(replace(section, link_key=public.decode()) for section in read().linked_meters)


def ends(delivered: list[PoolReading | DeviceComplained]) -> LinkEndParts:
    _, secret = zmq.curve_keypair()
    return LinkEndParts(
        Identity("harbour", "bj-1", 1), {"pit_sevens": secret}, SystemClock(), delivered.append, random.Random(1)
    )


def links(known: PooledMeter | None = KNOWN, others: tuple[OtherLink, ...] = ()) -> PoolLinks:
    linked = () if known is None else (known,)
    named = tuple(replace(section, other_links=others) for section in sections())
    return PoolLinks(named, ends([]), State(progressives=Progressives(linked=linked)))


def test_a_name_that_stood_for_another_pool_is_refused() -> None:
    with pytest.raises(OtherPool, match="posts to pool pit-9 under that name; give the meter of pool pit-1 another"):
        links(replace(KNOWN, pool="pit-9"))


def test_what_the_journal_owes_is_posted_once_and_what_waits_is_said() -> None:
    made = links()
    assert made.remarks() == ("pit_sevens closed, the link is away, 2 postings wait",)
    more = (*OWED, PendingPosting(4, WagerPosting(100)))
    for _ in range(2):
        made.apply(Desired(owing=(PostingBacklog("pit_sevens", 4, more), PostingBacklog("nobodys", 1, ()))))
    assert made.remarks() == ("pit_sevens closed, the link is away, 3 postings wait",)
    assert links(None).remarks() == ("pit_sevens closed, the link is away",)
    assert [name for name, _ in made.services()] == ["link of pit_sevens"]


def test_of_several_links_the_one_that_is_spoken_to_is_said() -> None:
    (section,) = sections()
    made = links(others=(OtherLink("10.20.0.6:7400", section.link_key),))
    assert made.remarks() == ("pit_sevens at 10.20.0.5:7400 closed, the link is away, 2 postings wait",)


def test_what_the_table_knows_already_is_not_read_again() -> None:
    delivered: list[PoolReading | DeviceComplained] = []
    (section,) = sections()
    end = PoolLink(section, ends(delivered), KNOWN)
    counted = LedgerEntry(9, 1_000_085, ContributionOutcome(850_000, 150_000))
    for event in (
        PoolState(777, ""),
        PoolState(777, ""),
        PostingConfirmed(2, counted),
        PoolState(1_000_085, ""),
        PoolState(None, "away"),
    ):
        end.take_event(event)
    kinds = [(type(one), one.shown_cents) for one in delivered if not isinstance(one, DeviceComplained)]
    assert kinds == [(PoolStateRead, 777), (PoolEntryRead, 1_000_085), (PoolStateRead, None)]


def test_what_is_wrong_with_a_link_is_reported_as_of_a_device() -> None:
    delivered: list[PoolReading | DeviceComplained] = []
    (section,) = sections()
    PoolLink(section, ends(delivered), KNOWN).complain("10.20.0.5:7400: too many messages a second")
    (alarm,) = delivered
    assert isinstance(alarm, DeviceComplained)
    assert (alarm.device, alarm.code) == ("link of pit_sevens", "talks_too_much")
