"""The ratings of the levels, recounted from the games that were kept."""

from __future__ import annotations

import json
import re

import pytest

from tests.evidence.recount import ROOT, bounded, bradley_terry, kept, replayed, tables


def test_the_ratings_and_the_pages_that_show_them() -> None:
    folder = ROOT / "benchmarks/levels"
    games = [game for path in sorted(folder.glob("*/games.jsonl")) for game in kept(path)]
    for game in games:
        assert game["winner"] == replayed(game), game["game_id"]
    said = json.loads((ROOT / "src/wuzi/data/levels/ratings.json").read_text("utf-8"))
    players = {**said["levels"], **said["others"]}
    names, wins, _ = tables(games)
    fitted = bradley_terry(bounded(wins.sum(axis=0))[None], 100_000)[0]
    fitted += said["anchor"]["elo"] - fitted[names.index(said["anchor"]["player"])]
    assert said["games"] == len(games) and set(names) == set(players)
    pages = [(ROOT / "docs" / name).read_text("utf-8") for name in ("analysis.md", "analysis.zh.md")]
    for name, value in zip(names, fitted, strict=True):
        own = players[name]
        assert own["elo"] == pytest.approx(value, abs=1), name
        assert own["games"] == sum(name in (game["black"], game["white"]) for game in games)
        row = rf"\| `{re.escape(name)}`[^|]*\| {own['elo']} \| [^|]* \| {own['games']} \|"
        assert all(re.search(row, page) for page in pages), name
