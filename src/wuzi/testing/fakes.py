"""Small deterministic players that stand beside the real ones in tests, never for them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Self

from wuzi.contract import Capabilities, Limit, Line, OnInfo, PlayResult, SearchInfo, Stop
from wuzi.core import Action, Game, Keep, Move, Phase, Place, PlaceSeveral


class FirstMovePlayer:
    """Plays the first empty cell, keeps its colour, and reports that one candidate."""

    name = "first-move"
    capabilities = Capabilities()

    def think(
        self,
        game: Game,
        limit: Limit = Limit(),
        *,
        multipv: int = 1,
        stop: Stop | None = None,
        on_info: OnInfo | None = None,
    ) -> PlayResult:
        """Answer at once."""
        moves = game.position.legal_moves
        lines = tuple(Line(move, 0.0, game.to_move, visits=1, pv=(move,)) for move in moves[:multipv])
        info = SearchInfo(game.to_move, lines, nodes=1, depth=1)
        if on_info is not None:
            on_info(info)
        return PlayResult(self.choose(game, moves), info)

    def choose(self, game: Game, moves: list[Move]) -> Action:
        """The action; ``moves`` are the empty cells in order."""
        if game.phase is Phase.PLACE_THREE:
            return PlaceSeveral(tuple(moves[:3]))
        if game.phase in (Phase.CHOOSE, Phase.CHOOSE_AFTER_FIVE):
            return Keep()
        return Place(moves[0])

    def close(self) -> None:
        """Nothing to release."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class PatientPlayer(FirstMovePlayer):
    """Thinks until it is stopped (or its time is over), reporting ``rounds`` times."""

    name = "patient"

    def __init__(self, rounds: int = 1) -> None:
        self.rounds = rounds

    def think(
        self,
        game: Game,
        limit: Limit = Limit(),
        *,
        multipv: int = 1,
        stop: Stop | None = None,
        on_info: OnInfo | None = None,
    ) -> PlayResult:
        """Wait for the stop, then answer the first empty cell."""
        for _ in range(self.rounds):
            result = super().think(game, limit, multipv=multipv, on_info=on_info)
        if stop is not None:
            stop.wait(limit.time_s)
        return result


class ScriptedPlayer(FirstMovePlayer):
    """Does the given actions in turn, legal or not; raises what is an exception among them."""

    name = "scripted"

    def __init__(self, actions: Iterable[Action | Exception]) -> None:
        self._actions = iter(actions)

    def choose(self, game: Game, moves: list[Move]) -> Action:
        """The next action of the script."""
        action = next(self._actions)
        if isinstance(action, Exception):
            raise action
        return action
