"""``tableside check``: what ``run`` would refuse is refused here, and what may still come is a warning."""

from __future__ import annotations

import json
import re
import socket
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from msgspec.structs import replace

from controller.cli import main
from controller.formats.journal.records import Identity, key_mark
from controller.io.files.table_file import load_table, no_ports
from controller.io.journal.errors import JournalFailed
from controller.io.journal.journal import Journal
from tests.docs.test_configuration_doc import EXAMPLE, written


def checked(directory: Path, text: str = EXAMPLE) -> Result:
    if not (directory / "broker.password").exists():
        (directory / "broker.password").write_text("word\n")
        (directory / "broker.password").chmod(0o600)
    (directory / "table.key").unlink(missing_ok=True)
    table = written(directory, text.replace("credential:table.key", "table.key"))
    return CliRunner().invoke(main, ["check", str(table)])


def test_a_port_that_is_not_there_is_a_warning(tmp_path: Path) -> None:
    usb = EXAMPLE.replace("/dev/tableside/keypad", "usb:0403:6001:NONE")
    there = usb.replace("/dev/tableside/bet_spots", "/dev/null")
    done = checked(tmp_path, there)
    assert done.exit_code == 0, done.output
    warnings = [
        line.partition(f"tableside: warning: {tmp_path}/table.toml:")[2]
        for line in done.output.splitlines()
        if " port: " in line
    ]
    assert [line.partition(" port: ")[0] for line in warnings] == ["21: [shoe]", "31: [keypad]"]
    assert warnings[0].startswith("21: [shoe] port: /dev/tableside/shoe is not there now; `tableside devices`")
    assert done.output.endswith("fit to run\n")


def test_a_port_that_is_numbered_as_it_is_found_is_a_warning(tmp_path: Path) -> None:
    numbered = EXAMPLE.replace("/dev/tableside/keypad", "/dev/ttyUSB0").replace("/dev/tableside/shoe", "/dev/ttyACM12")
    done = checked(tmp_path, numbered)
    warned = [line for line in done.output.splitlines() if "may be another device" in line]
    wanted = "name it as `tableside devices` does (usb:...), or by /dev/serial/by-id or /dev/serial/by-path"
    assert warned == [
        f"tableside: warning: {tmp_path}/table.toml:{line}: [{section}] port: {port} may be another device after a"
        f" reboot; {wanted}"
        for line, section, port in ((21, "shoe", "/dev/ttyACM12"), (31, "keypad", "/dev/ttyUSB0"))
    ]
    assert (done.exit_code, "may be another device" in checked(tmp_path).output) == (0, False)


@pytest.mark.parametrize(
    ("limits", "expected"),
    [
        ("minimum_cents = 5\nmaximum_cents = 50000", ["minimum_cents: main bets 0.05 to 500.00"]),
        ("minimum_cents = 500", ["minimum_cents: main bets 5.00 and more"]),
        (
            "maximum_cents = 50000\nside_maximum_cents = 10000",
            ["maximum_cents: main bets up to 500.00", "side_maximum_cents: side bets up to 100.00"],
        ),
        ("", []),
    ],
)
def test_the_limits_of_the_sign_are_printed_in_money(limits: str, expected: list[str], tmp_path: Path) -> None:
    done = checked(tmp_path, limited(limits))
    bets = [line.partition("[options] ")[2] for line in done.output.splitlines() if " bets " in line]
    assert (done.exit_code, bets) == (0, expected)


def test_a_limit_under_a_dollar_is_a_warning(tmp_path: Path) -> None:
    done = checked(tmp_path, limited("minimum_cents = 5\nmaximum_cents = 100\nside_maximum_cents = 99"))
    warned = [line.partition("table.toml:")[2] for line in done.output.splitlines() if " cents are " in line]
    assert warned == [
        "10: [options] minimum_cents: 5 cents are 0.05; write 500 for 5.00",
        "12: [options] side_maximum_cents: 99 cents are 0.99; write 9900 for 99.00",
    ]


