"""Build the WebAssembly modules of the kernels for the page, and their TypeScript descriptions.

    python scripts/build_wasm.py            # needs the linker: pip install "ziglang"
    python scripts/build_wasm.py --check    # builds again, and fails when the committed files differ

The modules are the same on every machine: the kernels are compiled in a fresh process, for a generic
processor, into an empty cache, in a fixed order. Each carries the hash of the kernels' sources in a section
``wuzi.sources``.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "frontend" / "src" / "wasm"
MODULE, TYPES = FOLDER / "kernels.wasm", FOLDER / "generated.ts"
LEARNER = FOLDER / "learner.wasm"
LEARNER_FOLDER = FOLDER / "learner"
FACTS = FOLDER.parent / "game" / "facts.ts"
SECTION = b"wuzi.sources"


def sources_hash(kernels: Mapping[str, Any]) -> str:
    """The hash of all files that these kernels' code depends on, but for how a machine keeps them."""
    from wuzi.core.jit import PACKAGE_ROOT, kernel_sources

    digest = hashlib.sha256()
    for path in kernel_sources(*{kernel.__module__ for kernel in kernels.values()}):
        if path.name in ("jit.py", "kernel_cache.py"):
            continue
        digest.update(path.relative_to(PACKAGE_ROOT).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def section_of(module: bytes) -> str:
    """The hash that a module carries.

    Raises:
        ValueError: it carries none.
    """
    at = module.find(bytes([len(SECTION)]) + SECTION)
    if at < 0:
        raise ValueError(f"the module has no section {SECTION.decode()}")
    start = at + 1 + len(SECTION)
    return module[start : start + 64].decode()


def build() -> dict[Path, bytes]:
    """The modules, their descriptions and the facts of the rules, made in this process, by their files."""
    from wasm_making.compiling import compiled, linked
    from wasm_making.exports import KERNELS, LEARNING

    made = {}
    for path, kernels in {MODULE: KERNELS, LEARNER: LEARNING}.items():
        content = bytes([len(SECTION)]) + SECTION + sources_hash(kernels).encode()
        code = linked(compiled(kernels), list(kernels))
        if b"site-packages" in code:
            raise RuntimeError(f"{path.name} names a file of this machine: a kernel's error of Numba's does")
        made[path] = code + b"\0" + bytes([len(content)]) + content
    return made | {path: text.encode() for path, text in texts().items()} | tables()


def texts() -> dict[Path, str]:
    """The files beside the modules."""
    from wasm_making.facts import text as facts
    from wasm_making.recipes import text as recipes
    from wasm_making.typescript import learning_text, text

    return {
        TYPES: text(),
        FACTS: facts(),
        LEARNER_FOLDER / "generated.ts": learning_text(),
        LEARNER_FOLDER / "recipes.json": recipes(),
    }


def tables() -> dict[Path, bytes]:
    """The tables of threats, compressed, of the boards that a net may learn."""
    from wasm_making.recipes import TABLES

    from wuzi.apps.web.site_facts import threat_tables
    from wuzi.core import Rule

    return {LEARNER_FOLDER / f"tables-{n}.bin.gz": threat_tables(Rule.FREESTYLE, n) for n in TABLES}


def _plain(path: Path, content: bytes) -> bytes:
    """What is compared: another machine may compress in another way."""
    return gzip.decompress(content) if path.suffix == ".gz" else content


def main() -> int:
    """Build, or check, in a child whose environment makes the result reproducible."""
    parser = argparse.ArgumentParser(description="Build the WebAssembly modules of the kernels.")
    parser.add_argument("--check", action="store_true", help="Compare with the committed files.")
    parser.add_argument("--in-clean-process", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if not asked.in_clean_process:
        with tempfile.TemporaryDirectory() as cache:
            clean = {key: value for key, value in os.environ.items() if not key.startswith("NUMBA_")}
            clean |= {"NUMBA_CPU_NAME": "generic", "WUZI_CACHE_DIR": cache, "PYTHONHASHSEED": "0"}
            return subprocess.run(
                [sys.executable, *sys.argv, "--in-clean-process"], env=clean, check=False
            ).returncode
    files = build()
    sizes = [(path, len(files[path])) for path in (MODULE, LEARNER)]
    if asked.check:
        for path, new in files.items():
            if not path.exists() or _plain(path, path.read_bytes()) != _plain(path, new):
                print(
                    f"{path.relative_to(ROOT)} does not fit the kernels: run scripts/build_wasm.py",
                    file=sys.stderr,
                )
                return 1
        print(
            *(f"{path.relative_to(ROOT)} fits the kernels: {size:,} bytes" for path, size in sizes), sep="\n"
        )
        return 0
    for path, new in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(new)
    print(*(f"{path.relative_to(ROOT)}: {size:,} bytes" for path, size in sizes), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
