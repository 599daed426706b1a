"""Game files: SGF, Piskvork's psq and rec, position codes, RenLib libraries, JSON, and boards as text or SVG.

>>> from wuzi.records import loads, dumps
>>> record = loads("h8h9i7")
>>> record.game().to_move.name
'WHITE'
>>> dumps(record, "psq").splitlines()[:2]
['Piskvorky 15x15, 0:0, 0', '8,8,0']
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wuzi.records.files import dumps, dumps_all, load, load_all, loads, loads_all, save
    from wuzi.records.formats.ascii import Diagram, format_board, parse_board
    from wuzi.records.formats.pos import format_code, parse_code
    from wuzi.records.formats.svg import SvgOptions, Theme, draw_game, draw_position
    from wuzi.records.model import GameRecord, Mark, MarkKind, RecordNode, SetUp, add_moves
    from wuzi.records.registry import Format, find_format, list_formats

_LAZY = {
    **dict.fromkeys(("Diagram", "format_board", "parse_board"), "formats.ascii"),
    **dict.fromkeys(("dumps", "dumps_all", "load", "load_all", "loads", "loads_all", "save"), "files"),
    **dict.fromkeys(("Format", "find_format", "list_formats"), "registry"),
    **dict.fromkeys(("GameRecord", "Mark", "MarkKind", "RecordNode", "SetUp", "add_moves"), "model"),
    **dict.fromkeys(("format_code", "parse_code"), "formats.pos"),
    **dict.fromkeys(("SvgOptions", "Theme", "draw_game", "draw_position"), "formats.svg"),
}

__all__ = [
    "Diagram",
    "Format",
    "GameRecord",
    "Mark",
    "MarkKind",
    "RecordNode",
    "SetUp",
    "SvgOptions",
    "Theme",
    "add_moves",
    "draw_game",
    "draw_position",
    "dumps",
    "dumps_all",
    "find_format",
    "format_board",
    "format_code",
    "list_formats",
    "load",
    "load_all",
    "loads",
    "loads_all",
    "parse_board",
    "parse_code",
    "save",
]


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        value = getattr(importlib.import_module(f"wuzi.records.{_LAZY[name]}"), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
