"""``tableside setup``: a table PC made ready for its table, question by question."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from controller.commands.devices import best_name
from controller.commands.terminal import refuse, say

if TYPE_CHECKING:
    from controller.formats.config.setup_answers import Answers
    from controller.formats.orders.operators import Operator
    from controller.formats.text.usb_names import SerialPort
    from controller.io.files.install_files import Installer

SHIPPED: Final = (Path(__file__).resolve().parents[2] / "systemd", Path(sys.prefix) / "share/tableside/systemd")
"""Where the files of the system lie: in a checkout, and in an installed release."""

FILES: Final = {
    "tableside.sysusers.conf": ("/usr/lib/sysusers.d/tableside.conf", "the users of the tables, boxes and pools"),
    "tableside.tmpfiles.conf": ("/usr/lib/tmpfiles.d/tableside.conf", "the rights of table files and keys"),
    "60-tableside.rules": ("/etc/udev/rules.d/60-tableside.rules", "quick adapters, and no ModemManager on them"),
    "tableside@.service": ("/etc/systemd/system/tableside@.service", "the service of a table"),
}
PACKAGED: Final = "/usr/lib/systemd/system"
"""Where the Debian package puts the services; one of the same name in /etc would hide what an upgrade brings."""

BROKER_USERS: Final = ("table", "floor")
"""Who has a password at the broker on this PC: all its tables the first, screens of the floor the other."""

MAY_ONLY_SEND: Final = ("shoe_port", "keypad_port")
"""A chip reader always answers who asks it."""

SILENT: Final = "nobody answered there, so this is a guess"

NOT_ASKED: Final = "plugged in, and not asked who it is, so this is a guess"

NOT_FOUND: Final = "not found; it is the name that a rule in /etc/udev/rules.d/60-tableside.rules would give"

INSTALLED: Final = "/opt/tableside/current/bin/tableside"

ON_THE_PATH: Final = "/usr/local/bin/tableside"

PACKAGED_PROGRAM: Final = "/usr/bin/tableside"
"""The Debian package's own name for the program."""


@click.command("setup")
@click.option(
    "--answers", "file", type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A TOML file with the answers; no questions are asked.",
)  # fmt: skip
@click.option(
    "--dry-run", is_flag=True,
    help="Ask, print a line for each step, 'would write FILE: why' or 'would run COMMAND (why)', and do nothing.",
)  # fmt: skip
@click.option("--replace", is_flag=True, help="Put files with other contents aside (FILE.1) and write new ones.")
@click.option(
    "--root", type=click.Path(file_okay=False, path_type=Path), default=Path("/"), show_default=True,
    help="A folder to use as the root of the PC.",
)  # fmt: skip
def command(*, file: Path | None, dry_run: bool, replace: bool, root: Path) -> None:
    """Set up a Debian PC for one table: files, key, broker, operators and service. Run it as root.

    It asks questions, proposes what is plugged in, and reports each step. It keeps what exists, so you may run it
    again; it never replaces a key or a password.

    With --dry-run no device is asked who it is, and the files' contents are not printed: to see them, use --root with
    an empty folder.

    Exit status: 0 done, 1 done, but files with other contents were kept, 2 refused.
    """
    from controller.formats.config.setup_answers import read_answers
    from controller.formats.text.toml_schema import ConfigError
    from controller.io.files.config_files import text_of
    from controller.io.files.install_files import Installer
    from controller.io.files.table_file import known_names
    from controller.io.lines.ports import plugged_in
    from controller.io.system.log import configure_log

    configure_log("console", level="error")
    # Commands of the system's take it from wherever they change to.
    root = root.resolve()
    try:
        asked = asked_without_devices if dry_run else asked_with_devices
        answers = asked(plugged_in()) if file is None else read_answers(text_of(file), str(file), known_names())
        if not dry_run and root == Path("/") and os.geteuid() != 0:
            refuse("only root may set up this PC; --dry-run prints the steps")
        installer = Installer(root, say, dry=dry_run, replace=replace)
        carry_out(installer, answers)
    except ConfigError as error:
        refuse(*error.lines)
    except click.Abort:
        if sys.stdin.isatty():
            raise
        refuse("the answers ended before the questions: run it at a terminal, or with --answers FILE")
    except OSError as error:
        refuse(str(error))
    else:
        if installer.kept:
            say(f"kept as they were: {', '.join(installer.kept)}")
            sys.exit(1)


def asked_with_devices(ports: Sequence[SerialPort]) -> Answers:
    """The answers of whoever sits there; what is plugged in is asked who it is first."""
    import asyncio

    say("Looking at what is plugged in ...")
    return ask_questions(*asyncio.run(found_devices(ports)))


def asked_without_devices(ports: Sequence[SerialPort]) -> Answers:
    """The answers of whoever sits there; to ask a device who it is, something must be written to it."""
    say("A dry run writes nothing to a port: no device is asked who it is.")
    return ask_questions({}, [best_name(port) for port in ports if port.vid is not None], NOT_ASKED)


