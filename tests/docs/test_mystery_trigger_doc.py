"""docs/reference/mystery-trigger.md against the program: its file is read, its frames are those of the codec."""

from __future__ import annotations

from pathlib import PurePath

from controller.formats.config.table_file import KnownNames
from controller.formats.config.trigger_file import read_trigger_config
from controller.formats.journal.records import Identity
from controller.reports.audit.mystery_proof import Bounds, commitment, moved_by, trigger_cents
from devices.trigger import mystery_trigger as session
from firmware_protocols import discovery
from firmware_protocols.mystery_trigger import tableside
from firmware_protocols.trigger_messages import TriggerCondition
from tests.docs.pages import blocks, page, sections

PAGE = page("mystery-trigger.md")
SECTIONS = sections(PAGE)


def test_its_file_is_read() -> None:
    (example,) = [block.text for block in blocks(PAGE) if block.kind == "toml box.toml"]
    config = read_trigger_config(example, "box.toml", PurePath("/etc"), KnownNames(discovery.codecs()))
    assert config.bounds.most_units == 100_000_000


def test_its_worked_example_is_the_programs() -> None:
    here, bounds = Identity("harbour", "bj-1", 7), Bounds(25_000, 100_000)
    share, key = bytes(range(32)), bytes(range(32, 64))
    (example,) = SECTIONS["The arithmetic, for an auditor"].blocks("text")
    moved = [moved_by(share, here, cycle, bounds.width) for cycle in (1, 2, 3)]
    assert commitment(key, here, 1, 25_050).hex() in example
    assert "{} ({} in cycle 2, {} in cycle 3)".format(*moved) in example
    assert f"trigger       {trigger_cents(25_050, share, here, 1, bounds)}" in example


def test_its_frames_are_those_of_the_codec() -> None:
    section = SECTIONS["For the maker of a box: the wire"]
    kinds = {row[0].strip("`") for row in section.rows()}
    layouts = (*tableside._COMMANDS, *tableside._REPORTS)
    assert kinds == {f"{layout.kind:02X}" for layout in layouts}
    names = (f"{place} {one.replace('_', ' ')}" for place, one in enumerate(TriggerCondition))
    conditions = "Conditions: " + ", ".join(names)
    assert f"{conditions}." in " ".join(PAGE.split())


def test_every_reason_for_a_closed_mystery_is_explained() -> None:
    reasons = [*session._DETAIL.values(), session._SET_BACK]
    assert SECTIONS["When the mystery is closed"].names()[::1] == reasons
