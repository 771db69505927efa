"""What the pages say to type, typed: into a copy of this machine's root that is thrown away afterwards.

Everything runs as it stands there. Only who would speak to a running systemd, or download Debian's packages, is stood
in for: those look whether what they are given makes sense.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import textwrap
from pathlib import Path
from typing import Final

import pytest

from tests.docs.pages import ROOT, blocks, page, sections

README: Final = sections((ROOT / "README.md").read_text())["Install on a table PC"].text
OPERATIONS: Final = sections(page("operations.md"))
BROKER: Final = sections(page("devices-and-tools.md"))["The broker"].text
CONFIGURATION: Final = {block.kind: block.text for block in blocks(page("configuration.md"))}
PYTHON: Final = "/usr/bin/python3"
"""Debian's own: what the tables' user may run."""

PACKAGES: Final = {"make", "git", "python3", "python3-venv", "mosquitto", "mosquitto-clients"}

ENTER: Final = """
set -e
umask 022
mount -t tmpfs tmpfs /mnt
mkdir /mnt/upper /mnt/work /mnt/root
mount -t overlay overlay -o lowerdir=/,upperdir=/mnt/upper,workdir=/mnt/work /mnt/root
mount --rbind /dev /mnt/root/dev
mount -t proc proc /mnt/root/proc
mount -t tmpfs tmpfs /mnt/root/run
mkdir -p /mnt/root/typed /mnt/root/etc/udev/rules.d
cp -a "$1"/. /mnt/root/typed/
exec chroot /mnt/root bash /typed/script
"""
STANDS_IN: Final = {
    "apt-get": """
case $1 in
  update) exit ;;
  # Without -y its question takes the lines that were pasted below it for answers.
  install) test "$2" = -y || { echo "asks: apt-get $*"; exit 1; } ;;
  *) echo "unknown: apt-get $*"; exit 1 ;;
esac
for name in "${@:3}"; do grep -qxF "$name" /typed/packages || { echo "unknown: $name"; exit 1; }; done""",
    "systemctl": """
case $1 in
  daemon-reload) ;;
  edit) ;;
  enable|restart|start|stop)
    unit=${*: -1}
    case $unit in
      tableside@*) test -e /etc/systemd/system/tableside@.service -a -e "/etc/tableside/${unit#*@}.toml" ;;
      mosquitto) mosquitto_starts ;;
      *) test -e "/etc/systemd/system/${unit%@*}@.service" ;;
    esac ;;
  *) echo "unknown: systemctl $*"; exit 1 ;;
esac
echo "systemctl $*" >> /typed/calls""",
    "udevadm": 'case "$*" in "control --reload"|trigger) ;; *) echo "unknown: udevadm $*"; exit 1 ;; esac',
    "mosquitto_starts": """
printf 'persistence_location /tmp/\\nlog_dest stderr\\n' > /tmp/m.conf
cat /etc/mosquitto/conf.d/tableside.conf >> /tmp/m.conf
# Another broker of this machine may have the port.
sed -i 's/^listener 1883 127.0.0.1/listener 0 \\/tmp\\/m.sock/' /tmp/m.conf
timeout 3 mosquitto -c /tmp/m.conf > /tmp/m.log 2>&1 || test $? = 124 || { cat /tmp/m.log; exit 1; }""",
}


def can_copy_the_root() -> bool:
    """Whether we may mount a copy of the root over it, for ourselves alone."""
    if os.geteuid() != 0 or shutil.which("unshare") is None:
        return False
    makes = [PYTHON, "-c", "import ensurepip, venv, sys; sys.exit(sys.version_info < (3, 11))"]
    if not Path(PYTHON).exists() or subprocess.run(makes, capture_output=True, check=False).returncode:
        return False
    layers = "lowerdir=/,upperdir=/mnt/u,workdir=/mnt/w"
    probe = f"mount -t tmpfs t /mnt && mkdir /mnt/u /mnt/w /mnt/r && mount -t overlay o -o {layers} /mnt/r"
    return subprocess.run(["unshare", "-m", "sh", "-c", probe], capture_output=True, check=False).returncode == 0


needs_copy = pytest.mark.skipif(not can_copy_the_root(), reason="only root, with python3-venv and overlays")


def commands(text: str) -> str:
    """What a page says to type: its indented blocks, without those that are not commands."""
    lines = text.splitlines()
    indented = [line if line.startswith("    ") or not line.strip() else "" for line in _unlisted(lines)]
    found = re.split(r"\n(?:\s*\n)+", "\n".join(indented))
    typed = [textwrap.dedent(block.strip("\n")) for block in found if block.strip()]
    return "\n".join(block for block in typed if not block.startswith("["))


def _unlisted(lines: list[str]) -> list[str]:
    """Blocks below a numbered step stand three further in; fenced ones are files."""
    out, fenced = list[str](), False
    for line in lines:
        if line.strip().startswith("```"):
            fenced = not fenced
            continue
        stepped = line.startswith("       ") and not line.startswith("        ")
        out.append("" if fenced else line[3:] if stepped else line)
    return out


def typed(directory: Path, script: str, **files: str) -> str:
    """Type ``script`` in a copy of the root; what was said. ``files`` lie in /typed."""
    folder = directory / "typed"
    (folder / "bin").mkdir(parents=True)
    for name, text in STANDS_IN.items():
        (folder / "bin" / name).write_text(f"#!/bin/bash\n{text}\n")
        (folder / "bin" / name).chmod(0o755)
    (folder / "packages").write_text("\n".join(PACKAGES) + "\n")
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text)
    # As a root's shell on Debian: nothing of ours in its way.
    path = "/typed/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
    before = f"set -e\nexport PATH={path} HOME=/root PYTHON={PYTHON}\n"
    before += "export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0='*'\n"
    before += f"git clone -q {ROOT.as_uri()} /root/fresh && cd /root/fresh\n"
    (folder / "script").write_text(before + "set -x\n" + script)
    environment = {name: value for name, value in os.environ.items() if name.startswith(("PIP_", "SSL_"))}
    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", ENTER, "sh", str(folder)],
        env={**environment, "PATH": path, "HOME": "/root"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout[-2000:]}\n{done.stderr[-4000:]}"
    return done.stdout


ANSWERED: Final = "tableside setup --answers /typed/answers.toml"
"""In place of the command that asks: the same with the page's answers."""


