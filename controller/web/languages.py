"""The pages' words in other languages: a house's folder with a file ``texts.XX.json`` for each, XX as in ISO 639-1.

A file has keys of the English catalogue (``pages/texts.en.json``) and its own words; what it leaves out stays English.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Final

import msgspec

from controller.formats.text.safe_parse import DataRefused, json_as, reads_outside
from controller.formats.text.toml_schema import ConfigError
from controller.io.files.config_files import text_of
from controller.web.page_files import PageFile, json_file

NAME_KEY: Final = "language.name"
"""Under this key each catalogue has the language's own name for itself."""

PLURAL_FORMS: Final = ("zero", "one", "two", "few", "many", "other")
"""Unicode CLDR's; a language uses those it has (JavaScript: ``Intl.PluralRules``)."""

LIMIT_BYTES: Final = 512 * 1024
_FILE: Final = re.compile(r"texts\.([a-z]{2})\.json\Z")
_FILLED: Final = re.compile(r"\{(\w+)\}")


def english() -> dict[str, str]:
    """The catalogue that the pages come with."""
    return read_texts((files("controller.web") / "pages" / "texts.en.json").read_bytes())


@reads_outside(DataRefused)
def read_texts(text: str | bytes) -> dict[str, str]:
    """A catalogue as its file has it.

    Raises:
        DataRefused: it is no JSON object of texts.
    """
    found: dict[str, str] = json_as(text, dict[str, str], limit_bytes=LIMIT_BYTES)
    return found


def mistakes(texts: Mapping[str, str], known: Mapping[str, str]) -> list[str]:
    """What is wrong with a catalogue beside the ``known`` one: keys that no page uses, values that no page fills in."""
    found = []
    for key, text in texts.items():
        family, _, form = key.rpartition(".")
        of = f"{family}.other" if key not in known and form in PLURAL_FORMS else key
        if of not in known:
            found.append(f"{key}: no page has such a text")
            continue
        filled = set(_FILLED.findall(known[of]))
        found += [
            f"{key}: {{{one}}} is not filled in here; expected {_listed(filled)}"
            for one in _FILLED.findall(text)
            if one not in filled
        ]
    return found


def _listed(names: set[str]) -> str:
    return ", ".join(f"{{{name}}}" for name in sorted(names)) or "no braces"


def language_files(folder: Path | None) -> dict[str, PageFile]:
    """What the pages fetch: each language's catalogue, and ``languages.json`` with the names of all.

    Raises:
        ConfigError: with a line for each mistake in the folder's files.
    """
    known, found, wrong = english(), dict[str, PageFile](), list[str]()
    names = {"en": known[NAME_KEY]}
    for path in sorted(folder.iterdir()) if folder is not None else ():
        match = _FILE.fullmatch(path.name)
        if match is None or match[1] == "en":
            wrong.append(f"{path}: expected a file named texts.XX.json, with two letters for another language than en")
            continue
        try:
            texts = read_texts(text_of(path))
        except DataRefused as error:
            wrong.append(f"{path}: {error}")
            continue
        except ConfigError as error:
            wrong += error.lines
            continue
        wrong += [f"{path}: {one}" for one in mistakes(texts, known)]
        names[match[1]] = texts.get(NAME_KEY, match[1])
        found[path.name] = json_file(msgspec.json.encode(texts))
    if wrong:
        raise ConfigError(tuple(wrong))
    return {**found, "languages.json": json_file(msgspec.json.encode(names))}
