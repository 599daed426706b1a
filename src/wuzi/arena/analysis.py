"""Everything a report says, computed from game records; no text is written here."""

from __future__ import annotations

import dataclasses
import math
import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from wuzi.arena.rating import (
    Estimate,
    Ratings,
    balanced_mean,
    elo,
    likelihood_of_superiority,
    rate,
    score_interval,
    tally,
    wilson,
)
from wuzi.arena.results import FORFEITS, GameResult
from wuzi.errors import RecordError

FEW_GAMES = 30
"""Below so many games of a pair the report says how wide the interval is."""
LEAST_LIKELY = 5
"""From so many games of a pair on a likelihood says anything."""

REPEATED_SHARE = 0.5
"""A pair repeats itself when less than this share of its games are distinct."""

COLOUR_SHARE = 0.65
"""A colour explains the results when its share of the decided games is surely above this."""


@dataclass(frozen=True, slots=True)
class PlayerSummary:
    """One player over all its games."""

    label: str  # its name
    games: int
    wins: int
    losses: int
    draws: int
    # wins per game, every opponent weighing alike; ``score``: the same, a draw counting half
    win_rate: Estimate
    score: Estimate
    # first, second: win rate with the first turn and with the second, with their game counts ``first_games``
    # and ``second_games``
    first: Estimate
    first_games: int
    second: Estimate
    second_games: int
    rating: Estimate | None  # Bradley-Terry rating in Elo points; None without games
    # thinking seconds per game, plies: stones per game, duration_s: seconds per game; each the mean, None
    # when the file does not tell
    time_s: float | None
    plies: float | None
    duration_s: float | None
    forfeits: dict[str, int]  # games lost by ``time``, ``crash`` and ``illegal`` moves


@dataclass(frozen=True, slots=True)
class PairSummary:
    """Two players against each other. ``leader`` has the higher score (or comes first by name)."""

    leader: str
    other: str
    games: int  # games, wins, losses, draws: as the leader sees them
    wins: int
    losses: int
    draws: int
    score: Estimate  # the leader's mean score with its 95 % interval
    elo: Estimate  # difference with its interval; infinite for a clean sweep
    los: float  # likelihood that the leader is the stronger one
    separable: bool  # whether the interval of the score leaves out 50 %
    distinct: int | None  # games with different moves; None when the file holds no moves
    black_wins: int  # black_wins, white_wins: by colour, whoever had it
    white_wins: int
    colour: str  # the colour (``black`` or ``white``) that explains the results, or empty
    pairs: int  # complete opening pairs among the games


@dataclass(frozen=True, slots=True)
class ReportWarning:
    """A reason to read the figures with care."""

    code: str  # key of the sentence in the report's catalogue
    values: dict[str, Any]  # what the sentence names


@dataclass(frozen=True, slots=True)
class Analysis:
    """All figures of a report. Players are sorted by rating, pairs by the order of their leaders."""

    records: tuple[GameResult, ...]
    players: tuple[PlayerSummary, ...]
    pairs: tuple[PairSummary, ...]
    ratings: Ratings | None
    black: Estimate  # black, white, draw: shares of the games by colour, every pairing weighing alike
    white: Estimate
    draw: Estimate
    first: Estimate  # the share won by the player with the first turn
    distinct: int | None
    warnings: tuple[ReportWarning, ...] = field(default=())

    @property
    def games(self) -> int:
        """Number of games."""
        return len(self.records)

    @property
    def labels(self) -> tuple[str, ...]:
        """The players, strongest first."""
        return tuple(player.label for player in self.players)

    def pair(self, first: str, second: str) -> PairSummary | None:
        """The pair of these two players, in either order."""
        for pair in self.pairs:
            if {pair.leader, pair.other} == {first, second}:
                return pair
        return None


def analyse(records: Sequence[GameResult], *, anchor: tuple[str, float] | None = None) -> Analysis:
    """Compute all figures.

    ``anchor`` is a player and its fixed rating; without it the mean is 0.

    Raises:
        RecordError: there are no games, or the anchor did not play.
    """
    if not records:
        raise RecordError("no games: nothing to report")
    names = sorted({name for game in records for name in (game.black, game.white)})
    if anchor is not None and anchor[0] not in names:
        raise RecordError(f"anchor {anchor[0]!r} did not play: expected one of {', '.join(names)}")
    ratings = rate(records, anchor=anchor) if len(names) > 1 else None
    order = list(ratings.labels) if ratings else names
    pairs = _pairs(records, order)
    black, white, draw = (
        share_of(records, lambda game, winner=winner: game.winner == winner)  # type: ignore[misc]
        for winner in ("black", "white", "draw")
    )
    analysis = Analysis(
        records=tuple(records),
        players=tuple(_player(records, name, ratings) for name in order),
        pairs=pairs,
        ratings=ratings,
        black=black,
        white=white,
        draw=draw,
        first=share_of(records, _first_won),
        distinct=distinct_games(records),
    )
    return dataclasses.replace(analysis, warnings=tuple(_warnings(analysis)))


def share_of(records: Iterable[GameResult], value: Callable[[GameResult], float]) -> Estimate:
    """Mean of a value over games, every pairing weighing alike, with the interval that openings leave."""
    return balanced_mean((frozenset((game.black, game.white)), game.unit, value(game)) for game in records)


def _first_won(game: GameResult) -> bool:
    if game.black == game.white:
        return game.winner == "black"
    return game.winner_name == game.first_player


def distinct_games(records: Sequence[GameResult]) -> int | None:
    """Number of different move sequences; None when any game lacks its moves."""
    if any(not game.moves for game in records):
        return None
    return len({(game.size, game.moves) for game in records})