def limited(limits: str) -> str:
    """The example with other limits of its sign."""
    plain = re.sub(r"^(side_)?(minimum|maximum)_cents = .*\n", "", EXAMPLE, flags=re.MULTILINE)
    return plain.replace("[options]", f"[options]\n{limits}")


def test_a_bet_of_the_rules_that_nothing_looks_at_is_a_warning(tmp_path: Path) -> None:
    done = checked(tmp_path)
    place = f"tableside: warning: {tmp_path}/table.toml:23: [bet_spots] "
    bets = "lucky_ladies, twenty_one_plus_three, blazing7s, ez_bust, five_card_progressive"
    (line,) = [line for line in done.stdout.splitlines() if "no reader watches" in line]
    where = "no reader watches spots 1, 2, 3, 4, 5, 6, 7: such a wager is neither seen nor counted"
    assert line == f"{place}{bets}: {where}"
    assert not [line for line in done.output.splitlines() if "[bet_spots] main" in line]
    plain = EXAMPLE.replace('profile = "hollywood-penn-national"', 'profile = "borgata"')
    assert "no reader watches" not in checked(tmp_path, plain).output


def test_a_reader_beyond_the_boxes_of_the_layout_is_a_warning(tmp_path: Path) -> None:
    six = EXAMPLE.replace('profile = "hollywood-penn-national"', 'profile = "borgata"')
    done = checked(tmp_path, six)
    beyond = [
        line.partition(f"tableside: warning: {tmp_path}/table.toml:")[2]
        for line in done.output.splitlines()
        if "layout has" in line
    ]
    assert beyond == ["23: [bet_spots] spot 7: the profile's layout has 6 boxes; [options] boxes may say otherwise"]
    assert "layout has" not in checked(tmp_path, six.replace("[options]", "[options]\nboxes = 7")).output
    assert "layout has" not in checked(tmp_path).output
    # Where the table file says how many boxes there are, it is not the profile's word.
    five = checked(tmp_path, six.replace("[options]", "[options]\nboxes = 6")).output
    message = ": [options] boxes: 6 boxes, and a reader watches spot 7: raise it, or leave out that reader\n"
    assert (f"{tmp_path}/table.toml:10{message}" in five, "layout has" in five) == (True, False)


def test_a_profile_that_is_none_is_guessed(tmp_path: Path) -> None:
    for name, guess in (("hollywod", "hollywood-penn-national or hollywood-perryville"), ("borgatta", "borgata")):
        done = checked(tmp_path, EXAMPLE.replace('profile = "hollywood-penn-national"', f'profile = "{name}"'))
        assert (done.exit_code, f'got "{name}"; did you mean {guess}?' in done.output) == (2, True)


def test_a_spot_whose_main_wager_no_reader_sees_is_a_mistake_that_run_makes_too(tmp_path: Path) -> None:
    none = EXAMPLE.replace("antennas = {main = 1, insurance = 2}", "antennas = {insurance = 2}")
    message = (
        "no reader watches main at spots 1, 2, 3, 4, 5, 6, 7, so no round can be played there; give main an antenna"
    )
    done = checked(tmp_path, none)
    assert (done.exit_code, f"{tmp_path}/table.toml:27: [[bet_spots]] antennas: {message}" in done.output) == (2, True)
    ran = CliRunner().invoke(main, ["run", str(tmp_path / "table.toml")])
    assert (ran.exit_code, message in ran.output) == (2, True)
    rows = """\
[[bet_spots]]
protocol = "feig_obid"
port = "/dev/tableside/others"
zones = [
  {address = 11, antenna = 1, spot = 1, zone = "lucky_ladies"},
]

[keypad]"""
    beside = EXAMPLE.replace("[keypad]", rows, 1)
    assert checked(tmp_path, beside).exit_code == 0, "another reader sees its main wager"
    eighth = beside.replace("spots = [1, 2, 3, 4, 5, 6, 7]", "spots = [2, 3, 4, 5, 6, 7]")
    done = checked(tmp_path, eighth)
    assert (done.exit_code, "[[bet_spots]] zones: no reader watches main at spot 1, so" in done.output) == (2, True)


