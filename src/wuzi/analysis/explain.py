"""Moves in words: what a stone makes, stops, threatens and allows, and why a hint suggests it.

Only what is proved is said.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import auto

from wuzi.base.words import Bilingual
from wuzi.contract import Line, own_winrate
from wuzi.core import Color, Game, Move, Outcome, Position, Reason, Rule, format_move
from wuzi.core.classes import CellClass
from wuzi.core.lines import WIN_LENGTHS
from wuzi.tactics import Solution, Threat, ThreatKind, VcfSolver, Verdict, cell_classes, find_threats

FOUR_NODES = 20_000
"""Positions that each search for a win by fours may look at."""

AREA_RADIUS, SMALL_SIZE = 2, 10
"""A hint's area reaches so far from its middle; one point less on boards up to that size."""
_CLEAR = 0.8
"""A win rate from which on a hint speaks of an advantage."""

_FOURS = (ThreatKind.FOUR, ThreatKind.OPEN_FOUR)
_DOUBLES = (ThreatKind.FOUR_FOUR, ThreatKind.FOUR_THREE, ThreatKind.THREE_THREE)


class Said(Bilingual):
    """What can be said of a move, in both languages; ``{cells}`` are the cells it is about."""

    WINS = auto()
    FOUL_OVERLINE = auto()
    FOUL_DOUBLE_FOUR = auto()
    FOUL_DOUBLE_THREE = auto()
    LEAVES_FIVE = auto()
    STOPS_FIVE = auto()
    STOPS_OPEN_THREE = auto()
    STOPS_FOUR_FOUR = auto()
    STOPS_FOUR_THREE = auto()
    STOPS_THREE_THREE = auto()
    STOPS_FOURS = auto()
    OPEN_FOUR = auto()
    TWO_FOURS = auto()
    FOUR_THREE = auto()
    FOUR = auto()
    TWO_THREES = auto()
    OPEN_THREE = auto()
    PREPARES_FOUR_FOUR = auto()
    PREPARES_FOUR_THREE = auto()
    PREPARES_THREE_THREE = auto()
    BEGINS_FOURS = auto()
    THREATENS_FOURS = auto()
    ALLOWS_FOURS = auto()
    WINS_IN = auto()
    LOSES_IN = auto()
    TWO_TWOS = auto()
    OPEN_TWO = auto()
    CLOSED_THREE = auto()
    TAKES_THREE = auto()
    TAKES_TWO = auto()
    QUIET = auto()


@dataclass(frozen=True, slots=True)
class Remark:
    """One thing to say of a move, the cells it is about, and how many plies off a proven end is."""

    said: Said
    cells: tuple[Move, ...] = ()
    plies: int = 0

    def text(self, size: int, language: str = "en") -> str:
        """The sentence for a board of that size, in ``en`` or ``zh``."""
        cells = " ".join(format_move(cell, size) for cell in self.cells)
        return self.said.text(language).format(cells=cells, plies=self.plies)


