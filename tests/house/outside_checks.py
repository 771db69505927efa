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
)
PRINTER: Final = "controller/commands/terminal.py"
PRINTERS: Final = frozenset({"click.echo", "click.secho", "sys.stdout.write", "sys.stderr.write"})
BOUNDED: Final = frozenset({"json_of", "json_as"})
MARK: Final = "reads_outside"
END_OF_LINE: Final = re.compile(r"(?:\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|[^$\\\[]|\[)*(\$)?", re.DOTALL)


def second_decoder(path: str, text: str) -> list[Finding]:
    """JSON and TOML are decoded in one module; what reads what comes from outside through it is marked as doing so."""
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


OUTSIDE_CHECKS: Final[tuple[Check, ...]] = (second_decoder, line_end_in_pattern, second_printer)
