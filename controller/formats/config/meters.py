"""The sections of a table file about meters, the trigger box and signs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated, Literal

import msgspec

from controller.core.game.rules import Rules
from controller.core.game.side_bet import find, names
from controller.core.meters.meter import Parameters
from controller.core.meters.pooled_meter import WhileClosed
from controller.core.meters.state import MeterTerms
from controller.formats.text.struct_decoder import Mistake, shown
from controller.formats.text.toml_positions import Path as KeyPath
from controller.formats.text.toml_schema import SERVER_PATTERN, File, Port, Section, Text, ZoneName
from controller.formats.text.usb_names import PATTERN as USB_PATTERN
from devices.sign import WIDTH
from firmware_protocols.sign_messages import FIELDS_LIMIT

MeterName = Annotated[
    str,
    msgspec.Meta(
        pattern=r"^[a-z][a-z0-9_]{0,31}\Z",
        description="a name of at most 32 lower-case letters, digits and _, beginning with a letter",
    ),
]
MeterCents = Annotated[int, msgspec.Meta(ge=0, lt=10**14, description="whole cents, 0 or more")]
Share = Annotated[tuple[int, int], msgspec.Meta(description="a part of the wager such as [17, 100]")]
Caption = Annotated[
    str, msgspec.Meta(pattern=r"^[ -~]{0,40}\Z", description="a caption of at most 40 printable characters")
]
Width = Annotated[int, msgspec.Meta(ge=4, le=40, description="a width of 4 to 40 characters")]
TriggerPort = Annotated[
    str,
    msgspec.Meta(
        pattern=rf"^(/.+|unix:/.+|{USB_PATTERN}|{SERVER_PATTERN})\Z",
        description="a path such as /dev/serial/by-id/..., unix:/path for a local socket, usb:VID:PID:SERIAL or"
        " socket://host:port",
    ),
]


class MeterSection(Section, frozen=True):
    """``[[meters]]``: a progressive meter this table counts.

    Base, reset value and limit of a must-hit-by meter are the profile's, for the trigger box draws between them.
    """

    name: MeterName
    fed_by: Annotated[tuple[ZoneName, ...], msgspec.Meta(min_length=1, description="a list of side wagers")]
    rate: Share
    unreasonable_cents: MeterCents
    pays: Literal["rows", "mystery"] = "rows"
    base_cents: MeterCents | None = None
    reset_cents: MeterCents | None = None
    limit_cents: MeterCents = 0
    hidden_rate: Share = (0, 1)
    title: Text | None = None
    while_closed: WhileClosed = "stand"


class TriggerSection(Section, frozen=True):
    """``[trigger]``: the mystery trigger box. ``serial``: refuse any other; ``pairing_key_file``: as the box has it."""

    port: TriggerPort
    protocol: Text = "tableside"
    serial: Text | None = None
    pairing_key_file: File | None = None


class SignSection(Section, frozen=True):
    """``[[signs]]``: a sign, the meters it shows in this order, and the caption before each."""

    protocol: Text
    port: Port
    meters: Annotated[tuple[MeterName, ...], msgspec.Meta(min_length=1, description="a list of meters")]
    captions: Annotated[tuple[Caption, ...], msgspec.Meta(description="a list of captions")] = ()
    width: Width = WIDTH
    odometer: bool = False


def meter_checks(
    meters: Sequence[MeterSection],
    trigger: TriggerSection | None,
    signs: Sequence[SignSection],
    linked: Sequence[str] = (),
) -> Iterable[Mistake]:
    """What does not fit together, as far as it can be known without the profile; ``linked``: meters of many tables."""
    known = [meter.name for meter in meters]
    for place, meter in enumerate(meters):
        path: KeyPath = ("meters", place)
        if known.index(meter.name) != place:
            yield Mistake((*path, "name"), f"{meter.name} is given twice")
        for bet in meter.fed_by:
            if bet not in names():
                yield Mistake((*path, "fed_by"), f"expected some of {', '.join(names())}, got {shown(bet)}")
            elif find(bet).placed != "before_deal":
                yield Mistake((*path, "fed_by"), f"{bet} is made after the deal and feeds no meter")
        yield from parameter_checks(meter, path)
    mysteries = [place for place, meter in enumerate(meters) if meter.pays == "mystery"]
    if len(mysteries) > 1:
        yield Mistake(("meters", mysteries[1], "pays"), "a table has one must-hit-by meter at most")
    if bool(mysteries) != (trigger is not None):
        yield Mistake(
            ("meters", mysteries[0]) if mysteries else ("trigger",), "a must-hit-by meter and [trigger] go together"
        )
    for place, sign in enumerate(signs):
        yield from sign_checks(sign, ("signs", place), [*known, *linked])


def parameter_checks(meter: MeterSection, path: KeyPath) -> Iterable[Mistake]:
    """Numbers no meter can run on."""
    if meter.pays == "mystery":
        for key in ("base_cents", "reset_cents", "limit_cents"):
            if getattr(meter, key):
                yield Mistake((*path, key), "a must-hit-by meter starts and ends where the profile says")
        return
    if meter.base_cents is None or meter.reset_cents is None:
        yield Mistake(path, "expected base_cents and reset_cents")
        return
    for key, text in parameters_of(meter, None).mistakes():
        yield Mistake((*path, key), text)


def sign_checks(sign: SignSection, path: KeyPath, known: Sequence[str]) -> Iterable[Mistake]:
    """Meters that are not there, and captions that are not theirs."""
    for meter in sign.meters:
        if meter not in known:
            yield Mistake((*path, "meters"), f"no meter is called {meter}")
    if len(sign.meters) > FIELDS_LIMIT:
        yield Mistake((*path, "meters"), f"a sign shows {FIELDS_LIMIT} meters at most")
    if sign.captions and len(sign.captions) != len(sign.meters):
        yield Mistake((*path, "captions"), "expected one for each of the meters")


def parameters_of(meter: MeterSection, rules: Rules | None) -> Parameters:
    """What a meter runs on; ``rules`` say it for a must-hit-by meter."""
    base, reset, limit = meter.base_cents or 0, meter.reset_cents or 0, meter.limit_cents
    if meter.pays == "mystery" and rules is not None:
        base = reset = rules.mystery_reset_cents
        limit = rules.mystery_ceiling_cents
    return Parameters(
        base_cents=base,
        reset_cents=reset,
        rate=meter.rate,
        unreasonable_cents=meter.unreasonable_cents,
        limit_cents=limit,
        hidden_rate=meter.hidden_rate,
    )


def terms_of_meters(meters: Sequence[MeterSection], rules: Rules) -> tuple[MeterTerms, ...]:
    """The meters as the table counts them."""
    return tuple(
        MeterTerms(one.name, one.pays, one.fed_by, parameters_of(one, rules), one.title or one.name, one.while_closed)
        for one in meters
    )


def profile_checks(meters: Sequence[MeterSection], rules: Rules) -> Iterable[str]:
    """What does not fit the profile."""
    for meter in meters:
        for bet in meter.fed_by:
            if bet not in rules.side_bets:
                yield f"[[meters]] {meter.name}: fed_by: profile {rules.name} does not offer {bet}"
        if meter.pays == "mystery" and set(meter.fed_by) != set(rules.mystery_fed_by):
            wanted = ", ".join(rules.mystery_fed_by)
            yield f"[[meters]] {meter.name}: fed_by: the profile's must-hit-by meter is fed by {wanted}"
        for key, text in parameters_of(meter, rules).mistakes():
            yield f"[[meters]] {meter.name}: {key}: {text}"
