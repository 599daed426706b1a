"""Samples cut from the shipped proofs of 15x15, each spoiled in every way: the checker refuses them."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence

import pytest

from tests.search.proofs.spoiling import KINDS, Spoiler, why_refused
from wuzi.core import Rules
from wuzi.players.shipped_proof import proved_replies, shipped_proof
from wuzi.search.proof.boards import Boards, Stones, bits

HEAD = 3
BOARDS = Boards(Rules(15))
LONGEST = 12_000
"""Characters of a sample: longer ones say nothing more and take longer."""


class Cutter:
    """Finds the position of each line of a proof, without checking it, and the lines that belong to it."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = lines
        self.parts: list[tuple[Stones, int, int]] = []
        self._seen: set[Stones] = set()
        root, *moves = lines[HEAD].split(" ")
        assert root == "root"
        assert self._walk(BOARDS.after(moves), HEAD + 1) == len(lines)

    def _walk(self, stones: Stones, number: int) -> int:
        key, _ = BOARDS.canonical(*stones)
        if key in self._seen:
            return number
        self._seen.add(key)
        (black, white), begin = stones, number
        move, replies = BOARDS.replies_with_lines(self.lines[number])
        number += 1
        for reply in replies:
            number = self._walk((black | 1 << move, white | 1 << reply), number)
        self.parts.append((stones, begin, number))
        return number

    def samples(self, chance: random.Random) -> Iterator[list[str]]:
        """Parts of the proof as proofs of their own; one that needs lines from elsewhere is none."""
        for stones, begin, end in chance.sample(self.parts, len(self.parts)):
            blacks, whites = ([BOARDS.names[cell] for cell in bits(mask)] for mask in stones)
            moves = [name for pair in zip(blacks, whites, strict=True) for name in pair]
            sample = [*self.lines[:HEAD], " ".join(["root", *moves]), *self.lines[begin:end]]
            if sum(map(len, sample)) <= LONGEST and why_refused(sample) is None:
                yield sample


def refused(reply: str, count: int) -> Counter[str]:
    """Spoil samples of a shipped proof until so many were refused; how many in each way."""
    chance = random.Random(reply)
    done: Counter[str] = Counter()
    for sample in Cutter(shipped_proof(reply).decode().splitlines()).samples(chance):
        spoiler = Spoiler(sample, chance)
        for kind in KINDS:
            try:
                spoiled = spoiler.spoiled(kind, tries=20)
            except AssertionError:
                continue  # this sample has no place for it
            assert why_refused(spoiled), (reply, kind, spoiled)
            done[kind] += 1
        if done.total() >= count:
            break
    return done


def test_some_spoiled_samples_are_refused() -> None:
    assert refused(proved_replies()[0], 30).total() >= 30


@pytest.mark.ci("spoils samples of all shipped proofs: a thousand mistakes, minutes")
def test_a_thousand_spoiled_proofs_are_refused() -> None:
    replies = proved_replies()
    done = sum((refused(reply, -(-1000 // len(replies))) for reply in replies), Counter[str]())
    assert done.total() >= 1000
    assert all(done[kind] >= 5 for kind in KINDS), done
