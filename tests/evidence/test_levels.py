"""The ratings of the levels, recounted from the games that were kept."""

from __future__ import annotations

import json
import re

import pytest

from tests.evidence.recount import ROOT, assert_legal, kept, ratings


def test_the_ratings_and_the_pages_that_show_them() -> None:
    folder = ROOT / "benchmarks/levels"
    games = [game for path in sorted(folder.glob("*/games.jsonl.gz")) for game in kept(path)]
    assert_legal(games)
    said = json.loads((ROOT / "src/wuzi/data/levels/ratings.json").read_text("utf-8"))
    players = {**said["levels"], **said["others"]}
    fitted = ratings(games, said["anchor"]["player"], said["anchor"]["elo"])
    assert said["games"] == len(games) and set(fitted) == set(players)
    pages = [(ROOT / "docs" / name).read_text("utf-8") for name in ("analysis.md", "analysis.zh.md")]
    for name, value in fitted.items():
        own = players[name]
        assert own["elo"] == pytest.approx(value, abs=1), name
        assert own["games"] == sum(name in (game["black"], game["white"]) for game in games)
        elo = str(own["elo"]).replace("-", "−")
        row = rf"\| `{re.escape(name)}`[^|]*\| {elo} \| [^|]* \| {own['games']} \|"
        assert all(re.search(row, page) for page in pages), name