def test_a_port_that_is_a_file_or_a_folder_is_a_mistake_that_run_makes_too(tmp_path: Path) -> None:
    done = checked(tmp_path, EXAMPLE.replace("/dev/tableside/shoe", "/etc/passwd"))
    message = "[shoe] port: /etc/passwd is a file, expected a serial port; `tableside devices` lists what is plugged in"
    assert done.exit_code == 2
    assert re.search(rf"^tableside: {tmp_path}/table.toml:\d+: {re.escape(message)}$", done.output, re.MULTILINE)
    ran = CliRunner().invoke(main, ["run", str(tmp_path / "table.toml")])
    assert (ran.exit_code, message in ran.output) == (2, True)
    done = checked(tmp_path, EXAMPLE.replace("/dev/tableside/keypad", "/etc"))
    assert (done.exit_code, "[keypad] port: /etc is a folder, expected a serial port" in done.output) == (2, True)
    assert checked(tmp_path, EXAMPLE.replace("/dev/tableside/keypad", "/dev/null")).exit_code == 0


def test_a_trigger_boxs_program_is_reached_at_a_socket(tmp_path: Path) -> None:
    config = load_table(written(tmp_path), credentials=str(tmp_path)).config

    def complaints(port: str) -> list[str]:
        return [one.text for one in no_ports(replace(config, shoe=replace(config.shoe, port=f"unix:{port}")))]

    assert complaints("/etc/passwd") == ["/etc/passwd is a file, expected the program's socket"]
    assert complaints("/dev/null") == ["/dev/null is a thing of another kind, expected the program's socket"]
    with socket.socket(socket.AF_UNIX) as local:
        local.bind(str(tmp_path / "box"))
        assert complaints(str(tmp_path / "box")) == []
    assert complaints(str(tmp_path / "not-yet")) == []


OPERATOR = '\n[operator]\ndirectory = "{directory}"\n'
LISTENING = '\n[operator]\nlisten = "127.0.0.1:7010"\nkey_file = "operator.key"\noperators = "operators.toml"\n'


def test_a_folder_of_the_operator_channel_that_is_not_there_is_refused_as_run_refuses_it(tmp_path: Path) -> None:
    missing = EXAMPLE + OPERATOR.format(directory=tmp_path / "none")
    done = checked(tmp_path, missing)
    assert (done.exit_code, "fit to run" in done.output) == (2, False)
    assert f"[operator] directory: {tmp_path}/none: there is no such folder; make it" in done.output
    (tmp_path / "none").mkdir()
    assert checked(tmp_path, missing).exit_code == 0


def test_the_operator_channels_key_and_people_are_looked_at(tmp_path: Path) -> None:
    done = checked(tmp_path, EXAMPLE + LISTENING)
    assert done.exit_code == 2
    assert "operators.toml" in done.output
    (tmp_path / "operators.toml").write_text(
        '[[operator]]\nname = "M. Okafor"\nroles = ["floor"]\nkeys = ["4nC={n>i9m(dF.OtnoC#/Mv>Q==%=CMpk(d:(6lp"]\n'
    )
    done = checked(tmp_path, EXAMPLE + LISTENING)
    assert done.exit_code == 2
    assert "operator.key: the secret cannot be read: No such file" in done.output


