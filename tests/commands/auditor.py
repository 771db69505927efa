"""An account of a shift made a second time: from the lines of ``tableside export --events`` alone, and docs/events.md.

Nothing of the program is imported here, so that what it says of a shift has a witness.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from typing import Any

Wager = dict[str, Any]


def account(lines: list[str]) -> dict[str, Any]:
    """Every figure of ``tableside report`` that no theory is needed for."""
    events = [json.loads(line) for line in lines]
    wagers: dict[tuple[int, int, str], Wager] = {}
    stakes: dict[tuple[int, int], dict[int, int]] = defaultdict(dict)
    void: set[int] = set()
    closed: list[int] = []
    for event in events:
        data, name = event["data"], event["type"].split(".")[1]
        read(name, data, wagers, stakes)
        if name == "round_voided" or (name == "round_closed" and data["outcome"] == "void"):
            void.add(data["round"])
        if name == "round_closed" and data["round"] not in closed:
            closed.append(data["round"])
    for (number, spot, bet), wager in wagers.items():
        played = sum(stakes[number, spot].values()) if bet == "main" else 0
        wager["handle"] = played or wager["cents"]
    own = {place: wager for place, wager in wagers.items() if place[0] in closed}
    settled = {place: wager for place, wager in own.items() if wager["due"] is not None and place[0] not in void}
    still = [wager for place, wager in own.items() if wager["due"] is None and place[0] not in void]
    return {
        "rounds": len(closed),
        "bets": by(settled, 2),
        "spots": by(settled, 1),
        "bases": dict(Counter(wager["basis"] for wager in settled.values())),
        "open": (len(still), sum(wager["handle"] for wager in still)),
        "void": len(void & set(closed)),
        "alerts": alerts(events),
        "inventory": inventory(events),
    }


def read(name: str, data: Any, wagers: dict[tuple[int, int, str], Wager], stakes: Any) -> None:
    """What an event says of wagers."""

    def made(spot: int, bet: str, cents: int) -> Wager:
        wager = wagers.setdefault((data["round"], spot, bet), {"due": None, "basis": ""})
        wager["cents"] = cents
        return wager

    if name == "bets_locked":
        for one in data["wagers"]:
            made(one["spot"], one["bet"], one["cents"])
    elif name == "insurance_taken":
        made(data["spot"], "insurance", data["cents"])
    elif name == "wager_uncertain":
        made(data["spot"], data["bet"], max(data["possible_cents"]))
    elif name == "box_declared" and data["round"]:
        made(data["spot"], "main", data["cents"])
        for one in data["beside"]:
            made(one["spot"], one["bet"], one["cents"])
    elif name == "wager_open":
        made(data["spot"], data["bet"], data["wager_cents"])["due"] = None
    elif name in {"wager_settled", "wager_adjusted"}:
        made(data["spot"], data["bet"], data["wager_cents"]).update(due=data["due_cents"], basis=data["basis"])
    elif name == "hand_played":
        stakes[data["round"], data["spot"]][data["hand"]] = data["stake_cents"]


def by(settled: dict[tuple[int, int, str], Wager], part: int) -> dict[Any, tuple[int, int, int]]:
    """Wagers, handle and win by a part of their place."""
    found: dict[Any, tuple[int, int, int]] = {}
    for place, wager in settled.items():
        count, handle, win = found.get(place[part], (0, 0, 0))
        found[place[part]] = (count + 1, handle + wager["handle"], win - wager["due"])
    return found


def alerts(events: list[Any]) -> dict[tuple[str, str], int]:
    """Alerts by severity and kind."""
    raised = [event["data"] for event in events if event["type"].endswith(".alert_raised.v1")]
    return dict(Counter((one["severity"], one["kind"]) for one in raised))


def inventory(events: list[Any]) -> dict[str, int]:
    """What was entered, by kind."""
    sums: Counter[str] = Counter()
    for event in events:
        if event["type"].endswith(".inventory_entered.v1"):
            sums[event["data"]["kind"]] += event["data"]["cents"]
    return dict(sums)
