"""Write the messages that every host of the kernels must give: tests/golden/messages/*.json.gz.

    python scripts/golden_messages.py            # writes them
    python scripts/golden_messages.py --check    # makes all again, and fails where a file differs

``analysis`` holds reports of searches, ``hints`` areas and reasons, ``layers`` what a position shows at a
glance with moves in words, ``levels`` the moves of the named levels, ``choices`` what players do in openings
and where the engine does not know the rules, ``reviews`` whole reviews, ``trials`` what moves of
puzzles are worth; texts in both languages, numbers with nine digits. A host that is not Python asks the same
questions, with an engine that forgets before each search and has a table of 16 MB, and compares.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import wuzi
from wuzi.analysis import hint_area, hint_reason
from wuzi.analysis.layers import LayerMaker
from wuzi.analysis.review.model import ReviewOptions
from wuzi.analysis.review.output import review_json
from wuzi.analysis.review.results import result_json
from wuzi.analysis.review.tasks import Examiner, review
from wuzi.analysis.review.trial import Goal, judge_move
from wuzi.base.words import LANGUAGES
from wuzi.core import Game, Opening, Place, PlaceSeveral, Rule, Rules, parse_moves
from wuzi.players.levels import LEVELS
from wuzi.protocols.analysis.queries import Start
from wuzi.protocols.analysis.replies import report
from wuzi.protocols.analysis.wire import action_json, rules_json
from wuzi.tactics.suite import PuzzleTheme, load_suite

FOLDER = Path(__file__).resolve().parents[1] / "tests" / "golden" / "messages"
ENGINE = "engine:fresh=true,table_mb=16"
COUNT = 50
NODES = 3000
MASTER_NODES = 2000
CHOOSERS = (ENGINE, "level:name=casual", "minimax:preset=s0", "level:name=club", "weight")
STAGES: tuple[tuple[str, ...], ...] = ((), ("h8i9j7",), ("h8i9j7", "g6k10"))
OPENED = "h8 i9 j8 g7 i7 j10"
LAYERS = ("threats", "scores", "tree", "words")
REVIEWED = (
    ("freestyle", 15),
    ("freestyle", 15),
    ("standard", 15),
    ("renju", 15),
    ("freestyle", 9),
    ("freestyle", 15),
)
TRIED = 6
"""Puzzles in which moves are tried."""
RATED = 0
"""The review that estimates strength, which takes far longer than all the rest of it."""
PROVED = 5
"""The game in which Black plays by the shipped proof."""
BUDGETS: dict[str, Any] = {
    "quick_nodes": 500,
    "deep_nodes": 1500,
    "verify_nodes": 3000,
    "multipv": 2,
    "proof_nodes": 5000,
}

Rows = list[dict[str, Any]]


def positions() -> Iterator[Game]:
    """Games that are not over, from the tactical suite; every second one is cut short, to be quieter."""
    suite = load_suite()
    for i in range(COUNT):
        puzzle = suite[i * len(suite) // COUNT]
        game = puzzle.game
        moves = game.moves[: len(game.moves) * 2 // 3] if i % 2 else game.moves
        yield Game.from_moves(game.rules, moves)


def question(game: Game) -> dict[str, Any]:
    """The position of a message."""
    return {"rules": rules_json(game.rules), "moves": "".join(map(str, game.moves))}


def analysis(chosen: list[int]) -> Rows:
    """Final reports of searches of a fixed number of positions, one to five candidates."""
    rows = []
    for i, game in enumerate(positions()):
        if i not in chosen:
            continue
        multipv = 1 + i % 5
        start = Start(id="golden", player=ENGINE, game=game, limit=wuzi.Limit(nodes=NODES), multipv=multipv)
        with wuzi.player(ENGINE) as engine:
            result = engine.think(game, start.limit, multipv=multipv)
        told = report("done", start, result.info, 1, result)
        for name in ("time", "nps"):
            del told["rootInfo"][name]
        answer = {name: told[name] for name in ("rootInfo", "moveInfos", "action")}
        rows.append(question(game) | {"nodes": NODES, "multipv": multipv, "answer": answer})
    return rows


def hints(chosen: list[int]) -> Rows:
    """The area of a hint, and its reason in words, for the best move of a search."""
    rows = []
    for i, game in enumerate(positions()):
        if i not in chosen:
            continue
        with wuzi.player(ENGINE) as engine:
            line = engine.think(game, wuzi.Limit(nodes=NODES), multipv=5).info.lines[0]
        reason = hint_reason(game, line.move, line)
        answer = {
            "area": [str(cell) for cell in hint_area(line.move, game.rules.size)],
            "reason": reason.name,
        }
        answer |= {language: reason.text(language) for language in LANGUAGES}
        rows.append(question(game) | {"nodes": NODES, "move": str(line.move), "answer": answer})
    return rows


def layers(chosen: list[int]) -> Rows:
    """Threats, forced wins, scores, a tree, and three moves in words."""
    rows = []
    for i, game in enumerate(positions()):
        if i not in chosen:
            continue
        legal = game.position.legal_moves
        best = wuzi.player("weight").think(game, multipv=2).info.lines
        moves = [*(line.move for line in best), legal[i * 7 % len(legal)]]
        answer = LayerMaker().look(game, frozenset(LAYERS), moves=moves)
        rows.append(question(game) | {"words": [str(move) for move in moves], "answer": answer})
    return rows


def levels(chosen: list[int]) -> Rows:
    """The moves of all levels, a seed a position; the whole engine with a limit in positions."""
    rows = []
    games = list(positions())
    for name in LEVELS:
        limit = wuzi.Limit(nodes=MASTER_NODES) if LEVELS[name].nodes is None else wuzi.Limit(nodes=NODES)
        moves = []
        for i in chosen:
            with wuzi.player(f"level:name={name},seed={i}") as player:
                moves.append(str(player.think(games[i], limit).move))
        rows.append({"level": name, "nodes": limit.nodes, "moves": moves})
    return [question(games[i]) | {"seed": i} for i in chosen] + rows


def choices(chosen: list[int]) -> Rows:
    """What players do in openings, and the levels where the engine does not know the rules."""
    rows = []
    limit = wuzi.Limit(nodes=MASTER_NODES)
    for i in chosen:
        if i >= len(CHOOSERS) * (len(STAGES) + 1):
            continue
        spec, stage = CHOOSERS[i % len(CHOOSERS)], i // len(CHOOSERS)
        opening = Opening.SWAP2 if stage < len(STAGES) else Opening.FREE
        game = Game(Rules(15, 5, Rule.CARO if opening is Opening.FREE or i % 2 else Rule.FREESTYLE, opening))
        parts = STAGES[stage] if stage < len(STAGES) else OPENED.split()
        for part in parts:
            moves = parse_moves(part, 15)
            game = game.act(PlaceSeveral(moves) if len(moves) > 1 else Place(moves[0]))
        if spec == ENGINE and game.rules.rule is Rule.CARO:
            continue
        with wuzi.player(f"{spec}{',' if ':' in spec else ':'}seed={i}") as player:
            action = action_json(player.think(game, limit).action, 15)
        row = {"rules": rules_json(game.rules), "parts": list(parts), "spec": spec, "seed": i}
        rows.append(row | {"nodes": limit.nodes, "answer": action})
    return rows


def played(number: int) -> Game:
    """A game between two levels, of forty moves at most."""
    rule, size = REVIEWED[number]
    game = Game.from_moves(Rules(size, 5, rule), parse_moves("h8" if size == 15 else "e5", size))  # type: ignore[arg-type]
    levels = [f"level:name={name},seed={number}" for name in ("casual", "club")]
    while game.outcome is None and game.ply < 40:
        proved = number == PROVED and game.ply % 2 == 0
        with wuzi.player("proof" if proved else levels[game.ply % 2]) as player:
            game = game.act(player.think(game, wuzi.Limit(nodes=1000)).action)
    return game


def reviews(chosen: list[int]) -> Rows:
    """Whole reviews: the results of all tasks, and their explanations."""
    rows = []
    for number in chosen:
        if number >= len(REVIEWED):
            continue
        game = played(number)
        options = BUDGETS | {"strength": number == RATED}
        found = review(game, player=ENGINE, **options)
        results = {key: result_json(result) for key, result in found.results.items()}
        rows.append(question(game) | {"options": options, "results": results, "answer": review_json(found)})
    return rows


def trials(chosen: list[int]) -> Rows:
    """What some moves are worth in puzzles by threats."""
    rows = []
    options = ReviewOptions(ENGINE, BUDGETS["quick_nodes"], 0, proof_nodes=BUDGETS["proof_nodes"])
    puzzles = [puzzle for puzzle in load_suite() if puzzle.theme is PuzzleTheme.VCT]
    with wuzi.player(ENGINE) as engine:
        examiner = Examiner(engine, options)
        for number in chosen[:TRIED]:
            game = puzzles[number].game
            for move in [*puzzles[number].line[:1], *game.position.legal_moves[number::29]]:
                found = judge_move(examiner, game, move, Goal.WIN).to_json()
                rows.append(question(game) | {"move": str(move), "answer": found})
    return rows


MAKERS: dict[str, Callable[[list[int]], Rows]] = {
    "analysis": analysis,
    "hints": hints,
    "layers": layers,
    "levels": levels,
    "choices": choices,
    "reviews": reviews,
    "trials": trials,
}


def plain(value: Any) -> Any:
    """A message as it is read again, its numbers with nine digits: the last ones differ between machines."""
    if isinstance(value, dict):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    return round(value, 9) if isinstance(value, float) else value


def read(name: str) -> Rows:
    """The messages in a file."""
    rows: Rows = json.loads(gzip.decompress((FOLDER / f"{name}.json.gz").read_bytes()))
    return rows


def main() -> int:
    """Write the files, or check them."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="Compare with the committed files.")
    asked = parser.parse_args()
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, make in MAKERS.items():
        rows = plain(make(list(range(COUNT))))
        path = FOLDER / f"{name}.json.gz"
        if asked.check:
            if read(name) != rows:
                print(f"{path.name} is not what Python says: run scripts/golden_messages.py", file=sys.stderr)
                return 1
            continue
        text = json.dumps(rows, ensure_ascii=False, separators=(",", ":"))
        path.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
        print(f"{path.name}: {path.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
