"""What passes on a wire, vendor words removed: reports from a device, commands to it.

A report is not yet evidence. A device session (``devices/``) turns reports into readings
(``firmware_protocols.readings``) by polling, debouncing and dating them.
"""

from __future__ import annotations

from typing import Final

from firmware_protocols.cards import Card
from firmware_protocols.sensor_messages import SensorCommand, SensorReport
from firmware_protocols.sign_messages import SignCommand, SignReport
from firmware_protocols.trigger_messages import TriggerCommand, TriggerReport
from firmware_protocols.values import Value


class LineFault(Value, frozen=True, tag="line_fault"):
    """Bytes that are no message: ``reason`` for people, ``data`` as they came (at most 64 bytes are kept)."""

    reason: str
    data: bytes


# --- shoe -------------------------------------------------------------------------------------------

SHOE_VERSION: Final = 2
"""The version of the reference shoe's protocol; the first had no series."""


class CardRead(Value, frozen=True, tag="card_read"):
    """A card left the shoe. ``face`` is None when it could not be read; ``burn`` when the shoe's burn mode said so.

    ``sequence`` is the shoe's own number of the draw, ``series`` that of the memory which numbers them; None where the
    protocol has none. ``unknown`` is what came in place of a card and is no card's byte; 0: nothing of the kind.
    """

    face: Card | None
    burn: bool = False
    sequence: int | None = None
    series: int | None = None
    unknown: int = 0


class ShoeAlarm(Value, frozen=True, tag="shoe_alarm"):
    """The shoe complains: a vendor's code and its text."""

    code: str
    text: str


class IdentifyShoe(Value, frozen=True, tag="identify_shoe"):
    """Ask a shoe who it is. The answer repeats ``token`` (0 to 65,535)."""

    token: int


class ShoeIdentified(Value, frozen=True, tag="shoe_identified"):
    """Answer: who made the shoe, what it is, which one it is, and what runs on it. ``serial`` is 1 to 16 characters.

    The other texts are 1 to 12; all are printable ASCII. ``series`` is the random number of its memory (32 bits),
    ``version`` the version of the protocol that it speaks; the first had no series, it is 0 there.
    """

    token: int
    vendor: str
    model: str
    serial: str
    firmware: str
    series: int = 0
    version: int = SHOE_VERSION


class CheckShoe(Value, frozen=True, tag="check_shoe"):
    """The heartbeat: ask a shoe how it is. The answer repeats ``token`` (1 to 65,535)."""

    token: int


class ShoeStatus(Value, frozen=True, tag="shoe_status"):
    """How a shoe is, asked or (``token`` 0) because lock, lid or mode changed.

    ``series`` is the number of its memory, ``oldest`` that of the oldest draw it keeps (of its next draw if it keeps
    none; 32 bits each) and ``waiting`` how many it keeps (0 to 120). ``awake``: it was ordered to send draws since it
    was last without power. ``locked``: no card can leave it. ``burning``: its burn mode is on.
    """

    token: int
    series: int
    oldest: int
    waiting: int
    awake: bool = True
    locked: bool = False
    lid_open: bool = False
    burning: bool = False


class SendDraws(Value, frozen=True, tag="send_draws"):
    """Tell the shoe of ``series`` to send every draw it keeps, oldest first, and from now on each new one at once.

    It is sent by the table whose journal knows the series; the shoe is *awake* then.
    """

    series: int


class ShowDraws(Value, frozen=True, tag="show_draws"):
    """Have the shoe of ``series`` send the same for somebody who only looks: it does not become *awake*."""

    series: int


class AcknowledgeDraw(Value, frozen=True, tag="acknowledge_draw"):
    """Let the shoe of ``series`` forget its draws up to and including ``sequence``: they are stored elsewhere."""

    series: int
    sequence: int


class LockShoe(Value, frozen=True, tag="lock_shoe"):
    """Tell a shoe to hold its cards back, or to let them go."""

    locked: bool


# --- bet spots --------------------------------------------------------------------------------------


class TakeInventory(Value, frozen=True, tag="take_inventory"):
    """Ask the reader at ``address`` (1 to 254) for the chips on ``antenna`` (1 to 8; None: all at once).

    ``more`` continues an answer that did not fit.
    """

    address: int
    antenna: int | None = None
    more: bool = False


