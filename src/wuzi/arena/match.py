"""Two players against each other, from Python: ``wuzi.match("minimax:preset=s0", "weight")``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from wuzi.arena.analysis import distinct_games
from wuzi.arena.openings import default_openings
from wuzi.arena.rating import Estimate, Tally, elo_difference, likelihood_of_superiority, tally
from wuzi.arena.results import GameResult
from wuzi.arena.schedule import GAMES, Entry, TournamentConfig, default_games
from wuzi.arena.sprt import SprtConfig, SprtState
from wuzi.arena.tournament import OnProgress, run_tournament
from wuzi.contract import Limit
from wuzi.core.rules import Rules, parse_rule
from wuzi.games.referee import Adjudication
from wuzi.players.own import PlayerLike, temporary_spec


@dataclass(frozen=True, slots=True)
class MatchResult:
    """A match, as its first player sees it: both labels, every game, and the state of the test, if any."""

    first: str
    second: str
    games: tuple[GameResult, ...]
    sprt: SprtState | None = None

    @property
    def tally(self) -> Tally:
        """Wins, losses, draws, and the scores of the opening pairs."""
        return tally(self.games, self.first, self.second)

    @property
    def score(self) -> float:
        """Mean score of the first player, a draw counting half."""
        return self.tally.score

    @property
    def elo(self) -> Estimate:
        """Elo difference with its 95 % interval."""
        return elo_difference(self.tally)

    @property
    def los(self) -> float:
        """Likelihood that the first player is the stronger one."""
        counted = self.tally
        return likelihood_of_superiority(counted.wins, counted.losses)

    @property
    def distinct(self) -> int:
        """Number of games with different moves."""
        return distinct_games(self.games) or 0

    @property
    def forfeits(self) -> tuple[GameResult, ...]:
        """Games lost on time, by a crash or an illegal move."""
        return tuple(game for game in self.games if game.forfeit_by is not None)

    def __str__(self) -> str:
        return "\n".join(match_lines(self))


def match_lines(result: MatchResult) -> list[str]:
    """The result in the words of the usual match programs."""
    counted = result.tally
    lines = [score_line(result.first, result.second, counted), elo_line(counted)]
    if result.sprt is not None:
        lines.append(str(result.sprt))
    first = [game for game in result.games if game.first_player == result.first]
    second = [game for game in result.games if game.first_player != result.first]
    lines.append(
        f"{result.first} moving first: {_short(first, result.first)}; second: {_short(second, result.first)}"
    )
    lines.append(f"Distinct games: {result.distinct}/{len(result.games)}, forfeits: {len(result.forfeits)}")
    return lines


def score_line(first: str, second: str, counted: Tally) -> str:
    """``Score of A vs B: 61 - 32 - 7 [0.645] 100``: wins, losses, draws, as other programs write it."""
    return (
        f"Score of {first} vs {second}: {counted.wins} - {counted.losses} - {counted.draws} "
        f"[{counted.score:.3f}] {counted.games}"
    )


def elo_line(counted: Tally) -> str:
    """``Elo difference: 103.8 +/- 69.0, LOS: 99.9 %, DrawRatio: 7.0 %``."""
    estimate = elo_difference(counted)
    los = likelihood_of_superiority(counted.wins, counted.losses)
    draws = counted.draws / counted.games if counted.games else 0.0
    return (
        f"Elo difference: {estimate.value:.1f} +/- {estimate.error:.1f}, "
        f"LOS: {los:.1%}, DrawRatio: {draws:.1%}".replace("%", " %")
    )


def match(  # noqa: PLR0913 (options by keyword)
    first: PlayerLike,
    second: PlayerLike,
    *,
    size: int = 15,
    win_length: int | None = None,
    rule: str = "freestyle",
    games: int | None = None,
    limit: Limit | None = None,
    openings: str | None = None,
    seed: int = 0,
    sprt: SprtConfig | None = None,
    adjudication: Adjudication | None = None,
    concurrency: int | None = None,
    out: str | Path | None = None,
    resume: bool = False,
    on_progress: OnProgress | None = None,
) -> MatchResult:
    """Let two players play a match; each opening is played with both colours.

    Args:
        first: a player spec, ``label=spec``, an object with ``think(game, limit)``, or a function that gets a
            game and gives a move. Objects and functions play in this process, one game at a time.
        second: the other player.
        size: rows and columns of the board.
        win_length: stones in a row that win; 5, or the size of a smaller board.
        rule: name of the rule.
        games: how many, at most with ``sprt``; by default 20, and with ``sprt`` each opening of the book once
            with both colours, or 1,000 where openings are random.
        limit: budget of one answer.
        openings: ``auto``, ``none``, the name of a shipped book, or a file; by default the book of the
            rule and board (:func:`wuzi.arena.openings.default_openings`).
        seed: of openings and players.
        sprt: stop early when this test is decided.
        adjudication: when the referee ends a game.
        concurrency: games at once; by default as many as processors.
        out: folder for the record; nothing is written without.
        resume: continue an earlier run in ``out``.
        on_progress: called after each game.

    Raises:
        ConfigError: unknown players, or impossible settings.
    """
    with temporary_spec(first) as one, temporary_spec(second) as other:
        entries = two_entries(one, other)
        rules = Rules(size, min(5, size) if win_length is None else win_length, parse_rule(rule))
        config = TournamentConfig(
            entries=entries,
            rules=rules,
            games=GAMES if games is None else games,
            limit=limit or Limit(),
            openings=openings or default_openings(rules),
            seed=seed,
            sprt=sprt,
            adjudication=adjudication or Adjudication(),
        )
        if games is None:
            config = replace(config, games=default_games(config))
        result = run_tournament(
            config,
            Path(out) if out is not None else None,
            resume=resume,
            concurrency=concurrency,
            on_progress=on_progress,
        )
        return MatchResult(entries[0].label, entries[1].label, result.records, result.sprt)


def two_entries(first: str, second: str) -> tuple[Entry, Entry]:
    """The players of a match; a player may meet itself."""
    entries = (Entry.parse(first), Entry.parse(second))
    if entries[0].label == entries[1].label:
        return entries[0], replace(entries[1], label=f"{entries[1].label} (2)")
    return entries


def _short(games: Sequence[GameResult], label: str) -> str:
    scores = [game.score(label) for game in games]
    return f"{scores.count(1)} won, {scores.count(0.5)} drawn, {scores.count(0)} lost"
