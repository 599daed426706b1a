"""Writes THIRD-PARTY.md, the notices of what wuzi's archives contain that others made.

The page's packages are those whose code is in the built page (packages.txt in it), so build the page
first; their versions are those of package-lock.json, their licences lie in node_modules. ``--check`` writes
nothing and fails when the file is not up to date.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import dataclass
from pathlib import Path

from build_page import PAGE, ROOT, page_state

NOTICES = "THIRD-PARTY.md"
LISTED = PAGE / "packages.txt"
LOCK = Path("frontend", "package-lock.json")
HEAD = """# Third-party notices

wuzi itself is under the [MIT licence](LICENSE). Its archives also contain what is listed here; `python
scripts/third_party.py` writes this file. Python packages that wuzi needs are installed beside it, under their
own licences, and are not part of it.

## Fonts

`wuzi/data/fonts/WuziSansSC-Regular.otf` and `WuziSansSC-Bold.otf` are subsets of Noto Sans CJK SC, copyright
2014-2021 Adobe, under the SIL Open Font License 1.1, whose text lies beside them in `OFL.txt`. They have
another name because they are modified.

## Test data (source archive only)

`tests/nets/legacy/*.model` are weights of AlphaZero_Gomoku, copyright 2017 junxiaosong, under the MIT
licence, whose text lies beside them in `LICENSE`.

## The web page

Code of these npm packages is in the built page, `wuzi/data/web/assets`:

"""


class NoticesError(RuntimeError):
    """The notices cannot be made; the message says what is missing."""


@dataclass(frozen=True)
class Package:
    """An npm package of the page."""

    name: str
    version: str
    licence: str
    text: str

    @property
    def title(self) -> str:
        """Name and version."""
        return f"{self.name} {self.version}"


def bundled(root: Path) -> list[Package]:
    """The packages in the built page.

    Raises:
        NoticesError: the page is not built, or a package has no licence text.
    """
    if page_state(root) != "ready":
        raise NoticesError("the page is not built from these sources: python scripts/dev.py page")
    locked = json.loads((root / LOCK).read_text(encoding="utf-8"))["packages"]
    found = []
    for place in (root / LISTED).read_text(encoding="utf-8").split():
        entry = locked[place]
        name = place.rpartition("node_modules/")[2]
        text = _licence_text(root / "frontend" / place)
        found.append(Package(name, entry["version"], entry["license"], text))
    return sorted(found, key=lambda package: (package.name, package.version))


def _licence_text(folder: Path) -> str:
    for path in sorted(folder.glob("[Ll][Ii][Cc][Ee][Nn][CcSs][Ee]*")):
        lines = path.read_text(encoding="utf-8").strip().splitlines()
        return "\n".join(line.rstrip() for line in lines)
    raise NoticesError(f"{folder}: no licence text: npm ci in frontend/, or the package has none")


def notices(packages: list[Package]) -> str:
    """The file's text; a licence that several packages share word for word stands there once."""
    rows = "".join(f"| {package.name} | {package.version} | {package.licence} |\n" for package in packages)
    texts: dict[str, list[str]] = {}
    for package in packages:
        texts.setdefault(package.text, []).append(package.title)
    blocks = (f"\n### {', '.join(titles)}\n\n```text\n{text}\n```\n" for text, titles in texts.items())
    return f"{HEAD}| package | version | licence |\n|---|---|---|\n{rows}{''.join(blocks)}"


def main() -> int:
    """Write the file, or compare it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="only say whether it is up to date")
    given = parser.parse_args()
    target = ROOT / NOTICES
    try:
        text = notices(bundled(ROOT))
    except NoticesError as error:
        sys.exit(f"third_party: error: {error}")
    if given.check:
        if not target.is_file() or target.read_text(encoding="utf-8") != text:
            sys.exit(f"third_party: error: {NOTICES} is not up to date: python scripts/third_party.py")
    else:
        target.write_text(text, encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
