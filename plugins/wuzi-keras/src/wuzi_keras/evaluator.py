"""A Keras model as wuzi's evaluator: ``az:net=keras:NAME``."""

from __future__ import annotations

from typing import Any

import keras
import numpy as np
import numpy.typing as npt

from wuzi.errors import ConfigError
from wuzi.nets import read_net
from wuzi.nets.file import check_answers
from wuzi_keras.model import PLANES, from_net

Floats = npt.NDArray[np.float32]


class KerasEvaluator:
    """Policy and value of a model from :func:`wuzi_keras.model.build`.

    Attributes:
        planes: the feature planes it reads.
        size: the board size it is for.
    """

    def __init__(self, model: Any) -> None:
        self.planes = PLANES
        self.size: int | None = int(model.input_shape[-1])
        self._model = model

    def evaluate(self, features: Floats) -> tuple[Floats, Floats]:
        """Logits [B, N * N] and values [B] of planes float32 [B, 4, N, N].

        Raises:
            ConfigError: features of another shape.
        """
        expected = tuple(self._model.input_shape[1:])
        if features.shape[1:] != expected:
            raise ConfigError(f"features {features.shape}: expected [B, {', '.join(map(str, expected))}]")
        batch = len(features)
        # JAX and TensorFlow compile once a shape: batches come in powers of two.
        padded = np.zeros((1 << max(batch - 1, 0).bit_length(), *expected), np.float32)
        padded[:batch] = features
        found = self._model.predict_on_batch(padded)
        policy, value = (np.asarray(found[name], np.float32)[:batch] for name in ("policy", "value"))
        return policy, value[:, 0]


def open_evaluator(argument: str) -> KerasEvaluator:
    """The evaluator of a net's name or file, its answers compared with the card's (entry point).

    Raises:
        ConfigError: no name, no such net, or not of the ``basic`` architecture.
        RecordError: the file is damaged, or Keras computes something else.
    """
    if not argument:
        raise ConfigError("net=keras needs a net: expected net=keras:NAME or net=keras:FILE")
    net = read_net(argument)
    evaluator = KerasEvaluator(from_net(net))
    check_answers(net, evaluator)
    return evaluator


def backend() -> str:
    """What computes, with its version: ``jax 0.10.2, keras 3.15.1``."""
    name = keras.backend.backend()
    module = __import__(name)
    return f"{name} {module.__version__}, keras {keras.__version__}"
