"""The table PC as a machine: qemu with its own processor (TCG), USB adapters, a power switch and a hand inside.

The adapters are ``usb-serial`` (FTDI, 0403:6001) whose other ends are the simulated devices' pseudo-terminals. The
disk is served by nbdkit and forgets at a power cut what was not flushed (``lossy_disk``). What is written to
``/dev/virtio-ports/heard`` inside is in the file ``heard`` outside, whatever becomes of the machine.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

MEMORY_MIB: Final = 1536
BOOT_S: Final = 900.0
"""Patience with a start: a processor in software, on a machine that does other things."""
COMMAND_S: Final = 900.0
CALL_S: Final = 60.0
"""Patience with qemu itself."""
DISK_SERVER: Final = Path(__file__).with_name("lossy_disk.py")


class NotUpError(Exception):
    """The machine did not come up, or does not answer; what its console said last."""


@dataclass(frozen=True)
class Said:
    """What a command inside said, and its status."""

    status: int
    text: str

    def ok(self) -> str:
        """What it said; it must have gone well."""
        if self.status:
            raise RuntimeError(f"status {self.status}: {self.text[-3000:]}")
        return self.text


class Lines:
    """Lines of JSON over a socket that qemu calls."""

    def __init__(self, path: Path) -> None:
        path.unlink(missing_ok=True)
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(path))
        self._listener.listen(1)
        self._listener.settimeout(CALL_S)
        self._held = b""

    def accept(self) -> None:
        """Wait for the call."""
        self._socket, _ = self._listener.accept()
        self._listener.close()

    def say(self, message: Mapping[str, Any]) -> None:
        self._socket.sendall(json.dumps(message).encode() + b"\n")

    def hear(self, patience_s: float) -> dict[str, Any]:
        self._socket.settimeout(patience_s)
        while b"\n" not in self._held:
            data = self._socket.recv(65_536)
            if not data:
                raise NotUpError("the machine has gone")
            self._held += data
        line, _, self._held = self._held.partition(b"\n")
        heard: dict[str, Any] = json.loads(line)
        return heard

    def close(self) -> None:
        self._socket.close()


class Machine:
    """A table PC that is switched on and off. ``adapters`` are the ports at the adapters' other ends, by name.

    ``seed`` decides what the disk forgets at each power cut.
    """

    def __init__(
        self, folder: Path, disk: Path, kernel: tuple[Path, Path], adapters: Mapping[str, Path], seed: int = 1
    ) -> None:
        self._folder = folder
        self._disk = disk
        self._kernel = kernel
        self._adapters = adapters
        self._seed = seed
        self._served: subprocess.Popen[bytes] | None = None
        self._qemu: subprocess.Popen[bytes] | None = None
        self._hand: Lines | None = None
        self._monitor: Lines | None = None

    def command(self, *, plugged: bool = True) -> list[str]:
        """How qemu is called; ``plugged``: the adapters are in their sockets."""
        image, initrd = self._kernel
        words = ["qemu-system-x86_64", "-accel", "tcg", "-machine", "q35", "-cpu", "max", "-m", str(MEMORY_MIB)]
        words += ["-nodefaults", "-display", "none", "-nic", "none", "-no-reboot"]
        words += ["-kernel", str(image), "-initrd", str(initrd)]
        words += ["-append", "root=/dev/vda rw console=ttyS0 quiet systemd.show_status=0 mitigations=off"]
        words += ["-blockdev", f"driver=nbd,node-name=disk,server.type=unix,server.path={self._folder / 'nbd'}"]
        words += ["-device", "virtio-blk-pci,drive=disk"]
        words += ["-serial", f"file:{self._folder / 'console'}"]
        words += ["-qmp", f"unix:{self._folder / 'qmp'}"]
        words += ["-device", "virtio-serial", "-device", "virtserialport,chardev=rig,name=rig"]
        words += ["-chardev", f"socket,id=rig,path={self._folder / 'rig'}"]
        words += ["-device", "virtserialport,chardev=heard,name=heard"]
        words += ["-chardev", f"file,id=heard,path={self._folder / 'heard'},append=on"]
        words += ["-device", "qemu-xhci,id=usb,addr=0x10,p2=8,p3=8"]
        for place, (name, port) in enumerate(self._adapters.items(), start=1):
            words += ["-chardev", f"serial,id={name},path={port}"]
            if not plugged:
                continue
            words += ["-device", f"usb-serial,id=usb_{name},chardev={name},bus=usb.0,port={place}"]
        return words

    def disk_command(self) -> list[str]:
        """How the disk is served."""
        words = ["nbdkit", "-U", str(self._folder / "nbd"), "--run", "echo up; exec cat", "python", str(DISK_SERVER)]
        return [*words, f"disk={self._disk}", f"seed={self._seed}", f"record={self._folder / 'cuts'}"]

    def _serve_disk(self) -> None:
        """It is served until its input is closed; what it says ends when the server has."""
        (self._folder / "nbd").unlink(missing_ok=True)
        self._seed += 1
        with (self._folder / "nbdkit").open("ab") as output:
            served = subprocess.Popen(self.disk_command(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=output)
        assert served.stdout is not None
        if served.stdout.readline() != b"up\n":
            raise NotUpError(f"the disk is not served: {(self._folder / 'nbdkit').read_text()[-1000:]}")
        self._served = served

    def switch_on(self, *, plugged: bool = True) -> float:
        """Start it, and wait for the hand inside; how many seconds that took."""
        began = time.monotonic()
        self._serve_disk()
        self._hand, self._monitor = Lines(self._folder / "rig"), Lines(self._folder / "qmp")
        with (self._folder / "qemu").open("ab") as output:
            self._qemu = subprocess.Popen(
                self.command(plugged=plugged), stdin=subprocess.DEVNULL, stdout=output, stderr=output
            )
        self._hand.accept()
        self._monitor.accept()
        self._monitor.hear(CALL_S)
        self.ask("qmp_capabilities")
        try:
            while not self._hand.hear(BOOT_S).get("up"):
                pass
        except (TimeoutError, NotUpError) as error:
            raise NotUpError(f"no hand inside: {self.console()[-2000:]}") from error
        return time.monotonic() - began

    def cut_power(self) -> None:
        """At once, whatever it was doing; the disk keeps what was flushed, and of the rest what it likes."""
        for line in (self._hand, self._monitor):
            if line is not None:
                line.close()
        if self._qemu is not None:
            self._qemu.kill()
            self._qemu.wait()
        if self._served is not None:
            assert self._served.stdin is not None
            assert self._served.stdout is not None
            self._served.stdin.close()
            self._served.stdout.read()
            self._served.wait()
        self._qemu = self._hand = self._monitor = self._served = None

    def run(self, command: str, patience_s: float = COMMAND_S) -> Said:
        """Type a command inside, as root."""
        assert self._hand is not None, "it is switched off"
        self._hand.say({"run": command})
        answer = self._hand.hear(patience_s)
        return Said(answer["status"], answer["said"])

    def ask(self, command: str, **arguments: object) -> object:
        """Ask qemu's monitor; its events are passed over."""
        assert self._monitor is not None, "it is switched off"
        self._monitor.say({"execute": command, "arguments": arguments})
        while True:
            heard = self._monitor.hear(CALL_S)
            if "error" in heard:
                raise RuntimeError(f"{command}: {heard['error']}")
            if "return" in heard:
                return heard["return"]

    def unplug(self, name: str) -> None:
        """Pull an adapter out."""
        self.ask("device_del", id=f"usb_{name}")

    def plug(self, name: str) -> None:
        """Put it into its socket again."""
        place = 1 + list(self._adapters).index(name)
        described = {"driver": "usb-serial", "id": f"usb_{name}", "chardev": name, "bus": "usb.0", "port": str(place)}
        self.ask("device_add", **described)

    def write(self, path: str, content: bytes, mode: str = "644") -> None:
        """Put a file inside."""
        self.run(f"base64 -d > {path} <<'END'\n{_base64(content)}\nEND\nchmod {mode} {path}").ok()

    def console(self) -> str:
        """What it said on its console."""
        with contextlib.suppress(FileNotFoundError):
            return (self._folder / "console").read_text(errors="replace")
        return ""


def _base64(content: bytes) -> str:
    return base64.encodebytes(content).decode()


def usable() -> str:
    """Why there can be no such machine here; empty: there can."""
    missing = [name for name in ("qemu-system-x86_64", "nbdkit", "debootstrap", "mke2fs") if shutil.which(name) is None]
    if missing:
        return f"not installed: {', '.join(missing)}"
    return "" if os.geteuid() == 0 else "only root can make the disk"
