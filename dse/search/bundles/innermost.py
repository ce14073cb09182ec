"""Which atom goes innermost: its last bundles, of up to eight rows, are evaluated whole and never split.

Where these rows are unlike, no box of the last levels can be excluded, however small it is along the other atoms. So
the atom is taken whose last bundles loosen bounds least; and where a sample of the search says that single rows take
less work than eight together, they are split like those of any other atom.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from dse.arithmetic.ranges import Condition, Range
from dse.search.bundles.levels import Level, holding, loosened, split

__all__ = ["cut_short", "expected_work", "tightest"]

_SAMPLED = 512
_LEAST_ROWS = 16  # bundles: of fewer, little is evaluated at once
_TRIED, _FOLLOWED = 4_096, 1_024  # boxes of a level that are bounded, and those of them that are split
_BOX = 4.4  # what it takes to bound a box, in designs that are evaluated
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


def expected_work(
    levels: Sequence[Level],
    kept: Callable[[Level, tuple[np.ndarray, ...]], np.ndarray],
    rng: np.random.Generator,
) -> float:
    """Return what a search through some levels takes: its boxes and designs, in designs that are evaluated.

    Some boxes of each level are followed down to the next: what is left of them says how many there are there
    (D. E. Knuth, Estimating the efficiency of backtrack programs, 1975).

    Parameters
    ----------
    levels : sequence of Level
        Coarsest first.
    kept : callable
        Tells which boxes of a level may hold a design of the frontier.
    rng : numpy.random.Generator
    """

    def sample(boxes: tuple[np.ndarray, ...], most: int) -> tuple[np.ndarray, ...]:
        chosen = rng.permutation(len(boxes[0]))[:most]
        return tuple(box[chosen] for box in boxes)

    count = float(np.prod([float(own) for own in levels[0].counts]))
    boxes = tuple(rng.integers(0, own, _TRIED) for own in levels[0].counts)
    if count <= _TRIED:
        boxes = tuple(np.unravel_index(np.arange(int(count)), levels[0].counts))
    work = 0.0
    for depth, level in enumerate(levels):
        boxes = sample(boxes, _TRIED)
        work += _BOX * count
        keep = kept(level, boxes)
        count *= np.count_nonzero(keep) / len(keep)
        boxes = sample(tuple(box[keep] for box in boxes), _FOLLOWED)
        if not len(boxes[0]):
            return work
        if depth + 1 < len(levels):
            children = split(level, boxes)
            count *= len(children[0]) / len(boxes[0])
            boxes = children
    together = level.designs(boxes, np.ones(len(boxes[0]), dtype=bool)) / len(boxes[0])
    return work + count * together
