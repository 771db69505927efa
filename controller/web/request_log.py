"""What the HTTP library says of requests, in the program's log: a line for one that is none, all of it for a fault."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Final

import structlog
from aiohttp.http_exceptions import HttpProcessingError
from aiohttp.log import server_logger
from aiohttp.web import RequestPayloadError

from controller.formats.text.printable import printable

if TYPE_CHECKING:
    Adapter = logging.LoggerAdapter[logging.Logger]
else:
    Adapter = logging.LoggerAdapter

REASON_LIMIT: Final = 120
"""Characters of what was wrong; the library repeats what was sent."""

NOT_OURS: Final = (HttpProcessingError, RequestPayloadError)
"""Faults of the one who asks: bytes that are no request, and a body that is not what its head said."""

STATUS_LINE: Final = ", message:\n"
"""Ends the first line of an error of the library that was made a text."""

log = structlog.get_logger(__name__)


class RequestLog(Adapter):
    """The logger of the HTTP library: whoever sends what is no request must not fill the log with tracebacks."""

    def __init__(self) -> None:
        super().__init__(server_logger)

    def exception(self, msg: object, *args: object, exc_info: Any = True, **more: Any) -> None:  # noqa: ANN401 - as logging has it
        """An exception in the handling of a request."""
        if isinstance(exc_info, NOT_OURS):
            log.info("no request", reason=reason_of(exc_info))
        else:
            super().exception(msg, *args, exc_info=exc_info, **more)


def reason_of(error: Exception) -> str:
    """What was wrong, on one line of bounded length."""
    said = getattr(error, "message", "") or str(error)
    # Of a body the library gives its own words below a line with the status.
    said = said.partition(STATUS_LINE)[2].strip() or said
    return printable(said.partition("\n")[0])[:REASON_LIMIT]
