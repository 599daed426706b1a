"""The game screen: what clicks and keys do, and how its parts are put together."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING

import pygame
from pygame import Rect

from wuzi.apps.desktop import fonts, shapes
from wuzi.apps.desktop.board_view import BoardMarks, cell_name, draw_board
from wuzi.apps.desktop.game_view import GamePanel, next_tick_s
from wuzi.apps.desktop.geometry import BoardGrid, button_rects, game_layout, opening_rects, turned_again
from wuzi.apps.desktop.match import Match
from wuzi.apps.desktop.scene import ENTER, Scene
from wuzi.apps.desktop.widgets import Button, Painter, WinrateGraph, draw_bar
from wuzi.contract import Line
from wuzi.core import Color, Move, Style
from wuzi.core.symmetry import NUM_SYMMETRIES, cell_maps
from wuzi.games import GameSession

if TYPE_CHECKING:
    from wuzi.apps.desktop.window import Window

ARRIVE_S = 0.16
"""How long a new stone takes to arrive."""

CONFIRM_S = 4.0
PV_LENGTH = 9
_BUTTONS = 12
_DIGITS = (pygame.K_1, pygame.K_2, pygame.K_3)
_ARROWS = {pygame.K_LEFT: (0, -1), pygame.K_RIGHT: (0, 1), pygame.K_UP: (-1, 0), pygame.K_DOWN: (1, 0)}


class GameScene(Scene):
    """A game being played, watched or analysed; ``cursor`` is the cell that the keys act on, if any."""

    def __init__(self, window: Window, session: GameSession, *, analysing: bool = False) -> None:
        super().__init__(window)
        self.match = Match(session, window.pool, window.storage, self._changed)
        self.match.is_analysing = analysing
        self.cursor: Move | None = None
        self._layout = game_layout(window.size, window.preferences.zoom, _BUTTONS)
        self._places: list[tuple[Rect, Line]] = []
        self._arrived_at = 0.0
        self._seen_ply = session.game.ply
        self._asked_restart = 0.0
        self.match.changed()

    @property
    def grid(self) -> BoardGrid:
        """Where the board's points are."""
        turned = self.window.preferences.turned % NUM_SYMMETRIES
        return BoardGrid(self._layout.board, self.match.game.rules.size, turned)

    @property
    def frame_s(self) -> float | None:
        """60 pictures a second while a stone arrives, a few while an engine thinks, one a clock's tick."""
        match, now = self.match, time.monotonic()
        if now - self._arrived_at < ARRIVE_S:
            return 1 / 60
        waits = [0.25] if match.is_busy else []
        seat = match.session.timed_seat
        if seat is not None and (left_s := match.time_left(seat)) is not None:
            waits.append(next_tick_s(left_s))
        if self._asks_restart():
            waits.append(self._asked_restart + CONFIRM_S - now)
        return max(0.01, min(waits)) if waits else None

    def arrange(self) -> None:
        """Place the board, the panel and the buttons."""
        self._layout = area = game_layout(self.window.size, self.window.preferences.zoom, _BUTTONS)
        asked, usual = self._opening_buttons(), self._buttons()
        rects = opening_rects(area.opening, area.unit, len(asked)) if asked else []
        rects += button_rects(area.buttons, area.unit, len(usual), area.columns)
        buttons = [*asked, *usual]
        if len(buttons) != len(self.widgets):
            self.focus = None  # it would be on another button now
        self.widgets = buttons
        for button, rect in zip(buttons, rects, strict=True):
            button.rect = rect
        for button in asked:
            if button.rect.height < 50 * area.unit:  # in a row: one line each
                button.note = ""

    def _opening_buttons(self) -> list[Button]:
        """What a person may decide in an opening phase, by the mouse or the digit keys."""
        match = self.match
        if not match.is_opening:
            return []
        if match.stones_due:
            is_done = len(match.draft) == match.stones_due
            gives_up = not match.draft and match.stones_due == 2
            made = [
                self._choice("hand_over", match.hand_over),
                self._choice("cancel" if gives_up else "take_back", match.undo),
            ]
            made[0].enabled, made[0].kind = is_done, "primary" if is_done else "plain"
            made[1].enabled = bool(match.draft) or gives_up
        else:
            made = [
                self._choice("take_black", lambda: match.choose_color(swap=True)),
                self._choice("keep_white", lambda: match.choose_color(swap=False)),
            ]
            if match.can_add_two:
                made.append(self._choice("add_two", match.add_two))
        for number, button in enumerate(made, 1):
            button.key = str(number)
        return made

    def _choice(self, name: str, action: Callable[[], None]) -> Button:
        return Button(self.say(f"opening.{name}"), action, note=self.say(f"opening.{name}_note"))

    def _buttons(self) -> list[Button]:
        match, session, window, button = self.match, self.match.session, self.window, self.button
        more = match.hint is not None and not match.hint.told
        can_hint = match.can_hint and not match.waits_for_hint
        can_resign = bool(session.human_seats) and not session.is_over
        return [
            button("button.undo", match.undo, enabled=match.can_undo),
            button("button.redo", match.redo, enabled=session.can_redo),
            button("button.hint_more" if more else "button.hint", match.ask_hint, enabled=can_hint),
            button("button.analyse", match.toggle_analysis, selected=match.is_analysing),
            button("button.threats", match.toggle_threats, selected=match.shows_threats),
            button("button.numbers", self._toggle_numbers, selected=window.preferences.numbers),
            self._flow_button(),
            button("button.resign", match.resign, enabled=can_resign),
            button("button.save", match.save, enabled=bool(match.game.moves)),
            self._restart_button(),
            button("button.help", window.show_help),
            button("button.menu", window.show_menu),
        ]

    def _flow_button(self) -> Button:
        """The button for what may happen next: continue, wait, answer now."""
        match, session = self.match, self.match.session
        if session.failure is not None:
            return self.button("button.engine_again", match.pause_or_resume, kind="danger")
        if session.paused:
            return self.button("button.go_on", match.pause_or_resume, kind="primary")
        if not session.human_seats or (session.timed_seat is not None and not match.is_thinking):
            return self.button("button.pause", match.pause_or_resume, enabled=not session.is_over)
        return self.button("button.move_now", match.move_now, enabled=match.is_thinking)

    def _restart_button(self) -> Button:
        if self.match.session.is_over:
            return self.button("button.again", self._restart, kind="primary")
        if self._asks_restart():
            return self.button("button.restart_sure", self._restart, kind="danger")
        return self.button("button.restart", self._restart, enabled=bool(self.match.game.actions))

    @property
    def panel(self) -> GamePanel:
        """What draws and says what is known of the match."""
        return GamePanel(self.match, self.pen(), self.say, self.window.preferences.language, self._style)

    def draw(self) -> None:
        """Draw everything."""
        area, match, panel, pen = self._layout, self.match, self.panel, self.pen()
        self._draw_board()
        pen.card(area.panel)
        for rect, color in zip(area.players, Color, strict=True):
            panel.draw_player(rect, color)
        self._places = []
        if match.is_opening:
            panel.draw_opening(area.opening, self.widgets[0].rect)
        else:
            draw_bar(pen, area.bar, match.winrate, self.say("winrate.unknown"))
            if area.graph is not None:
                self._graph(area.graph).draw(pen)
            if area.details is not None:
                self._places = panel.draw_details(area.details)
        self.draw_widgets()
        self._draw_status(pen, *panel.status_text(is_starting=self.window.pool.is_starting))

    def _draw_board(self) -> None:
        match, game, hint = self.match, self.match.shown, self.match.hint
        analysis = match.report if match.is_analysing and game.outcome is None else None
        shown = self._shown_line()
        marks = BoardMarks(
            cursor=self.cursor,
            ghost=self._ghost(),
            candidates=() if analysis is None else analysis.candidates,
            line=() if shown is None else shown.pv[:PV_LENGTH],
            area=hint.area if hint is not None and not hint.told else (),
            suggestion=hint.move if hint is not None and hint.told else None,
            threats=match.threats if match.shows_threats else (),
            forbidden=self._forbidden(),
            numbers=self.window.preferences.numbers,
            style=self._style,
            veiled=match.is_held,
            fresh=min(1.0, (time.monotonic() - self._arrived_at) / ARRIVE_S),
        )
        draw_board(self.window.surface, self.grid, game, self.window.theme, marks)

    def _draw_status(self, pen: Painter, text: str, is_bad: bool) -> None:
        rect, theme, px = self._layout.status, pen.theme, pen.px
        pen.surface.fill(theme.surface, rect)
        pen.surface.fill(theme.line, Rect(rect.x, rect.y, rect.width, 1))
        dot = theme.bad if is_bad else theme.accent if self.match.is_busy else theme.good
        mark = shapes.disc(px(10), dot)
        pen.surface.blit(mark, mark.get_rect(midleft=(rect.x + px(18), rect.centery)))
        right = self._place_text()
        room = rect.width - px(76) - fonts.width(right, px(13))
        pen.text(text, (rect.x + px(38), rect.centery), 15, theme.bad if is_bad else theme.text, most=room)
        pen.text(right, (rect.right - px(18), rect.centery), 13, theme.text_2, "midright")

    def _pointed_cell(self) -> Move | None:
        return self.cursor if self.cursor is not None else self.grid.move_at(*self.mouse)

    def _place_text(self) -> str:
        at, rules = self._pointed_cell(), self.match.game.rules
        parts = [f"{rules.size}×{rules.size}", self.say(f"rule.{rules.rule.label}")]
        parts.append(self.say("status.move", n=self.match.shown.ply))
        return " · ".join(parts if at is None else [*parts, cell_name(at, self._style)])

    def _graph(self, rect: Rect) -> WinrateGraph:
        session = self.match.session
        known = session.known_winrates
        rates = [known.get(ply) for ply in range(self.match.last_ply + 1)]
        if session.is_over or rates[self.match.game.ply] is None:
            rates[self.match.game.ply] = self.match.winrate if session.is_over or known else None
        return WinrateGraph(rect, rates, self.match.game.ply, self.window.unit)

    def _ghost(self) -> Move | None:
        match = self.match
        can_place = len(match.draft) < match.stones_due
        if not can_place or self.cursor is not None or self._shown_line() is not None:
            return None
        at = self.grid.move_at(*self.mouse)
        return at if at is not None and not int(match.shown.position.cells[at]) else None

    def _forbidden(self) -> list[Move]:
        game = self.match.game
        if not game.rules.rule.forbids or game.to_move is not Color.BLACK or game.outcome is not None:
            return []
        return [Move(cell, game.rules.size) for cell in game.position.forbidden_mask().nonzero()[0]]

    def _shown_line(self) -> Line | None:
        """The candidate that the mouse or the cursor is on: its continuation is shown."""
        report = self.match.report
        if not self.match.is_analysing or report is None:
            return None
        if (candidate := self._candidate_at(self.mouse)) is not None:
            return candidate
        at = self._pointed_cell()
        return next((one for one in report.candidates if one.move == at and len(one.pv) > 1), None)

    def key(self, event: pygame.event.Event) -> bool:
        """The keys of the game screen; arrows move the cursor unless a button has the focus."""
        key = event.key
        if key == pygame.K_ESCAPE:
            if self.focus is not None:
                self.focus = None
            else:
                self.window.show_menu()
            return True
        if self.focus is None and key in _ARROWS:
            self._move_cursor(*_ARROWS[key])
            return True
        if self.focus is None and key in (*ENTER, pygame.K_SPACE):
            if self.cursor is not None:
                self.match.play(self.cursor)
            return True
        if key in _DIGITS and self.match.is_opening:
            choice = self.widgets[: len(self._opening_buttons())][_DIGITS.index(key) :]
            if choice:
                choice[0].click(None)
            return True
        if key == pygame.K_f:
            self._turn(flip=bool(event.mod & pygame.KMOD_SHIFT))
            return True
        return self._command(key)

    def _command(self, key: int) -> bool:
        match = self.match
        commands: dict[int, Callable[[], object]] = {
            pygame.K_u: match.undo,
            pygame.K_BACKSPACE: match.undo,
            pygame.K_y: match.redo,
            pygame.K_h: match.ask_hint,
            pygame.K_a: match.toggle_analysis,
            pygame.K_t: match.toggle_threats,
            pygame.K_p: match.pause_or_resume,
            pygame.K_m: match.move_now,
            pygame.K_s: match.save,
            pygame.K_r: self._restart,
            pygame.K_n: self._toggle_numbers,
            pygame.K_c: self._toggle_style,
            pygame.K_o: self.window.show_files,
            pygame.K_PAGEUP: lambda: match.step(-1),
            pygame.K_PAGEDOWN: lambda: match.step(1),
            pygame.K_HOME: lambda: match.step(-len(match.game.actions)),
            pygame.K_END: lambda: match.step(len(match.session.redo_actions)),
        }
        if key not in commands:
            return False
        commands[key]()
        return True

    def handle(self, event: pygame.event.Event) -> None:
        """Also the mouse wheel, which steps through the moves."""
        if event.type == pygame.MOUSEWHEEL:
            self.match.step(-1 if event.y > 0 else 1)
        else:
            super().handle(event)

    def pointed_at(self) -> Hashable:
        """The cell or the row of the table under the mouse; the mouse takes over from the cursor."""
        self.cursor = None
        return self.grid.move_at(*self.mouse), self._candidate_at(self.mouse)

    def clicked(self, at: tuple[int, int], button: int) -> None:
        """On the board: place a stone (right: the engine moves now); on the graph: step there."""
        self.focus = None
        self.cursor = None
        graph = self._layout.graph
        if graph is not None and graph.collidepoint(at) and not self.match.is_opening:
            self.match.go_to_ply(self._graph(graph).ply_at(at[0]))
            return
        move, chosen = self.grid.move_at(*at), self._candidate_at(at)
        if move is not None and button == 3:
            self.match.move_now()
        elif move is not None:
            self.match.play(move)
        elif chosen is not None and self.match.is_person_to_act:
            self.match.play(chosen.move)

    def _candidate_at(self, at: tuple[int, int]) -> Line | None:
        """The candidate whose row of the table is there."""
        return next((one for rect, one in self._places if rect.collidepoint(at)), None)

    def leave(self) -> None:
        """Stop all searches; the game is kept and offered again."""
        self.match.close()

    def _move_cursor(self, rows: int, columns: int) -> None:
        size = self.match.game.rules.size
        if self.cursor is None:
            moves = self.match.shown.moves
            self.cursor = moves[-1] if moves else Move(size * size // 2, size)
            if not moves:
                return
        grid = self.grid
        row, col = divmod(int(cell_maps(size)[grid.turned][self.cursor]), size)
        self.cursor = grid.move_in((row + rows) % size, (col + columns) % size)

    def _turn(self, *, flip: bool) -> None:
        self.window.preferences.turned = turned_again(self.grid.turned, flip=flip)
        self.window.refresh()

    def _toggle_numbers(self) -> None:
        self.window.preferences.numbers = not self.window.preferences.numbers
        self.window.refresh()

    @property
    def _style(self) -> Style:
        return Style.MATRIX if self.window.preferences.matrix else Style.RENJU

    def _toggle_style(self) -> None:
        self.window.preferences.matrix = not self.window.preferences.matrix
        self.window.refresh()

    def _asks_restart(self) -> bool:
        return time.monotonic() - self._asked_restart < CONFIRM_S

    def _restart(self) -> None:
        """A running game is given up only when asked for twice."""
        if self.match.session.is_over or self._asks_restart():
            self._asked_restart = 0.0
            self.match.restart()
        elif self.match.game.actions:
            self._asked_restart = time.monotonic()
            self.window.refresh()

    def _changed(self) -> None:
        """After each change of the match: a new stone arrives, the buttons may mean something else."""
        ply = self.match.shown.ply
        if ply > self._seen_ply:
            self._arrived_at = time.monotonic()
        self._seen_ply = ply
        if self.window.scene is self:
            self.arrange()
        self.window.redraw()
