"""Making books of openings that a search finds even, or uneven by a chosen amount.

Each try is drawn from the seed and its own number, so a book can be cut short, resumed and lengthened
and is always the same: random stones, then a glance, then a study by a player at fixed nodes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from wuzi.arena.openings import BookOpening, as_offsets, check_plies, is_quiet, parse_cells, random_stones
from wuzi.base.atomic import write_atomic
from wuzi.base.store import LineFile
from wuzi.contract import Limit, Player
from wuzi.core import Move, Rules
from wuzi.core.symmetry import canonical_stones
from wuzi.errors import ConfigError, RecordError
from wuzi.players.spec import REPRODUCIBLE

_GLANCE_SHARE = 50
_GLANCE_MARGIN = 0.1
"""A glance takes one part in so many of a study's nodes and may be wrong by so much."""
_MAX_FAILURES = 20_000
_LINE = re.compile(r"n(\d+): ([^#]+)# ([\d.]+)\n")


@dataclass(frozen=True, slots=True)
class BookRecipe:
    """What decides the lines of a book, all but how many; ConfigError for impossible values."""

    rules: Rules = field(default_factory=Rules)
    seed: int = 1  # of the random stones
    plies: tuple[int, int] = (3, 7)  # least and most stones
    advantage: float = 0.0  # wanted distance of the win rate from one half, for either side
    margin: float = 0.04  # how far from that it may be
    nodes: int = 200_000  # of the study of one opening
    player: str = REPRODUCIBLE  # the spec of the player that judges

    def __post_init__(self) -> None:
        check_plies(self.rules, self.plies)
        if not 0 <= self.advantage < 0.5:
            raise ConfigError(f"advantage {self.advantage:g}: expected 0 up to less than 0.5")
        if not 0 < self.margin <= 0.5:
            raise ConfigError(f"margin {self.margin:g}: expected more than 0, up to 0.5")

    def accepts(self, winrate: float, slack: float = 0.0) -> bool:
        """Whether a win rate is as wanted, give or take ``slack``.

        >>> recipe = BookRecipe(advantage=0.1, margin=0.05)
        >>> [recipe.accepts(rate) for rate in (0.36, 0.5, 0.62)]
        [True, False, True]
        """
        return abs(abs(winrate - 0.5) - self.advantage) <= self.margin + slack

    def header(self) -> str:
        """The comment that a book begins with: what is in it, and the command that makes it again."""
        rules = self.rules
        wanted = "even" if not self.advantage else f"uneven (one side at {0.5 + self.advantage:.0%})"
        least, most = self.plies
        command = (
            f"--rule {rules.rule.label} --size {rules.size} --win-length {rules.win_length} "
            f"--seed {self.seed} --plies {least}-{most} --advantage {self.advantage:g} "
            f"--margin {self.margin:g} --nodes {self.nodes} --player {self.player}"
        )
        return (
            f"# {rules.label}: {wanted} openings of {least} to {most} stones.\n"
            f"# wuzi openings make FILE {command}\n"
            "# Column and row from the centre, rows downwards; then Black's win rate in the search.\n"
        )


@dataclass(frozen=True, slots=True)
class JudgedOpening:
    """An opening of a book."""

    number: int  # of the try that found it
    opening: BookOpening
    winrate: float  # Black's expected score, 0 to 1, by the study


@dataclass(frozen=True, slots=True)
class BookProgress:
    """Where the making of a book stands: openings found, wanted, and tries so far."""

    found: int
    wanted: int
    tries: int


def make_book(
    recipe: BookRecipe,
    count: int,
    path: Path,
    player: Player,
    *,
    on_progress: Callable[[BookProgress], None] = lambda progress: None,
) -> list[JudgedOpening]:
    """Write ``count`` openings to ``path``, no two alike under turning and mirroring.

    A file that the same recipe has begun is continued: each line is written when it is found, and a broken
    last line is dropped. ``player`` judges, made from ``recipe.player``. A RecordError refuses another file;
    a ConfigError says that the player has no opinion, or that very many tries found nothing.
    """
    found = _resume(recipe, path)
    seen = {canonical_stones(judged.opening.moves, recipe.rules.size) for judged in found}
    number = found[-1].number if found else 0
    failures = 0
    book = LineFile(path)
    while len(found) < count:
        number += 1
        judged = _try(recipe, number, seen, player)
        failures = 0 if judged else failures + 1
        if judged is not None:
            found.append(judged)
            seen.add(canonical_stones(judged.opening.moves, recipe.rules.size))
            cells = as_offsets(judged.opening, recipe.rules.size)
            book.append(f"n{number}: {cells}  # {judged.winrate:.3f}")
        elif failures >= _MAX_FAILURES:
            raise ConfigError(f"{path}: {failures} tries gave no further opening: widen --margin or --plies")
        on_progress(BookProgress(len(found), count, number))
    return found[:count]


def read_judged(text: str, rules: Rules, where: str) -> Iterator[JudgedOpening]:
    """The openings of a book made by :func:`make_book`, with their win rates."""
    for number, line in enumerate(text.splitlines(keepends=True), 1):
        if line.startswith("#") or not line.strip():
            continue
        parts = _LINE.fullmatch(line)
        if parts is None:
            raise RecordError(f"{where}: line {number}: {line[:60]!r}: no line of a made book")
        moves = parse_cells(parts[2], rules.size, offsets=True)
        yield JudgedOpening(int(parts[1]), BookOpening(f"n{parts[1]}", moves), float(parts[3]))


def _resume(recipe: BookRecipe, path: Path) -> list[JudgedOpening]:
    """What an earlier run left in the file, which is begun or repaired."""
    header = recipe.header()
    if not path.exists() or not path.stat().st_size:
        write_atomic(path, header.encode())
    text = path.read_text(encoding="utf-8")
    if not text.startswith(header):
        raise RecordError(f"{path}: is not a book of this recipe: expected it to begin with {header[:70]!r}")
    LineFile(path).repair()
    return list(read_judged(text[: text.rfind("\n") + 1], recipe.rules, str(path)))


def _try(
    recipe: BookRecipe, number: int, seen: set[tuple[tuple[Move, ...], tuple[Move, ...]]], player: Player
) -> JudgedOpening | None:
    """The opening of a try, if it is suitable."""
    rng = np.random.default_rng([recipe.seed & (2**63 - 1), number])
    moves = random_stones(recipe.rules, recipe.plies, rng)
    if canonical_stones(moves, recipe.rules.size) in seen or not is_quiet(recipe.rules, moves):
        return None
    opening = BookOpening(f"n{number}", moves)
    glance = _winrate(recipe, opening, player, max(1, recipe.nodes // _GLANCE_SHARE))
    if not recipe.accepts(glance, _GLANCE_MARGIN):
        return None
    winrate = _winrate(recipe, opening, player, recipe.nodes)
    return JudgedOpening(number, opening, winrate) if recipe.accepts(winrate) else None


def _winrate(recipe: BookRecipe, opening: BookOpening, player: Player, nodes: int) -> float:
    lines = player.think(opening.game(recipe.rules), Limit(nodes=nodes)).info.lines
    if not lines or lines[0].winrate is None:
        raise ConfigError(
            f"{recipe.player} gives no win rate: expected a player that searches, such as engine"
        )
    return lines[0].winrate
