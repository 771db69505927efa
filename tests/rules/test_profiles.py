"""Profiles: the five that come with the program, and every way a file can be wrong."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from msgspec.structs import replace

from controller.core.game.rule_checks import doubtful_rules, impossible_rules, unpressable_options
from controller.core.game.rules import Rules
from controller.core.game.side_bet import names as side_bet_names
from controller.formats.config import profiles
from controller.formats.config.profiles import (
    RULE_KEYS,
    SILENT_KEYS,
    OptionsRefused,
    ProfileError,
    hash_of,
    with_options,
)
from controller.io.files import profile_files
from controller.reports.profile_text import compared, rows, toml
from simulators.people.house import house_from
from tests.core.houses import RULES

NAMES = profile_files.names()
PENN = profile_files.load("hollywood-penn-national").rules


def wrong(text: str) -> list[str]:
    with pytest.raises(ProfileError) as caught:
        profiles.read(text, "house.toml")
    return list(caught.value.lines)


def wrong_as_stated(text: str) -> list[str]:
    """The same without the rules that a short text leaves out."""
    return [line for line in wrong(text) if ": missing, expected " not in line]


def without(text: str, *starts: str) -> str:
    """A profile's text without the lines that begin so."""
    return "".join(line for line in text.splitlines(keepends=True) if not line.startswith(starts))


def house(rules: str) -> str:
    """A profile with these rules on its third line, then those of a card that they leave open."""
    given = [line.split("=")[0].strip() for line in rules.splitlines() if "=" in line]
    card = profile_files.raw("borgata")["rules"]
    others = [f"{key} = {toml(value)}" for key, value in card.items() if key not in given]
    sources = [f'{key} = "card"' for key in sorted({*given, *card})]
    return "\n".join(['name = "house"', "[rules]", rules, *others, "[sources]", *sources, ""])


@pytest.mark.parametrize("name", NAMES)
def test_a_profile_states_every_rule_and_where_it_comes_from(name: str) -> None:
    profile, raw = profile_files.load(name), profile_files.raw(name)
    assert set(raw["rules"]) == RULE_KEYS
    assert set(raw["sources"]) == RULE_KEYS | set(profile.rules.side_bets)
    assert profile.warnings == ()
    assert all(row.value for row in rows(profile))


def test_the_profiles_are_the_five_cards() -> None:
    assert set(NAMES) == set(RULES)
    for name, rules in RULES.items():
        loaded = profile_files.load(name).rules
        for key in ("soft_17", "max_hands", "resplit_aces", "split_by", "double_on", "surrender", "insurance_cap"):
            assert getattr(loaded, key) == getattr(rules, key)
        assert loaded.even_money == rules.even_money
    assert profile_files.load("pitch-h17").rules.mid_shoe_entry == "refused"
    assert len({profile_files.load(name).hash for name in NAMES}) == 5


@pytest.mark.parametrize("name", NAMES)
def test_the_simulated_dealer_can_read_every_profile(name: str) -> None:
    assert house_from(profile_files.raw(name)).max_hands == profile_files.load(name).rules.max_hands


