"""What docstrings say in Sphinx's or doctest's way, said in Markdown for the site.

Roles such as ``:class:`wuzi.Game``` become plain code, examples that begin with ``>>>`` blocks of code.
"""

from __future__ import annotations

import re
from typing import Any

import griffe

ROLE = re.compile(r":[a-z]+:`~?([^`]+)`")
EXAMPLE = re.compile(r"(^>>> (?:.+\n?)+)", re.MULTILINE)


class Roles(griffe.Extension):
    """Rewrites the docstring of every object that is read."""

    def on_object(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        """Called by griffe for each object."""
        del kwargs
        if obj.docstring is not None:
            text = ROLE.sub(r"`\1`", obj.docstring.value)
            obj.docstring.value = EXAMPLE.sub(lambda found: f"```pycon\n{found[1].rstrip()}\n```\n", text)
