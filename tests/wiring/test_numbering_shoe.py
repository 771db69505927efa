"""The whole house with a shoe that numbers its cards: whatever is killed when, every card reaches the journal once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from controller.core.messages.alerts import CardsMayBeMissing
from controller.core.messages.events import CardDrawn, QuestionAsked, RoundClosed
from controller.demo.table import devices
from controller.io.mqtt.connection import Broker
from simulators.people.acts import Draw
from tests.wiring import premises
from tests.wiring.premises import Ear, Premises, open_house, scripted

SEED = 5


class NumberedPremises(Premises):
    """A table whose shoe speaks the reference protocol."""

    def __init__(self, directory: Path, broker: Broker, ear: Ear) -> None:
        super().__init__(directory, broker, ear)
        text = self.table_file.read_text(encoding="utf-8").replace('"bee_tek"', '"reference"')
        self.table_file.write_text(text, encoding="utf-8")
        everything: dict[str, Any] = devices("reference")
        self.bench = premises.Bench(directory / "ports", patience_s=premises.PATIENCE_S, **everything)


@pytest.mark.parametrize("spoken_before", [0, 1, 2])
async def test_cards_drawn_while_the_daemon_was_down_are_published_when_it_is_back(
    tmp_path: Path, broker: Broker, spoken_before: int
) -> None:
    async with open_house(tmp_path, broker, make=NumberedPremises) as house:
        (acts,) = scripted(house.rack, SEED, 1)
        draws = [place for place, act in enumerate(acts) if isinstance(act, Draw)]
        cut = draws[spoken_before]
        await house.perform(acts[:cut])
        await house.kill()
        card = acts[cut]
        assert isinstance(card, Draw)
        house.bench.draw(card.card)
        await house.start()
        await house.perform(acts[cut + 1 :])
        # A start that takes a second is a pause in the deal: the dealer is asked whether it is as counted.
        await house.ear.until(lambda: bool(house.ear.events(RoundClosed, QuestionAsked)))
        if house.ear.events(QuestionAsked):
            await house.talk("no")
        await house.ear.event(RoundClosed, round=1)
        house.assert_settled(1)
        assert not house.ear.events(CardsMayBeMissing)
        assert len(house.ear.events(CardDrawn)) == len(draws)
        await house.assert_published_once()
