"""Between torch modules, net files and evaluators."""

from __future__ import annotations

import copy
import io
import math
import os
import pickle
import re
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from wuzi.base.atomic import write_atomic
from wuzi.core import Rules
from wuzi.errors import ConfigError, RecordError
from wuzi.nets import NetCard, NetFile, plane_set
from wuzi.nets.backends.numpy_net import check_features
from wuzi.nets.evaluator import Floats
from wuzi.nets.file import check_answers
from wuzi.nets.graph import Graph
from wuzi.nets.legacy import rows_turned
from wuzi.torch_nets.blocks import Net
from wuzi.torch_nets.frozen import FrozenEvaluator
from wuzi.torch_nets.registry import ARCHITECTURES, NetSpec, net_spec
from wuzi.torch_nets.tracing import trace

_COUNTER = "num_batches_tracked"
"""Batch norm's counter: nothing reads it at a fixed momentum."""

_COLOR = re.compile(r"\x1b\[[0-9;]*m")
"""PyTorch colours its messages, wherever they go."""
_WRAPPERS = ("state_dict", "model_state_dict", "model")


def net_file(
    module: Net, spec: NetSpec, rules: Rules, name: str, recipe: Mapping[str, Any] | None = None
) -> NetFile:
    """A net made from ``spec`` with its weights as they are now, ready to be saved.

    Its check positions are of these rules; ``recipe`` holds free notes on how it was made. A ConfigError
    where the net is for another board size than the rules. A net from elsewhere that graphs cannot express,
    or whose graph answers otherwise, becomes a file all the same, which torch computes.
    """
    if spec.size not in (None, rules.size):
        raise ConfigError(f"net {spec.name} for {spec.size}x{spec.size}: rules are {rules.label}")
    weights = weights_of(module)

    def file(graph: Graph) -> NetFile:
        graph.check(weights)
        card = NetCard(
            name=name,
            architecture=spec.name,
            options=dict(spec.options),
            size=spec.size,
            planes=module.planes,
            rules=rules,
            graph=graph,
            parameters=module.num_parameters(),
            recipe=dict(recipe or {}),
        )
        return NetFile(card, weights).with_checks()

    if spec.name in ARCHITECTURES:
        return file(trace(module))
    try:
        found = file(trace(module))
        check_answers(found, TorchEvaluator(copy.deepcopy(module)))
    except (ConfigError, RecordError) as error:
        return file(Graph.of_module(sorted(outputs_of(module, rules.size)), str(error)))
    return found


def outputs_of(module: Net, size: int) -> frozenset[str]:
    """The names of what a net answers on a board; a ConfigError where it cannot be computed."""
    was_training = module.training
    module.eval()
    planes = torch.zeros(1, plane_set(module.planes).channels, size, size, device=device_of(module))
    try:
        with torch.no_grad():
            # As batches lie in training: what needs another order fails here, and not on the way.
            return frozenset(module(planes.to(memory_format=torch.channels_last)))
    except (RuntimeError, TypeError, ValueError) as error:
        reason = str(error).split("\n", 1)[0][:200]
        raise ConfigError(
            f"net {type(module).__name__} on {size}x{size} cannot be computed: {reason}"
        ) from error
    finally:
        module.train(was_training)


def device_of(module: nn.Module) -> torch.device:
    """Where a module's weights are."""
    return next(module.parameters()).device


def open_module(net: NetFile, threads: int | None = None) -> FrozenEvaluator:
    """An evaluator of a net file by its torch module, unchecked; errors as of :func:`load_module`.

    ``threads`` are torch's for the whole process; None leaves them as they are.
    """
    if threads is not None:
        torch.set_num_threads(threads)
    return FrozenEvaluator(load_module(net))


def weights_of(module: nn.Module) -> dict[str, npt.NDArray[Any]]:
    """The state of a module as float32 arrays by name."""
    return {
        name: value.detach().to("cpu", torch.float32).numpy().copy()
        for name, value in module.state_dict().items()
        if not name.endswith(_COUNTER)
    }


