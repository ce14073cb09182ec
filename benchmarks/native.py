"""The C loops of synthetic.c: compiled on the spot, called through ctypes."""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np

from dse.evaluation.problem import Problem

SOURCE = Path(__file__).with_name("synthetic.c")
LOOPS = ("sum_divmod", "sum_counters", "sum_batches")
# -ffast-math lets the compiler reorder sums and use SIMD versions of pow, exp2 and cbrt: a form of its own.
STRICT = (("-O3",), ("-O3", "-march=native"))
RELAXED = (
    ("-O3", "-march=native", "-ffast-math"),
    ("-O3", "-march=native", "-ffast-math", "-mprefer-vector-width=512"),
)


def fields(source: Path, struct: str) -> tuple[str, ...]:
    """Return the names of the numbers in a struct of a C file."""
    (names,) = re.findall(rf"typedef struct \{{\s*double ([^;]*);\s*\}} {struct};", source.read_text())
    return tuple(name.strip() for name in names.split(","))


QUANTITIES = fields(SOURCE, "quantities")


class Form(NamedTuple):
    """One way to compile and call the C code."""

    flags: tuple[str, ...]
    loop: str

    def __str__(self) -> str:
        return f"{' '.join(self.flags)}, {self.loop.removeprefix('sum_')}"


class Native:
    """The compiled code."""

    def __init__(self, library: Path) -> None:
        self.path = library

    @cached_property
    def library(self) -> ctypes.CDLL:
        return ctypes.CDLL(str(self.path))

    def quantities(self, problem: Problem, numbers: np.ndarray) -> np.ndarray:
        """Return every quantity of listed designs, (n, quantities) in the order of `QUANTITIES`."""
        counts, values = _axes(problem)
        numbers = np.ascontiguousarray(numbers, dtype=np.int64)
        out = np.empty((len(numbers), len(QUANTITIES)))
        count = ctypes.c_int64(len(numbers))
        self.library.all_quantities(pointer(counts), pointer(values), pointer(numbers), count, pointer(out))
        return out

    def sums(self, problem: Problem, loop: str, first: int, designs: int) -> np.ndarray:
        """Evaluate a range of designs and return the sums of the objectives."""
        counts, values = _axes(problem)
        out = np.empty(3)
        bounds = ctypes.c_int64(first), ctypes.c_int64(designs)
        getattr(self.library, loop)(pointer(counts), pointer(values), *bounds, pointer(out))
        return out


def build(folder: Path, flags: tuple[str, ...]) -> Native | None:
    """Compile with the given flags; None where there is no compiler or it does not know a flag."""
    library = compiled_library(folder, flags, SOURCE)
    return None if library is None else Native(library)


def compiled_library(folder: Path, flags: tuple[str, ...], source: Path) -> Path | None:
    """Compile a C file to a library; None where there is no compiler or it does not know a flag."""
    if shutil.which("cc") is None:
        return None
    library = folder / f"{source.stem}{''.join(flags)}.so"
    compiled = library.with_suffix(".o")
    # Linked by itself: with -ffast-math the linker would add code that makes the whole process flush subnormal numbers.
    steps = (
        ["cc", *flags, "-fPIC", "-c", "-o", str(compiled), str(source)],
        ["cc", "-shared", "-o", str(library), str(compiled), "-lm"],
    )
    done = all(subprocess.run(step, capture_output=True).returncode == 0 for step in steps)
    return library if done else None


def _axes(problem: Problem) -> tuple[np.ndarray, np.ndarray]:
    (product,) = problem.space.products
    counts = np.array(product.shape, dtype=np.int64)
    return counts, np.concatenate([axis.columns[axis.name] for axis in product.axes])


def pointer(array: np.ndarray) -> ctypes.c_void_p:
    """Return what C gets of an array, which must stay alive meanwhile."""
    return ctypes.c_void_p(array.ctypes.data)
