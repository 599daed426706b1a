"""The container image without a container: the commands of its file, and the server that they make."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from tests.web_server import until

ROOT = Path(__file__).resolve().parent.parent
PLACES = re.compile(r"(?<![\w./:])/(?=(?:source|wheels|opt/wuzi|var/lib/wuzi|var/cache/wuzi)\b)")


@pytest.mark.skipif(os.name != "posix", reason="runs a shell")
@pytest.mark.may_skip
@pytest.mark.ci("builds a wheel and installs it with all it needs")
def test_the_commands_of_the_image_make_a_server_that_is_healthy(tmp_path: Path) -> None:
    """All RUN lines in their order, below a folder in the place of the root; root's commands do nothing."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    text = (ROOT / "deploy" / "Dockerfile").read_text("utf-8")
    text = re.sub(r"\\\n\s*", "", text).replace("8000", port)
    lines = [PLACES.sub(f"{tmp_path}/", line) for line in text.splitlines() if not line.startswith("#")]
    for name in ("source", "opt", "wheels", "var/lib/wuzi", "var/cache/wuzi", "bin"):
        (tmp_path / name).mkdir(parents=True)
    base = f'exec "{sys.base_prefix}/bin/python3" "$@"'  # some machines know it by this name only
    for name, work in (("useradd", ""), ("install", ""), ("python", base)):
        (tmp_path / "bin" / name).write_text(f"#!/bin/sh\n{work}\n")
        (tmp_path / "bin" / name).chmod(0o755)
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    env = {**kept, "PATH": f"{tmp_path}/bin:/usr/bin:/bin", "WUZI_COMMIT": ""}
    for line in lines:
        word, _, rest = line.partition(" ")
        if word == "COPY" and not rest.startswith("--from"):
            *sources, target = rest.split()
            for source in sources:
                copy(ROOT / source, tmp_path / "source" / target / (source if target == "./" else ""))
        elif word == "ENV":
            named = [pair.split("=", 1) for pair in rest.split()]
            env |= {name: value.replace("$PATH", env["PATH"]) for name, value in named}
        elif word == "RUN":
            subprocess.run(["sh", "-ec", rest], cwd=tmp_path / "source", env=env, check=True)
    command = [json.loads(line.partition(" ")[2]) for line in lines if line.startswith(("ENTRYPOINT", "CMD"))]
    check = next(json.loads(line.partition("CMD ")[2]) for line in lines if line.startswith("HEALTHCHECK"))
    with subprocess.Popen([*command[0], *command[1]], env=env, cwd=tmp_path / "var/lib/wuzi") as server:
        try:
            healthy = partial(subprocess.run, check, env=env, check=False, capture_output=True)
            until(lambda: healthy().returncode == 0, "the server is healthy")
        finally:
            server.terminate()


def copy(source: Path, target: Path) -> None:
    """What COPY does, without what Dockerfile.dockerignore leaves out."""
    if source.is_dir():
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("node_modules", "__pycache__", "dist"))
    else:
        shutil.copy(source, target)