def load_module(net: NetFile) -> Net:
    """The torch module of a net file, in training mode; a ConfigError for an architecture or option that this
    version does not know, a RecordError for weights of other names or shapes.
    """
    card = net.card
    module = NetSpec(card.architecture, card.options, card.size).make()
    arrays = {name: torch.from_numpy(np.array(value)) for name, value in net.weights.items()}
    _load(module, arrays, f"net {card.name}")
    return module


def _load(module: nn.Module, state: Mapping[str, Tensor], source: str) -> None:
    try:
        missing, unexpected = module.load_state_dict(dict(state), strict=False)
    except RuntimeError as error:
        reason = str(error).splitlines()[-1].strip()
        raise RecordError(f"{source}: weights of another shape ({reason})") from None
    lacking = [name for name in missing if not name.endswith(_COUNTER)]
    if lacking or unexpected:
        what = f"lacks {lacking[0]!r}" if lacking else f"has {unexpected[0]!r}, which the net does not know"
        raise RecordError(f"{source}: {what}")


# ---------------------------------------------------------------------------- plain PyTorch files


def import_pth(path: str | os.PathLike[str], rules: Rules | None = None) -> NetFile:
    """Read a plain PyTorch weight file (``torch.save(net.state_dict(), ...)``) of a document's net.

    Known are document 004's net (``conv_init``, ``res_blocks``, ...) and those of the AlphaZero_Gomoku family
    (``conv1`` ... ``val_fc2``, document 003's names too), whose policy counts rows from the bottom.

    It is loaded with ``weights_only``, so that nothing in it is run; ``rules`` are what it was trained for,
    by default freestyle, five in a row (four on 6x6). A RecordError for another file or net.
    """
    source = Path(path)
    state = _read_state(source)
    if "conv_init.weight" in state:
        return _import_res5x32(state, source, rules)
    state = {_family_name(name): value for name, value in state.items()}
    if "act_conv1.weight" in state:
        return _import_family(state, source, rules)
    first = ", ".join(list(state)[:3])
    raise RecordError(f"{source.name}: weights {first}, ... are of no net that wuzi knows")


def export_pth(path: str | os.PathLike[str], net: NetFile) -> None:
    """Write a document's net as the PyTorch weight file of its program: document 004's ``best_model.pth``
    for ``res5x32``, that of documents 001 and 003 for ``basic``, whose policy counts rows from the bottom.

    :func:`import_pth` reads it back. A ConfigError for a net that is of none of these programs.
    """
    card = net.card
    state = {name: value.detach() for name, value in load_module(net).state_dict().items()}
    if card.architecture == "basic" and "act_conv1.weight" in state and card.size is not None:
        turned = torch.from_numpy(rows_turned(card.size).copy())
        for part in ("weight", "bias"):
            state[f"act_fc1.{part}"] = state[f"act_fc1.{part}"][turned]
        state = {name.removeprefix("trunk."): value for name, value in state.items()}
    elif card.architecture != "res5x32":
        raise ConfigError(
            f"net {card.name} ({card.label}): no document's program reads it: expected res5x32 or basic"
        )
    content = io.BytesIO()
    torch.save(state, content)
    write_atomic(Path(path), content.getvalue())


def _read_state(source: Path) -> dict[str, Tensor]:
    content = io.BytesIO(source.read_bytes())
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what it warns of ends in an error here
            found = torch.load(content, map_location="cpu", weights_only=True)
    except pickle.UnpicklingError:
        # What torch says here advises to load the file anyway.
        raise RecordError(
            f"{source.name}: not a plain PyTorch weight file (it holds more than weights, or is damaged)"
        ) from None
    except (RuntimeError, OSError, EOFError, LookupError, ValueError) as error:
        reason = _COLOR.sub("", str(error).split("\n", 1)[0])[:120]
        raise RecordError(f"{source.name}: not a plain PyTorch weight file ({reason})") from None
    for key in _WRAPPERS:
        if isinstance(found, dict) and isinstance(found.get(key), dict):
            found = found[key]
    if not isinstance(found, dict) or not found or not all(isinstance(v, Tensor) for v in found.values()):
        raise RecordError(f"{source.name}: holds no dictionary of weights")
    return {str(name).removeprefix("module."): value for name, value in found.items()}


