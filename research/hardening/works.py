"""Commands that leave results in a folder and resume from them when they are run again."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from wuzi.arena import load_games
from wuzi.arena.journal import GAMES_FILE
from wuzi.base.atomic import write_atomic
from wuzi.base.store import JsonLines
from wuzi.tactics import PuzzleTheme, load_suite
from wuzi.training import RunDirectory, Shards
from wuzi.training.run.directory import CURRENT, EVALUATIONS, METRICS
from wuzi.workers.local import worker_environment

HERE = Path(__file__).resolve().parent
LOOK_S = 0.05


@dataclass
class Saved:
    """What a work has saved: names with their content, which may never change or be there twice."""

    items: dict[str, str] = field(default_factory=dict)
    doubled: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, pairs: Iterable[tuple[str, str]]) -> Saved:
        """Name and content of each result."""
        found = list(pairs)
        counted = Counter(name for name, _ in found)
        return cls(dict(found), [name for name, count in counted.items() if count > 1])

    def lost_in(self, later: Saved) -> list[str]:
        """What is gone, changed or doubled later."""
        gone = [name for name in self.items if name not in later.items]
        changed = [name for name, content in self.items.items() if later.items.get(name, content) != content]
        groups = (("lost", gone), ("changed", changed), ("doubled", later.doubled))
        return [f"{len(names)} {what}: {', '.join(names[:3])}" for what, names in groups if names]


class CommandWork:
    """A command that writes into a folder; ``life_s`` is how long it works after its first result."""

    kind: str
    life_s = 10.0
    module = "wuzi"

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.quiet = Saved()

    def arguments(self, folder: Path) -> list[str]:
        """Of the module: to begin, or to resume what is in the folder."""
        raise NotImplementedError

    def saved(self, folder: Path) -> Saved:
        """What the folder holds now and may never lose."""
        raise NotImplementedError

    def ended(self, folder: Path) -> Saved:
        """What it holds at the end."""
        return self.saved(folder)

    def start(self, folder: Path) -> AbstractContextManager[subprocess.Popen[bytes]]:
        """Begin or resume."""
        command = [sys.executable, "-m", self.module, *self.arguments(folder)]
        with open(folder.with_name(f"{folder.name}.log"), "ab") as log:
            env = {**os.environ, **worker_environment()}
            return subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=log)

    def await_result(self, process: subprocess.Popen[bytes], folder: Path) -> None:
        """Until something new is in the folder, or the process has ended."""
        before = self.saved(folder).items
        while process.poll() is None and self.saved(folder).items == before:
            time.sleep(LOOK_S)

    def run(self, process: subprocess.Popen[bytes], seconds: float) -> bool:
        """Let it work for so long; whether it still does."""
        with suppress(subprocess.TimeoutExpired):
            process.wait(seconds)
        return process.returncode is None

    def run_quietly(self, folder: Path) -> None:
        """Do it once without a kill: what every other one has to end with."""
        folder.mkdir()
        with self.start(folder) as process:
            self.await_result(process, folder)
            began = time.monotonic()
            process.wait()
        self.life_s = max(2 * LOOK_S, time.monotonic() - began)
        self.quiet = self.ended(folder)
        if process.returncode != 0 or not self.quiet.items or self.quiet.doubled:
            log = folder.with_name(f"{folder.name}.log").read_text("utf-8", "replace")
            raise RuntimeError(f"{self.kind}: the quiet run failed ({process.returncode}): {log[-2000:]}")

    def unlike_quiet(self, process: subprocess.Popen[bytes], folder: Path) -> list[str]:
        """What is wrong at the end."""
        found = self.ended(folder)
        wrong = [] if process.returncode == 0 else [f"exit code {process.returncode} at the end"]
        lacking = self.quiet.items.keys() - found.items.keys()
        more = found.items.keys() - self.quiet.items.keys()
        other = [name for name, text in found.items.items() if self.quiet.items.get(name, text) != text]
        groups = (("lacking", lacking), ("too many", more), ("unlike the quiet run", other))
        return wrong + [f"{len(names)} {what}: {sorted(names)[:3]}" for what, names in groups if names]


def games_in(path: Path, prefix: str = "") -> list[tuple[str, str]]:
    """Each game of a tournament by its pair and its seed, with its moves; RecordError for a doubled one."""
    return [
        (f"{prefix}{game.game_id}", f"{game.black} {game.white} {game.winner} {game.moves}")
        for game in (load_games(path) if path.exists() else [])
    ]


class TournamentWork(CommandWork):
    """``wuzi tournament``: 180 games of three players on 9x9."""

    kind = "tournament"

    def arguments(self, folder: Path) -> list[str]:
        """See :class:`CommandWork`."""
        players = [part for name in ("weight", "minimax:depth=2", "random") for part in ("-p", name)]
        settings = ["--size", "9", "--games", "60", "--seed", str(self.seed), "--no-report"]
        more = ["--resume"] * (folder / "tournament.json").exists()
        return ["tournament", *players, *settings, "--concurrency", "1", "--out", str(folder), *more]

    def saved(self, folder: Path) -> Saved:
        """The games by their places in the plan."""
        return Saved.of(games_in(folder / GAMES_FILE))


class StudyWork(CommandWork):
    """``python -m research play``: two stages of a small study."""

    kind = "study"
    module = "research"

    def arguments(self, folder: Path) -> list[str]:
        """See :class:`CommandWork`."""
        return ["play", str(HERE / "study.toml"), "--out", str(folder)]

    def saved(self, folder: Path) -> Saved:
        """The games of both stages."""
        files = sorted(folder.rglob(GAMES_FILE))
        return Saved.of(pair for path in files for pair in games_in(path, f"{path.parent.name}/"))


class TrainingWork(CommandWork):
    """``wuzi train``: a run so small that it takes seconds, and the same to the last bit every time."""

    kind = "training"
    SETTINGS = (
        *("selfplay.games=2", "selfplay.concurrency=1", "selfplay.workers=1", "selfplay.simulations=4"),
        *("selfplay.reuse=false", "selfplay.random_symmetry=true", "learn.batch=8", "learn.batches=2"),
        *("learn.epochs=1", "learn.threads=1", "evaluate.games=1", "evaluate.interval=1"),
        *("evaluate.playouts=4", "evaluate.simulations=2", "promote.interval=1", "promote.games=2"),
        *("promote.simulations=2", "run.iterations=6", "run.checkpoint_s=0.05"),
    )

    def arguments(self, folder: Path) -> list[str]:
        """See :class:`CommandWork`."""
        where = ["--run-dir", str(folder)]
        if (folder / "run.json").exists():
            return ["train", "--resume", *where]
        settings = [part for one in (*self.SETTINGS, f"run.seed={self.seed}") for part in ("--set", one)]
        return ["train", "--preset", "s3-6x6", *settings, *where]

    def saved(self, folder: Path) -> Saved:
        """The games; a row of an iteration is written again where the last checkpoint is older."""
        games = Shards(folder / "selfplay").read(0) if (folder / "selfplay").is_dir() else ()
        return Saved.of((f"game {game.number}", str(game.moves.tolist())) for game in games)

    def ended(self, folder: Path) -> Saved:
        """The games, the rows of each iteration and the net."""
        run, found = RunDirectory(folder), [*self.saved(folder).items.items()]
        for row in run.rows(METRICS):
            found.append(
                (f"iteration {row['iteration']}", f"{row['total_games']} games, {row['steps']} steps")
            )
        for row in run.rows(EVALUATIONS):
            found.append((f"judged {row['iteration']} {row['kind']} {row['game']}", json.dumps(row)))
        found.append(("net", sha256(run.net_path(CURRENT).read_bytes()).hexdigest()))
        return Saved.of(found)


class SolverWork(CommandWork):
    """``wuzi solve``: the shipped problems, and the answers in a file."""

    kind = "solver"
    PROBLEMS = 300

    def arguments(self, folder: Path) -> list[str]:
        """See :class:`CommandWork`."""
        problems = folder / "problems.jsonl"
        if not problems.exists():
            chosen = load_suite([PuzzleTheme.VCT])[: self.PROBLEMS]
            lines = (
                {
                    "id": one.id,
                    "size": one.rules.size,
                    "rule": one.rules.rule.label,
                    "moves": " ".join(map(str, one.moves)),
                }
                for one in chosen
            )
            write_atomic(problems, "".join(json.dumps(line) + "\n" for line in lines).encode())
        out = ["--out", str(folder / "answers.jsonl")]
        return ["solve", "--positions", str(problems), "--kind", "vct", "--nodes", "20000", *out]

    def saved(self, folder: Path) -> Saved:
        """The answers."""
        rows = [row for _, row in JsonLines(folder / "answers.jsonl").objects()]
        return Saved.of((str(row["id"]), f"{row['result']} {row['moves']}") for row in rows)


WORKS: dict[str, type[CommandWork]] = {
    work.kind: work for work in (TournamentWork, StudyWork, TrainingWork, SolverWork)
}
