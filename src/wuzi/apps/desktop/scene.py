"""What one screen of the window is, how focus, mouse and keys reach its widgets; and the help."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any

import pygame
from pygame import Rect

from wuzi.apps.desktop import fonts
from wuzi.apps.desktop.widgets import Button, Painter, Widget
from wuzi.base.words import Language, load_catalogue

if TYPE_CHECKING:
    from wuzi.apps.desktop.window import Window

ENTER = (pygame.K_RETURN, pygame.K_KP_ENTER)
_COLUMNS = 2
_HELPED = (
    "cursor place undo hint analyse threats numbers cells turn move_now pause opening step ends files restart"
    " focus menu look zoom full"
).split()


def say(language: Language, key: str, **values: object) -> str:
    """The text of that key with its places filled."""
    return load_catalogue("wuzi.apps.desktop", language)(key, **values)


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
        """Act on a key before the widgets do; True if nothing else is to act on it."""
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

    def pen(self, widget: Widget | None = None) -> Painter:
        """What draws a widget now (or anything, without one)."""
        window = self.window
        is_hovered = widget is not None and widget.rect.collidepoint(self.mouse)
        is_focused = widget is not None and self.focus is not None and self.widgets[self.focus] is widget
        return Painter(window.surface, window.theme, window.unit, is_hovered, is_focused)

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


class HelpScene(Scene):
    """A page of help over another screen, which does not move meanwhile."""

    def __init__(self, window: Window, back: Scene) -> None:
        super().__init__(window)
        self._back = back
        self._card = Rect(0, 0, 0, 0)
        self._row = 0
        self._keys: list[list[str]] = []
        self._marks: list[str] = []

    def leave(self) -> None:
        """The screen behind is left too."""
        self._back.leave()

    def arrange(self) -> None:
        """The card, as high as the rows of keys and the text below them, and the button that goes back."""
        px = self.pen().px
        width, height = self.window.size
        self._card = Rect(0, 0, min(width - px(24), px(860)), 0)
        self._keys = [self.say(f"help.{name}").split(" : ") for name in _HELPED]
        self._marks = fonts.wrapped(self.say("help.marks"), px(13), self._card.width - px(56))
        others = px(78) + px(14) + len(self._marks) * px(20) + px(18) + px(40) + px(20)
        self._row = min(px(36), (height - px(24) - others) // self._rows)
        self._card.height = others + self._rows * self._row
        self._card.center = (width // 2, height // 2)
        button = Rect(0, 0, px(150), px(40))
        button.midbottom = (self._card.centerx, self._card.bottom - px(20))
        self.widgets = [self.button("help.close", self._close, rect=button, kind="primary")]

    @property
    def _rows(self) -> int:
        return -(-len(self._keys) // _COLUMNS)

    def draw(self) -> None:
        """Draw the keys in columns and the meaning of the marks below."""
        pen = self.pen()
        theme, px = pen.theme, pen.px
        pen.card(self._card)
        inner = self._card.inflate(-px(56), -px(44))
        pen.text(self.say("help.title"), inner.topleft, 24, anchor="topleft", bold=True)
        width = inner.width // _COLUMNS
        top = self._card.y + px(78)
        for index, (keys, meaning) in enumerate(self._keys):
            column, row = divmod(index, self._rows)
            y = top + row * self._row + self._row // 2
            cap = Rect(inner.x + column * width, y - px(13), px(104), px(26))
            pen.box(cap, 6, theme.surface_2, theme.line)
            pen.text(keys, cap.center, 13, anchor="center", bold=True, most=cap.width)
            pen.text(meaning, (cap.right + px(12), y), 14, most=width - cap.width - px(20))
        y = top + self._rows * self._row + px(14)
        for line in self._marks:
            pen.text(line, (inner.x, y), 13, theme.text_2, "topleft")
            y += px(20)
        self.draw_widgets()

    def key(self, event: pygame.event.Event) -> bool:
        """Escape and Enter go back."""
        if event.key in (pygame.K_ESCAPE, pygame.K_F1, *ENTER):
            self._close()
            return True
        return False

    def _close(self) -> None:
        self.window.show_again(self._back)
