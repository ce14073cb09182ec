"""A model's code on a stack: which model it is, and the line of its file."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import NamedTuple

__all__ = ["Running", "line_in", "line_of", "running"]

# Where dse enters code of models, by module and function, and the local variable there that says whose.
_ENTRIES = {
    ("dse.graph.graph", "call"): "function",
    ("dse.authoring.library.library", "load_model"): "name",
    ("dse.authoring.declare.enumerations", "rows"): "self",
    ("dse.authoring.picture", "draw"): "picture",
    ("dse.study.build.files", "_document"): "declared",
}


class Running(NamedTuple):
    """A model whose code runs: how messages call it, the frame that entered it, and its line, to be put behind them."""

    label: str
    entry: FrameType
    line: str


def running(frame: FrameType | None) -> Running | None:
    """Return the model whose code a frame belongs to, or None.

    It is read off the stack, so that model functions, which are called many thousand times, need not tell.
    """
    inside: list[FrameType] = []
    while frame is not None:
        variable = _ENTRIES.get((frame.f_globals.get("__name__", ""), frame.f_code.co_name))
        if variable is not None:
            model = frame.f_locals.get(variable)
            file = _file(getattr(model, "function", None))
            lines = [f.f_lineno for f in inside if file and os.path.abspath(f.f_code.co_filename) == file]
            label = model if isinstance(model, str) else getattr(model, "label", None) or getattr(model, "name", "")
            return Running(str(label), frame, _behind(file, lines[0]) if lines else "")
        inside.append(frame)
        frame = frame.f_back
    return None


def line_of(error: BaseException, function: Callable[..., object]) -> str:
    """Return, to be put behind a message, the line of a function's file in which an error arose; empty if in none."""
    return line_in(error, _file(function))


def line_in(error: BaseException, file: str) -> str:
    """Return, to be put behind a message, the innermost line of a file that an error passed; empty if none."""
    line = 0
    step: TracebackType | None = error.__traceback__
    while step is not None:
        if os.path.abspath(step.tb_frame.f_code.co_filename) == os.path.abspath(file):
            line = step.tb_lineno
        step = step.tb_next
    return _behind(file, line) if file and line else ""


def _file(function: Callable[..., object] | None) -> str:
    """Return the file of the module a function was written in, whatever wraps it."""
    module = sys.modules.get(getattr(function, "__module__", None) or "")
    code = getattr(function, "__code__", None)
    file = getattr(module, "__file__", None) or getattr(code, "co_filename", None)
    return os.path.abspath(file) if file else ""


def _behind(file: str, line: int) -> str:
    return f" ({os.path.basename(file)}, line {line})"