def test_the_hash_is_of_the_rules_and_not_of_their_spelling() -> None:
    text = profile_files.text_of("borgata")
    again = profiles.read(text.replace("soft_17 = ", "soft_17   =  ") + "# a remark\n", "house.toml")
    assert again.hash == profile_files.load("borgata").hash
    assert profile_files.load("borgata", {"surrender": "late"}).hash != again.hash
    assert hash_of(PENN) == profile_files.load("hollywood-penn-national").hash


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("name = ", ["house.toml:1: Invalid value (at end of document)"]),
        ("[rules]\n", ["house.toml:1: name: expected the profile's name, text"]),
        ('name = "a"\nrules = 3\n', ["house.toml:2: rules: expected one section, headed [rules]"]),
        (
            'name = "a"\nnaem = 1\n',
            ["house.toml:2: naem: unknown key; expected one of name, title, rules, options, side_bets, sources"],
        ),
        (
            'name = "a"\n[rules]\nmax_hands = 3\n[source]\nmax_hands = "card"\n',
            ["house.toml:4: source: unknown key; did you mean sources?"],
        ),
        (house('soft_17 = "hot"'), ['house.toml:3: [rules] soft_17: expected one of "stand", "hit", got "hot"']),
        (
            'name = "a"\n[rules]\nmax_hand = 3\n[sources]\nmax_hand = "card"\n',
            ["house.toml:3: [rules] max_hand: unknown key; did you mean max_hands?"],
        ),
        (
            'name = "a"\n[rules]\nmax_hand = 3\n',
            ["house.toml:3: [rules] max_hand: unknown key; did you mean max_hands?"],
        ),
        (
            'name = "a"\n[rules]\nminimum_cents = 1000\n',
            ["house.toml:3: [rules] minimum_cents: unknown key: it belongs in [options]"],
        ),
        ('name = "a"\n[rules]\nzebra = 3\n', ["house.toml:3: [rules] zebra: unknown key"]),
        (
            'name = "a"\n[side_bets.red_dog]\n',
            [f"house.toml:2: [side_bets] red_dog: unknown side wager; expected one of {', '.join(side_bet_names())}"],
        ),
        (house("max_hands = 3.0"), ["house.toml:3: [rules] max_hands: expected a whole number, got 3.0"]),
        (
            house("natural_pays = [1.5, 1]"),
            ["house.toml:3: [rules] natural_pays: expected a pair of whole numbers such as [3, 2], got [1.5, 1]"],
        ),
        (
            house("natural_pays = [3, 0]"),
            ["house.toml:3: [rules] natural_pays: expected odds such as [3, 2], got [3, 0]"],
        ),
        (house("decks = 9"), ["house.toml:3: [rules] decks: expected a whole number from 1 to 8, got 9"]),
        (
            house("side_bet_terms = {}"),
            ["house.toml:3: [rules] side_bet_terms: unknown key: it has a place of its own in a profile"],
        ),
        (
            'name = "a"\n[rules]\nmax_hands = 3\n',
            [
                (
                    "house.toml:3: [rules] max_hands: expected the card or regulation it comes from, "
                    'in [sources]: max_hands = "..."'
                )
            ],
        ),
        (
            'name = "a"\n[options]\nstand_keys = "always"\n',
            ["house.toml:3: [options] stand_keys: unknown key; did you mean stand_key?"],
        ),
        (
            'name = "a"\n[sources]\nhandling = "card"\n',
            ["house.toml:3: [sources] handling: names no rule or side wager above"],
        ),
        (
            'name = "a"\n[side_bets.red_dog]\n[sources]\nred_dog = "card"\n',
            [f"house.toml:2: [side_bets] red_dog: unknown side wager; expected one of {', '.join(side_bet_names())}"],
        ),
        (
            'name = "a"\nside_bets.ez_bust = 3\n[sources]\nez_bust = "card"\n',
            ["house.toml:2: [side_bets] ez_bust: expected one section, headed [side_bets.ez_bust]"],
        ),
        (
            'name = "a"\n[side_bets.ez_bust]\nupcards = [2]\n[sources]\nez_bust = "card"\n',
            ["house.toml:3: [side_bets.ez_bust] upcards: unknown key; did you mean up_cards?"],
        ),
        (
            'name = "a"\n[side_bets.ez_bust]\nall_broke = "loses"\n[sources]\nez_bust = "card"\n',
            ["house.toml:3: [side_bets.ez_bust] all_broke: belongs in [side_bets.ez_bust.choices]"],
        ),
        (
            house("").replace("[sources]", '[side_bets.ez_bust.pays]\nbust = [1, 1]\n[sources]\nez_bust = "card"'),
            [
                (
                    f"house.toml:{len(RULE_KEYS) + 5}: [side_bets.ez_bust] pays.bust: unknown row; "
                    "expected one of dealer_broke"
                )
            ],
        ),
    ],
)
def test_what_is_wrong_is_said_with_its_line(text: str, lines: list[str]) -> None:
    assert wrong_as_stated(text) == lines


