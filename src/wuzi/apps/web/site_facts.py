"""What the page of a static site must know without a server: engines, limits, words, books, nets."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from dataclasses import asdict
from functools import cache
from typing import Any

import numpy as np

from wuzi.apps.web.engines import engine_out
from wuzi.apps.web.routes.system import version_of
from wuzi.apps.web.schemas_analysis import PuzzleOut
from wuzi.apps.web.settings import Settings
from wuzi.arena.openings import shipped_moves, shipped_openings
from wuzi.base.words import LANGUAGES, load_catalogue
from wuzi.core import Rule
from wuzi.core.lines import WIN_LENGTHS
from wuzi.evaluation.codebook import CodebookNet, record_without_rows, shipped_net, supported_rules
from wuzi.evaluation.run_scores import MINIMAX_S0, MINIMAX_S1, WEIGHT_S0, RunScores
from wuzi.players.levels import LEVELS
from wuzi.players.opponents import ENGINES, EngineEntry
from wuzi.players.registry import create_player
from wuzi.players.shipped_proof import FIRST, SIZE, WIN_LENGTH, proved_replies, shipped_proof
from wuzi.players.spec import parse_spec
from wuzi.protocols.analysis.replies import capabilities_json
from wuzi.search.alphabeta.workspace import parameters_record
from wuzi.tactics.classes import tables
from wuzi.tactics.suite import Puzzle, PuzzleTheme, load_suite

LOCAL_PLAYERS = frozenset({"level", "engine", "minimax", "weight", "random", "proof"})
"""The players whose kernels the page has."""
LOCAL_ABILITIES = ("play", "analyse", "review", "solve", "manage")
THEMES = (PuzzleTheme.VCF, PuzzleTheme.VCT, PuzzleTheme.DEFENCE)
"""The themes with an answer to find."""
_SCORES = {"weight_s0": WEIGHT_S0, "minimax_s0": MINIMAX_S0, "minimax_s1": MINIMAX_S1}
_NET_PARTS = ("windows", "lines")
"""Of a net: what the kernel ``fill_rows`` makes the rest of the record of."""


def facts(data_files: dict[str, str], puzzles_file: str) -> dict[str, Any]:
    """Everything but nets, proofs and puzzles, whose files it names."""
    version = version_of(Settings(), LOCAL_ABILITIES)
    entries = [one for one in ENGINES.values() if parse_spec(one.level().spec).name in LOCAL_PLAYERS]
    return {
        "version": version.model_dump(mode="json", by_alias=True),
        "engines": [_engine(entry) for entry in entries],
        "specs": {entry.id: {level.id: level.spec for level in entry.levels} for entry in entries},
        "levels": {name: asdict(level) for name, level in LEVELS.items()},
        "scores": {name: _scores(scores) for name, scores in _SCORES.items()},
        "books": {name: _book(name) for name in shipped_openings()},
        "words": {language: dict(load_catalogue("wuzi.analysis", language).texts) for language in LANGUAGES},
        "data": {
            name: {"file": file, "hasNet": (rule, length) in supported_rules()}
            for (rule, length), name, file in ((rules, n, data_files[n]) for rules, n in _with_names())
        },
        "proofs": {
            "rules": {"rule": Rule.FREESTYLE.label, "size": SIZE, "winLength": WIN_LENGTH},
            "first": FIRST,
            "files": {reply: data_files[name] for name, reply in _proofs().items() if name in data_files},
        },
        "puzzles": puzzles_file,
    }


def packed(content: bytes) -> bytes:
    """Compressed the same way every time, for browsers to unpack whatever the host does."""
    return gzip.compress(content, 9, mtime=0)


def json_bytes(data: object) -> bytes:
    """Compact JSON."""
    return json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()


def puzzles() -> list[dict[str, Any]]:
    """All puzzles with their solutions, in the order of the list."""
    return [
        PuzzleOut.model_validate({**facts, "moves": puzzle.moves, "solution": puzzle.line}).model_dump(
            mode="json", by_alias=True
        )
        for puzzle, facts in _listed_puzzles()
    ]


def _listed_puzzles() -> list[tuple[Puzzle, dict[str, Any]]]:
    """All puzzles in the order of the list, each with what lists say of it."""
    order = {theme: place for place, theme in enumerate(THEMES)}
    ranked = sorted(load_suite(THEMES), key=lambda p: (order[p.theme], p.refuted_in or len(p.line), p.id))
    return [(puzzle, _puzzle(puzzle)) for puzzle in ranked]


def _puzzle(puzzle: Puzzle) -> dict[str, Any]:
    return {
        "id": puzzle.id,
        "theme": puzzle.theme,
        "rules": puzzle.rules,
        "ply": len(puzzle.moves),
        "to_move": puzzle.to_move,
        "length": len(puzzle.line),
        "difficulty": puzzle.difficulty,
    }


def data_files() -> Iterator[tuple[str, bytes]]:
    """For each rule and win length with names of threats: a name, and the records that kernels read.

    A line of JSON names the sections, whose bytes follow one after the other: fields of records, and for
    nets the arrays that ``fill_rows`` takes.
    """
    for (rule, length), name in _with_names():
        yield name, _sections(rule, length)


def proof_files() -> Iterator[tuple[str, bytes]]:
    """The shipped proofs as text: a name, and the file."""
    for name, reply in _proofs().items():
        yield name, shipped_proof(reply)


def _proofs() -> dict[str, str]:
    """White's replies that are proved, by the names of their files."""
    return {f"proof-{reply}": reply for reply in proved_replies()}


