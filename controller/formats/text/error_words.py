"""An error of the operating system or a library in one line that people can act on."""

from __future__ import annotations

import re
from typing import Final

_NUMBER: Final = re.compile(r"\[Errno -?\d+\] ")
_NAME_AT_THE_END: Final = re.compile(r": '([^']*)'\Z")

_UNSPECIFIED: Final = "[code:128] Unspecified error"
"""What paho says of a connection that ended without a reason (MQTT 5, reason code 0x80)."""


def error_words(error: BaseException) -> str:
    """What ``error`` says, without its number, and without a file's name where that has been said before."""
    text = _NUMBER.sub("", " ".join(str(error).split())) or type(error).__name__
    text = text.replace(_UNSPECIFIED, "it ended the connection, or is gone; see that it runs, and start this again")
    again = _NAME_AT_THE_END.search(text)
    return text[: again.start()] if again is not None and again[1] in text[: again.start()] else text