class Explainer:
    """Explains moves of one position that is not over; what is known of the position is found once.

    Threats are named for win lengths four and five, wins by fours for freestyle, standard and renju.
    Elsewhere only the end of the game and what the search proved is said.
    """

    def __init__(self, position: Position, *, max_nodes: int = FOUR_NODES) -> None:
        rules = position.rules
        self.position = position
        self._me = position.to_move
        self._max_nodes = max_nodes
        self._named = rules.win_length in WIN_LENGTHS
        fours = self._named and rules.rule not in (Rule.CARO, Rule.CARO_OVERLINE)
        self._solver = VcfSolver() if fours else None
        self.threats: tuple[Threat, ...] = find_threats(position) if self._named else ()
        if self._named:
            self._classes = cell_classes(position)
        self._own = self._by_fours(position)
        self._foe = self._by_fours(_turned(position, self._me.opponent))

    def explain(self, move: Move, line: Line | None = None) -> tuple[Remark, ...]:
        """What a legal move does, most important first; ``line`` is what a search proved of it."""
        after = self.position.play(move)
        if after.outcome is not None:
            return self._end(after, move)
        remarks: list[Remark] = []
        if self._named:
            threats = find_threats(after)
            remarks += self._against(move, threats)
            if not any(remark.said is Said.LEAVES_FIVE for remark in remarks):
                remarks += self._made(move, threats)
                remarks += self._fours(move, after, remarks)
        remarks += _proved(line, remarks)
        return tuple(remarks or self._shapes(move)) or (Remark(Said.QUIET),)

    def _shapes(self, move: Move) -> list[Remark]:
        """The small shapes of a move that makes and stops no threat."""
        if not self._named:
            return []
        own, foe = (CellClass(int(self._classes[color - 1][move])) for color in (self._me, self._me.opponent))
        said = [shapes[kind] for shapes, kind in ((_BUILT, own), (_TAKEN, foe)) if kind in shapes]
        return [Remark(one) for one in said]

    def _end(self, after: Position, move: Move) -> tuple[Remark, ...]:
        outcome = after.outcome
        assert outcome is not None
        if outcome.reason is Reason.FORBIDDEN:
            return (Remark(Said[f"FOUL_{self.position.forbidden_kind(move).name}"]),)
        return (Remark(Said.WINS),) if outcome.winner is self._me else ()

    def _against(self, move: Move, after: Sequence[Threat]) -> list[Remark]:
        """What the move does about the enemy's threats."""
        foe = self._me.opponent
        left = [threat for threat in after if threat.color is foe]
        if points := _gains(left, _FOURS):
            return [Remark(Said.LEAVES_FIVE, points)]
        before = [threat for threat in self.threats if threat.color is foe]
        if _gains(before, _FOURS):
            return [Remark(Said.STOPS_FIVE)]
        threes = {threat.stones for threat in left if threat.kind is ThreatKind.OPEN_THREE}
        if any(t.kind is ThreatKind.OPEN_THREE and t.stones not in threes for t in before):
            return [Remark(Said.STOPS_OPEN_THREE)]
        for kind in _DOUBLES:
            if gone := tuple(cell for cell in _gains(before, (kind,)) if cell not in _gains(left, _DOUBLES)):
                return [Remark(Said[f"STOPS_{kind.name}"], gone)]
        return []

    def _made(self, move: Move, after: Sequence[Threat]) -> list[Remark]:
        """The threats that the new stone is part of."""
        mine = [threat for threat in after if threat.color is self._me and move in threat.stones]
        fours = _gains(mine, _FOURS)
        threes = [threat for threat in mine if threat.kind is ThreatKind.OPEN_THREE]
        if any(threat.kind is ThreatKind.OPEN_FOUR for threat in mine):
            return [Remark(Said.OPEN_FOUR)]
        if len(fours) > 1:
            return [Remark(Said.TWO_FOURS)]
        if fours:
            return [Remark(Said.FOUR_THREE)] if threes else [Remark(Said.FOUR, fours)]
        if threes:
            return [Remark(Said.TWO_THREES if len(threes) > 1 else Said.OPEN_THREE)]
        return self._prepared(mine)

    def _prepared(self, mine: Sequence[Threat]) -> list[Remark]:
        old = _gains([threat for threat in self.threats if threat.color is self._me], _DOUBLES)
        for kind in _DOUBLES:
            if new := tuple(cell for cell in _gains(mine, (kind,)) if cell not in old):
                return [Remark(Said[f"PREPARES_{kind.name}"], new)]
        return []

    def _fours(self, move: Move, after: Position, remarks: Sequence[Remark]) -> list[Remark]:
        """Wins by fours that the move begins, threatens, stops or allows."""
        if self._own and self._own[0] == move:
            return [Remark(Said.BEGINS_FOURS, self._own)]
        answer = self._solve(after)
        if answer is None:
            return []
        if answer.verdict is Verdict.WIN:
            return [Remark(Said.ALLOWS_FOURS, answer.moves)]
        found = []
        stops_none = not any(remark.said in _STOPPED for remark in remarks)
        if self._foe and stops_none and answer.verdict is Verdict.NONE:
            found.append(Remark(Said.STOPS_FOURS, self._foe))
        makes_none = not any(remark.said in _MADE for remark in remarks)
        if makes_none and (threat := self._by_fours(_turned(after, self._me))):
            found.append(Remark(Said.THREATENS_FOURS, threat))
        return found

    def _solve(self, position: Position) -> Solution | None:
        return None if self._solver is None else self._solver.solve(position, max_nodes=self._max_nodes)

    def _by_fours(self, position: Position) -> tuple[Move, ...]:
        """The line of a win by fours of the side to move; empty if none was found."""
        solution = self._solve(position)
        return () if solution is None else solution.moves


_BUILT = {
    CellClass.TWO: Said.OPEN_TWO,
    CellClass.DOUBLE_TWO: Said.TWO_TWOS,
    CellClass.CLOSED_THREE: Said.CLOSED_THREE,
    CellClass.CLOSED_THREE_PLUS: Said.CLOSED_THREE,
}
_TAKEN = {
    CellClass.TWO: Said.TAKES_TWO,
    CellClass.DOUBLE_TWO: Said.TAKES_TWO,
    CellClass.THREE: Said.TAKES_THREE,
    CellClass.THREE_PLUS: Said.TAKES_THREE,
}
_STOPPED = frozenset(
    {Said.STOPS_FIVE, Said.STOPS_OPEN_THREE, *(Said[f"STOPS_{kind.name}"] for kind in _DOUBLES)}
)
_MADE = frozenset(
    {Said.OPEN_FOUR, Said.TWO_FOURS, Said.FOUR_THREE, Said.FOUR, Said.TWO_THREES, Said.OPEN_THREE}
)


def _gains(threats: Iterable[Threat], kinds: Sequence[ThreatKind]) -> tuple[Move, ...]:
    return tuple(sorted({cell for threat in threats if threat.kind in kinds for cell in threat.gains}))


def _turned(position: Position, color: Color) -> Position:
    """The same stones with ``color`` to move."""
    return Position.from_cells(position.rules, position.cells, color)


def _proved(line: Line | None, remarks: Sequence[Remark]) -> list[Remark]:
    if line is None or not line.win_in:
        return []
    if any(remark.said in (Said.BEGINS_FOURS, Said.LEAVES_FIVE) for remark in remarks):
        return []
    return [Remark(Said.WINS_IN if line.win_in > 0 else Said.LOSES_IN, plies=abs(line.win_in))]


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


def hint_area(move: Move, size: int) -> tuple[Move, ...]:
    """The cells of a square region that holds ``move``, usually not in its middle.

    The shift depends on nothing but the move, so asking again tells no more.
    """
    radius = AREA_RADIUS if size > SMALL_SIZE else AREA_RADIUS - 1
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
    if _wins(_turned(game.position, me.opponent).play(move).outcome, me.opponent):
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


def _wins(outcome: Outcome | None, color: Color) -> bool:
    return outcome is not None and outcome.winner is color and outcome.reason is Reason.LINE
