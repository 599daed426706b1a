"""The solver: known small boards, attacks and what disturbs them, the folder, and the command."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.search.proofs.spoiling import why_refused
from tests.tactics.boards import crowded
from wuzi.apps.cli import main
from wuzi.core import Rules
from wuzi.errors import RecordError, UnsupportedError
from wuzi.search.proof.attacks import AttackFinder
from wuzi.search.proof.boards import Boards, bits
from wuzi.search.proof.campaign import Campaign
from wuzi.search.proof.check_proof import BLACK, WHITE, Checker, ProofLine
from wuzi.search.proof.split import split
from wuzi.search.proof.store import ProofStore, header


def campaign(folder: Path, size: int, height: int | None = None, win_length: int = 4) -> Campaign:
    return Campaign(Rules(size=size, win_length=win_length), folder, height=height)


@pytest.mark.parametrize(("size", "height"), [(6, 5), (6, 6), (7, 7)])
def test_four_in_a_row_is_a_known_win_of_the_first_player(size: int, height: int, tmp_path: Path) -> None:
    work = campaign(tmp_path, size, height)
    assert work.run([()], 60, lambda report: None)
    lines = [*work.export(None, [()])]
    assert lines[:3] == ["wuzi-proof 1", f"board {size}x{height}", "win 4"]
    assert why_refused(lines) is None


@pytest.mark.parametrize(("size", "win_length"), [(5, 4), (6, 5)])
def test_known_draws_are_not_proved(size: int, win_length: int, tmp_path: Path) -> None:
    work = campaign(tmp_path, size, win_length=win_length)
    assert not work.run([()], 2, lambda report: None)
    assert [*work.export(None, [()])] == []


@pytest.mark.parametrize(("rule", "win_length"), [("freestyle", 5), ("standard", 5), ("freestyle", 4)])
def test_attacks_are_accepted_and_name_all_that_disturbs_them(rule: str, win_length: int) -> None:
    """The kernels' slow twin is the checker: its disturbing sets of one cell are all in the zone."""
    rng, rules = random.Random(win_length), Rules(size=11, win_length=win_length, rule=rule)
    boards, found = Boards(rules), 0
    finder = AttackFinder(boards)
    while found < 12:
        position = crowded(rng, rules, 2 * rng.randrange(5, 12), 8)
        if position is None:
            continue
        black, white = (sum(1 << int(c) for c in (position.cells == color).nonzero()[0]) for color in (1, 2))
        finder.set_up(black, white, 1)
        tree = finder.attack(20_000)
        if tree is None or not tree.zone:
            continue
        checker = Checker(iter(header(boards).splitlines()))
        for color, mask in ((BLACK, black), (WHITE, white)):
            for cell in bits(mask):
                checker.board.put(color, cell, 1)
        disturbing = checker.play(ProofLine(tree.text, checker.board).root, 1)
        assert all(cells & tree.zone for cells in disturbing), tree.text
        assert tree.white == white
        found += 1


def test_positions_keep_their_meaning_when_turned() -> None:
    boards, rng = Boards(Rules(size=15)), random.Random(3)
    for _ in range(50):
        cells = rng.sample(range(225), 9)
        black, white = (sum(1 << c for c in part) for part in (cells[:5], cells[5:]))
        stones, symmetry = boards.canonical(black, white)
        assert stones == boards.canonical(*(boards.image(mask, 5) for mask in (black, white)))[0]
        assert boards.stones(boards.text(stones)) == stones
        text = boards.renamed(boards.text((black, white)), symmetry)
        assert boards.stones(text) == stones
        assert boards.back(text, symmetry) == boards.text((black, white))
    assert len(boards.replies((1 << 112, 0), boards.all & ~(1 << 112))) == 35


def test_a_folder_survives_a_killed_run_and_is_shared(tmp_path: Path) -> None:
    boards = Boards(Rules(size=9))
    one, other = ProofStore(tmp_path, boards), ProofStore(tmp_path, boards)
    one.add((1, 2), "e5")
    other.refresh()
    assert other.node((1, 2)) == "e5"
    other.add((4, 8), "f6(g7*)")
    with (tmp_path / "proved-1.txt").open("ab") as file:
        file.write(b"a9 b9\te")
    again = ProofStore(tmp_path, boards)
    assert len(again) == 2 and again.node((4, 8)) == "f6(g7*)"
    again.add((16, 32), "d4")
    assert len(ProofStore(tmp_path, boards)) == 3
    with pytest.raises(RecordError, match="expected"):
        ProofStore(tmp_path, Boards(Rules(size=10)))
    with (tmp_path / "proved-1.txt").open("ab") as file:
        file.write(b"\nz9 b9\te5\n")
    with pytest.raises(RecordError, match="no proved position"):
        ProofStore(tmp_path, boards)


def test_a_run_goes_on_where_another_was_stopped(tmp_path: Path) -> None:
    first = campaign(tmp_path, 6, 5)
    assert first.run([()], 60, lambda report: None)
    lines, again = [*first.export(None, [()])], campaign(tmp_path, 6, 5)
    assert again.run([()], 0, lambda report: None), "nothing is left to do"
    assert [*again.export(None, [()])] == lines


