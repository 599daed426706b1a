"""Cutting bytes into lines."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from wuzi.workers.line_process import LineSplitter

words = st.text(st.characters(exclude_characters="\r\n", codec="utf-8"), min_size=1, max_size=12)


@given(st.lists(st.tuples(words, st.sampled_from(["\n", "\r\n", "\r", "\n\n"]))), st.data())
def test_any_chunking_gives_the_same_lines(lines: list[tuple[str, str]], data: st.DataObject) -> None:
    stream = "".join(word + end for word, end in lines).encode()
    splitter, found = LineSplitter(100), []
    while stream:
        size = data.draw(st.integers(1, len(stream)))
        found += splitter.feed(stream[:size])
        stream = stream[size:]
    assert found + splitter.finish() == [word for word, _ in lines]


@given(st.binary(max_size=200), st.integers(1, 20), st.data())
def test_lines_are_bounded_for_any_bytes(stream: bytes, max_line: int, data: st.DataObject) -> None:
    splitter, found = LineSplitter(max_line), []
    while stream:
        size = data.draw(st.integers(1, len(stream)))
        found += splitter.feed(stream[:size])
        stream = stream[size:]
    found += splitter.finish()
    assert all(0 < len(line) <= max_line for line in found)
