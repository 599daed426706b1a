"""The panel beside the board: players, win rates, candidates, moves, the result."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from pygame import Rect

from wuzi.apps.desktop import fonts, shapes
from wuzi.apps.desktop.advice import SearchReport
from wuzi.apps.desktop.board_view import candidate_text, cell_name
from wuzi.apps.desktop.geometry import has_card
from wuzi.apps.desktop.match import Match
from wuzi.apps.desktop.opponents import name_of
from wuzi.apps.desktop.widgets import Painter
from wuzi.base.words import Language
from wuzi.contract import Line
from wuzi.core import Color, Keep, Move, Phase, Style, Swap
from wuzi.errors import ConfigError
from wuzi.games import GameSession
from wuzi.games.words import how_it_ended
from wuzi.players.opponents import find_engine

Say = Callable[..., str]

LOW_S = 20
"""Below these seconds a clock is marked and shows tenths."""


def player_name(session: GameSession, color: Color, say: Say, language: Language) -> tuple[str, str]:
    """The name of the player of a colour, and the level of an engine."""
    index = session.game.seat_of(color)
    seat = session.seats[index]
    if seat.is_human:
        alone = len(session.human_seats) == 1
        return seat.name or (say("player.you") if alone else say("player.person", n=index + 1)), ""
    try:
        entry = find_engine(seat.player)
        return name_of(entry, language), name_of(entry.level(seat.level or None), language)
    except ConfigError:
        return seat.player, ""


def clock_text(left_s: float) -> str:
    """Seconds as minutes and seconds, with tenths in the last :data:`LOW_S` seconds.

    >>> clock_text(600), clock_text(61.2), clock_text(9.44), clock_text(0)
    ('10:00', '1:02', '0:09.4', '0:00.0')
    """
    if left_s < LOW_S:
        return f"0:{left_s:04.1f}"
    minutes, seconds = divmod(math.ceil(left_s), 60)
    return f"{minutes}:{seconds:02d}"


def next_tick_s(left_s: float) -> float:
    """Seconds until the text of a running clock changes.

    >>> next_tick_s(61.25), next_tick_s(20.0), next_tick_s(3.0)
    (0.25, 0.1, 0.1)
    """
    return 0.1 if left_s <= LOW_S else left_s - (math.ceil(left_s) - 1)


def short_number(count: int) -> str:
    """A count in at most four characters.

    >>> short_number(950), short_number(41_200), short_number(3_400_000)
    ('950', '41k', '3.4M')
    """
    if count < 1000:
        return str(count)
    return f"{count / 1000:.0f}k" if count < 1_000_000 else f"{count / 1_000_000:.1f}M"


@dataclass(frozen=True, slots=True)
class GamePanel:
    """Draws what is known of a match, and says it.

    Attributes:
        language: of names. style: of cells.
    """

    match: Match
    pen: Painter
    say: Say
    language: Language
    style: Style

    def _cell(self, move: Move) -> str:
        return cell_name(move, self.style)

    def _name_to_act(self) -> str:
        return player_name(self.match.session, self.match.game.to_move, self.say, self.language)[0]

    def _color_name(self, color: Color) -> str:
        return self.say("black" if color is Color.BLACK else "white")

    def opening_texts(self) -> tuple[str, str]:
        """What a person has to decide in an opening phase: for the panel, and in short for the status bar."""
        match, say = self.match, self.say
        due, put = match.stones_due, len(match.draft)
        if not due:
            key = "opening.choose" if match.game.phase is Phase.CHOOSE else "opening.choose_after_five"
            return say(key), say("status.choose", name=self._name_to_act())
        about = say("opening.place_three" if due == 3 else "opening.place_two")
        if put == due:
            return about, say("status.hand_over")
        return about, say("status.place", color=self._color_name(match.shown.to_move), left=due - put)

    def _choice_made(self) -> str:
        """Who took which colour, as long as no stone was placed since."""
        game = self.match.game
        last = game.actions[-1] if game.actions else None
        if not isinstance(last, Swap | Keep):
            return ""
        chooser = game.to_move.opponent if isinstance(last, Swap) else game.to_move
        name = player_name(self.match.session, chooser, self.say, self.language)[0]
        return self.say("status.chosen", name=name, color=self._color_name(chooser)) + " · "

    def result_text(self) -> tuple[str, str]:
        """Who won, and how."""
        session, game = self.match.session, self.match.game
        assert game.outcome is not None
        how = how_it_ended(game, self.language)
        winner = game.outcome.winner
        if winner is None:
            return self.say("result.draw"), how
        if len(session.human_seats) == 1:
            is_human = session.seats[game.seat_of(winner)].is_human
            return self.say("result.you_won" if is_human else "result.you_lost"), how
        return self.say("result.black" if winner is Color.BLACK else "result.white"), how

    def hint_text(self) -> str:
        """What the hint says so far."""
        hint = self.match.hint
        if hint is None or not hint.told:
            return self.say("hint.area")
        return self.say("hint.move", move=self._cell(hint.move), why=hint.reason.text(self.language))

    def status_text(self, *, is_starting: bool) -> tuple[str, bool]:
        """What happens now, in one line, and whether it is bad news."""
        match, session, say = self.match, self.match.session, self.say
        if match.message is not None:
            return say(match.message.key, **match.message.values), match.message.is_bad
        if session.failure is not None:
            return say("note.engine_failed", why=session.failure.message), True
        if session.is_over:
            return " · ".join(self.result_text()), False
        if is_starting and match.is_busy:
            return say("status.starting"), False
        if match.waits_for_hint:
            return say("status.hint"), False
        if match.hint is not None:
            return self.hint_text(), False
        if session.paused:
            return say("status.held" if match.is_held else "status.paused"), False
        if match.is_opening:
            return self.opening_texts()[1], False
        color = self._color_name(match.game.to_move)
        if not match.is_thinking:
            return self._choice_made() + say("status.to_move", color=color), False
        if match.game.phase is not Phase.PLAY:
            return say("status.opens", name=self._name_to_act()), False
        if match.report is not None and match.report.nodes:
            return say("status.thinking_nodes", color=color, n=short_number(match.report.nodes)), False
        return say("status.thinking", color=color), False

    def draw_player(self, rect: Rect, color: Color) -> None:
        """A player's card; the one to act is marked at its edge and in words."""
        pen, match, game = self.pen, self.match, self.match.game
        theme, px = pen.theme, pen.px
        to_act = game.outcome is None and game.to_move is color
        won = game.outcome is not None and game.outcome.winner is color
        fill = theme.accent_soft if to_act or won else theme.surface_2
        border = theme.accent if to_act or won else theme.line
        pen.box(rect, 10, fill, border, 1.5 if to_act else 1)
        diameter = min(px(30), rect.height - px(14))
        x, y = rect.x + px(12), rect.centery - diameter // 2
        shadow = shapes.shadow((diameter, diameter), diameter / 2, px(3), 90)
        pen.surface.blit(shadow, (x - px(2), y - px(1)))
        pen.surface.blit(shapes.stone(diameter, color is Color.BLACK), (x, y))
        name, note = player_name(match.session, color, self.say, self.language)
        left = x + diameter + px(12)
        room = self._draw_clock(rect, color) - left - px(8)
        if won:
            note = self.say("player.won")
        elif to_act and match.session.seats[game.seat_to_act].is_human:
            note = self.say("player.to_move" if match.stones_due else "player.to_choose")
        elif to_act:
            note = self.say("player.thinks" if match.is_thinking else "player.waits", s=match.thinking_s)
        pen.text(name, (left, rect.centery - px(9 if note else 0)), 16, bold=True, most=room)
        if note:
            ink = theme.accent if to_act or won else theme.text_2
            pen.text(note, (left, rect.centery + px(12)), 13, ink, most=room)

    def _draw_clock(self, rect: Rect, color: Color) -> int:
        """What is left on the clock of a colour's player; returns where the room for other things ends."""
        match, pen, theme = self.match, self.pen, self.pen.theme
        seat = match.game.seat_of(color)
        left_s = match.time_left(seat)
        if left_s is None:
            return rect.right
        is_low, text = left_s < LOW_S, clock_text(left_s)
        card = Rect(0, 0, fonts.width(text, pen.px(17), True) + pen.px(18), pen.px(30))
        card.midright = (rect.right - pen.px(10), rect.centery)
        fill, ink = (theme.bad_soft, theme.bad) if is_low else (theme.surface, theme.text)
        runs = match.session.timed_seat == seat
        pen.box(card, 7, fill, ink if is_low else theme.accent if runs else theme.line)
        pen.text(text, card.center, 17, ink, "center", bold=True)
        return card.left

    def draw_opening(self, rect: Rect, buttons: Rect) -> None:
        """The name of the opening and what is to be decided, above its buttons, where there is room."""
        pen, px, match = self.pen, self.pen.px, self.match
        if not has_card(rect, pen.unit):
            return
        pen.box(rect, 10, pen.theme.accent_soft, pen.theme.accent)
        inner = Rect(rect.x + px(14), rect.y + px(12), rect.width - px(28), buttons.top - rect.y - px(18))
        title = self.say(f"opening.name.{match.game.rules.opening}")
        pen.text(title, (inner.x, inner.y + px(10)), 17, bold=True)
        about, now = self.opening_texts()
        y = inner.y + px(26)
        for line in fonts.wrapped(about, px(14), inner.width):
            if y + px(20) > inner.bottom:
                return
            pen.text(line, (inner.x, y), 14, pen.theme.text_2, "topleft")
            y += px(20)
        y += px(6)
        if match.stones_due and y + px(28) <= inner.bottom:
            left = inner.x
            if len(match.draft) < match.stones_due:
                stone = shapes.stone(px(18), match.shown.to_move is Color.BLACK)
                pen.surface.blit(stone, (left, y + px(6)))
                left += px(26)
            pen.text(now, (left, y + px(15)), 14, bold=True, most=inner.right - left)

    def draw_details(self, rect: Rect) -> list[tuple[Rect, Line]]:
        """Result, hint, candidates or moves, what matters most; returns where each candidate is."""
        match, px = self.match, self.pen.px
        used = 0
        if match.game.outcome is not None:
            used = self._draw_result(rect)
        elif match.hint is not None:
            used = self._draw_hint(rect)
        rect = Rect(rect.x, rect.y + used, rect.width, rect.height - used)
        if rect.height < px(48):
            return []
        self.pen.field(rect)
        if match.is_analysing and match.report is not None and match.game.outcome is None:
            return self._draw_candidates(rect, match.report)
        self._draw_moves(rect.inflate(-px(20), -px(14)))
        return []

    def _draw_result(self, rect: Rect) -> int:
        pen, px = self.pen, self.pen.px
        card = Rect(rect.x, rect.y, rect.width, min(px(58), rect.height))
        pen.field(card, is_accented=True)
        (title, how), room = self.result_text(), card.width - px(20)
        pen.text(title, (card.centerx, card.centery - px(11)), 18, None, "center", bold=True, most=room)
        pen.text(how, (card.centerx, card.centery + px(14)), 13, pen.theme.text_2, "center", most=room)
        return card.height + px(8)

    def _draw_hint(self, rect: Rect) -> int:
        pen, px = self.pen, self.pen.px
        lines = fonts.wrapped(self.hint_text(), px(14), rect.width - px(24))
        card = Rect(rect.x, rect.y, rect.width, min(len(lines) * px(21) + px(18), rect.height))
        pen.field(card, is_accented=True)
        for index, line in enumerate(lines):
            pen.text(line, (card.x + px(12), card.y + px(9) + index * px(21) + px(10)), 14)
        return card.height + px(8)

    def _draw_candidates(self, rect: Rect, report: SearchReport) -> list[tuple[Rect, Line]]:
        pen, px, theme = self.pen, self.pen.px, self.pen.theme
        head = Rect(rect.x + px(12), rect.y + px(5), rect.width - px(24), px(22))
        columns = (head.x, head.x + px(52), head.x + px(112))
        for x, key in zip(columns, ("table.move", "table.winrate", "table.line"), strict=True):
            pen.text(self.say(key), (x, head.centery), 12, theme.text_2)
        searched = self.say("table.searched", n=short_number(report.nodes), depth=report.depth)
        pen.text(searched, (head.right, head.centery), 12, theme.text_2, "midright")
        places = []
        for rank, one in enumerate(report.candidates):
            row = Rect(rect.x + px(4), head.bottom + rank * px(26), rect.width - px(8), px(26))
            if row.bottom > rect.bottom - px(2):
                break
            places.append((row, one))
            best = rank == 0
            ink, y = theme.accent if best else theme.text, row.centery
            unit = "" if one.win_in is not None or one.winrate is None else "%"
            rate = candidate_text(one, self.match.game.to_move) + unit
            line = " ".join(map(self._cell, one.pv[1:9]))
            pen.text(self._cell(one.move), (columns[0], y), 14, ink, bold=best)
            pen.text(rate, (columns[1], y), 14, ink, bold=best)
            pen.text(line, (columns[2], y), 13, theme.text_2, most=rect.right - columns[2] - px(10))
        return places

    def _draw_moves(self, rect: Rect) -> None:
        pen, px, theme, moves = self.pen, self.pen.px, self.pen.theme, self.match.game.moves
        if not moves:
            pen.text(self.say("moves.none"), rect.center, 13, theme.text_2, "center", most=rect.width)
            return
        columns, rows = max(1, rect.width // px(108)), max(1, rect.height // px(23))
        width = rect.width // columns
        pairs = (len(moves) + 1) // 2
        first = max(0, -(-(pairs - rows * columns) // rows) * rows)
        for pair in range(first, pairs):
            column, row = divmod(pair - first, rows)
            x, y = rect.x + column * width, rect.y + row * px(23) + px(23) // 2
            pen.text(f"{pair + 1}.", (x + px(26), y), 12, theme.text_2, "midright")
            for half, move in enumerate(moves[2 * pair : 2 * pair + 2]):
                newest = 2 * pair + half == len(moves) - 1
                ink = theme.accent if newest else theme.text
                pen.text(self._cell(move), (x + px(34) + half * px(36), y), 13, ink, bold=newest)
