"""Where a round may end: whether it can take another card, whether some play of it is over, and what to look at then.

A round ends by evidence alone, whether or not anybody presses a key. From the moment it may be over the bets of the
next one may be made, so from then on every zone is looked at.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from msgspec.structs import replace

from controller.core.certainty.agreed_dues import confirmation_needed_ns, confirmed_until_ns
from controller.core.certainty.side_wagers import after_deal_bets
from controller.core.game.hand import seen
from controller.core.game.play import Play
from controller.core.game.position import BoxStatus, HandStatus, Node
from controller.core.inference.dues import main_due
from controller.core.inference.lattice import WITH_ANY, Lattice
from controller.core.inference.observation import DatedMove, KeyObserved, main_moves
from controller.core.table.layout import cents_at, zone_name
from controller.core.table.round_state import Round
from controller.core.table.state import lattice_of
from controller.core.table.transaction import Transaction
from firmware_protocols.cards import Card

CHANGED_NS: Final = 5_000_000_000
"""For how long a player who changes the chips of his wager takes it up: nobody is away for longer."""


def payment_has_begun(transaction: Transaction) -> bool:
    """Whether payment has begun in every play."""
    return transaction.lattice().paying


def is_over(transaction: Transaction) -> bool:
    """Whether the open round can take no further card.

    It is closing, payment has begun in every play, in no play anybody may still be dealt to, or of a round that nobody
    can explain no chip is left.
    """
    round_now = transaction.round()
    if round_now.ending.closing:
        return True
    if round_now.evidence.trouble:
        return boxes_are_cleared(transaction)
    return _seems_over(transaction) and not _lies_in_other_chips(transaction)


def _seems_over(transaction: Transaction) -> bool:
    """Whether it can take no further card if the wagers at the boxes lie there as they seem to."""
    round_now = transaction.round()
    if round_now.must_ignore_faces():
        return boxes_are_cleared(transaction) and not (round_now.cards.face_down and owes_card(transaction))
    if round_now.first_blocking() and boxes_are_cleared(transaction):
        return True
    if round_now.dealing.unturned() and _left_lying(transaction):
        # Chips that one player moved do not say that the others have finished.
        return False
    return payment_has_begun(transaction) or (
        takes_no_card(transaction) and (may_be_paid(transaction) or not _left_lying(transaction))
    )


def _lies_in_other_chips(transaction: Transaction) -> bool:
    """Whether at some box the wager went and as much came soon after, as where its player changed his chips.

    Where no question holds the round and a play explains that it went, it may as well be the next bet. So it may where
    some other wager is gone.
    """
    round_now, felt = transaction.round(), transaction.state.felt
    if not transaction.house.changes_outlast_questions:
        return False
    if transaction.house.second_readings_kept and round_now.must_ignore_faces() and _laid_back_unseen(transaction):
        return True
    if any(cents_at(felt, spot, "main") == 0 for spot in round_now.bets.spots):
        return False
    last = (here[-2:] for here in main_moves(round_now.evidence.observations).values() if len(here) > 1)
    return any(_is_change(gone, back, held=bool(round_now.first_blocking())) for gone, back in last)


def _laid_back_unseen(transaction: Transaction) -> bool:
    """Whether at some box, since the last card, what went and came was taken for the same wager or the next bet."""
    round_now, felt = transaction.round(), transaction.state.felt
    since_ns, moves = transaction.times().last_card_ns, main_moves(round_now.evidence.observations)
    unseen = (one for one in round_now.evidence.outages if not (one.reader or one.open()))
    return any(
        one.from_ns > since_ns
        and one.hides("main")
        and cents_at(felt, round_now.bets.spots[one.box], "main")
        and all(moved.last_ns < one.from_ns for moved, _ in moves.get(one.box, ()))
        for one in unseen
    )


def _is_change(gone: DatedMove, back: DatedMove, *, held: bool) -> bool:
    """Whether as much came back soon after it went; unless ``held``, where no play explains that it went."""
    (gone_at, went), (back_at, came) = gone, back
    laid_back = went.idle and came.before == came.after
    as_much = went.before == came.after and not went.after and (laid_back or (held and not came.before))
    return as_much and back_at.last_ns - gone_at.last_ns <= CHANGED_NS


def may_be_paid(transaction: Transaction) -> bool:
    """Whether payment has begun in some play: a player may take it up and let his wager lie for the next round."""
    return any(node.paying for node in transaction.lattice().frontier)


def owes_card(transaction: Transaction) -> bool:
    """Whether in some play a hand that was doubled or split has still to get its card.

    Who doubles may lay other chips for the whole of it, so that no chip is left of those that lay there.
    """
    lattice = transaction.lattice()
    return any(hand.now is HandStatus.OWED for node in lattice.frontier for hand in node.hands)


def takes_no_card(transaction: Transaction) -> bool:
    """Whether every play of the open round is over and no box may still get a card.

    All hands broke, say, or the dealer's hand is complete. A wager that makes the dealer draw and that the readers
    have still to tell of keeps it open.
    """
    if not transaction.round().is_dealt():
        return False
    lattice, with_hole = transaction.lattice(), _known_holes(transaction.hole_points())
    nodes = [node for node in lattice.frontier if with_hole == WITH_ANY or node.hole & with_hole]
    if any(_made_late(transaction, lattice.game, node) or lattice.drawing(node) & with_hole for node in nodes):
        return False
    # Else chips of a double, say, are still to be reported.
    return bool(nodes) and all(map(lattice.over, nodes))


def may_take_cards(transaction: Transaction, faces: tuple[Card, ...], *, hits: int | None = None) -> bool:
    """Whether some play of the open round in which no hand waits for a card takes these, and one more of any face.

    ``hits``: how many of them are players' at most; None: as many as the play gives them.
    """
    lattice, place = transaction.lattice(), len(transaction.round().cards.drawn)
    waiting = (node for node in lattice.frontier if all(hand.now is not HandStatus.OWED for hand in node.hands))
    later = lattice.after_cards(waiting, (seen(place + number, face) for number, face in enumerate(faces)))
    dealers = 0 if hits is None else len(faces) - hits
    return any(lattice.drawing(node) for node in later if len(node.drawn) >= dealers)


def takes_cards(transaction: Transaction, faces: tuple[Card, ...]) -> bool:
    """Whether some play of the open round takes cards of these faces, one after another."""
    lattice, place = transaction.lattice(), len(transaction.round().cards.drawn)
    cards = (seen(place + number, face) for number, face in enumerate(faces))
    return bool(lattice.after_cards(lattice.frontier, cards))


def _known_holes(points: int | None) -> int:
    """The hole card that is known, as a bit: its points, or any where it is not known (None)."""
    return WITH_ANY if points is None else 1 << points


def _left_lying(transaction: Transaction) -> bool:
    """Whether a wager that is no push lies as it did at the last card: the next deal does not begin so."""
    lattice, points, round_now = transaction.lattice(), transaction.hole_points(), transaction.round()
    ends = lattice.ends(points) if points is not None or not round_now.cards.hole_dealt else lattice.frontier
    for box, spot in enumerate(round_now.bets.spots):
        if (
            lies_as_dealt(transaction, spot)
            and not lattice.bets_ahead(box)
            and 0 not in main_due(lattice, ends, box, points).cents()
        ):
            return True
    return False


def lies_as_dealt(transaction: Transaction, spot: int) -> bool:
    """Whether chips lie at a box's main zone, and no others than when the last card was reported."""
    zone = transaction.state.felt.get(zone_name(spot, "main"))
    return zone is not None and bool(zone.chips) and set(zone.chips) <= set(transaction.round().cards.lying)


