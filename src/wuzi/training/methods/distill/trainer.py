"""Distillation from its first epoch to its last: the teacher's, if it has one, then the student's."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from wuzi.core import Rules
from wuzi.errors import ConfigError, RecordError
from wuzi.nets.file import NetFile
from wuzi.nets.planes import plane_set
from wuzi.torch_nets import create_net, net_file
from wuzi.torch_nets.blocks import Net
from wuzi.training.learner.base import cosine_rate, smaller_rate
from wuzi.training.learner.losses import explained_variance
from wuzi.training.learner.nets import (
    load_module_arrays,
    module_arrays,
    optimizer_arrays,
    passed,
    restore_optimizer,
    scalar_value,
)
from wuzi.training.learner.torch_learner import choose_device, gradient_step, in_bf16
from wuzi.training.methods.distill.config import CHANGEABLE, DistillConfig, DistillForm
from wuzi.training.methods.distill.losses import (
    Parts,
    Targets,
    agreement,
    document_loss,
    principled_loss,
    teacher_loss,
)
from wuzi.training.methods.distill.rows import DistillRows
from wuzi.training.run.checkpoint import Checkpoint

Metrics = dict[str, Any]
_LEAST_MEASURED = 64
"""Positions without which the 8-bit form of a net is not measured."""

LossOf = Callable[[Targets], tuple[Tensor, Parts]]


class _Pupil:
    """A net with its optimiser."""

    def __init__(self, text: str, rules: Rules, config: DistillConfig, device: torch.device) -> None:
        self.net, self.spec = create_net(text, rules.size, seed=config.seed)
        self.net.to(device)
        rate, decay = config.learning_rate, config.l2
        self.optimizer = torch.optim.Adam(self.net.parameters(), lr=rate, weight_decay=decay)


@dataclasses.dataclass
class _Epoch:
    """One going on: its batches, the random state it began with, batches done, their losses so far."""

    batches: list[npt.NDArray[np.intp]]
    begun: Mapping[str, Any]
    done: int = 0
    sums: dict[str, float] = dataclasses.field(default_factory=dict)


class DistillTrainer:
    """A student that learns from games with labels, one epoch at a time.

    ``iteration`` is how many epochs are done, the teacher's among them.
    """

    def __init__(
        self, config: DistillConfig, rules: Rules, rows: DistillRows, *, epochs: int | None = None
    ) -> None:
        """Make fresh nets, whose learning rate falls over the student's ``epochs``, by default ``config``'s.

        A ConfigError for the principled form without labels, too few rows, or nets that read other planes.
        """
        self.config, self.rules = config, rules
        self._device = torch.device(choose_device(config.device, "distill.device"))
        self._half = in_bf16(config.precision, self._device)
        self._epochs = config.epochs if epochs is None else epochs
        self._student = _Pupil(config.net, rules, config, self._device)
        self._teacher = (
            _Pupil(config.teacher, rules, config, self._device)
            if config.form is DistillForm.DOCUMENT
            else None
        )
        named = {"student": self._student, "teacher": self._teacher}
        self._pupils = {name: pupil for name, pupil in named.items() if pupil is not None}
        self.use(rows)
        self._rng = np.random.default_rng([config.seed, 2])
        self.iteration = 0
        self._epoch: _Epoch | None = None
        self._finished = module_arrays(self.net)

    def use(self, rows: DistillRows) -> None:
        """Learn from these rows from now on, such as the student's latest games; raises as at the start."""
        self._rows, self._held = rows.split(self.config.held_out)
        if len(self._rows) < 2:
            raise ConfigError(f"{len(self._rows)} positions to learn from: expected at least 2")
        if self.config.form is DistillForm.PRINCIPLED and not rows.policy.any():
            raise ConfigError("data without labels: the principled form needs those of a teacher (--labels)")
        first = torch.from_numpy(np.asarray(rows.planes[:2])).float().to(self._device)
        for pupil, output in zip(self._pupils.values(), ("policy", "patterns"), strict=False):
            reads = plane_set(pupil.net.planes).channels
            if first.shape[1] != reads or output not in pupil.net.eval()(first):
                raise ConfigError(
                    f"net {pupil.spec.name}: expected one that reads these planes and answers {output}"
                )

    @property
    def net(self) -> Net:
        """The student."""
        return self._student.net

    @property
    def teacher_epochs(self) -> int:
        """How many of the epochs are the teacher's."""
        return self.config.teacher_epochs if self._teacher is not None else 0

    @property
    def total_iterations(self) -> int:
        """All epochs."""
        return self.teacher_epochs + self._epochs

    # ------------------------------------------------------------------ learning

    def run_iteration(self) -> Metrics:
        """The rest of an epoch; its row of metrics. Raises as :meth:`advance`."""
        while (row := self.advance()) is None:
            pass
        return row

    def advance(self) -> Metrics | None:
        """A gradient step of the teacher or the student; a TrainingError where numbers are not finite.

        At the end of an epoch its row of metrics, ``held_`` on games held out.
        """
        teaching = self.iteration < self.teacher_epochs
        pupil = self._teacher if teaching and self._teacher is not None else self._student
        loss_of = self._teacher_loss if teaching else self._student_loss
        epoch = self._epoch = self._epoch or self._new_epoch()
        pupil.net.train()
        rows = self._rows.take(epoch.batches[epoch.done])
        if self.config.symmetries:
            rows = rows.turned(int(self._rng.integers(8)))
        loss, parts = loss_of(Targets(rows, self._device))
        for group in pupil.optimizer.param_groups:
            group["lr"] = self._rate(teaching, epoch)
        change = smaller_rate("distill.learning_rate", self.config.learning_rate)
        gradient_step(pupil.net, pupil.optimizer, loss, self.config.grad_norm or float("inf"), change)
        for name, value in {"loss": loss.detach(), **parts}.items():
            epoch.sums[name] = epoch.sums.get(name, 0.0) + float(value) / len(epoch.batches)
        epoch.done += 1
        if epoch.done < len(epoch.batches):
            return None
        self.iteration, self._epoch = self.iteration + 1, None
        row: Metrics = {"iteration": self.iteration, "phase": "teacher" if teaching else "student"}
        row |= epoch.sums | self._measure(pupil, loss_of, teaching) | {"positions": len(self._rows)}
        self._finished = module_arrays(self.net)
        return row

    def _rate(self, teaching: bool, epoch: _Epoch) -> float:
        first, last = self.config.learning_rate, self.config.learning_rate_last
        if teaching or last is None:
            return first
        done = self.iteration - self.teacher_epochs + epoch.done / len(epoch.batches)
        return cosine_rate(first, last, done / max(1, self._epochs))

    def _new_epoch(self) -> _Epoch:
        """All positions in an order that the random state gives."""
        begun = self._rng.bit_generator.state
        order = self._rng.permutation(len(self._rows))
        return _Epoch(np.array_split(order, max(1, round(len(order) / self.config.batch_size))), begun)

    @torch.no_grad()
    def _measure(self, pupil: _Pupil, loss_of: LossOf, teaching: bool) -> Metrics:
        """The same losses, and what else is worth knowing, on the games held out."""
        if not len(self._held):
            return {}
        pupil.net.eval()
        found: dict[str, float] = {}
        results, values = [], []
        for some in np.array_split(np.arange(len(self._held)), -(-len(self._held) // 1024)):
            batch = Targets(self._held.take(some), self._device)
            loss, parts = loss_of(batch)
            more: Parts = {}
            if not teaching:
                outputs = pupil.net(batch.planes)
                more = agreement(outputs, batch)
                results.append(batch.results)
                values.append(scalar_value(outputs))
            for name, value in {"loss": loss, **parts, **more}.items():
                found[f"held_{name}"] = found.get(f"held_{name}", 0.0) + float(value) * len(some)
        measured = {name: value / len(self._held) for name, value in found.items()}
        if results:
            measured["held_value_explained"] = explained_variance(torch.cat(results), torch.cat(values))
        return measured

    def _teacher_loss(self, batch: Targets) -> tuple[Tensor, Parts]:
        assert self._teacher is not None
        return teacher_loss(self._passed(self._teacher, batch), batch)

    def _student_loss(self, batch: Targets) -> tuple[Tensor, Parts]:
        outputs = self._passed(self._student, batch)
        if self._teacher is None:
            return principled_loss(outputs, batch, self.config)
        self._teacher.net.eval()
        with torch.no_grad():
            said = self._passed(self._teacher, batch)["patterns"]
        return document_loss(outputs, batch, said, self.config)

    def _passed(self, pupil: _Pupil, batch: Targets) -> dict[str, Tensor]:
        """What a net answers, in float32; in training it may be computed in bfloat16."""
        return passed(pupil.net, batch.planes, self._half and pupil.net.training)

    # ------------------------------------------------------------------ stopping and going on

    def state(self) -> Checkpoint:
        """Everything needed to resume with the same rows as if nothing had happened, also within an epoch."""
        state = Checkpoint()
        for name, pupil in self._pupils.items():
            state.put(f"{name}.net", pupil.net.state_dict())
            state.put(f"{name}.optimizer", optimizer_arrays(pupil.optimizer))
        counters = {"iteration": self.iteration, "rng": self._rng.bit_generator.state}
        state.meta = {"method": "distill", **self._facts(), **counters}
        if (epoch := self._epoch) is not None:
            state.put("finished", self._finished)
            state.meta["epoch"] = {"begun": epoch.begun, "done": epoch.done, "sums": epoch.sums}
        return state

    def _facts(self) -> dict[str, Any]:
        """What a state must have in common with the trainer that resumes from it."""
        rows = len(self._rows) + len(self._held)
        return {"config": _kept(dataclasses.asdict(self.config)), "rules": self.rules.label, "rows": rows}

    def restore(self, state: Checkpoint) -> None:
        """Go on where :meth:`state` was taken; raises as :class:`.TrainingMethod`, also for other data."""
        for name, value in self._facts().items():
            known = state.meta.get(name)
            if (_kept(known) if name == "config" and isinstance(known, dict) else known) != value:
                raise ConfigError(f"another {name} than that of the run to resume: {known}")
        try:
            for name, pupil in self._pupils.items():
                load_module_arrays(pupil.net, state.part(f"{name}.net"), name)
                restore_optimizer(pupil.optimizer, state.part(f"{name}.optimizer"))
            self.iteration, self._epoch = state.meta["iteration"], None
            if (notes := state.meta.get("epoch")) is not None:
                self._rng.bit_generator.state = notes["begun"]
                self._epoch = self._new_epoch()
                self._epoch.done, self._epoch.sums = notes["done"], dict(notes["sums"])
            self._finished = state.part("finished") or module_arrays(self.net)
            self._rng.bit_generator.state = state.meta["rng"]
        except KeyError as error:
            raise RecordError(f"a state of distillation without {error}") from None

    def export(self, name: str, *, teacher: bool = False, measured: int = 0) -> NetFile:
        """The student after the last whole epoch, or the teacher as it is, ready to be saved.

        Its 8-bit form is measured on so many positions of the data, if there are enough.
        """
        pupil, net = self._student, self._student.spec.make().eval()
        if teacher and self._teacher is not None:
            pupil, net = self._teacher, self._teacher.net
        else:
            load_module_arrays(net, self._finished, "student")
        config = {key: str(value) for key, value in dataclasses.asdict(self.config).items()}
        recipe = {"method": "distill", "config": config, "iteration": self.iteration}
        found = net_file(net, pupil.spec, self.rules, name, recipe)
        if measured and len(self._rows) >= _LEAST_MEASURED:
            step = max(1, len(self._rows) // measured)
            found = found.quantized(np.asarray(self._rows.planes[::step][:measured], np.float32))
        return found


def _kept(config: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters that a resumed run must have in common with its state."""
    return {name: value for name, value in config.items() if name not in CHANGEABLE}
