"""Event to pixel: from an event at a subscriber to the frame that shows it, with many pages of a real Chromium open.

    .venv/bin/python -m bench.pages --pages 20 --drawn 2 --cards 150

People play seven boxes at a real daemon, a Mosquitto carries what it publishes, ``tableside web`` serves it, and each
page looks for the events in its own list of the latest: in the frame after the change (``requestAnimationFrame``), and
once that frame has been handed to the compositor (the next task). An event that was displaced from the list before a
frame showed it is counted as unseen. All of it runs on this machine; a browser's page and this program read the same
clock.

``--drawn`` of the pages are drawn by Chromium on this machine; the others are streams that a program reads, as browsers
on machines of their own do. ``--still`` asks for reduced motion: a card that slides is drawn some nine times.

``told`` is when the page's script has the event: what is later is the browser's drawing.

``--latency BLOCKS`` measures a card's way at the table instead (as ``bench.latency``), in blocks of cards in turn: with
no page open, with as many streams read by a program that draws nothing (browsers on other machines), and with
``--drawn`` pages of a Chromium on this machine's processors, if any. Beside it, what the daemon, the broker, the
pages' server and the streams' reader took of a processor for each card. Many short blocks show more than a few long
ones. ``--beside NAME=FOLDER`` has as many streams of the server of another checkout in the same turns. ``--realtime``:
table, broker and this program are of the scheduler's real-time class, for a machine that others use too; server and
reader keep their places.

``--weighed``: table, broker and this program are a group of the weight of the table's unit, the pages' server one of
the number that its unit has, and the streams' reader one of a tenth of a unit's, as systemd sets up units (cgroups of
version 1, as root). Other programs stay where they are. Idle, as the server is where systemd knows that, it would not
even begin on a machine that is never at rest.

The pages' server has the place behind the table that its unit gives it (``systemd/tableside-web@.service``). The
program that reads streams stands for other machines: it runs when nothing else does. Prints one JSON object.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import random
import re
import shutil
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, Final, Literal

import msgspec
import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion
from playwright.sync_api import Page, sync_playwright

from bench.latency import REALTIME, Machine, Tree, daemon, percentiles, process, realtime
from controller.demo.table import SITE
from controller.io.mqtt.broker import free_port, mosquitto

TABLE: Final = "daemon"
FLAGS: Final = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run")
PATIENCE_MS: Final = 60_000
UNIT: Final = Path("systemd/tableside-web@.service")
TABLE_UNIT: Final = Path("systemd/tableside@.service")
GROUPS: Final = Path("/sys/fs/cgroup/cpu")
SHARES: Final = 1024
"""Of a group that systemd would give a weight of 100."""

READERS_WEIGHT: Final = 10
WARM_UP_CARDS: Final = 2
"""Dealt before those of a block."""

DRAWS: Final = 2000

WHEN_IDLE: Final = ("chrt", "--idle", "0")

Way = tuple[Callable[[], object], Callable[[], object]]
"""Opens pages, and closes them."""

PROGRAMS: Final = {
    "daemon": "controller\0run",
    "broker": "mosquitto",
    "server": "controller\0web",
    "readers": "bench.page_streams",
}
"""What a program's command line has."""

RECEIVED: Final = """(() => {
  const received = (window.received = {});
  const Plain = window.WebSocket;
  window.WebSocket = class extends Plain {
    constructor(...given) {
      super(...given);
      this.addEventListener("message", (message) => {
        const now = performance.timeOrigin + performance.now();
        for (const table of Object.values(JSON.parse(message.data).tables))
          for (const line of table.log ?? []) received[line.seq] ??= now;
      });
    }
  };
})();"""

LOOK: Final = """() => {
  const seen = (window.seen = {});
  let waits = false;
  const look = () => {
    waits = false;
    const now = performance.timeOrigin + performance.now();
    const fresh = [];
    for (const line of document.querySelectorAll(".log li")) {
      const seq = /^event (\\d+) /.exec(line.title)?.[1];
      if (seq && !(seq in seen)) { seen[seq] = [now, 0]; fresh.push(seq); }
    }
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => fresh.forEach((seq) => (seen[seq][1] = performance.timeOrigin + performance.now()));
    port2.postMessage(0);
  };
  new MutationObserver(() => { if (!waits) { waits = true; requestAnimationFrame(look); } })
    .observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true });
}"""


