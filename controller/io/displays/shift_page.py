"""The account of a shift as one HTML file with its plots inside: nothing is fetched from anywhere.

Needs the extra ``report`` (Jinja for the page, Matplotlib for the plots).
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Any, Final

from controller.io.files.extras import how_to_get
from controller.reports.shift import Shift
from controller.reports.shift_text import (
    RESTATED,
    TABLE,
    AccountFormat,
    average,
    counts,
    counts_for,
    is_running,
    made,
    percent,
    restated_counts,
    restated_lines,
    span,
    stands,
    verdict,
    words_of,
)

WIDTH_INCHES: Final = 9.0
SIZE_INCHES: Final = (WIDTH_INCHES, 3.2)

BAR_INCHES: Final = 0.3
AROUND_BARS_INCHES: Final = 0.8
HIGHEST_INCHES: Final = 9.0
"""A plot of bars is as high as its bars need, and no higher than a sheet."""

ARROW: Final = "-\N{WORD JOINER}>"
"""An arrow that a line's end does not break; it reads and is copied as the plain one."""

STYLE: Final[dict[str, Any]] = {"svg.hashsalt": "tableside", "svg.fonttype": "none", "font.size": 9.0}
"""The same shift gives the same bytes."""


class NoPages(Exception):  # noqa: N818 - named for what happened
    """What pages are made with is not installed; the text says how to get it."""


def shift_page(shift: Shift) -> str:
    """The page.

    Raises:
        NoPages: the extra is not installed.
    """
    try:
        import jinja2  # noqa: PLC0415 - only who wants a page needs it
        import matplotlib as mpl  # noqa: PLC0415
        from matplotlib.figure import Figure  # noqa: PLC0415
    except ImportError as error:
        raise NoPages(f"{error.name} is not installed; {how_to_get('report')}") from error
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True)
    words = words_of(shift)
    environment.filters.update(money=words.money, gain=words.gain, clock=words.clock, percent=percent)
    environment.filters["unbroken"] = lambda text: text.replace("->", ARROW)
    text = resources.files("controller.io.displays").joinpath("shift_page.html").read_text(encoding="utf-8")
    by_hour = {words.hour(hour): count for hour, count in shift.rounds_by_hour.items()}
    with mpl.rc_context(STYLE):
        plots = {
            "course": _svg(_course(Figure(figsize=SIZE_INCHES), shift, words)),
            "hours": _svg(
                _bars(Figure(figsize=bars_size(len(by_hour))), by_hour, f"rounds an hour, {shift.time_zone}")
            ),
        }
    lines = {"counts": tuple(counts(shift)), "restated": tuple(restated_lines(shift)), "heads": RESTATED[1:]}
    entered = {"recounts": tuple(restated_counts(shift)), "counts_for": counts_for}
    headline = {
        "span": span(shift),
        "average": average(shift),
        "made": made(shift),
        "running": is_running(shift),
        "itself": TABLE,
    }
    return environment.from_string(text).render(
        shift=shift, plots=plots, verdict=verdict, ruled=words.ruled, stands=stands, **lines, **entered, **headline
    )


def bars_size(count: int) -> tuple[float, float]:
    """Width and height, in inches, of a plot with this number of bars."""
    return WIDTH_INCHES, min(AROUND_BARS_INCHES + BAR_INCHES * count, HIGHEST_INCHES)


def _course(figure: Any, shift: Shift, words: AccountFormat) -> Any:  # noqa: ANN401 - Matplotlib's figure, where it is installed
    """What was won, round by round, over the band in which chance leaves it 95 times of 100."""
    axes = figure.subplots()
    rounds = [point.round for point in shift.course]
    low = [point.low_cents for point in shift.course]
    high = [point.high_cents for point in shift.course]
    axes.fill_between(rounds, low, high, color="#dddddd", label="95 % band")
    axes.plot(rounds, [point.expected_cents for point in shift.course], "k--", linewidth=1, label="expected")
    axes.plot(rounds, [point.win_cents for point in shift.course], color="#0b6e4f", label="won")
    axes.yaxis.set_major_formatter(lambda cents, _: words.money(int(cents)))
    axes.set(xlabel="round")
    # Beside the title: within the axes it would lie on the lines of some shift.
    axes.set_title("house win, bets with an expected win", loc="right")
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=3, frameon=False)
    return figure


def _bars(figure: Any, counted: Mapping[str, int], title: str) -> Any:  # noqa: ANN401
    axes = figure.subplots()
    # By place: Matplotlib takes names that look like times for times.
    places: Sequence[int] = range(len(counted))
    axes.barh(places, list(counted.values()), color="#0b6e4f")
    axes.set_yticks(places, labels=list(counted))
    axes.invert_yaxis()
    axes.set(title=title)
    return figure


def _svg(figure: Any) -> str:  # noqa: ANN401
    figure.tight_layout()
    text = io.StringIO()
    figure.savefig(text, format="svg", metadata={"Date": None})
    # What stands before the element belongs to a file of its own.
    return text.getvalue()[text.getvalue().index("<svg") :]
