"""Buttons and choices: what can be clicked, focused and activated by keys."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, Protocol

import pygame
from pygame import Rect

from wuzi.apps.desktop import fonts, shapes
from wuzi.apps.desktop.theme import Rgb, WindowTheme, mix

Kind = Literal["primary", "plain", "quiet", "danger"]


@dataclass(frozen=True, slots=True)
class DrawStyle:
    """How to draw now.

    Attributes:
        theme: the colours.
        unit: pixels of one design pixel.
        hovered: the mouse is on it. focused: the keys act on it.
    """

    theme: WindowTheme
    unit: float
    hovered: bool = False
    focused: bool = False

    def px(self, design: float) -> int:
        """Design pixels as whole pixels."""
        return max(1, round(design * self.unit))


class Widget(Protocol):
    """Something in a rectangle that acts when it is clicked or activated."""

    rect: Rect

    @property
    def enabled(self) -> bool:
        """Whether it acts at all."""
        ...

    def draw(self, surface: pygame.Surface, look: DrawStyle) -> None:
        """Draw it."""
        ...

    def click(self, at: tuple[int, int] | None) -> None:
        """Act on a click there, or on Enter (None)."""
        ...

    def turn(self, by: int) -> bool:
        """Act on the left (-1) and right (1) keys; False if that means nothing here."""
        ...


@dataclass(slots=True)
class Button:
    """A button; ``selected`` is that of a switch that is on.

    Attributes:
        label: its text. note: smaller text below it. key: what to press for it, shown at the right.
        action: what it does.
    """

    label: str
    action: Callable[[], object]
    rect: Rect = field(default_factory=lambda: Rect(0, 0, 0, 0))
    kind: Kind = "plain"
    enabled: bool = True
    selected: bool = False
    note: str = ""
    key: str = ""

    def draw(self, surface: pygame.Surface, look: DrawStyle) -> None:
        """Draw it."""
        theme, px = look.theme, look.px
        fill, border, color = self._colors(theme)
        if look.hovered and self.enabled:
            fill = mix(fill, theme.text, 0.08)
        surface.blit(shapes.box(self.rect.size, px(8), fill, border, max(1.0, look.unit)), self.rect)
        if look.focused:
            draw_focus(surface, self.rect, look)
        size, room = px(15), self.rect.width - px(16)
        if self.key:
            room -= px(16)
            at = (self.rect.right - px(12), self.rect.centery)
            fonts.draw(surface, self.key, at, px(13), mix(fill, color, 0.7), anchor="midright")
        if not self.note:
            size = fonts.fitting(self.label, size, px(11), room)
            middle = (self.rect.x + px(8) + room // 2, self.rect.centery)
            fonts.draw(surface, self.label, middle, size, color, anchor="center", most=room)
            return
        left = self.rect.x + px(16)
        bold = self.kind == "primary"
        fonts.draw(
            surface, self.label, (left, self.rect.centery - px(9)), px(17), color,
            anchor="midleft", bold=bold, most=room - px(16),
        )  # fmt: skip
        soft = mix(fill, color, 0.78)
        fonts.draw(
            surface, self.note, (left, self.rect.centery + px(12)), px(13), soft,
            anchor="midleft", most=room - px(16),
        )  # fmt: skip

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

    def turn(self, by: int) -> bool:
        """A button has nothing to turn."""
        del by
        return False


@dataclass(slots=True)
class ChoiceBox:
    """One of several values, changed by arrows at both sides.

    Attributes:
        label: what is chosen. value: what it is now.
        change: called with -1 or 1.
        problem: why the value does not fit, if so.
    """

    label: str
    value: str
    change: Callable[[int], None]
    rect: Rect = field(default_factory=lambda: Rect(0, 0, 0, 0))
    enabled: bool = True
    problem: str = ""

    def draw(self, surface: pygame.Surface, look: DrawStyle) -> None:
        """Draw the label at the left and the value between its arrows at the right."""
        theme, px = look.theme, look.px
        where = self._field(look)
        room = where.x - self.rect.x - px(6)
        size = fonts.fitting(self.label, px(14), px(11), room)
        at = (self.rect.x, self.rect.centery)
        fonts.draw(surface, self.label, at, size, theme.text_2, anchor="midleft", most=room)
        border = theme.bad if self.problem else theme.line
        surface.blit(shapes.box(where.size, px(8), theme.surface_2, border, max(1.0, look.unit)), where)
        if look.focused:
            draw_focus(surface, where, look)
        color = theme.bad if self.problem else theme.text
        room = where.width - 2 * px(30)
        size = fonts.fitting(self.value, px(15), px(12), room)
        fonts.draw(surface, self.value, where.center, size, color, anchor="center", most=room)
        arrow = theme.text if look.hovered or look.focused else theme.text_2
        for x, way in ((where.x + px(16), -1), (where.right - px(16), 1)):
            _arrow(surface, (x, where.centery), px(5), way, arrow, look.unit)

    def _field(self, look: DrawStyle) -> Rect:
        width = min(round(self.rect.width * 0.66), look.px(280))
        return Rect(self.rect.right - width, self.rect.y, width, self.rect.height)

    def click(self, at: tuple[int, int] | None) -> None:
        """The left half of the value goes back, the right half forward."""
        middle = self.rect.right - self.rect.width * 0.33
        self.change(-1 if at is not None and at[0] < middle else 1)

    def turn(self, by: int) -> bool:
        """Go back or forward."""
        self.change(by)
        return True


def _arrow(
    surface: pygame.Surface, at: tuple[float, float], size: int, way: int, color: Rgb, unit: float
) -> None:
    x, y = at
    for dy in (-size, size):
        start, end = (x - way * size / 2, y + dy), (x + way * size / 2, y)
        shapes.smooth_line(surface, color, start, end, max(1.5, 2 * unit))


def draw_focus(surface: pygame.Surface, rect: Rect, look: DrawStyle) -> None:
    """A ring around what the keys act on."""
    around = rect.inflate(look.px(8), look.px(8))
    surface.blit(shapes.outline(around.size, look.px(11), look.theme.accent, max(2, look.px(2))), around)


def draw_card(surface: pygame.Surface, rect: Rect, look: DrawStyle) -> None:
    """A raised surface for things that belong together."""
    blur = look.px(16)
    surface.blit(
        shapes.shadow(rect.size, look.px(14), blur, look.theme.shadow),
        (rect.x - blur, rect.y - blur + look.px(4)),
    )
    surface.blit(shapes.box(rect.size, look.px(14), look.theme.surface, look.theme.line), rect)