@pytest.mark.parametrize(("mode", "message"), [(0o644, "others may read the password"), (None, "No such file")])
def test_the_brokers_password_is_looked_at(tmp_path: Path, mode: int | None, message: str) -> None:
    assert checked(tmp_path).exit_code == 0
    password = tmp_path / "broker.password"
    if mode is None:
        password.unlink()
        password.symlink_to(tmp_path / "nowhere")
    else:
        password.chmod(mode)
    table = tmp_path / "table.toml"
    done = CliRunner().invoke(main, ["check", str(table)])
    assert done.exit_code == 2
    assert f"{table}:17: [broker] password_file: " in done.output
    assert message in done.output


def test_every_file_that_cannot_be_used_is_reported_at_once_by_run_too(tmp_path: Path) -> None:
    assert checked(tmp_path).exit_code == 0
    (tmp_path / "broker.password").chmod(0o644)
    (tmp_path / "chips.csv").write_text("id,value_cents\nE0,x\n")
    (tmp_path / "table.key").write_text("12\n")
    table = tmp_path / "table.toml"
    table.write_text(table.read_text().replace('"hollywood-penn-national"', '"other.toml"'))
    wanted = [
        f"{tmp_path}/chips.csv:2: value_cents: expected whole cents above 0, got 'x'",
        f"{table}:5: [table] key_file: {tmp_path}/table.key: expected 64 hex digits on one line, got 2 of them",
        f"{table}:17: [broker] password_file: {tmp_path}/broker.password: others may read the password",
        f"{table}:4: [table] profile: {tmp_path}/other.toml: No such file or directory",
    ]
    for verb in ("check", "run"):
        done = CliRunner().invoke(main, [verb, str(table)])
        complaints = [line.removeprefix("tableside: ") for line in done.stderr.splitlines()]
        assert done.exit_code == 2
        assert [line[: len(start)] for line, start in zip(complaints, wanted, strict=True)] == wanted


def test_a_program_reads_the_same(tmp_path: Path) -> None:
    assert checked(tmp_path).exit_code == 0
    table = str(tmp_path / "table.toml")
    fit = json.loads(CliRunner().invoke(main, ["check", table, "--json"]).output)
    assert (fit["fit"], fit["site"], fit["mistakes"]) == (True, "harbour", [])
    assert fit["warnings"][0].startswith(f"{table}:21: [shoe] port: /dev/tableside/shoe is not there now")
    (tmp_path / "broker.password").chmod(0o644)
    done = CliRunner().invoke(main, ["check", table, "--json"])
    unfit = json.loads(done.output)
    assert (done.exit_code, sorted(unfit), unfit["fit"]) == (2, ["fit", "mistakes"], False)
    assert "[broker] password_file: " in unfit["mistakes"][0]


