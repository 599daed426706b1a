"""Pages of reference made from the code: the public API, the command line, options, presets, layers."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from docs_site import words_in
from wuzi.arena.text import table

ROOT = Path(__file__).resolve().parents[2]


def generated(kind: str, argument: str, language: str) -> str:
    """The Markdown of one mark; ``argument`` is a module (``api``)."""
    makers = {
        "cli": command_line,
        "players": player_options,
        "nets": net_options,
        "presets": training_presets,
    }
    return makers[kind](language) if kind in makers else {"api": api}[kind](argument)


def public_names(module: str) -> list[str]:
    """The public names of a module, as ``tests/golden/api.txt`` lists them."""
    lines = (ROOT / "tests" / "golden" / "api.txt").read_text("utf-8").split()
    return [line for line in lines if line.rpartition(".")[0] == module]


def api(module: str) -> str:
    """Directives for mkdocstrings, one a public name; the names of ``wuzi`` itself only where they live."""
    names = [name for name in public_names(module) if not name.endswith(("__version__", ".errors"))]
    return "\n\n".join(f"::: {name}" for name in names)


def _table(language: str, head: str, rows: Iterable[Sequence[str]]) -> str:
    """A table whose titles are the words of these keys."""
    titles = [words_in(language)[key] for key in head.split()]
    plain = [[cell.replace("|", "\\|") or " " for cell in row] for row in rows]
    return table(titles, plain, names=len(titles))


def _option_table(options: Iterable[Any], language: str) -> str:
    words, rows = words_in(language), []
    for item in options:
        default, help_text = item.describe()["default"], item.describe()["help"][language]
        bounds = (("≥", item.minimum), ("≤", item.maximum))
        limits = [f"{name} {value:g}" for name, value in bounds if value is not None]
        values = ", ".join(f"`{choice}`" for choice in item.choices or ())
        values = values or " ".join([f"`{item.type_name}`", *limits])
        if item.local:
            values += f" ({words['local']})"
        text = words["none"] if default is None else f"`{_plain(default)}`"
        rows.append([f"`{item.name}`", text, values, help_text])
    return _table(language, "option default values meaning", rows)


def player_options(language: str) -> str:
    """Every player with what it can play, its presets and the options of its spec string."""
    from wuzi.players import list_players

    words, parts = words_in(language), []
    for info in list_players():
        can = info.capabilities
        lengths = words["any"] if can.win_lengths is None else ", ".join(map(str, sorted(can.win_lengths)))
        facts = [
            f"{words['boards']} {can.min_size} – {can.max_size}",
            f"{words['length']}: {lengths}",
            f"{words['rules']}: {', '.join(sorted(rule.label for rule in can.rules))}",
        ]
        if info.presets:
            facts.append(f"{words['presets']}: {', '.join(f'`{name}`' for name in sorted(info.presets))}")
        summary = info.summary_zh if language == "zh" else info.summary
        parts += [f'<a id="{info.name}"></a>\n\n## `{info.name}`', summary, "; ".join(facts)]
        parts.append(_option_table(info.options.values(), language))
        for name, values in sorted(info.presets.items()):
            given = ", ".join(f"`{key}={_plain(value)}`" for key, value in values.items())
            parts.append(f"`preset={name}`: {given}")
    return "\n\n".join(parts)


def _plain(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def command_line(language: str) -> str:
    """Every command of ``wuzi`` with its arguments and options, from the definitions that parse them."""
    from wuzi.apps.cli.frame import COMMANDS

    return "\n\n".join(_command(f"wuzi {name}", lazy.load(name), language) for name, lazy in COMMANDS.items())


def _command(path: str, command: Any, language: str, level: int = 2) -> str:
    import typer

    context = typer.Context(command, info_name=path)
    usage = " ".join(command.collect_usage_pieces(context))
    parts = [f"{'#' * level} `{path}`", command.help or "", f"```text\n{path} {usage}\n```"]
    rows: dict[str, list[list[str]]] = {"argument": [], "option": []}
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is not None and record[0] != "--help":
            rows[parameter.param_type_name].append([f"`{record[0]}`", record[1]])
    for kind, found in rows.items():
        if found:
            parts.append(_table(language, f"{kind} meaning", found))
    for name, child in getattr(command, "commands", {}).items():
        parts.append(_command(f"{path} {name}", child, language, level + 1))
    return "\n\n".join(part for part in parts if part)


def net_options(language: str) -> str:
    """Every architecture of ``wuzi.torch_nets`` with its options."""
    from wuzi.base.schema import options_of
    from wuzi.torch_nets import list_architectures

    parts = []
    for found in list_architectures():
        parts += [f"## `{found.name}`", found.summary]
        if options := options_of(found.config_type):
            parts.append(_option_table(options.values(), language))
    return "\n\n".join(parts)


def training_presets(language: str) -> str:
    """Every training preset: method, board, net and its own summary."""
    rows = []
    for path in sorted((ROOT / "src" / "wuzi" / "data" / "training").glob("*.toml")):
        preset = tomllib.loads(path.read_text("utf-8"))
        game, net = preset.get("game", {}), preset.get("net", {}).get("architecture")
        board = f"{game.get('size', 9)}x{game.get('size', 9)}, {game.get('win_length', 5)}"
        net = net or preset.get("distill", {}).get("net") or "three-factor"
        rows.append([f"`{path.stem}`", preset["method"], board, f"`{net}`", preset["summary"]])
    return _table(language, "preset method game net summary", rows)
