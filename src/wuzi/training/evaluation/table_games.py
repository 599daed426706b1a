"""How strong a net's policy is alone: games without any search against the score table.

With search an untrained net is strong already on a small board, as search and exact tactics find wins without
it. So this is what shows that a net learns.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np

from wuzi.arena import Entry, Estimate, GameResult, TournamentConfig, score_interval, tally
from wuzi.arena.schedule import book_of, schedule
from wuzi.contract import Limit
from wuzi.core import Color, Game, Rules
from wuzi.nets.file import NetFile, load_net
from wuzi.nets.planes import PlaneEncoder, records_of
from wuzi.players.policy import policy_cells
from wuzi.players.registry import create_player
from wuzi.training.evaluation.players import EvaluationGames, score_of
from wuzi.training.methods.selfplay.workers import open_evaluator
from wuzi.training.run.config import SelfPlayBackend, TrainSettings
from wuzi.training.run.directory import METRICS, RunDirectory
from wuzi.training.run.nets import net_name

GAMES = 120
"""Those of ``wuzi match policy:net=... weight --openings auto --games 120``: 60 openings, both colours."""


def play_table(
    net: NetFile, rules: Rules, games: EvaluationGames, meanwhile: Callable[[], None] = lambda: None
) -> Estimate:
    """Play what is missing; the net's score, 0 to 1. ``meanwhile`` is called between moves."""
    if len(games.scores) < GAMES:
        for number, (game, color) in enumerate(table_games(net, rules, meanwhile)):
            if number not in games.scores:
                games.add(number, game, color)
    return _estimate(games.scores)


def table_games(
    net: NetFile, rules: Rules, meanwhile: Callable[[], None] = lambda: None
) -> list[tuple[Game, Color]]:
    """The games of a net, all at once, with its colours; each opening first with Black, then with White."""
    evaluator = open_evaluator(net, SelfPlayBackend.ONNX, "cpu", GAMES)
    encoder = PlaneEncoder(evaluator.planes, rules)
    games = [(game, color) for game in _openings(rules) for color in (Color.BLACK, Color.WHITE)]
    with create_player("weight") as table:
        while going := [i for i, (game, _) in enumerate(games) if game.outcome is None]:
            own = [i for i in going if games[i][0].to_move is games[i][1]]
            for i in {*going} - {*own}:
                game, color = games[i]
                games[i] = game.play(table.think(game, Limit()).info.lines[0].move), color
            if own:
                boards = [games[i][0] for i in own]
                logits, _ = evaluator.evaluate(encoder.encode(records_of(boards)))
                allowed = np.stack([policy_cells(game.position) for game in boards])
                for i, move in zip(own, np.where(allowed, logits, -np.inf).argmax(axis=1), strict=True):
                    games[i] = games[i][0].play(int(move)), games[i][1]
            meanwhile()
    return games


def first_score(directory: RunDirectory, settings: TrainSettings) -> float | None:
    """The score of the net that a run began with; None where its file is gone and no row has it."""
    rows = directory.rows(METRICS)
    known = next((row["untrained_score"] for row in rows if "untrained_score" in row), None)
    rules = settings.game.rules
    path = directory.nets / f"{net_name(rules, settings.net.architecture, 0, 0)}.safetensors"
    if known is not None or not path.exists():
        return known
    played = table_games(load_net(path, check=False), rules)
    return _estimate({i: score_of(*one) for i, one in enumerate(played)}).value


@cache
def _openings(rules: Rules) -> tuple[Game, ...]:
    entries = Entry("policy", "policy"), Entry("weight", "weight")
    match = TournamentConfig(entries, rules, games=GAMES, openings="auto")
    return tuple(game.opening.game(rules) for game in schedule(match, book_of(match))[::2])


def _estimate(scores: dict[int, float]) -> Estimate:
    """The mean of all games, with its interval by pairs."""
    sides, played = ("black", "white"), list[GameResult]()
    for number, score in sorted(scores.items()):
        own, other = sides if number % 2 == 0 else sides[::-1]
        players = ("net", "table") if own == "black" else ("table", "net")
        winner = "draw" if score == 0.5 else own if score else other
        played.append(GameResult(f"{number // 2}-{number % 2 + 1}", *players, winner))
    return score_interval(tally(played, "net"))