OPTIONS = """[options]
minimum_cents = 500
"blazing7s.stake_cents" = 500

[options.ez_bust]
all_broke = "push"
"""
"""In place of the example's: its section begins on line 9."""


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ('= 500\n"', '= -5\n"', "10: [options] minimum_cents: expected a whole number from 0 to"),
        ("minimum_cents = 500", "max_hands = 9", "10: [options] max_hands: expected a whole number from 1 to 4, got 9"),
        ("minimum_cents = 500", 'side_bets = ["foo"]', "10: [options] side_bets: expected one of blazing7s,"),
        ('stake_cents" = 500', 'stake_cents" = -5', "11: [options] blazing7s.stake_cents: expected"),
        ('stake_cents" = 500', 'stake_cents" = "5"', "11: [options] blazing7s.stake_cents: expected a whole number"),
        ('"push"', '"kept"', "14: [options] ez_bust.all_broke: expected one of"),
        (
            '"blazing7s.stake_cents"',
            '"blazing8s.stake_cents"',
            "11: [options] blazing8s.stake_cents: unknown side wager;",
        ),
        (
            'stake_cents"',
            'stake_cent"',
            "11: [options] blazing7s.stake_cent: unknown key; expected one of pays, awards_",
        ),
        (
            "minimum_cents = 500",
            'side_bets = ["ez_bust"]',
            "11: [options] blazing7s.stake_cents: blazing7s is not among",
        ),
        ("minimum_cents = 500", 'hole_card = "none"\nhole_check = "device"', "11: [options] hole_check: a device has"),
        ("minimum_cents = 500", "even_money = true\ninsurance = false", "10: [options] even_money: even money is"),
    ],
)
def test_a_wrong_option_is_the_table_file_s_and_not_the_profile_s(
    right: str, wrong: str, message: str, tmp_path: Path
) -> None:
    begun, _, rest = EXAMPLE.partition("[options]")
    assert begun.count("\n") == 8
    text = begun + OPTIONS + rest[rest.index("\n[") :]
    done = checked(tmp_path, text.replace(right, wrong))
    assert done.exit_code == 2, done.output
    assert f"table.toml:{message}" in done.stderr
    assert "hollywood-penn-national.toml" not in done.stderr
    assert done.stderr.startswith(f"tableside: {tmp_path / 'table.toml'}:")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "own.toml: No such file or directory"),
        (
            'name = "own"\n[rules]\ndecks = 0.5\n[sources]\ndecks = "card"',
            "own.toml:3: [rules] decks: expected a whole",
        ),
    ],
)
def test_a_mistake_of_a_profile_of_one_s_own_names_the_line_that_names_it(
    content: str | None, message: str, tmp_path: Path
) -> None:
    if content is not None:
        (tmp_path / "own.toml").write_text(content)
    done = checked(tmp_path, EXAMPLE.replace('"hollywood-penn-national"', '"own.toml"'))
    assert done.exit_code == 2
    assert done.stderr.startswith(f"tableside: {tmp_path / 'table.toml'}:4: [table] profile: {tmp_path / 'own.toml'}:")
    assert message in done.stderr


@pytest.mark.parametrize(
    ("keypad", "options", "message"),
    [
        ('L = "burn"', "", '10: [options] stand_key: expected a key that means stand in [keypad.keys], as "always"'),
        ('P = "burn"', 'no_more_bets = "always"', "12: [options] no_more_bets: expected a key that means no_more_bets"),
        ('P = "burn"', 'deal_key = "always"', "12: [options] deal_key: expected a key that means no_more_bets"),
        ('S = "burn"', 'turn_key = "always"', "12: [options] turn_key: expected a key that means hole_turned"),
        (
            'R = "burn"',
            'even_money_shown = "key"',
            "12: [options] even_money_shown: expected a key that means even_money",
        ),
        ('O = "burn"', 'surrender = "late"\nsurrender_on = "any_hand"', "13: [options] surrender_on: expected a key"),
    ],
)
def test_an_option_that_waits_for_a_key_the_keypad_lacks_is_a_mistake(
    keypad: str, options: str, message: str, tmp_path: Path
) -> None:
    house = EXAMPLE.replace('profile = "hollywood-penn-national"', 'profile = "borgata"')
    wanted = house.replace("payout_unit_cents = 50", f"payout_unit_cents = 50\n{options}")
    assert checked(tmp_path, wanted).exit_code == 0
    done = checked(tmp_path, wanted.replace('J = "burn"', keypad))
    assert done.exit_code == 2, done.output
    assert [line.startswith(f"tableside: {tmp_path}/table.toml:{message}") for line in done.stderr.splitlines()] == [
        True
    ]
    option = message.split()[2].strip(":")
    assert f"give a key this meaning, or set {option} = " in done.stderr


def test_an_option_that_waits_for_no_key_needs_none(tmp_path: Path) -> None:
    keys = 'L = "burn"\nO = "burn"\nP = "burn"\nR = "burn"\nS = "burn"'
    without = EXAMPLE.replace('J = "burn"', keys).replace('stand_key = "always"', "")
    assert checked(tmp_path, without).exit_code == 0


