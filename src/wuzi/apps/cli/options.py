"""Options that several commands share, and what they mean."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from wuzi.contract import Limit
    from wuzi.core import Rules
    from wuzi.workers.crew import Executor

RULE_NAMES = ("freestyle", "standard", "renju", "caro", "caro_overline")
OPENING_NAMES = ("free", "swap1", "swap2")


def _complete(names: tuple[str, ...]) -> Any:
    return lambda incomplete: [name for name in names if name.startswith(incomplete)]


Size = Annotated[int, typer.Option("--size", help="Rows and columns of the board, 3 to 26.")]
WinLength = Annotated[int | None, typer.Option("--win-length", help="Stones in a row that win.")]
RuleName = Annotated[
    str, typer.Option("--rule", help=", ".join(RULE_NAMES) + ".", autocompletion=_complete(RULE_NAMES))
]
OpeningName = Annotated[
    str,
    typer.Option("--opening", help=", ".join(OPENING_NAMES) + ".", autocompletion=_complete(OPENING_NAMES)),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]
TimePerMove = Annotated[float | None, typer.Option("--time", help="Seconds a move.", min=0.0)]
Simulations = Annotated[int | None, typer.Option("--simulations", help="Tree simulations a move.", min=1)]
Nodes = Annotated[int | None, typer.Option("--nodes", help="Positions searched a move.", min=1)]
ExecutorName = Annotated[
    str, typer.Option("--executor", help="Where games are played: local, or ray (many machines).")
]
Address = Annotated[
    str | None,
    typer.Option("--address", help="HOST:PORT of a Ray cluster's head, or auto; none: one of this machine."),
]
Depth = Annotated[int | None, typer.Option("--depth", help="Plies of full-width search.", min=1)]


def rules_of(size: int, win_length: int | None, rule: str = "freestyle", opening: str = "free") -> Rules:
    """The rules that the options mean; five in a row unless said otherwise (fewer on tiny boards).

    Raises:
        ConfigError: an impossible combination or an unknown name.
    """
    from wuzi.core import Opening, Rules, parse_rule

    length = min(5, size) if win_length is None else win_length
    # Rules accepts the opening's name; its annotation says the member.
    named: Any = opening
    chosen: Opening = named
    return Rules(size=size, win_length=length, rule=parse_rule(rule), opening=chosen)


def limit_of(
    time: float | None = None,
    simulations: int | None = None,
    nodes: int | None = None,
    depth: int | None = None,
) -> Limit:
    """The budget of a move that the options mean."""
    from wuzi.contract import Limit

    return Limit(time_s=time, simulations=simulations, nodes=nodes, depth=depth)


@contextmanager
def executor_of(name: str, address: str | None) -> Iterator[Executor]:
    """The executor that the options mean; left at the end.

    Raises:
        ConfigError: no such executor, or no cluster at the address.
        MissingExtraError: Ray is not installed.
    """
    from wuzi.workers.executors import make_executor

    executor = make_executor(name, address)
    try:
        yield executor
    finally:
        executor.close()


def print_json(data: Any) -> None:
    """One JSON document on one line of standard output."""
    print(json.dumps(data, ensure_ascii=False, allow_nan=False))


def parse_range(text: str, option: str) -> tuple[int, int]:
    """Two numbers such as ``2-6``; one number means both.

    Raises:
        ConfigError: they are none; the message names the option.
    """
    from wuzi.errors import ConfigError

    least, _, most = text.partition("-")
    try:
        return int(least), int(most or least)
    except ValueError:
        raise ConfigError(f"{option} {text!r}: expected numbers such as 2-6") from None