def summary_json(analysis: Analysis) -> dict[str, Any]:
    """The figures as JSON-compatible data; what is infinite or undefined is null."""
    data = {
        "v": 1,
        "games": analysis.games,
        "distinct_games": analysis.distinct,
        "players": [dataclasses.asdict(player) for player in analysis.players],
        "pairs": [dataclasses.asdict(pair) for pair in analysis.pairs],
        "black": dataclasses.asdict(analysis.black),
        "white": dataclasses.asdict(analysis.white),
        "draw": dataclasses.asdict(analysis.draw),
        "ratings_are_lower_bounds": bool(analysis.ratings and analysis.ratings.is_lower_bound),
        "warnings": [dataclasses.asdict(warned) for warned in analysis.warnings],
    }
    cleaned = _finite(data)
    assert isinstance(cleaned, dict)
    return cleaned


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, 6) if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return value


def _player(records: Sequence[GameResult], label: str, ratings: Ratings | None) -> PlayerSummary:
    own = [game for game in records if label in (game.black, game.white)]
    counted = tally(own, label)
    # A player meeting itself proves nothing about its strength; such games only count for the colours.
    met = [game for game in own if game.black != game.white]
    first = [game for game in met if game.first_player == label]
    second = [game for game in met if game.first_player != label]
    times = [time for game in met if (time := game.of(label, "time_s")) is not None]
    lost = Counter(game.reason for game in met if game.forfeit_by == label)
    return PlayerSummary(
        label=label,
        **counted.counts,
        win_rate=share_of(met, lambda game: game.winner_name == label),
        score=share_of(met, lambda game: game.score(label)),
        first=share_of(first, lambda game: game.winner_name == label),
        first_games=len(first),
        second=share_of(second, lambda game: game.winner_name == label),
        second_games=len(second),
        rating=ratings.of(label) if ratings else None,
        time_s=_mean(times),
        plies=_mean([game.plies for game in own if game.plies is not None]),
        duration_s=_mean([game.duration_s for game in own if game.duration_s is not None]),
        forfeits={reason: lost[reason] for reason in sorted(FORFEITS)},
    )


def _mean(values: Sequence[float]) -> float | None:
    return statistics.fmean(values) if values else None


def _pairs(records: Sequence[GameResult], order: Sequence[str]) -> tuple[PairSummary, ...]:
    met: dict[frozenset[str], list[GameResult]] = {}
    for game in records:
        if game.black != game.white:
            met.setdefault(frozenset((game.black, game.white)), []).append(game)
    return tuple(_pair(met[frozenset(two)], *two) for two in combinations(order, 2) if frozenset(two) in met)


def _pair(games: Sequence[GameResult], first: str, second: str) -> PairSummary:
    counted = tally(games, first, second)
    if counted.losses > counted.wins:
        first, second = second, first
        counted = tally(games, first, second)
    colours = Counter(game.winner for game in games)
    score = score_interval(counted)
    return PairSummary(
        leader=first,
        other=second,
        **counted.counts,
        score=score,
        elo=Estimate(elo(score.value), elo(score.low), elo(score.high)),
        los=likelihood_of_superiority(counted.wins, counted.losses),
        separable=score.low > 0.5,
        distinct=distinct_games(games),
        black_wins=colours["black"],
        white_wins=colours["white"],
        colour=_colour_that_explains(colours["black"], colours["white"]) if score.low <= 0.5 else "",
        pairs=len(counted.pairs),
    )


def _colour_that_explains(black: int, white: int) -> str:
    for colour, wins in (("black", black), ("white", white)):
        if black + white >= 4 and wilson(wins, black + white).low > COLOUR_SHARE:
            return colour
    return ""


def _warnings(analysis: Analysis) -> list[ReportWarning]:
    found = [warned for pair in analysis.pairs for warned in _pair_warnings(pair)]
    found += [warned for player in analysis.players for warned in _player_warnings(player)]
    if own := sum(game.black == game.white for game in analysis.records):
        found.append(ReportWarning("self_play", {"n": own}))
    if analysis.distinct is None:
        found.append(ReportWarning("no_moves", {}))
    if analysis.ratings and analysis.ratings.is_lower_bound:
        found.append(ReportWarning("bounded", {}))
    if analysis.ratings and not analysis.ratings.connected:
        found.append(ReportWarning("disconnected", {}))
    return found


def _pair_warnings(pair: PairSummary) -> list[ReportWarning]:
    found = []
    names = {"a": pair.leader, "b": pair.other, "n": pair.games}
    if pair.distinct is not None and pair.games > 1 and pair.distinct < REPEATED_SHARE * pair.games:
        found.append(ReportWarning("few_distinct", {**names, "distinct": pair.distinct}))
    if pair.colour:
        wins = pair.black_wins if pair.colour == "black" else pair.white_wins
        decided = pair.black_wins + pair.white_wins
        found.append(ReportWarning(f"colour_{pair.colour}", {**names, "wins": wins, "decided": decided}))
    if pair.games < FEW_GAMES:
        bounded = math.isfinite(pair.elo.error)
        code, more = ("few_games", {"elo": round(pair.elo.error)}) if bounded else ("open_interval", {})
        found.append(ReportWarning(code, names | more))
    return found


def _player_warnings(player: PlayerSummary) -> list[ReportWarning]:
    found = [
        ReportWarning(f"forfeit_{reason}", {"a": player.label, "n": count})
        for reason, count in player.forfeits.items()
        if count
    ]
    if abs(player.first_games - player.second_games) > max(2, 0.2 * player.games):
        values = {"a": player.label, "first": player.first_games, "second": player.second_games}
        found.append(ReportWarning("unbalanced", values))
    return found
