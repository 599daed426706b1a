"""Writes frontend/src/features/openings/openings.json: the openings of the page, and what is known of each.

    python scripts/known_openings.py                # ten minutes on one core; continues where it was stopped
    python scripts/known_openings.py --nodes 0      # only what is counted: books, kept games, proofs

Of each opening: its moves; of a book's, Black's expected score by the study that chose it; what the engine
says (Black's expected score, the depth of the search, its line, and how many plies to a win that it sees);
the kept games of ``benchmarks/`` that came to its position, in any order of moves and up to symmetry, and
Black's score in them; and of White's replies to the first move how many plies the shipped proof takes at
most. What the file says of the same engine and budget is kept.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator
from importlib.resources import as_file
from pathlib import Path
from typing import Any

import numpy as np

from wuzi.arena.books import read_judged
from wuzi.arena.openings import load_shipped, shipped_openings, shipped_text
from wuzi.base.atomic import write_atomic
from wuzi.base.store import JsonLines
from wuzi.contract import Limit, Player
from wuzi.core import Game, Rule, Rules, format_moves, parse_moves, parse_rule
from wuzi.core.symmetry import canonical_moves, canonical_stones
from wuzi.players import create_player
from wuzi.players.shipped_proof import FIRST, proved_replies, shipped_file
from wuzi.search.proof.book import ProofBook

ROOT = Path(__file__).resolve().parents[1]
FILE = ROOT / "frontend" / "src" / "features" / "openings" / "openings.json"
GAMES = ROOT / "benchmarks"
ENGINE = "engine:table_mb=16,fresh=true"
NODES, BOOK_NODES = 1_000_000, 25_000
"""Of the search of a named opening or a reply, and of one of a book."""
PLIES = 7
"""Stones of the longest opening."""
_NAME = re.compile(r"([di]\d+):.*# (\w+) (\w+)")

Stones = tuple[tuple[int, ...], tuple[int, ...]]
Opening = dict[str, Any]


def names() -> dict[str, list[str]]:
    """The names of the 26 openings of renju, in English and Chinese."""
    lines = shipped_text("renju26").splitlines()
    return {found[1]: [found[2], found[3]] for line in lines if (found := _NAME.match(line))}


def sets() -> list[dict[str, Any]]:
    """The sets of openings in the order of the page, without what is known of them."""
    renju = [("renju26", Rules(15, rule=rule)) for rule in (Rule.RENJU, Rule.FREESTYLE, Rule.STANDARD)]
    books = [(name, _rules_of(name)) for name in shipped_openings() if name != "renju26"]
    found = []
    for name, rules in renju:
        book = load_shipped(name, rules)
        found.append(_set(name, rules, [(one.id, format_moves(one.moves, rules.size)) for one in book]))
    for name, rules in sorted(books, key=lambda book: (-book[1].size, book[0])):
        judged = [*read_judged(shipped_text(name), rules, name)]
        openings = [(one.opening.id, format_moves(one.opening.moves, rules.size)) for one in judged]
        found.append(_set(name, rules, openings))
        for opening, one in zip(found[-1]["openings"], judged, strict=True):
            opening["study"] = one.winrate
    return [*found, _set("proof", Rules(15), [(reply, FIRST + reply) for reply in _replies()])]


def _set(book: str, rules: Rules, openings: list[tuple[str, str]]) -> dict[str, Any]:
    nodes = NODES if book in ("renju26", "proof") else BOOK_NODES
    about = {"book": book, "rule": rules.rule.label, "size": rules.size, "nodes": nodes}
    return about | {"openings": [{"id": name, "moves": moves} for name, moves in openings]}


def _rules_of(book: str) -> Rules:
    rule, size = book.split("-")[:2]
    return Rules(int(size), rule=parse_rule(rule))


def _replies() -> list[str]:
    """White's replies to the first move up to symmetry: the proved ones as their files name them."""
    named = {canonical_moves(parse_moves(FIRST + reply, 15), 15): reply for reply in proved_replies()}
    for cell in range(225):
        moves = (*parse_moves(FIRST, 15), cell)
        if cell != moves[0]:
            image = canonical_moves(moves, 15)
            named.setdefault(image, str(image[1]))
    return sorted(named.values(), key=lambda cell: (cell not in proved_replies(), cell))


def kept_games() -> Iterator[tuple[str, int, list[int], float]]:
    """Rule, size, moves and Black's result of each kept game with five in a row."""
    for file in sorted(GAMES.glob("**/games.jsonl.gz")):
        for _, row in JsonLines(file).objects():
            if row.get("win_length") == 5 and row.get("moves") and row.get("size") in (9, 15, 20):
                result = {"black": 1.0, "white": 0.0, "draw": 0.5}[row["winner"]]
                yield row["rule"], row["size"], [*parse_moves(row["moves"], row["size"])], result
    for file in sorted((GAMES / "selfplay").glob("*.npz")):
        with np.load(file, allow_pickle=False) as data:
            rule, size = str(data["rule"]), int(data["size"])
            games = np.split(data["moves"].astype(int), np.cumsum(data["lengths"].astype(int))[:-1])
            for moves, result in zip(games, data["results"], strict=True):
                yield rule, size, moves.tolist(), float(result) / 2


