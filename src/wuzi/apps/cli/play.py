"""``wuzi play``: a game against a player in the terminal."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Annotated

import typer

from wuzi.apps.cli.options import (
    Depth,
    Nodes,
    OpeningName,
    RuleName,
    Simulations,
    Size,
    TimePerMove,
    WinLength,
    limit_of,
    rules_of,
)
from wuzi.apps.places import data_dir
from wuzi.errors import ConfigError, UnsupportedError

FIRST = ("me", "ai", "random")


def play(
    player: Annotated[
        str | None,
        typer.Option(
            "--player",
            help="Your opponent's spec string, see `wuzi players`; default: the strongest for the game.",
        ),
    ] = None,
    size: Size = 15,
    win_length: WinLength = None,
    rule: RuleName = "freestyle",
    opening: OpeningName = "free",
    first: Annotated[
        str,
        typer.Option("--first", help="Who acts first: me, ai or random.", autocompletion=lambda: list(FIRST)),
    ] = "me",
    time: TimePerMove = None,
    simulations: Simulations = None,
    nodes: Nodes = None,
    depth: Depth = None,
    load: Annotated[
        Path | None, typer.Option("--load", help="Go on with the game in this file (rules from there).")
    ] = None,
) -> None:
    """Play against a player in the terminal; `help` at the prompt lists what it understands.

    Ctrl-C while the opponent thinks makes it move at once. An unfinished game is saved when you leave.
    """
    if first not in FIRST:
        raise ConfigError(f"--first {first!r}: expected one of {', '.join(FIRST)}")

    from wuzi.apps.cli.terminal import TerminalGame
    from wuzi.core import Game
    from wuzi.players import create_player
    from wuzi.players.registry import strongest_player
    from wuzi.session import GameSession, Seat, SeatKind

    game = Game.load(load) if load else Game(rules_of(size, win_length, rule, opening))
    me_first = random.random() < 0.5 if first == "random" else first == "me"
    spec = player or strongest_player(game.rules)
    with create_player(spec, allow_command=True) as opponent:
        if (reason := opponent.capabilities.why_not(game.rules)) is not None:
            raise UnsupportedError(f"{opponent.name} {reason}")
        me = Seat(SeatKind.HUMAN)
        other = Seat(SeatKind.ENGINE, player=spec, limit=limit_of(time, simulations, nodes, depth))
        session = GameSession(game.rules, (me, other) if me_first else (other, me), game)
        finished = TerminalGame(session, opponent, unfinished=data_dir() / "unfinished.sgf").run()
    if not finished:
        raise typer.Exit(130)
