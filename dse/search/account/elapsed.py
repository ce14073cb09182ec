"""Time that passes: of the processor, or of the clock where a model waits for another program."""

from __future__ import annotations

import time
from collections.abc import Callable

__all__ = ["elapsed"]


def elapsed() -> Callable[[], float]:
    """Return what tells the seconds since now."""
    begun, begun_to_wait = time.process_time(), time.perf_counter()
    return lambda: max(time.process_time() - begun, time.perf_counter() - begun_to_wait)
