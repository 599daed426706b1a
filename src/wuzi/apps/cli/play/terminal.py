"""A game in the terminal: a board of text, a prompt, and the words it understands."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from wuzi.analysis import hint_reason
from wuzi.apps.cli.board import board
from wuzi.apps.cli.progress import stop_on_interrupt
from wuzi.base.words import load_catalogue
from wuzi.contract import Player, PlayResult
from wuzi.core import (
    Action,
    Color,
    Keep,
    Move,
    Phase,
    Place,
    PlaceSeveral,
    Reason,
    Style,
    Swap,
    format_move,
    parse_move,
    parse_moves,
)
from wuzi.errors import NotationError, WuziError
from wuzi.games import GameSession
from wuzi.games.words import how_it_ended


class LeaveGame(Exception):
    """The person wants to leave the game."""


class TerminalGame:
    """One game between a person and a player, through text: ``read`` asks for a line, ``write`` shows a text.

    Commands, and what is wrong with one, are in English whatever the language. Cells are named in a style,
    renju or matrix. Hints come from the adviser; a game that is left early is saved as ``unfinished``.
    """

    def __init__(
        self,
        session: GameSession,
        player: Player,
        *,
        adviser: Player | None = None,
        unfinished: Path,
        language: str = "en",
        style: Style = Style.RENJU,
        read: Callable[[str], str] = input,
        write: Callable[[str], None] = print,
    ) -> None:
        self.session = session
        self.player = player
        self.adviser = adviser or player
        self.unfinished = unfinished
        self._style = style
        self._say = load_catalogue("wuzi.apps.cli", language)
        self._read = read
        self._write = write
        self._words: Mapping[str, Callable[[], None]] = {
            "undo": lambda: self._show_after(session.undo),
            "redo": lambda: self._show_after(session.redo),
            "hint": self._hint,
            "swap": lambda: self._show_after(lambda: session.act(Swap())),
            "keep": lambda: self._show_after(lambda: session.act(Keep())),
            "resign": session.resign,
            "board": self._show,
            "moves": self._moves,
            "retry": session.resume,
            "help": lambda: self._write(self._say("play.help")),
            "quit": self._leave,
        }

    def run(self) -> bool:
        """Play until the game ends or the person leaves; False when interrupted by Ctrl-C."""
        self._write(self._say("play.begin", rules=self.session.rules.label, player=self.player.name))
        self._show()
        try:
            while not self.session.is_over:
                if self.session.engine_to_act is None:
                    self._person()
                else:
                    self._engine()
        except (LeaveGame, EOFError):
            self._keep_unfinished()
            return True
        except KeyboardInterrupt:
            self._keep_unfinished()
            return False
        self._write(self._result())
        return True

    # ------------------------------------------------------------ turns

    def _engine(self) -> None:
        search = self.session.begin_search()
        if sys.stdout.isatty():
            self._write(self._say("play.thinks", player=self.player.name))
        try:
            with stop_on_interrupt() as stop:
                limit = self.session.limit_for(search.seat)
                answer = self.player.think(self.session.game, limit, stop=stop)
            self.session.answer(search, answer.action, winrate=_winrate(answer), resigned=answer.resigned)
        except WuziError as error:
            self.session.fail(search, "engine_crashed", str(error))
            self._write(self._say("play.failed", player=self.player.name, error=error))
            return
        if not answer.resigned:
            self._show()
            self._write(f"{self.player.name}: {self._describe(answer.action)}{self._opinion(answer)}")

    def _person(self) -> None:
        line = self._read(self._prompt()).strip()
        word, _, rest = line.partition(" ")
        try:
            if word.lower() == "save":
                self._save(rest.strip())
            elif word.lower() in self._words:
                self._words[word.lower()]()
            elif line:
                self._place(line)
        except WuziError as error:
            self._write(f"! {error}")
        except OSError as error:
            self._write(f"! {error.filename}: {error.strerror}")

    def _prompt(self) -> str:
        game = self.session.game
        if self.session.failure is not None:
            return self._say("play.prompt_failed")
        color = self._color(game.color_of(self.session.human_seats[0]))
        wanted = "" if game.phase is Phase.PLAY else f": {game.legal_actions_text()}"
        return self._say("play.prompt", ply=game.ply + 1, color=color, wanted=wanted)

    # ------------------------------------------------------------ commands

    def _place(self, text: str) -> None:
        try:
            moves = self._cells(text)
        except NotationError as error:
            raise NotationError(f"{error}; {self._say('play.help_at')}") from error
        action = Place(moves[0]) if len(moves) == 1 else PlaceSeveral(moves)
        self._show_after(lambda: self.session.act(action))

    def _cells(self, text: str) -> tuple[Move, ...]:
        size = self.session.rules.size
        if self._style is Style.RENJU or "," in text:
            return parse_moves(text, size)
        return tuple(parse_move(word, size, self._style) for word in text.split())

    def _names(self, moves: Iterable[int], between: str = "") -> str:
        return between.join(format_move(move, self.session.rules.size, self._style) for move in moves)

    def _show_after(self, step: Callable[[], object]) -> None:
        step()
        self._show()

    def _hint(self) -> None:
        game = self.session.game
        seat = 1 - self.session.human_seats[0]
        with stop_on_interrupt() as stop:
            answer = self.adviser.think(game, self.session.seats[seat].limit, stop=stop)
        self.session.hints += 1
        text = self._describe(answer.action)
        if isinstance(answer.action, Place):
            line = answer.info.lines[0] if answer.info.lines else None
            text += f": {hint_reason(game, answer.action.move, line).text(self._say.language)}"
        self._write(self._say("play.hint", text=text, opinion=self._opinion(answer)))

    def _save(self, name: str) -> None:
        if not name:
            raise NotationError(self._say("play.save_where"))
        self.session.game.save(Path(name).expanduser())
        self._write(self._say("play.saved", name=name))

    def _moves(self) -> None:
        self._write(self._names(self.session.game.moves) or self._say("play.none"))

    def _leave(self) -> None:
        raise LeaveGame

    def _keep_unfinished(self) -> None:
        if self.session.is_over or not self.session.game.actions:
            return
        self.unfinished.parent.mkdir(parents=True, exist_ok=True)
        self.session.game.save(self.unfinished)
        self._write(self._say("play.unfinished", file=self.unfinished))

    # ------------------------------------------------------------ texts

    def _show(self) -> None:
        rows = board(self.session.game.position, style=self._style).plain.splitlines()
        self._write("\n".join(["", *map(str.rstrip, rows), ""]))

    def _describe(self, action: Action) -> str:
        if isinstance(action, Place):
            return self._names([action.move])
        if isinstance(action, PlaceSeveral):
            return self._names(action.moves, " ")
        return self._say(f"play.{type(action).__name__.lower()}")

    def _result(self) -> str:
        game = self.session.game
        outcome = game.outcome
        assert outcome is not None
        reason = how_it_ended(game, self._say.language)
        if outcome.winner is None:
            return self._say("play.draw", reason=reason)
        color = self._color(outcome.winner)
        mine = game.seat_of(outcome.winner) in self.session.human_seats
        text = self._say("play.wins", color=color, reason=reason)
        if outcome.reason is Reason.FORBIDDEN and game.position.last_move is not None:
            kind = game.at(len(game.actions) - 1).position.forbidden_kind(game.position.last_move)
            text = self._say("play.forbidden", color=color, kind=self._say(f"play.kind.{kind.label}"))
        rows = [self._names(row) for row in game.position.winning_lines()]
        return " ".join([text, *rows, self._say("play.you_win" if mine else "play.you_lose")])

    def _color(self, color: Color) -> str:
        return self._say(f"play.{color.name.lower()}")

    def _opinion(self, answer: PlayResult) -> str:
        rate = _winrate(answer)
        return "" if rate is None else self._say("play.opinion", rate=rate)


def _winrate(answer: PlayResult) -> float | None:
    return answer.info.lines[0].winrate if answer.info.lines else None
