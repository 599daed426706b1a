"""The menu (what to play, against whom, on which board) and the list of saved games."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pygame
from pygame import Rect

from wuzi.apps.desktop import fonts
from wuzi.apps.desktop.board_view import draw_board
from wuzi.apps.desktop.game_view import player_name
from wuzi.apps.desktop.geometry import BoardGrid, is_wide, spread
from wuzi.apps.desktop.opponents import engine_seat, name_of, why_not
from wuzi.apps.desktop.scene import Scene
from wuzi.apps.desktop.widgets import Button, ChoiceBox, Widget
from wuzi.core import Color, Game, Opening, Rule, Rules, parse_rule
from wuzi.errors import ConfigError, WuziError
from wuzi.games import GameSession, Seat
from wuzi.players.opponents import ENGINES, find_engine

if TYPE_CHECKING:
    from wuzi.apps.desktop.window import Window

BOARDS = ((15, 5), (9, 5), (13, 5), (19, 5), (20, 5), (8, 5), (6, 4))
"""Sizes and win lengths that the menu offers."""

CLOCKS: dict[str, tuple[float, float] | None]
CLOCKS = {"none": None, "blitz": (180, 2), "rapid": (600, 5), "slow": (1800, 20)}
"""The clocks of the menu: seconds for the whole game, and seconds that each action adds."""

RULES = tuple(rule.label for rule in Rule)
OPENINGS = tuple(str(opening) for opening in Opening)

_TITLE = 84
"""Height of the name above the card in a narrow window, in design pixels."""

_SHOWN_MOVES = tuple("h8 i9 h9 h7 i8 g8 j7 g10 i10 g6 i7 g9".split())


def _known(opponent: str, level: str, otherwise: str) -> tuple[str, str]:
    """The opponent and its level, as far as they are still there (nets come and go)."""
    entry = ENGINES.get(opponent) or find_engine(otherwise)
    return entry.id, level if level in {one.id for one in entry.levels} else ""


class MenuScene(Scene):
    """The first screen."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self._kept = window.storage.running_game()
        self._card = Rect(0, 0, 0, 0)
        self._problem = ""
        chosen = window.preferences
        chosen.board = min(max(chosen.board, 0), len(BOARDS) - 1)
        for name, values in (("rule", RULES), ("opening", OPENINGS), ("clock", tuple(CLOCKS))):
            if getattr(chosen, name) not in values:
                setattr(chosen, name, values[0])
        chosen.opponent, chosen.level = _known(chosen.opponent, chosen.level, "levels")
        chosen.other, chosen.other_level = _known(chosen.other, chosen.other_level, "engine")

    def arrange(self) -> None:
        """Make the buttons and choices for the language, the size and what is chosen."""
        rules, rule_problem = self._rules()
        problem = rule_problem or self._refusal(self.window.preferences.opponent, rules)
        other_problem = rule_problem or self._refusal(self.window.preferences.other, rules)
        self._problem = problem or other_problem
        starts = self._start_buttons(not problem, not (problem or other_problem), not rule_problem)
        choices = self._choices(rule_problem, problem, other_problem)
        self.widgets = self._placed(starts, choices)

    def _placed(self, starts: list[list[Button]], choices: list[list[ChoiceBox]]) -> list[Widget]:
        """All widgets in rows from the top of the card, which is made as high as they need."""
        px = self.pen().px
        rows: list[tuple[Sequence[Widget], int, int]] = []
        rows += [(row, px(58 if row[0].note else 42), px(10)) for row in starts]
        rows += [(row, px(36), px(9)) for row in choices]
        rows.append((self._footer(), px(38), 0))
        before = {len(starts): px(14), len(rows) - 1: px(30)}
        padding = px(22)
        needed = sum(height + gap for _, height, gap in rows) + sum(before.values()) + 2 * padding
        self._card = self._card_rect(needed)
        room = min(1.0, (self._card.height - 2 * padding) / (needed - 2 * padding))
        widgets: list[Widget] = []
        y = float(self._card.y + padding)
        for index, (row, height, gap) in enumerate(rows):
            y += before.get(index, 0) * room
            line = Rect(self._card.x + px(24), round(y), self._card.width - px(48), round(height * room))
            between = px(18 if isinstance(row[0], ChoiceBox) else 9)
            for widget, rect in zip(row, spread(line, len(row), between), strict=True):
                widget.rect = rect
                widgets.append(widget)
            y += (height + gap) * room
        return widgets

    def _card_rect(self, needed: int) -> Rect:
        width, height = self.window.size
        px = self.pen().px
        if is_wide(self.window.size):
            card = Rect(0, 0, min(px(520), round(width * 0.52)), min(height - px(36), needed))
            card.midright = (width - max(px(18), (width - card.width - self._art_side()) // 3), height // 2)
            return card
        title, edge = px(_TITLE), px(12)
        card = Rect(0, 0, min(width - px(20), px(620)), min(height - title - edge, needed))
        card.midtop = (width // 2, title + max(0, height - title - edge - card.height) * 2 // 5)
        return card

    def _art_side(self) -> int:
        width, height = self.window.size
        px = self.pen().px
        return min(round(width * 0.46) - px(40), height - px(220))

    def _start_buttons(self, against: bool, watch: bool, alone: bool) -> list[list[Button]]:
        chosen, say, button = self.window.preferences, self.say, self.button
        name = name_of(find_engine(chosen.opponent), chosen.language)
        is_free = chosen.opening == Opening.FREE
        rows = []
        if (kept := self._kept) is not None:
            rules = f"{kept.rules.size}×{kept.rules.size} · {say(f'rule.{kept.rules.rule.label}')}"
            note = say("menu.continue_note", n=kept.game.ply, rules=rules)
            go_on = button("menu.continue", lambda: self.window.show_game(kept), kind="primary", note=note)
            rows.append([go_on])
        first = say("menu.first_note" if is_free else "menu.first_note_swap")
        second = say("menu.second_note" if is_free else "menu.second_note_swap", name=name)
        rows.append(
            [
                button("menu.first", lambda: self._start(True), enabled=against, note=first),
                button("menu.second", lambda: self._start(False), enabled=against, note=second),
            ]
        )
        rows[0][0].kind = "primary"
        rows.append(
            [
                button("menu.two", lambda: self._begin([Seat(), Seat()]), enabled=alone),
                button("menu.watch", self._start_watch, enabled=watch),
                button("menu.analyse", self._start_analysis, enabled=alone),
            ]
        )
        return rows

    def _choices(self, rule_problem: str, problem: str, other_problem: str) -> list[list[ChoiceBox]]:
        chosen, say = self.window.preferences, self.say
        size, win = BOARDS[chosen.board]

        def among(key: str, text: str, name: str, values: Sequence[str], problem: str = "") -> ChoiceBox:
            return ChoiceBox(say(key), text, lambda by: self._turn(name, values, by), problem=problem)

        def player(key: str, level_key: str, name: str, level: str, problem: str) -> list[list[ChoiceBox]]:
            entry = find_engine(getattr(chosen, name))
            now = entry.level(getattr(chosen, level) or None)
            names = name_of(entry, chosen.language), name_of(now, chosen.language)
            change, turn = self._turn, [one.id for one in entry.levels]
            who = ChoiceBox(say(key), names[0], lambda by: change(name, tuple(ENGINES), by, **{level: ""}))
            who.problem = "" if rule_problem else problem
            how = ChoiceBox(say(level_key), names[1], lambda by: change(level, turn, by, now=now.id))
            return [[who], [how]]

        board, sizes = say("board", size=size, win=win), range(len(BOARDS))
        opening, clock = say(f"opening.name.{chosen.opening}"), say(f"clock.{chosen.clock}")
        return [
            [ChoiceBox(say("menu.board"), board, lambda by: self._turn("board", sizes, by))],
            [among("menu.rule", say(f"rule.{chosen.rule}"), "rule", RULES, rule_problem)],
            [
                among("menu.opening", opening, "opening", OPENINGS),
                among("menu.clock", clock, "clock", tuple(CLOCKS)),
            ],
            *player("menu.opponent", "menu.level", "opponent", "level", problem),
            *player("menu.other", "menu.other_level", "other", "other_level", other_problem),
        ]

    def _footer(self) -> list[Button]:
        window, chosen = self.window, self.window.preferences
        theme = "menu.to_light" if chosen.theme == "dark" else "menu.to_dark"
        return [
            self.button("menu.open", window.show_files, kind="quiet"),
            self.button("menu.language", window.turn_language, kind="quiet"),
            self.button(theme, window.turn_theme, kind="quiet"),
            self.button("menu.help", window.show_help, kind="quiet"),
            self.button("menu.quit", window.close, kind="quiet"),
        ]

    def draw(self) -> None:
        """Draw the name, a board, and the card with everything to choose."""
        pen = self.pen()
        px, theme = pen.px, pen.theme
        if is_wide(self.window.size):
            side = self._art_side()
            top = (self.window.size[1] - side - px(124)) // 2
            board = Rect(self._card.x // 2 - side // 2, top + px(124), side, side)
            pen.text("五子", (board.x, top + px(2)), 60, anchor="topleft", bold=True)
            left = board.x + fonts.width("五子", px(60), True) + px(18)
            pen.text("wuzi", (left, top + px(10)), 34, theme.text_2, "topleft", bold=True)
            room = self._card.x - left - px(12)
            at = (left, top + px(56))
            pen.text(self.say("menu.subtitle"), at, 16, theme.text_2, "topleft", most=room, least=11)
            draw_board(pen.surface, BoardGrid(board, 15), Game.from_moves(Rules(15), _SHOWN_MOVES), theme)
        else:
            x, y = self._card.x + px(8), self._card.y - px(_TITLE)
            title = pen.text("五子", (x, y + px(14)), 42, anchor="topleft", bold=True)
            x = title.right + px(14)
            pen.text("wuzi", (x, y + px(17)), 24, theme.text_2, "topleft", bold=True)
            pen.text(self.say("menu.subtitle"), (x, y + px(53)), 13, theme.text_2, "topleft")
        pen.card(self._card)
        self.draw_widgets()
        if self._problem:
            at = (self._card.centerx, self.widgets[-1].rect.y - px(17))
            pen.text(self._problem, at, 13, theme.bad, "center", most=self._card.width - px(40))

    def key(self, event: pygame.event.Event) -> bool:
        """The menu's own keys: o opens a file."""
        if event.key == pygame.K_o:
            self.window.show_files()
            return True
        return False

    def _turn(self, name: str, values: Sequence[Any], by: int, now: Any = None, **also: object) -> None:
        """Choose the next or previous value, counted from ``now`` where that is not what is stored."""
        chosen = self.window.preferences
        at = values.index(getattr(chosen, name) if now is None else now)
        for key, value in {name: values[(at + by) % len(values)], **also}.items():
            setattr(chosen, key, value)
        self.window.refresh()

    def _rules(self) -> tuple[Rules, str]:
        """The chosen rules, or the board with the plain rule and why the chosen ones cannot be."""
        chosen = self.window.preferences
        size, win = BOARDS[chosen.board]
        try:
            return Rules(size, win, parse_rule(chosen.rule), Opening(chosen.opening)), ""
        except ConfigError:
            return Rules(size, win), self.say("menu.rule_needs_five")

    def _refusal(self, opponent_id: str, rules: Rules) -> str:
        can = self.window.capabilities(opponent_id)
        reason = None if can is None else why_not(can, rules)
        if reason is None:
            return ""
        name = name_of(find_engine(opponent_id), self.window.preferences.language)
        return self.say(f"menu.refuses.{reason}", name=name)

    def _opponent_seat(self) -> Seat:
        return engine_seat(self.window.preferences.opponent, self.window.preferences.level)

    def _start(self, person_first: bool) -> None:
        seats = [Seat(), self._opponent_seat()]
        self._begin(seats if person_first else seats[::-1])

    def _start_watch(self) -> None:
        chosen = self.window.preferences
        self._begin([engine_seat(chosen.other, chosen.other_level), self._opponent_seat()])

    def _begin(self, seats: list[Seat]) -> None:
        """A game under the chosen rules, with the chosen clock."""
        clock = CLOCKS[self.window.preferences.clock]
        if clock is not None:
            left_s, more_s = clock
            limits = [replace(seat.limit, clock_s=left_s, increment_s=more_s) for seat in seats]
            seats = [replace(seat, limit=limit) for seat, limit in zip(seats, limits, strict=True)]
        self.window.show_game(GameSession(self._rules()[0], seats))

    def _start_analysis(self) -> None:
        rules = replace(self._rules()[0], opening=Opening.FREE)
        self.window.show_game(GameSession(rules, [Seat(), Seat()]), analysing=True)


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
            widgets.append(Button(path.name, partial(self._open, path), rect, note=self._note(path)))
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

    def _open(self, path: Path) -> None:
        self._problem = self.window.open_file(path) or ""

    def _note(self, path: Path) -> str:
        """Date, board and result of a file, read once."""
        language = self.window.preferences.language
        if (path, language) not in self._notes:
            parts = [datetime.fromtimestamp(path.stat().st_mtime).strftime("%Y-%m-%d %H:%M")]
            try:
                session = self.window.storage.load_game(path)
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
