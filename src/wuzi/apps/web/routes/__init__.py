"""The routes of the API, a module for each part."""

from fastapi import APIRouter

from wuzi.apps.web.routes import analysis, arenas, games, legacy, records, reviews, runs, socket, system

api = APIRouter(prefix="/api/v1")
for router in (
    *(system.router, games.router, games.play, records.router, analysis.positions, analysis.router),
    *(reviews.router, reviews.puzzles, runs.router, arenas.router, arenas.results),
):
    api.include_router(router)

__all__ = ["api", "legacy", "socket"]
