"""The kept games of the perfect opponent, replayed by the rule book and held to the shipped proofs."""

from __future__ import annotations

from pathlib import Path

from wuzi.base.store import JsonLines
from wuzi.core import Color, Game, Reason, Rules, parse_moves
from wuzi.players.proof_player import proved_move

FILE = Path(__file__).resolve().parents[2] / "benchmarks" / "perfect-opponent.jsonl"


def test_black_won_every_game_by_moves_of_the_proof() -> None:
    games = [row for _, row in JsonLines(FILE).objects()]
    assert len(games) == 210 and {row["white"] for row in games} == {"engine", "pentazen", "rapfi"}
    for number, row in enumerate(games):
        game = Game(Rules(15))
        for move in parse_moves(row["moves"], 15):
            if game.to_move is Color.BLACK and number % 20 == 0:  # each asks a packed file
                assert proved_move(game) == move, (row, game.ply)
            game = game.play(move)
        assert game.outcome is not None and game.outcome.winner is Color.BLACK, row
        assert game.outcome.reason is Reason.LINE and row["outside"] == 0, row
