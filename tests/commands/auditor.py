"""The books kept a second time: from the lines of ``tableside export --events`` alone.

What the lines mean is read in docs/reference/events.md, what is made of them in docs/guide/accounting.md.

Nothing of the program is imported here, so that what it says of a shift, a round and a wager has a witness.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from math import floor
from typing import Any
from zoneinfo import ZoneInfo

Row = dict[str, Any]
Place = tuple[int, int, str]

EARLIEST, LATEST = "1970-01-01T00:00:00+00:00", "9999-01-01T00:00:00+00:00"
LONGEST_PAUSE_SECONDS = 300


class Books:
    """Rounds, hands and wagers after some of a table's events, in order."""

    def __init__(self, events: Iterable[Row]) -> None:
        self.events = list(events)
        self.wagers: dict[Place, Row] = {}
        self.hands: dict[tuple[int, int, int], Row] = {}
        self.rounds: dict[int, Row] = {}
        self.closed: list[int] = []
        self.faces: dict[int, str] = {}
        self.named: dict[int, str] = {}
        for event in self.events:
            self.enter(name_of(event), event, event["data"])
        for place, wager in self.wagers.items():
            self.close(place, wager)

    def enter(self, name: str, event: Row, data: Row) -> None:
        """One event."""
        number = data.get("round", 0)
        if name == "card_opened":
            self.faces[data["card"]] = data["face"]
        if name == "card_set" and data["after"]:
            self.named[data["card"]] = data["after"]
        if name == "betting_closed":
            self.rounds[number] = {
                "started": event["time"],
                "first_seq": event["seq"],
                "spots": len({one["spot"] for one in data["wagers"] if one["bet"] == "main"}),
                "questions": 0,
                "alerts": 0,
                "void": False,
                "unexplained": False,
                "closed": None,
            }
        if number not in self.rounds:
            return
        one = self.rounds[number]
        one["questions"] += name == "question_asked"
        one["alerts"] += name == "alert_raised"
        one["void"] |= name == "round_voided" or (name == "round_closed" and data["outcome"] == "void")
        if name in {"round_irregular", "round_resumed"}:
            one["unexplained"] = name == "round_irregular"
        if name == "hand_completed":
            self.hands[number, data["spot"], data["hand"]] = data
        if name == "round_closed":
            one["closed"] = event
            if number not in self.closed:
                self.closed.append(number)
        if one["closed"] is None or one["closed"] is event:
            one["last_seq"] = event["seq"]
        self.wager(name, event, data)

    def wager(self, name: str, event: Row, data: Row) -> None:
        """What an event says of wagers."""

        def made(spot: int, bet: str, cents: int) -> Row:
            first = {"due": None, "basis": "open", "why": "nothing has settled it yet", "jackpot": 0}
            place = (data["round"], spot, bet)
            wager = self.wagers.setdefault(place, {**first, "event": event, "adjusted": 0, "doubted": False})
            wager["cents"] = cents
            return wager

        match name:
            case "betting_closed":
                for one in data["wagers"]:
                    made(one["spot"], one["bet"], one["cents"])
            case "insurance_taken":
                made(data["spot"], "insurance", data["cents"])
            case "wager_uncertain":
                made(data["spot"], data["bet"], max(data["possible_cents"]))
            case "box_declared" if not data["cents"]:
                for place in [place for place in self.wagers if place[:2] == (data["round"], data["spot"])]:
                    del self.wagers[place]
            case "box_declared":
                made(data["spot"], "main", data["cents"])
                for one in data["beside"]:
                    made(one["spot"], one["bet"], one["cents"])
            case "settlement_disputed":
                made(data["spot"], data["bet"], data["wager_cents"])["doubted"] = True
            case "wager_unresolved":
                why = "more than one due is possible" if data["possible_cents"] else "no legal play explains the round"
                now = {"due": None, "basis": "open", "why": why, "jackpot": 0, "event": event, "doubted": False}
                made(data["spot"], data["bet"], data["wager_cents"]).update(now)
            case "wager_settled" | "wager_adjusted":
                wager = made(data["spot"], data["bet"], data["wager_cents"])
                now = {"due": data["net_cents"], "basis": data["basis"], "why": data["why"], "event": event}
                wager.update(now, jackpot=data["jackpot_cents"], doubted=False)
                wager["adjusted"] += name == "wager_adjusted"
            case _:
                pass

    def close(self, place: Place, wager: Row) -> None:
        """What a wager comes to in the end."""
        number, spot, bet = place
        staked = sum(one["stake_cents"] for of, one in self.hands.items() if of[:2] == (number, spot))
        wager["handle"] = (staked if bet == "main" else 0) or wager["cents"]
        wager["state"], wager["void"] = ("open" if wager["due"] is None else "settled"), 0
        if self.rounds[number]["void"]:
            wager.update(state="void", due=0, void=wager["handle"], handle=0, jackpot=0, doubted=False)

    def agreed(self) -> list[tuple[int, int, int]]:
        """The hands of rounds that a legal play explains."""
        return [place for place in self.hands if not self.rounds[place[0]]["unexplained"]]

    def of(self, numbers: Iterable[int]) -> list[tuple[Place, Row]]:
        """The wagers of some rounds, by round as they closed, spot, and main first."""
        order = {number: at for at, number in enumerate(numbers)}
        own = [(place, wager) for place, wager in self.wagers.items() if place[0] in order]
        return sorted(own, key=lambda one: (order[one[0][0]], one[0][1], one[0][2] != "main", one[0][2]))

    def shown(self, cards: Iterable[int]) -> str:
        """Cards by their faces, as the floor last named them."""
        return " ".join(self.named.get(card, self.faces.get(card, "??")) for card in cards)


