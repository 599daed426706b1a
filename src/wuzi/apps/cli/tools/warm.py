"""``wuzi warm``: compile the kernels behind a progress bar."""

from __future__ import annotations

import time

from wuzi.apps.cli.options import Json, print_json
from wuzi.apps.cli.progress import progress_bar


def warm(as_json: Json = False) -> None:
    """Compile all kernels into the cache, so that the first move does not wait for it.

    This is needed once per version of wuzi and machine; a warm cache is only loaded and checked.
    """
    from wuzi.core import jit

    was_warm = jit.is_warm()
    begun = time.monotonic()
    with progress_bar("compiling kernels", quiet=as_json or was_warm) as update:
        jit.warm(lambda done, total, name: update(done, total))
    count, seconds = jit.num_kernels(), time.monotonic() - begun
    if as_json:
        cache = str(jit.cache_dir())
        print_json({"kernels": count, "seconds": round(seconds, 3), "was_warm": was_warm, "cache": cache})
    else:
        print(f"{count} kernels {'loaded' if was_warm else 'compiled'} in {seconds:.1f} s")
