"""Why an order, a key, an answer or a wager's contribution is refused: a code for programs, a sentence for people."""

from __future__ import annotations

from typing import Literal, NamedTuple

RefusalCode = Literal[
    # What is asked about is not there.
    "no_such_round",
    "no_such_wager",
    "no_such_card",
    "no_such_spot",
    "no_such_question",
    "no_such_order",
    "no_such_alert",
    "no_such_jackpot",
    "no_such_meter",
    "no_such_shift",
    "no_such_key",
    # It is there, and not in a state in which this can be done.
    "already_done",
    "round_void",
    "round_over",
    "round_in_play",
    "no_round",
    "no_cards",
    "no_wager",
    "nothing_asked",
    "nothing_to_undo",
    "cannot_be_undone",
    "card_concealed",
    "card_unread",
    "hole_card_not_turned",
    "chips_on_spot",
    "play_blocked",
    "table_on_hold",
    "pool_away",
    "journal_unreadable",
    # What is given does not fit.
    "malformed",
    "unknown_verb",
    "invalid_value",
    "spot_needed",
    "not_a_choice",
    "question_unread",
    "no_legal_play",
    "case_number_needed",
    "day_not_begun",
    "changed_since",
    "meter_rules",
    "at_the_pool",
    # Who asks, or how often.
    "not_entitled",
    "not_signed_right",
    "not_vouched",
    "second_person_needed",
    "too_many_waiting",
    "too_many_requests",
    "several",
]
"""A closed list; docs/reference/events.md says what each means."""


class RefusalReason(NamedTuple):
    """``code`` is one of a closed list and stays what it is; ``text`` is for people and may be worded anew."""

    code: RefusalCode
    text: str
