from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from controller.commands import capture as capture_command
from controller.commands import devices as devices_command
from controller.commands import playback as playback_command
from controller.commands import probe as probe_command
from controller.commands.line_probe import ProbedDevice, drive, line_words
from controller.formats.text.captures import Capture, CaptureRefused, Piece, heading_text, piece_text, read_capture
from controller.formats.text.usb_names import SerialPort
from controller.io.lines.line_tools import Playback, between
from controller.io.lines.ports import serial_opener
from controller.io.lines.pseudo_terminal import serving
from controller.io.system.log import configure_log
from devices.session import Session
from firmware_protocols import discovery
from firmware_protocols.cards import Card
from firmware_protocols.codec import Line
from firmware_protocols.readings import ChipsSeen, HealthState
from simulators.devices.bet_spots import BetSpotsSimulator
from simulators.devices.reference_shoe import ReferenceShoeSimulator
from simulators.devices.shoe import ShoeSimulator
from simulators.serve import Port
from tests.io.lines_rig import BEE_TEK, FEIG, Delivered, Place, readers, supervised
from tests.io.test_serial import PATIENCE_SECONDS
from tests.io.virtual_time import LoopClock, becomes, run_virtual

LINES = st.builds(Line, st.integers(50, 4_000_000), st.integers(5, 8), st.sampled_from("NEO"), st.integers(1, 2))
PIECES = st.lists(st.tuples(st.integers(0, 10**12), st.booleans(), st.binary(min_size=1, max_size=40)), max_size=8)


# --- captures ---------------------------------------------------------------------------------------


def capture_text(capture: Capture) -> str:
    return heading_text(capture.line) + "".join(map(piece_text, capture.pieces))


@given(st.none() | LINES, PIECES)
def test_a_capture_is_read_as_it_was_written(line: Line | None, parts: list[tuple[int, bool, bytes]]) -> None:
    at_ns, pieces = 0, []
    for gap_ns, from_device, data in parts:
        at_ns += gap_ns
        pieces.append(Piece(at_ns, from_device, data))
    capture = Capture(line, tuple(pieces))
    assert read_capture(capture_text(capture).splitlines()) == capture


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: expected tableside-capture 1"),
        ("tableside-capture 2\n", "line 1"),
        ("tableside-capture 1\n# well\n\n0 < 0\n", "line 4: expected"),
        ("tableside-capture 1\n0 = 00\n", "line 2: expected"),
        ("tableside-capture 1\n5 < 00\n4 < 00\n", "line 3: time goes back"),
        (f"tableside-capture 1\n5 < {'00' * 70_000}\n", "line 2: more than"),
        ("tableside-capture 1\nline 9600 9N1\n", "line 2: expected"),
    ],
)
def test_what_is_no_capture_is_refused_with_its_line(text: str, message: str) -> None:
    with pytest.raises(CaptureRefused, match=message):
        read_capture(text.splitlines())


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    message = "line "
    try:
        read_capture(["tableside-capture 1", *text.splitlines()])
    except CaptureRefused as refused:
        message = str(refused)
    assert message.startswith("line ")


# --- capture and playback ---------------------------------------------------------------------------


async def nothing() -> None:
    return None


async def test_what_was_captured_between_a_reader_and_its_host_is_read_again_from_its_playback(tmp_path: Path) -> None:
    simulator, session = readers(1, 2)
    simulator.lay(1, "main", ("E00401502092A102",))
    reader = Port(tmp_path / "reader", simulator, lambda: None)
    pieces: list[Piece] = []

    def write(from_device: bool, data: bytes) -> None:
        pieces.append(Piece(len(pieces) * 1000, from_device, data))

    opener = serial_opener(str(tmp_path / "reader"), FEIG.line)
    standing = asyncio.ensure_future(between(opener, serving(tmp_path / "tap"), write))
    first = await heard_through(tmp_path / "tap", session)
    standing.cancel()
    await asyncio.gather(standing, return_exceptions=True)
    reader.close()
    assert not (tmp_path / "tap").exists()

    capture = read_capture(capture_text(Capture(FEIG.line, tuple(pieces))).splitlines())
    player = Playback(capture.pieces, None)
    over = asyncio.Event()

    async def linger() -> None:
        await over.wait()

    playing = asyncio.ensure_future(player.play(serving(tmp_path / "played"), begin=nothing, linger=linger))
    again = await heard_through(tmp_path / "played", readers(1, 2)[1])
    over.set()
    played = await playing
    assert [(one.spot, one.chips) for one in first] == [(one.spot, one.chips) for one in again]
    assert first[0].chips == ("E00401502092A102",)
    assert played.as_captured > 3


