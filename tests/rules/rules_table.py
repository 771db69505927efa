"""The table of every rule in ``docs/reference/rules.md``, made from the rules' own words and the profiles.

python -m tests.rules.rules_table      writes it
"""

from __future__ import annotations

import ast
from itertools import pairwise
from pathlib import Path
from typing import Final

from controller.core.game.rules import Options, Rules, SideBetTerms
from controller.formats.config.profiles import RULE_KEYS
from controller.io.files import profile_files
from controller.reports.profile_text import toml

ROOT: Final = Path(__file__).parents[2]
DOCUMENT: Final = ROOT / "docs" / "reference" / "rules.md"
BEGIN, END = "<!-- table: begin -->", "<!-- table: end -->"
SHORT: Final = {
    "HPN": "hollywood-penn-national",
    "PV": "hollywood-perryville",
    "BG": "borgata",
    "CL": "classic-shoe-and-pitch",
    "PH": "pitch-h17",
}


def meanings(name: str) -> dict[str, str]:
    """What each field of a class of ``rules.py`` means, in its own words."""
    tree = ast.parse((ROOT / "controller/core/game/rules.py").read_text(encoding="utf-8"))
    body = next(node.body for node in tree.body if isinstance(node, ast.ClassDef) and node.name == name)
    found: dict[str, str] = {}
    for field, text in pairwise(body):
        if isinstance(field, ast.AnnAssign) and isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant):
            found[ast.unparse(field.target)] = " ".join(str(text.value.value).split()).replace("``", "`")
    return found


def choices(name: str) -> dict[str, str]:
    """The values each field may take, as written in ``rules.py``."""
    tree = ast.parse((ROOT / "controller/core/game/rules.py").read_text(encoding="utf-8"))
    body = next(node.body for node in tree.body if isinstance(node, ast.ClassDef) and node.name == name)
    words = {"int": "whole number", "bool": "true, false", "tuple[int, int]": "odds"}
    found: dict[str, str] = {}
    for field in body:
        if isinstance(field, ast.AnnAssign):
            kind = ast.unparse(field.annotation)
            literal = kind.removeprefix("Literal[").removesuffix("]").replace("'", "")
            found[ast.unparse(field.target)] = literal if kind.startswith("Literal") else words.get(kind, "list")
    return found


def table() -> str:
    """The generated part of the document."""
    profiles = {short: profile_files.load(name) for short, name in SHORT.items()}
    described, may_be = meanings("Rules"), choices("Rules")
    lines = [f"| key | may be | {' | '.join(SHORT)} | meaning |", f"|---|---|{'---|' * len(SHORT)}---|"]
    for key in (key for key in Rules.__struct_fields__ if key in RULE_KEYS):
        values = [toml(getattr(profile.rules, key)).replace('"', "") for profile in profiles.values()]
        lines.append(f"| `{key}` | {may_be[key]} | {' | '.join(values)} | {described[key]} |")
    lines += ["", "Where each choice comes from:", ""]
    for key in (key for key in Rules.__struct_fields__ if key in RULE_KEYS):
        by_source: dict[str, list[str]] = {}
        for short, profile in profiles.items():
            by_source.setdefault(profile.sources[key], []).append(short)
        cited = "; ".join(f"{', '.join(shorts)}: {source}" for source, shorts in by_source.items())
        lines.append(f"- `{key}`. {cited}")
    for title, kind in (("`[options]`", Options), ("`[side_bets.NAME]`", SideBetTerms)):
        described, may_be = meanings(kind.__name__), choices(kind.__name__)
        lines += ["", f"Keys of {title}:", "", "| key | may be | meaning |", "|---|---|---|"]
        lines += [f"| `{key}` | {may_be[key]} | {described[key]} |" for key in kind.__struct_fields__]
    return "\n".join(lines)


def written(document: str) -> str:
    """The document with its table made anew."""
    before, rest = document.split(BEGIN)
    return f"{before}{BEGIN}\n{table()}\n{END}{rest.split(END)[1]}"


if __name__ == "__main__":
    DOCUMENT.write_text(written(DOCUMENT.read_text(encoding="utf-8")), encoding="utf-8")
