"""The routes of the API, a module for each part."""

from fastapi import APIRouter

from wuzi.apps.web.routes import analysis, arenas, legacy, records, runs, socket, store, system

api = APIRouter(prefix="/api/v1")
for router in (
    *(system.router, store.router, records.router, analysis.router),
    *(runs.router, arenas.router, arenas.results),
):
    api.include_router(router)

__all__ = ["api", "legacy", "socket"]
