"""A trigger box's file: whose box it is, its keys and store, the lines to the table and to the noise source. TOML 1.0.

Every mistake is reported, one line each, as for a table file. Relative paths are relative to the file's directory.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePath
from typing import Annotated, Any, Final

import msgspec

from controller.formats.config.table_file import KnownNames, is_credential
from controller.formats.text.struct_decoder import Mistake
from controller.formats.text.toml_schema import File, Name, Section, Text, read_sections
from controller.formats.text.usb_names import PATTERN as USB_PATTERN
from devices.trigger import CLAIMED_BITS
from firmware_protocols.trigger_messages import UNITS_PER_CENT

UNIX: Final = "unix:"
"""Begins the name of a local socket."""

TABLES_USER: Final = "tableside"
"""As whom tables run unless the file says otherwise."""

Serial = Annotated[
    str,
    msgspec.Meta(pattern=r"^[!-~]{1,16}\Z", description="a serial number of at most 16 printable characters"),
]
LinePort = Annotated[
    str,
    msgspec.Meta(
        pattern=rf"^(/.+|unix:/.+|{USB_PATTERN})\Z",
        description="a path such as /dev/serial/by-id/..., usb:VID:PID:SERIAL, or unix:/path for a local socket",
    ),
]
NoisePort = Annotated[
    str,
    msgspec.Meta(
        pattern=rf"^(/.+|{USB_PATTERN})\Z",
        description="a path such as /dev/serial/by-id/... or usb:VID:PID:SERIAL",
    ),
]
TriggerCents = Annotated[int, msgspec.Meta(ge=1, le=10**11, description="whole cents from 1 to 100000000000")]
Bits = Annotated[float, msgspec.Meta(gt=0, le=8, description="bits of min-entropy a byte, above 0 and at most 8")]


class BoxSection(Section, frozen=True):
    """``[box]``: the table it serves, its own serial number, its store, and the keys of two roles."""

    site: Name
    table: Name
    serial: Serial
    store: File
    operations_key_file: File
    surveillance_key_file: File


class LineSection(Section, frozen=True):
    """``[line]``: where the table's daemon is reached, and the key that only it and the box have.

    ``user``: as whom the daemon runs, on a local socket; processes of other users are not listened to there.
    """

    port: LinePort
    protocol: Text = "tableside"
    pairing_key_file: File | None = None
    user: Text = TABLES_USER


class RngSection(Section, frozen=True):
    """``[rng]``: the noise source, and how good it is claimed to be."""

    port: NoisePort
    protocol: Text = "truerng"
    claimed_bits: Bits = CLAIMED_BITS


class BoundsSection(Section, frozen=True):
    """``[bounds]``: from what to below what the number is drawn, and the largest contribution that is plausible."""

    reset_cents: TriggerCents
    ceiling_cents: TriggerCents
    most_contribution_cents: TriggerCents

    @property
    def most_units(self) -> int:
        """The largest contribution in units of 1/10,000 cent."""
        return self.most_contribution_cents * UNITS_PER_CENT


class TriggerConfig(Section, frozen=True):
    """A trigger box's file without mistakes, its paths resolved."""

    box: BoxSection
    line: LineSection
    rng: RngSection
    bounds: BoundsSection


def read_trigger_config(text: str, name: str, directory: PurePath, known: KnownNames) -> TriggerConfig:
    """The file ``name`` whose content is ``text``; ``known``: the protocols that there are.

    Raises:
        ConfigError: with a line for each mistake found.
    """
    config = read_sections(TriggerConfig, text, name, lambda found: _cross_checks(found, known))
    return _resolved(config, directory)


def _cross_checks(config: TriggerConfig, known: KnownNames) -> Iterable[Mistake]:
    for section, kind, protocol in (
        ("line", "mystery_trigger", config.line.protocol),
        ("rng", "rng", config.rng.protocol),
    ):
        if wrong := known.protocol_mistake(kind, protocol):
            yield Mistake((section, "protocol"), wrong)
    bounds, box = config.bounds, config.box
    if bounds.reset_cents >= bounds.ceiling_cents:
        yield Mistake(("bounds", "ceiling_cents"), f"expected more than reset_cents, {bounds.reset_cents}")
    if box.operations_key_file == box.surveillance_key_file:
        yield Mistake(("box", "surveillance_key_file"), "the two roles keep a key each, not one between them")
    if config.line.port == config.rng.port:
        yield Mistake(("rng", "port"), f"{config.rng.port} is already the port of [line]")


def _resolved(config: TriggerConfig, directory: PurePath) -> TriggerConfig:
    files: dict[str, Any] = {
        key: str(directory / given)
        for key in ("store", "operations_key_file", "surveillance_key_file")
        if not is_credential(given := getattr(config.box, key))
    }
    pairing = config.line.pairing_key_file
    if pairing is not None and not is_credential(pairing):
        line = msgspec.structs.replace(config.line, pairing_key_file=str(directory / pairing))
        config = msgspec.structs.replace(config, line=line)
    return msgspec.structs.replace(config, box=msgspec.structs.replace(config.box, **files))
