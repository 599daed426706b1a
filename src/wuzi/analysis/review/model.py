"""What is reviewed, with which budgets, the results so far, and what is to be done next."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from wuzi.analysis.judgement_kernels import INACCURACY
from wuzi.analysis.review.results import (
    Defence,
    Proof,
    Result,
    SearchedPosition,
    TaskKind,
    parse_result,
    result_json,
)
from wuzi.analysis.review.strength import are_rated
from wuzi.analysis.review.subject import ReviewedGame
from wuzi.base.atomic import write_atomic
from wuzi.base.store import JsonLines
from wuzi.contract import own_winrate
from wuzi.core import Game, Move
from wuzi.errors import ConfigError, RecordError
from wuzi.protocols.analysis.wire import encode

SCHEMA = 2
"""Version of the saved results; a newer one is refused, those of an older one are made again."""
MAX_DEFENCES = 12
"""Candidates that are tried against a proved win with the whole budget; all other moves share one budget."""
SHARES = dict(zip(TaskKind, (0.08, 0.2, 0.36, 0.04, 0.08, 0.24), strict=True))
"""Part of the whole that each kind of work counts for in the progress."""
DEPTHS = {
    "quick": (5_000, 0, 50_000),
    "normal": (20_000, 100_000, 500_000),
    "deep": (50_000, 1_000_000, 5_000_000),
}
"""Positions a move in the first and in the second pass, and in the look at what a proof leaves open."""
DOUBT_POINTS = 5.0
"""How much surer a search with a tenth of the positions of a deep one has to be of a blunder, in points."""
ANALYSTS = {"engine": "engine:fresh=true,table_mb=16", "minimax-s1": "minimax:preset=s1"}
"""Who reviews, on every face: the first of these engines that plays the rules, and its spec."""


@dataclass(frozen=True, slots=True)
class ReviewOptions:
    """Who reviews, and the budgets of its passes.

    Attributes:
        player: spec string of the analyst.
        quick_nodes: positions searched a move in the first pass.
        deep_nodes: positions searched a move in the second pass; 0 leaves that pass out.
        verify_nodes: positions searched where a mark rests on a proof and on what it leaves open.
        multipv: candidates a move in the second pass.
        proof_nodes: positions that each search for a forced win may look at.
        book: stones at the beginning that nobody chose, such as the opening of a match; they are not judged.
        strength: whether the strength of both sides is estimated, by how likely each level plays their moves;
            only in reviews of two passes, under rules for which the levels have ratings.
    """

    player: str = ANALYSTS["engine"]
    quick_nodes: int = DEPTHS["normal"][0]
    deep_nodes: int = DEPTHS["normal"][1]
    verify_nodes: int = DEPTHS["normal"][2]
    multipv: int = 3
    proof_nodes: int = 200_000
    book: int = 0
    strength: bool = True

    def __post_init__(self) -> None:
        if not isinstance(self.player, str):
            raise ConfigError(f"review player is {self.player!r}: expected a spec")
        for name, least in (
            ("quick_nodes", 1),
            ("deep_nodes", 0),
            ("verify_nodes", 1),
            ("multipv", 1),
            ("proof_nodes", 1),
            ("book", 0),
        ):
            value = getattr(self, name)
            if type(value) is not int or value < least:
                raise ConfigError(f"review {name} is {value!r}: expected a whole number from {least}")
        if not isinstance(self.strength, bool):
            raise ConfigError(f"review strength is {self.strength!r}: expected true or false")


@dataclass(frozen=True, slots=True)
class ReviewTask:
    """One piece of work of a second or so at a ply.

    ``moves`` are the candidates of :attr:`TaskKind.DEFEND`, and the move after which to look for
    :attr:`TaskKind.VERIFY`.
    """

    kind: TaskKind
    ply: int
    moves: tuple[Move, ...] = ()

    @property
    def key(self) -> str:
        """The name of its result."""
        return f"{self.kind}.{self.ply}"


@dataclass(frozen=True, slots=True)
class BlunderEvidence:
    """That a move is a blunder rests on a search of the position ``at`` a ply, where nothing is proved.

    Either the opponent wins after the move at ``ply`` by proof, and the search says what its best ``defence``
    was worth; or the mover had a proved win, and the search tells what is left of it after the move.
    """

    ply: int
    at: int
    defence: Move | None


@dataclass(slots=True)
class Review:
    """A review in progress or done, with what the tasks found so far by :attr:`ReviewTask.key`."""

    subject: ReviewedGame
    options: ReviewOptions = field(default_factory=ReviewOptions)
    results: dict[str, Result] = field(default_factory=dict)

    @classmethod
    def of(cls, game: Game, options: ReviewOptions | None = None) -> Review:
        """A review that has yet to begin; ConfigError if the game has no move."""
        if not game.moves:
            raise ConfigError("the game has no moves: nothing to review")
        return cls(ReviewedGame(game), options or ReviewOptions())

    @property
    def judged_from(self) -> int:
        """Stones at the beginning that are not judged: of an opening's proposals, or of a book."""
        return min(max(self.subject.judged_from, self.options.book), len(self.subject.moves))

    @property
    def estimates_strength(self) -> bool:
        """Whether there are tasks for the strength of both sides."""
        options = self.options
        return options.strength and options.deep_nodes > 0 and are_rated(self.subject.game.rules)

    def result(self, kind: TaskKind, ply: int) -> Result | None:
        """The result of a task, if it was done."""
        return self.results.get(f"{kind}.{ply}")

    def look(self, ply: int, *kinds: TaskKind) -> SearchedPosition | None:
        """The first of these searches that was done; by default the deep one, else the quick one."""
        for kind in kinds or (TaskKind.DEEP, TaskKind.QUICK):
            if isinstance(found := self.result(kind, ply), SearchedPosition):
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

    def has_win(self, ply: int) -> bool | None:
        """Whether it is proved that the side to move wins; None while nobody looked."""
        proof = self.proof(ply)
        return None if proof is None else proof.win is not None

    def is_lost(self, ply: int) -> bool:
        """Whether it is proved that the side to move loses whatever it plays: the game may be over."""
        proof, defence = self.proof(ply), self.defence(ply)
        if (end := self.subject.positions[ply].outcome) is not None:
            return end.winner is self.subject.positions[ply].to_move.opponent
        return bool((proof and proof.lost) or (defence and defence.proved))

    def wins(self, ply: int) -> bool:
        """Whether it is proved that the move played at a ply wins."""
        proof, move = self.proof(ply), self.subject.moves[ply]
        begins = proof is not None and proof.win is not None and proof.win.moves[0] == move
        return begins or self.is_lost(ply + 1)

    def loses(self, ply: int) -> bool | None:
        """Whether it is proved that the opponent wins after the move played at a ply; None while unknown."""
        after = self.subject.positions[ply + 1]
        if after.outcome is not None:
            return after.outcome.winner is after.to_move
        return self.has_win(ply + 1)

    def doubt(self, ply: int) -> BlunderEvidence | None:
        """What a blunder at a ply would rest on besides a proof; None where it would rest on none."""
        if ply == len(self.subject.moves):
            return None
        proof, defence, loses = self.proof(ply), self.defence(ply), self.loses(ply)
        if proof is None or loses is None or self.wins(ply) or self.is_lost(ply):
            return None
        if proof.win is not None:
            return (
                None
                if loses or self.subject.positions[ply + 1].outcome
                else BlunderEvidence(ply, ply + 1, None)
            )
        known = loses and defence is not None and defence.move is not None
        return BlunderEvidence(ply, ply, defence.move) if known and defence is not None else None

    def belief(self, ply: int) -> float | None:
        """Black's win rate by the longest search of a position, or of the one after its best defence."""
        doubts = (self.doubt(ply - 1) if ply else None, self.doubt(ply))
        for doubt in doubts:
            if doubt is not None and doubt.at == ply and (look := self.look(doubt.ply, TaskKind.VERIFY)):
                return look.winrate
        look = self.look(ply)
        return None if look is None else look.winrate

    def points_at_stake(self, doubt: BlunderEvidence, *kinds: TaskKind) -> float | None:
        """Points that the mover loses if this search is right; None without it."""
        verified = kinds == (TaskKind.VERIFY,)
        look = self.look(doubt.ply if verified else doubt.at, *kinds)
        if look is None:
            return None
        # The analyst may have chosen the move that is proved to lose: then its next one counts.
        played = None if verified or doubt.defence is None else self.subject.moves[doubt.ply]
        rates = [line.winrate for line in look.lines if line.move != played] or [look.winrate]
        own = own_winrate(rates[0], self.subject.positions[doubt.ply].to_move)
        return 100 * (own if doubt.defence is not None else 1 - own)

    def sure_points(self, ply: int) -> float | None:
        """Points that a move loses for sure: by proofs, or by each of the searches a blunder rests on.

        Where the longest search sees the end of the game it is right, whatever the others believe. What is
        believed counts less the fewer positions were searched, so that a longer review confirms it.
        """
        doubt = self.doubt(ply)
        if doubt is None:
            return 100.0 if self.has_win(ply) and self.loses(ply) and not self.wins(ply) else None
        first, last = self.points_at_stake(doubt), self.points_at_stake(doubt, TaskKind.VERIFY)
        if first is None or last is None:
            return None
        if last in (0.0, 100.0):
            return last
        tenths = math.log10(DEPTHS["deep"][2] / self.options.verify_nodes)
        return min(first, last) - DOUBT_POINTS * max(0.0, tenths)

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
    options = data.get("options")
    if isinstance(options, dict) and data["schema"] < SCHEMA:
        options = {name: value for name, value in options.items() if name != "deep_s"}
    review = Review.of(game, options_from_json(options))
    if data.get("game") != review.subject.fingerprint:
        raise RecordError("saved review belongs to another game: its moves or rules differ")
    if data["schema"] < SCHEMA:
        return review  # its claims were not proved: everything is looked at again
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
        # A review of an earlier version estimated no strength, and is not asked to.
        return ReviewOptions(**data | {"strength": data.get("strength", False)})
    except (ConfigError, TypeError) as error:
        raise RecordError(f"saved review: {error}") from None


