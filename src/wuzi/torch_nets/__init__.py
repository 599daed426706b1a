"""Nets in torch: the documents' and ours, by name, and how they become files (extra: train)."""

from wuzi.torch_nets.blocks import Net, Outputs
from wuzi.torch_nets.files import TorchEvaluator, import_pth, load_module, net_file, weights_of
from wuzi.torch_nets.registry import (
    ARCHITECTURES,
    Architecture,
    NetSpec,
    architecture,
    create_net,
    list_architectures,
    net_spec,
)
from wuzi.torch_nets.tracing import trace

__all__ = [
    "ARCHITECTURES",
    "Architecture",
    "Net",
    "NetSpec",
    "Outputs",
    "TorchEvaluator",
    "architecture",
    "create_net",
    "import_pth",
    "list_architectures",
    "load_module",
    "net_file",
    "net_spec",
    "trace",
    "weights_of",
]
