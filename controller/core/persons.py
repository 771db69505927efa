"""Whether two who order something are two persons: by what the channel vouches for, and never by names alone.

A name is what somebody wrote. That two names differ shows nothing; that they are the same, however written, shows one
person. So an order that needs two counts the second only if the channel vouches for both, and for each as another.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from functools import lru_cache
from itertools import accumulate
from typing import Final, Literal, NamedTuple, assert_never

from controller.core.refusal_reason import RefusalReason
from firmware_protocols.values import Value

_By = Literal["nothing", "key", "socket", "signature"]


class Authentication(Value, frozen=True, tag=False):
    """How the channel knows who asks.

    ``key``: their own key, and with it the name. ``signature``: the order itself is signed with their own key, whoever
    brought it. ``socket``: whoever may open a role's socket on the table PC; ``user``
    is the number of the user whose process asks, None where the system does not say. ``nothing``: whoever the broker
    lets write (MQTT). ``roles`` are those the channel vouches for.
    """

    by: _By = "nothing"
    roles: tuple[str, ...] = ()
    user: int | None = None

    def by_own_key(self) -> bool:
        """Whether somebody is known by a key of their own: the file of operators gives each one owner."""
        return self.by in {"key", "signature"}

    def text(self) -> str:
        """In words, as events say it."""
        match self.by:
            case "nothing":
                return "nothing"
            case "key":
                return "own key"
            case "signature":
                return "own signature"
            case "socket":
                user = "" if self.user is None else f", user {self.user}"
                return f"socket of {', '.join(self.roles)}{user}"
            case _:
                assert_never(self.by)


UNAUTHENTICATED: Final = Authentication()


class SignedText(Value, frozen=True, tag=False, forbid_unknown_fields=True):
    """A text, whose Ed25519 key signed it (hex), and the signature over its bytes in UTF-8 (hex)."""

    text: str
    key: str
    signature: str


class Person(NamedTuple):
    """Somebody who orders: the name given, and how the channel knows them."""

    name: str
    vouched: Authentication


INVISIBLE: Final = frozenset(
    [0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, *range(0x180B, 0x1810), *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)]
)
"""Characters that show as nothing and are no format characters: joiners, fillers, variation selectors (UAX #44,
``Default_Ignorable_Code_Point``)."""


NAMES_KEPT: Final = 512
"""Names whose forms are remembered: those of all key owners several times over, whatever others call themselves."""


@lru_cache(maxsize=NAMES_KEPT)
def folded(name: str) -> str:
    """A name as it is compared: in compatibility form (NFKC), without what cannot be seen, case and spacing aside."""
    seen = "".join(
        letter
        for letter in unicodedata.normalize("NFKC", name)
        if unicodedata.category(letter) != "Cf" and ord(letter) not in INVISIBLE
    )
    return " ".join(unicodedata.normalize("NFKC", seen.casefold()).split())


_BLANK: Final = frozenset("\u2800")
"""Characters that count as printed and show as nothing: the pattern of Braille without a dot."""


def is_seen(text: str) -> bool:
    """Whether anything of a text is seen where it is shown: blanks, control codes and marks of format are not."""
    return any(letter.isprintable() and not letter.isspace() and letter not in _BLANK for letter in folded(text))


def same_person(one: str, other: str) -> bool:
    """Whether two names as people write them are one person's."""
    return folded(one) == folded(other)


def may_be_one(one: str, other: str) -> bool:
    """Whether two names may be one person's: each word of the shorter is in the longer, or one is the other's initial.

    ``Reyes``, ``J. Reyes``, ``Juan Reyes`` and ``J. Reyes (surv.)`` may be one person's, and so may initials alone;
    ``J. Lee`` and ``M. Lee`` are not, and ``Joan`` is no ``J. Reyes``: one word at least is the same.
    """
    return same_person(one, other) or _may_be_words(words_of(one), words_of(other))


def may_look_as_one(one: str, other: str) -> bool:
    """The same of names as they look in print, where words may be divided that are one, or one that are two.

    A hair of space or a dot within a word is hardly seen, nor is one over or under a letter; and ``0`` and ``O``, ``I``
    and ``l``, ``rn`` and ``m`` are told apart in few types.
    """
    mine, theirs = _printed_words(one), _printed_words(other)
    if may_be_one(one, other) or _may_be_words(mine, theirs):
        return True
    rejoined = _rejoined(mine, theirs), _rejoined(theirs, mine)
    return rejoined != (mine, theirs) and _may_be_words(*rejoined)


NamesAlike = Callable[[str, str], bool]
"""Whether two names may be one person's: ``may_be_one``, or ``may_look_as_one``."""

_TAKEN_FOR: Final = str.maketrans({"0": "o", "1": "l", "i": "l", "\u0131": "l"})
"""Letters and digits of one script that are easily taken for one another (Unicode Technical Standard #39); the dotless
letter is ``I`` to who has no other."""


