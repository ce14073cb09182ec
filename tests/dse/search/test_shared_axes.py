"""Groups that share axes: random systems by the definition, and a space of which each shared value is known."""

import contextlib
from collections import Counter
from dataclasses import replace
from itertools import product as combinations_of
from types import SimpleNamespace

import numpy as np
import pytest
from changed_settings import EAGER, changed
from engine_problems import Case, Limit, function, part
from example_counts import ALL_EXAMPLES
from sharing_problems import random_sharing, shares, total
from stopped_searches import Looks, MemoryLedger

from dse.search.account.tolerance import Tolerance
from dse.search.bundles import bundles
from dse.search.driver import SearchOptions, search
from dse.search.frontier.pareto import nondominated
from dse.search.groups import shared_axes
from dse.search.groups.groups import GroupProduct, Refused
from dse.search.groups.ragged_product import RaggedBundles
from dse.search.proof import monotone, reduction
from dse.search.proof.monotone import Monotonicity
from dse.search.schedule import share
from dse.search.start import warm_start
from dse.space.design_space import Product


@pytest.fixture
def eager():
    """Groups share axes wherever they can, however little that leaves out."""
    with changed(EAGER):
        yield


EXAMPLES = 600 if ALL_EXAMPLES else 48


@pytest.mark.parametrize("quarter", range(4))
def test_random_systems_with_shared_axes_equal_the_definition_600_graphs(quarter, eager):
    """Every vector to the last bit, every design, ties included; and the designs are all accounted for."""
    used = 0
    for number in range(EXAMPLES // 4):
        case = random_sharing(np.random.default_rng([quarter, number]))
        result = search(case.problem(), SearchOptions("groups"))
        case.answer().assert_equals(result.numbers, result.values)
        assert result.certificate.exact
        used += shares(result)
    assert used > EXAMPLES // 4 // 8


def test_a_start_closed_along_axes_holds_pruned_rows_and_the_ties_are_found_all_the_same(eager, monkeypatch):
    monkeypatch.setattr(warm_start, "_CLOSED_FROM", 1)
    monkeypatch.setattr(warm_start, "_SMALLEST_SPACE", 1)
    monkeypatch.setattr(warm_start, "_WORTHWHILE", 0)
    pruned = 0
    for number in range(12):
        case = random_sharing(np.random.default_rng([99, number]))
        problem = case.problem()
        with contextlib.suppress(Refused):
            start = warm_start.warm_start(problem, [product := GroupProduct(problem, 0)])[1]
            pruned += not all(
                finder.holds(start[np.isin(start, case.answer().numbers)]).all() for finder in product.finders
            )
        result = search(problem, SearchOptions("groups"))
        case.answer().assert_equals(result.numbers, result.values)
    assert pruned


def test_where_no_shared_value_meets_a_limit_nothing_is_shared():
    parts = [part("s", s=[1.0, 2.0]), part("a", a=[1.0, 2.0, 3.0]), part("b", b=[1.0, 2.0, 3.0])]
    functions = [
        function("f_a", "s a", lambda s, a: s * a),
        function("f_b", "s b", lambda s, b: (s - 1.5) * b),
        function("f", "f_a f_b", lambda a, b: a + b),
    ]
    limit = Limit("s >= 5", lambda values: values["s"] >= 5)
    known = Monotonicity(Case([Product("", tuple(parts))], functions, {"f": "min"}, [limit]).problem(), 0)
    axes, frees = frozenset({0}), [frozenset({1}), frozenset({2})]
    assert shared_axes._gains(known, axes, frees, ()) == {}
    assert shared_axes.conditional(known, axes, frees) is None


def test_so_many_shared_values_that_their_numbers_are_rounded_are_refused():
    """Two numbers above 2^53 are one as floats, and a row of one value would stand for that of the other."""
    assert float(2**53) == float(2**53 + 1)
    known = SimpleNamespace(rows=lambda axes: (2**18) ** len(axes))
    assert shared_axes.conditional(known, frozenset({0, 1, 2}), [frozenset({3}), frozenset({4})]) is None


@pytest.mark.parametrize("wrong", ["values", "free", "sense", "places", "filled"])
def test_what_goes_wrong_with_shared_axes_is_noticed(eager, monkeypatch, wrong):
    """The test above sees rows of different shared values compared, and rows that only fill up taken for others."""
    if wrong == "values":
        monkeypatch.setattr(monotone.Group, "compared", property(lambda group: [*group.keys]))
    if wrong == "sense":
        columns = reduction.Rows.columns
        monkeypatch.setattr(reduction.Rows, "columns", lambda *given: -columns(*given))
    if wrong == "free":
        proved = shared_axes._proved
        monkeypatch.setattr(shared_axes, "_proved", lambda *given: _free_in_the_last(proved(*given)))
    if wrong == "places":
        named = RaggedBundles.named
        monkeypatch.setattr(RaggedBundles, "named", lambda self, numbers: named(self, numbers[::-1]))
    if wrong == "filled":
        monkeypatch.setattr(
            shared_axes.Shared, "longest", lambda self, part: int(np.diff(self.spans[part], axis=0).min())
        )
    noticed = 0
    for number in range(80):
        case = random_sharing(np.random.default_rng([7, number]))
        try:
            result = search(case.problem(), SearchOptions("groups"))
            case.answer().assert_equals(result.numbers, result.values)
        except (AssertionError, IndexError, KeyError):
            noticed += 1
        if noticed > 1:
            return
    raise AssertionError("nothing is noticed")


def _free_in_the_last(groups):
    """What was proved, but that a shared axis is free in one group: rows of any values of it are compared."""
    if not groups:
        return groups
    last = max(groups, key=sorted)
    return {**groups, last: replace(groups[last], shared=frozenset())}


def test_an_axis_that_is_free_in_two_groups_is_refused():
    known = Monotonicity(random_sharing(np.random.default_rng(1)).problem(), 0)
    with pytest.raises(ValueError, match="fixed in both"):
        shared_axes.conditional(known, frozenset([0]), [frozenset([1, 2]), frozenset([2, 3])])
    with pytest.raises(ValueError, match="fixed in both"):
        shared_axes.conditional(known, frozenset([0]), [frozenset([1]), frozenset([0, 3])])


# ---- a space that only shared axes open -----------------------------------------------------------------------------


def _known(rng, values, rows, parts):
    """Terms by part, value and row: what is good at one value of the shared axes is bad at another."""
    first = rng.integers(1, 200, (parts, values, rows)).astype(float)
    return first, np.round(4e4 / first) / 100 + rng.integers(0, 40, (parts, values, rows))


def _sharing_space(first, second, heights):
    parts, values, rows = first.shape
    side = round(values**0.5)
    axes = [part("a", a=range(side)), part("b", b=range(values // side))]
    axes += [part(f"row{k}", **{f"row{k}": range(rows)}) for k in range(parts)]
    functions = []
    for name, table in (("f0", first), ("f1", second)):
        for k in range(parts):

            def look(a, b, row, own=table[k]):
                return own[(a * (values // side) + b).astype(int), row.astype(int)]

            functions.append(function(f"{name}_{k}", f"a b row{k}", look, points_only=True))
        functions.append(function(name, " ".join(f"{name}_{k}" for k in range(parts)), total))

    def height(a, b):
        return heights[(a * (values // side) + b).astype(int)]

    functions.append(function("height", "a b", height, points_only=True))
    limits = [Limit("height <= 8", lambda values: values["height"] <= 8)]
    return Case([Product("", tuple(axes))], functions, {"f0": "min", "f1": "min"}, limits)


def _by_value(first, second, heights):
    """The frontier, with how many designs have each vector: part after part for each shared value by itself."""
    every = Counter()
    for value in np.flatnonzero(heights <= 8):
        found = {(0.0, 0.0): 1}
        for k in range(len(first)):
            grown = Counter()
            for ((x, y), count), row in combinations_of(found.items(), range(first.shape[2])):
                grown[x + first[k, value, row], y + second[k, value, row]] += count
            points = np.array([*grown])
            found = {tuple(points[i]): grown[tuple(points[i])] for i in np.flatnonzero(nondominated(points))}
        every.update(found)
    points = np.array([*every])
    return {tuple(points[i]): every[tuple(points[i])] for i in np.flatnonzero(nondominated(points))}


@pytest.fixture(scope="module")
def space():
    rng = np.random.default_rng(3)
    first, second = _known(rng, 25, 24, 3)
    heights = rng.integers(0, 10, 25).astype(float)
    return _sharing_space(first, second, heights), _by_value(first, second, heights)


@pytest.fixture
def always(monkeypatch):
    monkeypatch.setattr(shared_axes, "_MANY_LEFT", 0)
    monkeypatch.setattr(shared_axes, "_WORTHWHILE", 1.0)
    monkeypatch.setattr(bundles, "_FEWEST_BOXES", 64)
    monkeypatch.setattr(share, "_TAKEN", 64)


def test_a_space_of_which_every_shared_value_is_known(space, always):
    case, known = space
    result = search(case.problem(), SearchOptions("groups"))
    assert Counter(map(tuple, result.values.tolist())) == known
    assert shares(result)
    assert result.certificate.exact
    assert result.certificate.evaluated < case.products[0].size / 10
    assert any("shared axes a × b" in text for text in result.certificate.groups)


def test_groups_that_would_leave_too_much_for_some_values_are_not_reduced(space, always, monkeypatch):
    def reduced(*_):
        raise AssertionError("reduced in vain")

    monkeypatch.setattr(shared_axes, "_WORTHWHILE", 1e6)
    monkeypatch.setattr(shared_axes, "conditional", reduced)
    assert not shares(search(space[0].problem(), SearchOptions("groups")))


def _same(result, other):
    return result.numbers.tolist() == other.numbers.tolist() and result.values.tobytes() == other.values.tobytes()


def test_one_chunk_many_chunks_and_rounds_that_are_stopped_give_the_same_bytes(space, always, monkeypatch):
    problem = space[0].problem()
    whole = search(problem, SearchOptions("groups"))
    ledger, before = MemoryLedger(), []
    while True:
        end = search(problem, SearchOptions("groups", budget=1.0), ledger=ledger, stop=Looks(0))
        if end.certificate.stopped is None:
            break
        before.append(end)
    assert before
    assert all(stopped.certificate.gap["open"]["designs"] > 0 for stopped in before)
    assert _same(end, whole)
    monkeypatch.setitem(bundles.BundleProduct.__init__.__kwdefaults__, "chunk", 500)
    cut = search(problem, SearchOptions("groups"))
    assert cut.counters["chunks"] > 3
    assert _same(cut, whole)


def test_within_a_tolerance_every_design_is_covered(space, always):
    case, known = space
    tolerance = Tolerance(("f0", "f1"), ("relative",) * 2, (0.03,) * 2)
    found = search(case.problem(), SearchOptions("groups", tolerance=tolerance)).values
    right = np.array([*known])
    assert len(found) < len(right)
    assert (found[None] <= right[:, None] * 1.03).all(axis=2).any(axis=1).all()


def test_for_every_pruned_row_there_is_one_of_the_same_shared_values(space, always):
    """What is kept as evidence; of boxes nothing is, since no sums of numbers tell their designs."""
    product = GroupProduct(space[0].problem(), 0)
    assert product.orders == []
    for stage, told in zip(product.stages, product.evidence(400), strict=True):
        if stage.group.shared:
            assert len(told.pruned) > 50
            assert (told.instead >= -1).all()
            both = told.instead >= 0
            rows = [
                reduction.shared_row(product.known.product, stage.group.shared, numbers[both])
                for numbers in (told.pruned, told.instead)
            ]
            assert (rows[0] == rows[1]).all()


def test_small_remainders_are_left_to_groups_without_a_common_axis(space):
    result = search(space[0].problem(), SearchOptions("groups"))
    assert not shares(result)
