"""The routes of the API, a module for each part."""

from fastapi import APIRouter

from wuzi.apps.web.routes import games, play, positions, records, socket, system

PREFIX = "/api/v1"

api = APIRouter(prefix=PREFIX)
for part in (system, games, play, records, positions):
    api.include_router(part.router)

__all__ = ["PREFIX", "api", "socket"]
