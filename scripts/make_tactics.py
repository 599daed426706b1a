"""Make the tactical suite from quick games of the engine, every position proved by the slow checker.

    python scripts/make_tactics.py play --games 700 games.jsonl
    python scripts/make_tactics.py play --source scatter --games 24000 scatter.jsonl
    python scripts/make_tactics.py select games.jsonl scatter.jsonl

``play`` lets the engine play itself at a few hundred positions a move from random openings and looks at
every position of every game: wins by fours, positions with fours but no win, and positions with one
defence only. With ``--source scatter`` it looks at random stones: most are crowded and give wins by fours,
some are sparse and give wins by threats, or threats that do not win. The finds are appended game by game,
and a second run resumes. The same seed gives the same games. ``select`` thins out the short ones and
writes the shipped files. Nothing is kept that :mod:`wuzi.tactics.checker` or :mod:`wuzi.tactics.slow`,
which know only the rules, did not confirm.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np

from wuzi.base.atomic import write_atomic
from wuzi.base.store import JsonLines
from wuzi.contract import Limit
from wuzi.core import Game, Move, Position, Rule, Rules
from wuzi.core.layout import MAX_CELLS
from wuzi.errors import WuziError
from wuzi.protocols.gomocup.wire import format_cells
from wuzi.search.alphabeta.searcher import AlphaBetaSearch, EngineOptions
from wuzi.tactics.checker import why_line_fails, why_proof_fails
from wuzi.tactics.checker_kernels import attack_points
from wuzi.tactics.proof import points_to_win, proof_by_fours
from wuzi.tactics.slow import SlowSearch
from wuzi.tactics.vcf import Solution, VcfSolver, Verdict
from wuzi.tactics.vct import VctSolver

FREE, STANDARD, RENJU = Rules(15), Rules(15, 5, Rule.STANDARD), Rules(15, 5, Rule.RENJU)
RULES = (FREE, STANDARD, RENJU, Rules(20), FREE, RENJU, Rules(11))
SCATTERED = (
    *(FREE, RENJU, STANDARD, Rules(9), Rules(8, 4)),
    *(Rules(20, 5, Rule.RENJU), Rules(22), Rules(7, 4, Rule.STANDARD)),
)
SPARSE_EVERY = 21
_OPTIONS = EngineOptions(table_mb=2, vcf_nodes=1, root_vcf_nodes=1)
_SEARCHES: dict[Rules, AlphaBetaSearch] = {}


def play_game(seed: int, number: int) -> Game:
    """The game of that number: a random opening of 4 to 12 stones, then the engine on both sides.

    Each side has its own number of positions a move, 20 to 1000, and looks for no wins by fours, so that
    it overlooks things.
    """
    rng = np.random.default_rng([seed, number])
    rules = RULES[number % len(RULES)]
    nodes = [int(n) for n in np.exp(rng.uniform(np.log(20), np.log(1000), 2))]
    game = _opening(rules, rng, int(rng.integers(4, 13)), int(rng.integers(5, 10)))
    search = _SEARCHES.setdefault(rules, AlphaBetaSearch(rules, _OPTIONS))
    search.clear()
    while game.outcome is None:
        info = search.run(game.position, Limit(nodes=nodes[game.ply % 2]))
        game = game.play(info.lines[0].move)
    return game


def scattered_game(seed: int, number: int) -> Game:
    """The random game of that number: stones anywhere in an inner square, not over yet.

    One in ``SPARSE_EVERY`` is sparse, for threats; in the others there are long chains of fours.
    """
    rng = np.random.default_rng([seed, number, 1])
    rules = SCATTERED[number % len(SCATTERED)]
    small = rules.win_length == 4
    sparse = number % SPARSE_EVERY == 0
    width = min(rules.size, 6 if small else 9 if sparse else int(rng.integers(9, 16)))
    share = rng.uniform(0.1, 0.16) if sparse else rng.uniform(0.17, 0.27)
    return _opening(rules, rng, int(share * width * width), width)


def _opening(rules: Rules, rng: np.random.Generator, stones: int, width: int) -> Game:
    """Random stones in the inner square of that width, none of which ends the game."""
    first = (rules.size - width) // 2
    while True:
        game = Game(rules)
        for cell in rng.permutation(width * width)[:stones]:
            row, col = divmod(int(cell), width)
            game = game.play((first + row) * rules.size + first + col)
            if game.outcome is not None:
                break
        else:
            return game


VCF_NODES, VCT_NODES = 200_000, 60_000
SHORTEST = {"vcf": 5, "vct": 7}
FEWEST_ATTACKS = {"vcf": 3, "vct": 4}
"""The fewest points that make a threat (for VCF a four) in a position without a win that is kept."""
FEWEST_NODES = 8
"""The fewest positions that the search of a kept position without a win by fours took."""
APART = 6
"""Plies between two positions of one kind and side from the same game."""


class Finder:
    """Finds and proves tactical positions in games."""

    def __init__(self) -> None:
        self._vcf, self._vct = VcfSolver(), VctSolver()
        self._slow_vcf = SlowSearch(fours_only=True, max_nodes=20_000)
        self._slow_vct = SlowSearch(fours_only=False, max_nodes=3_000, advice=self._vct.advise)

    def finds(self, game: Game) -> list[dict[str, Any]]:
        """What a game offers besides threats: of each kind and side the first position of a run of them."""
        moves = game.moves
        found = []
        last: dict[tuple[str, int], int] = {}
        replay = Game(game.rules)
        for ply, move in enumerate(moves):
            if ply >= 4 and (entry := self._look_at(replay.position, threats=False)) is not None:
                place = (str(entry["kind"]), ply % 2)
                if last.get(place, -99) < ply - APART:
                    found.append({**entry, "moves": format_cells(moves[:ply], game.rules.size)})
                last[place] = ply
            replay = replay.play(move)
        return found

    def find_last(self, game: Game, *, threats: bool) -> list[dict[str, Any]]:
        """What the last position of an unfinished game offers: a win by fours, or anything at all."""
        position, entry = game.position, None
        if threats:
            entry = self._look_at(position, threats=True)
        elif not points_to_win(position, position.to_move):
            entry, _ = self._by_fours(position)
        return [] if entry is None else [{**entry, "moves": format_cells(game.moves, game.rules.size)}]

    def _look_at(self, position: Position, *, threats: bool) -> dict[str, Any] | None:
        if points_to_win(position, position.to_move):
            return None
        entry, by_fours = self._by_fours(position)
        if by_fours.verdict is Verdict.WIN:
            return entry
        if by_fours.verdict is Verdict.UNKNOWN or points_to_win(position, position.to_move.opponent):
            return None
        if threats and (entry := self._by_threats(position)) is not None:
            return entry
        defence = self._only_defence(position)
        if defence is not None:
            move, refuted_in = defence
            return _entry(position, "defence", (move,)) | {"refuted_in": refuted_in}
        turn = position.ply % 7 == 0  # there are many such positions
        near = turn and by_fours.nodes >= FEWEST_NODES and _has_attacks(position, "vcf")
        if near and self._slow_vcf.wins(position) is False:
            return _entry(position, "no_vcf", ())
        return None

    def _by_fours(self, position: Position) -> tuple[dict[str, Any] | None, Solution]:
        answer = self._vcf.solve(position, max_nodes=VCF_NODES)
        if answer.plies < SHORTEST["vcf"]:
            return None, answer
        assert why_line_fails(position, answer.moves) is None, f"a false win: {position} {answer.moves}"
        return _entry(position, "vcf", answer.moves), answer

    def _by_threats(self, position: Position) -> dict[str, Any] | None:
        answer = self._vct.solve(position, max_nodes=VCT_NODES)
        if answer.proof is not None:
            sound = why_proof_fails(position, answer.proof) is None
            assert sound, f"a false win: {position} {answer.moves}"
            if answer.plies < SHORTEST["vct"] or self._slow_vcf.wins(position) is not False:
                return None
            return _entry(position, "vct", answer.moves)
        near = answer.verdict is Verdict.NONE and _has_attacks(position, "vct")
        if near and self._slow_vct.wins(position) is False:
            return _entry(position, "no_vct", ())
        return None

    def _only_defence(self, position: Position) -> tuple[Move, int] | None:
        """The one move that stops the opponent's fours, and the moves of the longest win that another allows.

        None where not all others lose to fours.
        """
        passed = Position.from_cells(position.rules, position.cells, position.to_move.opponent)
        threat = self._vcf.solve(passed, max_nodes=VCF_NODES)
        if threat.verdict is not Verdict.WIN:
            return None
        defence: Move | None = None
        lost: list[tuple[Position, tuple[Move, ...]]] = []
        for move in sorted(position.legal_moves, key=lambda m: m not in threat.moves):
            after = position.play(move)
            if after.outcome is not None:
                continue
            answer = self._vcf.solve(after, max_nodes=VCF_NODES)
            if answer.verdict is Verdict.WIN:
                lost.append((after, answer.moves))
            elif answer.verdict is Verdict.UNKNOWN or defence is not None:
                return None
            else:
                defence = move
        if defence is None or self._slow_vcf.wins(position.play(defence)) is not False:
            return None
        for after, line in lost:
            assert why_proof_fails(after, proof_by_fours(after, line)) is None, f"a false win: {after}"
        return defence, max((len(line) + 1) // 2 for _, line in lost)


def _has_attacks(position: Position, kind: str) -> bool:
    points = attack_points(position.state(), int(kind == "vcf"), np.empty(MAX_CELLS, np.int64))
    return int(points) >= FEWEST_ATTACKS[kind]


def _entry(position: Position, kind: str, line: tuple[Move, ...]) -> dict[str, Any]:
    rules = position.rules
    found = {"kind": kind, "line": format_cells(line, rules.size), "plies": len(line)}
    return found | rules.to_json()


MOST = {"vcf": 1200, "vct": 400, "no_vcf": 200, "no_vct": 200, "defence": 260}


def write_suite(found: list[Path], out: Path) -> dict[str, int]:
    """Write ``out/KIND.jsonl``, readable by ``wuzi solve --positions``, for each kind; how many each holds.

    Longer lines go first, so that a kind with too many loses its shortest; the order in a file is that of
    the games. Positions with the same stones are kept once.
    """
    entries: dict[str, list[dict[str, Any]]] = defaultdict(list)
    seen: set[tuple[str, int, str]] = set()
    for path in found:
        for line in path.read_text(encoding="utf-8").splitlines():
            game = json.loads(line)
            for find in game["finds"]:
                cells = find["moves"].split()
                stones = " ".join([*sorted(cells[::2]), "/", *sorted(cells[1::2])])
                if (key := (find["rule"], find["size"], stones)) not in seen:
                    seen.add(key)
                    place = game.get("source", "engine"), game["game"]
                    entries[find["kind"]].append({"game": place, **find})
    out.mkdir(parents=True, exist_ok=True)
    counts = {}
    for kind, most in MOST.items():
        chosen = sorted(entries[kind], key=lambda e: (-e["plies"], e["game"]))[:most]
        chosen.sort(key=lambda e: (e["game"], e["moves"].count(" ")))
        lines = []
        for number, entry in enumerate(chosen, 1):
            more = (key for key in ("line", "refuted_in") if entry.get(key))
            keys = ("size", "win_length", "rule", "moves", *more)
            lines.append(json.dumps({"id": f"{kind}-{number:04d}"} | {key: entry[key] for key in keys}))
        write_atomic(out / f"{kind}.jsonl", "".join(line + "\n" for line in lines).encode())
        counts[kind] = len(lines)
    return counts


OUT = Path(__file__).resolve().parents[1] / "src" / "wuzi" / "data" / "tactics"


def play(path: Path, source: str, seed: int, games: int) -> None:
    """Append the finds of that many games to the file, skipping those already in it."""
    lines, finder = JsonLines(path, compact=True), Finder()
    done = max((game["game"] for _, game in lines.objects()), default=-1)
    for number in range(done + 1, games):
        if source == "engine":
            finds = finder.finds(play_game(seed, number))
        else:
            finds = finder.find_last(scattered_game(seed, number), threats=number % SPARSE_EVERY == 0)
        if finds or number % 100 == 99 or source == "engine":
            lines.add({"source": source, "game": number, "finds": finds})
        if number % 1000 == 999:
            print(f"{number + 1} games", flush=True)


def main() -> int:
    """Run the script."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("play", help="play games and look for positions")
    one.add_argument("out", type=Path)
    one.add_argument("--seed", type=int, default=2026)
    one.add_argument("--source", choices=("engine", "scatter"), default="engine")
    one.add_argument("--games", type=int, default=700)
    two = commands.add_parser("select", help="choose positions and write the shipped files")
    two.add_argument("found", type=Path, nargs="+")
    two.add_argument("--out", type=Path, default=OUT)
    options = parser.parse_args()
    try:
        if options.command == "play":
            play(options.out, options.source, options.seed, options.games)
        else:
            for name, count in write_suite(options.found, options.out).items():
                print(f"{name:8} {count:6,d}")
    except (WuziError, OSError) as error:
        print(f"make_tactics: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
