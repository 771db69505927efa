"""Whole rounds for property tests: any rules, wagers, cards and acts, lawful ones and others."""

from __future__ import annotations

from typing import Any, NamedTuple

from hypothesis import strategies as st
from msgspec.structs import replace

from controller.core.analysis.scripted_account import ScriptedAccount, account, refused_side_bet
from controller.core.analysis.scripted_round import ACTS, ScriptedAct, ScriptedEnding, ScriptedPosition, ScriptedRound
from controller.core.analysis.stated_meters import StatedMeters, StatedMystery, StatedPooledMeter
from controller.core.game.refusals import Refusal
from controller.core.game.rules import Options, Rules
from controller.core.game.side_bet import find, names
from controller.formats.config.profiles import with_terms
from controller.io.files import profile_files
from firmware_protocols.cards import DECK, Card

PROFILES = {name: profile_files.load(name).rules for name in profile_files.names()}
METERS = StatedMeters(StatedPooledMeter(5_000_000, 1_000_000), StatedMystery(99_950, 10, 99_970, 50_000))
ACTS_LIMIT = 60


class Round(NamedTuple):
    """A round played to its end, and its acts."""

    script: ScriptedRound
    sides: dict[int, dict[str, int]]
    acts: tuple[ScriptedAct, ...]
    refused: tuple[int, ...]
    ended: ScriptedEnding
    account: ScriptedAccount


def position_after(script: ScriptedRound, acts: tuple[ScriptedAct, ...]) -> ScriptedPosition:
    """The round after ``acts``, refused ones passed over."""
    standing = script.deal()
    for act in acts:
        after = script.act(standing, act)
        standing = standing if isinstance(after, Refusal) else after
    return standing


@st.composite
def rule_sets(draw: st.DrawFn) -> Rules:
    """A profile, with some of its readings turned round and every side wager allowed."""
    rules = PROFILES[draw(st.sampled_from(sorted(PROFILES)))]
    changed: dict[str, Any] = {
        "hole_card": draw(st.sampled_from(["dealt", "dealt", "none"])),
        "soft_17": draw(st.sampled_from(["stand", "hit"])),
        "surrender": draw(st.sampled_from(["none", "late"])),
        "extra_wagers_against_natural": draw(st.sampled_from(["original_only", "all"])),
        "resplit_aces": draw(st.booleans()),
        "split_ace_cards": draw(st.sampled_from(["one", "any"])),
        "side_wagers": "allowed",
        "side_bets": draw(st.sampled_from([(), tuple(names())])),
        "decks": 8,
    }
    if changed["hole_card"] == "dealt":
        changed["hole_check"] = draw(st.sampled_from(["none", "device"]))
    options = Options(payout_unit_cents=draw(st.sampled_from([1, 50, 100])), chip_unit_cents=100)
    return with_terms(replace(rules, options=options, **changed))


@st.composite
def shoes(draw: st.DrawFn) -> list[Card]:
    """Enough cards for a full table, rich in pairs, aces and tens."""
    chance = draw(st.randoms(use_true_random=False))
    rich = [card for card in DECK if card.value[0] in "A7TQ8"]
    return [chance.choice(rich if chance.random() < 0.5 else DECK) for _ in range(200)]


@st.composite
def rounds(draw: st.DrawFn) -> Round:
    """A round in which anybody asks for anything until all have played."""
    rules = draw(rule_sets())
    spots = draw(st.lists(st.integers(1, 7), min_size=1, max_size=4, unique=True))
    mains = {spot: draw(st.integers(1, 50)) * 50 for spot in sorted(spots)}
    sides: dict[int, dict[str, int]] = {}
    for spot in mains:
        for bet in rules.side_bets:
            cents = rules.side_bet_terms[bet].stake_cents or 100
            if draw(st.booleans()) and refused_side_bet(rules, bet, cents) is None:
                sides.setdefault(spot, {})[bet] = cents
    script = ScriptedRound(rules, mains, draw(shoes()))
    acts, refused = talk(script, draw(st.randoms(use_true_random=False)))
    ended = script.finish(position_after(script, acts))
    return Round(script, sides, acts, refused, ended, account(script, ended, sides, METERS))


def talk(script: ScriptedRound, chance: object) -> tuple[tuple[ScriptedAct, ...], tuple[int, ...]]:
    """Acts out of turn and in turn, then stands until all have played; and the places of those refused."""
    choose = chance.choice  # type: ignore[attr-defined]
    acts: list[ScriptedAct] = []
    refused: list[int] = []
    standing = script.deal()
    while True:
        waiting = script.play.hand_in_play(standing.node)
        if waiting is None or script.natural_found(standing):
            return tuple(acts), tuple(refused)
        turn = ScriptedAct(script.spots[standing.node.acting], "stand", script.play.current(standing.node))
        act = turn
        if len(acts) < ACTS_LIMIT:
            spot, hand = choose([(turn.spot, turn.hand)] * 5 + [(choose(script.spots), 0), (7, 2)])
            cents = choose([None, None, 50, 100, 500, 1000])
            act = ScriptedAct(spot, choose([*sorted(ACTS), "hit", "split", "double"]), hand, cents)
        acts.append(act)
        after = script.act(standing, act)
        if isinstance(after, Refusal):
            refused.append(len(acts) - 1)
        else:
            standing = after


def stakes(found: Round) -> dict[int, dict[str, int]]:
    """Every cent put at risk, by spot and bet."""
    zone = found.script.play.offered_zone
    staked: dict[int, dict[str, int]] = {}
    for box, spot in enumerate(found.script.spots):
        staked[spot] = {"main": sum(hand.stake_cents() for hand in found.ended.outcomes[box].hands)}
        staked[spot] |= found.sides.get(spot, {})
        if found.ended.offered[box]:
            staked[spot][zone] = found.ended.offered[box]
    return staked


__all__ = ["METERS", "PROFILES", "Round", "find", "position_after", "rounds", "rule_sets", "stakes"]
