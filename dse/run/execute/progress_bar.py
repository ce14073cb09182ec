"""A bar for those who run a study from Python: in a notebook a line that renews itself, in a terminal that of rich."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from dse.units import format_number, left_in_words

__all__ = ["Bar", "in_notebook", "progress_bar"]

_BETWEEN = 0.2  # seconds from one look to the next
_LEAST_SHARE, _LEAST_TIME = 0.02, 2.0  # of the designs, and seconds, before the rest is told


class Bar(Protocol):
    """What a search is told by: designs decided and found, and the name of each phase."""

    def __call__(self, done: int, on_frontier: int) -> None:
        """Take note of how many designs are decided, and how many are on the frontier so far."""

    def phase(self, name: str) -> None:
        """Begin a phase."""


def in_notebook() -> bool:
    """Tell whether this is a kernel of a notebook."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return shell is not None and hasattr(shell, "kernel")


@contextmanager
def progress_bar(total: int) -> Iterator[Bar]:
    """Show a bar while so many designs are decided; it is gone at the end."""
    with _NotebookBar(total) if in_notebook() else _TerminalBar(total) as bar:
        yield bar


class _Share:
    """How far a search is: its phase, its share, and how long it may still take."""

    def __init__(self, total: int) -> None:
        self.total, self.done, self.found, self.name = max(total, 1), 0, 0, "searching"
        self.begun = time.monotonic()
        self.looked = 0.0

    def due(self) -> bool:
        """Say whether it is time to show something again."""
        now = time.monotonic()
        if now - self.looked < _BETWEEN:
            return False
        self.looked = now
        return True

    def as_text(self) -> str:
        """Say how far it is: ``searching  45 %, 12 on the frontier, 8 s left``."""
        share = self.done / self.total
        clauses = [f"{self.name} {100 * share:.0f} % of {format_number(self.total)} designs"]
        if self.found:
            clauses.append(f"{format_number(self.found)} on the frontier")
        passed = time.monotonic() - self.begun
        if _LEAST_SHARE <= share < 1 and passed >= _LEAST_TIME and (rest := left_in_words(passed / share - passed)):
            clauses.append(rest)
        return ", ".join(clauses)


class _NotebookBar(_Share):
    """A line of HTML that renews itself; of a notebook that is saved nothing is left but an empty output."""

    def __enter__(self) -> _NotebookBar:
        from IPython.display import HTML, display

        self._html, self._handle = HTML, display(HTML(self._line()), display_id=True)
        return self

    def __call__(self, done: int, on_frontier: int) -> None:
        self.done, self.found = done, on_frontier
        if self.due():
            self._handle.update(self._html(self._line()))

    def phase(self, name: str) -> None:
        self.name = name
        self._handle.update(self._html(self._line()))

    def _line(self) -> str:
        return f'<progress value="{min(self.done, self.total)}" max="{self.total}"></progress> {self.as_text()}'

    def __exit__(self, *_: object) -> None:
        self._handle.update(self._html(""))


class _TerminalBar(_Share):
    """The bar of rich on the error stream; nothing where that is no terminal."""

    def __enter__(self) -> _TerminalBar:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn

        console = Console(stderr=True, highlight=False, markup=False, emoji=False)
        columns = (BarColumn(bar_width=30), TextColumn("{task.description}", markup=False))
        self._bar = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
        self._bar.start()
        self._task = self._bar.add_task(self.as_text(), total=self.total)
        return self

    def __call__(self, done: int, on_frontier: int) -> None:
        self.done, self.found = done, on_frontier
        if self.due():
            self._show()

    def phase(self, name: str) -> None:
        self.name = name
        self._show()

    def _show(self) -> None:
        self._bar.update(self._task, completed=self.done, description=self.as_text())

    def __exit__(self, *_: object) -> None:
        self._bar.stop()
