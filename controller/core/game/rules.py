"""A house's rules as named values. A rule may choose, count or price; it never computes.

Every key is one dimension on which rule cards differ or leave a choice; its other values are the other readings of the
card. Which card or regulation a choice comes from is said in the ``[sources]`` of each profile in
``controller/profiles``; what the choices mean to each other is in ``rule_checks.py``.
"""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import Literal

import msgspec

from firmware_protocols.values import Value


class Options(Value, frozen=True, tag=False, forbid_unknown_fields=True, dict=True):
    """What a table does by procedure, whatever its card says: how things are shown and in which units they are paid."""

    stand_key: Literal["sometimes", "always"] = "sometimes"
    """``always``: stopping below 21 without the stand key is no legal reading."""
    no_more_bets: Literal["sometimes", "always"] = "sometimes"
    """``always``: no card begins or ends a round by itself; the key that locks the bets does."""
    busts_taken: Literal["sometimes", "at_once"] = "sometimes"
    """``at_once``: a spot whose hands all broke is emptied before the next card or the turn of the hole card."""
    surrender_shown: Literal["always", "sometimes"] = "always"
    """``always``: a surrender is shown by chips, key or answer."""
    even_money_shown: Literal["key", "chips", "sometimes"] = "key"
    """``chips``: a natural's wager that rises by itself against an ace may be even money. ``sometimes``: it may also be
    something else, and only the key decides."""
    key_slack: int = 0
    """Cards by which a press may be early or late: 0 or 1."""
    new_shoe_burns: int = 1
    """Cards burned when a new shoe begins: awaited once it has been announced, by the burn key or by a person."""
    payout_unit_cents: int = 1
    """Payouts of naturals and returned surrender halves are rounded down to this."""
    chip_unit_cents: int = 1
    """The table's smallest chip."""
    minimum_cents: int = 0
    """The least main wager the table's sign allows; 0: none."""
    maximum_cents: int = 0
    """The highest main wager the table's sign allows; 0: none."""
    side_maximum_cents: int = 0
    """The highest side wager the table's sign allows; 0: none."""
    pay_advice: Literal["screen", "keypad"] = "screen"
    """``keypad``: once every wager is settled the dealer's keypad shows what to take and pay, where it fits."""
    turn_key: Literal["", "always", "sometimes"] = ""
    """``always``: the dealer presses the key when he turns the hole card. Empty, only in journals of versions before
    this option: the table concludes the turn by itself, and takes its own count of the deal for certain."""
    turn_pause_s: int = 3
    """With ``turn_key`` ``sometimes``: seconds without key, card or chip once all players have finished by a card,
    after which the hole card counts as turned."""
    deal_key: Literal["always", "sometimes"] = "sometimes"
    """``always``: only the key *no more bets* pressed again confirms a deal, never its rhythm."""
    deal_gap_s: int = 0
    """Seconds without a card that end a deal; 0: three times the median gap of the last deals, at least one second."""

    def keys_unheard(self) -> Options:
        """The same while the keypad is lost: that a key was not pressed says nothing then.

        What a key alone confirms or turns nothing else does, for then a keypad that is away would open the hole card.
        """
        return msgspec.structs.replace(
            self,
            stand_key="sometimes",
            no_more_bets="sometimes",
            surrender_shown="sometimes",
            even_money_shown="chips",
        )

    @cached_property
    def even_money_unkeyed(self) -> Options:
        """The same where the key of even money may have been left out."""
        return msgspec.structs.replace(self, even_money_shown="sometimes") if self.even_money_shown == "key" else self


class SideBetTerms(Value, frozen=True, tag=False, forbid_unknown_fields=True):
    """What one side wager pays and when it may be made: its ``[side_bets.NAME]`` in a profile.

    A row is the name of a result; which rows and choices there are is said by the wager's own file in ``side_bets/``.
    """

    pays: dict[str, tuple[int, int]] = msgspec.field(default_factory=dict)
    """Odds "to one" by row: (won, staked)."""
    awards_cents: dict[str, int] = msgspec.field(default_factory=dict)
    """Fixed awards "for one" by row: the stake is not returned."""
    meter_shares: dict[str, tuple[int, int]] = msgspec.field(default_factory=dict)
    """The part of the meter a row awards, "for one": (1, 10) is a tenth, rounded down to the cent."""
    stake_cents: int = 0
    """The one amount that may be staked; 0: any."""
    least_decks: int = 1
    """The fewest decks with which the wager may be offered."""
    up_cards: tuple[int, ...] = ()
    """Points of the up cards (1: ace) against which a wager is offered that is made after the deal."""
    choices: dict[str, str] = msgspec.field(default_factory=dict)
    """Named readings of the wager's card, where it leaves a choice."""