def _made_late(transaction: Transaction, play: Play, node: Node) -> bool:
    """Whether a wager made after the deal, of which the readers may still tell, would have the dealer draw."""
    draws = play.offered_zone and (play.offered_zone != "insurance" or not transaction.round().cards.hole_dealt)
    if not draws or node.paying:
        return False
    broke = all(box.kind is BoxStatus.BROKEN for box in node.boxes) and play.offered_zone != "insurance"
    return not broke and (node.offers or confirmed_until_ns(transaction) < confirmation_needed_ns(transaction))


def may_be_next_bet(transaction: Transaction, zone: str, moved_ns: int) -> bool:
    """Whether chips that had moved by then may be next bets: the round was over in some play, and accuses no player."""
    later = zone == "insurance" or zone in after_deal_bets(transaction.rules.side_bets)
    return (
        not later
        and not transaction.round().evidence.trouble
        and transaction.round().is_dealt()
        and some_play_is_over(transaction)
        and some_play_was_over(transaction, moved_ns)
        and not (transaction.house.moves_gathered and turn_keyed_after(transaction.round(), moved_ns))
    )


def turn_keyed_after(round_now: Round, moment_ns: int) -> bool:
    """Whether the dealer keyed the turn of the hole card after that moment."""
    keys = ((one.first_ns, one.item) for one in round_now.evidence.observations if isinstance(one.item, KeyObserved))
    return any(key.action == "hole_turned" and pressed_ns > moment_ns for pressed_ns, key in keys)


