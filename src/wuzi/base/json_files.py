"""JSON files that hold one object: settings, states, notes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from wuzi.errors import RecordError


def read_object(path: Path) -> dict[str, Any]:
    """The object in a JSON file.

    Raises:
        RecordError: it cannot be read, or holds none; the message names it.
    """
    try:
        found = json.loads(path.read_bytes())
    except OSError as error:
        raise RecordError(f"{path}: cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise RecordError(f"{path}: not JSON ({error})") from None
    if not isinstance(found, dict):
        raise RecordError(f"{path}: expected an object, found {type(found).__name__}")
    return found
