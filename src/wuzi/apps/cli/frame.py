"""The frame of the ``wuzi`` command: lazy subcommands, exit codes, one-line errors.

Exit codes: 0 done, 1 failure, 2 wrong usage or bad input, 130 interrupted.
"""

from __future__ import annotations

import importlib
import io
import os
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from wuzi.apps.cli.options import Commands
from wuzi.base.machine import config_file
from wuzi.errors import ConfigError, NotationError, RecordError, WuziError

EXIT_FAILURE = 1
EXIT_USAGE = 2


@dataclass(frozen=True, slots=True)
class LazyCommand:
    """A subcommand that has not been imported yet, with one line for ``wuzi --help``.

    ``target`` is ``module:attribute`` below :mod:`wuzi.apps.cli`, a function with typer annotations or a
    ``typer.Typer``; the module alone for its function of that name.
    """

    target: str
    summary: str

    def load(self, name: str) -> Any:
        """Import it and make typer's command of it."""
        module, _, attribute = self.target.partition(":")
        own = module.rpartition(".")[2]
        found = getattr(importlib.import_module(f"wuzi.apps.cli.{module}"), attribute or own)
        if isinstance(found, typer.Typer):
            return typer.main.get_command(found)
        single = Commands(bare=False)
        single.add(name)(found)
        return typer.main.get_command(single)


GROUPS: dict[str, dict[str, LazyCommand]] = {
    "Play": {
        "play": LazyCommand("play.play", "Play a game in the terminal."),
        "gui": LazyCommand("play.play:gui", "Play in a desktop window."),
        "serve": LazyCommand("play.serve", "Serve the web page and its API."),
        "site": LazyCommand("play.site", "Write the web page as a folder for any static host."),
        "players": LazyCommand("play.play:players", "List the players and their options."),
    },
    "Analyse": {
        "analyse": LazyCommand("analyse.analyse", "Explain a position: best moves, win rates, lines."),
        "review": LazyCommand("analyse.review", "Find the mistakes in recorded games."),
        "solve": LazyCommand("analyse.solve", "Search for a forced win or an exact value."),
        "prove": LazyCommand("analyse.prove", "Prove that Black wins, for anybody to check."),
        "evaluate": LazyCommand("analyse.evaluate", "Evaluate a position with a net, without search."),
        "tactics": LazyCommand("analyse.solve:tactics", "Score a player on the tactical test suite."),
        "analysis-engine": LazyCommand(
            "analyse.analysis_engine", "Answer analysis requests of other programs (JSON lines)."
        ),
    },
    "Compete": {
        "match": LazyCommand("arena.arena:match", "Let two players play many games and compare them."),
        "tournament": LazyCommand(
            "arena.arena:tournament", "Let several players play each other and rate them."
        ),
        "report": LazyCommand("arena.arena:report", "Draw charts and write a report of recorded games."),
        "openings": LazyCommand("arena.openings:app", "List, show and make opening books."),
        "engines": LazyCommand("arena.engines:app", "Manage external Gomocup engines."),
    },
    "Train": {
        "train": LazyCommand("train.train", "Train a net."),
        "selfplay": LazyCommand("train.train:selfplay", "Let a net play itself and keep the games as data."),
        "gen-data": LazyCommand("train.train:gen_data", "Make labelled games for distillation."),
        "models": LazyCommand("nets.models:app", "List, test, measure, import and export nets."),
    },
    "Tools": {
        "convert": LazyCommand("tools.convert", "Convert game records and draw boards."),
        "config": LazyCommand("tools.config:app", "Show, find or create the configuration file."),
        "doctor": LazyCommand("tools.checks:doctor", "Check the installation."),
        "warm": LazyCommand("tools.checks:warm", "Compile the kernels now instead of at the first move."),
        "bench": LazyCommand("tools.bench", "Measure the speed of this machine."),
        "perft": LazyCommand("tools.checks:perft", "Count positions by depth, to test the rules."),
    },
}
"""The commands as ``wuzi --help`` shows them, group by group."""

COMMANDS = {name: command for group in GROUPS.values() for name, command in group.items()}


_PLAINER = (
    (r"^Value error, ", ""),
    (r"^Input should be a valid integer.*", "expected a whole number"),
    (r"^Input should be a valid number.*", "expected a number"),
    (r"^Input should be greater than or equal to (.*)", r"expected at least \1"),
    (r"^Input should be less than or equal to (.*)", r"expected at most \1"),
)
"""What the parser of values says, and what we say."""


class LazyGroup(TyperGroup):
    """A group whose commands are stubs with a summary until one of them is run."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Typer's choice of the command, imported now, with the defaults of the configuration file."""
        name, stub, rest = super().resolve_command(ctx, args)
        if name not in COMMANDS:
            return name, stub, rest
        command = COMMANDS[name].load(name)
        if name in ("config", "doctor"):  # they read the whole file, so that it can be repaired
            if not {"init", "path", "-h", "--help"} & set(rest):
                check_tables()
        else:
            ctx.default_map = {name: _defaults(name, command)}
        return name, command, rest

    def invoke(self, ctx: Any) -> Any:
        """Run the command; errors in options are reported in our own words."""
        try:
            return super().invoke(ctx)
        except typer.BadParameter as error:
            error.message = _plain(error.message)
            raise

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """The commands in their groups."""
        del ctx
        for title, group in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl(
                    [(f"{name:15}", command.summary) for name, command in group.items()], col_max=20
                )


