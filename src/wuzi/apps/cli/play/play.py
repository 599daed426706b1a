"""``wuzi play`` and ``wuzi gui``: a game against a player, in the terminal or in a window."""

from __future__ import annotations

import contextlib
import random
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

import wuzi
from wuzi.apps.cli.options import Budget, OpenBoard
from wuzi.base.machine import data_dir
from wuzi.errors import ConfigError, UnsupportedError

if TYPE_CHECKING:
    from wuzi.players.levels import Level


LevelChoice = Literal["novice", "beginner", "casual", "club", "skilled", "strong", "expert", "master"]


def play(
    player: str | None = None,
    level: LevelChoice | None = None,
    board: OpenBoard = OpenBoard(),
    first: Literal["me", "ai", "random"] = "me",
    budget: Budget = Budget(),
    load: Path | None = None,
) -> None:
    """Play against a player in the terminal; `help` at the prompt lists the commands.

    Ctrl-C while the opponent thinks makes it move at once. An unfinished game is saved when you leave.

    Options:
        player: Spec string of the opponent (see `wuzi players`); default: the strongest for these rules.
        level: Strength of the opponent, weakest first.
        first: Who moves first.
        load: Continue the game in this file, with the rules given there.
    """
    from wuzi.apps.cli.play.terminal import TerminalGame
    from wuzi.games import GameSession, Seat, SeatKind
    from wuzi.players.levels import find_level
    from wuzi.players.registry import strongest_player

    game = wuzi.Game.load(load) if load else wuzi.Game(board.rules())
    me_first = random.random() < 0.5 if first == "random" else first == "me"
    spec, limit = player or strongest_player(game.rules), budget.limit()
    if level is not None:
        if player is not None:
            raise ConfigError("--player and --level: expected one of the two")
        chosen = find_level(level)
        spec, limit = chosen.spec, limit if limit != wuzi.Limit() else chosen.limit
        print(_about(chosen))
    with contextlib.ExitStack() as stack:
        opponent = stack.enter_context(wuzi.players.create_player(spec, allow_command=True))
        if (reason := opponent.capabilities.why_not(game.rules)) is not None:
            raise UnsupportedError(f"{opponent.name} {reason}")
        # A weak level would be a poor adviser.
        adviser = (
            stack.enter_context(wuzi.players.create_player(strongest_player(game.rules))) if level else None
        )
        me = Seat(SeatKind.HUMAN)
        other = Seat(SeatKind.ENGINE, player=spec, limit=limit)
        session = GameSession(game.rules, (me, other) if me_first else (other, me), game)
        unfinished = data_dir() / "unfinished.sgf"
        finished = TerminalGame(session, opponent, adviser=adviser, unfinished=unfinished).run()
    if not finished:
        raise typer.Exit(130)


def _about(level: Level) -> str:
    """The level's names, and its rating where it was measured."""
    from wuzi.players.levels import level_ratings

    text = f"level {level.name}: {level.en}, {level.zh}"
    if (rating := level_ratings().get(level.name)) is None:
        return text
    interval = f"{rating.elo:.0f} [{rating.low:.0f}, {rating.high:.0f}]"
    return f"{text}; Elo {interval} on wuzi's scale, {rating.games} games"


def gui(file: Annotated[Path | None, typer.Argument(show_default=False)] = None) -> None:
    """Play in a desktop window: against the engine, against another person, or watch two engines.

    Needs the extra "desktop" (pygame-ce) and a screen; F1 in the window lists the keys.

    Options:
        file: Game record to open (SGF, psq, rec or JSON).
    """
    from wuzi.apps.desktop import run

    run(file)
