"""The house style as checks: each is a pure function of a file's path and text, and answers what is wrong where.

A path is relative to the repository, with slashes. ``CHECKS`` names every check of Python files; ``check_command`` is
for the files that start Python. What ruff, mypy and the import contracts already hold is not repeated here.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final

LONGEST_FUNCTION_LINES: Final = 60
LONGEST_FILE_LINES: Final = 600

PACKAGES: Final = ("controller/", "devices/", "firmware_protocols/", "simulators/")
PURE_ROOMS: Final = (
    "controller/core/",
    "controller/formats/",
    "controller/reports/",
    "devices/",
    "firmware_protocols/",
    "simulators/",
)
MONEY_ROOMS: Final = ("controller/core/",)
IMPURE_FLOOR: Final = (
    "controller/cli.py",
    "controller/commands/",
    "controller/daemon/daemon.py",
    "controller/daemon/startup.py",
    "controller/demo/demo.py",
    "controller/io/",
    "controller/pool/",
    "controller/trigger_box/",
    "simulators/serve.py",
)

SHAPELESS_NAMES: Final = frozenset({"util", "utils", "helper", "helpers", "common", "manager", "managers", "misc"})
OUTSIDE_WORLD: Final = frozenset(
    {"asyncio", "logging", "os", "pathlib.Path", "secrets", "selectors", "serial", "shutil", "socket", "sqlite3"}
    | {"subprocess", "sys", "tempfile", "threading", "time", "importlib.resources", "simulators.serve"}
)
OUTSIDE_CALLS: Final = frozenset({"open", "print", "input", "breakpoint"})
CLOCK_CALLS: Final = frozenset({"now", "utcnow", "today"})
PROCESSES_AND_SOCKETS: Final = frozenset({"subprocess", "socket", "socketserver", "multiprocessing"})
MOCK_MODULES: Final = frozenset({"unittest", "mock", "pytest_mock"})
MOCK_NAMES: Final = frozenset({"monkeypatch", "MonkeyPatch", "mocker", "Mock", "MagicMock", "AsyncMock"})
SLEEPERS: Final = frozenset({"time", "asyncio", "anyio", "trio"})
UNFINISHED: Final = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b")
OPTIMISED: Final = re.compile(r"python[\d.]*\s+(?:-\w+\s+)*-OO?\b|PYTHONOPTIMIZE=")


@dataclass(frozen=True)
class Finding:
    """One thing wrong, at one line of one file."""

    path: str
    line: int
    what: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.what}"


Check = Callable[[str, str], list[Finding]]


def is_in(path: str, folders: tuple[str, ...]) -> bool:
    """Whether a file lies in one of the folders (they end with a slash)."""
    return any(path == folder or (folder.endswith("/") and path.startswith(folder)) for folder in folders)


def is_pure(path: str) -> bool:
    """Whether a file belongs to the folders without clock, chance and outside world."""
    return is_in(path, PURE_ROOMS) and not is_in(path, IMPURE_FLOOR)


def imports(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Every module imported, and for ``from a import b`` also ``a.b``, with its line."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            yield node.lineno, node.module
            yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)


def imported_among(path: str, text: str, modules: frozenset[str], what: str) -> list[Finding]:
    """A finding for each line that imports one of the modules or something inside it."""
    lines = {
        line: module
        for line, name in imports(ast.parse(text))
        for module in modules
        if name == module or name.startswith(f"{module}.")
    }
    return [Finding(path, line, f"{what}: {module}") for line, module in sorted(lines.items())]


def function_length(path: str, text: str) -> list[Finding]:
    """No function is longer than 60 lines, signature and docstring included."""
    return [
        Finding(path, node.lineno, f"{node.name} has {lines} lines")
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (lines := (node.end_lineno or node.lineno) - node.lineno + 1) > LONGEST_FUNCTION_LINES
    ]


def file_length(path: str, text: str) -> list[Finding]:
    """A file is one concept, and none is longer than 600 lines."""
    lines = len(text.splitlines())
    return [Finding(path, lines, f"the file has {lines} lines")] if lines > LONGEST_FILE_LINES else []


def shapeless_name(path: str, text: str) -> list[Finding]:
    """No module or folder is named after nothing in particular."""
    parts = PurePosixPath(path).with_suffix("").parts
    return [Finding(path, 1, f"a module named {part}") for part in parts if part in SHAPELESS_NAMES]


def outside_world(path: str, text: str) -> list[Finding]:
    """Pure folders read no clock, open no file and import nothing that could."""
    if not is_pure(path):
        return []
    findings = imported_among(path, text, OUTSIDE_WORLD, "a pure folder imports")
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Call(func=ast.Name(id=name)) if name in OUTSIDE_CALLS:
                findings.append(Finding(path, node.lineno, f"a pure folder calls {name}()"))
            case ast.Attribute(value=ast.Name(id="pathlib"), attr="Path"):
                findings.append(Finding(path, node.lineno, "a pure folder imports: pathlib.Path"))
            case ast.Call(func=ast.Attribute(value=ast.Name(id="datetime" | "date"), attr=name)) if name in CLOCK_CALLS:
                findings.append(Finding(path, node.lineno, f"a pure folder reads the clock: {name}()"))
            case ast.Call(func=ast.Attribute(value=ast.Attribute(attr="datetime" | "date"), attr=name)) if (
                name in CLOCK_CALLS
            ):
                findings.append(Finding(path, node.lineno, f"a pure folder reads the clock: {name}()"))
            case _:
                pass
    return findings


def unseeded_chance(path: str, text: str) -> list[Finding]:
    """Pure folders know of ``random`` only the class ``Random``, and make one only from a seed."""
    if not is_pure(path):
        return []
    findings = [
        Finding(path, line, f"chance that nobody handed in: {name}")
        for line, name in imports(ast.parse(text))
        if name.startswith("random.") and name != "random.Random"
    ]
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Attribute(value=ast.Name(id="random"), attr=name) if name != "Random":
                findings.append(Finding(path, node.lineno, f"chance that nobody handed in: random.{name}"))
            case ast.Call(func=ast.Name(id="Random") | ast.Attribute(attr="Random"), args=[], keywords=[]):
                findings.append(Finding(path, node.lineno, "chance without a seed: Random()"))
            case _:
                pass
    return findings


def broken_cents(path: str, text: str) -> list[Finding]:
    """Where money is counted there is no float and no division that makes one."""
    if not is_in(path, MONEY_ROOMS):
        return []
    findings = []
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Constant(value=float() as number):
                findings.append(Finding(path, node.lineno, f"a float: {number}"))
            case ast.Name(id="float"):
                findings.append(Finding(path, node.lineno, "the type float"))
            case ast.BinOp(op=ast.Div()) | ast.AugAssign(op=ast.Div()):
                findings.append(Finding(path, node.lineno, "a division that makes a float"))
            case _:
                pass
    return findings


def optional_assertion(path: str, text: str) -> list[Finding]:
    """Assertions are part of the program: nothing asks whether they are on, nothing switches them off."""
    if not is_in(path, PACKAGES):
        return []
    findings = []
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Name(id="__debug__"):
                findings.append(Finding(path, node.lineno, "__debug__ makes assertions optional"))
            case ast.Constant(value="-O" | "-OO" | "PYTHONOPTIMIZE" as flag):
                findings.append(Finding(path, node.lineno, f"{flag} switches assertions off"))
            case _:
                pass
    return findings


def mock(path: str, text: str) -> list[Finding]:
    """Tests hand fakes in; nothing is patched from outside."""
    if not is_in(path, ("tests/",)):
        return []
    findings = imported_among(path, text, MOCK_MODULES, "a mock")
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.arg(arg=name) | ast.Name(id=name) | ast.Attribute(attr=name) if name in MOCK_NAMES:
                findings.append(Finding(path, node.lineno, f"a mock: {name}"))
            case _:
                pass
    return findings


def sleep(path: str, text: str) -> list[Finding]:
    """Tests wait for what they wait for, never for time; giving way once with ``sleep(0)`` is no waiting."""
    if not is_in(path, ("tests/",)):
        return []
    tree = ast.parse(text)
    sleepers = frozenset(f"{module}.sleep" for module in SLEEPERS)
    findings = imported_among(path, text, sleepers, "a test that sleeps")
    aliases = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
        if alias.name in SLEEPERS
    }
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(attr="sleep"), args=[ast.Constant(value=0)]):
                pass
            case ast.Call(func=ast.Attribute(value=ast.Name(id=module), attr="sleep")) if module in aliases:
                findings.append(Finding(path, node.lineno, f"a test that sleeps: {module}.sleep"))
            case _:
                pass
    return findings


def documented(node: ast.AST, inside: str = "") -> Iterator[tuple[int, str]]:
    """Every public class and function of a module or class without a docstring; what is inside functions is private."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and not child.name.startswith("_"):
            again = {ast.unparse(decorator).rpartition(".")[2] for decorator in child.decorator_list}
            if ast.get_docstring(child) is None and not again & {"overload", "override", "setter"}:
                yield child.lineno, f"{inside}{child.name}"
            if isinstance(child, ast.ClassDef):
                yield from documented(child, f"{inside}{child.name}.")


