"""``wuzi players``: which players there are, their options, and what they can play."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from wuzi.apps.cli.options import Json, print_json

if TYPE_CHECKING:
    from wuzi.players import PlayerInfo


def players(
    name: Annotated[str | None, typer.Argument()] = None,
    as_json: Json = False,
) -> None:
    """List the players, or show one player with all the options of its spec string.

    A spec string is NAME or NAME:KEY=VALUE,KEY=VALUE, such as minimax:preset=s0,seed=1.

    Options:
        name: Show only this player, with all its options.
    """
    from wuzi.players import list_players, player_info

    chosen = list_players() if name is None else (player_info(name),)
    if as_json:
        print_json([info.describe() for info in chosen])
        return
    for info in chosen:
        _print_player(info, with_options=name is not None)


def _print_player(info: PlayerInfo, *, with_options: bool) -> None:
    can = info.capabilities
    lengths = "any length" if can.win_lengths is None else ", ".join(map(str, sorted(can.win_lengths)))
    print(f"{info.name:10} {info.summary}")
    if info.summary_zh != info.summary:
        print(f"{'':10} {info.summary_zh}")
    print(f"{'':10} boards {can.min_size} to {can.max_size}, {lengths} in a row; ", end="")
    print(", ".join(sorted(rule.label for rule in can.rules)))
    if info.presets:
        print(f"{'':10} presets: {', '.join(sorted(info.presets))}")
    if with_options:
        for option in info.options.values():
            print(f"{'':10} {option.name}={option.default}  {option.help}".rstrip())
