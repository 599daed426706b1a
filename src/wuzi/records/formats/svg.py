"""Boards as SVG pictures: for notebooks, reports, documents and exports.

The picture carries its own colours (no style sheet), so several of them may stand on one page, and a title
for screen readers. It needs no fonts beyond the viewer's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from html import escape

from wuzi.core import Color, Game, Move, Position, Stone, Style, format_move
from wuzi.errors import ConfigError
from wuzi.records.formats.ascii import edge_names
from wuzi.records.model import GameRecord


class SvgTheme(StrEnum):
    """The colours of a picture."""

    WOOD = "wood"
    LIGHT = "light"
    DARK = "dark"


@dataclass(frozen=True, slots=True)
class Palette:
    """Colours of one theme, as SVG writes them."""

    board: str
    line: str
    text: str
    black: str
    black_edge: str
    white: str
    white_edge: str
    accent: str
    win: str


PALETTES = {
    SvgTheme.WOOD: Palette(
        "#e8c482", "#5f4520", "#4a3517", "#191919", "#000000", "#fbfaf6", "#6b5a3e", "#e03024", "#1763c6"
    ),
    SvgTheme.LIGHT: Palette(
        "#ffffff", "#767676", "#444444", "#1a1a1a", "#000000", "#ffffff", "#333333", "#e03024", "#1763c6"
    ),
    SvgTheme.DARK: Palette(
        "#23272e", "#7d8794", "#c3cad4", "#0b0d10", "#9aa4b2", "#eef1f5", "#eef1f5", "#ff7a66", "#5ea9ff"
    ),
}
FONT = "system-ui, 'Noto Sans', 'Noto Sans SC', sans-serif"


@dataclass(frozen=True, slots=True)
class SvgOptions:
    """How to draw.

    Attributes:
        theme: the colours; a name such as ``"dark"`` is accepted too.
        cell_px: distance of two lines in pixels; the picture scales to any size.
        coordinates: along the left and lower edges, in this style; None for none.
        numbers: write move numbers on the stones; only known when moves are given.
        first_number: the first stone that gets a number (1: all of them).
        last_move: mark the last stone.
        winning_lines: draw a line through the row that won.
        forbidden: cross out the points forbidden to Black (renju only, before the end of the game).
        labels: short texts on cells.
        title: what the picture shows, for screen readers; made up when empty.
    """

    theme: SvgTheme = SvgTheme.WOOD
    cell_px: int = 32
    coordinates: Style | None = Style.RENJU
    numbers: bool = True
    first_number: int = 1
    last_move: bool = True
    winning_lines: bool = True
    forbidden: bool = True
    labels: Mapping[Move, str] = field(default_factory=dict)
    title: str = ""

    def __post_init__(self) -> None:
        try:
            object.__setattr__(self, "theme", SvgTheme(self.theme))
            if self.coordinates is not None:
                object.__setattr__(self, "coordinates", Style(self.coordinates))
        except ValueError as error:
            raise ConfigError(f"{error}: expected one of {', '.join([*SvgTheme, *Style])}") from None
        if not 8 <= self.cell_px <= 200:
            raise ConfigError(f"cell_px {self.cell_px}: expected 8 to 200")


def draw_position(position: Position, options: SvgOptions = SvgOptions(), moves: Sequence[Move] = ()) -> str:
    """An SVG document of a position, one element a line; ``moves`` led there and give the numbers."""
    return "\n".join(_Drawing(position, options, moves).document()) + "\n"


def draw_game(game: Game, options: SvgOptions = SvgOptions()) -> str:
    """The picture of a game where it stands now."""
    return draw_position(game.position, options, game.moves)


def format_record(record: GameRecord, **options: object) -> str:
    """The picture of the end of a record's main line; ``options`` are those of :class:`SvgOptions`."""
    return draw_game(record.game(), SvgOptions(**options))  # type: ignore[arg-type]


