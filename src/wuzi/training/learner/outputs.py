"""Reading a net's outputs."""

from __future__ import annotations

from torch import Tensor

from wuzi.torch_nets.blocks import Outputs


def scalar_value(outputs: Outputs) -> Tensor:
    """The value [B] in [-1, 1] for the side to move, also of a net that answers win, draw and loss."""
    return outputs["wdl"][:, 0] - outputs["wdl"][:, 2] if "wdl" in outputs else outputs["value"]
