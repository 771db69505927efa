"""What is typed wrongly is refused with what was typed and what was expected, or said where it does no harm."""

from __future__ import annotations

import json
import socket
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from controller.cli import main
from controller.commands import metrics, web
from controller.commands.meters import exact
from controller.demo.pages import PagesOptions, shown_in_a_browser
from controller.io.mqtt.connection import Broker
from tests.core.journals import journal_of
from tests.core.rig import Rig, penn


def run(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rig = Rig(penn(stand_key="always"))
    rig.talk("1 main 25\nkey no_more_bets\nTh 7d Qs Td\nkey stand hole_turned\n1 main 50\n1 main 0\nkey round_closed")
    return journal_of(rig, tmp_path_factory.mktemp("mistyped") / "journal.sqlite")


def test_a_list_that_is_not_there_is_not_another_program(tmp_path: Path) -> None:
    for path, why in ((tmp_path / "none", "No such file or directory"), (tmp_path, "Is a directory")):
        done = run("software", "--against", path, "--json")
        message = f"tableside: {path}: no list of the program's files: {why}"
        assert (done.exit_code, done.stdout) == (2, ""), done.output
        assert done.stderr.startswith(message)
        assert done.stderr.count(str(path)) == 1


def test_a_verifier_key_that_is_none_proves_nothing_either_way(tmp_path: Path) -> None:
    done = run("verify", "--verifier", "x", tmp_path)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith("tableside: --verifier: 'x': expected a verifier key")


def test_an_export_of_nothing_is_not_silent(journal: Path) -> None:
    done = run("export", "--events", "--first", 10, "--last", 5, journal)
    assert done.exit_code == 2
    assert done.stderr.endswith("Error: --last 5: expected 10 or more, the seq of --first\n")
    last = json.loads(run("export", "--events", journal).stdout.splitlines()[-1])["seq"]
    done = run("export", "--events", "--first", last + 1, journal)
    # A program that asks for what is new has asked well.
    assert (done.exit_code, done.stdout) == (0, "")
    assert done.stderr == f"tableside: {journal}: nothing from event {last + 1} on; its last event is {last}\n"
    assert run("export", "--events", "--first", last, journal).stderr == ""


def test_a_journal_or_a_disk_that_is_not_there_yet_is_said_at_the_start(journal: Path, tmp_path: Path) -> None:
    absent = tmp_path / "none.sqlite"
    message = f"--journal {absent}: there is no journal here; its rounds are shown once it can be read"
    assert list(web.not_there((journal, absent))) == [message]
    message = f"--disk {absent}: No such file or directory; its space is told once it can be looked at"
    assert list(metrics.not_there((tmp_path, absent))) == [message]


@pytest.mark.parametrize("given", ["-1", "0", "abc", "1.5", "-12"])
@pytest.mark.parametrize("words", [("round", "JOURNAL"), ("void", "harbour/bj-1"), ("jackpot", "pay", "harbour/bj-1")])
def test_what_is_no_number_of_anything_says_what_was_expected(
    words: tuple[str, ...], given: str, journal: Path
) -> None:
    done = run(*(journal if word == "JOURNAL" else word for word in words), given)
    assert done.exit_code == 2
    assert done.stderr.splitlines()[-1].endswith("expected a whole number from 1")
    assert f"{given}" in done.stderr.splitlines()[-1]


def test_an_option_that_there_is_not_is_still_refused_as_one(journal: Path) -> None:
    assert "No such option" in run("round", journal, "1", "-x").stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("meters", "/nope.sqlite"), "/nope.sqlite: there is no journal here"),
        (("backup", "JOURNAL", "/nope/copy.sqlite"), "/nope/copy.sqlite: there is no folder /nope"),
        (("keys", "table", "/nope/table.key"), "/nope/table.key: cannot be made: No such file or directory"),
        (("demo", "--directory", "/proc/x"), "--directory /proc/x: cannot be made: No such file or directory"),
        (("simulate", "/proc/x"), "/proc/x: cannot be made: No such file or directory"),
        (
            ("export", "--proof", "1", "--verifier", "x", "--output", "/tmp", "JOURNAL"),
            "--output /tmp: is there already",
        ),
    ],
)
def test_a_place_is_named_as_it_was_given(words: tuple[str, ...], message: str, journal: Path) -> None:
    done = run(*(journal if word == "JOURNAL" else word for word in words))
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith(f"tableside: {message}")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("words", [("check",), ("profile", "check")])
def test_a_file_that_is_no_text_or_has_a_mark_before_it_is_told_apart_from_a_wrong_one(
    words: tuple[str, ...], tmp_path: Path
) -> None:
    file = tmp_path / "file.toml"
    file.write_bytes(b"\x80\x81")
    assert run(*words, file).stderr.endswith("not UTF-8 text\n")
    file.write_bytes(b'\xef\xbb\xbfname = "a"\n')
    message = "begins with a byte order mark; save it as UTF-8 without one"
    assert run(*words, file).stderr == f"tableside: {file}:1: {message}\n"


def test_a_needed_key_that_is_mistyped_is_the_one_that_was_meant(tmp_path: Path) -> None:
    case = tmp_path / "case.json"
    case.write_text('{"rulez": "borgata", "bets": {}, "shoe": [], "actions": []}')
    assert run("settle", case).stderr.endswith("rulez: unknown key; did you mean rules?\n")


def test_a_capture_of_a_port_that_is_not_there_leaves_no_file(tmp_path: Path) -> None:
    out = tmp_path / "out.txt"
    done = run("capture", "/dev/nope", out)
    assert (done.exit_code, done.stdout, out.exists()) == (2, "", False)
    assert "capturing" not in done.stderr
    out.write_text("kept")
    assert (run("capture", "/dev/nope", out).exit_code, out.read_text()) == (2, "kept")


async def test_a_port_of_the_demo_s_pages_that_is_taken_is_named_as_it_was_given(tmp_path: Path) -> None:
    lines: list[str] = []
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        where = PagesOptions(tmp_path, Broker(host="127.0.0.1", port=1), port)
        async with shown_in_a_browser(where, lines.append, {}):
            pass
    assert len(lines) == 1
    assert lines[0].startswith(f"no pages: --web {port}: ")


def test_an_exact_amount_has_the_commas_of_a_rounded_one() -> None:
    assert [exact(units) for units in (19_999_700_000, -1_234_500, 0)] == ["$19,999.700000", "-$1.234500", "$0.000000"]
