"""What a search knows as lines of the Gomocup protocol, in the manner graphical interfaces read.

``INFO show_detail`` chooses: 0 ordinary messages, 1 marks on the board in real time as well, 2 raw
``INFO`` lines as well, 3 all of them. Figures are the engine's own side, as the protocol's habit is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from wuzi.protocols.gomocup.wire import format_cell, format_cells

if TYPE_CHECKING:
    from wuzi.contract import Line, SearchInfo

REALTIME, RAW = 1, 2
"""Bits of ``show_detail``."""

_LONGEST_PV = 20
_UNITS = ((10**9, "G"), (10**6, "M"), (10**3, "K"))


def progress_lines(info: SearchInfo, size: int, detail: int) -> list[str]:
    """The lines for one finished depth of a search."""
    lines: list[str] = []
    if detail & RAW:
        for number, line in enumerate(info.lines):
            lines += _raw_lines(info, line, number, size)
    if len(info.lines) == 1:
        best = info.lines[0]
        lines.append(
            f"MESSAGE Depth {_depth(info)} | Eval {eval_text(best)} | Time {time_text(info.time_s)} | "
            f"{_pv_text(best)}"
        )
    else:
        lines += [
            f"MESSAGE ({number}) {eval_text(line)} | {_depth(info)} | {_pv_text(line)}"
            for number, line in enumerate(info.lines, 1)
        ]
    if detail & REALTIME and info.lines:
        lines.append("MESSAGE REALTIME REFRESH")
        lines += [_mark("LOST", line.move, size) for line in info.lines if (line.win_in or 0) < 0]
        lines.append(_mark("BEST", info.lines[0].move, size))
    return lines


def current_lines(now: int | None, before: int | None, size: int) -> list[str]:
    """The marks when the search turns from one move at the root to another; None for no move."""
    if now == before:
        return []
    done = [] if before is None else [_mark("DONE", before, size)]
    return done + ([] if now is None else [_mark("POS", now, size)])


def final_line(info: SearchInfo) -> str:
    """The summary before the answer."""
    return (
        f"MESSAGE Speed {count_text(info.nodes_per_s)} | Depth {_depth(info)} | "
        f"Eval {eval_text(info.lines[0])} | Node {count_text(max(info.nodes, info.simulations))} | "
        f"Time {time_text(info.time_s)}"
    )


def _raw_lines(info: SearchInfo, line: Line, number: int, size: int) -> Sequence[str]:
    share = (1 + (line.value or 0.0)) / 2
    return (
        f"INFO PV {number}",
        f"INFO NUMPV {len(info.lines)}",
        f"INFO DEPTH {depth_of(info)}",
        f"INFO SELDEPTH {info.max_depth}",
        f"INFO NODES {line.visits or info.nodes}",
        f"INFO TOTALNODES {info.nodes}",
        f"INFO TOTALTIME {round(info.time_s * 1000)}",
        f"INFO SPEED {round(info.nodes_per_s)}",
        f"INFO EVAL {eval_text(line)}",
        f"INFO WINRATE {share:.4f}",
        f"INFO BESTLINE {format_cells(line.pv or (line.move,), size)}",
        "INFO PV DONE",
    )


def eval_text(line: Line) -> str:
    """The score of a line, ``+M5`` for a win and ``-M4`` for a loss within that number of plies."""
    if line.win_in is not None:
        return f"{'+' if line.win_in > 0 else '-'}M{abs(line.win_in)}"
    if line.score is not None:
        return f"{round(line.score)}"
    return f"{round(100 * (line.value or 0.0))}"


def count_text(number: float) -> str:
    """A count as short as people like it.

    >>> count_text(822_345), count_text(97)
    ('822K', '97')
    """
    for unit, name in _UNITS:
        if number >= unit * 10:
            return f"{number / unit:.0f}{name}"
        if number >= unit:
            return f"{number / unit:.1f}{name}"
    return f"{number:.0f}"


def time_text(seconds: float) -> str:
    """A duration.

    >>> time_text(0.27), time_text(12.3)
    ('270ms', '12.3s')
    """
    return f"{1000 * seconds:.0f}ms" if seconds < 10 else f"{seconds:.1f}s"


def _depth(info: SearchInfo) -> str:
    return f"{depth_of(info)}-{max(depth_of(info), info.max_depth)}"


def depth_of(info: SearchInfo) -> int:
    """Plies: what the search completed, and for a tree search, which completes none, its best line's."""
    if info.simulations > 0 and not info.depth:
        return len(info.lines[0].pv) if info.lines else 0
    return info.depth


def _pv_text(line: Line) -> str:
    return " ".join(str(move).upper() for move in (line.pv or (line.move,))[:_LONGEST_PV])


def _mark(kind: str, cell: int, size: int) -> str:
    return f"MESSAGE REALTIME {kind} {format_cell(cell, size)}"
