"""Which learner a run has: PyTorch's, or the kernels', which need nothing else."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

from wuzi.base import plugins
from wuzi.base.imports import need
from wuzi.errors import ConfigError
from wuzi.nets.file import NetFile, load_net
from wuzi.nets.fresh import LEARNED_HERE, expand_short, fresh_net
from wuzi.nets.loading import read_net
from wuzi.players.spec import parse_spec
from wuzi.training.learner.base import BaseLearner, fitting
from wuzi.training.run.config import LearnerKind, TrainSettings
from wuzi.training.run.presets import Preset


def has_torch() -> bool:
    """Whether PyTorch is installed."""
    try:
        return find_spec("torch") is not None
    except (ImportError, ValueError):  # it is kept out on purpose
        return False


def needs_torch(preset: Preset) -> bool:
    """Whether nothing but PyTorch trains with a preset."""
    net, learn = preset.tables.get("net", {}), preset.tables.get("learn", {})
    if preset.method != "selfplay" or learn.get("learner") == LearnerKind.TORCH:
        return True
    return parse_spec(expand_short(str(net.get("architecture", "basic")))).name not in LEARNED_HERE


def _why_no_learner(found: object) -> str | None:
    return None if callable(found) else f"{found!r} cannot be called with argument, settings and latest net"


LEARNERS: plugins.Registry[Callable[[str, TrainSettings, Path | None], BaseLearner]]
LEARNERS = plugins.Registry(plugins.LEARNERS, "learner", _why_no_learner)
"""Learners of other frameworks, by the name before the colon of ``net.architecture``, as in ``keras:basic``.

They are made of what follows the colon, the settings, and the latest net of a run that is resumed.
"""


def _own_learner(settings: TrainSettings) -> tuple[str, str] | None:
    """The name of a plug-in's learner and its argument; None where the architecture is wuzi's.

    A ConfigError where there is no such plug-in.
    """
    name, colon, argument = settings.net.architecture.partition(":")
    if name not in plugins.installed(plugins.LEARNERS) and (not colon or "=" in argument.partition(":")[0]):
        return None
    LEARNERS.find(name)
    if settings.learn.learner is not LearnerKind.AUTO:
        raise ConfigError(f"learn.learner={settings.learn.learner}: {name} learns itself: expected auto")
    return name, argument


def learner_kind(settings: TrainSettings) -> LearnerKind:
    """Which learner a run has: ``auto`` is PyTorch's where that is installed, or remains for a plug-in's.

    A MissingExtraError where PyTorch is needed and is not there.
    """
    chosen = settings.learn.learner
    if _own_learner(settings) is not None:
        return chosen
    if chosen is LearnerKind.AUTO:
        name = parse_spec(expand_short(settings.net.architecture)).name
        known = settings.net.start is not None or name in LEARNED_HERE
        chosen = LearnerKind.KERNELS if known and not has_torch() else LearnerKind.TORCH
    if chosen is LearnerKind.TORCH:
        need("train", "torch")
    return chosen


def make_learner(settings: TrainSettings, begun: Path | None = None) -> BaseLearner:
    """The learner of a fresh net, or of the one that ``net.start`` names.

    ``begun`` is the latest net of a run that is resumed: the file that it began with may be gone. A
    ConfigError if a net does not exist or does not fit, or its learner cannot do what the settings ask for.
    """
    if (own := _own_learner(settings)) is not None:
        return LEARNERS.find(own[0])(own[1], settings, begun)
    if learner_kind(settings) is LearnerKind.TORCH:
        from wuzi.training.learner.nets import make_net
        from wuzi.training.learner.torch_learner import TorchLearner

        module, spec = make_net(settings, begun)
        return TorchLearner(module, settings.learn, spec)
    from wuzi.training.learner.kernels.learner import KernelLearner

    found = KernelLearner(_first_net(settings, begun), settings.learn, settings.game.rules.size)
    if settings.learn.learner is LearnerKind.AUTO:
        found.remark = "learner=kernels: PyTorch is not installed, so compiled kernels learn, on one core"
    return found


def _first_net(settings: TrainSettings, begun: Path | None) -> NetFile:
    rules, start = settings.game.rules, settings.net.start
    if start is not None:
        return fitting(read_net(start) if begun is None else load_net(begun), start, rules.size)
    spec = parse_spec(expand_short(settings.net.architecture))
    return fresh_net(spec.name, dict(spec.options), rules, settings.run.seed)
