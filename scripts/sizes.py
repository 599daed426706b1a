"""The size of every room against its cap: ``python scripts/sizes.py [--dist DIR]``; 1 when one is over.

``sizes.toml`` holds the caps: lines of code, megabytes of files and, with ``--dist``, of a folder's archives.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CODE = frozenset({".py", ".pyi", ".ts", ".vue", ".css", ".js"})
"""Endings of files whose lines count."""


@dataclass(frozen=True)
class Room:
    """A line of the table; a room without a cap is shown within the one that has it."""

    name: str
    size: float  # lines, or megabytes
    cap: float | None = None
    aim: float | None = None

    @property
    def over(self) -> bool:
        """Whether it is larger than it may be."""
        return self.cap is not None and self.size > self.cap


def tracked(root: Path) -> list[str]:
    """The files of a clone, or of an unpacked source archive."""
    if (root / ".git").exists():
        listed = subprocess.run(
            ["git", "ls-files", "-z"], cwd=root, capture_output=True, text=True, check=True
        )
        return [name for name in listed.stdout.split("\0") if name and (root / name).is_file()]
    names = [path.relative_to(root).as_posix() for path in sorted(root.rglob("*")) if path.is_file()]
    return [name for name in names if not name.startswith(".") and "/node_modules/" not in name]


def lines_in(root: Path, names: list[str]) -> int:
    """Lines of code of these files, blank ones and comments included, without files that a program made."""
    written = [name for name in names if Path(name).suffix in CODE and Path(name).stem != "generated"]
    return sum((root / name).read_bytes().count(b"\n") for name in written)


def within(names: list[str], folder: str) -> list[str]:
    """Those of the names that lie in a folder."""
    return [name for name in names if name.startswith(f"{folder}/")]


def rooms(
    root: Path, caps: dict[str, dict[str, dict[str, float]]], dist: Path | None = None
) -> Iterator[Room]:
    """Every room with what it measures."""
    names = tracked(root)
    for room, bounds in caps["lines"].items():
        own = [name for folder in room.split(" + ") for name in within(names, folder)]
        yield Room(room, lines_in(root, own), bounds["cap"], bounds["aim"])
        for part in sorted(
            {name.split("/")[2] for name in own if room == "src/wuzi" and name.count("/") > 2}
        ):
            yield Room(f"  {part}", lines_in(root, within(own, f"{room}/{part}")))
    for room, bounds in caps["megabytes"].items():
        own = within(names, room)
        yield Room(f"{room}, MB", sum((root / name).stat().st_size for name in own) / 1e6, **bounds)
    if dist is not None:
        for pattern, bounds in caps["archives"].items():
            files = sorted(dist.glob(pattern))
            if not files:
                raise SystemExit(f"sizes: {dist}: no {pattern}")
            yield Room(f"{pattern}, MB", files[-1].stat().st_size / 1e6, **bounds)


def main(arguments: list[str] | None = None) -> int:
    """Print the table; 1 if a room is over its cap."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--dist", type=Path, help="folder of the built archives")
    parser.add_argument("--root", type=Path, default=ROOT, help="another clone")
    given = parser.parse_args(arguments)
    caps = tomllib.loads((given.root / "sizes.toml").read_text("utf-8"))
    found = list(rooms(given.root, caps, given.dist))
    print(f"{'room':32}{'size':>10}{'cap':>10}{'aim':>10}")
    for room in found:
        bounds = ("" if bound is None else f"{bound:,g}" for bound in (room.cap, room.aim))
        size = f"{room.size:,.1f}" if room.name.endswith("MB") else f"{room.size:,.0f}"
        print(f"{room.name:32}{size:>10}{''.join(f'{bound:>10}' for bound in bounds)}{'  over' * room.over}")
    over = [room for room in found if room.over]
    for room in over:
        said = f"{room.name}: {room.size:,.1f}: expected at most {room.cap:,g}, its cap in sizes.toml"
        print(f"sizes: {said}", file=sys.stderr)
    return int(bool(over))


if __name__ == "__main__":
    sys.exit(main())
