"""wuzi's ``basic`` net in Keras 3: trained and computed on TensorFlow, JAX or PyTorch.

A plug-in of wuzi and an example for others: :mod:`wuzi_keras.model` is the net and its weights,
:mod:`wuzi_keras.evaluator` computes it for players, :mod:`wuzi_keras.training` trains it on games.

The environment variable ``KERAS_BACKEND`` says what computes; without it the first installed of torch,
tensorflow and jax does.
"""

import os
from importlib.util import find_spec

__version__ = "0.1.0"

_BACKENDS = ("torch", "tensorflow", "jax")

# Keras itself would take TensorFlow, installed or not.
os.environ.setdefault("KERAS_BACKEND", next((name for name in _BACKENDS if find_spec(name)), "torch"))
