"""Playing the groups of games: here, or in spawned processes that hold nothing of their own.

A worker is sent the weights and a group's whole state and sends back the rollout and the state after it,
as safetensors: what is played does not depend on how many workers there are, and a checkpoint of the
parent is complete at any moment. Workers end when the parent does.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Sequence
from multiprocessing.connection import Connection
from types import TracebackType
from typing import Any, Self

import numpy as np
import torch
from safetensors.numpy import load, save

from wuzi.core import Rules
from wuzi.errors import TrainingError
from wuzi.torch_nets import NetSpec
from wuzi.torch_nets.blocks import Net
from wuzi.training.learner.module_arrays import load_module_arrays
from wuzi.training.methods.ppo.config import PpoConfig
from wuzi.training.methods.ppo.rollout import Group, Rollout, collect, new_group
from wuzi.training.run.checkpoint import Arrays, Checkpoint


class Collectors:
    """Plays groups of games, on ``config.workers`` processes when there is more than one."""

    def __init__(self, config: PpoConfig, rules: Rules, spec: NetSpec) -> None:
        """Start the processes, if any."""
        self._config, self._rules = config, rules
        self._connections: list[Connection] = []
        self._processes: list[Any] = []
        context = multiprocessing.get_context("spawn")
        for _ in range(min(config.workers, config.groups) if config.workers > 1 else 0):
            ours, theirs = context.Pipe()
            process = context.Process(target=_serve, args=(theirs, config, rules, spec), daemon=True)
            process.start()
            theirs.close()
            self._connections.append(ours)
            self._processes.append(process)

    def collect(
        self, groups: Sequence[Group], net: Net, rival: Net | None, steps: int, *, values_after: bool
    ) -> list[Rollout]:
        """The rollouts of all groups, which have moved on afterwards; see :func:`rollout.collect`.

        Raises:
            TrainingError: a worker failed or ended.
        """
        if not self._connections:
            return [
                collect(self._config, group, net, rival, steps, values_after=values_after) for group in groups
            ]
        weights = Checkpoint({"wanted": np.array([steps, values_after])})
        weights.put("net", net.state_dict())
        if rival is not None:
            weights.put("rival", rival.state_dict())
        workers = len(self._connections)
        for number, group in enumerate(groups):
            request = Checkpoint(dict(weights.arrays))
            request.put("group", group.arrays())
            self._send(number % workers, request.arrays)
        rollouts = []
        for number, group in enumerate(groups):
            answer = Checkpoint(self._receive(number % workers))
            group.restore(answer.part("group"))
            rollouts.append(Rollout(**answer.part("rollout")))
        return rollouts

    def _send(self, worker: int, arrays: Arrays) -> None:
        try:
            self._connections[worker].send_bytes(save(_contiguous(arrays)))
        except (BrokenPipeError, ConnectionError):
            raise self._lost(worker) from None

    def _receive(self, worker: int) -> Arrays:
        try:
            answer: Arrays = load(self._connections[worker].recv_bytes())
        except (EOFError, ConnectionError):
            raise self._lost(worker) from None
        if "error" in answer:
            raise TrainingError(f"worker {worker}: {answer['error'].tobytes().decode()}")
        return answer

    def _lost(self, worker: int) -> TrainingError:
        process = self._processes[worker]
        process.join(timeout=5)
        return TrainingError(f"worker {worker} ended with exit code {process.exitcode}")

    def close(self) -> None:
        """End the processes."""
        for connection in self._connections:
            connection.close()
        for process in self._processes:
            process.join(timeout=5)
            if process.is_alive():
                process.terminate()
                process.join()
        self._connections, self._processes = [], []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _contiguous(arrays: Arrays) -> Arrays:
    return {name: np.asarray(value, order="C") for name, value in arrays.items()}


def _serve(connection: Connection, config: PpoConfig, rules: Rules, spec: NetSpec) -> None:
    """A worker's life: one rollout a request until the parent hangs up."""
    torch.set_num_threads(1)
    net, rival, group = spec.make().eval(), spec.make().eval(), new_group(config, rules, 0)
    while True:
        try:
            request = Checkpoint(load(connection.recv_bytes()))
        except (EOFError, ConnectionError, KeyboardInterrupt):
            return
        try:
            answer = _answer(request, config, net, rival, group)
        except Exception as error:
            answer = {"error": np.frombuffer(f"{type(error).__name__}: {error}".encode(), np.uint8)}
        try:
            connection.send_bytes(save(_contiguous(answer)))
        except (BrokenPipeError, ConnectionError, KeyboardInterrupt):
            return


def _answer(request: Checkpoint, config: PpoConfig, net: Net, rival: Net, group: Group) -> Arrays:
    load_module_arrays(net, request.part("net"), "net")
    other = request.part("rival")
    if other:
        load_module_arrays(rival, other, "rival")
    group.restore(request.part("group"))
    steps, values_after = (int(number) for number in request.arrays["wanted"])
    found = collect(config, group, net, rival if other else None, steps, values_after=bool(values_after))
    answer = Checkpoint()
    answer.put("rollout", found.arrays())
    answer.put("group", group.arrays())
    return answer.arrays
