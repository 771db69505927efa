"""Errors of the operating system as people read them."""

from __future__ import annotations

import pytest

from controller.formats.text.error_words import error_words


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (
            OSError(2, "could not open port /dev/x: [Errno 2] No such file or directory: '/dev/x'"),
            "could not open port /dev/x: No such file or directory",
        ),
        (ConnectionRefusedError(111, "Connection refused"), "Connection refused"),
        (FileNotFoundError(2, "No such file or directory", "a.toml"), "No such file or directory: 'a.toml'"),
        (OSError(-2, "Name or service not known"), "Name or service not known"),
        (OSError("two\nlines"), "two lines"),
        (TimeoutError(), "TimeoutError"),
    ],
)
def test_an_error_is_reported_without_its_number_and_names_a_file_once(error: OSError, message: str) -> None:
    assert error_words(error) == message


def test_a_broker_that_went_away_is_reported_in_plain_words() -> None:
    words = error_words(ConnectionError("[code:128] Unspecified error"))
    assert words == "it ended the connection, or is gone; see that it runs, and start this again"
