"""``tableside trigger-box``: the process that holds a mystery trigger."""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from controller import version
from controller.commands.logged import logged
from controller.commands.terminal import refuse, say
from controller.commands.until_stopped import STORAGE_FAILED, until_stopped

if TYPE_CHECKING:
    from controller.io.system.clock import Clock
    from controller.io.system.randomness import Entropy
    from controller.trigger_box.line import TriggerLine
    from controller.trigger_box.service import TriggerBoxService


class ProcessParts(NamedTuple):
    """Time and chance of a real process."""

    clock: Clock
    entropy: Entropy
    chance: random.Random


@click.command("trigger-box")
@click.argument("config", type=click.Path(path_type=Path))
@logged
def command(config: Path) -> None:
    """Run the mystery trigger box described by CONFIG until stopped (SIGTERM or Ctrl-C).

    Two people begin its store with `tableside mystery begin`. Exit status: 0 stopped, 2 the file, a key or the store
    cannot be used, 70 the disk failed.
    """
    import asyncio

    from controller.formats.text.toml_schema import ConfigError
    from controller.io.files.key_file import KeyFileRefused
    from controller.io.system.privacy import keep_private
    from controller.trigger_box.store import BoxStoreFailed, BoxStoreRefused

    keep_private()
    try:
        asyncio.run(serve(config))
    except ConfigError as error:
        refuse(*error.lines)
    except (KeyFileRefused, BoxStoreRefused) as error:
        refuse(str(error))
    except BoxStoreFailed as error:
        say(f"tableside: {error}", err=True)
        sys.exit(STORAGE_FAILED)


async def serve(path: Path, line: Callable[[TriggerBoxService], TriggerLine] | None = None) -> None:
    """Run the box until a signal asks it to stop.

    Raises:
        ConfigError, KeyRefused, StoreRefused, StoreFailed: the file, a key or the store cannot be used.
    """
    import structlog

    from controller.formats.config.pairing import unpaired
    from controller.io.system.clock import SystemClock
    from controller.io.system.notify import Notifier
    from controller.io.system.randomness import SystemEntropy
    from controller.trigger_box.custody import check_bounds, load_config, pairing_key_of, sealer_of, users_of
    from controller.trigger_box.line import TriggerLine
    from controller.trigger_box.service import TriggerBoxService
    from controller.trigger_box.store import BoxStore

    log = structlog.get_logger(__name__)
    credentials = os.environ.get("CREDENTIALS_DIRECTORY")
    config = load_config(path, credentials)
    sealer = sealer_of(config, credentials)
    store = BoxStore(Path(config.box.store), sealer)
    notifier = Notifier(os.environ)
    try:
        check_bounds(config, store)
        entropy = SystemEntropy()
        chance = random.Random(entropy.take(8))  # noqa: S311 - spreads retries, decides nothing
        surroundings = ProcessParts(SystemClock(), entropy, chance)
        pairing_key = pairing_key_of(config, credentials)
        users = users_of(config, os.getuid())
        service = TriggerBoxService(
            config, store, sealer, surroundings, version(), pairing_key=pairing_key, users=users
        )
        log.info("trigger box starts", serial=config.box.serial, table=f"{config.box.site}/{config.box.table}")
        if said := unpaired(config.line.port, config.line.pairing_key_file):
            log.warning(said)
        await until_stopped(service.run(line or TriggerLine, notifier))
        log.info("trigger box stops")
    finally:
        notifier.stopping()
        store.close()
