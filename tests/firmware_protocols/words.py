"""Strategies for every kind of message, and the question that belongs to an answer."""

from __future__ import annotations

from hypothesis import strategies as st

from firmware_protocols.cards import DECK
from firmware_protocols.messages import (
    AcknowledgeDraw,
    CardRead,
    CheckShoe,
    ChipBlocksRead,
    ChipsInventoried,
    IdentifyShoe,
    KeyDown,
    KeyUp,
    LockShoe,
    Message,
    NoiseTaken,
    ReadChipBlocks,
    ReaderDone,
    ReaderRefused,
    ReadSoftware,
    ResetField,
    SendDraws,
    SendKeysAtOnce,
    ShoeAlarm,
    ShoeIdentified,
    ShoeStatus,
    ShowDraws,
    ShowText,
    ShowTextAt,
    SoftwareRead,
    TakeInventory,
)
from firmware_protocols.trigger_messages import (
    CheckTrigger,
    Contribute,
    ContributionAnswered,
    CycleCommitted,
    CycleRevealed,
    GreetTrigger,
    HeadKept,
    KeepHead,
    OpenCycle,
    RecallCycle,
    RecallHead,
    TriggerAlarm,
    TriggerCondition,
    TriggerGreeted,
    TriggerStatus,
)
from tests.firmware_protocols.sensor_words import SENSOR_WORDS
from tests.firmware_protocols.sign_words import SIGN_WORDS

addresses = st.integers(0, 254)
chips = st.one_of(
    st.binary(min_size=6, max_size=6).map(lambda serial: (b"\xe0\x04" + serial).hex().upper()),
    st.binary(min_size=1, max_size=30).map(lambda data: data.hex().upper()),
)
words = st.text(st.characters(codec="ascii"), max_size=30)
keys = st.sampled_from("ABCDEFGHIJKLMNOPQRSTUVWXYZ1")
numbers = st.integers(0, 255)
tokens = st.integers(0, 0xFFFF)
series = st.integers(0, 0xFFFFFFFF)
counts = st.integers(0, 2**64)
secrets = st.binary(min_size=31, max_size=33) | st.binary(min_size=32, max_size=32)
signatures = st.binary(min_size=63, max_size=65) | st.binary(min_size=64, max_size=64)
names = st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E), min_size=1, max_size=12)


def _hex(size: int) -> st.SearchStrategy[str]:
    return st.binary(min_size=size, max_size=size).map(lambda data: data.hex().upper())


def _memory(address: int, size: int, count: int) -> st.SearchStrategy[Message]:
    contents = st.lists(_hex(size), min_size=count, max_size=count).map(tuple)
    security = st.lists(numbers, min_size=count, max_size=count).map(tuple)
    return st.builds(ChipBlocksRead, st.just(address), contents, security)


