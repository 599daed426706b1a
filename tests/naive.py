"""Slow twins of the kernels in plain Python, written from the rules and not from the kernels.

A board is a list of stones by cell. Lines are read out as text (``x`` own, ``o`` opponent, ``.`` empty,
``#`` wall) from wall to wall, so nothing here knows of padding, strides, keys or bits.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache

from wuzi.core import Color, ForbiddenKind, Outcome, Reason, Rule, Rules
from wuzi.core.classes import CellClass, LineClass

Stones = Sequence[int]
Point = tuple[int, int]

WAYS = ((0, 1), (1, 0), (1, 1), (1, -1))


def on_board(size: int, row: int, col: int) -> bool:
    return 0 <= row < size and 0 <= col < size


def cells_of_line(size: int, cell: int, way: Point) -> list[int]:
    """All cells of the line through ``cell``, from wall to wall."""
    (row, col), (down, right) = divmod(cell, size), way
    while on_board(size, row - down, col - right):
        row, col = row - down, col - right
    found = []
    while on_board(size, row, col):
        found.append(row * size + col)
        row, col = row + down, col + right
    return found


def letters(stones: Stones, cells: Sequence[int], color: int) -> str:
    return "".join("." if not stones[c] else "x" if stones[c] == color else "o" for c in cells)


# ---------------------------------------------------------------------------- rows that win


def row_wins(rules: Rules, color: int, length: int, before: str, after: str) -> bool:
    """Whether a row of ``length`` between these two neighbours wins."""
    k = rules.win_length
    if length < k:
        return False
    if rules.rule is Rule.FREESTYLE:
        return True
    if rules.rule is Rule.STANDARD:
        return length == k
    if rules.rule is Rule.RENJU:
        return length == k or color == Color.WHITE
    if length > k:
        return rules.rule is Rule.CARO_OVERLINE
    return not (before == "o" and after == "o")


def winning_rows(rules: Rules, stones: Stones, cell: int, color: int) -> list[tuple[int, ...]]:
    """The winning rows through the stone of ``color`` at ``cell``."""
    rows = []
    for way in WAYS:
        line = cells_of_line(rules.size, cell, way)
        text = "#" + letters(stones, line, color) + "#"
        for found in re.finditer("x+", text):
            row = tuple(line[found.start() - 1 : found.end() - 1])
            ends = text[found.start() - 1], text[found.end()]
            if cell in row and row_wins(rules, color, len(row), *ends):
                rows.append(row)
    return rows


def outcome_after(rules: Rules, stones: Stones, cell: int, color: int) -> Outcome | None:
    """How the game stands after ``color`` played ``cell`` on ``stones`` (the board before)."""
    if rules.rule is Rule.RENJU and color == Color.BLACK and forbidden_kind(rules.size, stones, cell):
        return Outcome(Color.WHITE, Reason.FORBIDDEN)
    after = with_stone(stones, cell, color)
    if winning_rows(rules, after, cell, color):
        return Outcome(Color(color), Reason.LINE)
    return None if 0 in after else Outcome(None, Reason.DRAW_FULL)


def with_stone(stones: Stones, cell: int, color: int) -> list[int]:
    after = list(stones)
    after[cell] = color
    return after


def count_games(rules: Rules, start: Stones, to_move: int, depth: int) -> tuple[list[int], int]:
    """Perft: positions by ply from ``start``, and the games finished among them."""
    nodes, finished = [0] * depth, 0

    def walk(stones: Stones, color: int, ply: int) -> None:
        nonlocal finished
        for cell in (cell for cell, stone in enumerate(stones) if not stone):
            nodes[ply] += 1
            if outcome_after(rules, stones, cell, color):
                finished += 1
            elif ply + 1 < depth:
                walk(with_stone(stones, cell, color), 3 - color, ply + 1)

    walk(start, to_move, 0)
    return nodes, finished


# ---------------------------------------------------------------------------- renju


@cache
def stretches(size: int, cell: int, way: Point, length: int) -> tuple[tuple[int, ...], ...]:
    """All runs of ``length`` neighbouring cells that hold ``cell``, each with its two neighbours.

    A neighbour off the board is -1.
    """
    line = [-1, *cells_of_line(size, cell, way), -1]
    runs = (tuple(line[i : i + length + 2]) for i in range(len(line) - length - 1))
    return tuple(run for run in runs if cell in run[1:-1])


def makes_five(size: int, stones: Stones, cell: int) -> bool:
    """Whether a black stone at ``cell`` makes an unbroken row of exactly five."""
    after = with_stone(stones, cell, Color.BLACK)
    return any(
        all(after[c] == Color.BLACK for c in run[1:-1])
        and not any(_black(after, c) for c in (run[0], run[-1]))
        for way in WAYS
        for run in stretches(size, cell, way, 5)
    )


def makes_overline(size: int, stones: Stones, cell: int) -> bool:
    after = with_stone(stones, cell, Color.BLACK)
    return any(
        all(after[c] == Color.BLACK for c in run[1:-1])
        for way in WAYS
        for run in stretches(size, cell, way, 6)
    )


def fours(size: int, stones: Stones, cell: int) -> set[frozenset[int]]:
    """The fours through the black stone at ``cell``: four stones that one more makes exactly five."""
    found = set()
    for way in WAYS:
        for run in stretches(size, cell, way, 5):
            inner = run[1:-1]
            black = frozenset(c for c in inner if stones[c] == Color.BLACK)
            missing = [c for c in inner if not stones[c]]
            if len(black) == 4 and missing and not any(_black(stones, c) for c in (run[0], run[-1])):
                found.add(black)
    return found


def straight_four_points(size: int, stones: Stones, cell: int) -> Iterator[tuple[frozenset[int], int]]:
    """Each three through the black stone at ``cell``, with a point that makes it a straight four."""
    for way in WAYS:
        for run in stretches(size, cell, way, 6):
            # Outside neighbour, empty end, four cells, empty end, outside neighbour.
            left, *four, right = run[1:-1]
            black = frozenset(c for c in four if stones[c] == Color.BLACK)
            missing = [c for c in four if not stones[c]]
            open_ends = not stones[left] and not stones[right]
            exact = not any(_black(stones, c) for c in (run[0], run[-1]))
            if len(black) == 3 and missing and cell in black and open_ends and exact:
                yield black, missing[0]


def threes(size: int, stones: Stones, cell: int, *, lazy: bool = True) -> set[frozenset[int]]:
    """The real threes: the straight four can be made without a five and at a point not forbidden."""
    return {
        three
        for three, point in straight_four_points(size, stones, cell)
        if not makes_five(size, stones, point) and not forbidden_kind(size, stones, point, lazy=lazy)
    }


def one_three_at_most(size: int, stones: Stones, cell: int) -> bool:
    """Whether there are too few shapes of a three for a double three, whatever is forbidden elsewhere.

    It saves work only: the visits to every chain of such points may be billions.
    """
    return len({three for three, _ in straight_four_points(size, stones, cell)}) < 2


def forbidden_kind(size: int, stones: Stones, cell: int, *, lazy: bool = True) -> ForbiddenKind:
    """Why the empty ``cell`` is forbidden to Black, by the international rules of renju (3, 9.2, 9.3)."""
    if makes_five(size, stones, cell):
        return ForbiddenKind.NONE
    if makes_overline(size, stones, cell):
        return ForbiddenKind.OVERLINE
    after = with_stone(stones, cell, Color.BLACK)
    if len(fours(size, after, cell)) > 1:
        return ForbiddenKind.DOUBLE_FOUR
    if lazy and one_three_at_most(size, after, cell):
        return ForbiddenKind.NONE
    if len(threes(size, after, cell, lazy=lazy)) > 1:
        return ForbiddenKind.DOUBLE_THREE
    return ForbiddenKind.NONE


def forbidden_kinds(size: int, stones: Stones) -> list[ForbiddenKind]:
    return [
        ForbiddenKind.NONE if stone else forbidden_kind(size, stones, cell)
        for cell, stone in enumerate(stones)
    ]


def _black(stones: Stones, cell: int) -> bool:
    return cell >= 0 and stones[cell] == Color.BLACK


# ---------------------------------------------------------------------------- line and cell classes


@cache
def line_class(rules: Rules, color: int, window: str) -> LineClass:
    """The class of the own stone in the middle of a window, by what one more own stone makes of it."""
    c, middle = LineClass, len(window) // 2
    text = "?" + window + "?"
    first = len(text[: middle + 1].rstrip("x"))
    last = len(text) - len(text[middle + 1 :].lstrip("x"))
    length = last - first
    if row_wins(rules, color, length, text[first - 1], text[last]):
        return c.FIVE
    if length > rules.win_length:
        return c.OVERLINE
    room = re.search(r"[x.]*$", window[:middle])[0] + re.match(r"[x.]*", window[middle:])[0]  # type: ignore[index]
    if length == rules.win_length or len(room) < rules.win_length:
        return c.DEAD
    after = (window[:i] + "x" + window[i + 1 :] for i, letter in enumerate(window) if letter == ".")
    made = Counter(line_class(rules, color, more) for more in after)
    if made[c.FIVE] >= 2:
        gapped = length != rules.win_length - 1
        return c.DOUBLE_FOUR if gapped and foul_counts(rules, color) else c.OPEN_FOUR
    if made[c.FIVE]:
        return c.FOUR
    if made[c.OPEN_FOUR]:
        return c.OPEN_THREE_S if made[c.OPEN_FOUR] >= 2 else c.OPEN_THREE
    if made[c.FOUR]:
        return c.CLOSED_THREE
    if threes_made := made[c.OPEN_THREE] + made[c.OPEN_THREE_S]:
        return {1: c.OPEN_TWO, 2: c.OPEN_TWO, 3: c.OPEN_TWO_A}.get(threes_made, c.OPEN_TWO_B)
    if made[c.CLOSED_THREE]:
        return c.CLOSED_TWO
    if made[c.OPEN_TWO] + made[c.OPEN_TWO_A] + made[c.OPEN_TWO_B]:
        return c.OPEN_ONE
    return c.CLOSED_ONE if made[c.CLOSED_TWO] else c.DEAD


def foul_counts(rules: Rules, color: int) -> bool:
    return rules.rule is Rule.RENJU and color == Color.BLACK


def window_at(rules: Rules, stones: Stones, cell: int, way: Point, color: int, reach: int) -> str:
    """What lies up to ``reach`` cells before and after ``cell``, an own stone in the middle."""
    line = cells_of_line(rules.size, cell, way)
    text = "#" * reach + letters(with_stone(stones, cell, color), line, color) + "#" * reach
    at = line.index(cell)
    return text[at : at + 2 * reach + 1]


def cell_class(rules: Rules, color: int, lines: Sequence[LineClass]) -> CellClass:
    """What a stone makes on its four lines together."""
    n, k = Counter(line.name for line in lines), CellClass
    threes_made = n["OPEN_THREE"] + n["OPEN_THREE_S"]
    twos = n["OPEN_TWO"] + n["OPEN_TWO_A"] + n["OPEN_TWO_B"]
    four_lines = n["FOUR"] + n["OPEN_FOUR"]
    more = twos > 0 or n["CLOSED_THREE"] > 0
    if n["FIVE"]:
        return k.FIVE
    if foul_counts(rules, color) and (
        n["OVERLINE"] or n["DOUBLE_FOUR"] or four_lines >= 2 or threes_made >= 2
    ):
        return k.FORBIDDEN
    if n["OPEN_FOUR"] or four_lines >= 2 or n["DOUBLE_FOUR"]:
        return k.OPEN_FOUR
    if n["FOUR"]:
        return k.FOUR_THREE if threes_made else k.FOUR_PLUS if more else k.FOUR
    if threes_made:
        return k.DOUBLE_THREE if threes_made >= 2 else k.THREE_PLUS if more else k.THREE
    if n["CLOSED_THREE"] and twos + n["CLOSED_THREE"] >= 2:
        return k.CLOSED_THREE_PLUS
    if n["CLOSED_THREE"]:
        return k.CLOSED_THREE
    return k.DOUBLE_TWO if twos >= 2 else k.TWO if twos else k.NONE


def board_classes(
    rules: Rules, stones: Stones, color: int, reach: int
) -> dict[int, tuple[list[LineClass], CellClass]]:
    """The four line classes and the cell class of every empty cell."""
    found = {}
    for cell in (cell for cell, stone in enumerate(stones) if not stone):
        lines = [line_class(rules, color, window_at(rules, stones, cell, way, color, reach)) for way in WAYS]
        found[cell] = lines, cell_class(rules, color, lines)
    return found


def histogram(rules: Rules, stones: Stones, color: int, reach: int) -> Counter[CellClass]:
    """How many empty cells have each class."""
    return Counter(kind for _, kind in board_classes(rules, stones, color, reach).values())