def _import_res5x32(state: dict[str, Tensor], source: Path, rules: Rules | None) -> NetFile:
    blocks = len({name.split(".")[1] for name in state if name.startswith("res_blocks.")})
    channels = int(state["conv_init.weight"].shape[0])
    size = _square_root(state, "value_fc1.weight", 1, source)
    return _imported(f"res5x32:blocks={blocks},channels={channels}", state, size, source, rules)


def _import_family(state: dict[str, Tensor], source: Path, rules: Rules | None) -> NetFile:
    size = _square_root(state, "act_fc1.weight", 0, source)
    turned = torch.from_numpy(rows_turned(size).copy())
    for part in ("weight", "bias"):
        if f"act_fc1.{part}" in state:
            state[f"act_fc1.{part}"] = state[f"act_fc1.{part}"][turned]
    hidden = int(state["val_fc1.weight"].shape[0]) if "val_fc1.weight" in state else 64
    return _imported(f"basic:value_hidden={hidden}", state, size, source, rules)


_DOCUMENT_003 = {"policyConv": "act_conv1", "policyFc": "act_fc1", "valueConv": "val_conv1"}
_DOCUMENT_003 |= {"valueFc1": "val_fc1", "valueFc2": "val_fc2"}


def _family_name(name: str) -> str:
    """A weight's name in :class:`wuzi.torch_nets.documents.BasicNet`."""
    layer, dot, part = name.partition(".")
    layer = _DOCUMENT_003.get(layer, layer)
    trunk = "trunk." if layer in ("conv1", "conv2", "conv3") else ""
    return f"{trunk}{layer}{dot}{part}"


def _square_root(state: dict[str, Tensor], name: str, axis: int, source: Path) -> int:
    cells = int(state[name].shape[axis]) if name in state else 0
    size = math.isqrt(cells)
    if size < 3 or size * size != cells:
        raise RecordError(f"{source.name}: {name} for {cells} cells: expected a square board")
    return size


def _imported(text: str, state: dict[str, Tensor], size: int, source: Path, rules: Rules | None) -> NetFile:
    made_for = rules or Rules(size=size, win_length=4 if size == 6 else min(5, size))
    if (wanted := made_for.size) != size:
        raise RecordError(f"{source.name}: weights for {size}x{size}: expected {wanted}x{wanted}")
    try:
        spec = net_spec(text, size)
    except ConfigError as error:
        raise RecordError(f"{source.name}: {error}") from None
    module = spec.make()
    _load(module, state, source.name)
    return net_file(module, spec, made_for, source.stem, {"source": f"PyTorch weight file {source.name}"})


class TorchEvaluator:
    """An evaluator of a torch module as its weights are at each call.

    Attributes:
        planes, size: as :class:`wuzi.nets.evaluator.Evaluator`.
    """

    def __init__(
        self, module: Net, device: str | torch.device = "cpu", *, threads: int | None = None
    ) -> None:
        """Evaluate ``module`` on ``device``; the module is moved there.

        ``threads`` are torch's for the whole process; None leaves them as they are.
        """
        if threads is not None:
            torch.set_num_threads(threads)
        self.planes = module.planes
        self.size = module.size
        self._module = module.to(device)
        self._device = torch.device(device)
        self._channels = plane_set(module.planes).channels

    def evaluate(self, features: Floats) -> tuple[Floats, Floats]:
        """See :class:`Evaluator`; batch norms use their running statistics."""
        check_features(features, self.planes, self._channels, self.size)
        was_training = self._module.training
        self._module.eval()
        try:
            with torch.inference_mode():
                found = self._module(torch.from_numpy(features).to(self._device))
        finally:
            self._module.train(was_training)
        value = found["wdl"] if "wdl" in found else found["value"]
        return found["policy"].float().cpu().numpy(), value.float().cpu().numpy()
