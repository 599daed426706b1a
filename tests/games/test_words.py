"""Words about games that several faces share."""

from __future__ import annotations

import pytest

from wuzi.base.words import LANGUAGES, load_catalogue
from wuzi.core import Game, Reason, Rules
from wuzi.games.words import how_it_ended


def test_every_end_has_its_words_and_they_stand_once() -> None:
    keys = {f"reason.{reason.label}" for reason in Reason}
    for language in LANGUAGES:
        assert load_catalogue("wuzi.games", language).texts.keys() == keys
        for face in ("wuzi.apps.cli", "wuzi.apps.desktop"):
            assert not [
                key for key in load_catalogue(face, language).texts if key.removeprefix("play.") in keys
            ]


@pytest.mark.parametrize(("language", "words"), [("en", "3 in a row"), ("zh", "3 子连珠")])
def test_a_row_says_how_long_it_is(language: str, words: str) -> None:
    game = Game.from_moves(Rules(size=5, win_length=3), "a1 a2 b1 b2 c1".split())
    assert how_it_ended(game, language) == words
