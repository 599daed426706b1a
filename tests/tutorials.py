"""Tutorials as shell scripts: what a reader would type and save, in the order of the page.

A comment before a block says what a script cannot guess: ``<!-- example: not run -->`` (installs something
or needs another machine), ``<!-- example: server -->`` (goes on while the next blocks run),
``<!-- example: input A B -->`` (lines typed at its prompt), ``<!-- example: install NAME -->`` (a local
package). A block with ``title="FILE"`` is a file to save.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TUTORIALS = sorted(
    page
    for page in (ROOT / "docs" / "tutorials").glob("*.md")
    if not page.name.endswith(".zh.md") and page.stem != "README"
)
BLOCK = re.compile(
    r"(?:<!-- example: (?P<mark>.+?) -->\n)?"
    r"^```(?P<kind>\w+)(?: title=\"(?P<title>[^\"]+)\")?\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
SHORTER = (
    ("--max-time 1m", "--max-time 8s"),
    ("--solver-games 10", "--solver-games 2"),
    ("--solver-games 20", "--solver-games 2"),
    (" -n 200 ", " -n 12 "),
    ("--games 100", "--games 2"),
    ("--games 400", "--games 2"),
)
"""Training is as long as it takes; the test only sees that it runs."""
HEAD = """\
set -e
stop_server() { [ -z "$SERVER" ] || { kill "$SERVER"; wait "$SERVER" || true; SERVER=; }; }
trap stop_server EXIT
"""
WAIT = """\
SERVER=$!
for try in $(seq 240); do
    curl -sf http://127.0.0.1:{port}/api/v1/health > /dev/null && break
    kill -0 $SERVER
    sleep 0.5
done
"""


@dataclass(frozen=True)
class Block:
    """A block of a page: its mark, its language, the file it is saved as, and its text."""

    mark: str
    kind: str
    title: str
    text: str


def blocks(page: Path) -> Iterator[Block]:
    """The blocks of a page in order."""
    for match in BLOCK.finditer(page.read_text("utf-8")):
        yield Block(match["mark"] or "", match["kind"], match["title"] or "", match["text"])


def script_of(page: Path, port: int) -> str:
    """The page as one bash script; a server that it starts listens at ``port``."""
    text = "\n".join(part for block in blocks(page) if (part := _script(block, port)))
    for written, short in SHORTER:
        text = text.replace(written, short)
    return HEAD + text.replace("127.0.0.1:8000", f"127.0.0.1:{port}")


def _script(block: Block, port: int) -> str:
    mark, _, rest = block.mark.partition(" ")
    if block.mark == "not run":
        return ""
    if block.title:
        folder = shlex.quote(str(Path(block.title).parent))
        return (
            f"mkdir -p {folder}\ncat > {shlex.quote(block.title)} <<'END_OF_FILE'\n{block.text}END_OF_FILE\n"
        )
    if block.kind == "python":
        return f"python - <<'END_OF_PYTHON'\n{block.text}END_OF_PYTHON\n"
    if block.kind != "sh":
        return ""
    if mark == "server":
        return f"stop_server\n{block.text.strip()} > server.log 2>&1 &\n" + WAIT.format(port=port)
    if mark == "input":
        lines = " ".join(shlex.quote(word) for word in rest.split())
        return f"printf '%s\\n' {lines} | {block.text}"
    if mark == "install":  # beside the environment, which stays as it is
        options = "--quiet --disable-pip-version-check --no-build-isolation --no-deps --target packages"
        return f"python -m pip install {options} ./{rest}\nexport PYTHONPATH=$PWD/packages:$PYTHONPATH\n"
    assert not mark, f"unknown mark {block.mark!r}"
    return block.text
