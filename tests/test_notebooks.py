"""The notebooks of examples/ run from top to bottom and hold no output."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = sorted((ROOT / "examples").glob("*.ipynb"))
EXECUTE = "import sys; from nbclient.cli import main; sys.argv = ['execute', *sys.argv[1:]]; main()"


@pytest.mark.ci("starts a Jupyter kernel a notebook")
@pytest.mark.kernels
@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_runs(notebook: Path, tmp_path: Path) -> None:
    own = {name: str(tmp_path / name) for name in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "WUZI_DATA_DIR")}
    done = subprocess.run(
        [sys.executable, "-c", EXECUTE, "--timeout=300", "--inplace", notebook.name],
        cwd=_copied(notebook, tmp_path),
        env={**os.environ, **own, "PYTHONPATH": str(ROOT / "src"), "CI": ""},
        capture_output=True,
        text=True,
        check=False,
        timeout=400,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    cells = json.loads((tmp_path / notebook.name).read_text("utf-8"))["cells"]
    outputs = [output for cell in cells for output in cell.get("outputs", ())]
    assert any("image/svg+xml" in output.get("data", {}) for output in outputs), "a board is drawn"
    assert not any(output["output_type"] == "error" for output in outputs)


def test_notebooks_hold_no_output() -> None:
    assert len(NOTEBOOKS) == 3
    for path in NOTEBOOKS:
        for cell in json.loads(path.read_text("utf-8"))["cells"]:
            if cell["cell_type"] == "code":
                assert cell["outputs"] == [] and cell["execution_count"] is None, path.name


def _copied(notebook: Path, folder: Path) -> Path:
    (folder / notebook.name).write_bytes(notebook.read_bytes())
    return folder
