"""Names of people as they are written: which are taken, and which look like another.

Two names that are compared are first made alike (``persons.folded``). Here is what no folding does: letters of one
alphabet that look like those of another. A name in letters of several alphabets is refused, and one that looks like a
name in the file of operators is taken for that (confusables of Unicode Technical Standard #39).
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache
from typing import Final

from controller.core.persons import NAMES_KEPT, folded, may_look_as_one

TOGETHER: Final = (
    frozenset({"HAN", "HIRAGANA", "KATAKANA"}),
    frozenset({"HAN", "BOPOMOFO"}),
    frozenset({"HAN", "HANGUL"}),
)
"""Scripts that one language writes together (UTS #39, 5.1)."""

ANY_SCRIPT: Final = frozenset({"COMMON", "INHERITED"})


def mixed_scripts(name: str) -> str:
    """What is wrong with a name in letters of several alphabets; empty: it is in one."""
    if name.isascii():
        return ""
    from confusable_homoglyphs import categories  # noqa: PLC0415 - a large table, which few names need

    scripts = {categories.alias(letter) for letter in folded(name)} - ANY_SCRIPT
    if len(scripts) < 2 or any(scripts <= alike for alike in TOGETHER):
        return ""
    return f"a name in letters of one alphabet, not of {' and '.join(sorted(scripts)).lower()}"


def holds_no_letter(text: str) -> bool:
    """Whether a text has a character that is none: unassigned, private or half of one. Most show as nothing."""
    return any(unicodedata.category(letter) in {"Cn", "Co", "Cs"} for letter in text)


def divided_unseen(name: str) -> bool:
    """Whether a name is divided by what hardly anybody sees: a narrow space, the end of a line, a control code.

    A space between words, and one as wide as a letter of China, is seen.
    """
    return any(
        letter in _BLANK or (unicodedata.category(letter) in {"Cc", "Zl", "Zp", "Zs"} and letter not in _SPACES)
        for letter in name
    )


def marks_figure(text: str) -> bool:
    """Whether a text has a mark on what is no letter, such as a figure, or a sign that shows as nothing."""
    before = ""
    for letter in unicodedata.normalize("NFC", text):
        if letter in _BLANK or (unicodedata.category(letter).startswith("M") and not before.isalpha()):
            return True
        before = letter if not unicodedata.category(letter).startswith("M") else before
    return False


_SPACES: Final = frozenset(" \u00a0\u3000")
_BLANK: Final = frozenset("\u2800\U0001d159")
"""Signs that show as nothing: Braille without a dot, a note without a head."""


def disguised(text: str) -> bool:
    """Whether a text reads as one in plain letters and is none: those of one foreign alphabet may spell it."""
    plain = text.replace("\u0131", "i")  # A letter of Turkish names, for which no other is written.
    return not folded(plain).isascii() and _look(plain).isascii()


def look_alike(one: str, other: str) -> bool:
    """Whether two names may be taken for one another."""
    return any(_look(a) == _look(b) for a, b in ((one, other), (folded(one), folded(other))))


def taken_for(who: str, owner: str) -> bool:
    """Whether a name that somebody gives may be taken for an owner's: it looks like it, or is a part or more of it."""
    # Of most names these are one pair.
    spellings = {(who, owner), (_look(who), _look(owner)), (_in_plain_latin(who), _in_plain_latin(owner))}
    return look_alike(who, owner) or any(may_look_as_one(*pair) for pair in spellings)


_VARIANT: Final = re.compile(
    r"LATIN (?:(?:CAPITAL|SMALL) )?LETTER (?:(?:SMALL|CAPITAL|DOTLESS|TURNED|REVERSED) )*([A-Z])(?: WITH .*)?"
)
"""The name of a Latin letter that is another's small capital, or that with a stroke or a hook, or without its dot."""


@lru_cache(maxsize=NAMES_KEPT)
def _in_plain_latin(name: str) -> str:
    """A name with each letter that is a variant of a plain one in place of that.

    No table of what looks alike lists them all, and no accent is taken off them: a small capital and a letter with a
    stroke are letters of their own.
    """
    if name.isascii():
        return name
    variants = ((letter, _VARIANT.fullmatch(unicodedata.name(letter, ""))) for letter in name)
    return "".join(letter if found is None else found[1].lower() for letter, found in variants)


@lru_cache(maxsize=NAMES_KEPT)
def _look(name: str) -> str:
    """How a name looks: with the plainest letter in place of each that looks like it."""
    letters, pairs = _alike()
    plain = "".join(letters.get(letter, letter) for letter in name)
    text = "".join(letters.get(letter, letter) for letter in unicodedata.normalize("NFKC", plain))
    for pair, letter in pairs:
        text = text.replace(pair, letter)
    return folded(text)


@cache
def _alike() -> tuple[dict[str, str], tuple[tuple[str, str], ...]]:
    """For each letter the plainest that looks like it; and pairs of letters that look like one (``rn``, ``m``)."""
    from confusable_homoglyphs.confusables import confusables_data  # noqa: PLC0415 - a large table

    plainest: dict[str, str] = {}
    pairs: dict[str, str] = {}

    def of(letter: str) -> str:
        while letter in plainest:
            letter = plainest[letter]
        return letter

    for given, others in confusables_data.items():
        for text in (other["c"] for other in others):
            if len(given) == len(text) == 1 and of(given) != of(text):
                one, two = sorted((of(given), of(text)), key=_plainness)
                plainest[two] = one
            elif len(given) == 1 and len(text) == 2 and text.isascii() and given.isascii():
                pairs[text] = given
    return {letter: of(letter) for letter in plainest}, tuple(sorted(pairs.items()))


def _plainness(letter: str) -> tuple[bool, bool, bool, str]:
    return (not letter.isascii(), not letter.isalpha(), letter.isupper(), letter)
