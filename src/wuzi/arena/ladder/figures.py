"""The figures of a ladder: what each table and chart of its report is made from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from wuzi.arena.analysis import distinct_games
from wuzi.arena.campaign import CampaignRun, Conduct, conduct_of, games_by_run, load_runs
from wuzi.arena.ladder.config import LadderArm, LadderConfig, Target
from wuzi.arena.ladder.run import load_arm
from wuzi.arena.rating import Estimate, Ratings, rate, score_interval, tally
from wuzi.arena.results import GameResult


@dataclass(frozen=True, slots=True)
class OpponentLine:
    """The focus player against one opponent."""

    opponent: str
    planned: int  # games that are to be played
    games: int  # games, wins, draws, losses: as the focus player sees them
    wins: int
    draws: int
    losses: int
    score: Estimate | None  # mean score with its 95 % interval, the pair being the unit; None without games
    pairs: tuple[int, int, int]  # openings played with both colours, as won, level and lost
    distinct: int  # games with different moves
    own: Conduct  # own, theirs: conduct of both
    theirs: Conduct


@dataclass(frozen=True, slots=True)
class TargetResult:
    """A target and what came of it."""

    target: Target
    score: Estimate | None  # what was measured, None without games

    @property
    def gap(self) -> float:
        """How much is missing, 0 when the target is reached; all of it without games."""
        return self.target.score if self.score is None else max(0.0, self.target.score - self.score.value)


@dataclass(frozen=True, slots=True)
class LadderArmFigures:
    """One time control."""

    arm: LadderArm
    lines: tuple[OpponentLine, ...]  # the focus player's opponents, in the order of the file
    verdicts: tuple[TargetResult, ...]  # one for each target
    ratings: Ratings | None  # of everybody who played; None with fewer than two players
    games: dict[str, int]
    conduct: Conduct  # of the focus player in all its games
    commits: dict[str, int]  # games by the commit that played them, in order of time

    @property
    def played(self) -> int:
        """Games of the focus player."""
        return sum(line.games for line in self.lines)


@dataclass(frozen=True, slots=True)
class LadderFigures:
    """All of it."""

    config: LadderConfig
    runs: tuple[CampaignRun, ...]  # when and where it was played
    arms: tuple[LadderArmFigures, ...]  # in the order of the file


def ladder_figures(config: LadderConfig, out: Path) -> LadderFigures:
    """Read a ladder's folder and compute its figures."""
    runs = load_runs(out)
    arms = tuple(arm_figures(config, arm, load_arm(arm, out), runs) for arm in config.arms)
    return LadderFigures(config, runs, arms)


def arm_figures(
    config: LadderConfig, arm: LadderArm, records: Sequence[GameResult], runs: Sequence[CampaignRun] = ()
) -> LadderArmFigures:
    """The figures of one arm from its games."""
    gauntlet = arm.parts[0].config
    lines = tuple(
        opponent_line(records, config.focus, entry.label, gauntlet.games) for entry in gauntlet.entries[1:]
    )
    scores = {line.opponent: line.score for line in lines}
    labels = sorted({label for game in records for label in (game.black, game.white)})
    anchor = config.anchor if config.anchor and config.anchor[0] in labels else None
    commits: Counter[str] = Counter()
    for (_, commit), count in games_by_run(sorted(records, key=lambda game: game.started_at), runs).items():
        commits[commit] += count
    return LadderArmFigures(
        arm=arm,
        lines=lines,
        verdicts=tuple(
            TargetResult(target, scores[target.against])
            for target in config.targets
            if target.against in scores
        ),
        ratings=rate(records, anchor=anchor) if len(labels) > 1 else None,
        games=dict(Counter(label for game in records for label in (game.black, game.white))),
        conduct=conduct_of(records, config.focus),
        commits=commits,
    )


def opponent_line(records: Sequence[GameResult], focus: str, opponent: str, planned: int) -> OpponentLine:
    """What happened between two players."""
    games = [game for game in records if {game.black, game.white} == {focus, opponent}]
    counted = tally(games, focus, opponent)
    complete = counted.units[counted.units[:, 1] == 2, 0]
    return OpponentLine(
        opponent=opponent,
        planned=planned,
        games=counted.games,
        wins=counted.wins,
        draws=counted.draws,
        losses=counted.losses,
        score=score_interval(counted) if counted.games else None,
        pairs=(int((complete > 0.5).sum()), int((complete == 0.5).sum()), int((complete < 0.5).sum())),
        distinct=distinct_games(games) or 0,
        own=conduct_of(games, focus),
        theirs=conduct_of(games, opponent),
    )
