"""The table PC's disk: Debian 12 by debootstrap, as a house's technician would have it before the pages begin.

What is fetched lies in the folder given and is used again. Needs root, debootstrap, mke2fs and a Debian mirror.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).parent
PROJECT: Final = HERE.parents[1]
MIRROR: Final = "http://deb.debian.org/debian"
SUITE: Final = "bookworm"
DISK_GIB: Final = 3

PACKAGES: Final = (
    "systemd",
    "systemd-sysv",
    "udev",
    "dbus",
    "kmod",
    "linux-image-amd64",
    "initramfs-tools",
    "mosquitto",
    "mosquitto-clients",
    "python3",
    "python3-venv",
    "openssl",
    "procps",
)
"""What the pages ask for (docs/guide/operations.md, Install, but git and make: the program comes without a network),
and what a machine needs to start."""

AGENT: Final = """[Unit]
Description=The campaign's hand inside the machine

[Service]
ExecStart=/usr/bin/python3 /opt/rig/agent.py
Restart=always
RestartSec=1

[Install]
WantedBy=multi-user.target
"""


def debian(folder: Path) -> Path:
    """A Debian that has never been started."""
    root = folder / "root"
    done = folder / "root.done"
    if not done.exists():
        shutil.rmtree(root, ignore_errors=True)
        include = "--include=" + ",".join(PACKAGES)
        run("debootstrap", "--variant=minbase", include, SUITE, str(root), MIRROR)
        done.touch()
    return root


def disk(folder: Path, wheels: Path) -> Path:
    """A disk with that Debian, the campaign's agent, and the folder of wheels as if on a stick at /media/stick."""
    root, made = debian(folder), folder / "table-pc.img"
    (root / "etc/fstab").write_text("/dev/vda / ext4 errors=remount-ro 0 1\n")
    (root / "etc/hostname").write_text("table-pc\n")
    (root / "etc/hosts").write_text("127.0.0.1 localhost table-pc\n")
    (root / "etc/systemd/system/rig.service").write_text(AGENT)
    wanted = root / "etc/systemd/system/multi-user.target.wants/rig.service"
    wanted.parent.mkdir(exist_ok=True)
    if not wanted.is_symlink():
        wanted.symlink_to("/etc/systemd/system/rig.service")
    (root / "opt/rig").mkdir(exist_ok=True)
    shutil.copy(HERE / "agent.py", root / "opt/rig/agent.py")
    stick = root / "media/stick/wheels"
    shutil.rmtree(stick, ignore_errors=True)
    shutil.copytree(wheels, stick)
    made.unlink(missing_ok=True)
    run("truncate", "-s", f"{DISK_GIB}G", str(made))
    run("mke2fs", "-q", "-F", "-t", "ext4", "-d", str(root), str(made))
    return made


def kernel(folder: Path) -> tuple[Path, Path]:
    """Debian's kernel and its first memory disk."""
    boot = folder / "root/boot"
    (image,), (initrd,) = boot.glob("vmlinuz-*"), boot.glob("initrd.img-*")
    return image, initrd


def wheels() -> Path:
    """The program as the pages make it for a PC without a network: make wheels."""
    made = PROJECT / "build/wheels"
    run("make", "-C", str(PROJECT), "wheels")
    return made


def run(*command: str) -> None:
    """Run a command; what it says is said if it fails."""
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
