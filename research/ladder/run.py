"""Playing the ladder (each arm is a folder of tournaments; see :mod:`research.campaign`), and its figures.

::

    DIR/fast/                   the arm "fast": tournament.json, games.jsonl, batch_results_*.csv
    DIR/fast-others-1/          its games among the others
"""

from __future__ import annotations

import contextlib
import shutil
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from research import campaign
from research.ladder.config import LadderArm, LadderConfig, LadderPart, Target
from wuzi.arena import (
    Estimate,
    GameResult,
    Ratings,
    continue_tournament,
    load_games,
    rate,
    score_interval,
    tally,
)
from wuzi.arena.analysis import distinct_games
from wuzi.arena.journal import GAMES_FILE
from wuzi.arena.tournament import OnProgress, is_over
from wuzi.errors import ConfigError, WuziError
from wuzi.players.engines_file import Engine, load_engines
from wuzi.players.gomocup_client import GomocupClient

CONFIG_FILE = "ladder.toml"
_START_S = 20.0


def chosen(
    config: LadderConfig, arms: Sequence[str] = (), against: Sequence[str] = ()
) -> list[tuple[LadderPart, set[frozenset[str]]]]:
    """The tournaments of these arms in order, each with its pairs in which one of these players takes part.

    No names mean all. ConfigError for a name that is not the ladder's.
    """
    campaign.check_known("unknown arm", arms, [arm.name for arm in config.arms])
    campaign.check_known("unknown player", against, config.labels())
    found = []
    for part in (part for arm in config.arms if not arms or arm.name in arms for part in arm.parts):
        labels = [entry.label for entry in part.config.entries]
        pairs = {frozenset((labels[a], labels[b])) for a, b in part.config.pairings()}
        if pairs := {pair for pair in pairs if not against or pair & set(against)}:
            found.append((part, pairs))
    return found


def run_ladder(
    config: LadderConfig,
    out: Path,
    *,
    arms: Sequence[str] = (),
    against: Sequence[str] = (),
    max_time_s: float | None = None,
    concurrency: int = 1,
    observe: Callable[[LadderPart], OnProgress] | None = None,
) -> None:
    """Play the games that are not in the folder yet.

    Killed at any moment, the folder holds every finished game, and the next call plays the others.
    :func:`chosen` says which of them; none begins after ``max_time_s`` seconds. Each of the games at once
    needs a processor. ``observe`` gives the observer of each tournament before it starts.

    Raises:
        ConfigError: wrong names, missing engines, or a folder of another ladder.
        RecordError: the folder holds a broken record.
    """
    deadline = campaign.deadline_after(max_time_s)
    parts = chosen(config, arms, against)
    playing = {name for _, pairs in parts for pair in pairs for name in pair}
    engines = {name: e for name, e in load_engines(config.path, shared=True).items() if name in playing}
    named = {name: greet(engine, parts[0][0].config.rules.size) for name, engine in engines.items()}
    campaign.begin(out, config.path, CONFIG_FILE, campaign.CampaignRun.now(named))
    for part, pairs in parts:
        continue_tournament(
            part.config,
            out / part.folder,
            deadline=deadline,
            most=partial(_most, part, pairs),
            concurrency=concurrency,
            on_progress=observe(part) if observe else None,
        )
        if is_over(deadline):
            break


def greet(engine: Engine, size: int) -> str:
    """Start an engine, before hours are lost to a wrong path: its name and version, if it tells them."""
    if shutil.which(engine.command[0]) is None:
        raise ConfigError(f"engine {engine.name}: {engine.command[0]}: no such program")
    try:
        with contextlib.closing(GomocupClient(engine, start_s=_START_S, tolerance_s=1.0)) as client:
            client.prepare(size)
            about = client.about
    except WuziError as error:
        raise ConfigError(f"engine {engine.name} does not start: {error}") from None
    return " ".join(filter(None, (about.get("name"), about.get("version")))) or engine.name


def load_arm(arm: LadderArm, out: Path) -> list[GameResult]:
    """All games of an arm so far."""
    return [record for part in arm.parts for record in load_games(out / part.folder / GAMES_FILE)]


def _most(part: LadderPart, pairs: set[frozenset[str]], first: str, second: str) -> int:
    return part.config.games if {first, second} in pairs else 0


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
    own: campaign.Conduct  # own, theirs: conduct of both
    theirs: campaign.Conduct


@dataclass(frozen=True, slots=True)
class TargetResult:
    """A target and what came of it."""

    target: Target
    score: Estimate | None  # what was measured, None without games

    @property
    def gap(self) -> float:
        """How much is missing, 0 when the target is reached; all of it without games."""
        return self.target.score if self.score is None else max(0.0, self.target.score - self.score.value)

    @property
    def verdict(self) -> str:
        """``reached`` or ``not reached`` if the whole interval is on that side, else ``not decided``."""
        if self.score is None:
            return "not measured"
        if self.score.low >= self.target.score:
            return "reached"
        return "not reached" if self.score.high < self.target.score else "not decided"


@dataclass(frozen=True, slots=True)
class LadderArmFigures:
    """One time control."""

    arm: LadderArm
    lines: tuple[OpponentLine, ...]  # the focus player's opponents, in the order of the file
    verdicts: tuple[TargetResult, ...]  # one for each target
    ratings: Ratings | None  # of everybody who played; None with fewer than two players
    games: dict[str, int]
    forfeits: dict[str, dict[str, int]]  # games that each player lost by them, by reason
    conduct: campaign.Conduct  # of the focus player in all its games
    commits: dict[str, int]  # games by the commit that played them, in order of time

    @property
    def played(self) -> int:
        """Games of the focus player."""
        return sum(line.games for line in self.lines)


@dataclass(frozen=True, slots=True)
class LadderFigures:
    """All of it."""

    config: LadderConfig
    runs: tuple[campaign.CampaignRun, ...]  # when and where it was played
    arms: tuple[LadderArmFigures, ...]  # in the order of the file


def ladder_figures(config: LadderConfig, out: Path) -> LadderFigures:
    """Read a ladder's folder and compute its figures."""
    runs = campaign.load_runs(out)
    arms = tuple(arm_figures(config, arm, load_arm(arm, out), runs) for arm in config.arms)
    return LadderFigures(config, runs, arms)


def arm_figures(
    config: LadderConfig,
    arm: LadderArm,
    records: Sequence[GameResult],
    runs: Sequence[campaign.CampaignRun] = (),
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
    played = sorted(records, key=lambda game: game.started_at)
    for (_, commit), count in campaign.games_by_run(played, runs).items():
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
        forfeits={label: campaign.conduct_of(records, label).forfeits for label in labels},
        conduct=campaign.conduct_of(records, config.focus),
        commits=commits,
    )


def opponent_line(records: Sequence[GameResult], focus: str, opponent: str, planned: int) -> OpponentLine:
    """What happened between two players."""
    games = [game for game in records if {game.black, game.white} == {focus, opponent}]
    counted = tally(games, focus, opponent)
    complete = counted.units[counted.units[:, 1] % 2 == 0, 0]
    return OpponentLine(
        opponent=opponent,
        planned=planned,
        **counted.counts,
        score=score_interval(counted) if counted.games else None,
        pairs=(int((complete > 0.5).sum()), int((complete == 0.5).sum()), int((complete < 0.5).sum())),
        distinct=distinct_games(games) or 0,
        own=campaign.conduct_of(games, focus),
        theirs=campaign.conduct_of(games, opponent),
    )
