"""The named tasks of ``wuzi analysis-engine``: steps of reviews, and judging a move that somebody tries."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from wuzi.analysis.review.model import ReviewOptions, ReviewTask, Subject, options_from_json
from wuzi.analysis.review.results import TaskKind, result_json
from wuzi.analysis.review.tasks import Examiner
from wuzi.analysis.review.trial import Goal, judge_move
from wuzi.contract import Player, Stop
from wuzi.core import parse_moves
from wuzi.errors import GameOverError
from wuzi.protocols.analysis.wire import RequestError, parse_position, short, text_field, whole_field

KINDS = ("review", "judge")


class TaskBench:
    """Does named tasks, one after the other; ``player`` makes or finds the player of a spec string."""

    def __init__(self, player: Callable[[str], Player]) -> None:
        self._player = player
        self._examiner: Examiner | None = None

    def run(self, name: str, arguments: Mapping[str, Any], stop: Stop) -> dict[str, Any]:
        """The result of a task; RequestError for an unknown one, or arguments that are none."""
        if name not in KINDS:
            raise RequestError("bad_request", f"task is {short(name)}: expected {', '.join(KINDS)}")
        position = arguments.get("position")
        if not isinstance(position, dict):
            raise RequestError("bad_request", f"position is {short(position)}: expected an object")
        game = parse_position(position)
        examiner = self._for(options_from_json(arguments.get("options") or {}))
        if name == "judge":
            if game.outcome is not None:
                raise GameOverError("the game is over: no move can be tried")
            move = game.position.check(text_field(arguments, "move"))
            goal = Goal(text_field(arguments, "goal"))
            return judge_move(examiner, game, move, goal, stop=stop).to_json()
        subject = Subject(game)
        ply = whole_field(arguments, "ply", 0, len(subject.moves), default=0)
        moves = parse_moves(str(arguments.get("moves") or ""), game.rules.size)
        task = ReviewTask(TaskKind(text_field(arguments, "kind")), ply, moves)
        return result_json(examiner.run(subject, task, stop))

    def _for(self, options: ReviewOptions) -> Examiner:
        """The examiner with these budgets; a player that was closed meanwhile is asked for again."""
        player = self._player(options.player)
        if self._examiner is None:
            self._examiner = Examiner(player, options)
        self._examiner.player = player
        self._examiner.options = options
        return self._examiner
