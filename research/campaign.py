"""What a ladder, a study and an ablation share: a folder in which any run continues where the last one ended.

::

    DIR/NAME.toml       a copy of the settings, for the report
    DIR/runs.jsonl      a line for every run: when, which commit, machine, engines
    DIR/PART/           tournaments: tournament.json, games.jsonl, batch_results_*.csv
"""

from __future__ import annotations

import datetime
import math
import re
import time
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

import filelock

from wuzi.arena import GameResult, shipped_openings
from wuzi.arena.provenance import commit, machine
from wuzi.arena.results import FORFEITS
from wuzi.arena.text import escape
from wuzi.base.atomic import write_atomic
from wuzi.base.store import JsonLines
from wuzi.errors import ConfigError, RecordError

RUNS_FILE = "runs.jsonl"
SCHEMA = 1
"""Version of a line of ``runs.jsonl``."""

_VAGUE, _VAGUELY = "AMD EPYC, Linux", "AMD EPYC (model not recorded), Linux"
"""What older runs called several kinds of processor, and what pages call it."""
_OLD_CONFIGS = "configs/studies/"
"""Where settings lay before this folder was made."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")


@dataclass(frozen=True, slots=True)
class CampaignRun:
    """One call of ``python -m research play`` or ``train``."""

    started_at: str  # ISO 8601 time, UTC
    commit: str
    machine: str
    engines: dict[str, str] = field(default_factory=dict)  # what each engine calls itself
    command: str = ""  # what was run, for pages that name it

    @classmethod
    def now(cls, engines: Mapping[str, str] | None = None, command: str = "") -> CampaignRun:
        """A run that begins here and now."""
        started_at = datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")
        return cls(started_at, commit(), machine(), dict(engines or {}), command)


def begin(
    out: Path, settings: Path, name: str, run: CampaignRun, first: Callable[[], None] = lambda: None
) -> None:
    """Make and lock the folder of a campaign; do what comes ``first``, copy the settings, note the run."""
    out.mkdir(parents=True, exist_ok=True)
    with filelock.FileLock(out / ".runs.lock"):
        first()
        write_atomic(out / name, settings.read_bytes())
        note_run(out / RUNS_FILE, run)


def note_run(path: Path, run: CampaignRun) -> None:
    """Add a line to ``runs.jsonl``."""
    JsonLines(path, version=SCHEMA).add(asdict(run))


def load_runs(out: Path) -> tuple[CampaignRun, ...]:
    """The runs noted in a campaign's folder, in order; a broken last line is left out."""
    path = out / RUNS_FILE
    if not path.exists():
        raise RecordError(f"{path}: cannot be read: expected the folder of a ladder, study or ablation")
    runs = []
    for where, data in JsonLines(path, version=SCHEMA).objects():
        try:
            run = CampaignRun(**data)
            command = run.command.replace(_OLD_CONFIGS, "research/configs/")
            runs.append(replace(run, machine=run.machine.replace(_VAGUE, _VAGUELY), command=command))
        except TypeError as error:
            raise RecordError(f"{where}: {error}") from None
    return tuple(runs)


def settings_of(out: Path, name: str, command: str) -> Path:
    """The copy of the settings in a campaign's folder."""
    path = out / name
    if not path.exists():
        raise RecordError(f"{out}: no {name}: expected a folder of `wuzi {command}`")
    return path


def games_by_run(records: Sequence[GameResult], runs: Sequence[CampaignRun]) -> dict[tuple[str, str], int]:
    """How many games were played on each machine with each commit, in the order of the records.

    A game belongs to the last run that began before it.
    """
    runs = sorted(runs, key=lambda run: run.started_at)
    starts = [run.started_at for run in runs]
    places = [bisect_right(starts, game.started_at) for game in records]
    return dict(Counter((runs[place - 1].machine, runs[place - 1].commit) for place in places if place))


def on_one_machine(records: Sequence[GameResult], runs: Sequence[CampaignRun]) -> bool:
    """Whether no two kinds of machine can have played these games, so that their times compare."""
    machines = {machine for machine, _ in games_by_run(records, runs)}
    return len(machines) < 2 and not any(_VAGUELY in machine for machine in machines)


def deadline_after(max_time_s: float | None) -> float | None:
    """The time (of ``time.monotonic``) after which no game begins."""
    return None if max_time_s is None else time.monotonic() + max_time_s


def check_name(where: str, *names: str) -> None:
    """Make sure that names can be those of folders."""
    for name in names:
        if not _NAME.fullmatch(name):
            raise ConfigError(f"{where}: expected a name of letters, digits, and -_. (it names a folder)")


def check_distinct(path: Path, what: str, names: Sequence[str]) -> None:
    """Make sure that no name is there twice, and that there is any."""
    if not names:
        raise ConfigError(f"{path}: no {what}s: expected tables [[{what}s]]")
    for name, count in Counter(names).items():
        if count > 1:
            raise ConfigError(f"{path}: two {what}s are called {name!r}")


def check_known(what: str, names: Sequence[str], known: Sequence[str]) -> None:
    """Make sure that names are among those that are known."""
    for name in names:
        if name not in known:
            raise ConfigError(f"{what} {name!r}: expected one of {', '.join(known)}")


def check_book(where: str, openings: str) -> None:
    """Make sure that openings are ``default``, ``auto``, ``none`` or a shipped book."""
    check_known(f"{where}: openings", [openings], ("default", "auto", "none", *shipped_openings()))


def commits_of(names: Sequence[str]) -> str:
    """Commits, each once."""
    return " ".join(f"`{name}`" for name in dict.fromkeys(names))


def machines_of(runs: Sequence[CampaignRun]) -> str:
    """Where runs were made."""
    return escape("; ".join(dict.fromkeys(run.machine for run in runs)))


def days_of(runs: Sequence[CampaignRun], between: str) -> str:
    """The day of runs, or the first and the last."""
    days = sorted({run.started_at[:10] for run in runs})
    return days[0] if len(days) == 1 else f"{days[0]}{between}{days[-1]}"


@dataclass(frozen=True, slots=True)
class Conduct:
    """How a player behaved in some games."""

    forfeits: dict[str, int]  # games lost on ``time``, by a ``crash`` or an ``illegal`` move
    answers: int  # moves played
    late: int  # answers that took longer than the limit, whether the referee let them pass or not
    slowest_s: float | None  # seconds of the slowest answer; None where the record does not tell
    mean_s: float | None  # seconds an answer on average; None without answers


def conduct_of(records: Sequence[GameResult], label: str) -> Conduct:
    """How a player behaved in those of the games it took part in."""
    games = [game for game in records if label in (game.black, game.white)]
    forfeits = Counter(game.reason for game in games if game.forfeit_by == label)
    answers = sum(game.answers_of(label) or 0 for game in games)
    seconds = math.fsum(game.of(label, "time_s") or 0.0 for game in games)
    return Conduct(
        forfeits={reason: forfeits[reason] for reason in sorted(FORFEITS)},
        answers=answers,
        late=sum(game.of(label, "late") or 0 for game in games),
        slowest_s=max((s for game in games if (s := game.of(label, "slowest_s")) is not None), default=None),
        mean_s=seconds / answers if answers else None,
    )
