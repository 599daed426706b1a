"""``wuzi tactics``: how many positions of the tactical suite a player gets right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from wuzi.apps.cli.options import Json, limit_of, print_json
from wuzi.errors import ConfigError

if TYPE_CHECKING:
    from wuzi.analysis.scoring import Mark
    from wuzi.tactics.suite import Puzzle

THEMES = ("vcf", "vct", "no_vcf", "no_vct", "defence")


def tactics(
    player: Annotated[
        str | None, typer.Option("--player", help="A player's spec; without one, the solvers.")
    ] = None,
    nodes: Annotated[int | None, typer.Option("--nodes", help="Positions a problem.", min=1)] = None,
    time: Annotated[float | None, typer.Option("--time", help="Seconds a problem.", min=0.0)] = None,
    themes: Annotated[
        list[str] | None, typer.Option("--theme", help=", ".join(THEMES) + "; may be repeated.")
    ] = None,
    rule: Annotated[str | None, typer.Option("--rule", help="Only positions of this rule.")] = None,
    first: Annotated[int | None, typer.Option("--first", help="Only so many of each theme.", min=1)] = None,
    missed: Annotated[bool, typer.Option("--missed", help="List what was not solved.")] = False,
    as_json: Json = False,
) -> None:
    """Score a player, or the solvers, on the tactical suite: percent solved, by theme and length.

    A player is asked for its move; in a won position it is right if the win is still there afterwards.
    """
    from wuzi.analysis.scoring import in_bands, score_player, score_solvers
    from wuzi.players import create_player

    puzzles = _chosen(themes, rule, first)
    if player is None:
        marks = list(score_solvers(puzzles, nodes=nodes, time_s=time))
    else:
        with create_player(player, allow_command=True) as asked:
            marks = list(score_player(asked, puzzles, limit_of(time=time, nodes=nodes)))
    wrong = [mark.puzzle.id for mark in marks if mark.solved is False]
    if as_json:
        bands = [{**asdict(band), "theme": str(band.theme)} for band in in_bands(marks)]
        print_json({"player": player, "bands": bands, **({"missed": wrong} if missed else {})})
        return
    _print_table(marks)
    if missed and wrong:
        print("not solved: " + " ".join(wrong))


def _chosen(themes: list[str] | None, rule: str | None, first: int | None) -> list[Puzzle]:
    from wuzi.core import parse_rule
    from wuzi.tactics.suite import Theme, load_suite

    for name in themes or ():
        if name not in THEMES:
            raise ConfigError(f"--theme {name}: expected one of {', '.join(THEMES)}")
    wanted = None if rule is None else parse_rule(rule)
    puzzles = []
    for theme in [Theme(name) for name in themes or THEMES]:
        fitting = [p for p in load_suite([theme]) if wanted is None or p.rules.rule is wanted]
        puzzles += fitting[:first]
    return puzzles


def _print_table(marks: Sequence[Mark]) -> None:
    from wuzi.analysis.scoring import in_bands

    print(f"{'theme':8} {'plies':>7} {'positions':>9} {'solved':>7} {'%':>6} {'mean s':>8} {'slowest s':>9}")
    for band in in_bands(marks):
        plies = f"{band.shortest}-{band.longest}" if band.longest else ""
        percent = f"{100 * band.solved / band.positions:6.1f}" if band.positions else "     -"
        print(
            f"{band.theme:8} {plies:>7} {band.positions:9,d} {band.solved:7,d} {percent} "
            f"{band.mean_s:8.3f} {band.slowest_s:9.3f}"
        )
    if skipped := sum(mark.solved is None for mark in marks):
        print(f"skipped, as the player does not know their rules: {skipped:,d}")
