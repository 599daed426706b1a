"""Options that several commands share, written once, and what they mean.

A command that takes a group of options has a parameter whose type is the group's dataclass; see
:func:`described`.
"""

from __future__ import annotations

import dataclasses
import inspect
import json
import re
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, TypeVar

import typer
from typer.core import TyperCommand, TyperGroup
from typer.models import OptionInfo

from wuzi.base.schema import section_of, split_optional
from wuzi.errors import ConfigError, IllegalMoveError, NotationError

if TYPE_CHECKING:
    from wuzi.contract import Limit
    from wuzi.core import Game, Rules
    from wuzi.records import GivenRules
    from wuzi.workers.crew import Executor

Command = TypeVar("Command", bound=Callable[..., None])

Positive = Annotated[int, typer.Option(min=1)]
Natural = Annotated[int, typer.Option(min=0)]
Seconds = Annotated[float, typer.Option(min=0.0)]

RuleName = Literal["freestyle", "standard", "renju", "caro", "caro_overline"]
OpeningName = Literal["free", "swap1", "swap2"]
RULE_NAMES: tuple[str, ...] = typing.get_args(RuleName)

Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
Language = Annotated[Literal["en", "zh"], typer.Option("--lang", help="Language of the text.")]
Rule = Annotated[RuleName, typer.Option("--rule", help="Rule of the game.", case_sensitive=False)]
NetOption = Annotated[
    str,
    typer.Option("--net", help="Name, file or run folder of the net; `wuzi models list` shows the names."),
]
MaxTime = Annotated[
    str | None,
    typer.Option(metavar="TIME", help="Start no new work after this time, such as 90s, 20m or 3h."),
]


@dataclass(frozen=True)
class Board:
    """The board and rule; five in a row unless another length is given (fewer on tiny boards).

    Attributes:
        size: Board size: rows and columns, 3 to 26.
        win_length: Number of stones in a row that wins; default 5.
    """

    heading: ClassVar = "Board and rule"
    size: int = 15
    win_length: int | None = None
    rule: Rule = "freestyle"

    def rules(self) -> Rules:
        """The rules; raises ConfigError for an impossible combination."""
        return rules_of(**dataclasses.asdict(self))


@dataclass(frozen=True)
class FileBoard:
    """The board and rule where a file does not say them, and the charset of its texts.

    Attributes:
        size: Board size: rows and columns, 3 to 26; default 15, and 20 for rec files.
        win_length: Number of stones in a row that wins; default 5.
        charset: Charset of the file, such as gb18030, big5, shift_jis, euc-kr or windows-1251; default:
            the one that the file names, else a guess.
    """

    heading: ClassVar = "Where the file does not say it"
    size: int | None = None
    win_length: int | None = None
    rule: Rule | None = None
    charset: str | None = None

    def board(self) -> Board:
        """The board of moves that stand in no file."""
        return Board(self.size or 15, self.win_length, self.rule or "freestyle")

    def rules(self) -> Rules:
        """The rules of moves that stand in no file; raises ConfigError for an impossible combination."""
        return self.board().rules()

    def given(self) -> GivenRules:
        """What was said, for the readers of files; raises ConfigError for an impossible combination."""
        from wuzi.core import parse_rule
        from wuzi.records import GivenRules

        self.rules()
        rule = None if self.rule is None else parse_rule(self.rule)
        return GivenRules(self.size, self.win_length, rule)


@dataclass(frozen=True)
class OpenBoard(Board):
    """The board, the rule and how a game is opened.

    Attributes:
        opening: Opening rule that balances the colours.
    """

    opening: Annotated[OpeningName, typer.Option(case_sensitive=False)] = "free"


@dataclass(frozen=True)
class Budget:
    """How long a player may think about a move; the first limit that is reached ends the search.

    Attributes:
        time: Maximum thinking time per move, in seconds.
        nodes: Maximum number of positions searched per move.
        depth: Maximum search depth, in plies.
        simulations: Maximum number of tree-search simulations per move (mcts, az).
    """

    heading: ClassVar = "Time and search limits"
    time: Seconds | None = None
    nodes: Positive | None = None
    depth: Positive | None = None
    simulations: Positive | None = None

    def limit(self, **more: Any) -> Limit:
        """The limit of one move."""
        from wuzi.contract import Limit

        return Limit(
            time_s=self.time, nodes=self.nodes, depth=self.depth, simulations=self.simulations, **more
        )


@dataclass(frozen=True)
class Cluster:
    """Where work is done.

    Attributes:
        executor: Run games on this machine or on a Ray cluster.
        address: Address of the Ray cluster's head, or auto. Without it a cluster is started here.
    """

    heading: ClassVar = "Where games are played"
    executor: Literal["local", "ray"] = "local"
    address: Annotated[str | None, typer.Option(metavar="HOST:PORT")] = None

    @contextmanager
    def open(self) -> Iterator[Executor]:
        """The executor; closed at the end."""
        from wuzi.workers.local import make_executor

        executor = make_executor(self.executor, self.address)
        try:
            yield executor
        finally:
            executor.close()


class WholeGroup(TyperGroup):
    """A group that shows the whole first sentence of each of its commands, however long it is."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """The commands with their summaries."""
        with formatter.section("Commands"):
            found = ((name, command.help or "") for name, command in self.commands.items())
            formatter.write_dl([(name, " ".join(text.partition("\n\n")[0].split())) for name, text in found])


class GroupedCommand(TyperCommand):
    """A command that shows its groups of options, each below the heading of its dataclass."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Arguments first; then the headings in the order of their first options."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            if (record := parameter.get_help_record(ctx)) is not None:
                argument = parameter.param_type_name == "argument"
                heading = getattr(parameter, "rich_help_panel", None)
                sections.setdefault("Arguments" if argument else heading or "Options", []).append(record)
        for title, records in sorted(sections.items(), key=lambda item: item[0] != "Arguments"):
            with formatter.section(title):
                formatter.write_dl(records)


