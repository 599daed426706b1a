"""Somebody else's tree as a guide: its moves are tried first, and every reply is proved all the same."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from wuzi.errors import RecordError
from wuzi.search.proof.boards import Boards, Stones

Guide = dict[Stones, int]
"""Black's cell in canonical positions with Black to move."""


def read_guide(path: Path, boards: Boards) -> Guide:
    """The moves of a file: a JSON object of moves in turn, Black first, with one move of Black in each place.

    ``{"h8": {"h10": {"g7": {"b10": {"g8": 17}}}}}``: what stands behind a move that is no object is not
    read. A RecordError names what is no such tree.
    """
    try:
        tree = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise RecordError(f"{path}: no JSON ({error})") from None
    found: Guide = {}
    todo: list[tuple[list[str], Any]] = [([], tree)]
    while todo:
        moves, below = todo.pop()
        if not isinstance(below, dict):
            continue
        where = f"{path}: after {' '.join(moves) or 'no move'}"
        if len(below) != 1:
            raise RecordError(f"{where}: {len(below)} moves of Black: expected one")
        ((name, replies),) = below.items()
        stones, symmetry = boards.canonical(*boards.after(moves))
        for cell in (name, *(replies if isinstance(replies, dict) else ())):
            if not boards.has(cell) or cell in moves:
                raise RecordError(
                    f"{where}: {cell!r}: expected an empty cell of {boards.rules.size}x{boards.height}"
                )
        found[stones] = boards.images(boards.cell(name))[symmetry]
        if isinstance(replies, dict):
            todo.extend(([*moves, name, reply], answer) for reply, answer in replies.items())
    return found
