"""The floor at a table that runs: what it types reaches the table, and the reply says what the table made of it."""

from __future__ import annotations

from controller.core.messages.events import RoundClosed, WagerAdjusted, WagerSettled
from controller.core.messages.floor_events import RoundVoided
from controller.core.table.alert_list import money
from tests.wiring.premises import TOPICS, Premises, ran, scripted

TABLE = f"{TOPICS.site}/{TOPICS.table}"
SEED = 37
"""Two boxes."""


async def typed(house: Premises, *words: str) -> tuple[int, str]:
    """What a command says, and its exit status."""
    status, output, errors = await ran(
        *words, "--broker", f"{house.broker.host}:{house.broker.port}", "--who", "floor: M. Okafor"
    )
    return status, output + errors


async def test_a_settled_wager_is_adjusted_and_the_round_voided(house: Premises) -> None:
    (first,) = scripted(house.rack, SEED, 1)
    await house.perform(first)
    await house.ear.event(RoundClosed, round=1)
    settled = next(event for event in house.ear.events(WagerSettled) if event.bet == "main")
    before, after = money(settled.net_cents), money(settled.net_cents + 500)
    words = [TABLE, "1", str(settled.spot), "main", after, "--why", "paid a chip too much"]
    output = f"accepted: spot {settled.spot} main: {before} -> {after}\n"
    assert await typed(house, "adjust", *words) == (0, output)
    adjusted = await house.ear.event(WagerAdjusted)
    assert (adjusted.before_cents, adjusted.net_cents) == (settled.net_cents, settled.net_cents + 500)
    assert (adjusted.who, adjusted.why) == ("floor: M. Okafor", "paid a chip too much")
    status, output = await typed(house, "void", TABLE, "1", "--why", "misdeal")
    assert (status, f"spot {settled.spot} main: {after} -> 0.00" in output) == (0, True)
    assert (await house.ear.event(RoundVoided)).round == 1
    assert await typed(house, "void", TABLE, "1", "--why", "misdeal") == (1, "refused: the round is void already\n")
    assert (await typed(house, "answer", TABLE, "9", "no"))[1] == "refused: no such question is open\n"
