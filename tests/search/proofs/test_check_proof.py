"""The independent checker: right proofs are accepted, spoiled ones refused, and the method is sound."""

from __future__ import annotations

import gzip
import lzma
import random
import re
import subprocess
import sys
from itertools import combinations, product
from pathlib import Path

import pytest

from tests.search.proofs.spoiling import KINDS, Collector, Spoiler, why_refused, wins_literally
from wuzi.search.proof import check_proof
from wuzi.search.proof.check_proof import BLACK, WHITE, ProofLine, bits

GOLDEN = Path(__file__).parents[1] / "golden" / "proofs"
SMALL, LARGE = GOLDEN / "6x5-four.txt", GOLDEN / "15x15-h8a1i9c3.txt"
FIVE = ["wuzi-proof 1", "board 15x15", "win 5"]


def lines_of(path: Path) -> list[str]:
    return path.read_text("ascii").splitlines()


@pytest.mark.parametrize(("exact", "expected"), [(False, 2), (True, 0)])
def test_a_window_beside_a_stone_of_its_own_is_no_row_of_exactly_five(exact: bool, expected: int) -> None:
    """a1 d1 e1 f1: with b1 and c1 these are six, and g1 is Black's."""
    board = check_proof.ProofBoard(15, 15, 5, exact)
    for name in ("a1", "d1", "e1", "f1"):
        board.put(check_proof.WHITE, board.cell(name), 1)
    board.put(check_proof.BLACK, board.cell("g1"), 1)
    assert len([cells for cells in board.missing(check_proof.WHITE, 2) if len(cells) == 2]) == expected


def test_the_file_alone_checks_a_proof(tmp_path: Path) -> None:
    """A copy of the one file, without wuzi, in an interpreter that sees no other packages."""
    copy = tmp_path / "checker.py"
    copy.write_bytes(Path(check_proof.__file__).read_bytes())
    assert len(copy.read_text("utf-8").splitlines()) <= 300
    assert "wuzi" not in re.sub(r"wuzi-proof|\"\"\".*?\"\"\"", "", copy.read_text("utf-8"), flags=re.DOTALL)
    for path, told in ((SMALL, "the empty board"), (LARGE, "h8 a1 i9 c3")):
        command = [sys.executable, "-I", str(copy), str(path)]
        run = subprocess.run(command, check=True, capture_output=True, text=True, cwd=tmp_path)
        assert "ACCEPTED" in run.stdout and told in run.stdout and "MiB" in run.stdout


def test_packed_files_are_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, pack in (("a.gz", gzip.compress), ("a.xz", lzma.compress)):
        (tmp_path / name).write_bytes(pack(SMALL.read_bytes()))
        assert check_proof.main([str(tmp_path / name)]) == 0
    (tmp_path / "b.xz").write_bytes(lzma.compress(SMALL.read_bytes())[:-40])
    assert check_proof.main([str(tmp_path / "b.xz")]) == 1
    assert "REFUSED" in capsys.readouterr().out


@pytest.fixture(scope="module")
def spoilers() -> list[Spoiler]:
    return [Spoiler(lines_of(path), random.Random(7)) for path in (LARGE, *[SMALL] * 11)]


@pytest.mark.parametrize("kind", KINDS)
def test_spoiled_proofs_are_refused(kind: str, spoilers: list[Spoiler]) -> None:
    for spoiler in spoilers[kind == "counter_four" :]:
        assert why_refused(spoiler.spoiled(kind)) is not None


