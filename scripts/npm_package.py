"""Write the WebAssembly module with its types as a folder that npm can publish and any program can use.

    (cd frontend && npm ci)                      # once: the TypeScript compiler
    python scripts/npm_package.py DIR            # a new or empty folder
    python -m http.server -d DIR                 # example.html plays

The folder has a package.json, the module, its JavaScript with declarations, the data of every rule, and an
example; see scripts/npm/README.md for what it can do.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import wuzi
from wuzi.apps.web.site_facts import data_files, packed

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "frontend"
BESIDE = Path(__file__).with_name("npm")
ENTRY = "package/index"


def write_package(folder: Path) -> None:
    """Write it; a folder that holds something is refused."""
    if folder.exists() and any(folder.iterdir()):
        raise SystemExit(f"{folder}: expected a new or empty folder")
    _compile(folder)
    shutil.copy(PAGE / "src" / "wasm" / "kernels.wasm", folder)
    for file in (*BESIDE.iterdir(), ROOT / "LICENSE"):
        shutil.copy(file, folder)
    (folder / "data").mkdir()
    for name, content in data_files():
        (folder / "data" / f"{name}.bin.gz").write_bytes(packed(content))
    about = {
        "name": "wuzi",
        "version": wuzi.__version__,
        "description": "Gomoku: rules, threat searches and an engine, as WebAssembly",
        "license": "MIT",
        "type": "module",
        "exports": {
            ".": {"types": f"./{ENTRY}.d.ts", "default": f"./{ENTRY}.js"},
            "./kernels.wasm": "./kernels.wasm",
            "./data/*": "./data/*",
        },
    }
    (folder / "package.json").write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")


def _compile(folder: Path) -> None:
    """The page's own sources that the entry needs, as JavaScript with declarations."""
    compiler = PAGE / "node_modules" / "typescript" / "bin" / "tsc"
    if not compiler.is_file():
        raise SystemExit(f"there is no {compiler}: run npm ci in frontend/")
    node = shutil.which("node") or sys.exit("there is no node")
    sources = PAGE / "src"
    with tempfile.TemporaryDirectory(dir=PAGE) as place:
        config, out = Path(place, "tsconfig.json"), Path(place, "out")
        chosen: dict[str, Any] = {"noEmit": False, "allowImportingTsExtensions": False, "declaration": True}
        chosen |= {"rootDir": str(sources), "outDir": str(out)}
        whole: dict[str, Any] = {
            "extends": str(PAGE / "tsconfig.json"),
            "compilerOptions": chosen,
            "include": [],
        }
        whole["files"] = [str(sources / f"{ENTRY}.ts")]
        config.write_text(json.dumps(whole), encoding="utf-8")
        subprocess.run([node, str(compiler), "-p", str(config)], check=True, cwd=PAGE)
        for file in out.rglob("*.*s"):
            name = file.relative_to(out)
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            text = _with_paths(file.read_text(encoding="utf-8"), name)
            (folder / name).write_text(text, encoding="utf-8")


def _with_paths(text: str, place: Path) -> str:
    """Names of modules as browsers and Node read them: relative, with their ending."""
    up = "../" * (len(place.parts) - 1) or "./"

    def written(found: re.Match[str]) -> str:
        quote, name = found[2], found[3]
        name = up + name.removeprefix("@/") if name.startswith("@/") else name
        name += "/index.js" if name.endswith("/wire") else ".js"
        return f"{found[1]}{quote}{name}{quote}"

    return re.sub(r"(from |import\()(['\"])([@.]/?[^'\"]*)\2", written, text)


def main() -> None:
    """Write the package."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path, metavar="DIR")
    write_package(parser.parse_args().folder)


if __name__ == "__main__":
    main()
