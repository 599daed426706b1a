"""Where things are: pure geometry of the window, from its size and zoom alone."""

from __future__ import annotations

from dataclasses import dataclass

from pygame import Rect

from wuzi.core import Move
from wuzi.core.symmetry import cell_maps, inverse

MIN_SIZE = (480, 560)
USUAL_SIZE = (1060, 740)
TALL_SIZE = (560, 860)
WIDE = 1.18
"""From this ratio of width to height on, panels stand beside the board, else below it."""

ZOOMS = (0.8, 0.9, 1.0, 1.15, 1.3, 1.5, 1.75, 2.0)


def unit(size: tuple[int, int], zoom: float = 1.0) -> float:
    """How many pixels one design pixel is: everything grows with the window, so any density is readable."""
    fits = min(size[0] / MIN_SIZE[0], size[1] / MIN_SIZE[1])
    width, height = USUAL_SIZE if is_wide(size) else TALL_SIZE
    usual = min(size[0] / width, size[1] / height)
    return min(max(usual, 0.82) * zoom, max(fits, 0.82))


def is_wide(size: tuple[int, int]) -> bool:
    """Whether there is room beside a board."""
    return size[0] >= WIDE * size[1]


def turned_again(turned: int, *, flip: bool) -> int:
    """A symmetry followed by a quarter turn clockwise, or by a mirror from left to right."""
    return (turned & 4 ^ 4) + -turned % 4 if flip else (turned & 4) + (turned - 1) % 4


@dataclass(frozen=True, slots=True)
class BoardGrid:
    """The points of a board of ``size`` lines in a square, the plank; it is ``turned`` by a symmetry."""

    rect: Rect
    size: int
    turned: int = 0

    @property
    def cell(self) -> float:
        """Pixels between two lines."""
        return self.rect.width / (self.size + 1.15)

    @property
    def margin(self) -> float:
        """Pixels from the plank's edge to the first line."""
        return (self.rect.width - self.cell * (self.size - 1)) / 2

    def point(self, move: int) -> tuple[float, float]:
        """The middle of a cell, in pixels."""
        row, col = divmod(int(cell_maps(self.size)[self.turned][move]), self.size)
        first = self.margin
        return self.rect.x + first + col * self.cell, self.rect.y + first + row * self.cell

    def move_at(self, x: float, y: float) -> Move | None:
        """The cell nearest to a pixel, if that is within half a cell of the board."""
        col = round((x - self.rect.x - self.margin) / self.cell)
        row = round((y - self.rect.y - self.margin) / self.cell)
        inside = 0 <= col < self.size and 0 <= row < self.size
        return self.move_in(row, col) if inside else None

    def move_in(self, row: int, col: int) -> Move:
        """The cell that is drawn in that row and column, counted from the upper left."""
        return Move(cell_maps(self.size)[inverse(self.turned)][row * self.size + col], self.size)


@dataclass(frozen=True, slots=True)
class GameLayout:
    """The parts of the game screen; ``graph`` and ``details`` are None where there is no room.

    Attributes:
        unit: pixels of one design pixel.
        panel: the card beside (or below) the board, which holds all but the status line.
        details: candidates or moves.
        opening: what is asked in an opening phase, in place of the bar, the graph and the details.
        columns: buttons a row.
    """

    unit: float
    board: Rect
    panel: Rect
    players: tuple[Rect, Rect]
    bar: Rect
    graph: Rect | None
    details: Rect | None
    opening: Rect
    buttons: Rect
    columns: int
    status: Rect


def game_layout(size: tuple[int, int], zoom: float, num_buttons: int) -> GameLayout:
    """The game screen for a window of that size."""
    u = unit(size, zoom)
    status = Rect(0, size[1] - round(44 * u), size[0], round(44 * u))
    return (_beside if is_wide(size) else _below)(size, u, status, num_buttons)


