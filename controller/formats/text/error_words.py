"""An error of the operating system or a library in one line that people can act on."""

from __future__ import annotations

import re
from typing import Final

_NUMBER: Final = re.compile(r"\[Errno -?\d+\] ")
_NAME_AT_THE_END: Final = re.compile(r": '([^']*)'\Z")


def error_words(error: BaseException) -> str:
    """What ``error`` says, without its number, and without a file's name where that has been said before."""
    text = _NUMBER.sub("", " ".join(str(error).split())) or type(error).__name__
    again = _NAME_AT_THE_END.search(text)
    return text[: again.start()] if again is not None and again[1] in text[: again.start()] else text
