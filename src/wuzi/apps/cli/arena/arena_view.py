"""What the arena's commands show: a progress bar on stderr, and the result on stdout."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Self

from rich.table import Table

from wuzi.apps.cli.progress import page_console, progress_bar
from wuzi.arena.analysis import Analysis
from wuzi.arena.match import score_line
from wuzi.arena.rating import tally
from wuzi.arena.results import GameResult
from wuzi.arena.schedule import TournamentConfig
from wuzi.arena.text import elo_text, findings, percent, points, warning_sentence
from wuzi.arena.tournament import OnProgress, TournamentProgress, sprt_state
from wuzi.base.words import Catalogue, load_catalogue

_FILE_WIDTH = 160
_LOGGED = 10
"""How many times a run writes its score where there is no terminal."""


class ProgressView:
    """A bar with the time left for each tournament of a run; without a terminal, lines now and then."""

    def __init__(self, *, quiet: bool = False) -> None:
        self.records: Sequence[GameResult] = ()
        self._quiet = quiet
        self._bar = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.close()

    def begin(self, config: TournamentConfig, name: str = "") -> OnProgress:
        """Close the bar of the tournament before, and open one."""
        self._bar.close()
        if name and not self._quiet:
            print(f"{name}:", file=sys.stderr)
        self.records, self._config = (), config
        self._show = self._bar.enter_context(progress_bar("games", quiet=self._quiet))
        return self._update

    def _update(self, progress: TournamentProgress) -> None:
        self.records = progress.records
        done = len(progress.records)
        self._show(done, progress.total, self._score())
        if self._quiet or sys.stderr.isatty() or progress.record is None:
            return
        if done * _LOGGED // progress.total > (done - 1) * _LOGGED // progress.total:
            print(f"{done}/{progress.total}: {self._score()}", file=sys.stderr, flush=True)

    def _score(self) -> str:
        entries = self._config.entries
        forfeits = sum(record.forfeit_by is not None for record in self.records)
        text = "games"
        if len(entries) == 2:
            counted = tally(self.records, entries[0].label, entries[1].label)
            text = score_line(entries[0].label, entries[1].label, counted)
        elif self._config.format == "gauntlet":
            text = score_line(entries[0].label, "all", tally(self.records, entries[0].label))
        if (state := sprt_state(self._config, self.records)) is not None:
            text += f", llr {state.llr:.2f}"
        return f"{text}, forfeits: {forfeits}" if forfeits else text


def show_sentences(analysis: Analysis, language: str, *, with_findings: bool) -> None:
    """The findings of a report, and the reasons to read the figures with care."""
    t = load_catalogue("wuzi.arena", language)
    for sentence in findings(t, analysis) if with_findings else ():
        print(sentence)
    for warned in analysis.warnings:
        print(f"! {warning_sentence(t, warned)}")


def show_ranking(analysis: Analysis, language: str) -> None:
    """The table of ratings and the cross table, in columns."""
    t = load_catalogue("wuzi.arena", language)
    table = Table(box=None, pad_edge=False)
    table.add_column(t("table.rank"), justify="right")
    table.add_column(t("table.player"), overflow="fold")
    for key in ("rating", "interval", "games", "win_rate", "forfeits"):
        table.add_column(t(f"table.{key}"), justify="right", no_wrap=True)
    for rank, player in enumerate(analysis.players, 1):
        rating = player.rating
        table.add_row(
            str(rank),
            player.label,
            points(rating.value) if rating else "–",
            f"{points(rating.low)} … {points(rating.high)}" if rating else "–",
            str(player.games),
            percent(player.win_rate.value),
            str(sum(player.forfeits.values())),
        )
    console = page_console(_FILE_WIDTH)
    console.print(table)
    console.print()
    console.print(_cross_table(analysis, t))


def _cross_table(analysis: Analysis, t: Catalogue) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column(t("table.pair"), overflow="fold")
    for key in ("wins", "draws", "losses", "score", "elo", "verdict"):
        table.add_column(t(f"table.{key}"), justify="right", no_wrap=key not in ("verdict", "elo"))
    for pair in analysis.pairs:
        verdict = t("verdict.separable", a=pair.leader) if pair.separable else t("verdict.not_separable")
        table.add_row(
            t("vs", a=pair.leader, b=pair.other),
            str(pair.wins),
            str(pair.draws),
            str(pair.losses),
            percent(pair.score.value),
            elo_text(t, pair.elo),
            verdict,
        )
    return table
