"""Errors on the wire: RFC 9457 problem+json with a stable ``code``, for every error the server can give."""

from __future__ import annotations

import logging
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel
from starlette.exceptions import HTTPException

from wuzi import errors
from wuzi.errors import PlayerError, WuziError
from wuzi.games import TurnError
from wuzi.games.analysis_process import WorkerFailed
from wuzi.games.pool import failure_code
from wuzi.protocols.analysis.wire import RequestError

logger = logging.getLogger(__name__)

MEDIA_TYPE = "application/problem+json"
CODES = tuple(
    """
    illegal_move not_your_turn ply_mismatch game_over nothing_to_undo nothing_to_redo draw_refused
    conflict storage_failed
    engine_busy engine_crashed engine_timeout engine_failed unsupported_rule limit_exceeded
    not_found bad_notation bad_record no_games validation forbidden_origin read_only
    training_disabled missing_extra no_estimate bad_token name_taken not_ours method_not_allowed internal
    """.split()
)
_REFUSALS = {
    "unsupported_rule": (422, "unsupported_rule"),
    "bad_config": (422, "unsupported_rule"),
    "game_over": (409, "game_over"),
    "illegal_move": (422, "illegal_move"),
}
"""What a worker refuses for reasons that are no failure of its own."""
_ERRORS = (
    (errors.GameOverError, 409, "game_over"),
    (errors.IllegalMoveError, 422, "illegal_move"),
    (errors.NotationError, 422, "bad_notation"),
    (errors.RecordError, 422, "bad_record"),
    (errors.ConfigError, 422, "unsupported_rule"),
    (errors.ProtocolError, 422, "validation"),
    (errors.MissingExtraError, 503, "missing_extra"),
)
_HTTP_CODES = {404: "not_found", 405: "method_not_allowed", 413: "limit_exceeded"}


class Problem(BaseModel):
    """An error, as RFC 9457 says; ``code`` is stable and meant for programs."""

    type: str
    title: str
    status: int
    detail: str
    code: str
    errors: list[dict[str, str]] | None = None


class ProblemError(WuziError):
    """A refusal with its HTTP status and its stable code, one of :data:`CODES`."""

    def __init__(self, status: int, code: str, detail: str) -> None:
        super().__init__(detail)
        self.status = status
        self.code = code


def not_found(what: str) -> ProblemError:
    """The problem of something that does not exist (any more)."""
    return ProblemError(404, "not_found", f"{what}: there is none")


def problem_response(status: int, code: str, detail: str, **more: Any) -> JSONResponse:
    """The response that carries a problem document."""
    about = {"type": f"urn:wuzi:problem:{code}", "title": HTTPStatus(status).phrase}
    body = about | {"status": status, "detail": detail, "code": code, **more}
    return JSONResponse(body, status, media_type=MEDIA_TYPE)


def status_and_code(error: WuziError) -> tuple[int, str]:
    """The HTTP status and the code for an error of the library."""
    if isinstance(error, ProblemError):
        return error.status, error.code
    if isinstance(error, TurnError):
        return 409, error.code
    if isinstance(error, RequestError):
        return 422, "validation" if error.code == "bad_request" else error.code
    if isinstance(error, WorkerFailed) and error.code in _REFUSALS:
        return _REFUSALS[error.code]
    if isinstance(error, PlayerError):
        return 503, failure_code(error)
    found = ((status, code) for kind, status, code in _ERRORS if isinstance(error, kind))
    return next(found, (500, "internal"))


def install(app: FastAPI) -> None:
    """Answer every kind of error as problem+json."""

    @app.exception_handler(WuziError)
    async def on_wuzi_error(request: Request, error: WuziError) -> JSONResponse:
        status, code = status_and_code(error)
        if status == 500:
            logger.error("%s %s failed", request.method, request.url.path, exc_info=error)
        return problem_response(status, code, str(error))

    @app.exception_handler(RequestValidationError)
    async def on_validation(request: Request, error: RequestValidationError) -> JSONResponse:
        found = [
            {"where": ".".join(str(part) for part in item["loc"]), "message": item["msg"]}
            for item in error.errors()
        ]
        first = f"{found[0]['where']}: {found[0]['message']}" if found else "invalid request"
        return problem_response(422, "validation", first, errors=found)

    @app.exception_handler(HTTPException)
    async def on_http(request: Request, error: HTTPException) -> JSONResponse:
        code = _HTTP_CODES.get(error.status_code, "validation")
        response = problem_response(error.status_code, code, str(error.detail))
        response.headers.update(error.headers or {})
        return response

    @app.exception_handler(Exception)
    async def on_bug(request: Request, error: Exception) -> JSONResponse:
        logger.error("%s %s failed", request.method, request.url.path, exc_info=error)
        return problem_response(500, "internal", "the server failed; its log says more")
