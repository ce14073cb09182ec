"""Looking again at what a search left out, by a simpler program than the one that left it out.

A run keeps a random part of its exclusions and of its pruned rows. Each is tried on designs of its own, evaluated
through the plain graph. Nothing here comes from `dse.search`: both know the graph of model functions, and no more.

    a box that was excluded     random designs of it are no better than its bound, or break the constraint it was
                                excluded by; the design of the frontier that stands against it beats the bound
    a row that was pruned       with random other axes, the row in its place is no worse and no less feasible
    a quantity that helps       with every other one as it is, more of it never makes an objective better
                                (a part of a function counts as one)
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields

import numpy as np

from dse.evaluation.problem import Problem
from dse.evaluation.product_evaluator import flat_inputs
from dse.graph.graph import Graph, call
from dse.run.disk.folder import EVIDENCE, PROGRESS
from dse.run.disk.ledger_tables import read_evidence
from dse.run.result.run import Run

__all__ = ["Proofs", "check_proofs", "verify_proofs"]

_OF_A_BOX = 4
_OF_A_ROW = 2
_PAIRS = 4_000
_ROUNDING = 1e-12
_SHOWN = 20


@dataclass(frozen=True)
class Proofs:
    """What came of it.

    Attributes
    ----------
    passed : bool
    exclusions, rows, signs : int
        Excluded boxes, pruned rows, and quantities in which everything is monotone, that were looked at.
    excluded_share, pruned_share : float
        Which part of the excluded designs was in these boxes, and which of the pruned rows these are; a box counts with
        all of its designs, of which only some were evaluated.
    designs : int
        Designs that were evaluated for it.
    faults : list of str
        What does not hold (the first).
    faults_count : int
    """

    passed: bool
    exclusions: int
    excluded_share: float
    rows: int
    pruned_share: float
    signs: int
    designs: int
    faults: list[str]
    faults_count: int

    def as_dict(self) -> dict[str, object]:
        """Return it as plain values for JSON."""
        return {entry.name: getattr(self, entry.name) for entry in fields(self)}


def verify_proofs(run: Run, *, seed: int = 1) -> Proofs:
    """Look again at the evidence a run keeps."""
    digest = run.manifest.files.get(EVIDENCE)
    kept = read_evidence(run.folder / PROGRESS, digest) if run.folder is not None else {}
    on_frontier = run.frontier["design"].to_numpy(dtype=np.int64)
    return check_proofs(
        run.study.compiled,
        kept,
        on_frontier,
        excluded=run.manifest.certificate.excluded_by_bound,
        tolerance=run.manifest.certificate.tolerance,
        seed=seed,
    )


def check_proofs(
    problem: Problem,
    kept: Mapping[int, Mapping[str, np.ndarray]],
    on_frontier: np.ndarray,
    *,
    excluded: int,
    tolerance: Mapping[str, Mapping[str, float]] | None = None,
    seed: int = 1,
) -> Proofs:
    """Look again at evidence.

    Parameters
    ----------
    problem : Problem
    kept : dict of int to dict of str to ndarray
        By product (`dse.run.disk.ledger_tables.read_evidence`).
    on_frontier : (n,) ndarray of int64
        The designs of the frontier.
    excluded : int
        How many designs were excluded in all.
    tolerance : dict, optional
        As it stands in the certificate.
    seed : int
    """
    rng = np.random.default_rng(seed)
    faults: list[str] = []
    exclusions = rows = pruned = signs = designs = 0
    covered = 0.0
    for index, arrays in kept.items():
        checker = _Checker(problem, index, rng, tolerance)
        if "begin" in arrays:
            faults += checker.boxes(arrays, on_frontier)
            exclusions += len(arrays["begin"])
            covered += float((arrays["end"] - arrays["begin"]).astype(float).prod(axis=1).sum())
        for place, group in enumerate(json.loads(str(arrays["groups"]))):
            faults += checker.rows(group, arrays[f"pruned_{place}"], arrays[f"instead_{place}"])
            faults += checker.signs(group)
            rows, pruned = rows + len(arrays[f"pruned_{place}"]), pruned + group["rows"]
            signs += len(group["columns"])
        designs += checker.evaluated
    return Proofs(
        passed=not faults,
        exclusions=exclusions,
        excluded_share=covered / excluded if excluded else 0.0,
        rows=rows,
        pruned_share=rows / pruned if pruned else 0.0,
        signs=signs,
        designs=designs,
        faults=faults[:_SHOWN],
        faults_count=len(faults),
    )


class _Checker:
    """Tries the evidence of one product."""

    def __init__(
        self,
        problem: Problem,
        index: int,
        rng: np.random.Generator,
        tolerance: Mapping[str, Mapping[str, float]] | None = None,
    ) -> None:
        self.problem, self.rng, self.tolerance = problem, rng, tolerance or {}
        self.product, self.system = problem.space.products[index], problem.systems[index]
        self.first = problem.space.offsets[index]
        self.index, self.evaluated = index, 0

    def boxes(self, kept: Mapping[str, np.ndarray], on_frontier: np.ndarray) -> Iterator[str]:
        """Yield what is wrong with excluded boxes."""
        orders = [kept[f"order_{atom}"] for atom in range(int(kept["atoms"]))]
        bounds, limits, by = kept["bounds"], kept["limits"], kept["by"]
        beaten = limits < 0
        for box in np.flatnonzero(beaten & ~np.isin(by, on_frontier)):
            yield f"excluded box {box}: no design of the frontier is known that beats its bound"
        against = np.flatnonzero(beaten & np.isin(by, on_frontier))
        if len(against):
            points, met = self._anywhere(by[against])
            for row in np.flatnonzero(~met | ~_no_worse(points, self._worst(bounds[against]))):
                yield f"excluded box {against[row]}: design {by[against[row]]} of the frontier does not beat its bound"
        for _ in range(_OF_A_BOX):
            local = np.zeros(len(bounds), dtype=np.int64)
            for atom, order in enumerate(orders):
                local += order[self.rng.integers(kept["begin"][:, atom], kept["end"][:, atom])]
            points, conditions = self._points(local)
            for box in np.flatnonzero(beaten & ~_no_worse(bounds, points)):
                yield f"excluded box {box}: its design {local[box] + self.first} is better than its bound"
            for place, condition in enumerate(conditions):
                for box in np.flatnonzero((limits == place) & condition):
                    text = self.system.constraints[place].text
                    yield f"excluded box {box}: its design {local[box] + self.first} meets '{text}'"

    def _worst(self, bounds: np.ndarray) -> np.ndarray:
        """Return the worst a design may be that stands for a box, to be minimised."""
        worst = bounds.copy()
        for column, objective in enumerate(self.problem.objectives):
            given = self.tolerance.get(objective.quantity, {})
            factor = 1.0 + given.get("relative", 0.0)
            worst[:, column] *= np.where(worst[:, column] > 0, factor, 1.0 / factor)
            worst[:, column] += given.get("absolute", 0.0)
        return worst

    def rows(self, group: Mapping, pruned: np.ndarray, instead: np.ndarray) -> Iterator[str]:
        """Yield what is wrong with rows of a group that were pruned."""
        for row in np.flatnonzero(instead < -1):
            yield f"pruned row {pruned[row]}: no row is known that could stand in its place"
        replaced = instead >= 0
        for _ in range(_OF_A_ROW if len(pruned) else 0):
            others = self._random(len(pruned), [a for a in range(len(self.product.axes)) if a not in group["axes"]])
            points, conditions = self._points(pruned + others)
            better, better_conditions = self._points(np.where(replaced, instead, pruned) + others)
            met, better_met = _all(conditions, len(pruned)), _all(better_conditions, len(pruned))
            for row in np.flatnonzero((instead == -1) & met):
                yield f"pruned row {pruned[row]}: design {self.first + pruned[row] + others[row]} is feasible with it"
            worse = replaced & met & ~(better_met & _no_worse(better, points))
            for row in np.flatnonzero(worse):
                design, other = (self.first + others[row] + which[row] for which in (pruned, instead))
                yield f"pruned row {pruned[row]}: design {other}, with the row in its place, is worse than {design}"

    def signs(self, group: Mapping) -> Iterator[str]:
        """Yield the quantities of a group's interface that an objective or a constraint does not go with as claimed."""
        graph, fixed = self.problem.apart(self.index).graph, group["interface"]
        own = set(fixed)
        local = self._random(_PAIRS, range(len(self.product.axes)))
        base = self._values(local, {}, graph)
        held = {name: base[name] for name in fixed}
        for name, sense in group["columns"].items():
            value = np.broadcast_to(np.asarray(base[name], dtype=float).reshape(-1), _PAIRS)
            other = self.rng.permutation(value)
            corner = self.rng.random(_PAIRS) < 0.25  # the ends of the range, where bounds are usually wrong
            low = np.where(corner, value.min(), np.minimum(value, other))
            high = np.where(corner, value.max(), np.maximum(value, other))
            good, bad = (low, high) if sense > 0 else (high, low)
            better, worse = (self._values(local, held | {name: seeded}, graph) for seeded in (good, bad))
            real = self._occurring(graph, better, base) & self._occurring(graph, worse, base)
            for objective in self.problem.objectives:
                a, b = (self._column(values, objective.quantity) * objective.sign for values in (better, worse))
                wrong = np.flatnonzero(real & (a > b + _ROUNDING * np.abs(b)))
                if len(wrong):
                    less = "less" if sense > 0 else "more"
                    yield f"'{objective.quantity}' is worse with {less} {name} at design {self.first + local[wrong[0]]}"
            for constraint in self.system.constraints:
                if constraint.quantity not in own:
                    met, before = (self._column(values, constraint.quantity) > 0 for values in (better, worse))
                    for row in np.flatnonzero(real & before & ~met)[:1]:
                        yield f"'{constraint.text}' is lost with a better {name} at design {self.first + local[row]}"

    def _occurring(self, graph: Graph, values: Mapping, base: Mapping) -> np.ndarray:
        """Tell where every quantity lies between values that designs really have: beyond them nothing is claimed."""
        inside = np.ones(_PAIRS, dtype=bool)
        for name in graph.units:
            if name in self.product.tables:
                continue
            values_here, known = np.asarray(values[name]), np.asarray(base[name])
            if values_here.dtype.kind == "f" and values_here.size in (1, _PAIRS):
                inside &= ~((values_here < known.min()) | (values_here > known.max())).reshape(-1)
        return inside

    def _random(self, count: int, axes: list[int] | range) -> np.ndarray:
        total = np.zeros(count, dtype=np.int64)
        for axis in axes:
            total += self.rng.integers(0, self.product.shape[axis], count) * self.product.strides[axis]
        return total

    def _values(self, local: np.ndarray, held: Mapping[str, np.ndarray], graph: Graph | None = None) -> dict:
        """Evaluate designs of the product, with the values of some quantities put in place of their own."""
        graph, product = graph or self.system.graph, self.product
        rows = [local // stride % count for stride, count in zip(product.strides, product.shape, strict=True)]
        values: dict = {**flat_inputs(graph, product, self.system.assumptions, rows)}
        values.update({name: value for name, value in held.items() if name in values})
        self.evaluated += len(local)
        with np.errstate(all="ignore"):
            for function in graph.functions:
                values.update({name: held.get(name, value) for name, value in call(function, values).items()})
        return values

    @staticmethod
    def _column(values: Mapping, name: str) -> np.ndarray:
        return np.asarray(values[name], dtype=float).reshape(-1)

    def _points(self, local: np.ndarray) -> tuple[np.ndarray, list[np.ndarray]]:
        """Return the objectives of designs, to be minimised, and where each constraint is met."""
        values, count = self._values(local, {}), len(local)
        points = np.empty((count, len(self.problem.objectives)))
        for column, objective in enumerate(self.problem.objectives):
            points[:, column] = self._column(values, objective.quantity) * objective.sign
        met = [np.broadcast_to(self._column(values, c.quantity) > 0, count) for c in self.system.constraints]
        return points, met

    def _anywhere(self, numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the objectives of designs of any product, and whether they are feasible."""
        unique, which = np.unique(numbers, return_inverse=True)
        points = np.full((len(unique), len(self.problem.objectives)), np.nan)
        feasible = np.zeros(len(unique), dtype=bool)
        for index, product in enumerate(self.problem.space.products):
            first = self.problem.space.offsets[index]
            here = np.flatnonzero((unique >= first) & (unique < first + product.size))
            if len(here):
                other = _Checker(self.problem, index, self.rng)
                points[here], conditions = other._points(unique[here] - first)
                feasible[here] = _all(conditions, len(here))
                self.evaluated += other.evaluated
        return points[which], feasible[which]


def _all(conditions: list[np.ndarray], count: int) -> np.ndarray:
    return np.logical_and.reduce([np.ones(count, dtype=bool), *conditions])


def _no_worse(points: np.ndarray, than: np.ndarray) -> np.ndarray:
    """Tell which points are no worse in every objective, but for rounding; what is not finite says nothing."""
    worse = points > than + _ROUNDING * np.abs(than)
    return np.asarray(~worse.any(axis=1))
