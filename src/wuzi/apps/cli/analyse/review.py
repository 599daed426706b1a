"""``wuzi review``: what each move of a game cost, and which forced wins were missed or allowed."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

import wuzi
from wuzi.apps.cli.inputs import note, read_games, readable
from wuzi.apps.cli.options import FileBoard, Json, Language, Natural, Positive, print_json
from wuzi.apps.cli.progress import page_console, status_line, warm_up
from wuzi.base.words import load_catalogue
from wuzi.errors import ConfigError, RecordError

if TYPE_CHECKING:
    from wuzi.analysis.review import Review, ReviewStage

_FILE_WIDTH = 120


def review(
    files: Annotated[list[str], typer.Argument(metavar="GAMES")],
    player: str | None = None,
    quick_nodes: Positive | None = None,
    nodes: Natural | None = None,
    verify_nodes: Positive | None = None,
    depth: Literal["quick", "normal", "deep"] | None = None,
    multipv: Annotated[int | None, typer.Option(min=1, max=50)] = None,
    proof_nodes: Positive | None = None,
    language: Language = "en",
    no_strength: bool = False,
    out: Path | None = None,
    again: bool = False,
    board: FileBoard = FileBoard(),
    as_json: Json = False,
) -> None:
    """Review games: win rate before and after each move, mistakes, forced wins missed and allowed, accuracy.

    With --out each game gets .review.sgf, .review.html, .review.csv and .review.jsonl. The last is written
    during the review: rerun the command to resume after an interruption. A file that holds a finished
    review is not analysed again. --size, --win-length and --rule apply where a file does not give them.
    For example: wuzi review game.sgf --out reviewed --lang zh

    Options:
        files: Game records to review (.sgf .psq .rec .json .pos, or - for standard input), or moves.
        player: Spec string of the player that analyses; default: the strongest for these rules.
        quick_nodes: Number of positions searched per move in the first pass.
        nodes: Number of positions searched per move in the deep pass; 0 skips it.
        verify_nodes: Number of positions searched where a proof leaves something open.
        depth: Number of positions in all passes, as on the page; default: normal.
        multipv: Number of candidate moves per position.
        proof_nodes: Number of positions per search for a forced win.
        no_strength: Do not estimate strength, which is done for freestyle on 15x15 after a deep pass.
        out: Folder to write each game's annotated SGF, page, table and results to.
        again: Review games again that are already reviewed.
    """
    from wuzi.analysis.review.model import DEPTHS
    from wuzi.analysis.review.output import review_json

    passes = ("quick_nodes", "deep_nodes", "verify_nodes")
    usual = DEPTHS[depth] if depth is not None else (None, None, None)
    own = (quick_nodes, nodes, verify_nodes)
    given = {
        "player": player,
        **{name: at if one is None else one for name, one, at in zip(passes, own, usual, strict=True)},
        "multipv": multipv,
        "proof_nodes": proof_nodes,
        "strength": not no_strength,
    }
    wanted = {name: value for name, value in given.items() if value is not None}
    games = _games(files, board)
    warm_up()
    with status_line(quiet=as_json) as show:
        for index, (name, record) in enumerate(games):
            title = f"{name} ({index + 1}/{len(games)})" if len(games) > 1 else name
            follow = partial(lambda title, now: show(_stage_text(title, now, language)), title)
            show("...")
            done = _review_one(name, record, wanted, follow, out=out, again=again)
            show("")
            if out is not None:
                _write(out, name, record, done, language)
            if as_json:
                print_json({"file": name, **review_json(done)})
            else:
                _show_review(name, record, done, language)


def _games(given: list[str], board: FileBoard) -> list[tuple[str, wuzi.records.GameRecord]]:
    """All games with names that tell them apart."""
    games: list[tuple[str, wuzi.records.GameRecord]] = []
    for path in given:
        each = read_games(path, board)
        readable(each, path)
        stem = Path(path).stem.removesuffix(".review") if Path(path).exists() else "game"
        for number, record in enumerate(each, 1):
            if isinstance(record, RecordError):
                continue
            games.append((f"{stem}-{number}" if len(each) > 1 else stem, record))
            note(*(f"{path}: {warning}" for warning in record.warnings))
            try:
                empty = not record.game().moves
            except RecordError as error:
                raise RecordError(f"{path}: {error}") from None
            if empty:
                raise RecordError(f"{path}: game {number} has no moves: nothing to review")
    names = [name for name, _ in games]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise ConfigError(f"two games are called {twice!r}: expected files with different names")
    return games


def _review_one(
    name: str,
    record: wuzi.records.GameRecord,
    wanted: dict[str, Any],
    on_progress: Any,
    *,
    out: Path | None,
    again: bool,
) -> Review:
    """The finished review of a game: restored, continued or made."""
    from wuzi.analysis.review import next_task, restore
    from wuzi.arena.openings import book_stones

    game, wanted = record.game(), {**wanted, "book": book_stones(record)}
    saved = None if again else restore(record, game)
    if saved is not None:
        saved.options = replace(saved.options, book=wanted["book"])
    if saved is not None and replace(saved.options, **wanted) == saved.options and next_task(saved) is None:
        return saved
    journal = None if out is None else out / f"{name}.review.jsonl"
    if journal is not None and again:
        journal.unlink(missing_ok=True)
    return wuzi.review(game, **wanted, allow_command=True, journal=journal, on_progress=on_progress)


def _write(out: Path, name: str, record: wuzi.records.GameRecord, done: Review, language: str) -> None:
    from wuzi.analysis.review import annotate
    from wuzi.analysis.review.output import review_csv, review_html
    from wuzi.base.atomic import write_atomic

    out.mkdir(parents=True, exist_ok=True)
    write_atomic(out / f"{name}.review.html", review_html(done, record, language).encode())
    write_atomic(out / f"{name}.review.csv", review_csv(done, language).encode())
    wuzi.save(annotate(record, done, language), out / f"{name}.review.sgf")


def _stage_text(name: str, now: ReviewStage, language: str) -> str:
    """How far the review of a game is."""
    from wuzi.analysis.review.output import say

    if now.stage is None:
        return f"{name} ..."
    return f"{name}: {now.fraction:.0%}, {say(f'stage.{now.stage}', language)} {now.done}/{now.of}"


def _show_review(name: str, record: wuzi.records.GameRecord, review: Review, language: str) -> None:
    """Print the report of both sides and the worst moves for people."""
    from rich.table import Table

    from wuzi.analysis.review import judge
    from wuzi.analysis.review.output import move_text, report_rows, resigned_text, say, sentences

    console = page_console(_FILE_WIDTH)
    judgement, t = judge(review), load_catalogue("wuzi.apps.cli", language)
    names = [
        given or say(side.color.name.lower(), language)
        for given, side in zip((record.black, record.white), judgement.sides, strict=True)
    ]
    count = len(judgement.moves)
    player = review.options.player
    console.print(t("review.title", name=name, black=names[0], white=names[1], count=count, player=player))
    table = Table(box=None, pad_edge=False)
    table.add_column("")
    for heading in names:
        table.add_column(heading, justify="right")
    rows = [report_rows(side) for side in judgement.sides]
    for (key, black), (_, white) in zip(*rows, strict=True):
        table.add_row(say(key, language), black, white)
    console.print(table)
    if judgement.resigned is not None:
        console.print(resigned_text(review, judgement.resigned, language))
    if not judgement.worst:
        console.print(t("review.none"))
        return
    console.print(f"{t('review.worst')}:")
    for move in judgement.worst:
        assert move.mark is not None
        text = sentences(move_text(review, move, language), language)
        console.print(f"{move.ply + 1:4d}. {move.move}{move.mark.symbol}  {text}")
