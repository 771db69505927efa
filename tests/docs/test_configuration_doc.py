"""docs/reference/configuration.md against the program: its example is read, its mistakes made, nothing left out."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path
from typing import Final

import msgspec
import pytest

from controller.core.game.rule_checks import OPTION_RANGES
from controller.core.game.rules import Options
from controller.core.table.keymap import DEFAULT_KEYS, MEANINGS
from controller.formats.config import meters, pooled_meters, sensors, table_file
from controller.formats.text.struct_decoder import Mistake, decode
from controller.formats.text.toml_schema import ConfigError
from controller.io.files import profile_files
from controller.io.files.key_file import create_key, read_key
from controller.io.files.table_file import TableFile, load_table
from devices.chips.bet_spots import GAP_NS, BetSpotsSession
from firmware_protocols import discovery
from tests.docs.pages import blocks, page, sections

PAGE: Final = page("configuration.md")
SECTIONS: Final = sections(PAGE)
FILES: Final = {block.kind.partition(" ")[2]: block for block in blocks(PAGE)}
EXAMPLE: Final = FILES["table.toml"].text
KINDS: Final[dict[str, type[msgspec.Struct]]] = {
    "[table]": table_file.TableSection,
    "[broker]": table_file.BrokerSection,
    "[operator]": table_file.OperatorSection,
    "[tap]": table_file.TapSection,
    "[line_feed]": table_file.LineFeedSection,
    "[shoe]": table_file.ShoeSection,
    "[[bet_spots]]": table_file.BetSpotsSection,
    "A row of zones": table_file.ZoneRow,
    "[keypad]": table_file.KeypadSection,
    "[[meters]]": meters.MeterSection,
    "[[linked_meters]]": pooled_meters.LinkedMeterSection,
    "[trigger]": meters.TriggerSection,
    "[[signs]]": meters.SignSection,
    "[[bet_sensors]]": sensors.BetSensorsSection,
    "[options]": Options,
}
MUST: Final = "must be given"


class Zeros:
    def take(self, count: int) -> bytes:
        return bytes(count)


def written(directory: Path, text: str = EXAMPLE) -> Path:
    """The page's files, as it says to make them."""
    (directory / "chips.csv").write_text(FILES["chips.csv"].text)
    create_key(directory / "table.key", Zeros())
    path = directory / "table.toml"
    path.write_text(text)
    return path


def read(directory: Path, text: str = EXAMPLE) -> TableFile:
    # The service manager keeps the key; here it lies beside the table file.
    return load_table(written(directory, text), credentials=str(directory))


def refused(directory: Path, text: str) -> list[str]:
    with pytest.raises(ConfigError) as error:
        read(directory, text)
    return [line.removeprefix(f"{directory}/") for line in error.value.lines]


def mistakes() -> list[tuple[str, str, str]]:
    """What stands in the example, what stands there instead, and what is said."""
    lines = FILES["mistakes"].text.splitlines()
    found = []
    for change, message in zip(lines[::2], lines[1::2], strict=True):
        before, _, after = change.partition("  ->")
        found.append((before, after.strip(), message.strip()))
    return found


def test_the_example_is_fit_to_run(tmp_path: Path) -> None:
    table = read(tmp_path)
    assert (table.config.table.site, table.config.table.name) == ("harbour", "bj-1")
    assert len(table.chips) == 3
    assert (table.keys["J"], table.keys["X"], table.keys["K"]) == ("burn", "0", "hit")
    assert table.profile.rules.options.payout_unit_cents == 50


def test_every_section_of_the_file_is_described_and_no_other() -> None:
    described = {heading.strip("[]") for heading in SECTIONS if heading.startswith("[")}
    assert described == {field.name for field in msgspec.structs.fields(table_file.Config)}


@pytest.mark.parametrize("heading", KINDS)
def test_every_key_is_described_with_its_default(heading: str) -> None:
    rows = {row[0].strip("`"): row for row in SECTIONS[heading].rows()}
    fields = {field.encode_name: field for field in msgspec.structs.fields(KINDS[heading])}
    assert sorted(rows) == sorted(fields)
    for name, field in fields.items():
        assert rows[name][2].strip("`").strip('"') == default_of(field), f"{heading} {name}"


@pytest.mark.parametrize("heading", KINDS)
def test_every_example_of_a_key_is_read(heading: str) -> None:
    rows = [row for row in SECTIONS[heading].rows() if len(row) > 4 and row[4].startswith("`")]
    examples = {row[0].strip("`"): row[4].strip("`") for row in rows}
    for name, example in examples.items():
        # Keys are left out on the page: nobody shall use the one that stands there.
        shown = example.replace('"..."', f'"{"0" * 40}"')
        found: list[Mistake] = []
        decode(KINDS[heading], tomllib.loads(f"{name} = {shown}"), (), found)
        assert [one for one in found if one.path[:1] == (name,)] == [], (heading, name)


