"""The keys and what the marks on the board mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pygame
from pygame import Rect

from wuzi.apps.desktop import fonts
from wuzi.apps.desktop.scene import ENTER, Scene

if TYPE_CHECKING:
    from wuzi.apps.desktop.window import Window

_COLUMNS = 2
_HELPED = (
    "cursor place undo hint analyse threats numbers move_now pause opening step ends files restart focus"
    " menu look zoom full"
).split()


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