def count_games(all_sets: list[dict[str, Any]]) -> int:
    """Add to each opening how many kept games came to it, and Black's score in them; how many there are."""
    wanted: dict[tuple[str, int], dict[Stones, list[float]]] = {}
    for one in all_sets:
        table = wanted.setdefault((one["rule"], one["size"]), {})
        for opening in one["openings"]:
            table.setdefault(canonical_stones(parse_moves(opening["moves"], one["size"]), one["size"]), [])
    total = 0
    for rule, size, moves, result in kept_games():
        total += 1
        table = wanted.get((rule, size), {})
        for ply in range(2, min(PLIES, len(moves)) + 1) if table else ():
            found = table.get(canonical_stones(moves[:ply], size))
            if found is not None:
                found.append(result)
    for one in all_sets:
        table = wanted[one["rule"], one["size"]]
        for opening in one["openings"]:
            results = table[canonical_stones(parse_moves(opening["moves"], one["size"]), one["size"])]
            opening["games"] = len(results)
            opening["score"] = round(sum(results) / len(results), 3) if results else None
    return total


def add_proofs(one: dict[str, Any]) -> None:
    """Add to each proved reply the plies until Black's row at most, from Black's second move on."""
    for opening in one["openings"]:
        if opening["id"] in proved_replies():
            with as_file(shipped_file(opening["id"])) as path:
                opening["plies"] = ProofBook(path).plies_of_claim([FIRST, opening["id"]])


def ask(player: Player, rules: Rules, moves: str, nodes: int) -> Opening:
    """What the engine says of an opening."""
    game = Game.from_moves(rules, parse_moves(moves, rules.size))
    info = player.think(game, Limit(nodes=nodes)).info
    best = info.lines[0]
    assert best.winrate is not None
    said: Opening = {"winrate": round(best.winrate, 3), "depth": info.depth}
    said["line"] = format_moves(best.pv[:8], rules.size)
    if best.win_in is not None:  # whose win it is, the score says
        said["win"] = abs(best.win_in)
        said["winner"] = (game.to_move if best.win_in > 0 else game.to_move.opponent).letter
    return said


def known(text: str) -> dict[tuple[str, str, int, str, int], Opening]:
    """What a file says of the engine's searches."""
    data: dict[str, Any] = json.loads(text) if text else {"engine": "", "sets": []}
    keys = ("winrate", "depth", "line", "win", "winner")
    return {
        (data["engine"], one["rule"], one["size"], opening["moves"], one["nodes"]): {
            key: opening[key] for key in keys if key in opening
        }
        for one in data["sets"]
        for opening in one["openings"]
        if "winrate" in opening
    }


def written(all_sets: list[dict[str, Any]], games: int) -> bytes:
    """The file: a line for each opening."""
    head = {"engine": ENGINE, "games": games, "names": names()}
    parts = []
    for one in all_sets:
        about = json.dumps({key: value for key, value in one.items() if key != "openings"})
        lines = ",\n".join(json.dumps(opening) for opening in one["openings"])
        parts.append(f'{about[:-1]}, "openings": [\n{lines}\n]}}')
    begun, whole = json.dumps(head, ensure_ascii=False)[:-1], ",\n".join(parts)
    return f'{begun}, "sets": [\n{whole}\n]}}\n'.encode()


def main() -> int:
    """Run the script."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--nodes", type=int, help="0: search nothing; by default each set's own budget")
    given = parser.parse_args()
    before = known(FILE.read_text("utf-8") if FILE.exists() else "")
    all_sets = sets()
    games = count_games(all_sets)
    add_proofs(all_sets[-1])
    todo = []
    for one in all_sets:
        for opening in one["openings"]:
            key = (ENGINE, one["rule"], one["size"], opening["moves"], one["nodes"])
            opening.update(before.get(key, {}))
            if "winrate" not in opening:
                todo.append((one, opening))
    with create_player(ENGINE) as player:
        for done, (one, opening) in enumerate([] if given.nodes == 0 else todo):
            rules = Rules(one["size"], rule=parse_rule(one["rule"]))
            opening.update(ask(player, rules, opening["moves"], one["nodes"]))
            if done % 25 == 24:
                write_atomic(FILE, written(all_sets, games))
                print(f"{done + 1} of {len(todo)}", flush=True)
    write_atomic(FILE, written(all_sets, games))
    print(f"{FILE.name}: {sum(len(one['openings']) for one in all_sets)} openings, {games} kept games")
    return 0


if __name__ == "__main__":
    sys.exit(main())
