"""The keys and what the marks on the board mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pygame
from pygame import Rect

from wuzi.apps.desktop import fonts, shapes
from wuzi.apps.desktop.scene import Scene
from wuzi.apps.desktop.widgets import Button, draw_card

if TYPE_CHECKING:
    from wuzi.apps.desktop.window import Window

KEYS = (
    ("← ↑ → ↓", "cursor"),
    ("Enter", "place"),
    ("U / Y", "undo"),
    ("H", "hint"),
    ("A", "analyse"),
    ("T", "threats"),
    ("N", "numbers"),
    ("M", "move_now"),
    ("P", "pause"),
    ("1 2 3", "opening"),
    ("PgUp PgDn", "step"),
    ("Home End", "ends"),
    ("S / O", "files"),
    ("R", "restart"),
    ("Tab", "focus"),
    ("Esc", "menu"),
    ("L / D", "look"),
    ("+ / -", "zoom"),
    ("F11", "full"),
)
_COLUMNS = 2
_ROWS = -(-len(KEYS) // _COLUMNS)


class HelpScene(Scene):
    """A page of help over another screen."""

    def __init__(self, window: Window, back: Scene) -> None:
        super().__init__(window)
        self._back = back
        self._card = Rect(0, 0, 0, 0)
        self._row = 0
        self._marks: list[str] = []

    @property
    def frame_s(self) -> float | None:
        """The screen behind need not move."""
        return None

    def leave(self) -> None:
        """The screen behind is left too."""
        self._back.leave()

    def arrange(self) -> None:
        """The card, as high as the rows of keys and the text below them, and the button that goes back."""
        px = self.look().px
        width, height = self.window.size
        self._card = Rect(0, 0, min(width - px(24), px(860)), 0)
        self._marks = fonts.wrapped(self.say("help.marks"), px(13), self._card.width - px(56))
        others = px(78) + px(14) + len(self._marks) * px(20) + px(18) + px(40) + px(20)
        self._row = min(px(36), (height - px(24) - others) // _ROWS)
        self._card.height = others + _ROWS * self._row
        self._card.center = (width // 2, height // 2)
        button = Rect(0, 0, px(150), px(40))
        button.midbottom = (self._card.centerx, self._card.bottom - px(20))
        self.widgets = [Button(self.say("help.close"), self._close, button, kind="primary")]

    def draw(self, surface: pygame.Surface) -> None:
        """Draw the keys in columns and the meaning of the marks below."""
        theme, px = self.window.theme, self.look().px
        draw_card(surface, self._card, self.look())
        inner = self._card.inflate(-px(56), -px(44))
        fonts.draw(surface, self.say("help.title"), inner.topleft, px(24), theme.text, bold=True)
        width = inner.width // _COLUMNS
        top = self._card.y + px(78)
        for index, (keys, meaning) in enumerate(KEYS):
            column, row = divmod(index, _ROWS)
            y = top + row * self._row + self._row // 2
            x = inner.x + column * width
            cap = Rect(x, y - px(13), px(104), px(26))
            surface.blit(shapes.box(cap.size, px(6), theme.surface_2, theme.line), cap)
            fonts.draw(
                surface, keys, cap.center, px(13), theme.text, anchor="center", bold=True, most=cap.width
            )
            at = (cap.right + px(12), y)
            room = width - cap.width - px(20)
            fonts.draw(
                surface, self.say(f"help.{meaning}"), at, px(14), theme.text, anchor="midleft", most=room
            )
        y = top + _ROWS * self._row + px(14)
        for line in self._marks:
            fonts.draw(surface, line, (inner.x, y), px(13), theme.text_2)
            y += px(20)
        self.draw_widgets(surface)

    def key(self, event: pygame.event.Event) -> bool:
        """Escape and Enter go back."""
        if event.key in (pygame.K_ESCAPE, pygame.K_RETURN, pygame.K_KP_ENTER, pygame.K_F1):
            self._close()
            return True
        return False

    def _close(self) -> None:
        self.window.show_again(self._back)
