"""Self-play of the engine's codebook net: by command, in a training run, in another process."""

from __future__ import annotations

from dataclasses import replace
from itertools import count, islice
from pathlib import Path
from typing import Any

import pytest

from tests.training.tiny import run, settings
from wuzi.base.settings import section_values
from wuzi.core import Game, Rule, Rules
from wuzi.errors import UnsupportedError
from wuzi.evaluation.codebook import shipped_path
from wuzi.nets.codebook import CodebookEvaluator
from wuzi.search.tree.options import SearchAlgorithm
from wuzi.training.data.games import SelfPlayGame, Shards
from wuzi.training.methods.selfplay.games import SelfPlay
from wuzi.training.methods.selfplay.generate import generate
from wuzi.training.methods.selfplay.workers import PlayWorker, contents_of
from wuzi.training.run.config import SelfPlaySection
from wuzi.training.run.directory import SELFPLAY, RunDirectory

RULES = Rules(6, 4)
OPTIONS = SelfPlaySection(simulations=12, concurrency=3, workers=1, considered=4)


def lines(games: Any) -> list[str]:
    return [game.to_line() for game in sorted(games, key=lambda game: game.number)]


def of_the_net(options: SelfPlaySection, games: int, seed: int = 1) -> list[str]:
    """The games of these numbers by the evaluator itself, each alone."""
    found = []
    for number in range(games):
        alone = replace(options, concurrency=1)
        play = SelfPlay(RULES, alone, CodebookEvaluator(), seed=seed, net=0, numbers=count(number))
        found.append(next(game for ended in iter(play.step, None) for game in ended))
    return lines(found)


@pytest.mark.parametrize("search", [SearchAlgorithm.PUCT, SearchAlgorithm.GUMBEL])
def test_the_net_plays_itself_by_name(search: SearchAlgorithm, tmp_path: Path) -> None:
    options = replace(OPTIONS, search=search)
    assert generate("codebook", RULES, options, tmp_path, games=4) >= 4
    games = list(Shards(tmp_path).read(0))
    assert len(set(of_the_net(options, 5)) & set(lines(games))) >= 2
    for game in games:
        assert Game.from_moves(RULES, game.moves.tolist()).outcome is not None
        assert all(row.shares.sum() == pytest.approx(1, abs=1e-3) for row in game.rows)
    assert any(len(row.cells) > 1 for game in games for row in game.rows)
    with pytest.raises(UnsupportedError, match="caro"):
        generate("codebook", Rules(9, 5, Rule.CARO), options, tmp_path / "caro", games=1)


def test_a_worker_takes_the_net_as_one_file(tmp_path: Path) -> None:
    setup = {
        "rules": {"size": 6, "win_length": 4, "rule": "freestyle"},
        **{"options": section_values(OPTIONS), "seed": 1, "device": "cpu", "openings": []},
    }
    worker, games = PlayWorker(setup, {}), list[SelfPlayGame]()
    shared = contents_of(shipped_path(RULES.rule, 4))
    request = {"seconds": 0.05, "going_on": [], "iteration": 0, "doubled": 0, "open": False}
    while len(games) < 4:
        answer = worker.answer({**request, "fresh": list(range(40)) if shared else []}, shared)
        games += [SelfPlayGame.from_line(line, "here") for line in answer["games"]]
        shared = ()
    assert answer["evaluations"] > 0
    assert len(set(of_the_net(OPTIONS, 5)) & set(lines(games))) >= 2


def test_a_run_learns_from_games_of_the_codebook_net(tmp_path: Path) -> None:
    chosen = settings("selfplay.net=codebook", "selfplay.simulations=8")
    run(tmp_path, chosen)
    directory = RunDirectory(tmp_path)
    games = list(islice(Shards(directory.path / SELFPLAY).read(0), 2))
    seed = chosen.run.seed
    assert set(lines(games)) <= set(of_the_net(chosen.selfplay, 4, seed))
    assert [row["iteration"] for row in directory.rows("metrics.jsonl")] == [1, 2]