def test_a_refusal_names_line_moves_and_reason(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "proof.txt"
    path.write_text("\n".join([*FIVE, "root h8 a1 h9 b1 h10 c1", "h11(h12h7)"]), "ascii")
    assert check_proof.main([str(path)]) == 0
    path.write_text("\n".join([*FIVE, "root h8 a1 h9 b1 h10 c1", "h11(h12i7)"]), "ascii")
    assert check_proof.main([str(path)]) == 1
    told = capsys.readouterr().out
    assert "White's reply h7 is not answered" in told
    assert "line 5" in told and "h11 h12 i7" in told and " 8 . . . . . . . X" in told


@pytest.mark.parametrize(
    ("root", "node", "reason"),
    [
        ("h8 a1 h9 b1 h10 c1 h11 d1", "h12", None),
        ("h8 a1 h9 b1 h10 c1 h11 d1", "h7", None),
        ("h8 a1 h9 b1 h10 c1", "h11", None),
        ("h8 a1 h9 b1 h10 c1", "h12", "is not answered"),
        ("h8 h7 h9 b1 h10 c1", "h11", "reply h12 is not answered"),
        ("h8 a1 h9 b1 h10 c1 k11 d1", "h11", "White's reply e1 wins"),
        ("h8 a1 h9 b1 k10 c1", "h10(-h11h11h7)", "is not answered"),
        ("a8 b1 a9 c1 a10 d1", "a11", None),
        ("a8 a12 a9 c1 a10 d1", "a7(a6b6)", "is not answered"),
        ("a1 h1 a2 h2 a3 h9", "a4", "reply a5 is not answered"),
        ("m8 a1 n8 b5 o8 c9", "l8", "reply k8 is not answered"),
    ],
)
def test_single_positions(root: str, node: str, reason: str | None) -> None:
    found = why_refused([*FIVE, f"root {root}", node])
    assert found is None if reason is None else re.search(reason, str(found)), found


def test_overlines_win_or_not_as_the_file_says() -> None:
    """h8 joins two and three black stones: six in a row."""
    position = "root h6 a1 h7 c3 h9 e5 h10 a9 h11 c12"
    assert why_refused([*FIVE, position, "h8"]) is None
    exactly = why_refused(["wuzi-proof 1", "board 15x15", "win 5 exactly", position, "h8"])
    assert exactly is not None
    white = "root a1 h6 c3 h7 e5 h9 a9 h10 c12 h11 e14 n1 o14 n3"
    assert "h8 wins" in str(why_refused([*FIVE, white, "o1(-o2)"]))
    assert "h8 wins" not in str(
        why_refused(["wuzi-proof 1", "board 15x15", "win 5 exactly", white, "o1(-o2)"])
    )


@pytest.mark.parametrize(
    "line",
    [
        "",
        "*",
        "h9(",
        "h9)",
        "h9(h10)",
        "h9(h10@7)",
        "h9(h10@0)",
        "h9(-*)",
        "h9(h10i8h10i8)",
        "h9 i9",
        "p1",
        "h0",
        "h16",
    ],
)
def test_muddled_lines_are_refused(line: str) -> None:
    assert why_refused([*FIVE, "root h8 a1 h9 b1 h10 c1", line]) is not None


@pytest.mark.parametrize(
    "head", [["wuzi-proof 2", *FIVE[1:]], FIVE[:2], [FIVE[0], "board 40x40", FIVE[2]], []]
)
def test_other_headers_are_refused(head: list[str]) -> None:
    assert "begins with" in str(why_refused(head))


def test_a_file_without_claims_and_a_full_board_prove_nothing() -> None:
    assert "claims nothing" in str(why_refused(FIVE))
    full = ["wuzi-proof 1", "board 3x3", "win 3", "root a1 a2 a3 b1 b2 c3 c2 c1", "b3"]
    assert "draw" in str(why_refused(full))


def test_what_is_accepted_wins_when_every_reply_is_played() -> None:
    """Lines without a star, played literally: no argument about passes is needed."""
    lines = lines_of(SMALL)
    played = Collector(lines)
    whole = [number for number in played.stones if "*" not in lines[number]]
    assert whole
    for number in whole:
        board = played.board_at(number)
        assert wins_literally(board, ProofLine(lines[number], board).root)


def test_white_stones_that_hold_no_disturbing_set_change_nothing() -> None:
    """The theorem of docs/proof.md, on parts of proofs with one and two white stones more."""
    rng, tried = random.Random(5), 0
    for path in (SMALL, LARGE):
        lines = lines_of(path)
        played = Collector(lines)
        for number, extra in product(played.stones, (1, 2)):
            played.board = board = played.board_at(number)
            root = ProofLine(lines[number], board).root
            if root.passed is None:
                continue
            board.put(BLACK, root.move, 1)
            family = played.play(root.passed, extra)
            cells = [cell for cell in bits(board.empty()) if 1 << cell not in family]
            sets = [some for some in combinations(cells, extra) if sum(1 << c for c in some) not in family]
            for stones in rng.sample(sets, min(15, len(sets))):
                for cell in stones:
                    board.put(WHITE, cell, 1)
                assert played.play(root.passed, 0) == set()
                for cell in stones:
                    board.put(WHITE, cell, -1)
                tried += 1
    assert tried > 50
