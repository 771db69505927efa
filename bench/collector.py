"""What an event costs the collector: ``python -m bench.collector``.

Recorded nights of many tables go through the intake and into a real PostgreSQL, without a broker. What is printed is
the processor's time of the collector alone, so that what else this machine does matters little.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

from controller.collector.intake import Intake
from controller.collector.store import Store
from tests.collector.campaign import EVENTS_A_SECOND, tables
from tests.collector.conftest import made
from tests.link.server import Server


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--tables", type=int, default=300)
    given = parser.parse_args()
    of = tables(given.tables, 0)
    with tempfile.TemporaryDirectory(prefix="tableside-pg-") as name:
        server = Server(Path(name))
        server.start()
        try:
            database = made(server)
            store = Store(database.collector, "collector")
            intake = Intake("collector", store.open())
            began, began_cpu = time.perf_counter(), time.process_time()
            heard_cpu = 0.0
            while any(one.sent < len(one.events) for one in of):
                before = time.process_time()
                for one in of:
                    for topic, body in one.next(4):
                        intake.hear(topic, body, 0)
                heard_cpu += time.process_time() - before
                while pieces := intake.cut():
                    store.write(pieces)
                    intake.written(pieces)
            cpu, seconds = time.process_time() - began_cpu, time.perf_counter() - began
            store.close()
            asked = "SELECT count(*), pg_database_size(current_database()) FROM tableside.events"
            ((count, size),) = database.rows(asked)
        finally:
            server.stop()
    assert count == sum(len(one.events) for one in of)
    wanted = EVENTS_A_SECOND * given.tables
    print(f"{count} events of {given.tables} tables in {seconds:.1f} s, {cpu:.1f} s of one processor")
    print(f"{1e6 * heard_cpu / count:.0f} us to follow and {1e6 * (cpu - heard_cpu) / count:.0f} us to write each")
    print(f"{count / cpu:.0f} a second of one processor, {count / cpu / wanted:.1f} times what these tables give")
    print(f"{size // count} bytes of database each")


if __name__ == "__main__":
    main()