FIRST_DATA = ("facts", "freestyle-5")
"""What a first game in the page needs."""


@cache
def served(name: str) -> bytes | None:
    """A file for the page's own engine beside a server; None where there is none of that name."""
    names = {name: rules for rules, name in _with_names()}
    if name == "facts":
        files = {one: f"api/v1/data/{one}" for one in [*names, *_proofs()]}
        return packed(json_bytes(facts(files, "api/v1/data/puzzles")))
    if name in _proofs():
        return packed(shipped_proof(_proofs()[name]))
    if name == "puzzles":
        return packed(json_bytes(puzzles()))
    return packed(_sections(*names[name])) if name in names else None


@cache
def threat_tables(rule: Rule, length: int) -> bytes:
    """A file as of :func:`data_files`, compressed, with nothing but what finds threats."""
    return packed(_file(_table_sections(rule, length)))


def _with_names() -> list[tuple[tuple[Rule, int], str]]:
    """Rules and win lengths whose threats have names."""
    pairs = [(rule, k) for rule in Rule for k in WIN_LENGTHS if rule.win_length in (None, k)]
    return [((rule, length), f"{rule.label}-{length}") for rule, length in pairs]


def _sections(rule: Rule, length: int) -> bytes:
    parts = _table_sections(rule, length)
    if (rule, length) in supported_rules():
        net = shipped_net(rule, length)
        parts += _net_sections(net, record_without_rows(net))
        chosen = parameters_record()
        parts += [("PARAMETERS_RECORD", name, chosen[name]) for name in chosen.dtype.names]
    return _file(parts)


def _table_sections(rule: Rule, length: int) -> list[tuple[str | None, str, Any]]:
    record = tables(rule, length)
    return [("TABLES", name, record[name]) for name in record.dtype.names]


def _file(parts: list[tuple[str | None, str, Any]]) -> bytes:
    sections, content = [], b""
    for of, field, value in parts:
        array = np.ascontiguousarray(value)
        shape, size = list(array.shape), array.nbytes
        about = {"record": of, "field": field, "type": array.dtype.name, "shape": shape, "bytes": size}
        sections.append(about)
        content += array.tobytes()
    return json_bytes({"sections": sections}) + b"\n" + content


def _net_sections(net: CodebookNet, record: Any) -> list[tuple[str | None, str, Any]]:
    made = ("window", "rows")
    of_record = [("CODEBOOK", name, record[name]) for name in record.dtype.names if name not in made]
    return [*of_record, *((None, name, getattr(net, name)) for name in _NET_PARTS)]


def _scores(scores: RunScores) -> dict[str, Any]:
    return {"table": scores.table.tolist(), "centre": scores.centre}


def _engine(entry: EngineEntry) -> dict[str, Any]:
    with create_player(entry.level().spec) as player:
        found = engine_out(entry, capabilities_json(player.capabilities))
    return found.model_dump(mode="json", by_alias=True)


def _book(name: str) -> list[list[list[int]]]:
    """The openings of a book as columns and rows from the centre, which fit every board."""
    size = 15
    middle = size // 2
    return [
        [[move % size - middle, move // size - middle] for move in moves]
        for moves in shipped_moves(name, size)
    ]
