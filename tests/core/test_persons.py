"""Two persons are two by what vouches for them; one person is one however the name is written."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from controller.core.persons import (
    INVISIBLE,
    UNAUTHENTICATED,
    Authentication,
    Person,
    folded,
    may_be_one,
    may_look_as_one,
    not_second_reason,
    same_person,
)

ROLES = ("dealer", "floor", "surveillance", "technician", "auditor")
NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30)
UNSEEN = st.sampled_from([*map(chr, sorted(INVISIBLE)), *"\u200b\u200c\u200d\u2060\ufeff\u00ad\u202e\u2066"])
KNOWN = st.builds(
    Authentication,
    st.sampled_from(["key", "socket"]),
    st.lists(st.sampled_from(ROLES), min_size=1, max_size=2, unique=True).map(tuple),
    st.none() | st.integers(0, 3),
)
PERSONS = st.builds(Person, NAMES, KNOWN | st.just(UNAUTHENTICATED))


@given(name=NAMES)
def test_a_name_compared_is_compared_once(name: str) -> None:
    assert folded(folded(name)) == folded(name)


@given(name=NAMES, unseen=UNSEEN, place=st.integers(0, 40))
def test_what_cannot_be_seen_makes_no_other_name(name: str, unseen: str, place: int) -> None:
    assert same_person(name, name[:place] + unseen + name[place:])


@given(name=NAMES)
def test_another_form_of_the_same_letters_makes_no_other_name(name: str) -> None:
    assert same_person(name, unicodedata.normalize("NFD", name))
    assert same_person(name, unicodedata.normalize("NFKD", name))


@given(name=NAMES)
def test_case_and_spacing_make_no_other_name(name: str) -> None:
    assert same_person(name, f"  {name.casefold()}\u3000")
    assert same_person(f"{name} {name}", f"{name}\u00a0  {name}")


def test_other_names_are_others() -> None:
    assert not same_person("M. Okafor", "J. Lee")
    assert not same_person("B. Müller", "B. Muller")


@given(one=PERSONS, other=PERSONS)
def test_whether_two_are_two_does_not_depend_on_who_comes_first(one: Person, other: Person) -> None:
    assert bool(not_second_reason(one, other, "proposed it")) == bool(not_second_reason(other, one, "proposed it"))


@given(one=PERSONS, other=PERSONS)
def test_nobody_is_a_second_person_whom_nothing_vouches_for(one: Person, other: Person) -> None:
    assume("nothing" in {one.vouched.by, other.vouched.by})
    assert not_second_reason(one, other, "proposed it")


@given(vouched=KNOWN, one=NAMES, other=NAMES)
def test_one_identity_is_one_person_whatever_the_names(vouched: Authentication, one: str, other: str) -> None:
    """But for keys: each has one owner, and names there are the keys' owners'."""
    assume(vouched.by == "socket")
    assert not_second_reason(Person(one, vouched), Person(other, vouched), "proposed it")


@given(name=NAMES, one=KNOWN, other=KNOWN, unseen=UNSEEN)
def test_one_name_is_one_person_whatever_vouches(
    name: str, one: Authentication, other: Authentication, unseen: str
) -> None:
    assert not_second_reason(Person(name, one), Person(f"{unseen}{name}", other), "proposed it")


KEY, KEY_OF_TWO = Authentication("key", ("floor",)), Authentication("key", ("floor", "surveillance"))
FLOOR, OTHER_FLOOR, UNKNOWN_FLOOR = (Authentication("socket", ("floor",), user) for user in (1001, 1002, None))
SURVEILLANCE = Authentication("socket", ("surveillance",), 1001)


@pytest.mark.parametrize(
    ("one", "other", "two"),
    [
        (KEY, KEY, True),
        (KEY, KEY_OF_TWO, True),
        (FLOOR, OTHER_FLOOR, True),
        (FLOOR, SURVEILLANCE, True),
        (UNKNOWN_FLOOR, SURVEILLANCE, True),
        (KEY, SURVEILLANCE, True),
        (FLOOR, FLOOR, False),
        (FLOOR, UNKNOWN_FLOOR, False),
        (UNKNOWN_FLOOR, UNKNOWN_FLOOR, False),
        (KEY, FLOOR, False),
        (KEY_OF_TWO, SURVEILLANCE, False),
        (KEY, UNAUTHENTICATED, False),
        (UNAUTHENTICATED, UNAUTHENTICATED, False),
    ],
)
def test_what_makes_two(one: Authentication, other: Authentication, *, two: bool) -> None:
    assert (not_second_reason(Person("A. One", one), Person("B. Two", other), "proposed it") is None) is two


def test_what_vouches_is_said_in_words() -> None:
    texts = [one.text() for one in (UNAUTHENTICATED, KEY, FLOOR, UNKNOWN_FLOOR)]
    assert texts == ["nothing", "own key", "socket of floor, user 1001", "socket of floor"]


@pytest.mark.parametrize(
    "other", ["Reyes", "J. Reyes (surv.)", "Juan Reyes", "Reyes, J.", "j reyes", "JReyes", "J.", "-"]
)
def test_a_part_of_a_name_or_more_may_be_one_person(other: str) -> None:
    assert may_be_one("J. Reyes", other)
    assert may_be_one(other, "J. Reyes")
    two = (Person("J. Reyes", FLOOR), Person(other, SURVEILLANCE))
    assert not_second_reason(*two, "proposed it", alike=may_be_one)
    keys = (Person("J. Reyes", KEY), Person(other, KEY_OF_TWO))
    assert not_second_reason(*keys, "proposed it", alike=may_be_one) is None


@pytest.mark.parametrize("other", ["M. Reyes", "J. Lee", "Reya", "4711"])
def test_another_name_is_another_persons(other: str) -> None:
    assert not may_be_one("J. Reyes", other)
    two = (Person("J. Reyes", FLOOR), Person(other, SURVEILLANCE))
    assert not_second_reason(*two, "proposed it", alike=may_be_one) is None


# --- names as they look -----------------------------------------------------------------------------

WRITTEN = ("J. Reyes", "Mary-Ann O'Neill", "B. Müller", "Й. Петров", "Ω. Αλέξης", "山田 ハナ", "김 철수", "ليلى حسن")
HARDLY_SEEN = st.sampled_from(".·-'|") | st.characters(categories=["Z", "Cc", "Cf", "Lm", "M"])
"""What divides, marks or hides letters and is none."""


@given(name=st.sampled_from(WRITTEN), parts=st.lists(st.tuples(st.integers(0, 20), HARDLY_SEEN), max_size=3))
def test_no_space_mark_or_sign_of_format_within_a_name_makes_another_person(
    name: str, parts: list[tuple[int, str]]
) -> None:
    spoofed = name
    for place, unseen in parts:
        spoofed = spoofed[:place] + unseen + spoofed[place:]
    for other in (spoofed, f"{spoofed} (surv.)", f"pit {spoofed}"):
        assert may_look_as_one(name, other)
        assert may_look_as_one(other, name)
        two = (Person(name, FLOOR), Person(other, SURVEILLANCE))
        assert not_second_reason(*two, "proposed it", alike=may_look_as_one)


@pytest.mark.parametrize(
    "other",
    [
        "J. Re\u200ayes (surv.)",
        "J. Re yes (surv.)",
        "Juan Re\u00b7yes",
        "J. Reyes\u0307",
        "J. Re\u0316yes, pit",
        "J. Reyes\u02bc",
        "J. R\u200ae\u200ay\u200ae\u200as (surv.)",
        "J. Re\u00e9s yes Reyes",
        "J. Reye\U000e0073s",
    ],
)
def test_what_looks_like_a_name_in_print_may_be_that_persons(other: str) -> None:
    assert may_look_as_one("J. Reyes", other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("M. Okafor", "M. 0kafor (pit)"),
        ("Ian Low", "lan L0w"),
        ("Carney", "Camey"),
        ("A. Y\u0131ld\u0131z", "A. Yildiz"),
        ("B. M\u00fcller", "B. Muller"),
        ("Anna Lee-Ho", "Ho, Annalee"),
    ],
)
def test_letters_that_are_taken_for_others_make_no_other_person(one: str, other: str) -> None:
    assert may_look_as_one(one, other)
    assert not may_be_one(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("J. Reyes", "M. Reyes"),
        ("J. Reyes", "J. Lee"),
        ("J. Lee", "J. Leeson"),
        ("J. R. Lee", "J. R. Moss"),
        ("J. Reyes", "Reya"),
        ("J. Reyes", "4711"),
    ],
)
def test_a_name_that_looks_like_another_is_another_persons(one: str, other: str) -> None:
    assert not may_look_as_one(one, other)
    assert not may_look_as_one(other, one)


@given(one=NAMES, other=NAMES)
def test_names_that_may_be_one_persons_may_look_so_too_whichever_comes_first(one: str, other: str) -> None:
    assert may_look_as_one(one, other) == may_look_as_one(other, one)
    assert may_look_as_one(one, other) or not may_be_one(one, other)


@example("0", "00")
@given(one=NAMES, other=NAMES)
def test_whether_names_may_be_one_persons_does_not_depend_on_which_comes_first(one: str, other: str) -> None:
    assert may_be_one(one, other) == may_be_one(other, one)
    assert may_be_one(one, one)
