"""Finds the system's browsers for the browser tests, and installs them where that is simple."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import tomllib
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class SystemBrowser:
    """Where a browser may be found: by a variable of the environment, on PATH, at places of other systems."""

    name: str
    variable: str
    package: str
    commands: list[str]
    places: list[str]

    def find(self) -> str | None:
        """The program, None when there is none."""
        if chosen := os.environ.get(self.variable):
            return chosen
        on_path = filter(None, map(shutil.which, self.commands))
        return next(on_path, None) or next((place for place in self.places if Path(place).is_file()), None)

    @property
    def is_best(self) -> bool:
        """Whether it is the one of the Debian package, or one that the environment names."""
        return bool(os.environ.get(self.variable) or shutil.which(self.package))

    @property
    def missing(self) -> str:
        """What to say when there is none."""
        return f"no {self.name} found; install it or set {self.variable}"


CHROMIUM, FIREFOX = (
    SystemBrowser(**table)
    for table in tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))["browser"]
)


_CHINESE_FONT = "fonts-wqy-microhei"


def _has_chinese() -> bool:
    """Whether the browsers of this system find a font with Chinese characters."""
    if platform.system() != "Linux":
        return True
    listed = shutil.which("fc-list")
    return bool(listed and subprocess.run([listed, ":lang=zh"], capture_output=True, check=False).stdout)


def install_browsers() -> list[SystemBrowser]:
    """Install missing browsers with apt-get, as root of a Debian; returns those that are still missing.

    A Chromium that is there is joined by its lighter build, which the browser tests need to be quick. A font
    with Chinese characters comes along: without one Chinese words are boxes.
    """
    wanted = [browser for browser in (CHROMIUM, FIREFOX) if browser.find() is None]
    if CHROMIUM not in wanted and not CHROMIUM.is_best:
        wanted.append(CHROMIUM)
    is_root = platform.system() == "Linux" and os.geteuid() == 0
    packages = [one.package for one in wanted] + ([] if _has_chinese() else [_CHINESE_FONT])
    if packages and is_root and shutil.which("apt-get"):
        env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        commands = [["update", "-q"]]
        commands += [["install", "-y", "-q", "--no-install-recommends", package] for package in packages]
        for arguments in commands:
            subprocess.run(["apt-get", *arguments], env=env, check=False)
    return [browser for browser in wanted if browser.find() is None]
