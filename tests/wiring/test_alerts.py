"""Surveillance at a table that runs: an alert is published, listed beside the daemon, and waits for a named person."""

from __future__ import annotations

import json

import msgspec

from controller.core.messages.raised_alerts import AlertAcknowledged, AlertKind, AlertRaised
from controller.formats.mqtt.retained_alerts import AlertsNow
from simulators.people.acts import Lay
from tests.wiring.premises import TOPICS, Premises, ran

TABLE = f"{TOPICS.site}/{TOPICS.table}"
STRANGER = "E007000000000001"


def listed(house: Premises) -> list[int]:
    payload = house.ear.last(TOPICS.state("alerts"))
    return [] if not payload else [one.alert for one in msgspec.json.decode(payload, type=AlertsNow).unacknowledged]


async def test_an_alert_waits_over_a_restart_until_somebody_has_seen_it(house: Premises) -> None:
    await house.perform([Lay(3, "main", (STRANGER,))])
    alert = await house.ear.event(AlertRaised)
    assert (alert.kind, alert.spot, alert.after) == (AlertKind.FOREIGN_CHIP, 3, (STRANGER,))
    await house.ear.until(lambda: house.ear.last(f"{TOPICS.root}/alert/alert_raised") is not None)
    await house.ear.until(lambda: listed(house) == [1])
    status, text, _ = await ran("alerts", str(house.journal), "--json")
    (raised,) = json.loads(text)
    assert (status, raised["event"]["kind"], raised["acknowledged"]) == (1, "foreign_chip", "")

    await house.stop()
    assert (await ran("alerts", str(house.journal)))[0] == 1
    await house.start()
    who = ("--broker", f"{house.broker.host}:{house.broker.port}", "--who", "surveillance: J. Weber")
    assert (await ran("ack", TABLE, "1", *who, "--note", "another house's"))[:2] == (0, "accepted\n")
    seen = await house.ear.event(AlertAcknowledged)
    assert (seen.alert, seen.who, seen.note) == (1, "surveillance: J. Weber", "another house's")
    await house.ear.until(lambda: listed(house) == [])
    status, _, errors = await ran("ack", TABLE, "1", *who)
    assert (status, "was acknowledged before (tableside alerts --all)" in errors) == (1, True)
    assert (await ran("alerts", str(house.journal)))[0] == 0
