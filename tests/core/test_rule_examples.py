"""Examples of the whole rule book: the page's games are held to the same file, made by Python's.

``frontend/tests/rules.test.ts`` replays it. ``python -m tests.core.test_rule_examples`` writes it anew.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from wuzi.core import Action, Game, Keep, Move, Opening, Place, PlaceSeveral, Position, Rule, Rules, Swap
from wuzi.errors import ConfigError, GameOverError, UnsupportedError, WuziError
from wuzi.games.handicap import handicap_game

pytestmark = pytest.mark.kernels

FILE = Path(__file__).parents[1] / "golden" / "files" / "rule-examples.json"
BOARDS = [Rules(5, 4, rule) for rule in Rule if rule is not Rule.RENJU]
BOARDS += [Rules(3, 3), Rules(4, 4), Rules(6, 3, Rule.CARO_OVERLINE), Rules(6, rule=Rule.RENJU)]
BOARDS += [Rules(7, rule=Rule.RENJU), Rules(8), Rules(5, 3)]


def examples() -> dict[str, Any]:
    rng = random.Random(11)
    openings = [Opening.FREE, Opening.SWAP1, Opening.SWAP2]
    games = [
        _game(Rules(board.size, board.win_length, board.rule, opening), rng)
        for board in BOARDS
        for opening in openings
        if opening is Opening.FREE or board.size >= 5
    ]
    return {
        "games": games,
        "set_ups": [_set_up(rng) for _ in range(60)],
        "rules": [
            [size, length, rule.label, opening, *_limits(size, length, rule, opening)]
            for size in (2, 3, 4, 5, 6, 7, 26, 27)
            for length in (2, 3, 4, 5, 6, 27)
            for rule in Rule
            for opening in openings
        ],
    }


def _game(rules: Rules, rng: random.Random) -> dict[str, Any]:
    game, steps = Game(rules), []
    seen: set[tuple[object, ...]] = set()
    while True:
        tried = [_tried(game, action) for action in _actions(game, rng)]
        allowed = [(action, after) for action, after, _ in tried if after is not None]
        refused = []
        for action, after, code in tried:
            kind = (game.phase, type(action), len(_action(action).get("moves", ())))
            if after is None and kind not in seen:
                refused.append([_action(action), code])
                seen.add(kind)
        steps.append({"is": _shape(game), "refused": refused})
        if not allowed:
            return {"rules": _rules(rules), "steps": steps}
        several = [one for one in allowed if not isinstance(one[0], Place)]
        action, game = rng.choice(several if several and rng.random() < 0.7 else allowed)
        steps[-1]["then"] = _action(action)


def _actions(game: Game, rng: random.Random) -> list[Action]:
    """One of each kind, whatever is allowed now; a cell may be taken."""
    cells = rng.sample(range(game.rules.num_cells), 3)
    free = game.position.legal_moves
    one = [Place(rng.choice(free))] if free else []
    moves = [_moves(game, cells[:count]) for count in (1, 2, 3)]
    return [Swap(), Keep(), Place(moves[0][0]), *one, PlaceSeveral(moves[1]), PlaceSeveral(moves[2])]


def _moves(game: Game, cells: list[int]) -> tuple[Move, ...]:
    return tuple(Move(cell, game.rules.size) for cell in cells)


def _tried(game: Game, action: Action) -> tuple[Action, Game | None, str]:
    try:
        return action, game.act(action), ""
    except GameOverError:
        return action, None, "game_over"
    except WuziError:
        return action, None, "illegal_move"


def _action(action: Action) -> dict[str, Any]:
    if isinstance(action, Place):
        return {"type": "place", "moves": [int(action.move)]}
    if isinstance(action, PlaceSeveral):
        return {"type": "place", "moves": [int(move) for move in action.moves]}
    return {"type": type(action).__name__.lower()}


def _shape(game: Game) -> list[Any]:
    """Everything that the rules say of a game now."""
    colors = "".join(color.letter for color in game.colors_to_place)
    return [str(game.phase), game.seat_to_act, game.seat_of(game.to_move), colors, *_board(game.position)]


def _board(position: Position) -> list[Any]:
    end = position.outcome
    return [
        position.to_move.letter,
        position.ply,
        str(position.key),
        end and [end.winner.letter if end.winner else None, end.reason.label],
        [[int(cell) for cell in row] for row in position.winning_lines()],
        [
            [cell, position.forbidden_kind(cell).label]
            for cell in position.forbidden_mask().nonzero()[0].tolist()
        ],
        len(position.legal_moves),
    ]


def _set_up(rng: random.Random) -> dict[str, Any]:
    rules = rng.choice(BOARDS)
    share = rng.choice((0.1, 0.3, 0.5))
    cells = rng.choices((0, 1, 2), (1 - share, share * 0.6, share * 0.4), k=rules.num_cells)
    to_move = rng.choice((None, 1, 2))
    try:
        found: list[Any] | None = _board(Position.from_cells(rules, cells, to_move))  # type: ignore[arg-type]
    except ConfigError:
        found = None
    return {"rules": _rules(rules), "cells": cells, "to_move": to_move, "is": found}


def _rules(rules: Rules) -> dict[str, Any]:
    return {
        "size": rules.size,
        "winLength": rules.win_length,
        "rule": rules.rule.label,
        "opening": str(rules.opening),
    }


def _limits(size: int, length: int, rule: Rule, opening: Opening) -> tuple[bool, int]:
    """Whether there are such rules, and the most extra stones that they allow."""
    try:
        rules = Rules(size, length, rule, opening)
    except ConfigError:
        return False, 0
    most = 0
    while True:
        try:
            handicap_game(rules, most + 1)
        except UnsupportedError:
            return True, most
        most += 1


def test_the_examples_are_what_the_rules_say() -> None:
    assert json.loads(FILE.read_text(encoding="utf-8")) == json.loads(json.dumps(examples()))


def test_the_examples_show_every_phase_and_end() -> None:
    steps = [step for game in examples()["games"] for step in game["steps"]]
    assert {step["is"][0] for step in steps} == {"place_three", "choose", "choose_after_five", "play", "over"}
    ends = {step["is"][7][1] for step in steps if step["is"][7]}
    assert ends == {"line", "draw_full", "forbidden"}
    assert {code for step in steps for _, code in step["refused"]} == {"illegal_move", "game_over"}


if __name__ == "__main__":
    FILE.write_text(json.dumps(examples(), separators=(",", ":")) + "\n", encoding="utf-8")
