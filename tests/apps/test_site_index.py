"""The page of a site without a server, made from the built one."""

from __future__ import annotations

import pytest

from wuzi.apps.web import site
from wuzi.errors import ConfigError

BOOT = '<script src="/boot.js"></script>'


def page(*scripts: str) -> str:
    return f'<html><head>{"".join(scripts)}<link href="/a.css" /></head><body></body></html>'


def test_the_first_script_stands_in_the_page_and_may_run() -> None:
    made = site._index(page(BOOT), b"go()", ["data/facts.gz", "a.js"]).decode()
    assert "<script>go()</script>" in made and "boot.js" not in made
    assert "script-src 'sha256-" in made and 'href="./a.css"' in made
    assert '<meta name="wuzi-site" content="data/facts.gz" />' in made
    assert '<link rel="modulepreload" crossorigin href="./a.js" />' in made


@pytest.mark.parametrize("scripts", [(), (BOOT, BOOT)])
def test_a_page_without_exactly_one_first_script_is_refused(scripts: tuple[str, ...]) -> None:
    with pytest.raises(ConfigError, match=r'index\.html: expected <script src="\./boot\.js"></script> once'):
        site._index(page(*scripts), b"", ["data/facts.gz"])
