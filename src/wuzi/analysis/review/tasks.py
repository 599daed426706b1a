"""Doing a review: its tasks (searches, proofs, looking for a defence) one by one, or all to the end."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from os import PathLike
from pathlib import Path
from typing import Any

from wuzi.analysis.explain import Explainer
from wuzi.analysis.review.model import (
    Review,
    ReviewJournal,
    ReviewOptions,
    ReviewStage,
    ReviewTask,
    Subject,
    next_task,
    progress,
)
from wuzi.analysis.review.results import Defence, Look, Proof, ProvedWin, Result, SeenLine, TaskKind
from wuzi.analysis.solving import Kind, Solvers, why_not
from wuzi.contract import Limit, Player, Stop
from wuzi.core import Color, ForbiddenKind, Game, Move, Position, Rule
from wuzi.errors import PlayerError, UnsupportedError
from wuzi.players import parse_spec
from wuzi.players.registry import opened, strongest_player
from wuzi.search.control import drive, new_control
from wuzi.tactics import VcfSolver, VctSolver, Verdict
from wuzi.tactics.proof import points_to_win

DEFENCE_NODES = 20_000
"""Positions that each search for a win by fours may look at when defences are counted."""
TREE_PLAYERS = frozenset({"mcts", "az"})
"""Players that count simulations instead of positions."""
NODES_PER_VISIT = 100
"""Positions that count as one simulation for them."""

OnProgress = Callable[[ReviewStage], None]


class Examiner:
    """Does the tasks of reviews; its solvers are kept in between. The player must give win rates."""

    def __init__(self, player: Player, options: ReviewOptions) -> None:
        self.player = player
        self.options = options
        self._solvers = Solvers()
        self._vcf = VcfSolver()
        self._vct: VctSolver | None = None

    def run(self, subject: Subject, task: ReviewTask, stop: Stop | None = None) -> Result:
        """The result of one task. After a stop it may be incomplete: drop it.

        UnsupportedError if the player does not play these rules, PlayerError if it gives no win rates.
        """
        if task.kind in (TaskKind.QUICK, TaskKind.DEEP):
            return self._look(subject, task, stop)
        if task.kind is TaskKind.PROVE:
            return self._prove(subject, task.ply, stop)
        return self._defend(subject, task, stop)

    def _look(self, subject: Subject, task: ReviewTask, stop: Stop | None) -> Look:
        options, deep = self.options, task.kind is TaskKind.DEEP
        game = subject.game_at(task.ply)
        if (reason := self.player.capabilities.why_not(game.rules)) is not None:
            raise UnsupportedError(f"{self.player.name} {reason}: choose another --player")
        nodes = options.deep_nodes if deep else options.quick_nodes
        limit = Limit(nodes=nodes)
        if deep and options.deep_s is not None:
            limit = Limit(time_s=options.deep_s)
        elif parse_spec(options.player).name in TREE_PLAYERS:
            limit = Limit(simulations=max(1, nodes // NODES_PER_VISIT))
        result = self.player.think(game, limit, multipv=options.multipv if deep else 1, stop=stop)
        lines = [line for line in result.info.lines if line.winrate is not None]
        if not lines:
            raise PlayerError(f"{self.player.name} gives no win rate: expected a player that does")
        kept = [
            SeenLine(line.move, _rounded(line.winrate or 0.0), line.win_in, line.pv or (line.move,))
            for line in (lines[: options.multipv] if deep else lines[:1])
        ]
        said = Explainer(subject.positions[task.ply]).explain(lines[0].move, lines[0]) if deep else None
        count = max(result.info.nodes, result.info.simulations)
        return Look(kept[0].winrate, count, tuple(kept), said)

    def _prove(self, subject: Subject, ply: int, stop: Stop | None) -> Proof:
        position = subject.positions[ply]
        played = subject.moves[ply] if ply < len(subject.moves) else None
        kept: bool | None = None
        threat: tuple[Move, ...] = ()
        forced = bool(points_to_win(position, position.to_move.opponent))
        win = self.forced_win(position, stop)
        if win is not None and played is not None:
            kept = played == win.moves[0] or self.keeps(position.play(played), stop)
        elif win is None and not forced:
            threat = self._threat(position)
        only = self._only_defence(position, threat) if threat else None
        said = None if played is None else Explainer(position).explain(played, None)
        return Proof(win, kept, ProvedWin("vcf", threat) if threat else None, only, forced, said)

    def forced_win(
        self, position: Position, stop: Stop | None = None, *, fours_only: bool = False
    ) -> ProvedWin | None:
        """A proved win of the side to move, as far as the budget finds one."""
        if position.outcome is not None:
            return None
        me = position.to_move
        for move in points_to_win(position, me):
            after = position.play(move)
            if after.outcome is not None and after.outcome.winner is me:
                return ProvedWin("five", (move,))
        for kind in (Kind.VCF,) if fours_only else (Kind.VCF, Kind.VCT):
            if why_not(kind, position.rules) is not None:
                continue
            answer = self._solvers.solve(kind, position, nodes=self.options.proof_nodes, stop=stop)
            if answer.moves:
                return ProvedWin(str(kind), answer.moves)
        return None

    def keeps(self, after: Position, stop: Stop | None = None) -> bool:
        """Whether the side that has just moved still wins by force, whatever the reply."""
        if after.outcome is not None:
            return after.outcome.winner is after.to_move.opponent
        if why_not(Kind.VCT, after.rules) is not None:
            return False
        self._vct = vct = self._vct or VctSolver()
        ctl = new_control()
        nodes = self.options.proof_nodes
        verdict = drive(lambda: vct.keeps_win(after, max_nodes=nodes, ctl=ctl), ctl, stop=stop)
        return verdict is Verdict.WIN

    def _threat(self, position: Position) -> tuple[Move, ...]:
        """The enemy's win by fours if the side to move did nothing."""
        if why_not(Kind.VCF, position.rules) is not None:
            return ()
        turned = Position.from_cells(position.rules, position.cells, position.to_move.opponent)
        if turned.outcome is not None:
            return ()
        return self._vcf.solve(turned, max_nodes=DEFENCE_NODES).moves

    def _only_defence(self, position: Position, threat: tuple[Move, ...]) -> Move | None:
        """The one move that stops all wins by fours; None if there are more or none, or it is unclear."""
        found: Move | None = None
        for move in _allowed(position, threat):
            after = position.play(move)
            if after.outcome is not None:
                continue
            verdict = self._vcf.solve(after, max_nodes=DEFENCE_NODES).verdict
            if verdict is Verdict.UNKNOWN or (verdict is Verdict.NONE and found is not None):
                return None
            if verdict is Verdict.NONE:
                found = move
        return found

    def _defend(self, subject: Subject, task: ReviewTask, stop: Stop | None) -> Defence:
        """The first candidate after which the enemy has no forced win within the budget."""
        position = subject.positions[task.ply]
        played = subject.moves[task.ply]
        for move in task.moves:
            if move == played or position.cells[move] or _is_forbidden(position, move):
                continue
            after = position.play(move)
            over = after.outcome is not None and after.outcome.winner is not position.to_move
            if not over and self.forced_win(after, stop) is None:
                return Defence(move, len(task.moves), Explainer(position).explain(move, None))
        return Defence(None, len(task.moves))


