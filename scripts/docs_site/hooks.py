"""Hooks of MkDocs that let the pages of ``docs/`` be read on the repository page and on the site alike.

- ``<!-- generated: KIND ARGUMENT -->`` in a page is replaced by what the code says (``reference.py``).
- A link that leaves ``docs/`` leads to the page that includes the file, or to a copy of it.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.plugins import event_priority
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from docs_site.reference import generated

ROOT = Path(__file__).resolve().parents[2]
_READMES = {"README": "index.md", "deploy/README": "deploy.md", "plugins/wuzi-keras/README": "keras.md"}
_NOTES = {name: f"{name.lower()}.md" for name in ("CHANGELOG", "CONTRIBUTING", "SECURITY")}
INCLUDED = {
    f"{name}{end}": page
    for name, page in (_READMES | _NOTES).items()
    for end in (".md", ".zh-CN.md")
    if (ROOT / f"{name}{end}").is_file()
}
"""Files outside ``docs/``, in both languages, and the pages that show them."""
COPIES = "repository/"
COPIED = re.compile(
    r"\.(toml|py|ipynb|txt|jsonl?(\.gz)?|csv|template|ya?ml|service|env|sh)$|/Dockerfile$|^LICENSE$"
)
"""Files outside ``docs/`` that pages link to are copied as they are."""
LINK = re.compile(r"(\]\()([^)#\s:]+)([^)\s]*\))")
MARK = re.compile(r"^<!-- generated: (\w+)(?: (\S+))? -->$", re.MULTILINE)
OTHER_LANGUAGE = re.compile(r"^\[(?:English|简体中文)\]\(.*\)\n\n", re.MULTILINE)
"""A line that leads from a page to its other language: the site has a menu for that."""
_HAN = r"[\u3001-\u303f\u4e00-\u9fff\uff00-\uffef]"
CHINESE_BREAK = re.compile(rf"(?<={_HAN})\n *(?={_HAN})")
"""A line break between Chinese characters: a browser would show the break as a space."""
CELL_CODE = re.compile(r"(?<=<code>)[^<]{12,}(?=</code>)")
BREAKS = re.compile(r"(::|[/._=,])(?=\w)")
NOT_TRANSLATED = '!!! note ""\n    本页内容为英文。\n'


def language_of(config: MkDocsConfig) -> str:
    """The language that is being built now."""
    return str(config.plugins["i18n"].current_language)  # type: ignore[attr-defined]


@event_priority(-200)  # after the i18n plugin, which makes its own list of files
def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the copies of linked files."""
    forget_anchors(config)
    for name in linked_files(Path(config.docs_dir)):
        files.append(File.generated(config, COPIES + name, abs_src_path=str(ROOT / name)))
    return files


def forget_anchors(config: MkDocsConfig) -> None:
    """Each language is built on its own: what the other one's pages define is no place to link to."""
    autorefs = config.plugins["autorefs"]
    for name in ("_primary_url_map", "_secondary_url_map", "_title_map", "_breadcrumbs_map", "_url_to_page"):
        getattr(autorefs, name).clear()


def linked_files(docs: Path) -> list[str]:
    """Paths, from the root of the repository, of the other files that pages and included files link to."""
    sources = {page: page.relative_to(ROOT).as_posix() for page in docs.rglob("*.md")}
    sources |= {ROOT / path: path for path in INCLUDED}
    found = set()
    for page, path in sources.items():
        for match in LINK.finditer(page.read_text("utf-8")):
            target = posixpath.normpath(posixpath.join(posixpath.dirname(path), match[2]))
            if not target.startswith(("docs/", "..")) and COPIED.search(target):
                found.add(target)
    return sorted(found)


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Fill in what is generated, and turn links of the repository into links of the site."""
    del files
    language = language_of(config)
    here = posixpath.dirname(page.file.src_uri)

    def fill(match: re.Match[str]) -> str:
        if match[1] == "file":
            return redirected((ROOT / match[2]).read_text("utf-8"), posixpath.dirname(match[2]), here)
        return generated(match[1], match[2] or "", language)

    text = OTHER_LANGUAGE.sub("", MARK.sub(fill, redirected(markdown, posixpath.join("docs", here), here)))
    if language == "zh" and is_english(page.file):
        text = re.sub(r"^# .*$", rf"\g<0>\n\n{NOT_TRANSLATED}", text, count=1, flags=re.MULTILINE)
    return outside_code(text, lambda part: CHINESE_BREAK.sub("", part))


def is_english(file: File) -> bool:
    """Whether a page of the Chinese site is shown in English, having no Chinese side."""
    return getattr(file, "localization", None) is None


def outside_code(markdown: str, change: Callable[[str], str]) -> str:
    """Markdown with everything changed but its fenced blocks."""
    parts = re.split(r"(^```.*?^```$)", markdown, flags=re.MULTILINE | re.DOTALL)
    return "".join(part if part.startswith("```") else change(part) for part in parts)


def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Let long names in tables break after their punctuation, rather than anywhere."""
    del page, config, files
    return CELL_CODE.sub(lambda match: BREAKS.sub(r"\1<wbr>", match[0]), html)


def redirected(markdown: str, folder: str, here: str) -> str:
    """Markdown whose links, written for ``folder`` of the repository, hold from ``here`` on the site."""

    def link(match: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(folder, match[2]))
        if target in INCLUDED:
            target = INCLUDED[target]
        elif target.startswith("docs/"):
            target = target.removeprefix("docs/")
        elif COPIED.search(target):
            target = COPIES + target
        else:
            return match[0]
        return f"{match[1]}{posixpath.relpath(target, here or '.')}{match[3]}"

    return outside_code(markdown, lambda part: LINK.sub(link, part))