STRATEGIES: dict[type[Message], st.SearchStrategy[Message]] = {
    CardRead: st.builds(
        CardRead,
        face=st.none() | st.sampled_from(DECK),
        burn=st.sampled_from([False, False, True]),
        sequence=st.none(),
    )
    | st.builds(CardRead, st.none() | st.sampled_from(DECK), st.booleans(), series, series)
    | st.builds(CardRead, st.none(), st.booleans(), series, series, st.integers(0xE0, 0xFF)),
    ShoeAlarm: st.builds(
        ShoeAlarm,
        code=st.builds("E{}".format, st.integers(0, 9)) | st.builds("W{:02X}".format, st.integers(0, 255)),
        text=st.just("") | words,
    ),
    IdentifyShoe: st.builds(IdentifyShoe, tokens),
    ShoeIdentified: st.builds(ShoeIdentified, tokens, names, names, names, names, series, st.integers(2, 255))
    | st.builds(ShoeIdentified, tokens, names, names, names, names, version=st.just(1)),
    CheckShoe: st.builds(CheckShoe, tokens),
    ShoeStatus: st.builds(
        ShoeStatus,
        tokens,
        series,
        series,
        st.integers(0, 120),
        st.booleans(),
        st.booleans(),
        st.booleans(),
        st.booleans(),
    ),
    SendDraws: st.builds(SendDraws, series),
    ShowDraws: st.builds(ShowDraws, series),
    AcknowledgeDraw: st.builds(AcknowledgeDraw, series, series),
    LockShoe: st.builds(LockShoe, st.booleans()),
    ReadChipBlocks: st.builds(
        ReadChipBlocks, addresses, _hex(8), first_block=numbers, blocks=st.integers(1, 32), security=st.booleans()
    ),
    ChipBlocksRead: st.tuples(addresses, st.sampled_from([4, 8]), st.integers(1, 20)).flatmap(
        lambda drawn: _memory(*drawn)
    ),
    TakeInventory: st.builds(
        TakeInventory, address=addresses, antenna=st.none() | st.integers(1, 8), more=st.booleans()
    ),
    ReadSoftware: st.builds(ReadSoftware, address=addresses),
    ResetField: st.builds(ResetField, address=addresses),
    ChipsInventoried: st.builds(
        ChipsInventoried,
        address=addresses,
        chips=st.lists(chips, max_size=45).map(tuple),
        more=st.booleans(),
        doubtful=st.booleans(),
    ),
    SoftwareRead: st.builds(
        SoftwareRead, address=addresses, version=st.binary(min_size=1, max_size=20).map(lambda data: data.hex().upper())
    ),
    ReaderDone: st.builds(ReaderDone, address=addresses, command=st.just("reset_field")),
    ReaderRefused: st.builds(
        ReaderRefused,
        address=addresses,
        command=st.sampled_from(["take_inventory", "read_chip_blocks", "read_software", "reset_field"]),
        status=st.integers(0, 255),
        text=st.just(""),
    ),
    KeyDown: st.builds(KeyDown, key=keys),
    KeyUp: st.builds(KeyUp, key=keys),
    SendKeysAtOnce: st.just(SendKeysAtOnce()),
    ShowText: st.builds(ShowText, text=words),
    ShowTextAt: st.builds(ShowTextAt, st.integers(0, 41), st.integers(0, 5), words),
    NoiseTaken: st.builds(NoiseTaken, st.binary(min_size=64, max_size=64)),
    GreetTrigger: st.builds(GreetTrigger, tokens, names, names, counts, counts, counts),
    CheckTrigger: st.builds(CheckTrigger, tokens),
    OpenCycle: st.builds(OpenCycle, counts, secrets),
    Contribute: st.builds(Contribute, counts, counts),
    RecallCycle: st.builds(RecallCycle, counts),
    KeepHead: st.builds(KeepHead, counts, counts, secrets, signatures),
    RecallHead: st.just(RecallHead()),
    HeadKept: st.builds(HeadKept, counts, counts, secrets, signatures),
    TriggerGreeted: st.builds(TriggerGreeted, tokens, names, names, counts, counts, counts),
    TriggerStatus: st.builds(TriggerStatus, tokens, st.sampled_from(TriggerCondition), counts, counts),
    CycleCommitted: st.builds(CycleCommitted, counts, secrets, counts, counts, counts),
    ContributionAnswered: st.builds(ContributionAnswered, counts, counts, counts, st.booleans(), counts),
    CycleRevealed: st.builds(CycleRevealed, counts, counts, counts, secrets),
    TriggerAlarm: st.builds(TriggerAlarm, names, words),
    **SIGN_WORDS,
    **SENSOR_WORDS,
}


def strategy(kind: type[Message]) -> st.SearchStrategy[Message]:
    return STRATEGIES[kind] if kind in STRATEGIES else st.builds(kind)


def question(answer: Message) -> Message | None:
    """What has to be asked before an answer can be understood; None for what a device says of itself."""
    match answer:
        case ReaderRefused(address=address, command="read_chip_blocks"):
            return ReadChipBlocks(address, "E004015020922C6E", 0, 2)
        case ChipBlocksRead(address=address, blocks=blocks):
            return ReadChipBlocks(address, "E004015020922C6E", 0, len(blocks))
        case ReaderDone(address=address, command=command) | ReaderRefused(address=address, command=command):
            asked = {"take_inventory": TakeInventory, "read_software": ReadSoftware, "reset_field": ResetField}
            question: Message = asked[command](address)
            return question
        case ChipsInventoried(address=address):
            return TakeInventory(address)
        case SoftwareRead(address=address):
            return ReadSoftware(address)
        case _:
            return None
