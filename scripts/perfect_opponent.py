"""Play the player ``proof`` as Black against other players, after each reply of White's that is proved.

    python scripts/perfect_opponent.py engine --games 200 --out games.jsonl
    python scripts/perfect_opponent.py rapfi=external:cmd=/path/to/pbrain-rapfi --time 1 --out games.jsonl

White's first stone is one of the proved replies, turned and mirrored from game to game; what follows is
White's free choice, and Black answers from the proof alone. Every player meets every reply equally often. Run
again, it continues, and the table has all games of the file. The exit status is 1 if a game was not won.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from wuzi.arena import Entry
from wuzi.arena.provenance import commit, machine
from wuzi.base.store import JsonLines
from wuzi.contract import Limit, Player
from wuzi.core import Color, Game, Move, Reason, Rules, parse_moves
from wuzi.core.symmetry import NUM_SYMMETRIES, transform_moves
from wuzi.errors import PlayerError, WuziError
from wuzi.games.referee import Standing, play_game
from wuzi.players import create_player
from wuzi.players.proof_player import proved_move
from wuzi.players.shipped_proof import FIRST, proved_replies

SIZE = 15


def opening(number: int) -> tuple[Move, ...]:
    """h8 and a proved reply: all replies in turn, then all of them in the next of the eight symmetries."""
    turn, reply = divmod(number, len(proved_replies()))
    moves = parse_moves(FIRST + proved_replies()[reply], SIZE)
    return transform_moves(moves, SIZE, turn % NUM_SYMMETRIES)


def played(number: int, name: str, white: Player, limit: Limit) -> dict[str, Any]:
    """A game: its moves, and how many of Black's came from elsewhere than the proof."""
    game, outside = Game(Rules(SIZE)), 0
    for move in opening(number):
        game = game.play(move)

    def note(standing: Standing) -> None:
        nonlocal outside
        now = standing.game
        outside += now.outcome is None and now.to_move is Color.BLACK and proved_move(now) is None

    with create_player("proof") as black:
        end = play_game([black, white], game, (Limit(), limit), on_turn=note)
    outcome = end.game.outcome
    if outcome is None or outcome.reason not in (Reason.LINE, Reason.DRAW_FULL):
        raise PlayerError(f"{name}: game {number} was not played to its end: {end.detail}")
    return {
        "white": name,
        "number": number,
        "winner": outcome.winner and outcome.winner.letter,
        "reason": outcome.reason.label,
        "outside": outside,
        "moves": "".join(map(str, end.game.moves)),
        "white_s": round(end.times_s[1], 3),
    }


def main() -> int:
    """Play what is missing, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("players", metavar="SPEC", nargs="+", help="who plays White: a spec, or NAME=spec")
    parser.add_argument("--games", type=int, default=200, help="of all players together")
    parser.add_argument("--time", type=float, default=0.1, help="White's seconds per move")
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    store = JsonLines(given.out)
    games = [row for _, row in store.objects()]
    done = {(row["white"], row["number"]) for row in games}
    for place, text in enumerate(given.players):
        entry = Entry.parse(text)
        with create_player(entry.spec, allow_command=True) as white:
            for number in range((given.games + len(given.players) - 1 - place) // len(given.players)):
                if (entry.label, number) not in done:
                    games.append(played(number, entry.label, white, Limit(time_s=given.time)))
                    store.add(games[-1])
    print(f"wuzi {commit()}, {machine()}; White has {given.time:g} s a move")
    for name, count in Counter(row["white"] for row in games).items():
        own = [row for row in games if row["white"] == name]
        won = sum(row["winner"] == "B" for row in own)
        outside = sum(row["outside"] for row in own)
        print(f"{name}: {won} of {count} won, {outside} moves from elsewhere than the proof")
    return 0 if all(row["winner"] == "B" and row["outside"] == 0 for row in games) else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except WuziError as error:
        sys.exit(f"perfect_opponent: {error}")
