"""What one screen of the window is, and how focus, mouse and keys reach its widgets."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any

import pygame

from wuzi.apps.desktop.widgets import Button, Pen, Widget
from wuzi.apps.desktop.words import say

if TYPE_CHECKING:
    from wuzi.apps.desktop.window import Window

ENTER = (pygame.K_RETURN, pygame.K_KP_ENTER)


class Scene:
    """One screen; ``widgets`` stand in the order of the Tab key, ``focus`` is the index of one of them."""

    def __init__(self, window: Window) -> None:
        self.window = window
        self.widgets: Sequence[Widget] = ()
        self.focus: int | None = None
        self.mouse: tuple[int, int] = (-1, -1)
        self._pointed: Hashable = None

    @property
    def frame_s(self) -> float | None:
        """Seconds to the next picture that differs by itself; None while nothing moves."""
        return None

    def arrange(self) -> None:
        """Make the widgets for the window as it is now."""

    def draw(self) -> None:
        """Draw the screen."""

    def key(self, event: pygame.event.Event) -> bool:
        """Act on a key before the widgets do; True if that is all."""
        del event
        return False

    def clicked(self, at: tuple[int, int], button: int) -> None:
        """Act on a click that hit no widget."""

    def pointed_at(self) -> Hashable:
        """What the mouse is on, apart from widgets; a change of it is drawn."""
        return None

    def leave(self) -> None:
        """The screen is no longer shown."""

    def say(self, key: str, **values: object) -> str:
        """A text in the window's language."""
        return say(self.window.preferences.language, key, **values)

    def button(self, key: str, action: Callable[[], object], **more: Any) -> Button:
        """A button whose text has that key."""
        return Button(self.say(key), action, **more)

    def pen(self, widget: Widget | None = None) -> Pen:
        """What draws a widget now (or anything, without one)."""
        window = self.window
        hovered = widget is not None and widget.rect.collidepoint(self.mouse)
        focused = widget is not None and self.focus is not None and self.widgets[self.focus] is widget
        return Pen(window.surface, window.theme, window.unit, hovered, focused)

    def draw_widgets(self) -> None:
        """Draw all widgets."""
        for widget in self.widgets:
            widget.draw(self.pen(widget))

    def point(self, at: tuple[int, int]) -> bool:
        """The mouse moved; whether that changed anything that is seen."""
        before = self._pointed
        self.mouse = at
        widget = next((index for index, one in enumerate(self.widgets) if one.rect.collidepoint(at)), None)
        self._pointed = (widget, self.pointed_at())
        return self._pointed != before

    def handle(self, event: pygame.event.Event) -> None:
        """Act on a click or a key."""
        if event.type == pygame.MOUSEBUTTONDOWN and event.button in (1, 3):
            self.mouse = event.pos
            hit = next((w for w in self.widgets if w.rect.collidepoint(event.pos)), None)
            if hit is None:
                self.clicked(event.pos, event.button)
            elif event.button == 1 and hit.enabled:
                self.focus = None
                hit.click(event.pos)
        elif event.type == pygame.KEYDOWN and not self.key(event):
            self._widget_key(event)

    def _widget_key(self, event: pygame.event.Event) -> None:
        if event.key == pygame.K_TAB:
            self.move_focus(-1 if event.mod & pygame.KMOD_SHIFT else 1)
        elif event.key in (pygame.K_DOWN, pygame.K_UP):
            self.move_focus(1 if event.key == pygame.K_DOWN else -1)
        elif self.focus is not None:
            widget = self.widgets[self.focus]
            if event.key in (*ENTER, pygame.K_SPACE):
                widget.click(None)
            elif event.key in (pygame.K_LEFT, pygame.K_RIGHT):
                widget.turn(1 if event.key == pygame.K_RIGHT else -1)

    def move_focus(self, by: int) -> None:
        """Focus the next (1) or previous (-1) widget that acts."""
        count = len(self.widgets)
        at = self.focus if self.focus is not None else (-1 if by > 0 else count)
        for _ in range(count):
            at = (at + by) % count
            if self.widgets[at].enabled:
                self.focus = at
                return
