"""A review for others: in words (English and Chinese), as JSON, a table, and a page."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import fields
from importlib.resources import files
from typing import Any

from wuzi.analysis.explain import Remark
from wuzi.analysis.review.judgement import Concession, MoveMark, MoveReview, SideReport, judge
from wuzi.analysis.review.model import Review, next_task
from wuzi.analysis.review.results import ProvedWin, TaskKind
from wuzi.analysis.review.strength import Strength
from wuzi.base.words import LANGUAGES, load_catalogue
from wuzi.contract import own_winrate
from wuzi.core import Color, Move
from wuzi.protocols.analysis.wire import format_cells, outcome_json, rules_json
from wuzi.records import GameRecord

COLUMNS = tuple(
    "ply color move winrate_before winrate_after loss accuracy mark best missed allowed defence only"
    " only_found text".split()
)
LINE_MOVES, BETTER_MOVES = 15, 7
"""Moves of a line that a text names: of a forced win, and of what was better."""
_WORDS = tuple(
    "good inaccuracy mistake blunder black white accuracy mean_loss agreement inaccuracies mistakes blunders"
    " missed_wins allowed_wins only_found_n only_missed_n moves strength win win_after".split()
)


def say(key: str, language: str, **values: object) -> str:
    """A text of the review in ``en`` or ``zh``, its places filled."""
    text = load_catalogue("wuzi.analysis", language)(f"review.{key}", **values)
    return text.replace("….", "…")


def line_text(moves: Sequence[Move], most: int = LINE_MOVES) -> str:
    """A line of moves, cut where it is long."""
    text = " ".join(map(str, moves[:most]))
    return f"{text} …" if len(moves) > most else text


def move_text(review: Review, move: MoveReview, language: str = "en") -> list[str]:
    """What is to be said of a move, most important first; empty for a good move that does nothing special."""
    texts: list[str] = []
    loses = None if move.is_lost or move.allowed is not None else move.loses
    claims = {"missed": move.missed, "allowed": move.allowed, "open_win": move.open_win, "loses": loses}
    texts += [win_text(key, language, win) for key, win in claims.items() if win is not None]
    had_win = move.missed is not None or move.open_win is not None
    if move.defence is not None and not had_win:
        texts.append(say("defence", language, move=move.defence))
    if move.is_lost or move.seems_lost:
        texts.append(say("lost" if move.is_lost else "seems_lost", language))
    if move.only is not None:
        key = "only_found" if move.only == move.move else "only_missed"
        texts.append(say(key, language, move=move.only))
    if move.loss and move.mark not in (None, MoveMark.GOOD):
        texts.append(_loss_text(move, language))
        if not had_win and move.best[:1] != (move.move,):
            texts.append(_better_text(review, move, language))
    if texts and (why := played_text(review, move, language)):
        texts.append(why)
    return texts


def win_text(key: str, language: str, win: ProvedWin, **values: object) -> str:
    """A sentence with a forced win."""
    return say(key, language, kind=say(win.kind, language), line=line_text(win.moves), **values)


def resigned_text(review: Review, resigned: Concession, language: str = "en") -> str:
    """What is to be said of a game that was given up too early."""
    outcome = review.subject.game.outcome
    key = "resigned" if outcome is not None and outcome.winner is not None else "agreed"
    color = say(resigned.color.name.lower(), language)
    if resigned.win is not None:
        return win_text(key, language, resigned.win, color=color)
    return say(f"{key}_ahead", language, color=color, rate=f"{100 * resigned.winrate:.0f} %")


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
        ("agreement", "–" if side.agreement is None else f"{100 * side.agreement:.0f} %"),
        *((name, str(getattr(side, name))) for name in counts),
        ("only_found_n", str(side.only_found)),
        ("only_missed_n", str(side.only_missed)),
        ("moves", str(side.moves)),
        ("strength", "–" if side.strength is None else _strength_text(side.strength)),
    ]


def _strength_text(strength: Strength) -> str:
    return f"{strength.elo} ({strength.low}–{strength.high})"


def _loss_text(move: MoveReview, language: str) -> str:
    assert move.before is not None and move.after is not None and move.loss is not None
    before, after = (f"{100 * own_winrate(rate, move.color):.0f} %" for rate in (move.before, move.after))
    return say("loss", language, color=say(move.color.name.lower(), language), before=before, after=after)


def _better_text(review: Review, move: MoveReview, language: str) -> str:
    line = line_text(move.best, BETTER_MOVES)
    look = review.look(move.ply, TaskKind.DEEP)
    why = remarks_text(((look and look.said) or ())[:1], review.subject.size, language)
    return say("better_why", language, line=line, why=why) if why else say("better", language, line=line)


def review_json(review: Review) -> dict[str, Any]:
    """All that a review says, as JSON-compatible data. Win rates are Black's, 0 to 1; losses are points."""
    judgement, subject = judge(review), review.subject
    return {
        "player": review.options.player,
        "complete": next_task(review) is None,
        "rules": rules_json(subject.game.rules),
        "start": format_cells(subject.positions[0]),
        "judgedFrom": review.judged_from,
        "outcome": outcome_json(subject.game.outcome),
        "winrates": list(judgement.winrates),
        "moves": [_move_json(review, move) for move in judgement.moves],
        "sides": [_plain(side) for side in judgement.sides],
        "resigned": _resigned_json(review, judgement.resigned),
        "worst": [move.ply for move in judgement.worst],
    }


