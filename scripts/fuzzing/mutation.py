"""A plain mutation fuzzer, for where atheris has no wheel: seeds, damaged at random, and no coverage."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator

from fuzzing.targets import Target

SMALL = (0, 1, 2, 127, 128, 255)


def mutated(target: Target, seeds: list[bytes], draw: random.Random) -> bytes:
    """A seed after a few random changes."""
    data = bytearray(draw.choice(seeds))
    for _ in range(draw.randint(1, 8)):
        at = draw.randrange(len(data) + 1)
        kind = draw.randrange(7)
        if kind == 0:
            del data[at : at + draw.randint(1, 16)]
        elif kind == 1:
            data[at : at + 1] = bytes([draw.choice(SMALL) if draw.random() < 0.5 else draw.randrange(256)])
        elif kind == 2 and data:
            data[min(at, len(data) - 1)] ^= 1 << draw.randrange(8)
        elif kind == 3 and target.tokens:
            data[at:at] = draw.choice(target.tokens)
        elif kind == 4:
            start = draw.randrange(len(data) + 1)
            data[at:at] = data[start : start + draw.randint(1, 64)]
        elif kind == 5:
            other = draw.choice(seeds)
            start = draw.randrange(len(other) + 1)
            data[at:] = other[start:]
        else:
            data[at:at] = str(draw.choice((-1, 0, 10**9, 2**63, 1e308))).encode()
    return bytes(data)


def fuzz(target: Target, seconds: float, seed: int) -> Iterator[bytes]:
    """Run the target on mutations for so long; yields each input just before it is tried."""
    draw = random.Random(seed)
    seeds = [*target.seeds(), b""]
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        data = mutated(target, seeds, draw)
        yield data
        target.run(data)
