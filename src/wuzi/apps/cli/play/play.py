"""``wuzi play`` and ``wuzi gui``: a game in the terminal or in a window; ``wuzi players``: the opponents."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

import wuzi
from wuzi.apps.cli.options import Budget, Json, Language, OpenBoard, output
from wuzi.apps.cli.progress import prepared
from wuzi.base.machine import data_dir
from wuzi.base.words import load_catalogue
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
    coordinates: Literal["renju", "matrix"] = "renju",
    lang: Language = "en",
) -> None:
    """Play against a player in the terminal; `help` at the prompt lists the commands.

    Ctrl-C while the opponent thinks makes it move at once. An unfinished game is saved when you leave.

    Options:
        player: Spec string of the opponent (see `wuzi players`); default: the strongest for these rules.
        level: Strength of the opponent, weakest first.
        first: Who moves first.
        load: Continue the game in this file, with the rules given there.
        coordinates: Names of cells: renju (h8: column, row from the bottom), or matrix (A9: row from the
            top, column).
    """
    from wuzi.apps.cli.play.terminal import TerminalGame
    from wuzi.games import GameSession, Seat, SeatKind
    from wuzi.players.levels import find_level
    from wuzi.players.registry import strongest_player

    loaded = wuzi.Game.load(load) if load else None
    rules = loaded.rules if loaded else board.rules()
    me_first = random.random() < 0.5 if first == "random" else first == "me"
    spec, limit = player or strongest_player(rules), budget.limit()
    if level is not None:
        if player is not None:
            raise ConfigError("--player and --level: expected one of the two")
        chosen = find_level(level)
        spec, limit = chosen.spec, limit if limit != wuzi.Limit() else chosen.limit
        print(_about(chosen, lang))
    with contextlib.ExitStack() as stack:
        opponent = stack.enter_context(wuzi.players.create_player(spec, allow_command=True))
        if (reason := opponent.capabilities.why_not(rules)) is not None:
            raise UnsupportedError(f"{opponent.name} {reason}")
        stack.enter_context(prepared(opponent, rules))
        game = loaded or wuzi.Game(rules)
        # A weak level would be a poor adviser.
        adviser = stack.enter_context(wuzi.players.create_player(strongest_player(rules))) if level else None
        me = Seat(SeatKind.HUMAN)
        other = Seat(SeatKind.ENGINE, player=spec, limit=limit)
        session = GameSession(game.rules, (me, other) if me_first else (other, me), game)
        unfinished = data_dir() / "unfinished.sgf"
        table = TerminalGame(
            session,
            opponent,
            adviser=adviser,
            unfinished=unfinished,
            language=lang,
            style=wuzi.core.Style(coordinates),
        )
        finished = table.run()
    if not finished:
        raise typer.Exit(130)


def _about(level: Level, language: str) -> str:
    """The level's names, and its rating where it was measured."""
    from wuzi.players.levels import level_ratings

    t = load_catalogue("wuzi.apps.cli", language)
    text = t("play.level", name=level.name, en=level.en, zh=level.zh)
    if (found := level_ratings().get(level.name)) is None:
        return text
    return t("play.rating", level=text, elo=found.elo, low=found.low, high=found.high, games=found.games)


def gui(file: Annotated[Path | None, typer.Argument(show_default=False)] = None) -> None:
    """Play in a desktop window: against the engine, against another person, or watch two engines.

    Needs the extra "desktop" (pygame-ce) and a screen; F1 in the window lists the keys.

    Options:
        file: Game record to open (SGF, psq, rec or JSON).
    """
    from wuzi.apps.desktop import run

    run(file)


def players(name: Annotated[str | None, typer.Argument()] = None, as_json: Json = False) -> None:
    """List the players, or show one player with all the options of its spec string.

    A spec string is NAME or NAME:KEY=VALUE,KEY=VALUE, such as minimax:preset=s0,seed=1.

    Options:
        name: Show only this player, with all its options.
    """
    chosen = wuzi.players.list_players() if name is None else (wuzi.players.player_info(name),)
    nets = _default_nets(chosen[0]) if name is not None else {}
    lines = [line for info in chosen for line in _player_lines(info, with_options=name is not None)]
    lines += [f"{'':10} {net} judges where no net= is given on {', '.join(on)}" for net, on in nets.items()]
    output(as_json, [info.describe() | ({"nets": nets} if nets else {}) for info in chosen], lines)


def _default_nets(info: wuzi.players.PlayerInfo) -> dict[str, list[str]]:
    """The boards by the net that judges on them where none is named; empty for players without a net."""
    if "net" not in info.options:
        return {}
    from wuzi.nets.shelf import boards

    found: dict[str, list[str]] = {}
    with wuzi.players.create_player(info.name) as made:
        assert isinstance(made, wuzi.players.BasePlayer)
        for size, length, rule in boards():
            rules = wuzi.Rules(size=size, win_length=length, rule=wuzi.core.parse_rule(rule))
            found.setdefault(str(made.net_name(rules)), []).append(rules.label)
    return found


def _player_lines(info: wuzi.players.PlayerInfo, *, with_options: bool) -> Iterator[str]:
    can = info.capabilities
    lengths = "any length" if can.win_lengths is None else ", ".join(map(str, sorted(can.win_lengths)))
    yield f"{info.name:10} {info.summary}"
    texts = [] if info.summary_zh == info.summary else [info.summary_zh]
    rules = ", ".join(sorted(rule.label for rule in can.rules))
    texts.append(f"boards {can.min_size} to {can.max_size}, {lengths} in a row; {rules}")
    if info.presets:
        texts.append(f"presets: {', '.join(sorted(info.presets))}")
    if with_options:
        texts += [f"{option.name}={option.default}  {option.help}" for option in info.options.values()]
    yield from (f"{'':10} {text}".rstrip() for text in texts)
