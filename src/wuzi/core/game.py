"""A game: a position with its history, its seats, its opening phase and its end. An immutable value."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from enum import StrEnum
from os import PathLike
from typing import TYPE_CHECKING, cast

import numpy as np

from wuzi.base.imports import game_files
from wuzi.core import game_kernels as kernels
from wuzi.core.layout import KEEP, PLACE, REFUSED, SWAP
from wuzi.core.notation import Move, format_moves, parse_moves
from wuzi.core.position import MoveLike, Position
from wuzi.core.rules import Opening, Rules
from wuzi.core.types import Action, Color, Outcome, Place, PlaceSeveral, Reason, Swap
from wuzi.errors import ConfigError, GameOverError, IllegalMoveError


class Phase(StrEnum):
    """What the game waits for."""

    PLACE_THREE = "place_three"
    """Seat 0 places black, white, black."""
    CHOOSE = "choose"
    """Seat 1 has White unless it swaps (swap2: or adds a white and a black stone)."""
    CHOOSE_AFTER_FIVE = "choose_after_five"
    """Seat 0 has White unless it swaps."""
    PLAY = "play"
    OVER = "over"


_PHASES = tuple(Phase)
_NUMBERS = {phase: number for number, phase in enumerate(Phase)}
_OPENINGS = {opening: number for number, opening in enumerate(Opening)}
"""What the kernels call the phases and the openings."""


class Game:
    """Everything that happened from the start to now. Immutable: each method returns a new Game.

    A *seat* (0 or 1) is who sits at the board, apart from the colour played: in the swap openings
    the seats choose their colours. Seat 0 acts first.

    Attributes:
        rules: the rules, with the opening protocol.
        start: the position the game began with.
        position: the position now.
        moves: all stones placed since the start, in order.
        actions: what the seats did, in order.
        phase: what the game waits for.
        outcome: None while the game is being played.

    >>> game = Game(Rules(size=15)).play("h8").play("j9")
    >>> game.to_move.name, game.ply
    ('BLACK', 2)
    """

    __slots__ = (
        *("_black_seat", "_previous", "actions", "moves", "outcome"),
        *("phase", "position", "rules", "start"),
    )

    rules: Rules
    start: Position
    position: Position
    moves: tuple[Move, ...]
    actions: tuple[Action, ...]
    phase: Phase
    outcome: Outcome | None
    _black_seat: int
    _previous: Game | None

    def __init__(self, rules: Rules = Rules(), start: Position | None = None) -> None:
        if start is not None and start.rules != rules:
            raise ConfigError(f"start position is {start.rules.label}: expected {rules.label}")
        first = start or Position(rules)
        phase = kernels.first_phase(_OPENINGS[rules.opening], first.ply, int(first.outcome is not None))
        if phase == REFUSED:
            raise ConfigError(f"a set-up position cannot begin with the {rules.opening} opening")
        _fill(self, rules=rules, start=first, position=first, moves=(), actions=(), phase=_PHASES[phase])
        _fill(self, outcome=first.outcome, _black_seat=0, _previous=None)

    @classmethod
    def from_moves(cls, rules: Rules, moves: Iterable[MoveLike] | str) -> Game:
        """The game after these moves, colours alternating from Black; an opening protocol is ignored.

        A text is read by :func:`wuzi.core.parse_moves`.
        """
        if isinstance(moves, str):
            moves = parse_moves(moves, rules.size)
        game = cls(replace(rules, opening=Opening.FREE))
        for move in moves:
            game = game.play(move)
        return game

    @property
    def to_move(self) -> Color:
        """The colour of the next stone."""
        return self.position.to_move

    @property
    def ply(self) -> int:
        """Number of stones on the board."""
        return self.position.ply

    @property
    def legal_moves(self) -> list[Move]:
        """The cells where one stone may be placed now, in increasing order; none when the game is over.

        >>> print(*Game(Rules(size=3, win_length=3)).play("b2").legal_moves)
        a3 b3 c3 a2 c2 a1 b1 c1
        """
        return self.position.legal_moves if self._phase_after(PLACE, 1) != REFUSED else []

    @property
    def seat_to_act(self) -> int:
        """The seat the game waits for."""
        return int(kernels.seat_to_act(_NUMBERS[self.phase], self._black_seat, int(self.to_move)))

    def seat_of(self, color: Color) -> int:
        """The seat that has ``color``; in an opening phase, that would have it without a swap."""
        return self._black_seat if color is Color.BLACK else 1 - self._black_seat

    def color_of(self, seat: int) -> Color:
        """The colour of a seat; in an opening phase, without a swap."""
        return Color.BLACK if seat == self._black_seat else Color.WHITE

    def play(self, move: MoveLike) -> Game:
        """Place one stone: a cell index, or text such as ``h8`` or ``7,7``.

        Raises:
            NotationError, IllegalMoveError, GameOverError: as :meth:`Position.check`.
        """
        if self.outcome is not None:
            raise GameOverError(f"{move}: the game is over ({self.outcome.result})")
        phase = self._allowed(PLACE, 1, "one stone")
        after = self.position.play(move)
        cell = cast(Move, after.last_move)
        return self._next(Place(cell), PLACE, phase, after, (cell,))

    def act(self, action: Action) -> Game:
        """Apply what the seat to act did.

        Raises:
            IllegalMoveError: the phase does not allow the action, or a cell is occupied.
            GameOverError: the game has ended.
        """
        if isinstance(action, Place):
            return self.play(action.move)
        if self.outcome is not None:
            raise GameOverError(f"{action}: the game is over ({self.outcome.result})")
        if not isinstance(action, PlaceSeveral):
            kind = SWAP if isinstance(action, Swap) else KEEP
            phase = self._allowed(kind, 0, type(action).__name__.lower())
            return self._next(action, kind, phase, self.position, ())
        count = len(action.moves)
        phase = self._allowed(PLACE, count if count > 1 else 0, f"{count} stones")
        after, moves = self.position, []
        for move in action.moves:
            after = after.play(move)
            moves.append(cast(Move, after.last_move))
        return self._next(PlaceSeveral(tuple(moves)), PLACE, phase, after, tuple(moves))

    def _phase_after(self, action: int, stones: int) -> int:
        opening, phase = _OPENINGS[self.rules.opening], _NUMBERS[self.phase]
        return int(kernels.phase_after(opening, phase, action, stones))

    def _allowed(self, action: int, stones: int, what: str) -> int:
        """The kernels' number of the phase after an action; an IllegalMoveError where it is not allowed."""
        phase = self._phase_after(action, stones)
        if phase == REFUSED:
            raise IllegalMoveError(f"{what}: expected {self.legal_actions_text()}")
        return phase

    @property
    def colors_to_place(self) -> tuple[Color, ...]:
        """The stones that the seat to act may put down at once; when it chooses: none, the first, or all."""
        colors = np.empty(3, np.int64)
        opening, phase = _OPENINGS[self.rules.opening], _NUMBERS[self.phase]
        due = kernels.stones_due(opening, phase, int(self.to_move), colors)
        return tuple(map(Color, colors[:due].tolist()))

    def legal_actions_text(self) -> str:
        """What the seat to act may do, in words."""
        if self.phase is Phase.OVER:
            return "nothing: the game is over"
        if self.phase is Phase.PLAY:
            return "one stone"
        if self.phase is Phase.PLACE_THREE:
            return "three stones (black, white, black)"
        more = ", two stones (white, black)" if len(self.colors_to_place) > 1 else ""
        return f"swap, keep, one stone{more}"

    def resign(self, color: Color) -> Game:
        """The game after ``color`` gave up."""
        return self.end(Outcome(color.opponent, Reason.RESIGNATION))

    def end(self, outcome: Outcome) -> Game:
        """The game ended by something other than a stone: resignation, time, agreement, a referee."""
        if self.outcome is not None:
            raise GameOverError(f"cannot end the game twice: it is over ({self.outcome.result})")
        return self._changed(phase=Phase.OVER, outcome=outcome)

    def undo(self, actions: int = 1) -> Game:
        """The game before the last ``actions``; a resignation or other end is taken back with them.

        Raises:
            IllegalMoveError: there are fewer actions.
        """
        return self.at(len(self.actions) - actions)

    def at(self, actions: int) -> Game:
        """The game after its first ``actions``, undecided unless a stone had ended it.

        An action is what a seat did at once: without an opening protocol one stone each.

        Raises:
            IllegalMoveError: there are fewer actions.
        """
        if not 0 <= actions <= len(self.actions):
            raise IllegalMoveError(f"no game after {actions} actions: there are {len(self.actions)}")
        game = self
        while len(game.actions) > actions or game.outcome != game.position.outcome:
            game = cast(Game, game._previous)
        return game

    def save(self, path: str | PathLike[str]) -> None:
        """Write the game to a file; its extension says the format (``.sgf``, ``.psq``, ``.json``...)."""
        game_files().save(self, path)

    @staticmethod
    def load(path: str | PathLike[str]) -> Game:
        """Read the main line of a game file."""
        return cast(Game, game_files().load(path))

    def _next(
        self, action: Action, kind: int, phase: int, position: Position, moves: tuple[Move, ...]
    ) -> Game:
        over = position.outcome
        phase = kernels.phase_with_result(phase, len(moves), int(over is not None))
        if phase == REFUSED:
            stones = format_moves(moves, self.rules.size)
            raise IllegalMoveError(f"opening stones {stones}: they may not end the game")
        black = kernels.black_after(_NUMBERS[self.phase], self._black_seat, kind, len(moves))
        actions = (*self.actions, action)
        after = self._changed(position=position, moves=self.moves + moves, actions=actions, outcome=over)
        _fill(after, phase=_PHASES[phase], _black_seat=int(black))
        return after

    def _changed(self, **fields: object) -> Game:
        """A later game, which differs in these fields."""
        after = Game.__new__(Game)
        kept = {name: getattr(self, name) for name in self.__slots__}
        _fill(after, **{**kept, "_previous": self, **fields})
        return after

    def _key(self) -> tuple[object, ...]:
        return self.rules, self.start, self.actions, self.outcome

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, Game) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())

    def __reduce__(self) -> tuple[object, ...]:
        return _replayed, self._key()

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"Game is immutable: cannot set {name}")

    def __str__(self) -> str:
        return str(self.position)

    def __repr__(self) -> str:
        text = format_moves(self.moves, self.rules.size)
        end = f", {self.outcome.result}" if self.outcome else ""
        return f"<Game {self.rules.label}: {text or 'empty'}{end}>"

    if not TYPE_CHECKING:

        def _repr_svg_(self) -> str:
            return game_files().draw(self)


def _replayed(rules: Rules, start: Position, actions: Iterable[Action], outcome: Outcome | None) -> Game:
    """A game from what :meth:`Game.__reduce__` kept of it."""
    game = Game(rules, start)
    for action in actions:
        game = game.act(action)
    return game if outcome == game.outcome or outcome is None else game.end(outcome)


def _fill(game: Game, **fields: object) -> None:
    for name, value in fields.items():
        object.__setattr__(game, name, value)
