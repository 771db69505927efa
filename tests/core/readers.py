"""Readers that are behind: their word comes late, or what they report does."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

from controller.core.game.rules import Rules
from firmware_protocols.readings import ChipsConfirmed, ChipsSeen
from simulators.people.acts import Act, Press, RoundPlayed
from simulators.people.simulated_table import KEY_NO_MORE_BETS, KEY_ROUND_CLOSED
from tests.core.rig import MS, SPOTS, Rig


class LateRig(Rig):
    """Changes are reported in time; that nothing else changed is confirmed several acts later."""

    def __init__(self, rules: Rules, chips: dict[str, int], seed: int = 1) -> None:
        super().__init__(rules, chips)
        self.rng = Random(seed)

    def perform(self, acts: Iterable[Act]) -> list[RoundPlayed]:
        rounds: list[RoundPlayed] = []
        for act in acts:
            self.late = self.rng.random() < 0.8
            if isinstance(act, Press) and act.key == KEY_ROUND_CLOSED:
                self.late = False
            rounds.extend(super().perform([act]))
        self.late = False
        self.pass_ms(100)
        return rounds


class GatheringRig(LateRig):
    """The same where chips that move are gathered into one move."""

    gathers_moves = True


class SlowRig(Rig):
    """All zones are looked at now and then; changes are reported at the next look, wide enough to hold cards and keys.

    As a performer does, nobody changes a zone again before its last change was seen, and bets are seen before they are
    locked.
    """

    def __init__(self, rules: Rules, chips: dict[str, int], seed: int = 1, looks: float = 0.3) -> None:
        super().__init__(rules, chips)
        self.rng = Random(seed)
        self.looks = looks
        self.unseen: dict[tuple[int, str], tuple[str, ...]] = {}
        self.looked_ns = self.now_ns
        self.late = True

    def look(self) -> None:
        self.now_ns += 50 * MS
        for (spot, zone), chips in self.unseen.items():
            self.give(ChipsSeen(spot, zone, tuple(sorted(chips)), self.looked_ns, self.now_ns))
        self.unseen = {}
        self.looked_ns = self.now_ns
        self.now_ns += 1
        self.give(ChipsConfirmed(SPOTS, self.looked_ns))

    def lay(self, spot: int, zone: str, chips: tuple[str, ...], spread_ms: int = 100) -> None:
        if (spot, zone) in self.unseen:
            self.look()
        self.now_ns += 2 * spread_ms * MS
        self.unseen[spot, zone] = chips
        self.now_ns += spread_ms * MS

    def perform(self, acts: Iterable[Act]) -> list[RoundPlayed]:
        rounds: list[RoundPlayed] = []
        for act in acts:
            key = act.key if isinstance(act, Press) else ""
            if key in {KEY_NO_MORE_BETS, KEY_ROUND_CLOSED} or self.rng.random() < self.looks:
                self.look()
            rounds.extend(super().perform([act]))
            if key == KEY_ROUND_CLOSED:
                self.look()
        return rounds