def _resigned_json(review: Review, resigned: Concession | None) -> dict[str, Any] | None:
    if resigned is None:
        return None
    texts = {language: resigned_text(review, resigned, language) for language in LANGUAGES}
    return _plain(resigned) | {"text": texts}


def _move_json(review: Review, move: MoveReview) -> dict[str, Any]:
    rates = {"before": move.before, "after": move.after}
    texts = {language: move_text(review, move, language) for language in LANGUAGES}
    return _plain(move) | rates | {"text": texts}


def _plain(judged: MoveReview | SideReport | Concession | Strength) -> dict[str, Any]:
    """Its fields, named in camel case, with numbers of three digits."""
    names = {one.name: one.name.split("_") for one in fields(judged)}
    return {
        first + "".join(map(str.capitalize, rest)): _json(getattr(judged, name))
        for name, (first, *rest) in names.items()
    }


def _json(value: object) -> Any:
    match value:
        case Color():
            return value.letter
        case Move() | MoveMark():
            return str(value)
        case ProvedWin():
            return {"kind": value.kind, "moves": _json(value.moves)}
        case Strength():
            return _plain(value)
        case tuple():
            return [str(move) for move in value]
        case float():
            return round(value, 3)
        case _:
            return value


def review_csv(review: Review, language: str = "en", side: Color | None = None) -> str:
    """A row a move, with :data:`COLUMNS`; lines are cells separated by blanks.

    Win rates, 0 to 1, are those of a side, by default of who moved. Losses and texts are the mover's.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for move in judge(review).moves:
        data = _move_json(review, move)
        win = {name: " ".join((data[name] or {"moves": []})["moves"]) for name in ("missed", "allowed")}
        found = "" if move.only is None else str(move.only == move.move).lower()
        rates = [
            None if rate is None else round(own_winrate(rate, side or move.color), 3)
            for rate in (move.before, move.after)
        ]
        row = [move.ply + 1, data["color"], data["move"], *rates, data["loss"]]
        row += [data["accuracy"], data["mark"], " ".join(data["best"]), win["missed"], win["allowed"]]
        writer.writerow(
            [*row, data["defence"], data["only"], found, sentences(data["text"][language], language)]
        )
    return out.getvalue()


def review_html(review: Review, record: GameRecord, language: str = "en") -> str:
    """One page in both languages, opened in ``language``, with board, graph, marks and lines."""
    judgement = judge(review)
    data = review_json(review) | {
        "language": language,
        "names": {"B": record.black, "W": record.white},
        "date": record.date,
        "rows": [[list(row) for row in report_rows(side)] for side in judgement.sides],
        "words": {one: {key: say(key, one) for key in _WORDS} for one in LANGUAGES},
        "colors": [color.letter for color in Color],
    }
    page = (files("wuzi") / "data" / "review" / "report.html").read_text(encoding="utf-8")
    text = json.dumps(data, ensure_ascii=False, allow_nan=False).replace("<", "\\u003c")
    return page.replace("__REVIEW__", text)