@needs_copy
def test_the_readmes_install_makes_a_table(tmp_path: Path) -> None:
    (answers,) = [block.text for block in blocks(_dedented("Install")) if block.kind == "toml answers.toml"]
    script = commands(README).replace("tableside setup", ANSWERED)
    assert "git clone" in script
    output = typed(tmp_path, script + AFTER, answers__toml=answers)
    assert "fit to run" in output
    assert "systemctl enable --now tableside@bj-1" in output
    assert "tableside, version" in output


LATER: Final = "echo '# Later.' >> controller/__init__.py"
"""In place of what would fetch a later version."""

AFTER: Final = """
cat /typed/calls
cd / && tableside --version
runuser -u tableside -- /opt/tableside/current/bin/tableside check /etc/tableside/bj-1.toml
"""


def _dedented(heading: str) -> str:
    return re.sub(r"^   (```|\w)", r"\1", OPERATIONS[heading].text, flags=re.MULTILINE)


@needs_copy
def test_the_install_by_hand_and_the_upgrade_work_as_they_are_written(tmp_path: Path) -> None:
    steps = commands(OPERATIONS["Install"].text).split("/opt/tableside/current/bin/tableside setup")[0]
    by_hand = commands(OPERATIONS["By hand"].text)
    first, _, then = by_hand.partition("cd /etc/tableside\n")
    assert then.startswith("(umask")
    broker = commands(BROKER).replace("passwd floor ", "passwd floor <<< $'word\\nword' ")
    files = "cp /typed/bj-1.toml /typed/chips.csv /etc/tableside/\n"
    upgrade = commands(OPERATIONS["Upgrade, and back"].text).replace("git pull", LATER)
    output = typed(
        tmp_path,
        f"{steps}\n{first}\n{broker}\n{files}cd /etc/tableside\n{then}\numask\n{upgrade}\ncat /typed/calls\n",
        **{"bj-1__toml": CONFIGURATION["toml table.toml"], "chips__csv": CONFIGURATION["csv chips.csv"]},
    )
    assert "harbour/bj-1" in output
    assert "fit to run" in output
    # What makes the key leaves the shell as it was.
    assert "\n0022\n" in output
    assert "restart mosquitto" in output
    switched = re.findall(r"/opt/tableside/current is (\S+), was (\S+);", output)
    assert len(switched) == 2
    assert switched[0] == switched[1][::-1]
    assert "enable --now tableside@bj-1" in output


def test_every_block_is_taken_for_what_it_is() -> None:
    assert commands(README).splitlines()[0].startswith("apt-get update && apt-get install -y ")
    assert len(commands(README).splitlines()) == 3
    assert commands(OPERATIONS["Install"].text).splitlines()[-1] == "systemctl restart tableside@bj-1"
    assert "answers" not in commands(OPERATIONS["Install"].text)
    assert commands(OPERATIONS["Without a network"].text).splitlines()[0].startswith("make wheels")


def test_every_command_is_one_that_bash_can_read() -> None:
    for text in (README, BROKER, *(OPERATIONS[one].text for one in ("Install", "By hand", "Upgrade, and back"))):
        subprocess.run(["bash", "-n"], input=commands(text), text=True, check=True)
