"""Names that look alike: refused in letters of several alphabets, and never taken at a socket for a key owner's."""

from __future__ import annotations

import msgspec
import pytest
from confusable_homoglyphs.confusables import confusables_data
from hypothesis import assume, given
from hypothesis import strategies as st

from controller.formats.orders.operators import (
    ChannelUser,
    OperatorRefused,
    read_operators,
    read_request,
    request_frames,
)
from controller.formats.orders.person_names import look_alike, mixed_scripts
from controller.formats.orders.requests import CommandRefused, read_command
from controller.formats.text.toml_schema import ConfigError

TABLE = "harbour/bj-1"
NAMES = st.text("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz. '-", min_size=3, max_size=20).filter(str.strip)
LOCAL = ChannelUser(frozenset({"floor"}), user=1001)


def at_the_socket(who: str, *owners: str) -> None:
    frames = request_frames(TABLE, "void", {"round": 1, "who": who, "why": "foul deal"})
    request = read_request(frames, TABLE, LOCAL, owners)
    read_command(request.verb, request.payload)


@given(name=NAMES, place=st.integers(0, 19), choice=st.integers(0, 200))
def test_a_letter_that_looks_like_another_makes_no_second_person(name: str, place: int, choice: int) -> None:
    """At the socket it is refused, whichever letter is changed for whichever that looks like it."""
    letter = name[place % len(name)]
    others = [one["c"] for one in confusables_data.get(letter, ()) if len(one["c"]) == 1]
    assume(others)
    spoofed = name.replace(letter, others[choice % len(others)], 1)
    with pytest.raises((OperatorRefused, CommandRefused)):
        at_the_socket(spoofed, name)


@pytest.mark.parametrize(
    "who", ["S. Vance", "s.  vance", "S. Vance\u200b", "\u0405. Vance", "\uff33. Vance", "S. Van\u0441e", "5. Vance "]
)
def test_the_name_of_somebody_with_a_key_is_not_given_at_a_socket(who: str) -> None:
    if who.startswith("5"):
        at_the_socket(who, "S. Vance")
    else:
        with pytest.raises((OperatorRefused, CommandRefused)):
            at_the_socket(who, "M. Okafor", "S. Vance")


def test_other_names_are_taken_in_whatever_alphabet() -> None:
    plain = ("A. One", "B. Müller", "J. O'Neill-Smith", "A. Yıldız")
    for who in (*plain, "Й. Петров", "Ω. Αλέξης", "山田 ハナ", "김 철수", "ليلى"):
        at_the_socket(who, "M. Okafor", "S. Vance")
        assert mixed_scripts(who) == ""


@pytest.mark.parametrize("who", ["М. Okafor", "Ο. Neil", "Аnn", "山田 Петров"])
def test_a_name_in_letters_of_several_alphabets_is_refused(who: str) -> None:
    assert "letters of one alphabet" in mixed_scripts(who)
    body = msgspec.json.encode({"round": 1, "who": who, "why": "foul deal"})
    with pytest.raises(CommandRefused, match="who: expected a name in letters of one alphabet"):
        read_command("void", body)


def test_a_whole_name_in_another_alphabet_that_looks_the_same_is_the_same() -> None:
    assert look_alike("A. Cope", "А. Соре")
    assert mixed_scripts("А. Соре") == ""
    with pytest.raises(OperatorRefused, match=r"A\. Cope has a key, and asks or signs with it"):
        at_the_socket("А. Соре", "A. Cope")


def test_two_names_that_look_alike_are_not_two_operators() -> None:
    keys = ["4nC={n>i9m(dF.OtnoC#/Mv>Q==%=CMpk(d:(6lp", "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7"]
    lines = [
        f"[[operator]]\nname = '{name}'\nroles = ['floor']\nkeys = ['{key}']\n"
        for name, key in zip(("Ian Low", "lan Low"), keys, strict=True)
    ]
    with pytest.raises(ConfigError, match="'lan Low' looks like 'Ian Low': a name is one person's"):
        read_operators("".join(lines), "operators.toml")


@pytest.mark.parametrize("who", ["Reyes", "J. Reyes (surv.)", "Juan Reyes", "REYES, J.", "jreyes", "J", "...", "Rеyеs"])
def test_a_part_of_a_key_owners_name_or_more_is_not_given_at_a_socket(who: str) -> None:
    with pytest.raises((OperatorRefused, CommandRefused)):
        at_the_socket(who, "M. Okafor", "J. Reyes")