async def heard_through(path: Path, session: Session) -> list[ChipsSeen]:
    """What a session that opens ``path`` learns of both spots."""
    await becomes(path.is_symlink)
    delivered = Delivered()
    task = asyncio.ensure_future(supervised(serial_opener(str(path), FEIG.line), session, delivered).run())
    async with asyncio.timeout(PATIENCE_SECONDS):
        await delivered.until(lambda: len(delivered.of(ChipsSeen)) == 2)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    return delivered.of(ChipsSeen)


def test_a_playback_keeps_the_times_and_reports_what_the_host_said_otherwise() -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    pieces = (
        Piece(0, True, b"hello"),
        Piece(250_000_000, True, b"again"),
        Piece(300_000_000, False, b"who"),
        Piece(300_500_000, True, b"me"),
        Piece(300_600_000, False, b"never"),
    )

    class Host:
        """Says something else than it said then, and at the end nothing."""

        def receive(self, data: bytes) -> bytes:
            return b"how" if data == b"again" else b""

    async def scenario() -> None:
        place = Place(Host())
        played = await Playback(pieces, sleep).play(place.open, begin=nothing, linger=nothing)
        assert b"".join(place.written) == b"helloagainme"
        assert slept == [0.25, 0.0005]
        assert (played.sent_bytes, played.as_captured, played.otherwise) == (12, 0, 2)

    run_virtual(scenario())


def test_a_capture_that_cannot_be_played_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "c.txt"
    path.write_text("hello\n")
    result = CliRunner().invoke(playback_command.command, [str(path), "--serve", str(tmp_path / "p")])
    assert (result.exit_code, result.output.count("\n")) == (2, 1)
    assert "line 1: expected tableside-capture 1" in result.output
    both = CliRunner().invoke(playback_command.command, [str(path)])
    assert "expected --serve PATH or --port PORT" in both.output
    path.write_text("tableside-capture 1\n5 < 00\n")
    result = CliRunner().invoke(playback_command.command, [str(path), "--port", "/dev/null"])
    assert "line 9600 8N1" in result.output


def test_a_playback_command_plays_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "c.txt"
    path.write_text("tableside-capture 1\n5 < 00\n9000000000 < 0102\n")
    result = CliRunner().invoke(
        playback_command.command, [str(path), "--serve", str(tmp_path / "p"), "--fast", "--after", "0"]
    )
    assert (result.exit_code, result.output) == (0, "3 bytes played; the host said 0 pieces as captured\n")


# --- probe and devices ------------------------------------------------------------------------------


@pytest.mark.parametrize("module", [probe_command, capture_command])
def test_a_port_that_is_not_there_is_one_line(module: object, tmp_path: Path) -> None:
    command = module.command  # type: ignore[attr-defined]
    arguments = ["/dev/no-such-port"] + ([str(tmp_path / "c.txt")] if module is capture_command else [])
    result = CliRunner().invoke(command, arguments)
    assert result.exit_code == 2
    assert "no-such-port" in result.output.splitlines()[-1]
    wrong = CliRunner().invoke(command, [*arguments, "--as", "shoe/bee_tec"])
    assert "did you mean 'bee_tek'" in wrong.output
    assert "expected spots" in CliRunner().invoke(command, [*arguments, "--spots", "9"]).output


@pytest.mark.parametrize("module", [probe_command, capture_command])
def test_a_device_to_serve_on_a_port_that_is_not_there_is_one_line(module: object, tmp_path: Path) -> None:
    command, file = module.command, tmp_path / "c.txt"  # type: ignore[attr-defined]
    arguments = ["/dev/no-such-port"] + ([str(file)] if module is capture_command else [])
    result = CliRunner().invoke(command, [*arguments, "--as", "shoe/bee_tek"])
    assert (result.exit_code, len(result.output.splitlines())) == (2, 1)
    assert "no-such-port" in result.output
    assert not file.exists()


def refused(module: object, port: str, device: tuple[str, ...], folder: Path) -> str:
    """What ``probe`` or ``capture`` says of a port, with status 2; no file is begun."""
    command, file = module.command, folder / "c.txt"  # type: ignore[attr-defined]
    result = CliRunner().invoke(command, [port, *([str(file)] if module is capture_command else []), *device])
    assert result.exit_code == 2, result.output
    assert not file.exists()
    return result.output


@pytest.mark.parametrize(
    ("port", "expected"),
    [
        ("usb:zz", "expected usb:VID:PID[:SERIAL][:INTERFACE]"),
        ("socket://127.0.0.1", "expected socket://HOST:PORT or rfc2217://HOST:PORT"),
    ],
)
@pytest.mark.parametrize("device", [(), ("--as", "shoe/bee_tek")])
@pytest.mark.parametrize("module", [probe_command, capture_command])
def test_a_name_that_no_port_can_have_is_refused_before_anything_is_opened(
    module: object, device: tuple[str, ...], port: str, expected: str, tmp_path: Path
) -> None:
    assert expected in refused(module, port, device, tmp_path)


