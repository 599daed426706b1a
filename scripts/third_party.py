"""Writes THIRD-PARTY.md, the notices of what wuzi's archives contain that others made.

The page's packages are those whose code is in the built page (packages.txt in it), so build the page
first; their versions are those of package-lock.json, their licences lie in node_modules. ``--check`` writes
nothing and fails when the file is not up to date.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import NamedTuple, NoReturn

from build_page import PAGE, ROOT, page_state

NOTICES = "THIRD-PARTY.md"
LISTED = PAGE / "packages.txt"
LOCK = Path("frontend", "package-lock.json")


def fail(text: str) -> NoReturn:
    """End the script with a message."""
    sys.exit(f"third_party: error: {text}")


class Package(NamedTuple):
    """An npm package of the page; ``text`` is that of its licence."""

    name: str
    version: str
    licence: str
    text: str


def bundled(root: Path) -> list[Package]:
    """The packages in the built page; the script ends where it is not built or a licence text is missing."""
    if page_state(root) != "ready":
        fail("the page is not built from these sources: python scripts/dev.py page")
    locked = json.loads((root / LOCK).read_text(encoding="utf-8"))["packages"]
    found = []
    for place in (root / LISTED).read_text(encoding="utf-8").split():
        name, entry = place.rpartition("node_modules/")[2], locked[place]
        text = _licence_text(root / "frontend" / place)
        found.append(Package(name, entry["version"], entry["license"], text))
    return sorted(found)


def _licence_text(folder: Path) -> str:
    for path in sorted(folder.glob("[Ll][Ii][Cc][Ee][Nn][CcSs][Ee]*")):
        lines = path.read_text(encoding="utf-8").strip().splitlines()
        return "\n".join(line.rstrip() for line in lines)
    fail(f"{folder}: no licence text: npm ci in frontend/, or the package has none")


def notices(packages: list[Package]) -> str:
    """The file's text; a licence that several packages share word for word stands there once."""
    rows = "".join(f"| {name} | {version} | {licence} |\n" for name, version, licence, _ in packages)
    texts: dict[str, list[str]] = {}
    for name, version, _, text in packages:
        texts.setdefault(text, []).append(f"{name} {version}")
    blocks = (f"\n### {', '.join(titles)}\n\n```text\n{text}\n```\n" for text, titles in texts.items())
    head = Path(__file__).with_suffix(".template").read_text(encoding="utf-8")
    return f"{head}| package | version | licence |\n|---|---|---|\n{rows}{''.join(blocks)}"


def main() -> None:
    """Write the file, or compare it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="only say whether it is up to date")
    given = parser.parse_args()
    target, text = ROOT / NOTICES, notices(bundled(ROOT))
    if not given.check:
        target.write_text(text, encoding="utf-8", newline="\n")
    elif not target.is_file() or target.read_text(encoding="utf-8") != text:
        fail(f"{NOTICES} is not up to date: python scripts/third_party.py")


if __name__ == "__main__":
    main()
