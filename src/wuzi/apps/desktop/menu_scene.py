"""The menu: what to play, against whom, on which board."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import pygame
from pygame import Rect

from wuzi.apps.desktop import fonts
from wuzi.apps.desktop.board_view import BoardMarks, draw_board
from wuzi.apps.desktop.geometry import BoardGrid, is_wide, spread
from wuzi.apps.desktop.opponents import engine_seat, level_name, name_of, why_not
from wuzi.apps.desktop.scene import Scene
from wuzi.apps.desktop.widgets import Button, ChoiceBox, Widget, draw_card
from wuzi.core import Game, Opening, Rules
from wuzi.core.rules import Rule, parse_rule
from wuzi.errors import ConfigError
from wuzi.games import GameSession, Seat
from wuzi.players.opponents import ENGINES, find_engine

if TYPE_CHECKING:
    from wuzi.apps.desktop.window import Window

BOARDS = ((15, 5), (9, 5), (13, 5), (19, 5), (20, 5), (8, 5), (6, 4))
"""Sizes and win lengths that the menu offers."""

CLOCKS: dict[str, tuple[float, float] | None] = {
    "none": None,
    "blitz": (180, 2),
    "rapid": (600, 5),
    "slow": (1800, 20),
}
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
        if chosen.rule not in RULES:
            chosen.rule = RULES[0]
        if chosen.opening not in OPENINGS:
            chosen.opening = OPENINGS[0]
        if chosen.clock not in CLOCKS:
            chosen.clock = next(iter(CLOCKS))
        chosen.opponent, chosen.level = _known(chosen.opponent, chosen.level, "levels")
        chosen.other, chosen.other_level = _known(chosen.other, chosen.other_level, "engine")

    # ------------------------------------------------------------ widgets

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
        px = self.look().px
        rows: list[tuple[Sequence[Button | ChoiceBox], int, int]] = []
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
        px = self.look().px
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
        px = self.look().px
        return min(round(width * 0.46) - px(40), height - px(220))

    def _start_buttons(self, against: bool, watch: bool, alone: bool) -> list[list[Button]]:
        chosen = self.window.preferences
        name = name_of(find_engine(chosen.opponent), chosen.language)
        is_free = chosen.opening == Opening.FREE
        rows = []
        if self._kept is not None:
            note = self.say(
                "menu.continue_note", n=self._kept.game.ply, rules=self._summary(self._kept.rules)
            )
            rows.append([Button(self.say("menu.continue"), self._continue, kind="primary", note=note)])
        kind = "plain" if self._kept is not None else "primary"
        first = Button(
            self.say("menu.first"),
            lambda: self._start(True),
            enabled=against,
            note=self.say("menu.first_note" if is_free else "menu.first_note_swap"),
        )
        first.kind = "primary" if kind == "primary" else "plain"
        second = Button(
            self.say("menu.second"),
            lambda: self._start(False),
            enabled=against,
            note=self.say("menu.second_note" if is_free else "menu.second_note_swap", name=name),
        )
        rows.append([first, second])
        rows.append(
            [
                Button(self.say("menu.two"), self._start_two, enabled=alone),
                Button(self.say("menu.watch"), self._start_watch, enabled=watch),
                Button(self.say("menu.analyse"), self._start_analysis, enabled=alone),
            ]
        )
        return rows

    def _choices(self, rule_problem: str, problem: str, other_problem: str) -> list[list[ChoiceBox]]:
        chosen, language = self.window.preferences, self.window.preferences.language
        size, win = BOARDS[chosen.board]
        opponent, other = find_engine(chosen.opponent), find_engine(chosen.other)
        say = self.say
        board = [
            ChoiceBox(say("menu.board"), say("board", size=size, win=win), self._turn_board),
            ChoiceBox(say("menu.rule"), say(f"rule.{chosen.rule}"), self._turn_rule, problem=rule_problem),
        ]
        course = [
            ChoiceBox(
                say("menu.opening"),
                say(f"opening.name.{chosen.opening}"),
                lambda by: self._turn_among("opening", OPENINGS, by),
            ),
            ChoiceBox(
                say("menu.clock"),
                say(f"clock.{chosen.clock}"),
                lambda by: self._turn_among("clock", tuple(CLOCKS), by),
            ),
        ]
        players = [
            ChoiceBox(
                say("menu.opponent"),
                name_of(opponent, language),
                lambda by: self._turn_opponent("opponent", "level", by),
                problem="" if rule_problem else problem,
            ),
            ChoiceBox(
                say("menu.level"),
                level_name(opponent.level(chosen.level or None), language),
                lambda by: self._turn_level("opponent", "level", by),
            ),
            ChoiceBox(
                say("menu.other"),
                name_of(other, language),
                lambda by: self._turn_opponent("other", "other_level", by),
                problem="" if rule_problem else other_problem,
            ),
            ChoiceBox(
                say("menu.other_level"),
                level_name(other.level(chosen.other_level or None), language),
                lambda by: self._turn_level("other", "other_level", by),
            ),
        ]
        return [*([one] for one in board), course, *([one] for one in players)]

    def _footer(self) -> list[Button]:
        window, chosen = self.window, self.window.preferences
        say = self.say
        return [
            Button(say("menu.open"), self._open, kind="quiet"),
            Button(
                say("menu.language"),
                lambda: self._set(language="en" if chosen.language == "zh" else "zh"),
                kind="quiet",
            ),
            Button(
                say("menu.to_light" if chosen.theme == "dark" else "menu.to_dark"),
                lambda: self._set(theme="light" if chosen.theme == "dark" else "dark"),
                kind="quiet",
            ),
            Button(say("menu.help"), self._help, kind="quiet"),
            Button(say("menu.quit"), window.close, kind="quiet"),
        ]  # fmt: skip

    # ------------------------------------------------------------ drawing

    def draw(self, surface: pygame.Surface) -> None:
        """Draw the name, a board, and the card with everything to choose."""
        look = self.look()
        px, theme = look.px, look.theme
        height = self.window.size[1]
        if is_wide(self.window.size):
            side = self._art_side()
            middle = self._card.x // 2
            top = (height - side - px(124)) // 2
            board = Rect(middle - side // 2, top + px(124), side, side)
            fonts.draw(surface, "五子", (board.x, top + px(2)), px(60), theme.text, bold=True)
            left = board.x + fonts.width("五子", px(60), True) + px(18)
            fonts.draw(surface, "wuzi", (left, top + px(10)), px(34), theme.text_2, bold=True)
            subtitle, room = self.say("menu.subtitle"), self._card.x - left - px(12)
            size = fonts.fitting(subtitle, px(16), px(11), room)
            fonts.draw(surface, subtitle, (left, top + px(56)), size, theme.text_2, most=room)
            game = Game.from_moves(Rules(15), _SHOWN_MOVES)
            draw_board(surface, BoardGrid(board, 15), game, theme, BoardMarks())
        else:
            x, y = self._card.x + px(8), self._card.y - px(_TITLE)
            title = fonts.draw(surface, "五子", (x, y + px(14)), px(42), theme.text, bold=True)
            x = title.right + px(14)
            fonts.draw(surface, "wuzi", (x, y + px(17)), px(24), theme.text_2, bold=True)
            fonts.draw(surface, self.say("menu.subtitle"), (x, y + px(53)), px(13), theme.text_2)
        draw_card(surface, self._card, look)
        self.draw_widgets(surface)
        if self._problem:
            y = self.widgets[-1].rect.y - px(17)
            fonts.draw(
                surface, self._problem, (self._card.centerx, y), px(13), theme.bad,
                anchor="center", most=self._card.width - px(40),
            )  # fmt: skip

    # ------------------------------------------------------------ keys

    def key(self, event: pygame.event.Event) -> bool:
        """The menu's own keys: o opens a file."""
        if event.key == pygame.K_o:
            self._open()
            return True
        return False

    # ------------------------------------------------------------ choosing

    def _set(self, **values: object) -> None:
        for name, value in values.items():
            setattr(self.window.preferences, name, value)
        if "language" in values:
            self.window.set_language(values["language"])
        self.window.refresh()

    def _turn_board(self, by: int) -> None:
        self._set(board=(self.window.preferences.board + by) % len(BOARDS))

    def _turn_rule(self, by: int) -> None:
        self._turn_among("rule", RULES, by)

    def _turn_among(self, name: str, values: Sequence[str], by: int, **also: object) -> None:
        at = values.index(getattr(self.window.preferences, name))
        self._set(**{name: values[(at + by) % len(values)]}, **also)

    def _turn_opponent(self, name: str, level: str, by: int) -> None:
        self._turn_among(name, tuple(ENGINES), by, **{level: ""})

    def _turn_level(self, name: str, level: str, by: int) -> None:
        entry = find_engine(getattr(self.window.preferences, name))
        ids = [one.id for one in entry.levels]
        at = ids.index(entry.level(getattr(self.window.preferences, level) or None).id)
        self._set(**{level: ids[(at + by) % len(ids)]})

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

    def _summary(self, rules: Rules) -> str:
        return f"{rules.size}×{rules.size} · {self.say(f'rule.{rules.rule.label}')}"

    # ------------------------------------------------------------ starting

    def _continue(self) -> None:
        if self._kept is not None:
            self.window.show_game(self._kept)

    def _opponent_seat(self) -> Seat:
        return engine_seat(self.window.preferences.opponent, self.window.preferences.level)

    def _start(self, person_first: bool) -> None:
        seats = [Seat(), self._opponent_seat()]
        self._begin(seats if person_first else seats[::-1])

    def _start_two(self) -> None:
        self._begin([Seat(), Seat()])

    def _start_watch(self) -> None:
        chosen = self.window.preferences
        self._begin([engine_seat(chosen.other, chosen.other_level), self._opponent_seat()])

    def _begin(self, seats: list[Seat]) -> None:
        """A game under the chosen rules, with the chosen clock."""
        clock = CLOCKS[self.window.preferences.clock]
        if clock is not None:
            left_s, more_s = clock
            seats = [
                replace(seat, limit=replace(seat.limit, clock_s=left_s, increment_s=more_s)) for seat in seats
            ]
        self.window.show_game(GameSession(self._rules()[0], seats))

    def _start_analysis(self) -> None:
        rules = replace(self._rules()[0], opening=Opening.FREE)
        self.window.show_game(GameSession(rules, [Seat(), Seat()]), analysing=True)

    def _open(self) -> None:
        from wuzi.apps.desktop.files_scene import FilesScene

        self.window.show(FilesScene(self.window))

    def _help(self) -> None:
        self.window.show_help()
