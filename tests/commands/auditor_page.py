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
            # An arrow is kept on one line by a character that is not seen.
            self.found[-1][-1][-1] += data.replace("\N{WORD JOINER}", "")


def tables(shift: dict[str, Any], zone: str) -> list[Table]:
    """The tables in their order; of the bets without what theory says, and none for what has no lines."""
    restated = shift["restated"]
    found = [
        restatement(shift) if restated else [],
        *(recounted(shift, restated, zone) if restated else ()),
        ruled(restated["rulings"], zone) if restated else [],
        bets(shift),
        inventory(shift),
        entries(shift["entries"], zone),
        [[str(s["spot"]), str(s["wagers"]), cash(s["handle_cents"]), cash(s["win_cents"])] for s in shift["spots"]],
        ruled(shift["rulings"], zone),
        [[clock(one["time"], zone), one["text"], one["who"], one["why"]] for one in shift["corrections"]],
        [
            [str(one["round"]), clock(one["time"], zone), one["reason"], one["probable_cause"] or "", stands(one)]
            for one in shift["irregular"]
        ],
        [
            [
                *(str(one["round"]), str(one["spot"]), one["bet"], cash(one["staked_cents"])),
                *("open" if one["net_cents"] is None else cash(one["net_cents"]), one["why"]),
            ]
            for one in shift["unsettled"]
        ],
        wagers(shift),
        [
            *([f"{one['severity']} {one['kind']}", str(one["count"])] for one in shift["alerts"]),
            *([f"faults of {name}", str(count)] for name, count in sorted(shift["device_faults"].items())),
        ],
        [[who, "", "", ""] for who in ("Floor", "Cage", "Accounting")],
    ]
    return [table for table in found if table]


def restatement(shift: dict[str, Any]) -> Table:
    """The figures at the end of the time, now, and the change; nothing where none changed."""
    now = shift["restated"]
    handle, win = (sum(one[name] for one in shift["bets"]) for name in ("handle_cents", "win_cents"))
    then = [handle, win, shift["open_wagers"], shift["doubted_wagers"], shift["void_rounds"]]
    later = [now[name] for name in ("handle_cents", "win_cents", "open_wagers", "doubted_wagers", "void_rounds")]
    if then == later:
        return []
    changes = [one - other for one, other in zip(later, then, strict=True)]
    rows = [
        [name, cash(row[0]), cash(row[1]), *map(str, row[2:])] for name, row in zip(NAMES, (then, later), strict=True)
    ]
    last = [f"+{one}" if one > 0 else str(one) for one in changes[2:]]
    return [*rows, ["change", gain(changes[0]), gain(changes[1]), *last]]


NAMES = ("at the end", "restated")


def gain(cents: int) -> str:
    """With its sign."""
    return f"+{cash(cents)}" if cents > 0 else cash(cents)


def stands(one: dict[str, Any]) -> str:
    """How an irregular round stands."""
    still = f", {one['open_wagers']} wager{'' if one['open_wagers'] == 1 else 's'} open" if one["open_wagers"] else ""
    return f"{one['outcome']}{still}" if one["outcome"] else "not over in this time"


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


def inventory(shift: dict[str, Any]) -> Table:
    """What was counted, on which slips, the table win beside the win on wagers, and hold."""
    counted = shift["inventory"]
    names = {"opener": "opener", "fills": "fill", "credits": "credit", "closer": "closer", "drop": "drop"}
    win, drop = table_win(counted), counted["drop_cents"]
    hold = "not entered" if win is None or not drop else percent(per_handle(win, drop))
    rows = [[name, cash(counted[f"{kind}_cents"]), slips(shift["entries"], kind)] for name, kind in names.items()]
    rows.append(["table win", cash(win), ""])
    for one in counted["recounts"]:
        closer, opener = one["closer_cents"], one["opener_cents"]
        rows.append([BETWEEN, f"{cash(closer)}, then {cash(opener)}: {gain(opener - closer)}", ""])
    if win is not None:
        won = sum(line["win_cents"] for line in shift["bets"])
        rows += [["win on wagers", cash(won), ""], ["table win less win on wagers", gain(win - won), ""]]
    return [*rows, ["hold (table win by drop)", hold, ""]]