@pytest.mark.parametrize(
    ("port", "said"),
    [
        ("COM3", "expected a path such as /dev/ttyUSB0, or usb:VID:PID, got 'COM3'; tableside devices lists"),
        ("null", "got 'null' (did you mean /dev/null?); tableside devices lists the ports there are"),
        ("/dev/null", "tableside: /dev/null: this is no serial port; tableside devices lists the ports there are"),
        ("/dev/no-such-port", "No such file or directory; tableside devices lists the ports there are"),
        ("socket://127.0.0.1:1", "socket://127.0.0.1:1: Connection refused; see that the device server is on"),
    ],
)
@pytest.mark.parametrize("device", [(), ("--as", "shoe/bee_tek")])
@pytest.mark.parametrize("module", [probe_command, capture_command])
def test_a_technician_is_told_what_to_do_about_a_port_that_cannot_be_had(
    module: object, device: tuple[str, ...], port: str, said: str, tmp_path: Path
) -> None:
    assert said in refused(module, port, device, tmp_path)


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (PermissionError(13, "could not open port /dev/ttyS0: Permission denied"), "only root and the port's group"),
        (OSError(5, "Input/output error"), "/dev/ttyS0: Input/output error"),
        (OSError(28, "No space left on device"), "No space left on device"),
        (FileExistsError(17, "File exists", "/run/tap/shoe"), "/run/tap/shoe: File exists; name a path where nothing"),
    ],
)
def test_what_became_of_a_line_is_said_with_its_name(error: OSError, said: str) -> None:
    words = line_words("/dev/ttyS0", error)
    assert said in words
    assert words.startswith("/dev/ttyS0") is (error.errno == 5)


def test_a_capture_that_is_there_already_is_named_and_kept(tmp_path: Path) -> None:
    evening = tmp_path / "evening.txt"
    evening.write_text("tableside-capture 1\n")
    result = CliRunner().invoke(capture_command.command, ["/dev/ttyUSB7", str(evening)])
    said = f"tableside: {evening}: is there already, and a capture overwrites nothing; name another FILE, or remove"
    assert (result.exit_code, said in result.output) == (2, True), result.output
    assert evening.read_text() == "tableside-capture 1\n"
    nowhere = CliRunner().invoke(capture_command.command, ["/dev/ttyUSB7", str(tmp_path / "no" / "evening.txt")])
    assert f"{tmp_path / 'no' / 'evening.txt'}: No such file or directory; name a FILE in a folder" in nowhere.output


def test_a_capture_stands_only_where_nothing_is_and_leaves_no_file_else(tmp_path: Path) -> None:
    taken, file = tmp_path / "taken", tmp_path / "c.txt"
    taken.touch()
    for through in (taken, tmp_path / "no" / "shoe"):
        result = CliRunner().invoke(capture_command.command, ["/dev/ttyUSB7", str(file), "--through", str(through)])
        assert f"--through {through}: expected a path where nothing is, in a folder that is there" in result.output
        assert (result.exit_code, file.exists()) == (2, False)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("shoe", "expected KIND/PROTOCOL; of a shoe there are: shoe/bee_tek, shoe/reference"),
        ("shoe/bee_tec", "no shoe protocol is called 'bee_tec' (did you mean 'bee_tek'?)"),
    ],
)
def test_what_a_device_speaks_is_called_a_protocol(given: str, said: str) -> None:
    result = CliRunner().invoke(probe_command.command, ["/dev/ttyUSB7", "--as", given])
    assert (result.exit_code, said in result.output, "codec" in result.output) == (2, True, False), result.output


@pytest.mark.parametrize("module", [probe_command, capture_command])
def test_a_device_that_nothing_serves_alone_is_refused_before_anything_is_opened(
    module: object, tmp_path: Path
) -> None:
    command, file = module.command, tmp_path / "c.txt"  # type: ignore[attr-defined]
    arguments = ["/dev/no-such-port"] + ([str(file)] if module is capture_command else [])
    result = CliRunner().invoke(command, [*arguments, "--as", "bet_sensors/modbus_rtu"])
    assert result.exit_code == 2
    assert "expected one of shoe, keypad, bet_spots: nothing serves bet_sensors alone" in result.output
    assert not file.exists()


