"""A review in words, in English and Chinese."""

from __future__ import annotations

from collections.abc import Sequence

from wuzi.analysis.explain import Remark
from wuzi.analysis.review.judgement import MoveMark, MoveReview, SideReport
from wuzi.analysis.review.model import Review
from wuzi.analysis.review.results import ProvedWin, TaskKind
from wuzi.base.words import load_catalogue
from wuzi.contract import own_winrate
from wuzi.core.notation import Move, format_move
from wuzi.core.types import Color


def say(key: str, language: str, **values: object) -> str:
    """A text of the review in ``en`` or ``zh``, its places filled."""
    text = load_catalogue("wuzi.analysis", language)(f"review.{key}", **values)
    return text.replace("….", "…")


def percent(winrate: float) -> str:
    """A win rate for people: ``62 %``."""
    return f"{100 * winrate:.0f} %"


def line_text(moves: Sequence[Move], size: int, most: int = 15) -> str:
    """A line of moves, cut where it is long."""
    text = " ".join(format_move(move, size) for move in moves[:most])
    return f"{text} …" if len(moves) > most else text


def side_name(color: Color, language: str) -> str:
    """Black or White."""
    return say("black" if color is Color.BLACK else "white", language)


def move_text(review: Review, move: MoveReview, language: str = "en") -> list[str]:
    """What is to be said of a move, most important first; empty for a good move that does nothing special."""
    size = review.subject.size
    texts: list[str] = []
    if move.missed is not None:
        texts.append(_win_text("missed", move.missed, size, language))
    if move.allowed is not None:
        texts.append(_win_text("allowed", move.allowed, size, language))
    if move.defence is not None and move.missed is None:
        texts.append(say("defence", language, move=format_move(move.defence, size)))
    if move.is_lost:
        texts.append(say("lost", language))
    if move.only is not None:
        key = "only_found" if move.only == move.move else "only_missed"
        texts.append(say(key, language, move=format_move(move.only, size)))
    if move.loss and move.mark not in (None, MoveMark.GOOD):
        texts.append(_loss_text(move, language))
        if move.missed is None and move.best[:1] != (move.move,):
            texts.append(_better_text(review, move, language))
    if texts and (why := played_text(review, move, language)):
        texts.append(why)
    return texts


def sentences(texts: Sequence[str], language: str) -> str:
    """Sentences as one paragraph."""
    return ("" if language == "zh" else " ").join(texts)


def played_text(review: Review, move: MoveReview, language: str) -> str:
    """What the move itself does, as far as it is proved."""
    proof = review.proof(move.ply)
    why = remarks_text((proof and proof.said) or (), review.subject.size, language)
    name = format_move(move.move, review.subject.size)
    return say("played", language, move=name, why=why) if why else ""


def remarks_text(said: Sequence[Remark], size: int, language: str) -> str:
    """Remarks as one text."""
    return ("，" if language == "zh" else ", ").join(remark.text(size, language) for remark in said)


def report_rows(side: SideReport) -> list[tuple[str, str]]:
    """The report of a side as pairs of a text's key and a value."""

    def shown(value: float | None, digits: int = 1, factor: float = 1) -> str:
        return "–" if value is None else f"{factor * value:.{digits}f}"

    return [
        ("accuracy", "–" if side.accuracy is None else f"{side.accuracy:.1f} %"),
        ("mean_loss", shown(side.mean_loss)),
        ("agreement", "–" if side.agreement is None else percent(side.agreement)),
        ("inaccuracies", str(side.inaccuracies)),
        ("mistakes", str(side.mistakes)),
        ("blunders", str(side.blunders)),
        ("missed_wins", str(side.missed_wins)),
        ("allowed_wins", str(side.allowed_wins)),
        ("only_found_n", str(side.only_found)),
        ("only_missed_n", str(side.only_missed)),
        ("moves", str(side.moves)),
    ]


def _win_text(key: str, win: ProvedWin, size: int, language: str) -> str:
    return say(
        key,
        language,
        kind=say(win.kind, language),
        line=line_text(win.moves, size),
    )


def _loss_text(move: MoveReview, language: str) -> str:
    assert move.before is not None and move.after is not None and move.loss is not None
    before, after = (own_winrate(rate, move.color) for rate in (move.before, move.after))
    return say("loss", language, points=f"{move.loss:.0f}", before=percent(before), after=percent(after))


def _better_text(review: Review, move: MoveReview, language: str) -> str:
    size = review.subject.size
    line = line_text(move.best, size, 7)
    look = review.look(move.ply, TaskKind.DEEP)
    why = remarks_text(((look and look.said) or ())[:1], size, language)
    return say("better_why", language, line=line, why=why) if why else say("better", language, line=line)