def test_one_mistake_hides_no_other() -> None:
    text = profile_files.text_of("hollywood-penn-national")
    spoiled = {
        'name = "hollywood-penn-national"': "",
        "\ndecks = 8\n": "\ndecks = 9\n",
        'soft_17 = "stand"': 'soft_17 = "hot"',
        "natural_pays = [3, 2]": "natural_pays = [3, 0]",
        "any_20 = [4, 1]": "any_21 = [4, 1]",
        "[sources]": '[options]\nkey_slack = 2\nstand_key = "no"\n[sources]',
    }
    for right, bad in spoiled.items():
        assert text.count(right) == 1
        text = text.replace(right, bad)
    keys = [line.split(": ", 2)[1].rpartition("] ")[2] for line in wrong(text)]
    assert keys == ["name", "decks", "soft_17", "natural_pays", "pays.any_21", "key_slack", "stand_key"]


def test_a_rule_that_decides_money_is_never_left_to_a_default() -> None:
    text = profile_files.text_of("borgata")
    at = next(number for number, line in enumerate(text.splitlines(), start=1) if line.startswith("[rules]"))
    missing = f"house.toml:{at}: [rules] natural_pays: missing, expected a pair of whole numbers such as [3, 2]"
    assert wrong(without(text, "natural_pays = ")) == [missing]
    # Its source alone says nothing else.
    assert wrong(text.replace("natural_pays = [3, 2]\n", "")) == [missing]
    assert [line.split(":")[2].strip() for line in wrong('name = "a"\ntitle = "A house"\n')] == [
        f"[rules] {key}" for key in sorted(RULE_KEYS - SILENT_KEYS)
    ]


def test_a_misspelt_table_is_said_and_no_rule_of_it_is_missing() -> None:
    lines = wrong(profile_files.text_of("borgata").replace("[rules]", "[rulez]"))
    assert lines[0].endswith("rulez: unknown key; did you mean rules?")
    assert not any(": missing, expected " in line for line in lines)


def test_what_no_card_says_may_be_left_out() -> None:
    text = without(profile_files.text_of("borgata"), *(f"{key} = " for key in SILENT_KEYS))
    rules = profiles.read(text, "house.toml").rules
    assert {getattr(rules, key) for key in SILENT_KEYS} == {"not_said"}
    stated = profile_files.load("borgata").rules
    assert all(getattr(rules, key) == getattr(stated, key) for key in RULE_KEYS - SILENT_KEYS)


IMPOSSIBLE = [
    ({"hole_check": "device", "hole_card": "none"}, "hole_check"),
    ({"even_money": True, "insurance": False}, "even_money"),
    ({"resplit_aces": True, "max_hands": 2}, "resplit_aces"),
    ({"double_split_aces": True}, "double_split_aces"),
    ({"double_split_aces": True, "split_ace_cards": "any", "double_after_split": False}, "double_split_aces"),
    ({"surrender": "none", "surrender_on": "any_hand"}, "surrender_on"),
    ({"minimum_cents": 600, "maximum_cents": 500}, "options.minimum_cents"),
    ({"payout_unit_cents": 0}, "options.payout_unit_cents"),
    ({"mystery_reset_cents": 100_000}, "mystery_reset_cents"),
    ({"side_wagers": "prohibited"}, "side_bets"),
    ({"side_bets": ["ez_bust", "ez_bust"]}, "side_bets"),
    ({"side_bets": ["red_dog"]}, "side_bets.red_dog"),
    ({"mystery_fed_by": ["red_dog"]}, "mystery_fed_by"),
    ({"decks": 4}, "side_bets.twenty_one_plus_three.least_decks"),
    ({"ez_bust.up_cards": [2, 10]}, "side_bets.ez_bust.up_cards"),
    ({"ez_bust.up_cards": []}, "side_bets.ez_bust.up_cards"),
    ({"lucky_ladies.up_cards": [2]}, "side_bets.lucky_ladies.up_cards"),
    ({"lucky_ladies.stake_cents": -1}, "side_bets.lucky_ladies.stake_cents"),
    ({"lucky_ladies.pairs": "all"}, "side_bets.lucky_ladies.choices.pairs"),
    ({"lucky_ladies.choices": {"pears": "all"}}, "side_bets.lucky_ladies.choices.pears"),
    ({"lucky_ladies.awards_cents": {"any_20": 100}}, "side_bets.lucky_ladies.awards_cents.any_20"),
    ({"blazing7s.awards_cents": {"two": -1}}, "side_bets.blazing7s.awards_cents.two"),
    ({"blazing7s.meter_shares": {"two": [3, 2]}}, "side_bets.blazing7s.meter_shares.two"),
    ({"ez_bust.meter_shares": {"dealer_broke": [1, 10]}, "ez_bust.pays": {}}, "side_bets.ez_bust.meter_shares"),
    (
        {"lucky_ladies.meter_shares": {"any_20": [1, 10]}, "lucky_ladies.pays": {}},
        "side_bets.blazing7s.meter_shares",
    ),
]


