"""``wuzi evaluate``: the raw answer of a net for one position, without any search."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import typer

import wuzi
from wuzi.apps.cli.nets.nets import read_any_net
from wuzi.apps.cli.options import Json, NetOption, RuleName, played, print_json, rules_of
from wuzi.errors import ConfigError
from wuzi.nets.codebook import is_codebook
from wuzi.nets.loading import load_evaluator

SHOWN = 8


def evaluate(
    net: NetOption,
    moves: str = "",
    size: int | None = None,
    win_length: int | None = None,
    rule: Annotated[RuleName | None, typer.Option(case_sensitive=False)] = None,
    backend: Literal["onnx", "numpy", "int8", "torch", "auto"] = "onnx",
    symmetric: bool = False,
    outputs: str = "",
    as_json: Json = False,
) -> None:
    """Evaluate a position with a net: policy by cell and value, from the side to move's view.

    In JSON, policy has size * size probabilities in the order row * size + column from the top left
    corner, occupied cells included; value is from -1 to 1.
    For example: wuzi evaluate --net 9x9 --moves "e5 e6" --json

    Options:
        moves: Moves played so far, such as "h8h9" or "7,7 7,6".
        size: Board size; default: the size the net was made for, 15 with a codebook net.
        win_length: Number of stones in a row that wins; default: the net's own.
        rule: Rule of the game; default: the net's own.
        backend: What computes the net: exactly (onnx, numpy, torch), in 8 bits (int8), or as in play (auto).
        symmetric: Average over the eight symmetries of the position.
        outputs: Also print these outputs of the net, such as attention,alpha; maps as boards of numbers.
    """
    found = None if is_codebook(net) else read_any_net(net)
    own = wuzi.Rules() if found is None else found.card.rules
    board = size if size is not None else own.size
    length = win_length if win_length is not None else min(own.win_length, board)
    game = played(moves, rules_of(board, length, rule or own.rule.label))
    if (over := game.outcome) is not None:
        raise ConfigError(f"--moves: the game is over ({over.result}): a net evaluates games going on")
    evaluator: wuzi.nets.Evaluator
    evaluator = load_evaluator(net) if found is None else wuzi.nets.open_net(found, backend)
    note = getattr(evaluator, "note", "")
    answer = _answer(wuzi.nets.SymmetricEvaluator(evaluator) if symmetric else evaluator, game)
    more: dict[str, Any] = {}
    if names := [name.strip() for name in outputs.split(",") if name.strip()]:
        if found is None:
            raise ConfigError(f"--outputs {outputs}: a codebook net has policy and value alone")
        asked = found.numpy().outputs(_features(found.card.planes, game), names)
        more = {name: value[0] for name, value in asked.items()}
    if as_json:
        if more:
            answer["outputs"] = {name: value.tolist() for name, value in more.items()}
        name = net if found is None else found.card.name
        print_json({"net": name, "backend": _computed(evaluator), "note": note, **answer})
        return
    if found is None:
        print(f"{net}: codebook net")
    else:
        print(f"{found.card.name}: {found.card.label}, {found.card.parameters:,} parameters")
    _print(game, answer, note)
    for name, value in more.items():
        print("\n".join(_output_lines(name, value, game.rules.size)))


def _output_lines(name: str, value: Any, size: int) -> list[str]:
    """An output of a net: each of its maps as a board with coordinates, anything else as numbers in a row."""
    flat = value.reshape(-1)
    if len(flat) % (size * size):
        return [f"{name} " + "  ".join(f"{number:.4g}" for number in flat)]
    found = []
    for number, board in enumerate(flat.reshape(-1, size, size)):
        found.append(name if len(flat) == size * size else f"{name} {number}")
        rows = (
            f"{size - row:>2} " + " ".join(f"{x:>8.4f}" for x in cells) for row, cells in enumerate(board)
        )
        found += [*rows, "   " + " ".join(f"{chr(97 + col):>8}" for col in range(size))]
    return found


def _computed(evaluator: wuzi.nets.Evaluator) -> str:
    """What computed an answer."""
    known = {"OnnxEvaluator": "onnx", "NumpyEvaluator": "numpy", "CodebookEvaluator": "codebook"}
    return "int8" if getattr(evaluator, "quantized", False) else known.get(type(evaluator).__name__, "torch")


def _features(planes: str, game: wuzi.Game) -> Any:
    return wuzi.nets.PlaneEncoder(planes, game.rules).encode(wuzi.nets.records_of([game]))


def _answer(evaluator: wuzi.nets.Evaluator, game: wuzi.Game) -> dict[str, Any]:
    logits, values = evaluator.evaluate(_features(evaluator.planes, game))
    rules = game.rules
    answer: dict[str, Any] = {
        "rules": rules.to_json(),
        "moves": [str(move) for move in game.moves],
        "to_move": game.to_move.name.lower(),
        "value": float(wuzi.nets.scalar_value(values)[0]),
        "policy": wuzi.nets.policy_of(logits)[0].astype(float).tolist(),
    }
    return answer | ({"wdl": values[0].astype(float).tolist()} if values.ndim == 2 else {})


def _print(game: wuzi.Game, answer: dict[str, Any], note: str) -> None:
    print(f"{game.rules.label}, ply {game.ply}, {answer['to_move']} to move")
    wdl = "".join(f"  {p:.1%}" for p in answer.get("wdl", ()))
    odds = f"  (win, draw, loss{wdl})" if wdl else ""
    print(f"value {answer['value']:+.3f} for {answer['to_move']}{odds}")
    policy = answer["policy"]
    best = sorted(game.legal_moves, key=lambda move: -policy[int(move)])[:SHOWN]
    print("policy " + "  ".join(f"{move} {policy[int(move)]:.1%}" for move in best))
    if note:
        print(note)
