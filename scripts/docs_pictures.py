"""Draw the pictures of the documentation from real searches and the real code, into ``docs/images``.

    python scripts/docs_pictures.py            # all of them
    python scripts/docs_pictures.py minimax    # those whose name begins so

Trees are what the players recorded, boards what ``wuzi.records.formats.svg`` draws, charts what was counted.
"""

from __future__ import annotations

import argparse
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path

from docs_site import charts, trees
from docs_site.trees import BLACK, BLUE, GOLD, INK, PALE, RED, WHITE, Panel, size_of

import wuzi
from wuzi.core.classes import CellClass
from wuzi.core.lines import line_class
from wuzi.records.formats.svg import SvgOptions, draw_game, draw_position
from wuzi.tactics import VcfSolver, VctSolver, load_suite
from wuzi.tactics.classes import cell_classes

ROOT = Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs" / "images"

WINDOWS = (
    "..xxxxx.. ...xxxx.. ..oxxxx.. ..x.xxx.. ....xxx.. ...xx.x.. ..oxxx... "
    "....xx... ..x.x.... ...oxx... ....x.... ..o.x.o.. ...oxo..."
).split()
"""Windows of nine cells; the middle one is the stone whose line is classified."""
_CLASSES = "FIVE OPEN_FOUR FOUR_THREE FOUR_PLUS FOUR DOUBLE_THREE THREE_PLUS THREE".split()
SHORT = {CellClass[name]: text for name, text in zip(_CLASSES, "5 4 43 4+ 4− 33 3+ 3".split(), strict=True)}


def minimax() -> dict[str, str]:
    """Document 001's pictures: the tree filled from the leaves in four steps, then cut by alpha and beta."""
    game = trees.tree_game()
    options = SvgOptions(title="The position that the trees search; Black is to move")
    found = {"minimax-position.svg": draw_game(game, options)}
    for step in range(trees.DEPTH + 1):
        title = f"A minimax tree, values known on the lowest {step + 1} levels"
        known = trees.DEPTH - step
        found[f"minimax-{step}.svg"] = trees.draw_tree(trees.full_tree(game), title, known)
    title = "The same tree as alpha-beta searched it: windows, cut-offs, and what was never looked at"
    found["minimax-alphabeta.svg"] = trees.draw_tree(trees.searched_tree(game), title, windows=True)
    return found


def mcts() -> dict[str, str]:
    """A Monte Carlo tree that grows, and the visits of its root's moves on the board."""
    game = wuzi.Game.from_moves(wuzi.Rules(size=5, win_length=4), "c3 a5 d3 a4".split())
    nodes = trees.grown_tree(game, 20_000)
    labels = {move: str(visits) for move, visits in trees.root_visits(nodes, 5).items()}
    options = SvgOptions(
        labels=labels, numbers=False, cell_px=48, title="Visits of each move after 20,000 simulations"
    )
    return {
        "mcts-growth.svg": trees.draw_growth(game, (30, 1000, 20_000)),
        "mcts-visits.svg": draw_game(game, options),
    }


def patterns() -> dict[str, str]:
    """The classes of lines, and those of cells on a board."""
    width, height = 420, 40
    panel = Panel(width, height * len(WINDOWS) + 16, "Classes of lines")
    for row, window in enumerate(WINDOWS):
        y = 8 + height * (row + 0.5)
        panel.line((20, y), (20 + 26 * 8, y), PALE)
        for place, cell in enumerate(window):
            x = 20 + 26 * place
            panel.line((x, y - 9), (x, y + 9), PALE)
            if cell in "xo":
                edge, width_ = (RED, 2) if place == 4 else (INK, 1)
                panel.circle(x, y, 10.5, BLACK if cell == "x" else WHITE, edge, width_)
        name = line_class(wuzi.Rules(), window).name.replace("_", " ").lower()
        panel.text(250, y, name, 14, anchor="start")
    game = wuzi.Game.from_moves(wuzi.Rules(size=9), "e5 f6 e6 e7 d5 f5 d6 c6 f4 g3".split())
    classes = cell_classes(game.position)[0]
    kinds = enumerate(map(CellClass, classes))
    labels = {wuzi.Move(cell, 9): SHORT[kind] for cell, kind in kinds if kind in SHORT}
    options = SvgOptions(labels=labels, numbers=False, title="What a black stone would make on each cell")
    return {"patterns-lines.svg": panel.document(), "patterns-cells.svg": draw_game(game, options)}


