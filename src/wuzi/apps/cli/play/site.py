"""``wuzi site``: the page as a folder for any static host."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def site(
    folder: Annotated[Path, typer.Argument(metavar="DIR", file_okay=False)],
    docs: Annotated[Path | None, typer.Option(exists=True, file_okay=False)] = None,
    results: Annotated[Path | None, typer.Option(exists=True, file_okay=False)] = None,
) -> None:
    """Write the page as a folder of files for any static host: it plays without a server, and offline.

    Options:
        folder: Folder to write; new, empty, or an earlier site.
        docs: Built documentation to put beside the page, as docs/.
        results: Result pages to put beside the page, as results/.
    """
    from wuzi.apps.web.site import write_site

    names = write_site(folder, docs=docs, results=results)
    size = sum((folder / name).stat().st_size for name in names)
    typer.echo(f"{folder}: {len(names)} files, {size / 1e6:.1f} MB. Any static host can serve it.")