def _allowed(position: Position, first: Iterable[Move]) -> list[Move]:
    """The legal moves that lose no game by themselves, those of ``first`` ahead."""
    legal = [move for move in position.legal_moves if not _is_forbidden(position, move)]
    known = set(legal)
    return list(dict.fromkeys([*(move for move in first if move in known), *legal]))


def _is_forbidden(position: Position, move: Move) -> bool:
    if position.rules.rule is not Rule.RENJU or position.to_move is not Color.BLACK:
        return False
    return position.forbidden_kind(move) is not ForbiddenKind.NONE


def _rounded(winrate: float) -> float:
    return round(min(1.0, max(0.0, winrate)), 4)


def review(
    game: Game,
    *,
    player: Player | str | None = None,
    allow_command: bool = False,
    journal: str | PathLike[str] | None = None,
    on_progress: OnProgress | None = None,
    stop: Stop | None = None,
    **budgets: Any,
) -> Review:
    """Review a whole game: what each move cost, and which forced wins were missed or allowed.

    :func:`wuzi.analysis.review.judge` turns the result into marks and accuracy.

    Args:
        game: with moves.
        player: who reviews: a player, or a spec such as ``"engine"``; None for the strongest built-in one.
        allow_command: accept commands and paths in the spec; see :func:`wuzi.players.create_player`.
        journal: a file that keeps each result at once; the same call continues where it ended.
        on_progress: called before each task and at the end.
        stop: ends the review early.
        budgets: other fields of :class:`wuzi.analysis.review.ReviewOptions`, such as ``deep_nodes=0``.

    Raises:
        ConfigError: the game has no moves, or a budget is impossible.
        RecordError: the journal is a file of another kind.
    """
    if player is None:
        player = strongest_player(game.rules)
    spec = player if isinstance(player, str) else player.name
    options = ReviewOptions(player=spec, **budgets)
    kept = None if journal is None else ReviewJournal(Path(journal))
    found = Review.of(game, options) if kept is None else kept.open(game, options)
    if next_task(found) is not None:
        with opened(player, game.rules, allow_command=allow_command) as analyst:
            run_review(found, analyst, journal=kept, on_progress=on_progress, stop=stop)
    return found


def run_review(
    review: Review,
    player: Player,
    *,
    journal: ReviewJournal | None = None,
    on_progress: OnProgress | None = None,
    stop: Stop | None = None,
) -> bool:
    """Do what is left of a review; its results grow in place, and each is kept in the journal at once.

    ``on_progress`` is called before each task and at the end. A stop drops the result of the task that runs.

    Returns:
        True when the review is complete, False when it was stopped.
    """
    examiner = Examiner(player, review.options)
    while (task := next_task(review)) is not None:
        if on_progress is not None:
            on_progress(progress(review))
        if stop is not None and stop.is_set:
            return False
        result = examiner.run(review.subject, task, stop)
        if stop is not None and stop.is_set:
            return False
        review.results[task.key] = result
        if journal is not None:
            journal.add(task.key, result)
    if on_progress is not None:
        on_progress(progress(review))
    return True
