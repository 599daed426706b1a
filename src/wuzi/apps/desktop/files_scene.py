"""The list of saved games."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pygame
from pygame import Rect

from wuzi.apps.desktop import fonts
from wuzi.apps.desktop.game_view import player_name
from wuzi.apps.desktop.scene import Scene
from wuzi.apps.desktop.widgets import Button, Widget, draw_card
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
        px, say = self.look().px, self.say
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
        y = inner.bottom - footer
        back = Button(say("files.back"), self.window.show_menu, Rect(inner.x, y, px(130), footer))
        last = Button(
            say("files.older"), lambda: self._turn(1), Rect(inner.right - px(120), y, px(120), footer)
        )
        first = Button(say("files.newer"), lambda: self._turn(-1), last.rect.move(-px(130), 0))
        last.enabled, first.enabled = self._page < pages - 1, self._page > 0
        self.widgets = [*widgets, back, *((first, last) if pages > 1 else ())]
        if self.focus is not None:
            self.focus = min(self.focus, len(self.widgets) - 1)

    def draw(self, surface: pygame.Surface) -> None:
        """Draw the list, or what to do where there is nothing."""
        look, theme, px = self.look(), self.window.theme, self.look().px
        at = (self._card.x + px(4), px(44))
        fonts.draw(surface, self.say("files.title"), at, px(28), theme.text, anchor="midleft", bold=True)
        draw_card(surface, self._card, look)
        if not self._files:
            fonts.draw(
                surface, self.say("files.none"), (self._card.centerx, self._card.centery - px(30)), px(15),
                theme.text_2, anchor="center", most=self._card.width - px(40),
            )  # fmt: skip
        self.draw_widgets(surface)
        text, color = (self._problem, theme.bad) if self._problem else (self.say("files.drop"), theme.text_2)
        y = self._card.bottom - px(18) - px(42) - px(18)
        fonts.draw(
            surface,
            text,
            (self._card.centerx, y),
            px(13),
            color,
            anchor="center",
            most=self._card.width - px(40),
        )

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
            when = datetime.fromtimestamp(path.stat().st_mtime).strftime("%Y-%m-%d %H:%M")
            try:
                session = self.window.storage.load_game(path)[0]
            except (OSError, WuziError):
                self._notes[path, language] = f"{when} · {self.say('files.broken')}"
            else:
                game = session.game
                names = [player_name(session, color, self.say, language)[0] for color in Color]
                size = f"{game.rules.size}×{game.rules.size}"
                moves = self.say("status.move", n=len(game.moves))
                result = "open" if game.outcome is None else game.outcome.result
                self._notes[path, language] = " · ".join(
                    (when, " – ".join(names), size, moves, self.say(f"files.result.{result}"))
                )
        return self._notes[path, language]
