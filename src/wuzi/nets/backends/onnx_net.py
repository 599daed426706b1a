"""Nets computed by ONNX Runtime."""

from __future__ import annotations

from typing import Any

import numpy as np

from wuzi.nets.backends.numpy_net import check_features
from wuzi.nets.backends.onnx_graph import Ranges, onnx_model
from wuzi.nets.evaluator import Floats
from wuzi.nets.graph import INPUT, POLICY, VALUE, WDL, Graph, Weights


def make_session(model: bytes, threads: int = 1) -> Any:
    """An ONNX Runtime session on the CPU; ``threads`` are per session, 0 for all cores."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


class OnnxEvaluator:
    """An evaluator on ONNX Runtime, one thread by default: a process is the unit of parallel work.

    A net that fits every board gets one session a size, made when first asked for.

    Attributes:
        planes, size: as :class:`wuzi.nets.evaluator.Evaluator`.
        quantized: whether it computes in 8 bits.
        note: why it computes as it does, where that was not asked for; else empty.
    """

    def __init__(
        self,
        graph: Graph,
        weights: Weights,
        *,
        planes: str,
        channels: int,
        size: int | None,
        ranges: Ranges | None = None,
        threads: int = 1,
    ) -> None:
        """Take a net apart from any file; :func:`wuzi.nets.open_net` reads one."""
        self.planes = planes
        self.size = size
        self.quantized = ranges is not None
        self.note = ""
        self._channels = channels
        self._graph, self._weights = graph.evaluation(), weights
        self._ranges = ranges
        self._threads = threads
        self._value = WDL if WDL in graph.outputs else VALUE
        self._sessions: dict[int, Any] = {}

    def evaluate(self, features: Floats) -> tuple[Floats, Floats]:
        """See :class:`wuzi.nets.evaluator.Evaluator`."""
        check_features(features, self.planes, self._channels, self.size)
        session = self._session(features.shape[2])
        inputs = {INPUT: np.ascontiguousarray(features)}
        policy, value = session.run([POLICY, self._value], inputs)
        return policy, value

    def _session(self, size: int) -> Any:
        if size not in self._sessions:
            model = onnx_model(
                self._graph, self._weights, channels=self._channels, size=size, ranges=self._ranges
            )
            self._sessions[size] = make_session(model, self._threads)
        return self._sessions[size]
