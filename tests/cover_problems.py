"""Systems whose frontiers are covered within a tolerance, and the oracle of a cover, which shares no code with it."""

import numpy as np
from engine_problems import Case, axis, function, random_case, same_bits, undominated

from dse.search.account.tolerance import Tolerance
from dse.space.design_space import Product


def same_for_all(case, kind, share):
    names = tuple(case.senses)
    return Tolerance(names, (kind,) * len(names), (share,) * len(names))


def made(kind, seed):
    """A random system whose objectives are of some kind, and a tolerance for it: of 5 to 30 %, or as many units."""
    rng = np.random.default_rng(seed)
    if kind == "dense":
        return dense(rng)
    case = random_case(rng, largest=400, objectives=int(rng.integers(1, 5)))
    share = float(rng.choice([0.05, 0.1, 0.3]))
    if kind == "absolute":
        return case, same_for_all(case, "absolute", 10 * share)
    senses, kinds = {}, []
    for place, (name, sense) in enumerate(case.senses.items()):
        sign = -1.0 if kind == "negative" or (kind == "mixed" and place % 2) else 1.0
        case.functions.append(function(f"t_{name}", name, lambda q, sign=sign: sign * np.exp2(0.125 * q)))
        senses[f"t_{name}"] = sense
        kinds.append("" if kind == "mixed" and place == 2 else "relative")
    case.senses = senses
    return case, Tolerance(tuple(senses), tuple(kinds), tuple(share if one else 0.0 for one in kinds))


def dense(rng):
    """About a hundred designs on the frontier, nearer to each other than a tolerance of 5 or 10 %."""
    axes = (axis("a", np.sort(rng.random(40)).tolist()), axis("b", np.sort(rng.random(9)).tolist()))
    slope, curve = 1 + rng.random(), rng.random()
    functions = [
        function("time", "a b", lambda a, b: 0.3 + slope * a + 0.05 * b),
        function("power", "a b", lambda a, b: 2 - a - 0.1 * b + curve * a * a),
    ]
    case = Case([Product("", axes)], functions, {"time": "min", "power": "min"})
    return case, same_for_all(case, "relative", float(rng.choice([0.05, 0.1])))


def allowed(points, tolerance, times=1.0):
    """The worst that may stand for a point, written down anew; `times` as much is given away."""
    worst = np.array(points)
    for place, (kind, amount) in enumerate(zip(tolerance.kinds, tolerance.amounts, strict=True)):
        column = points[:, place]
        if kind == "absolute":
            worst[:, place] = column + times * amount
        elif kind == "relative":
            share = (1.0 + amount) ** times
            worst[:, place] = np.where(column > 0, column * share, column / share)
    return worst + 1e-12 * np.abs(worst)


class Known:
    """Every feasible design of a case: its number, and its point to be minimised."""

    def __init__(self, case):
        points, numbers, first = [], [], 0
        signs = np.array([1.0 if sense == "min" else -1.0 for sense in case.senses.values()])
        for index in range(len(case.products)):
            values = case.every_quantity(index)
            count = len(next(iter(values.values())))
            good = np.ones(count, dtype=bool)
            for limit in case.limits:
                good &= np.broadcast_to(np.asarray(limit.holds(values), dtype=bool), count)
            points.append(np.stack([values[name].astype(float) for name in case.senses], axis=1)[good] * signs + 0.0)
            numbers.append(np.flatnonzero(good) + first)
            first += count
        self.numbers, self.points = np.concatenate(numbers), np.concatenate(points)
        self.best = undominated(self.points)

    def uncovered(self, found, tolerance, times=1.0):
        """How many designs no found one stands for, when so many times the tolerance is given away."""
        limits = allowed(self.points, tolerance, times)
        covered = np.zeros(len(limits), dtype=bool)
        for point in found:
            covered |= (point <= limits).all(axis=1)
        return int((~covered).sum())

    def assert_covered(self, numbers, points, tolerance):
        assert np.isin(numbers, self.numbers).all()
        assert same_bits(points, self.points[np.searchsorted(self.numbers, numbers)])
        assert undominated(points).all()
        assert self.uncovered(points, tolerance) == 0