def events_of(lines: Iterable[str]) -> list[Row]:
    """The events of the lines."""
    return [json.loads(line) for line in lines]


def name_of(event: Row) -> str:
    """``wager_settled`` of ``tableside.wager_settled.v1``."""
    return str(event["type"].split(".")[1])


def moment(text: str) -> datetime:
    """A time, to be compared."""
    return datetime.fromisoformat(text)


# --- the account of a time ----------------------------------------------------------------------------


def account(events: list[Row], since: str = EARLIEST, until: str = LATEST, zone: str = "UTC") -> Row:
    """Every figure of ``tableside report --json`` that no theory is needed for, of the time from one to the other."""
    begin, end = moment(since), moment(until)
    then = Books(event for event in events if moment(event["time"]) < end)
    numbers = [n for n in then.closed if begin <= moment(then.rounds[n]["closed"]["time"]) < end]
    own = then.of(numbers)
    settled = [one for one in own if one[1]["state"] == "settled"]
    still = [wager for _, wager in own if wager["state"] == "open"]
    within = [event for event in events if begin <= moment(event["time"]) < end]
    rounds = [then.rounds[number] for number in numbers]
    seconds = playing_seconds(rounds)
    return {
        "rounds": len(numbers),
        "playing_seconds": seconds,
        "rounds_per_hour": half_up(Fraction(3600 * len(numbers), seconds)) if seconds else 0,
        "bets": [
            {**line, "jackpot_cents": sum(w["jackpot"] for place, w in settled if place[2] == line["bet"])}
            for line in lines_of(settled, 2, "bet")
        ],
        **averages(settled),
        "spots": lines_of(settled, 1, "spot"),
        "bases": dict(Counter(wager["basis"] for _, wager in settled)),
        "questions": sum(name_of(event) == "question_asked" for event in within),
        "open_wagers": len(still),
        "open_cents": sum(wager["handle"] for wager in still),
        "doubted_wagers": sum(wager["doubted"] for _, wager in own),
        "unsettled": [
            {
                **dict(zip(("round", "spot", "bet"), place, strict=True)),
                "staked_cents": wager["handle"],
                "net_cents": wager["due"],
                "why": wager["why"],
            }
            for place, wager in own
            if wager["state"] == "open" or wager["doubted"]
        ],
        "void_rounds": sum(one["void"] for one in rounds),
        "void_wagers": sum(wager["state"] == "void" for _, wager in own),
        "void_cents": sum(wager["void"] for _, wager in own),
        "rulings": [{**one, "elsewhere": one["round"] not in numbers} for one in rulings(within)],
        "irregular": irregular(within, then, numbers),
        "inventory": inventory(by_then(events, begin, end)),
        "entries": entries(events, begin, end),
        "alerts": alerts(within),
        "device_faults": faults(within),
        "rounds_by_hour": by_hour(sorted(moment(one["closed"]["time"]) for one in rounds), zone),
        "won_by_round": won_by_round(numbers, settled),
        "restated": restated(events, then, numbers, (begin, end)),
        "corrections": [text for event in within if (text := correction(event))],
        **table_of(within),
    }


