"""Both languages say everything, and the fonts have a glyph for every character of it."""

from __future__ import annotations

import re
import string
from collections.abc import Mapping
from pathlib import Path

import pytest
from fontTools.ttLib import TTFont
from make_font import FONTS, bold_characters, characters

from wuzi.analysis import HintReason
from wuzi.apps.desktop.opponents import why_not
from wuzi.apps.desktop.scene import say
from wuzi.apps.desktop.storage import system_language
from wuzi.base.words import LANGUAGES, load_catalogue
from wuzi.core import Rules
from wuzi.core.rules import Opening, Rule
from wuzi.players.opponents import ENGINES

SOURCES = Path(__file__).resolve().parents[3] / "src" / "wuzi" / "apps" / "desktop"


def catalogue(language: str) -> Mapping[str, str]:
    return load_catalogue("wuzi.apps.desktop", language).texts


def places(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def test_both_catalogues_have_the_same_keys_and_places() -> None:
    english, chinese = catalogue("en"), catalogue("zh")
    assert list(english) == list(chinese)
    for key, text in english.items():
        assert places(text) == places(chinese[key]), key


def test_every_text_the_code_names_exists_and_every_text_is_named() -> None:
    code = "\n".join(path.read_text(encoding="utf-8") for path in SOURCES.glob("*.py"))
    named = set(re.findall(r"""["']([a-z_]+\.[a-z_A-Z.]+)["']""", code)) | {
        "title",
        "black",
        "white",
        "board",
    }
    stems = ("rule.", "opening.", "clock.", "help.", "files.result.", "menu.refuses.")
    missing = {key for key in named if key.split(".")[0] in {k.split(".")[0] for k in catalogue("en")}}
    missing -= set(catalogue("en"))
    assert not {key for key in missing if not key.endswith((".json", ".sgf"))}
    unused = {key for key in catalogue("en") if key not in named and not key.startswith(stems)}
    assert not unused


def test_every_rule_has_a_name() -> None:
    for language in LANGUAGES:
        for rule in Rule:
            assert say(language, f"rule.{rule.label}")


@pytest.mark.parametrize(("style", "wanted"), [("Regular", characters()), ("Bold", bold_characters())])
def test_the_fonts_have_a_glyph_for_every_character(style: str, wanted: set[str]) -> None:
    known = {chr(code) for code in TTFont(FONTS / f"WuziSansSC-{style}.otf").getBestCmap()}
    shown = {char for language in LANGUAGES for text in catalogue(language).values() for char in text}
    shown |= {char for text in load_catalogue("wuzi.games", "zh").texts.values() for char in text}
    shown |= {char for one in ENGINES.values() for char in one.zh + "".join(level.zh for level in one.levels)}
    shown |= set(string.printable.strip()) | set("五子…×·–−←↑→↓")
    if style == "Regular":
        shown |= {char for reason in HintReason for char in reason.zh}
    assert not sorted(shown - known), "run scripts/make_font.py"
    assert {char for char in shown if not char.isspace()} <= wanted | {" "}


def test_the_language_of_the_system_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LC_ALL", "LC_MESSAGES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")
    assert system_language() == "zh"
    monkeypatch.setenv("LANG", "de_DE.UTF-8")
    assert system_language() == "en"


def test_the_reason_why_an_opponent_does_not_play_is_named() -> None:
    can = {
        "rules": ["freestyle"],
        "minSize": 9,
        "maxSize": 15,
        "winLengths": [5],
        "openings": ["free"],
        "deterministic": True,
    }
    assert why_not(can, Rules(15)) is None
    assert why_not(can, Rules(15, rule=Rule.RENJU)) == "rule"
    assert why_not(can, Rules(20)) == "size"
    assert why_not(can, Rules(9, win_length=4)) == "winLength"
    assert why_not(can, Rules(15, opening=Opening.SWAP2)) == "opening"
