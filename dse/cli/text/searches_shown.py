"""Progress of commands that search many times: a bar for each kind of searches, and how many were done."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

from dse.cli.text.output import progress_bar

__all__ = ["searches_shown"]


@contextmanager
def searches_shown() -> Iterator[Callable[[str, int, int], None]]:
    """Show a bar for each kind of searches; where they are stopped, say how many were done."""
    bars = ExitStack()
    counts: dict[str, tuple[int, int]] = {}
    shown: list[Callable[..., None]] = []

    def progress(what: str, done: int, total: int) -> None:
        if what not in counts:
            bars.close()
            bar = bars.enter_context(progress_bar(total, what))
            shown[:] = [bar] if bar is not None else []
        counts[what] = done, total
        for update in shown:
            update(done)

    try:
        with bars:
            yield progress
    except KeyboardInterrupt:
        done = ", ".join(f"{done} of {total} {what}" for what, (done, total) in counts.items())
        sys.stderr.write(f"{done or 'nothing'} done; nothing is kept\n")
        raise
