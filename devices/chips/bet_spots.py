"""The chip readers of the bet spots on one bus: asked in turn, weighed, and missed when they fall silent.

One request is outstanding at a time, and the line must have been silent for a gap before the next, so that a reply said
twice is not taken for the answer to another question. Replies name their reader but not their antenna: after a
request without an answer the reader is therefore asked who it is, and only its answer to *that* proves that no late
inventory is still to come.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, Literal

from msgspec.structs import replace

from devices.chips.chip_values import READ_A_TURN, ChipValues
from devices.chips.poll_plan import PollPlan
from devices.chips.zone_evidence import Inventory
from devices.chips.zones import AntennaZone, Asked, Reader, laid_out
from devices.outbox import Outbox
from devices.receiver import Listener, disturbed, stray
from firmware_protocols import chip_memory
from firmware_protocols.codec import Codec
from firmware_protocols.messages import (
    ChipBlocksRead,
    ChipsInventoried,
    LineFault,
    Message,
    ReadChipBlocks,
    ReaderRefused,
    ReadSoftware,
    SoftwareRead,
    TakeInventory,
)
from firmware_protocols.readings import ChipsConfirmed, ChipsSeen, DeviceHealth, HealthState, LineDisturbed

_MS: Final = 1_000_000

REPLY_TIMEOUT_NS: Final = 1_000 * _MS
"""An inventory of a full stack takes a few tenths of a second; longer is silence."""

PROBE_TIMEOUT_NS: Final = 300 * _MS
"""A reader says who it is without using its radio; with two probes after a time-out it is lost within two seconds."""

GAP_NS: Final = 5 * _MS
"""Silence before a request: several bytes' time at 4,800 baud and above, time for the bus to turn round."""

BYTE_NS: Final = 25_000
"""A byte's time at 40,000 bytes a second. A line without a rate of its own (a socket, a simulated device) answers as
fast as it is asked, and a fast machine would ask until the line is closed for its talk."""

STALE_NS: Final = 1_000_000_000
"""So long a reader that returned may repeat its last inventory: a few looks of its own before it answers afresh."""

ANSWER_BYTES: Final = 6
"""No answer of any protocol is shorter; fewer damaged bytes may be a spark on the line of a reader that is silent."""

FAULT_PATIENCE_NS: Final = 100 * _MS
"""After damaged bytes the answer is waited for only so long: it was probably what was damaged."""

MOST_CHIPS: Final = 40
"""Chips in one zone: the tallest stack a reader is built for."""

MOST_PARTS: Final = 8
"""Parts of one inventory: 40 chips at five or more a part."""

DOUBTS_BORNE: Final = 10
"""Doubtful inventories of a zone in a row before its reader is called faulty: a hand passing by makes two or three."""


