"""Build the fonts that charts and the desktop use: subsets of Noto Sans CJK SC with our characters.

    python scripts/make_font.py [--source NotoSansCJK-Regular.ttc] [--bold NotoSansCJK-Bold.ttc]

The characters are ASCII, the signs and Chinese characters of ``src/wuzi/data/fonts/characters.txt`` and
every character of the catalogues (``*.json`` and ``*.ts`` with translations) and of the Python files that
name things in Chinese; the bold font has those of the desktop only. Needs fonttools and the source fonts
(Debian: ``fonts-noto-cjk``). The same inputs give the same bytes.
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
BOLD_SOURCE = SOURCE.with_name("NotoSansCJK-Bold.ttc")
FAMILY = "Wuzi Sans SC"
"""The subset has its own name, so that an installed Noto Sans is never taken for it."""

NAMES = (
    *("src/wuzi/data/players/*.toml", "src/wuzi/data/nets/names.toml"),
    *("src/wuzi/players/opponents.py", "src/wuzi/apps/desktop/*.py"),
)
"""Files that name opponents, nets and levels."""


def characters() -> set[str]:
    """All characters the font must have: of every text, and of the sentences about moves."""
    texts = ("src/wuzi/**/catalogue/*.json", "frontend/src/**/*.json", "src/wuzi/analysis/*.py")
    return _of("src/wuzi/data/fonts/characters.txt", "src/wuzi/training/run/watch.py", *texts, *NAMES)


def bold_characters() -> set[str]:
    """All characters the bold font must have: those of the desktop's texts and of the players' names."""
    return _of("src/wuzi/apps/desktop/catalogue/*.json", "src/wuzi/games/catalogue/*.json", *NAMES)


def _of(*patterns: str) -> set[str]:
    """The printable characters of ASCII and of the files that these patterns name."""
    wanted = {chr(code) for code in range(0x20, 0x7F)}
    for path in (path for pattern in patterns for path in ROOT.glob(pattern)):
        wanted |= set(path.read_text(encoding="utf-8"))
    return {char for char in wanted if char.isprintable()}


def find_face(source: Path, name: str = "Noto Sans CJK SC") -> TTFont:
    """The face with that family name in a font collection."""
    for number in range(64):
        font = TTFont(source, fontNumber=number, lazy=True)
        if font["name"].getDebugName(1) == name:
            return font
    raise SystemExit(f"{source}: no face {name!r} among the first 64")


def rename(font: TTFont, style: str) -> None:
    """Give the subset its own family name; copyright and licence entries stay."""
    names = font["name"]
    names.names = [record for record in names.names if record.nameID in (0, 8, 9, 11, 13, 14)]
    texts = {
        1: FAMILY,
        2: style,
        3: f"wuzi: subset of Noto Sans CJK SC {style}".removesuffix(" Regular"),
        4: f"{FAMILY} {style}".removesuffix(" Regular"),
        6: f"WuziSansSC-{style}",
    }
    for number, text in texts.items():
        names.setName(text, number, 3, 1, 0x409)
    cff = font["CFF "].cff
    cff.fontNames = [texts[6]]
    cff.topDictIndex[0].FullName = texts[4]
    cff.topDictIndex[0].FamilyName = FAMILY


def build(source: Path, target: Path, wanted: set[str], style: str) -> int:
    """Write the subset; returns its size in bytes."""
    options = subset.Options()
    options.layout_features = ["kern", "mark", "mkmk", "ccmp", "locl"]
    options.hinting = False
    options.desubroutinize = False
    options.name_IDs = ["*"]
    options.notdef_outline = True
    options.drop_tables += ["BASE", "VORG", "vhea", "vmtx", "DSIG"]
    font = find_face(source)
    missing = sorted(wanted - {chr(code) for code in font.getBestCmap()})
    if missing:
        sys.stderr.write(f"{source} has no glyph for {' '.join(missing)}\n")
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=[ord(char) for char in wanted])
    subsetter.subset(font)
    rename(font, style)
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
    parser.add_argument("--bold", type=Path, default=BOLD_SOURCE)
    parser.add_argument("--folder", type=Path, default=FONTS)
    given = parser.parse_args()
    for source, style, wanted in (
        (given.source, "Regular", characters()),
        (given.bold, "Bold", bold_characters()),
    ):
        if not source.exists():
            sys.stderr.write(f"{source}: not found; install fonts-noto-cjk or name another file\n")
            return 1
        target = given.folder / f"WuziSansSC-{style}.otf"
        size = build(source, target, wanted, style)
        sys.stdout.write(f"{target}: {size / 1024:.0f} KiB\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
