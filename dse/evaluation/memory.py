"""Memory that arrays were in is kept for the next ones."""

from __future__ import annotations

import numpy as np

__all__ = ["keep_memory"]

_BLOCK = 31 * 2**20  # the largest that the C library takes as a measure (32 MiB), less what it adds


def keep_memory() -> None:
    """Let the C library keep up to 62 MiB that was freed, for this process (glibc; elsewhere nothing happens).

    By default it gives memory back to the system as soon as 128 KiB are free at the end of its own, so that the arrays
    of one block of designs go when they are freed and every page of the next ones is a fault: a tenth to a quarter of a
    search, half of an evaluation on flat arrays. Once a large block has been freed it keeps twice as much.
    """
    block = np.empty(_BLOCK, dtype=np.int8)  # never written, so it takes no memory
    del block
