"""SVG by hand: a panel with shapes and texts, legible on light and dark pages alike."""

from __future__ import annotations

import re
from html import escape

PAPER, INK, PALE = "#fbf7ee", "#3b2f1c", "#b9ad97"
BLACK, WHITE, RED, BLUE, GOLD = "#191919", "#ffffff", "#c0392b", "#1763c6", "#e8c482"
FONT = "system-ui, 'Noto Sans', 'Noto Sans SC', sans-serif"


def number(value: float) -> str:
    """A coordinate without needless digits."""
    return f"{value:.1f}".rstrip("0").rstrip(".")


class Panel:
    """A picture in the making, with a paper-coloured ground of its own."""

    def __init__(self, width: float, height: float, title: str) -> None:
        self._head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {number(width)} {number(height)}" '
            f'width="{number(width)}" height="{number(height)}" role="img" font-family="{FONT}" '
            f'text-anchor="middle">\n<title>{escape(title)}</title>\n'
            f'<rect width="{number(width)}" height="{number(height)}" rx="8" fill="{PAPER}"/>'
        )
        self._body: list[str] = []

    def line(
        self,
        start: tuple[float, float],
        end: tuple[float, float],
        color: str = INK,
        width: float = 1.2,
        dashed: bool = False,
    ) -> None:
        """A straight line."""
        dash = ' stroke-dasharray="4 4"' if dashed else ""
        path = f"M{number(start[0])} {number(start[1])}L{number(end[0])} {number(end[1])}"
        self._body.append(
            f'<path d="{path}" stroke="{color}" stroke-width="{number(width)}" fill="none"{dash}/>'
        )

    def circle(
        self, x: float, y: float, radius: float, fill: str, stroke: str = INK, width: float = 1.2
    ) -> None:
        """A circle."""
        self._body.append(
            f'<circle cx="{number(x)}" cy="{number(y)}" r="{number(radius)}" fill="{fill}" stroke="{stroke}" '
            f'stroke-width="{number(width)}"/>'
        )

    def box(
        self, x: float, y: float, width: float, height: float, fill: str, stroke: str = INK, round_: float = 2
    ) -> None:
        """A rectangle by its upper left corner."""
        self._body.append(
            f'<rect x="{number(x)}" y="{number(y)}" width="{number(width)}" height="{number(height)}" '
            f'rx="{number(round_)}" fill="{fill}" stroke="{stroke}"/>'
        )

    def text(
        self,
        x: float,
        y: float,
        text: str,
        size: float = 12,
        color: str = INK,
        anchor: str = "",
        bold: bool = False,
    ) -> None:
        """A text whose middle (or start, or end) stands at ``x`` and whose height is centred on ``y``."""
        extra = (f' text-anchor="{anchor}"' if anchor else "") + (' font-weight="600"' if bold else "")
        self._body.append(
            f'<text x="{number(x)}" y="{number(y + size * 0.35)}" font-size="{number(size)}" '
            f'fill="{color}"{extra}>{escape(text)}</text>'
        )

    def embed(self, svg: str, x: float, y: float, scale: float = 1) -> None:
        """Another SVG document, such as a board of :mod:`wuzi.records.formats.svg`."""
        inner = re.sub(r"^<svg[^>]*>|</svg>\s*$", "", svg.strip())
        style = f'text-anchor="middle" font-family="{FONT}"'
        self._body.append(
            f'<g transform="translate({number(x)} {number(y)}) scale({scale:g})" {style}>{inner}</g>'
        )

    def document(self) -> str:
        """The whole picture, an element a line."""
        return "\n".join([self._head, *self._body, "</svg>"]) + "\n"


def size_of(svg: str) -> tuple[float, float]:
    """Width and height of a document."""
    found = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg)
    assert found is not None
    return float(found[1]), float(found[2])
