"""Catalogues: both languages have the same keys and places, and every key is used."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import wuzi.analysis
from wuzi.analysis.explain import Remark, Said
from wuzi.base.words import LANGUAGES, Bilingual, load_catalogue
from wuzi.errors import ConfigError

SOURCES = Path(wuzi.analysis.__file__).parents[1]
PACKAGES = sorted(
    ".".join(("wuzi", *path.parent.parent.relative_to(SOURCES).parts))
    for path in SOURCES.rglob("catalogue/en.json")
)
PACKAGES.append("research")


def named(files: list[Path]) -> Iterator[str]:
    """Texts in the code as patterns; a place in one may become anything."""
    for file in files:
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.JoinedStr):
                parts = (
                    re.escape(str(p.value)) if isinstance(p, ast.Constant) else ".+" for p in node.values
                )
                yield "".join(parts)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield re.escape(node.value)


def test_there_are_catalogues() -> None:
    assert {"wuzi.analysis", "wuzi.arena", "wuzi.apps.cli", "wuzi.apps.desktop"} <= set(PACKAGES)


@pytest.mark.parametrize("package", PACKAGES)
def test_both_languages_have_the_same_keys_and_places(package: str) -> None:
    english, chinese = (load_catalogue(package, language).texts for language in LANGUAGES)
    assert list(english) == list(chinese)
    for key, text in english.items():
        assert text.strip() and chinese[key].strip(), key
        assert set(re.findall(r"{(\w+)", text)) == set(re.findall(r"{(\w+)", chinese[key])), key


@pytest.mark.parametrize("package", PACKAGES)
def test_every_key_is_used(package: str) -> None:
    keys = set(load_catalogue(package, "en").texts)
    root = SOURCES.parents[1]
    own = root / package if package == "research" else SOURCES.joinpath(*package.split(".")[1:])
    folders = [own, SOURCES / "apps", root / "scripts", root / "research"]
    texts = set(named([path for folder in folders for path in folder.rglob("*.py")]))
    stems = {text for text in texts if ".+" not in text or r"\." in text.partition(".+")[0]} | {
        re.escape(f"{kind.__name__}.{member.name}".lower())
        for kind in Bilingual.__subclasses__()
        for member in kind
    }
    pattern = re.compile("|".join(f"(?:{text})" for text in sorted(stems) if text))
    assert not sorted(key for key in keys if not pattern.fullmatch(key))


def test_every_member_has_its_words() -> None:
    kinds = Bilingual.__subclasses__()
    assert kinds
    for member in (member for kind in kinds for member in kind):
        assert member.en and member.zh and member.en != member.zh


def test_an_unknown_language_is_refused() -> None:
    with pytest.raises(ConfigError, match="language 'fr': expected en or zh"):
        load_catalogue("wuzi.arena", "fr")


def test_one_stone_is_no_plural() -> None:
    title = load_catalogue("wuzi.apps.cli", "en")
    found = [title("analyse.title", rules="renju", ply=ply, side="White") for ply in (0, 1, 2)]
    assert found == [f"renju, {count}, White to move" for count in ("0 stones", "1 stone", "2 stones")]
    assert Remark(Said.WINS_IN, plies=1).text(15) == "wins in 1 ply"
