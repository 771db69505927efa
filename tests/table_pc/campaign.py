"""A table PC booted: Debian, the pages' commands, unmodified units, people who play, and what befalls such a machine.

``python -m tests.table_pc.campaign --folder /var/tmp/table-pc`` makes the disk (Debian is fetched once), boots it,
installs by the pages, plays, and prints what was done and found; if anything was found, status 1. ``--happenings``
names what befalls it, in order, a round or more after each.
"""

from __future__ import annotations

import argparse
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tests.table_pc import image, premises
from tests.table_pc.machine import Machine, usable
from tests.table_pc.premises import JOURNAL, LINK_FILE, LINK_UNIT, TABLE_FILE, TABLESIDE, UNIT
from tests.table_pc.truth import events_wrong, held

ADAPTERS: Final = ("shoe", "bet_spots", "keypad", "sign", "trigger")
RULES: Final = "/etc/udev/rules.d/60-tableside.rules"
HAPPENINGS: Final = (
    "kill",
    "cables",
    "stop",
    "broker",
    "link",
    "clock",
    "power",
    "unplugged",
    "disk",
    "upgrade",
    "rollback",
)
INSTALLER: Final = "/media/stick/wheels/install"
ANOTHER_RELEASE: Final = """rm -rf /root/next && cp -r /media/stick/wheels /root/next && cd /root/next && echo next > 0
sha256sum 0 | cat - SHA256SUMS > sums && mv sums SHA256SUMS"""
"""The same program as a release of its own: a release is named by the first of its files."""
FILLER: Final = "/var/lib/filler"
BLOCKED: Final = "tableside.play_blocked"
UNBLOCKED: Final = "tableside.play_unblocked"
PATIENCE_S: Final = 900.0
LAST_EVENTS: Final = 50
"""Of so many some must have left the machine, or nobody listened after the last time it came up."""
CUT_WITHIN_S: Final = 40
"""A table that is up plays for so long at most before the power goes."""
CUT_WHILE_STARTING: Final = 5
"""One cut in so many comes before the table is up."""


