"""The web face: the API, the WebSockets and the built page, served by one process."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wuzi.apps.web.app import create_app
    from wuzi.apps.web.server import serve
    from wuzi.apps.web.settings import Settings

__all__ = ["Settings", "create_app", "serve"]


def __getattr__(name: str) -> Any:
    import importlib

    homes = {"Settings": "settings", "create_app": "app", "serve": "server"}
    if name not in homes:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{homes[name]}"), name)
