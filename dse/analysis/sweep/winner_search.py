"""Finding a map of winners: an exact search for each pair of values, unless that would take too long."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Collection

from dse.analysis.choose.best_design import BestDesign, choices_of
from dse.analysis.choose.constant_limits import constant_limits
from dse.analysis.sweep.varied_values import values_of
from dse.analysis.sweep.winner_map import Cell, WinnerMap
from dse.analysis.sweep.winner_ties import error_of_best, with_close
from dse.errors import InputError
from dse.run.result.run import Run
from dse.study.study import Study

__all__ = ["LONGEST", "map_winners"]

LONGEST = 600.0  # seconds that a map may take
_LOOKED_AT = 2  # searches after which the time of all is known well enough


def map_winners(
    study: Study,
    x: tuple[str, str],
    y: tuple[str, str],
    *,
    steps: int = 17,
    quantity: str | None = None,
    by: str | None = None,
    also: Collection[str] = (),
    longest: float = LONGEST,
    run_type: type[Run] = Run,
    progress: Callable[[str, int, int], None] | None = None,
) -> WinnerMap:
    """Search the space of a study at each pair of values of two parameters.

    Parameters
    ----------
    study : Study
    x, y : (str, str)
        A parameter, an assumption or an axis of numbers, and its values, as `values_of` takes them.
    steps : int
        Values of each range.
    quantity, by, also, run_type
        As for `sweep_study`.
    longest : float
        Seconds that all searches may take together, judged by the first of them.
    progress : callable, optional
        Called with ("cells", how many are done, of how many).

    Raises
    ------
    InputError
        A map that would take longer.
    """
    if x[0] == y[0]:
        raise InputError(f"'{x[0]}' is varied twice", key="--vary", allowed="two parameters")
    (xs, x_unit), (ys, y_unit) = (values_of(study, *axis, steps) for axis in (x, y))
    units = {x[0]: x_unit, y[0]: y_unit}
    search = BestDesign(study, units, quantity=quantity, by=by, also=also, run_type=run_type)
    if not search.told_by:
        raise InputError(
            "the designs have no alternatives and no parts to be told apart by",
            key="--by",
            allowed=list(choices_of(study, units)),
        )
    pairs = [(x_value, other) for other in ys for x_value in xs]
    clock = _Clock(len(pairs), longest)
    listener = progress or (lambda what, done, of: None)
    cells: list[Cell] = []
    listener("cells", 0, len(pairs))
    for x_value, other in pairs:
        clock.begin(len(cells))
        try:
            best = search.at({x[0]: x_value, y[0]: other}, clock.watch)
        except InputError:
            if clock.refused is not None:  # by the clock, from within the search
                raise clock.error() from None
            raise
        clock.end()
        cells.append(Cell(x_value, other, best.winner, best.design))
        listener("cells", len(cells), len(pairs))
    error = error_of_best(search, cells)
    if error is not None and quantity is not None:
        cells = list(with_close(search, (x[0], y[0]), cells, quantity, error))
    counts: dict[str, int] = {}
    for cell in cells:
        if cell.winner is not None:
            counts[cell.winner] = counts.get(cell.winner, 0) + 1
    return WinnerMap(
        study.name,
        x[0],
        y[0],
        x_unit,
        y_unit,
        search.rule,
        search.told_by,
        search.shown,
        cells,
        sorted(counts, key=lambda winner: -counts[winner]),
        error,
        constant_limits(study, search.shown),
        search.searches,
        search.evaluated,
        search.units,
        study.synthetic,
        study.labels,
    )


class _Clock:
    """Refuses a map that would take too long, as soon as that is known: by its first searches."""

    def __init__(self, searches: int, longest: float) -> None:
        self.searches, self.longest = searches, longest
        self.taken: list[float] = []
        self.begun = 0.0
        self.refused: tuple[str, str] | None = None

    def begin(self, done: int) -> None:
        """Begin a search, unless the first ones were too slow."""
        if done == _LOOKED_AT and (each := min(self.taken)) * self.searches > self.longest:
            self._refuse(each, whole=True)
        self.begun = time.perf_counter()

    def watch(self, *_: int) -> None:
        """Look at the clock while the first search goes on."""
        each = time.perf_counter() - self.begun
        if not self.taken and each * self.searches > 2 * self.longest:
            self._refuse(each, whole=False)

    def end(self) -> None:
        """End a search."""
        self.taken.append(time.perf_counter() - self.begun)

    def _refuse(self, each: float, *, whole: bool) -> None:
        how = "about" if whole else "more than"
        side = math.isqrt(max(1, int(self.longest / each)))
        fewer = f"--steps {max(2, side)} or fewer" if whole else "fewer values"
        self.refused = (
            f"a map of {self.searches} searches would take {how} {each * self.searches / 60:.2g} min, one takes {how} "
            f"{each:.2g} s",
            f"{self.longest / 60:g} min: {fewer}, or a smaller space",
        )
        raise self.error()

    def error(self) -> InputError:
        """Return what is refused, as the command line's fault, not the study's."""
        assert self.refused is not None
        return InputError(self.refused[0], key="--vary", allowed=self.refused[1])
