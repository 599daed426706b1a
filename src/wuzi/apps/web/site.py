"""The page as a folder of files for any static host: everything that it needs to play without a server."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from pathlib import Path

from wuzi.apps.web.guard import PAGE_POLICY
from wuzi.apps.web.settings import WEB_ROOT
from wuzi.apps.web.site_facts import data_files, facts, json_bytes, packed, proof_files, puzzles
from wuzi.base.atomic import write_atomic
from wuzi.errors import ConfigError

INDEX, WORKER, MANIFEST, LIST = "index.html", "sw.js", "manifest.webmanifest", "wuzi-site.json"
BOOT = "boot.js"
_BOOT = f'<script src="./{BOOT}"></script>'
_LEFT_OUT = frozenset({INDEX, WORKER, MANIFEST, "sources.sha256", "packages.txt"})
_FIRST_ASKED = re.compile(
    r"assets/(kernels-[\w-]+\.wasm|(game|instant|local|rules)-[\w-]+\.js|game-[\w-]+\.css)"
)
_ASKED = {".js": 'rel="modulepreload"', ".css": 'rel="preload" as="style"'}
_FETCHED = 'rel="preload" as="fetch"'
_FIRST_DATA = "freestyle-5"
"""The net that is kept at once, with the page itself; others when they are first asked for."""


def write_site(
    folder: Path, *, web_root: Path = WEB_ROOT, docs: Path | None = None, results: Path | None = None
) -> list[str]:
    """Write the site into a folder that is new, empty, or an earlier site; the names of all its files.

    ``docs`` is a built documentation, ``results`` a folder of result pages; they lie beside the page. The
    files of an earlier site that this one does not have are removed.

    Raises:
        ConfigError: the page is not built, or the folder holds something else.
    """
    if not (web_root / INDEX).is_file():
        raise ConfigError(f"the page is not built: expected {web_root / INDEX} (run `make page`)")
    before = _earlier(folder)
    files = {path.relative_to(web_root).as_posix(): path.read_bytes() for path in sorted(_files(web_root))}
    page = {name: content for name, content in files.items() if name not in _LEFT_OUT}
    data = {name: packed(content) for name, content in data_files()}
    named = {name: _named(f"data/{name}.bin.gz", content) for name, content in data.items()}
    proofs = {name: packed(content) for name, content in proof_files()}
    named |= {name: _named(f"data/{name}.txt.gz", content) for name, content in proofs.items()}
    data |= proofs
    page |= {named[name]: content for name, content in data.items()}
    puzzle_list = packed(json_bytes(puzzles()))
    page[puzzles_file := _named("data/puzzles.json.gz", puzzle_list)] = puzzle_list
    about = packed(json_bytes(facts(named, puzzles_file)))
    page[facts_file := _named("data/facts.json.gz", about)] = about
    later = {name for key, name in named.items() if key != _FIRST_DATA}
    page[MANIFEST] = _manifest(files[MANIFEST].decode())
    page[INDEX] = _index(
        files[INDEX].decode(),
        page.pop(BOOT),
        [facts_file, *sorted(filter(_FIRST_ASKED.fullmatch, page), reverse=True)],
    )
    for beside, source in (("docs", docs), ("results", results)):
        if source is not None:
            copies = {f"{beside}/{path.relative_to(source).as_posix()}": path for path in _files(source)}
            later |= copies.keys()
            page |= {name: path.read_bytes() for name, path in copies.items()}
    kept = {name: page[name] for name in sorted(page.keys() - later)}
    page[WORKER] = _worker(files[WORKER].decode(), kept)
    names = sorted(page)
    # The index comes last: until then visitors get the earlier page, whose files are still there.
    for name in [*(name for name in names if name != INDEX), INDEX]:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        write_atomic(folder / name, page[name])
    write_atomic(folder / LIST, json.dumps(names, indent=0).encode() + b"\n")
    for name in before - set(names):
        (folder / name).unlink(missing_ok=True)
    return names


def _files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def _earlier(folder: Path) -> set[str]:
    """The files of the site that a folder holds; ConfigError where it holds something else."""
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return set()
    try:
        names = json.loads((folder / LIST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        names = None
    if not isinstance(names, list) or not all(_is_inside(name) for name in names):
        raise ConfigError(f"{folder}: expected a new or empty folder, or an earlier site ({LIST})")
    return set(names)


def _is_inside(name: object) -> bool:
    return isinstance(name, str) and ".." not in Path(name).parts and not Path(name).is_absolute()


def _named(name: str, content: bytes) -> str:
    """The name with a hash of the content in it, so that a file of this name never changes."""
    stem, _, ending = name.partition(".")
    return f"{stem}-{hashlib.sha256(content).hexdigest()[:10]}.{ending}"


def _relative(text: str) -> str:
    """Addresses below the root of a host as addresses beside the page."""
    return re.sub(r'((?:href|src)=")/(?!/)', r"\1./", text)


def _index(text: str, boot: bytes, soon: list[str]) -> bytes:
    """The page that runs without a server: it names its facts, the first file, and its policy.

    All files of ``soon`` are asked for at once, not one after the other when the scripts get to them; the
    script that runs before the first paint stands in the page, as nothing else would be asked for before it.
    """
    hashed = base64.b64encode(hashlib.sha256(boot).digest()).decode()
    links = [
        f'<link {_ASKED.get(Path(name).suffix, _FETCHED)} crossorigin href="./{name}" />' for name in soon
    ]
    policy = PAGE_POLICY.replace("script-src", f"script-src 'sha256-{hashed}'")
    page = _relative(text)
    for old, new in (
        (_BOOT, f"<script>{boot.decode()}</script>"),
        ("<head>", f'<head>\n    <meta http-equiv="Content-Security-Policy" content="{policy}" />'),
        ("</head>", f'  <meta name="wuzi-site" content="{soon[0]}" />\n    {" ".join(links)}\n  </head>'),
    ):
        if page.count(old) != 1:
            raise ConfigError(f"{INDEX}: expected {old} once")
        page = page.replace(old, new)
    return page.encode()


def _manifest(text: str) -> bytes:
    """The manifest with addresses of the page's own router, which are behind a hash on a static host."""
    data = json.loads(text)
    for shortcut in data["shortcuts"]:
        shortcut["url"] = f"./#/{shortcut['url'].removeprefix('./')}"
    return json.dumps(data, ensure_ascii=False, indent=2).encode() + b"\n"


def _worker(text: str, kept: dict[str, bytes]) -> bytes:
    """The service worker for these files, with a version made of their contents."""
    version = hashlib.sha256(text.encode())
    for name, content in kept.items():
        version.update(name.encode() + content)
    filled = re.sub(r"wuzi-shell-\w+", f"wuzi-shell-{version.hexdigest()[:16]}", text, count=1)
    names = json.dumps([f"/{name}" for name in kept])
    filled = re.sub(r"^const FILES = .*$", lambda _: f"const FILES = {names}", filled, flags=re.MULTILINE)
    return filled.replace("const IS_SITE = false", "const IS_SITE = true").encode()