class Ear:
    """When each event of the table came to a subscriber, by its number, in milliseconds since 1970."""

    def __init__(self, port: int) -> None:
        self.arrived_ms: dict[str, float] = {}
        self._client = paho.Client(CallbackAPIVersion.VERSION2, client_id="ear")
        self._client.on_message = self._hear
        self._client.connect("127.0.0.1", port)
        self._client.subscribe(f"tableside/v1/{SITE}/{TABLE}/event/#")
        threading.Thread(target=self._client.loop_forever, daemon=True).start()

    def _hear(self, _client: object, _data: object, message: paho.MQTTMessage) -> None:
        now_ms = time.time_ns() / 1e6
        self.arrived_ms[str(msgspec.json.decode(message.payload)["seq"])] = now_ms


@contextlib.contextmanager
def streams(machine: Machine, at: str) -> Iterator[Callable[[int], None]]:
    """Has as many streams open as it is asked to, read by a program of its own that draws nothing."""
    command = ("-m", "bench.page_streams", at, f"{SITE}/{TABLE}")
    with process(machine._replace(before=within("readers") or WHEN_IDLE), "streams.log", *command) as started:

        def open_so_many(count: int) -> None:
            assert started.stdin is not None
            assert started.stdout is not None
            started.stdin.write(b"%d\n" % count)
            started.stdin.flush()
            if not started.stdout.readline():
                sys.exit("the streams' reader has ended; see its log")

        yield open_so_many


def place(folder: Path | None = None) -> tuple[str, ...]:
    """The commands that give a program the place behind others that its unit names, in a checkout."""
    text = ((folder or Path.cwd()) / UNIT).read_text()
    scheduling = dict(re.findall(r"^(Nice|CPUSchedulingPolicy|IOSchedulingPriority)=(.*)$", text, re.MULTILINE))
    policy, niceness, disk = scheduling["CPUSchedulingPolicy"], scheduling["Nice"], scheduling["IOSchedulingPriority"]
    return ("chrt", f"--{policy}", "0", "nice", "-n", niceness, "ionice", "-c", "2", "-n", disk)


def group(name: str) -> Path:
    """A group of this run's processes."""
    return GROUPS / f"tableside-bench-{os.getpid()}-{name}"


def within(name: str) -> tuple[str, ...]:
    """The command that begins a program in a group; none where programs are not weighed."""
    procs = group(name) / "cgroup.procs"
    return ("sh", "-c", f'echo $$ >{procs} && exec "$@"', "sh") if procs.exists() else ()


def weight_in(unit: Path) -> int:
    """The weight that a unit names as a number."""
    return int(re.findall(r"^CPUWeight=(\d+)$", unit.read_text(), re.MULTILINE)[0])


