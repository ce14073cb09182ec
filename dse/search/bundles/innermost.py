"""Which atom goes innermost: its last bundles, of up to eight rows, are evaluated whole and never split.

Where these rows are unlike, no box of the last levels can be excluded, however small it is along the other atoms. So
the atom is taken whose last bundles loosen bounds least.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from dse.arithmetic.ranges import Condition, Range
from dse.search.bundles.levels import Level, holding, loosened

__all__ = ["cut_short", "tightest"]

_SAMPLED = 512
_LEAST_ROWS = 16  # bundles: of fewer, little is evaluated at once
_BETTER = 0.5  # of what the bundles of the last atom loosen, at most: the order of atoms suits evaluation too


def cut_short(starts: Sequence[np.ndarray], count: int, least: int) -> list[np.ndarray]:
    """Return where bundles begin when those of up to `least` rows are not halved any more.

    Parameters
    ----------
    starts : sequence of ndarray of int64
        As `dse.search.bundles.halving.halved` gives them for single rows.
    count : int
        Rows.
    least : int
    """
    cuts = [starts[0]]
    for finer in starts[1:]:
        begin = cuts[-1]
        lengths = np.diff(np.append(begin, count))
        inside = np.searchsorted(begin, finer, side="right") - 1
        kept = finer[(begin[inside] == finer) | (lengths[inside] > least)]
        if len(kept) == len(begin):
            break
        cuts.append(kept)
    return cuts


def tightest(
    rows: Level,
    trees: Sequence[Sequence[np.ndarray]],
    lower: Callable[[dict[str, Range | Condition]], list[np.ndarray]],
    rng: np.random.Generator,
) -> int:
    """Return the atom whose last bundles loosen lower bounds least; the last one unless another is far better.

    Parameters
    ----------
    rows : Level
        Every row a bundle.
    trees : sequence of sequence of ndarray
        Where bundles of each atom begin, if it goes innermost.
    lower : callable
        As for `dse.search.bundles.levels.nested_levels`.
    rng : numpy.random.Generator
        Draws the designs at which bounds are compared.
    """
    last = len(trees) - 1
    sample = [rng.integers(0, count, _SAMPLED) for count in rows.rows]
    tight = lower(rows.ranges(holding(rows, sample)))
    loss = {}
    for atom, tree in enumerate(trees):
        if atom == last or len(tree[-1]) >= _LEAST_ROWS:
            merged = rows.merged(atom, tree[-1])
            loss[atom] = loosened(tight, lower(merged.ranges(holding(merged, sample))))
    best = min(loss, key=lambda atom: (loss[atom], -atom))
    return best if loss[best] <= _BETTER * loss[last] else last
