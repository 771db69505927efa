"""``tableside check``: whether a table file can be run."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from controller.commands.terminal import AS_JSON, REFUSED, refuse, say, say_json

MADE_BY_SERVICE: Final = Path("/var/lib/tableside")
"""The service makes a table's folder in it as it starts (``StateDirectory`` of systemd/tableside@.service)."""

LIMITS: Final = ("minimum_cents", "maximum_cents", "side_maximum_cents")

ONE_ODD_OF: Final = 100
"""A house may have chips of two makes, whose ids differ in length; fewer than one in so many are no second make."""

ODD_SHOWN: Final = 3
"""Ids that are named."""

RENUMBERED: Final = ("/dev/ttyUSB", "/dev/ttyACM")
"""What the kernel calls adapters in the order in which it finds them."""

if TYPE_CHECKING:
    from controller.core.game.rules import Rules
    from controller.formats.config.table_file import Config
    from controller.formats.text.struct_decoder import Mistake
    from controller.io.files.table_file import TableFile


@click.command("check")
@AS_JSON
@click.argument("table_file", type=click.Path(path_type=Path))
def command(table_file: Path, *, as_json: bool) -> None:
    """Check TABLE_FILE and what it points to: profile, chip registry, key, journal, list of the program.

    Each mistake is one line. For each meter, the chance that one wager wins it is printed. A key that the service
    manager keeps (credential:NAME) is checked only within the service. The limits of the table's sign are printed in
    money. A second copy that cannot be kept, and a port that is missing now or may become another device's, give a
    warning. Exit status: 0 fit to run, 2 mistakes.
    """
    from controller.commands.table_program import unpaired_lines
    from controller.formats.text.printable import many
    from controller.formats.text.toml_schema import ConfigError
    from controller.io.files.table_file import load_table

    credentials = os.environ.get("CREDENTIALS_DIRECTORY")
    try:
        table = load_table(
            table_file,
            credentials,
            within_service=credentials is not None,
            beside=partial(mistakes_beside, credentials=credentials),
        )
    except ConfigError as error:
        unfit(error.lines, as_json=as_json)
        return
    section, rules = table.config.table, table.profile.rules
    remarks = tuple(map(table.remark, remarks_on(table.config, rules)))
    layout = (*spots_beyond(table.config, rules), *unseen_bets(table.config, rules))
    chips_doubted = (*lacks(table), *odd_ids(table))
    doubts = (*unpaired_lines(table.config), *layout, *small_limits(rules), *chips_doubted, *table.profile.warnings)
    warnings = (*doubtful_ports(table), *map(table.remark, doubts))
    if as_json:
        whose = {"site": section.site, "table": section.name, "profile": table.profile.rules.name}
        figures = {"remarks": remarks, "warnings": warnings, "chips": len(table.chips)}
        say_json({"fit": True, "mistakes": (), **whose, **figures})
        return
    for line in remarks:
        say(line)
    for line in warnings:
        say(f"tableside: warning: {line}", style="warning")
    chips = many(len(table.chips), "chip")
    say(f"{table_file}: {section.site}/{section.name}, {table.profile.title}, {chips}: fit to run")


def unfit(mistakes: tuple[str, ...], *, as_json: bool) -> None:
    """Say what is wrong, a line each, and end."""
    if as_json:
        say_json({"fit": False, "mistakes": mistakes})
        sys.exit(REFUSED)
    refuse(*mistakes)


def remarks_on(config: Config, rules: Rules) -> Iterator[str]:
    """What was not looked at, what the table runs without, and how likely one wager is to win each meter."""
    from controller.formats.config.meter_odds import odds_lines
    from controller.formats.config.table_file import is_credential
    from controller.io.copies.second_copy import CopyPlace, remark

    section = config.table
    if is_credential(section.key_file):
        yield f"[table] key_file: {section.key_file} exists only within the service: not checked"
    if section.second_copy is not None:
        lacking = remark(CopyPlace(Path(section.second_copy)), Path(section.journal))
        if lacking:
            yield f"[table] second_copy: {section.second_copy}: {lacking}"
    yield from limit_lines(rules)
    yield from odds_lines((*config.meters, *config.linked_meters), rules)


def limit_lines(rules: Rules) -> Iterator[str]:
    """The limits of the table's sign in money, where it has any: the file gives them in cents."""
    from controller.core.table.alert_list import money

    least, most, side = (getattr(rules.options, key) for key in LIMITS)
    if least or most:
        upper = f" to {money(most)}" if most else " and more"
        amounts = f"{money(least)}{upper}" if least else f"up to {money(most)}"
        yield f"[options] {LIMITS[0] if least else LIMITS[1]}: main bets {amounts}"
    if side:
        yield f"[options] {LIMITS[2]}: side bets up to {money(side)}"


