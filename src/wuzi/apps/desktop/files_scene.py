"""The list of saved games."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pygame
from pygame import Rect

from wuzi.apps.desktop.game_view import player_name
from wuzi.apps.desktop.scene import Scene
from wuzi.apps.desktop.widgets import Button, Widget
from wuzi.core import Color
from wuzi.errors import WuziError

if TYPE_CHECKING:
    from wuzi.apps.desktop.window import Window


class FilesScene(Scene):
    """Saved games, newest first, a page at a time; other files are opened by dropping them on the window."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self._files = window.storage.saved_games()
        self._notes: dict[tuple[Path, str], str] = {}
        self._page = 0
        self._problem = ""
        self._card = Rect(0, 0, 0, 0)

    def arrange(self) -> None:
        """One button a file, and those to turn pages and to go back."""
        px = self.pen().px
        width, height = self.window.size
        self._card = Rect(0, px(76), min(width - px(24), px(720)), height - px(76) - px(20))
        self._card.centerx = width // 2
        inner = self._card.inflate(-px(40), -px(36))
        row, footer = px(64), px(42)
        rows = max(1, (inner.height - footer - px(40)) // row)
        pages = max(1, -(-len(self._files) // rows))
        self._page = min(self._page, pages - 1)
        widgets: list[Widget] = []
        for index, path in enumerate(self._files[self._page * rows : (self._page + 1) * rows]):
            rect = Rect(inner.x, inner.y + index * row, inner.width, row - px(8))
            widgets.append(Button(path.name, self._opener(path), rect, note=self._note(path)))
        place = Rect(inner.x, inner.bottom - footer, px(130), footer)
        widgets.append(self.button("files.back", self.window.show_menu, rect=place))
        if pages > 1:
            last = Rect(inner.right - px(120), place.y, px(120), footer)
            newer = self.button("files.newer", lambda: self._turn(-1), rect=last.move(-px(130), 0))
            older = self.button("files.older", lambda: self._turn(1), rect=last)
            newer.enabled, older.enabled = self._page > 0, self._page < pages - 1
            widgets += [newer, older]
        self.widgets = widgets
        if self.focus is not None:
            self.focus = min(self.focus, len(self.widgets) - 1)

    def draw(self) -> None:
        """Draw the list, or what to do where there is nothing."""
        pen, card = self.pen(), self._card
        theme, px, most = pen.theme, pen.px, card.width - pen.px(40)
        pen.text(self.say("files.title"), (card.x + px(4), px(44)), 28, bold=True)
        pen.card(card)
        if not self._files:
            at = (card.centerx, card.centery - px(30))
            pen.text(self.say("files.none"), at, 15, theme.text_2, "center", most=most)
        self.draw_widgets()
        text, color = (self._problem, theme.bad) if self._problem else (self.say("files.drop"), theme.text_2)
        at = (card.centerx, card.bottom - px(18) - px(42) - px(18))
        pen.text(text, at, 13, color, "center", most=most)

    def key(self, event: pygame.event.Event) -> bool:
        """Escape goes back, page keys turn pages."""
        if event.key == pygame.K_ESCAPE:
            self.window.show_menu()
        elif event.key in (pygame.K_PAGEUP, pygame.K_PAGEDOWN):
            self._turn(-1 if event.key == pygame.K_PAGEUP else 1)
        else:
            return False
        return True

    def _turn(self, by: int) -> None:
        self._page = max(0, self._page + by)
        self.window.refresh()

    def _opener(self, path: Path) -> Callable[[], None]:
        def open_it() -> None:
            self._problem = self.window.open_file(path) or ""

        return open_it

    def _note(self, path: Path) -> str:
        """Date, board and result of a file, read once."""
        language = self.window.preferences.language
        if (path, language) not in self._notes:
            parts = [datetime.fromtimestamp(path.stat().st_mtime).strftime("%Y-%m-%d %H:%M")]
            try:
                session = self.window.storage.load_game(path)[0]
            except (OSError, WuziError):
                parts.append(self.say("files.broken"))
            else:
                game = session.game
                parts.append(
                    " – ".join(player_name(session, color, self.say, language)[0] for color in Color)
                )
                parts += [f"{game.rules.size}×{game.rules.size}", self.say("status.move", n=len(game.moves))]
                result = "open" if game.outcome is None else game.outcome.result
                parts.append(self.say(f"files.result.{result}"))
            self._notes[path, language] = " · ".join(parts)
        return self._notes[path, language]