@pytest.mark.parametrize(("options", "key"), IMPOSSIBLE, ids=lambda one: str(one)[:60])
def test_what_cannot_be_together_is_refused(options: dict[str, object], key: str) -> None:
    rules, mistakes = with_options(PENN, options)
    assert mistakes == ()
    assert key in {".".join(finding.key) for finding in impossible_rules(rules)}
    with pytest.raises(OptionsRefused, match=r"^hollywood-penn-national.toml: \[options\] [a-z0-9_.]+: "):
        profile_files.load("hollywood-penn-national", options)


def test_two_wagers_against_one_up_card_cannot_be() -> None:
    terms = {**PENN.side_bet_terms, "perfect_pairs": replace(PENN.side_bet_terms["ez_bust"])}
    rules = replace(PENN, side_bets=(*PENN.side_bets, "perfect_pairs"), side_bet_terms=terms)
    assert ("side_bets", "perfect_pairs", "up_cards") in {finding.key for finding in impossible_rules(rules)}


UNPRESSABLE: list[tuple[dict[str, object], str, str]] = [
    ({"stand_key": "always"}, "stand_key", "stand"),
    ({"no_more_bets": "always"}, "no_more_bets", "no_more_bets"),
    ({"turn_key": "always"}, "turn_key", "hole_turned"),
    ({"deal_key": "always"}, "deal_key", "no_more_bets"),
    ({"even_money": True}, "even_money_shown", "even_money"),
    ({"surrender_on": "any_hand"}, "surrender_on", "surrender"),
]


@pytest.mark.parametrize(("options", "key", "meaning"), UNPRESSABLE, ids=lambda one: str(one)[:40])
def test_an_option_that_waits_for_a_key_needs_it(options: dict[str, object], key: str, meaning: str) -> None:
    rules, _ = with_options(PENN, options)
    assert [one for one, _ in unpressable_options(rules, ())] == [key]
    assert list(unpressable_options(rules, {meaning})) == []


def test_no_key_is_needed_where_no_option_waits_for_one() -> None:
    options = {"even_money": True, "even_money_shown": "chips", "surrender": "none", "surrender_on": "any_hand"}
    for rules in (PENN, with_options(PENN, options)[0]):
        assert list(unpressable_options(rules, ())) == []


DOUBTFUL: list[tuple[dict[str, object], str]] = [
    ({"max_hands": 4, "boxes": 7}, "four hands with up to six"),
    ({"surrender_on": "any_hand"}, "chips do not show"),
    ({"natural_pays": [1, 1]}, "no more than any other"),
    ({"natural_pays": [65, 1]}, "65 to 1 is more than 2 to 1, the most"),
    ({"natural_pays": [21, 10]}, "21 to 10 is more than 2 to 1, the most"),
    ({"win_pays": [6, 5]}, "6 to 5 is more than 1 to 1, the most"),
    ({"insurance_pays": [5, 2]}, "5 to 2 is more than 2 to 1, the most"),
    ({"side_bets": ["lucky_ladies"]}, "never raises the meter"),
    ({"lucky_ladies.pays": {}, "lucky_ladies.least_decks": 1}, "no row pays"),
]


