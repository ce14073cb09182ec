"""Memory that arrays were in is kept for the next ones."""

from __future__ import annotations

import contextlib
import ctypes
import os

import numpy as np

__all__ = ["keep_memory"]

_SETTINGS = ("MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_THRESHOLD_", "MALLOC_TOP_PAD_")
_TRIM, _MAPPED = -1, -3  # M_TRIM_THRESHOLD, M_MMAP_THRESHOLD of <malloc.h>

_BLOCK = 31 * 2**20  # the largest that the C library takes as a measure (32 MiB), less what it adds


def keep_memory() -> None:
    """Let the C library keep up to 62 MiB that was freed, for this process (glibc; elsewhere nothing happens).

    By default it gives memory back to the system as soon as 128 KiB are free at the end of its own, so that the arrays
    of one block of designs go when they are freed and every page of the next ones is a fault: a tenth to a quarter of a
    search, half of an evaluation on flat arrays. Once a large block has been freed it keeps twice as much.

    It does not where its environment has a threshold, as that of the workers of Dask: there it is told, without which a
    search took four times as long.
    """
    if any(name in os.environ for name in _SETTINGS):
        with contextlib.suppress(OSError, AttributeError, TypeError):
            library = ctypes.CDLL(None)
            library.mallopt(_TRIM, 2 * _BLOCK)
            library.mallopt(_MAPPED, _BLOCK)
        return
    block = np.empty(_BLOCK, dtype=np.int8)  # never written, so it takes no memory
    del block
