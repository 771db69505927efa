"""What a game returns, as text, JSON and CSV. Fractions are written ``a/b``; decimals come from integer arithmetic."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from fractions import Fraction
from math import isqrt
from typing import Any, Final, NamedTuple

from controller.core.analysis.computed_edge import MainEdge
from controller.core.analysis.par import BetPar, RowPar
from controller.core.analysis.simulated_edge import WAGER_CENTS, MainPar
from controller.core.game.side_bet import LOST

DIGITS: Final = 6
EDGE_DIGITS: Final = 9
"""Of the main wager's edge: all it is kept with."""
CSV_HEAD: Final = ("bet", "up_card", "row", "combinations", "of", "probability", "pays", "contribution")


class SideBetPar(NamedTuple):
    """The par of a side wager, by exact counting."""

    name: str
    remark: str
    """Why a table with these rules does not offer it; empty: it does."""
    accounts: tuple[BetPar, ...]
    """None of them: its cards win nothing."""


class MainSimulation(NamedTuple):
    """The par of the main wager, by simulated rounds."""

    seed: int
    par: MainPar


class MainComputation(NamedTuple):
    """The edge of the main wager, computed; ``check``: simulated rounds, where they were wanted."""

    edge: MainEdge
    check: MainSimulation | None = None


class ParReport(NamedTuple):
    """What a profile's game returns."""

    profile: str
    decks: int
    side_bets: tuple[SideBetPar, ...]
    main: MainComputation | None


def exact(value: Fraction) -> str:
    """``a/b`` in lowest terms, the denominator always written."""
    return f"{value.numerator}/{value.denominator}"


def decimal(value: Fraction, digits: int = DIGITS) -> str:
    """A fraction with ``digits`` digits behind the point, halves rounded away from zero."""
    scaled = (2 * abs(value.numerator) * 10**digits + value.denominator) // (2 * value.denominator)
    whole, part = divmod(scaled, 10**digits)
    return f"{'-' if value < 0 and scaled else ''}{whole}.{part:0{digits}d}"


