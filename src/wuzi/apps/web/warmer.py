"""Compiling the kernels while the page is there already."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sys

from wuzi.core import kernel_cache

logger = logging.getLogger("uvicorn.error")

COMMAND = (sys.executable, "-m", "wuzi", "warm", "--background")


class Warmer:
    """Compiles what is missing in a child of low priority; until then the page plays by itself."""

    def __init__(self) -> None:
        self._child: asyncio.subprocess.Process | None = None

    @property
    def is_running(self) -> bool:
        """Whether the child is at work."""
        return self._child is not None and self._child.returncode is None

    async def fill(self) -> None:
        """Return when all kernels are there, or cannot be."""
        if kernel_cache.is_warm():
            return
        logger.info("kernels are compiled in the background, once; until then the page plays by itself")
        null, pipe = asyncio.subprocess.DEVNULL, asyncio.subprocess.PIPE
        self._child = await asyncio.create_subprocess_exec(*COMMAND, stdin=null, stdout=null, stderr=pipe)
        _, said = await self._child.communicate()
        if self._child.returncode:
            logger.error("kernels were not compiled: %s", said.decode(errors="replace").strip()[-500:])
        else:
            logger.info("kernels are compiled: the server's engines play and analyse now")

    async def close(self) -> None:
        """End the child."""
        if self._child is not None and self._child.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                self._child.terminate()
            await self._child.wait()
