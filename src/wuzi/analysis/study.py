"""The study of one position: a player's candidates, each with what can be said of it."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from queue import SimpleQueue

from wuzi.analysis.explain import Explainer, Remark
from wuzi.contract import Limit, Line, OnInfo, Player, SearchInfo, Stop
from wuzi.core import Action, Game, Move, Phase, Place
from wuzi.core.lines import WIN_LENGTHS
from wuzi.core.position import MoveLike
from wuzi.errors import GameOverError
from wuzi.players.base import BasePlayer
from wuzi.players.registry import opened
from wuzi.tactics import Threat, find_threats

END_LIMIT = Limit(nodes=20_000, simulations=2_000)
"""Of each search that plays a proved line on to its end."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A move with what the player thinks of it; ``rank`` 1 is its choice, 0 a move only asked about."""

    rank: int
    line: Line
    remarks: tuple[Remark, ...]
    asked: bool = False


@dataclass(frozen=True, slots=True)
class Study:
    """All that a player tells about a position; ``choice`` is what it does in an opening phase.

    Candidates come best first; a move that was asked about and is none of them comes last. ``net`` is the
    net of a player that has one.
    """

    game: Game
    player: str
    limit: Limit
    choice: Action | None
    info: SearchInfo
    candidates: tuple[Candidate, ...]
    threats: tuple[Threat, ...]
    net: str | None = None


def analyse(
    game: Game,
    limit: Limit = Limit(time_s=2.0),
    *,
    player: Player | str | None = None,
    multipv: int = 5,
    asked: MoveLike | None = None,
    stop: Stop | None = None,
    on_info: OnInfo | None = None,
) -> Study:
    """Study a position: a player's candidate moves with values, lines and explanations, and the threats.

    In the phases of an opening in which colours are chosen the position is also studied as if play continued.

    Args:
        game: the position; not over.
        limit: the budget of the search, and of a second one for ``asked``.
        player: a player, or a spec such as ``"engine"``; None for the strongest built-in one.
        multipv: how many candidates.
        asked: a move that is judged too, whether it is a candidate or not.
        stop: a request to stop early.
        on_info: called during the search.

    Raises:
        GameOverError: the game has ended.
        IllegalMoveError, NotationError: ``asked`` cannot be played.
        UnsupportedError: the player does not play these rules.

    >>> import wuzi
    >>> game = wuzi.Game.from_moves(wuzi.Rules(size=9), "e5 a1 f5 a3 g5 a5".split())
    >>> study = wuzi.analyse(game, player="weight", asked="h5")
    >>> [str(one.line.move) for one in study.candidates if one.asked]
    ['h5']
    """
    if game.outcome is not None:
        raise GameOverError(f"there is nothing to analyse: the game is over ({game.outcome.result})")
    move = None if asked is None else game.position.check(asked)
    choice = None
    with opened(player, game.rules) as analyst:
        if game.phase is not Phase.PLAY:
            choice = analyst.think(game, limit, stop=stop).action
            if game.phase is Phase.PLACE_THREE:
                return Study(game, analyst.name, limit, choice, SearchInfo(game.to_move), (), ())
            game = Game.from_moves(game.rules, game.moves)
        result = analyst.think(game, limit, multipv=multipv, stop=stop, on_info=on_info)
        lines = list(result.info.lines)
        if not lines and isinstance(result.action, Place):
            lines = [Line(result.action.move)]
        ranked = list(enumerate(lines, 1))
        if move is not None and all(line.move != move for line in lines):
            ranked.append((0, judge(analyst, game, move, limit, stop)))
        ranked = [(rank, to_the_end(analyst, game, line, stop)) for rank, line in ranked]
    explainer = Explainer(game.position)
    threats = find_threats(game.position) if game.rules.win_length in WIN_LENGTHS else ()
    candidates = tuple(
        Candidate(rank, line, explainer.explain(line.move, line), line.move == move) for rank, line in ranked
    )
    net = analyst.net_name(game.rules) if isinstance(analyst, BasePlayer) else None
    return Study(game, analyst.name, limit, choice, result.info, candidates, threats, net)


def judge(player: Player, game: Game, move: Move, limit: Limit, stop: Stop | None = None) -> Line:
    """What the player thinks of one move: it looks at the position after it with the same budget."""
    after = game.play(move)
    if after.outcome is not None:
        winner = after.outcome.winner
        value = 0.0 if winner is None else 1.0 if winner is game.to_move else -1.0
        win_in = None if winner is None else round(value)
        return Line(move, value, game.to_move, pv=(move,), win_in=win_in)
    lines = player.think(after, limit, stop=stop).info.lines
    if not lines:
        return Line(move, pv=(move,))
    reply = lines[0]
    win_in = reply.win_in and -reply.win_in - (1 if reply.win_in > 0 else -1)
    mine = None if reply.value is None else -reply.value
    return Line(move, mine, game.to_move, reply.visits, pv=(move, *reply.pv), win_in=win_in)


def to_the_end(player: Player, game: Game, line: Line, stop: Stop | None = None) -> Line:
    """A proved line played on to the end that it promises.

    It stays as it is without a proof, and where short searches do not prove that end again, move by move.
    """
    plies, moves = abs(line.win_in or 0), list(line.pv)
    for move in moves:
        game = game.play(move)
    while game.outcome is None and len(moves) < plies and not (stop is not None and stop.is_set):
        left = plies - len(moves)
        mine = ((line.win_in or 0) > 0) == (len(moves) % 2 == 0)
        found = player.think(game, END_LIMIT, stop=stop).info.lines
        if not found or found[0].win_in != (left if mine else -left):
            break
        for move in found[0].pv or (found[0].move,):
            game = game.play(move)
            moves.append(move)
    return replace(line, pv=tuple(moves)) if game.outcome is not None and len(moves) == plies else line


def watch(
    game: Game, limit: Limit = Limit(time_s=2.0), *, player: Player | str | None = None, multipv: int = 1
) -> Iterator[SearchInfo]:
    """What a search knows, report by report; the last is its answer. Leaving the loop ends the search.

    Args and errors are those of :func:`analyse`, which explains the moves as well.

    >>> import wuzi
    >>> game = wuzi.Game.from_moves(wuzi.Rules(size=9), "e5 a1 f5 a3 g5 a5")
    >>> for info in wuzi.watch(game, wuzi.Limit(depth=2), player="minimax"):
    ...     best = info.lines[0]
    >>> print(best.move in (wuzi.Move(39, 9), wuzi.Move(43, 9)))
    True
    """
    reports: SimpleQueue[SearchInfo | None] = SimpleQueue()
    stop = Stop()
    with opened(player, game.rules) as analyst, ThreadPoolExecutor(1) as pool:
        answer = pool.submit(analyst.think, game, limit, multipv=multipv, stop=stop, on_info=reports.put)
        answer.add_done_callback(lambda _: reports.put(None))
        try:
            while (info := reports.get()) is not None:
                yield info
            yield answer.result().info
        finally:
            stop.set()
