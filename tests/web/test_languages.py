"""Pages in another language: a house's file of texts, what may stand in it, and how a browser comes by it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from playwright.async_api import expect

from controller.formats.text.toml_schema import ConfigError
from controller.io.mqtt.connection import Broker
from controller.web.languages import english, language_files, mistakes, read_texts
from tests.core.rig import Rig, penn
from tests.web.conftest import Window
from tests.web.stage import pages, staged

GERMAN = {
    "language.name": "Deutsch",
    "dealer.bets_open": "Einsätze offen",
    "nav.table": "Tisch",
    "nav.tables": "Alle Tische",
    "setting.language": "Sprache",
    "technician.title": "Leitungen",
}
POLISH = {
    "language.name": "Polski",
    "technician.behind.one": "{count} zdarzenie w kolejce",
    "technician.behind.few": "{count} zdarzenia w kolejce",
    "technician.behind.many": "{count} zdarzeń w kolejce",
}


def folder(at: Path, **languages: dict[str, str]) -> Path:
    """A house's folder of texts."""
    for code, texts in languages.items():
        (at / f"texts.{code}.json").write_text(json.dumps(texts), encoding="utf-8")
    return at


def served(name: str, at: Path) -> dict[str, str]:
    """A file as the pages fetch it."""
    return read_texts(language_files(at)[name].content)


def test_each_language_is_offered_by_its_own_name(tmp_path: Path) -> None:
    at = folder(tmp_path, de=GERMAN, pl=POLISH, fr={"nav.table": "Table"})
    assert served("languages.json", at) == {"en": "English", "de": "Deutsch", "fr": "fr", "pl": "Polski"}
    assert served("texts.de.json", at) == GERMAN


def test_without_a_folder_there_is_english() -> None:
    assert list(language_files(None)) == ["languages.json"]
    assert read_texts(language_files(None)["languages.json"].content) == {"en": "English"}


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ({"nav.tabel": "Tisch"}, "nav.tabel: no page has such a text"),
        ({"nav.table.few": "Tische"}, "nav.table.few: no page has such a text"),
        ({"title.table": "{nom} - Tisch"}, "title.table: {nom} is not filled in here; expected {name}"),
        ({"nav.table": "Tisch {name}"}, "nav.table: {name} is not filled in here; expected no braces"),
    ],
)
def test_a_mistake_in_a_file_is_named_with_file_and_key(texts: dict[str, str], message: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as refused:
        language_files(folder(tmp_path, de=texts))
    assert refused.value.lines == (f"{tmp_path}/texts.de.json: {message}",)


@pytest.mark.parametrize("text", ["[]", '{"nav.table": 1}', '{"nav.table": "a", "nav.table": "b"}', "", "{" * 100_000])
def test_what_is_no_object_of_texts_is_refused_in_a_line(text: str, tmp_path: Path) -> None:
    (tmp_path / "texts.de.json").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=r"texts\.de\.json") as refused:
        language_files(tmp_path)
    assert len(refused.value.lines) == 1


@pytest.mark.parametrize("name", ["texts.en.json", "texts.json", "texts.DE.json", "german.json"])
def test_a_file_of_another_name_is_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text("{}", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"expected a file named texts\.XX\.json"):
        language_files(tmp_path)


@given(st.dictionaries(st.text(max_size=8), st.text(max_size=20), max_size=4))
def test_what_is_written_is_what_is_read(texts: dict[str, str]) -> None:
    assert read_texts(json.dumps(texts)) == texts


def test_the_english_catalogue_has_no_mistakes_of_its_own() -> None:
    assert mistakes(english(), english()) == []


async def test_the_pages_speak_the_browsers_language_where_there_is_a_file_of_it(
    broker: Broker, window: Window, tmp_path: Path
) -> None:
    async with staged(broker, Rig(penn())), pages(broker, texts=folder(tmp_path, de=GERMAN)) as at:
        page = window.page
        await page.add_init_script("Object.defineProperty(navigator, 'languages', { value: ['de-AT', 'en'] })")
        await page.goto(f"{at}/dealer/harbour/bj-1")
        await expect(page.get_by_text("Einsätze offen")).to_be_visible()
        assert await page.evaluate("document.documentElement.lang") == "de"


async def test_a_language_once_chosen_is_that_of_every_page(broker: Broker, window: Window, tmp_path: Path) -> None:
    async with staged(broker, Rig(penn())), pages(broker, texts=folder(tmp_path, de=GERMAN)) as at:
        page = window.page
        await page.goto(f"{at}/technician/harbour/bj-1")
        await page.locator("details.look summary").click()
        await page.get_by_label("Language").select_option("Deutsch")
        await expect(page.get_by_role("link", name="Tisch", exact=True)).to_be_visible()
        await page.get_by_role("link", name="Alle Tische").click()
        await expect(page.locator("html")).to_have_attribute("lang", "de")
        await page.goto(f"{at}/dealer/harbour/bj-1?lang=en")
        await expect(page.get_by_text("Bets open")).to_be_visible()


async def test_a_language_has_its_own_forms_of_a_number(broker: Broker, window: Window, tmp_path: Path) -> None:
    async with staged(broker, Rig(penn())), pages(broker, texts=folder(tmp_path, pl=POLISH)) as at:
        await window.page.goto(f"{at}/dealer/harbour/bj-1?lang=pl")
        words = "import('/assets/texts.js').then(({ tn }) => [1, 3, 5].map((count) => tn('technician.behind', count)))"
        await expect(window.page.locator("html")).to_have_attribute("lang", "pl")
        assert await window.page.evaluate(words) == [
            "1 zdarzenie w kolejce",
            "3 zdarzenia w kolejce",
            "5 zdarzeń w kolejce",
        ]
        # The page is still calling its server when it has only its texts.
        await expect(window.page.get_by_text("Bets open")).to_be_visible()


async def test_without_a_second_language_there_is_nothing_to_choose(broker: Broker, window: Window) -> None:
    async with staged(broker, Rig(penn())), pages(broker) as at:
        await window.page.goto(f"{at}/technician/harbour/bj-1")
        await window.page.locator("details.look summary").click()
        await expect(window.page.locator(".settings")).to_be_visible()
        assert await window.page.get_by_label("Language").count() == 0


@pytest.mark.parametrize(
    "path",
    ["", "pit", "table/harbour/bj-1", "dealer/harbour/bj-1", "sign/harbour/bj-1", "technician/harbour/bj-1", "round"],
)
async def test_markup_in_a_houses_words_is_shown_as_text(
    path: str, broker: Broker, window: Window, tmp_path: Path
) -> None:
    marked = {key: f"<img src=x onerror=alert(1)>{text}" for key, text in english().items()}
    async with staged(broker, Rig(penn())), pages(broker, texts=folder(tmp_path, de=marked)) as at:
        await window.page.goto(f"{at}/{path}?lang=de")
        await expect(window.page.locator("body")).to_contain_text("<img src=x")
        assert await window.page.locator("img").count() == 0
