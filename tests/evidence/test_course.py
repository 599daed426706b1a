"""The tables of the course, recounted from the games that were kept."""

from __future__ import annotations

import json
import re

import pytest

from tests.evidence.recount import ROOT, Game, assert_legal, by_pair, counts, kept, ratings, rows_of, score

FOLDER = ROOT / "benchmarks/course"
PAGES = ["course.md", "course.zh.md"]
STEPS = sorted(path.parent.name for path in FOLDER.glob("*/games.jsonl.gz"))


def games_of(step: str) -> list[Game]:
    return kept(FOLDER / step / "games.jsonl.gz")


def named_rows(page: str) -> dict[str, list[str]]:
    """The rows of all tables by their first cell."""
    rows = rows_of((ROOT / "docs/tutorials" / page).read_text("utf-8"))
    return {re.split("[:：]", row[0].strip("`"))[0]: row for row in rows}


def numbers(text: str) -> list[float]:
    return [float(n) for n in re.findall(r"[-+]?[\d.]+", text.replace("−", "-").replace(",", ""))]


@pytest.mark.parametrize("step", STEPS)
def test_every_game_is_legal(step: str) -> None:
    assert_legal(games_of(step))


def test_the_steps() -> None:
    wanted = ["classical", "final", "learning", "random", "search", "untrained", "untrained-search"]
    assert wanted == STEPS


@pytest.mark.parametrize("page", PAGES)
def test_the_tables(page: str) -> None:
    said = named_rows(page)
    for name, elo in ratings(games_of("classical")).items():
        assert numbers(said[name][1])[0] == pytest.approx(elo, abs=0.6), name
    learning, search = by_pair(games_of("learning")), by_pair(games_of("search"))
    for name in ("early", "middle", "late"):
        own = learning[frozenset((name, "weight"))]
        assert said[name][1] == "-".join(map(str, counts(own, name)))
        assert numbers(said[name][2]) == [100 * score(own, name)]
    for simulations in (4, 16, 64, 256):
        own = search[frozenset((f"az{simulations}", "weight"))]
        assert numbers(said[str(simulations)][1]) == [100 * score(own, f"az{simulations}")]


@pytest.mark.parametrize("page", PAGES)
def test_the_training(page: str) -> None:
    rows = map(json.loads, (FOLDER / "metrics.jsonl").read_text("utf-8").splitlines())
    at = {row["iteration"]: row for row in rows}
    text = (ROOT / "docs/tutorials" / page).read_text("utf-8")
    for iteration in (1, 10, 40, 100, 200):
        row = at[iteration]
        line = next(
            line for line in text.splitlines() if line.startswith(f"| {iteration} |") and line.count("|") == 7
        )
        cells = [cell.strip() for cell in line.strip("| ").split("|")]
        assert numbers(cells[1])[0] == pytest.approx(row["seconds"], abs=0.6)
        assert numbers(cells[2]) == [row["total_games"]]
        assert numbers(cells[3])[0] == pytest.approx(row["policy_loss"], abs=0.0051)
        assert numbers(cells[4])[0] == pytest.approx(row["value_loss"], abs=0.0051)
        if "anchor_elo" in row:
            wanted = [row[key] for key in ("anchor_elo", "anchor_elo_low", "anchor_elo_high")]
            assert numbers(cells[5]) == pytest.approx(wanted, abs=0.6)


@pytest.mark.parametrize("page", PAGES)
def test_the_scores_in_the_text(page: str) -> None:
    text = (ROOT / "docs/tutorials" / page).read_text("utf-8").replace(" %", "%")
    for step, name, other in (
        ("untrained", "net", "random"),
        ("untrained-search", "searching", "weight"),
        ("final", "alphazero", "mcts3200"),
        ("final", "alphazero", "alphabeta"),
    ):
        own = by_pair(games_of(step))[frozenset((name, other))]
        assert f"{100 * score(own, name):g}%" in text, (step, other)
    first = [game for game in games_of("random") if game["winner"] == "black"]
    assert f"{len(first)} " in text and len(games_of("random")) == 400
    solver = json.loads((FOLDER / "solver.json").read_text("utf-8"))
    assert (solver["wins"], solver["different"]) == (50, len(set(solver["moves"])))
