"""Which learner a run has: PyTorch's, or the kernels', which need nothing else."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from wuzi.base.imports import need
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


def learner_kind(settings: TrainSettings) -> LearnerKind:
    """Which learner a run has: ``auto`` is PyTorch's where that is installed.

    A MissingExtraError where that is needed and is not there.
    """
    chosen = settings.learn.learner
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
    if learner_kind(settings) is LearnerKind.TORCH:
        from wuzi.training.learner.learner import Learner
        from wuzi.training.learner.nets import make_net

        module, spec = make_net(settings, begun)
        return Learner(module, settings.learn, spec)
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
