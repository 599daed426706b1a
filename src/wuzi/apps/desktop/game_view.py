"""The panel beside the board: players, win rates, candidates, moves, the result."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import pygame
from pygame import Rect

from wuzi.apps.desktop import fonts, shapes
from wuzi.apps.desktop.board_view import candidate_text, cell_name
from wuzi.apps.desktop.geometry import has_card
from wuzi.apps.desktop.match import Match
from wuzi.apps.desktop.opponents import level_name, name_of
from wuzi.apps.desktop.reports import Hint, SearchReport
from wuzi.apps.desktop.widgets import DrawStyle
from wuzi.base.words import Language
from wuzi.contract import Line
from wuzi.core import Color, Keep, Phase, Swap
from wuzi.errors import ConfigError
from wuzi.games import GameSession
from wuzi.players.opponents import find_engine

Say = Callable[..., str]

LOW_S = 20
"""Below so many seconds a clock is marked, and shows tenths."""


@dataclass(frozen=True, slots=True)
class View:
    """What every part of the panel needs.

    Attributes:
        match: the game. look: colours and sizes. say: texts. language: of names.
    """

    match: Match
    look: DrawStyle
    say: Say
    language: Language


def player_name(session: GameSession, color: Color, say: Say, language: Language) -> tuple[str, str]:
    """The name of the player of a colour, and the level of an engine."""
    index = session.game.seat_of(color)
    seat = session.seats[index]
    if seat.is_human:
        alone = len(session.human_seats) == 1
        return seat.name or (say("player.you") if alone else say("player.person", n=index + 1)), ""
    try:
        entry = find_engine(seat.player)
        return name_of(entry, language), level_name(entry.level(seat.level or None), language)
    except ConfigError:
        return seat.player, ""


def draw_player(surface: pygame.Surface, rect: Rect, view: View, color: Color) -> None:
    """A player's card; the one to act is marked at its edge and in words."""
    look, theme, px = view.look, view.look.theme, view.look.px
    game = view.match.game
    to_act = game.outcome is None and game.to_move is color
    won = game.outcome is not None and game.outcome.winner is color
    fill = theme.accent_soft if to_act or won else theme.surface_2
    border = theme.accent if to_act or won else theme.line
    surface.blit(
        shapes.box(rect.size, px(10), fill, border, max(1.0, look.unit * (1.5 if to_act else 1))), rect
    )
    diameter = min(px(30), rect.height - px(14))
    at = (rect.x + px(12), rect.centery - diameter // 2)
    surface.blit(shapes.shadow((diameter, diameter), diameter / 2, px(3), 90), (at[0] - px(2), at[1] - px(1)))
    surface.blit(shapes.stone(diameter, color is Color.BLACK), at)
    name, level = player_name(view.match.session, color, view.say, view.language)
    left = at[0] + diameter + px(12)
    room = _draw_clock(surface, rect, view, color) - left - px(8)
    note = level
    if won:
        note = view.say("player.won")
    elif to_act:
        seat = view.match.session.seats[game.seat_to_act]
        note = (
            view.say("player.to_move" if view.match.stones_due else "player.to_choose")
            if seat.is_human
            else view.say("player.thinks", s=view.match.thinking_s)
        )
        if not seat.is_human and not view.match.is_thinking:
            note = view.say("player.waits")
    y = rect.centery - px(9 if note else 0)
    fonts.draw(surface, name, (left, y), px(16), theme.text, anchor="midleft", bold=True, most=room)
    if note:
        ink = theme.accent if to_act or won else theme.text_2
        fonts.draw(surface, note, (left, rect.centery + px(12)), px(13), ink, anchor="midleft", most=room)


def _draw_clock(surface: pygame.Surface, rect: Rect, view: View, color: Color) -> int:
    """What is left on the clock of a colour's player; returns where the room for other things ends."""
    match, px, theme = view.match, view.look.px, view.look.theme
    seat = match.game.seat_of(color)
    left_s = match.time_left(seat)
    if left_s is None:
        return rect.right
    runs, is_low = match.session.timed_seat == seat, left_s < LOW_S
    text, size = clock_text(left_s), px(17)
    card = Rect(0, 0, fonts.width(text, size, True) + px(18), px(30))
    card.midright = (rect.right - px(10), rect.centery)
    fill, ink = (theme.bad_soft, theme.bad) if is_low else (theme.surface, theme.text)
    border = ink if is_low else theme.accent if runs else theme.line
    surface.blit(shapes.box(card.size, px(7), fill, border, max(1.0, view.look.unit)), card)
    fonts.draw(surface, text, card.center, size, ink, anchor="center", bold=True)
    return card.left


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


def opening_texts(view: View) -> tuple[str, str]:
    """What a person has to decide in an opening phase: for the panel, and in short for the status bar."""
    match, say = view.match, view.say
    due, put = match.stones_due, len(match.draft)
    if not due:
        key = "opening.choose" if match.game.phase is Phase.CHOOSE else "opening.choose_after_five"
        return say(key), say("status.choose", name=_name_to_act(view))
    about = say("opening.place_three" if due == 3 else "opening.place_two")
    if put == due:
        return about, say("status.hand_over")
    color = say("black" if match.shown.to_move is Color.BLACK else "white")
    return about, say("status.place", color=color, left=due - put)


def _name_to_act(view: View) -> str:
    game = view.match.game
    return player_name(view.match.session, game.to_move, view.say, view.language)[0]


def draw_opening(surface: pygame.Surface, rect: Rect, view: View, buttons: Rect) -> None:
    """The name of the opening and what is to be decided, above the buttons for it, where there is room."""
    px, theme, match = view.look.px, view.look.theme, view.match
    if not has_card(rect, view.look.unit):
        return
    surface.blit(shapes.box(rect.size, px(10), theme.accent_soft, theme.accent), rect)
    inner = Rect(rect.x + px(14), rect.y + px(12), rect.width - px(28), buttons.top - rect.y - px(18))
    title = view.say(f"opening.name.{match.game.rules.opening}")
    fonts.draw(surface, title, (inner.x, inner.y + px(10)), px(17), theme.text, anchor="midleft", bold=True)
    about, now = opening_texts(view)
    y = inner.y + px(26)
    for line in fonts.wrapped(about, px(14), inner.width):
        if y + px(20) > inner.bottom:
            return
        fonts.draw(surface, line, (inner.x, y), px(14), theme.text_2)
        y += px(20)
    y += px(6)
    if match.stones_due and y + px(28) <= inner.bottom:
        color = match.shown.to_move
        left = inner.x
        if len(match.draft) < match.stones_due:
            surface.blit(shapes.stone(px(18), color is Color.BLACK), (left, y + px(6)))
            left += px(26)
        at = (left, y + px(15))
        fonts.draw(surface, now, at, px(14), theme.text, anchor="midleft", bold=True, most=inner.right - left)


def _choice_made(view: View) -> str:
    """Who took which colour, as long as no stone was placed since."""
    match, say = view.match, view.say
    last = match.game.actions[-1] if match.game.actions else None
    if not isinstance(last, Swap | Keep):
        return ""
    chooser = match.game.to_move.opponent if isinstance(last, Swap) else match.game.to_move
    name = player_name(match.session, chooser, say, view.language)[0]
    color = say("black" if chooser is Color.BLACK else "white")
    return say("status.chosen", name=name, color=color) + " · "


def result_text(view: View) -> tuple[str, str]:
    """Who won, and how."""
    outcome = view.match.game.outcome
    assert outcome is not None
    how = view.say(f"reason.{outcome.reason.label}", n=view.match.game.rules.win_length)
    if outcome.winner is None:
        return view.say("result.draw"), how
    seats = view.match.session.seats
    winner = seats[view.match.game.seat_of(outcome.winner)]
    if len(view.match.session.human_seats) == 1:
        return view.say("result.you_won" if winner.is_human else "result.you_lost"), how
    return view.say("result.black" if outcome.winner is Color.BLACK else "result.white"), how


def draw_details(surface: pygame.Surface, rect: Rect, view: View) -> list[tuple[Rect, Line]]:
    """Result, hint, candidates or moves: what matters most now.

    Returns:
        Where each candidate is, for the mouse.
    """
    match, px, theme = view.match, view.look.px, view.look.theme
    rect = rect.copy()
    if match.game.outcome is not None:
        used = _draw_result(surface, rect, view)
        rect.y, rect.height = rect.y + used, rect.height - used
    elif match.hint is not None:
        used = _draw_hint(surface, rect, view)
        rect.y, rect.height = rect.y + used, rect.height - used
    if rect.height < px(48):
        return []
    if match.is_analysing and match.report is not None and match.game.outcome is None:
        return _draw_candidates(surface, rect, view, match.report)
    surface.blit(shapes.box(rect.size, px(8), theme.surface_2, theme.line), rect)
    _draw_moves(surface, rect.inflate(-px(20), -px(14)), view)
    return []


def _draw_result(surface: pygame.Surface, rect: Rect, view: View) -> int:
    px, theme = view.look.px, view.look.theme
    height = min(px(58), rect.height)
    card = Rect(rect.x, rect.y, rect.width, height)
    surface.blit(shapes.box(card.size, px(8), theme.accent_soft, theme.accent), card)
    title, how = result_text(view)
    room = card.width - px(20)
    fonts.draw(
        surface, title, (card.centerx, card.centery - px(11)), px(18), theme.text,
        anchor="center", bold=True, most=room,
    )  # fmt: skip
    fonts.draw(
        surface, how, (card.centerx, card.centery + px(14)), px(13), theme.text_2, anchor="center", most=room
    )
    return height + px(8)


def hint_text(view: View, hint: Hint) -> str:
    """What a hint says so far."""
    if not hint.told:
        return view.say("hint.area")
    reason = hint.reason.zh if view.language == "zh" else hint.reason.en
    return view.say("hint.move", move=cell_name(hint.move, view.match.game.rules.size), why=reason)


def _draw_hint(surface: pygame.Surface, rect: Rect, view: View) -> int:
    px, theme, hint = view.look.px, view.look.theme, view.match.hint
    assert hint is not None
    lines = fonts.wrapped(hint_text(view, hint), px(14), rect.width - px(24))
    height = min(len(lines) * px(21) + px(18), rect.height)
    card = Rect(rect.x, rect.y, rect.width, height)
    surface.blit(shapes.box(card.size, px(8), theme.accent_soft, theme.accent), card)
    for index, line in enumerate(lines):
        y = card.y + px(9) + index * px(21) + px(10)
        fonts.draw(surface, line, (card.x + px(12), y), px(14), theme.text, anchor="midleft")
    return height + px(8)


def _draw_candidates(
    surface: pygame.Surface, rect: Rect, view: View, report: SearchReport
) -> list[tuple[Rect, Line]]:
    px, theme = view.look.px, view.look.theme
    size, mover = view.match.game.rules.size, view.match.game.to_move
    surface.blit(shapes.box(rect.size, px(8), theme.surface_2, theme.line), rect)
    head = Rect(rect.x + px(12), rect.y + px(5), rect.width - px(24), px(22))
    columns = (head.x, head.x + px(52), head.x + px(112))
    for x, key in zip(columns, ("table.move", "table.winrate", "table.line"), strict=True):
        fonts.draw(surface, view.say(key), (x, head.centery), px(12), theme.text_2, anchor="midleft")
    searched = view.say("table.searched", n=short_number(report.nodes), depth=report.depth)
    fonts.draw(surface, searched, (head.right, head.centery), px(12), theme.text_2, anchor="midright")
    places = []
    height = px(26)
    for rank, one in enumerate(report.candidates):
        row = Rect(rect.x + px(4), head.bottom + rank * height, rect.width - px(8), height)
        if row.bottom > rect.bottom - px(2):
            break
        places.append((row, one))
        bold = rank == 0
        ink = theme.accent if bold else theme.text
        move = cell_name(one.move, size)
        text = candidate_text(one, mover) + ("" if one.win_in is not None or one.winrate is None else "%")
        line = " ".join(cell_name(cell, size) for cell in one.pv[1:9])
        fonts.draw(surface, move, (columns[0], row.centery), px(14), ink, anchor="midleft", bold=bold)
        fonts.draw(surface, text, (columns[1], row.centery), px(14), ink, anchor="midleft", bold=bold)
        fonts.draw(
            surface, line, (columns[2], row.centery), px(13), theme.text_2,
            anchor="midleft", most=rect.right - columns[2] - px(10),
        )  # fmt: skip
    return places


def _draw_moves(surface: pygame.Surface, rect: Rect, view: View) -> None:
    px, theme, game = view.look.px, view.look.theme, view.match.game
    if not game.moves:
        fonts.draw(
            surface,
            view.say("moves.none"),
            rect.center,
            px(13),
            theme.text_2,
            anchor="center",
            most=rect.width,
        )
        return
    height, width = px(23), px(108)
    columns = max(1, rect.width // width)
    width = rect.width // columns
    rows = max(1, rect.height // height)
    pairs = (len(game.moves) + 1) // 2
    first = max(0, -(-(pairs - rows * columns) // rows) * rows) if pairs > rows * columns else 0
    for pair in range(first, pairs):
        column, row = divmod(pair - first, rows)
        x, y = rect.x + column * width, rect.y + row * height + height // 2
        fonts.draw(surface, f"{pair + 1}.", (x + px(26), y), px(12), theme.text_2, anchor="midright")
        for half in (0, 1):
            ply = 2 * pair + half
            if ply < len(game.moves):
                newest = ply == len(game.moves) - 1
                text = cell_name(game.moves[ply], game.rules.size)
                at = (x + px(34) + half * px(36), y)
                ink = theme.accent if newest else theme.text
                fonts.draw(surface, text, at, px(13), ink, anchor="midleft", bold=newest)


def short_number(count: int) -> str:
    """A count in at most four characters.

    >>> short_number(950), short_number(41_200), short_number(3_400_000)
    ('950', '41k', '3.4M')
    """
    if count < 1000:
        return str(count)
    return f"{count / 1000:.0f}k" if count < 1_000_000 else f"{count / 1_000_000:.1f}M"


def status_text(view: View, *, is_starting: bool) -> tuple[str, bool]:
    """What happens now, in one line, and whether it is bad news."""
    match, say = view.match, view.say
    session = match.session
    if match.message is not None:
        return say(match.message.key, **dict(match.message.values)), match.message.is_bad
    if session.failure is not None:
        return say("note.engine_failed", why=session.failure.message), True
    if session.is_over:
        return " · ".join(result_text(view)), False
    if is_starting and match.is_busy:
        return say("status.starting"), False
    if match.waits_for_hint:
        return say("status.hint"), False
    if match.hint is not None:
        return hint_text(view, match.hint), False
    if session.paused:
        return say("status.paused"), False
    color = say("black" if match.game.to_move is Color.BLACK else "white")
    if match.is_thinking and match.game.phase is not Phase.PLAY:
        return say("status.opens", name=_name_to_act(view)), False
    if match.is_thinking:
        report = match.report
        if report is not None and report.nodes:
            return say("status.thinking_nodes", color=color, n=short_number(report.nodes)), False
        return say("status.thinking", color=color), False
    if match.is_opening:
        return opening_texts(view)[1], False
    return _choice_made(view) + say("status.to_move", color=color), False
