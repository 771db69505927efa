"""What is said of a due on which the legal plays agree in cents only."""

from __future__ import annotations

from controller.core.game.settlement import Net
from controller.core.inference.dues import Due, agreed


def beats(total: int) -> Net:
    return Net(2000, (("dealer_broke", total),))


def test_a_total_that_the_plays_do_not_agree_on_is_not_stated_as_a_fact() -> None:
    net = Due(frozenset({beats(16), beats(6)}), known=True).certain()
    assert net is not None
    assert (net.cents, net.why) == (2000, "6 wins, the dealer broke; or: 16 wins, the dealer broke")


def test_one_explanation_is_worded_as_it_is() -> None:
    assert agreed([beats(16), beats(16)]) == beats(16)


def test_many_explanations_are_not_listed() -> None:
    net = agreed(beats(total) for total in range(12, 19))
    assert (net.cents, net.why) == (2000, "every legal play comes to this due, each in its own way")
