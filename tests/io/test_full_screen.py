"""``tableside status --follow``: a table on the whole screen of a terminal, in the words of the pages."""

from __future__ import annotations

import gzip
import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner
from rich.console import Console

from controller.cli import main
from controller.formats.mqtt.envelope import own_event
from controller.formats.mqtt.retained_layout import WagerNow
from controller.io.displays.full_screen import drawn
from controller.reports.table_screen import Certainty, ScreenLine, ScreenNow, TableScreen, due, mark
from tests.docs.pages import ROOT
from tests.golden.nights import FOLDER, NIGHTS, unpacked

PATIENCE_SECONDS = 60.0


def shown(now: ScreenNow, width: int = 120) -> str:
    console = Console(width=width, force_terminal=True, color_system=None)
    with console.capture() as captured:
        console.print(drawn(now))
    return captured.get()


def test_the_words_are_those_of_the_pages() -> None:
    texts = json.loads((ROOT / "controller/web/pages/texts.en.json").read_text())
    assert {texts[f"look.{one}"] for one in ("certain", "open", "asked", "corrected", "doubt", "waiting")} == set(
        Certainty
    )


@pytest.mark.parametrize(
    ("wager", "expected"),
    [
        (WagerNow(1, "main", 2500), (Certainty.WAITING, "$25.00")),
        (WagerNow(1, "main", 2500, possible_cents=(-2500, 2500)), (Certainty.OPEN, "-$25.00 or +$25.00")),
        (
            WagerNow(1, "main", 2500, 2500, basis="evidence", why="20 beats 18"),
            (Certainty.CERTAIN, "+$25.00 20 beats 18 [evidence]"),
        ),
        (
            WagerNow(1, "main", 2500, 0, -2500, who="floor: M. Okafor", why="dead hand", basis="floor"),
            (Certainty.CORRECTED, "-$25.00 -> $0.00 by floor: M. Okafor: dead hand"),
        ),
        (
            WagerNow(1, "blazing7s", 500, -500, why="no seven", basis="paid", disputed=True),
            (Certainty.IN_DOUBT, "blazing7s -$5.00 no seven [paid]"),
        ),
    ],
)
def test_each_due_says_how_sure_it_is(wager: WagerNow, expected: tuple[Certainty, str]) -> None:
    assert (mark(wager), due(wager)) == expected


def test_markup_and_control_codes_in_a_name_are_shown_and_not_obeyed() -> None:
    words = "[red]x[/red] \x1b[2J by [bold]"
    now = ScreenNow(words, (ScreenLine("1", words, "", ((Certainty.CERTAIN, words),)),), (words,), (words,), (words,))
    text = shown(now)
    assert "\x1b[2J" not in text
    assert text.count("[red]x[/red]") >= 4


@pytest.mark.parametrize("width", [60, 80, 200])
@pytest.mark.parametrize("name", NIGHTS)
def test_no_night_breaks_it_and_no_face_is_shown_before_it_is_published(name: str, width: int) -> None:
    events = json.loads(gzip.decompress((FOLDER / f"{name}.json.gz").read_bytes()))["events"]
    screen, faces = TableScreen(), set[str]()
    for at, line in enumerate(events):
        one = own_event(line.encode())
        screen.take(one)
        faces |= {getattr(one.event, "face", ""), getattr(one.event, "after", "") or ""}
        cards = " ".join(spot.cards for spot in screen.now().spots)
        assert set(re.findall(r"\b[2-9TJQKA][cdhs]\b", cards)) <= faces
        if at % 50 == 0 or at == len(events) - 1:
            assert max(map(len, shown(screen.now(), width).splitlines())) <= width


def read_until(descriptor: int, wanted: str) -> str:
    """What a terminal shows, until these words are there."""
    found, until = "", time.monotonic() + PATIENCE_SECONDS
    while wanted not in found and time.monotonic() < until:
        if select.select([descriptor], [], [], 1)[0]:
            found += os.read(descriptor, 65536).decode(errors="replace")
    return found


def test_in_a_real_terminal_it_follows_the_journal_and_ends_with_ctrl_c(tmp_path: Path) -> None:
    journal = unpacked("night-1", tmp_path)
    near, far = pty.openpty()
    words = [sys.executable, "-m", "controller", "status", "--follow", str(journal)]
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "120", "LINES": "50"}
    # Where the tests run in the background the signal is ignored, and a program inherits that.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    process = subprocess.Popen(words, stdin=far, stdout=far, stderr=far, cwd=ROOT, env=environment)
    signal.signal(signal.SIGINT, before)
    os.close(far)
    try:
        found = read_until(near, "published")
        assert "the daemon is not running" in found
        assert "harbour/bj-1" in found
        assert "\x1b[?1049h" in found, "the whole screen, and the one before is kept"
        process.send_signal(signal.SIGINT)
        assert "\x1b[?1049l" in read_until(near, "\x1b[?1049l")
        assert process.wait(PATIENCE_SECONDS) == 0
    finally:
        process.kill()
        process.wait()
        os.close(near)


def test_a_daemon_that_does_not_run_is_shown_first(tmp_path: Path) -> None:
    screen = TableScreen()
    screen.is_stopped = True
    message = "the daemon is not running: this is how the table stood at the last event"
    assert screen.now().troubles == (message,)
    assert message in shown(screen.now())
    screen.is_stopped = False
    assert screen.now().troubles == ()


def test_a_pipe_is_no_screen(tmp_path: Path) -> None:
    done = CliRunner().invoke(main, ["status", "--follow", str(unpacked("night-1", tmp_path))])
    assert (done.exit_code, done.output.count("\n")) == (2, 1)
    assert "expected a terminal" in done.output
