"""Layers of a position: everything that can be said of it at a glance, without a player's search.

Threats with the wins by fours and by threats of either side, the score table with its reasons, a net's
policy, value and maps, the tree that a shallow minimax search records, and moves in words. Arrays have one
entry a cell in cell order (row 0 at the top); cells are text such as ``h8``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from wuzi.analysis.explain import Explainer
from wuzi.base.words import LANGUAGES
from wuzi.contract import Limit, Stop, black_winrate
from wuzi.core import Color, Game, Move, Position, Stone
from wuzi.errors import GameOverError, UnsupportedError
from wuzi.nets import NetFile, PlaneEncoder, read_net, records_of, scalar_value
from wuzi.nets.backends.numpy_net import run_graph
from wuzi.nets.graph import POLICY, VALUE, WDL
from wuzi.players.minimax import MinimaxConfig, MinimaxPlayer
from wuzi.players.weight import explain_cell, score_table
from wuzi.protocols.analysis.queries import TREE_DEPTH
from wuzi.tactics import VcfSolver, VctSolver, Verdict, find_threats

FOUR_NODES = 50_000
THREAT_NODES = 100_000
"""Positions that each search for a win by fours, or by threats, may look at."""
TREE_WIDTH = 8
TREE_NODES = 3000
"""Moves at a node and nodes of a recorded tree: more cannot be read."""
REASONED = 40
"""Cells whose score is explained: each has up to eight reasons."""
MAPS = ("field", "gradient", "attention", "next_value")
GAUGES = ("alpha", "beta")


class LayerMaker:
    """Makes layers. Keeps the solvers' tables and the last net."""

    _fours = cached_property(lambda self: VcfSolver())
    _threats = cached_property(lambda self: VctSolver())

    def __init__(self) -> None:
        self._net: tuple[str, NetFile] | None = None

    def look(
        self,
        game: Game,
        include: frozenset[str],
        *,
        net: str = "",
        depth: int = TREE_DEPTH,
        moves: Sequence[Move] = (),
        stop: Stop | None = None,
    ) -> dict[str, Any]:
        """The layers named in ``include``, as far as they make sense under these rules.

        ``unsupported`` has the reasons for the others. ``net`` is a name, never a path; ``depth`` is plies of
        the tree, whose search ``stop`` ends early; ``moves`` are put into words. ConfigError if there is no
        such net, or it does not fit; GameOverError if the game is over and more than threats were asked for.
        """
        if game.outcome is not None and include - {"threats"}:
            raise GameOverError(f"the game is over ({game.outcome.reason.label})")
        makers: dict[str, Callable[[], Any]] = {
            "threats": lambda: self._threat_layer(game.position),
            "scores": lambda: score_layer(game.position),
            "net": lambda: self._net_layer(game, net),
            "tree": lambda: tree_layer(game, depth, stop),
            "words": lambda: word_layer(game.position, moves),
        }
        found: dict[str, Any] = {}
        unsupported: dict[str, str] = {}
        for name in sorted(include):
            try:
                found[name] = makers[name]()
            except UnsupportedError as error:
                unsupported[name] = str(error)
        return {**found, "unsupported": unsupported}

    def _threat_layer(self, position: Position) -> dict[str, Any]:
        found = [
            {
                "kind": threat.kind.value,
                "color": threat.color.letter,
                "stones": _cells(threat.stones),
                "gains": _cells(threat.gains),
            }
            for threat in find_threats(position)
        ]
        both = () if position.outcome is not None else (position.to_move, position.to_move.opponent)
        return {"found": found, "lines": [self._win(position, color) for color in both]}

    def _win(self, position: Position, color: Color) -> dict[str, Any]:
        """How ``color`` would win by force if it were to move."""
        turned = position
        if color is not position.to_move:
            turned = Position.from_cells(position.rules, position.cells, color)
        kind, solution = "vcf", self._fours.solve(turned, max_nodes=FOUR_NODES)
        if solution.verdict is not Verdict.WIN:
            kind, solution = "vct", self._threats.solve(turned, max_nodes=THREAT_NODES)
        return {
            "color": color.letter,
            "toMove": color is position.to_move,
            "kind": kind,
            "verdict": str(solution.verdict),
            "moves": _cells(solution.moves),
        }

    def _net_layer(self, game: Game, name: str) -> dict[str, Any]:
        if self._net is None or self._net[0] != name:
            self._net = (name, read_net(name, allow_path=False))
        return net_layer(self._net[1], game)