@dataclass(frozen=True, slots=True)
class ReviewStage:
    """How far a review is: the kind of work now (None at the end), its tasks, and the part of all done."""

    stage: TaskKind | None
    done: int
    of: int
    fraction: float


def next_task(review: Review, plies: Collection[int] | None = None) -> ReviewTask | None:
    """The next piece of work, of all or at some plies; None when there is no more.

    First every position is searched briefly, from the end of the game to its beginning; then forced wins
    are looked for; then positions where nothing is proved are searched longer, those around the largest
    swings first; then come defences against the wins that were allowed, and at last the searches that
    blunders rest on.
    """
    for kind in TaskKind:
        for task in _tasks(review, kind):
            if task.key not in review.results and (plies is None or task.ply in plies):
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
        case TaskKind.DEEP if review.options.deep_nodes:
            open_plies = (
                ply for ply in plies if not (review.has_win(ply) or _is_lost_by_threats(review, ply))
            )
            swings = sorted(open_plies, key=lambda ply: (-_swing(review, ply), ply))
            yield from (ReviewTask(kind, ply) for ply in swings)
        case TaskKind.DEFEND:
            yield from _defences(review)
        case TaskKind.VERIFY:
            for ply in range(review.judged_from, len(subject.moves)):
                doubt = review.doubt(ply)
                if doubt is not None and (review.points_at_stake(doubt) or 0.0) > INACCURACY:
                    move = subject.moves[ply] if doubt.defence is None else doubt.defence
                    yield ReviewTask(kind, ply, (move,))
        case TaskKind.LEVELS if review.estimates_strength:
            yield from (ReviewTask(kind, ply) for ply in range(review.judged_from, len(subject.moves)))


