"""A game record: who played whom under which rules, and a tree of moves with comments.

A :class:`GameRecord` is what files hold; :class:`wuzi.core.Game` is what can be played. The main line of
a record (the first child of each node) becomes a Game by :meth:`GameRecord.game`, always through the rule
book; :meth:`GameRecord.from_game` goes the other way.

Trees may be as deep as a board has cells and as wide as their author liked, so nothing here recurses.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Self

from wuzi.core import Color, Game, Move, Outcome, Position, Rules
from wuzi.records.replay import play_main_line
from wuzi.records.words import describe_opening


class MarkKind(StrEnum):
    """How a cell is marked for the reader; the values are SGF's property names."""

    CROSS = "MA"
    TRIANGLE = "TR"
    CIRCLE = "CR"
    SQUARE = "SQ"
    SELECTED = "SL"
    LABEL = "LB"


@dataclass(frozen=True, slots=True)
class Mark:
    """A mark on a cell; ``text`` is used by labels only."""

    kind: MarkKind
    move: Move
    text: str = ""


@dataclass(frozen=True, slots=True)
class SetUp:
    """Stones put on or taken off the board without being played.

    Attributes:
        black: cells that get a black stone, ascending.
        white: cells that get a white stone, ascending.
        empty: cells that are cleared, ascending.
        to_move: who moves next; None when the record does not say.
    """

    black: tuple[Move, ...] = ()
    white: tuple[Move, ...] = ()
    empty: tuple[Move, ...] = ()
    to_move: Color | None = None

    def __post_init__(self) -> None:
        for name in ("black", "white", "empty"):
            object.__setattr__(self, name, tuple(sorted(set(getattr(self, name)))))

    @property
    def is_bare(self) -> bool:
        """Whether it only says whose turn it is."""
        return not (self.black or self.white or self.empty)

    @classmethod
    def of(cls, position: Position) -> Self:
        """What sets up a position on the empty board."""
        black, white = (
            tuple(Move(i, position.rules.size) for i in (position.cells == color).nonzero()[0])
            for color in Color
        )
        return cls(black, white, to_move=position.to_move)


@dataclass(slots=True, eq=False)
class RecordNode:
    """One node of the tree: a move, or set-up stones, or neither (a place for a comment).

    Attributes:
        move: the cell played at this node.
        color: whose move it is; set exactly when ``move`` is.
        setup: stones put up at this node.
        comment: text for the reader, lines separated by line feeds.
        marks: marked cells.
        time_ms: thinking time of the move in milliseconds.
        properties: everything else a file held, as raw SGF values by property name.
        children: what comes next; the first one continues the main line, others are variations.

    Two nodes are equal when they and all their descendants hold the same.
    """

    move: Move | None = None
    color: Color | None = None
    setup: SetUp | None = None
    comment: str = ""
    marks: tuple[Mark, ...] = ()
    time_ms: int | None = None
    properties: dict[str, tuple[str, ...]] = field(default_factory=dict)
    children: list[RecordNode] = field(default_factory=list, repr=False)

    def add(self, child: RecordNode) -> RecordNode:
        """Append ``child`` and return it."""
        self.children.append(child)
        return child

    def walk(self) -> Iterator[RecordNode]:
        """This node and all its descendants, parents first, main line before variations."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(node.children))

    def main_line(self) -> Iterator[RecordNode]:
        """This node and the chain of first children below it."""
        node = self
        while True:
            yield node
            if not node.children:
                return
            node = node.children[0]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RecordNode):
            return NotImplemented
        pairs = [(self, other)]
        while pairs:
            a, b = pairs.pop()
            if len(a.children) != len(b.children) or a._content() != b._content():
                return False
            pairs.extend(zip(a.children, b.children, strict=True))
        return True

    __hash__ = None  # type: ignore[assignment]

    def _content(self) -> tuple[object, ...]:
        """What this node holds apart from its children."""
        return (self.move, self.color, self.setup, self.comment, self.marks, self.time_ms, self.properties)


@dataclass(slots=True)
class GameRecord:
    """A game as a file holds it.

    Attributes:
        rules: the rules played.
        root: the start of the tree; it holds set-up stones, never a move.
        black: name of the player who had Black at the end of the opening, on one line.
        white: name of the other player.
        date: when it was played, as written in the file (``2026-11-21``).
        outcome: how the game ended, as far as the record says; None when unfinished or unknown.
        opening: what the seats did in a swap opening, as words ``place3``, ``place2``, ``place``,
            ``swap`` and ``keep``; after them one stone is placed a turn. None when the record does not
            say, which replays the stones as plain alternating moves.
        headers: further facts by name (event, round, place, name, annotator, ...), each on one line.
        warnings: what was unusual about the file this came from, for the reader; not compared.
    """

    rules: Rules = field(default_factory=Rules)
    root: RecordNode = field(default_factory=RecordNode)
    black: str = ""
    white: str = ""
    date: str = ""
    outcome: Outcome | None = None
    opening: tuple[str, ...] | None = None
    headers: dict[str, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        self.black, self.white, self.date = map(one_line, (self.black, self.white, self.date))
        cleaned = {one_line(key): one_line(value) for key, value in self.headers.items()}
        self.headers = {key: value for key, value in cleaned.items() if key and value}

    @classmethod
    def from_game(
        cls,
        game: Game,
        *,
        black: str = "",
        white: str = "",
        date: str = "",
        headers: dict[str, str] | None = None,
    ) -> Self:
        """The record of a game, without variations."""
        start = game.start
        setup = SetUp.of(start) if start.ply or start.to_move is not Color.BLACK else None
        record = cls(
            rules=game.rules,
            root=RecordNode(setup=setup),
            black=black,
            white=white,
            date=date,
            outcome=game.outcome,
            opening=describe_opening(game),
            headers=dict(headers or {}),
        )
        add_moves(record.root, game.moves, start.to_move)
        return record

    @property
    def moves(self) -> tuple[Move, ...]:
        """The moves of the main line."""
        return tuple(node.move for node in self.root.main_line() if node.move is not None)

    @property
    def has_extras(self) -> bool:
        """Whether the tree holds more than one line of bare moves (comments, variations, ...)."""
        return any(
            len(node.children) > 1 or node.comment or node.marks or node.properties
            for node in self.root.walk()
        )

    def game(self) -> Game:
        """The main line, replayed through the rules; a RecordError names the ply that cannot be played."""
        return play_main_line(self)


def one_line(text: str) -> str:
    """The text with every run of white space (line breaks too) as one blank."""
    return " ".join(text.split())


def add_moves(node: RecordNode, moves: Iterable[Move], first: Color = Color.BLACK) -> RecordNode:
    """Append alternating moves below ``node`` as one line; returns the last node."""
    color = first
    for move in moves:
        node = node.add(RecordNode(move=move, color=color))
        color = color.opponent
    return node
