"""Nets that players name, sent along to machines that do not have them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from wuzi.base import plugins
from wuzi.core.rules import Rules
from wuzi.nets.loading import NAMED
from wuzi.nets.shelf import WEIGHTS_SUFFIX, NetEntry, default_net, find_net, net_paths
from wuzi.players.registry import player_info
from wuzi.players.spec import PlayerSpec, format_spec, parse_spec

_KEY, _DEFAULT = "net", ""


def nets_of(specs: Iterable[str], rules: Rules) -> tuple[dict[str, str], dict[str, bytes]]:
    """The nets that players need and that did not come with wuzi; ``rules`` decide where none is named.

    For each net by the text that names it (empty for the board's own) the file to open, and the contents of
    all files by name. A ConfigError for an unknown net or player, an OSError for an unreadable file.
    """
    nets: dict[str, str] = {}
    files: dict[str, bytes] = {}
    for spec in specs:
        text = _net_text(parse_spec(spec))
        if text is None or text in nets:
            continue
        entry = default_net(rules) if text == _DEFAULT else find_net(text)
        if entry is None or entry.shipped:
            continue
        prefix = f"{len(nets)}-"
        nets[text] = prefix + entry.path.name
        for path in _paths(entry):
            files[prefix + path.name] = path.read_bytes()
    return nets, files


def with_nets(spec: str, nets: Mapping[str, str]) -> str:
    """The spec with the files of ``nets`` in place of the names that :func:`nets_of` found."""
    parsed = parse_spec(spec)
    text = _net_text(parsed)
    if text is None or text not in nets:
        return spec
    return format_spec(PlayerSpec(parsed.name, {**parsed.options, _KEY: nets[text]}))


def _net_text(spec: PlayerSpec) -> str | None:
    """The name or file of the net in a spec; None for a player without one, or with one that is no file."""
    if _KEY not in player_info(spec.name).options:
        return None
    text = spec.options.get(_KEY, _DEFAULT)
    if text in NAMED or text.partition(":")[0] in plugins.installed(plugins.EVALUATORS):
        return None
    return text


def _paths(entry: NetEntry) -> tuple[Path, ...]:
    return net_paths(entry.path) if entry.path.suffix == WEIGHTS_SUFFIX else (entry.path,)
