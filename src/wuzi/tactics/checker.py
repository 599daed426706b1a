"""The independent checker of winning lines and proofs: rules and replay only, no patterns, no search.

It trusts nothing a solver says. A line wins by fours if after each attacking move *every* legal reply
but the one in the line loses to an immediate winning row, and no reply wins for the defender.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from wuzi.core import rule_kernels
from wuzi.core.layout import MAX_CELLS
from wuzi.core.notation import Move, format_move
from wuzi.core.position import Position
from wuzi.core.symmetry import cell_maps
from wuzi.core.types import Color, Stone
from wuzi.tactics import checker_kernels
from wuzi.tactics.proof import Attack


def wins_at_once(position: Position) -> list[Move]:
    """Cells where the side to move ends the game in its favour, by trying every one."""
    return [move for move in position.legal_moves if _wins(position, move)]


def _wins(position: Position, move: Move) -> bool:
    outcome = position.play(move).outcome
    return outcome is not None and outcome.winner is position.to_move


def why_line_fails(position: Position, line: Sequence[Move]) -> str | None:
    """None if ``line`` (both sides, the side to move attacks) is a proved win by fours, else the reason.

    The line ends with the winning stone, or with a move after which every reply loses at once.
    """
    attacker = position.to_move
    if not line or len(line) % 2 == 0:
        return f"the line has {len(line)} moves: expected an odd number, ending with the attacker"
    for ply, move in enumerate(line):
        name = format_move(move, position.rules.size)
        attacking = position.to_move is attacker
        position = position.play(move)
        if (end := position.outcome) is not None:
            if not attacking:
                # Black may have had to play a forbidden point: then the defence itself loses.
                return None if end.winner is attacker else f"{name} ends the game for the defender"
            if end.winner is attacker and ply == len(line) - 1:
                return None
            return f"{name} at ply {ply + 1}: the game ends there ({end.result})"
        if attacking:
            answer = line[ply + 1] if ply + 1 < len(line) else None
            if (reason := _unanswered(position, attacker, answer)) is not None:
                return f"after {name} at ply {ply + 1}: {reason}"
    return None


def _unanswered(position: Position, attacker: Color, answer: Move | None) -> str | None:
    """None if every reply but ``answer`` loses at once to ``attacker``."""
    size = position.rules.size
    likely: Move | None = None
    for reply in position.legal_moves:
        if reply == answer:
            continue
        after = position.play(reply)
        if after.outcome is not None:
            if after.outcome.winner is attacker:
                continue
            return f"the reply {format_move(reply, size)} ends the game ({after.outcome.result})"
        if likely is not None and after.cells[likely] == 0 and _wins(after, likely):
            continue
        found = wins_at_once(after)
        if not found:
            return f"the reply {format_move(reply, size)} does not lose at once"
        likely = found[0]
    return None


def why_proof_fails(position: Position, proof: Attack) -> str | None:
    """None if ``proof`` shows a forced win of the side to move, else the reason.

    Every legal reply to every attack is tried: it must have an answer in the proof, be forbidden, or be
    punished by a cell of ``follow`` (a winning row, or two cells for one while the defender has none).
    """
    return _ProofChecker(position).why(proof)


class _ProofChecker:
    """Plays a proof on one board."""

    def __init__(self, position: Position) -> None:
        self._size = position.rules.size
        self._attacker = int(position.to_move)
        self._state: Any = position.state()
        self._useful, self._scratch = np.empty((2, MAX_CELLS), np.int64)
        self._checked: set[tuple[int, int]] = set()

    def why(self, attack: Attack) -> str | None:
        here = (int(self._state["key"]), id(attack))
        if here in self._checked:
            return None
        if self._state["result"]:
            return "the game is over"
        point = self._point(attack.move)
        name = format_move(attack.move, self._size)
        if self._state["cells"][point] != Stone.EMPTY:
            return f"{name} at ply {int(self._state['ply']) + 1} is occupied"
        rule_kernels.push(self._state, point)
        reason = self._why_after(attack, name)
        rule_kernels.pop(self._state)
        if reason is None:
            self._checked.add(here)
        return reason

    def _why_after(self, attack: Attack, name: str) -> str | None:
        if result := int(self._state["result"]):
            return None if result == self._attacker else f"{name} ends the game"
        follow = np.array([self._point(cell) for cell in attack.follow], np.int64)
        n = int(checker_kernels.useful_replies(self._state, follow, len(follow), self._useful, self._scratch))
        for point in map(int, self._useful[:n]):
            reply = Move(rule_kernels.to_cell(point, self._size), self._size)
            if reply not in attack.replies:
                return f"after {name} the reply {reply} is not answered"
        for reply, answer in attack.replies.items():
            rule_kernels.push(self._state, self._point(reply))
            over = int(self._state["result"])
            reason = self.why(answer) if not over else None
            if over and over != self._attacker:
                reason = f"the reply {format_move(reply, self._size)} ends the game"
            rule_kernels.pop(self._state)
            if reason is not None:
                return reason
        return None

    def _point(self, cell: int) -> int:
        return int(rule_kernels.to_point(cell, self._size))


def why_strategy_fails(
    position: Position,
    choose: Callable[[Position], Move | None],
    holder: Color,
    *,
    to_win: bool,
) -> str | None:
    """None if ``choose`` plays ``holder``'s moves so that every legal reply loses (or does not win).

    The whole tree is walked: one move of the holder, every legal move of the opponent, to the end of the
    game. Positions that return by another order of moves, or turned or mirrored, are looked at once: what
    a strategy reaches in one of them, its image reaches in the other. Without ``to_win`` the claim is that
    the opponent does not win, and a line ends where every row of the winning length holds a holder's stone.
    """
    rows = _rows(position.rules.size, position.rules.win_length)
    images = cell_maps(position.rules.size)
    seen: set[bytes] = set()
    todo = [position]
    while todo:
        here = todo.pop()
        if here.outcome is not None:
            winner = here.outcome.winner
            if winner is holder or (winner is None and not to_win):
                continue
            return f"a line ends as {here.outcome.result}:\n{here}"
        key = min(image.tobytes() for image in here.cells[images])
        if key in seen or (not to_win and _holds_every_row(here, holder, rows)):
            continue
        seen.add(key)
        if here.to_move is holder:
            move = choose(here)
            if move is None:
                return f"no move is known in:\n{here}"
            todo.append(here.play(move))
        else:
            todo.extend(here.play(move) for move in here.legal_moves)
    return None


def _rows(size: int, length: int) -> Any:
    """int64 [rows, length]: the cells of every row of this length."""
    found = []
    for row in range(size):
        for col in range(size):
            for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                last_row, last_col = row + (length - 1) * down, col + (length - 1) * right
                if last_row < size and 0 <= last_col < size:
                    found.append([(row + i * down) * size + col + i * right for i in range(length)])
    return np.array(found, np.int64)


def _holds_every_row(position: Position, holder: Color, rows: Any) -> bool:
    return bool((position.cells[rows] == int(holder)).any(axis=1).all())
