"""The server as ``deploy/`` sets it up, nginx before it, attacked with bad input and too much of it.

Everything stays on the loopback interface and is bounded in count. After each attack a person still gets an
answer, only the limits answered with 5xx, and the log holds no traceback.
"""

from __future__ import annotations

import json
import os
import random
import re
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import psutil
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from research.hardening.ledger import Ledger, RunOptions, megabytes
from wuzi.workers.local import worker_environment

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"
HOST = "play.example.org"
MOST_MB = 1500.0
"""The unit in ``deploy/`` would end server and workers at two gigabytes."""
WAIT_S = 120.0
LIMITS = {"503"}
"""What the server answers with where its queue is full."""


class Site:
    """The server with the options of ``deploy/serve.env``, behind nginx with the site of ``deploy/``."""

    def __init__(self, folder: Path, nginx: str) -> None:
        self.folder, self.nginx = folder, nginx
        self.port, self.log = _free_port(), folder / "serve.log"

    @contextmanager
    def running(self) -> Iterator[None]:
        """From the start of both to their end."""
        settings = (DEPLOY / "serve.env").read_text("utf-8")
        options = shlex.split(re.findall(r"^WUZI_SERVE_OPTIONS=(.*)", settings, re.M)[0])
        inner = _free_port()
        command = [sys.executable, "-m", "wuzi", "serve", "--port", str(inner), *options]
        env = {**os.environ, **worker_environment(), "WUZI_DATA_DIR": str(self.folder / "data")}
        env["WUZI_ALLOWED_HOSTS"] = HOST
        with self.log.open("wb") as log, subprocess.Popen(command, env=env, stdout=log, stderr=log) as server:
            main = site_file(self.folder, f"127.0.0.1:{inner}", f"127.0.0.1:{self.port}")
            with subprocess.Popen([self.nginx, "-c", str(main), "-g", "daemon off;"]) as proxy:
                try:
                    self.server = psutil.Process(server.pid)
                    self.until_it_answers()
                    yield
                finally:
                    proxy.terminate()
                    server.terminate()

    def client(self, **more: Any) -> httpx.Client:
        """A client that comes through nginx."""
        headers = {"host": HOST, **more}
        return httpx.Client(base_url=f"http://127.0.0.1:{self.port}", headers=headers, timeout=WAIT_S)

    def socket(self, path: str) -> ClientConnection:
        """A WebSocket through nginx."""
        raw = socket.create_connection(("127.0.0.1", self.port))
        return connect(f"ws://{HOST}{path}", sock=raw, origin=Origin(f"http://{HOST}"), open_timeout=30)

    def raw(self, data: bytes, wait_s: float = 5.0) -> bytes:
        """The first answer to bytes that need be no request."""
        with closing(socket.create_connection(("127.0.0.1", self.port), timeout=wait_s)) as line:
            with suppress(OSError):
                line.sendall(data)
            with suppress(OSError):
                return line.recv(4096)
            return b""

    def until_it_answers(self) -> float:
        """Seconds until the list of engines comes; what the limits hold back is asked for again."""
        began = time.monotonic()
        while time.monotonic() < began + WAIT_S:
            with suppress(httpx.TransportError), self.client() as client:
                if client.get("/api/v1/engines").is_success:
                    return time.monotonic() - began
            time.sleep(0.2)
        raise TimeoutError("the server does not answer any more")

    def megabytes(self) -> float:
        """Memory of the server and its workers."""
        return megabytes(self.server.pid, *(child.pid for child in self.server.children(recursive=True)))


def site_file(folder: Path, upstream: str, listen: str) -> Path:
    """A configuration of nginx with the site of ``deploy/`` and nothing else."""
    site = (DEPLOY / "nginx" / "wuzi.conf.template").read_text("utf-8")
    site = site.replace("${WUZI_UPSTREAM}", upstream).replace("${WUZI_SERVER_NAME}", HOST)
    site = site.replace("listen 80;", f"listen {listen};").replace("listen [::]:80;", "")
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    places = "".join(f"{kind}_temp_path {folder}/{kind};\n" for kind in kinds)
    user = "user root;\n" if os.geteuid() == 0 else ""  # else its workers could not write into the folder
    head = f"{user}pid {folder}/pid;\nerror_log {folder}/error.log;\nevents {{}}\n"
    (folder / "nginx.conf").write_text(f"{head}http {{\naccess_log off;\n{places}{site}\n}}\n", "utf-8")
    return folder / "nginx.conf"


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        return int(found.getsockname()[1])


def is_failure(answer: str) -> bool:
    """Whether an answer is one that no input may bring about."""
    return len(answer) == 3 and answer.startswith("5") and answer not in LIMITS


def attack(options: RunOptions, nginx: str | None) -> bool:
    """Attack in every way, ``options.count`` requests each; whether the server works as before."""
    from research.hardening.attacks import ATTACKS

    program = nginx or shutil.which("nginx")
    if program is None:
        raise SystemExit("no nginx found: install it, or name it with --nginx")
    ledger = Ledger(options.folder, "server")
    with tempfile.TemporaryDirectory(prefix="wuzi-attack-") as place:
        site = Site(Path(place), program)
        with site.running():
            for name, one in ATTACKS.items():
                seen, rng = Counter[str](), random.Random(f"{options.seed}/{name}")
                began = time.monotonic()
                one(site, rng, options.count, seen)
                seconds, again_s = time.monotonic() - began, site.until_it_answers()
                wrong = [f"{n} times {what}" for what, n in seen.items() if is_failure(what)]
                if "Traceback" in site.log.read_text("utf-8", "replace"):
                    wrong.append("a traceback in the log")
                if (most := site.megabytes()) > MOST_MB:
                    wrong.append(f"{most:.0f} MB")
                row = {"attack": name, "seconds": round(seconds, 1), "answers_again_s": round(again_s, 2)}
                ledger.add(
                    seed=options.seed,
                    count=options.count,
                    **row,
                    megabytes=most,
                    seen=dict(seen),
                    wrong=wrong,
                )
                print(json.dumps(row | {"seen": dict(seen), "wrong": wrong}), flush=True)
            log = site.log.read_text("utf-8", "replace")
    print(log[-1500:])
    return not any(row["wrong"] for row in ledger.rows())
