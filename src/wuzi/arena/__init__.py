"""Matches, tournaments, ratings and reports. The names below are imported when first used."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wuzi.arena.analysis import Analysis, analyse
    from wuzi.arena.export import file_record, read_results, write_results
    from wuzi.arena.match import MatchResult, match
    from wuzi.arena.openings import (
        Opening,
        default_openings,
        generate_openings,
        load_openings,
        load_shipped,
        shipped_openings,
    )
    from wuzi.arena.rating import Estimate, Ratings, Tally, rate, tally
    from wuzi.arena.report import Report, write_report
    from wuzi.arena.results import GameRecord, read_csv, write_csv
    from wuzi.arena.schedule import Entry, TournamentConfig
    from wuzi.arena.sprt import SprtConfig, SprtState, sprt
    from wuzi.arena.tournament import TournamentResult, run_tournament
    from wuzi.games.referee import Adjudication, Played, play_game

_MODULES = {
    "arena.analysis": ("Analysis", "analyse"),
    "arena.export": ("file_record", "read_results", "write_results"),
    "arena.match": ("MatchResult", "match"),
    "arena.openings": (
        *("Opening", "default_openings", "generate_openings", "load_openings"),
        *("load_shipped", "shipped_openings"),
    ),
    "arena.rating": ("Estimate", "Ratings", "Tally", "rate", "tally"),
    "games.referee": ("Adjudication", "Played", "play_game"),
    "arena.report": ("Report", "write_report"),
    "arena.results": ("GameRecord", "read_csv", "write_csv"),
    "arena.schedule": ("Entry", "TournamentConfig"),
    "arena.sprt": ("SprtConfig", "SprtState", "sprt"),
    "arena.tournament": ("TournamentResult", "run_tournament"),
}
_LAZY = {name: module for module, names in _MODULES.items() for name in names}

__all__ = [
    "Adjudication",
    "Analysis",
    "Entry",
    "Estimate",
    "GameRecord",
    "MatchResult",
    "Opening",
    "Played",
    "Ratings",
    "Report",
    "SprtConfig",
    "SprtState",
    "Tally",
    "TournamentConfig",
    "TournamentResult",
    "analyse",
    "default_openings",
    "file_record",
    "generate_openings",
    "load_openings",
    "load_shipped",
    "match",
    "play_game",
    "rate",
    "read_csv",
    "read_results",
    "run_tournament",
    "shipped_openings",
    "sprt",
    "tally",
    "write_csv",
    "write_report",
    "write_results",
]


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        value = getattr(importlib.import_module(f"wuzi.{_LAZY[name]}"), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