def star_points(size: int) -> list[tuple[int, int]]:
    """Rows and columns of the dots that guide the eye.

    >>> star_points(15)
    [(3, 3), (3, 11), (7, 7), (11, 3), (11, 11)]
    """
    if size < 7:
        return [(size // 2, size // 2)] if size % 2 else []
    edge = 2 if size < 12 else 3
    far = size - 1 - edge
    points = {(edge, edge), (edge, far), (far, edge), (far, far)}
    if size % 2:
        middle = size // 2
        points.add((middle, middle))
        if size >= 17:
            points |= {(edge, middle), (far, middle), (middle, edge), (middle, far)}
    return sorted(points)


class _Drawing:
    """One picture in the making: geometry and elements."""

    def __init__(self, position: Position, options: SvgOptions, moves: Sequence[Move]) -> None:
        self._position = position
        self._options = options
        self._colors = PALETTES[options.theme]
        self._size = position.rules.size
        self._cell = options.cell_px
        self._numbers = {move: i for i, move in enumerate(moves, 1)} if options.numbers else {}
        self._left = self._cell * (1.15 if options.coordinates else 0.75)
        self._top = self._cell * 0.75
        self._radius = self._cell * 0.46

    def document(self) -> Iterator[str]:
        """The lines of the document."""
        span = (self._size - 1) * self._cell
        width = _px(self._left + span + self._cell * 0.75)
        height = _px(self._top + span + self._left)
        title = _escaped(self._options.title or self._describe())
        yield (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
            f'height="{height}" role="img" font-family="{FONT}" text-anchor="middle">'
        )
        yield f"<title>{title}</title>"
        corner = _px(self._cell * 0.2)
        yield f'<rect width="{width}" height="{height}" rx="{corner}" fill="{self._colors.board}"/>'
        yield from self._grid(span)
        yield from self._coordinates()
        if self._options.forbidden:
            yield from self._forbidden()
        yield from self._stones()
        if self._options.winning_lines:
            yield from self._winning_lines()
        yield from self._texts()
        yield "</svg>"

    def _at(self, move: int) -> tuple[float, float]:
        row, col = divmod(move, self._size)
        return self._left + col * self._cell, self._top + row * self._cell

    def _grid(self, span: float) -> Iterator[str]:
        left, top, colors = _px(self._left), _px(self._top), self._colors
        lines = []
        for i in range(self._size):
            x, y = self._at(i * self._size + i)
            lines.append(f"M{left} {_px(y)}h{_px(span)}M{_px(x)} {top}v{_px(span)}")
        yield f'<path d="{"".join(lines)}" stroke="{colors.line}" fill="none" stroke-linecap="square"/>'
        for row, col in star_points(self._size):
            x, y = self._at(row * self._size + col)
            yield _circle(x, y, self._cell * 0.1, fill=colors.line)

    def _coordinates(self) -> Iterator[str]:
        style = self._options.coordinates
        if style is None:
            return
        x, y = self._left - self._cell * 0.78, self._top + (self._size - 0.22) * self._cell
        yield f'<g fill="{self._colors.text}" font-size="{_px(self._cell * 0.36)}">'
        for i in range(self._size):
            row, col = edge_names(i, self._size, style)
            here_x, here_y = self._at(i * self._size + i)
            yield _text(x, here_y, row, self._cell * 0.36)
            yield _text(here_x, y, col, self._cell * 0.36)
        yield "</g>"

    def _forbidden(self) -> Iterator[str]:
        if not self._position.rules.rule.forbids or self._position.outcome is not None:
            return
        arm = self._cell * 0.18
        for cell in self._position.forbidden_mask().nonzero()[0]:
            x, y = self._at(int(cell))
            kind = self._position.forbidden_kind(int(cell))
            yield (
                f'<path d="M{_px(x - arm)} {_px(y - arm)}l{_px(2 * arm)} {_px(2 * arm)}'
                f'm0 {_px(-2 * arm)}l{_px(-2 * arm)} {_px(2 * arm)}" stroke="{self._colors.accent}" '
                f'stroke-width="{_px(self._cell * 0.08)}" stroke-linecap="round">'
                f"<title>{format_move(int(cell), self._size)}: {kind.label.replace('_', ' ')}</title></path>"
            )

    def _stones(self) -> Iterator[str]:
        colors = self._colors
        for cell in self._position.cells.nonzero()[0]:
            x, y = self._at(int(cell))
            black = self._position.cells[cell] == Stone.BLACK
            fill, line = (colors.black, colors.black_edge) if black else (colors.white, colors.white_edge)
            yield _circle(x, y, self._radius, fill=fill, stroke=line, stroke_width=_px(self._cell * 0.04))
        last = self._position.last_move
        if self._options.last_move and last is not None:
            x, y = self._at(last)
            width = _px(self._cell * 0.08)
            yield _circle(x, y, self._radius * 0.86, fill="none", stroke=colors.accent, stroke_width=width)
            if last not in self._numbers:
                yield _circle(x, y, self._cell * 0.1, fill=colors.accent)

    def _winning_lines(self) -> Iterator[str]:
        """A line through the row; rings round its stones where a line would hide their numbers."""
        color = self._colors.win
        for row in self._position.winning_lines():
            if self._numbers:
                width = _px(self._cell * 0.08)
                for x, y in (self._at(move) for move in row if move != self._position.last_move):
                    yield _circle(x, y, self._radius * 0.86, fill="none", stroke=color, stroke_width=width)
                continue
            (x1, y1), (x2, y2) = self._at(row[0]), self._at(row[-1])
            # A light casing keeps the line visible on black stones and on white ones.
            for stroke, part in (("#ffffff", 0.22), (color, 0.13)):
                yield (
                    f'<path d="M{_px(x1)} {_px(y1)}L{_px(x2)} {_px(y2)}" stroke="{stroke}" '
                    f'stroke-width="{_px(self._cell * part)}" stroke-linecap="round"/>'
                )

    def _texts(self) -> Iterator[str]:
        """Move numbers and labels, above everything else."""
        texts = {
            move: str(number - self._options.first_number + 1)
            for move, number in self._numbers.items()
            if number >= self._options.first_number
        }
        texts |= {move: label for move, label in self._options.labels.items() if label}
        inks = {Stone.EMPTY: self._colors.text, Stone.BLACK: "#ffffff", Stone.WHITE: "#111111"}
        for move, text in texts.items():
            x, y = self._at(move)
            size = self._cell * (0.46 if len(text) < 3 else 0.36)
            stone = self._position.cells[move]
            if stone == Stone.EMPTY:
                yield _circle(x, y, self._cell * 0.36, fill=self._colors.board)
            yield _text(x, y, text, size, inks[Stone(int(stone))])

    def _describe(self) -> str:
        position = self._position
        black = int((position.cells == Stone.BLACK).sum())
        text = f"{position.rules.label}: {black} black and {position.ply - black} white stones"
        if position.last_move is not None:
            text += f", last move {format_move(position.last_move, self._size)}"
        if position.outcome is not None:
            winner = position.outcome.winner
            return f"{text}, draw" if winner is None else f"{text}, {_name(winner)} won"
        return f"{text}, {_name(position.to_move)} to move"


def _circle(x: float, y: float, radius: float, **attributes: str) -> str:
    rest = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in attributes.items())
    return f'<circle cx="{_px(x)}" cy="{_px(y)}" r="{_px(radius)}"{rest}/>'


def _text(x: float, y: float, text: str, size: float, fill: str = "") -> str:
    # Shifted by a third of the size: `dominant-baseline` is not known to every renderer.
    color = f' fill="{fill}"' if fill else ""
    body = _escaped(text)
    return f'<text x="{_px(x)}" y="{_px(y + size * 0.35)}" font-size="{_px(size)}"{color}>{body}</text>'


def _escaped(text: str) -> str:
    """The text as XML can hold it: no control characters, no lone surrogates."""
    return escape("".join(char if char.isprintable() else " " for char in text))


def _name(color: Color) -> str:
    return color.name.capitalize()


def _px(value: float) -> str:
    """A number of pixels without needless digits."""
    return f"{value:.2f}".rstrip("0").rstrip(".")
