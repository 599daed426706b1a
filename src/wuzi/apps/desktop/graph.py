"""Win rates drawn: the bar of now and the graph of the whole game."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import pygame
from pygame import Rect

from wuzi.apps.desktop import fonts, shapes
from wuzi.apps.desktop.theme import Rgb
from wuzi.apps.desktop.widgets import Pen

BLACK_PART: Rgb = (38, 40, 44)
WHITE_PART: Rgb = (250, 248, 243)
_DETAIL = 3
"""The graph is drawn so many times larger and scaled down, which makes its lines smooth."""


def draw_bar(pen: Pen, rect: Rect, winrate: float | None, unknown: str) -> None:
    """Black's share of the bar at the left, White's at the right, both named in per cent."""
    theme, px = pen.theme, pen.px
    if winrate is None:
        pen.box(rect, 7, theme.surface_2, theme.line)
        pen.text(unknown, rect.center, 13, theme.text_2, "center", most=rect.width - px(12))
        return
    image = pygame.Surface(rect.size, pygame.SRCALPHA)
    image.blit(shapes.box(rect.size, px(7), WHITE_PART, theme.strong_line), (0, 0))
    split = round(rect.width * winrate)
    black_part = shapes.box(rect.size, px(7), BLACK_PART, theme.strong_line)
    image.blit(black_part, (0, 0), Rect(0, 0, split, rect.height))
    image.fill(theme.last, Rect(rect.width // 2 - 1, rect.height - px(5), max(2, px(2)), px(5)))
    pen.surface.blit(image, rect)
    pad = px(10)
    black, white = f"{100 * winrate:.0f}%", f"{100 * (1 - winrate):.0f}%"
    if split > fonts.width(black, px(14), True) + 2 * pad:
        pen.text(black, (rect.x + pad, rect.centery), 14, WHITE_PART, bold=True)
    if rect.width - split > fonts.width(white, px(14), True) + 2 * pad:
        pen.text(white, (rect.right - pad, rect.centery), 14, BLACK_PART, "midright", bold=True)


@dataclass(frozen=True, slots=True)
class WinrateGraph:
    """Black's win rate by ply, None where it is not known; ``unit`` is pixels of one design pixel."""

    rect: Rect
    winrates: Sequence[float | None]
    ply: int
    unit: float = 1.0

    @property
    def plot(self) -> Rect:
        """The part inside the scale's labels."""
        left, around = round(34 * self.unit), round(9 * self.unit)
        width = self.rect.width - left - around
        return Rect(self.rect.x + left, self.rect.y + around, width, self.rect.height - 2 * around)

    @property
    def last_ply(self) -> int:
        """The ply at the right edge."""
        return max(len(self.winrates) - 1, 10)

    def ply_at(self, x: int) -> int:
        """The ply that a pixel column means."""
        share = (x - self.plot.x) / max(1, self.plot.width)
        return min(max(round(share * self.last_ply), 0), len(self.winrates) - 1)

    def draw(self, pen: Pen) -> None:
        """Draw the graph: 50 % is marked, Black's side is up."""
        theme, px, surface, plot = pen.theme, pen.px, pen.surface, self.plot
        pen.field(self.rect)
        for share, label in ((0.0, "100"), (0.5, "50"), (1.0, "0")):
            y = plot.y + round(share * plot.height)
            surface.fill(theme.line if share != 0.5 else theme.strong_line, Rect(plot.x, y, plot.width, 1))
            pen.text(label, (plot.x - px(6), y), 11, theme.text_2, "midright")
        self._draw_curve(surface, theme.accent, px(2))
        x = plot.x + round(plot.width * self.ply / self.last_ply)
        surface.fill(theme.accent, Rect(x, plot.y, max(1, px(1)), plot.height))

    def _draw_curve(self, surface: pygame.Surface, color: Rgb, width: int) -> None:
        edge = 4 * width  # the dots at the ends of the scale are whole
        plot = self.plot.inflate(2 * edge, 2 * edge).clip(self.rect)
        left, top = self.plot.x - plot.x, self.plot.y - plot.y
        across, down = self.plot.width / self.last_ply, self.plot.height
        points = [
            ((left + ply * across) * _DETAIL, (top + (1 - rate) * down) * _DETAIL)
            for ply, rate in enumerate(self.winrates)
            if rate is not None
        ]
        if not points:
            return
        image = pygame.Surface((plot.width * _DETAIL, plot.height * _DETAIL))
        image.blit(pygame.transform.smoothscale(surface.subsurface(plot), image.get_size()), (0, 0))
        for start, end in pairwise(points):
            pygame.draw.line(image, color, start, end, width * _DETAIL)
        for point in points:
            pygame.draw.circle(image, color, point, width * _DETAIL * 0.62)
        pygame.draw.circle(image, color, points[-1], width * _DETAIL * 1.6)
        surface.blit(pygame.transform.smoothscale(image, plot.size), plot)
