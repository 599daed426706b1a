"""The games of a run of distillation: made, written down as they end, and read again."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from wuzi.base.machine import processors
from wuzi.core import Rules
from wuzi.errors import ConfigError
from wuzi.training.data.games import SelfPlayGame, Shards
from wuzi.training.methods.distill.config import DistillSettings, OwnGames
from wuzi.training.methods.distill.game_file import LabelledGame, read_games, read_settings, rules_of_settings
from wuzi.training.methods.distill.generate import ENGINE, Recipe, extend, make_games
from wuzi.training.methods.distill.rows import searched_game
from wuzi.training.methods.selfplay.fleet import make_workers
from wuzi.training.methods.selfplay.workers import SelfPlayTask, SelfPlayWorkers
from wuzi.training.run.context import RunContext
from wuzi.training.run.directory import SELFPLAY

_VISITS = 10_000
"""What the shares of a search are counted in."""

_WINNERS = {1: 1, -1: 2, 0: 0}


class Collector:
    """Makes the data of a run, and the student's own games.

    ``progress`` is told what is made, how many games of it, and of how many.
    """

    def __init__(
        self, settings: DistillSettings, context: RunContext, progress: Callable[[str, int, int], None]
    ) -> None:
        self._settings, self._rules = settings, settings.game.rules
        self._folder, self._shards = context.directory.path, Shards(context.directory.path / SELFPLAY)
        self._progress, self._clock, self._executor = progress, context.clock, context.executor
        self._workers: SelfPlayWorkers | None = None

    def close(self) -> None:
        """End the processes of self-play."""
        if self._workers is not None:
            self._workers.close()

    # ------------------------------------------------------------------ the data

    def data(self) -> list[LabelledGame] | None:
        """The games to begin with, made if they are missing; None if time was over before.

        A ConfigError for folders of other boards, a RecordError for a damaged one.
        """
        data = self._settings.data
        if data.folders is None:
            if not self._make("data", data.player, data.player, data.games, "data"):
                return None
            return list(read_games(self._folder / "data", self._rules.size))[: data.games]
        found: list[LabelledGame] = []
        for text in data.folders.split(","):
            folder = Path(text.strip())
            rules = rules_of_settings(read_settings(folder))
            if rules != self._rules:
                raise ConfigError(f"{folder}: games of {rules.label}, the run is of {self._rules.label}")
            found += read_games(folder, rules.size)
        return found

    def _make(self, folder: str, player: str, spec: str, games: int, what: str) -> bool:
        """Until a folder holds so many games of a player of that name; False if time was over before."""
        data, where, there = self._settings.data, self._executor, 0
        recipe = Recipe(
            rules=self._rules,
            player=player,
            seed=self._settings.run.seed,
            opening=(data.opening_plies_min, data.opening_plies_max),
            explore=data.explore,
            labels=ENGINE if data.labels == "engine" else data.labels,
            nodes=data.nodes if data.labels else None,
            multipv=data.multipv,
        )
        workers = data.workers
        if where is None or where.shares_disk:
            workers = min(workers or processors(), processors())

        def on_game(number: int) -> bool:
            nonlocal there
            there = number
            self._progress(what, number, games)
            return self._clock.is_over

        lines = partial(make_games, recipe, spec, last=games, workers=workers, executor=where)
        return extend(recipe, self._folder / folder, games, lines, on_game) == 0 or there == games

    # ------------------------------------------------------------------ the student's own games

    def play(self, net: Path, iteration: int, games: int) -> bool:
        """Let a net play until there are ``games`` of all rounds together; False if time was over before."""
        if self._settings.data.own is OwnGames.LABELLED:
            player = f"policy:net={net},temperature=1"
            return self._make("own", "student", player, games, "games of the student")
        shards, options = self._shards, self._settings.selfplay
        if shards.count >= games:
            return True
        if self._workers is None:
            taken, seed = frozenset(shards.numbers()), self._settings.run.seed
            task = SelfPlayTask(self._rules, options, seed, self._folder / SELFPLAY, taken)
            self._workers = make_workers(task, options.workers, self._executor)
        workers = self._workers
        workers.use(net, iteration)
        for ended in workers.games():
            if ended is not None:
                shards.append(ended.line)
                self._progress("self-play", shards.count, games)
            if shards.count >= games or self._clock.is_over:
                break
        for ended in workers.pause():
            shards.append(ended.line)
        return shards.count >= games

    def own(self, first: int, last: int) -> list[LabelledGame]:
        """The student's games ``first`` to ``last`` (exclusive) in the order they were written down."""
        if self._settings.data.own is OwnGames.LABELLED:
            return list(read_games(self._folder / "own", self._rules.size))[first:last]
        played = enumerate(self._shards.read(first, last), start=first)
        return [_labelled(self._rules, number, game) for number, game in played]


def _labelled(rules: Rules, number: int, game: SelfPlayGame) -> LabelledGame:
    visits: list[dict[int, int]] = [{} for _ in range(game.opening)]
    for row in game.rows:
        counts = zip(row.cells.tolist(), row.shares.tolist(), strict=True)
        visits.append({cell: round(share * _VISITS) for cell, share in counts})
    return searched_game(rules, number, game.moves.tolist(), visits, _WINNERS[game.result])
