"""A Ray cluster of several nodes on this machine, for tests and measurements.

``python -m research.cluster.local_cluster`` starts a head without processors and prints ``{"address": ...}``.
Every line it reads is answered by a line: ``{"add": CPUS}`` adds a node and answers ``{"node": NUMBER}``,
``{"kill": NUMBER}`` kills one without warning. It ends, with all nodes, when its input does. Everything
listens on the loopback interface alone.
"""

from __future__ import annotations

import json
import sys
from typing import Any, Self

from wuzi.workers.line_process import LineProcess, take_stdout
from wuzi.workers.ray_executor import ENVIRONMENT

_STORE_BYTES = 80 << 20
_START_S = 300.0


class LocalCluster:
    """The cluster in a process of its own."""

    def __init__(self, *cpus: int) -> None:
        """Start the head, and for each number a node with that many processors."""
        self._process = LineProcess([sys.executable, __file__], env=ENVIRONMENT)
        self.address: str = self._read()["address"]
        self.nodes = [self.add(count) for count in cpus]

    def add(self, cpus: int) -> int:
        """Start another node; its number."""
        self._process.send(json.dumps({"add": cpus}))
        return int(self._read()["node"])

    def kill(self, node: int) -> None:
        """Kill a node with all its workers."""
        self._process.send(json.dumps({"kill": node}))
        self._read()

    def close(self) -> None:
        """End all nodes."""
        self._process.close(grace_s=30.0)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _read(self) -> Any:
        return json.loads(self._process.read(_START_S))


def main() -> None:
    """Keep a cluster until the input ends."""
    write = take_stdout()  # Ray prints
    from ray.cluster_utils import Cluster

    common = {
        "node_ip_address": "127.0.0.1",
        "object_store_memory": _STORE_BYTES,
        "include_dashboard": False,
        "include_log_monitor": False,
    }
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, **common})
    nodes: list[Any] = []
    write(json.dumps({"address": cluster.address}))
    try:
        for line in sys.stdin:
            request = json.loads(line)
            if "add" in request:
                nodes.append(cluster.add_node(num_cpus=request["add"], **common))
                write(json.dumps({"node": len(nodes) - 1}))
            else:
                cluster.remove_node(nodes[request["kill"]], allow_graceful=False)
                write("{}")
    finally:
        cluster.shutdown()


if __name__ == "__main__":
    main()