@pytest.mark.parametrize(("options", "text"), DOUBTFUL, ids=lambda one: str(one)[:40])
def test_what_is_doubtful_is_a_warning(options: dict[str, object], text: str) -> None:
    rules, mistakes = with_options(PENN, options)
    assert mistakes == ()
    assert list(impossible_rules(rules)) == []
    assert any(text in finding.text for finding in doubtful_rules(rules))
    warnings = [line for line in profile_files.load("hollywood-penn-national", options).warnings if text in line]
    assert [line.partition(" ")[0] for line in warnings] == ["[options]"]


def test_the_best_usual_odds_are_not_doubtful() -> None:
    rules, _ = with_options(PENN, {"win_pays": [1, 1], "natural_pays": [2, 1], "insurance_pays": [2, 1]})
    assert list(doubtful_rules(rules)) == []


@pytest.mark.parametrize(
    ("options", "key"),
    [
        ({"surender": "late"}, "surender"),
        ({"surrender": "early"}, "surrender"),
        ({"stand_key": "no"}, "stand_key"),
        ({"blazing7s.stake_cents": 5.0}, "blazing7s.stake_cents"),
        ({"red_dog.stake_cents": 500}, "red_dog.stake_cents"),
        ({"red_dog": {"stake_cents": 500}}, "red_dog"),
        ({"lucky_ladies.pears": "all"}, "lucky_ladies.pears"),
        ({"blazing7s.stake_cent": 500}, "blazing7s.stake_cent"),
        ({"side_bets": ["ez_bust"], "blazing7s.stake_cents": 500}, "blazing7s.stake_cents"),
        ({"side_bets": "ez_bust"}, "side_bets"),
    ],
)
def test_a_tables_own_options_are_checked_by_key(options: dict[str, object], key: str) -> None:
    assert [one for one, _ in with_options(PENN, options)[1]] == [key]
    with pytest.raises(ProfileError):
        profile_files.load("hollywood-penn-national", options)


@pytest.mark.parametrize(
    "wrong", [{"stand_key": "no"}, {"surrender": "early"}, {"side_bets": "ez_bust"}], ids=["option", "rule", "bets"]
)
def test_an_unknown_key_is_shown_beside_a_wrong_value(wrong: dict[str, object]) -> None:
    options = {**wrong, "hit_soft": True, "lucky_ladies.pears": "all", "red_dog.stake_cents": 5}
    found = [one for one, _ in with_options(PENN, options)[1]]
    assert found == [*wrong, "hit_soft", "lucky_ladies.pears", "red_dog.stake_cents"]


def test_terms_are_held_against_the_side_wagers_that_are_named_beside_a_wrong_value() -> None:
    options = {"surrender": "early", "side_bets": ["ez_bust"], "blazing7s.stake_cents": 500}
    assert [one for one, _ in with_options(PENN, options)[1]] == ["surrender", "blazing7s.stake_cents"]


def test_a_tables_options_may_be_rules_options_and_terms() -> None:
    options = {"surrender": "none", "payout_unit_cents": 100, "blazing7s.stake_cents": 100, "side_bets": ["blazing7s"]}
    rules = profile_files.load("hollywood-penn-national", options).rules
    assert (rules.surrender, rules.options.payout_unit_cents, rules.side_bets) == ("none", 100, ("blazing7s",))
    assert rules.side_bet_terms["blazing7s"].stake_cents == 100
    assert set(rules.side_bet_terms) == {"blazing7s"}


