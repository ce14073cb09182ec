"""Groups inside groups: separable spaces of 10^13 and 10^14 designs by dynamic programming, random ones one by one."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from engine_problems import Case, Limit, function, part
from example_counts import ALL_EXAMPLES

import dse.evaluation.plan as planning
from dse.search.bundles import bundles, innermost
from dse.search.driver import SearchOptions, search
from dse.search.groups import nested_groups, reduced_product, ties
from dse.search.groups.groups import GroupProduct
from dse.search.proof import reduction
from dse.search.proof.monotone import Monotonicity
from dse.space.design_space import Product


def _sum_of(names):
    def body(*terms):
        total = terms[0]
        for term in terms[1:]:
            total = total + term
        return total

    return body, " ".join(names)


def _largest_of(names):
    def body(*terms):
        most = terms[0]
        for term in terms[1:]:
            most = np.maximum(most, term)
        return most

    return body, " ".join(names)


def _parts(columns, count):
    """One part axis per place, with a column of each name."""
    return tuple(
        part(f"part{place}", **{f"{name}{place}": values[place] for name, values in columns.items()})
        for place in range(count)
    )


def _joined(columns, bodies, count):
    functions = []
    for name, make in bodies.items():
        body, needs = make([f"{column}{place}" for column in name[0] for place in range(count)])
        functions.append(function(name, needs, body))
    return Case([Product("", _parts(columns, count))], functions, dict.fromkeys(bodies, "min"))


def _two_sums(b, c):
    """The frontier of two sums by dynamic programming, with how many designs have each vector (whole numbers)."""
    front, counts = np.zeros((1, 2)), np.ones(1, dtype=np.int64)
    for x, y in zip(b, c, strict=True):
        sums = (front[:, None, :] + np.stack([x, y], axis=1)[None]).reshape(-1, 2)
        sums, which = np.unique(sums, axis=0, return_inverse=True)  # in the order of the first, then of the second
        counts = np.bincount(which.reshape(-1), weights=np.repeat(counts, len(x))).astype(np.int64)
        best_before = np.r_[np.inf, np.minimum.accumulate(sums[:, 1])[:-1]]
        front, counts = sums[sums[:, 1] < best_before], counts[sums[:, 1] < best_before]
    return dict(zip(map(tuple, front.tolist()), counts.tolist(), strict=True))


def _tradeoff(rng, count, rows, most):
    first = rng.integers(1, most, (count, rows)).astype(float)
    second = np.round(most * most / first) + rng.integers(0, most // 8, (count, rows))
    return first, second


def _found(case):
    result = search(case.problem(), SearchOptions("groups"))
    assert result.certificate.exact
    return Counter(map(tuple, result.values.tolist())), result


def test_two_sums_over_seven_parts_of_a_hundred_rows_1e14():
    """The partial sums are hidden in one function each."""
    b, c = _tradeoff(np.random.default_rng(7), 7, 100, 1500)
    case = _joined({"b": b, "c": c}, {"b_sum": _sum_of, "c_sum": _sum_of}, 7)
    assert case.products[0].size == 10**14
    found, result = _found(case)
    assert found == _two_sums(b, c)
    assert len(found) > 300
    assert result.certificate.evaluated < 1e6


def test_a_maximum_and_two_sums_over_six_parts_of_160_rows_17e12():
    rng = np.random.default_rng(6)
    b, c = _tradeoff(rng, 6, 160, 250)
    a = rng.integers(1, 7, (6, 160)).astype(float)
    bodies = {"a_max": _largest_of, "b_sum": _sum_of, "c_sum": _sum_of}
    case = _joined({"a": a, "b": b, "c": c}, bodies, 6)
    assert case.products[0].size == 160**6
    found, _ = _found(case)
    right = {}
    for most in range(1, 7):
        small = [a[place] <= most for place in range(6)]
        for sums, number in _two_sums([*map(_at, b, small)], [*map(_at, c, small)]).items():
            if all(sums not in right_of for right_of in right.values()):
                right.setdefault(most, {})[sums] = number
    assert found == {(float(most), *sums): number for most, of in right.items() for sums, number in of.items()}


def _at(values, chosen):
    return values[chosen]


@pytest.fixture
def small(monkeypatch):
    """Every set of axes is reduced where that leaves less, and combined with others inside it."""

    def apply(limit, by_bundles, block, sampled):
        monkeypatch.setattr(planning, "_LIMITS", (limit,))
        planning._cached.cache_clear()
        monkeypatch.setattr(bundles, "_FEWEST_BOXES", 4)
        monkeypatch.setattr(bundles, "_MANY", 0)
        monkeypatch.setattr(innermost, "_LEAST_ROWS", 1)
        monkeypatch.setattr(innermost, "_BETTER", 1.0)
        monkeypatch.setattr(reduced_product, "_BUNDLES_FROM", 0 if by_bundles else 10**9)
        monkeypatch.setattr(nested_groups, "_FEWEST_ROWS", 2)
        monkeypatch.setattr(nested_groups, "_LEAST_GAIN", 1.0001)
        monkeypatch.setattr(nested_groups, "_LEAST_LARGE_GAIN", 0.0)
        monkeypatch.setattr(nested_groups, "_MANY_LEFT", 0)
        monkeypatch.setattr(nested_groups, "_FAR_TOO_MANY_LEFT", 0)
        monkeypatch.setattr(nested_groups, "_SAMPLED", sampled)
        monkeypatch.setattr(reduction, "BLOCK", block)
        monkeypatch.setattr(ties, "_SIZES", (2, 4, 8))

    yield apply
    planning._cached.cache_clear()


TERMS = [
    lambda x, y: x + y,
    lambda x, y: x * y,
    lambda x, y: np.maximum(x, y),
    lambda x, y: np.minimum(x, 3.0) + y,
    lambda x, y: x - 0.5 * y,
    lambda x, y: np.where(x > 2.0, y, x),
    lambda x, y: (x - 2.0) ** 2 + y,
    lambda x, y: np.floor(x * 0.5) + y,
    lambda x, y: x / (y + 1.0),
]


def _hidden(rng, names):
    """A function that joins some quantities one by one, in an order of its own."""
    order = rng.permutation(len(names))
    kinds = [TERMS[rng.integers(3)] if rng.random() < 0.7 else TERMS[rng.integers(len(TERMS))] for _ in names]

    def body(*given):
        result = given[order[0]]
        for place, kind in zip(order[1:], kinds, strict=False):
            result = kind(result, given[place])
        return result

    return body


def random_separable(rng):
    """Three to five axes of two to five rows, two or three objectives, and perhaps a limit, joined term by term."""
    count = int(rng.integers(3, 6))
    axes, names = [], []
    for place in range(count):
        rows = int(rng.integers(2, 6 if count < 5 else 5))
        columns = {f"{name}{place}": rng.integers(0, 6, rows).astype(float) for name in "uv"[: int(rng.integers(1, 3))]}
        axes.append(part(f"p{place}", **columns))
        names.append(list(columns))
    functions = []
    objectives = [f"f{number}" for number in range(int(rng.integers(1, 4)))]
    for name in [*objectives, "g"]:
        read = [str(rng.choice(some)) for some in names if rng.random() < 0.85] or [names[0][0]]
        functions.append(function(name, " ".join(read), _hidden(rng, read)))
    limits = [Limit("g <= 7", lambda values: values["g"] <= 7)] if rng.random() < 0.4 else []
    senses = {name: str(rng.choice(["min", "max"])) for name in objectives}
    return Case([Product("", tuple(axes))], functions, senses, limits)


EXAMPLES = 2_000 if ALL_EXAMPLES else 160


@pytest.mark.parametrize("eighth", range(8))
def test_random_separable_systems_equal_the_definition_2000_graphs(eighth, small):
    """Every vector to the last bit, and every design, whatever is reduced inside what."""
    nested = pruned = 0
    for number in range(EXAMPLES // 8):
        rng = np.random.default_rng([eighth, number])
        case = random_separable(rng)
        small(
            limit=float(rng.choice([1, 30, 1e6])),
            by_bundles=bool(rng.integers(2)),
            block=int(rng.choice([3, 10**6])),
            sampled=int(rng.choice([8, 4_000])),
        )
        result = search(case.problem(), SearchOptions("groups"))
        case.answer().assert_equals(result.numbers, result.values)
        nested += any("made of those left of" in text for text in result.certificate.groups)
        pruned += result.certificate.pruned_by_group > 0
    assert nested > EXAMPLES // 8 // 8
    assert pruned > EXAMPLES // 8 // 2


def test_a_group_is_combined_from_what_is_left_of_those_inside(small):
    """And its rows are those that are left of all combinations of its axes."""
    small(1.0, True, 10**6, 4_000)
    rng = np.random.default_rng(1)
    b, c = rng.integers(0, 30, (4, 6)).astype(float), rng.integers(0, 30, (4, 6)).astype(float)
    case = _joined({"b": b, "c": c}, {"b_sum": _sum_of, "c_sum": _sum_of}, 4)
    stages = {tuple(sorted(stage.group.axes)): stage for stage in GroupProduct(case.problem(), 0).stages}
    three = stages[0, 1, 2]
    assert three.every < 6**3
    assert len(three.inside) > 1
    known = Monotonicity(case.problem(), 0)
    flat, _ = reduction.kept_rows(known, three.group)
    assert set(three.kept.numbers) == set(flat.numbers)
    for name, values in flat.values.items():
        assert sorted(three.kept.values[name].tolist()) == sorted(values.tolist())


@pytest.mark.parametrize("wrong", ["sense", "numbers", "inside", "signs"])
def test_what_goes_wrong_inside_a_group_is_noticed(small, monkeypatch, wrong):
    """The test above sees a column that is compared the wrong way round, numbers that are swapped, and the like."""
    if wrong == "sense":
        columns = reduction.Rows.columns
        monkeypatch.setattr(reduction.Rows, "columns", lambda *given: -columns(*given))
    if wrong == "numbers":
        real = nested_groups.kept_factor
        monkeypatch.setattr(nested_groups, "kept_factor", lambda *given: _swapped(real(*given)))
    if wrong == "inside":
        monkeypatch.setattr(nested_groups, "kept_factor", _only_first)
    if wrong == "signs":
        prove_all = Monotonicity.prove_all
        monkeypatch.setattr(Monotonicity, "prove_all", lambda *given: _without_keys(prove_all(*given)))
    noticed = 0
    for number in range(40):
        rng = np.random.default_rng([9, number])
        case = random_separable(rng)
        small(1.0, True, 10**6, 4_000)
        try:
            result = search(case.problem(), SearchOptions("groups"))
            case.answer().assert_equals(result.numbers, result.values)
        except AssertionError:
            noticed += 1
    assert noticed > 1


def _swapped(factor):
    return reduction.Factor(factor.axes, factor.numbers[::-1], factor.values)


def _only_first(known, group, kept):
    return reduction.kept_factor(known, group, kept).take(slice(0, 1))


def _without_keys(groups):
    return {
        axes: replace(group, columns={**group.columns, **dict.fromkeys(group.keys, 1)}, keys={})
        for axes, group in groups.items()
    }
