"""The games of an iteration's evaluations, and what they decide."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from wuzi.nets.file import load_net
from wuzi.training.evaluation import gate
from wuzi.training.evaluation.duel import NetSide
from wuzi.training.evaluation.gate import Journal, Record, Standing, Verdict
from wuzi.training.methods.selfplay.workers import open_evaluator
from wuzi.training.run.config import Gate, SelfPlayBackend, TrainSettings
from wuzi.training.run.directory import BEST, CURRENT, RunDirectory

EVALUATIONS = "evaluations.jsonl"

Say = Callable[[str, str, Mapping[str, Any] | None], None]


class Judge:
    """Plays what is due after an iteration; its games are written down one by one."""

    def __init__(
        self,
        directory: RunDirectory,
        settings: TrainSettings,
        iteration: int,
        say: Say,
        is_over: Callable[[], bool],
    ) -> None:
        """Judge the current net of a run.

        Args:
            directory: the run.
            settings: its parameters.
            iteration: which the net comes from.
            say: told the kind, text and data of what happens, as in an event.
            is_over: whether to stop before the next game.
        """
        self._directory, self._settings, self._iteration = directory, settings, iteration
        self._say, self._is_over = say, is_over
        self._rules = settings.game.rules
        self._seed = settings.run.seed * 100_003 + iteration

    @property
    def has_games(self) -> bool:
        """Whether any game is due."""
        return self._evaluates or self._promotes

    def run(self, standing: Standing) -> tuple[Standing, bool, dict[str, Any]] | None:
        """Play and decide.

        Args:
            standing: what is remembered of the evaluations before.

        Returns:
            What is remembered now, whether the net is the best one, and figures for the metrics; None if
            time was over before: what was played is kept.
        """
        rows = self._directory.rows(EVALUATIONS)
        figures: dict[str, Any] = {}
        promoted = False
        for due, play in ((self._evaluates, self._against_mcts), (self._promotes, self._against_best)):
            if not due:
                continue
            verdict = play(rows, standing)
            if verdict is None:
                return None
            self._say("text", verdict.text, None)
            standing, promoted = verdict.standing, promoted or verdict.promoted
            figures |= verdict.figures
        return standing, promoted, figures

    @property
    def _evaluates(self) -> bool:
        interval = self._settings.evaluate.interval
        return interval > 0 and self._iteration % interval == 0

    @property
    def _promotes(self) -> bool:
        options = self._settings.promote
        return options.gate in (Gate.WINRATE, Gate.SPRT) and self._iteration % options.interval == 0

    def _against_mcts(self, rows: list[Record], standing: Standing) -> Verdict | None:
        options = self._settings.evaluate
        journal = self._journal("mcts", rows)
        side = self._side(CURRENT, options.simulations)
        for _ in gate.play_mcts(self._rules, side, options, standing.playouts, journal, self._seed):
            self._progress(f"against pure MCTS {standing.playouts}", journal, options.games)
            if self._is_over() and len(journal.scores) < options.games:
                return None
        gates = self._settings.promote.gate is Gate.MCTS
        return gate.judge_mcts(journal, standing, options, self._iteration, gates=gates)

    def _against_best(self, rows: list[Record], standing: Standing) -> Verdict | None:
        options = self._settings.promote
        journal = self._journal("best", rows)
        net, best = self._side(CURRENT, options.simulations), self._side(BEST, options.simulations)
        for number in gate.play_best(self._rules, net, best, options, journal, self._seed):
            self._progress("against the best", journal, options.games)
            if self._is_over() and number + 1 < options.games:
                return None
        return gate.judge_best(journal, standing, options, self._iteration)

    def _journal(self, kind: str, rows: list[Record]) -> Journal:
        return Journal(self._iteration, kind, rows, lambda row: self._directory.append(EVALUATIONS, row))

    def _progress(self, what: str, journal: Journal, games: int) -> None:
        wins, losses, draws = journal.total()
        work = {"stage": "judge", "iteration": self._iteration, "done": len(journal.scores), "of": games}
        self._say("progress", f"iteration {self._iteration}: {what}: {wins}-{losses}-{draws}", work)

    def _side(self, pointer: str, simulations: int | None) -> NetSide:
        options = self._settings.selfplay
        backend = SelfPlayBackend.ONNX if options.backend is SelfPlayBackend.ONNX else SelfPlayBackend.INT8
        net = load_net(self._directory.net_path(pointer), check=False)
        evaluator = open_evaluator(net, backend, "cpu", None)
        wanted = simulations or options.simulations
        return gate.net_side(self._rules, evaluator, options.tree_options(), wanted)
