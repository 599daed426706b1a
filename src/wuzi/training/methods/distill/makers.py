"""Workers that make games with labels, one game a request.

A game depends on the recipe and its number alone, so the data are the same with any number of workers.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from wuzi.contract import Player
from wuzi.core.rules import Rules
from wuzi.players import create_player
from wuzi.players.shipping import nets_of, with_nets
from wuzi.training.methods.distill.generate import TEACHER, Recipe, make_game
from wuzi.workers.crew import Executor, Job
from wuzi.workers.local import Local
from wuzi.workers.tasks import perform

_AHEAD = 2
"""Games asked of a worker at a time: one more than it works on."""


def make_games(
    recipe: Recipe, player: str, first: int, last: int, workers: int = 1, executor: Executor | None = None
) -> Iterator[str]:
    """The lines of games ``first`` to ``last`` (exclusive) of a recipe, in order.

    Args:
        recipe: what they are.
        player: the spec of who plays both sides, or ``TEACHER``; ``recipe.player`` is its name only.
        first: the first number.
        last: the number after the last.
        workers: how many; 1 on this machine plays in this process, 0 on others means all processors.
        executor: where; on this machine by default.

    Raises:
        ConfigError: no such player.
        JobError: workers failed.
    """
    where = executor or Local()
    specs = [] if where.shares_disk else [*_player_of(player), *filter(None, [recipe.labels])]
    nets, files = nets_of(specs, recipe.rules)
    setup = {"recipe": recipe.to_json(), "player": player, "nets": nets}
    if where.shares_disk and workers == 1:
        with Maker(setup, {}) as maker:
            yield from (maker.make(number) for number in range(first, last))
        return
    crew = where.crew(
        Job("wuzi.training.methods.distill.makers:Maker", setup, files), min(workers, last - first)
    )
    try:
        tasks = ((number, {"number": number}) for number in range(first, last))
        for _, answer in perform(crew, tasks, ahead=_AHEAD, in_order=True):
            yield answer["line"]
    finally:
        crew.close()


class Maker:
    """Player and teacher in this process; a :class:`wuzi.workers.crew.Worker`."""

    def __init__(self, setup: Mapping[str, Any], files: Mapping[str, Path]) -> None:
        """Make the players.

        Args:
            setup: ``recipe``, ``player``, and ``nets`` that came with the job.
            files: those nets.

        Raises:
            ConfigError: no such player.
        """
        self._recipe = _recipe_of(setup["recipe"])
        nets = {text: str(files[name]) for text, name in setup["nets"].items()}
        with contextlib.ExitStack() as stack:
            self._player: Player | None = None
            for spec in _player_of(setup["player"]):
                self._player = stack.enter_context(create_player(with_nets(spec, nets), allow_command=True))
            self._teacher = None
            if self._recipe.labels:
                teacher = with_nets(self._recipe.labels, nets)
                self._teacher = stack.enter_context(create_player(teacher, allow_command=True))
            self._stack = stack.pop_all()

    def __enter__(self) -> Maker:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

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


def _player_of(spec: str) -> list[str]:
    """The spec of who plays, nothing where that is the teacher."""
    return [] if spec == TEACHER else [spec]


def _recipe_of(data: dict[str, Any]) -> Recipe:
    values = dict(data)
    rules = Rules(values.pop("size"), values.pop("win_length"), values.pop("rule"))
    return Recipe(rules, **{**values, "opening": tuple(values["opening"])})