def by_hour(closed: list[datetime], zone: str) -> dict[str, int]:
    """Rounds by the hour of the house's clock, as ``2026-11-21T18:00-05:00``."""
    local = (when.astimezone(ZoneInfo(zone)) for when in closed)
    return dict(Counter(f"{when:%Y-%m-%dT%H}:00{when.isoformat()[-6:]}" for when in local))


def table_of(events: list[Row]) -> Row:
    """Whose account it is, and in which money."""
    site, table = events[0]["source"].strip("/").split("/")
    return {"site": site, "table": table, "epoch": events[0]["epoch"]}


def currency(events: list[Row]) -> str:
    """What the table last said that it pays in."""
    currencies = [event["data"]["currency"] for event in events if name_of(event) == "table_started"]
    return str(currencies[-1])


def lines_of(settled: list[tuple[Place, Row]], part: int, name: str) -> list[Row]:
    """Wagers, handle and win by a part of their place; the main wager first, then insurance."""
    found: dict[Any, list[Row]] = defaultdict(list)
    for place, wager in settled:
        found[place[part]].append(wager)
    lines = []
    for key, wagers in sorted(found.items(), key=lambda one: (one[0] != "main", one[0] != "insurance", one[0])):
        handle, win = sums(wagers)
        line = {name: key, "wagers": len(wagers), "handle_cents": handle, "win_cents": win}
        lines.append({**line, "win_per_handle": per_handle(win, handle)} if name == "bet" else line)
    return lines


def averages(settled: list[tuple[Place, Row]]) -> Row:
    """The average main wager as it was laid, and the part of the handle that is on side wagers."""
    laid = [wager["cents"] for place, wager in settled if place[2] == "main"]
    handle, _ = sums(wager for _, wager in settled)
    aside, _ = sums(wager for place, wager in settled if place[2] not in {"main", "insurance"})
    return {
        "average_bet_cents": half_up(Fraction(sum(laid), len(laid))) if laid else None,
        "side_bet_per_mille": half_up(Fraction(1000 * aside, handle)) if handle else None,
    }


def sums(wagers: Iterable[Row]) -> tuple[int, int]:
    """Handle and win of settled wagers."""
    rows = list(wagers)
    return sum(row["handle"] for row in rows), -sum(row["due"] for row in rows)


def half_up(number: Fraction) -> int:
    """Rounded to whole."""
    return floor(number + Fraction(1, 2))


def per_handle(win: int, handle: int) -> int:
    """In hundredths of a percent."""
    return half_up(Fraction(10_000 * win, handle)) if handle else 0


def won_by_round(numbers: list[int], settled: list[tuple[Place, Row]]) -> dict[int, dict[str, int]]:
    """What each bet won in each round."""
    found: dict[int, dict[str, int]] = {number: {} for number in numbers}
    for (number, _, bet), wager in settled:
        found[number][bet] = found[number].get(bet, 0) - wager["due"]
    return found


def playing_seconds(rounds: list[Row]) -> int:
    """How long somebody played: no moment counts twice, and no pause of more than five minutes."""
    spans = sorted((moment(one["started"]), moment(one["closed"]["time"])) for one in rounds)
    joined: list[list[datetime]] = []
    for begin, end in spans:
        if joined and (begin - joined[-1][1]).total_seconds() <= LONGEST_PAUSE_SECONDS:
            joined[-1][1] = max(joined[-1][1], end)
        else:
            joined.append([begin, end])
    return half_up(Fraction(sum(int((end - begin).total_seconds() * 1_000_000) for begin, end in joined), 1_000_000))


def rulings(events: Iterable[Row]) -> list[Row]:
    """What people and corrections changed; of a void round one line."""
    found: list[Row] = []
    void: set[int] = set()
    before: Row = {}
    for event in events:
        name, data = name_of(event), event["data"]
        # The case is entered just before what it changes.
        case = before["data"]["case"] if before and name_of(before) == "correction_entered" else ""
        line = {"time": event["time"], "round": data.get("round", 0), "case": case, "elsewhere": False, "win_cents": 0}
        before = event
        if name == "round_voided":
            void.add(data["round"])
            whole = {"spot": 0, "bet": "", "before_cents": None, "net_cents": None}
            found.append({**line, **whole, "who": data["who"], "why": data["why"]})
        if line["round"] in void and name == "wager_adjusted":
            whole = next(one for one in found if (one["round"], one["spot"]) == (line["round"], 0))
            whole["win_cents"] += data["before_cents"] - data["net_cents"]
        if line["round"] in void or name not in {"wager_adjusted", "wager_settled"}:
            continue
        line["win_cents"] = data.get("before_cents", 0) - data["net_cents"]
        line |= {"spot": data["spot"], "bet": data["bet"], "net_cents": data["net_cents"]}
        if name == "wager_adjusted":
            found.append({**line, "before_cents": data["before_cents"], "who": data["who"], "why": data["why"]})
        elif data["basis"] == "floor":
            who, why = data["why"].split(": ", 1)
            found.append({**line, "before_cents": None, "who": who, "why": why})
    return found


