"""What screens are made of: the pen, buttons, choices, and win rates drawn as a bar and as a graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal

import pygame
from pygame import Rect

from wuzi.apps.desktop import fonts, shapes
from wuzi.apps.desktop.theme import Rgb, WindowTheme, mix

Kind = Literal["primary", "plain", "quiet", "danger"]

BLACK_PART: Rgb = (38, 40, 44)
WHITE_PART: Rgb = (250, 248, 243)
_DETAIL = 3
"""Factor by which the graph is drawn larger and then scaled down, so that its lines are smooth."""


@dataclass(frozen=True, slots=True)
class Painter:
    """Draws in design pixels, each ``unit`` pixels wide; what it draws may be under the mouse or focused."""

    surface: pygame.Surface
    theme: WindowTheme
    unit: float
    is_hovered: bool = False
    is_focused: bool = False

    def px(self, design: float) -> int:
        """Design pixels as whole pixels."""
        return max(1, round(design * self.unit))

    def text(
        self,
        text: str,
        at: tuple[float, float],
        size: float,
        color: Rgb | None = None,
        anchor: fonts.Anchor = "midleft",
        *,
        bold: bool = False,
        most: int | None = None,
        least: float | None = None,
    ) -> Rect:
        """Draw a line of text, by default in the main colour; see :func:`fonts.draw`.

        It is drawn smaller, down to the size ``least``, where it does not fit into ``most`` pixels.
        """
        pixels, ink = self.px(size), color or self.theme.text
        if least is not None and most is not None:
            pixels = fonts.fitting(text, pixels, self.px(least), most)
        return fonts.draw(self.surface, text, at, pixels, ink, anchor, bold=bold, most=most)

    def box(self, rect: Rect, radius: float, fill: Rgb, border: Rgb | None, width: float = 1.0) -> None:
        """Draw a rounded rectangle."""
        edge = max(1.0, self.unit * width)
        self.surface.blit(shapes.box(rect.size, self.px(radius), fill, border, edge), rect)

    def field(self, rect: Rect, *, is_accented: bool = False) -> None:
        """Draw a part of a card, in plain colours or in those of what is suggested."""
        theme = self.theme
        fill, border = (theme.accent_soft, theme.accent) if is_accented else (theme.surface_2, theme.line)
        self.box(rect, 8, fill, border)

    def card(self, rect: Rect) -> None:
        """Draw a raised surface for things that belong together."""
        blur = self.px(16)
        shadow = shapes.shadow(rect.size, self.px(14), blur, self.theme.shadow)
        self.surface.blit(shadow, (rect.x - blur, rect.y - blur + self.px(4)))
        self.box(rect, 14, self.theme.surface, self.theme.line)

    def focus(self, rect: Rect) -> None:
        """Draw a ring around what the keys act on, if they do."""
        if self.is_focused:
            around = rect.inflate(self.px(8), self.px(8))
            ring = shapes.outline(around.size, self.px(11), self.theme.accent, max(2, self.px(2)))
            self.surface.blit(ring, around)


@dataclass(slots=True)
class Button:
    """A button; ``selected`` is a switch that is on, ``note`` smaller text below, ``key`` what to press."""

    label: str
    action: Callable[[], object]
    rect: Rect = field(default_factory=lambda: Rect(0, 0, 0, 0))
    kind: Kind = "plain"
    enabled: bool = True
    selected: bool = False
    note: str = ""
    key: str = ""

    def draw(self, pen: Painter) -> None:
        """Draw it."""
        px, rect = pen.px, self.rect
        fill, border, color = self._colors(pen.theme)
        if pen.is_hovered and self.enabled:
            fill = mix(fill, pen.theme.text, 0.08)
        pen.box(rect, 8, fill, border)
        pen.focus(rect)
        room = rect.width - px(16)
        if self.key:
            room -= px(16)
            pen.text(self.key, (rect.right - px(12), rect.centery), 13, mix(fill, color, 0.7), "midright")
        if not self.note:
            middle = (rect.x + px(8) + room // 2, rect.centery)
            pen.text(self.label, middle, 15, color, "center", most=room, least=11)
            return
        left, room = rect.x + px(16), room - px(16)
        bold = self.kind == "primary"
        pen.text(self.label, (left, rect.centery - px(9)), 17, color, bold=bold, most=room)
        pen.text(self.note, (left, rect.centery + px(12)), 13, mix(fill, color, 0.78), most=room)

    def _colors(self, theme: WindowTheme) -> tuple[Rgb, Rgb | None, Rgb]:
        if not self.enabled:
            ground = mix(theme.surface, theme.surface_2, 0.5)
            return ground, theme.line, mix(theme.text_2, ground, 0.45)
        if self.kind == "primary":
            return theme.accent, None, theme.on_accent
        if self.kind == "danger":
            return theme.bad_soft, theme.bad, theme.bad
        if self.selected:
            return theme.accent_soft, theme.accent, theme.accent
        if self.kind == "quiet":
            return theme.surface, theme.line, theme.text_2
        return theme.surface_2, theme.line, theme.text

    def click(self, at: tuple[int, int] | None) -> None:
        """Do what the button does."""
        del at
        if self.enabled:
            self.action()

    def turn(self, by: int) -> None:
        """A button has nothing to turn."""


@dataclass(slots=True)
class ChoiceBox:
    """One of several values, changed by arrows at both sides; ``problem`` says why it does not fit."""

    label: str
    value: str
    change: Callable[[int], None]
    rect: Rect = field(default_factory=lambda: Rect(0, 0, 0, 0))
    enabled: bool = True
    problem: str = ""

    def draw(self, pen: Painter) -> None:
        """Draw the label at the left and the value between its arrows at the right."""
        theme, px = pen.theme, pen.px
        width = min(round(self.rect.width * 0.66), px(280))
        where = Rect(self.rect.right - width, self.rect.y, width, self.rect.height)
        room = where.x - self.rect.x - px(6)
        pen.text(self.label, (self.rect.x, self.rect.centery), 14, theme.text_2, most=room, least=11)
        pen.box(where, 8, theme.surface_2, theme.bad if self.problem else theme.line)
        pen.focus(where)
        color = theme.bad if self.problem else theme.text
        pen.text(self.value, where.center, 15, color, "center", most=where.width - 2 * px(30), least=12)
        ink, size = theme.text if pen.is_hovered or pen.is_focused else theme.text_2, px(5)
        for x, way in ((where.x + px(16), -1), (where.right - px(16), 1)):
            for dy in (-size, size):
                start, end = (x - way * size / 2, where.centery + dy), (x + way * size / 2, where.centery)
                shapes.smooth_line(pen.surface, ink, start, end, max(1.5, 2 * pen.unit))

    def click(self, at: tuple[int, int] | None) -> None:
        """The left half of the value goes back, the right half forward."""
        middle = self.rect.right - self.rect.width * 0.33
        self.change(-1 if at is not None and at[0] < middle else 1)

    def turn(self, by: int) -> None:
        """Go back or forward."""
        self.change(by)


Widget = Button | ChoiceBox


def draw_bar(pen: Painter, rect: Rect, winrate: float | None, unknown: str) -> None:
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

    def draw(self, pen: Painter) -> None:
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
