"""What a run of inventories proves: contents written as strings of one-letter chips, one inventory a second."""

from __future__ import annotations

import pytest

from devices.chips.zone_evidence import Change, Inventory, ZoneEvidence


def weigh(evidence: ZoneEvidence, shown: str, at: int = 0) -> list[Change]:
    """Inventories ``a ab ab?`` (``-`` empty, ``?`` doubtful, ``!`` failed).

    Number n is asked for at 10 n and answered at 10 n + 5.
    """
    changes: list[Change] = []
    for number, content in enumerate(shown.split(), start=at):
        if content == "!":
            evidence.interrupted()
            continue
        chips = frozenset(content.removesuffix("?").replace("-", ""))
        inventory = Inventory(chips, 10 * number, 10 * number + 5, doubtful=content.endswith("?"))
        changes += evidence.take(inventory)
    return changes


def settled(content: str, agreeing: int = 2) -> ZoneEvidence:
    """A zone whose content was agreed by inventories long before number 0."""
    evidence = ZoneEvidence(agreeing)
    evidence.opened(-1000)
    weigh(evidence, f"{content} " * agreeing, at=-50)
    return evidence


def test_the_first_content_dates_from_the_opening_of_the_line_even_if_empty() -> None:
    evidence = ZoneEvidence(2)
    evidence.opened(-7)
    assert weigh(evidence, "- -") == [Change((), -7, 15)]


def test_chips_laid_are_there_by_the_first_inventory_that_names_them() -> None:
    assert weigh(settled("a"), "a a a ab ab") == [Change(("a", "b"), 10, 35)]


def test_chips_taken_were_there_until_the_last_inventory_that_named_them() -> None:
    assert weigh(settled("ab"), "ab ab ab a a") == [Change(("a",), 20, 45)]


def test_an_exchange_is_drawn_widely_at_both_ends() -> None:
    assert weigh(settled("a"), "a a a b b") == [Change(("b",), 10, 45)]


def test_with_one_agreeing_it_is_last_without_and_first_with() -> None:
    assert weigh(settled("a", agreeing=1), "a a ab b") == [Change(("a", "b"), 10, 25), Change(("b",), 20, 35)]


def test_a_content_that_passes_in_between_is_not_reported_and_does_not_move_the_beginning() -> None:
    assert weigh(settled("a"), "a a ab abc abc") == [Change(("a", "b", "c"), 0, 35)]


@pytest.mark.parametrize("shown", ["ab a ab", "ab a ab a ab ab", "ab - a b ab", "ab ? ab", "ab a? a? a? ab"])
def test_flicker_is_no_change(shown: str) -> None:
    assert weigh(settled("ab"), shown) == []


def test_where_chips_were_missed_lately_more_must_agree_that_one_is_gone() -> None:
    """Once: one more; twice or oftener: two more, for a hundred inventories. Chips that come need no more than ever."""
    assert weigh(settled("ab"), "ab a ab ab a a") == []
    assert weigh(settled("ab"), "ab a ab ab a a a") == [Change(("a",), 30, 65)]
    assert weigh(settled("ab"), "ab a ab b ab a ab a a a") == []
    assert weigh(settled("ab"), "ab a ab b ab a ab a a a a") == [Change(("a",), 60, 105)]
    assert weigh(settled("ab"), "ab a ab b ab abc abc") == [Change(("a", "b", "c"), -500, 55)]
    assert weigh(settled("ab"), f"ab a ab {'ab ' * 100} a a")[0].chips == ("a",)


def test_a_new_chip_missed_at_first_was_perhaps_there_already() -> None:
    # Number 2 shows the old content though b lay there: the beginning is not believed from it alone.
    assert weigh(settled("a"), "a a a ab ab") == [Change(("a", "b"), 10, 35)]
    assert weigh(settled("a"), "a a ab a ab ab") == [Change(("a", "b"), 0, 45)]


def test_an_old_chip_missed_just_before_it_went_does_not_end_the_interval_early() -> None:
    assert weigh(settled("ab"), "ab a a") == [Change(("a",), 0, 25)]


def test_chips_missing_from_doubtful_inventories_are_not_gone() -> None:
    assert weigh(settled("ab"), "ab a? a? a? a?") == []


def test_a_doubtful_inventory_that_names_a_chip_contradicts_its_absence() -> None:
    assert weigh(settled("ab"), "ab a ab? a a") == [Change(("a",), 20, 45)]