def _beside(size: tuple[int, int], u: float, status: Rect, num_buttons: int) -> GameLayout:
    width, gap = size[0], round(18 * u)
    panel_w = round(min(max(300 * u, width * 0.3), 400 * u))
    side = min(width - panel_w - 3 * gap, status.top - 2 * gap)
    left = max(gap, (width - panel_w - side - gap) // 2)
    board = Rect(left, gap + (status.top - 2 * gap - side) // 2, side, side)
    panel = Rect(board.right + gap, gap, panel_w, status.top - 2 * gap)
    inner = panel.inflate(-round(32 * u), -round(32 * u))
    space, card = round(10 * u), round(52 * u)
    first = Rect(inner.x, inner.y, inner.width, card)
    players = (first, first.move(0, card + space))
    bar = Rect(inner.x, players[1].bottom + round(14 * u), inner.width, round(30 * u))
    columns = 3
    buttons = _at_bottom(inner, u, num_buttons, columns)
    room = Rect(inner.x, bar.bottom + round(12 * u), inner.width, 0)
    room.height = buttons.top - round(16 * u) - room.top
    graph = details = None
    if room.height >= 250 * u:
        graph = Rect(room.x, room.y, room.width, round(room.height * 0.46))
        details = Rect(room.x, graph.bottom + space, room.width, room.bottom - graph.bottom - space)
    elif room.height >= 90 * u:
        details = room
    opening = Rect(bar.x, bar.y, bar.width, room.bottom - bar.y)
    return GameLayout(u, board, panel, players, bar, graph, details, opening, buttons, columns, status)


def _below(size: tuple[int, int], u: float, status: Rect, num_buttons: int) -> GameLayout:
    width, gap = size[0], round(10 * u)
    columns = 6
    card, bar_h, pad = round(48 * u), round(26 * u), round(12 * u)
    rows = -(-num_buttons // columns)
    needed = card + bar_h + rows * round(42 * u) + 2 * pad + round(18 * u)
    most = min(width - 2 * gap, status.top - needed - 3 * gap)
    with_graph = min(most, status.top - needed - 3 * gap - round(100 * u))
    side = with_graph if with_graph >= 0.85 * most else most
    board = Rect((width - side) // 2, gap, side, side)
    panel = Rect(gap, board.bottom + gap, width - 2 * gap, status.top - board.bottom - 2 * gap)
    inner = panel.inflate(-2 * pad, -2 * pad)
    half = (inner.width - gap) // 2
    players = (Rect(inner.x, inner.y, half, card), Rect(inner.right - half, inner.y, half, card))
    bar = Rect(inner.x, inner.y + card + gap, inner.width, bar_h)
    buttons = _at_bottom(inner, u, num_buttons, columns)
    room = Rect(inner.x, bar.bottom + gap, inner.width, buttons.top - bar.bottom - 2 * gap)
    graph = details = None
    if room.height >= 70 * u:
        graph = Rect(room.x, room.y, half, room.height)
        details = Rect(room.right - half, room.y, half, room.height)
    opening = Rect(bar.x, bar.y, bar.width, buttons.top - gap - bar.y)
    if not has_card(opening, u):
        opening = opening.inflate(0, gap)
    return GameLayout(u, board, panel, players, bar, graph, details, opening, buttons, columns, status)


def _at_bottom(inner: Rect, u: float, num_buttons: int, columns: int) -> Rect:
    rows = -(-num_buttons // columns)
    height = rows * round(42 * u) - round(6 * u)
    return Rect(inner.x, inner.bottom - height, inner.width, height)


def button_rects(area: Rect, u: float, count: int, columns: int) -> list[Rect]:
    """The places of buttons in rows; the buttons of a short last row are as wide as its room allows."""
    gap, height = round(6 * u), round(36 * u)
    rects = []
    for start in range(0, count, columns):
        in_row = min(columns, count - start)
        y = area.y + (start // columns) * (height + gap)
        rects += spread(Rect(area.x, y, area.width, height), in_row, gap)
    return rects


def opening_rects(area: Rect, u: float, count: int) -> list[Rect]:
    """The places of the buttons of an opening phase, at the bottom of its area.

    Below each other and high enough for two lines, where there is room for a text above them; else in a row,
    or below each other with one line each in a narrow area.
    """
    gap, edge = round(8 * u), round(12 * u) if has_card(area, u) else 0
    inner = area.inflate(-2 * edge, -2 * edge)
    height = round(54 * u)
    if inner.height < count * (height + gap) + round(82 * u):
        height = round(38 * u)
        if inner.width >= count * 130 * u:
            row = Rect(inner.x, 0, inner.width, min(inner.height, height))
            row.bottom = inner.bottom
            return spread(row, count, gap)
        height = min(height, (inner.height + gap) // count - gap)
    top = inner.bottom - count * (height + gap) + gap
    return [Rect(inner.x, top + index * (height + gap), inner.width, height) for index in range(count)]


def has_card(area: Rect, u: float) -> bool:
    """Whether the area of an opening phase has room for more than a row of buttons."""
    return area.height >= 60 * u


def spread(row: Rect, count: int, gap: int) -> list[Rect]:
    """A row cut into ``count`` equal parts."""
    edges = [row.x + round(i * (row.width + gap) / count) for i in range(count + 1)]
    return [Rect(edges[i], row.y, edges[i + 1] - edges[i] - gap, row.height) for i in range(count)]
