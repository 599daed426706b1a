"""What ``wuzi analyse`` shows: a board with ranked candidates, a table, and the candidates in words."""

from __future__ import annotations

from typing import Any

from rich.table import Table
from rich.text import Text

import wuzi
from wuzi.analysis.study import Candidate, Study
from wuzi.apps.cli.options import attributes
from wuzi.apps.cli.progress import page_console
from wuzi.base.words import Catalogue, load_catalogue
from wuzi.contract import own_winrate

_FILE_WIDTH = 120
_MAX_LINE = 12
"""Moves of a line that the table shows; ``--json`` has all of them."""

_NAMED = ("FIVE", "OPEN_FOUR", "FOUR", "FOUR_FOUR", "FOUR_THREE", "OPEN_THREE", "THREE_THREE")
"""The threats that are listed, in this order."""


def _texts(language: str) -> Catalogue:
    return load_catalogue("wuzi.apps.cli", language)


def search_text(info: wuzi.SearchInfo) -> str:
    """How far a search is."""
    rate = info.lines[0].winrate if info.lines else None
    opinion = "" if rate is None else f", Black {rate:.0%}"
    return f"depth {info.depth}, {_count(max(info.nodes, info.simulations))}{opinion}"


def show_study(study: Study, language: str) -> None:
    """Print a study for people."""
    t = _texts(language)
    console = page_console(_FILE_WIDTH)
    position = study.game.position
    side = _side(position.to_move, language)
    console.print(t("analyse.title", rules=position.rules.label, ply=position.ply, side=side), style="bold")
    if study.choice is not None:
        choice = _choice(study.choice, position.rules.size, t)
        console.print(t("analyse.choice", player=study.player, choice=choice))
    console.print()
    console.print(_board(position, study.candidates))
    console.print()
    for line in _threat_lines(study.threats, position.rules.size, language):
        console.print(line)
    if study.candidates:
        console.print(_table(study, language))
        console.print()
        for candidate in study.candidates:
            console.print(_words(candidate, position.rules.size, language))
    info = study.info
    if info.time_s > 0:
        count = _count(max(info.nodes, info.simulations))
        unit = t("analyse.simulations" if info.simulations > info.nodes else "analyse.nodes")
        speed = _count(round(info.nodes_per_s))
        effort = {"count": count, "unit": unit, "time": info.time_s, "speed": speed}
        depth = {"depth": info.depth, "deepest": info.max_depth}
        text = t("analyse.effort", player=study.player, limit=study.limit.describe(), **depth, **effort)
        console.print(text, style="dim")


def study_json(study: Study, language: str) -> dict[str, Any]:
    """A study as JSON-compatible data. ``winrate`` is Black's, ``value`` the side to move's."""
    position, info = study.game.position, study.info
    rules = position.rules
    size = rules.size
    return {
        "rules": {
            "rule": rules.rule.label,
            "size": size,
            "win_length": rules.win_length,
            "opening": str(study.game.rules.opening),
        },
        "ply": position.ply,
        "moves": [wuzi.core.format_move(move, size) for move in study.game.moves],
        "cells": "".join(".BW"[int(cell)] for cell in position.cells),
        "to_move": position.to_move.name.lower(),
        "player": study.player,
        "limit": study.limit.describe(),
        "choice": None if study.choice is None else _choice(study.choice, size, _texts(language)),
        "candidates": [_candidate_json(candidate, size, language) for candidate in study.candidates],
        "threats": [
            {
                "kind": threat.kind.value,
                "color": threat.color.name.lower(),
                "stones": [wuzi.core.format_move(move, size) for move in threat.stones],
                "gains": [wuzi.core.format_move(move, size) for move in threat.gains],
                "reason": threat.reason.label if threat.reason else None,
            }
            for threat in study.threats
        ],
        **attributes(info, "depth", "max_depth", "nodes", "simulations"),
        "time_s": round(info.time_s, 4),
        "nodes_per_s": round(info.nodes_per_s),
    }


def _candidate_json(candidate: Candidate, size: int, language: str) -> dict[str, Any]:
    line = candidate.line
    return {
        "rank": candidate.rank or None,
        "asked": candidate.asked,
        "move": wuzi.core.format_move(line.move, size),
        **attributes(line, "winrate", "value", "win_in", "score", "visits"),
        "pv": [wuzi.core.format_move(move, size) for move in line.pv],
        "words": [remark.text(size, language) for remark in candidate.remarks],
        "remarks": [
            {
                "said": remark.said.name.lower(),
                "cells": [wuzi.core.format_move(cell, size) for cell in remark.cells],
                "plies": remark.plies or None,
            }
            for remark in candidate.remarks
        ],
    }


