"""Judging a move that somebody tries: in a puzzle, at a mistake of a game, or before it is played."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Any

from wuzi.analysis.review.judgement import INACCURACY, MISTAKE
from wuzi.analysis.review.tasks import Examiner
from wuzi.contract import Limit, Stop
from wuzi.core.game import Game
from wuzi.core.notation import Move, format_move, format_moves
from wuzi.core.position import Position
from wuzi.core.types import Color
from wuzi.errors import PlayerError
from wuzi.tactics.proof import points_to_win
from wuzi.tactics.threats import find_threats

MAX_REPLIES = 12
"""Replies among which the longest defence is chosen."""


class Goal(StrEnum):
    """What the move is to do."""

    WIN = "win"
    """Keep a forced win."""
    DEFEND = "defend"
    """Leave the enemy no win by fours."""
    BEST = "best"
    """Lose as little of the win rate as possible."""


class Verdict(StrEnum):
    """What the move does."""

    SOLVED = "solved"
    """The goal is reached."""
    CONTINUES = "continues"
    """Right so far: the game goes on with the reply."""
    CLOSE = "close"
    """Not the best, and no mistake either."""
    FAILS = "fails"
    """The goal is missed."""


def judge_move(
    examiner: Examiner, game: Game, move: Move, goal: Goal, *, stop: Stop | None = None
) -> dict[str, Any]:
    """What a move is worth.

    Returns:
        JSON-compatible data: ``verdict``; ``reply``, the enemy's answer where a win goes on; ``line``, the
        enemy's forced win where there is one; ``loss`` in points and ``winrate`` (Black's) after the move
        where the analyst was asked.
    """
    position, size = game.position, game.rules.size
    me, after = position.to_move, position.play(move)
    found: dict[str, Any] = {"verdict": "", "reply": None, "line": "", "loss": None, "winrate": None}
    if after.outcome is not None:
        found["verdict"] = Verdict.FAILS if after.outcome.winner is me.opponent else Verdict.SOLVED
        return found
    if goal is Goal.WIN:
        return found | _winning(examiner, after, size, stop)
    enemy = examiner.forced_win(after, stop, fours_only=goal is Goal.DEFEND)
    if enemy is not None:
        return found | {"verdict": Verdict.FAILS, "line": format_moves(enemy[1], size)}
    if goal is Goal.DEFEND:
        return found | {"verdict": Verdict.SOLVED}
    mine = examiner.forced_win(position, stop)
    if mine is not None:
        keeps = move == mine[1][0] or examiner.keeps(after, stop)
        return found | {"verdict": Verdict.SOLVED if keeps else Verdict.FAILS}
    return found | _by_search(examiner, game, move, stop)


def _winning(examiner: Examiner, after: Position, size: int, stop: Stop | None) -> dict[str, Any]:
    if not examiner.keeps(after, stop):
        enemy = examiner.forced_win(after, stop)
        return {"verdict": Verdict.FAILS, "line": "" if enemy is None else format_moves(enemy[1], size)}
    me = after.to_move.opponent
    if len(points_to_win(after, me)) > 1:
        return {"verdict": Verdict.SOLVED}
    reply = _longest_defence(examiner, after, stop)
    return {"verdict": Verdict.CONTINUES, "reply": format_move(reply, size)}


def _longest_defence(examiner: Examiner, after: Position, stop: Stop | None) -> Move:
    """The reply against which the proved win is longest, among those that do something."""
    me = after.to_move.opponent
    blocks = points_to_win(after, me)
    best, longest = None, -1
    for reply in _replies(after, me) if not blocks else blocks:
        then = after.play(reply)
        if then.outcome is not None:
            continue
        win = examiner.forced_win(then, stop)
        plies = 1000 if win is None else len(win[1])
        if plies > longest:
            best, longest = reply, plies
    return best if best is not None else after.legal_moves()[0]


def _replies(after: Position, attacker: Color) -> Iterable[Move]:
    """Cells of the attacker's threats, then where the defender itself has a four."""
    gains = [(t.color is attacker, cell) for t in find_threats(after) for cell in t.gains]
    ordered = [cell for mine, cell in gains if mine] + [cell for mine, cell in gains if not mine]
    return list(dict.fromkeys(cell for cell in ordered if not after.cells[cell]))[:MAX_REPLIES]


def _by_search(examiner: Examiner, game: Game, move: Move, stop: Stop | None) -> dict[str, Any]:
    """The loss by two equal searches: of the position and of the one after the move."""
    limit = Limit(nodes=examiner.options.quick_nodes)
    best = examiner.player.think(game, limit, stop=stop).info.lines[:1]
    then = examiner.player.think(game.play(move), limit, stop=stop).info.lines[:1]
    before, after = (line[0].winrate if line else None for line in (best, then))
    if before is None or after is None:
        raise PlayerError(f"{examiner.player.name} gives no win rate: expected a player that does")
    black = game.to_move is Color.BLACK
    loss = 100 * max(0.0, before - after if black else after - before)
    if best[0].move == move:
        loss = 0.0
    verdict = Verdict.SOLVED if loss <= INACCURACY else Verdict.CLOSE if loss <= MISTAKE else Verdict.FAILS
    return {"verdict": verdict, "loss": round(loss, 1), "winrate": round(after, 4)}
