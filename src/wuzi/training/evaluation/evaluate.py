"""The games of an iteration's evaluations, and what they decide."""

from __future__ import annotations

from typing import Any

from wuzi.nets.file import load_net
from wuzi.training.evaluation import promotion
from wuzi.training.evaluation.players import NetMatchPlayer
from wuzi.training.evaluation.promotion import Decision, EvaluationGames, Record, Standing
from wuzi.training.methods.selfplay.workers import open_evaluator
from wuzi.training.run.config import Gate, SelfPlayBackend, TrainSettings
from wuzi.training.run.context import RunContext
from wuzi.training.run.directory import BEST, CURRENT, EVALUATIONS


class IterationEvaluation:
    """Plays what is due after an iteration; its games are written down one by one.

    Attributes:
        has_games: whether any game is due.
    """

    def __init__(self, context: RunContext, settings: TrainSettings, iteration: int) -> None:
        """Evaluate the current net of a run, that of an iteration; time is looked at after each game."""
        self._context, self._settings, self._iteration = context, settings, iteration
        self._directory = context.directory
        self._rules = settings.game.rules
        self._seed = settings.run.seed * 100_003 + iteration
        every, promote = settings.evaluate.interval, settings.promote
        self._evaluates = every > 0 and iteration % every == 0
        self._promotes = promote.gate in (Gate.WINRATE, Gate.SPRT) and iteration % promote.interval == 0
        self.has_games = self._evaluates or self._promotes

    def run(self, standing: Standing) -> tuple[Standing, bool, dict[str, Any]] | None:
        """Play and decide, from what is remembered of the evaluations before.

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
            decision = play(rows, standing)
            if decision is None:
                return None
            self._context.say("text", decision.text)
            standing, promoted = decision.standing, promoted or decision.promoted
            figures |= decision.figures
        return standing, promoted, figures

    def _against_mcts(self, rows: list[Record], standing: Standing) -> Decision | None:
        options = self._settings.evaluate
        played = self._games("mcts", rows)
        player = self._player(CURRENT, options.simulations)
        for _ in promotion.play_mcts(self._rules, player, options, standing.playouts, played, self._seed):
            self._progress(f"against pure MCTS {standing.playouts}", played, options.games)
            if self._context.clock.is_over and len(played.scores) < options.games:
                return None
        gates = self._settings.promote.gate is Gate.MCTS
        return promotion.judge_mcts(played, standing, options, self._iteration, gates=gates)

    def _against_best(self, rows: list[Record], standing: Standing) -> Decision | None:
        options = self._settings.promote
        played = self._games("best", rows)
        net, best = self._player(CURRENT, options.simulations), self._player(BEST, options.simulations)
        for number in promotion.play_best(self._rules, net, best, options, played, self._seed):
            self._progress("against the best", played, options.games)
            if self._context.clock.is_over and number + 1 < options.games:
                return None
        return promotion.judge_best(played, standing, options, self._iteration)

    def _games(self, kind: str, rows: list[Record]) -> EvaluationGames:
        return EvaluationGames(
            self._iteration, kind, rows, lambda row: self._directory.append(EVALUATIONS, row)
        )

    def _progress(self, what: str, played: EvaluationGames, games: int) -> None:
        wins, losses, draws = played.total()
        work = {"stage": "judge", "iteration": self._iteration, "done": len(played.scores), "of": games}
        self._context.say("progress", f"iteration {self._iteration}: {what}: {wins}-{losses}-{draws}", work)

    def _player(self, pointer: str, simulations: int | None) -> NetMatchPlayer:
        options = self._settings.selfplay
        backend = SelfPlayBackend.ONNX if options.backend is SelfPlayBackend.ONNX else SelfPlayBackend.INT8
        net = load_net(self._directory.net_path(pointer), check=False)
        evaluator = open_evaluator(net, backend, "cpu", None)
        wanted = simulations or options.simulations
        return promotion.net_player(self._rules, evaluator, options.tree_options(), wanted)
