"""Who may do what to a box: both roles' keys open it, and two people by name begin it, set its bounds and end it."""

from __future__ import annotations

import pwd
from pathlib import Path
from typing import NamedTuple

from controller.core.persons import folded, same_person
from controller.formats.config.table_file import KnownNames
from controller.formats.config.trigger_file import TABLES_USER, TriggerConfig, read_trigger_config
from controller.io.files.config_files import kept_path, text_of
from controller.io.files.key_file import KeyFileRefused, read_key
from controller.trigger_box.entries import BoundsSet, BoxCommissioned, CycleOpened
from controller.trigger_box.sealing import Sealer
from controller.trigger_box.store import BoxStore, BoxStoreRefused
from firmware_protocols import discovery
from firmware_protocols.trigger_messages import UNITS_PER_CENT


class Custodians(NamedTuple):
    """The two who answer for a change: one of the operations, one of surveillance."""

    operations: str
    surveillance: str

    def check(self) -> None:
        """Refuse one person in two roles, or nobody.

        Raises:
            StoreRefused: the names are empty or the same.
        """
        if not all(map(folded, self)) or same_person(*self):
            raise BoxStoreRefused("two people are needed: --operations and --surveillance name one each")


class Takeover(NamedTuple):
    """What the table knows of a box that was lost: epoch, last cycle and contribution, and the meter."""

    epoch: int
    cycle: int
    number: int
    meter_units: int


def load_config(path: Path, credentials: str | None = None) -> TriggerConfig:
    """The trigger box's file at ``path``; ``credentials``: where the service manager keeps those it names.

    Raises:
        ConfigError: with a line for each mistake.
    """
    config = read_trigger_config(
        text_of(path), str(path), path.parent, KnownNames(discovery.codecs(), discovery.broken_reason)
    )
    given = {f"[box] {key}": getattr(config.box, key) for key in ("operations_key_file", "surveillance_key_file")}
    given["[line] pairing_key_file"] = config.line.pairing_key_file
    for key, value in given.items():
        if value is not None:
            kept_path(value, credentials, f"{path}: {key}")
    return config


def sealer_of(config: TriggerConfig, credentials: str | None = None) -> Sealer:
    """The sealer that both keys make.

    Raises:
        KeyRefused: a key is missing, others may read it, or both roles have the same.
    """
    keys = [_key(given, credentials) for given in (config.box.operations_key_file, config.box.surveillance_key_file)]
    try:
        return Sealer(*keys)
    except ValueError as error:
        raise KeyFileRefused(str(error)) from error


def pairing_key_of(config: TriggerConfig, credentials: str | None = None) -> bytes | None:
    """The key that the box shares with its table; None where their line is not paired.

    Raises:
        KeyRefused: it is missing, or others may read it.
    """
    given = config.line.pairing_key_file
    return None if given is None else _key(given, credentials)


def users_of(config: TriggerConfig, own: int) -> frozenset[int]:
    """Whose processes may use the box's local socket, by number: the table's user's, and the box's ``own``.

    Whoever runs as the box's own user has its store, and no need of the socket.

    Raises:
        KeyRefused: there is no such user.
    """
    user = config.line.user
    try:
        return frozenset({own, pwd.getpwnam(user).pw_uid})
    except KeyError:
        if user == TABLES_USER:
            # A table tried out where nothing is installed runs as whoever tries it out.
            return frozenset({own})
        raise KeyFileRefused(f"[line] user: there is no user {user!r} on this computer") from None


def _key(given: str, credentials: str | None) -> bytes:
    file, kept = kept_path(given, credentials, given)
    return read_key(file, kept_by_service=kept)


def begin(config: TriggerConfig, sealer: Sealer, people: Custodians, wall_ns: int, takeover: Takeover | None) -> None:
    """Make the store of a box, for a table that has none yet or in place of a box that was lost.

    Raises:
        StoreRefused: there is one already, one person is not two, or the meter taken over stands below the reset value.
    """
    people.check()
    carried_units = 0
    if takeover is not None:
        carried_units = takeover.meter_units - config.bounds.reset_cents * UNITS_PER_CENT
        if carried_units < 0:
            raise BoxStoreRefused(
                f"the meter taken over stands below the reset value, {config.bounds.reset_cents} cents"
            )
    known = takeover or Takeover(0, 0, 0, 0)
    box = config.box
    begun = BoxCommissioned(
        box.site, box.table, known.epoch, known.cycle, known.number, carried_units, *people, wall_ns=wall_ns
    )
    store = BoxStore(Path(box.store), sealer, create=True)
    try:
        store.append([begun, _bounds(config, people, wall_ns)])
    finally:
        store.close()


def set_bounds(config: TriggerConfig, sealer: Sealer, people: Custodians, wall_ns: int) -> None:
    """Put the bounds of the file in force from the next draw on; the running cycle keeps its own.

    Raises:
        StoreRefused: there is no store, it is in use, or one person is not two.
    """
    people.check()
    store = BoxStore(Path(config.box.store), sealer)
    try:
        store.append([_bounds(config, people, wall_ns)])
    finally:
        store.close()


def check_bounds(config: TriggerConfig, store: BoxStore) -> None:
    """Refuse a file whose bounds are not those that two people set.

    Raises:
        StoreRefused: with what to do.
    """
    wanted, held = config.bounds, store.state.bounds
    if held is None or (wanted.reset_cents, wanted.ceiling_cents, wanted.most_units) != (
        held.reset_cents,
        held.ceiling_cents,
        held.most_units,
    ):
        raise BoxStoreRefused(
            "[bounds]: not those that two people set; they put them in force with `tableside mystery set-bounds`"
        )


def opened_at_the_end(store: BoxStore) -> CycleOpened | None:
    """The cycle that was running when the box was ended, opened; None if none ran."""
    return next((entry for entry in store.entries() if isinstance(entry, CycleOpened) and not entry.number), None)


def _bounds(config: TriggerConfig, people: Custodians, wall_ns: int) -> BoundsSet:
    bounds = config.bounds
    return BoundsSet(bounds.reset_cents, bounds.ceiling_cents, bounds.most_units, *people, wall_ns=wall_ns)
