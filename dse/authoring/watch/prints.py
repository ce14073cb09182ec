"""What models print: on the error stream, with their names, since what a command prints may be read by a program."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from typing import TextIO, cast

from dse.authoring.watch.faults import running

__all__ = ["prints_marked"]


class _Sorted:
    """Standard output for all but models; their lines go to the error stream."""

    def __init__(self, output: TextIO) -> None:
        self._output = output
        self._begun: dict[str, str] = {}

    def write(self, text: str) -> int:
        model = running(sys._getframe(1))
        if model is None:
            return self._output.write(text)
        *lines, rest = (self._begun.pop(model.label, "") + text).split("\n")
        for line in lines:
            sys.stderr.write(f"{model.label} prints: {line}\n")
        if rest:
            self._begun[model.label] = rest
        return len(text)

    def finish(self) -> None:
        """Write lines that were begun and not ended."""
        for label, line in self._begun.items():
            sys.stderr.write(f"{label} prints: {line}\n")
        self._begun.clear()

    def __getattr__(self, name: str) -> object:
        return getattr(self._output, name)


@contextmanager
def prints_marked() -> Iterator[None]:
    """Send what models print to the error stream, each line with the name of the model."""
    sorted_out = _Sorted(sys.stdout)
    try:
        with redirect_stdout(cast(TextIO, sorted_out)):
            yield
    finally:
        sorted_out.finish()
