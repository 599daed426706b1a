"""A rule is a value: one that is added to ``core/rules.py`` alone is played."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "src" / "wuzi"

PLAY = """
from wuzi.core import Color, Game, Position, Rules, kernel_cache
import numpy as np
assert str(kernel_cache.PACKAGE_ROOT) == {root!r}
rules = Rules(9, 5, "toy")
assert rules.label == "toy 9x9" and rules.rule.is_exact(Color.BLACK) and not rules.rule.is_exact(Color.WHITE)

def ends(row, color, size=9):
    cells = [0] * (size * size)
    cells[: len(row)] = [".XO".index(letter) if letter != "*" else 0 for letter in row]
    position = Position.from_cells(rules, cells, color)
    return position.play(row.index("*")).outcome is not None

B, W = Color.BLACK, Color.WHITE
found = [ends("XX*XX...O", B), ends("XX*XXX..O", B), ends("OXX*XXO..", B), ends("XX*XXO...", B)]
assert found == [True, False, False, True], found
found = [ends("OO*OO...X", W), ends("OO*OOO..X", W), ends("XOO*OOX..", W), ends("XOO*OOOX.", W)]
assert found == [True, True, False, True], found
game = Game.from_moves(rules, "a1a9b1b9c1c9d1d9e1")
assert game.outcome is not None and game.outcome.winner is B

from wuzi.core import random_kernels, rule_kernels
from wuzi.core.layout import LINES
state, lines, wins = Position(rules).state(), np.zeros(1, LINES)[0], 0
for seed in range(40):
    state, order = Position(rules).state(), np.random.default_rng(seed).permutation(81)
    for cell in order:
        point, color = int(rule_kernels.to_point(int(cell), 9)), int(state["side"])
        random_kernels.lines_from_state(state, lines)
        place = int(cell) // 9 * 32 + int(cell) % 9
        won = bool(random_kernels.lines_place(lines, place, color))
        assert won == bool(rule_kernels.makes_line(state, point, color))
        rule_kernels.push(state, point)
        if state["result"]:
            wins += won
            break
assert wins > 20
"""


@pytest.mark.slow
def test_a_rule_of_one_line_is_played(tmp_path: Path) -> None:
    """Black needs exactly five, White five or more; a five between two stones of the opponent is none."""
    root = tmp_path / "wuzi"
    shutil.copytree(PACKAGE, root, ignore=shutil.ignore_patterns("data", "__pycache__", "apps"))
    book = root / "core" / "rules.py"
    text, line = book.read_text("utf-8"), "    CARO_OVERLINE = 8, 0, True\n"
    assert line in text
    book.write_text(text.replace(line, f"{line}    TOY = 7, _BLACK, True\n"), "utf-8")
    env = os.environ | {"PYTHONPATH": str(tmp_path), "WUZI_CACHE_DIR": str(tmp_path / "cache")}
    program = PLAY.replace("{root!r}", repr(str(root.resolve())))
    done = subprocess.run(
        [sys.executable, "-c", program], env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
