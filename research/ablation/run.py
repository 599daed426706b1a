"""Training and playing the arms that are not in the folder yet; see :mod:`research.campaign`.

::

    DIR/seed-claims/no-norm-s1/arm.json     seconds spent, whether it is complete, or why it failed
    DIR/seed-claims/no-norm-s1/train/       the run (wuzi train); not needed when the arm is complete
    DIR/seed-claims/no-norm-s1/net.*        the net it ended with, and metrics.jsonl with its losses
    DIR/seed-claims/no-norm-s1/match/       its games against the base of the same seed
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from research.ablation.config import BASE, AblationArm, AblationConfig, ArmGroup
from research.campaign import CampaignRun, begin, deadline_after
from research.run import shown_path
from wuzi.arena import Entry, GameResult, TournamentConfig, continue_tournament, load_games
from wuzi.arena.journal import GAMES_FILE
from wuzi.arena.provenance import machine
from wuzi.arena.tournament import is_over
from wuzi.base.atomic import write_atomic
from wuzi.base.store import read_object, write_object
from wuzi.errors import ConfigError, RecordError, TrainingError
from wuzi.nets import load_net, save_net
from wuzi.training import Event, RunDirectory, load_preset, train
from wuzi.training.run.directory import CURRENT

CONFIG_FILE, ARM_FILE, NET, MATCH, TRAIN = "ablation.toml", "arm.json", "net.safetensors", "match", "train"
METRICS = "metrics.jsonl"
_NOTED_S = 5.0
"""Seconds of training that a crash may leave uncounted."""

SCHEMA = 1


@dataclass(frozen=True, slots=True)
class ArmState:
    """Where a training stands."""

    settings: str  # hash of its parameters and its time
    # where it was begun, and is to end: a time elsewhere is another amount of training; empty in files from
    # before it was noted, which match no machine
    machine: str = ""
    spent_s: float = 0.0  # seconds so far
    complete: bool = False  # whether its time is used up, or its schedule is done
    failed: str = ""  # why it ended early; empty if it did not

    @property
    def over(self) -> bool:
        """Whether there is nothing left to train."""
        return self.complete or bool(self.failed)


Say = Callable[[str], None]


def run_ablation(
    config: AblationConfig,
    out: Path,
    *,
    arms: Sequence[str] = (),
    max_time_s: float | None = None,
    say: Say = lambda _: None,
) -> bool:
    """Train and match what is not in the folder yet; whether everything that was chosen is complete.

    ``arms`` are keys such as ``seed-claims/no-norm``, or of groups; all when empty. Each comes after the base
    of its group. After ``max_time_s`` seconds nothing begins, and a training stops. Killed at any
    moment, the next call continues: trainings in their own folders, matches game by game. Equal time means
    one machine: an arm whose base (or first part) was trained on another is left out with a message.

    Raises:
        ConfigError: wrong names, or a folder of other settings.
        RecordError: the folder holds a broken record.
    """
    config.check_arms(arms)
    deadline = deadline_after(max_time_s)
    begin(out, config.path, CONFIG_FILE, CampaignRun.now(command=shown_path(config.path)))
    whole = True
    for group, arm, seed in _work(config, arms):
        if elsewhere := _trained_elsewhere(group, arm, seed, out):
            say(f"{arm.key}, seed {seed}, left out: {elsewhere}")
            whole = False
            continue
        for one in (group.base, arm):
            train_arm(config, one, seed, out, deadline, say)
        if is_over(deadline):
            return False
        if arm.name != BASE:
            play_match(config, group, arm, seed, out, deadline)
        if is_over(deadline):
            return False
    return whole


def _trained_elsewhere(group: ArmGroup, arm: AblationArm, seed: int, out: Path) -> str:
    """Why an arm cannot be trained on this machine; empty if it can, or needs no more training."""
    states = {one.key: load_state(one, seed, out) for one in (group.base, arm)}
    if all(state is not None and state.over for state in states.values()):
        return ""
    here = machine()
    for key, state in states.items():
        if state is not None and state.machine != here:
            return (
                f"{key} was trained on {state.machine or 'an unknown machine'!r}, and this is {here!r}: "
                "expected the same machine for an arm and its base; another --out begins anew here"
            )
    return ""


def _work(config: AblationConfig, names: Sequence[str]) -> Iterator[tuple[ArmGroup, AblationArm, int]]:
    """Arms in order, with the first seed of each before any arm's second."""
    most = max(len(arm.seeds) for arm in config.arms())
    for turn in range(most):
        for group in config.groups:
            for arm in group.all:
                # A base is trained with the first arm that meets it, alone only if it was asked for.
                alone = arm.name == BASE and group.arms and arm.key not in names
                wanted = not names or arm.key in names or arm.group in names
                if not alone and wanted and turn < len(arm.seeds):
                    yield group, arm, arm.seeds[turn]


def arm_folder(arm: AblationArm, seed: int, out: Path) -> Path:
    """Where an arm's training with a seed lies."""
    return out / arm.group / f"{arm.name}-s{seed}"