def slips(entries: list[dict[str, Any]], kind: str) -> str:
    """The slips that stand, in the order in which they were first entered, and what has none."""
    own = [one for one in entries if one["kind"] == kind and not one["elsewhere"]]
    sums: dict[str, int] = {}
    for one in own:
        sums[one["slip"]] = sums.get(one["slip"], 0) + one["cents"]
    standing = [slip for slip in sums if slip and sums[slip]]
    words = [f"slip{'' if len(standing) == 1 else 's'} {', '.join(standing)}"] if standing else []
    if kind in {"fill", "credit"} and sums.get(""):
        words.append(f"{cash(sums[''])} without a slip")
    return "; ".join(words)


def entries(entered: list[dict[str, Any]], zone: str) -> Table:
    """Each count, with when, who and why."""
    return [
        [
            str(one["entry"]),
            clock(one["time"], zone),
            one["kind"],
            cash(one["cents"]),
            ", ".join(f"{chips['count']} of {cash(chips['value_cents'])}" for chips in one["chips"]),
            *(one["slip"], of_time(one), one["who"], one["why"]),
        ]
        for one in entered
    ]


def of_time(one: dict[str, Any]) -> str:
    """The gaming day and shift that an entry names."""
    words = [f"gaming day {one['gaming_day']}"] if one["gaming_day"] else []
    words += [f"{one['shift']} shift"] if one["shift"] else []
    words += ["not this account"] if one["elsewhere"] else []
    return ", ".join(words)


def recounted(shift: dict[str, Any], restated: dict[str, Any], zone: str) -> list[Table]:
    """What entries after the end have changed of the counts, and those entries."""
    later = {**shift, "inventory": restated["inventory"], "entries": []}
    then, now = inventory({**shift, "entries": []}), inventory(later)
    beside = {"win on wagers", "table win less win on wagers", BETWEEN}
    old, new = ({line[0]: line[1] for line in lines if line[0] not in beside} for lines in (then, now))
    changed = [[name, old[name], new[name]] for name in old if old[name] != new[name]]
    between = ["; ".join(line[1] for line in lines if line[0] == BETWEEN) or "not entered" for lines in (then, now)]
    changed += [[BETWEEN, *between]] if between[0] != between[1] else []
    return [changed, entries(restated["entries"], zone)] if changed else []


BETWEEN = "closed and opened between"


def ruled(rulings: list[dict[str, Any]], zone: str) -> Table:
    """Each ruling, with when, who and why."""
    return [
        [
            *(clock(one["time"], zone), ruling(one)),
            *("" if one["elsewhere"] else gain(one["win_cents"]), one["who"] or "the table itself", one["why"]),
        ]
        for one in rulings
    ]


def ruling(one: dict[str, Any]) -> str:
    """``round 12 spot 3 main: open -> $4.00 (case 2026-117)``, or what stands as it was."""
    before, after = ("open" if cents is None else cash(cents) for cents in (one["before_cents"], one["net_cents"]))
    change = f"{after} confirmed" if after == before != "open" else f"{before} -> {after}"
    what = f" spot {one['spot']} {one['bet']}: {change}" if one["spot"] else " void"
    case = f" (case {one['case']})" if one["case"] else ""
    return f"round {one['round']}{what}{case}{' (round of another time)' if one['elsewhere'] else ''}"


def wagers(shift: dict[str, Any]) -> Table:
    """How the wagers stand."""
    return [
        *([f"settled on {basis}", str(count)] for basis, count in sorted(shift["bases"].items())),
        ["open", f"{shift['open_wagers']}, {cash(shift['open_cents'])}"],
        ["settled, in doubt since", str(shift["doubted_wagers"])],
        ["rounds void", str(shift["void_rounds"])],
        ["wagers returned with them", f"{shift['void_wagers']}, {cash(shift['void_cents'])}"],
        ["questions asked", str(shift["questions"])],
    ]
