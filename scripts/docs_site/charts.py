"""Charts of what searches do, drawn with matplotlib; each in English and in Chinese."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

import wuzi
from docs_site import words_in
from docs_site.trees import PAPER
from wuzi.arena import load_shipped
from wuzi.core import Position

SUFFIXES = {"en": ".svg", "zh": ".zh.svg"}


def quiet_game() -> wuzi.Game:
    """The first opening of the shipped book: a search finds it even."""
    rules = wuzi.Rules(size=15)
    return load_shipped("freestyle-15", rules)[0].game(rules)


def drawn(name: str, draw: Callable[[Any, Mapping[str, str]], None], columns: int = 1) -> dict[str, str]:
    """A chart in both languages, as SVG whose texts stay texts."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    found = {}
    style: Any = {"svg.fonttype": "none", "svg.hashsalt": "wuzi", "font.family": "sans-serif"}
    style |= {"axes.grid": True, "grid.color": "#ddd3c0", "axes.facecolor": PAPER}
    for language, suffix in SUFFIXES.items():
        with mpl.rc_context(style), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Chinese glyphs are the viewer's
            figure = Figure(figsize=(5.2 * columns, 3.4), facecolor=PAPER, layout="constrained")
            draw(figure.subplots(1, columns), words_in(language))
            out = io.StringIO()
            figure.savefig(out, format="svg", metadata={"Date": None})
        svg = re.sub(r"^.*?(?=<svg)", "", out.getvalue(), flags=re.DOTALL)
        found[name + suffix] = re.sub(r"[ \t]+$", "", svg, flags=re.MULTILINE)
    return found


def puct() -> dict[str, str]:
    """How the exploration constant spreads simulations over the root's moves."""
    game = quiet_game()
    counts = [10, 20, 40, 80, 160, 320, 640, 1280]
    curves: dict[str, list[tuple[int, float]]] = {}
    constants = {"c = 5": ",c_puct=5,c_log=0", "c = 0.8": ",c_puct=0.8,c_log=0", "c = 1.1 + log": ""}
    for label, options in constants.items():
        curves[label] = []
        with wuzi.player(f"az:net=uniform,tactics=fives{options}") as player:
            for count in counts:
                lines = player.think(game, wuzi.Limit(simulations=count), multipv=225).info.lines
                visits = [line.visits or 0 for line in lines]
                curves[label].append((sum(visit > 0 for visit in visits), max(visits) / max(1, sum(visits))))

    def draw(axes: Any, words: Mapping[str, str]) -> None:
        for column, title in enumerate(("tried", "share")):
            for label, values in curves.items():
                axes[column].plot(counts, [value[column] for value in values], marker="o", label=label)
            axes[column].set(xscale="log", xlabel=words["simulations"], title=words[title])
        axes[0].legend()

    return drawn("puct-constant", draw, 2)


def _candidates(position: Position) -> list[int]:
    """Empty cells within two of a stone, as minimax takes them."""
    size = position.rules.size
    board = position.cells.reshape(size, size) != 0
    near = np.lib.stride_tricks.sliding_window_view(np.pad(board, 2), (5, 5)).any((2, 3))
    return [int(cell) for cell in np.flatnonzero(near & ~board)]


def _full_nodes(position: Position, depth: int) -> int:
    if depth == 0 or position.outcome is not None:
        return 1
    moves = _candidates(position)
    if depth == 1:
        return 1 + len(moves)
    return 1 + sum(_full_nodes(position.play(move), depth - 1) for move in moves)


def engine() -> dict[str, str]:
    """Positions that each kind of search needs for a depth."""
    game = quiet_game()
    curves: dict[str, list[tuple[int, int]]] = {
        "minimax": [(depth, _full_nodes(game.position, depth)) for depth in (1, 2, 3)]
    }
    for label, ordered, deepest in (("unordered", "false", 4), ("ordered", "true", 5)):
        curves[label] = []
        for depth in range(1, deepest + 1):
            with wuzi.player(f"minimax:depth={depth},ordered={ordered}") as player:
                curves[label].append((depth, player.think(game).info.nodes or 0))
    reports: dict[int, int] = {}
    with wuzi.player("engine:table_mb=16") as player:
        limit = wuzi.Limit(nodes=300_000)
        player.think(game, limit, on_info=lambda info: reports.update({info.depth or 0: info.nodes or 0}))
    curves["engine"] = sorted((depth, nodes) for depth, nodes in reports.items() if depth)

    def draw(axes: Any, words: Mapping[str, str]) -> None:
        for label, values in curves.items():
            axes.plot(*zip(*values, strict=True), marker="o", markersize=4, label=words[label])
        axes.set(yscale="log", xlabel=words["depth"], ylabel=words["nodes"])
        axes.legend(fontsize=8)

    return drawn("engine-depth", draw)
