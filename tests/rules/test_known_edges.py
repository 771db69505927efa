"""The edges that come with the program: for whose rules they hold, and that the computation comes to them."""

from __future__ import annotations

import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from controller.cli import main
from controller.commands.main_edge import COMPUTING
from controller.core.analysis.computed_edge import BILLIONTH, main_edge
from controller.core.analysis.expectation import edges_at_hand
from controller.core.analysis.simulated_edge import ROUND_CARDS, round_net_cents
from controller.core.game.rules import Options, Rules
from controller.formats.config import known_edges
from controller.formats.config.known_edges import (
    WITHOUT_EFFECT,
    KnownEdge,
    NoEdges,
    SideEdge,
    edge_hash,
    side_hash,
)
from controller.formats.config.profiles import RULE_KEYS
from controller.io.files import profile_files
from controller.io.files.known_edges import known, known_sides, shipped
from firmware_protocols.cards import DECK
from tests.edge.shipped import FILE, SIDES, WANTED, counted, known_edge, rules_of, written

LINES = list(shipped().values())
HPN = profile_files.load("hollywood-penn-national").rules

OTHERWISE: dict[str, Any] = {
    "boxes": 3,
    "player_cards": "face_down",
    "handling": "own_cards",
    "signals": "brush_and_wave",
    "point_count": "not_said",
    "mid_shoe_entry": "refused",
    "naturals_paid": "after_play",
    "settled_before_play": "not_said",
    "insurance": False,
    "insurance_cap": "half_up_to_next_chip",
    "insurance_until": "decision",
    "insurance_pays": (3, 1),
    "losing_insurance_taken": "after_play",
    "even_money": True,
    "surrender_turn": "own",
    "surrender_on": "any_hand",
    "double_for_less": False,
    "side_wagers": "prohibited",
    "aggregate_limit_cents": 5,
    "mystery_fed_by": (),
    "mystery_reset_cents": 7,
    "mystery_ceiling_cents": 8,
}


def test_every_profile_and_what_its_card_leaves_open_comes_with_its_edge() -> None:
    text = FILE.read_text(encoding="utf-8")
    lines = msgspec.json.decode(text, type=list[KnownEdge])
    assert [(one.profile, one.options) for one in lines] == list(WANTED)
    assert {one.profile for one in lines if not one.options} == set(profile_files.names())
    assert written(lines) == text


@pytest.mark.parametrize("line", LINES, ids=lambda line: f"{line.profile} {line.options}")
def test_no_line_is_of_other_rules_than_it_says(line: KnownEdge) -> None:
    assert line.hash == edge_hash(rules_of(line.profile, line.options))


@pytest.mark.counting
@pytest.mark.parametrize("line", [one for one in LINES if not one.options], ids=lambda line: line.profile)
def test_the_computation_comes_to_every_profiles_line(line: KnownEdge) -> None:
    rules = rules_of(line.profile, {})
    assert known_edge(line.profile, {}, rules, main_edge(rules)) == line
    assert known(replace(rules, name="another")) == line.main_edge()


def test_a_rule_without_effect_on_the_main_wager_leaves_it_as_it_is() -> None:
    assert set(OTHERWISE) == WITHOUT_EFFECT
    for key, value in OTHERWISE.items():
        assert getattr(HPN, key) != value
        other = replace(HPN, **{key: value})
        assert edge_hash(other) == edge_hash(HPN)
        chance = random.Random(11)
        for _ in range(60):
            shoe = chance.sample(DECK * HPN.decks, ROUND_CARDS)
            assert round_net_cents(other, shoe) == round_net_cents(HPN, shoe), key
    assert edge_hash(replace(HPN, name="another", options=Options(chip_unit_cents=500))) == edge_hash(HPN)


CHANGED: dict[str, Any] = {
    "decks": 5,
    "hole_card": "none",
    "hole_check": "device",
    "soft_17": "hit",
    "win_pays": (2, 1),
    "tie": "loses",
    "drawn_21": "pushes",
    "natural_pays": (6, 5),
    "natural_against_natural": "loses",
    "natural_against_drawn_21": "pushes",
    "drawn_21_against_natural": "pushes",
    "split_21": "beats_drawn_21",
    "surrender": "none",
    "surrender_against_natural": "half",
    "double_on": "nine_to_eleven",
    "double_count": "hard_or_best",
    "double_after_split": False,
    "double_split_aces": True,
    "split_by": "rank",
    "max_hands": 2,
    "resplit_on": "third_card",
    "resplit_aces": True,
    "split_ace_cards": "any",
    "extra_wagers_against_natural": "all",
    "busted_bets_lost": True,
}


def test_any_other_rule_makes_other_rules_of_them() -> None:
    assert set(CHANGED) == RULE_KEYS - WITHOUT_EFFECT
    rounded: Rules = replace(HPN, options=Options(payout_unit_cents=100))
    others = [replace(HPN, **{key: value}) for key, value in CHANGED.items()]
    assert len({edge_hash(one) for one in (HPN, rounded, *others)}) == len(CHANGED) + 2
    assert known(rounded) is None


def test_what_is_no_file_of_edges_is_refused() -> None:
    for text in ("", "{}", '[{"profile": "borgata"}]'):
        with pytest.raises(NoEdges):
            known_edges.read(text)


def test_a_houses_own_rules_are_computed_and_that_is_said(tmp_path: Path) -> None:
    file = tmp_path / "strip.toml"
    text = profile_files.text_of("pitch-h17").replace("max_hands = 4", "max_hands = 1")
    file.write_text(text.replace("natural_pays = [3, 2]", "natural_pays = [6, 5]"), encoding="utf-8")
    done = CliRunner().invoke(main, ["par", str(file), "--bet", "main", "--format", "json"])
    assert (done.exit_code, done.stderr) == (0, f"{COMPUTING}\n")
    # Two decks: a natural comes 4.78 times in a hundred, and three tenths of the wager less are paid for it.
    pitch = known(profile_files.load("pitch-h17").rules)
    assert pitch is not None
    assert 1.36 < float(msgspec.json.decode(done.stdout)["main"]["edge_percent"]) - 100 * pitch.edge < 2.0
    assert CliRunner().invoke(main, ["par", "pitch-h17", "--bet", "main"]).stderr == ""


# --- side wagers ------------------------------------------------------------------------------------


def test_every_side_wager_of_every_profile_comes_with_its_edge() -> None:
    lines = msgspec.json.decode(SIDES.read_text(encoding="utf-8"), type=list[SideEdge])
    wanted = {side_hash(rules, bet) for rules in (rules_of(*one) for one in WANTED) for bet in rules.side_bets}
    assert {one.hash for one in lines} == wanted
    assert written(lines) == SIDES.read_text(encoding="utf-8")


@pytest.mark.counting
def test_the_count_comes_to_every_side_wagers_line() -> None:
    assert written(counted()) == SIDES.read_text(encoding="utf-8")


def test_a_meters_wager_and_terms_of_the_houses_own_have_no_edge_at_hand() -> None:
    assert set(known_sides(HPN)) == {"lucky_ladies", "twenty_one_plus_three", "ez_bust"}
    own = profile_files.load(
        "hollywood-penn-national", {"blazing7s.stake_cents": 1_000, "lucky_ladies.stake_cents": 2_500}
    ).rules
    assert "lucky_ladies" not in known_sides(own)
    assert edges_at_hand(HPN, None, known_sides(HPN))["ez_bust"] == Fraction(214_424_619, BILLIONTH)