def test_a_doubtful_inventory_neither_counts_nor_breaks_a_run_it_agrees_with() -> None:
    assert weigh(settled("a"), "a a ab ab? ab? ab") == [Change(("a", "b"), 0, 25)]


def test_nothing_is_agreed_from_doubtful_inventories_alone() -> None:
    evidence = ZoneEvidence(2)
    evidence.opened(0)
    assert weigh(evidence, "a? a? a? a?") == []
    assert evidence.content is None


def test_a_failed_inventory_breaks_the_run() -> None:
    assert weigh(settled("a"), "a a ab ! ab") == []
    assert weigh(settled("a"), "a a ab ! ab ab") == [Change(("a", "b"), 0, 45)]


def test_a_chip_seen_once_before_a_failure_and_gone_after_it_came_and_went() -> None:
    assert weigh(settled("a"), "a a ab ! a a") == [Change(("a", "b"), 0, 25), Change(("a",), 20, 55)]
    assert weigh(settled("a"), "a a ab ! ac ac") == [Change(("a", "b"), 0, 25), Change(("a", "c"), 20, 55)]
    assert weigh(settled("-"), "- - b ! ! - -") == [Change(("b",), 0, 25), Change((), 20, 65)]
    assert weigh(settled("a"), "a a ab ! a abc abc") == [Change(("a", "b", "c"), 0, 55)]


def test_what_may_be_missing_was_not_glimpsed() -> None:
    """Fewer chips, or others, may be a bad look."""
    assert weigh(settled("ab"), "ab ab a ! ab ab") == []
    assert weigh(settled("a"), "a a b ! a a") == []


def test_two_inventories_with_a_failed_one_between_do_not_prove_the_old_content() -> None:
    assert weigh(settled("a"), "a a ! a ab ab") == [Change(("a", "b"), 0, 45)]


def test_a_content_reported_before_a_loss_is_not_reported_again() -> None:
    evidence = settled("ab")
    evidence.opened(0)
    assert weigh(evidence, "ab ab") == []
    assert evidence.content == ("a", "b")


def test_a_content_changed_during_a_loss_dates_from_before_it() -> None:
    evidence = settled("ab")
    weigh(evidence, "ab ab ab", at=0)
    evidence.opened(500)
    assert weigh(evidence, "- -", at=60) == [Change((), 20, 615)]


def test_at_least_one_must_agree() -> None:
    with pytest.raises(ValueError, match="at least one"):
        ZoneEvidence(0)


def returned(shown_before: str, shown_after: str) -> list[Change]:
    """A reader that fails, comes back, and may repeat what it said last in its first two answers."""
    evidence = settled("a")
    weigh(evidence, f"{shown_before} !")
    before = len(shown_before.split()) + 1
    evidence.returned(10 * (before + 2))
    return weigh(evidence, shown_after, at=before)


def test_what_a_reader_that_returns_repeats_says_nothing_of_the_time_since() -> None:
    # Chips laid while it was away lay there when it repeated what it had said before.
    assert returned("a a", "a a ab ab") == [Change(("a", "b"), 0, 55)]
    assert returned("a a", "a a a a ab ab") == [Change(("a", "b"), 50, 75)]


def test_what_it_says_else_is_fresh() -> None:
    assert returned("a a", "ab ab") == [Change(("a", "b"), 0, 35)]
    assert returned("a a", "- a a a ab ab") == [Change(("a", "b"), 50, 75)]


def test_a_content_said_once_as_it_returns_was_there_for_nobody_knows_how_long() -> None:
    """Laid while the reader was away, and taken before it had looked twice."""
    laid, taken = Change(("a", "b"), 0, 35), Change(("a",), 30, 55)
    assert returned("a a", "ab a a") == [laid, taken]
    assert returned("a a", "ab a a a ab ab") == [laid, taken, Change(("a", "b"), 50, 75)]
    assert weigh(settled("a"), "a a a ab a a") == []


def test_a_content_said_once_before_is_not_agreed_by_its_repetition() -> None:
    """It was there when it was said first, and nobody knows how long."""
    came, went = returned("a ab", "ab a a")
    assert (came.chips, went.chips, came.by_ns, went.after_ns) == (("a", "b"), ("a",), 15, 10)
