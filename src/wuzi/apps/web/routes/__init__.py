"""The routes of the API, a module for each part."""

from fastapi import APIRouter

from wuzi.apps.web.routes import (
    arenas,
    games,
    legacy,
    puzzles,
    records,
    results,
    reviews,
    runs,
    socket,
    system,
)
from wuzi.apps.web.routes.analysis import positions
from wuzi.apps.web.routes.analysis import router as analysis

PREFIX = "/api/v1"

api = APIRouter(prefix=PREFIX)
for router in (system.router, games.router, games.play, records.router, positions, analysis, reviews.router):
    api.include_router(router)
for part in (puzzles, runs, arenas, results):
    api.include_router(part.router)

__all__ = ["PREFIX", "api", "legacy", "socket"]
