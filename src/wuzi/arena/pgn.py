"""Results as PGN, the form that rating programs such as BayesElo and Ordo read: names and results, no moves.

PGN cannot write a move of Gomoku. Black, who begins, stands as PGN's White, who begins in chess; so the
advantage that those programs estimate for White is the first player's.
"""

from __future__ import annotations

from collections.abc import Iterable

from wuzi.arena.results import GameResult

_RESULTS = {"black": "1-0", "white": "0-1", "draw": "1/2-1/2"}


def pgn_text(records: Iterable[GameResult]) -> str:
    r"""The games as a PGN file.

    >>> print(pgn_text([GameResult("g1", "minimax", 'my "bot"', "white", size=9, rule="renju")]))
    [Event "wuzi"]
    [Site "9x9 renju"]
    [Date "????.??.??"]
    [Round "g1"]
    [White "minimax"]
    [Black "my \"bot\""]
    [Result "0-1"]
    <BLANKLINE>
    0-1
    <BLANKLINE>
    """
    return "".join(_game(record) for record in records)


def _game(record: GameResult) -> str:
    result = _RESULTS[record.winner]
    board = "?" if record.size is None else f"{record.size}x{record.size} {record.rule}".strip()
    tags = {
        "Event": "wuzi",
        "Site": board,
        "Date": record.started_at[:10].replace("-", ".") or "????.??.??",
        "Round": record.game_id,
        "White": record.black,
        "Black": record.white,
        "Result": result,
    }
    lines = (f'[{name} "{_quoted(value)}"]\n' for name, value in tags.items())
    return f"{''.join(lines)}\n{result}\n\n"


def _quoted(text: str) -> str:
    """On one line, with quotation marks and backslashes escaped."""
    return " ".join(text.replace("\\", "\\\\").replace('"', '\\"').split())