class Campaign:
    """The machine, and what was done and found."""

    def __init__(self, folder: Path, machine: Machine) -> None:
        self.folder = folder
        self.machine = machine
        self.wrong: list[str] = []
        self._began = time.monotonic()

    def say(self, text: str) -> None:
        """Tell how far it is."""
        sys.stdout.write(f"{time.monotonic() - self._began:6.0f} s  {text}\n")
        sys.stdout.flush()

    def check(self, text: str, *, holds: bool, seen: str = "") -> None:
        """Tell what must hold, and whether it does."""
        self.say(f"ok     {text}" if holds else f"WRONG  {text}: {seen}")
        if not holds:
            self.wrong.append(text)

    # --- by the pages ---------------------------------------------------------------------------------

    def install(self, stage: Path) -> None:
        """docs/guide/operations.md, Install and Without a network; sockets are named as the rules' file says."""
        machine = self.machine
        self.say(machine.run(f"sh {INSTALLER}").ok().splitlines()[-1])
        machine.run("install -d /etc/udev/rules.d")
        rules = machine.run("cat /opt/tableside/current/share/tableside/systemd/60-tableside.rules").ok()
        machine.write(RULES, (rules + self._sockets()).encode())
        machine.run("udevadm control --reload && udevadm trigger && udevadm settle").ok()
        machine.write("/root/answers.toml", premises.ANSWERS.encode())
        machine.run("install -d -m 750 /etc/tableside")
        machine.write("/etc/tableside/chips.csv", (stage / "chips.csv").read_bytes())
        result = machine.run(f"{TABLESIDE} setup --answers /root/answers.toml")
        self.check("setup from a file of answers goes through", holds=result.status < 2, seen=result.text[-600:])
        self.extend()
        latency = machine.run("cat /sys/bus/usb-serial/devices/*/latency_timer").ok().split()
        self.check("adapters hand on within 1 ms", holds=latency == ["1"] * len(ADAPTERS), seen=str(latency))
        exposure = machine.run(f"systemd-analyze security --no-pager {UNIT} | tail -1").text.strip()
        self.say(exposure)

    def extend(self) -> None:
        """docs/reference/configuration.md and docs/guide/link.md: side wagers, sign, trigger box, tap and a pool."""
        machine = self.machine
        link_key, table_key = (
            machine.run(command).ok().split()[-1] for command in (premises.LINK_KEY_MADE, premises.TABLE_KEY_MADE)
        )
        whole = premises.table_file(machine.run(f"cat {TABLE_FILE}").ok(), link_key)
        machine.run(f"cat > {TABLE_FILE} <<'END'\n{whole}END").ok()
        machine.write(LINK_FILE, premises.POOL.replace("TABLE_KEY", table_key).encode())
        machine.write("/etc/systemd/system/ear.service", premises.EAR.encode())
        for command in premises.SERVICES:
            result = machine.run(command)
            self.check(command, holds=result.status == 0, seen=result.text[-600:])

    def doors(self) -> None:
        """Tap, operator channel, sign, trigger box and pool do what they are for, under the units as they are."""
        machine = self.machine
        lines = machine.run(f"runuser -u tableside -- timeout 60 {TABLESIDE} tap {premises.TAP} | head -n 3").text
        self.check("the tap tells", holds=len(lines.splitlines()) == 3, seen=lines)
        order = f"{TABLESIDE} void harbour/bj-1 999999 --who Okafor --why trial --operator {premises.FLOOR_SOCKET}"
        result = machine.run(f"runuser -u tableside -- timeout 60 {order}")
        self.check(
            "the floor's socket answers", holds=result.status == 1, seen=f"status {result.status}: {result.text}"
        )
        self.say(result.text.strip()[-200:])
        result = machine.run(f"{TABLESIDE} status --json {JOURNAL}")
        self.check("every device is ready", holds='"lost"' not in result.text, seen=result.text[-900:])
        self.adds_up("in play")

    def adds_up(self, why: str) -> None:
        """The pool's ledger, by itself and held against the table's journal; and the table's own meters."""
        result = self.machine.run(f"{TABLESIDE} link reconcile {LINK_FILE} --refold --journal {JOURNAL}")
        self.check(
            f"the pool adds up {why}", holds=result.status == 0, seen=f"status {result.status}: {result.text[-600:]}"
        )
        result = self.machine.run(f"{TABLESIDE} meters {JOURNAL}")
        self.check(
            f"the meters add up {why}", holds=result.status == 0, seen=f"status {result.status}: {result.text[-600:]}"
        )

    def _sockets(self) -> str:
        """The lines for the sockets that the adapters are in."""
        paths = self.machine.run(
            "for one in /dev/ttyUSB*; do udevadm info -q property $one | grep ^ID_PATH=; done"
        ).ok()
        lines = ""
        for place, name in enumerate(ADAPTERS, start=1):
            (path,) = [one.partition("=")[2] for one in paths.splitlines() if f"usb-0:{place}:1.0" in one]
            lines += f'SUBSYSTEM=="tty", ENV{{ID_PATH}}=="{path}", SYMLINK+="tableside/{name}"\n'
        return lines

    # --- looking --------------------------------------------------------------------------------------

    def is_active(self) -> bool:
        """Whether the table's service is up."""
        return self.machine.run(f"systemctl is-active {UNIT}").text.strip() == "active"

    def rounds(self) -> int:
        """Rounds closed, as the journal has them."""
        return self.count("tableside.round_closed")

    def plays(self, why: str, more: int = 1) -> None:
        """The table is up, and so many more rounds are closed; what it says if not."""
        self.comes_up()
        end = time.monotonic() + PATIENCE_S
        before = now = self.rounds()
        while now < before + more and time.monotonic() < end:
            self.machine.run("sleep 10")
            now = self.rounds()
        is_done = now >= before + more
        self.check(f"rounds are closed {why} ({before}, then {now})", holds=is_done, seen="" if is_done else self.log())

    def log(self) -> str:
        """The last that the table's service said."""
        return self.machine.run(f"journalctl -u {UNIT} -o cat --no-pager | tail -15").text

    def count(self, kind: str) -> int:
        """Events of a type in the journal."""
        result = self.machine.run(f"{TABLESIDE} export --events {JOURNAL} | grep -c {kind}").text
        return int(result.split()[-1]) if result.split() and result.split()[-1].isdigit() else 0

    def until_more(self, kind: str, before: int) -> bool:
        """Whether more events of a type come than there were, within a patient person's time."""
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            if self.count(kind) > before:
                return True
            self.machine.run("sleep 10")
        return False

    def whole(self, why: str) -> None:
        """The journal is."""
        result = self.machine.run(f"{TABLESIDE} verify {JOURNAL}")
        self.check(f"the journal is whole {why}", holds=result.status == 0, seen=result.text[-400:])

    # --- what befalls it ------------------------------------------------------------------------------

    def befall(self, what: str) -> None:
        """Let it happen."""
        machine = self.machine
        match what:
            case "kill":
                machine.run(f"systemctl kill -s KILL {UNIT}").ok()
            case "stop":
                machine.run(f"systemctl kill -s STOP {UNIT}; sleep 25").ok()
            case "cables":
                for name in ADAPTERS:
                    machine.unplug(name)
                machine.run("sleep 5")
                # In another order, so that they get other numbers.
                for name in reversed(ADAPTERS):
                    machine.plug(name)
                machine.run("udevadm settle")
            case "broker":
                machine.run("systemctl kill -s KILL mosquitto; sleep 1; systemctl start mosquitto").ok()
            case "link":
                machine.run(f"systemctl kill -s KILL {LINK_UNIT}").ok()
            case "clock":
                machine.run("date -s '+1 hour'").ok()
            case "power":
                machine.cut_power()
                self.say(f"up again after {machine.switch_on():.0f} s")
            case "unplugged":
                # The adapters' driver is loaded by the first that is plugged in, long after the table's service began.
                machine.cut_power()
                self.say(f"up again after {machine.switch_on(plugged=False):.0f} s, with no adapter")
                self.comes_up()
                for name in ADAPTERS:
                    machine.plug(name)
                machine.run("udevadm settle")
            case "disk":
                self.fill_disk()
            case "upgrade":
                machine.run(ANOTHER_RELEASE).ok()
                self.change_release("sh /root/next/install")
            case "rollback":
                self.change_release(f"sh {INSTALLER} --back")
            case _:
                raise ValueError(f"{what}: expected one of {', '.join(HAPPENINGS)}")

    def fill_disk(self) -> None:
        """Not a free byte is left in the middle of play; the table closes, and opens by itself once there is room."""
        closings, openings = self.count(BLOCKED), self.count(UNBLOCKED)
        # What is free for root alone is taken too; dd ends where nothing is left.
        self.machine.run(f"dd if=/dev/zero of={FILLER} bs=1M; dd if=/dev/zero of={FILLER}.more bs=512; sync")
        closed = self.until_more(BLOCKED, closings)
        self.check("a full disk closes the table for new rounds", holds=closed, seen=self.log())
        # Where the filler took what the reserve gave up, too, nothing can be committed: it ends, and is started again.
        self.say("and did not end it" if self.is_active() else f"and ended it: {self.log().splitlines()[-1]}")
        self.machine.run(f"rm {FILLER} {FILLER}.more").ok()
        opened = self.until_more(UNBLOCKED, openings)
        self.check("it opens by itself once there is room", holds=opened, seen=self.log())

    def cut_again(self, times: int, chance: random.Random) -> None:
        """The power goes so many times, at any moment; after each the table comes up and its journal is whole."""
        for time_now in range(1, times + 1):
            if chance.randrange(CUT_WHILE_STARTING):
                self.comes_up()
                self.machine.run(f"sleep {chance.uniform(0, CUT_WITHIN_S):.2f}")
            self.machine.cut_power()
            started_s = self.machine.switch_on()
            self.say(f"cut {time_now}: up again after {started_s:.0f} s")
            self.whole(f"after cut {time_now}")
        self.comes_up()

    def comes_up(self) -> None:
        """The table's service does, within a patient person's time."""
        end = time.monotonic() + PATIENCE_S
        while not self.is_active() and time.monotonic() < end:
            self.machine.run("sleep 2")
        self.check("the table is up", holds=self.is_active(), seen=self.log())

    def change_release(self, command: str) -> None:
        """As the pages have it: installed beside the release in use while people play, and the service restarted."""
        before = self.released()
        self.say(self.machine.run(command).ok().splitlines()[-1])
        self.check("another release is current", holds=self.released() != before, seen=before)
        self.machine.run(f"systemctl restart {UNIT}").ok()

    def released(self) -> str:
        """The release that is current."""
        return self.machine.run("readlink -f /opt/tableside/current").ok().strip()

    def account(self, stage: Path) -> None:
        """What was settled against what the people know."""
        lines = self.machine.run(f"{TABLESIDE} export --events {JOURNAL} --output /root/events; cat /root/events").ok()
        events = [line.encode() for line in lines.splitlines() if line.startswith("{")]
        (self.folder / "events").write_text(lines)
        self.check("events follow each other", holds=not events_wrong(events), seen=str(events_wrong(events)[:3]))
        heard = premises.heard(self.folder)
        gone = sorted(heard.difference(events))
        self.check(
            f"{len(heard)} events that had left the machine are in the journal", holds=not gone, seen=str(gone[:3])
        )
        last = heard.intersection(events[-LAST_EVENTS:])
        self.check("the last events had left it, too", holds=bool(last), seen=f"{len(heard)} of {len(events)} had")
        both = held((stage / "truth.json").read_bytes(), events)
        self.say(f"{both.played} rounds played, {both.closed} closed, {both.paired} of them the same rounds")
        self.say(f"{both.wagers} wagers in these: {both.equal} settled as they were, {both.still_open} open")
        self.check("no wager is settled otherwise than it was", holds=not both.different, seen=str(both.different[:3]))


