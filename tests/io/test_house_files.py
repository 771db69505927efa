"""Files that the house's files name: beside them, or kept by the service manager."""

from __future__ import annotations

from pathlib import Path

import pytest

from controller.formats.text.toml_schema import ConfigError
from controller.io.files.config_files import kept_path, text_of

WHERE = "link.toml: [link] key_file"


def test_a_credential_lies_where_the_service_manager_keeps_it() -> None:
    assert kept_path("credential:link", "/run/credentials/x", WHERE) == (Path("/run/credentials/x/link"), True)
    assert kept_path("/etc/pool/link.key", "/run/credentials/x", WHERE) == (Path("/etc/pool/link.key"), False)


def test_outside_the_service_there_is_no_credential() -> None:
    with pytest.raises(ConfigError) as error:
        kept_path("credential:link", None, WHERE)
    assert error.value.lines == (f"{WHERE}: a credential is there within the service only ($CREDENTIALS_DIRECTORY)",)


@pytest.mark.parametrize("content", [None, b"\xff"])
def test_a_file_that_cannot_be_read_is_reported_in_one_line(tmp_path: Path, content: bytes | None) -> None:
    file = tmp_path / "link.toml"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(ConfigError) as error:
        text_of(file)
    (line,) = error.value.lines
    assert line.startswith(f"{file}: cannot be read: ")
