"""Words for what the seats did in a swap opening, and the way back.

Files hold stones; a swap opening also needs who chose what. The words ``place3``, ``place2``, ``place``,
``swap`` and ``keep`` tell it, in order; the stones they consume are those of the main line.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wuzi.core import Action, Game, Keep, Move, Opening, Place, PlaceSeveral, Swap
from wuzi.errors import RecordError

STONES = {"place3": 3, "place2": 2, "place": 1, "swap": 0, "keep": 0}
"""Stones that each word consumes."""


def describe_opening(game: Game) -> tuple[str, ...] | None:
    """The words of a game's opening; None when its rules have no opening protocol.

    The single stones after the opening need no words and are left out.
    """
    if game.rules.opening is Opening.FREE:
        return None
    words = [_word(action) for action in game.actions]
    while words and words[-1] == "place":
        words.pop()
    return tuple(words)


def opening_actions(words: Sequence[str], moves: Sequence[Move]) -> Iterator[Action]:
    """The actions that ``words`` and then single stones make of ``moves``.

    Raises:
        RecordError: an unknown word, or more stones announced than there are.
    """
    used = 0
    for word in words:
        if word not in STONES:
            raise RecordError(f"opening action {word!r}: expected one of {', '.join(STONES)}")
        stones = tuple(moves[used : used + STONES[word]])
        if len(stones) < STONES[word]:
            raise RecordError(f"opening action {word!r} needs {STONES[word]} stones: {len(stones)} are left")
        used += len(stones)
        if word == "swap":
            yield Swap()
        elif word == "keep":
            yield Keep()
        else:
            yield Place(stones[0]) if word == "place" else PlaceSeveral(stones)
    for move in moves[used:]:
        yield Place(move)


def _word(action: Action) -> str:
    if isinstance(action, PlaceSeveral):
        return f"place{len(action.moves)}"
    return type(action).__name__.lower()
