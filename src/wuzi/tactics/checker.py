"""The independent checker of winning lines: rules and replay only, no patterns, no search.

It trusts nothing a solver says. A line wins by fours if after each attacking move *every* legal reply
but the one in the line loses to an immediate winning row, and no reply wins for the defender.
"""

from __future__ import annotations

from collections.abc import Sequence

from wuzi.core.notation import format_move
from wuzi.core.position import Position
from wuzi.core.types import Color, Move


def wins_at_once(position: Position) -> list[Move]:
    """Cells where the side to move ends the game in its favour, by trying every one."""
    return [move for move in position.legal_moves() if _wins(position, move)]


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
        if position.to_move is attacker:
            after = position.play(move)
            if after.outcome is not None:
                won = after.outcome.winner is attacker
                if won and ply == len(line) - 1:
                    return None
                return f"{name} at ply {ply + 1}: the game ends there ({after.outcome.result})"
            answer = line[ply + 1] if ply + 1 < len(line) else None
            if (reason := _unanswered(after, attacker, answer)) is not None:
                return f"after {name} at ply {ply + 1}: {reason}"
            position = after
        else:
            after = position.play(move)
            if after.outcome is not None:
                # Black may have had to play a forbidden point: then the defence itself loses.
                return None if after.outcome.winner is attacker else f"{name} ends the game for the defender"
            position = after
    return None


def _unanswered(position: Position, attacker: Color, answer: Move | None) -> str | None:
    """None if every reply but ``answer`` loses at once to ``attacker``."""
    size = position.rules.size
    likely: Move | None = None
    for reply in position.legal_moves():
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