def ask_questions(found: Mapping[str, Any], silent: Sequence[str], guess: str = SILENT) -> Answers:
    """Ask each question at the terminal: ``found`` devices are proposed.

    ``silent``: adapters at which nobody answered. They are proposed for devices that may only send, with ``guess``,
    which says that it is one.
    """
    from controller.formats.config.setup_answers import PORTS, QUESTIONS, answers_of

    proposals: dict[str, Any] = {**_defaults(), **found}
    guesses = dict[str, str]()
    free = iter(silent)
    for name in PORTS:
        if name not in found:
            adapter = next(free, None) if name in MAY_ONLY_SEND else None
            proposals[name] = adapter or f"/dev/tableside/{name.removesuffix('_port')}"
            guesses[name] = guess if adapter else NOT_FOUND
    while True:
        given: dict[str, Any] = {}
        for one in QUESTIONS:
            given[one.name] = ask(one.name, one.why, proposals[one.name], guesses.get(one.name, ""))
        given["operator"] = tuple(people()) if given["operator_channel"] == "yes" else ()
        answers, wrong = answers_of(given)
        if answers is not None:
            return answers
        for line in wrong:
            say(f"  {line}; please answer again")
        proposals |= given
        guesses.clear()


def ask(name: str, why: str, proposal: object, guess: str = "") -> object:
    """One question, until it has an answer that can be one. ``guess``: why the proposal is no more than that."""
    from controller.formats.config.setup_answers import typed
    from controller.io.files.table_file import known_names

    shown = ",".join(map(str, proposal)) if isinstance(proposal, tuple) else str(proposal)
    note = f"\n  {shown}: {guess}" if guess else ""
    while True:
        text = click.prompt(f"{why}{note}\n  {name}", default=shown, type=str)
        try:
            return typed(name, text, known_names())
        except ValueError as error:
            say(f"  {error}")


def people() -> list[Operator]:
    """Who may order things of the table, each with a public key (`tableside keys curve`)."""
    import msgspec

    from controller.formats.orders.operators import ROLES, Operator

    found: list[Operator] = []
    while name := click.prompt("An operator's name for the journal; empty: no more operators", default=""):
        role = click.prompt("  role", type=click.Choice(ROLES), default="floor")
        key = click.prompt("  public key, as `tableside keys curve` printed it")
        try:
            found.append(msgspec.convert({"name": name, "roles": [role], "keys": [key]}, Operator))
        except msgspec.ValidationError as error:
            say(f"  {error}; please answer again")
    return found


def _defaults() -> dict[str, Any]:
    import msgspec

    from controller.formats.config.setup_answers import Answers

    fields = msgspec.structs.fields(Answers)
    return {one.name: one.default for one in fields if one.default is not msgspec.NODEFAULT and one.name != "operator"}


async def found_devices(ports: Sequence[SerialPort]) -> tuple[dict[str, Any], list[str]]:
    """Proposals for the devices that say who they are, and the adapters that are plugged in and silent.

    A serial port of the machine's own is there whether something is connected or not, so that a silent one is none.
    """
    from controller.io.lines.identify import identify, questions
    from controller.io.lines.ports import serial_opener

    found: dict[str, Any] = {}
    silent: list[str] = []
    for port in ports:
        try:
            openers = {codec.line: serial_opener(port.path, codec.line) for _, codec, _ in questions()}
            who = await identify(openers)
        except (OSError, ValueError) as error:
            say(f"  {port.path}: not asked: {error}")
            continue
        if who is None:
            say(f"  {best_name(port)}: did not identify itself: nothing is connected, or the device only sends")
            if port.vid is not None:
                silent.append(best_name(port))
            continue
        say(f"  {best_name(port)}: {who.kind}, {who.text}")
        if f"{who.kind}_port" in found:
            say(f"  {best_name(port)}: not proposed: {found[f'{who.kind}_port']} is one of that kind already")
            continue
        found |= {f"{who.kind}_port": best_name(port), f"{who.kind}_protocol": who.protocol}
        if who.addresses:
            found["spots"] = tuple(who.addresses)
    return found, silent


def carry_out(pc: Installer, answers: Answers) -> None:
    """Everything a PC needs for the table, in the order in which one thing needs another.

    Raises:
        OSError: something cannot be written, or a command of the system's failed.
    """
    from controller.formats.config import setup_answers

    shipped = next((folder for folder in SHIPPED if folder.is_dir()), SHIPPED[0])
    for name, (path, why) in FILES.items():
        if pc.at(f"{PACKAGED}/{name}").exists():
            say(f"  leaves {name} to the Debian package")
            continue
        pc.put(path, (shipped / name).read_text(encoding="utf-8"), why)
    if pc.at(PACKAGED_PROGRAM).is_symlink():
        say(f"  leaves the command tableside to the Debian package: {PACKAGED_PROGRAM}")
    else:
        pc.link(ON_THE_PATH, INSTALLED, "the command tableside, in every shell")
    if groups := setup_answers.sysusers(answers):
        pc.put(f"/etc/sysusers.d/tableside-{answers.table}.conf", groups, "the groups that may use its sockets")
    pc.run(["systemd-sysusers"], "users and groups", rooted=["systemd-sysusers", f"--root={pc.root}"])
    table_files(pc, answers)
    broker_files(pc, answers, shipped)
    service_files(pc, answers)