def default_of(field: msgspec.structs.FieldInfo) -> str:
    if field.required:
        return MUST
    by_another = {"agreeing": "2", "gap_ms": str(GAP_NS // 1_000_000), "turn_key": "by the keypad"}
    given = field.default if field.default is not msgspec.NODEFAULT else None
    if isinstance(given, bool):
        return str(given).lower()
    if given and isinstance(given, tuple):
        return str(list(given))
    return by_another.get(field.name) or (str(given) if given not in (None, (), {}) else "none")


def test_every_counted_option_has_its_range() -> None:
    ranges = {row[0].strip("`"): row[1].replace("10^12", str(10**12)) for row in SECTIONS["[options]"].rows()}
    counted = {name: cell for name, cell in ranges.items() if not cell.startswith("`")}
    assert counted == {name: f"{least} to {most}" for name, (least, most) in OPTION_RANGES.items()}


def test_two_inventories_agree_unless_something_else_is_said() -> None:
    assert BetSpotsSession.__init__.__kwdefaults__ is not None
    assert BetSpotsSession.__init__.__kwdefaults__["agreeing"] == 2


def test_the_zones_shown_are_read(tmp_path: Path) -> None:
    shown = "\n".join(re.findall(r"^    (.*)$", SECTIONS["A row of zones"].text, re.MULTILINE))
    text = EXAMPLE.replace("spots = [1, 2, 3, 4, 5, 6, 7]", shown).replace("antennas = {main = 1, insurance = 2}", "")
    rows = read(tmp_path, text).config.bet_spots[0].zones
    assert [(row.address, row.antenna, row.spot, row.zone) for row in rows] == [(11, 1, 1, "main"), (11, 2, 2, "main")]


def test_every_key_of_the_keypad_has_its_meaning() -> None:
    rows = [(row[0].strip("`"), row[1].strip("`")) for row in SECTIONS["The keys"].rows()]
    assert rows == list(DEFAULT_KEYS.items())


def test_the_meanings_that_no_key_has_by_default_are_described_too() -> None:
    others = sorted(MEANINGS - set(DEFAULT_KEYS.values()))
    undescribed = [name for name in others if f"`{name}`" not in SECTIONS["The keys"].text]
    assert undescribed == [], "configuration.md, below the rows of 'The keys': expected each of these as `name`"


def test_every_protocol_is_named() -> None:
    # A generator of random numbers belongs to the trigger box, and the table file names none.
    there = {name for kind, names in discovery.codecs().items() if kind != "rng" for name in names}
    after = PAGE[PAGE.index("The protocols that come with the program") :]
    assert set(re.findall(r"`(\w+)`", after[: after.index("\n\n")])) == there


@pytest.mark.parametrize(("before", "after", "message"), mistakes(), ids=lambda text: str(text)[:40])
def test_a_mistake_is_reported_as_the_page_says(before: str, after: str, message: str, tmp_path: Path) -> None:
    assert EXAMPLE.count(before) == 1, before
    lines = refused(tmp_path, EXAMPLE.replace(before, after))
    assert len(lines) == 1
    whole = not message.endswith(" ...")
    assert lines[0] == message if whole else lines[0].startswith(message.removesuffix("..."))


def test_mistakes_beside_the_table_file_are_reported_as_the_page_says(tmp_path: Path) -> None:
    path = written(tmp_path, EXAMPLE.replace("credential:table.key", "bj-1.key"))
    (tmp_path / "chips.csv").write_text("id,value_cents\nE0,5.00\nE00401502092A102,500\nE00401502092A102,500\n")
    key = (tmp_path / "table.key").rename(tmp_path / "bj-1.key")
    lines: list[str] = []
    for mistake in (lambda: None, lambda: key.write_text("12"), lambda: key.chmod(0o644), key.unlink):
        mistake()
        with pytest.raises(ConfigError) as error:
            load_table(path)
        lines += [line.replace(f"{tmp_path}/", "") for line in error.value.lines]
    rows = SECTIONS["What mistakes look like"].rows()
    assert len(rows) == 5
    for _, message in rows:
        wanted = message.strip("`").removesuffix("...")
        assert any(line.startswith(wanted) for line in lines), wanted


def test_the_command_that_makes_a_key_makes_one(tmp_path: Path) -> None:
    subprocess.run(["sh", "-c", FILES["table.key"].text], cwd=tmp_path, check=True, capture_output=True)
    assert len(read_key(tmp_path / "bj-1.key")) == 32


def test_only_what_the_page_says_must_be_there(tmp_path: Path) -> None:
    text = re.sub(r"\[options\].*?(?=\[shoe\])", "", EXAMPLE, flags=re.DOTALL)
    assert read(tmp_path, text).config.broker is None
    for section in ("[table]", "[shoe]", "[keypad]"):
        (tmp_path / "table.key").unlink()
        bare = re.sub(rf"^{re.escape(section)}\n(?:[^\[\n].*\n)*", "", EXAMPLE, flags=re.MULTILINE)
        if section == "[keypad]":
            bare = bare.partition("[keypad.keys]")[0]
        assert any(f"{section}: missing" in line for line in refused(tmp_path, bare))


def test_a_houses_own_profile_lies_beside_its_table_file(tmp_path: Path) -> None:
    own = profile_files.text_of("hollywood-penn-national").replace("natural_pays = [3, 2]", "natural_pays = [6, 5]")
    (tmp_path / "own.toml").write_text(own)
    named = EXAMPLE.replace('profile = "hollywood-penn-national"', 'profile = "own.toml"')
    folder = tmp_path / "other"
    folder.mkdir()
    table = read(tmp_path, named)
    assert table.profile.rules.natural_pays == (6, 5)
    assert table.profile.hash != read(folder).profile.hash
