"""The player that wins by proofs."""

from __future__ import annotations

import json
import lzma
import random
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import pytest

from wuzi.contract import Limit
from wuzi.core import Color, Game, Rules
from wuzi.errors import RecordError
from wuzi.players import create_player
from wuzi.players.proof_player import proved_move
from wuzi.players.shipped_proof import proved_replies
from wuzi.search.proof.boards import Boards
from wuzi.search.proof.book import ProofBook

C15 = ("c15", "m15", "c1", "m1", "a13", "o13", "a3", "o3")
H9 = ("h9", "i8", "h7", "g8")
"""Two replies in all their images."""


@pytest.mark.parametrize("reply", C15 + H9)
def test_black_wins_whatever_white_plays(reply: str) -> None:
    chance = random.Random(reply)
    with create_player("proof") as player:
        for _ in range(5):
            game = Game(Rules(15)).play("h8").play(reply)
            while game.outcome is None:
                result = player.think(game)
                assert result.info.nodes == 0, "an answer from the proof needs no search"
                game = game.act(result.action)
                if game.outcome is None:
                    game = game.play(white_reply(game, chance))
            assert game.outcome.winner is Color.BLACK


def white_reply(game: Game, chance: random.Random) -> str:
    """A block where Black would make five, as far as there is one; else any cell, mostly near."""
    position, last = game.position, game.moves[-1]
    for move in position.legal_moves:
        after = type(position).from_cells(position.rules, position.cells, Color.BLACK).play(move)
        if after.outcome is not None and after.outcome.winner is Color.BLACK:
            return str(move)
    size = game.rules.size
    row, col = divmod(int(last), size)
    near = [m for m in position.legal_moves if max(abs(int(m) // size - row), abs(int(m) % size - col)) <= 2]
    return str(chance.choice(near or list(position.legal_moves)))


def test_the_first_move_is_the_proofs() -> None:
    assert proved_move(Game(Rules(15))) == 112


def test_a_proof_is_shipped_for_every_reply_of_white() -> None:
    boards = Boards(Rules(15))
    black, white = boards.after(["h8"])
    replies = {boards.names[cell] for cell in boards.replies((black, white), boards.all & ~black)}
    turned = {boards.canonical(*boards.after(["h8", reply]))[0] for reply in replies}
    assert len(proved_replies()) == len(replies) == 35
    assert {boards.canonical(*boards.after(["h8", reply]))[0] for reply in proved_replies()} == turned


@pytest.mark.parametrize(
    "game",
    [
        Game(Rules(15)).play("h8"),
        Game(Rules(15)).play("a1").play("h8"),
        Game(Rules(15)).play("h8").play("a1").play("o15").play("b1"),
    ],
    ids=["White's turn", "another first move", "a move of Black that the proof does not play"],
)
def test_outside_the_proofs_the_engine_answers(game: Game) -> None:
    assert proved_move(game) is None
    with create_player("proof") as player:
        assert player.think(game, Limit(nodes=200)).info.nodes > 0


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda text: text.replace("wuzi-proof 1", "wuzi-proof 9"), "expected wuzi-proof 1"),
        (lambda text: text[: len(text) // 2].rpartition("\n")[0], "cut off or damaged"),
        (lambda text: text + "nonsense\n", "cut off or damaged"),
    ],
)
def test_a_damaged_book_is_refused(damage: Callable[[str], str], said: str, tmp_path: Path) -> None:
    shipped = files("wuzi") / "data" / "proof" / "freestyle-15" / "a15.txt.xz"
    path = tmp_path / "proof.txt"
    path.write_text(damage(lzma.decompress(shipped.read_bytes()).decode()))
    with pytest.raises(RecordError, match=said):
        ProofBook(path)


GOLDEN = Path(__file__).resolve().parents[1] / "golden"
"""A proof of 6x6 with four in a row, and answers of it that the page's book must give too."""


def answers_of(book: ProofBook) -> list[list[str]]:
    """Games of Black by the proof against chance, in all orientations: their moves."""
    chance, games = random.Random(6), list[list[str]]()
    boards = book.boards
    for number in range(40):
        first = boards.renamed("c3", number % 8)
        game = Game(Rules(6, 4)).play(first)
        while game.outcome is None:
            game = game.play(str(chance.choice(list(game.position.legal_moves))))
            if game.outcome is None:
                node = book.answer([str(move) for move in game.moves])
                assert node is not None
                game = game.play(boards.names[node.move])
        assert game.outcome.winner is Color.BLACK
        games.append([str(move) for move in game.moves])
    return games


def test_a_book_of_a_whole_board_wins_every_game_and_its_answers_are_kept() -> None:
    book = ProofBook(GOLDEN / "files" / "proof-6x6.txt")
    assert book.claims == [()]
    kept = json.loads((GOLDEN / "files" / "proof-6x6-games.json").read_text("utf-8"))
    assert answers_of(book) == kept
