"""What the sections of a table file are made of: texts, names and ports, each with the words that describe it."""

from __future__ import annotations

from typing import Annotated

import msgspec

from controller.formats.usb_names import PATTERN as USB_PATTERN

Text = Annotated[str, msgspec.Meta(min_length=1, description="text")]
Name = Annotated[
    str,
    msgspec.Meta(
        pattern=r"^[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?$",
        description="a name of at most 32 lower-case letters, digits and hyphens",
    ),
]
File = Annotated[str, msgspec.Meta(min_length=1, description="a path")]
Port = Annotated[
    str,
    msgspec.Meta(
        pattern=rf"^(/.+|{USB_PATTERN}|(socket|rfc2217)://[^:/?#]+:[0-9]{{1,5}})$",
        description="a path such as /dev/serial/by-id/..., usb:VID:PID:SERIAL, socket://host:port or"
        " rfc2217://host:port",
    ),
]
TcpPort = Annotated[int, msgspec.Meta(ge=1, le=65535, description="a port number from 1 to 65535")]
ZoneName = Annotated[str, msgspec.Meta(pattern=r"^[a-z][a-z0-9_]*$", description="a zone such as main or insurance")]
Spot = Annotated[int, msgspec.Meta(ge=1, le=7, description="a spot from 1 to 7")]


class Section(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table of the file."""
