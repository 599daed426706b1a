"""Requests of the Gomocup protocol put to a player. Importing this needs compiled kernels."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from wuzi.apps.gomocup.jobs import WIN_LENGTH, ThinkAnswer, ThinkJob, ThinkProgress, fifth_move_offers
from wuzi.contract import Limit, Player, PlayResult, SearchInfo, Stop
from wuzi.core.game import Game
from wuzi.core.notation import Move
from wuzi.core.position import Position
from wuzi.core.rules import Opening, Rules
from wuzi.core.types import Color, Keep, Place, PlaceSeveral, Swap
from wuzi.errors import UnsupportedError
from wuzi.players.base import BasePlayer
from wuzi.protocols.gomocup.requests import GomocupTask, Request

if TYPE_CHECKING:
    from wuzi.players.engine import EnginePlayer

FOOTPRINT_MB = 230
"""Memory of the process without the transposition table: interpreter, libraries and kernels."""

MOST_TABLE_MB = 512
"""A larger table is used only when a person asks for it (``hash_size``)."""

_PONDER_S = 600.0


def table_mb(request: Request) -> int | None:
    """How large the transposition table may be, a power of two in MB; None without limits in the request."""
    sizes = []
    if request.max_memory:
        sizes.append(min(MOST_TABLE_MB, request.max_memory / (1 << 20) - FOOTPRINT_MB))
    if request.hash_kb:
        sizes.append(min(4096, request.hash_kb / 1024))
    return 1 << int(math.log2(max(1.0, min(sizes)))) if sizes else None


def ask(player: Player, job: ThinkJob, on_progress: Callable[[ThinkProgress], None]) -> ThinkAnswer:
    """The player's answer to a job."""
    request = job.request
    stop, engine = _stop_of(job), _engine(player)
    # Of fifth moves some may be mirror images of others, of which there are two as a rule.
    wanted = request.multipv * (2 if request.task is GomocupTask.FIFTHS else 1)
    if engine is not None:
        engine.resize(table_mb(request), request.threads)
    if request.task in (GomocupTask.BALANCE_ONE, GomocupTask.BALANCE_TWO):
        return ThinkAnswer(request, _balance(player, job, stop))

    if request.task is GomocupTask.PICK:
        return ThinkAnswer(request, (_picked(player, job, stop),))

    def note(info: SearchInfo) -> None:
        if request.task is GomocupTask.MOVE:
            job.best = int(info.lines[0].move)
            on_progress(ThinkProgress(request, info))

    def think(game: Game) -> PlayResult:
        limit = limit_of(job)
        if engine is not None:
            return engine.think(
                game, limit, multipv=wanted, stop=stop, on_info=note, excluded=request.blocked
            )
        return player.think(game, limit, multipv=wanted, stop=stop, on_info=note)

    game = game_of(request)
    result = think(game)
    if request.task in (GomocupTask.CHOOSE, GomocupTask.FIFTHS):
        return ThinkAnswer(request, _weighed(request, result.info))
    if isinstance(result.action, Keep):
        # The protocol has no word for keeping White: one just plays on with it.
        result = think(game.act(result.action))
    action = result.action
    if isinstance(action, Swap):
        return ThinkAnswer(request, None)
    if isinstance(action, PlaceSeveral):
        return ThinkAnswer(request, tuple(int(move) for move in action.moves))
    assert isinstance(action, Place)
    return ThinkAnswer(request, (int(action.move),), info=result.info if result.info.lines else None)


def ponder(player: Player, job: ThinkJob, expected: int | None) -> None:
    """Fill the engine's table with the position after the expected reply, until stopped."""
    request, engine = job.request, _engine(player)
    if engine is None:
        return
    rules = Rules(request.size, WIN_LENGTH, request.rule)
    position = Position.from_cells(rules, _cells(request), request.me.opponent, _last(request, request.me))
    if expected is not None and position.outcome is None and not position.cells[expected]:
        position = position.play(expected)
    if position.outcome is None:
        engine.think(Game(rules, position), Limit(time_s=_PONDER_S), stop=_stop_of(job))


