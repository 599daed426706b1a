"""The board: plank, grid, stones and everything that is drawn on them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import pygame
from pygame import Rect

from wuzi.apps.desktop import fonts, shapes
from wuzi.apps.desktop.geometry import BoardGrid
from wuzi.apps.desktop.theme import Rgb, WindowTheme, mix
from wuzi.contract import Line, own_winrate
from wuzi.core import Color, Game, Move
from wuzi.core.notation import format_move
from wuzi.records.formats.svg import star_points
from wuzi.tactics.threats import Threat, ThreatKind

_TAGS = {
    ThreatKind.FOUR: "5",
    ThreatKind.OPEN_FOUR: "5",
    ThreatKind.FOUR_FOUR: "44",
    ThreatKind.FOUR_THREE: "43",
    ThreatKind.OPEN_THREE: "4",
    ThreatKind.THREE_THREE: "33",
}
"""What is written on a cell that carries a threat out: the five or four that it makes, or the two at once."""


@dataclass(frozen=True, slots=True)
class BoardMarks:
    """What is shown besides the stones.

    Attributes:
        cursor: the cell that the keys act on. ghost: the cell under the mouse where a stone may go.
        candidates: what a search considers. line: numbered stones that are not played.
        area, suggestion: a hint.
        threats: what is threatened. forbidden: cells where Black may not play.
        numbers: write move numbers on the stones.
        fresh: how far the last stone has arrived, 0 to 1.
    """

    cursor: Move | None = None
    ghost: Move | None = None
    candidates: Sequence[Line] = ()
    line: Sequence[Move] = ()
    area: Sequence[Move] = ()
    suggestion: Move | None = None
    threats: Sequence[Threat] = ()
    forbidden: Sequence[Move] = field(default_factory=tuple)
    numbers: bool = False
    fresh: float = 1.0


def draw_board(
    surface: pygame.Surface, grid: BoardGrid, game: Game, theme: WindowTheme, marks: BoardMarks = BoardMarks()
) -> None:
    """Draw a board with its stones and marks into the square of the grid."""
    blur = max(4, grid.rect.width // 28)
    surface.blit(
        shapes.shadow(grid.rect.size, grid.cell * 0.3, blur, theme.shadow + 40),
        (grid.rect.x - blur, grid.rect.y - blur + blur // 4),
    )
    surface.blit(_plank(grid.rect.size, grid.size, theme), grid.rect)
    _draw_area(surface, grid, marks.area, theme)
    for move in marks.forbidden:
        _draw_cross(surface, grid, move, theme.last)
    _draw_stones(surface, grid, game, marks)
    if not marks.numbers:
        _draw_last(surface, grid, game, theme, marks.fresh)
    if marks.threats:
        _draw_threats(surface, grid, marks.threats, theme)
    if marks.line:
        _draw_line(surface, grid, game, marks.line, theme)
    else:
        _draw_candidates(surface, grid, marks.candidates, game, theme)
    for row in game.position.winning_lines():
        _draw_win(surface, grid, row, theme)
    if marks.ghost is not None:
        _blit(
            surface, shapes.stone(_diameter(grid), game.to_move is Color.BLACK, 0.5), grid.point(marks.ghost)
        )
    if marks.suggestion is not None:
        _draw_ring(
            surface, grid, marks.suggestion, theme.accent if theme.name == "light" else (0, 84, 140), 1.12
        )
    if marks.cursor is not None:
        _draw_cursor(surface, grid, marks.cursor, theme)


def _diameter(grid: BoardGrid) -> int:
    return max(6, round(grid.cell * 0.94))


def _blit(surface: pygame.Surface, image: pygame.Surface, middle: tuple[float, float]) -> None:
    surface.blit(image, image.get_rect(center=(round(middle[0]), round(middle[1]))))


@lru_cache(maxsize=4)
def _plank(size: tuple[int, int], points: int, theme: WindowTheme) -> pygame.Surface:
    """Wood, grid, star points and coordinates: what never changes in a game."""
    grid = BoardGrid(Rect(0, 0, *size), points)
    image = shapes.wood(size, theme.wood, round(grid.cell * 0.3)).copy()
    width = max(1, round(grid.cell * 0.032))
    first, last = round(grid.margin), round(grid.margin + grid.cell * (points - 1))
    for index in range(points):
        at = round(grid.margin + grid.cell * index)
        edge = width + (index in (0, points - 1)) * max(1, width // 2)
        image.fill(theme.grid, Rect(first - width // 2, at - edge // 2, last - first + width, edge))
        image.fill(theme.grid, Rect(at - edge // 2, first - width // 2, edge, last - first + width))
    for row, col in star_points(points):
        star = row * points + col
        _blit(image, shapes.disc(max(5, round(grid.cell * 0.2)), theme.grid), grid.point(star))
    _draw_coordinates(image, grid, theme)
    return image


def _draw_coordinates(image: pygame.Surface, grid: BoardGrid, theme: WindowTheme) -> None:
    size = max(9, round(grid.cell * 0.33))
    color = mix(theme.grid, theme.wood[0], 0.15)
    for index in range(grid.size):
        column = format_move((grid.size - 1) * grid.size + index, grid.size)[:-1]
        x, y = grid.point((grid.size - 1) * grid.size + index)
        fonts.draw(image, column.upper(), (x, y + grid.cell * 0.73), size, color, anchor="center")
        x, y = grid.point(index * grid.size)
        fonts.draw(image, str(grid.size - index), (x - grid.cell * 0.74, y), size, color, anchor="center")


def _draw_stones(surface: pygame.Surface, grid: BoardGrid, game: Game, marks: BoardMarks) -> None:
    diameter = _diameter(grid)
    blur = max(2, diameter // 9)
    shade = shapes.shadow((diameter - 2, diameter - 2), diameter / 2, blur, 120)
    order: dict[int, int] = {move: number for number, move in enumerate(game.moves, 1)}
    newest = game.moves[-1] if game.moves else None
    cells = [int(cell) for cell in game.position.cells]
    offset = diameter * 0.06
    for move, cell in enumerate(cells):
        if cell and not (move == newest and marks.fresh < 1):
            x, y = grid.point(move)
            _blit(surface, shade, (x + offset * 0.6, y + offset))
    for move, cell in enumerate(cells):
        if not cell:
            continue
        middle = grid.point(move)
        if move == newest and marks.fresh < 1:
            grown = round(diameter * (1.25 - 0.25 * marks.fresh))
            _blit(
                surface, shapes.stone(grown, cell == Color.BLACK, round(0.3 + 0.7 * marks.fresh, 1)), middle
            )
        else:
            _blit(surface, shapes.stone(diameter, cell == Color.BLACK), middle)
        if marks.numbers and move in order:
            _draw_number(surface, grid, middle, order[move], cell == Color.BLACK, move == newest)


def _draw_number(
    surface: pygame.Surface,
    grid: BoardGrid,
    middle: tuple[float, float],
    number: int,
    black: bool,
    newest: bool,
) -> None:
    size = max(9, round(grid.cell * (0.44 if number < 100 else 0.36)))
    color: Rgb = (240, 238, 232) if black else (30, 30, 30)
    if newest:
        color = (255, 130, 96) if black else (196, 40, 14)
    fonts.draw(surface, str(number), middle, size, color, anchor="center", bold=True)


def _draw_last(
    surface: pygame.Surface, grid: BoardGrid, game: Game, theme: WindowTheme, fresh: float
) -> None:
    """A ring and a dot on the last stone: seen without colours too."""
    if not game.moves or fresh < 0.6 or game.position.winning_lines():
        return
    middle = grid.point(game.moves[-1])
    black = int(game.position.cells[game.moves[-1]]) == Color.BLACK
    light: Rgb = (250, 246, 238) if black else (40, 40, 40)
    diameter = round(grid.cell * 0.4)
    _blit(surface, shapes.ring(diameter, light, max(1.4, grid.cell * 0.05)), middle)
    _blit(surface, shapes.disc(max(4, round(grid.cell * 0.18)), theme.last), middle)


def _draw_win(surface: pygame.Surface, grid: BoardGrid, row: Sequence[Move], theme: WindowTheme) -> None:
    for move in row:
        _draw_ring(surface, grid, move, theme.last, 0.98)
    start, end = grid.point(row[0]), grid.point(row[-1])
    shapes.smooth_line(surface, theme.last, start, end, max(2.5, grid.cell * 0.11), 0.85)


def _draw_ring(surface: pygame.Surface, grid: BoardGrid, move: Move, color: Rgb, share: float) -> None:
    diameter = round(grid.cell * share)
    _blit(surface, shapes.ring(diameter, color, max(2.0, grid.cell * 0.08)), grid.point(move))


def _draw_cursor(surface: pygame.Surface, grid: BoardGrid, move: Move, theme: WindowTheme) -> None:
    """Four corners around the cell that the keys act on."""
    x, y = grid.point(move)
    half, arm, width = grid.cell * 0.5, grid.cell * 0.2, max(2.0, grid.cell * 0.075)
    color: Rgb = (0, 84, 140) if theme.name == "light" else (10, 40, 70)
    for sx in (-1, 1):
        for sy in (-1, 1):
            corner = (x + sx * half, y + sy * half)
            for end in ((corner[0] - sx * arm, corner[1]), (corner[0], corner[1] - sy * arm)):
                shapes.smooth_line(surface, color, corner, end, width)


def _draw_cross(surface: pygame.Surface, grid: BoardGrid, move: Move, color: Rgb) -> None:
    x, y = grid.point(move)
    arm, width = grid.cell * 0.17, max(2.0, grid.cell * 0.08)
    shapes.smooth_line(surface, color, (x - arm, y - arm), (x + arm, y + arm), width)
    shapes.smooth_line(surface, color, (x - arm, y + arm), (x + arm, y - arm), width)


def _draw_area(surface: pygame.Surface, grid: BoardGrid, area: Sequence[Move], theme: WindowTheme) -> None:
    if not area:
        return
    points = [grid.point(move) for move in area]
    left, top = min(x for x, _ in points), min(y for _, y in points)
    right, bottom = max(x for x, _ in points), max(y for _, y in points)
    pad = grid.cell * 0.5
    size = (round(right - left + 2 * pad), round(bottom - top + 2 * pad))
    color: Rgb = (0, 84, 140) if theme.name == "light" else (12, 60, 100)
    surface.blit(shapes.box(size, grid.cell * 0.3, color, None, 1.0, 0.16), (left - pad, top - pad))
    surface.blit(
        shapes.outline(size, grid.cell * 0.3, color, max(2.0, grid.cell * 0.06)), (left - pad, top - pad)
    )


def _draw_threats(
    surface: pygame.Surface, grid: BoardGrid, threats: Iterable[Threat], theme: WindowTheme
) -> None:
    """Lines through the stones of a threat, and on its cells what a stone there would make."""
    tagged: dict[tuple[Move, Color], str] = {}
    for threat in threats:
        if threat.kind is ThreatKind.FORBIDDEN or not threat.gains:
            continue
        if len(threat.stones) > 1 and threat.kind in (
            ThreatKind.FOUR,
            ThreatKind.OPEN_FOUR,
            ThreatKind.OPEN_THREE,
        ):
            start, end = grid.point(threat.stones[0]), grid.point(threat.stones[-1])
            shapes.smooth_line(surface, theme.last, start, end, max(2.0, grid.cell * 0.07), 0.75)
        for cell in threat.gains:
            tagged.setdefault((cell, threat.color), _TAGS.get(threat.kind, ""))
    for (cell, color), tag in tagged.items():
        _draw_tag(surface, grid, cell, color, tag, both=(cell, color.opponent) in tagged)


def _draw_tag(
    surface: pygame.Surface, grid: BoardGrid, cell: Move, color: Color, tag: str, *, both: bool
) -> None:
    x, y = grid.point(cell)
    if both:
        x += grid.cell * (-0.22 if color is Color.BLACK else 0.22)
    side = max(11, round(grid.cell * (0.5 if not both else 0.42)))
    black = color is Color.BLACK
    fill: Rgb = (32, 32, 34) if black else (250, 248, 242)
    ink: Rgb = (250, 248, 242) if black else (28, 28, 30)
    _blit(surface, shapes.box((side, side), side * 0.28, fill, ink, max(1.0, side * 0.05)), (x, y))
    fonts.draw(surface, tag, (x, y), max(9, round(side * 0.6)), ink, anchor="center", bold=True)


def _draw_candidates(
    surface: pygame.Surface, grid: BoardGrid, candidates: Sequence[Line], game: Game, theme: WindowTheme
) -> None:
    """Candidates as discs: the best filled and larger, each with the mover's win rate."""
    accent: Rgb = (0, 101, 159) if theme.name == "light" else (12, 74, 120)
    for rank, one in reversed(list(enumerate(candidates))):
        if int(game.position.cells[one.move]):
            continue
        middle = grid.point(one.move)
        diameter = round(grid.cell * (0.92 if rank == 0 else 0.78))
        fill: Rgb = accent if rank == 0 else mix(theme.wood[1], (255, 255, 255), 0.45)
        ink: Rgb = (255, 255, 255) if rank == 0 else (24, 34, 42)
        _blit(surface, shapes.disc(diameter, fill, 1.0, None if rank == 0 else accent), middle)
        text = candidate_text(one, game.to_move)
        size = max(9, round(grid.cell * (0.42 if len(text) < 3 else 0.34)))
        fonts.draw(surface, text, middle, size, ink, anchor="center", bold=rank == 0)


def cell_name(move: Move, size: int) -> str:
    """A cell as the board's edges name it.

    >>> cell_name(112, 15)
    'H8'
    """
    return format_move(move, size).upper()


def candidate_text(one: Line, mover: Color) -> str:
    """The mover's win rate in per cent, or the distance of a proven end such as ``+5``."""
    if one.win_in is not None:
        return f"+{one.win_in}" if one.win_in > 0 else f"−{-one.win_in}"
    if one.winrate is None:
        return "?"
    return f"{100 * (own_winrate(one.winrate, mover)):.0f}"


def _draw_line(
    surface: pygame.Surface, grid: BoardGrid, game: Game, line: Sequence[Move], theme: WindowTheme
) -> None:
    """The stones of an expected continuation, numbered and see-through."""
    color = game.to_move
    for number, move in enumerate(line, 1):
        if not int(game.position.cells[move]):
            black = color is Color.BLACK
            _blit(surface, shapes.stone(_diameter(grid), black, 0.72), grid.point(move))
            ink: Rgb = (255, 255, 255) if black else (20, 20, 20)
            size = max(9, round(grid.cell * 0.42))
            fonts.draw(surface, str(number), grid.point(move), size, ink, anchor="center", bold=True)
        color = color.opponent
    del theme