def load_state(arm: AblationArm, seed: int, out: Path) -> ArmState | None:
    """Where a training stands; None before it was begun."""
    path = arm_folder(arm, seed, out) / ARM_FILE
    if not path.exists():
        return None
    try:
        data = read_object(path)
        if data.pop("v", None) != SCHEMA:
            raise TypeError(f"expected schema version {SCHEMA}")
        return ArmState(**data)
    except TypeError as error:
        raise RecordError(f"{path}: {error}") from None


def train_arm(
    config: AblationConfig,
    arm: AblationArm,
    seed: int,
    out: Path,
    deadline: float | None = None,
    say: Say = print,
) -> ArmState:
    """Train an arm until its time is used up; nothing if it is.

    A training that fails (a loss that is not finite) is a result, noted with its reason.
    """
    folder = arm_folder(arm, seed, out)
    plan = arm.plan(seed)
    mark = _digest(arm, seed, config.minutes)
    state = load_state(arm, seed, out) or ArmState(mark, machine())
    if state.settings != mark:
        raise ConfigError(f"{folder}: was trained with other settings or minutes: choose another --out")
    left = config.minutes * 60 - state.spent_s
    if deadline is not None:
        left = min(left, deadline - time.monotonic())
    if state.over or left <= 0:
        return state
    say(f"{arm.key}, seed {seed}: {state.spent_s / 60:.1f} of {config.minutes:g} minutes so far")
    directory = RunDirectory(folder / TRAIN)
    if not directory.exists:
        directory.create(plan.toml(), {"method": plan.method.name, "preset": plan.preset})
    clock = _Clock(folder / ARM_FILE, state)
    failed, ended = "", False
    try:
        ended = train(directory.path, plan.settings, observe=clock, max_seconds=left)
    except TrainingError as error:
        failed = str(error)
    spent = clock.spent()
    complete = ended or spent >= config.minutes * 60
    if (complete or failed) and (metrics := directory.path / METRICS).exists():
        write_atomic(folder / METRICS, metrics.read_bytes())
    if complete and not failed and directory.pointed(CURRENT) is None:
        failed = f"{spent:.0f} s were over before there was a net: expected more minutes"
    if complete and not failed:
        save_net(folder / NET, load_net(directory.net_path(CURRENT)))
    state = replace(state, spent_s=spent, complete=complete and not failed, failed=failed)
    _write(folder / ARM_FILE, state)
    return state


def match_of(
    config: AblationConfig, group: ArmGroup, arm: AblationArm, seed: int, out: Path
) -> TournamentConfig:
    """The match of an arm against the base of the same seed; its files are named relative to ``out``."""
    nets = [arm_folder(one, seed, out) / NET for one in (arm, group.base)]
    specs = [group.player(net.relative_to(out).as_posix()) for net in nets]
    rules = arm.rules
    book = config.book(rules)
    if Path(book).is_file():
        book = Path(os.path.relpath(book, out)).as_posix()
    return TournamentConfig(
        entries=(Entry(specs[0], arm.name), Entry(specs[1], BASE)),
        rules=rules,
        games=config.games,
        openings=book,
        transform=book != "none",
        seed=config.seed * 1000 + seed,
        limit=group.budget,
    )


def play_match(
    config: AblationConfig,
    group: ArmGroup,
    arm: AblationArm,
    seed: int,
    out: Path,
    deadline: float | None = None,
) -> None:
    """Play what is left of an arm's match; nothing while a net is not there.

    It plays from within ``out``, so that its record is the same wherever the folder lies.
    """
    folder = arm_folder(arm, seed, out)
    states = [load_state(one, seed, out) for one in (arm, group.base)]
    if not all(state is not None and state.complete for state in states):
        return
    match, folder = match_of(config, group, arm, seed, out), folder.resolve()
    with contextlib.chdir(out):
        continue_tournament(match, folder / MATCH, deadline=deadline, concurrency=1)


def load_match(arm: AblationArm, seed: int, out: Path) -> list[GameResult]:
    """The games of an arm against its base, both trained with this random seed."""
    games: Sequence[GameResult] = load_games(arm_folder(arm, seed, out) / MATCH / GAMES_FILE)
    return [replace(game, game_id=f"s{seed}-{game.game_id}") for game in games]


class _Clock:
    """Counts the seconds of a training, and writes them down every now and then."""

    def __init__(self, path: Path, state: ArmState) -> None:
        self._path, self._state = path, state
        self._begun = self._noted = time.monotonic()
        path.parent.mkdir(parents=True, exist_ok=True)
        _write(path, state)

    def __call__(self, event: Event) -> None:
        """Something happened in training."""
        if time.monotonic() - self._noted > _NOTED_S:
            self._noted = time.monotonic()
            _write(self._path, replace(self._state, spent_s=self.spent()))

    def spent(self) -> float:
        """Seconds of this and earlier runs."""
        return self._state.spent_s + time.monotonic() - self._begun


def _write(path: Path, state: ArmState) -> None:
    write_object(path, {"v": SCHEMA, **asdict(state)}, indent=1)


def _digest(arm: AblationArm, seed: int, minutes: float) -> str:
    """Changes with whatever was chosen for a training, not with new parameters that have defaults."""
    tables = {name: dict(table) for name, table in load_preset(arm.preset).tables.items()}
    tables["run"].pop("rescue", None)  # never used here
    data = [arm.preset, tables, arm.sets, arm.changed, seed, minutes]
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()[:12]
