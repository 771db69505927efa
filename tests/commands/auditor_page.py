"""The page of a shift as the auditor would write it: its tables, cell by cell, out of the second account alone."""

from __future__ import annotations

from datetime import datetime
from html.parser import HTMLParser
from typing import Any
from zoneinfo import ZoneInfo

from tests.commands.auditor import per_handle, table_win

Table = list[list[str]]


class Tables(HTMLParser):
    """The tables of a page: rows of the cells' text, without the rows of headings."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[Table] = []
        self.within = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """A table, a row or a cell begins."""
        del attrs
        if tag == "table":
            self.found.append([])
        elif tag == "tr":
            self.found[-1].append([])
        elif tag == "td":
            self.found[-1][-1].append("")
        self.within = tag == "td"

    def handle_endtag(self, tag: str) -> None:
        """A row of headings has no cells."""
        self.within = False
        if tag == "table":
            self.found[-1] = [row for row in self.found[-1] if row]

    def handle_data(self, data: str) -> None:
        """The text of a cell."""
        if self.within:
            self.found[-1][-1][-1] += data


def tables(shift: dict[str, Any], zone: str) -> list[Table]:
    """The tables in their order; of the bets without what theory says, and none for what has no lines."""
    restated = shift["restated"]
    found = [
        ruled(restated["rulings"], zone) if restated else [],
        bets(shift),
        inventory(shift["inventory"]),
        entries(shift["entries"], zone),
        [[str(s["spot"]), str(s["wagers"]), cash(s["handle_cents"]), cash(s["win_cents"])] for s in shift["spots"]],
        ruled(shift["rulings"], zone),
        [
            [str(one["round"]), clock(one["time"], zone), one["reason"], one["probable_cause"] or ""]
            for one in shift["irregular"]
        ],
        wagers(shift),
        [
            *([f"{one['severity']} {one['kind']}", str(one["count"])] for one in shift["alerts"]),
            *([f"faults of {name}", str(count)] for name, count in sorted(shift["device_faults"].items())),
        ],
        [["Floor", "Cage", "Accounting"]],
    ]
    return [table for table in found if table]


def cash(cents: int | None) -> str:
    """``-$1,234.50``."""
    if cents is None:
        return "not entered"
    return f"{'-' if cents < 0 else ''}${abs(cents) // 100:,}.{abs(cents) % 100:02}"


def percent(hundredths: int) -> str:
    """``-12.34 %``."""
    return f"{'-' if hundredths < 0 else ''}{abs(hundredths) / 100:.2f} %"


def clock(time: str, zone: str) -> str:
    """By the clock of the house."""
    return f"{datetime.fromisoformat(time).astimezone(ZoneInfo(zone)):%Y-%m-%d %H:%M:%S %Z}"


def bets(shift: dict[str, Any]) -> Table:
    """Win by bet, and all of them."""
    lines = shift["bets"]
    rows = [
        [
            one["bet"],
            str(one["wagers"]),
            cash(one["handle_cents"]),
            cash(one["win_cents"]),
            percent(one["win_per_handle"]),
        ]
        for one in lines
    ]
    wagers, handle, win = (sum(one[name] for one in lines) for name in ("wagers", "handle_cents", "win_cents"))
    return [*rows, ["all", str(wagers), cash(handle), cash(win), ""]]


def inventory(counted: dict[str, Any]) -> Table:
    """What was counted, table win and hold."""
    names = {"opener": "opener", "fills": "fill", "credits": "credit", "closer": "closer", "drop": "drop"}
    win, drop = table_win(counted), counted["drop_cents"]
    hold = "not entered" if win is None or not drop else percent(per_handle(win, drop))
    rows = [[name, cash(counted[f"{kind}_cents"])] for name, kind in names.items()]
    return [*rows, ["table win", cash(win)], ["hold (table win by drop)", hold]]


def entries(entered: list[dict[str, Any]], zone: str) -> Table:
    """Each count, with when, who and why."""
    return [
        [
            str(one["entry"]),
            clock(one["time"], zone),
            one["kind"],
            cash(one["cents"]),
            ", ".join(f"{chips['count']} of {cash(chips['value_cents'])}" for chips in one["chips"]),
            *(one["slip"], one["who"], one["why"]),
        ]
        for one in entered
    ]


def ruled(rulings: list[dict[str, Any]], zone: str) -> Table:
    """Each ruling, with when, who and why."""
    return [[clock(one["time"], zone), ruling(one), one["who"], one["why"]] for one in rulings]


def ruling(one: dict[str, Any]) -> str:
    """``round 12 spot 3 main open -> $4.00 (case 2026-117)``."""
    before = "open" if one["before_cents"] is None else cash(one["before_cents"])
    what = f"spot {one['spot']} {one['bet']} {before} -> {cash(one['net_cents'])}" if one["spot"] else "void"
    case = f" (case {one['case']})" if one["case"] else ""
    return f"round {one['round']} {what}{case}{' (round of another time)' if one['elsewhere'] else ''}"


def wagers(shift: dict[str, Any]) -> Table:
    """How the wagers stand."""
    return [
        *([f"settled on {basis}", str(count)] for basis, count in sorted(shift["bases"].items())),
        ["open", f"{shift['open_wagers']}, {cash(shift['open_cents'])}"],
        ["settled, in doubt since", str(shift["doubted_wagers"])],
        ["rounds void", str(shift["void_rounds"])],
        ["questions asked", str(shift["questions"])],
    ]
