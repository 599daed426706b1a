"""Packages that an extra of wuzi brings: imported when first needed, with an error that names the extra."""

from __future__ import annotations

import importlib
from typing import Any

from wuzi.errors import MissingExtraError


def need(extra: str, module: str, package: str = "") -> Any:
    """The module of an optional package, imported.

    Args:
        extra: the extra of wuzi that brings it.
        module: its name for ``import``.
        package: what it is called in messages, where that is another name.

    Raises:
        MissingExtraError: it is not installed.
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is not None and error.name.partition(".")[0] != module.partition(".")[0]:
            raise
        raise MissingExtraError(extra, package or module.partition(".")[0]) from None