def correction(event: Row) -> Row:
    """What people said of a card or a box."""
    name, data = name_of(event), event["data"]
    match name:
        case "card_set":
            text = f"card {data['card']}: {data['before'] or 'closed'} -> {data['after'] or 'no card of the round'}"
        case "card_assigned":
            text = f"card {data['card']}: of {'spot ' + str(data['spot']) if data['spot'] else 'the dealer'}"
        case "box_declared":
            amount = f"{data['cents'] // 100}.{data['cents'] % 100:02}"
            text = f"spot {data['spot']}: " + (f"box of {amount} declared" if data["cents"] else "no box after all")
        case _:
            return {}
    place = "next round" if data["round"] is None else f"round {data['round']}"
    return {"time": event["time"], "round": data["round"], "text": f"{place} {text}", **of_person(data)}


def of_person(data: Row) -> Row:
    """Who said it and why."""
    return {"who": data["who"], "why": data["why"]}


def irregular(events: Iterable[Row], books: Books, numbers: list[int]) -> list[Row]:
    """Rounds that no legal play explained, and how those stand that are over."""
    names = ("round", "reason", "probable_cause")
    lines = []
    for event in events:
        if name_of(event) != "round_irregular":
            continue
        line = {"time": event["time"], **{name: event["data"][name] for name in names}, "outcome": "", "open_wagers": 0}
        if line["round"] in numbers:
            one = books.rounds[line["round"]]
            line["outcome"] = "void" if one["void"] else one["closed"]["data"]["outcome"]
            line["open_wagers"] = sum(wager["state"] == "open" for _, wager in books.of([line["round"]]))
        lines.append(line)
    return lines


def alerts(events: Iterable[Row]) -> list[Row]:
    """Alerts by severity and kind."""
    raised = Counter((one["data"]["severity"], one["data"]["kind"]) for one in events if name_of(one) == "alert_raised")
    order = ["critical", "warning", "notice"]
    lines = [{"kind": kind, "severity": how, "count": count} for (how, kind), count in raised.items()]
    return sorted(lines, key=lambda line: (order.index(line["severity"]), line["kind"]))


def faults(events: Iterable[Row]) -> dict[str, int]:
    """How often each device was not ready."""
    statuses = (event["data"] for event in events if name_of(event) == "device_status_changed")
    return dict(Counter(one["device"] for one in statuses if one["state"] != "ready"))


def entered_in(events: list[Row], begin: datetime, end: datetime) -> list[Row]:
    """The counts that belong to a time, by the moment they belong to and then by their number."""
    day = next((one["data"].get("gaming_day") for one in reversed(events) if name_of(one) == "table_started"), None)
    dated = [(belongs(one, day), one["data"]["entry"], one) for one in events if name_of(one) == "inventory_entered"]
    return [one for when, _, one in sorted(dated, key=lambda each: each[:2]) if begin <= when < end]


def by_then(events: list[Row], begin: datetime, end: datetime) -> list[Row]:
    """Of them those entered before the time was over."""
    return [one for one in entered_in(events, begin, end) if moment(one["time"]) < end]


def belongs(event: Row, day: Row | None) -> datetime:
    """The moment a count belongs to: an opener to the first of its shift, all else to the last."""
    data = event["data"]
    if "gaming_day" not in data:
        return moment(event["time"])
    house = day or {}
    zone, starts = ZoneInfo(house.get("time_zone", "UTC")), house.get("begins", "00:00")

    def opening(clock: str, later: int = 0) -> datetime:
        date = datetime.fromisoformat(data["gaming_day"]) + timedelta(days=later + (clock < starts))
        return date.replace(hour=int(clock[:2]), minute=int(clock[3:]), tzinfo=zone).astimezone(UTC)

    ends = opening(starts, 1)
    first = opening(house["shifts"][data["shift"]] if "shift" in data else starts)
    if "shift" in data:
        ends = min([when for when in map(opening, house["shifts"].values()) if when > first] or [ends])
    return first if data["kind"] == "opener" and data["cents"] > 0 else ends - timedelta(microseconds=1)


