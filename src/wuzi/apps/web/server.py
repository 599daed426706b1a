"""``wuzi serve``: one process, one port, the page and the API."""

from __future__ import annotations

import ipaddress
import logging
import os
import socket
import threading
import time
import webbrowser
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import replace

import uvicorn
from filelock import FileLock, Timeout

from wuzi.apps.web.settings import Settings
from wuzi.apps.web.store import Store
from wuzi.errors import ConfigError

logger = logging.getLogger("uvicorn.error")

LOCAL_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})
PING_S = 8.0
"""Seconds between pings: who plays somebody by a link sees soon that the other page is gone."""


def serve(
    host: str = "127.0.0.1",
    port: int = 8000,
    open_browser: bool = False,
    settings: Settings | None = None,
) -> None:
    """Serve until interrupted; workers end with the server. Port 0 is any free one.

    Any host but a loopback address lets others use this machine. An address or a data folder that cannot
    be used is a ConfigError.
    """
    chosen = settings_at(host, settings or Settings())
    with listen(host, port) as listener, ExitStack() as stack:
        Store(chosen.data_dir).close()
        stack.enter_context(_alone(chosen))
        from wuzi.apps.web.app import create_app, prepare

        app = create_app(chosen)
        prepare(app)
        config = uvicorn.Config(
            app,
            log_level="info",
            access_log=False,
            server_header=False,
            proxy_headers=False,  # the guard reads them
            ws_max_size=1 << 16,
            ws_ping_interval=PING_S,
            timeout_graceful_shutdown=3,
        )
        server = uvicorn.Server(config)
        name = "127.0.0.1" if host in ("0.0.0.0", "::") else host
        url = f"http://{f'[{name}]' if ':' in name else name}:{listener.getsockname()[1]}"
        url += f"{chosen.root_path}/" if chosen.root_path else ""
        announced = (server, url, open_browser, chosen.training_token)
        threading.Thread(target=_announce, args=announced, daemon=True).start()
        if not is_loopback(host):
            logger.warning("listening on %s: everyone who can reach this machine can play on it", host)
        if not (chosen.web_root / "index.html").is_file():
            logger.warning("the page is not built: run `make play`, or npm run build in frontend/")
        server.run(sockets=[listener])


def _alone(settings: Settings) -> AbstractContextManager[object]:
    """Keep the folder from other servers, whose games in memory would replace ours; a demo writes none.

    ConfigError if there is one; a killed one leaves no trace.
    """
    if settings.read_only:
        return nullcontext()
    try:
        return FileLock(settings.data_dir / ".server.lock").acquire(timeout=0)
    except Timeout:
        text = f"{settings.data_dir}: another server uses this folder; end it, or choose one by WUZI_DATA_DIR"
        raise ConfigError(text) from None


def settings_at(host: str, settings: Settings) -> Settings:
    """The settings with what follows from the address: who may ask, and who may see an engine's log."""
    given = os.environ.get("WUZI_ALLOWED_HOSTS", "").split(",")
    hosts = settings.allowed_hosts | {name.strip().lower() for name in given if name.strip()}
    if is_loopback(host):  # its own names; anywhere else any name will do
        hosts |= LOCAL_NAMES | {host.lower()}
    alone = is_loopback(host) and hosts <= LOCAL_NAMES | {host}
    return replace(settings, allowed_hosts=hosts, show_engine_log=alone)


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach the address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens on the address; ConfigError if that cannot be.

    It listens at once: on Linux a second server could bind the address until the first one does.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        if os.name == "posix":
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen()
    except (OSError, OverflowError) as error:
        listener.close()
        text = f"cannot listen on {host} port {port}: {error}; choose another with --port"
        raise ConfigError(text) from error
    return listener


def _announce(server: uvicorn.Server, url: str, open_browser: bool, token: str | None) -> None:
    """Say where the page is once the server answers, and open it; and what lets one train there."""
    while not server.started:
        if server.should_exit:
            return
        time.sleep(0.05)
    logger.info("wuzi is at %s (Ctrl-C ends it)", url)
    if token is not None:
        logger.info("training runs may be begun and ended on the page with this token: %s", token)
    if open_browser:
        webbrowser.open(url)
