"""The card of a net: what it is, and how to tell that it still answers as it did."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from wuzi.base.json_fields import MALFORMED
from wuzi.core import Game, Rules, format_moves, parse_moves
from wuzi.errors import RecordError, WuziError
from wuzi.nets.evaluator import Evaluator, policy_of, scalar_value
from wuzi.nets.graph import Graph
from wuzi.nets.planes import PlaneEncoder, plane_set, records_of
from wuzi.nets.quantize import Quantization
from wuzi.nets.shelf import NetEntry, net_paths

SCHEMA = 1
MEASURED = tuple("training rating matches tactics first_player calibration weaknesses measured".split())
"""What a complete card has in ``measured``."""

CHECK_PLIES = (0, 3, 8, 15)
"""How many random stones the check positions have."""


@dataclass(frozen=True, slots=True)
class Check:
    """A position with the answer the net gave when it was saved."""

    rules: Rules  # the board
    moves: str  # the game so far, as a position code
    value: float  # expected result of the side to move
    policy: tuple[float, ...]  # probabilities of all cells

    @property
    def game(self) -> Game:
        """The position as a game."""
        return Game.from_moves(self.rules, parse_moves(self.moves, self.rules.size))


@dataclass(frozen=True)
class NetCard:
    """What a net is.

    Attributes:
        name: how people call it.
        architecture: the kind of net (:mod:`wuzi.torch_nets.registry`).
        options: the architecture's configuration.
        size: the one board size its weights fit; None for every size.
        planes: the feature planes it reads.
        rules: what it was made for.
        graph: how to compute it.
        parameters: how many numbers it trained.
        weights_sha256: hash of the weights file.
        checks: positions with expected answers.
        quantization: how to compute it in 8 bits, if that was measured.
        recipe: how it was made: free notes that are JSON-compatible.
        measured: how it plays, from :mod:`wuzi.training.evaluation.cards`; empty before that was measured.
    """

    name: str
    architecture: str
    options: Mapping[str, Any]
    size: int | None
    planes: str
    rules: Rules
    graph: Graph
    parameters: int
    weights_sha256: str = ""
    checks: tuple[Check, ...] = ()
    quantization: Quantization | None = None
    recipe: Mapping[str, Any] = field(default_factory=dict)
    measured: Mapping[str, Any] = field(default_factory=dict)

    @property
    def channels(self) -> int:
        """How many feature planes it reads."""
        return plane_set(self.planes).channels

    @property
    def label(self) -> str:
        """Architecture and options in one line, such as ``basic(value_hidden=64)``."""
        options = ", ".join(f"{key}={value}" for key, value in self.options.items())
        return f"{self.architecture}({options})"

    def to_json(self) -> dict[str, Any]:
        """As JSON-compatible data."""
        return {
            "schema": SCHEMA,
            "name": self.name,
            "architecture": self.architecture,
            "options": dict(self.options),
            "size": self.size,
            "planes": self.planes,
            "rules": self.rules.to_json(),
            "parameters": self.parameters,
            "weights_sha256": self.weights_sha256,
            "quantization": asdict(self.quantization) if self.quantization else None,
            "recipe": dict(self.recipe),
            "measured": dict(self.measured),
            "checks": [asdict(one) | {"rules": one.rules.to_json()} for one in self.checks],
            "graph": self.graph.to_json(),
        }


def dump_card(card: NetCard) -> bytes:
    """The content of a card file."""
    data = card.to_json()
    lines = [f' "{key}": {json.dumps(value, ensure_ascii=False)}' for key, value in data.items()]
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode()


def parse_card(content: bytes, source: str) -> NetCard:
    """Read a card; a RecordError that names ``source`` if it is not the card of a known schema."""
    try:
        data = json.loads(content)
        if data["schema"] != SCHEMA:
            raise RecordError(f"card schema {data['schema']!r}: this wuzi reads {SCHEMA}")
        plane_set(data["planes"])
        return NetCard(
            name=str(data["name"]),
            architecture=str(data["architecture"]),
            options=dict(data["options"]),
            size=None if data["size"] is None else int(data["size"]),
            planes=str(data["planes"]),
            rules=_rules(data["rules"]),
            graph=Graph.from_json(data["graph"]),
            parameters=int(data["parameters"]),
            weights_sha256=str(data["weights_sha256"]),
            checks=tuple(_check(item) for item in data["checks"]),
            quantization=Quantization.from_json(data["quantization"]) if data["quantization"] else None,
            recipe=dict(data["recipe"]),
            measured=dict(data.get("measured", {})),
        )
    except WuziError as error:
        raise RecordError(f"{source}: {error}") from None
    except MALFORMED as error:
        raise RecordError(f"{source}: not the card of a net ({error!r})") from None


def _rules(data: Any) -> Rules:
    return Rules(size=data["size"], win_length=data["win_length"], rule=data["rule"])


def _check(data: Any) -> Check:
    policy = tuple(float(p) for p in data["policy"])
    return Check(_rules(data["rules"]), str(data["moves"]), float(data["value"]), policy)


def card_of(entry: NetEntry) -> NetCard:
    """The card of a net at hand; a RecordError where it is broken, an OSError where it cannot be read."""
    path = net_paths(entry.path)[1]
    return parse_card(path.read_bytes(), path.name)


def check_games(rules: Rules) -> list[Game]:
    """The positions that cards of these rules remember: games of random moves that have not ended."""
    random = np.random.default_rng(2026)
    games = []
    for plies in CHECK_PLIES:
        game = Game(rules)
        for cell in random.permutation(rules.num_cells)[:plies]:
            after = game.play(int(cell))
            if after.outcome is not None:
                break
            game = after
        games.append(game)
    return games


def make_checks(evaluator: Evaluator, rules: Rules) -> tuple[Check, ...]:
    """Positions with the answers of an evaluator, for its card; a RecordError where one is not finite."""
    games = check_games(rules)
    features = PlaneEncoder(evaluator.planes, rules).encode(records_of(games))
    with np.errstate(all="ignore"):  # weights that are too large overflow, and then an answer is not finite
        logits, values = evaluator.evaluate(features)
        policies, answers = policy_of(logits), scalar_value(values)
    if not (np.isfinite(policies).all() and np.isfinite(answers).all()):
        raise RecordError("its answers are not finite: the weights are damaged or too large")
    return tuple(
        Check(
            rules,
            format_moves(game.moves, rules.size),
            round(float(value), 7),
            tuple(round(float(p), 7) for p in policy),
        )
        for game, policy, value in zip(games, policies, answers, strict=True)
    )


def answers_to(checks: tuple[Check, ...], evaluator: Evaluator) -> tuple[float, float, float]:
    """How an evaluator answers a card's positions; zeros without any.

    The largest difference of a probability or value, the mean policy divergence in nats, and the mean
    absolute difference of the values.
    """
    if not checks:
        return 0.0, 0.0, 0.0
    worst, kl, error = 0.0, 0.0, 0.0
    for check in checks:
        features = PlaneEncoder(evaluator.planes, check.rules).encode(records_of([check.game]))
        logits, values = evaluator.evaluate(features)
        found, expected = policy_of(logits)[0].astype(np.float64), np.array(check.policy)
        if found.shape != expected.shape:
            raise RecordError(f"a check has {len(expected)} probabilities: expected {len(found)}")
        off = abs(float(scalar_value(values)[0]) - check.value)
        worst = max(worst, float(np.abs(found - expected).max()), off)
        kl += float((expected * (np.log(expected + 1e-30) - np.log(found + 1e-30))).sum())
        error += off
    return worst, kl / len(checks), error / len(checks)
