"""The account of a shift as one HTML file with its plots inside: nothing is fetched from anywhere.

Needs the extra ``report`` (Jinja for the page, Matplotlib for the plots).
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Any, Final

from controller.reports.live_narrative import dollars
from controller.reports.shift import Shift
from controller.reports.shift_text import clock, counts, percent, ruled, verdict

SIZE_INCHES: Final = (9.0, 3.2)
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
        raise NoPages(f"{error.name} is not installed: run pip install 'tableside[report]'") from error
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True)
    environment.filters.update(dollars=dollars, percent=percent)
    text = resources.files("controller.io.displays").joinpath("shift_page.html").read_text(encoding="utf-8")
    with mpl.rc_context(STYLE):
        plots = {
            "course": _svg(_course(Figure(figsize=SIZE_INCHES), shift)),
            "hours": _svg(_bars(Figure(figsize=SIZE_INCHES), shift.rounds_by_hour, "rounds an hour, UTC")),
        }
    words = {"verdict": verdict, "clock": clock, "ruled": ruled, "counts": counts}
    return environment.from_string(text).render(shift=shift, plots=plots, **words)


def _course(figure: Any, shift: Shift) -> Any:  # noqa: ANN401 - Matplotlib's figure, where it is installed
    """What was won, round by round, over the band in which chance leaves it 95 times of 100."""
    axes = figure.subplots()
    rounds = [point.round for point in shift.course]
    low = [point.low_cents for point in shift.course]
    high = [point.high_cents for point in shift.course]
    axes.fill_between(rounds, low, high, color="#dddddd", label="95 % band")
    axes.plot(rounds, [point.expected_cents for point in shift.course], "k--", linewidth=1, label="expected")
    axes.plot(rounds, [point.win_cents for point in shift.course], color="#0b6e4f", label="won")
    axes.yaxis.set_major_formatter(lambda cents, _: dollars(int(cents)))
    axes.set(xlabel="round", title="won by the house, bets with a theory")
    axes.legend(loc="upper left", frameon=False)
    return figure


def _bars(figure: Any, counted: Mapping[str, int], title: str) -> Any:  # noqa: ANN401
    axes = figure.subplots()
    names: Sequence[str] = list(counted)
    axes.barh(names, [counted[name] for name in names], color="#0b6e4f")
    axes.invert_yaxis()
    axes.set(title=title)
    return figure


def _svg(figure: Any) -> str:  # noqa: ANN401
    figure.tight_layout()
    text = io.StringIO()
    figure.savefig(text, format="svg", metadata={"Date": None})
    # What stands before the element belongs to a file of its own.
    return text.getvalue()[text.getvalue().index("<svg") :]
