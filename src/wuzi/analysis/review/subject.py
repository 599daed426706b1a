"""The game that is reviewed, as a plain sequence of stones."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property, reduce
from itertools import accumulate
from typing import Any

from wuzi.core import Color, Game, Move, Opening, Phase, Place, Position, format_moves
from wuzi.protocols.analysis.wire import format_cells


class ReviewedGame:
    """The game under review as a plain sequence of stones; opening choices do not matter here.

    ``positions`` are one more than moves; stones before ``judged_from`` belong to an opening's proposals.
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        rules = replace(game.rules, opening=Opening.FREE)
        start = game.start
        plain = start.ply == 0 and start.to_move is Color.BLACK
        first = Position(rules) if plain else Position.from_cells(rules, start.cells, start.to_move)
        self.positions = tuple(accumulate(game.moves, Position.play, initial=first))
        self.judged_from = _opening_stones(game)

    @property
    def moves(self) -> tuple[Move, ...]:
        """The stones in order."""
        return self.game.moves

    @property
    def size(self) -> int:
        """Of the board."""
        return self.game.rules.size

    @property
    def last_open(self) -> int:
        """The last ply at which the board did not end the game."""
        return len(self.moves) - (self.positions[-1].outcome is not None)

    def game_at(self, ply: int) -> Game:
        """The game after so many stones, with no opening protocol; for asking players."""
        first = self.positions[0]
        return reduce(Game.play, self.moves[:ply], Game(first.rules, start=first))

    @cached_property
    def fingerprint(self) -> dict[str, Any]:
        """What tells this game from another one: rules, start and stones."""
        rules = self.game.rules
        return {
            "size": rules.size,
            "winLength": rules.win_length,
            "rule": rules.rule.label,
            "start": format_cells(self.positions[0]) if self.positions[0].ply else "",
            "first": self.positions[0].to_move.letter,
            "moves": format_moves(self.moves, rules.size),
        }


def _opening_stones(game: Game) -> int:
    """Stones on the board when the last choice of an opening was made."""
    if game.rules.opening is Opening.FREE:
        return 0
    for count in range(len(game.actions), 0, -1):
        if not isinstance(game.actions[count - 1], Place):
            return len(game.at(count).moves)
    return len(game.moves) if game.phase is not Phase.PLAY else 0
