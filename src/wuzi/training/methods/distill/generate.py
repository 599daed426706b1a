"""Making games with labels: a player plays itself, a teacher says what it thinks, workers share the games.

A game depends on the recipe and its number alone, so the data are the same with any number of workers.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from wuzi.base.store import LineFile
from wuzi.contract import Limit, Line, Player
from wuzi.core import Game, Rules
from wuzi.core.notation import Move
from wuzi.errors import ConfigError
from wuzi.evaluation.codebook import LOGIT
from wuzi.nets.planes import records_of, run_counts
from wuzi.players import create_player
from wuzi.players.net_transfer import nets_of, with_nets
from wuzi.players.spec import REPRODUCIBLE
from wuzi.training.methods.distill.game_file import (
    LabelledGame,
    LabelledMove,
    read_games,
    rules_of_settings,
    shard_path,
    write_settings,
)
from wuzi.workers.crew import Executor, WorkerKind, perform
from wuzi.workers.local import Local

ENGINE = REPRODUCIBLE
"""The teacher that ``--labels engine`` means: the same position gives the same label."""

TEACHER = "teacher"
"""The player of a recipe whose games the teacher plays: one search gives label and move."""

_NEAR = 2


@dataclass(frozen=True, slots=True)
class Recipe:
    """What the games and labels are; the same recipe gives the same data.

    Attributes:
        player: who plays both sides, a spec or :data:`TEACHER`.
        opening: least and most random stones that a game begins with. Without them a player that does
            not vary would play one game over and over.
        explore: the chance that a move is drawn among the player's best ``explore_top``.
        labels: the teacher, a spec; None for none.
        nodes, simulations: what the teacher may spend on a position.
        multipv: candidates in a label.
    """

    rules: Rules
    player: str = "weight"
    seed: int = 0
    opening: tuple[int, int] = (0, 6)
    explore: float = 0.1
    explore_top: int = 4
    labels: str | None = None
    nodes: int | None = None
    simulations: int | None = None
    multipv: int = 8

    def __post_init__(self) -> None:
        low, high = self.opening
        if not 0 <= low <= high < self.rules.num_cells:
            raise ConfigError(f"opening of {low} to {high} stones on {self.rules.label}")
        if not 0 <= self.explore <= 1:
            raise ConfigError(f"explore={self.explore}: expected 0 to 1")
        if self.player == TEACHER and self.labels is None:
            raise ConfigError(f"player {TEACHER!r} plays the best of its labels: expected a teacher (labels)")

    def to_json(self) -> dict[str, Any]:
        """As JSON-compatible data."""
        rest = {key: value for key, value in asdict(self).items() if key != "rules"}
        return {**self.rules.to_json(), **rest, "opening": list(self.opening)}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Recipe:
        """The recipe that :meth:`to_json` wrote."""
        rest = {key: value for key, value in data.items() if key not in ("size", "win_length", "rule")}
        return cls(rules_of_settings(data), **{**rest, "opening": tuple(data["opening"])})


def generate(
    recipe: Recipe,
    folder: Path,
    games: int,
    player: Player | None,
    teacher: Player | None = None,
    on_game: Callable[[int], object] | None = None,
) -> int:
    """Write games into a folder until it holds ``games``; those already there stay.

    The ``player`` (None if that is the teacher) and the ``teacher`` are those that the recipe names; see
    :func:`extend` for the rest.
    """

    def made(first: int) -> Iterator[str]:
        size = recipe.rules.size
        return (make_game(recipe, number, player, teacher).to_line(size) for number in range(first, games))

    return extend(recipe, folder, games, made, on_game)


def extend(
    recipe: Recipe,
    folder: Path,
    games: int,
    made: Callable[[int], Iterable[str]],
    on_game: Callable[[int], object] | None = None,
) -> int:
    """Write games into a folder until it holds ``games``; those already there stay.

    Each game is written when it ends, as one line; killed at any moment, at most one game is lost, and
    the same games come out as without the interruption. ``made`` gives the lines of the games from a number
    on, in order; ``on_game`` is called with the number of games there are, after each, and True ends it.

    How many were made now; a ConfigError where the folder was begun with another recipe, a RecordError where
    it is damaged.
    """
    write_settings(folder, recipe.to_json())
    there = first = sum(1 for _ in read_games(folder, recipe.rules.size))
    for line in made(first) if first < games else ():
        LineFile(shard_path(folder, there)).append(line)
        there += 1
        if on_game is not None and on_game(there) is True:
            break
    return there - first


def make_game(
    recipe: Recipe, number: int, player: Player | None, teacher: Player | None = None
) -> LabelledGame:
    """Play and label one game; it depends on the recipe and its number alone.

    Without a player the teacher's candidates are what is played, the best or one of the best few.
    """
    rng = np.random.default_rng([recipe.seed, number])
    opening = int(rng.integers(recipe.opening[0], recipe.opening[1] + 1))
    game, limit = Game(recipe.rules), Limit(nodes=recipe.nodes, simulations=recipe.simulations)
    drawn: list[int] = []
    labels: list[tuple[LabelledMove, ...]] = []
    before = []
    while game.outcome is None:
        before.append(game)
        lines: Sequence[Line] = ()
        if teacher is not None:
            lines = teacher.think(game, limit, multipv=recipe.multipv).info.lines
            labels.append(tuple(map(_candidate, lines)))
        if game.ply < opening:
            drawn.append(game.ply)
            game = game.play(_near(game, rng))
            continue
        explored = rng.random() < recipe.explore
        if player is None:
            lines = lines[: recipe.explore_top]
        else:
            lines = player.think(game, multipv=recipe.explore_top if explored else 1).info.lines
        if explored:
            drawn.append(game.ply)
        game = game.play(lines[int(rng.integers(len(lines))) if explored else 0].move)
    counts = run_counts(records_of(before)).astype(int)
    winner = game.outcome.winner
    return LabelledGame(
        number=number,
        moves=game.moves,
        random=tuple(drawn),
        winner=0 if winner is None else int(winner),
        features=tuple(map(tuple, counts.tolist())),
        labels=tuple(labels),
    )


def _near(game: Game, rng: np.random.Generator) -> Move:
    """A random empty cell within two of a stone; on an empty board, of the centre."""
    size = game.rules.size
    board = game.position.cells.reshape(size, size) != 0
    if not board.any():
        board[size // 2, size // 2] = True
    near = np.zeros_like(board)
    for row, col in np.argwhere(board):
        near[max(0, row - _NEAR) : row + _NEAR + 1, max(0, col - _NEAR) : col + _NEAR + 1] = True
    choices = np.flatnonzero(near.reshape(-1) & game.position.legal_mask())
    return Move(rng.choice(choices if len(choices) else np.flatnonzero(game.position.legal_mask())), size)


def _candidate(line: Line) -> LabelledMove:
    """A line of a search as a label; a value without a score becomes points of the same meaning."""
    score = line.score
    if score is None:
        value = min(0.999, max(-0.999, line.value or 0.0))
        score = 2 * LOGIT * math.atanh(value)
    return LabelledMove(int(line.move), round(float(score), 2), line.visits, line.win_in)


_AHEAD = 2
"""Games asked of a worker at a time: one more than it works on."""


def make_games(
    recipe: Recipe, player: str, first: int, last: int, workers: int = 1, executor: Executor | None = None
) -> Iterator[str]:
    """The lines of games ``first`` to ``last`` (exclusive) of a recipe, in order.

    ``player`` is the spec of who plays both sides, or ``TEACHER``; ``recipe.player`` is its name only. One
    worker on this machine plays in this process, 0 elsewhere means all processors.

    A ConfigError if there is no such player; a JobError where workers failed.
    """
    where = executor or Local()
    specs = [text for text in (player, recipe.labels) if text and text != TEACHER]
    nets, files = nets_of([] if where.shares_disk else specs, recipe.rules)
    setup = {"recipe": recipe.to_json(), "player": player, "nets": nets}
    if where.shares_disk and workers == 1:
        with contextlib.closing(LocalGenerator(setup, {})) as maker:
            yield from (maker.make(number) for number in range(first, last))
        return
    # An answer is a whole game, which takes as long as the teacher's budget says.
    kind = WorkerKind(
        "wuzi.training.methods.distill.generate:LocalGenerator", setup, files, silence_s=math.inf
    )
    with contextlib.closing(where.crew(kind, min(workers, last - first))) as crew:
        tasks = ((number, {"number": number}) for number in range(first, last))
        for _, answer in perform(crew, tasks, ahead=_AHEAD, in_order=True):
            yield answer["line"]


class LocalGenerator:
    """Player and teacher in this process; a :class:`wuzi.workers.crew.Worker`."""

    def __init__(self, setup: Mapping[str, Any], files: Mapping[str, Path]) -> None:
        """Make the players, of a ``recipe`` and a ``player`` with the ``nets`` that came with the kind."""
        self._recipe = Recipe.from_json(setup["recipe"])
        nets = {text: str(files[name]) for text, name in setup["nets"].items()}
        specs = None if setup["player"] == TEACHER else setup["player"], self._recipe.labels
        with contextlib.ExitStack() as stack:
            self._player, self._teacher = (
                stack.enter_context(create_player(with_nets(spec, nets), allow_command=True))
                if spec
                else None
                for spec in specs
            )
            self._stack = stack.pop_all()

    def make(self, number: int) -> str:
        """One game as a line."""
        game = make_game(self._recipe, number, self._player, self._teacher)
        return game.to_line(self._recipe.rules.size)

    def answer(self, request: dict[str, Any], shared: Sequence[bytes]) -> dict[str, Any]:
        """One game as a line."""
        return {"line": self.make(request["number"])}

    def stop(self) -> None:
        """Nothing can be ended in the middle."""

    def close(self) -> None:
        """Close the players."""
        self._stack.close()
