"""A host of files as those of the internet are: it compresses, and keeps its connections open."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import MappingProxyType
from typing import Any

_TEXT = (".html", ".js", ".css", ".json", ".svg", ".wasm", ".webmanifest")


ISOLATION = {
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Embedder-Policy": "require-corp",
}
"""What a host sends so that browsers keep its pages apart from all others."""


class _Handler(SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    headers_sent: Mapping[str, str] = {}

    def do_GET(self) -> None:
        """Send a file, compressed where that helps."""
        path = Path(self.translate_path(self.path))
        path = path / "index.html" if path.is_dir() else path
        if not path.is_file():
            self.send_error(404)
            return
        content = path.read_bytes()
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(path))
        if path.suffix in _TEXT:
            content = gzip.compress(content, 6)
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(content)))
        for name, value in self.headers_sent.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


class _Server(ThreadingHTTPServer):
    def handle_error(self, request: Any, client_address: Any) -> None:
        """Browsers leave in the middle of a file."""


@contextmanager
def static_host(folder: Path, headers: Mapping[str, str] = MappingProxyType({})) -> Iterator[str]:
    """Serve a folder on this machine, with these headers; the address of its root."""
    handler = type("Handler", (_Handler,), {"headers_sent": headers})
    with _Server(("127.0.0.1", 0), partial(handler, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/"
        finally:
            server.shutdown()
