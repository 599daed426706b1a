"""The routes of the API, a module for each part."""

from fastapi import APIRouter

from wuzi.apps.web.routes import (
    analysis,
    arenas,
    games,
    legacy,
    play,
    positions,
    puzzles,
    records,
    results,
    reviews,
    runs,
    socket,
    system,
)

PREFIX = "/api/v1"

api = APIRouter(prefix=PREFIX)
for part in (system, games, play, records, positions, analysis, reviews, puzzles, runs, arenas, results):
    api.include_router(part.router)

__all__ = ["PREFIX", "api", "legacy", "socket"]
