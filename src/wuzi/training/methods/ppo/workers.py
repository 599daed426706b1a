"""Playing the groups of games: in this process, or by a crew of workers that hold nothing of their own.

A worker is sent the weights and a group's whole state, and answers with the rollout and the state after it.
What is played does not depend on how many workers there are, a group whose worker is lost is played by
another one, and a checkpoint of the parent is complete at any moment.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import load, save

from wuzi.base.schema import build_config
from wuzi.base.settings import section_values
from wuzi.core import Rules
from wuzi.torch_nets import NetSpec
from wuzi.torch_nets.blocks import Net
from wuzi.training.learner.nets import load_module_arrays
from wuzi.training.methods.ppo.config import PpoConfig
from wuzi.training.methods.ppo.rollout import GameGroup, Rollout, collect, new_group
from wuzi.training.run.checkpoint import Arrays, Checkpoint
from wuzi.workers.crew import Crew, WorkerKind, perform
from wuzi.workers.local import Local


class Collectors:
    """Plays groups of games, by a ``crew`` of ``config.workers`` processes when there is more than one."""

    def __init__(self, config: PpoConfig, rules: Rules, spec: NetSpec) -> None:
        self._config = config
        self.crew: Crew | None = None
        if config.workers > 1:
            setup = {
                "config": section_values(config),
                "rules": [rules.size, rules.win_length, rules.rule.label],
                "net": [spec.name, dict(spec.options), spec.size],
            }
            self.crew = Local().crew(
                WorkerKind("wuzi.training.methods.ppo.workers:GroupPlayer", setup), config.workers
            )

    def collect(
        self, groups: Sequence[GameGroup], net: Net, rival: Net | None, steps: int, *, values_after: bool
    ) -> list[Rollout]:
        """The rollouts of all groups, which have moved on afterwards; see :func:`rollout.collect`.

        Raises what a worker raised; a JobError where workers cannot work.
        """
        if self.crew is None:
            own = partial(collect, self._config, values_after=values_after)
            return [own(group, net, rival, steps) for group in groups]
        weights = Checkpoint()
        for name, module in (("net", net), ("rival", rival)):
            if module is not None:
                weights.put(name, module.state_dict())
        shared = self.crew.share(_packed(weights.arrays))
        how = {"steps": steps, "values_after": values_after}
        tasks = (
            (number, {"number": number, "group": _text(group.arrays()), **how})
            for number, group in enumerate(groups)
        )
        rollouts = []
        for number, answer in perform(self.crew, tasks, in_order=True, shared=shared):
            groups[number].restore(_arrays(answer["group"]))
            rollouts.append(Rollout(**_arrays(answer["rollout"])))
        return rollouts

    def close(self) -> None:
        """End the processes."""
        if self.crew is not None:
            self.crew.close()


class GroupPlayer:
    """Plays a group of games a request; a :class:`wuzi.workers.crew.Worker`."""

    def __init__(self, setup: Mapping[str, Any], files: Mapping[str, Path]) -> None:
        """Make the nets of what :class:`Collectors` gives; their weights come with each request."""
        self._config: PpoConfig = build_config(PpoConfig, {}, setup["config"], "ppo")
        spec = NetSpec(*setup["net"])
        self._net, self._rival = spec.make().eval(), spec.make().eval()
        self._rules = Rules(*setup["rules"])

    def answer(self, request: dict[str, Any], shared: Sequence[bytes]) -> dict[str, Any]:
        """The rollout of a group, and the group's state after it."""
        weights = Checkpoint(load(shared[0]))
        load_module_arrays(self._net, weights.part("net"), "net")
        rival = weights.part("rival")
        if rival:
            load_module_arrays(self._rival, rival, "rival")
        group = new_group(self._config, self._rules, request["number"])
        group.restore(_arrays(request["group"]))
        opponent, after = self._rival if rival else None, request["values_after"]
        found = collect(self._config, group, self._net, opponent, request["steps"], values_after=after)
        return {"rollout": _text(vars(found)), "group": _text(group.arrays())}

    def stop(self) -> None:
        """Nothing takes long."""

    def close(self) -> None:
        """Nothing is held."""


def _packed(arrays: Arrays) -> bytes:
    return save({name: np.asarray(value, order="C") for name, value in arrays.items()})


def _text(arrays: Arrays) -> str:
    return base64.b64encode(_packed(arrays)).decode("ascii")


def _arrays(text: str) -> Arrays:
    found: Arrays = load(base64.b64decode(text))
    return found
