"""What a technician writes on the table PC beyond what ``tableside setup`` asks.

Side wagers, sign, trigger box, tap and pool: the texts follow docs/reference/configuration.md and docs/guide/link.md.
The meters are those of the simulated people's table.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

SITE: Final = "harbour"
TABLE: Final = "bj-1"
PROFILE: Final = "hollywood-penn-national"
UNIT: Final = f"tableside@{TABLE}"
LINK_UNIT: Final = "tableside-link@pit-1"
TABLESIDE: Final = "/opt/tableside/current/bin/tableside"
SHIPPED: Final = "/opt/tableside/current/share/tableside/systemd"
TABLE_FILE: Final = f"/etc/tableside/{TABLE}.toml"
LINK_FILE: Final = "/etc/tableside-link/pit-1.toml"
JOURNAL: Final = f"/var/lib/tableside/{TABLE}/journal.sqlite"
TAP: Final = f"/run/tableside/{TABLE}/tap"
FLOOR_SOCKET: Final = f"/run/tableside-operator/{TABLE}/floor/socket"

ANSWERS: Final = f"""site = "{SITE}"
table = "{TABLE}"
profile = "{PROFILE}"
shoe_port = "/dev/tableside/shoe"
bet_spots_port = "/dev/tableside/bet_spots"
keypad_port = "/dev/tableside/keypad"
start = "no"
"""
"""For ``tableside setup --answers``; the table starts once its file is whole."""

ASKED_ANTENNAS: Final = "{main = 1, insurance = 2}"
ANTENNAS: Final = "{main = 1, insurance = 2, blazing7s = 3, five_card_progressive = 4}"

SECTIONS: Final = f"""
[options]
stand_key = "always"

[tap]
socket = "{TAP}"

[[meters]]
name = "mystery"
title = "Must-Hit-By Mystery Bonus"
pays = "mystery"
fed_by = ["five_card_progressive"]
rate = [4, 5]
unreasonable_cents = 5000

[trigger]
port = "/dev/tableside/trigger"

[[linked_meters]]
name = "pit_sevens"
pool = "pit-1"
fed_by = ["blazing7s"]
link = "127.0.0.1:7400"
link_key = "LINK_KEY"
key_file = "credential:link.key"

[[signs]]
protocol = "alpha"
port = "/dev/tableside/sign"
meters = ["pit_sevens", "mystery"]
captions = ["7S $", " MYSTERY $"]
"""
"""Appended to the table file; ``LINK_KEY`` stands for the link's public key."""

POOL: Final = f"""[link]
pool = "pit-1"
listen = "127.0.0.1:7400"
key_file = "credential:link.key"
sqlite = "/var/lib/tableside-link/pit-1/ledger.sqlite"

[meter]
base_cents = 1000000
reset_cents = 1000000
rate = [17, 100]
hidden_rate = [3, 100]
unreasonable_cents = 200

[[table]]
name = "{SITE}/{TABLE}"
keys = ["TABLE_KEY"]
bets = {{blazing7s = [[1, 1], [1, 10]]}}
"""
"""The link's file; ``TABLE_KEY`` stands for the table's public key."""

LINK_KEY_MADE: Final = f"{TABLESIDE} keys curve /etc/tableside-link/pit-1.key"
TABLE_KEY_MADE: Final = f"{TABLESIDE} keys curve /etc/tableside/{TABLE}-link.key"

CREDENTIAL: Final = f"LoadCredential=link.key:/etc/tableside/{TABLE}-link.key"
SERVICES: Final = (
    f"install -d /etc/systemd/system/{UNIT}.service.d",
    f"printf '[Service]\\n{CREDENTIAL}\\n' > /etc/systemd/system/{UNIT}.service.d/link.conf",
    f"cp {SHIPPED}/tableside-link@.service /etc/systemd/system/",
    "install -d -m 700 -o tableside-link -g tableside-link /var/lib/tableside-link /var/lib/tableside-link/pit-1",
    f"runuser -u tableside-link -- {TABLESIDE} link begin {LINK_FILE} --who 'A. Okafor' --second 'B. Reyes'",
    "systemctl daemon-reload",
    f"systemctl enable --now {LINK_UNIT}",
    f"systemctl enable --now {UNIT}",
    "systemctl enable --now ear",
)
"""Typed once both files are written."""

HEARD: Final = "/dev/virtio-ports/heard"
EAR: Final = f"""[Unit]
Description=What the broker tells, kept outside the machine
After=mosquitto.service

[Service]
ExecStart=/bin/sh -c 'until [ -c {HEARD} ]; do sleep 1; done; exec > {HEARD}; echo; exec mosquitto_sub -q 1 \\
  -u floor -P "$$(cat /etc/tableside/floor.broker-password.key)" -t "tableside/v1/{SITE}/{TABLE}/event/#" -F %%p'
Restart=always
RestartSec=1
StartLimitIntervalSec=0

[Install]
WantedBy=multi-user.target
"""
"""A subscriber on the table PC whose every line leaves it at once. At a boot it may come before the port does."""


def table_file(asked: str, link_key: str) -> str:
    """The table file as ``tableside setup`` wrote it, with what the technician adds."""
    assert ASKED_ANTENNAS in asked, asked
    return asked.replace(ASKED_ANTENNAS, ANTENNAS) + SECTIONS.replace("LINK_KEY", link_key)


def heard(folder: Path) -> set[bytes]:
    """The events that a subscriber had, whatever became of the machine; a line that a power cut broke off is none."""
    lines = (folder / "heard").read_bytes().split(b"\n")
    return {line for line in lines if line.startswith(b"{") and line.endswith(b"}")}