def vcf() -> dict[str, str]:
    """A win by fours and a win by threats from the suite, with the solvers' lines."""
    rules = wuzi.Rules(size=15)
    fours = next(p for p in load_suite() if p.theme == "vcf" and p.rules == rules and len(p.line) == 11)
    threats = next(p for p in load_suite() if p.theme == "vct" and p.rules == rules and len(p.line) == 9)
    found = {}
    pictures = (("vcf-line.svg", fours, VcfSolver()), ("vcf-threats.svg", threats, VctSolver()))
    for name, problem, solver in pictures:
        moves, after = solver.solve(problem.position).moves, problem.position
        for move in moves:
            after = after.play(move)
        title = f"{problem.theme}: {' '.join(map(str, moves))}"
        found[name] = draw_position(
            after, SvgOptions(title=title, winning_lines=False, last_move=False), moves
        )
    return found


def architecture() -> dict[str, str]:
    """The packages of wuzi and what imports what, from the import graph."""
    layers, used = import_layers(), import_edges()
    row, left, top = 30.0, 200.0, 16.0
    edge = row * len(layers)
    panel = Panel(left + edge + 110, top * 2 + edge, "Packages and their imports, all downwards")
    for y, name in enumerate(layers):
        middle = top + row * (y + 0.5)
        panel.box(8, middle - 13, left - 20, 26, GOLD, INK, 4)
        panel.text(18, middle, name, 13, anchor="start", bold=True)
        panel.text(left - 18, middle, str(lines_of(name)), 11, anchor="end")
        end = left + row * y
        panel.line((left - 12, middle), (end + 4, middle), PALE, 0.8)
        panel.text(end + 12, middle, name, 12, BLUE, anchor="start")
        panel.line((end, middle + 8), (end, top + edge), PALE, 0.8)
    for y, name in enumerate(layers):
        for x, user in enumerate(layers):
            if (user, name) in used:
                panel.circle(left + row * x, top + row * (y + 0.5), 5.5, RED if x >= y else BLACK, INK, 0.5)
    return {"../concepts/architecture.svg": panel.document()}


def import_layers() -> list[str]:
    """The packages of the layers contract in pyproject.toml, from the top."""
    tools = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]
    layers = next(one["layers"] for one in tools["importlinter"]["contracts"] if one["type"] == "layers")
    return [name.strip("()") for name in layers if name.strip("()") not in ("data", "testing")]


def import_edges() -> set[tuple[str, str]]:
    """Which package imports which, from the graph that import-linter uses."""
    import grimp

    graph, found = grimp.build_graph("wuzi", exclude_type_checking_imports=True), set()
    for module in graph.modules:
        for imported in graph.find_modules_directly_imported_by(module):
            one, other = (name.split(".")[1] if "." in name else "" for name in (module, imported))
            if one != other:
                found.add((one, other))
    return found


def lines_of(name: str) -> int:
    """Lines of a package or module."""
    path = ROOT / "src" / "wuzi" / name
    files = sorted(path.rglob("*.py")) if path.is_dir() else [path.with_suffix(".py")]
    return sum(len(file.read_text("utf-8").splitlines()) for file in files)


PICTURES: Mapping[str, Callable[[], dict[str, str]]] = {
    "minimax": minimax,
    "mcts": mcts,
    "patterns": patterns,
    "vcf": vcf,
    "architecture": architecture,
    "puct": charts.puct,
    "engine": charts.engine,
}


def main() -> None:
    """Draw what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("begin", nargs="?", default="", help="only pictures whose group begins so")
    wanted = parser.parse_args().begin
    folder = IMAGES / "algorithms"
    for group, draw in PICTURES.items():
        if group.startswith(wanted):
            for name, text in draw().items():
                path = (folder / name).resolve()
                path.write_text(text, encoding="utf-8")
                print(path.relative_to(ROOT), "{:.0f} x {:.0f}".format(*size_of(text)))


if __name__ == "__main__":
    main()