def test_the_command_proves_exports_and_checks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, file = str(tmp_path / "folder"), str(tmp_path / "proof.txt")
    board = ["--out", out, "--size", "6", "--win-length", "4"]
    assert main(["prove", *board, "--export", file]) == 1
    assert main(["prove", *board, "--reply", "a1 f6", "--time", "60"]) == 0
    assert "all proved" in capsys.readouterr().out
    assert main(["prove", *board, "--reply", "a1 f6", "--export", file, "--check"]) == 0
    told = capsys.readouterr().out
    assert "ACCEPTED" in told and "a1" in told and "f6" in told
    assert main(["prove", *board, "--time", "60"]) == 0
    assert main(["prove", *board, "--export", file, "--check"]) == 0
    assert "from the empty board" in capsys.readouterr().out
    whole = Path(file).read_bytes()
    files = tmp_path / "files"
    files.mkdir()
    for reply in [moves[1] for moves in campaign(tmp_path / "folder", 6).replies("d3")]:
        part = [*board, "--first", "d3", "--reply", reply, "--export", str(files / f"{reply}.txt")]
        assert main(["prove", *part]) == 0
    board[1] = str(tmp_path / "taken")
    assert main(["prove", *board, "--take", str(files), "--export", file]) == 0
    assert Path(file).read_bytes() == whole


def test_a_file_that_is_no_proof_is_not_taken(tmp_path: Path) -> None:
    store = campaign(tmp_path / "folder", 6).store
    other, head = tmp_path / "other.txt", header(store.boards)
    for text, reason in (
        (header(Boards(Rules(size=7, win_length=4))), "expected"),
        (f"{head}root d3 a1\nc4\nd4\n", "line 6 belongs to no position"),
        (f"{head}root d3 a1\n\n", "line 5: '' is no node"),
    ):
        other.write_text(text)
        with pytest.raises(RecordError, match=reason):
            store.take(other)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--rule", "renju"], "renju"),
        (["--check"], "--export"),
        (["--moves", "h8", "--reply", "a1"], "--moves"),
        (["--moves", "h8"], "Black to move"),
        (["--reply", "h8"], "h8"),
        (["--first", "z9"], "--first"),
    ],
)
def test_wrong_use_is_explained(
    options: list[str], reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["prove", "--out", str(tmp_path), "--time", "1", *options]) in (1, 2)
    assert reason in capsys.readouterr().err


@pytest.mark.parametrize("first", ["c4", "b5", "c2"])
def test_the_move_of_a_guide_is_tried_first(first: str, tmp_path: Path) -> None:
    guide = tmp_path / "guide.json"
    guide.write_text(f'{{"{first}": {{"a1": {{"f6": 3}}}}}}')
    work = Campaign(Rules(size=6, win_length=4), tmp_path / "out", guide=guide)
    assert work.run([()], 60, lambda report: None)
    lines = [*work.export(None, [()])]
    assert lines[4].startswith(f"{first}(")
    assert why_refused(lines) is None


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("h8", "no JSON"),
        ('{"c3": {}, "c4": {}}', "after no move: 2 moves of Black: expected one"),
        ('{"c3": {"g7": {"c4": 5}}}', "after no move: 'g7': expected an empty cell of 6x6"),
        ('{"c3": {"c4": {"c3": 5}}}', "after c3 c4: 'c3': expected an empty cell"),
    ],
)
def test_a_file_that_is_no_tree_is_refused(text: str, reason: str, tmp_path: Path) -> None:
    guide = tmp_path / "guide.json"
    guide.write_text(text)
    with pytest.raises(RecordError, match=re.escape(reason)):
        Campaign(Rules(size=6, win_length=4), tmp_path / "out", guide=guide)


def test_other_rules_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedError, match="freestyle or standard"):
        Campaign(Rules(size=15, rule="renju"), tmp_path)


def test_a_position_is_proved_by_its_parts(tmp_path: Path) -> None:
    """The root is searched only when all replies to one of Black's moves are proved, each by itself."""
    work = campaign(tmp_path, 6)
    asked = list[tuple[str, ...]]()

    def settle(line: Sequence[str], seconds: float) -> bool:
        asked.append(tuple(line))
        return len(asked) > 1 and seconds > 0 and work.run([line], seconds, lambda report: None)

    assert split(work._prover, work._choose, settle, ())
    replies = {line for line in asked if len(line) == 2}
    assert len(replies) > 3 and len({move for move, _ in replies}) == 1
    assert why_refused([*work.export(None, [()])]) is None


@pytest.mark.parametrize(("rule", "reused"), [("freestyle", 1), ("standard", 0)])
def test_an_attack_fits_without_a_white_stone_only_where_rows_cannot_be_too_long(
    rule: str, reused: int, tmp_path: Path
) -> None:
    work = Campaign(Rules(15, 5, rule), tmp_path)  # type: ignore[arg-type]
    prover, boards = work._prover, work.boards
    before, _ = boards.canonical(*boards.after(["h8", "a1", "h9", "o1", "h10", "a15"]))
    assert prover._try_attack(prover.place(before), 1_000)
    black, white = before
    without = prover.place((black, white & (white - 1)))
    prover.counts.clear()
    assert prover._try_attack(without, 1_000)
    assert prover.counts["reused"] == reused
