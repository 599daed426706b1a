"""Training runs: what there is, how each stands, its figures, games and nets."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Header, Query, Response

from wuzi.apps.web import schemas_jobs as wire
from wuzi.apps.web.context import PROBLEMS, Server
from wuzi.apps.web.runs import metrics_out, run_games, run_nets, run_out, run_summary, scores_out
from wuzi.apps.web.trainer import presets

router = APIRouter(tags=["runs"], responses=PROBLEMS)


def _permitted(
    server: Server,
    token: Annotated[
        str | None, Header(alias="X-Wuzi-Token", max_length=200, description="as wuzi serve prints it")
    ] = None,
) -> None:
    server.trainer.check_token(token)


PERMITTED = [Depends(_permitted)]


@router.get("/training")
async def training(server: Server) -> wire.TrainingOut:
    """What this server has and allows of training."""
    allowed, missing = server.trainer.is_allowed, server.trainer.missing
    return wire.TrainingOut(
        has_runs=server.runs.folder is not None,
        can_start=allowed,
        missing=f'pip install "wuzi[{missing.extra}]"' if allowed and missing else None,
        presets=presets() if allowed else [],
    )


@router.get("/runs")
async def recent(server: Server) -> list[wire.RunSummary]:
    """The training runs of this server, the one written to last first."""
    return await server.runs.recent()


@router.get("/runs/{run_id}")
async def look(run_id: str, server: Server) -> wire.RunOut:
    """One run, with its parameters."""
    return await server.runs.read(run_id, run_out, server.trainer)


@router.get("/runs/{run_id}/metrics")
async def metrics(
    run_id: str, server: Server, points: Annotated[int, Query(ge=10, le=5000)] = 500
) -> wire.MetricsOut:
    """The figures of its iterations."""
    return await server.runs.read(run_id, metrics_out, points)


@router.get("/runs/{run_id}/evaluations")
async def evaluations(run_id: str, server: Server) -> list[wire.ScoreOut]:
    """The results of its evaluations, in the order they were played."""
    return await server.runs.read(run_id, scores_out)


@router.get("/runs/{run_id}/games")
async def games(
    run_id: str,
    server: Server,
    first: Annotated[
        int | None, Query(ge=0, le=1 << 40, description="in the order they ended; by default the latest")
    ] = None,
    limit: Annotated[int, Query(ge=1, le=100)] = 12,
) -> wire.RunGames:
    """Games of its self-play."""
    return await server.runs.read(run_id, run_games, first, limit)


@router.get("/runs/{run_id}/nets")
async def nets(run_id: str, server: Server) -> list[wire.RunNetOut]:
    """The nets it has saved, the latest first."""
    return await server.runs.read(run_id, run_nets)


@router.post("/runs", status_code=201, dependencies=PERMITTED)
async def begin(body: wire.NewRun, response: Response, server: Server) -> wire.RunSummary:
    """Begin a run; its process needs some seconds until there is anything to read."""
    await server.trainer.begin(body)
    response.headers["Location"] = f"/api/v1/runs/{body.name}"
    return await _summary(body.name, server)


@router.post("/runs/estimate", dependencies=PERMITTED)
async def estimate(body: wire.RunChoice, server: Server) -> wire.RunTimeOut:
    """How long a run would take on this machine, as busy as it is; measuring takes up to a minute or so."""
    return await server.trainer.estimate(body)


@router.post("/runs/{run_id}/stop", dependencies=PERMITTED)
async def stop(run_id: str, server: Server) -> wire.RunSummary:
    """End a run that this server trains; what is done stays."""
    await _summary(run_id, server)
    await server.trainer.stop(run_id)
    return await _summary(run_id, server)


@router.post("/runs/{run_id}/resume", dependencies=PERMITTED)
async def resume(body: wire.GoOn, run_id: str, server: Server) -> wire.RunSummary:
    """Go on with a run that has not reached its end, or beyond it with more iterations."""
    await _summary(run_id, server)
    await server.trainer.resume(run_id, body)
    return await _summary(run_id, server)


async def _summary(run_id: str, server: Server) -> wire.RunSummary:
    return await server.runs.read(run_id, run_summary, server.trainer)