@contextlib.contextmanager
def weighed() -> Iterator[None]:
    """Has the groups that the units make; this process, and what it begins, is in the table's."""
    if not (GROUPS / "cpu.shares").exists():
        sys.exit(f"--weighed: no cgroups of version 1 at {GROUPS}")
    weights = {"table": weight_in(TABLE_UNIT), "server": weight_in(UNIT), "readers": READERS_WEIGHT}
    named = [group(name) for name in weights]
    try:
        for name, weight in weights.items():
            group(name).mkdir()
            (group(name) / "cpu.shares").write_text(str(SHARES * weight // 100))
        (group("table") / "cgroup.procs").write_text(str(os.getpid()))
        yield
    finally:
        (GROUPS / "cgroup.procs").write_text(str(os.getpid()))
        for one in named:
            one.rmdir()


def processor_seconds() -> dict[str, float]:
    """What each program below this one has taken of a processor."""
    taken = dict.fromkeys(PROGRAMS, 0.0)
    ours = os.getpid()
    for folder in Path("/proc").iterdir():
        with contextlib.suppress(OSError, ValueError):
            words = (folder / "cmdline").read_text()
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            for name, mark in PROGRAMS.items():
                if mark in words and int(fields[1]) == ours:
                    taken[name] += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return taken


@contextlib.contextmanager
def served(machine: Machine, folder: Path | None = None) -> Iterator[str]:
    """The pages' server, as a process of its own; ``folder``: the checkout it is of, ours if None."""
    port = free_port()
    broker = f"{machine.broker.host}:{machine.broker.port}"
    command = ("-m", "controller", "web", "--listen", f"127.0.0.1:{port}", "--broker", broker)
    before = (*within("server"), *place(folder))
    with process(machine._replace(before=before), f"web-{port}.log", *command, folder=folder) as started:
        assert started.stdout is not None
        started.stdout.readline()
        yield f"http://127.0.0.1:{port}"


def show(pages: list[Page], at: str) -> None:
    """Open the table's page in each."""
    for page in pages:
        page.add_init_script(RECEIVED)
        page.goto(f"{at}/table/{SITE}/{TABLE}")
    for page in pages:
        page.wait_for_selector(".head .state.live", timeout=PATIENCE_MS)
        page.evaluate(LOOK)


def leave(pages: list[Page]) -> None:
    """Close what they show."""
    for page in pages:
        page.goto("about:blank")


def seen_in(pages: list[Page], arrived_ms: dict[str, float], since_ms: float) -> dict[str, object]:
    """How long each event took to each page."""
    scripts, frames, painted, unseen = [], [], [], 0
    for page in pages:
        seen: dict[str, Any] = page.evaluate("window.seen")
        shown = {seq: times for seq, times in seen.items() if arrived_ms.get(seq, 0) > since_ms}
        received: dict[str, float] = page.evaluate("window.received")
        scripts += [time_ms - arrived_ms[seq] for seq, time_ms in received.items() if arrived_ms.get(seq, 0) > since_ms]
        frames += [times[0] - arrived_ms[seq] for seq, times in shown.items()]
        painted += [times[1] - arrived_ms[seq] for seq, times in shown.items() if times[1]]
        first, last = min(map(int, shown)), max(map(int, shown))
        unseen += sum(1 for seq in arrived_ms if first <= int(seq) <= last and seq not in seen)
    figures = {"told": percentiles(scripts), "frame": percentiles(frames), "painted": percentiles(painted)}
    below = sum(1 for one in painted if one <= 100) / len(painted)
    return {"shown": len(frames), "not_listed": unseen, **figures, "painted_within_100_ms": round(below, 4)}


def dealt(card: Callable[[], float], cards: int, gap_s: float) -> list[float]:
    """The milliseconds of each card at the table."""
    taken = []
    for _ in range(cards):
        taken.append(card())
        time.sleep(gap_s)
    return taken


def in_turn(ways: dict[str, Way], card: Callable[[], float], given: argparse.Namespace) -> dict[str, object]:
    """A card's way at the table while each of these is open, in blocks in turn; and to the first."""
    taken: dict[str, list[list[float]]] = {name: [] for name in ways}
    spent = {name: dict.fromkeys(PROGRAMS, 0.0) for name in ways}
    for turn in range(given.latency):
        # Each way is first in every other turn.
        for name, (begin, end) in list(ways.items())[:: -1 if turn % 2 else 1]:
            begin()
            dealt(card, WARM_UP_CARDS, given.gap_s)
            before = processor_seconds()
            taken[name].append(dealt(card, given.cards, given.gap_s))
            after = processor_seconds()
            spent[name] = {one: so_far + after[one] - before[one] for one, so_far in spent[name].items()}
            end()
    base = next(iter(taken.values()))
    cards = given.latency * given.cards
    return {
        name: {
            **percentiles([one for block in blocks for one in block]),
            "to_the_first": to_the_first(blocks, base),
            "processor_ms_a_card": {one: round(1000 * s / cards, 2) for one, s in spent[name].items()},
        }
        for name, blocks in taken.items()
    }


def to_the_first(blocks: list[list[float]], base: list[list[float]]) -> dict[str, float]:
    """The ratio of the medians, and what 90 of 100 draws of as many turns, out of those there were, lie between."""
    chance, turns = random.Random(1), list(zip(blocks, base, strict=True))

    def ratio(of: list[tuple[list[float], list[float]]]) -> float:
        here, there = (statistics.median(one for turn in of for one in turn[side]) for side in (0, 1))
        return here / there

    drawn = sorted(ratio(chance.choices(turns, k=len(turns))) for _ in range(DRAWS))
    return {
        "of_the_medians": round(ratio(turns), 3),
        "from": round(drawn[DRAWS // 20], 3),
        "to": round(drawn[-DRAWS // 20], 3),
    }


def ways_of(
    machine: Machine, at: str, pages: list[Page], given: argparse.Namespace, stack: contextlib.ExitStack
) -> dict[str, Way]:
    """What may be open while a card is dealt."""
    servers = {"streams": at}
    for name, _, folder in (one.partition("=") for one in given.beside):
        servers[name] = stack.enter_context(served(machine, Path(folder)))
    ways: dict[str, Way] = {"no_page": (lambda: None, lambda: None)}
    for name, server in servers.items():
        open_so_many = stack.enter_context(streams(machine, server))
        ways[name] = (partial(open_so_many, given.pages), partial(open_so_many, 0))
    if pages:
        ways["chromium"] = (lambda: show(pages, at), lambda: leave(pages))
    return ways


def chromium(given: argparse.Namespace, stack: contextlib.ExitStack) -> list[Page]:
    """As many pages of a Chromium as are drawn here."""
    browser = stack.enter_context(sync_playwright()).chromium.launch(
        executable_path=shutil.which("chromium"), args=list(FLAGS)
    )
    stack.callback(browser.close)
    motion: Literal["reduce", "no-preference"] = "reduce" if given.still else "no-preference"
    return [
        browser.new_context(viewport={"width": 1440, "height": 900}, reduced_motion=motion).new_page()
        for _ in range(given.drawn)
    ]


def measured(machine: Machine, given: argparse.Namespace) -> dict[str, object]:
    """What was asked for."""
    with contextlib.ExitStack() as stack:
        card = stack.enter_context(daemon(machine, Tree(TABLE, Path.cwd()), given.boxes, given.seed))
        at = stack.enter_context(served(machine))
        if given.latency and not given.drawn:
            return in_turn(ways_of(machine, at, [], given, stack), card, given)
        pages = chromium(given, stack)
        dealt(card, 5, given.gap_s)
        if given.latency:
            return in_turn(ways_of(machine, at, pages, given, stack), card, given)
        ear = Ear(machine.broker.port)
        show(pages, at)
        stack.enter_context(streams(machine, at))(given.pages - given.drawn)
        dealt(card, 5, given.gap_s)
        since_ms = time.time_ns() / 1e6
        table = percentiles(dealt(card, given.cards, given.gap_s))
        pages[0].wait_for_timeout(1000)
        return {**seen_in(pages, ear.arrived_ms, since_ms), "card_to_subscriber": table}


async def run(given: argparse.Namespace) -> dict[str, object]:
    """Measure on a Mosquitto of its own."""
    before = REALTIME if given.realtime else ()
    # What is begun from here on, the broker too, is of the same class, unless its command asks for another.
    with realtime() if given.realtime else weighed() if given.weighed else contextlib.nullcontext():
        async with mosquitto() as broker:
            with tempfile.TemporaryDirectory(prefix="tableside-pages-") as directory:
                found = await asyncio.to_thread(measured, Machine(broker, Path(directory), before), given)
    return {"pages": given.pages, "drawn": given.drawn, "cards": given.cards, "gap_s": given.gap_s, **found}


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=20)
    parser.add_argument("--drawn", type=int, default=2)
    parser.add_argument("--still", action="store_true")
    parser.add_argument("--cards", type=int, default=150, help="with --latency: of a block")
    parser.add_argument("--gap-s", type=float, default=0.5, help="between two cards")
    parser.add_argument("--boxes", type=int, default=7)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--latency", type=int, default=0, metavar="BLOCKS")
    parser.add_argument("--beside", action="append", default=[], metavar="NAME=FOLDER", help="the server of a checkout")
    classes = parser.add_mutually_exclusive_group()
    classes.add_argument("--realtime", action="store_true", help="with --latency --drawn 0")
    classes.add_argument("--weighed", action="store_true", help="groups as the units make them")
    given = parser.parse_args()
    if given.realtime and (given.drawn or not given.latency):
        parser.error("a Chromium in the real-time class would leave nothing to others: --latency BLOCKS --drawn 0")
    print(json.dumps(asyncio.run(run(given)), indent=1))


if __name__ == "__main__":
    main()
