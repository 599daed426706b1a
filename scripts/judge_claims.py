"""Judge what the source documents claim: scripts/judge_claims.py CLAIMS.toml --into DIR --figures FILE.

Writes the table ``claims.md`` in both languages, and with ``--points`` the answers to the open points of a
document at the end of the pages that ``wuzi study report`` wrote.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

from claims.judging import judge
from claims.page import write_claims, write_points
from claims.reading import Verdict, load_claims, load_figures

from wuzi.errors import WuziError


def main(arguments: list[str] | None = None) -> int:
    """Run the command; 2 for wrong input."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("file", type=Path, metavar="CLAIMS.toml", help="what the documents claim")
    parser.add_argument("--into", type=Path, required=True, help="folder of claims.md")
    parser.add_argument("--figures", type=Path, action="append", default=[], help="figures.json of a report")
    parser.add_argument("--points", type=Path, help="folder of the report that answers the open points")
    given = parser.parse_args(arguments)
    try:
        claims, points = load_claims(given.file)
        figures = load_figures(given.figures)
        judged = [judge(claim, figures) for claim in claims]
        pages = write_claims(judged, figures, given.file.name, given.into)
        if given.points is not None:
            pages += write_points(claims, points, figures, given.points)
    except WuziError as error:
        print(f"judge_claims: {error}", file=sys.stderr)
        return 2
    counts = Counter(one.verdict for one in judged)
    print(*pages, sep="\n")
    print(", ".join(f"{verdict.replace('_', ' ')}: {counts[verdict]}" for verdict in Verdict))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
