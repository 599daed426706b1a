"""Health, version and the list of engines."""

from __future__ import annotations

import os

from fastapi import APIRouter

from wuzi import __version__
from wuzi.apps.web.context import PROBLEMS, Server
from wuzi.apps.web.schemas import EngineOut, Health, LimitsOut, RuleOut, Version
from wuzi.core import MAX_SIZE, MIN_SIZE, Opening, Rule

router = APIRouter(tags=["system"], responses=PROBLEMS)


@router.get("/health")
async def health(server: Server) -> Health:
    """Whether the server is up, and whether its engines answer at once."""
    from wuzi.core import jit

    kernels = "warm" if jit.is_warm() else "compiling" if server.pool.is_starting else "cold"
    return Health.model_validate(
        {"status": "ok", "version": __version__, "commit": _commit(), "kernels": kernels}
    )


@router.get("/version")
async def version(server: Server) -> Version:
    """What this server can do, and its limits."""
    settings = server.settings
    return Version(
        version=__version__,
        commit=_commit(),
        rules=[RuleOut.model_validate({"id": rule.label}) for rule in Rule],
        openings=[opening.value for opening in Opening],
        min_size=MIN_SIZE,
        max_size=MAX_SIZE,
        limits=LimitsOut(
            max_body=settings.max_body,
            max_games=settings.max_games,
            max_sockets=settings.max_sockets,
            max_move_s=settings.max_move_s,
            max_arenas=settings.max_arenas,
            workers=settings.workers,
        ),
        read_only=settings.read_only,
    )


@router.get("/engines")
async def engines(server: Server) -> list[EngineOut]:
    """The opponents of this server, with what each can play."""
    return await server.engines.get()


def _commit() -> str | None:
    """The commit this server was built from, where a deployment says so."""
    return os.environ.get("WUZI_COMMIT") or None
