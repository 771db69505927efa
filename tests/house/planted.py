"""For each check sources that violate it, with the line and the words of the finding, and sources that do not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tests.house import checks, outside_checks
from tests.house.checks import Check


@dataclass(frozen=True)
class Planted:
    """A violation: ``check`` must find ``what`` at ``line`` of ``text``."""

    check: Check
    path: str
    text: str
    line: int
    what: str


@dataclass(frozen=True)
class Clean:
    """The same thing done as the house does it: ``check`` must find nothing."""

    check: Check
    path: str
    text: str


SEGMENTS: Final = "controller/formats/journal/segments.py"


def lines(number: int) -> str:
    """A function of so many lines."""
    return "def deal():\n" + "    cards = 1\n" * (number - 1)


PLANTED: Final = (
    Planted(checks.function_length, "devices/shoes/shoe.py", "cards = 1\n" + lines(61), 2, "deal has 61 lines"),
    Planted(checks.function_length, "tests/test_shoe.py", "async " + lines(61), 1, "deal has 61 lines"),
    Planted(checks.file_length, "devices/shoes/shoe.py", "cards = 1\n" * 601, 601, "601 lines"),
    Planted(checks.shapeless_name, "controller/core/utils.py", "", 1, "utils"),
    Planted(checks.shapeless_name, "controller/helpers/hand.py", "", 1, "helpers"),
    Planted(checks.shapeless_name, "tests/common.py", "", 1, "common"),
    Planted(checks.outside_world, "controller/core/step.py", "\nimport time\n", 2, "imports: time"),
    Planted(checks.outside_world, "devices/shoes/shoe.py", "from os import path\n", 1, "imports: os"),
    Planted(checks.outside_world, "devices/shoes/shoe.py", "import os.path\n", 1, "imports: os"),
    Planted(
        checks.outside_world,
        "controller/core/game/rules.py",
        "from importlib import resources\n",
        1,
        "importlib.resources",
    ),
    Planted(
        checks.outside_world, "controller/formats/config/table_file.py", "from pathlib import Path\n", 1, "pathlib.Path"
    ),
    Planted(
        checks.outside_world,
        "controller/formats/config/table_file.py",
        "import pathlib\np = pathlib.Path('x')\n",
        2,
        "Path",
    ),
    Planted(
        checks.outside_world, "simulators/people/dealer.py", "from simulators import serve\n", 1, "simulators.serve"
    ),
    Planted(
        checks.outside_world, "simulators/people/dealer.py", "with open('rules') as file:\n    pass\n", 1, "open()"
    ),
    Planted(checks.outside_world, "controller/formats/journal.py", "print('written')\n", 1, "print()"),
    Planted(checks.outside_world, "controller/core/step.py", "at = datetime.now(UTC)\n", 1, "now()"),
    Planted(checks.outside_world, "controller/core/step.py", "at = datetime.datetime.utcnow()\n", 1, "utcnow()"),
    Planted(checks.outside_world, "controller/core/step.py", "day = date.today()\n", 1, "today()"),
    Planted(
        checks.unseeded_chance,
        "simulators/people/dealer.py",
        "import random\nrandom.shuffle(deck)\n",
        2,
        "random.shuffle",
    ),
    Planted(checks.unseeded_chance, "simulators/people/dealer.py", "from random import choice\n", 1, "random.choice"),
    Planted(
        checks.unseeded_chance, "simulators/people/dealer.py", "chance = random.SystemRandom()\n", 1, "SystemRandom"
    ),
    Planted(checks.unseeded_chance, "simulators/people/dealer.py", "chance = Random()\n", 1, "without a seed"),
    Planted(checks.unseeded_chance, "simulators/people/dealer.py", "chance = random.Random()\n", 1, "without a seed"),
    Planted(checks.broken_cents, "controller/core/money.py", "half = 0.5\n", 1, "0.5"),
    Planted(checks.broken_cents, "controller/core/money.py", "def pay(cents: float) -> None: ...\n", 1, "type float"),
    Planted(checks.broken_cents, "controller/core/game/side_bets/pairs.py", "due = cents * 3 / 2\n", 1, "division"),
    Planted(checks.broken_cents, "controller/core/money.py", "cents /= 2\n", 1, "division"),
    Planted(checks.optional_assertion, "controller/core/step.py", "if __debug__:\n    pass\n", 1, "__debug__"),
    Planted(checks.optional_assertion, "controller/io/start.py", "run(['python', '-O', 'x'])\n", 1, "-O"),
    Planted(
        checks.optional_assertion, "controller/io/start.py", "env = {'PYTHONOPTIMIZE': '1'}\n", 1, "PYTHONOPTIMIZE"
    ),
    Planted(checks.mock, "tests/test_table.py", "from unittest.mock import patch\n", 1, "unittest"),
    Planted(checks.mock, "tests/test_table.py", "from unittest import mock\n", 1, "unittest"),
    Planted(checks.mock, "tests/test_table.py", "def test_deal(monkeypatch): ...\n", 1, "monkeypatch"),
    Planted(checks.mock, "tests/test_table.py", "def test_deal(m: pytest.MonkeyPatch): ...\n", 1, "MonkeyPatch"),
    Planted(checks.mock, "tests/test_table.py", "shoe = MagicMock()\n", 1, "MagicMock"),
    Planted(checks.sleep, "tests/test_table.py", "import time\ntime.sleep(1)\n", 2, "time.sleep"),
    Planted(checks.sleep, "tests/test_table.py", "import time as t\nt.sleep(1)\n", 2, "t.sleep"),
    Planted(checks.sleep, "tests/test_table.py", "import asyncio\nawait_ = asyncio.sleep(0.1)\n", 2, "asyncio.sleep"),
    Planted(checks.sleep, "tests/test_table.py", "from asyncio import sleep\n", 1, "asyncio.sleep"),
    Planted(checks.missing_docstring, "devices/shoes/shoe.py", '"""A shoe."""\ndef deal(): ...\n', 2, "deal"),
    Planted(checks.missing_docstring, "devices/shoes/shoe.py", '"""A shoe."""\nclass Shoe: ...\n', 2, "Shoe"),
    Planted(
        checks.missing_docstring,
        "devices/shoes/shoe.py",
        '"""A shoe."""\nclass Shoe:\n    """It."""\n    async def deal(self): ...\n',
        4,
        "Shoe.deal",
    ),
    Planted(checks.missing_docstring, "devices/shoes/shoe.py", "cards = 1\n", 1, "module"),
    Planted(checks.unfinished, "devices/shoes/shoe.py", "cards = 1  # TODO: count them\n", 1, "TODO"),
    Planted(checks.unfinished, "tests/test_shoe.py", '"""A shoe.\n\nFIXME\n"""\n', 1, "FIXME"),
    Planted(checks.unfinished, "devices/shoes/shoe.py", "# XXX\n", 1, "XXX"),
    Planted(checks.silent_match, "devices/shoes/shoe.py", "match card:\n    case Ace():\n        pass\n", 1, "match"),
    Planted(
        checks.silent_match, "devices/shoes/shoe.py", "match card:\n    case _ if lucky:\n        pass\n", 1, "match"
    ),
    Planted(
        checks.silent_match, "devices/shoes/shoe.py", "match card:\n    case Ace() as ace:\n        pass\n", 1, "match"
    ),
    Planted(checks.process_or_socket, "controller/profiles/find.py", "import subprocess\n", 1, "subprocess"),
    Planted(checks.process_or_socket, "simulators/devices/wire.py", "from socket import socketpair\n", 1, "socket"),
    Planted(checks.endless_queue, "controller/io/outbox.py", "waiting = asyncio.Queue()\n", 1, "queue"),
    Planted(checks.endless_queue, "controller/io/outbox.py", "waiting: Queue[int] = Queue()\n", 1, "queue"),
    Planted(checks.endless_queue, "controller/io/outbox.py", "waiting = queue.SimpleQueue()\n", 1, "queue"),
    Planted(
        checks.sqlites_errors_alone,
        "controller/io/journal/reader.py",
        "try:\n    read()\nexcept (OSError, sqlite3.Error):\n    pass\n",
        3,
        "SQLITE_ERRORS",
    ),
    Planted(checks.eager_annotations, "devices/shoes/shoe.py", '"""A shoe."""\n\nimport enum\n', 3, "__future__"),
    Planted(
        outside_checks.second_decoder,
        "controller/io/mqtt/inbox.py",
        "import msgspec\nvalue = msgspec.json.decode(b'1')\n",
        2,
        "msgspec.json.decode",
    ),
    Planted(
        outside_checks.second_decoder,
        "controller/io/mqtt/inbox.py",
        "import json\nvalue = json.loads('1')\n",
        2,
        "json.loads",
    ),
    Planted(outside_checks.second_decoder, "controller/io/mqtt/inbox.py", "from json import loads\n", 1, "json.loads"),
    Planted(outside_checks.second_decoder, "controller/io/a.py", "a = msgspec.json.Decoder(int)\n", 1, "Decoder"),
    Planted(outside_checks.second_decoder, "controller/pool/inbox.py", "import pickle\n", 1, "pickle"),
    Planted(
        outside_checks.second_decoder,
        "controller/io/mqtt/inbox.py",
        "def read(text):\n    return json_as(text, int)\n",
        2,
        "read reads what comes from outside",
    ),
    Planted(outside_checks.second_decoder, "controller/pool/inbox.py", "import msgpack\n", 1, "msgpack"),
    *(
        Planted(outside_checks.unbounded_reader, path, text, line, what)
        for path, text, line, what in (
            (SEGMENTS, "def peek(data):\n    return msgspec.msgpack.decode(data)\n", 2, "msgspec.msgpack"),
            (SEGMENTS, "def read_mark(data):\n    return _read_mark(data)\nREAD = msgspec.msgpack\n", 3, "the module"),
            ("controller/io/mqtt/inbox.py", "reader = msgspec.msgpack.Decoder(int)\n", 1, "msgspec.msgpack"),
            ("controller/io/mqtt/inbox.py", "from msgspec import msgpack\n", 1, "msgspec.msgpack"),
            ("controller/io/mqtt/inbox.py", "import msgspec as m\n", 1, "msgspec under another name"),
            ("controller/io/mqtt/inbox.py", "import json as j\n", 1, "json under another name"),
            ("controller/io/mqtt/inbox.py", "def read(text):\n    return own_json(text, int)\n", 2, "own_json"),
            ("controller/io/mqtt/inbox.py", "def read(text):\n    return safe_parse.own_json(text, int)\n", 2, "read"),
            ("controller/io/mqtt/inbox.py", "def read(rows):\n    return map(own_event, rows)\n", 2, "own_event"),
            (
                "controller/formats/mqtt/envelope.py",
                "def read_status(data):\n    return own_json(data)\n",
                2,
                "own_json",
            ),
            ("controller/formats/replay.py", "from a.safe_parse import own_json as read_state\n", 1, "another name"),
        )
    ),
    Planted(outside_checks.line_end_in_pattern, "devices/shoes/shoe.py", "NAME = re.compile(r'^[a-z]+$')\n", 1, "$"),
    Planted(
        outside_checks.line_end_in_pattern, "devices/shoes/shoe.py", "NAME = Meta(pattern=rf'^({A}|[$]b)$')\n", 1, "$"
    ),
    Planted(outside_checks.line_end_in_pattern, "devices/shoes/shoe.py", "found = re.match(rb'a$|b', text)\n", 1, "$"),
    Planted(outside_checks.second_printer, "controller/commands/tap.py", "click.echo(line)\n", 1, "prints"),
    Planted(outside_checks.second_printer, "controller/commands/tap.py", "show = click.echo\n", 1, "prints"),
    Planted(outside_checks.second_printer, "controller/commands/tap.py", "print(line)\n", 1, "prints"),
    Planted(checks.check_command, "Makefile", "run:\n\tpython3 -B -O -m controller.cli\n", 2, "-O"),
    Planted(checks.check_command, "systemd/a.service", "Environment=PYTHONOPTIMIZE=1\n", 1, "PYTHONOPTIMIZE"),
)

CLEAN: Final = (
    Clean(checks.function_length, "devices/shoes/shoe.py", lines(60)),
    Clean(checks.file_length, "devices/shoes/shoe.py", "cards = 1\n" * 600),
    Clean(checks.shapeless_name, "controller/core/game/hand.py", ""),
    Clean(checks.outside_world, "controller/core/step.py", "import hmac\nfrom timeouts import now_ns\nnow = at.now\n"),
    Clean(checks.outside_world, "controller/formats/config/table_file.py", "from pathlib import PurePath\n"),
    Clean(checks.outside_world, "controller/io/system/clock.py", "import time\n"),
    Clean(checks.outside_world, "simulators/serve.py", "import asyncio\nimport os\n"),
    Clean(checks.outside_world, "devices/shoes/shoe.py", "wire = codec.open(role)\n"),
    Clean(checks.unseeded_chance, "simulators/people/dealer.py", "from random import Random\nchance = Random(seed)\n"),
    Clean(checks.unseeded_chance, "simulators/people/dealer.py", "import random\nchance = random.Random(7)\n"),
    Clean(checks.unseeded_chance, "controller/io/chance.py", "import random\nrandom.random()\n"),
    Clean(checks.broken_cents, "controller/core/money.py", "due_cents = wager_cents * 3 // 2\n"),
    Clean(checks.broken_cents, "controller/io/system/watchdog.py", "seconds = 0.5 / 2\n"),
    Clean(checks.optional_assertion, "controller/core/step.py", "assert cards, 'no cards'\n"),
    Clean(checks.mock, "tests/test_table.py", "def test_deal(tmp_path, fake_shoe): ...\n"),
    Clean(checks.sleep, "tests/test_table.py", "import asyncio\nlater = asyncio.sleep(0)\nclock.sleep(5)\n"),
    Clean(checks.sleep, "controller/io/lines/serial.py", "import asyncio\nlater = asyncio.sleep(1)\n"),
    Clean(
        checks.missing_docstring,
        "devices/shoes/shoe.py",
        '"""A shoe."""\nclass Shoe:\n    """It."""\n    def __len__(self): ...\ndef _cut():\n    def turn(): ...\n',
    ),
    Clean(checks.missing_docstring, "devices/__init__.py", ""),
    Clean(checks.unfinished, "tests/test_shoe.py", "planted = '# TODO'\ntodo = 1  # what is to do\n"),
    Clean(
        checks.silent_match,
        "devices/shoes/shoe.py",
        "match card:\n    case Ace():\n        pass\n    case _:\n        pass\n",
    ),
    Clean(
        checks.silent_match,
        "devices/shoes/shoe.py",
        "match card:\n    case Ace():\n        pass\n    case never:\n        assert_never(never)\n",
    ),
    Clean(checks.process_or_socket, "controller/io/mqtt/broker.py", "import subprocess\nimport socket\n"),
    Clean(checks.process_or_socket, "tests/test_demo.py", "import subprocess\n"),
    Clean(checks.endless_queue, "controller/io/outbox.py", "waiting = asyncio.Queue(maxsize=OUTBOX)\nQueue(5)\n"),
    Clean(
        checks.sqlites_errors_alone,
        "controller/io/journal/reader.py",
        "try:\n    read()\nexcept (OSError, *SQLITE_ERRORS):\n    pass\n",
    ),
    Clean(
        checks.eager_annotations,
        "devices/shoes/shoe.py",
        '"""A shoe."""\nfrom __future__ import annotations\n\nimport enum\n',
    ),
    Clean(checks.eager_annotations, "devices/__init__.py", '"""Devices."""\n'),
    Clean(
        outside_checks.second_decoder, "controller/formats/text/safe_parse.py", "import json\nvalue = json.loads('1')\n"
    ),
    Clean(outside_checks.second_decoder, "tests/test_shoe.py", "import json\nvalue = json.loads('1')\n"),
    Clean(outside_checks.second_decoder, "controller/io/outbox.py", "body = msgspec.json.encode(json.dumps(1))\n"),
    Clean(
        outside_checks.second_decoder,
        "controller/io/mqtt/inbox.py",
        "@reads_outside(None)\ndef read(text):\n    return json_as(text, int)\n",
    ),
    Clean(
        outside_checks.unbounded_reader,
        SEGMENTS,
        "def _read_row(data):\n    return msgspec.msgpack.decode(data, type=int)\n",
    ),
    Clean(
        outside_checks.unbounded_reader, "controller/io/outbox.py", "def write(row):\n    msgspec.msgpack.encode(row)\n"
    ),
    Clean(outside_checks.unbounded_reader, "tests/test_shoe.py", "value = own_json('1', int)\n"),
    Clean(
        outside_checks.line_end_in_pattern,
        "devices/shoes/shoe.py",
        "NAME = re.compile(r'^[a-z$]+\\$[^]$]\\Z')\nprice = '3$'\n",
    ),
    Clean(outside_checks.second_printer, "controller/commands/terminal.py", "click.echo(printable(line))\n"),
    Clean(outside_checks.second_printer, "controller/commands/tap.py", "say(line)\n"),
    Clean(checks.check_command, "Makefile", "run:\n\tpython3 -B -m controller.cli -O\n"),
    Clean(checks.check_command, "systemd/a.service", "UnsetEnvironment=PYTHONOPTIMIZE\n"),
)
