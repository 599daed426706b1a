"""Make the PNG icons of the installable page from its SVG ones, in the system's Chromium.

python scripts/make_icons.py
"""

from __future__ import annotations

import io
import sys

from browsers import CHROMIUM
from build_page import ROOT
from PIL import Image
from playwright.sync_api import sync_playwright

PUBLIC = ROOT / "frontend" / "public"
ICONS = {
    "icon-192.png": ("favicon.svg", 192),
    "icon-512.png": ("favicon.svg", 512),
    "icon-maskable-512.png": ("icon-maskable.svg", 512),
}
COLORS = 128


def main() -> int:
    """Draw each icon and write it with few colours."""
    path = CHROMIUM.find()
    if path is None:
        print(f"make_icons: error: {CHROMIUM.missing}", file=sys.stderr)
        return 1
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        for name, (source, size) in ICONS.items():
            page = browser.new_page(viewport={"width": size, "height": size})
            svg = (
                (PUBLIC / source)
                .read_text("utf-8")
                .replace("<svg ", f'<svg width="{size}" height="{size}" ', 1)
            )
            page.set_content(f"<style>body{{margin:0}}svg{{display:block}}</style>{svg}")
            image = Image.open(io.BytesIO(page.screenshot(omit_background=True)))
            image.quantize(COLORS, method=Image.Quantize.FASTOCTREE).save(PUBLIC / name, optimize=True)
            print(f"{name}: {(PUBLIC / name).stat().st_size} bytes")
            page.close()
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