class ChipsInventoried(Value, frozen=True, tag="chips_inventoried"):
    """Answer: chip ids in upper-case hex, in the reader's order. ``more``: the answer did not fit, ask again.

    ``doubtful``: the radio was disturbed, or a tag of an unknown kind hid others; the chips named are there, others may
    be too. ``nameless`` are tags with no id to be known by, such as phones: the vendor's number of their type.
    """

    address: int
    chips: tuple[str, ...]
    more: bool = False
    doubtful: bool = False
    nameless: tuple[int, ...] = ()


class ReadSoftware(Value, frozen=True, tag="read_software"):
    """Ask a reader who it is."""

    address: int


class SoftwareRead(Value, frozen=True, tag="software_read"):
    """Answer: the reader's version bytes in upper-case hex."""

    address: int
    version: str


class ReadChipBlocks(Value, frozen=True, tag="read_chip_blocks"):
    """Ask a reader for memory of the chip with id ``chip``: ``blocks`` blocks (1 to 32), from ``first_block`` on.

    ``security``: ask for the state of each block's write protection too.
    """

    address: int
    chip: str
    first_block: int
    blocks: int
    security: bool = False


class ChipBlocksRead(Value, frozen=True, tag="chip_blocks_read"):
    """Answer: the content of each block in upper-case hex, all of one size, and each block's security byte.

    The answer does not name the chip. The security bytes mean something only where they were asked for.
    """

    address: int
    blocks: tuple[str, ...]
    security: tuple[int, ...]


class ResetField(Value, frozen=True, tag="reset_field"):
    """Switch the reader's field off and on, so that every chip answers anew."""

    address: int


class ReaderDone(Value, frozen=True, tag="reader_done"):
    """A command without data was carried out; ``command`` names it."""

    address: int
    command: str


class ReaderRefused(Value, frozen=True, tag="reader_refused"):
    """A reader answered a command with an error. ``status`` is the vendor's number, ``text`` says it in words."""

    address: int
    command: str
    status: int
    text: str


# --- keypad -----------------------------------------------------------------------------------------


class KeyDown(Value, frozen=True, tag="key_down"):
    """A key went down; keys are named ``A`` to ``Y``, row by row."""

    key: str


class KeyUp(Value, frozen=True, tag="key_up"):
    """A key came up."""

    key: str


class SendKeysAtOnce(Value, frozen=True, tag="send_keys_at_once"):
    """Set the keypad to report each key as it happens."""


class ReportKeyUps(Value, frozen=True, tag="report_key_ups"):
    """Set the keypad to report releases too, without repeats."""


class ShowText(Value, frozen=True, tag="show_text"):
    """Show a line of printable ASCII (at most 80 characters) on the keypad's display, replacing what is there."""

    text: str


class ShowTextAt(Value, frozen=True, tag="show_text_at"):
    """Write printable ASCII from a place of the display on; what stands elsewhere stays. Places are counted from 1."""

    column: int
    row: int
    text: str


# --- hardware random number generator ---------------------------------------------------------------


class NoiseTaken(Value, frozen=True, tag="noise_taken"):
    """A block of bytes from a noise source, as they came. Where a block begins means nothing."""

    data: bytes


Report = (
    CardRead
    | ShoeAlarm
    | ShoeIdentified
    | ShoeStatus
    | ChipsInventoried
    | ChipBlocksRead
    | SoftwareRead
    | ReaderDone
    | ReaderRefused
    | KeyDown
    | KeyUp
    | NoiseTaken
    | TriggerReport
    | SignReport
    | SensorReport
    | LineFault
)
"""Everything a device may say."""

Command = (
    IdentifyShoe
    | CheckShoe
    | SendDraws
    | ShowDraws
    | AcknowledgeDraw
    | LockShoe
    | TakeInventory
    | ReadChipBlocks
    | ReadSoftware
    | ResetField
    | SendKeysAtOnce
    | ReportKeyUps
    | ShowText
    | ShowTextAt
    | TriggerCommand
    | SignCommand
    | SensorCommand
)
"""Everything a device may be sent."""

Message = Report | Command
