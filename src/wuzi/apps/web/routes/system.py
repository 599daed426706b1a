"""Health, version and the list of engines."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cache
from typing import Any, get_args

from fastapi import APIRouter

from wuzi import __version__
from wuzi.apps.web.analyst import NET_ENGINES
from wuzi.apps.web.context import PROBLEMS, Server
from wuzi.apps.web.schemas import AbilityName
from wuzi.apps.web.schemas_system import EngineOut, Health, Version
from wuzi.apps.web.settings import Settings
from wuzi.core import MAX_SIZE, MIN_SIZE, Opening, Rule, Rules, kernel_cache
from wuzi.core.rules import MIN_OPENING_SIZE, MIN_WIN_LENGTH

ANALYSTS = ("engine", "minimax-s1", "mcts-tactical")
"""Engines that analyse, the best one first."""

router = APIRouter(tags=["system"], responses=PROBLEMS)


@router.get("/health")
async def health(server: Server) -> Health:
    """Whether the server is up, and whether its engines answer at once."""
    is_warm, is_busy = kernel_cache.is_warm(), server.warmer.is_running or server.pool.is_starting
    kernels = "warm" if is_warm else "compiling" if is_busy else "cold"
    about = {"status": "ok", "version": __version__, "commit": _commit(), "kernels": kernels}
    done = _num_kernels() if is_warm else min(kernel_cache.num_compiled(), _num_kernels())
    return Health.model_validate({**about, "compiled": done, "to_compile": _num_kernels()})


@router.get("/version")
async def version(server: Server) -> Version:
    """What this server can do, and its limits."""
    settings = server.settings
    can = [one for one in get_args(AbilityName) if one != "compete" or settings.max_arenas]
    return version_of(settings, can)


def version_of(settings: Settings, can: Sequence[str]) -> Version:
    """What a server with these settings, or a page without one, can do, and its limits."""
    return Version.model_validate(
        {
            "version": __version__,
            "commit": _commit(),
            "rules": [{"id": rule, "win_lengths": rule.win_length and [rule.win_length]} for rule in Rule],
            "openings": list(Opening),
            "min_size": MIN_SIZE,
            "max_size": MAX_SIZE,
            "min_win_length": MIN_WIN_LENGTH,
            "min_opening_size": MIN_OPENING_SIZE,
            "books": _books(),
            "defaults": {"opponent": "levels", "analysts": ANALYSTS, "net_players": NET_ENGINES},
            "limits": settings,
            "read_only": settings.read_only,
            "can": [] if settings.read_only else can,
        }
    )


@router.get("/engines")
async def engines(server: Server) -> list[EngineOut]:
    """The opponents of this server, with what each can play."""
    return await server.engines.get()


def _books() -> list[dict[str, Any]]:
    """The shipped books of even openings, each for one rule and board, and the 26 openings of renju."""
    from wuzi.arena.openings import default_openings

    boards = [(rule, size) for rule in Rule for size in range(5, MAX_SIZE + 1)]
    even = [
        {"rule": rule, "min_size": size, "max_size": size, "min_win_length": 5, "max_win_length": 5}
        for rule, size in boards
        if default_openings(Rules(size, rule=rule)) != "auto"
    ]
    anywhere = {"rule": None, "min_size": 5, "max_size": MAX_SIZE}
    lengths = {"min_win_length": MIN_WIN_LENGTH, "max_win_length": MAX_SIZE}
    return [*({"id": "even", **book} for book in even), {"id": "renju26", **anywhere, **lengths}]


@cache
def _num_kernels() -> int:
    return kernel_cache.num_kernels()


def _commit() -> str | None:
    """The commit this server was built from, where a deployment says so."""
    return os.environ.get("WUZI_COMMIT") or None