def forget(player: Player) -> None:
    """Clear what the player's earlier searches learned, if it keeps such things."""
    if (engine := _engine(player)) is not None:
        engine.forget()


def forbidden_cells(request: Request) -> tuple[int, ...]:
    """The cells that Black may not play."""
    rules = Rules(request.size, WIN_LENGTH, request.rule)
    position = Position.from_cells(rules, _cells(request), Color.BLACK)
    return tuple(cell for cell, hit in enumerate(position.forbidden_mask()) if hit)


def limit_of(job: ThinkJob) -> Limit:
    """What is left of a job's budget now."""
    request, budget = job.request, job.request.budget
    left = job.arrived + budget.soft_s - time.monotonic()
    return Limit(
        time_s=max(0.005, left),
        nodes=request.max_nodes,
        depth=request.max_depth,
        clock_s=budget.clock_s,
        increment_s=budget.increment_s,
    )


def game_of(request: Request) -> Game:
    """The game as the player gets it: a set-up position, or a swap2 opening at its point of choice."""
    if request.opening is not None:
        game = Game(Rules(request.size, WIN_LENGTH, request.rule, Opening.SWAP2))
        moves = tuple(Move(cell, request.size) for cell in request.opening)
        for several in (moves[:3], moves[3:]):
            game = game.act(PlaceSeveral(several)) if several else game
        return game
    rules = Rules(request.size, WIN_LENGTH, request.rule)
    last = _last(request, request.me.opponent)
    return Game(rules, Position.from_cells(rules, _cells(request), request.me, last))


def _balance(player: Player, job: ThinkJob, stop: Stop) -> tuple[int, ...]:
    request, engine = job.request, _engine(player)
    if engine is None:
        raise UnsupportedError(f"{player.name} cannot balance positions: the engine can")
    count = 2 if request.task is GomocupTask.BALANCE_TWO else 1
    moves = engine.balance(
        game_of(request), count, limit_of(job), score=request.bias, excluded=request.blocked, stop=stop
    )
    return tuple(int(move) for move in moves)


def _weighed(request: Request, info: SearchInfo) -> tuple[int, ...] | None:
    """What follows from the lines of a search for CHOOSE and FIFTHS."""
    if request.task is GomocupTask.FIFTHS:
        return fifth_move_offers(request, [int(line.move) for line in info.lines])
    value = info.lines[-1].value if info.lines else None
    return None if value is not None and value < 0 else ()


def _picked(player: Player, job: ThinkJob, stop: Stop) -> int:
    """The stone of the opponent after which the player stands best."""
    request, found = job.request, []
    for number, cell in enumerate(request.choices):
        stones = (*request.stones, (cell, request.me.opponent))
        game = game_of(replace(request, stones=stones))
        limit = limit_of(job)
        share = (limit.time_s or 0.0) / (len(request.choices) - number)
        lines = player.think(game, replace(limit, time_s=share), stop=stop).info.lines
        found.append(((lines[0].value or 0.0) if lines else 0.0, cell))
    return max(found, key=lambda pair: pair[0])[1]


def _engine(player: Player) -> EnginePlayer | None:
    """The player if it is the engine; its module is not imported for others, as kernels hang on it."""
    is_engine = isinstance(player, BasePlayer) and player.registered_name == "engine"
    return cast("EnginePlayer", player) if is_engine else None


def _stop_of(job: ThinkJob) -> Stop:
    stop = Stop()
    job.stop = stop
    if job.stopped.is_set():
        stop.set()
    return stop


def _cells(request: Request) -> list[int]:
    cells = [0] * request.size**2
    for cell, color in request.stones:
        cells[cell] = int(color)
    return cells


def _last(request: Request, color: Color) -> Move | None:
    """The last stone of a colour."""
    theirs = [cell for cell, who in request.stones if who is color]
    return Move(theirs[-1], request.size) if theirs else None
