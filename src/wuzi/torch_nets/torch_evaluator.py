"""Nets computed by torch: for training, for GPUs, and as the yardstick of the other backends."""

from __future__ import annotations

import torch

from wuzi.nets.backends.numpy_net import check_features
from wuzi.nets.evaluator import Floats
from wuzi.nets.planes import plane_set
from wuzi.torch_nets.blocks import Net


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
