"""Single matches that pages quote, recounted from the kept games."""

from __future__ import annotations

import json
import math
import re

import numpy as np
import pytest

from tests.evidence.recount import ROOT, Game, assert_legal, counts, kept, score, score_interval, units_of

FOLDER = ROOT / "benchmarks/matches"
PAGES = (
    *("results/README", "results/details", "search-measured", "codebook-net"),
    *("training-internals", "training-measured", "analysis", "ppo"),
)
ITSELF = ("engine-balance", "engine-even", "engine-uneven")


def match_of(folder: str) -> tuple[str, list[Game]]:
    """Whose score is told, and the games: the first player's, or Black's where the engine plays itself."""
    games = kept(FOLDER / folder / "games.jsonl.gz")
    if folder.startswith(ITSELF):
        return "Black", [{**game, "black": "Black", "white": "White"} for game in games]
    settings = json.loads((FOLDER / folder / "tournament.json").read_text("utf-8"))["settings"]
    return settings["entries"][0]["label"], games


def folders() -> list[str]:
    return sorted(path.name for path in FOLDER.iterdir())


def text_of(ending: str) -> str:
    return "\n".join((ROOT / "docs" / f"{page}{ending}").read_text("utf-8") for page in PAGES)


@pytest.mark.parametrize("folder", folders())
def test_every_game_is_legal(folder: str) -> None:
    assert_legal(match_of(folder)[1])


@pytest.mark.parametrize("ending", [".md", ".zh.md"])
@pytest.mark.parametrize("folder", folders())
def test_a_page_says_the_score_and_its_interval(folder: str, ending: str) -> None:
    name, games = match_of(folder)
    wins, draws, losses = counts(games, name)
    wanted = 100 * score(games, name)
    text = text_of(ending)
    if row := re.search(rf"^\|.*\| `{folder}` \|", text, re.MULTILINE):
        text = row[0]
        *_, told, said, elo = text.split("|")[:-2] if "±" in text else [*text.split("|")[:-2], ""]
        assert [int(n) for n in re.findall(r"\d+", told)] == [wins, draws, losses]
        assert float(re.findall(r"[\d.]+", said)[0]) == pytest.approx(wanted, abs=0.051)
        if elo:
            value, error = (float(n) for n in re.findall(r"[-\d.]+", elo.replace("−", "-")))
            assert value == pytest.approx(elo_of(wanted / 100), abs=0.51)
            assert error == pytest.approx(half_width(games, name), abs=1.5)
            return
    triple = r"([\d.]+) ?%?[,，(（ ]+([\d.]+) ?%? (?:to|到|至) ([\d.]+)"
    quoted = [[float(n) for n in found] for found in re.findall(triple, " ".join(text.split()))]
    interval = [100 * end for end in score_interval(games, name)]
    assert any(
        found[0] == pytest.approx(wanted, abs=0.051) and found[1:] == pytest.approx(interval, abs=0.8)
        for found in quoted
    ), (wanted, interval)


def elo_of(share: float) -> float:
    return -400 * math.log10(1 / share - 1)


def half_width(games: list[Game], name: str) -> float:
    """Half the 95 % interval of the Elo difference, from the spread of the openings' scores."""
    scores = np.array(units_of(games, name))
    error = 1.96 * scores.std() / math.sqrt(len(scores))
    return (elo_of(scores.mean() + error) - elo_of(scores.mean() - error)) / 2
