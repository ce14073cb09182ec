"""The boxes that a search in rounds has still to open: by product, level, and how far what is found is from them.

    widest      the boxes whose bounds are furthest from what is found: to open them tells most
    deepest     the boxes with the fewest levels left: to open them finds designs, and keeps the pool small

Boxes of one heap are taken in the order in which they came, so that a pool that was stored goes on as it would have.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np

__all__ = ["Boxes", "OpenBoxes", "together"]


@dataclass(frozen=True)
class Boxes:
    """Boxes of one product at one level, in one class of the gap.

    Attributes
    ----------
    product, level, gap : int
    numbers : (n,) ndarray of int64
        The place of each box among all of its level.
    lower : (n, d) ndarray
        Least value of each objective, all to be minimised; -inf where none is known.
    """

    product: int
    level: int
    gap: int
    numbers: np.ndarray
    lower: np.ndarray

    def __len__(self) -> int:
        return len(self.numbers)

    def where(self, chosen: np.ndarray, gap: int | None = None) -> Boxes:
        """Return some of the boxes, in another class of the gap if one is given."""
        gap = self.gap if gap is None else gap
        return Boxes(self.product, self.level, gap, self.numbers[chosen], self.lower[chosen])


def together(parts: Iterable[Boxes]) -> Iterator[Boxes]:
    """Yield boxes of several classes of the gap as one, by product and level: fewer and longer arrays are quicker."""
    same: dict[tuple[int, int], list[Boxes]] = {}
    for boxes in parts:
        same.setdefault((boxes.product, boxes.level), []).append(boxes)
    for (product, level), alike in same.items():
        numbers, lower = (np.concatenate([getattr(boxes, name) for boxes in alike]) for name in ("numbers", "lower"))
        yield Boxes(product, level, max(boxes.gap for boxes in alike), numbers, lower)


class OpenBoxes:
    """A pool of boxes.

    Parameters
    ----------
    levels_left : callable
        Given a product and a level, tells how many levels lie below.
    """

    def __init__(self, levels_left: Callable[[int, int], int]) -> None:
        self._levels_left = levels_left
        self._heaps: dict[tuple[int, int, int], deque[Boxes]] = {}
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Boxes]:
        """Yield what is open, each heap whole."""
        for product, level, gap in sorted(self._heaps):
            heap = self._heaps[product, level, gap]
            numbers = np.concatenate([boxes.numbers for boxes in heap])
            yield Boxes(product, level, gap, numbers, np.concatenate([boxes.lower for boxes in heap]))

    def add(self, product: int, level: int, gaps: np.ndarray, numbers: np.ndarray, lower: np.ndarray) -> None:
        """Put boxes into the pool, each in its class of the gap."""
        for gap in np.unique(gaps).tolist():
            here = gaps == gap
            self.put(Boxes(product, level, gap, numbers[here], lower[here]))

    def put(self, boxes: Boxes) -> None:
        """Put boxes of one class of the gap into the pool."""
        if len(boxes):
            self._heaps.setdefault((boxes.product, boxes.level, boxes.gap), deque()).append(boxes)
            self._count += len(boxes)

    def take_widest(self, most: int) -> Boxes:
        """Take boxes of the largest gap, of these the ones with most levels left."""
        return self._take(max(self._heaps, key=lambda key: (key[2], self._levels_left(*key[:2]), -key[0])), most)

    def take_deepest(self, most: int) -> Boxes:
        """Take boxes with the fewest levels left, of these the ones of the largest gap."""
        return self._take(min(self._heaps, key=lambda key: (self._levels_left(*key[:2]), -key[2], key[0])), most)

    def _take(self, key: tuple[int, int, int], most: int) -> Boxes:
        heap, parts, remaining = self._heaps[key], [], most
        while heap and remaining:
            boxes = heap.popleft()
            if len(boxes) > remaining:
                heap.appendleft(boxes.where(np.arange(remaining, len(boxes))))
                boxes = boxes.where(np.arange(remaining))
            parts.append(boxes)
            remaining -= len(boxes)
        if not heap:
            del self._heaps[key]
        self._count -= most - remaining
        numbers = np.concatenate([boxes.numbers for boxes in parts])
        return Boxes(*key, numbers, np.concatenate([boxes.lower for boxes in parts]))
