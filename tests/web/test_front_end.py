"""The pages' modules: typed, linted, free of what could run text; their library is the one that was looked at."""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

from controller.formats.mqtt.envelope import event_types
from controller.web.languages import NAME_KEY
from controller.web.page_files import page_files
from controller.web.table_view import QUIET
from firmware_protocols.values import tag_of

ROOT: Final = Path(__file__).resolve().parents[2]
PAGES: Final = ROOT / "controller" / "web" / "pages"
HERE: Final = Path(__file__).parent
TOOLS: Final = HERE / "node_modules" / ".bin"
MODULES: Final = sorted(PAGES.glob("*.js"))
TEXTS: Final[dict[str, str]] = msgspec.json.decode((PAGES / "texts.en.json").read_bytes())
KEY: Final = re.compile(r"\bt\(\s*\"([^\"]+)\"")
KEY_OF_A_NUMBER: Final = re.compile(r"\btn\(\s*\"([^\"]+)\"")


def ran(tool: str, *arguments: str, folder: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """A tool of npm's on the pages."""
    if shutil.which("node") is None or not (TOOLS / tool).exists():
        pytest.skip(f"no {tool} here: install nodejs and npm, then run .ci/servers")
    command = [str(TOOLS / tool), *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=300)


def test_the_types_are_right() -> None:
    found = ran("tsc", "-p", str(HERE / "tsconfig.json"))
    assert found.returncode == 0, found.stdout


def test_a_wrong_type_is_found(tmp_path: Path) -> None:
    shutil.copytree(PAGES, tmp_path / "pages")
    (tmp_path / "pages" / "wrong.js").write_text('// @ts-check\nimport { money } from "./figures.js";\nmoney("1");\n')
    settings = {
        "extends": str(HERE / "tsconfig.json"),
        "include": [str(tmp_path / "pages" / "*.js"), str(tmp_path / "pages" / "*.d.ts")],
    }
    (tmp_path / "tsconfig.json").write_bytes(msgspec.json.encode(settings))
    found = ran("tsc", "-p", str(tmp_path / "tsconfig.json"))
    assert "wrong.js(3,7): error TS2345" in found.stdout


def test_the_modules_pass_the_linter() -> None:
    found = ran("eslint", "-c", str(HERE / "eslint.config.js"), "--max-warnings=0", "controller/web/pages")
    assert found.returncode == 0, found.stdout


@pytest.mark.parametrize("line", ["place.innerHTML = x;", 'eval("x");', "new Function(x)();", "var x = 1;"])
def test_what_could_run_text_is_refused(line: str, tmp_path: Path) -> None:
    (tmp_path / "wrong.js").write_text(line)
    found = ran("eslint", "-c", str(HERE / "eslint.config.js"), "wrong.js", folder=tmp_path)
    assert found.returncode == 1, found.stdout


def test_the_library_is_the_one_that_was_looked_at() -> None:
    documented = (ROOT / "install" / "vendor").read_text(encoding="utf-8")
    found = hashlib.sha256((PAGES / "vendor" / "preact-htm.js").read_bytes()).hexdigest()
    assert f"sha256={found}" in documented
    assert {one.name for one in (PAGES / "vendor").iterdir()} == {
        "LICENSE-htm.txt",
        "LICENSE-preact.txt",
        "preact-htm.d.ts",
        "preact-htm.js",
    }


def test_nothing_is_fetched_from_elsewhere() -> None:
    for path, file in page_files().items():
        if not path.startswith("vendor/"):
            addresses = set(re.findall(rb"https?://[^\s\"'`<>)]+", file.content))
            assert addresses <= {b"http://www.w3.org/2000/svg"}, path


def test_every_text_of_the_pages_is_in_the_catalogue_and_none_for_nothing() -> None:
    source = "\n".join(path.read_text(encoding="utf-8") for path in MODULES)
    wanted = set(KEY.findall(source))
    wanted |= {f"{key}.{ending}" for key in KEY_OF_A_NUMBER.findall(source) for ending in ("one", "other")}
    assert wanted <= set(TEXTS)
    families = {key.partition("${")[0] for key in re.findall(r"`([a-z]+(?:\.[a-z]+)*\.\$\{)", source)}
    named = set(re.findall(r"\"([a-z]+\.[\w.]+)\"", source)) | wanted | {NAME_KEY}
    lost = [key for key in TEXTS if key not in named and not any(key.startswith(one) for one in families)]
    assert lost == []


@pytest.mark.parametrize("kind", [one for one in event_types() if tag_of(one) not in QUIET], ids=tag_of)
def test_every_event_is_shown_in_words_made_of_its_own_fields(kind: type[Any]) -> None:
    text = TEXTS[f"event.{tag_of(kind)}"]
    assert set(re.findall(r"\{(\w+)\}", text)) <= {field.encode_name for field in msgspec.structs.fields(kind)}