def _board(position: wuzi.Position, candidates: tuple[Candidate, ...]) -> Text:
    """The board: stones, candidates by rank, ``?`` for a move asked about, ``*`` for forbidden points."""
    size = position.rules.size
    ranks = {candidate.line.move: candidate.rank for candidate in candidates}
    forbidden = position.forbidden_mask()
    board = Text()
    for row in range(size):
        board.append(f"{size - row:2d} ", style="dim")
        for col in range(size):
            cell = wuzi.Move(row * size + col, size)
            stone = int(position.cells[cell])
            if stone:
                sign = ".XO"[stone]
                marked = f"({sign})" if cell == position.last_move else f" {sign} "
                board.append(marked, style="bold" if stone == wuzi.Color.BLACK else "bold yellow")
            elif cell in ranks:
                style = "bold green" if ranks[cell] == 1 else "cyan"
                board.append(f"{ranks[cell] or '?'!s:>2} ", style=style)
            else:
                board.append(" * " if forbidden[cell] else " . ", style="red" if forbidden[cell] else "dim")
        board.append("\n")
    board.append("   " + "".join(f" {chr(ord('a') + col)} " for col in range(size)), style="dim")
    return board


def _table(study: Study, language: str) -> Table:
    t = _texts(language)
    size, side = study.game.rules.size, study.game.to_move
    table = Table(box=None, pad_edge=False)
    table.add_column(t("analyse.rank"), justify="right")
    table.add_column(t("analyse.move"))
    table.add_column(t("analyse.winrate", side=_side(side, language)), justify="right", no_wrap=True)
    table.add_column(t("analyse.proved"), no_wrap=True)
    table.add_column(t("analyse.line"), overflow="fold")
    for candidate in study.candidates:
        line = candidate.line
        won = "analyse.win" if (line.win_in or 0) > 0 else "analyse.loss"
        proved = t(won, n=abs(line.win_in)) if line.win_in else ""
        table.add_row(
            str(candidate.rank or "?"),
            wuzi.core.format_move(line.move, size),
            t("analyse.unknown") if line.winrate is None else f"{own_winrate(line.winrate, side):.1%}",
            proved,
            " ".join(wuzi.core.format_move(move, size) for move in line.pv[:_MAX_LINE])
            + (" …" if len(line.pv) > _MAX_LINE else ""),
            style="bold" if candidate.rank == 1 else None,
        )
    return table


def _words(candidate: Candidate, size: int, language: str) -> Text:
    t = _texts(language)
    name = wuzi.core.format_move(candidate.line.move, size)
    text = Text(f"{candidate.rank or '?':>2} {name:<4}", style="bold")
    said = t("analyse.and").join(remark.text(size, language) for remark in candidate.remarks)
    text.append(said, style="not bold")
    if candidate.asked:
        text.append(f" ({t('analyse.asked')})", style="not bold dim")
    return text


def _threat_lines(threats: tuple[wuzi.tactics.Threat, ...], size: int, language: str) -> list[str]:
    """What is on the board for each side, and the forbidden points."""
    t = _texts(language)
    lines = []
    for color in wuzi.Color:
        parts = []
        for kind in _NAMED:
            found = [threat.gains for threat in threats if (threat.kind.name, threat.color) == (kind, color)]
            if gains := {cell for cells in found for cell in cells}:
                cells = " ".join(wuzi.core.format_move(cell, size) for cell in sorted(gains))
                parts.append(f"{t(f'threat.{kind.lower()}')} ({cells})")
        if parts:
            lines.append(f"{t('analyse.on_board')} {_side(color, language)}: {', '.join(parts)}")
    fouls = [threat for threat in threats if threat.kind is wuzi.tactics.ThreatKind.FORBIDDEN]
    if fouls:
        named = (
            f"{wuzi.core.format_move(foul.gains[0], size)} {foul.reason.label.replace('_', ' ')}"
            for foul in fouls
        )
        lines.append(f"{t('analyse.forbidden')} {', '.join(named)}")
    return [*lines, ""] if lines else lines


def _count(number: int) -> str:
    """A number for people.

    >>> _count(950), _count(123_456), _count(7_654_321)
    ('950', '123 k', '7.7 M')
    """
    if number < 1_000:
        return str(number)
    return f"{number / 1_000:.0f} k" if number < 1_000_000 else f"{number / 1_000_000:.1f} M"


def _side(color: wuzi.Color, language: str) -> str:
    return _texts(language)(f"analyse.{color.name.lower()}")


def _choice(action: wuzi.Action, size: int, t: Catalogue) -> str:
    if isinstance(action, wuzi.PlaceSeveral):
        return " ".join(wuzi.core.format_move(move, size) for move in action.moves)
    return t.texts.get(f"analyse.{type(action).__name__.lower()}", "")
