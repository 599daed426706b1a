"""The documentation site: built strictly, complete in both languages, its links lead somewhere."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit

import pytest
from docs_site.reference import public_names
from filelock import FileLock

from wuzi.apps.cli.frame import COMMANDS
from wuzi.players import list_players

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
pytestmark = [pytest.mark.ci("builds the documentation site"), pytest.mark.kernels]


class Page(HTMLParser):
    """The links, loaded files and anchors of a page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.anchors: set[str] = set()
        self.language = ""
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self.anchors |= {found[name] for name in ("id", "name") if name in found}
        if tag == "html":
            self.language = found.get("lang", "")
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
        if tag in ("script", "img", "iframe", "source") and "src" in found:
            self.loaded.append(found["src"])
        if tag == "link" and found.get("rel") in ("stylesheet", "icon", "preload", "preconnect"):
            self.loaded.append(found["href"])


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, testrun_uid: str) -> Path:
    """The site, built by the first of the test processes for all of them."""
    parts = tmp_path_factory.getbasetemp().parent if "PYTEST_XDIST_WORKER" in os.environ else None
    folder = (parts or tmp_path_factory.mktemp("site")) / f"site-{testrun_uid}"
    with FileLock(f"{folder}.lock"):
        if not (folder / "index.html").is_file():
            build(folder)
    return folder


def build(folder: Path) -> None:
    paths = os.pathsep.join([str(ROOT / "scripts"), str(ROOT / "src")])
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": paths, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:  # with --strict a site with warnings is there, too
        shutil.rmtree(folder, ignore_errors=True)
    assert done.returncode == 0, done.stderr[-4000:]


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Page]:
    return {path: Page(path) for path in site.rglob("*.html") if path.name != "404.html"}


def test_every_link_inside_the_site_leads_somewhere(site: Path, pages: dict[Path, Page]) -> None:
    assert len(pages) > 100
    for path, page in pages.items():
        for link in page.links:
            target, anchor = urldefrag(link)
            parts = urlsplit(target)
            if parts.scheme or parts.netloc:
                continue
            place = path if not target else (path.parent / unquote(parts.path)).resolve()
            place = place / "index.html" if place.is_dir() else place
            assert place.is_file(), f"{path.relative_to(site)}: {link}"
            if anchor and place in pages and not anchor.startswith("__"):
                assert unquote(anchor) in pages[place].anchors, f"{path.relative_to(site)}: {link}"


def test_nothing_is_loaded_from_elsewhere(site: Path, pages: dict[Path, Page]) -> None:
    for path, page in pages.items():
        for source in page.loaded:
            parts = urlsplit(source)
            assert not parts.netloc and parts.scheme in ("", "data"), f"{path.relative_to(site)}: {source}"
            if not parts.scheme:
                assert (path.parent / unquote(parts.path)).is_file(), f"{path.relative_to(site)}: {source}"
    for style in site.rglob("*.css"):
        assert not re.search(r"url\(['\"]?(?:https?:)?//", style.read_text("utf-8")), style


def test_both_languages_have_all_pages(site: Path, pages: dict[Path, Page]) -> None:
    english = {path.relative_to(site) for path in pages if path.relative_to(site).parts[0] != "zh"}
    chinese = {path.relative_to(site / "zh") for path in pages if path.relative_to(site).parts[0] == "zh"}
    assert english == chinese
    assert {page.language for path, page in pages.items() if "zh" in path.relative_to(site).parts} == {"zh"}


def test_what_a_reader_needs_first_is_translated() -> None:
    needed = "index players rules analysis training nets gomocup python tactics search speed strength review"
    needed += " environments plugins distillation ppo studies desktop analysis-protocol arena web formats"
    needed += " cluster cluster-model deploy keras security contributing"
    needed += " results/README results/details results/plan"
    needed += " concepts/* algorithms/* documents/* tutorials/*"
    for pattern in needed.split():
        for page in DOCS.glob(f"{pattern}.md"):
            if not page.name.endswith(".zh.md"):
                assert page.with_name(f"{page.stem}.zh.md").is_file(), page


def module_of(page: Path) -> str:
    """The module whose public names stand on ``api-NAME``, dashes for dots."""
    name = page.stem.removeprefix("api-").replace("-", ".")
    return name if name == "wuzi" else f"wuzi.{name}"


def test_generated_parts_hold_all_there_is(site: Path) -> None:
    texts = {
        name: (site / "reference" / f"{name}.html").read_text("utf-8").replace("<wbr>", "")
        for name in ("cli", "players")
    }
    for name in COMMANDS:
        assert f"wuzi {name}</code>" in texts["cli"], name
    for info in list_players():
        for option in info.options:
            assert f"<code>{option}</code>" in texts["players"], (info.name, option)
    for page in (site / "reference").glob("api-*.html"):
        listed = public_names(module_of(page))
        names = [name for name in listed if not name.endswith(("__version__", ".errors"))]
        assert names
        text = page.read_text("utf-8")
        for name in names:
            assert f'id="{name}"' in text or f">{name.rpartition('.')[2]}<" in text, name
    for page in site.rglob("*.html"):
        assert "<!-- generated:" not in page.read_text("utf-8"), page


def test_every_module_with_public_names_has_a_page() -> None:
    lines = (ROOT / "tests" / "golden" / "api.txt").read_text("utf-8").split()
    modules = {line.rpartition(".")[0] for line in lines}
    assert {module_of(page) for page in (DOCS / "reference").glob("api-*.md")} == modules
