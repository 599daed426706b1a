"""The board: plank, grid, stones and everything that is drawn on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import pygame
from pygame import Rect

from wuzi.apps.desktop import fonts, shapes
from wuzi.apps.desktop.geometry import BoardGrid
from wuzi.apps.desktop.theme import Rgb, WindowTheme, mix
from wuzi.contract import Line, own_winrate
from wuzi.core import Color, Game, Move, Style, format_move
from wuzi.records.formats.svg import star_points
from wuzi.tactics import Threat, ThreatKind

_TAGS = {
    ThreatKind.FOUR: "5",
    ThreatKind.OPEN_FOUR: "5",
    ThreatKind.FOUR_FOUR: "44",
    ThreatKind.FOUR_THREE: "43",
    ThreatKind.OPEN_THREE: "4",
    ThreatKind.THREE_THREE: "33",
}
"""What is written on a cell that carries a threat out: the five or four that it makes, or the two at once."""

_ROWS = (ThreatKind.FOUR, ThreatKind.OPEN_FOUR, ThreatKind.OPEN_THREE)
_WHITE: Rgb = (255, 255, 255)


@dataclass(frozen=True, slots=True)
class BoardMarks:
    """What is shown besides the stones.

    Attributes:
        cursor: the cell that the keys act on. ghost: the cell under the mouse where a stone may go.
        line: numbered stones that are not played. area, suggestion: a hint.
        forbidden: cells where Black may not play. fresh: how far the last stone has arrived, 0 to 1.
        veiled: show no stone, as nobody is to think while the clocks stand still. style: of the edges' names.
    """

    cursor: Move | None = None
    ghost: Move | None = None
    candidates: Sequence[Line] = ()
    line: Sequence[Move] = ()
    area: Sequence[Move] = ()
    suggestion: Move | None = None
    threats: Sequence[Threat] = ()
    forbidden: Sequence[Move] = ()
    numbers: bool = False
    fresh: float = 1.0
    veiled: bool = False
    style: Style = Style.RENJU


def cell_name(move: Move, style: Style) -> str:
    """A cell as the board's edges name it.

    >>> cell_name(Move(14, 15), Style.RENJU), cell_name(Move(14, 15), Style.MATRIX)
    ('O15', 'A15')
    """
    return format_move(move, move.size, style).upper()


def candidate_text(one: Line, mover: Color) -> str:
    """The mover's win rate in per cent, or the distance of a proven end such as ``+5``."""
    if one.win_in is not None:
        return f"+{one.win_in}" if one.win_in > 0 else f"−{-one.win_in}"
    if one.winrate is None:
        return "?"
    return f"{100 * (own_winrate(one.winrate, mover)):.0f}"


def draw_board(
    surface: pygame.Surface, grid: BoardGrid, game: Game, theme: WindowTheme, marks: BoardMarks = BoardMarks()
) -> None:
    """Draw a board with its stones and marks into the square of the grid."""
    _Board(surface, grid, game, theme, marks).draw()


def _blit(surface: pygame.Surface, image: pygame.Surface, middle: tuple[float, float]) -> None:
    surface.blit(image, image.get_rect(center=(round(middle[0]), round(middle[1]))))


