"""The script that has proved sentences of reviews checked."""

from __future__ import annotations

from pathlib import Path

import pytest
from theorems import Desk, games, report

from wuzi.core import Rules
from wuzi.search.proof.attacks import Tree


def cells(*names: str) -> list[int]:
    return [(15 - int(name[1:])) * 15 + ord(name[0]) - 97 for name in names]


GAME = cells("h8", "a1", "h9", "c1", "h10", "e1", "h11", "h7", "h12")


def test_a_game_gives_sentences_and_none_is_false() -> None:
    said = list(Desk(Rules(15), "").sentences(GAME))
    assert ("allowed", 5, None) in said and ("no defence", 7, None) in said
    assert all(refused is None for _, _, refused in said)


def test_a_wrong_tree_is_a_false_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    desk = Desk(Rules(15), "")
    monkeypatch.setattr(desk._finder, "attack", lambda most: Tree("o15", 1, 0, 0))
    said = list(desk.sentences(GAME))
    assert said and all(refused for _, _, refused in said)
    assert not report([{"id": "one", "said": said}])
    assert "FALSE one" in capsys.readouterr().out


def test_the_games_are_there() -> None:
    first = next(games())
    assert first["rule"] in ("freestyle", "standard") and Path(first["id"]).name == first["game_id"]
