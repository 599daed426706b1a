"""Build the font that charts and the desktop use: a subset of Noto Sans CJK SC with our characters.

    python scripts/make_font.py [--source NotoSansCJK-Regular.ttc]

The characters are ASCII, the signs and Chinese characters of ``src/wuzi/data/fonts/characters.txt`` and
every character of the catalogues (``*.json`` and ``*.ts`` with translations). Needs fonttools and the
source font (Debian: ``fonts-noto-cjk``). The same inputs give the same bytes.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont

ROOT = Path(__file__).resolve().parent.parent
FONTS = ROOT / "src" / "wuzi" / "data" / "fonts"
SOURCE = Path("/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc")
FAMILY = "Wuzi Sans SC"
"""The subset has its own name, so that an installed Noto Sans is never taken for it."""

CATALOGUES = ("src/wuzi/**/catalogue/*.json", "frontend/src/locales/*")


def characters(root: Path = ROOT) -> set[str]:
    """All characters the font must have."""
    wanted = {chr(code) for code in range(0x20, 0x7F)}
    files = [FONTS / "characters.txt"]
    for pattern in CATALOGUES:
        files += sorted(path for path in root.glob(pattern) if path.is_file())
    for path in files:
        wanted |= set(path.read_text(encoding="utf-8"))
    return {char for char in wanted if char.isprintable()}


def find_face(source: Path, name: str = "Noto Sans CJK SC") -> TTFont:
    """The face with that family name in a font collection."""
    for number in range(64):
        font = TTFont(source, fontNumber=number, lazy=True)
        if font["name"].getDebugName(1) == name:
            return font
    raise SystemExit(f"{source}: no face {name!r} among the first 64")


def rename(font: TTFont) -> None:
    """Give the subset its own family name; copyright and licence entries stay."""
    names = font["name"]
    names.names = [record for record in names.names if record.nameID in (0, 8, 9, 11, 13, 14)]
    texts = {
        1: FAMILY,
        2: "Regular",
        3: "wuzi: subset of Noto Sans CJK SC",
        4: FAMILY,
        6: "WuziSansSC-Regular",
    }
    for number, text in texts.items():
        names.setName(text, number, 3, 1, 0x409)
    cff = font["CFF "].cff
    cff.fontNames = [texts[6]]
    cff.topDictIndex[0].FullName = FAMILY
    cff.topDictIndex[0].FamilyName = FAMILY


def build(source: Path, target: Path) -> int:
    """Write the subset; returns its size in bytes."""
    options = subset.Options()
    options.layout_features = ["kern", "mark", "mkmk", "ccmp", "locl"]
    options.hinting = False
    options.desubroutinize = False
    options.name_IDs = ["*"]
    options.notdef_outline = True
    options.drop_tables += ["BASE", "VORG", "vhea", "vmtx", "DSIG"]
    font = find_face(source)
    missing = sorted(characters() - {chr(code) for code in font.getBestCmap()})
    if missing:
        sys.stderr.write(f"{source} has no glyph for {' '.join(missing)}\n")
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=[ord(char) for char in characters()])
    subsetter.subset(font)
    rename(font)
    font["head"].modified = font["head"].created
    font.recalcTimestamp = False
    part = target.with_suffix(".tmp")
    font.save(part)
    os.replace(part, target)
    return target.stat().st_size


def main() -> int:
    """Run the script."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--source", type=Path, default=SOURCE)
    parser.add_argument("--target", type=Path, default=FONTS / "WuziSansSC-Regular.otf")
    given = parser.parse_args()
    if not given.source.exists():
        sys.stderr.write(f"{given.source}: not found; install fonts-noto-cjk or name it with --source\n")
        return 1
    size = build(given.source, given.target)
    sys.stdout.write(f"{given.target}: {size / 1024:.0f} KiB\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
