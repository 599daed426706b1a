"""Puzzles of the tactical suite: a list, a position, and what a try is worth."""

from __future__ import annotations

import asyncio
from functools import cache
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query

from wuzi.apps.web.context import PROBLEMS, Server
from wuzi.apps.web.problems import ProblemError, not_found
from wuzi.apps.web.reviews import ANALYSTS
from wuzi.apps.web.schemas_review import PuzzleOut, PuzzleSummary, PuzzleTryIn, ThemeName, TrialOut
from wuzi.tactics.suite import Puzzle, PuzzleTheme, load_suite

router = APIRouter(prefix="/puzzles", tags=["puzzles"], responses=PROBLEMS)

THEMES = (PuzzleTheme.VCF, PuzzleTheme.VCT, PuzzleTheme.DEFENCE)
"""The themes with an answer to find."""
PROOF_NODES = 500_000
OPTIONS = {"player": ANALYSTS["engine"], "proof_nodes": PROOF_NODES}
PuzzleId = Annotated[str, Path(max_length=40)]


@router.get("")
async def puzzles(
    theme: Annotated[ThemeName | None, Query()] = None,
    limit: Annotated[int, Query(ge=1, le=1000)] = 1000,
) -> list[PuzzleSummary]:
    """The puzzles, easy ones (short solutions) of each theme first."""
    listed = await asyncio.to_thread(_listed)
    return [one for one in listed if theme in (None, one.theme)][:limit]


@router.get("/{puzzle_id}")
async def look(puzzle_id: PuzzleId, solution: Annotated[bool, Query()] = False) -> PuzzleOut:
    """A puzzle; its solution only if asked for."""
    puzzle = await _find(puzzle_id)
    facts = await asyncio.to_thread(_facts, puzzle)
    line = puzzle.line if solution else None
    return PuzzleOut.model_validate({**facts, "moves": puzzle.moves, "solution": line})


@router.post("/{puzzle_id}/try")
async def attempt(puzzle_id: PuzzleId, body: PuzzleTryIn, server: Server) -> TrialOut:
    """What the last of these moves is worth; the ones before it continue the puzzle."""
    puzzle = await _find(puzzle_id)
    if len(body.moves) % 2 == 0:
        raise ProblemError(
            422, "validation", f"{len(body.moves)} moves: expected an odd number, the last one yours"
        )
    game = puzzle.game
    for move in body.moves[:-1]:
        game = game.play(move)
    goal = "defend" if puzzle.theme is PuzzleTheme.DEFENCE else "win"
    return await server.reviews.judge(game, body.moves[-1], goal, OPTIONS)


@cache
def _suite() -> dict[str, Puzzle]:
    return {puzzle.id: puzzle for puzzle in load_suite(THEMES)}


@cache
def _listed() -> list[PuzzleSummary]:
    order = {theme: place for place, theme in enumerate(THEMES)}
    ranked = sorted(_suite().values(), key=lambda p: (order[p.theme], len(p.line), p.id))
    return [PuzzleSummary.model_validate(_facts(puzzle)) for puzzle in ranked]


def _facts(puzzle: Puzzle) -> dict[str, Any]:
    return {
        "id": puzzle.id,
        "theme": puzzle.theme,
        "rules": puzzle.rules,
        "ply": len(puzzle.moves),
        "to_move": puzzle.position.to_move,
        "length": len(puzzle.line),
    }


async def _find(puzzle_id: str) -> Puzzle:
    suite = await asyncio.to_thread(_suite)
    if puzzle_id not in suite:
        raise not_found(f"puzzle {puzzle_id[:40]!r}")
    return suite[puzzle_id]