@pytest.mark.parametrize(
    ("zones", "message"),
    [
        ("antennas = {main = 1, luky_ladies = 2}", "27: [[bet_spots]] antennas.luky_ladies: luky_ladies is no zone"),
        ("antennas = {main = 1, lucky_ladies = 2}", "27: [[bet_spots]] antennas.lucky_ladies: lucky_ladies is no zone"),
        ('zone = "side"', "27: [[bet_spots]] zone: side is no zone"),
        (
            'antennas = {main = 1}\nzones = [{address = 9, antenna = 2, spot = 1, zone = "ez_bust"}]',
            "28: [[bet_spots]] zones.zone: ez_bust is no zone",
        ),
    ],
)
def test_a_zone_of_no_wager_of_the_house_is_a_mistake(zones: str, message: str, tmp_path: Path) -> None:
    house = EXAMPLE.replace('profile = "hollywood-penn-national"', 'profile = "borgata"')
    done = checked(tmp_path, house.replace("antennas = {main = 1, insurance = 2}", zones))
    assert done.exit_code == 2, done.output
    expected = "of this house's wagers; expected one of main, insurance"
    assert done.stderr == f"tableside: {tmp_path}/table.toml:{message} {expected}\n"
    offering = house.replace("[options]", '[options]\nside_bets = ["lucky_ladies"]').replace(
        "insurance =", "lucky_ladies ="
    )
    assert checked(tmp_path, offering).exit_code == 0


JOURNAL = 'journal = "/var/lib/tableside/bj-1/journal.sqlite"'


async def test_a_journal_that_run_would_refuse_is_refused(tmp_path: Path) -> None:
    """By the same words; where the service makes the folder as it starts, it need not be there yet."""
    assert checked(tmp_path).exit_code == 0
    for at, message in {
        "none/journal.sqlite": f"there is no folder {tmp_path}/none; make it, and let it belong to the user who runs",
        ".": "expected the path of a file, and this is a folder: name a file in it",
        "table.toml": "table.toml: not a journal",
    }.items():
        done = checked(tmp_path, EXAMPLE.replace(JOURNAL, f'journal = "{at}"'))
        assert (done.exit_code, f"{tmp_path}/table.toml:6: [table] journal: " in done.output) == (2, True)
        assert message in done.output
        if at != "table.toml":
            with pytest.raises(JournalFailed, match=re.escape(message)):
                await Journal.open(tmp_path / at, Identity("harbour", "bj-1", 1), key=bytes(32))


@pytest.mark.parametrize(
    ("whose", "message"),
    [
        (("harbour", "bj-2", bytes(32)), "this is the journal of harbour/bj-2, not of harbour/bj-1"),
        (("harbour", "bj-1", bytes(31) + b"\1"), "sealed with another key than the table file names"),
    ],
)
async def test_another_journal_is_refused(tmp_path: Path, whose: tuple[str, str, bytes], message: str) -> None:
    site, table, key = whose
    path = tmp_path / "journal.sqlite"
    journal = await Journal.open(path, Identity(site, table, 1), key=key)
    await journal.note("key", key_mark(key))
    await journal.close()
    done = checked(tmp_path, EXAMPLE.replace(JOURNAL, 'journal = "journal.sqlite"'))
    assert (done.exit_code, f"[table] journal: {path}: {message}" in done.output) == (2, True)


async def test_the_table_s_own_journal_fits(tmp_path: Path) -> None:
    checked(tmp_path)
    key = bytes.fromhex((tmp_path / "table.key").read_text())
    journal = await Journal.open(tmp_path / "journal.sqlite", Identity("harbour", "bj-1", 1), key=key)
    await journal.note("key", key_mark(key))
    await journal.close()
    done = checked(tmp_path, EXAMPLE.replace(JOURNAL, 'journal = "journal.sqlite"'))
    assert done.exit_code == 0, done.output