def _defaults(name: str, command: Any) -> dict[str, Any]:
    """The defaults of a command in the configuration file."""
    return _checked(name, command, _tables().get(name, {}))


def _tables() -> dict[str, dict[str, Any]]:
    """The tables of the configuration file, each named after a command."""
    if not config_file().exists():
        return {}
    from wuzi.apps.cli.tools import config

    tables = config.read()
    if unknown := sorted(set(tables) - set(COMMANDS)):
        raise ConfigError(
            f"{config_file()}: unknown table [{unknown[0]}]: expected one of {', '.join(COMMANDS)}"
        )
    return tables


def check_tables() -> None:
    """Look at every value of the configuration file; a ConfigError for the first that no command takes."""
    for name, table in _tables().items():
        _convert(name, COMMANDS[name].load(name), table)


def _convert(name: str, command: Any, table: dict[str, Any]) -> None:
    """Read the values of a table as the options of its command do."""
    _checked(name, command, table)
    options = {parameter.opts[0].lstrip("-").replace("-", "_"): parameter for parameter in command.params}
    for key, value in table.items():
        if key in getattr(command, "commands", {}):
            _convert(f"{name}.{key}", command.commands[key], value)
            continue
        try:
            options[key].process_value(typer.Context(command), value)
        except typer.BadParameter as error:
            what = f"[{name}] {key} = {value!r}: {_plain(error.message)}"
            raise ConfigError(f"{_place(name, key)}: {what}") from None


def _place(name: str, key: str) -> str:
    """The configuration file and the line where a table sets a key."""
    table = ""
    for number, line in enumerate(config_file().read_text("utf-8").splitlines(), 1):
        if header := re.match(r"\s*\[([^\]]+)\]", line):
            table = header[1].strip()
        elif table == name and re.match(rf"\s*[\"']?{re.escape(key)}[\"']?\s*=", line):
            return f"{config_file()}: line {number}"
    return str(config_file())


def _plain(text: str) -> str:
    """What the parser of values says, in words of ours."""
    for pattern, plainer in _PLAINER:
        text = re.sub(pattern, plainer, text)
    return text


def _checked(name: str, command: Any, table: dict[str, Any]) -> dict[str, Any]:
    """A table's values by parameter; the tables inside it by subcommand."""
    parts = getattr(command, "commands", {})
    names = {parameter.opts[0].lstrip("-").replace("-", "_"): parameter.name for parameter in command.params}
    found: dict[str, Any] = {}
    for key, value in table.items():
        if key in parts and isinstance(value, dict):
            found[key] = _checked(f"{name}.{key}", parts[key], value)
        elif key in names:
            found[names[key]] = value
        else:
            known = ", ".join([*parts, *names])
            what = f"unknown key {key!r} in [{name}]: expected one of {known}"
            raise ConfigError(f"{_place(name, key)}: {what}")
    return found


def _show_version(wanted: bool) -> None:
    if wanted:
        from wuzi import __version__

        typer.echo(f"wuzi {__version__}")
        raise typer.Exit


def _root(
    ctx: typer.Context,
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit."),
    ] = False,
) -> None:
    """A Gomoku lab and opponent: play, analyse, compare engines."""
    del version
    if ctx.invoked_subcommand is None:
        typer.echo(ctx.get_help())


def build() -> TyperGroup:
    """The whole command, with nothing of its subcommands imported."""
    app = typer.Typer(
        cls=LazyGroup,
        rich_markup_mode=None,
        invoke_without_command=True,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_root)
    group = typer.main.get_command(app)
    assert isinstance(group, TyperGroup)
    for name, command in COMMANDS.items():
        group.add_command(TyperCommand(name, help=command.summary, callback=None))
    return group


def exit_code(error: Exception) -> int:
    """2 for bad input (rules, notation, records), 1 for what failed while running."""
    return EXIT_USAGE if isinstance(error, ConfigError | NotationError | RecordError) else EXIT_FAILURE


def _run(arguments: Sequence[str] | None) -> int:
    try:
        build().main(args=arguments, prog_name="wuzi")
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except BrokenPipeError:
        raise
    except (WuziError, OSError) as error:
        text = str(error)
        if isinstance(error, OSError) and error.filename:
            text = f"{error.filename}: {error.strerror}"
        print(f"wuzi: error: {' '.join(text.split())}", file=sys.stderr)
        return exit_code(error)
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Run ``wuzi`` with these arguments (default: the command line's); returns the exit code."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed, as by `wuzi players >&-`
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))
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
