"""What may be changed when a run is resumed, and the record of what was changed: ``changes.jsonl``.

A run keeps what makes it that run, such as board, rule, net and seed, and what its stored state depends on.
Everything else may be changed. Each change is a line with the iteration after which it holds; ``config.toml``
stays as the run was begun, and the parameters now are those with the changes applied.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from wuzi.base.settings import settings_tables
from wuzi.base.store import JsonLines
from wuzi.errors import ConfigError, RecordError

CHANGES, SCHEMA = "changes.jsonl", 1
RUN = frozenset({"iterations", "checkpoint_s", "keep_every"})
"""What may be changed in section ``run`` of any method."""

Row = Mapping[str, Any]
"""A line of the file: ``iteration``, ``at``, and ``changes``, by parameter the values ``from`` and ``to``."""


def changes_between(before: Any, after: Any) -> dict[str, dict[str, object]]:
    """What differs between the settings of a run and those it is to be resumed with, as in :data:`Row`.

    The class of the settings says by ``changeable`` which keys of its sections may differ; a ConfigError for
    any other.
    """
    allowed: Mapping[str, frozenset[str]] = getattr(type(before), "changeable", {"run": RUN})
    new, found = settings_tables(after), dict[str, dict[str, object]]()
    for section, table in settings_tables(before).items():
        for key, value in table.items():
            if (wanted := new[section][key]) == value:
                continue
            if key not in allowed.get(section, ()):
                raise ConfigError(
                    f"{section}.{key}={_text(wanted)}: this run was begun with {_text(value)} and keeps it "
                    "when it is resumed: expected the same value, or a new run"
                )
            found[f"{section}.{key}"] = {"from": value, "to": wanted}
    return found


def check_end(done: int, wanted: int) -> None:
    """A ConfigError where a run is to have fewer iterations than are done."""
    if wanted < done:
        raise ConfigError(f"run.iterations={wanted}: {done} are done already: expected at least {done}")


def record_changes(folder: Path, iteration: int, changes: Mapping[str, Mapping[str, object]]) -> None:
    """Write down what holds after an iteration; nothing where nothing was changed."""
    if changes:
        at = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        _file(folder).add({"iteration": iteration, "at": at, "changes": changes})


def read_changes(folder: Path) -> list[Row]:
    """The changes of a run, in order; a RecordError for a broken line, unless it is the last."""
    found = list[Row]()
    for where, row in _file(folder).objects():
        if not is_change(row):
            raise RecordError(f"{where}: expected an iteration and changes from one value to another")
        found.append(row)
    return found


def _file(folder: Path) -> JsonLines:
    return JsonLines(folder / CHANGES, version=SCHEMA, compact=True)


def is_change(row: Row) -> bool:
    """Whether an object is such a line."""
    changes = row.get("changes")
    return (
        isinstance(row.get("iteration"), int)
        and isinstance(changes, dict)
        and all("." in name and isinstance(one, dict) and "to" in one for name, one in changes.items())
    )


def changed_tables(rows: Iterable[Row]) -> dict[str, dict[str, object]]:
    """What the parameters that were changed are now, by section."""
    found: dict[str, dict[str, object]] = {}
    for row in rows:
        for name, one in row["changes"].items():
            section, _, key = name.partition(".")
            found.setdefault(section, {})[key] = one["to"]
    return found


def change_lines(rows: Iterable[Row]) -> Iterator[str]:
    """The changes for people, one a line."""
    for row in rows:
        said = (
            f"{name} {_text(one.get('from'))} -> {_text(one['to'])}" for name, one in row["changes"].items()
        )
        yield f"changed after iteration {row['iteration']}: {', '.join(said)}"


def _text(value: object) -> str:
    return "none" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
