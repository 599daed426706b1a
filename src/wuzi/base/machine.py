"""A machine's processors, and folders for a user's files; the environment may name others."""

from __future__ import annotations

import os
import sys
import tomllib
from importlib import resources
from pathlib import Path
from typing import Any

from platformdirs import user_config_path, user_data_path


def processors() -> int:
    """How many this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on this system
        return os.cpu_count() or 1


def lower_priority() -> None:
    """Let other programs use the processors first, from now on, in processes started from here too."""
    if sys.platform == "win32":
        import ctypes

        windows = ctypes.windll.kernel32
        windows.SetPriorityClass(windows.GetCurrentProcess(), 0x4000)  # BELOW_NORMAL_PRIORITY_CLASS
    else:
        os.nice(15)


def data_dir() -> Path:
    """Games and databases; ``WUZI_DATA_DIR`` overrides. Not created here."""
    chosen = os.environ.get("WUZI_DATA_DIR")
    return Path(chosen) if chosen else user_data_path("wuzi", appauthor=False)


def config_dir() -> Path:
    """``config.toml`` and ``engines.toml``; ``WUZI_CONFIG_DIR`` overrides. Not created here."""
    chosen = os.environ.get("WUZI_CONFIG_DIR")
    return Path(chosen) if chosen else user_config_path("wuzi", appauthor=False)


def config_file() -> Path:
    """The file of defaults for the command line."""
    return config_dir() / "config.toml"


def packaged_table(path: str) -> dict[str, Any]:
    """The TOML table that came with wuzi as ``data/PATH``."""
    return tomllib.loads((resources.files("wuzi") / "data" / path).read_text("utf-8"))