class BetSpotsSession(Outbox):
    """Keeps the inventories of all zones of one bus going and tells what changed.

    ``zones`` maps (address, antenna or None) to (spot, zone), in the order of polling. Each reader's health is reported
    under ``name/address``. With ``values`` "chip" the memory of each new chip is read once, before it is reported, and
    what it says is reported with it.

    Raises:
        ValueError: no zones, a limit below 1, or an address, an antenna or ``values`` the protocol has no words for.
    """

    def __init__(
        self,
        codec: Codec,
        zones: Mapping[tuple[int, int | None], tuple[int, str]],
        name: str = "bet_spots",
        *,
        agreeing: int = 2,
        values: Literal["registry", "chip"] = "registry",
        reply_timeout_ns: int = REPLY_TIMEOUT_NS,
        probe_timeout_ns: int = PROBE_TIMEOUT_NS,
        gap_ns: int = GAP_NS,
    ) -> None:
        if not zones:
            raise ValueError("no zones to read")
        if min(reply_timeout_ns, probe_timeout_ns, gap_ns) < 1:
            raise ValueError("reply_timeout_ns, probe_timeout_ns and gap_ns must be at least 1")
        super().__init__()
        self._name = name
        self._reply_timeout_ns = reply_timeout_ns
        self._probe_timeout_ns = probe_timeout_ns
        self._gap_ns = gap_ns
        self._listener = Listener(codec)
        self._readers, self._zones = laid_out(zones, agreeing)
        self._refuse_unspeakable()
        if values == "chip" and ReadChipBlocks not in codec.vocabulary:
            raise ValueError(f"{codec.name} cannot read the memory of chips")
        self._values = ChipValues() if values == "chip" else None
        self._plan = PollPlan(self._zones)
        self._asked: Asked | None = None
        self._unfinished: Asked | None = None
        self._send_at_ns = 0
        self._send_by_ns = 0
        self._confirm_ns = 0

    def confirm(self, upto_ns: int) -> None:
        """Ask for a ``ChipsConfirmed`` once every change up to ``upto_ns`` has been reported; 0: not any more.

        It is given once all zones of the readers that work have been inventoried since, as often as must agree.
        """
        self._confirm_ns = upto_ns
        self._plan.everything = upto_ns > 0
        self._confirm_if_known()

    def watch(self, zones: frozenset[str] | None) -> None:
        """Ask only for zones of these names from now on; None: for all, as at the beginning.

        The others are asked all the same while a ``confirm`` is open, and until their content is known after a loss. A
        unwatched change is reported when the zone is asked again, with an interval as long as that took.
        """
        self._plan.watched = zones

    def _confirm_if_known(self) -> None:
        if not self._confirm_ns:
            return
        asked = [zone for zone in self._zones if zone.reader.state is HealthState.READY]
        if not asked or any(zone.evidence.known_ns <= self._confirm_ns for zone in asked):
            return
        spots = {zone.spot for zone in asked}
        silent = (zone for zone in self._zones if zone.reader.state is not HealthState.READY)
        unseen = (f"{zone.spot}/{zone.zone}" for zone in silent if zone.spot in spots)
        self._readings.append(ChipsConfirmed(tuple(sorted(spots)), self._confirm_ns, tuple(unseen)))
        self._confirm_ns = 0
        self._plan.everything = False

    def _refuse_unspeakable(self) -> None:
        self._listener.open()
        for zone in self._zones:
            self._listener.encode(TakeInventory(zone.reader.address, zone.antenna))
            self._listener.encode(ReadSoftware(zone.reader.address))
        self._listener.close()

    # --- the session's five verbs -------------------------------------------------------------------

    def connected(self, now_ns: int) -> None:
        """The line is open (again): every reader has to say who it is before it is believed."""
        self._listener.open()
        self._forget_requests()
        self._send_at_ns = self._send_by_ns = now_ns
        for reader in self._readers.values():
            reader.identified = False
            reader.since_ns = reader.heard_ns = now_ns
            reader.backoff.answered()
        for zone in self._zones:
            zone.backoff.answered()
            zone.evidence.opened(now_ns)
        self._ask_next(now_ns)

    def disconnected(self, now_ns: int) -> None:
        """The line is gone: every reader is lost."""
        self._listener.close()
        self._forget_requests()
        for reader in self._readers.values():
            self._lose(reader, "line gone", now_ns)

    def receive(self, data: bytes, now_ns: int) -> None:
        """Bytes came."""
        if not self._listener.is_open or not data:
            return
        for message in self._listener.hear(data, now_ns):
            self._take(message, now_ns)
        self._send_at_ns = max(self._send_at_ns, now_ns + max(self._gap_ns, len(data) * BYTE_NS))

    def next_deadline(self) -> int | None:
        """The end of a silence, of the patience with a reader, or of the gap before the next request."""
        if not self._listener.is_open:
            return None
        if self._asked is not None:
            mine_ns = self._patience_ns(self._asked)
        else:
            silent_ns = min(self._send_at_ns, self._send_by_ns)
            mine_ns = silent_ns if self._unfinished else self._plan.first_due_ns(silent_ns)
        idle_ns = self._listener.deadline()
        return mine_ns if idle_ns is None else min(mine_ns, idle_ns)

    def handle_deadline(self, now_ns: int) -> None:
        """Give up what has been waited for long enough, and ask the next question."""
        for message in self._listener.expire(now_ns):
            self._take(message, self._listener.heard_ns)
        if self._asked is not None and now_ns >= self._patience_ns(self._asked):
            self._missed(self._asked, now_ns)
        self._ask_next(now_ns)

    # --- asking ---------------------------------------------------------------------------------------

    def _ask_next(self, now_ns: int) -> None:
        if not self._listener.is_open or self._asked is not None or now_ns < min(self._send_at_ns, self._send_by_ns):
            return
        if self._unfinished is not None:
            request, self._unfinished = self._unfinished, None
            self._ask(request, now_ns)
            return
        asked = self._plan.next(now_ns)
        if asked is not None:
            self._ask(asked, now_ns)

    def _ask(self, request: Asked, now_ns: int) -> None:
        said = self._listener.encode(request.command(chip_memory.FIRST_BLOCK, chip_memory.BLOCKS))
        timeout_ns = self._probe_timeout_ns if request.zone is None else self._reply_timeout_ns
        self._asked = replace(request, said=said, sent_ns=now_ns, deadline_ns=now_ns + timeout_ns)
        self._unsent += said

    def _patience_ns(self, asked: Asked) -> int:
        # A long answer may still be coming when its time is up; noise without end must not prolong it for ever.
        idle_ns = self._listener.deadline()
        if idle_ns is None or idle_ns <= asked.deadline_ns:
            return asked.deadline_ns
        return min(idle_ns, asked.sent_ns + 2 * self._reply_timeout_ns)

    def _done(self, now_ns: int) -> None:
        # A line that is never silent must not keep the others from being asked.
        self._asked = None
        self._send_at_ns = now_ns + self._gap_ns
        self._send_by_ns = self._send_at_ns + self._reply_timeout_ns

    def _answered(self, reader: Reader, now_ns: int) -> None:
        self._done(now_ns)
        reader.heard_ns = now_ns

    def _forget_requests(self) -> None:
        self._asked = self._unfinished = None
        self._unsent = b""

    # --- hearing --------------------------------------------------------------------------------------

    def _take(self, message: Message, at_ns: int) -> None:
        asked = self._asked
        match message:
            case LineFault():
                self._readings.append(disturbed(self._name, message, at_ns))
                if asked is not None:
                    patience_ns = min(asked.deadline_ns, at_ns + FAULT_PATIENCE_NS)
                    is_echo = message.data == asked.said
                    damaged, noise = asked.damaged or not is_echo, asked.noise + len(message.data) * (not is_echo)
                    self._asked = replace(asked, deadline_ns=patience_ns, damaged=damaged, noise=noise)
            case SoftwareRead(address=address, version=version) if (
                asked is not None and asked.zone is None and address == asked.reader.address
            ):
                self._identified(asked.reader, version, at_ns)
            case ChipsInventoried(address=address) if (
                asked is not None and asked.zone is not None and not asked.unread and address == asked.reader.address
            ):
                self._inventoried(asked, asked.zone, message, at_ns)
            case ChipBlocksRead(address=address, blocks=blocks) if (
                asked is not None and asked.zone is not None and asked.unread and address == asked.reader.address
            ):
                self._chip_answered(asked, asked.zone, blocks, at_ns)
            case ReaderRefused(address=address) if asked is not None and address == asked.reader.address:
                self._refused(asked, message, at_ns)
            case (
                SoftwareRead(address=address)
                | ChipsInventoried(address=address)
                | ChipBlocksRead(address=address)
                | ReaderRefused(address=address)
            ):
                reason = f"unexpected {type(message).__name__} from reader {address}"
                self._readings.append(LineDisturbed(device=self._name, reason=reason, data=b"", at_ns=at_ns))
            case _:
                self._readings.append(stray(self._name, message, at_ns))

    def _identified(self, reader: Reader, version: str, now_ns: int) -> None:
        self._answered(reader, now_ns)
        if reader.state is not HealthState.READY and not reader.identified:
            reader.since_ns = now_ns
        if not reader.identified:
            for zone in reader.zones:
                zone.evidence.returned(now_ns + STALE_NS)
        reader.identified = True
        reader.version = version
        reader.backoff.answered()
        self._judge(reader, now_ns)

    def _inventoried(self, asked: Asked, zone: AntennaZone, answer: ChipsInventoried, now_ns: int) -> None:
        self._answered(asked.reader, now_ns)
        zone.backoff.answered()
        chips = asked.chips.union(answer.chips)
        if answer.nameless:
            chips = chips.union(self._strangers(zone, answer.nameless))
        parts = asked.parts + 1
        doubtful = asked.doubtful or answer.doubtful
        if len(chips) > MOST_CHIPS or (answer.more and parts >= MOST_PARTS):
            zone.trouble = f"more than {MOST_CHIPS} chips or {MOST_PARTS} parts on spot {zone.spot} {zone.zone}"
            zone.evidence.interrupted()
        elif answer.more:
            self._unfinished = replace(asked, chips=chips, parts=parts, doubtful=doubtful)
            return
        else:
            zone.doubts = zone.doubts + 1 if doubtful else 0
            zone.trouble = ""
            if zone.doubts >= DOUBTS_BORNE:
                why = "a tag of a kind nobody knows hides others" if answer.nameless else "radio disturbed"
                zone.trouble = f"{why} on spot {zone.spot} {zone.zone}"
            incomplete = doubtful or asked.damaged
            self._read_or_weigh(asked, zone, Inventory(chips, asked.begun_ns, now_ns, incomplete))
        self._judge(asked.reader, now_ns)

    def _strangers(self, zone: AntennaZone, kinds: tuple[int, ...]) -> Iterable[str]:
        """Names for tags that have none: of their type and where they lie, so that none lies at two places."""
        place = self._zones.index(zone)
        return (f"F0{kind:02X}{zone.spot:02X}{place:02X}{order:02X}" for order, kind in enumerate(kinds, start=1))

    def _weigh(self, zone: AntennaZone, inventory: Inventory) -> None:
        # Only for what the chips' own memory says, and a zone is weighed forty times a second.
        before = frozenset() if self._values is None else frozenset(zone.evidence.content or ())
        for change in zone.evidence.take(inventory):
            values: dict[str, int] = {}
            if self._values is not None:
                values = self._values.of(change.chips)
                self._values.forget_valueless(before.difference(change.chips))
            seen = ChipsSeen(zone.spot, zone.zone, change.chips, change.after_ns, change.by_ns, values)
            self._readings.append(seen)
        self._confirm_if_known()

    def _refused(self, asked: Asked, refusal: ReaderRefused, now_ns: int) -> None:
        if asked.zone is not None and asked.unread:
            self._chip_answered(asked, asked.zone, None, now_ns)
            return
        self._answered(asked.reader, now_ns)
        detail = f"{refusal.command} refused: {refusal.text}"
        if asked.zone is None:
            self._set_state(asked.reader, HealthState.FAULTY, detail, now_ns)
            asked.reader.backoff.give_up(now_ns)
            return
        asked.zone.trouble = f"spot {asked.zone.spot} {asked.zone.zone}: {detail}"
        asked.zone.evidence.interrupted()
        self._judge(asked.reader, now_ns)

    # --- the memory of chips --------------------------------------------------------------------------

    def _read_or_weigh(self, asked: Asked, zone: AntennaZone, inventory: Inventory) -> None:
        unread = self._unread(zone, inventory)[:READ_A_TURN]
        if unread:
            self._unfinished = replace(asked, inventory=inventory, unread=unread)
        else:
            self._weigh(zone, inventory)

    def _unread(self, zone: AntennaZone, inventory: Inventory) -> tuple[str, ...]:
        if self._values is None:
            return ()
        unread = self._values.unread(inventory.chips)
        return tuple(chip for chip in unread if self._is_speakable(zone.reader.address, chip))

    def _is_speakable(self, address: int, chip: str) -> bool:
        try:
            self._listener.encode(ReadChipBlocks(address, chip, chip_memory.FIRST_BLOCK, chip_memory.BLOCKS))
        except ValueError:
            return False
        return True

    def _chip_answered(self, asked: Asked, zone: AntennaZone, blocks: tuple[str, ...] | None, now_ns: int) -> None:
        assert self._values is not None and asked.inventory is not None  # noqa: PT018
        self._answered(asked.reader, now_ns)
        self._values.take(asked.unread[0], blocks)
        unread = self._values.unread(asked.unread)
        if unread:
            self._unfinished = replace(asked, unread=unread)
        elif not self._unread(zone, asked.inventory):
            self._weigh(zone, asked.inventory)

    # --- health ---------------------------------------------------------------------------------------

    def _missed(self, asked: Asked, now_ns: int) -> None:
        self._done(now_ns)
        reader, zone = asked.reader, asked.zone
        # A reader whose answer was damaged has not begun anew: it would have been silent.
        reader.identified = reader.identified and asked.noise >= ANSWER_BYTES
        if zone is not None:
            zone.evidence.interrupted()
            if self._values is not None and asked.unread:
                self._values.take(asked.unread[0], None)
            if zone.backoff.missed(now_ns):
                zone.trouble = f"no inventory of spot {zone.spot} {zone.zone}"
                self._judge(reader, now_ns)
        if reader.backoff.missed(now_ns):
            self._lose(reader, "no answer", now_ns)

    def _lose(self, reader: Reader, detail: str, now_ns: int) -> None:
        reader.identified = False
        for zone in reader.zones:
            zone.evidence.interrupted()
            zone.backoff.answered()
            zone.doubts = 0
            zone.trouble = ""
        self._set_state(reader, HealthState.LOST, detail, now_ns)

    def _judge(self, reader: Reader, now_ns: int) -> None:
        trouble = _first(zone.trouble for zone in reader.zones)
        state = HealthState.FAULTY if trouble else HealthState.READY
        self._set_state(reader, state, trouble or f"software {reader.version}", now_ns)

    def _set_state(self, reader: Reader, state: HealthState, detail: str, now_ns: int) -> None:
        if state is not reader.state:
            reader.state = state
            device = f"{self._name}/{reader.address}"
            self._readings.append(DeviceHealth(device=device, state=state, at_ns=now_ns, detail=detail))


def _first(troubles: Iterable[str]) -> str:
    return next((trouble for trouble in troubles if trouble), "")