def net_layer(net: NetFile, game: Game) -> dict[str, Any]:
    """A net's evaluation of a position; UnsupportedError if it is made for another board size.

    ``policy`` over the empty cells, ``winrate`` (Black's), ``value`` (the side to move's), maps and gauges.
    """
    card, rules = net.card, game.rules
    if card.size not in (None, rules.size):
        raise UnsupportedError(
            f"net {card.name} on {rules.size}x{rules.size}: made for {card.size}x{card.size}"
        )
    features = PlaneEncoder(card.planes, rules).encode(records_of([game]))
    value_name = WDL if WDL in card.graph.outputs else VALUE
    wanted = [name for name in (POLICY, value_name, *MAPS, *GAUGES) if name in card.graph.outputs]
    if card.graph.why_torch is None:
        out = run_graph(card.graph, net.weights, features, wanted)
    else:
        out = dict(zip((POLICY, value_name), net.exact().evaluate(features), strict=True))
    layer: dict[str, Any] = {"name": card.name, "architecture": card.architecture}
    if POLICY in out:
        layer["policy"] = _policy(out[POLICY][0], game.position.cells)
    if value_name in out:
        value = float(np.clip(scalar_value(out[value_name])[0], -1, 1))
        layer |= {"value": value, "winrate": black_winrate(value, game.to_move)}
    layer["maps"] = {name: _rounded(out[name].reshape(-1)) for name in MAPS if name in out}
    layer["gauges"] = {name: float(out[name].reshape(-1)[0]) for name in GAUGES if name in out}
    return layer


def score_layer(position: Position) -> dict[str, Any]:
    """The score table for the side to move, with the reasons of the cells with the greatest scores."""
    attack, defence = score_table(position)
    best = np.argsort(-(attack + defence), kind="stable")[:REASONED].tolist()
    moves = [Move(cell, position.rules.size) for cell in best if attack[cell] >= 0]
    reasons = {str(move): explain_cell(position, move) for move in moves}
    return {
        "attack": np.maximum(attack, 0).tolist(),
        "defence": np.maximum(defence, 0).tolist(),
        "reasons": reasons,
    }


def tree_layer(game: Game, depth: int, stop: Stop | None = None) -> dict[str, Any]:
    """The tree of a shallow minimax search of the two-stage report, as its nodes were entered."""
    player = MinimaxPlayer(MinimaxConfig(depth=depth, width=TREE_WIDTH, trace=TREE_NODES))
    info = player.think(game, Limit(), stop=stop).info
    rows = info.extra.get("tree", [])
    return {
        "depth": depth,
        "width": TREE_WIDTH,
        "rows": rows,
        "isCut": len(rows) >= TREE_NODES,
        "best": _cells(info.lines[0].pv),
    }


def word_layer(position: Position, moves: Sequence[Move]) -> list[dict[str, Any]]:
    """Moves in words, in both languages."""
    explainer, size = Explainer(position), position.rules.size
    layer: list[dict[str, Any]] = []
    for move in moves:
        remarks = explainer.explain(move)
        said: dict[str, Any] = {
            language: [one.text(size, language) for one in remarks] for language in LANGUAGES
        }
        layer.append({"move": str(move), **said})
    return layer


def _cells(moves: Sequence[Move]) -> list[str]:
    return [str(move) for move in moves]


def _policy(logits: Any, cells: Any) -> list[float]:
    """Probabilities over the empty cells."""
    empty = cells == Stone.EMPTY
    weights = np.where(empty, np.exp(logits.astype(np.float64) - logits[empty].max()), 0.0)
    return _rounded(weights / weights.sum())


def _rounded(values: Any) -> list[float]:
    return [round(float(value), 5) for value in values]