def test_a_list_of_the_program_that_run_would_refuse_is_refused(tmp_path: Path) -> None:
    with_list = EXAMPLE.replace(JOURNAL, f'{JOURNAL}\nsoftware = "software.sha256"\nsoftware_key = "{"03" * 32}"')
    assert "[table] software: " in checked(tmp_path, with_list).output
    (tmp_path / "software.sha256").write_text(f"{'0' * 64}  controller/cli.py\n")
    done = checked(tmp_path, with_list)
    assert (done.exit_code, f"[table] software: {tmp_path}/software.sha256: " in done.output) == (2, True)


def test_a_host_with_its_port_is_a_mistake(tmp_path: Path) -> None:
    (old,) = re.findall(r'^host = "(.*)"$', EXAMPLE, re.MULTILINE)[:1]
    done = checked(tmp_path, EXAMPLE.replace(f'host = "{old}"', f'host = "{old}:1884"', 1))
    message = f'[broker] host: expected a host without its port; write host = "{old}" and port = 1884'
    assert (done.exit_code, message in done.output) == (2, True)
    assert checked(tmp_path, EXAMPLE.replace(f'host = "{old}"', 'host = "::1"', 1)).exit_code == 0


@pytest.mark.parametrize(
    "host", ["mqtt://broker", "mqtt//broker", "bro ker", "192.168..5", ":1883", "broker.example:port"]
)
def test_what_can_be_no_host_is_a_mistake(tmp_path: Path, host: str) -> None:
    (old,) = re.findall(r'^host = "(.*)"$', EXAMPLE, re.MULTILINE)[:1]
    done = checked(tmp_path, EXAMPLE.replace(f'host = "{old}"', f'host = "{host}"', 1))
    message = "[broker] host: expected a host's name or address, such as broker.example or 192.168.1.5"
    assert (done.exit_code, message in done.output) == (2, True)


@pytest.mark.parametrize(
    "host", ["broker", "broker.example.", "a_b-c.example", "10.0.0.9", "::1", "fe80::1%eth0", "::ffff:10.0.0.9"]
)
def test_a_host_may_have_a_name_or_an_address(tmp_path: Path, host: str) -> None:
    (old,) = re.findall(r'^host = "(.*)"$', EXAMPLE, re.MULTILINE)[:1]
    assert checked(tmp_path, EXAMPLE.replace(f'host = "{old}"', f'host = "{host}"', 1)).exit_code == 0


@pytest.mark.parametrize("server", ["socket://10.0.0.9:99999", "rfc2217://10.0.0.9:0", "socket://192.168..5:4001"])
def test_a_device_server_has_a_host_and_a_port_number(tmp_path: Path, server: str) -> None:
    done = checked(tmp_path, re.sub(r'(\[shoe\][^[]*?\nport = )"[^"]*"', rf'\1"{server}"', EXAMPLE, count=1))
    assert (done.exit_code, "[shoe] port: expected a path such as " in done.output) == (2, True)
    whole = re.sub(r'(\[shoe\][^[]*?\nport = )"[^"]*"', r'\1"socket://10.0.0.9:65535"', EXAMPLE, count=1)
    assert checked(tmp_path, whole).exit_code == 0


def test_an_unusual_rule_in_the_options_is_a_warning(tmp_path: Path) -> None:
    done = checked(tmp_path, EXAMPLE.replace("[options]", "[options]\nnatural_pays = [65, 1]"))
    message = f"tableside: warning: {tmp_path}/table.toml:10: [options] natural_pays: 65 to 1 is more than 2 to 1, the"
    assert (done.exit_code, message in done.output) == (0, True)


def test_a_table_without_a_broker_is_refused_as_run_refuses_it(tmp_path: Path) -> None:
    start = EXAMPLE.index("[broker]")
    done = checked(tmp_path, EXAMPLE[:start] + EXAMPLE[EXAMPLE.index("[shoe]") :])
    message = f"tableside: {tmp_path}/table.toml:1: [broker]: expected host and port: a table without a broker has"
    assert (done.exit_code, done.output.startswith(message)) == (2, True)
    ran = CliRunner().invoke(main, ["run", str(tmp_path / "table.toml")])
    assert (ran.exit_code, ran.output) == (2, done.output)


