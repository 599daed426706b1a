"""What is reviewed, with which budgets, the results so far, and what is to be done next."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cached_property, reduce
from itertools import accumulate
from pathlib import Path
from typing import Any

from wuzi.analysis.review.results import (
    Defence,
    Look,
    Proof,
    ProvedWin,
    Result,
    TaskKind,
    parse_result,
    result_json,
)
from wuzi.base.atomic import write_atomic
from wuzi.base.store import JsonLines
from wuzi.core import Color, Game, Move, Opening, Phase, Place, Position, format_moves
from wuzi.errors import ConfigError, RecordError
from wuzi.protocols.analysis.wire import encode, format_cells

SCHEMA = 1
"""Version of the saved results; a newer one is refused."""
MAX_DEFENCES = 12
"""Candidates that are tried against a proved win."""
SHARES = {TaskKind.QUICK: 0.1, TaskKind.PROVE: 0.25, TaskKind.DEEP: 0.6, TaskKind.DEFEND: 0.05}
"""Part of the whole that each kind of work counts for in the progress."""


@dataclass(frozen=True, slots=True)
class ReviewOptions:
    """Who reviews, and the budgets of its passes.

    Attributes:
        player: spec string of the analyst.
        quick_nodes: positions searched a move in the first pass.
        deep_nodes: positions searched a move in the second pass; 0 leaves that pass out.
        deep_s: seconds a move in the second pass, instead of ``deep_nodes``.
        multipv: candidates a move in the second pass.
        proof_nodes: positions that each search for a forced win may look at.
        book: stones at the beginning that nobody chose, such as the opening of a match; they are not judged.
    """

    player: str = "engine"
    quick_nodes: int = 20_000
    deep_nodes: int = 200_000
    deep_s: float | None = None
    multipv: int = 3
    proof_nodes: int = 200_000
    book: int = 0

    def __post_init__(self) -> None:
        for name, least in (
            ("quick_nodes", 1),
            ("deep_nodes", 0),
            ("multipv", 1),
            ("proof_nodes", 1),
            ("book", 0),
        ):
            value = getattr(self, name)
            if type(value) is not int or value < least:
                raise ConfigError(f"review {name} is {value!r}: expected a whole number from {least}")
        if self.deep_s is not None and not 0 < self.deep_s <= 3600:
            raise ConfigError(f"review deep_s is {self.deep_s!r}: expected 0 to 3600 seconds")

    @property
    def has_deep_pass(self) -> bool:
        """Whether there is a second pass."""
        return self.deep_s is not None or self.deep_nodes > 0


@dataclass(frozen=True, slots=True)
class ReviewTask:
    """One piece of work of a second or so at a ply; ``moves`` are candidates, for :attr:`TaskKind.DEFEND`."""

    kind: TaskKind
    ply: int
    moves: tuple[Move, ...] = ()

    @property
    def key(self) -> str:
        """The name of its result."""
        return f"{self.kind}.{self.ply}"


class Subject:
    """The game under review as a plain sequence of stones; opening choices do not matter here.

    ``positions`` are one more than moves; stones before ``judged_from`` belong to an opening's proposals.
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        rules = replace(game.rules, opening=Opening.FREE)
        start = game.start
        plain = start.ply == 0 and start.to_move is Color.BLACK
        first = Position(rules) if plain else Position.from_cells(rules, start.cells, start.to_move)
        self.positions = tuple(accumulate(game.moves, Position.play, initial=first))
        self.judged_from = _opening_stones(game)

    @property
    def moves(self) -> tuple[Move, ...]:
        """The stones in order."""
        return self.game.moves

    @property
    def size(self) -> int:
        """Of the board."""
        return self.game.rules.size

    @property
    def last_open(self) -> int:
        """The last ply at which the board did not end the game."""
        return len(self.moves) - (self.positions[-1].outcome is not None)

    def game_at(self, ply: int) -> Game:
        """The game after so many stones, with no opening protocol; for asking players."""
        first = self.positions[0]
        return reduce(Game.play, self.moves[:ply], Game(first.rules, start=first))

    @cached_property
    def fingerprint(self) -> dict[str, Any]:
        """What tells this game from another one: rules, start and stones."""
        rules = self.game.rules
        return {
            "size": rules.size,
            "winLength": rules.win_length,
            "rule": rules.rule.label,
            "start": format_cells(self.positions[0]) if self.positions[0].ply else "",
            "first": self.positions[0].to_move.letter,
            "moves": format_moves(self.moves, rules.size),
        }


