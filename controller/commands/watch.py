"""``tableside watch``: follow the tables of a broker."""

from __future__ import annotations

import sys
from typing import Any

import click

from controller.io.mqtt import Broker, LinkLost
from controller.watching import run_watch


@click.command("watch")
@click.option("--host", default="127.0.0.1", show_default=True, help="The broker's host.")
@click.option("--port", default=1883, show_default=True, type=click.IntRange(1, 65535), help="The broker's port.")
@click.option("--username", help="The name to give the broker.")
@click.option("--password", envvar="TABLESIDE_PASSWORD", help="Better given in the variable TABLESIDE_PASSWORD.")
@click.option("--tls-ca", "tls_ca_file", type=click.Path(exists=True, dir_okay=False), help="Use TLS; who to trust.")
@click.argument("table", default="+/+")
def command(table: str, **broker_options: Any) -> None:  # noqa: ANN401 - as click hands them over
    """Print what TABLE (site/name, default all tables) publishes, and complain about what cannot be true.

    Complaints go to standard error. Exit status: 0 when interrupted, 2 if there is no broker.
    """
    broker = Broker(**broker_options)
    try:
        run_watch(broker, f"tableside/v1/{table}/#", click.echo, _complain)
    except (LinkLost, OSError) as error:
        click.echo(f"tableside: broker {broker.host}:{broker.port}: {error}", err=True)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(0)


def _complain(text: str) -> None:
    click.echo(f"!! {text}", err=True)
