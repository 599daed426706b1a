"""From the graph of a net to the records that the learner's kernels work through, and their memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from wuzi.errors import ConfigError
from wuzi.nets.evaluator import Floats
from wuzi.nets.fresh import STATISTICS
from wuzi.nets.graph import INPUT, Graph, Node, Weights
from wuzi.training.learner.kernels.layout import BLOCK, BOARDS, GROUP, LANES, OPERATION, LayerKind, Work

_BENT = {"tanh": LayerKind.TANH, "sigmoid": LayerKind.SIGMOID}


def _up(number: int, step: int = LANES) -> int:
    return -(-number // step) * step


@dataclass(frozen=True)
class Tensor:
    """Where a tensor of a batch lies: its first cell, the places from channel to channel, its channels."""

    place: int
    row: int
    channels: int
    is_board: bool
    base: str  # the tensor that it looks at: itself, or one that it is a part of


@dataclass(frozen=True)
class WeightPlace:
    """Where the numbers of a weight lie: among the running statistics or the parameters."""

    is_running: bool
    start: int
    shape: tuple[int, ...]

    @property
    def part(self) -> slice:
        """Its numbers in their array."""
        return slice(self.start, self.start + int(np.prod(self.shape, dtype=np.int64)))


@dataclass
class Program:
    """A net for batches of one size, some of its outputs, and all memory that learning takes.

    A ConfigError for an operation that there is no kernel for.

    Attributes:
        places: of all weights by name, also of those that these outputs do not need.
        tensors: by name.
        trained: the parameters that these outputs need, as parts of the array of parameters.
    """

    graph: Graph
    weights: Weights
    channels: int
    size: int
    batch: int
    places: dict[str, WeightPlace] = field(default_factory=dict)
    tensors: dict[str, Tensor] = field(default_factory=dict)
    trained: list[slice] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._rows: list[dict[str, Any]] = []
        self._floats = self._packed = self._saved = 0
        stride = self.size + 1
        self._area, self._lead = stride * stride, _up(stride + 1)
        self.boards = np.array([(self.batch, self.size, stride, self._area)], BOARDS)[0]
        self._place_weights()
        self._relus = self._fused()
        self.tensors[INPUT] = self._tensor(INPUT, self.channels, True)
        for node in self.graph.nodes:
            self._add(node)
        self._order_gradients()
        self.operations = np.zeros(len(self._rows), OPERATION)
        for record, row in zip(self.operations, self._rows, strict=True):
            for name, value in row.items():
                record[name] = value
        self.work = self._memory()

    def _place_weights(self) -> None:
        ends = {False: 0, True: 0}
        for name, value in self.weights.items():
            running = name.endswith(STATISTICS)
            self.places[name] = WeightPlace(running, ends[running], value.shape)
            ends[running] += value.size
        self._ends = ends
        used = {name for node in self.graph.nodes for name in node.params.values()}
        for name, place in self.places.items():
            if name not in used or place.is_running:
                continue
            if self.trained and self.trained[-1].stop == place.part.start:
                self.trained[-1] = slice(self.trained[-1].start, place.part.stop)
            else:
                self.trained.append(place.part)

    def _fused(self) -> set[str]:
        """The tensors that are only read by a relu, which their operation then does."""
        readers, shown = self.graph.readers(), set(self.graph.outputs.values())
        able = {node.output for node in self.graph.nodes if node.op in ("conv", "linear", "batchnorm", "add")}
        found = set()
        for node in self.graph.nodes:
            if node.op == "relu":
                source = node.inputs[0]
                if source not in able or source in shown or len(readers[source]) > 1:
                    raise ConfigError(f"net: there is no kernel for the relu of {source!r}")
                found.add(source)
        return found

    def _tensor(self, name: str, channels: int, is_board: bool) -> Tensor:
        lead = self._lead if is_board else 0
        row = _up(self._count(is_board) + 2 * lead)
        found = Tensor(self._floats + lead, row, channels, is_board, name)
        self._floats += channels * row
        return found

    def _count(self, is_board: bool) -> int:
        return _up(self.batch * self._area if is_board else self.batch)

    # ------------------------------------------------------------------ operations

    def _add(self, node: Node) -> None:
        if node.op == "constant" or any(name not in self.tensors for name in node.inputs):
            raise self._unknown(node)
        x = self.tensors[node.inputs[0]]
        looks = node.op in ("relu", "spread", "squeeze") or (node.op == "flatten" and not x.is_board)
        if looks:
            self.tensors[node.output] = x
        elif node.op == "slice" and node.attrs["axis"] == 1:
            start, stop = int(node.attrs["start"]), int(node.attrs["stop"])
            self.tensors[node.output] = Tensor(
                x.place + start * x.row, x.row, stop - start, x.is_board, x.base
            )
        elif node.op in ("conv", "linear"):
            self._correlate(node, x)
        elif node.op == "batchnorm" and x.is_board:
            at = {part: self.places[name].start for part, name in node.params.items()}
            if at["var"] != at["mean"] + x.channels:
                raise self._unknown(node)
            more = {"weight": at["weight"], "bias": at["bias"], "norm": at["mean"], "saved": self._saved}
            self._saved += 2 * x.channels
            self._operation(LayerKind.NORM, node, x, x.channels, True, eps=float(node.attrs["eps"]), **more)
        elif node.op == "add":
            self._sum(node)
        elif node.op == "global_pool" and x.is_board:
            self._operation(LayerKind.POOL, node, x, 3 * x.channels, False)
        elif node.op == "flatten" and node.attrs["start"] == 1:
            self._operation(LayerKind.FLATTEN, node, x, x.channels * self.size**2, False)
        elif node.op in _BENT and not x.is_board:
            self._operation(_BENT[node.op], node, x, x.channels, False, count=self.batch)
        else:
            raise self._unknown(node)

    def _correlate(self, node: Node, x: Tensor) -> None:
        weight = self.places[node.params["weight"]]
        taps = weight.shape[2:] or (1, 1)
        pad = list(node.attrs.get("pad", (0, 0)))
        plain = taps in ((1, 1), (3, 3)) and pad == [taps[0] // 2] * 2
        if not plain or "groups" in node.attrs or "taps" in node.attrs or x.is_board != (node.op == "conv"):
            raise self._unknown(node)
        outputs, inputs = weight.shape[:2]
        near = taps[0] * taps[1]
        bias = self.places[node.params["bias"]].start if "bias" in node.params else -1
        more = {"weight": weight.start, "bias": bias, "taps": near}
        for name in ("packed", "packed_back"):
            more[name], self._packed = (
                self._packed,
                self._packed + _up(outputs, GROUP) * _up(inputs, GROUP) * near,
            )
        self._operation(LayerKind.CORRELATE, node, x, outputs, x.is_board, **more)

    def _sum(self, node: Node) -> None:
        one, two = (self.tensors[name] for name in node.inputs)
        if one.channels != two.channels:
            raise self._unknown(node)
        if two.is_board and not one.is_board:
            one, two = two, one
        kind = LayerKind.ADD if one.is_board == two.is_board else LayerKind.ADD_SPREAD
        more: dict[str, Any] = {"x2": two.place, "row_x2": two.row, "base2": two.base}
        self._operation(kind, node, one, one.channels, one.is_board, **more)

    def _operation(
        self, kind: LayerKind, node: Node, x: Tensor, channels: int, is_board: bool, **more: Any
    ) -> None:
        y = self.tensors[node.output] = self._tensor(node.output, channels, is_board)
        # The mask of boards comes first, then that of vectors.
        mask = 0 if x.is_board else self._count(True)
        row: dict[str, Any] = {
            "kind": kind,
            "relu": node.output in self._relus,
            "x": x.place,
            "row_x": x.row,
            "y": y.place,
        }
        row |= {"row_y": y.row, "inputs": x.channels, "outputs": channels, "mask": mask, "base": x.base}
        self._rows.append({**row, "count": self._count(x.is_board), **more})

    @staticmethod
    def _unknown(node: Node) -> ConfigError:
        return ConfigError(f"net: there is no kernel that learns its {node.op} {node.output!r}")

    # ------------------------------------------------------------------ memory

    def _order_gradients(self) -> None:
        """Which operation writes a tensor's gradient first; what several look at is cleared before."""
        looked_at = {self.tensors[name].base for name in self.graph.outputs.values()}
        looked_at |= {
            t.base for name, t in self.tensors.items() if t.channels != self.tensors[t.base].channels
        }
        self._cleared = [self.tensors[base] for base in sorted(looked_at)]
        written = {INPUT, *looked_at}
        for row in reversed(self._rows):
            for base, fresh in (("base", "fresh"), ("base2", "fresh2")):
                name = row.pop(base, None)
                if name is not None:
                    row[fresh] = name not in written
                    written.add(name)
                if base == "base":
                    row["wanted"] = name != INPUT

    def _memory(self) -> Work:
        def floats(count: int) -> Floats:
            return np.zeros(count, np.float32)

        boards, vectors = self._count(True), self._count(False)
        found = Work(
            values=floats(self._floats + BLOCK),
            gradients=floats(self._floats + BLOCK),
            parameters=floats(self._ends[False]),
            weight_gradients=floats(self._ends[False]),
            running=floats(self._ends[True]),
            saved=floats(self._saved),
            packed=floats(self._packed),
            mask=floats(boards + vectors + self._area),
            sums=floats(GROUP * BLOCK),
        )
        cells = found.mask[: self.batch * self._area].reshape(self.batch, self.size + 1, self.size + 1)
        cells[:, : self.size, : self.size] = 1
        found.mask[boards : boards + self.batch] = 1
        return found

    # ------------------------------------------------------------------ what is in it

    def put(self, weights: Mapping[str, npt.NDArray[Any]]) -> None:
        """Take these weights, by name."""
        for name, place in self.places.items():
            self.array(self.work.parameters, self.work.running, place)[...] = weights[name]

    @staticmethod
    def array(parameters: Floats, running: Floats, place: WeightPlace) -> Floats:
        """A weight in its shape, as it lies in arrays of parameters and running statistics."""
        whole = running if place.is_running else parameters
        return whole[place.part].reshape(place.shape)

    def weights_in(self, parameters: Floats, running: Floats) -> dict[str, Floats]:
        """A copy of all weights by name, out of arrays of parameters and running statistics."""
        return {name: self.array(parameters, running, place).copy() for name, place in self.places.items()}

    def clear(self) -> None:
        """No gradients of the outputs and of the parameters yet."""
        self.work.weight_gradients[:] = 0
        for first, count in self._parts_to_clear():
            self.work.gradients[first : first + count] = 0

    def _parts_to_clear(self) -> Iterator[tuple[int, int]]:
        for tensor in self._cleared:
            yield tensor.place - (self._lead if tensor.is_board else 0), tensor.channels * tensor.row

    def plain(self) -> dict[str, Any]:
        """All that a program outside Python needs to run the kernels with it, as JSON-compatible data."""
        shown = {name: self.output(name) for name in self.graph.outputs} | {INPUT: self.tensors[INPUT]}
        return {
            "boards": self.boards.item(),
            "operations": [row.item() for row in self.operations],
            "lengths": {name: len(part) for name, part in self.work._asdict().items()},
            "vectors": self._count(True),
            "tensors": {name: [one.place, one.row, one.channels] for name, one in shown.items()},
            "clear": [*self._parts_to_clear()],
            "trained": [[part.start, part.stop] for part in self.trained],
        }

    def output(self, name: str) -> Tensor:
        """Where an output lies."""
        return self.tensors[self.graph.outputs[name]]

    def numbers(self, name: str) -> Floats:
        """A copy of an output that is a vector, float32 [B, channels]."""
        tensor = self.output(name)
        rows = self.work.values[tensor.place : tensor.place + tensor.channels * tensor.row]
        found: Floats = rows.reshape(tensor.channels, tensor.row)[:, : self.batch].T.copy()
        return found
