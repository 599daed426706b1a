"""What the documentation site needs besides MkDocs: see ``mkdocs.yml`` and ``hooks.py``."""

import json
from pathlib import Path


def words_in(language: str) -> dict[str, str]:
    """What tables and charts of the site say, in English (``en``) or Chinese (``zh``)."""
    words = json.loads(Path(__file__).with_name("words.json").read_text("utf-8"))
    return {key: said[language == "zh"] for key, said in words.items()}
