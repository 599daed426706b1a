"""From the learner to net files: named, measured in 8 bits, written whole."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from torch import Tensor

from wuzi.core import Rules
from wuzi.errors import RecordError, TrainingError
from wuzi.nets.calibration import sample_positions
from wuzi.nets.evaluator import Floats
from wuzi.nets.file import NetFile, save_net
from wuzi.torch_nets import NetSpec, net_file
from wuzi.training.run.directory import RunDirectory

CALIBRATION = 512
"""Positions on which a net's 8-bit form is measured."""


def net_name(rules: Rules, architecture: str, games: int, rows: int) -> str:
    """A net's name: rules, architecture, games and positions it has learned from."""
    kind = re.sub(r"[^A-Za-z0-9]+", "-", architecture)[:30].strip("-")
    rule = rules.rule.label.replace("_", "-")
    return f"{rule}-{rules.size}x{rules.size}x{rules.win_length}-{kind}-g{games}-r{rows}"


def export_net(
    directory: RunDirectory,
    spec: NetSpec,
    weights: Mapping[str, Tensor],
    rules: Rules,
    name: str,
    recipe: Mapping[str, Any],
    features: Floats | None,
) -> NetFile:
    """Write a net into a run's folder.

    Args:
        directory: the run.
        spec: what the net is.
        weights: its state.
        rules: what it is for.
        name: its name.
        recipe: notes on how it was made.
        features: positions to measure its 8-bit form on; None for those of games drawn from its own policy.

    Raises:
        TrainingError: its answers are not finite.
        OSError: it cannot be written.
    """
    module = spec.make()
    module.load_state_dict(dict(weights))
    module.eval()
    try:
        net = net_file(module, spec, rules, name, recipe)
        if features is None:
            features = sample_positions(net.onnx(int8=False), rules, CALIBRATION)
        return save_net(directory.nets / name, net.quantized(features))
    except RecordError as error:
        raise TrainingError(f"the net {name} cannot be written: {error}") from None
