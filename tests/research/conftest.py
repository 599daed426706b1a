"""A net called netty among the user's nets."""

from __future__ import annotations

from pathlib import Path

import pytest

from wuzi.core import Rules


@pytest.fixture
def netty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An untrained net that plays on every board; the file's path."""
    from wuzi.nets.file import save_net
    from wuzi.torch_nets import create_net, net_file

    monkeypatch.setenv("WUZI_DATA_DIR", str(tmp_path / "data"))
    folder = tmp_path / "data" / "nets"
    folder.mkdir(parents=True)
    module, spec = create_net("flexible:blocks=1,channels=8", 6, seed=1)
    path = folder / "netty.safetensors"
    save_net(path, net_file(module, spec, Rules(6, 4), "netty"))
    return path