def small_limits(rules: Rules) -> Iterator[str]:
    """A line for each limit under a dollar: whoever wrote it may have meant dollars."""
    from controller.core.table.alert_list import money

    for key in LIMITS:
        cents = getattr(rules.options, key)
        if 0 < cents < 100:
            yield f"[options] {key}: {cents} cents are {money(cents)}; write {100 * cents} for {money(100 * cents)}"


def mistakes_beside(config: Config, key: bytes, credentials: str | None) -> Iterator[str]:
    """What `run` would refuse of what a table file names beside its profile, registry and keys."""
    yield from access_mistakes(config, key, credentials)
    yield from (*journal_mistakes(config, key), *software_mistakes(config))


def access_mistakes(config: Config, _: bytes, credentials: str | None) -> Iterator[str]:
    """What cannot be used of the files by which a table reaches its broker, and people the table."""
    yield from (*broker_mistakes(config, credentials), *channel_mistakes(config, credentials))


def broker_mistakes(config: Config, credentials: str | None) -> Iterator[str]:
    """What `run` would refuse of the broker's files; credentials are there within the service only."""
    import msgspec

    from controller.commands.table_program import NO_BROKER
    from controller.formats.config.table_file import is_credential
    from controller.io.mqtt.connection import Broker

    section = config.broker
    if section is None:
        yield NO_BROKER
        return
    files = {name: getattr(section, name) for name in ("password_file", "tls_key_file")}
    looked_at: dict[str, Any] = {name: None for name, file in files.items() if file is not None and is_credential(file)}
    try:
        Broker.from_section(msgspec.structs.replace(section, **looked_at), credentials)
    except OSError as error:
        yield str(error)


def channel_mistakes(config: Config, credentials: str | None) -> Iterator[str]:
    """What `run` would refuse of the operator channel's files."""
    from controller.daemon.operator_orders import NoChannel, listening
    from controller.formats.config.table_file import is_credential
    from controller.io.files.secret_files import is_kept

    section = config.operator
    if section is None:
        return
    if section.directory is not None and not Path(section.directory).is_dir():
        yield (
            f"[operator] directory: {section.directory}: there is no such folder;"
            " make it, as systemd/tableside.tmpfiles.conf shows"
        )
    key = section.key_file or ""
    if section.listen is not None and not is_credential(key):
        try:
            listening(section, kept_by_service=is_kept(key, credentials))
        except NoChannel as error:
            yield from (f"[operator] {line}" for line in error.lines)


def journal_mistakes(config: Config, key: bytes) -> Iterator[str]:
    """What `run` would refuse of the journal: its place, and whose it is. What is in it `run` and `verify` look at."""
    from controller.io.journal.append import not_ours
    from controller.io.journal.errors import JournalDamaged, NotAJournal
    from controller.io.journal.lock import misplaced
    from controller.io.journal.reader import JournalReader

    section = config.table
    path = Path(section.journal)
    is_made_at_start = path.is_relative_to(MADE_BY_SERVICE)
    try:
        if path.is_file() and path.stat().st_size:
            with JournalReader(path) as reader:
                refused = not_ours(reader, section.site, section.name, key or None)
        else:
            refused = "" if is_made_at_start and not path.is_dir() else misplaced(path)
    except PermissionError:
        # Who checks need not be who runs the table.
        return
    except (NotAJournal, JournalDamaged, OSError) as error:
        refused = str(error)
    if refused:
        yield f"[table] journal: {refused}"


def software_mistakes(config: Config) -> Iterator[str]:
    """What `run` would refuse of the list of the program's files; the files themselves `run` looks at."""
    from controller.io.operators.software import NoSoftwareList, SoftwareChanged, read_list

    section = config.table
    if section.software is None:
        return
    try:
        read_list(Path(section.software), section.software_key)
    except (NoSoftwareList, SoftwareChanged) as error:
        yield f"[table] software: {error}"


