"""The player that cannot lose as Black, where the game is proved."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import as_file

import numpy as np

from wuzi.base.schema import option
from wuzi.contract import Capabilities, Limit, Line, PlayResult, SearchInfo, Stop
from wuzi.core import Color, Game, Move, Place, Position, Rule, Rules
from wuzi.players.base import BasePlayer, ThinkRequest
from wuzi.players.engine import ENGINE_KERNELS, EngineConfig, EnginePlayer
from wuzi.players.shipped_proof import FIRST, shipped_file
from wuzi.search.proof.boards import Boards
from wuzi.search.proof.book import ProofBook


@dataclass(frozen=True)
class ProofConfig:
    """Options of :class:`ProofPlayer`."""

    table_mb: int = option(
        64, "memory for the engine outside the proof, MB", "证明之外引擎置换表的内存（MB）", minimum=1
    )


class ProofPlayer(BasePlayer[ProofConfig]):
    """Plays Black by proofs that it wins, without a search; as White and outside the proofs the engine plays.

    An answer from a proof has the value 1 and searches no positions.
    """

    registered_name = "proof"
    config_type = ProofConfig
    supports = Capabilities(
        rules=frozenset({Rule.FREESTYLE}),
        min_size=15,
        max_size=15,
        win_lengths=frozenset({5}),
        deterministic=False,
    )

    def __init__(self, config: ProofConfig | None = None) -> None:
        super().__init__(config)
        self._engine = EnginePlayer(EngineConfig(table_mb=self.config.table_mb))

    def kernels(self, rules: Rules) -> tuple[str, ...]:
        """The engine's."""
        return ENGINE_KERNELS

    def answer(self, request: ThinkRequest, rng: np.random.Generator) -> PlayResult:
        """The proof's move; the engine's where no proof says."""
        move = proved_move(request.game)
        if move is None:
            return self._engine.think(
                request.game,
                request.left,
                multipv=request.multipv,
                stop=request.stop,
                on_info=request.on_info,
            )
        line = Line(move, 1.0, Color.BLACK, pv=(move,))
        return request.reported(PlayResult(Place(move), SearchInfo(color=Color.BLACK, lines=(line,))))

    def evaluate(self, game: Game, limit: Limit = Limit(), stop: Stop | None = None) -> float | None:
        """1 where Black, to move, wins by a proof; else what the engine believes."""
        return 1.0 if proved_move(game) is not None else self._engine.evaluate(game, limit, stop)

    def close(self) -> None:
        """Free the engine's tables."""
        self._engine.close()


def proved_move(game: Game) -> Move | None:
    """Black's winning move by the shipped proofs; None where they do not say."""
    moves = [str(move) for move in game.moves]
    if game.to_move is not Color.BLACK or game.rules != Rules(15) or game.start != Position(game.rules):
        return None
    if not moves:
        return Move(FIRST, 15)
    if moves[0] != FIRST:
        return None
    node = _book(moves[1]).answer(moves)
    return None if node is None else Move(node.move, 15)


@lru_cache(maxsize=1)
def _boards() -> Boards:
    return Boards(Rules(15))


def _book(reply: str) -> ProofBook:
    boards = _boards()
    (_, white), _ = boards.canonical(*boards.after([FIRST, reply]))
    return _shipped(boards.names[white.bit_length() - 1])


@lru_cache(maxsize=2)
def _shipped(reply: str) -> ProofBook:
    with as_file(shipped_file(reply)) as path:
        return ProofBook(path)
