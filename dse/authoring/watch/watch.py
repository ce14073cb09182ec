"""A watch on model functions that do not return: one line on the error stream says which."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from dse.authoring.watch.faults import running

__all__ = ["calls_watched"]

_PATIENCE = 30.0  # seconds
_LOOKS = 1.0


@contextmanager
def calls_watched() -> Iterator[None]:
    """Say which model's code this thread has not come back from for 30 s, once for each time it happens.

    A thread looks at the stack once a second, so that the calls themselves take no longer.
    """
    ended = threading.Event()
    watcher = threading.Thread(target=_watch, args=(threading.get_ident(), ended), daemon=True, name="dse-watch")
    watcher.start()
    try:
        yield
    finally:
        ended.set()


def _watch(thread: int, ended: threading.Event) -> None:
    held: FrameType | None = None
    seen, since, warned = 0, 0.0, False
    while not ended.wait(_LOOKS):
        model = running(sys._current_frames().get(thread))
        if model is None or id(model.entry) != seen:
            held = None
        elif model.entry is not held:
            # A call that the last look saw too, or a later one at the same place of memory. From here on it is held, so
            # that no other can take its place; not before, since a frame that is held keeps its arrays.
            held, since, warned = model.entry, time.monotonic(), False
        elif not warned and time.monotonic() - since >= _PATIENCE:
            sys.stderr.write(f"{model.label} has not returned for {_PATIENCE:.0f} s{model.line}; Ctrl-C stops it\n")
            sys.stderr.flush()
            warned = True
        seen = id(model.entry) if model is not None else 0
        del model