def table_files(pc: Installer, answers: Answers) -> None:
    """The table's own files and secrets."""
    import zmq

    from controller.formats.config import setup_answers
    from controller.formats.journal.records import KEY_BYTES
    from controller.io.files.install_files import Owner
    from controller.io.system.randomness import SystemEntropy

    folder, name = "/etc/tableside", answers.table
    pc.folder(folder, 0o750)
    pc.secret(f"{folder}/{name}.key", lambda: f"{SystemEntropy().take(KEY_BYTES).hex()}\n", "the table's key")
    ours = Owner("root", "tableside")
    if not pc.at(f"{folder}/chips.csv").exists():
        pc.put(f"{folder}/chips.csv", "id,value_cents\n", "the chip registry, still empty", mode=0o640, owner=ours)
    pc.put(f"{folder}/{name}.toml", setup_answers.table_file(answers), "the table file", mode=0o640, owner=ours)
    if answers.operator:
        people = setup_answers.operators_file(answers.operator)
        pc.put(f"{folder}/{name}-operators.toml", people, "the file of operators", mode=0o640, owner=ours)
    if answers.operator_address:
        why = "the secret half of the table's CURVE pair"
        secret = pc.secret(f"{folder}/{name}-operator.key", lambda: f"{zmq.curve_keypair()[1].decode()}\n", why)
        public = zmq.curve_public(secret.strip().encode()).decode()
        if not pc.dry:
            say(f"  operators reach the table at tcp://{answers.operator_address} with --table-key '{public}'")


def broker_files(pc: Installer, answers: Answers, shipped: Path) -> None:
    """The broker on this PC, or the password that another one knows the table by."""
    import secrets

    from controller.formats.config.setup_answers import HERE, broker_line
    from controller.io.files.install_files import Owner

    passwords: dict[str, str] = {}
    for user in BROKER_USERS if answers.broker_host == HERE else BROKER_USERS[:1]:
        why = f"the broker's password of {user}"
        path = f"/etc/tableside/{user}.broker-password.key"
        passwords[user] = pc.secret(path, lambda: f"{secrets.token_hex(24)}\n", why).strip()
    if answers.broker_host != HERE:
        say(f"  {answers.broker_host} must know the user table with that password, and its topics")
        return
    configuration = (shipped / "mosquitto/table.conf").read_text(encoding="utf-8")
    configuration = configuration.replace("listener 1883 ", f"listener {answers.broker_port} ")
    pc.put("/etc/mosquitto/conf.d/tableside.conf", configuration, "the broker's settings")
    access = (shipped / "mosquitto/table.acl").read_text(encoding="utf-8")
    own = Owner("mosquitto", "mosquitto")
    pc.put("/etc/mosquitto/tableside.acl", access, "who may say what at the broker", mode=0o600, owner=own)
    rows = {user: broker_line(user, password) for user, password in passwords.items()}
    why = "the broker's passwords, hashed"
    pc.lines("/etc/mosquitto/tableside.passwd", rows, why, mode=0o600, owner=own)
    pc.run(["systemctl", "restart", "mosquitto"], "the broker reads its settings")


def service_files(pc: Installer, answers: Answers) -> None:
    """The service, and what it needs at every boot."""
    from controller.formats.config import setup_answers

    name = answers.table
    unit = f"tableside@{name}.service"
    pc.put(f"/etc/systemd/system/{unit}.d/credentials.conf", setup_answers.drop_in(answers), "the service's secrets")
    if answers.operator_channel == "yes":
        folders = setup_answers.tmpfiles(answers)
        pc.put(f"/etc/tmpfiles.d/tableside-{name}.conf", folders, "the folders of its sockets, at every boot")
    pc.run(
        ["systemd-tmpfiles", "--create"],
        "folders and rights",
        rooted=["systemd-tmpfiles", f"--root={pc.root}", "--create"],
    )
    pc.run(["udevadm", "control", "--reload"], "the rules for adapters")
    pc.run(["udevadm", "trigger"], "for those that are plugged in already")
    pc.run(["systemctl", "daemon-reload"], "the new service")
    check = ["runuser", "-u", "tableside", "--", INSTALLED, "check", f"/etc/tableside/{name}.toml"]
    pc.run(check, "whether the table is fit to run")
    if answers.start == "yes":
        enable = ["systemctl", f"--root={pc.root}", "enable", unit]
        pc.run(["systemctl", "enable", "--now", unit], "the table, now and at every boot", rooted=enable)
    say(f"the chips of the house are to stand in /etc/tableside/chips.csv: then systemctl restart {unit}")
