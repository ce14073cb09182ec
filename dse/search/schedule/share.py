"""A share of a search in rounds: its open boxes and blocks, what it has found, and one round after another.

    round 1, 3, …    blocks of a product that has no bounds; else the 8,192 boxes of the largest gap
    round 2, 4, …    the 8,192 boxes with the fewest levels left; always these while more than 3,000,000 are open

What a round does follows from the share alone, so that one that was stored goes on to the same end.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import prod

import numpy as np

from dse.search.bundles.design_search import ChunkResult
from dse.search.bundles.levels import split
from dse.search.bundles.product_search import BlockSearch, ProductSearch
from dse.search.frontier.archive import Archive
from dse.search.proof.evidence import BEATEN, KEPT, Sampler
from dse.search.schedule.gap import classes_of
from dse.search.schedule.open_boxes import Boxes, OpenBoxes, together

__all__ = ["Share", "ShareState"]

_TAKEN = 8_192
_MOST_OPEN = 3_000_000
_CHEAPER = 8  # boxes that are looked at again cost as much as one that is opened
_DESIGNS = 1_000_000  # of the blocks of one round
_BETWEEN = 65_536  # designs of blocks from one look at the clock to the next
_PIECE = 16_384
_POINTS = 1_024


@dataclass
class ShareState:
    """A share as it is stored.

    Attributes
    ----------
    rounds : int
    points, numbers : ndarray
        What was found.
    blocks : list of (int, int, int)
        Product, and the first and last of its blocks that are left.
    boxes : list of (int, int, int, ndarray)
        Product, level, class of the gap, and the places of the boxes among those of the level.
    counts : dict of int to ChunkResult
        By product.
    lower : list of ndarray, or None
        The bounds of the boxes; they are not stored, and computed again where they are not known.
    """

    rounds: int
    points: np.ndarray
    numbers: np.ndarray
    left_out: bool
    blocks: list[tuple[int, int, int]] = field(default_factory=list)
    boxes: list[tuple[int, int, int, np.ndarray]] = field(default_factory=list)
    counts: dict[int, ChunkResult] = field(default_factory=dict)
    lower: list[np.ndarray] | None = None

    @property
    def ended(self) -> bool:
        """Whether nothing is open."""
        return not self.blocks and not self.boxes

    @property
    def decided(self) -> int:
        """How many designs are evaluated or excluded."""
        return sum(result.evaluated + result.excluded for result in self.counts.values())


class Share:
    """Some of the boxes and blocks of some products.

    Parameters
    ----------
    searches : dict of int to ProductSearch
        The products by number.
    archive : Archive
        Begun with the seeds, or with what a stored share had found.
    tick : callable, optional
        Told how many more designs are decided.
    evidence : int
        Excluded boxes of a product that are kept.

    Attributes
    ----------
    hurried : callable, optional
        Says whether a round over blocks is to end before all of them are walked, where the order of what is looked at
        is free: a model may be slow.
    """

    def __init__(
        self,
        searches: Mapping[int, ProductSearch],
        archive: Archive,
        tick: Callable[[int], None] | None = None,
        *,
        evidence: int = KEPT,
    ) -> None:
        self._searches, self.archive, self._evidence = searches, archive, evidence
        self._by_blocks = {index: own.by_blocks for index, own in searches.items() if own.by_blocks is not None}
        self._by_boxes = {index: own.by_boxes for index, own in searches.items() if own.by_boxes is not None}
        self._tick = tick or (lambda _: None)
        self._names = [objective.quantity for objective in next(iter(searches.values())).problem.objectives]
        self.pool = OpenBoxes(lambda product, level: len(self._by_boxes[product].levels) - level)
        self.blocks: list[tuple[int, int, int]] = []
        self.counts: dict[int, ChunkResult] = {}
        self.hurried: Callable[[], bool] | None = None
        self._samplers: dict[int, Sampler] = {}
        self.rounds = 0

    @property
    def ended(self) -> bool:
        """Whether nothing is open."""
        return not self.blocks and not len(self.pool)

    @property
    def frontier(self) -> tuple[np.ndarray, np.ndarray]:
        """What was found: points to be minimised, and design numbers in rising order."""
        return self.archive.result()

    def begin(self, product: int, start: int, stop: int, step: int = 1) -> None:
        """Open some of a product: every `step`-th of its top boxes, or all of its blocks, from `start` to `stop`."""
        if product in self._by_blocks:
            if start < stop:
                self.blocks.append((product, start, stop))
            return
        self._look(product, 0, np.arange(start, stop, step, dtype=np.int64))

    def restore(self, state: ShareState) -> None:
        """Go on where a stored share was; what it had found is in the archive."""
        self.rounds, self.blocks, self.counts = state.rounds, list(state.blocks), dict(state.counts)
        self.archive.left_out = state.left_out
        for place, (product, level, gap, numbers) in enumerate(state.boxes):
            if state.lower is not None:
                self.pool.put(Boxes(product, level, gap, numbers, state.lower[place]))
                continue
            for begin in range(0, len(numbers), _PIECE):
                piece = numbers[begin : begin + _PIECE]
                self.pool.put(Boxes(product, level, gap, piece, self._lower(product, level, piece)))

    def state(self, *, bounds: bool = False) -> ShareState:
        """Return the share as it can be stored, or with the bounds of its boxes."""
        points, numbers = self.frontier
        counts = {product: self._counted(product) for product in self.counts}
        heaps = list(self.pool)
        boxes = [(heap.product, heap.level, heap.gap, heap.numbers) for heap in heaps]
        lower = [heap.lower for heap in heaps] if bounds else None
        left_out, blocks = self.archive.left_out, list(self.blocks)
        return ShareState(self.rounds, points, numbers, left_out, blocks, boxes, counts, lower)

    def round(self) -> None:
        """Do one round."""
        self.rounds += 1
        deepest = self.rounds % 2 == 0 or len(self.pool) > _MOST_OPEN
        with np.errstate(all="ignore"):
            if self.blocks and (not deepest or not len(self.pool)):
                self._walk()
            else:
                for boxes in together(self._taken(deepest=deepest)):
                    self._open(boxes)
        self.archive.settle()

    def designs_left(self) -> int:
        """Return how many designs are open."""
        count = 0
        for product, start, stop in self.blocks:
            count += self._by_blocks[product].designs_of(start, stop)
        for boxes in self.pool:
            count += self._designs(boxes)
        return count

    # ---- one round ----

    def _walk(self) -> None:
        product, start, stop = self.blocks.pop(0)
        search = self._by_blocks[product]
        until = min(stop, start + max(1, _DESIGNS // prod(search.steps)))
        if self.hurried is None:
            search.walk(start, until, self.archive, self._counts(product), self._tick)
        else:
            until = self._walked(search, product, start, until)
        if until < stop:
            self.blocks.insert(0, (product, until, stop))

    def _walked(self, search: BlockSearch, product: int, start: int, until: int) -> int:
        """Walk some blocks until all are walked or somebody is in a hurry; return where that was."""
        step = max(1, _BETWEEN // prod(search.steps))
        while start < until:
            end = min(until, start + step)
            search.walk(start, end, self.archive, self._counts(product), self._tick)
            start = end
            if self.hurried is not None and self.hurried():
                break
        return start

    def _taken(self, *, deepest: bool) -> list[Boxes]:
        """Take boxes out of the pool that are still open; those of a gap that is smaller by now go back."""
        take = self.pool.take_deepest if deepest else self.pool.take_widest
        every, wanted = len(self.pool) <= _TAKEN, _TAKEN
        taken: list[Boxes] = []
        while wanted and len(self.pool):
            boxes = self._still_open(take(wanted))
            if not (every or deepest):
                gaps = classes_of(self._names, self.archive.prefilter, boxes.lower)
                nearer = gaps < boxes.gap
                self.pool.add(boxes.product, boxes.level, gaps[nearer], boxes.numbers[nearer], boxes.lower[nearer])
                wanted -= int(np.count_nonzero(nearer)) // _CHEAPER
                boxes = boxes.where(~nearer)
            wanted = max(0, wanted - len(boxes))
            taken.append(boxes)
        return taken

    def _still_open(self, opened: Boxes) -> Boxes:
        """Return those boxes that what was found since they were bounded does not exclude."""
        unbounded = ~np.isfinite(opened.lower).all(axis=1)
        keep = self.archive.may_hold(list(np.ascontiguousarray(opened.lower.T))) | unbounded
        if not keep.all():
            search, lost = self._by_boxes[opened.product], opened.where(~keep)
            boxes = tuple(np.unravel_index(lost.numbers, search.levels[opened.level].counts))
            dropped, keys = self._sampler(opened.product).draw(np.arange(len(lost)))
            limits = np.full(len(dropped), BEATEN, dtype=np.int64)
            if len(dropped):
                level = search.levels[opened.level]
                evidence = search.excluded(level, boxes, list(lost.lower.T), limits, dropped, keys)
                self._sampler(opened.product).note(evidence)
            self._exclude(opened.product, self._designs(lost))
        return opened.where(keep)

    def _open(self, opened: Boxes) -> None:
        """Split boxes, and look at their parts; of the last level, evaluate the designs."""
        if not len(opened):
            return
        search, result = self._by_boxes[opened.product], self._counts(opened.product)
        level = search.levels[opened.level]
        boxes = tuple(np.unravel_index(opened.numbers, level.counts))
        if opened.level + 1 < len(search.levels):
            below = search.levels[opened.level + 1]
            parts = np.ravel_multi_index(split(level, boxes), below.counts)
            self._look(opened.product, opened.level + 1, np.asarray(parts, dtype=np.int64))
            return
        for begin in range(0, len(opened), _POINTS):
            piece = tuple(box[begin : begin + _POINTS] for box in boxes)
            self._tick(search.evaluate(piece, self.archive, result))

    def _look(self, product: int, depth: int, numbers: np.ndarray) -> None:
        """Bound boxes, and keep those that may hold a design of the frontier."""
        search = self._by_boxes[product]
        level = search.levels[depth]
        for begin in range(0, len(numbers), _PIECE):
            piece = numbers[begin : begin + _PIECE]
            boxes = tuple(np.unravel_index(piece, level.counts))
            with np.errstate(all="ignore"):
                keep, lower, unbounded = search.bounded(level, boxes, self.archive, self._sampler(product))
            self._exclude(product, level.designs(boxes, ~keep))
            bounds = _stacked(lower, unbounded, len(piece))[keep]
            gaps = classes_of(self._names, self.archive.prefilter, bounds)
            self.pool.add(product, depth, gaps, piece[keep], bounds)

    def _lower(self, product: int, depth: int, numbers: np.ndarray) -> np.ndarray:
        search = self._by_boxes[product]
        level = search.levels[depth]
        boxes = tuple(np.unravel_index(numbers, level.counts))
        with np.errstate(all="ignore"):
            _, lower, unbounded = search.bounded(level, boxes, search.new_archive(None), Sampler((0,), 1))
        return _stacked(lower, unbounded, len(numbers))

    # ---- counts ----

    def _designs(self, opened: Boxes) -> int:
        search = self._by_boxes[opened.product]
        boxes = tuple(np.unravel_index(opened.numbers, search.levels[opened.level].counts))
        return search.levels[opened.level].designs(boxes, np.ones(len(opened), dtype=bool))

    def _exclude(self, product: int, designs: int) -> None:
        self._counts(product).excluded += designs
        if designs:
            self._tick(designs)

    def _counts(self, product: int) -> ChunkResult:
        if product not in self.counts:
            search = self._searches[product]
            result = ChunkResult(self.archive.points[:0], self.archive.numbers[:0], 0, 0)
            if product in self._by_blocks:
                result.feasible, result.infeasible = 0, {c.text: 0 for c in search.constraints}
            self.counts[product] = result
        return self.counts[product]

    def _sampler(self, product: int) -> Sampler:
        if product not in self._samplers:
            sampler = Sampler((self._searches[product].problem.seed, product, self.rounds), self._evidence)
            kept = self._counts(product).evidence
            if kept is not None:
                sampler.note(kept)
            self._samplers[product] = sampler
        return self._samplers[product]

    def _counted(self, product: int) -> ChunkResult:
        """Return the counts of a product, with what its sampler has kept."""
        result = self.counts[product]
        if product in self._samplers:
            result.evidence = self._samplers[product].result()
        return result

    def results(self) -> dict[int, ChunkResult]:
        """Return the counts by product."""
        counts = {product: self._counted(product) for product in self.counts}
        for product, result in counts.items():
            result.left_out = self.archive.left_out
            if not self._searches[product].counts_feasible:
                result.feasible = result.infeasible = None
        return counts


def _stacked(lower: list[np.ndarray], unbounded: np.ndarray, count: int) -> np.ndarray:
    bounds = np.stack([np.broadcast_to(low, count) + 0.0 for low in lower], axis=1)
    bounds[np.broadcast_to(unbounded, count)] = -np.inf
    return bounds