def root(value: Fraction, digits: int = DIGITS) -> str:
    """The square root with ``digits`` digits behind the point, rounded down."""
    return decimal(Fraction(isqrt(value.numerator * 10 ** (2 * digits) // value.denominator), 10**digits), digits)


def percent(value: Fraction) -> str:
    """A part of the wager in percent, with four digits behind the point."""
    return decimal(100 * value, 4)


def up_card(points: int) -> str:
    """``A``, ``2`` to ``10``; empty for any."""
    return {0: "", 1: "A"}.get(points, str(points))


def row_name(row: RowPar) -> str:
    """The row's name; the losing one has none of its own."""
    return "lost" if row.row == LOST else row.row


def pays(row: RowPar) -> str:
    """What a row pays: odds "to one" (25 for 1 is 24 to 1), ``push``, ``loses`` or ``meter``."""
    if row.net is None:
        return "meter"
    if row.net == -1:
        return "loses"
    return "push" if row.net == 0 else f"{row.net.numerator} to {row.net.denominator}"


# --- JSON ---------------------------------------------------------------------------------------------


def as_json(report: ParReport) -> str:
    """The report as one JSON object; of a single wager its account, of several a list of them."""
    accounts = [bet_json(one) for bet in report.side_bets for one in entries(bet)]
    if len(report.side_bets) == 1 and report.main is None:
        whole = {"profile": report.profile, "decks": report.decks, **accounts[0]}
        return json.dumps(whole | ({"by_up_card": accounts[1:]} if accounts[1:] else {}), indent=1)
    fields = {
        "profile": report.profile,
        "decks": report.decks,
        "side_bets": accounts,
        "main": None if report.main is None else main_json(report.main),
    }
    return json.dumps(fields, indent=1)


def entries(bet: SideBetPar) -> Iterator[tuple[SideBetPar, BetPar | None]]:
    """A wager's accounts, or a single entry without one."""
    yield from ((bet, one) for one in bet.accounts or (None,))


def bet_json(entry: tuple[SideBetPar, BetPar | None]) -> dict[str, Any]:
    """One account of a side wager."""
    bet, par = entry
    fields: dict[str, Any] = {"bet": bet.name, "offered": not bet.remark}
    if par is None:
        return fields | {"rows": [], "return": None, "edge": None}
    fields |= {
        "up_card": up_card(par.up_points) or None,
        "stake_cents": par.stake_cents,
        "rows": [row_json(row, par) for row in par.rows],
        "return": exact(par.returned),
        "edge": exact(par.edge),
        "edge_decimal": decimal(par.edge),
    }
    if par.break_even_cents is not None:
        fields["meter"] = {
            "return_per_cent": exact(par.meter_coefficient),
            "break_even_cents": par.break_even_cents,
        }
    return fields


def row_json(row: RowPar, par: BetPar) -> dict[str, Any]:
    """One row."""
    return {
        "row": row_name(row),
        "combinations": row.combinations,
        "of": par.of,
        "probability": exact(row.probability),
        "pays": pays(row),
        "contribution": exact(row.contribution),
    }


def main_json(main: MainComputation) -> dict[str, Any]:
    """The main wager."""
    edge = main.edge
    return {
        "edge": exact(edge.edge),
        "edge_decimal": decimal(edge.edge, EDGE_DIGITS),
        "edge_percent": percent(edge.edge),
        "standard_deviation": root(edge.variance),
        "variance": decimal(edge.variance),
        "covariance": decimal(edge.covariance),
        "simulated": None if main.check is None else simulated_json(main.check),
    }


def simulated_json(check: MainSimulation) -> dict[str, Any]:
    """The rounds dealt."""
    low, high = check.par.interval
    return {
        "rounds": check.par.rounds,
        "seed": check.seed,
        "wager_cents": WAGER_CENTS,
        "net_cents": check.par.net_cents,
        "edge": exact(check.par.edge),
        "edge_decimal": decimal(check.par.edge),
        "interval_95": [decimal(low), decimal(high)],
    }


# --- CSV ----------------------------------------------------------------------------------------------


def as_csv(report: ParReport) -> str:
    """One line for each row, and one named ``total`` with the return of each account; the main wager as one line."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(CSV_HEAD)
    for bet in report.side_bets:
        for par in bet.accounts:
            writer.writerows(csv_lines(par))
    if report.main is not None:
        writer.writerow(("main", "", "total", "", "", "1/1", "", exact(1 - report.main.edge.edge)))
        if (check := report.main.check) is not None:
            writer.writerow(("main", "", "simulated", "", check.par.rounds, "", "", exact(1 - check.par.edge)))
    return text.getvalue()


def csv_lines(par: BetPar) -> Iterator[tuple[str | int | None, ...]]:
    """The lines of one account; what cannot be counted in combinations is left empty."""
    head = (par.bet, up_card(par.up_points))
    for row in par.rows:
        ways = (row.combinations, par.of)
        yield (*head, row_name(row), *ways, exact(row.probability), pays(row), exact(row.contribution))
    yield (*head, "total", par.of, par.of, "1/1", "", exact(par.returned))


# --- text ---------------------------------------------------------------------------------------------


def as_text(report: ParReport) -> str:
    """The report for people."""
    lines = [f"{report.profile}, {report.decks} deck{'s' if report.decks > 1 else ''}"]
    for bet in report.side_bets:
        remark = f" ({bet.remark})" if bet.remark else ""
        if not bet.accounts:
            lines += ["", f"{bet.name}{remark}: its cards win nothing"]
        for par in bet.accounts:
            lines += ["", f"{title(par)}{remark}", *text_lines(par)]
    if report.main is not None:
        lines += ["", *main_lines(report.main)]
    return "\n".join(lines) + "\n"


def title(par: BetPar) -> str:
    """The heading of one account."""
    against = f" against {up_card(par.up_points)}" if par.up_points else ""
    return f"{par.bet}{against}, {par.stake_cents} cents staked"


def text_lines(par: BetPar) -> Iterator[str]:
    """The rows in columns, then what they add up to."""
    yield f"  {'row':38}{'combinations':>14}{'probability':>14}{'pays':>11}{'contribution':>14}"
    for row in par.rows:
        ways = "" if row.combinations is None else str(row.combinations)
        columns = f"{ways:>14}{decimal(row.probability, 9):>14}{pays(row):>11}{decimal(row.contribution):>14}"
        yield f"  {row_name(row):38}{columns}"
    if par.of is not None:
        yield f"  {'of':38}{par.of:>14}"
    yield f"  return {decimal(par.returned)} = {short(par.returned)}, edge {decimal(par.edge)}"
    if par.break_even_cents is not None:
        per_1000 = decimal(par.meter_coefficient * 100_000)
        yield f"  and {per_1000} for each 1000.00 in the meter; {par.break_even_cents} cents in it return the stake"


def short(value: Fraction) -> str:
    """The exact fraction, or a word where it would fill the line."""
    text = exact(value)
    return text if len(text) <= 40 else "a fraction in full in JSON"


def main_lines(main: MainComputation) -> Iterator[str]:
    """The main wager."""
    yield "main, computed"
    yield f"  {edge_text(main.edge)}"
    if (check := main.check) is not None:
        low, high = check.par.interval
        yield f"  {check.par.rounds} rounds simulated with seed {check.seed}"
        yield f"  edge {decimal(check.par.edge)}, 95 % interval {decimal(low)} to {decimal(high)}"


def edge_text(edge: MainEdge) -> str:
    """A computed edge as a line."""
    parts = f"{decimal(edge.edge, EDGE_DIGITS)} = {percent(edge.edge)} % of the initial wager"
    return f"edge {parts}, standard deviation {root(edge.variance)}"
