"""What a hint tells a person: first only where to look, then the move and why."""

from __future__ import annotations

from enum import auto

from wuzi.base.words import Bilingual
from wuzi.contract import Line, own_winrate
from wuzi.core import Color, Game, Move, Outcome, Position, Reason

AREA_RADIUS = 2
_CLEAR = 0.8


class HintReason(Bilingual):
    """Why a move is suggested, in both languages."""

    WINS = auto()
    BLOCKS_WIN = auto()
    OPEN_FOUR = auto()
    DOUBLE_THREAT = auto()
    STOPS_OPEN_FOUR = auto()
    WINNING_LINE = auto()
    BEST_DEFENCE = auto()
    ADVANTAGE = auto()
    DIFFICULT = auto()
    BEST_FOUND = auto()


def hint_area(move: Move, size: int, radius: int = AREA_RADIUS) -> tuple[Move, ...]:
    """The cells of a square region that holds ``move``, usually not in its middle.

    The shift depends on nothing but the move, so asking again tells no more.
    """
    row, col = divmod(int(move), size)
    shift_row, shift_col = (row * 7 + col * 3) % 3 - 1, (row * 5 + col * 11) % 3 - 1
    rows = range(max(0, row + shift_row - radius), min(size, row + shift_row + radius + 1))
    cols = range(max(0, col + shift_col - radius), min(size, col + shift_col + radius + 1))
    return tuple(Move(r * size + c, size) for r in rows for c in cols)


def hint_reason(game: Game, move: Move, line: Line | None = None) -> HintReason:
    """Why ``move`` is good for the side to move, as far as is certain; ``line`` is what its search thinks."""
    me = game.to_move
    if _wins(game.position.play(move).outcome, me):
        return HintReason.WINS
    if _wins(_if_to_move(game.position, me.opponent).play(move).outcome, me.opponent):
        return HintReason.BLOCKS_WIN
    if (threat := _threat_reason(game, move)) is not None:
        return threat
    if line is not None and line.win_in is not None:
        return HintReason.WINNING_LINE if line.win_in > 0 else HintReason.BEST_DEFENCE
    if line is not None and line.winrate is not None:
        mine = own_winrate(line.winrate, me)
        if mine >= _CLEAR:
            return HintReason.ADVANTAGE
        if mine <= 1 - _CLEAR:
            return HintReason.DIFFICULT
    return HintReason.BEST_FOUND


def _threat_reason(game: Game, move: Move) -> HintReason | None:
    """What the move does about the threats on the board, where these are known (four or five in a row)."""
    from wuzi.core.lines import WIN_LENGTHS
    from wuzi.tactics.threats import ThreatKind, find_threats

    if game.rules.win_length not in WIN_LENGTHS:
        return None
    at_move = {
        (threat.kind, threat.color is game.to_move)
        for threat in find_threats(game.position)
        if move in threat.gains
    }
    reasons = (
        (ThreatKind.OPEN_THREE, True, HintReason.OPEN_FOUR),
        (ThreatKind.FOUR_FOUR, True, HintReason.DOUBLE_THREAT),
        (ThreatKind.FOUR_THREE, True, HintReason.DOUBLE_THREAT),
        (ThreatKind.OPEN_THREE, False, HintReason.STOPS_OPEN_FOUR),
        (ThreatKind.THREE_THREE, True, HintReason.DOUBLE_THREAT),
    )
    return next((reason for kind, mine, reason in reasons if (kind, mine) in at_move), None)


def _if_to_move(position: Position, color: Color) -> Position:
    return Position.from_cells(position.rules, position.cells, color)


def _wins(outcome: Outcome | None, color: Color) -> bool:
    return outcome is not None and outcome.winner is color and outcome.reason is Reason.LINE
