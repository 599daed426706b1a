"""``wuzi analyse``: what a player thinks of a position, and its candidates in words."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

import wuzi
from wuzi.apps.cli.options import Board, Budget, Json, Language, Natural, played, print_json
from wuzi.apps.cli.progress import status_line, stop_on_interrupt
from wuzi.errors import ConfigError, IllegalMoveError, NotationError, RecordError

DEFAULT_S = 2.0


def analyze(
    file: Annotated[Path | None, typer.Argument(metavar="FILE")] = None,
    moves: str | None = None,
    ply: Natural | None = None,
    move: str | None = None,
    board: Board = Board(),
    player: str | None = None,
    budget: Budget = Budget(),
    multipv: Annotated[int, typer.Option(min=1, max=50)] = 5,
    language: Language = "en",
    as_json: Json = False,
) -> None:
    """Explain a position: candidate moves with win rates, lines, proven wins and reasons in words.

    The position is the last one of a game record, the one after --ply stones of it, or the one after
    --moves. The move that the record continues with is judged too. Without a limit the analysis takes
    2 seconds.
    For example: wuzi analyse --moves "7,7 8,8 6,8" --time 5

    Options:
        file: Game record to analyse (.sgf .psq .rec .json .pos .txt).
        moves: Moves from the empty board instead, such as h8i9 or '7,7 8,8'.
        ply: Analyse the position after this number of stones of the record.
        move: Also judge this move.
        player: Spec string of the player that analyses; default: the strongest for these rules.
        multipv: Number of candidate moves to show.
    """
    from wuzi.apps.cli.analyse.analyze_view import search_text, show_study, study_json
    from wuzi.players.registry import strongest_player

    if (file is None) == (moves is None):
        raise ConfigError("expected a game record or --moves, one of the two")
    if file is None and ply is not None:
        raise ConfigError("--ply needs a game record: with --moves, leave stones out instead")
    if file is not None:
        game, asked = _recorded(file, ply)
    else:
        game, asked = played(str(moves), board.rules()), None
    if game.outcome is not None:
        raise ConfigError(f"the game is over there ({game.outcome.result}): nothing to analyse")
    asked = asked if move is None else _legal(game, move)
    limit = (budget if budget != Budget() else Budget(time=DEFAULT_S)).limit()
    spec = player or strongest_player(game.rules)
    with (
        wuzi.players.create_player(spec, allow_command=True) as analyst,
        status_line(quiet=as_json) as show,
        stop_on_interrupt() as stop,
    ):
        show("...")
        found = wuzi.analyse(
            game,
            limit,
            player=analyst,
            multipv=multipv,
            asked=asked,
            stop=stop,
            on_info=lambda info: show(search_text(info)),
        )
    if as_json:
        print_json(study_json(found, language))
    else:
        show_study(found, language)
    sys.stdout.flush()


def _recorded(file: Path, ply: int | None) -> tuple[wuzi.Game, wuzi.Move | None]:
    """The game after ``ply`` stones of a record, and the stone that followed."""
    try:
        whole = wuzi.Game.load(file)
    except OSError as error:
        raise RecordError(f"{file}: cannot be read: {error.strerror}") from None
    # Swap phases play several stones at once; a position within one is set up by its stones.
    last = len(whole.moves)
    if ply is not None and ply > last:
        raise RecordError(f"{file}: --ply {ply}: the record has {last} moves")
    if ply is None or ply == last:
        return whole.at(len(whole.actions)), None
    for count in range(len(whole.actions)):
        game = whole.at(count)
        if len(game.moves) == ply:
            return game, whole.moves[ply]
    return wuzi.Game.from_moves(whole.rules, whole.moves[:ply]), whole.moves[ply]


def _legal(game: wuzi.Game, text: str) -> wuzi.Move:
    try:
        return game.position.check(wuzi.core.parse_move(text, game.rules.size))
    except IllegalMoveError as error:
        raise NotationError(f"--move: {error}") from None
