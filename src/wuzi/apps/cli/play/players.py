"""``wuzi players``: which players there are, their options, and what they can play."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import typer

import wuzi
from wuzi.apps.cli.options import Json, output


def players(name: Annotated[str | None, typer.Argument()] = None, as_json: Json = False) -> None:
    """List the players, or show one player with all the options of its spec string.

    A spec string is NAME or NAME:KEY=VALUE,KEY=VALUE, such as minimax:preset=s0,seed=1.

    Options:
        name: Show only this player, with all its options.
    """
    chosen = wuzi.players.list_players() if name is None else (wuzi.players.player_info(name),)
    lines = (line for info in chosen for line in _player_lines(info, with_options=name is not None))
    output(as_json, [info.describe() for info in chosen], lines)


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