@contextmanager
def people(folder: Path, speed: float, seed: int) -> Iterator[tuple[Path, subprocess.Popen[str]]]:
    """The simulated devices and people; the folder with their ports and files."""
    stage = folder / "people"
    (stage / "truth.json").unlink(missing_ok=True)
    command = [sys.executable, "-m", "controller", "simulate", str(stage), "--jackpots", "--profile", premises.PROFILE]
    command += ["--speed", str(speed), "--seed", str(seed)]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert running.stdout is not None
    running.stdout.readline()
    try:
        yield stage, running
    finally:
        running.kill()
        running.wait()


def campaign(asked: argparse.Namespace, happenings: list[str]) -> list[str]:
    """What was found."""
    folder: Path = asked.folder
    disk = image.disk(folder, image.wheels())
    for kept in ("heard", "cuts"):
        (folder / kept).unlink(missing_ok=True)
    with people(folder, asked.speed, asked.seed) as (stage, running):
        ports = {name: stage / "ports" / name for name in ADAPTERS}
        machine = Machine(folder, disk, image.kernel(folder), ports, asked.seed * 1000)
        done = Campaign(folder, machine)
        try:
            done.say(f"up after {machine.switch_on():.0f} s")
            done.install(stage)
            done.plays("after the install", asked.rounds)
            done.doors()
            for what in happenings:
                done.say(f"-- {what}")
                done.befall(what)
                done.plays(f"after: {what}")
                done.whole(f"after: {what}")
            if asked.cuts:
                done.cut_again(asked.cuts, random.Random(asked.seed))
                done.plays(f"after {asked.cuts} cuts")
            # The table first: with nobody at its adapters' other ends a port may take for ever to close.
            machine.run(f"timeout 120 systemctl stop {UNIT}")
            running.send_signal(signal.SIGINT)
            running.wait(60)
            done.adds_up("at the end")
            done.account(stage)
        finally:
            machine.cut_power()
    done.say(f"waiting for a flush and lost, at each cut: {(folder / 'cuts').read_text().replace(chr(10), ', ')}")
    return done.wrong


def main() -> int:
    """Run the campaign from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=Path("/var/tmp/table-pc"))
    parser.add_argument("--happenings", default=",".join(HAPPENINGS))
    parser.add_argument("--rounds", type=int, default=3, help="rounds before the first happening")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cuts", type=int, default=0, help="the power is cut so many times more after the happenings")
    parser.add_argument("--speed", type=float, default=1.0)
    asked = parser.parse_args()
    why_not = usable()
    if why_not:
        sys.stderr.write(f"no table PC can be made here: {why_not}\n")
        return 2
    asked.folder.mkdir(parents=True, exist_ok=True)
    happenings = [one for one in asked.happenings.split(",") if one]
    wrong = campaign(asked, happenings)
    sys.stdout.write("".join(f"WRONG  {one}\n" for one in wrong) + f"{len(wrong)} found\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
