"""Buttons and choices: what can be clicked, focused and activated by keys."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

import pygame
from pygame import Rect

from wuzi.apps.desktop import fonts, shapes
from wuzi.apps.desktop.theme import Rgb, WindowTheme, mix

Kind = Literal["primary", "plain", "quiet", "danger"]


@dataclass(frozen=True, slots=True)
class Pen:
    """Draws in design pixels, each ``unit`` pixels wide; what it draws may be under the mouse or focused."""

    surface: pygame.Surface
    theme: WindowTheme
    unit: float
    hovered: bool = False
    focused: bool = False

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
    ) -> Rect:
        """Draw a line of text, by default in the main colour; see :func:`fonts.draw`."""
        return fonts.draw(
            self.surface, text, at, self.px(size), color or self.theme.text, anchor, bold=bold, most=most
        )

    def fitting(
        self,
        text: str,
        at: tuple[float, float],
        size: float,
        least: float,
        color: Rgb,
        anchor: fonts.Anchor = "midleft",
        *,
        most: int,
    ) -> None:
        """Draw a line of text in the largest size, between two, that fits into the room."""
        pixels = fonts.fitting(text, self.px(size), self.px(least), most)
        fonts.draw(self.surface, text, at, pixels, color, anchor, most=most)

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
        if self.focused:
            around = rect.inflate(self.px(8), self.px(8))
            ring = shapes.outline(around.size, self.px(11), self.theme.accent, max(2, self.px(2)))
            self.surface.blit(ring, around)


def _nowhere() -> Rect:
    return Rect(0, 0, 0, 0)


@dataclass(slots=True)
class Button:
    """A button; ``selected`` is a switch that is on, ``note`` smaller text below, ``key`` what to press."""

    label: str
    action: Callable[[], object]
    rect: Rect = field(default_factory=_nowhere)
    kind: Kind = "plain"
    enabled: bool = True
    selected: bool = False
    note: str = ""
    key: str = ""

    def draw(self, pen: Pen) -> None:
        """Draw it."""
        px, rect = pen.px, self.rect
        fill, border, color = self._colors(pen.theme)
        if pen.hovered and self.enabled:
            fill = mix(fill, pen.theme.text, 0.08)
        pen.box(rect, 8, fill, border)
        pen.focus(rect)
        room = rect.width - px(16)
        if self.key:
            room -= px(16)
            pen.text(self.key, (rect.right - px(12), rect.centery), 13, mix(fill, color, 0.7), "midright")
        if not self.note:
            middle = (rect.x + px(8) + room // 2, rect.centery)
            pen.fitting(self.label, middle, 15, 11, color, "center", most=room)
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
    rect: Rect = field(default_factory=_nowhere)
    enabled: bool = True
    problem: str = ""

    def draw(self, pen: Pen) -> None:
        """Draw the label at the left and the value between its arrows at the right."""
        theme, px = pen.theme, pen.px
        width = min(round(self.rect.width * 0.66), px(280))
        where = Rect(self.rect.right - width, self.rect.y, width, self.rect.height)
        room = where.x - self.rect.x - px(6)
        pen.fitting(self.label, (self.rect.x, self.rect.centery), 14, 11, theme.text_2, most=room)
        pen.box(where, 8, theme.surface_2, theme.bad if self.problem else theme.line)
        pen.focus(where)
        color = theme.bad if self.problem else theme.text
        pen.fitting(self.value, where.center, 15, 12, color, "center", most=where.width - 2 * px(30))
        ink, size = theme.text if pen.hovered or pen.focused else theme.text_2, px(5)
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
