"""A review inside a game record: comments, marks and variations to read, and the results to continue with.

In SGF a reviewed game has, besides comments, the standard properties ``V`` (Black's expected result, -1 to
1), ``DO`` (inaccuracy), ``BM[1]`` (mistake), ``BM[2]`` (blunder), ``TE[1]`` (the only defence, found) and
variations for better moves and forced wins. The private property ``WZREVIEW`` of the root holds
``schema:results``, so that no program has to analyse again; ``WZADDED`` names what a review has put on a
node, so that it can be taken off.
"""

from __future__ import annotations

import json
import re

from wuzi.analysis.review.judgement import Judgement, MoveMark, MoveReview, judge
from wuzi.analysis.review.model import Review, review_from_json
from wuzi.analysis.review.output import move_text, report_rows, resigned_text, say, sentences
from wuzi.core import Game, Move
from wuzi.errors import RecordError
from wuzi.records import GameRecord, RecordNode, add_moves
from wuzi.records.formats import sgf_values as values

SAVED = "WZREVIEW"
ADDED = "WZADDED"
SIGN = "[wuzi] "
"""What begins the part of a comment that a review wrote."""
_OURS = re.compile(r"(?:\n\n|\A)" + re.escape(SIGN) + r".*\Z", re.DOTALL)
_VARIATION = "variation"
_MARKS = {MoveMark.INACCURACY: ("DO", ""), MoveMark.MISTAKE: ("BM", "1"), MoveMark.BLUNDER: ("BM", "2")}


def annotate(record: GameRecord, review: Review, language: str = "en") -> GameRecord:
    """Write a review into a record, in place of an earlier one, in ``en`` or ``zh``; returns the record."""
    strip(record)
    judgement = judge(review)
    nodes = [node for node in record.root.main_line() if node.move is not None]
    parents = [record.root, *nodes]
    for node, parent, move in zip(nodes, parents, judgement.moves, strict=False):
        _annotate_move(node, parent, review, move, language)
    _comment(record.root, _summary(judgement, review, language))
    saved = json.dumps(review.to_json(), separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    record.root.properties[SAVED] = (values.raw_text(saved),)
    return record


def strip(record: GameRecord) -> GameRecord:
    """Take what a review wrote off a record, in place; returns the record."""
    for node in record.root.walk():
        node.properties.pop(SAVED, None)
        for name in " ".join(node.properties.pop(ADDED, ())).split():
            node.properties.pop(name, None)
        node.comment = _OURS.sub("", node.comment)
        node.children[:] = [child for child in node.children if not _is_ours(child)]
    return record


def restore(record: GameRecord, game: Game | None = None) -> Review | None:
    """The review that a record holds, or None; RecordError if it cannot be read or belongs to other moves."""
    raws = record.root.properties.get(SAVED)
    if not raws:
        return None
    try:
        data = json.loads(values.text(raws[0]))
    except (ValueError, RecursionError):
        raise RecordError(f"{SAVED} property: expected the results of a review as JSON") from None
    return review_from_json(data, game or record.game())


def _is_ours(node: RecordNode) -> bool:
    return _VARIATION in node.properties.get(ADDED, ())


def _annotate_move(
    node: RecordNode, parent: RecordNode, review: Review, move: MoveReview, language: str
) -> None:
    added: list[str] = []

    def put(name: str, value: str) -> None:
        if name not in node.properties:
            node.properties[name] = (value,)
            added.append(name)

    if move.after is not None:
        put("V", f"{2 * move.after - 1:.2f}")
    if move.mark in _MARKS:
        put(*_MARKS[move.mark])
    if move.only is not None and move.only == move.move:
        put("TE", "1")
    if added:
        node.properties[ADDED] = (" ".join(added),)
    texts = move_text(review, move, language)
    if texts:
        if move.mark not in (None, MoveMark.GOOD):
            texts.insert(0, say(str(move.mark), language) + ("。" if language == "zh" else "."))
        _comment(node, sentences(texts, language))
    _variations(node, parent, move)


def _variations(node: RecordNode, parent: RecordNode, move: MoveReview) -> None:
    """The lines worth looking at: instead of the move, and after it."""
    win = move.missed or move.open_win
    if win is not None:
        _vary(parent, win.moves, move)
    elif move.mark not in (None, MoveMark.GOOD) and move.best and move.best[0] != move.move:
        _vary(parent, move.best, move)
    if move.defence is not None and win is None and move.best[:1] != (move.defence,):
        _vary(parent, (move.defence,), move)
    if move.loses is not None:
        _vary(node, move.loses.moves, move, replies=True)


def _vary(parent: RecordNode, line: tuple[Move, ...], move: MoveReview, *, replies: bool = False) -> None:
    """Add a line as a variation, unless one begins with the same move already.

    At the last move of a game a variation would become the main line: there it is left to the comment.
    """
    if not parent.children or any(child.move == line[0] for child in parent.children):
        return
    holder = RecordNode()
    add_moves(holder, line, move.color.opponent if replies else move.color)
    first = holder.children[0]
    first.properties[ADDED] = (_VARIATION,)
    parent.add(first)


def _comment(node: RecordNode, text: str) -> None:
    node.comment = f"{node.comment}\n\n{SIGN}{text}" if node.comment else SIGN + text


def _summary(judgement: Judgement, review: Review, language: str) -> str:
    """The report of both sides for the first node."""
    lines = [review.options.player]
    for side in judgement.sides:
        rows = ", ".join(f"{say(key, language)}: {value}" for key, value in report_rows(side))
        lines.append(f"{say(side.color.name.lower(), language)}: {rows}")
    if judgement.resigned is not None:
        lines.append(resigned_text(review, judgement.resigned, language))
    return "\n".join(lines)
