"""A net whose weights stay as they are, computed by torch in batches whose answers are fetched later."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.utils.fusion import fuse_conv_bn_weights

from wuzi.errors import ConfigError
from wuzi.nets import plane_set
from wuzi.nets.backends.numpy_net import check_features
from wuzi.nets.evaluator import Floats
from wuzi.torch_nets.blocks import Net, Outputs
from wuzi.torch_nets.tracing import trace

_WARM = 3
"""Passes before a graph is recorded: the libraries choose their kernels in these."""


def fused(module: Net) -> Net:
    """A copy for evaluation, each batch norm that alone reads a convolution in its weights; just a copy of a
    net that has no graph.
    """
    net = copy.deepcopy(module).eval().requires_grad_(False)
    try:
        graph = trace(net)
    except ConfigError:
        return net
    readers, made_by = graph.readers(), {node.output: node for node in graph.nodes}
    for node in graph.nodes:
        before = made_by.get(node.inputs[0]) if node.op == "batchnorm" else None
        if before is None or before.op != "conv" or len(readers[before.output]) > 1:
            continue
        conv: Any = net.get_submodule(before.params["weight"].rpartition(".")[0])
        parent, _, own = node.params["weight"].rpartition(".")[0].rpartition(".")
        norm: Any = getattr(net.get_submodule(parent), own)
        if norm.running_mean is None:
            continue
        conv.weight, conv.bias = fuse_conv_bn_weights(
            *(conv.weight, conv.bias, norm.running_mean, norm.running_var, norm.eps, norm.weight, norm.bias)
        )
        setattr(net.get_submodule(parent), own, nn.Identity())
    return net.requires_grad_(False)


class FrozenEvaluator:
    """An evaluator of a copy of a module.

    Planes travel as bytes: those of nets are whole numbers. With ``sizes`` a batch is filled up to the next
    of these, and a GPU replays a graph that was recorded once for each; what has been submitted is computed
    while the caller does something else.

    Attributes:
        planes, size: as :class:`wuzi.nets.evaluator.Evaluator`.
    """

    def __init__(
        self,
        module: Net,
        device: str | torch.device = "cpu",
        *,
        half: bool = False,
        sizes: Sequence[int] = (),
    ) -> None:
        """Evaluate on ``device``, in bfloat16 if ``half``."""
        self.planes, self.size = module.planes, module.size
        self._device, self._sizes = torch.device(device), sorted(sizes)
        self._type = torch.bfloat16 if half else torch.float32
        net: Any = fused(module)
        self._net: Net = net.to(self._device, self._type, memory_format=torch.channels_last)
        self._channels = plane_set(module.planes).channels
        self._free: dict[torch.Size, list[_Batch]] = {}
        self._graphs: dict[torch.Size, tuple[torch.cuda.CUDAGraph, Tensor, Outputs]] = {}

    def evaluate(self, features: Floats) -> tuple[Floats, Floats]:
        """See :class:`Evaluator`."""
        return self.submit(features)()

    def submit(self, features: Floats) -> Callable[[], tuple[Floats, Floats]]:
        """Begin an evaluation; what gives its answer, to be called once. The features may change then."""
        check_features(features, self.planes, self._channels, self.size)
        count = len(features)
        rows = next((size for size in self._sizes if size >= count), count)
        shape = torch.Size((rows, *features.shape[1:]))
        free = self._free.setdefault(shape, [])
        batch = free.pop() if free else _Batch(shape, self._device)
        batch.planes[:count].copy_(torch.from_numpy(features))
        with torch.inference_mode():
            batch.take(self._answers(batch.planes))

        def answer() -> tuple[Floats, Floats]:
            logits, values = (part[:count].copy() for part in batch.answers())
            if self._sizes:
                free.append(batch)
            return logits, values

        return answer

    def _answers(self, planes: Tensor) -> Outputs:
        """Policy and value of planes in host memory, on the device."""
        if self._device.type != "cuda":
            return self._forward(planes)
        if not self._sizes:
            return self._forward(planes.to(self._device, non_blocking=True))
        if planes.shape not in self._graphs:
            self._graphs[planes.shape] = self._recorded(planes)
        graph, inputs, found = self._graphs[planes.shape]
        inputs.copy_(planes, non_blocking=True)
        graph.replay()
        return found

    def _recorded(self, planes: Tensor) -> tuple[torch.cuda.CUDAGraph, Tensor, Outputs]:
        """A graph of a forward pass, the memory that it reads, and that it writes."""
        inputs = planes.to(self._device)
        stream = torch.cuda.Stream()  # type: ignore[no-untyped-call]
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for _ in range(_WARM):
                self._forward(inputs)
        torch.cuda.current_stream().wait_stream(stream)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            found = self._forward(inputs)
        return graph, inputs, found

    def _forward(self, planes: Tensor) -> Outputs:
        found = self._net(planes.to(self._type, memory_format=torch.channels_last))
        value = found["wdl"] if "wdl" in found else found["value"]
        return {"policy": found["policy"].float(), "value": value.float()}


class _Batch:
    """Memory of this machine for a batch on its way: its planes (bytes), and then its answers."""

    def __init__(self, shape: torch.Size, device: torch.device) -> None:
        self._pinned = device.type == "cuda"
        self.planes = torch.zeros(shape, dtype=torch.uint8, pin_memory=self._pinned)
        self._answers: tuple[Tensor, Tensor] | None = None
        self._done = torch.cuda.Event() if self._pinned else None  # type: ignore[no-untyped-call]

    def take(self, found: Outputs) -> None:
        """Fetch answers from the device, where they may still be computed."""
        parts = found["policy"], found["value"]
        if self._done is None:
            self._answers = parts
            return
        if self._answers is None:
            policy, value = (torch.empty(part.shape, dtype=part.dtype, pin_memory=True) for part in parts)
            self._answers = policy, value
        for here, there in zip(self._answers, parts, strict=True):
            here.copy_(there, non_blocking=True)
        self._done.record()

    def answers(self) -> tuple[Floats, Floats]:
        """Logits and values, as soon as they are there."""
        assert self._answers is not None
        if self._done is not None:
            self._done.synchronize()
        logits, values = (np.asarray(part.numpy()) for part in self._answers)
        return logits, values