def entries(events: list[Row], begin: datetime, end: datetime) -> list[Row]:
    """The counts that were entered in a time or by its end for it, and of which no figure of it has anything."""
    own = by_then(events, begin, end)
    listed = []
    for one in events:
        if name_of(one) == "inventory_entered" and (one in own or begin <= moment(one["time"]) < end):
            listed.append({**entry(one), "elsewhere": one not in own})
    return listed


def entry(event: Row) -> Row:
    """A count as an account lists it."""
    return {"time": event["time"], "gaming_day": "", "shift": "", "elsewhere": False, **event["data"]}


def inventory(events: Iterable[Row]) -> Row:
    """What was counted: fills, credits and drop added up, the rack at its first opening and its last closing."""
    entered = [event["data"] for event in events]
    found: Row = {f"{kind}_cents": added(entered, kind) or 0 for kind in ("fill", "credit")}
    found["drop_cents"] = added(entered, "drop")
    racks = racks_of(entered)
    while racks and racks[0][0] == "closer":
        racks = racks[1:]
    found["opener_cents"] = racks[0][1] if racks else None
    found["closer_cents"] = racks[-1][1] if racks and racks[-1][0] == "closer" else None
    found["recounts"] = [
        {"closer_cents": cents, "opener_cents": racks[at + 1][1]}
        for at, (kind, cents) in enumerate(racks[:-1])
        if at and kind == "closer"
    ]
    return found


def added(entered: list[Row], kind: str) -> int | None:
    """All entries of a kind together; None where there is none."""
    cents = [one["cents"] for one in entered if one["kind"] == kind]
    return sum(cents) if cents else None


def racks_of(entered: list[Row]) -> list[tuple[str, int]]:
    """The counts of the rack that stand, in order: what is taken back is taken from the last count of its kind."""
    counts: list[Row] = []
    for one in entered:
        if one["kind"] not in {"opener", "closer"}:
            continue
        own = [count for count in counts if count["kind"] == one["kind"]]
        if own and (one["cents"] < 0 or own[-1]["void"]):
            own[-1]["cents"] += one["cents"]
            own[-1]["void"] = own[-1]["cents"] == 0
        else:
            counts.append({"kind": one["kind"], "cents": one["cents"], "void": False})
    return [(count["kind"], count["cents"]) for count in counts if not count["void"]]


def table_win(found: Row) -> int | None:
    """Closer, credits and drop, less opener and fills."""
    counted = [found[f"{kind}_cents"] for kind in ("closer", "drop", "opener")]
    if None in counted:
        return None
    closer, drop, opener = counted
    return int(closer + found["credit_cents"] + drop - opener - found["fill_cents"])


def restated(events: list[Row], then: Books, numbers: list[int], time: tuple[datetime, datetime]) -> Row | None:
    """The same rounds by all that came later; None where nothing was ruled on them, settled or counted."""
    begin, end = time
    late = [one for one in entered_in(events, begin, end) if moment(one["time"]) >= end]
    later = rulings(event for event in events if moment(event["time"]) >= end)
    ruled = [one for one in later if one["round"] in numbers]
    own = Books(events).of(numbers)
    known = {(one["round"], one["spot"], one["bet"]) for one in ruled}
    for place, wager in own:
        before = then.wagers[place]["due"] if place in then.wagers else None
        if before == wager["due"] or place in known or (place[0], 0, "") in known:
            continue
        line = dict(zip(("round", "spot", "bet"), place, strict=True))
        nets = {"before_cents": before, "net_cents": wager["due"], "win_cents": (before or 0) - (wager["due"] or 0)}
        nobody = {"who": "", "why": wager["why"], "case": "", "elsewhere": False}
        ruled.append({"time": wager["event"]["time"], **line, **nets, **nobody})
    if not ruled and not late:
        return None
    counted = inventory(entered_in(events, begin, end))
    won, drop = table_win(counted), counted["drop_cents"]
    now = [wager for _, wager in own]
    handle, win = sums(wager for wager in now if wager["state"] == "settled")
    return {
        "handle_cents": handle,
        "win_cents": win,
        "open_wagers": sum(wager["state"] == "open" for wager in now),
        "doubted_wagers": sum(wager["doubted"] for wager in now),
        "void_rounds": len({place[0] for place, wager in own if wager["state"] == "void"}),
        "rulings": ruled,
        "inventory": counted,
        "hold": None if won is None or not drop else per_handle(won, drop),
        "entries": sorted(map(entry, late), key=lambda one: int(one["entry"])),
    }
