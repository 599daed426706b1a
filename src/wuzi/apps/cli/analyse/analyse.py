"""``wuzi analyse``: what a player thinks of a position: a board, a table, and the candidates in words."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

import wuzi
from wuzi.apps.cli.inputs import read_game
from wuzi.apps.cli.options import (
    Budget,
    FileBoard,
    Json,
    Language,
    Natural,
    attributes,
    played,
    print_json,
)
from wuzi.apps.cli.progress import page_console, prepared, status_line, stop_on_interrupt
from wuzi.base.words import Catalogue, load_catalogue
from wuzi.errors import ConfigError, IllegalMoveError, NotationError, RecordError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.table import Table
    from rich.text import Text

    from wuzi.analysis.study import Candidate, Study
    from wuzi.contract import Line

DEFAULT_S = 2.0

_FILE_WIDTH = 120
_MAX_LINE = 15
"""Moves of a line that the table shows; ``--json`` has all of them."""

_NAMED = ("FIVE", "OPEN_FOUR", "FOUR", "FOUR_FOUR", "FOUR_THREE", "OPEN_THREE", "THREE_THREE")
"""The threats that are listed, in this order."""


def analyse(
    file: Annotated[str | None, typer.Argument(metavar="GAME")] = None,
    moves: str | None = None,
    ply: Natural | None = None,
    move: str | None = None,
    board: FileBoard = FileBoard(),
    player: str | None = None,
    budget: Budget = Budget(),
    multipv: Annotated[int, typer.Option(min=1, max=50)] = 5,
    language: Language = "en",
    as_json: Json = False,
) -> None:
    """Explain a position: candidate moves with win rates, lines, proven wins and reasons in words.

    The position is the last one of a game record, the one after --ply stones of it, or the one after
    --moves. The move that the record continues with is judged too. Without a limit the analysis takes
    2 seconds.
    For example: wuzi analyse --moves "7,7 8,8 6,8" --time 5

    Options:
        file: Game record to analyse (.sgf .psq .rec .json .pos .txt, or - for standard input), or moves.
        moves: Moves from the empty board instead, such as h8i9 or '7,7 8,8'.
        ply: Analyse the position after this number of stones of the record.
        move: Also judge this move.
        player: Spec string of the player that analyses; default: the strongest for these rules.
        multipv: Number of candidate moves to show.
    """
    from wuzi.players.registry import strongest_player

    if (file is None) == (moves is None):
        raise ConfigError("expected a game record or --moves, one of the two")
    if file is None and ply is not None:
        raise ConfigError("--ply needs a game record: with --moves, leave stones out instead")
    if file is not None:
        game, asked = _recorded(file, board, ply)
    else:
        game, asked = played(str(moves), board.rules()), None
    if game.outcome is not None:
        raise ConfigError(f"the game is over there ({game.outcome.result}): nothing to analyse")
    asked = asked if move is None else _legal(game, move)
    limit = (budget if budget != Budget() else Budget(time=DEFAULT_S)).limit()
    spec = player or strongest_player(game.rules)
    with (
        wuzi.players.create_player(spec, allow_command=True) as analyst,
        prepared(analyst, game.rules),
        status_line(quiet=as_json) as show,
        stop_on_interrupt() as stop,
    ):
        show("...")
        found = wuzi.analyse(
            game,
            limit,
            player=analyst,
            multipv=multipv,
            asked=asked,
            stop=stop,
            on_info=lambda info: show(_search_text(info)),
        )
    t = load_catalogue("wuzi.apps.cli", language)
    if as_json:
        print_json(_study_json(found, t))
    else:
        _show_study(found, t)
    sys.stdout.flush()


def _recorded(file: str, board: FileBoard, ply: int | None) -> tuple[wuzi.Game, wuzi.Move | None]:
    """The game after ``ply`` stones of a record, and the stone that followed."""
    whole = read_game(file, board).game()
    # Swap phases play several stones at once; a position within one is set up by its stones.
    last = len(whole.moves)
    if ply is not None and ply > last:
        raise RecordError(f"{file}: --ply {ply}: the record has {last} moves")
    if ply is None or ply == last:
        return whole.at(len(whole.actions)), None
    for count in range(len(whole.actions)):
        game = whole.at(count)
        if len(game.moves) == ply:
            return game, whole.moves[ply]
    return wuzi.Game.from_moves(whole.rules, whole.moves[:ply]), whole.moves[ply]


def _legal(game: wuzi.Game, text: str) -> wuzi.Move:
    try:
        return game.position.check(wuzi.core.parse_move(text, game.rules.size))
    except IllegalMoveError as error:
        raise NotationError(f"--move: {error}") from None


def _search_text(info: wuzi.SearchInfo) -> str:
    """How far a search is."""
    rate = info.lines[0].winrate if info.lines else None
    opinion = "" if rate is None else f", Black {rate:.0%}"
    reached = f"{_count(info.simulations)} simulations" if _is_tree(info) else f"depth {info.depth}"
    return f"{reached}{opinion}" if _is_tree(info) else f"{reached}, {_count(info.nodes)}{opinion}"


def _is_tree(info: wuzi.SearchInfo) -> bool:
    """Whether a tree search made this: it has visits and lines of many lengths, but no depth it completed."""
    return info.simulations > 0 and not info.depth


def _show_study(study: Study, t: Catalogue) -> None:
    """Print a study for people."""
    from wuzi.apps.cli.board import board

    console = page_console(_FILE_WIDTH)
    position = study.game.position
    side = t(f"analyse.{position.to_move.name.lower()}")
    console.print(t("analyse.title", rules=position.rules.label, ply=position.ply, side=side), style="bold")
    if study.choice is not None:
        console.print(t("analyse.choice", player=study.player, choice=_choice(study.choice, t)))
    console.print()
    console.print(board(position, {candidate.line.move: candidate.rank for candidate in study.candidates}))
    console.print()
    for line in _threat_lines(study.threats, t):
        console.print(line)
    if study.candidates:
        console.print(_table(study, t))
        console.print()
        for candidate in study.candidates:
            console.print(_words(candidate, position.rules.size, t))
    if study.info.time_s > 0:
        console.print(_effort(study, t), style="dim")


def _effort(study: Study, t: Catalogue) -> str:
    """Who searched, by which net, how far and how fast."""
    info = study.info
    net = "" if study.net is None or f"net={study.net}" in study.player else t("analyse.net", net=study.net)
    count, speed = _count(max(info.nodes, info.simulations)), _count(round(info.nodes_per_s))
    done = {
        "player": study.player + net,
        "limit": study.limit.describe(),
        "count": count,
        "time": info.time_s,
        "speed": speed,
        "deepest": info.max_depth,
    }
    if _is_tree(info):
        best = info.lines[0] if info.lines else None
        visits, plies = (_count(best.visits or 0), len(best.pv)) if best else ("0", 0)
        return t("analyse.tree", visits=visits, plies=plies, **done | {"count": _count(info.simulations)})
    unit = t("analyse.simulations" if info.simulations > info.nodes else "analyse.nodes")
    if not info.depth:  # no iteration was finished, or a net alone looked at the position
        return t("analyse.brief", unit=unit, **done)
    # When all is proved, iterations end at once: what they looked at is no deeper than before.
    return t("analyse.effort", unit=unit, depth=min(info.depth, info.max_depth or info.depth), **done)


def _study_json(study: Study, t: Catalogue) -> dict[str, Any]:
    """A study as JSON-compatible data. ``winrate`` is Black's, ``value`` the side to move's."""
    position, info = study.game.position, study.info
    rules = position.rules
    return {
        "rules": {
            "rule": rules.rule.label,
            **attributes(rules, "size", "win_length"),
            "opening": str(study.game.rules.opening),
        },
        "ply": position.ply,
        "moves": _texts(study.game.moves),
        "cells": "".join(".BW"[int(cell)] for cell in position.cells),
        "to_move": position.to_move.name.lower(),
        "player": study.player,
        "net": study.net,
        "limit": study.limit.describe(),
        "choice": None if study.choice is None else _choice(study.choice, t),
        "candidates": [_candidate_json(candidate, rules.size, t) for candidate in study.candidates],
        "threats": [
            {
                "kind": threat.kind.value,
                "color": threat.color.name.lower(),
                "stones": _texts(threat.stones),
                "gains": _texts(threat.gains),
                "reason": threat.reason.label if threat.reason else None,
            }
            for threat in study.threats
        ],
        **attributes(info, "depth", "max_depth", "nodes", "simulations"),
        "time_s": round(info.time_s, 4),
        "nodes_per_s": round(info.nodes_per_s),
    }


def _candidate_json(candidate: Candidate, size: int, t: Catalogue) -> dict[str, Any]:
    line = candidate.line
    return {
        "rank": candidate.rank or None,
        "asked": candidate.asked,
        "move": str(line.move),
        **attributes(line, "winrate", "value", "win_in", "score", "visits"),
        "pv": _texts(line.pv),
        "words": [remark.text(size, t.language) for remark in candidate.remarks],
        "remarks": [
            {"said": said.said.name.lower(), "cells": _texts(said.cells), "plies": said.plies or None}
            for said in candidate.remarks
        ],
    }


def _texts(moves: Iterable[wuzi.Move]) -> list[str]:
    return [str(move) for move in moves]


def _table(study: Study, t: Catalogue) -> Table:
    from rich.table import Table

    from wuzi.contract import own_winrate

    side = study.game.to_move
    table = Table(box=None, pad_edge=False)
    table.add_column(t("analyse.rank"), justify="right")
    table.add_column(t("analyse.move"))
    heading = t("analyse.winrate", side=t(f"analyse.{side.name.lower()}"))
    table.add_column(heading, justify="right", no_wrap=True)
    table.add_column(t("analyse.proved"), no_wrap=True)
    table.add_column(t("analyse.line"), overflow="fold")
    for candidate in study.candidates:
        line = candidate.line
        won = "analyse.win" if (line.win_in or 0) > 0 else "analyse.loss"
        table.add_row(
            str(candidate.rank or "?"),
            str(line.move),
            t("analyse.unknown") if line.winrate is None else f"{own_winrate(line.winrate, side):.1%}",
            t(won, n=abs(line.win_in)) if line.win_in else "",
            _line_text(line),
            style="bold" if candidate.rank == 1 else None,
        )
    return table


def _line_text(line: Line) -> str:
    """The moves of a line; an ellipsis where there are more, or a proved end is further on."""
    goes_on = len(line.pv) > _MAX_LINE or len(line.pv) < abs(line.win_in or 0)
    return " ".join(_texts(line.pv[:_MAX_LINE])) + (" …" if goes_on else "")


def _words(candidate: Candidate, size: int, t: Catalogue) -> Text:
    from rich.text import Text

    text = Text(f"{candidate.rank or '?':>2} {candidate.line.move!s:<4}", style="bold")
    said = t("analyse.and").join(remark.text(size, t.language) for remark in candidate.remarks)
    text.append(said, style="not bold")
    if candidate.asked:
        text.append(f" ({t('analyse.asked')})", style="not bold dim")
    return text


def _threat_lines(threats: tuple[wuzi.tactics.Threat, ...], t: Catalogue) -> list[str]:
    """What is on the board for each side, and the forbidden points."""
    lines = []
    for color in wuzi.Color:
        parts = []
        for kind in _NAMED:
            found = [threat.gains for threat in threats if (threat.kind.name, threat.color) == (kind, color)]
            if gains := {cell for cells in found for cell in cells}:
                cells = " ".join(_texts(sorted(gains)))
                parts.append(f"{t(f'threat.{kind.lower()}')} ({cells})")
        if parts:
            lines.append(f"{t('analyse.on_board')} {t(f'analyse.{color.name.lower()}')}: {', '.join(parts)}")
    fouls = [threat for threat in threats if threat.kind is wuzi.tactics.ThreatKind.FORBIDDEN]
    if fouls:
        named = (f"{foul.gains[0]} {foul.reason.label.replace('_', ' ')}" for foul in fouls)
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


def _choice(action: wuzi.Action, t: Catalogue) -> str:
    if isinstance(action, wuzi.PlaceSeveral):
        return " ".join(_texts(action.moves))
    return t.texts.get(f"analyse.{type(action).__name__.lower()}", "")