class Rules(Value, frozen=True, tag=False, forbid_unknown_fields=True):
    """The game: every dimension on which rule cards differ. A pair is odds as (won, staked)."""

    name: str
    decks: int = 8
    """Decks in the shoe, 1 to 8."""
    boxes: int = 7
    """Betting boxes on the layout, 1 to 7."""
    hole_card: Literal["dealt", "none"] = "dealt"
    """``none``: the dealer's second card is the first card after the players', which moves every drawn card (A3)."""
    hole_check: Literal["none", "device"] = "none"
    """``device``: with ace or ten up a reader tells before play of the dealer's natural, which ends the round (A1)."""
    losing_insurance_taken: Literal["when_known", "after_play"] = "when_known"
    """When insurance is settled: as soon as the table may know the hole card, or with the other wagers (A2)."""
    player_cards: Literal["face_up", "face_down"] = "face_up"
    """``face_down``: the players' own cards are known to the outside only once shown."""
    handling: Literal["not_said", "no_touch", "own_cards", "one_hand"] = "not_said"
    """Whether players may touch their cards; for people, without effect on money."""
    signals: Literal["not_said", "hand_or_voice", "brush_and_wave", "scratch_and_tuck"] = "not_said"
    """How players show a hit and a stand; for people, without effect on money."""
    point_count: Literal["not_said", "player"] = "not_said"
    """Who answers for the count of a hand; for people, without effect on money."""
    mid_shoe_entry: Literal["allowed", "refused"] = "allowed"
    """``refused``: who did not bet the last round waits for the shuffle."""
    soft_17: Literal["stand", "hit"] = "stand"
    """What the dealer does on 17 with an ace counted as eleven (A10)."""
    win_pays: tuple[int, int] = (1, 1)
    """Odds of a winning hand that is no natural."""
    tie: Literal["push", "loses"] = "push"
    """A hand that equals the dealer's total of 17 to 21."""
    drawn_21: Literal["wins", "pushes"] = "wins"
    """A 21 of three or more cards against a lower total (A29)."""
    natural_pays: tuple[int, int] = (3, 2)
    """Odds of a winning natural."""
    naturals_paid: Literal["at_once", "after_play"] = "at_once"
    """When a natural is paid with 2 to 9 up (A33); with an ace or ten up it always waits for the second card."""
    settled_before_play: Literal["not_said", "naturals", "naturals_and_side_wagers"] = "not_said"
    """What is settled before a card is drawn or play begins; alerted when it is not, without effect on money (A40)."""
    natural_against_natural: Literal["push", "loses"] = "push"
    """A natural against the dealer's: "void" means returned (A4)."""
    natural_against_drawn_21: Literal["wins", "pushes"] = "wins"
    """A natural when the dealer draws to 21."""
    drawn_21_against_natural: Literal["loses", "pushes"] = "loses"
    """A 21 that is no natural against the dealer's natural."""
    split_21: Literal["ordinary", "beats_drawn_21"] = "ordinary"
    """A two-card 21 after a split against a 21 the dealer drew (A7); it pays as any winning hand."""
    insurance: bool = True
    """Whether insurance is offered with an ace up."""
    insurance_cap: Literal["half", "half_up_to_next_chip"] = "half"
    """The most that may be insured: half the wager, or half rounded up to the table's smallest chip (A15, A32)."""
    insurance_until: Literal["card", "decision"] = "decision"
    """When insurance and even money end: with the first card, double or split, or with a stand too (A36, A37)."""
    insurance_pays: tuple[int, int] = (2, 1)
    """Odds of winning insurance."""
    even_money: bool = False
    """Whether a natural against an ace may be paid 1 to 1 at once instead of being insured."""
    surrender: Literal["none", "late"] = "none"
    """``late``: half the wager may be given up, subject to the dealer's natural (A1)."""
    surrender_against_natural: Literal["all", "half"] = "all"
    """What a surrendered wager loses when the dealer turns out to have a natural (A1)."""
    surrender_turn: Literal["own", "any"] = "any"
    """Whose turn it is when a box surrenders: ``any``, until somebody has decided, or always its ``own`` (A38)."""
    surrender_on: Literal["first_decision", "any_hand"] = "first_decision"
    """``any_hand``: also later and on split hands (A12); then only a scripted action shows it, never chips."""
    double_on: Literal["any", "any_but_21", "nine_to_eleven"] = "any_but_21"
    """Two-card hands that may be doubled; a 21 is finished whatever is said here."""
    double_count: Literal["best", "hard_or_best"] = "best"
    """Which total ``nine_to_eleven`` looks at: A-8 is 19, or also 9 (A11)."""
    double_for_less: bool = True
    """Whether the added wager may be below the original (A31)."""
    double_after_split: bool = True
    """Whether a split hand may be doubled."""
    double_split_aces: bool = False
    """Whether a split ace may be doubled; only where split aces are played on."""
    split_by: Literal["value", "rank"] = "value"
    """What makes a pair."""
    max_hands: int = 4
    """Hands a box may have after splitting, 1 to 4."""
    resplit_on: Literal["any_hand", "third_card"] = "any_hand"
    """``third_card``: only the first card after the first split may make the pair that is split again (A9)."""
    resplit_aces: bool = False
    """Whether a pair of aces made by splitting aces may be split again (A8)."""
    split_ace_cards: Literal["one", "any"] = "one"
    """How many cards a split ace gets."""
    extra_wagers_against_natural: Literal["original_only", "all"] = "original_only"
    """What the dealer's natural takes of a doubled or split box (A5)."""
    busted_bets_lost: bool = False
    """Whether hands that broke before the dealer's natural was found lose their whole stake all the same (A6)."""
    aggregate_limit_cents: int = 0
    """The most all side wagers of a round may win at fixed odds, shared in proportion; 0: none (A35)."""
    side_wagers: Literal["allowed", "prohibited"] = "allowed"
    """``prohibited``: no side wager may be configured."""
    side_bets: tuple[str, ...] = ()
    """Names of the side wagers whose zones may hold chips."""
    side_bet_terms: dict[str, SideBetTerms] = msgspec.field(default_factory=dict)
    """What each side wager pays; one that is missing has its usual terms."""
    mystery_fed_by: tuple[str, ...] = ("five_card_progressive",)
    """The side wagers that raise the must-hit-by meter (A27)."""
    mystery_reset_cents: int = 25_000
    """Where the must-hit-by meter starts again."""
    mystery_ceiling_cents: int = 100_000
    """The most the must-hit-by meter pays; what lies above is carried over (A28)."""
    options: Options = Options()

    def offered_after_deal(self, up_points: int) -> str:
        """The side wager that may be made once this up card (1: ace) lies there; empty: none."""
        for name in self.side_bets:
            terms = self.side_bet_terms.get(name)
            if terms is not None and up_points in terms.up_cards:
                return name
        return ""

    def has_hole_card(self) -> bool:
        """Whether the dealer's second card is dealt before play, face down."""
        return self.hole_card == "dealt"

    def halves_cents(self, wager_cents: int) -> frozenset[int]:
        """What may be left of a wager of which half was given up, rounded either way to the cent or to the payout unit.

        Of a wager of less than two payout units that may be nothing, or all of it.
        """
        return _halves_cents(wager_cents, self.options.payout_unit_cents)

    def insurance_cap_cents(self, wager_cents: int) -> int:
        """The most that counts as insurance on a main wager (58 Pa. Code 633a.8; Perryville's card rounds up)."""
        unit = self.options.chip_unit_cents
        if self.insurance_cap == "half" or wager_cents % (2 * unit) == 0:
            return wager_cents // 2
        return -(-wager_cents // (2 * unit)) * unit


@lru_cache(maxsize=1024)
def _halves_cents(wager_cents: int, unit_cents: int) -> frozenset[int]:
    """Either half of a wager, rounded either way to the cent or to the payout unit."""
    halves = wager_cents // 2, wager_cents // (2 * unit_cents) * unit_cents
    return frozenset({*halves, *(wager_cents - half for half in halves)})
