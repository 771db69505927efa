"""Runs a program under the system call filters that a unit describes, as systemd would put them in place.

    python -m tests.systemd.confined UNIT PROGRAM ARGUMENT...

``SystemCallFilter=`` (whoever makes another call is killed with SIGSYS) and ``RestrictAddressFamilies=`` (a socket of
another family is refused) are read from the unit, the sets are those of this machine's systemd, and libseccomp makes
the filters. Nothing else of the unit is put in place.
"""

from __future__ import annotations

import ctypes
import errno
import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

KILL_PROCESS: Final = 0x80000000
ALLOW: Final = 0x7FFF0000
EQUAL: Final = 4
FAMILIES: Final = 46
"""Address families that Linux knows."""


class Comparison(ctypes.Structure):
    """libseccomp's ``struct scmp_arg_cmp``."""

    _fields_ = (("arg", ctypes.c_uint), ("op", ctypes.c_int), ("a", ctypes.c_uint64), ("b", ctypes.c_uint64))


def settings(unit: str, name: str) -> list[str]:
    """What a unit says of a setting, in order."""
    return re.findall(rf"^{name}=(.*)$", unit, re.MULTILINE)


def calls_in(group: str) -> Iterator[str]:
    """The system calls of one of systemd's sets, or of a call's own name."""
    if not group.startswith("@"):
        yield group
        return
    done = subprocess.run(["systemd-analyze", "syscall-filter", group], capture_output=True, text=True, check=True)
    for line in done.stdout.splitlines()[1:]:
        name = line.strip()
        if name and not name.startswith("#"):
            yield from calls_in(name)


def allowed_calls(unit: str) -> set[str]:
    """What may be called: the first line says what is allowed at all, further ones take away and add."""
    allowed: set[str] = set()
    for line in settings(unit, "SystemCallFilter"):
        named = {call for group in line.removeprefix("~").split() for call in calls_in(group)}
        allowed = allowed - named if line.startswith("~") else allowed | named
    return allowed


def _checked(status: int) -> None:
    if status < 0:
        raise OSError(-status, os.strerror(-status))


def confine(unit: str) -> None:
    """Put the filters of a unit in place, for this process and whatever it becomes."""
    library: Any = ctypes.CDLL("libseccomp.so.2")
    library.seccomp_init.restype = ctypes.c_void_p
    for name in ("seccomp_load", "seccomp_release"):
        getattr(library, name).argtypes = [ctypes.c_void_p]
    library.seccomp_rule_add_array.argtypes = [
        ctypes.c_void_p, ctypes.c_uint32, ctypes.c_int, ctypes.c_uint, ctypes.c_void_p
    ]  # fmt: skip
    families = {getattr(socket, name) for name in settings(unit, "RestrictAddressFamilies")[0].split()}
    refusing = library.seccomp_init(ctypes.c_uint32(ALLOW))
    number = library.seccomp_syscall_resolve_name(b"socket")
    for family in set(range(FAMILIES)) - families:
        comparison = Comparison(0, EQUAL, family, 0)
        refused = 0x00050000 | errno.EAFNOSUPPORT
        _checked(library.seccomp_rule_add_array(refusing, refused, number, 1, ctypes.byref(comparison)))
    allowing = library.seccomp_init(ctypes.c_uint32(KILL_PROCESS))
    # No unit runs as root, whom SQLite would have give its files away.
    as_root = set(calls_in("@chown")) if os.geteuid() == 0 else set()
    for call in sorted(allowed_calls(unit) | as_root):
        number = library.seccomp_syscall_resolve_name(call.encode())
        # Calls of other machines have no number here.
        if number >= 0:
            _checked(library.seccomp_rule_add_array(allowing, ALLOW, number, 0, None))
    # The one that lets the least through comes last: putting a filter in place is a call too.
    for made in (refusing, allowing):
        _checked(library.seccomp_load(made))


def main(words: Sequence[str]) -> None:
    """See the module."""
    unit, *command = words
    confine(Path(unit).read_text(encoding="utf-8"))
    os.execvp(command[0], command)


if __name__ == "__main__":
    main(sys.argv[1:])
