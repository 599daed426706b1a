"""Small deterministic players and an evaluator that stand beside the real ones in tests, never for them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Self

import numpy as np

from wuzi.contract import Capabilities, Limit, Line, OnInfo, PlayResult, SearchInfo, Stop
from wuzi.core import Action, Game, Keep, Move, Phase, Place, PlaceSeveral
from wuzi.nets.evaluator import Floats


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


class HashedEvaluator:
    """Logits and values that look random and depend on the features of the position (and the seed) alone."""

    size: int | None = None

    def __init__(self, seed: int = 0, planes: str = "az4-v1", *, spread: float = 4.0) -> None:
        """Choose the noise; ``spread`` is the width of the range of logits."""
        self.planes = planes
        self.batches: list[int] = []
        self._seed = seed
        self._spread = spread

    def evaluate(self, features: Floats) -> tuple[Floats, Floats]:
        """Logits [B, cells] and values [B] between -0.9 and 0.9."""
        self.batches.append(len(features))
        cells = features.shape[2] * features.shape[3]
        logits = np.empty((len(features), cells), np.float32)
        values = np.empty(len(features), np.float32)
        for i, planes in enumerate(features):
            text = planes.tobytes() + self._seed.to_bytes(8, "little")
            key = int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "little")
            # The raw stream of a bit generator never changes, unlike those of the distributions.
            numbers = (np.random.PCG64(key).random_raw(cells + 1) >> 11) * 2.0**-53
            logits[i] = (numbers[:cells] - 0.5) * self._spread
            values[i] = 1.8 * numbers[cells] - 0.9
        return logits, values