def _opening_stones(game: Game) -> int:
    """Stones on the board when the last choice of an opening was made."""
    if game.rules.opening is Opening.FREE:
        return 0
    for count in range(len(game.actions), 0, -1):
        if not isinstance(game.actions[count - 1], Place):
            return len(game.at(count).moves)
    return len(game.moves) if game.phase is not Phase.PLAY else 0


@dataclass(slots=True)
class Review:
    """A review in progress or done, with what the tasks found so far by :attr:`ReviewTask.key`."""

    subject: Subject
    options: ReviewOptions = field(default_factory=ReviewOptions)
    results: dict[str, Result] = field(default_factory=dict)

    @classmethod
    def of(cls, game: Game, options: ReviewOptions | None = None) -> Review:
        """A review that has yet to begin; ConfigError if the game has no move."""
        if not game.moves:
            raise ConfigError("the game has no moves: nothing to review")
        return cls(Subject(game), options or ReviewOptions())

    @property
    def judged_from(self) -> int:
        """Stones at the beginning that are not judged: of an opening's proposals, or of a book."""
        return min(max(self.subject.judged_from, self.options.book), len(self.subject.moves))

    def result(self, kind: TaskKind, ply: int) -> Result | None:
        """The result of a task, if it was done."""
        return self.results.get(f"{kind}.{ply}")

    def look(self, ply: int, *kinds: TaskKind) -> Look | None:
        """The first of these searches that was done; by default the deep one, else the quick one."""
        for kind in kinds or (TaskKind.DEEP, TaskKind.QUICK):
            if isinstance(found := self.result(kind, ply), Look):
                return found
        return None

    def proof(self, ply: int) -> Proof | None:
        """The forced wins of a position, once they were looked for."""
        found = self.result(TaskKind.PROVE, ply)
        return found if isinstance(found, Proof) else None

    def defence(self, ply: int) -> Defence | None:
        """What was found against a proved win, once it was looked for."""
        found = self.result(TaskKind.DEFEND, ply)
        return found if isinstance(found, Defence) else None

    def header(self) -> dict[str, Any]:
        """What a saved review begins with: its schema, the game's fingerprint and the options."""
        return {"schema": SCHEMA, "game": self.subject.fingerprint, "options": asdict(self.options)}

    def to_json(self) -> dict[str, Any]:
        """All of it as JSON-compatible data; the game itself only by its fingerprint."""
        results = {key: result_json(result) for key, result in list(self.results.items())}
        return self.header() | {"results": results}


def review_from_json(data: object, game: Game) -> Review:
    """The review that was written, of this game; RecordError if it is none, newer, or of another game."""
    if not isinstance(data, dict) or type(data.get("schema")) is not int:
        raise RecordError("saved review: expected an object with a schema number")
    if data["schema"] > SCHEMA:
        raise RecordError(f"saved review has schema {data['schema']}: this version reads up to {SCHEMA}")
    review = Review.of(game, options_from_json(data.get("options")))
    if data.get("game") != review.subject.fingerprint:
        raise RecordError("saved review belongs to another game: its moves or rules differ")
    results = data.get("results") or {}
    if not isinstance(results, dict):
        raise RecordError("saved review: results are no object")
    for key, result in results.items():
        kind, _, ply = key.partition(".")
        known = kind in list(TaskKind) and ply.isdecimal() and int(ply) < len(review.subject.positions)
        if not known or not isinstance(result, dict):
            raise RecordError(f"saved review: {key[:40]!r} is no result of this game")
        try:
            review.results[key] = parse_result(TaskKind(kind), result, review.subject.size)
        except RecordError as error:
            raise RecordError(f"saved review: result {key}: {error}") from None
    return review


def options_from_json(data: object) -> ReviewOptions:
    """The options in a saved review; RecordError if they are none."""
    known = {item.name for item in fields(ReviewOptions)}
    if not isinstance(data, dict) or set(data) - known:
        raise RecordError(f"saved review: options are {str(data)[:60]}: expected {', '.join(sorted(known))}")
    try:
        return ReviewOptions(**data)
    except (ConfigError, TypeError) as error:
        raise RecordError(f"saved review: {error}") from None


