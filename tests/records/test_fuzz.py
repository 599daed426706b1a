"""Whatever bytes come in, only RecordError comes out."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wuzi.errors import RecordError
from wuzi.records import dumps, list_formats, loads_all

READABLE = [name for name, found in list_formats().items() if found.read is not None]
SEEDS = [path.read_bytes() for path in sorted((Path(__file__).parent / "golden").iterdir())]
FRAGMENTS = [
    *(
        b"(;",
        b"(",
        b")",
        b";",
        b"B[hh]",
        b"W[",
        b"]",
        b"\\",
        b"AB[aa:cc]",
        b"SZ[15]",
        b"SZ[",
        b"GM[4]",
        b"LB[aa:x]",
    ),
    *(
        b"WUZI[actions:",
        b"place3",
        b"RE[B+",
        b"CA[gbk]",
        b"C[",
        b"8,8,0\n",
        b"Piskvorky 15x15, 0:0, 0\n",
        b"-1\n",
    ),
    *(
        b"1,Renju\n",
        b"h8",
        b"X",
        b"O",
        b". ",
        b"\n",
        b"{",
        b"}",
        b'"nodes":',
        b"[",
        b"null",
        b"1e999",
        b"\xff",
        b"\x00",
    ),
    *(
        "五".encode(),
        b"\xef\xbb\xbf",
        b"\xce\xe5",
        b"[X]",
        b"*",
        b"a b c",
        b'{"format": "wuzi-record", "version": 1}',
    ),
]


def reads_or_refuses(data: bytes, name: str | None) -> None:
    try:
        records = loads_all(data, name)
    except RecordError as error:
        assert "\n" not in str(error)
        return
    for record in records[:5]:
        assert loads_all(dumps(record, "json"), "json")[0] == record
        # SGF knows no tabs and sorts marks by kind: one passage may change those, the next nothing.
        once = loads_all(dumps(record, "sgf"), "sgf")[0]
        assert once.moves == record.moves
        assert loads_all(dumps(once, "sgf"), "sgf")[0] == once


@pytest.mark.parametrize("name", [None, *READABLE])
@given(data=st.binary(max_size=300))
def test_random_bytes(name: str | None, data: bytes) -> None:
    reads_or_refuses(data, name)


@pytest.mark.parametrize("name", [None, *READABLE])
@given(parts=st.lists(st.sampled_from(FRAGMENTS), max_size=30))
def test_random_pieces_of_formats(name: str | None, parts: list[bytes]) -> None:
    reads_or_refuses(b"".join(parts), name)


@settings(max_examples=300)
@given(seed=st.integers(0, 2**32 - 1))
def test_damaged_files(seed: int) -> None:
    rng = random.Random(seed)
    data = bytearray(rng.choice(SEEDS))
    for _ in range(rng.randint(1, 6)):
        at = rng.randrange(len(data) + 1)
        kind = rng.randrange(4)
        if kind == 0:
            del data[at : at + rng.randint(1, 10)]
        elif kind == 1:
            data[at:at] = rng.choice(FRAGMENTS)
        elif kind == 2:
            data[at : at + 1] = bytes([rng.randrange(256)])
        else:
            data[at:at] = data[: rng.randint(0, 40)]
    reads_or_refuses(bytes(data), None)


@pytest.mark.parametrize("name", READABLE)
def test_truncated_files(name: str) -> None:
    for data in SEEDS:
        for end in range(0, len(data), 7):
            reads_or_refuses(data[:end], name)


UNITS = [
    *(b"1,111,", b"( ", b"(;", b"a1", b"1,a", b" ", b"X", b"["),
    *(b"\\", b"8,8\n", b"; ", b"{", b"(;B[aa]", b"x\n"),
]


@pytest.mark.slow
@pytest.mark.parametrize("unit", UNITS)
def test_long_monotonous_texts_take_no_time(unit: bytes) -> None:
    """Regular expressions that backtrack would never come back from these."""
    for end in (b"", b"!", b"=", b"\n"):
        for name in (None, *READABLE):
            reads_or_refuses(unit * (40_000 // len(unit)) + end, name)
            reads_or_refuses(b"Piskvorky 15x15, 0:0, 0\nA\nB\n1," + unit * 5_000 + end, name)
