"""The Python in the documentation works as written."""

from __future__ import annotations

import ast
import contextlib
import importlib
import io
import re
import warnings
from pathlib import Path

import pytest

from research.ladder.report import BEGIN
from wuzi.search.tree.forms import SEARCHES
from wuzi.torch_nets.registry import ARCHITECTURE_REGISTRY
from wuzi.training.data.targets import TARGETS
from wuzi.training.learner.losses import LOSSES

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted((ROOT / "docs").rglob("*.md"))
RUN = {"environments", "index", "plugins", "python", "search", "tactics"}
RUN |= {f"algorithms/{name}" for name in ("engine", "mcts", "minimax", "patterns", "puct", "vcf")}
"""Pages whose examples are run; those of the others need data or minutes, so only their imports are."""


def blocks(page: Path) -> list[str]:
    return re.findall(r"```python\n(.*?)```", page.read_text("utf-8"), re.DOTALL)


def test_pages_with_examples_are_there() -> None:
    names = {page.relative_to(ROOT / "docs").with_suffix("").as_posix() for page in PAGES if blocks(page)}
    assert names >= RUN


@pytest.mark.kernels
@pytest.mark.parametrize("name", sorted(RUN))
def test_examples_run_in_order(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WUZI_DATA_DIR", str(tmp_path / "data"))
    for registry in (ARCHITECTURE_REGISTRY, LOSSES, TARGETS, SEARCHES):
        monkeypatch.setattr(registry, "_here", {})  # what a page registers is gone after it
    space: dict[str, object] = {"__name__": "example"}
    for number, block in enumerate(blocks(ROOT / "docs" / f"{name}.md"), 1):
        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("default")  # what users have
            exec(compile(block, f"docs/{name}.md, example {number}", "exec", dont_inherit=True), space)


CHINESE = [page for page in PAGES if page.name.endswith(".zh.md")]


@pytest.mark.parametrize("page", CHINESE, ids=lambda page: page.name)
def test_the_chinese_page_has_the_same_examples_and_sections(page: Path) -> None:
    english = page.with_name(page.name.replace(".zh.md", ".md"))
    one, other = (file.read_text("utf-8").partition(BEGIN)[0] for file in (english, page))
    assert [without_comments(text) for text in blocks(english)] == [
        without_comments(text) for text in blocks(page)
    ]
    for pattern in (r"^```\w*", r"^#+ "):
        count = [len(re.findall(pattern, text, re.MULTILINE)) for text in (one, other)]
        assert count[0] == count[1], f"{pattern}: {count[0]} in English, {count[1]} in Chinese"


@pytest.mark.parametrize("page", [*CHINESE, *ROOT.glob("*.zh-CN.md")], ids=lambda page: page.name)
def test_the_chinese_page_leads_to_chinese_pages_and_its_emphasis_is_shown(page: Path) -> None:
    text = page.read_text("utf-8")
    for target in re.findall(r"(?<!\[English)(?<!英文页面)\]\(([^)#:\s]+)\.md", text):
        if not target.endswith((".zh", ".zh-CN")):
            for end in (".zh.md", ".zh-CN.md"):
                assert not (page.parent / f"{target}{end}").exists(), f"{target}.md has a Chinese page"
    # CommonMark closes no emphasis between a punctuation mark and a letter: **词：**下 shows its asterisks.
    emphasised = re.findall(r"(\*+)([^*\n]+)\1(.?)", re.sub(r"`[^`\n]*`", "code", text))
    assert not [
        words for _, words, after in emphasised if words[-1] in "：。，；？！、）" and after.isalnum()
    ]


def without_comments(code: str) -> str:
    return re.sub(r"#.*", "", code)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_examples_import_what_exists(page: Path) -> None:
    for block in blocks(page):
        for node in ast.walk(ast.parse(block)):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("wuzi"):
                module = importlib.import_module(node.module)
                for alias in node.names:
                    if not hasattr(module, alias.name):  # then it is a module in the package
                        importlib.import_module(f"{node.module}.{alias.name}")
