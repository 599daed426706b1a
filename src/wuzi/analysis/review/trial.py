"""The named tasks of ``wuzi analysis-engine``: steps of reviews, judging a tried move, finding a balance.

Moves are tried in a puzzle, at a mistake of a game, or before they are played.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any, Protocol, runtime_checkable

from wuzi.analysis import hint_area, hint_reason, judgement_kernels
from wuzi.analysis.judgement_kernels import GOOD, HOPELESS, IS_INACCURACY
from wuzi.analysis.review.model import ReviewTask, options_from_json
from wuzi.analysis.review.results import TaskKind, cell_json, result_json
from wuzi.analysis.review.subject import ReviewedGame
from wuzi.analysis.review.tasks import Examiner
from wuzi.contract import Limit, Player, Stop
from wuzi.core import Color, Game, Move, Position, format_moves, parse_moves
from wuzi.errors import GameOverError, UnsupportedError
from wuzi.protocols.analysis.queries import Start
from wuzi.protocols.analysis.replies import report
from wuzi.protocols.analysis.wire import RequestError, parse_position, short, text_field, whole_field
from wuzi.tactics import find_threats
from wuzi.tactics.proof import points_to_win

MAX_REPLIES = 12
"""Replies among which the longest defence is chosen."""


BALANCE, WORTH = Limit(nodes=5_000), Limit(nodes=50_000)
"""For each choice of a balance that is studied, and for what the nearest one is worth."""
LIKELY_WON = 0.75
"""The win rate from which on a move that is not proved to keep a win is not said to lose it."""
HINT_S = 1.5
"""Seconds for the move of a hint."""
CANDIDATES = 5
"""Moves that a hint has considered."""


@runtime_checkable
class Balancer(Protocol):
    """A player that finds moves after which both sides stand alike."""

    def balance(self, game: Game, count: int, limit: Limit, *, stop: Stop | None) -> tuple[Move, ...]:
        """One or two moves, both colours in turn."""


class Goal(StrEnum):
    """What the move is to do: keep a forced win, leave no win by fours, or lose little of the win rate."""

    WIN = "win"
    DEFEND = "defend"
    BEST = "best"


class TrialVerdict(StrEnum):
    """What the move does.

    It reaches the goal, is right so far (the reply follows), is not the best and no mistake either, or fails;
    or there is nothing to find, as every move loses. Where a win is to be kept, close means that nobody
    knows: the budget was used up, or the analyst believes in a win that no threats prove.
    """

    SOLVED = "solved"
    CONTINUES = "continues"
    CLOSE = "close"
    FAILS = "fails"
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class Trial:
    """What a move is worth.

    ``proved`` says whether the verdict is, or only what the analyst believes. ``reply`` continues a win, or
    is the one after which no forced win was found; ``line`` is the other side's forced win; ``loss`` (points
    of win rate) and ``winrate`` (Black's after the move) are there where the analyst was asked.
    """

    verdict: TrialVerdict
    proved: bool = True
    reply: Move | None = None
    line: tuple[Move, ...] = ()
    loss: float | None = None
    winrate: float | None = None

    def to_json(self) -> dict[str, Any]:
        """It as JSON-compatible data."""
        line = "".join(map(str, self.line))
        return {**asdict(self), "verdict": str(self.verdict), "reply": cell_json(self.reply), "line": line}


def judge_move(examiner: Examiner, game: Game, move: Move, goal: Goal, *, stop: Stop | None = None) -> Trial:
    """What a move is worth."""
    examiner.forget()
    position = game.position
    me, after = position.to_move, position.play(move)
    if after.outcome is not None and after.outcome.winner is me:
        return Trial(TrialVerdict.SOLVED)
    if goal is Goal.WIN:
        return _winning(examiner, game, move, stop)
    fours_only = goal is Goal.DEFEND
    theirs = examiner.forced_win(after, stop, fours_only=fours_only)
    fouled = after.outcome is not None and after.outcome.winner is me.opponent
    if theirs is not None or fouled:
        line = () if theirs is None else theirs.moves
        lost = (
            not fours_only
            and examiner.forced_win(position, stop) is None
            and _is_lost(examiner, game, move, stop)
        )
        return Trial(TrialVerdict.LOST if lost else TrialVerdict.FAILS, line=line)
    if fours_only:
        return Trial(TrialVerdict.SOLVED)
    mine = examiner.forced_win(position, stop)
    if mine is not None and (move == mine.moves[0] or examiner.wins(position, move, stop)):
        return Trial(TrialVerdict.SOLVED)
    return _by_search(examiner, game, move, mine is not None, stop)


def _is_lost(examiner: Examiner, game: Game, move: Move, stop: Stop | None) -> bool:
    """Whether every move loses, one of which is known to."""
    if game.moves and examiner.wins(ReviewedGame(game).positions[-2], game.moves[-1], stop):
        return True
    return examiner.defend(game.position, (), move, stop).proved


def _winning(examiner: Examiner, game: Game, move: Move, stop: Stop | None) -> Trial:
    position = game.position
    after = position.play(move)
    if after.outcome is not None:
        return Trial(TrialVerdict.FAILS, proved=False)
    if not examiner.wins(position, move, stop):
        theirs = examiner.forced_win(after, stop)
        if theirs is not None:
            return Trial(TrialVerdict.FAILS, line=theirs.moves)
        # A quiet move may win all the same: every reply is tried.
        found = examiner.defend(after, _replies(after, position.to_move), None, stop)
        if not found.proved:
            if found.move is None or _seems_won(examiner, game.play(move).play(found.move), stop):
                return Trial(TrialVerdict.CLOSE, proved=False)
            return Trial(TrialVerdict.FAILS, proved=False, reply=found.move)
    if len(points_to_win(after, after.to_move.opponent)) > 1:
        return Trial(TrialVerdict.SOLVED)
    return Trial(TrialVerdict.CONTINUES, reply=_longest_defence(examiner, after, stop))


def _seems_won(examiner: Examiner, game: Game, stop: Stop | None) -> bool:
    """Whether the analyst believes that the side to move wins, where no threats prove it."""
    if game.outcome is not None:
        return False
    first = examiner.think(game, examiner.options.quick_nodes, stop=stop).lines[0]
    return float(judgement_kernels.own_rate(int(game.to_move), first.winrate or 0.0)) >= LIKELY_WON


def _longest_defence(examiner: Examiner, after: Position, stop: Stop | None) -> Move:
    """The reply that leaves no proved win, or the longest one, among those that do something."""
    me = after.to_move.opponent
    blocks = points_to_win(after, me)
    best, longest = None, -1
    for reply in _replies(after, me) if not blocks else blocks:
        then = after.play(reply)
        if then.outcome is not None:
            continue
        win = examiner.forced_win(then, stop)
        plies = 1000 if win is None else len(win.moves)
        if plies > longest:
            best, longest = reply, plies
    return best if best is not None else after.legal_moves[0]


def _replies(after: Position, attacker: Color) -> Iterable[Move]:
    """Cells of the attacker's threats, then where the defender itself has a four."""
    gains = [(t.color is attacker, cell) for t in find_threats(after) for cell in t.gains]
    ordered = [cell for mine, cell in gains if mine] + [cell for mine, cell in gains if not mine]
    return list(dict.fromkeys(cell for cell in ordered if not after.cells[cell]))[:MAX_REPLIES]


def _by_search(examiner: Examiner, game: Game, move: Move, has_win: bool, stop: Stop | None) -> Trial:
    """The loss by two equal searches, of the position and of the one after the move, or from a proved win."""
    nodes, side = examiner.options.quick_nodes, int(game.to_move)
    best = examiner.think(game, nodes, stop=stop).lines[0]
    after = 0.5
    if (then := game.play(move)).outcome is None:
        after = examiner.think(then, nodes, stop=stop).lines[0].winrate or 0.0
    before = float(game.to_move is Color.BLACK) if has_win else best.winrate or 0.0
    loss = float(judgement_kernels.points_lost(side, before, after))
    verdict = {GOOD: TrialVerdict.SOLVED, IS_INACCURACY: TrialVerdict.CLOSE}.get(
        judgement_kernels.loss_mark(loss), TrialVerdict.FAILS
    )
    hopeless = (best.win_in or 0) < 0 or judgement_kernels.own_rate(side, before) <= HOPELESS
    if not has_win and hopeless:
        verdict = TrialVerdict.LOST
    elif not has_win and best.move == move:
        loss, verdict = 0.0, TrialVerdict.SOLVED
    return Trial(verdict, False, loss=round(loss, 1), winrate=round(after, 4))


def _balance(player: Player, game: Game, count: int, stop: Stop) -> dict[str, Any]:
    """One or two moves that come nearest to both sides standing alike, and Black's win rate after them."""
    if not isinstance(player, Balancer):
        raise UnsupportedError(f"{player.name} finds no balance: expected a player such as engine")
    if (reason := player.capabilities.why_not(game.rules)) is not None:
        raise UnsupportedError(f"{player.name} {reason}")
    moves = player.balance(game, count, BALANCE, stop=stop)
    after = game
    for move in moves:
        after = after.play(move)
    found = player.think(after, WORTH, stop=stop).info.lines
    return {"moves": format_moves(moves, game.rules.size), "winrate": found[0].winrate if found else None}


def _hint(player: Player, game: Game, stop: Stop) -> dict[str, Any]:
    """A move with the reason for it, where to look, and what else was considered."""
    limit = Limit(time_s=HINT_S)
    result = player.think(game, limit, multipv=CANDIDATES, stop=stop)
    move, line = result.move, next(iter(result.info.lines), None)
    lines = report("done", Start("hint", player.name, game, limit, CANDIDATES), result.info, 0)["moveInfos"]
    return {
        "move": str(move),
        "area": format_moves(hint_area(move, game.rules.size), game.rules.size),
        "reason": hint_reason(game, move, line).name.lower(),
        "winrate": None if line is None else line.winrate,
        "lines": lines,
    }


class TaskRunner:
    """Does named tasks, one after the other; ``player`` makes or finds the player of a spec string."""

    def __init__(self, player: Callable[[str], Player]) -> None:
        self._player = player
        self._examiner: Examiner | None = None

    def run(self, name: str, arguments: Mapping[str, Any], stop: Stop) -> dict[str, Any]:
        """The result of a task; RequestError for an unknown one, or arguments that are none."""
        if name not in ("review", "judge", "balance", "hint"):
            raise RequestError(
                "bad_request", f"task is {short(name)}: expected review, judge, balance or hint"
            )
        position = arguments.get("position")
        if not isinstance(position, dict):
            raise RequestError("bad_request", f"position is {short(position)}: expected an object")
        game = parse_position(position)
        options = options_from_json(arguments.get("options") or {})
        player = self._player(options.player)  # one that was closed meanwhile is made again
        self._examiner = examiner = self._examiner or Examiner(player, options)
        examiner.player, examiner.options = player, options
        if name != "review" and game.outcome is not None:
            raise GameOverError("the game is over: no move can be tried")
        if name == "hint":
            return _hint(player, game, stop)
        if name == "balance":
            return _balance(player, game, whole_field(arguments, "count", 1, 2), stop)
        if name == "judge":
            move = game.position.check(text_field(arguments, "move"))
            goal = Goal(text_field(arguments, "goal"))
            return judge_move(examiner, game, move, goal, stop=stop).to_json()
        subject = ReviewedGame(game)
        ply = whole_field(arguments, "ply", 0, len(subject.moves), default=0)
        moves = parse_moves(str(arguments.get("moves") or ""), game.rules.size)
        task = ReviewTask(TaskKind(text_field(arguments, "kind")), ply, moves)
        return result_json(examiner.run(subject, task, stop))