@lru_cache(maxsize=NAMES_KEPT)
def _printed_words(name: str) -> tuple[str, ...]:
    """The words of a name as it looks in print: without marks on its letters, and in letters that are told apart."""
    # A modifier letter, as an apostrophe or a dot may be, divides as they do.
    parts = "".join(" " if unicodedata.category(letter) == "Lm" else letter for letter in name)
    letters = unicodedata.normalize("NFKD", parts)
    bare = "".join(letter for letter in letters if not unicodedata.category(letter).startswith("M"))
    return words_of(folded(bare).translate(_TAKEN_FOR).replace("rn", "m").replace("vv", "w"))


def _rejoined(words: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    """The words of a name, with those made one that are together what some of the other name are together."""
    known = _forms(other).runs
    if _forms(words).joined_runs.isdisjoint(known):
        return words
    joined: list[str] = []
    start = 0
    while start < len(words):
        runs = list(accumulate(words[start:]))
        taken = max((at for at, text in enumerate(runs) if text in known), default=0)
        joined.append(runs[taken])
        start += taken + 1
    return tuple(joined)


class _Forms(NamedTuple):
    """What of a name's words is compared with other names: a name is given once, and compared with everybody's."""

    size: tuple[int, int, tuple[str, ...]]
    """Words, letters, and the words themselves."""
    together: str
    initials: frozenset[str]
    longest_first: tuple[str, ...]
    runs: frozenset[str]
    """Each word, and any that follow one another written as one."""
    joined_runs: frozenset[str]
    """The same of two words and more."""


@lru_cache(maxsize=NAMES_KEPT)
def _forms(words: tuple[str, ...]) -> _Forms:
    runs = [list(accumulate(words[start:])) for start in range(len(words))]
    return _Forms(
        (len(words), sum(map(len, words)), words),
        "".join(words),
        frozenset(word[0] for word in words),
        tuple(sorted(words, key=len, reverse=True)),
        frozenset(text for one in runs for text in one),
        frozenset(text for one in runs for text in one[1:]),
    )


def _may_be_words(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether names of these words may be one person's."""
    few, many = _forms(one), _forms(other)
    if many.size < few.size:
        few, many = many, few
    if few.together == many.together:
        return True
    if not few.initials <= many.initials:
        return False
    left, same = list(many.longest_first), False
    for word in few.longest_first:
        found = next((known for known in left if _same_word(word, known)), None)
        if found is None:
            return False
        left.remove(found)
        same = same or len(word) == len(found) > 1
    return same or all(len(word) == 1 for word in few.longest_first)


@lru_cache(maxsize=NAMES_KEPT)
def words_of(name: str) -> tuple[str, ...]:
    """The words of a name, without what divides them."""
    return tuple("".join(letter if letter.isalnum() else " " for letter in folded(name)).split())


def _same_word(one: str, other: str) -> bool:
    """Whether two words of names are the same, or one is the other's initial."""
    return one == other or (min(len(one), len(other)) == 1 and one[0] == other[0])


def unvouched_reason(person: Person, why: str = "") -> RefusalReason | None:
    """Why a person does not count where an order takes two; None: the channel vouches for them.

    ``why``: for what cause it takes two, and what to do, where that is known.
    """
    if person.vouched.by != "nothing":
        return None
    why = why or "what takes two persons is ordered over the operator channel"
    text = f"nothing vouches for {person.name}: {why}"
    return RefusalReason("not_vouched", text)


def same_proof(one: Person, other: Person) -> bool:
    """Whether two came by one proof of who they are: a key's owner, or the same role's socket and the same user.

    At a socket the name proves nothing, so that nobody comes as another by giving another.
    """
    own = one.vouched.by_own_key(), other.vouched.by_own_key()
    if any(own):
        return all(own) and same_person(one.name, other.name)
    return one.vouched == other.vouched


def not_second_reason(
    first: Person, second: Person, did: str, *, alike: NamesAlike | None = None, must: str = "approve"
) -> RefusalReason | None:
    """Why ``second`` is no second person beside ``first``, who ``did`` it (``proposed it``); None: they are two.

    ``alike``: whether two names may be one person's, and then are, unless each has a key; None: older journals knew two
    by other names alone.
    Two keys, which connect or sign, are two persons, for the file of operators gives each key one owner. At the
    sockets two users are two, and so are two roles: who may open which is for the file system. Somebody with a key may
    be at a socket too, so a key and a socket are two only where the socket's role is none of the key owner's.
    """
    if same_person(first.name, second.name):
        return RefusalReason("second_person_needed", f"{first.name} {did}; another person must {must}")
    if unknown := unvouched_reason(first) or unvouched_reason(second):
        return unknown
    mine, theirs = first.vouched, second.vouched
    if mine.by_own_key() and theirs.by_own_key():
        return None
    if alike is not None and alike(first.name, second.name):
        text = f"{second.name} may be {first.name}, who {did}: give the full name, or another person must {must}"
        return RefusalReason("second_person_needed", text)
    if not set(mine.roles) & set(theirs.roles):
        return None
    if mine.by == theirs.by == "socket" and None not in {mine.user, theirs.user} and mine.user != theirs.user:
        return None
    known = f"{second.name} ({theirs.text()}) may be who {did} as {first.name} ({mine.text()})"
    return RefusalReason("second_person_needed", f"{known}; another person must {must}")