def missing_docstring(path: str, text: str) -> list[Finding]:
    """Every module, public class and public function of the packages says what it is."""
    tree = ast.parse(text)
    if not is_in(path, PACKAGES) or not tree.body:
        return []
    findings = [Finding(path, line, f"{name} has no docstring") for line, name in documented(tree)]
    if ast.get_docstring(tree) is None:
        findings.append(Finding(path, 1, "the module has no docstring"))
    return findings


def docstring_lines(tree: ast.AST) -> set[int]:
    """The lines on which a string stands as a statement."""
    return {
        line
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }


def unfinished(path: str, text: str) -> list[Finding]:
    """No note to come back later, in no comment and no docstring."""
    prose = docstring_lines(ast.parse(text))
    return [
        Finding(path, token.start[0], f"unfinished: {note.group()}")
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type == tokenize.COMMENT or (token.type == tokenize.STRING and token.start[0] in prose)
        if (note := UNFINISHED.search(token.string))
    ]


def silent_match(path: str, text: str) -> list[Finding]:
    """A ``match`` says what becomes of everything else: ``assert_never``, or a last case that takes it."""
    return [
        Finding(path, node.lineno, "a match without a last case for everything else")
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Match) and not takes_everything(node.cases[-1])
    ]


def takes_everything(case: ast.match_case) -> bool:
    """Whether a case is ``case _`` or ``case name``, unguarded."""
    return case.guard is None and isinstance(case.pattern, ast.MatchAs) and case.pattern.pattern is None


