"""Scores of designs at draws: by each objective, and by their sum, scaled to what the frontier of the draw spans.

The least sum is about the knee. The designs of a product that share their unknowns (those of one device, where devices
have errors of their own) are a *class*: each has its own best design by every score at every draw, so that one that is
behind at first is not given up.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from dse.analysis.uncertainty.draws import batches, common_draws
from dse.evaluation.affected import AffectedDesigns
from dse.evaluation.unknowns import UncertainProblem
from dse.search.account.deadline import Deadline
from dse.search.frontier.pareto import nondominated

__all__ = ["Scores"]

_AT_ONCE = 400_000  # designs × draws that are evaluated together
_OTHERS = -1  # the class of the designs of products that are not climbed in

Class = tuple[int, int]


class Scores:
    """The best design of each class by every score at every draw, as far as designs were looked at.

    Parameters
    ----------
    unknown : UncertainProblem
    products : collection of int
        Whose designs may be looked at after the beginning; no design of them has errors of its own.
    draws, seed : int
    margin : float
        Of the span of a score: designs so near the best of all are remembered.
    deadline : Deadline, optional
    only : ndarray of int, optional
        The draws of these that are looked at.
    """

    def __init__(
        self,
        unknown: UncertainProblem,
        products: Collection[int],
        draws: int,
        seed: int,
        margin: float,
        deadline: Deadline | None = None,
        only: np.ndarray | None = None,
    ) -> None:
        self.unknown, self.products, self.seed = unknown, sorted(products), seed
        self.among, self.only = draws, np.arange(draws) if only is None else only
        self.draws = draws = len(self.only)
        self.space, self.margin, self.deadline = unknown.problem.space, margin, deadline
        axes = dict.fromkeys(entry.axis for entry in unknown.unknowns if entry.scope == "each")
        self.parts = {axis: self._labels(axis) for axis in axes}
        pairs = [(axis, label) for axis, labels in self.parts.items() for label in labels]
        drawn = common_draws(unknown, pairs, self.among, seed)
        self.series = {(own.place, own.part): own.values[self.only] for own in drawn}
        count = len(unknown.problem.objectives)
        self.weights = np.concatenate([np.eye(count), np.ones((1, count))]) if count > 1 else np.ones((1, 1))
        self.low, self.wide = np.zeros((draws, count)), np.ones((draws, count))
        self.bar = np.full((len(self.weights), draws), np.inf)
        self.best: dict[Class, np.ndarray] = {}
        self.who: dict[Class, np.ndarray] = {}
        self.seen = {index: np.empty(0, dtype=np.int64) for index in self.products}
        self.remembered: list[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]] = []

    def moved(self, numbers: np.ndarray) -> np.ndarray:
        """Tell which designs are in the products that are climbed in."""
        return np.isin(np.searchsorted(self.space.offsets, numbers, side="right") - 1, self.products)

    def begin(self, start: np.ndarray, anchors: np.ndarray | None = None) -> np.ndarray:
        """Look at the first designs, and scale scores by the frontiers of the anchors (all of them by default).

        Returns
        -------
        ndarray of int64
            The anchors that are on one of these.
        """
        at = np.arange(len(start)) if anchors is None else np.searchsorted(start, anchors)
        on, done = np.zeros(len(start), dtype=bool), 0
        for batch in batches(self.unknown, start, self.among, self.seed, self.only):
            self.in_time()
            own = np.arange(done, done + batch.feasible.shape[1])
            for column, draw in enumerate(own):
                here = at[batch.feasible[at, column]]
                if len(here):
                    here = here[nondominated(np.ascontiguousarray(batch.points[here, column]))]
                    low, high = batch.points[here, column].min(axis=0), batch.points[here, column].max(axis=0)
                    on[here], self.low[draw] = True, low
                    self.wide[draw] = np.where(high > low, high - low, np.where(low != 0.0, np.abs(low), 1.0))
            scores = self._scores(batch.points, batch.feasible, own[None])
            for index, here in self.space.by_product(start):
                self._keep(index, start[here], scores[here], own)
            done += len(own)
        return start[on]

    def look(self, index: int, numbers: np.ndarray) -> None:
        """Look at designs of a product at all draws, those that were not looked at before."""
        every, step = np.arange(self.draws), max(1, _AT_ONCE // self.draws)
        numbers = np.setdiff1d(numbers, self.seen[index])
        for begin in range(0, len(numbers), step):
            self.in_time()
            part = numbers[begin : begin + step]
            self._keep(index, part, self._scored(index, part, every[None]), every)
        self.seen[index] = np.union1d(numbers, self.seen[index])

    def better(self, index: int, numbers: np.ndarray, chosen: np.ndarray, margin: float = np.inf) -> np.ndarray:
        """Tell which designs are better than the best of their class at one of the draws chosen for each, (n, m).

        Those alone that come so near the best of all.
        """
        better, step = np.zeros(len(numbers), dtype=bool), max(1, _AT_ONCE // 10 // max(1, chosen.shape[1]))
        codes = self._codes(index, numbers)
        for begin in range(0, len(numbers), step):
            self.in_time()
            part = slice(begin, begin + step)
            scores = self._scored(index, numbers[part], chosen[part])
            bar = np.moveaxis(self.bar[:, chosen[part]], 0, -1) + margin
            for code in np.unique(codes[part]):
                of = codes[part] == code
                if (index, int(code)) in self.best:
                    own = np.moveaxis(self.best[index, int(code)][:, chosen[part][of]], 0, -1)
                    bar[of] = np.minimum(bar[of], own)
            better[part] = (scores < bar).any(axis=(1, 2))
        return better

    def leading(self, index: int, margin: float) -> np.ndarray:
        """Return the best designs of the classes of a product that come so near the best of all."""
        bar, own = self.bar + margin, [np.empty(0, dtype=np.int64)]
        for (product, code), who in self.who.items():
            if product == index:
                own.append(who[(self.best[product, code] <= bar) & (who >= 0)])
        return np.unique(np.concatenate(own))

    def where(self, index: int, margin: float) -> tuple[np.ndarray, np.ndarray]:
        """Return `leading` designs of a product, each as often as it is one, and at which draw."""
        bar = self.bar + margin
        numbers, draws = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.int64)]
        for (product, code), who in self.who.items():
            if product == index:
                places = np.nonzero((self.best[product, code] <= bar) & (who >= 0))
                numbers.append(who[places])
                draws.append(places[1])
        return np.concatenate(numbers), np.concatenate(draws)

    def near(self, margin: float) -> tuple[np.ndarray, np.ndarray]:
        """Return designs so near the best of all by some score at some draw, and how near."""
        numbers, gaps = [np.empty(0, dtype=np.int64)], [np.empty(0)]
        for own, scores, score, draw in self.remembered:
            gap = scores - self.bar[score, draw]
            numbers.append(own[gap <= margin])
            gaps.append(gap[gap <= margin])
        different, which = np.unique(np.concatenate(numbers), return_inverse=True)
        least = np.full(len(different), np.inf)
        np.minimum.at(least, which, np.concatenate(gaps))
        return different, least

    def winners(self) -> np.ndarray:
        """Return the best design of all by each objective at each draw that has one."""
        classes = list(self.best)
        best, who = np.stack([self.best[own] for own in classes]), np.stack([self.who[own] for own in classes])
        first = np.take_along_axis(who, best.argmin(axis=0)[None], axis=0)[0]
        own = first[: len(self.unknown.problem.objectives)].reshape(-1)
        return own[own >= 0]

    def has_classes(self, index: int) -> bool:
        """Tell whether a product has an axis whose rows have unknowns of their own."""
        return any(axis.names(name) for axis in self.space.products[index].axes for name in self.parts)

    def in_time(self) -> None:
        """Stop where the time is over."""
        if self.deadline is not None:
            self.deadline.check()

    def _labels(self, axis: str) -> list[str]:
        products = [self.space.products[index] for index in self.products]
        names = (name for product in products for own in product.axes for name in own.names(axis) or ())
        alternatives = [product.name for product in products]
        return list(dict.fromkeys([*names, *alternatives]))

    def _codes(self, index: int, numbers: np.ndarray) -> np.ndarray:
        """Return the class of each design of a product: by its rows of axes whose rows have unknowns of their own."""
        codes = np.zeros(len(numbers), dtype=np.int64)
        if index not in self.seen:
            return codes
        for place, axis in enumerate(self.space.products[index].axes):
            for name, labels in self.parts.items():
                own = axis.names(name)
                if own is not None:
                    rows = self.space.decode(index, numbers)[place]
                    codes = codes * len(labels) + np.array([labels.index(label) for label in own])[rows]
        return codes

    def _keep(self, index: int, numbers: np.ndarray, scores: np.ndarray, draws: np.ndarray) -> None:
        """Take note of scores, (n, m, w), at some draws."""
        codes = self._codes(index, numbers)
        for code in np.unique(codes):
            own = (index, int(code)) if index in self.seen else (_OTHERS, 0)
            self.best.setdefault(own, np.full(self.bar.shape, np.inf))
            self.who.setdefault(own, np.full(self.bar.shape, -1, dtype=np.int64))
            here, names = scores[codes == code], numbers[codes == code]
            at = here.argmin(axis=0)
            least, before = np.take_along_axis(here, at[None], axis=0)[0].T, self.best[own][:, draws]
            self.who[own][:, draws] = np.where(least < before, names[at].T, self.who[own][:, draws])
            self.best[own][:, draws] = np.minimum(least, before)
        self.bar[:, draws] = np.minimum(self.bar[:, draws], scores.min(axis=0).T)
        if index in self.seen:
            # The best of all only falls: what is not near now will not be.
            design, draw, score = np.nonzero(scores <= (self.bar[:, draws] + self.margin).T[None])
            finite = np.isfinite(scores[design, draw, score])
            design, draw, score = design[finite], draw[finite], score[finite]
            self.remembered.append((numbers[design], scores[design, draw, score], score, draws[draw]))

    def _scored(self, index: int, numbers: np.ndarray, chosen: np.ndarray) -> np.ndarray:
        """Return scores, (n, m, w), at draws: (1, m), or (n, m) of each design."""
        own = AffectedDesigns(self.unknown, index, numbers, np.arange(len(numbers)))
        drawn = {}
        for place, entry in enumerate(self.unknown.unknowns):
            labels = own.row_labels(entry.axis) if entry.scope == "each" else None
            if entry.scope == "shared":
                drawn[place] = self.series[place, ""][chosen]
            elif labels is None:
                drawn[place] = np.zeros((1, 1))  # rows of axes that the product does not have
            else:
                names, which = np.unique(labels.astype(str), return_inverse=True)
                table = np.stack([self.series[place, name] for name in names])
                drawn[place] = table[which[:, None], chosen]
        points, _, feasible, _ = own.bounds(drawn, chosen.shape[1])
        return self._scores(points, feasible, chosen)

    def _scores(self, points: np.ndarray, feasible: np.ndarray, chosen: np.ndarray) -> np.ndarray:
        scaled = (points - self.low[chosen]) / self.wide[chosen]
        return np.where(feasible[..., None], scaled @ self.weights.T, np.inf)
