"""``wuzi tactics``: how many positions of the tactical suite a player gets right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

import wuzi
from wuzi.apps.cli.options import Budget, Json, Positive, RuleName, Seconds, print_json
from wuzi.errors import ConfigError

if TYPE_CHECKING:
    from wuzi.analysis.scoring import PuzzleMark

THEMES = ("vcf", "vct", "no_vcf", "no_vct", "defence")


def tactics(
    player: str | None = None,
    nodes: Positive | None = None,
    time: Seconds | None = None,
    themes: Annotated[list[str] | None, typer.Option("--theme", metavar="|".join(THEMES))] = None,
    rule: RuleName | None = None,
    first: Positive | None = None,
    missed: bool = False,
    as_json: Json = False,
) -> None:
    """Score a player or the solvers on the tactical test suite: percentage solved, by theme and length.

    A player is asked for its move. In a won position any move that keeps the win is right.

    Options:
        player: Spec string of the player to test; default: the solvers.
        nodes: Maximum number of positions searched per problem.
        time: Maximum time per problem, in seconds.
        themes: Use only problems of this theme. Repeatable.
        rule: Use only problems with this rule.
        first: Use only the first problems of each theme.
        missed: List the problems that were not solved.
    """
    from wuzi.analysis.scoring import in_bands, score_player, score_solvers

    puzzles = _chosen(themes, rule, first)
    if player is None:
        marks = list(score_solvers(puzzles, nodes=nodes, time_s=time))
    else:
        with wuzi.players.create_player(player, allow_command=True) as asked:
            marks = list(score_player(asked, puzzles, Budget(time=time, nodes=nodes).limit()))
    wrong = [mark.puzzle.id for mark in marks if mark.solved is False]
    if as_json:
        bands = [{**asdict(band), "theme": str(band.theme)} for band in in_bands(marks)]
        print_json({"player": player, "bands": bands, **({"missed": wrong} if missed else {})})
        return
    _print_table(marks)
    if missed and wrong:
        print("not solved: " + " ".join(wrong))


def _chosen(themes: Sequence[str] | None, rule: str | None, first: int | None) -> list[wuzi.tactics.Puzzle]:
    for name in themes or ():
        if name not in THEMES:
            raise ConfigError(f"--theme {name!r}: expected one of {', '.join(THEMES)}")
    wanted = None if rule is None else wuzi.core.parse_rule(rule)
    puzzles = []
    for theme in [wuzi.tactics.PuzzleTheme(name) for name in themes or THEMES]:
        fitting = [p for p in wuzi.tactics.load_suite([theme]) if wanted is None or p.rules.rule is wanted]
        puzzles += fitting[:first]
    return puzzles


def _print_table(marks: Sequence[PuzzleMark]) -> None:
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
