"""Finds the system's Chromium for the browser tests, and installs it where that is simple."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from pathlib import Path

_COMMANDS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge")
_PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe",
)


def find_chromium() -> str | None:
    """The browser of the tests: ``WUZI_CHROMIUM``, else a Chromium of this system, else None."""
    if chosen := os.environ.get("WUZI_CHROMIUM"):
        return chosen
    on_path = (shutil.which(name) for name in _COMMANDS)
    places = (place for place in _PLACES if Path(place).is_file())
    return next((path for path in on_path if path), None) or next(places, None)


def can_install() -> bool:
    """Whether this is Debian (or a child of it) and we may install packages."""
    return (
        platform.system() == "Linux"
        and shutil.which("apt-get") is not None
        and hasattr(os, "geteuid")
        and os.geteuid() == 0
    )


def ensure_chromium() -> str | None:
    """The browser, installed first with apt-get when it is missing and that is possible."""
    found = find_chromium()
    if found or not can_install():
        return found
    env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for arguments in (["update", "-q"], ["install", "-y", "-q", "--no-install-recommends", "chromium"]):
        subprocess.run(["apt-get", *arguments], env=env, check=False)
    return find_chromium()
