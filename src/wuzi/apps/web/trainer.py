"""Beginning and ending training runs: ``wuzi train`` commands as the server's children, one folder each.

A run's own folder is in the folder of runs, under the name it was given; what the server needs to know of
the process that it started is beside its other data. A request becomes a command line here and nowhere else.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from wuzi.apps.web.children import Children, ChildStatus, LiveChild
from wuzi.apps.web.problems import ProblemError
from wuzi.apps.web.schemas_jobs import GoOn, NewRun, PresetOut, RunChoice, RunTimeOut
from wuzi.apps.web.settings import Settings
from wuzi.base.settings import merged
from wuzi.errors import MissingExtraError
from wuzi.training.learner.choice import has_torch, needs_torch
from wuzi.training.run.directory import RunDirectory
from wuzi.training.run.presets import list_presets, load_preset
from wuzi.training.run.reader import RunReader
from wuzi.workers.line_process import LineProcess

FOLDER = "training"
ENDING_S = 10.0
"""So long a request to stop waits for the end."""

_FLAGS = ("preset", "size", "win_length", "iterations", "samples", "simulations", "workers", "seed")
"""What a request may say, by the flags of ``wuzi train``: names, numbers and nothing else."""


class Trainer:
    """The runs that this server trains."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._children = Children(settings.data_dir / FOLDER, self._command, settings.max_trainings)
        self._of_run: dict[str, LiveChild] = {}
        self._endings: set[asyncio.Future[None]] = set()
        self._trial_turn = asyncio.Lock()
        self._trial: LineProcess | None = None

    @property
    def is_allowed(self) -> bool:
        """Whether runs may be begun and ended here at all."""
        chosen = self._settings
        return None not in (chosen.training_token, chosen.runs_dir) and not chosen.read_only

    @property
    def missing(self) -> MissingExtraError | None:
        """What says that PyTorch is not installed, which some presets need; None where it is."""
        return None if has_torch() else MissingExtraError("train", "PyTorch")

    def check_token(self, token: str | None) -> None:
        """ProblemError for who does not know the token, and where this server trains nothing."""
        wanted = self._settings.training_token
        if wanted is None or not self.is_allowed:
            detail = "this server trains nothing: see wuzi serve --allow-training"
            raise ProblemError(403, "training_disabled", detail)
        if token is None or not hmac.compare_digest(token.encode(), wanted.encode()):
            raise ProblemError(403, "bad_token", "X-Wuzi-Token: expected the token that wuzi serve printed")

    def owns(self, run_id: str) -> bool:
        """Whether a process that this server started is at work in the run."""
        return run_id in self._of_run and not self._of_run[run_id].is_over

    @property
    def names(self) -> list[str]:
        """The runs that this server trains or has trained."""
        return list(self._of_run)

    def begun(self, run_id: str) -> float:
        """When a run was asked for here, in seconds since 1970; 0 for one of other servers."""
        child = self._of_run.get(run_id)
        return 0.0 if child is None else child.state.created

    def coming(self, run_id: str) -> RunReader | None:
        """A run that was begun here and has no folder yet; None where there is no such run."""
        child = self._of_run.get(run_id)
        if child is None or "preset" not in child.state.request:
            return None
        return planned(self._folder(run_id), child.state.request)

    def can_stop(self, run_id: str) -> bool:
        """Whether there is such a process and it was not told to end yet."""
        return self.owns(run_id) and not self._of_run[run_id].stopping

    def was_stopped(self, run_id: str) -> bool:
        """Whether the process that this server started has ended because it was told to."""
        child = self._of_run.get(run_id)
        return child is not None and child.status is ChildStatus.STOPPED

    def failure(self, run_id: str) -> str:
        """Why the process that this server started has failed; empty where it did not."""
        child = self._of_run.get(run_id)
        return child.state.message if child is not None and child.is_over else ""

    async def begin(self, request: NewRun) -> None:
        """Begin a run, in a folder that the process makes in a moment.

        ProblemError: the name is taken, or too many runs are going on. ConfigError: no such preset or board.
        MissingExtraError: the preset needs PyTorch.
        """
        self._check_preset(request.preset)
        folder = self._folder(request.name)
        if folder.exists() or self.owns(request.name):
            raise ProblemError(409, "name_taken", f"run {request.name}: there is one of this name already")
        given = request.model_dump(exclude_none=True)
        planned(folder, given)
        await self._start(request.name, given)

    async def estimate(self, choice: RunChoice) -> RunTimeOut:
        """Measure how long a run would take, one at a time.

        ConfigError: no such preset or board. ProblemError: the measurement failed. MissingExtraError: the
        preset needs PyTorch.
        """
        self._check_preset(choice.preset)
        given = choice.model_dump(exclude_none=True)
        planned(Path(), given)
        async with self._trial_turn:
            return await asyncio.to_thread(self._measure, ["train", *_flags(given), "--dry-run", "--json"])

    def _check_preset(self, name: str) -> None:
        if (missing := self.missing) is not None and needs_torch(load_preset(name)):
            raise missing

    def _measure(self, command: Sequence[str]) -> RunTimeOut:
        with LineProcess([sys.executable, "-m", "wuzi", *command]) as process:
            self._trial = process
            lines = []
            try:
                while True:
                    lines.append(process.read())
            except EOFError as end:
                if process.returncode != 0:
                    raise ProblemError(422, "no_estimate", f"no estimate: {end}") from None
            finally:
                self._trial = None
        return RunTimeOut.model_validate({"seconds": json.loads(lines[-1])["seconds"]})

    async def resume(self, run_id: str, more: GoOn) -> None:
        """Go on with a run of the folder, whoever began it; ProblemError if a process is at work there."""
        if self.owns(run_id) or RunDirectory(self._folder(run_id)).is_locked:
            raise ProblemError(409, "engine_busy", f"run {run_id}: a process is at work there")
        await self._start(run_id, {"name": run_id, **more.model_dump(exclude_none=True)})

    async def stop(self, run_id: str) -> None:
        """End the process that this server started; what it has done stays. A slow end is not waited for."""
        if not self.owns(run_id):
            raise ProblemError(409, "not_ours", f"run {run_id}: this server has started no process there")
        ending = asyncio.ensure_future(self._children.stop(self._of_run[run_id]))
        self._endings.add(ending)
        ending.add_done_callback(self._endings.discard)
        await asyncio.wait({ending}, timeout=ENDING_S)

    async def revive(self) -> None:
        """Resume the runs that the end of an earlier server has stopped."""
        if not self.is_allowed:
            return
        await self._children.revive()
        for child in await self._children.all():
            if not child.is_over:
                self._of_run[str(child.state.request["name"])] = child

    async def close(self) -> None:
        """Stop all runs; the next server resumes them."""
        if self._trial is not None:
            await asyncio.to_thread(self._trial.kill)
        await self._children.close()

    async def _start(self, run_id: str, request: Mapping[str, Any]) -> None:
        for child in await self._children.all():
            if child.state.request.get("name") == run_id and child.is_over:
                await self._children.delete(child)
        self._of_run[run_id] = await self._children.create(dict(request))

    def _folder(self, run_id: str) -> Path:
        assert self._settings.runs_dir is not None
        return self._settings.runs_dir / run_id

    def _command(self, child: LiveChild) -> Sequence[str]:
        """``wuzi train`` for a request; it resumes where the folder has a run."""
        request = child.state.request
        folder = self._folder(request["name"])
        command = ["train", "--run-dir", str(folder)]
        if RunDirectory(folder).exists:
            command.append("--resume")
            if "preset" in request:  # what it was begun with is in its folder
                request = {"max_minutes": request.get("max_minutes")}
        command += _flags(request)
        if minutes := request.get("max_minutes"):
            command += ["--max-time", f"{60 * float(minutes):.0f}s"]
        return command


def _flags(request: Mapping[str, Any]) -> list[str]:
    """The options of ``wuzi train`` for a request."""
    options = []
    for name in filter(request.__contains__, _FLAGS):
        value = "auto" if name == "workers" and request[name] == 0 else str(request[name])
        options += [f"--{name.replace('_', '-')}", value]
    return options


def planned(folder: Path, request: Mapping[str, Any]) -> RunReader:
    """A run that was asked for, before its process has made its folder; ConfigError if that cannot be."""
    preset = load_preset(request["preset"])
    sections = {"game": ("size", "win_length"), "run": ("iterations",)}
    given = {
        section: {key: request[key] for key in keys if key in request} for section, keys in sections.items()
    }
    tables = merged(preset.tables, given)
    return RunReader(folder, {"method": preset.method, "preset": preset.name, **tables})


def presets() -> list[PresetOut]:
    """The presets a run can begin with here."""
    every = has_torch()
    return [
        PresetOut.model_validate({**vars(preset), "size": preset.tables.get("game", {}).get("size", 9)})
        for preset in list_presets()
        if every or not needs_torch(preset)
    ]
