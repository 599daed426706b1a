"""The ratings of the shipped nets, recounted from the games that were kept."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.evidence.recount import (
    ROOT,
    Game,
    assert_legal,
    counts,
    kept,
    ratings,
    rows_of,
    score_interval,
)

CARDS = ROOT / "src/wuzi/data/nets"
FOLDER = ROOT / "benchmarks/nets"

pytestmark = pytest.mark.slow


def measured(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((CARDS / f"{name}.json").read_text("utf-8"))["measured"]
    return found


def names() -> list[str]:
    return sorted(path.stem for path in CARDS.glob("*.safetensors"))


def games_of(name: str) -> list[Game]:
    return kept(FOLDER / name / "games.jsonl.gz")


@pytest.mark.parametrize("name", names())
def test_the_games_of_the_card_are_kept_and_legal(name: str) -> None:
    games = games_of(name)
    assert_legal(games)
    settings = json.loads((FOLDER / name / "tournament.json").read_text("utf-8"))["settings"]
    players = {entry["label"]: entry["spec"] for entry in settings["entries"]}
    assert players == {"net": measured(name)["rating"]["player"], **measured(name)["rating"]["anchors"]}


@pytest.mark.parametrize("name", names())
def test_the_card_says_these_figures(name: str) -> None:
    card, games = measured(name), games_of(name)
    own = [game for game in games if "net" in (game["black"], game["white"])]
    for match in card["matches"]:
        against = [game for game in own if match["against"] in (game["black"], game["white"])]
        assert counts(against, "net") == (match["wins"], match["draws"], match["losses"])
        low, high = score_interval(against, "net")
        assert (match["low"], match["high"]) == pytest.approx((low, high), abs=0.02)
    (anchor,) = card["rating"]["fixed"].items()
    value = ratings(games, *anchor)["net"]
    assert (card["rating"]["value"], card["rating"]["games"]) == (pytest.approx(value, abs=0.1), len(own))
    for key, first in (("first", True), ("second", False)):
        mine = [game for game in own if (game["first_player"] == "net") is first]
        said = card["first_player"][key]
        assert (said["games"], said["value"]) == (
            len(mine),
            pytest.approx(counts(mine, "net")[0] / len(mine), abs=5e-5),
        )


@pytest.mark.parametrize("page", ["details.md", "details.zh.md"])
def test_the_page_says_what_the_cards_say(page: str) -> None:
    text = (ROOT / "docs/results" / page).read_text("utf-8")
    said = {row[0].strip("*`").split("`")[0]: row for row in rows_of(text) if len(row) == 5}
    for name in names():
        card, row = measured(name), said[name]
        weight = next(match for match in card["matches"] if match["against"] == "weight")
        assert row[3] == f"{weight['wins']}-{weight['draws']}-{weight['losses']}"
        # A net that won every rating game has no value, only a bound.
        swept = all(match["wins"] == match["games"] for match in card["matches"])
        assert str(round(card["rating"]["low" if swept else "value"])) in row[2]
        win = card["tactics"]["win"]
        assert str(win["right"]) in row[4]


@pytest.mark.parametrize("page", ["presets.md", "presets.zh.md"])
def test_the_page_of_presets_says_what_trainings_took_and_gave(page: str) -> None:
    _, *said = (row for row in rows_of((ROOT / "docs" / page).read_text("utf-8")) if len(row) == 7)
    known = {"distill-15x15": ("15x15", "15x15"), "s4-full": ("s4-full", "s4")}
    assert len(said) >= 12
    for preset, _, *figures, interval in said:
        run, net = known.get(preset.strip("`"), (preset.strip("`"),) * 2)
        took = json.loads((ROOT / "docs/results/training" / run / "summary.json").read_text("utf-8"))
        gave = measured(net)["rating"]
        values = [took["seconds"] / 60, took["games"], took["parameters"], gave["value"]]
        values += [gave["low"], gave["high"]]
        written = [*figures, *interval.split()[::2]]
        assert [int(figure.replace(",", "")) for figure in written] == list(map(round, values)), preset
