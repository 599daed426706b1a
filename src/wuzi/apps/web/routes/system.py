"""Health, version and the list of engines."""

from __future__ import annotations

import os
from typing import get_args

from fastapi import APIRouter

from wuzi import __version__
from wuzi.apps.web.analyst import NET_ENGINES
from wuzi.apps.web.context import PROBLEMS, Server
from wuzi.apps.web.schemas import (
    AbilityName,
    BookOut,
    DefaultsOut,
    EngineOut,
    Health,
    LimitsOut,
    RuleOut,
    Version,
)
from wuzi.apps.web.settings import Settings
from wuzi.core import MAX_SIZE, MIN_SIZE, Opening, Rule, Rules
from wuzi.core.rules import MIN_OPENING_SIZE, MIN_WIN_LENGTH

ANALYSTS = ("engine", "minimax-s1", "mcts-tactical")
"""Engines that analyse, the best one first."""

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
        rules=[
            RuleOut.model_validate({"id": rule.label, "winLengths": [5] if rule is Rule.RENJU else None})
            for rule in Rule
        ],
        openings=[opening.value for opening in Opening],
        min_size=MIN_SIZE,
        max_size=MAX_SIZE,
        min_win_length=MIN_WIN_LENGTH,
        min_opening_size=MIN_OPENING_SIZE,
        books=_books(),
        defaults=DefaultsOut(opponent="levels", analysts=list(ANALYSTS), net_players=list(NET_ENGINES)),
        limits=LimitsOut(
            max_body=settings.max_body,
            max_games=settings.max_games,
            max_sockets=settings.max_sockets,
            max_move_s=settings.max_move_s,
            max_arenas=settings.max_arenas,
            workers=settings.workers,
        ),
        read_only=settings.read_only,
        can=_can(settings),
    )


@router.get("/engines")
async def engines(server: Server) -> list[EngineOut]:
    """The opponents of this server, with what each can play."""
    return await server.engines.get()


def _can(settings: Settings) -> list[AbilityName]:
    """What may be done here: on a read-only server nothing, tournaments only where they are allowed."""
    if settings.read_only:
        return []
    everything = get_args(AbilityName)
    return [ability for ability in everything if ability != "compete" or settings.max_arenas]


def _books() -> list[BookOut]:
    """The shipped books of even openings, each for one rule and board, and the 26 openings of renju."""
    from wuzi.arena.openings import default_openings

    boards = [(rule, size) for rule in Rule for size in range(MIN_SIZE, MAX_SIZE + 1)]
    even = [
        {
            "id": "even",
            "rule": rule.label,
            "minSize": size,
            "maxSize": size,
            "minWinLength": 5,
            "maxWinLength": 5,
        }
        for rule, size in boards
        if size >= 5 and default_openings(Rules(size, rule=rule)) != "auto"
    ]
    anywhere = {"minSize": 5, "maxSize": MAX_SIZE, "minWinLength": MIN_WIN_LENGTH, "maxWinLength": MAX_SIZE}
    return [BookOut.model_validate(book) for book in [*even, {"id": "renju26", "rule": None, **anywhere}]]


def _commit() -> str | None:
    """The commit this server was built from, where a deployment says so."""
    return os.environ.get("WUZI_COMMIT") or None
