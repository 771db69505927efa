"""The rows of ``tableside export`` and ``rounds`` as the auditor would write them, out of the second account alone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable

from tests.commands.auditor import Books, Row, name_of, per_handle, sums

ALERTS = frozenset(
    {
        "bet_increased_after_lock",
        "bet_decreased_after_lock",
        "chips_unexplained",
        "chips_exchanged",
        "insurance_too_large",
        "wager_outside_limits",
        "side_bet_without_main",
        "wager_uncertain",
        "side_bet_refused",
        "mid_shoe_entry",
        "unknown_chip",
        "chip_seen_twice",
        "card_unreadable",
        "card_outside_round",
        "cards_may_be_missing",
        "round_irregular",
        "settlement_disputed",
        "spot_reader_lost",
        "order_refused",
        "assistance_requested",
        "device_alarm",
        "line_errors",
        "close_refused",
        "play_blocked",
        "play_unblocked",
        "key_refused",
        "answer_refused",
        "alert_raised",
        "alert_acknowledged",
        "contribution_refused",
        "meter_closed",
        "mystery_disputed",
        "parameters_differ",
        "pool_entry_declined",
    }
)
"""What docs/reference/events.md says is published under ``alert/`` too."""

METERS = frozenset(
    {
        "meter_opened",
        "contribution_made",
        "jackpot_hit",
        "meter_reset",
        "jackpot_verified",
        "jackpot_paid",
        "jackpot_refused",
        "meter_change_proposed",
        "order_approved",
        "order_withdrawn",
        "meter_adjusted",
        "parameters_queued",
        "parameters_changed",
        "mystery_committed",
        "mystery_revealed",
        "meter_reopened",
        "meter_linked",
        "contribution_posted",
        "jackpot_claimed",
        "verdict_posted",
        "pool_entry_recorded",
        "meter_released",
        "contribution_refused",
        "meter_closed",
        "mystery_disputed",
        "parameters_differ",
        "pool_entry_declined",
    }
)
"""What it says of meters."""


def round_rows(books: Books, numbers: Iterable[int]) -> list[Row]:
    """``export --rows rounds``."""
    rows = []
    for number in numbers:
        one, end = books.rounds[number], books.rounds[number]["closed"]
        wagers = [wager for _, wager in books.of([number])]
        settled, still = ([w for w in wagers if w["state"] == state] for state in ("settled", "open"))
        ended = "open" if end is None else end["data"]["outcome"]
        rows.append(
            {
                "round": number,
                "started": one["started"],
                "closed": "" if end is None else end["time"],
                "first_seq": one["first_seq"],
                "last_seq": one["last_seq"],
                "outcome": "void" if one["void"] else ended,
                "dealer": "" if end is None else books.shown(end["data"]["dealer"]),
                "spots": one["spots"],
                "hands": sum(place[0] == number for place in books.agreed()),
                "questions": one["questions"],
                "alerts": one["alerts"],
                "handle_cents": sums(settled)[0],
                "win_cents": sums(settled)[1],
                "open_wagers": len(still),
                "open_cents": sum(wager["handle"] for wager in still),
                "settled_wagers": len(settled),
                "void_wagers": len(wagers) - len(settled) - len(still),
                "adjusted": sum(wager["adjusted"] for wager in wagers),
                "doubted": sum(wager["doubted"] for wager in wagers),
                "void_cents": sum(wager["void"] for wager in wagers),
            }
        )
    return rows


def hand_rows(books: Books) -> list[Row]:
    """``export --rows hands``."""
    order = {number: at for at, number in enumerate(books.closed)}
    own = sorted((place for place in books.agreed() if place[0] in order), key=lambda one: (order[one[0]], one))
    rows = []
    for number, spot, hand in own:
        data = books.hands[number, spot, hand]
        cards = books.shown(data["cards"])
        total = data["total"] if "?" in cards else points_of(cards)
        row = {"round": number, "spot": spot, "hand": hand, "cards": cards}
        rows.append({**row, "total": total, "stake_cents": data["stake_cents"]})
    return rows


def wager_rows(books: Books) -> list[Row]:
    """``export --rows wagers``."""
    return [
        {
            "round": number,
            "time": wager["event"]["time"],
            "seq": wager["event"]["seq"],
            "spot": spot,
            "bet": bet,
            "wager_cents": wager["cents"],
            "handle_cents": wager["handle"],
            "net_cents": wager["due"],
            "basis": wager["basis"],
            "why": wager["why"],
            "state": wager["state"],
            "jackpot_cents": wager["jackpot"],
            "adjusted": wager["adjusted"],
            "doubted": wager["doubted"],
            "void_cents": wager["void"],
        }
        for (number, spot, bet), wager in books.of(books.closed)
    ]


def event_rows(books: Books, names: frozenset[str], columns: Callable[[Row], Row]) -> list[Row]:
    """Rows of events as they were published."""
    found = [event for event in books.events if name_of(event) in names]
    return [
        {"time": event["time"], "seq": event["seq"], "kind": name_of(event), **columns(event["data"])}
        for event in found
    ]


def of_alert(data: Row) -> Row:
    """``export --rows alerts``."""
    return {"round": data.get("round"), "spot": data.get("spot"), "data": data}


def of_meter(data: Row) -> Row:
    """``export --rows meters``."""
    return {"meter": data.get("meter", ""), **of_alert(data), "units": data.get("meter_units")}


def sum_rows(books: Books) -> list[Row]:
    """``export --rows sums``."""
    found: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for (_, _, bet), wager in books.of(books.closed):
        if wager["state"] == "settled":
            found[f"{wager['event']['time'][:13]}:00:00Z", bet].append(wager)
    rows = []
    for (hour, bet), wagers in sorted(found.items()):
        handle, win = sums(wagers)
        row = {"hour": hour, "bet": bet, "wagers": len(wagers), "handle_cents": handle, "win_cents": win}
        rows.append({**row, "win_per_handle": per_handle(win, handle)})
    return rows


def exported(books: Books) -> dict[str, list[Row]]:
    """Every kind of ``export --rows``."""
    rounds = round_rows(books, books.closed)
    video = ("round", "started", "closed", "first_seq", "last_seq", "outcome")
    return {
        "rounds": rounds,
        "hands": hand_rows(books),
        "wagers": wager_rows(books),
        "alerts": event_rows(books, ALERTS, of_alert),
        "meters": event_rows(books, METERS, of_meter),
        "sums": sum_rows(books),
        "video": [{name: row[name] for name in video} for row in rounds],
    }


def listed(books: Books) -> list[Row]:
    """``tableside rounds --json``."""
    return [
        {
            "round": row["round"],
            "locked": row["started"],
            "closed": row["closed"],
            "outcome": row["outcome"],
            "boxes": row["spots"],
            "staked_cents": row["handle_cents"] + row["open_cents"],
            "net_cents": -row["win_cents"],
            "settled": row["settled_wagers"],
            "open": row["open_wagers"],
            "void": row["void_wagers"],
            "adjusted": row["adjusted"],
            "alerts": row["alerts"],
        }
        for row in round_rows(books, sorted(books.rounds))
    ]


def points_of(cards: str) -> int:
    """The best total of faces such as ``Th 7d``, by the words of any card of rules."""
    points = [1 if face[0] == "A" else 10 if face[0] in "TJQK" else int(face[0]) for face in cards.split()]
    hard = sum(points)
    return hard + 10 if 1 in points and hard <= 11 else hard
