"""What pages keep here: games and reviews, each with a version; a write from an older one is refused."""

from __future__ import annotations

import json
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query

from wuzi.apps.web.context import PROBLEMS, Server
from wuzi.apps.web.problems import ProblemError, not_found
from wuzi.apps.web.schemas import RECENT, PutIn, StoredOut, StoreName
from wuzi.apps.web.seats import Writer

router = APIRouter(prefix="/store", tags=["store"], responses=PROBLEMS)

Id = Annotated[str, Path(pattern=r"^[A-Za-z0-9_.-]{4,40}$")]
MAX_SUMMARY = 16_384
MOST_IDS = 300
"""As many as a browser keeps."""
MAX_IDS = MOST_IDS * 41


@router.get("/{kind}")
async def recent(
    kind: StoreName,
    server: Server,
    limit: Annotated[int, Query(ge=1, le=100)] = RECENT,
    search: Annotated[str, Query(max_length=100)] = "",
    ids: Annotated[str | None, Query(max_length=MAX_IDS)] = None,
) -> list[dict[str, Any]]:
    """What lists show, the latest change first; of a search those in whose names all its words are.

    With ``ids``, which have commas between them, of those only. Games between people by a link are in no
    other list.
    """
    only = None if ids is None else [one for one in ids.split(",") if one][:MOST_IDS]
    return await server.store.recent(kind, limit, search, only)


@router.get("/{kind}/{thing_id}")
async def look(kind: StoreName, thing_id: Id, server: Server) -> StoredOut:
    """A game or a review as it is now."""
    found = await server.store.get(kind, thing_id)
    if found is None:
        raise not_found(f"{kind} {thing_id!r}")
    return StoredOut.of(found)


@router.put("/{kind}/{thing_id}")
async def put(kind: StoreName, thing_id: Id, body: PutIn, server: Server) -> StoredOut:
    """Keep a new value, and tell all who look at it; ``conflict`` where somebody else was faster.

    ``no_seat`` where the value has seats and the body the key of none.
    """
    if len(json.dumps(body.summary)) > MAX_SUMMARY:
        raise ProblemError(413, "limit_exceeded", f"summary: expected at most {MAX_SUMMARY} bytes")
    writer = Writer(body.key, body.keys, body.like, body.swapped)
    found = await server.store.put(kind, thing_id, body.version, body.summary, body.data, writer)
    if found is None:
        kept = await server.store.get(kind, thing_id)
        if kept is None:
            raise not_found(f"{kind} {thing_id!r}")
        detail = f"{kind} {thing_id!r} has version {kept.version}: {body.version} was meant"
        raise ProblemError(409, "conflict", detail)
    server.watchers.changed(kind, found)
    return StoredOut.of(found)


@router.delete("/{kind}/{thing_id}", status_code=204)
async def remove(kind: StoreName, thing_id: Id, server: Server) -> None:
    """Remove a game or a review for good; ``no_seat`` for a game by a link, which is not one's own alone."""
    if not await server.store.delete(kind, thing_id):
        raise not_found(f"{kind} {thing_id!r}")
    await server.watchers.removed(kind, thing_id)