def test_what_a_table_cannot_do_its_work_without_is_a_warning(tmp_path: Path) -> None:
    tap = f'\n[tap]\nsocket = "{tmp_path}/displays/tap"\n'
    done = checked(tmp_path, EXAMPLE.replace('J = "burn"', 'A = "burn"') + tap)
    warned = f"tableside: warning: {tmp_path}/table.toml"
    key = f'{warned}:33: [keypad.keys]: no key means "1": no key that the dealer presses can speak of spot 1\n'
    assert (done.exit_code, key in done.output) == (0, True)
    assert f"{warned}:38: [tap] socket: there is no folder {tmp_path}/displays now: " in done.output
    (tmp_path / "displays").mkdir()
    done = checked(tmp_path, EXAMPLE + tap)
    assert (done.exit_code, "[tap]" in done.output, "no key means" in done.output) == (0, False, False)
    (tmp_path / "chips.csv").write_text("id,value_cents\n")
    empty = CliRunner().invoke(main, ["check", str(tmp_path / "table.toml")])
    assert f"{warned}:7: [table] chips: {tmp_path}/chips.csv lists no chip: whatever is laid" in empty.output


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"SQLite format 3\0\0\xff", "a journal or another SQLite file; `tableside verify` checks a journal"),
        (
            b"5f" * 32 + b"\n",
            "a secret key such as a table's; `tableside verify --key` tells whether it sealed a journal",
        ),
        (b"5f" * 24 + b"\n", "a secret such as a password"),
        (
            b"4nC={n>i9m(dF.OtnoC#/Mv>Q==%=CMpk(d:(6lp\n",
            "a half of a CURVE pair; `tableside keys signing` tells what a secret half signs as",
        ),
        (b"-----BEGIN CERTIFICATE-----\nMII", "a certificate; `tableside keys show` describes it"),
        (b"-----BEGIN EC PRIVATE KEY-----\nMII", "the secret key of a certificate"),
    ],
)
def test_a_file_of_another_kind_is_called_what_it_is_and_not_shown(tmp_path: Path, content: bytes, kind: str) -> None:
    path = tmp_path / "given"
    path.write_bytes(content)
    done = CliRunner().invoke(main, ["check", str(path)])
    assert (done.exit_code, done.stderr) == (2, f"tableside: {path}: expected a file in TOML; it is {kind}\n")
    shown = CliRunner().invoke(main, ["keys", "show", str(path)])
    if b"CERTIFICATE" not in content:
        assert (shown.exit_code, shown.stderr) == (2, f"tableside: {path}: no certificate in PEM; it is {kind}\n")


def registry(*ids: str) -> str:
    return "id,value_cents\n" + "".join(f"{one},100\n" for one in ids)


def test_an_id_that_may_have_been_cut_is_a_warning(tmp_path: Path) -> None:
    checked(tmp_path)
    whole = [f"E0040150{number:08X}" for number in range(200)]
    (tmp_path / "chips.csv").write_text(registry(*whole, "E004"))
    done = CliRunner().invoke(main, ["check", str(tmp_path / "table.toml")])
    assert done.exit_code == 0
    said = f"[table] chips: {tmp_path}/chips.csv: E004: the other ids have 16 hex digits; is it whole?"
    assert f"tableside: warning: {tmp_path}/table.toml:7: {said}\n" in done.output
    # Chips of two makes are none the worse for it.
    (tmp_path / "chips.csv").write_text(registry(*whole, "E0040150", "E0040151", "E0040152"))
    assert "is it whole?" not in CliRunner().invoke(main, ["check", str(tmp_path / "table.toml")]).output
