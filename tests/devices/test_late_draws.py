"""A draw whose first report was lost is dated as far as it can be known, not when it was reported at last."""

from __future__ import annotations

from firmware_protocols.cards import Card
from tests.devices.crossing import MS, Table, shoe

EIGHT, NINE, TEN = Card("8c"), Card("9c"), Card("Tc")


def test_a_draw_reported_at_once_left_the_shoe_then() -> None:
    table = Table(shoe())
    table.start()
    table.run(700 * MS)
    table.draw(EIGHT)
    table.run(50 * MS)
    assert [(card.face, card.since_ns) for card in table.cards()] == [(EIGHT, -1)]


def test_a_draw_whose_report_was_lost_may_have_left_since_the_shoe_last_had_nothing_to_report() -> None:
    table = Table(shoe())
    table.start()
    table.draw(EIGHT)
    table.run(300 * MS)
    seen_ns = table.cards()[0].at_ns
    table.run(900 * MS)
    drawn_ns = table.modem.now_ns
    table.shoe.draw(NINE)
    table.run(1_500 * MS)
    late = table.cards()[1]
    assert late.face == NINE
    assert seen_ns < late.since_ns <= drawn_ns < late.at_ns


def test_draws_after_a_lost_one_are_as_uncertain_as_it_until_the_shoe_has_nothing_to_report() -> None:
    table = Table(shoe())
    table.start()
    table.shoe.draw(EIGHT)
    table.draw(NINE)
    table.run(1_500 * MS)
    table.draw(TEN)
    table.run(50 * MS)
    eight, nine, ten = table.cards()
    assert [card.face for card in (eight, nine, ten)] == [EIGHT, NINE, TEN]
    assert eight.since_ns == nine.since_ns >= 0
    assert ten.since_ns == -1


def test_what_a_shoe_kept_from_before_may_have_left_it_at_any_time() -> None:
    table = Table(shoe())
    table.shoe.draw(EIGHT)
    table.shoe.draw(NINE)
    table.start()
    table.run(1_000 * MS)
    assert all(card.since_ns == 0 for card in table.cards())