def boxes_are_cleared(transaction: Transaction) -> bool:
    """Whether no chip is left of those that lay at the boxes at the round's last card: no live wager is without chips.

    Chips that one look showed in place of others may be the same wager.

    Nor may a wager made after the deal lie there for which the dealer still draws: who surrenders may get other chips
    back for the half, and leave it. Where that cannot be seen, at boxes without chips or without a reader, nothing is
    said.
    """
    round_now = transaction.round()
    unwatched = any(one.open() and one.hides("main") for one in round_now.evidence.outages)
    dealt = round_now.is_dealt() or round_now.turn_pressed()
    if round_now.bets.declared or unwatched or not dealt or _draws_for(transaction):
        return False
    wagered = {*round_now.cards.lying, *round_now.cards.replaced}
    if transaction.house.parts_reckoned and not wagered.isdisjoint(_shared_chips(transaction)):
        return False
    return bool(wagered) and wagered.isdisjoint(chips_at_boxes(transaction, round_now))


def _shared_chips(transaction: Transaction) -> set[str]:
    """The chips that two antennas heard at the lock and that lie at one of them still, maybe beside the boxes."""
    felt, shared = transaction.state.felt, transaction.round().bets.shared.zones_of
    return {chip for chip, zones in shared.items() if any(chip in felt[name].chips for name in zones if name in felt)}


def _draws_for(transaction: Transaction) -> bool:
    """Whether a wager made after the deal lies at a box that has the dealer draw, and no other zone hears its chips."""
    round_now, felt = transaction.round(), transaction.state.felt
    zones = (
        after_deal_bets(transaction.rules.side_bets) if round_now.cards.hole_dealt else played_zones(transaction)[1:]
    )
    lying = (felt.get(zone_name(spot, zone)) for spot in round_now.bets.spots for zone in zones)
    chips = {chip for zone in lying if zone is not None and zone.cents for chip in zone.chips}
    return not chips <= transaction.heard().heard_twice.keys()


def chips_at_boxes(transaction: Transaction, round_now: Round) -> tuple[str, ...]:
    """The chips in the zones that tell of the play, at the round's boxes."""
    felt, zones = transaction.state.felt, played_zones(transaction)
    lying = map(felt.get, _names_of(round_now.bets.spots, zones))
    return tuple([chip for zone in lying if zone is not None for chip in zone.chips])


@lru_cache(maxsize=256)
def _names_of(spots: tuple[int, ...], zones: tuple[str, ...]) -> tuple[str, ...]:
    """The names of zones at some spots, spot by spot."""
    return tuple(zone_name(spot, zone) for spot in spots for zone in zones)


def some_play_is_over(transaction: Transaction) -> bool:
    """Whether some play of the open round is over, with the hole card once it is turned; also where no play is left."""
    return _is_over(transaction, transaction.lattice())


def some_play_was_over(transaction: Transaction, until_ns: int) -> bool:
    """The same of an earlier moment: chips count once they lie still, which the round's last cards may overtake."""
    return not transaction.house.moves_gathered or _is_over(transaction, transaction.lattice().as_of(until_ns))


def _is_over(transaction: Transaction, lattice: Lattice) -> bool:
    """The same of a lattice."""
    return not lattice.frontier or _may_have_ended(transaction, lattice)


def _may_have_ended(transaction: Transaction, lattice: Lattice) -> bool:
    """Whether one of a lattice's plays is over, with the hole card once it is turned."""
    with_hole = _known_holes(transaction.hole_points())
    return any(lattice.over(node) & with_hole for node in lattice.frontier)


def some_keyless_play_is_over(transaction: Transaction) -> bool:
    """Whether some play is over where no key has come since the lock and those that should have come may be forgotten.

    Where a stand needs no key none is missing.
    """
    round_now = transaction.round()
    if round_now.options(transaction.rules).stand_key != "always":
        return False
    keyless = replace(round_now, evidence=replace(round_now.evidence, keys_unheard=True))
    return _may_have_ended(transaction, lattice_of(transaction.rules, keyless))


def played_zones(transaction: Transaction) -> tuple[str, ...]:
    """The zones whose chips tell how a round is played."""
    return ("main", "insurance", *after_deal_bets(transaction.rules.side_bets))


def zones_to_watch(transaction: Transaction) -> tuple[str, ...]:
    """The zones to look at before all others, those that may change now; empty: every zone.

    Only while the round cannot be over are those that tell of its play enough. In every other phase bets may be made
    anywhere. Where hidden cards decide whether it is over it is always every zone.
    """
    round_now = transaction.state.round
    if (
        round_now is None
        or not round_now.is_dealt()
        or round_now.evidence.trouble
        or round_now.is_suspended()
        or round_now.cards.face_down
    ):
        return ()
    if round_now.hides_faces():
        return ()
    return played_zones(transaction) if round_now.bets.locked and not some_play_is_over(transaction) else ()
