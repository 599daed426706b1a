"""``wuzi warm``: compile the kernels behind a progress bar."""

from __future__ import annotations

import sys
import time

from wuzi.apps.cli.options import Json, print_json


def warm(as_json: Json = False) -> None:
    """Compile all kernels into the cache, so that no first move waits for it.

    Done once for each version of wuzi on a machine; a warm cache is only loaded and checked.
    """
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from wuzi.core import jit

    was_warm = jit.is_warm()
    begun = time.monotonic()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(file=sys.stderr), disable=as_json or was_warm) as progress:
        task = progress.add_task("compiling kernels", total=None)
        jit.warm(lambda done, total, name: progress.update(task, completed=done, total=total))
    count, seconds = jit.num_kernels(), time.monotonic() - begun
    if as_json:
        cache = str(jit.cache_dir())
        print_json({"kernels": count, "seconds": round(seconds, 3), "was_warm": was_warm, "cache": cache})
    else:
        print(f"{count} kernels {'loaded' if was_warm else 'compiled'} in {seconds:.1f} s")