@lru_cache(maxsize=4)
def _plank(
    size: tuple[int, int], points: int, theme: WindowTheme, turned: int, style: Style
) -> pygame.Surface:
    """Wood, grid, star points and coordinates: what never changes in a game."""
    grid = BoardGrid(Rect(0, 0, *size), points, turned)
    image = shapes.wood(size, theme.wood, round(grid.cell * 0.3)).copy()
    width = max(1, round(grid.cell * 0.032))
    first, last = round(grid.margin), round(grid.margin + grid.cell * (points - 1))
    for index in range(points):
        at = round(grid.margin + grid.cell * index)
        edge = width + (index in (0, points - 1)) * max(1, width // 2)
        image.fill(theme.grid, Rect(first - width // 2, at - edge // 2, last - first + width, edge))
        image.fill(theme.grid, Rect(at - edge // 2, first - width // 2, edge, last - first + width))
    for row, col in star_points(points):
        _blit(image, shapes.disc(max(5, round(grid.cell * 0.2)), theme.grid), grid.point(row * points + col))
    font, ink = max(9, round(grid.cell * 0.33)), mix(theme.grid, theme.wood[0], 0.15)
    for index in range(points):
        for cell, is_below in ((grid.move_in(points - 1, index), True), (grid.move_in(index, 0), False)):
            x, y = grid.point(cell)
            beside = (x, y + grid.cell * 0.73) if is_below else (x - grid.cell * 0.74, y)
            name = cell_name(cell, style)
            # On a board that lies on its side columns stand at the left.
            is_column = is_below == (turned % 2 == 0)
            text = name[0] if is_column == (style is Style.RENJU) else name[1:]
            fonts.draw(image, text, beside, font, ink, anchor="center")
    return image


class _Board:
    """Draws one picture of a board; all lengths are parts of a cell."""

    def __init__(
        self, surface: pygame.Surface, grid: BoardGrid, game: Game, theme: WindowTheme, marks: BoardMarks
    ) -> None:
        self.surface, self.grid, self.game, self.theme, self.marks = surface, grid, game, theme, marks
        self.cell, self.point = grid.cell, grid.point
        self.cells = [int(cell) for cell in game.position.cells]
        self.wins = game.position.winning_lines()
        self.diameter = max(6, round(grid.cell * 0.94))

    def draw(self) -> None:
        rect, theme, marks = self.grid.rect, self.theme, self.marks
        blur = max(4, rect.width // 28)
        shade = shapes.shadow(rect.size, self.cell * 0.3, blur, theme.shadow + 40)
        self.surface.blit(shade, (rect.x - blur, rect.y - blur + blur // 4))
        self.surface.blit(_plank(rect.size, self.grid.size, theme, self.grid.turned, marks.style), rect)
        if marks.veiled:
            return
        self._area()
        for move in marks.forbidden:
            for up in (-0.17, 0.17):
                self._stroke(theme.last, move, (-0.17, -up), (0.17, up), 0.08)
        self._stones()
        if not marks.numbers:
            self._last()
        self._threats()
        if marks.line:
            self._line()
        else:
            self._candidates()
        for row in self.wins:
            for move in row:
                self._ring(move, theme.last, 0.98)
            self._join(row, max(2.5, self.cell * 0.11), 0.85)
        self._pointers()

    def _pointers(self) -> None:
        """What the mouse, the hint and the keys are at."""
        marks, theme = self.marks, self.theme
        if marks.ghost is not None:
            self._stone(marks.ghost, self.game.to_move, 0.5)
        if marks.suggestion is not None:
            self._ring(marks.suggestion, theme.suggestion, 1.12)
        if marks.cursor is not None:
            for x in (-0.5, 0.5):
                for y in (-0.5, 0.5):
                    self._stroke(theme.cursor, marks.cursor, (x, y), (x * 0.6, y), 0.075)
                    self._stroke(theme.cursor, marks.cursor, (x, y), (x, y * 0.6), 0.075)

    def _stone(self, move: int, color: int, opacity: float = 1.0, diameter: int = 0) -> None:
        image = shapes.stone(diameter or self.diameter, color == Color.BLACK, opacity)
        _blit(self.surface, image, self.point(move))

    def _ring(self, move: Move, color: Rgb, share: float) -> None:
        ring = shapes.ring(round(self.cell * share), color, max(2.0, self.cell * 0.08))
        _blit(self.surface, ring, self.point(move))

    def _stroke(
        self, color: Rgb, move: Move, start: tuple[float, float], end: tuple[float, float], width: float
    ) -> None:
        """A line around the middle of a cell."""
        x, y = self.point(move)
        ends = [(x + dx * self.cell, y + dy * self.cell) for dx, dy in (start, end)]
        shapes.smooth_line(self.surface, color, ends[0], ends[1], max(2.0, self.cell * width))

    def _join(self, row: Sequence[Move], width: float, opacity: float) -> None:
        """A line through a row of stones."""
        start, end = self.point(row[0]), self.point(row[-1])
        shapes.smooth_line(self.surface, self.theme.last, start, end, width, opacity)

    def _text(self, text: str, at: tuple[float, float], share: float, color: Rgb, bold: bool = True) -> None:
        size = max(9, round(self.cell * share))
        fonts.draw(self.surface, text, at, size, color, anchor="center", bold=bold)

    def _stones(self) -> None:
        game, fresh, diameter = self.game, self.marks.fresh, self.diameter
        shade = shapes.shadow((diameter - 2, diameter - 2), diameter / 2, max(2, diameter // 9), 120)
        newest = game.moves[-1] if game.moves else None
        stones = [(move, color) for move, color in enumerate(self.cells) if color]
        for move, _ in stones:
            if not (move == newest and fresh < 1):
                x, y = self.point(move)
                _blit(self.surface, shade, (x + diameter * 0.036, y + diameter * 0.06))
        order: dict[int, int] = {move: number for number, move in enumerate(game.moves, 1)}
        for move, color in stones:
            if move == newest and fresh < 1:
                self._stone(move, color, round(0.3 + 0.7 * fresh, 1), round(diameter * (1.25 - 0.25 * fresh)))
            else:
                self._stone(move, color)
            if self.marks.numbers and move in order:
                inks: tuple[Rgb, Rgb] = ((255, 130, 96), (196, 40, 14))
                if move != newest:
                    inks = ((240, 238, 232), (30, 30, 30))
                ink = inks[color != Color.BLACK]
                self._text(str(order[move]), self.point(move), 0.44 if order[move] < 100 else 0.36, ink)

    def _last(self) -> None:
        """A ring and a dot on the last stone: seen without colours too."""
        if not self.game.moves or self.marks.fresh < 0.6 or self.wins:
            return
        move, cell = self.game.moves[-1], self.cell
        light: Rgb = (250, 246, 238) if self.cells[move] == Color.BLACK else (40, 40, 40)
        _blit(self.surface, shapes.ring(round(cell * 0.4), light, max(1.4, cell * 0.05)), self.point(move))
        _blit(self.surface, shapes.disc(max(4, round(cell * 0.18)), self.theme.last), self.point(move))

    def _area(self) -> None:
        if not self.marks.area:
            return
        xs, ys = zip(*map(self.point, self.marks.area), strict=True)
        pad, radius, color = self.cell * 0.5, self.cell * 0.3, self.theme.area
        size = (round(max(xs) - min(xs) + 2 * pad), round(max(ys) - min(ys) + 2 * pad))
        at = (min(xs) - pad, min(ys) - pad)
        self.surface.blit(shapes.box(size, radius, color, None, 1.0, 0.16), at)
        self.surface.blit(shapes.outline(size, radius, color, max(2.0, self.cell * 0.06)), at)

    def _threats(self) -> None:
        """Lines through the stones of a threat, and on its cells what a stone there would make."""
        tagged: dict[tuple[Move, Color], str] = {}
        for threat in self.marks.threats:
            if threat.kind is ThreatKind.FORBIDDEN or not threat.gains:
                continue
            if len(threat.stones) > 1 and threat.kind in _ROWS:
                self._join(threat.stones, max(2.0, self.cell * 0.07), 0.75)
            for cell in threat.gains:
                tagged.setdefault((cell, threat.color), _TAGS.get(threat.kind, ""))
        for (cell, color), tag in tagged.items():
            black, both = color is Color.BLACK, (cell, color.opponent) in tagged
            x, y = self.point(cell)
            if both:
                x += self.cell * (-0.22 if black else 0.22)
            share = 0.42 if both else 0.5
            side = max(11, round(self.cell * share))
            fill: Rgb = (32, 32, 34) if black else (250, 248, 242)
            ink: Rgb = (250, 248, 242) if black else (28, 28, 30)
            box = shapes.box((side, side), side * 0.28, fill, ink, max(1.0, side * 0.05))
            _blit(self.surface, box, (x, y))
            self._text(tag, (x, y), share * 0.6, ink)

    def _candidates(self) -> None:
        """Candidates as discs: the best filled and larger, each with the mover's win rate."""
        color = self.theme.candidate
        for rank, one in reversed(list(enumerate(self.marks.candidates))):
            if self.cells[one.move]:
                continue
            best = rank == 0
            fill: Rgb = color if best else mix(self.theme.wood[1], _WHITE, 0.45)
            diameter = round(self.cell * (0.92 if best else 0.78))
            disc = shapes.disc(diameter, fill, 1.0, None if best else color)
            _blit(self.surface, disc, self.point(one.move))
            text = candidate_text(one, self.game.to_move)
            share = 0.42 if len(text) < 3 else 0.34
            self._text(text, self.point(one.move), share, _WHITE if best else (24, 34, 42), best)

    def _line(self) -> None:
        """The stones of an expected continuation, numbered and see-through."""
        color = self.game.to_move
        for number, move in enumerate(self.marks.line, 1):
            if not self.cells[move]:
                self._stone(move, color, 0.72)
                ink = _WHITE if color is Color.BLACK else (20, 20, 20)
                self._text(str(number), self.point(move), 0.42, ink)
            color = color.opponent