def process_or_socket(path: str, text: str) -> list[Finding]:
    """Processes and sockets belong to the impure floor, the wiring and the tests."""
    if not is_in(path, PACKAGES) or is_in(path, IMPURE_FLOOR):
        return []
    return imported_among(path, text, PROCESSES_AND_SOCKETS, "processes and sockets belong to the impure floor")


def endless_queue(path: str, text: str) -> list[Finding]:
    """Every queue has a limit."""
    if not is_in(path, PACKAGES):
        return []
    return [
        Finding(path, node.lineno, "a queue without a limit")
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call)
        and not node.args
        and not any(keyword.arg == "maxsize" for keyword in node.keywords)
        and ast.unparse(node.func).rpartition(".")[2] in {"Queue", "LifoQueue", "PriorityQueue", "SimpleQueue"}
    ]


def sqlites_errors_alone(path: str, text: str) -> list[Finding]:
    """SQLite quotes bytes of a damaged file, which Python may fail to read as text: no handler names its own alone."""
    if not is_in(path, PACKAGES):
        return []
    return [
        Finding(path, node.lineno, "catches sqlite3.Error without UnicodeDecodeError: take SQLITE_ERRORS")
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.ExceptHandler)
        and node.type is not None
        and any(isinstance(one, ast.Attribute) and ast.unparse(one) == "sqlite3.Error" for one in ast.walk(node.type))
    ]


def eager_annotations(path: str, text: str) -> list[Finding]:
    """Every module with code in it begins with ``from __future__ import annotations``."""
    code = [node for node in ast.parse(text).body if not isinstance(node, ast.Expr)]
    if not code or "__future__.annotations" in {name for _, name in imports(code[0])}:
        return []
    return [Finding(path, code[0].lineno, "without from __future__ import annotations")]


def check_command(path: str, text: str) -> list[Finding]:
    """Nothing that starts Python starts it with assertions off."""
    return [
        Finding(path, number, f"switches assertions off: {found.group()}")
        for number, line in enumerate(text.splitlines(), start=1)
        if (found := OPTIMISED.search(line))
    ]


CHECKS: Final[tuple[Check, ...]] = (
    function_length,
    file_length,
    shapeless_name,
    outside_world,
    unseeded_chance,
    broken_cents,
    optional_assertion,
    mock,
    sleep,
    missing_docstring,
    unfinished,
    silent_match,
    process_or_socket,
    endless_queue,
    sqlites_errors_alone,
    eager_annotations,
)