@pytest.mark.parametrize("device", [None, ProbedDevice("shoe", "bee_tek")])
async def test_probe_ends_when_its_port_is_lost(
    device: ProbedDevice | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    configure_log("console", level="error")  # as the command does: a session's own lines are no reading
    simulator = ShoeSimulator(BEE_TEK)
    shoe = Port(tmp_path / "shoe", simulator, lambda: None)
    probing = asyncio.ensure_future(probe_command.probe(str(tmp_path / "shoe"), device, (1,), 9600))
    shown = ""

    def is_shown() -> bool:
        nonlocal shown
        shoe.say(simulator.draw(Card("Kd")))
        shown += capsys.readouterr().out
        return " < " in shown

    await becomes(is_shown)
    shoe.close()
    with pytest.raises(OSError, match=r"hung up|Input/output error"):
        await probing
    assert "state=lost" not in shown + capsys.readouterr().out


def test_probe_goes_on_with_a_reader_that_does_not_answer_yet() -> None:
    run_virtual(answers_late())


async def answers_late() -> None:
    place, delivered = Place(readers(1)[0]), Delivered()
    place.mute = True
    serving = asyncio.ensure_future(
        drive(
            place.open,
            ProbedDevice("bet_spots", "feig_obid"),
            (1,),
            tap=lambda _from, _data: None,
            show=delivered.deliver,
            clock=LoopClock(asyncio.get_running_loop()),
        )
    )
    await place.until_opened(3)
    place.mute = False
    await delivered.until(lambda: HealthState.READY in delivered.states())
    serving.cancel()
    await asyncio.gather(serving, return_exceptions=True)


async def test_probe_shows_bytes_and_readings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    configure_log("console", level="error")  # as the command does: a session's own lines are no reading
    simulator = ShoeSimulator(BEE_TEK)
    shoe = Port(tmp_path / "shoe", simulator, lambda: None)
    probing = asyncio.ensure_future(
        probe_command.probe(str(tmp_path / "shoe"), ProbedDevice("shoe", "bee_tek"), (1,), 9600)
    )
    shown = ""

    def seen(text: str) -> bool:
        nonlocal shown
        shown += capsys.readouterr().out
        return text in shown

    await becomes(lambda: seen("DeviceHealth device=shoe state=ready"))
    shoe.say(simulator.draw(Card("Kd")))
    await becomes(lambda: seen("CardDrawn face=Kd"))
    probing.cancel()
    await asyncio.gather(probing, return_exceptions=True)
    shoe.close()
    assert " < " in shown


async def test_devices_names_what_answers_ready_to_paste(tmp_path: Path) -> None:
    zones: dict[tuple[int, int | None], tuple[int, str]] = {(2, 1): (2, "main"), (5, 1): (5, "main")}
    ports = [
        Port(tmp_path / "readers", BetSpotsSimulator(FEIG, zones), lambda: None),
        Port(tmp_path / "shoe", ReferenceShoeSimulator(discovery.find("shoe", "reference")), lambda: None),
        Port(tmp_path / "silent", ShoeSimulator(BEE_TEK), lambda: None),
    ]
    found = [
        devices_command.lines_of(
            await devices_command.looked_at(SerialPort(str(port.path)), ask=True, answer_seconds=0.1)
        )
        for port in ports
    ]
    for port in ports:
        port.close()
    readers_lines, shoe_lines, silent_lines = ([line.strip() for line in lines] for lines in found)
    assert {"[[bet_spots]]", 'protocol = "feig_obid"', "spots = [2, 5]"} <= set(readers_lines)
    assert {"[shoe]", 'protocol = "reference"', f'port = "{tmp_path / "shoe"}"'} <= set(shoe_lines)
    assert f'port = "{tmp_path / "silent"}"' in silent_lines
    assert any("did not identify itself" in line for line in silent_lines)


async def test_devices_leaves_a_port_in_use_alone(tmp_path: Path) -> None:
    port = Port(tmp_path / "shoe", ShoeSimulator(BEE_TEK), lambda: None)
    held = await serial_opener(str(port.path), BEE_TEK.line)(asyncio.Protocol())
    lines = devices_command.lines_of(await devices_command.looked_at(SerialPort(str(port.path)), ask=True))
    held.close()
    port.close()
    assert any("not asked" in line and "another program has this port open" in line for line in lines)


def test_the_name_that_stays_longest_is_pasted() -> None:
    ours, path = "/dev/tableside/shoe", "/dev/serial/by-path/pci-0:1.0"
    assert devices_command.best_name(SerialPort("/dev/ttyUSB0", 0x403, 0x6001, "A1", links=(ours, path))) == ours
    assert (
        devices_command.best_name(SerialPort("/dev/ttyUSB0", 0x403, 0x6001, "A1", links=(path,))) == "usb:0403:6001:A1"
    )
    assert devices_command.best_name(SerialPort("/dev/ttyUSB0", 0x403, 0x6001, links=(path,))) == path
    assert devices_command.best_name(SerialPort("/dev/ttyS0")) == "/dev/ttyS0"


def test_devices_lists_without_asking() -> None:
    result = CliRunner().invoke(devices_command.command, ["/dev/ttyUSB7", "--no-ask"])
    assert result.exit_code == 0
    assert '    port = "/dev/ttyUSB7"' in result.output
