"""Where the log goes: lines for people on a terminal, JSON lines otherwise, always on standard error.

Logs never name the face of a card: what is logged are numbers, names and reasons.
"""

from __future__ import annotations

import logging
import sys
from typing import Any, Final, Literal, TextIO

import msgspec
import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

from controller.formats.text.printable import printable

Format = Literal["auto", "console", "json"]

WITHHELD: Final = frozenset({"face", "card_face", "nonce", "key", "password"})
"""Fields that are never written, whatever they hold."""


def configure_log(log_format: Format = "auto", *, level: str = "info", stream: TextIO | None = None) -> None:
    """Set up logging for the process, other libraries' included. ``level`` is debug, info, warning or error."""
    out = stream if stream is not None else sys.stderr
    for_people = log_format == "console" or (log_format == "auto" and out.isatty())
    number = logging.getLevelNamesMapping()[level.upper()]
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        _withhold,
        _plain,
    ]
    render: list[Processor] = (
        # The pretty traceback would show local variables, and with them faces and keys.
        [structlog.dev.ConsoleRenderer(colors=out.isatty(), exception_formatter=structlog.dev.plain_traceback)]
        if for_people
        else [structlog.processors.format_exc_info, structlog.processors.JSONRenderer(serializer=_json)]
    )
    structlog.configure(
        processors=[*shared, *render],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.PrintLoggerFactory(out),
        cache_logger_on_first_use=False,
    )
    handler = logging.StreamHandler(out)
    clean: Processor = structlog.stdlib.ProcessorFormatter.remove_processors_meta
    handler.setFormatter(structlog.stdlib.ProcessorFormatter(foreign_pre_chain=shared, processors=[clean, *render]))
    root = logging.getLogger()
    root.handlers = [handler]
    # Other libraries speak only of trouble.
    root.setLevel(max(number, logging.WARNING))


def _withhold(_: WrappedLogger, __: str, fields: EventDict) -> EventDict:
    for name in WITHHELD & fields.keys():
        fields[name] = "withheld"
    return fields


def _plain(_: WrappedLogger, __: str, fields: EventDict) -> EventDict:
    """What others sent and is reported here moves no cursor and begins no line."""
    for name, value in fields.items():
        if isinstance(value, str):
            fields[name] = printable(value)
    return fields


def _json(fields: EventDict, **_: Any) -> str:  # noqa: ANN401 - structlog's signature
    return msgspec.json.encode(fields, enc_hook=repr).decode()
