"""A review in words, in English and Chinese."""

from __future__ import annotations

from collections.abc import Sequence

from wuzi.analysis.explain import Remark
from wuzi.analysis.review.judgement import MoveMark, MoveReview, SideReport
from wuzi.analysis.review.model import Review
from wuzi.analysis.review.results import TaskKind
from wuzi.base.words import load_catalogue
from wuzi.contract import own_winrate
from wuzi.core import Color, Move


def say(key: str, language: str, **values: object) -> str:
    """A text of the review in ``en`` or ``zh``, its places filled."""
    text = load_catalogue("wuzi.analysis", language)(f"review.{key}", **values)
    return text.replace("….", "…")


def percent(winrate: float) -> str:
    """A win rate for people: ``62 %``."""
    return f"{100 * winrate:.0f} %"


def line_text(moves: Sequence[Move], most: int = 15) -> str:
    """A line of moves, cut where it is long."""
    text = " ".join(map(str, moves[:most]))
    return f"{text} …" if len(moves) > most else text


def side_name(color: Color, language: str) -> str:
    """Black or White."""
    return say("black" if color is Color.BLACK else "white", language)


def move_text(review: Review, move: MoveReview, language: str = "en") -> list[str]:
    """What is to be said of a move, most important first; empty for a good move that does nothing special."""
    texts: list[str] = []
    for key, win in (("missed", move.missed), ("allowed", move.allowed)):
        if win is not None:
            texts.append(say(key, language, kind=say(win.kind, language), line=line_text(win.moves)))
    if move.defence is not None and move.missed is None:
        texts.append(say("defence", language, move=move.defence))
    if move.is_lost:
        texts.append(say("lost", language))
    if move.only is not None:
        key = "only_found" if move.only == move.move else "only_missed"
        texts.append(say(key, language, move=move.only))
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
    return say("played", language, move=move.move, why=why) if why else ""


def remarks_text(said: Sequence[Remark], size: int, language: str) -> str:
    """Remarks as one text."""
    return ("，" if language == "zh" else ", ").join(remark.text(size, language) for remark in said)


def report_rows(side: SideReport) -> list[tuple[str, str]]:
    """The report of a side as pairs of a text's key and a value."""
    counts = ("inaccuracies", "mistakes", "blunders", "missed_wins", "allowed_wins")
    return [
        ("accuracy", "–" if side.accuracy is None else f"{side.accuracy:.1f} %"),
        ("mean_loss", "–" if side.mean_loss is None else f"{side.mean_loss:.1f}"),
        ("agreement", "–" if side.agreement is None else percent(side.agreement)),
        *((name, str(getattr(side, name))) for name in counts),
        ("only_found_n", str(side.only_found)),
        ("only_missed_n", str(side.only_missed)),
        ("moves", str(side.moves)),
    ]


def _loss_text(move: MoveReview, language: str) -> str:
    assert move.before is not None and move.after is not None and move.loss is not None
    before, after = (own_winrate(rate, move.color) for rate in (move.before, move.after))
    return say("loss", language, points=f"{move.loss:.0f}", before=percent(before), after=percent(after))


def _better_text(review: Review, move: MoveReview, language: str) -> str:
    line = line_text(move.best, 7)
    look = review.look(move.ply, TaskKind.DEEP)
    why = remarks_text(((look and look.said) or ())[:1], review.subject.size, language)
    return say("better_why", language, line=line, why=why) if why else say("better", language, line=line)
