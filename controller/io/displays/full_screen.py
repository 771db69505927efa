"""A table's screen in a terminal, drawn by rich: the same rows whatever the terminal, and never by colour alone.

rich is an extra: this module is imported by what needs it alone.
"""

from __future__ import annotations

from typing import Final

from rich.console import Group
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from controller.formats.text.printable import printable
from controller.reports.table_screen import Certainty, ScreenNow

LOOKS: Final[dict[Certainty, str]] = {
    Certainty.CERTAIN: "green",
    Certainty.OPEN: "yellow",
    Certainty.ASKED: "bold yellow",
    Certainty.CORRECTED: "magenta",
    Certainty.IN_DOUBT: "bold red",
    Certainty.WAITING: "dim",
}


def drawn(now: ScreenNow) -> Group:
    """The screen as rich draws it; nothing in a table's text is taken for markup or obeyed by a terminal."""
    felt = Table(expand=True, box=None, pad_edge=False)
    for head, ratio in (("spot", 1), ("cards", 4), ("bets", 3), ("due", 8)):
        felt.add_column(head, ratio=ratio, overflow="fold")
    for one in now.spots:
        dues = Text()
        for number, (mark, words) in enumerate(one.dues):
            dues.append("\n" if number else "")
            dues.append(str(mark), LOOKS[mark])
            dues.append(f" {printable(words)}")
        spot = Text(one.spot, "bold")
        if one.is_asked:
            spot.append(f" {Certainty.ASKED}", LOOKS[Certainty.ASKED])
        felt.add_row(spot, _text(one.cards), _text(one.bets), dues)
    parts: list[Panel | Table] = [Panel(felt, title=_text(now.title), title_align="left")]
    if now.asked:
        asked = Text("\n").join(_text(f"{Certainty.ASKED}  {words}") for words in now.asked)
        parts.append(Panel(asked, title="questions", title_align="left", border_style=LOOKS[Certainty.ASKED]))
    if now.troubles:
        troubles = Text("\n").join(map(_text, now.troubles))
        parts.append(Panel(troubles, title="see to", title_align="left", border_style="red"))
    parts.append(Panel(Text("\n").join(map(_text, now.lines)), title="published", title_align="left"))
    return Group(*parts)


def _text(words: str) -> Text:
    return Text(printable(words))