def lacks(table: TableFile) -> Iterator[str]:
    """A line for each thing without which the table runs and does not do what it is for."""
    from controller.formats.config.table_file import zones_seen

    config = table.config
    if not table.chips and any(section.values == "registry" for section in config.bet_spots):
        yield f"[table] chips: {config.table.chips} lists no chip: whatever is laid counts as nothing"
    if config.tap is not None and not (folder := Path(config.tap.socket).parent).is_dir():
        yield f"[tap] socket: there is no folder {folder} now: displays are served once it is made"
    meanings = set(table.keys.values())
    for spot in sorted({spot for spot, zone in zones_seen(config) if zone == "main"}):
        if str(spot) not in meanings:
            yield f'[keypad.keys]: no key means "{spot}": no key that the dealer presses can speak of spot {spot}'


def odd_ids(table: TableFile) -> Iterator[str]:
    """A line if a few ids of the registry are longer or shorter than the others, as an id that was cut is."""
    lengths = Counter(map(len, table.chips))
    if len(lengths) < 2:
        return
    usual, count = lengths.most_common(1)[0]
    odd = [chip for chip in table.chips if len(chip) != usual]
    if len(odd) <= max(1, count // ONE_ODD_OF):
        shown = ", ".join(odd[:ODD_SHOWN]) + (" and others" if len(odd) > ODD_SHOWN else "")
        yield f"[table] chips: {table.config.table.chips}: {shown}: the other ids have {usual} hex digits; is it whole?"


def unseen_bets(config: Config, rules: Rules) -> Iterator[str]:
    """The bets of the rules that neither a reader nor a sensor sees at spots with a reader, by spots."""
    from controller.formats.config.table_file import zones_seen

    seen = {*zones_seen(config), *((spot, unit.bet) for unit in config.bet_sensors for spot in unit.spots)}
    spots = sorted({spot for spot, _ in zones_seen(config)})
    unseen: dict[tuple[str, ...], list[str]] = {}
    for bet in (*(("insurance",) if rules.insurance else ()), *rules.side_bets):
        blind = tuple(str(spot) for spot in spots if (spot, bet) not in seen)
        if blind:
            unseen.setdefault(blind, []).append(bet)
    for blind, bets in unseen.items():
        where = f"{'spot' if len(blind) == 1 else 'spots'} {', '.join(blind)}"
        yield f"[bet_spots] {', '.join(bets)}: no reader watches {where}: such a wager is neither seen nor counted"


def spots_beyond(config: Config, rules: Rules) -> Iterator[str]:
    """A line for each spot with a reader beyond the boxes that the rules give the layout."""
    from controller.formats.config.table_file import zones_seen
    from controller.formats.text.printable import many

    given = "boxes" in config.options
    for spot in sorted({spot for spot, _ in zones_seen(config)}):
        if spot > rules.boxes:
            boxes = many(rules.boxes, "box", "boxes")
            if given:
                yield f"[options] boxes: {boxes}, and a reader watches spot {spot}: raise it, or leave out that reader"
            else:
                yield f"[bet_spots] spot {spot}: the profile's layout has {boxes}; [options] boxes may say otherwise"


def doubtful_ports(table: TableFile) -> tuple[str, ...]:
    """A line for each port that is not there now, or that may be another device's tomorrow.

    A device may be plugged in later, and a single adapter keeps its number, so neither is a mistake.
    """
    from controller.formats.text.toml_schema import placed

    doubts = (*not_plugged_in(table.config), *renumbered(table.config))
    return placed(table.text, str(table.path), doubts).lines


def renumbered(config: Config) -> Iterator[Mistake]:
    """Each port that is named by a number which another device may have after a reboot."""
    from controller.formats.config.table_file import port_places
    from controller.formats.text.struct_decoder import Mistake

    for place, port in port_places(config):
        if port.startswith(RENUMBERED):
            wanted = "name it as `tableside devices` does (usb:...), or by /dev/serial/by-id or /dev/serial/by-path"
            yield Mistake(place, f"{port} may be another device after a reboot; {wanted}")


def not_plugged_in(config: Config) -> Iterator[Mistake]:
    """Each port that is not there now."""
    from controller.formats.config.table_file import port_places
    from controller.formats.config.trigger_file import UNIX
    from controller.formats.text.struct_decoder import Mistake
    from controller.formats.text.toml_schema import SERVERS
    from controller.formats.text.usb_names import SCHEME, NotPluggedIn, choose
    from controller.io.lines.ports import plugged_in

    for place, port in port_places(config):
        missing = ""
        if port.startswith(SCHEME):
            try:
                choose(port, plugged_in())
            except NotPluggedIn as error:
                missing = str(error)
        elif not port.startswith(SERVERS) and not Path(port.removeprefix(UNIX)).exists():
            missing = f"{port} is not there now"
        if missing:
            yield Mistake(place, f"{missing}; `tableside devices` lists what is plugged in")
