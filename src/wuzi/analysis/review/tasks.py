"""Doing a review: its tasks (searches, proofs, looking for a defence) one by one, or all to the end."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import reduce
from os import PathLike
from pathlib import Path
from typing import Any

from wuzi.analysis.explain import Explainer
from wuzi.analysis.review.model import (
    ANALYSTS,
    Review,
    ReviewJournal,
    ReviewOptions,
    ReviewStage,
    ReviewTask,
    next_task,
    progress,
)
from wuzi.analysis.review.results import (
    Defence,
    LevelFit,
    Proof,
    ProvedWin,
    Result,
    SearchedPosition,
    SeenLine,
    TaskKind,
)
from wuzi.analysis.review.strength import RATED_LEVELS
from wuzi.analysis.review.subject import ReviewedGame
from wuzi.analysis.solving import Kind, Solvers, why_not
from wuzi.contract import Limit, Player, SearchInfo, Stop
from wuzi.core import Color, ForbiddenKind, Game, Move, Position, Rules
from wuzi.errors import PlayerError, UnsupportedError
from wuzi.players import parse_spec
from wuzi.players.engine import EnginePlayer
from wuzi.players.intuition import policy_likelihood
from wuzi.players.level import LevelConfig, LevelPlayer
from wuzi.players.proof_player import proved_move
from wuzi.players.registry import opened, player_info
from wuzi.tactics import VcfSolver, Verdict
from wuzi.tactics.proof import points_to_win

DEFENCE_NODES = 20_000
"""Positions that each search for a win by fours may look at when defences are counted."""
TREE_PLAYERS = frozenset({"mcts", "az"})
"""Players that count simulations instead of positions."""
NODES_PER_VISIT = 100
"""Positions that count as one simulation for them."""


@dataclass(slots=True)
class SharedBudget:
    """A budget of positions that several searches share."""

    left: int


OnProgress = Callable[[ReviewStage], None]


class Examiner:
    """Does the tasks of reviews; the player must give win rates.

    What is found of a position depends on nothing but the position and the options: solvers and player
    forget what earlier tasks left in their tables. A player that cannot forget decides by itself.
    """

    def __init__(self, player: Player, options: ReviewOptions) -> None:
        self.player = player
        self.options = options
        self._solvers = Solvers()
        self._vcf = VcfSolver()
        self._levels = [LevelPlayer(LevelConfig(level.name)) for level in RATED_LEVELS]

    def run(self, subject: ReviewedGame, task: ReviewTask, stop: Stop | None = None) -> Result:
        """The result of one task. After a stop it may be incomplete: drop it.

        UnsupportedError if the player does not play these rules, PlayerError if it gives no win rates.
        """
        self.forget()
        if task.kind is TaskKind.PROVE:
            return self._prove(subject, task.ply, stop)
        if task.kind is TaskKind.DEFEND:
            return self._defend(subject, task, stop)
        if task.kind is TaskKind.LEVELS:
            return self._fit(subject, task.ply)
        return self._look(subject, task, stop)

    def forget(self) -> None:
        """Clear what the solvers learned."""
        self._solvers.clear()
        self._vcf.clear()

    def think(self, game: Game, nodes: int, *, multipv: int = 1, stop: Stop | None = None) -> SearchInfo:
        """A search of so many positions; its lines have win rates.

        UnsupportedError if the player does not play these rules, PlayerError if it gives no win rates.
        """
        if (reason := self.player.capabilities.why_not(game.rules)) is not None:
            raise UnsupportedError(f"{self.player.name} {reason}: choose another --player")
        limit = Limit(nodes=nodes)
        if parse_spec(self.options.player).name in TREE_PLAYERS:
            limit = Limit(simulations=max(1, nodes // NODES_PER_VISIT))
        if isinstance(self.player, EnginePlayer):
            self.player.forget()
        info = self.player.think(game, limit, multipv=multipv, stop=stop).info
        lines = tuple(line for line in info.lines if line.winrate is not None)[:multipv]
        if not lines:
            raise PlayerError(f"{self.player.name} gives no win rate: expected a player that does")
        return replace(info, lines=lines)

    def _look(self, subject: ReviewedGame, task: ReviewTask, stop: Stop | None) -> SearchedPosition:
        options, deep = self.options, task.kind is TaskKind.DEEP
        nodes = {
            TaskKind.QUICK: options.quick_nodes,
            TaskKind.DEEP: options.deep_nodes,
            TaskKind.VERIFY: options.verify_nodes,
        }[task.kind]
        game = reduce(Game.play, task.moves, subject.game_at(task.ply))
        info = self.think(game, nodes, multipv=options.multipv if deep else 1, stop=stop)
        kept = tuple(
            SeenLine(line.move, _rounded(line.winrate or 0.0), line.win_in, line.pv or (line.move,))
            for line in info.lines
        )
        first = info.lines[0]
        said = Explainer(subject.positions[task.ply]).explain(first.move, first) if deep else None
        return SearchedPosition(kept[0].winrate, max(info.nodes, info.simulations), kept, said)

    def _fit(self, subject: ReviewedGame, ply: int) -> LevelFit:
        game, move = subject.game_at(ply), subject.moves[ply]
        # Six digits: means over 32 draws lie halfway between numbers of four; the page rounds those up.
        likelihoods = tuple(round(level.likelihood(game, move), 6) for level in self._levels)
        return LevelFit(likelihoods, round(policy_likelihood(game, move), 6))

    def _prove(self, subject: ReviewedGame, ply: int, stop: Stop | None) -> Proof:
        position = subject.positions[ply]
        last = subject.moves[ply - 1] if ply else None
        played = subject.moves[ply] if ply < len(subject.moves) else None
        forced = bool(points_to_win(position, position.to_move.opponent))
        threat: tuple[Move, ...] = ()
        win = self.forced_win(position, stop)
        lost = win is None and last is not None and self._wins_before(subject, ply - 1, last, stop)
        if win is None and not lost and not forced:
            threat = self._threat(position)
        only = self._only_defence(position, threat) if threat else None
        said = None if played is None else Explainer(position).explain(played, None)
        return Proof(win, lost, ProvedWin("vcf", threat) if threat else None, only, forced, said)

    def _wins_before(self, subject: ReviewedGame, ply: int, move: Move, stop: Stop | None) -> bool:
        """Whether the move played at a ply wins, by threats or by the shipped proof of the whole board.

        The proof counts where Black keeps to it until the end of the game: who leaves it need not lose.
        """
        if self.wins(subject.positions[ply], move, stop):
            return True
        last = (len(subject.moves) - 1) // 2 * 2
        return all(proved_move(subject.game_at(at)) == subject.moves[at] for at in {ply, last})

    def forced_win(
        self,
        position: Position,
        stop: Stop | None = None,
        *,
        fours_only: bool = False,
        spent: SharedBudget | None = None,
    ) -> ProvedWin | None:
        """A proved win of the side to move, as far as the budget, or what is left of a shared one, goes."""
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
            nodes = self.options.proof_nodes if spent is None else spent.left
            answer = self._solvers.solve(kind, position, nodes=max(1, nodes), stop=stop)
            if spent is not None:
                spent.left -= answer.nodes
            if answer.moves:
                return ProvedWin(str(kind), answer.moves)
        return None

    def wins(self, position: Position, move: Move, stop: Stop | None = None) -> bool:
        """Whether a move wins by threats, whatever the reply; the checker has accepted the proof."""
        if why_not(Kind.VCT, position.rules) is not None:
            after = position.play(move)
            return after.outcome is not None and after.outcome.winner is position.to_move
        return self._solvers.wins(position, move, nodes=self.options.proof_nodes, stop=stop)

    def _threat(self, position: Position) -> tuple[Move, ...]:
        """The opponent's win by fours if the side to move did nothing."""
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

    def _defend(self, subject: ReviewedGame, task: ReviewTask, stop: Stop | None) -> Defence:
        position = subject.positions[task.ply]
        found = self.defend(position, task.moves, subject.moves[task.ply], stop)
        said = () if found.move is None else Explainer(position).explain(found.move, None)
        return replace(found, said=said)

    def defend(
        self, position: Position, first: Iterable[Move], lost: Move | None, stop: Stop | None = None
    ) -> Defence:
        """The first move after which the opponent has no forced win within the budget.

        ``lost``, if any, is known to lose. Each of the ``first`` moves has the whole budget, all others
        share one: where it is used up nothing is claimed.
        """
        candidates = list(first)
        shared = SharedBudget(self.options.proof_nodes)
        tried = 0
        for move in _allowed(position, candidates):
            if move == lost:
                continue
            after = position.play(move)
            tried += 1
            if after.outcome is not None and after.outcome.winner is after.to_move:
                continue
            spent = None if move in candidates else shared
            if after.outcome is None and self.forced_win(after, stop, spent=spent) is not None:
                continue
            cut = spent is not None and spent.left <= 0
            return Defence(None if cut else move, tried)
        return Defence(None, tried, proved=True)


def _allowed(position: Position, first: Iterable[Move]) -> list[Move]:
    """The legal moves that lose no game by themselves, those of ``first`` ahead."""
    legal = [move for move in position.legal_moves if not _is_forbidden(position, move)]
    known = set(legal)
    return list(dict.fromkeys([*(move for move in first if move in known), *legal]))


def _is_forbidden(position: Position, move: Move) -> bool:
    if not position.rules.rule.forbids or position.to_move is not Color.BLACK:
        return False
    return position.forbidden_kind(move) is not ForbiddenKind.NONE


def _rounded(winrate: float) -> float:
    return round(min(1.0, max(0.0, winrate)), 4)


def default_analyst(rules: Rules) -> str:
    """The spec of the player that reviews where nobody chose one; UnsupportedError if there is none."""
    reasons = []
    for spec in ANALYSTS.values():
        reason = player_info(parse_spec(spec).name).capabilities.why_not(rules)
        if reason is None:
            return spec
        reasons.append(f"{spec} {reason}")
    raise UnsupportedError("; ".join(reasons))


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
        player: who reviews: a player, or a spec; None for that of :func:`default_analyst`.
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
        player = default_analyst(game.rules)
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