def test_a_side_wagers_terms_may_be_written_as_a_table() -> None:
    quoted, _ = with_options(PENN, {"ez_bust.all_broke": "plays_out"})
    table, _ = with_options(PENN, {"ez_bust": {"all_broke": "plays_out"}})
    assert quoted == table
    assert profiles.option_mistakes({"ez_bust": {"all_broke": "plays_out"}, "surender": "late"}) == (
        ("surender", "unknown key; did you mean surrender?"),
    )


def test_usual_terms_are_named_as_usual_and_not_as_the_houses_own() -> None:
    text = profile_files.text_of("hollywood-penn-national")
    begun, _, rest = text.partition("[side_bets.lucky_ladies.pays]")
    own = begun + rest[rest.index("[side_bets.lucky_ladies.choices]") :]
    found = {row.key: row.source for row in rows(profiles.read(own, "house.toml"))}
    card = found["lucky_ladies.least_decks"]
    assert card.startswith("card; its rows are")
    usual = "not in the profile: usual terms of Lucky Ladies (S.D. Admin. R. 20:18:15:30.04 paytable B)"
    assert (found["lucky_ladies.pays.any_20"], found["lucky_ladies.pairs"]) == (usual, card)
    whole = {row.key: row.source for row in rows(profiles.read(text, "house.toml"))}
    assert (whole["lucky_ladies.pays.any_20"], whole["lucky_ladies.stake_cents"]) == (card, usual)
    added = rows(profile_files.load("borgata", {"side_bets": ["lucky_ladies"]}))
    assert {row.source for row in added if row.key.startswith("lucky")} == {usual.removeprefix("not in the profile: ")}


def test_two_profiles_compared() -> None:
    same = profile_files.load("borgata")
    assert compared(same, same) == []
    other = profile_files.load("borgata", {"surrender": "late", "side_bets": ["five_card_progressive"]})
    lines = [key.text() for key in compared(same, other)]
    assert lines[0] == 'surrender: "none" -> "late"'
    assert "five_card_progressive.stake_cents: - -> 0" in lines


def test_every_rule_says_what_it_means() -> None:
    source = Path(str(Rules.__module__).replace(".", "/") + ".py")
    tree = ast.parse((Path(__file__).parents[2] / source).read_text(encoding="utf-8"))
    for name in ("Rules", "Options", "SideBetTerms"):
        body = next(node.body for node in tree.body if isinstance(node, ast.ClassDef) and node.name == name)
        fields = [place for place, node in enumerate(body) if isinstance(node, ast.AnnAssign)]
        for place in fields:
            field = body[place]
            assert isinstance(field, ast.AnnAssign)
            target = ast.unparse(field.target)
            following = body[place + 1] if place + 1 < len(body) else None
            described = isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant)
            assert described or target in {"name", "options"}, f"{name}.{target}"


def test_what_a_table_file_overrides_has_the_table_file_as_its_source() -> None:
    own = profile_files.load("borgata")
    options = {"natural_pays": [6, 5], "key_slack": 1, "side_bets": ["perfect_pairs"], "perfect_pairs.stake_cents": 500}
    found = profile_files.load("borgata", options)
    source = "[options] of the table file"
    given = {"natural_pays": source, "perfect_pairs.stake_cents": source}
    assert {key: one for key, one in found.sources.items() if own.sources.get(key) != one} == (
        given | {"perfect_pairs": f"stake_cents: {source}"}
    )


def test_a_copied_profile_that_kept_its_name_is_a_warning(tmp_path: Path) -> None:
    copied = tmp_path / "ours.toml"
    text = profile_files.text_of("borgata")
    copied.write_text(text)
    message = f"{copied}: name: borgata is a profile that comes with the program; give this one another name"
    assert profile_files.load(str(copied)).warnings == (message,)
    renamed, title = text.replace('name = "borgata"', 'name = "ours"'), profile_files.load("borgata").title
    copied.write_text(renamed)
    message = f'{copied}: title: "{title}" is that of a profile that comes with the program; give this one another'
    assert profile_files.load(str(copied)).warnings == (message,)
    copied.write_text(renamed.replace(f'title = "{title}"', 'title = "Ours"'))
    assert profile_files.load(str(copied)).warnings == ()
