"""The frame of the ``wuzi`` command: lazy subcommands, exit codes, one-line errors.

Exit codes: 0 done, 1 failure, 2 wrong usage or bad input, 130 interrupted.
"""

from __future__ import annotations

import importlib
import io
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from wuzi.base.places import config_file
from wuzi.errors import ConfigError, NotationError, RecordError, WuziError

EXIT_FAILURE = 1
EXIT_USAGE = 2


@dataclass(frozen=True, slots=True)
class LazyCommand:
    """A subcommand that has not been imported yet.

    Attributes:
        target: ``module:attribute``, a function with typer annotations or a ``typer.Typer``.
        summary: one line for ``wuzi --help``.
    """

    target: str
    summary: str

    def load(self, name: str) -> Any:
        """Import it and make typer's command of it."""
        module, _, attribute = self.target.partition(":")
        found = getattr(importlib.import_module(module), attribute)
        if isinstance(found, typer.Typer):
            return typer.main.get_command(found)
        single = typer.Typer(add_completion=False, rich_markup_mode=None)
        single.command(name)(found)
        return typer.main.get_command(single)


_HERE = "wuzi.apps.cli"

COMMANDS: dict[str, LazyCommand] = {
    "play": LazyCommand(f"{_HERE}.play.play:play", "Play in the terminal."),
    "serve": LazyCommand(f"{_HERE}.play.serve:serve", "Serve the web page and its API."),
    "gui": LazyCommand(f"{_HERE}.play.gui:gui", "Play in a desktop window."),
    "match": LazyCommand(f"{_HERE}.arena.arena:match", "Two players, many games, with statistics."),
    "tournament": LazyCommand(f"{_HERE}.arena.arena:tournament", "Many players: round-robin or gauntlet."),
    "compare": LazyCommand(f"{_HERE}.arena.arena:compare", "Is one player stronger than the other?"),
    "ladder": LazyCommand(f"{_HERE}.arena.ladder:app", "Measure a player against real engines."),
    "study": LazyCommand(f"{_HERE}.arena.study:app", "Compare methods, take recipes apart."),
    "report": LazyCommand(f"{_HERE}.arena.report:report", "Charts and text from recorded games."),
    "evaluate": LazyCommand(
        f"{_HERE}.analyse.evaluate:evaluate", "Evaluate a position with a net, without search."
    ),
    "train": LazyCommand(f"{_HERE}.train.train:train", "Train a net on this machine."),
    "selfplay": LazyCommand(f"{_HERE}.train.selfplay:selfplay", "Games of a net against itself, as data."),
    "eval": LazyCommand(f"{_HERE}.nets.eval:evaluate_net", "A net against anchors and tactics."),
    "models": LazyCommand(f"{_HERE}.nets.models:app", "List, show, verify, import and export nets."),
    "gen-data": LazyCommand(f"{_HERE}.train.gen_data:gen_data", "Games with labels, for distillation."),
    "analyze": LazyCommand(
        f"{_HERE}.analyse.analyze:analyze", "Explain a position: moves, win rates, lines."
    ),
    "review": LazyCommand(f"{_HERE}.analyse.review:review", "Find the mistakes of a whole game."),
    "openings": LazyCommand(f"{_HERE}.arena.openings:app", "List, show and make books of openings."),
    "analysis": LazyCommand(f"{_HERE}.analyse.analysis:analysis", "Analyse positions over JSON lines."),
    "solve": LazyCommand(f"{_HERE}.analyse.solve:solve", "Find a forced win or an exact value."),
    "tactics": LazyCommand(
        f"{_HERE}.analyse.tactics:tactics", "Score a player or the solvers on the tactical suite."
    ),
    "players": LazyCommand(f"{_HERE}.play.players:players", "List the players and what each can play."),
    "engines": LazyCommand(f"{_HERE}.arena.engines:app", "Add, probe, list and remove external engines."),
    "convert": LazyCommand(f"{_HERE}.tools.convert:convert", "Convert game records and draw boards."),
    "perft": LazyCommand(f"{_HERE}.tools.perft:perft", "Count positions by depth: a test of the rules."),
    "bench": LazyCommand(f"{_HERE}.tools.bench:bench", "Measure the speed of this machine."),
    "warm": LazyCommand(f"{_HERE}.tools.warm:warm", "Compile the kernels now rather than at the first move."),
    "doctor": LazyCommand(f"{_HERE}.tools.doctor:doctor", "Say what is missing or unsupported."),
    "config": LazyCommand(f"{_HERE}.tools.config:app", "Show, find or create the configuration file."),
}


class LazyGroup(TyperGroup):
    """A group whose commands are stubs with a summary until one of them is run."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Typer's choice of the command, imported now, with the defaults of the configuration file."""
        name, stub, rest = super().resolve_command(ctx, args)
        if name not in COMMANDS:
            return name, stub, rest
        command = COMMANDS[name].load(name)
        if name != "config":
            ctx.default_map = {name: _configured(name, command)}
        return name, command, rest


def _configured(name: str, command: Any) -> dict[str, Any]:
    """The defaults that the configuration file has for a command, checked against its options."""
    if not config_file().exists():
        return {}
    from wuzi.apps.cli.tools import config

    tables = config.read()
    if unknown := sorted(set(tables) - set(COMMANDS)):
        raise ConfigError(
            f"{config_file()}: unknown table [{unknown[0]}]: expected one of {', '.join(COMMANDS)}"
        )
    names = {parameter.opts[0].lstrip("-").replace("-", "_"): parameter.name for parameter in command.params}
    table = tables.get(name, {})
    for key in table:
        if key not in names:
            raise ConfigError(
                f"{config_file()}: unknown key {key!r} in [{name}]: expected one of {', '.join(names)}"
            )
    return {names[key]: value for key, value in table.items()}


def _show_version(wanted: bool) -> None:
    if wanted:
        from wuzi import __version__

        typer.echo(f"wuzi {__version__}")
        raise typer.Exit


def _root(
    ctx: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """A Gomoku lab and opponent: play, analyse, compare engines."""
    del version
    if ctx.invoked_subcommand is None:
        typer.echo(ctx.get_help())


def build() -> TyperGroup:
    """The whole command, with nothing of its subcommands imported."""
    app = typer.Typer(cls=LazyGroup, rich_markup_mode=None, invoke_without_command=True)
    app.callback()(_root)
    group = typer.main.get_command(app)
    assert isinstance(group, TyperGroup)
    for name, command in COMMANDS.items():
        group.add_command(TyperCommand(name, help=command.summary, callback=None))
    return group


def exit_code(error: WuziError) -> int:
    """2 for bad input (rules, notation, records), 1 for what failed while running."""
    return EXIT_USAGE if isinstance(error, ConfigError | NotationError | RecordError) else EXIT_FAILURE


def _say_error(message: str) -> None:
    print(f"wuzi: error: {' '.join(message.split())}", file=sys.stderr)


def _run(arguments: Sequence[str] | None) -> int:
    try:
        build().main(args=arguments, prog_name="wuzi")
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except WuziError as error:
        _say_error(str(error))
        return exit_code(error)
    except BrokenPipeError:
        raise
    except OSError as error:
        named = f"{error.filename}: {error.strerror}" if error.filename else str(error)
        _say_error(named)
        return EXIT_FAILURE
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Run ``wuzi`` with these arguments (default: the command line's); returns the exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        code = _run(arguments)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader left, as in `wuzi players | head -1`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_FAILURE
    except KeyboardInterrupt:
        return 130
    return code
