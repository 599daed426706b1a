"""The house: no import points up or in a circle, imports by string included, and a noun names one class."""

from __future__ import annotations

import ast
import re
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "src"
MODULE = re.compile(r"wuzi(\.\w+)+(:[\w.]+)?")
GROUPS = {"wuzi.players", "wuzi.nets", "wuzi.evaluators", "wuzi.formats"}
"""Entry-point groups, named like packages; :mod:`wuzi.base.plugins` only asks the installation for them."""


def name_of(path: Path) -> str:
    parts = path.relative_to(SOURCES).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = {name_of(path): path for path in sorted((SOURCES / "wuzi").rglob("*.py"))}


@cache
def trees() -> dict[str, ast.Module]:
    """What every module of ours says."""
    return {name: ast.parse(path.read_text("utf-8")) for name, path in FILES.items()}


def module_of(text: str) -> str | None:
    """The module of ours that a dotted name lies in."""
    while text and text not in FILES:
        text = text.rpartition(".")[0]
    return text or None


def is_for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING"


def nodes_of(tree: ast.AST) -> Iterator[ast.AST]:
    """All nodes but those that only type checkers see and those of commands for ``python -m``."""
    for node in ast.iter_child_nodes(tree):
        if is_for_types(node):
            continue
        values = [getattr(part, "value", None) for part in getattr(node, "elts", ())]
        if "-m" in values:
            continue
        yield node
        yield from nodes_of(node)


def strings_of(name: str) -> Iterator[str]:
    """Modules of ours that a module names in strings, where it does not just tell its own place."""
    for node in nodes_of(trees()[name]):
        text = node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
        if MODULE.fullmatch(text.rstrip(".")) and text not in GROUPS:
            found = module_of(text.rstrip(".").replace(":", "."))
            if found and found != "wuzi" and not name.startswith(found):
                yield found


def imports_of(name: str) -> Iterator[str]:
    """Modules of ours that a module imports, in functions too."""
    for node in nodes_of(trees()[name]):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in FILES)
        elif isinstance(node, ast.ImportFrom) and node.module in FILES:
            for alias in node.names:
                yield module_of(f"{node.module}.{alias.name}") or node.module


def rank_of() -> dict[str, int]:
    """How high each package stands, from the layers that import-linter checks."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    (layers,) = (contract["layers"] for contract in contracts if contract["type"] == "layers")
    return {f"wuzi.{layer.strip('()')}": -place for place, layer in enumerate(layers)}


def package_of(name: str) -> str:
    return ".".join(name.split(".")[:2])


def test_no_string_points_up() -> None:
    rank = rank_of()
    upward = [
        f"{name}: {target}"
        for name in FILES
        for target in strings_of(name)
        if package_of(name) in rank and rank[package_of(target)] > rank[package_of(name)]
    ]
    assert not upward


def circles(edges: dict[str, set[str]]) -> list[list[str]]:
    """The groups of modules that reach each other."""
    reach = {name: _reached(edges, name) for name in edges}
    groups = {tuple(sorted(m for m in reach[n] if n in reach[m])) for n in edges if n in reach[n]}
    return [list(group) for group in sorted(groups)]


def _reached(edges: dict[str, set[str]], first: str) -> set[str]:
    found: set[str] = set()
    waiting = [first]
    while waiting:
        for target in edges.get(waiting.pop(), ()):
            if target not in found:
                found.add(target)
                waiting.append(target)
    return found


def test_no_modules_import_each_other() -> None:
    """Packages are left out: their names are found when they are first used."""
    edges = {name: {*imports_of(name), *strings_of(name)} - {name} for name in FILES}
    modules = {name for name, path in FILES.items() if path.name != "__init__.py"}
    assert circles({name: edges[name] & modules for name in modules}) == []


def test_the_checks_see_what_they_look_for() -> None:
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) == [["a", "b", "c"]]
    assert "wuzi.players.minimax" in set(strings_of("wuzi.players.registry"))
    assert "wuzi.core.rule_kernels" in set(imports_of("wuzi.core.position"))
    assert rank_of()["wuzi.records"] > rank_of()["wuzi.core"] > rank_of()["wuzi.base"]


def public_classes() -> dict[str, list[str]]:
    """Where each public class name is defined."""
    homes = defaultdict(list)
    for name, tree in trees().items():
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].append(name)
    return homes


def test_a_noun_names_one_class() -> None:
    assert not {name: homes for name, homes in public_classes().items() if len(homes) > 1}


RULE_NUMBERS = r"(?:Rule\.)?(?:FREESTYLE|STANDARD|RENJU|CARO|CARO_OVERLINE)\b"
COMPARED = re.compile(rf"(?:[!=<>]=|[<>]|\bis(?: not)?|\bin \(|- \{{) ?{RULE_NUMBERS}")


def test_a_rule_is_asked_for_its_properties_and_not_for_its_number() -> None:
    core = SOURCES / "wuzi" / "core"
    found = {
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for path in FILES.values()
        if not path.is_relative_to(core)
        for line in path.read_text("utf-8").splitlines()
        if COMPARED.search(line) and not line.lstrip().startswith("(<")  # a doctest's answer
    }
    assert not found
    for line in ("if state.rule >= CARO_OVERLINE:", "if rules.rule in (Rule.CARO, Rule.CARO_OVERLINE):"):
        assert COMPARED.search(line)
    for line in ("x = state.rule == RENJU and y", "if rule is not Rule.RENJU:", "can.rules - {Rule.CARO}"):
        assert COMPARED.search(line)
    page = ROOT / "frontend" / "src"
    assert not [path for path in page.rglob("*.ts") if "startsWith('caro" in path.read_text("utf-8")]
