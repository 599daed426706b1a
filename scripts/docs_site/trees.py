"""Trees of real searches as pictures: minimax, alpha-beta, and the growth of a Monte Carlo tree."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html import escape
from typing import Any

import numpy as np

import wuzi
from wuzi.core.layout import LINES
from wuzi.search.control import new_control
from wuzi.search.layout import NODE
from wuzi.search.montecarlo.kernels import PLAIN, UCB1, MctsRun, mcts_run, mcts_setup
from wuzi.tactics.layout import PATTERNS, TABLES

PAPER, INK, PALE = "#fbf7ee", "#3b2f1c", "#b9ad97"
BLACK, WHITE, RED, BLUE, GOLD = "#191919", "#ffffff", "#c0392b", "#1763c6", "#e8c482"
FONT = "system-ui, 'Noto Sans', 'Noto Sans SC', sans-serif"


def number(value: float) -> str:
    """A coordinate without needless digits."""
    return f"{value:.1f}".rstrip("0").rstrip(".")


Point = tuple[float, float]


class Panel:
    """A picture in the making, with a paper-coloured ground of its own."""

    def __init__(self, width: float, height: float, title: str) -> None:
        size = f'width="{number(width)}" height="{number(height)}"'
        self._parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {number(width)} {number(height)}" '
            f'{size} role="img" font-family="{FONT}" text-anchor="middle">',
            f"<title>{escape(title)}</title>",
            f'<rect {size} rx="8" fill="{PAPER}"/>',
        ]

    def _add(self, kind: str, text: str = "", **attributes: str | float) -> None:
        said = (
            f'{name.rstrip("_").replace("_", "-")}="{value if isinstance(value, str) else number(value)}"'
            for name, value in attributes.items()
        )
        self._parts.append(f"<{kind} {' '.join(said)}" + (f">{escape(text)}</{kind}>" if text else "/>"))

    def line(
        self, start: Point, end: Point, color: str = INK, width: float = 1.2, dashed: bool = False
    ) -> None:
        """A straight line."""
        path = f"M{number(start[0])} {number(start[1])}L{number(end[0])} {number(end[1])}"
        dash = {"stroke_dasharray": "4 4"} if dashed else {}
        self._add("path", d=path, stroke=color, stroke_width=width, fill="none", **dash)

    def circle(
        self, x: float, y: float, radius: float, fill: str, stroke: str = INK, width: float = 1.2
    ) -> None:
        """A circle."""
        self._add("circle", cx=x, cy=y, r=radius, fill=fill, stroke=stroke, stroke_width=width)

    def box(
        self, x: float, y: float, width: float, height: float, fill: str, stroke: str = INK, round_: float = 2
    ) -> None:
        """A rectangle by its upper left corner."""
        self._add("rect", x=x, y=y, width=width, height=height, rx=round_, fill=fill, stroke=stroke)

    def text(
        self,
        x: float,
        y: float,
        text: str,
        size: float = 12,
        color: str = INK,
        anchor: str = "",
        bold: bool = False,
    ) -> None:
        """A text whose middle (or start, or end) stands at ``x`` and whose height is centred on ``y``."""
        extra = ({"text_anchor": anchor} if anchor else {}) | ({"font_weight": "600"} if bold else {})
        self._add("text", text, x=x, y=y + size * 0.35, font_size=size, fill=color, **extra)

    def document(self) -> str:
        """The whole picture, an element a line."""
        return "\n".join([*self._parts, "</svg>"]) + "\n"


def size_of(svg: str) -> tuple[float, float]:
    """Width and height of a document."""
    found = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg)
    assert found is not None
    return float(found[1]), float(found[2])


WIDTH, DEPTH = 2, 4
MOVES = "e5 e6 d6 f4 c7 b8 d5 c5"
"""The position of the trees: Black, with four stones, is to move."""
SPEC = "minimax:evaluation=s1,width={width},depth={depth},trace=10000"


@dataclass
class Node:
    """A node of a tree: the move into it, its value for Black (the root's side), and what lies below."""

    move: str
    value: int = 0
    alpha: int | None = None
    beta: int | None = None
    seen: bool = True
    cut: bool = False
    children: list[Node] = field(default_factory=list)
    x: float = 0.0


def tree_game() -> wuzi.Game:
    """The game whose position the trees search."""
    return wuzi.Game.from_moves(wuzi.Rules(size=9), MOVES.split())


def rows_of(game: wuzi.Game, depth: int, multipv: int) -> Any:
    """The tree that the minimax player recorded, in the order of the search."""
    with wuzi.player(SPEC.format(width=WIDTH, depth=depth)) as player:
        return player.think(game, multipv=multipv).info.extra["tree"]


def full_tree(game: wuzi.Game, depth: int = DEPTH, move: str = "", seen: bool = True) -> Node:
    """Plain minimax: the values of leaves are the player's search's, all others come from those below."""
    node, sign = Node(move, seen=seen), 1 if game.to_move.name == "BLACK" else -1
    for row in rows_of(game, 1, WIDTH):
        after = game.play(row["move"])
        if depth == 1 or after.outcome is not None:
            node.children.append(Node(row["move"], -sign * row["value"], seen=seen))
        else:
            node.children.append(full_tree(after, depth - 1, row["move"], seen))
    values = [child.value for child in node.children]
    node.value = max(values) if sign > 0 else min(values)
    return node


def searched_tree(game: wuzi.Game) -> Node:
    """The same tree as alpha-beta walked through it; nodes that it never saw have ``seen`` false."""
    root = full_tree(game, seen=False)
    root.seen = True
    by_id: dict[int | None, Node] = {None: root}
    for row in rows_of(game, DEPTH, 1):
        node = next(child for child in by_id[row["parent"]].children if child.move == row["move"])
        node.value, node.alpha, node.beta = row["value"], row["alpha"], row["beta"]
        if row["depth"] % 2:  # White's view
            bounds = (node.beta, node.alpha)
            node.alpha, node.beta = (None if bound is None else -bound for bound in bounds)
            node.value = -node.value
        node.seen, node.cut = True, row["cutoff"]
        by_id[row["id"]] = node
    return root


def count(node: Node, seen_only: bool = False) -> int:
    """Nodes of a tree below its root."""
    return sum((child.seen or not seen_only) + count(child, seen_only) for child in node.children)


STEP, LEVEL = 60.0, 92.0


def _place(node: Node, first: int = 0) -> int:
    """Give each leaf a column and each inner node the middle of its children; the next free column."""
    if not node.children:
        node.x = STEP * (first + 0.8)
        return first + 1
    for child in node.children:
        first = _place(child, first)
    node.x = (node.children[0].x + node.children[-1].x) / 2
    return first


def draw_tree(root: Node, title: str, known: int = 0, windows: bool = False) -> str:
    """Circles where Black moves, squares where White does; the first ``known`` levels have no values yet."""
    leaves = _place(root)
    panel = Panel(STEP * (leaves + 0.6), LEVEL * (DEPTH + 1), title)

    def walk(node: Node, level: int) -> None:
        y = LEVEL * (level + 0.5)
        for child in node.children:
            best = child.value == node.value and level >= known and child.seen
            color, width = (RED, 2.6) if best and node.seen else (INK, 1.2)
            end = (child.x, y + LEVEL)
            panel.line((node.x, y), end, color if child.seen else PALE, width, dashed=not child.seen)
            middle = ((node.x + child.x) / 2, y + LEVEL * 0.56)
            panel.box(middle[0] - 11, middle[1] - 8, 22, 16, PAPER, "none")
            panel.text(*middle, child.move, 11, INK if child.seen else PALE)
            walk(child, level + 1)
        _draw_node(panel, node, level, y, known, windows)

    walk(root, 0)
    for level, who in enumerate(("MAX", "MIN", "MAX", "MIN", "MAX")):
        panel.text(4, LEVEL * level + 14, who, 10, BLUE, anchor="start")
    return panel.document()


def _draw_node(panel: Panel, node: Node, level: int, y: float, known: int, windows: bool) -> None:
    fill, edge = (WHITE if level % 2 else GOLD, INK) if node.seen else (PAPER, PALE)
    if level % 2 == 0:
        panel.circle(node.x, y, 23, fill, edge)
    else:
        panel.box(node.x - 24, y - 17, 48, 34, fill, edge)
    if level >= known and node.seen:
        panel.text(node.x, y, str(node.value), 12, bold=True)
    if windows and node.seen and level > 0:
        low, high = ("−∞" if node.alpha is None else node.alpha), ("+∞" if node.beta is None else node.beta)
        window = f"[{low}, {high}]"
        panel.box(node.x - 3 * len(window), y + 25, 6 * len(window), 13, PAPER, "none")
        panel.text(node.x, y + 31, window, 9, BLUE)
    if node.cut:
        panel.line((node.x - 15, y + 41), (node.x + 15, y + 41), RED, 3)


# ---------------------------------------------------------------------------- Monte Carlo


def grown_tree(game: wuzi.Game, simulations: int, seed: int = 1) -> Any:
    """The nodes of pure MCTS after these simulations, as the kernels left them."""
    state, patterns, tables = game.position.state(), np.zeros(1, PATTERNS)[0], np.zeros(1, TABLES)[0]
    root, work = np.zeros(1, LINES)[0], np.zeros(1, LINES)[0]
    root["rng"], work["rng"] = seed, seed + 1
    nodes = np.zeros(simulations + 2, NODE)
    path, ctl = np.zeros(game.rules.num_cells + 2, np.int64), new_control()
    mcts_setup(state, patterns, tables, root, nodes, ctl, PLAIN)
    run = MctsRun(state, patterns, tables, root, work, nodes, path, ctl)
    mcts_run(run, simulations, 1414, PLAIN, UCB1)
    return nodes


def _children(nodes: Any, node: int) -> list[int]:
    found, child = [], int(nodes[node]["first_child"])
    while child:
        found.append(child)
        child = int(nodes[child]["next_sibling"])
    return sorted(found, key=lambda n: -int(nodes[n]["visits"]))


def draw_growth(game: wuzi.Game, counts: tuple[int, ...]) -> str:
    """The tree after a few, some and many simulations; areas are visits, colours shares of wins."""
    size, width, height = game.rules.size, 330.0, 215.0
    panel = Panel(width * len(counts), height + 30, f"Monte Carlo trees after {counts} simulations")
    for place, simulations in enumerate(counts):
        nodes = grown_tree(game, simulations)
        panel.text(width * (place + 0.5), 18, f"{simulations}", 15, bold=True)
        _draw_below(panel, nodes, 0, (width * place + 8, width * (place + 1) - 8), 44, simulations, size)
    return panel.document()


def _draw_below(
    panel: Panel, nodes: Any, node: int, span: tuple[float, float], y: float, total: int, size: int
) -> None:
    x = (span[0] + span[1]) / 2
    children = [child for child in _children(nodes, node) if nodes[child]["visits"]]
    weights = [float(nodes[child]["visits"]) ** 0.5 for child in children]
    left, width = span[0], span[1] - span[0]
    for child, weight in zip(children, weights, strict=True):
        part = width * weight / sum(weights)
        at = (left + part / 2, y + 62)
        share = float(nodes[child]["visits"]) / total
        panel.line((x, y), at, PALE if share < 0.02 else INK, 0.5 + 6 * share)
        if part > 3 and y < 140:
            _draw_below(panel, nodes, child, (left, left + part), y + 62, total, size)
        left += part
    visits = int(nodes[node]["visits"]) if node else total
    radius = max(1.6, min(17.0, 17 * (visits / total) ** 0.5))
    rate = float(nodes[node]["value_sum"]) / visits if node and visits else 0.5
    panel.circle(x, y, radius, _between(rate), BLACK, 0.6)
    if node and radius > 8.5:
        panel.text(x, y, str(_move(nodes, node, size)), 9)


def _between(rate: float) -> str:
    """From red (few wins) over paper to blue (many)."""
    low, middle, high = (224, 122, 100), (251, 247, 238), (110, 165, 230)
    first, last, part = (low, middle, rate * 2) if rate < 0.5 else (middle, high, rate * 2 - 1)
    return "#" + "".join(f"{round(a + (b - a) * min(1, part)):02x}" for a, b in zip(first, last, strict=True))


def root_visits(nodes: Any, size: int) -> dict[wuzi.Move, int]:
    """Visits of the root's moves."""
    return {_move(nodes, child, size): int(nodes[child]["visits"]) for child in _children(nodes, 0)}


def _move(nodes: Any, node: int, size: int) -> wuzi.Move:
    row, col = divmod(int(nodes[node]["place"]), 32)
    return wuzi.Move(row * size + col, size)
