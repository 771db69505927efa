"""Checks of what comes from outside: one decoder, and names that end where they are said to."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Final

from tests.house.checks import PACKAGES, Check, Finding, imported_among, is_in

DECODER: Final = "controller/formats/text/safe_parse.py"
DECODERS: Final = frozenset(
    {"json.loads", "json.load", "json.JSONDecoder", "json.decoder", "tomllib.loads", "tomllib.load", "msgspec.toml"}
    | {"msgspec.json.decode", "msgspec.json.Decoder", "msgspec.yaml", "pickle", "marshal", "shelve", "yaml", "orjson"}
    | {"msgpack", "ormsgpack", "cbor2"}
)
LIBRARIES: Final = frozenset({"json", "msgspec", "tomllib"})
"""Known to these checks by their own names alone."""

JOURNAL: Final = "a row of a journal, which who reads it holds against its hash, digest or seal"
SEGMENT: Final = "a frame behind its check value, of a flat type; its rows are held against the chain"
SEALED: Final = "opened out of a seal under the table's key"
TAKEN: Final = "the bounded decoder has taken the same bytes before"
LEDGER: Final = "a row of the ledger's database, which the link alone writes"
STORE: Final = "an entry of the trigger box's store, each held against its mark when the store is opened"
PLACES: Final[dict[str, dict[str, str]]] = {
    "msgspec.msgpack": {
        "controller/formats/journal/segments.py::read_start": SEGMENT,
        "controller/formats/journal/segments.py::_read_row": SEGMENT,
        "controller/formats/journal/segments.py::_read_mark": SEGMENT,
    },
    "own_json": {
        "controller/collector/stream_fold.py::_keep": TAKEN,
        "controller/daemon/kept_states.py::_read": "in a folder of its own, held against its digest",
        "controller/formats/journal/records.py::_open_line": SEALED,
        "controller/formats/journal/records.py::unseal": JOURNAL,
        "controller/formats/mqtt/envelope.py::_name_in": "as the places of own_event",
        "controller/formats/mqtt/envelope.py::own_event": "as the places of own_event",
        "controller/formats/orders/signed_orders.py::order_in": JOURNAL,
        "controller/formats/replay.py::read_state": SEALED,
        "controller/pool/comparison.py::_entries": LEDGER,
        "controller/pool/ledger.py::_entered": LEDGER,
        "controller/pool/ledger.py::_pool": LEDGER,
        "controller/pool/ledger.py::_laid_by": LEDGER,
        "controller/pool/ledger.py::_won_by": LEDGER,
        "controller/pool/ledger.py::award": LEDGER,
        "controller/pool/ledger.py::deed_of": LEDGER,
        "controller/pool/ledger_replay.py::_awards": LEDGER,
        "controller/pool/ledger_replay.py::_refolded": LEDGER,
        "controller/reports/audit/mystery_events.py::_envelope": TAKEN,
        "controller/trigger_box/store.py::_checked": STORE,
        "controller/trigger_box/store.py::_entry": STORE,
        "controller/trigger_box/store.py::entries": STORE,
        "controller/web/accounts.py::account_of": "what a child process of the server's own program printed",
        "controller/web/trust/programs.py::_step": "what a child process of the server's own program printed",
    },
    "own_event": {
        "controller/collector/stream_fold.py::": TAKEN,
        "controller/commands/": JOURNAL,
        "controller/daemon/": JOURNAL,
        "controller/demo/demo.py::settled": JOURNAL,
        "controller/formats/mqtt/envelope.py::read_event": TAKEN,
        "controller/formats/replay.py::opened_by": JOURNAL,
        "controller/io/mqtt/ack_deadline.py::look": JOURNAL,
        "controller/io/mqtt/pace_publisher.py::_before": JOURNAL,
        "controller/io/mqtt/pace_publisher.py::look": JOURNAL,
        "controller/io/mqtt/publication.py::leaving": JOURNAL,
        "controller/reports/audit/mystery_events.py::take": TAKEN,
        "controller/web/journals.py::_journal_events": JOURNAL,
    },
}
"""What reads without bounds, and where alone it may be named, with the reason: a function, a file, or a folder."""

WRITERS: Final = frozenset({"encode", "Encoder"})
PRINTER: Final = "controller/commands/terminal.py"
PRINTERS: Final = frozenset({"click.echo", "click.secho", "sys.stdout.write", "sys.stderr.write"})
BOUNDED: Final = frozenset({"json_of", "json_as"})
MARK: Final = "reads_outside"
END_OF_LINE: Final = re.compile(r"(?:\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|[^$\\\[]|\[)*(\$)?", re.DOTALL)


def second_decoder(path: str, text: str) -> list[Finding]:
    """Data is decoded in one module; what reads what comes from outside through it is marked as doing so."""
    if not is_in(path, PACKAGES) or path == DECODER:
        return []
    tree = ast.parse(text)
    what = "decodes by another way than controller/formats/text/safe_parse.py"
    findings = imported_among(path, text, DECODERS, what)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and ast.unparse(node) in DECODERS:
            findings.append(Finding(path, node.lineno, f"{what}: {ast.unparse(node)}"))
    for called, inside in calls(tree):
        if inside is None or not any(MARK in ast.unparse(one) for one in inside.decorator_list):
            name = inside.name if inside else "the module"
            findings.append(Finding(path, called.lineno, f"{name} reads what comes from outside, not marked {MARK}"))
    return findings


def unbounded_reader(path: str, text: str) -> list[Finding]:
    """What reads without bounds is named at the listed places alone, and by its own name."""
    if not is_in(path, PACKAGES) or path == DECODER:
        return []
    tree = ast.parse(text)
    findings = [
        Finding(path, node.lineno, f"{name} under another name")
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in renamed(node)
    ]
    for name, line, function in unbounded_in(tree):
        if not any(is_at(f"{path}::{function}", place) for place in PLACES[name]):
            what = f"{name} reads without bounds, and {function} is not listed in tests/house/outside_checks.py"
            findings.append(Finding(path, line, what))
    return findings


def is_at(function: str, place: str) -> bool:
    """Whether a function, as ``path::name``, is one of a listed place."""
    return function.startswith(place) if place.endswith(("/", "::")) else function == place


def renamed(node: ast.Import | ast.ImportFrom) -> Iterator[str]:
    """What an import gives another name, or a shorter one, of that which these checks know by its name."""
    for alias in node.names:
        whole = alias.name if isinstance(node, ast.Import) else f"{node.module}.{alias.name}"
        if whole.startswith("msgspec.msgpack") or (
            alias.asname and (whole in LIBRARIES or alias.name in PLACES) and alias.asname != alias.name
        ):
            yield whole


def unbounded_in(node: ast.AST, function: str = "the module") -> Iterator[tuple[str, int, str]]:
    """Each time that what reads without bounds is named: its name, the line, and the function it stands in."""
    for child in ast.iter_child_nodes(node):
        within = child.name if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef) else function
        if isinstance(child, ast.Name | ast.Attribute):
            written = ast.unparse(child)
            name = written if written in PLACES else written.rpartition(".")[2]
            writes = isinstance(node, ast.Attribute) and node.attr in WRITERS
            if name in PLACES and not writes:
                yield name, child.lineno, within
        yield from unbounded_in(child, within)


def calls(
    node: ast.AST, inside: ast.FunctionDef | ast.AsyncFunctionDef | None = None
) -> Iterator[tuple[ast.Call, ast.FunctionDef | ast.AsyncFunctionDef | None]]:
    """Each call of the bounded decoder, and the function it stands in."""
    for child in ast.iter_child_nodes(node):
        within = child if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef) else inside
        if isinstance(child, ast.Call) and ast.unparse(child.func).rpartition(".")[2] in BOUNDED:
            yield child, within
        yield from calls(child, within)


def line_end_in_pattern(path: str, text: str) -> list[Finding]:
    """A pattern ends with ``\\Z``: ``$`` also stands before a last line feed, which then is part of the name."""
    if not is_in(path, PACKAGES):
        return []
    findings = []
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.Call):
            continue
        patterns = [one.value for one in node.keywords if one.arg == "pattern"]
        if ast.unparse(node.func).startswith("re."):
            patterns += node.args[:1]
        found = [part for one in patterns for part in ast.walk(one) if isinstance(part, ast.Constant)]
        findings += [
            Finding(path, part.lineno, "a pattern with $ where \\Z is meant")
            for part in found
            if isinstance(part.value, str | bytes) and has_line_end(part.value)
        ]
    return findings


def has_line_end(pattern: str | bytes) -> bool:
    """Whether a pattern has a ``$`` that is neither escaped nor one of a set of characters."""
    text = pattern if isinstance(pattern, str) else pattern.decode("latin-1")
    found = END_OF_LINE.match(text)
    return found is not None and found[1] is not None


def second_printer(path: str, text: str) -> list[Finding]:
    """What a command prints leaves by one way, which shows control codes instead of obeying them."""
    if not is_in(path, PACKAGES) or path == PRINTER:
        return []
    return [
        Finding(path, node.lineno, f"prints by another way than {PRINTER}")
        for node in ast.walk(ast.parse(text))
        if (isinstance(node, ast.Attribute) and ast.unparse(node) in PRINTERS)
        or (isinstance(node, ast.Call) and ast.unparse(node.func) == "print")
    ]


OUTSIDE_CHECKS: Final[tuple[Check, ...]] = (second_decoder, unbounded_reader, line_end_in_pattern, second_printer)