@dataclass(frozen=True, slots=True)
class ReviewStage:
    """How far a review is: the kind of work now (None at the end), its tasks, and the part of all done."""

    stage: TaskKind | None
    done: int
    of: int
    fraction: float


def next_task(review: Review) -> ReviewTask | None:
    """The next piece of work; None when the review is complete.

    First every position is searched briefly, from the end of the game to its beginning; then forced wins
    are looked for; then positions are searched longer, those around the largest swings first; at last
    defences against the wins that were allowed.
    """
    for kind in TaskKind:
        for task in _tasks(review, kind):
            if task.key not in review.results:
                return task
    return None


def progress(review: Review) -> ReviewStage:
    """How far the review is."""
    fraction = 0.0
    for kind in TaskKind:
        keys = [task.key for task in _tasks(review, kind)]
        done = sum(key in review.results for key in keys)
        if done < len(keys):
            return ReviewStage(kind, done, len(keys), min(fraction + SHARES[kind] * done / len(keys), 0.999))
        fraction += SHARES[kind]
    return ReviewStage(None, 0, 0, 1.0)


def _tasks(review: Review, kind: TaskKind) -> Iterator[ReviewTask]:
    """The tasks of one kind in their order, as far as they are known now."""
    subject = review.subject
    plies = range(subject.judged_from, subject.last_open + 1)
    match kind:
        case TaskKind.QUICK:
            yield from (ReviewTask(kind, ply) for ply in reversed(plies))
        case TaskKind.PROVE:
            yield from (ReviewTask(kind, ply) for ply in plies)
        case TaskKind.DEEP if review.options.has_deep_pass:
            swings = sorted(plies, key=lambda ply: (-_swing(review, ply), ply))
            yield from (ReviewTask(kind, ply) for ply in swings)
        case TaskKind.DEFEND:
            yield from _defences(review)


def _swing(review: Review, ply: int) -> float:
    """How much the first pass saw the win rate change around a position."""
    looks = [review.look(near, TaskKind.QUICK) for near in (ply - 1, ply, ply + 1)]
    known = [look.winrate for look in looks if look is not None]
    return max(known) - min(known) if known else 0.0


def _defences(review: Review) -> Iterator[ReviewTask]:
    """A task for each move that lets the enemy win by force, unless the mover won or had lost anyway."""
    subject = review.subject
    for ply in range(subject.judged_from, min(subject.last_open, len(subject.moves))):
        before, after = review.proof(ply), review.proof(ply + 1)
        if before is not None and after is not None and after.win is not None and before.win is None:
            yield ReviewTask(TaskKind.DEFEND, ply, _candidates(review, ply, after.win))


def _candidates(review: Review, ply: int, win: ProvedWin) -> tuple[Move, ...]:
    """What might stop a win: the analyst's moves, then the cells of the winning line."""
    found: list[Move] = []
    for kind in (TaskKind.DEEP, TaskKind.QUICK):
        if (look := review.look(ply, kind)) is not None:
            found += [line.move for line in look.lines]
    if (proof := review.proof(ply)) is not None and proof.only is not None:
        found.append(proof.only)
    return tuple(dict.fromkeys([*found, *win.moves]))[:MAX_DEFENCES]


class ReviewJournal:
    """Results on disk, a JSON object a line behind one of game and options; a killed review is continued."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lines = JsonLines(path, compact=True)

    def open(self, game: Game, options: ReviewOptions) -> Review:
        """The review that the file holds if it is of this game with these options, else a new one.

        A last line that was cut short by a crash is dropped. RecordError if the file is no journal of a
        review.
        """
        review = Review.of(game, options)
        if self.path.is_file():
            kept = self.read(game)
            if kept is not None and kept.options == options:
                self._lines.repair()
                return kept
        self.path.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(self.path, (encode(review.header()) + "\n").encode())
        return review

    def read(self, game: Game) -> Review | None:
        """What the file holds of this game; None if it is of another one, RecordError if it is no journal."""
        lines = [data for _, data in self._lines.objects()]
        if not lines:
            raise RecordError(f"{self.path}: expected the results of a review, a JSON object a line")
        try:
            results = {key: data for entry in lines[1:] for key, data in entry.items()}
            return review_from_json(lines[0] | {"results": results}, game)
        except RecordError as error:
            if "another game" in str(error):
                return None
            raise RecordError(f"{self.path}: {error}") from None

    def add(self, key: str, result: Result) -> None:
        """Append a result."""
        self._lines.add({key: result_json(result)})