@pytest.mark.parametrize(
    "who",
    [
        "J. \u0280\u1d07\u028f\u1d07\ua731",
        "J. R\u1d07\u028f\u1d07\ua731",
        "J. \u024ceyes",
        "J. R\u0258yes",
        "\u0237. Reyes",
        "M. Okafo\u027e",
        "M. Okaf\u00f8r",
        "M. Oka\u0192or",
    ],
)
def test_an_owners_name_in_small_capitals_or_with_a_stroke_is_not_given_at_a_socket(who: str) -> None:
    with pytest.raises(OperatorRefused, match="has a key, and asks or signs with it"):
        at_the_socket(who, "M. Okafor", "J. Reyes")


@pytest.mark.parametrize(
    "who", ["J. J\u00f8rgensen", "\u0141. W\u0119grzyn", "\u018f. \u018fliyev", "D. \u00d0or\u00f0evi\u0107"]
)
def test_names_with_such_letters_of_their_own_are_given(who: str) -> None:
    at_the_socket(who, "M. Okafor", "J. Reyes")


def test_a_name_too_long_for_any_request_is_refused_before_it_is_compared_with_the_owners() -> None:
    with pytest.raises(OperatorRefused, match=r"^who: expected 1 to 200 characters that can be seen$"):
        at_the_socket("\ufdfa" * 201, "M. Okafor", "J. Reyes")


UNSEEN = st.characters(categories=["Zs", "Zl", "Zp", "Cc", "Cf", "Cn", "Co", "Me", "Mn", "Mc", "Lm", "Sk"])


@given(name=st.sampled_from(["J. Reyes", "M. Okafor"]), place=st.integers(0, 9), unseen=UNSEEN, more=st.booleans())
def test_a_key_owners_name_is_not_given_with_a_space_a_mark_or_nothing_in_it(
    name: str, place: int, unseen: str, *, more: bool
) -> None:
    who = name[:place] + unseen + name[place:]
    with pytest.raises((OperatorRefused, CommandRefused)):
        at_the_socket(f"{who} (surv.)" if more else who, name)


@pytest.mark.parametrize("unseen", ["\u200a", "\u2009", "\u202f", "\u2028", "\x1f", "\t", "\u2800", "\U0001d159"])
def test_what_divides_a_name_is_seen(unseen: str) -> None:
    with pytest.raises(CommandRefused, match="who: expected plain spaces and characters that can be seen"):
        at_the_socket(f"A. Re{unseen}yes", "M. Okafor")


@pytest.mark.parametrize("space", [" ", "\u00a0", "\u3000"])
def test_a_space_that_is_seen_may_divide_a_name(space: str) -> None:
    at_the_socket(f"A.{space}Reyes", "M. Okafor")


@pytest.mark.parametrize("who", ["a " * 21, "a-b." * 11, "M. Okafor, " * 11])
def test_a_name_has_few_words(who: str) -> None:
    """Each is compared with each of every owner's."""
    with pytest.raises(OperatorRefused, match=r"^who: expected at most 20 words$"):
        at_the_socket(who, "M. Okafor")
    with pytest.raises(CommandRefused, match=r"^who: expected at most 20 words$"):
        read_command("void", msgspec.json.encode({"round": 1, "who": who, "why": "foul deal"}))


@pytest.mark.parametrize("who", ["\u0410. \u0421\u043e\u0440\u0435", "A. \u0261i\u0261i"])
def test_a_name_in_foreign_letters_that_reads_as_plain_is_not_given_at_a_socket(who: str) -> None:
    """Whoever proposed something at another socket under the plain name would approve it under this."""
    with pytest.raises(OperatorRefused, match="who: expected the plain letters that it looks like"):
        at_the_socket(who, "M. Okafor")


@pytest.mark.parametrize("nothing", ["\u2065", "\ufff3", "\U000e0002", "\U000e0fff", "\ue000"])
def test_a_name_with_a_character_that_is_no_letter_is_not_taken(nothing: str) -> None:
    with pytest.raises((OperatorRefused, CommandRefused), match=r"that can be seen|has a key"):
        at_the_socket(f"A. Re{nothing}yes", "M. Okafor")


@pytest.mark.parametrize("who", ["A. Reyes", "Reya", "J. Lee", "4711", "Joan"])
def test_another_persons_name_is(who: str) -> None:
    at_the_socket(who, "M. Okafor", "J. Reyes")
