"""The files of nets in a run's folder: their names, and when they are written and dropped."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from wuzi.core import Rules
from wuzi.errors import RecordError, TrainingError
from wuzi.nets.evaluator import Floats
from wuzi.nets.file import NetFile, save_net
from wuzi.training.run.directory import BEST, CURRENT, RunDirectory

CALIBRATION = 512
"""Positions on which a net's 8-bit form is measured."""


def net_name(rules: Rules, architecture: str, games: int, rows: int) -> str:
    """A net's name: rules, architecture, games and positions it has learned from."""
    kind = re.sub(r"[^A-Za-z0-9]+", "-", architecture)[:30].strip("-")
    rule = rules.rule.label.replace("_", "-")
    return f"{rule}-{rules.size}x{rules.size}x{rules.win_length}-{kind}-g{games}-r{rows}"


def export_net(
    directory: RunDirectory, make: Callable[[], NetFile], features: Floats | None, *, measured: bool = True
) -> NetFile:
    """Write a net into a run's folder; a TrainingError if its answers are not finite. If ``measured``, its
    8-bit form is, on ``features`` or positions of games from its own policy.
    """
    try:
        net = make()
        if measured:
            net = net.calibrated(CALIBRATION) if features is None else net.quantized(features)
        return save_net(directory.nets / net.card.name, net)
    except RecordError as error:
        raise TrainingError(f"the net cannot be written: {error}") from None


class NumberedNets:
    """Nets of a run named by the iteration they come from: the latest, the best, every ``keep_every``-th."""

    def __init__(self, directory: RunDirectory, rules: Rules, architecture: str, keep_every: int) -> None:
        self._directory, self._keep_every = directory, keep_every
        self._stem = net_name(rules, architecture, 0, 0).partition("-g0")[0]
        self._published: int | None = None

    def write(self, iteration: int, export: Callable[[str], NetFile]) -> dict[str, Any]:
        """Write the net of an iteration under its name and return what a pointer says about it."""
        name = f"{self._stem}-i{iteration:06d}"
        net = save_net(self._directory.nets / name, export(name))
        return {"name": name, "iteration": iteration, "sha256": net.card.weights_sha256}

    def publish(
        self,
        iteration: int,
        export: Callable[[str], NetFile],
        best: int | None,
        export_best: Callable[[str], NetFile],
        judged: tuple[str, str] = ("", ""),
    ) -> None:
        """Write the latest net and the best one (None: its pointer stays), then drop those not kept.

        ``judged`` says by which games the two were.
        """
        if iteration == self._published:
            return
        latest = self.write(iteration, export)
        self._directory.point(CURRENT, **latest, judged=judged[0])
        if best is not None:
            named = latest if best == iteration else self.write(best, export_best)
            self._directory.point(BEST, **named, judged=judged[1])
        numbered = {path.name.partition(".")[0] for path in self._directory.nets.glob(f"{self._stem}-i*")}
        self._directory.prune_nets(
            {name for name in numbered if int(name.rpartition("-i")[2]) % self._keep_every == 0}
        )
        self._published = iteration
