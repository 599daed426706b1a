"""Positions, by code as in links or with set-up stones: what they show."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Path, Query

from wuzi.apps.web.analyst import game_of
from wuzi.apps.web.context import PROBLEMS
from wuzi.apps.web.schemas import RuleName
from wuzi.apps.web.schemas_analysis import PositionIn, PositionOut
from wuzi.apps.web.states import forbidden_out, outcome_out
from wuzi.core import Game, Position, format_moves, parse_moves
from wuzi.protocols.analysis.wire import format_cells, parse_rules

if TYPE_CHECKING:
    from wuzi.tactics.threats import Threat

router = APIRouter(prefix="/positions", tags=["positions"], responses=PROBLEMS)

EMPTY = "-"


@router.get("/{code}")
async def look(
    code: Annotated[str, Path(max_length=2100, description="cells such as h8h9i7; - is the empty board")],
    size: Annotated[int, Query(ge=3, le=26)] = 15,
    win_length: Annotated[int, Query(alias="winLength", ge=3, le=26)] = 5,
    rule: RuleName = "freestyle",
    threats: Annotated[bool, Query(description="list the threats too (four or five in a row)")] = False,
) -> PositionOut:
    """The position after these moves, or why the code is none."""
    rules = parse_rules({"size": size, "winLength": win_length, "rule": rule})
    game = Game.from_moves(rules, () if code == EMPTY else parse_moves(code, size))
    found = await asyncio.to_thread(_threats, game.position) if threats else None
    return _out(game, found)


@router.post("")
async def look_at(body: PositionIn) -> PositionOut:
    """A position that may have set-up stones."""
    return _out(game_of(body))


def _out(game: Game, threats: tuple[Threat, ...] | None = None) -> PositionOut:
    position = game.position
    return PositionOut.model_validate(
        {
            "cells": format_cells(position),
            "to_move": game.to_move,
            "ply": game.ply,
            "legal": int(position.legal_mask().sum()),
            "forbidden": forbidden_out(position),
            "outcome": outcome_out(game),
            "winning_lines": position.winning_lines(),
            "position_code": format_moves(game.moves, game.rules.size),
            "threats": threats,
        }
    )


def _threats(position: Position) -> tuple[Threat, ...]:
    """In a thread: the first call loads kernels."""
    from wuzi.tactics.threats import find_threats

    return find_threats(position)