def _is_lost_by_threats(review: Review, ply: int) -> bool:
    proof = review.proof(ply)
    return proof is not None and proof.lost


def _swing(review: Review, ply: int) -> float:
    """How much the first pass saw the win rate change around a position."""
    looks = [review.look(near, TaskKind.QUICK) for near in (ply - 1, ply, ply + 1)]
    known = [look.winrate for look in looks if look is not None]
    return max(known) - min(known) if known else 0.0


def _defences(review: Review) -> Iterator[ReviewTask]:
    """A task for each move after which the opponent has a proved win, unless the mover won or had lost."""
    for ply in range(review.judged_from, len(review.subject.moves)):
        before, after = review.proof(ply), review.proof(ply + 1)
        if before is not None and before.win is None and not before.lost and review.loses(ply):
            line = () if after is None or after.win is None else after.win.moves
            yield ReviewTask(TaskKind.DEFEND, ply, _candidates(review, ply, line))


def _candidates(review: Review, ply: int, winning: tuple[Move, ...]) -> tuple[Move, ...]:
    """What might stop a win: the analyst's moves, then the cells of the winning line."""
    found: list[Move] = []
    for kind in (TaskKind.DEEP, TaskKind.QUICK):
        if (look := review.look(ply, kind)) is not None:
            found += [line.move for line in look.lines]
    if (proof := review.proof(ply)) is not None and proof.only is not None:
        found.append(proof.only)
    return tuple(dict.fromkeys([*found, *winning]))[:MAX_DEFENCES]


class ReviewJournal:
    """Results on disk, a JSON object a line behind one of game and options; a killed review is continued."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lines = JsonLines(path, compact=True)

    def open(self, game: Game, options: ReviewOptions) -> Review:
        """The review that the file holds if it is of this game with these options, else a new one.

        A last line that was cut short by a crash is dropped, and so are results of an older schema.
        RecordError if the file is no journal of a review.
        """
        review = Review.of(game, options)
        if self.path.is_file():
            kept, (_, head) = self.read(game), next(self._lines.objects())
            if kept is not None and kept.options == options and head["schema"] == SCHEMA:
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