class Commands(typer.Typer):
    """A command with subcommands; alone (``bare``) it shows its help."""

    def __init__(self, help: str = "", *, bare: bool = True) -> None:
        super().__init__(
            cls=WholeGroup, add_completion=False, rich_markup_mode=None, no_args_is_help=bare, help=help
        )

    def add(self, name: str | None = None) -> Callable[[Command], Command]:
        """Make a subcommand of a function, which stays as it is; see :func:`described`."""

        def register(function: Command) -> Command:
            self.command(name, cls=GroupedCommand)(described(function))
            return function

        return register


def described(function: Callable[..., None]) -> Callable[..., None]:
    """A command for typer: each option has its help, each group of options stands open.

    The help of an option comes from the section ``Options:`` of the command's docstring. In place of a
    parameter whose type is a dataclass stand options for its fields, with the parameter's values as
    defaults, help from its ``Attributes:``, and below its ``heading``, if it has one. A truth value has no
    ``--no-`` form unless it names one.
    """
    groups: dict[str, tuple[type, tuple[str, ...]]] = {}
    texts = section_of(function.__doc__ or "", "Options:")
    parameters = []
    for parameter in inspect.signature(function, eval_str=True).parameters.values():
        name, group = parameter.name, parameter.annotation
        if not (isinstance(group, type) and dataclasses.is_dataclass(group)):
            parameters.append(_option(name, group, parameter.default, texts))
            continue
        hints = typing.get_type_hints(group, include_extras=True)
        groups[name] = (group, tuple(field.name for field in dataclasses.fields(group)))
        parts = [section_of(base.__doc__ or "", "Attributes:") for base in group.__mro__]
        help = {key: text for part in reversed(parts) for key, text in part.items()}
        heading = getattr(group, "heading", None)
        parameters += [
            _option(key, hints[key], getattr(parameter.default, key), help, heading)
            for key in groups[name][1]
        ]

    def run(**values: Any) -> None:
        for name, (group, names) in groups.items():
            values[name] = group(**{key: values.pop(key) for key in names})
        function(**values)

    run.__name__ = function.__name__
    run.__doc__ = inspect.cleandoc(function.__doc__ or "").partition("\n\nOptions:\n")[0]
    run.__dict__["__signature__"] = inspect.Signature(parameters)
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run


def _option(
    name: str, hint: Any, default: Any, texts: Mapping[str, str], heading: str | None = None
) -> inspect.Parameter:
    """A parameter as typer reads it, with its help and a word for its value."""
    kind, optional = split_optional(hint)
    info = typer.Option()
    if typing.get_origin(kind) is Annotated:
        kind, given = typing.get_args(kind)
        info = copy(given)
    elif kind is bool:
        info = typer.Option(f"--{name.replace('_', '-')}")
    info.help = info.help or texts[name]
    info.rich_help_panel = info.rich_help_panel or heading
    if split_optional(kind)[0] in {str, list[str]} and isinstance(info, OptionInfo) and info.metavar is None:
        info.metavar = name.strip("_").upper()
    kind = kind | None if optional else kind
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, info]
    )


def rules_of(size: int, win_length: int | None, rule: str = "freestyle", opening: str = "free") -> Rules:
    """The rules that the options mean; five in a row unless said otherwise (fewer on tiny boards)."""
    from wuzi.core import Opening, Rules, parse_rule

    length = min(5, size) if win_length is None else win_length
    return Rules(size=size, win_length=length, rule=parse_rule(rule), opening=Opening(opening))


def played(moves: str, rules: Rules, where: str = "--moves") -> Game:
    """The game after moves that stood at ``where``; raises ConfigError for those that cannot be played."""
    from wuzi.core import Game, parse_moves

    try:
        return Game.from_moves(rules, parse_moves(moves, rules.size))
    except (IllegalMoveError, NotationError) as error:
        raise ConfigError(f"{where}: {error}") from None


def attributes(item: object, *names: str) -> dict[str, Any]:
    """Some attributes by name, for JSON."""
    return {name: getattr(item, name) for name in names}


def print_json(data: Any) -> None:
    """One JSON document on one line of standard output."""
    print(json.dumps(data, ensure_ascii=False, allow_nan=False))


def output(as_json: bool, data: Any, lines: Iterable[str]) -> None:
    """A result on standard output: as JSON, or these lines for people."""
    if as_json:
        print_json(data)
        return
    for line in lines:
        print(line)


def parse_range(text: str, option: str) -> tuple[int, int]:
    """Two numbers such as ``2-6``; one number means both."""
    least, _, most = text.partition("-")
    try:
        return int(least), int(most or least)
    except ValueError:
        raise ConfigError(f"{option} {text!r}: expected numbers such as 2-6") from None


def duration(text: str | None) -> float | None:
    """Seconds that ``90s``, ``20m`` or ``1.5h`` mean; None for none.

    >>> duration("20m")
    1200.0
    """
    if text is None:
        return None
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([smh]?)", text.strip())
    if found is None:
        raise ConfigError(f"--max-time {text!r}: expected a time such as 90s, 20m or 3h")
    return float(found[1]) * {"": 1, "s": 1, "m": 60, "h": 3600}[found[2]]
