"""What the benchmarks compare is equal, on tiny spaces. Nothing here looks at a clock."""

from __future__ import annotations

import io
import json
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))  # benchmarks/ is not part of the package

from benchmarks import (  # noqa: E402
    checks,
    endtoend,
    equality,
    filtering,
    flat,
    kinds_of_growth,
    loop,
    methods,
    native,
    networks,
    odd_numbers,
    peers,
    planning,
    processor_forms,
    processors,
    random_searches,
    search,
    search_spaces,
    startup,
    variants,
)
from benchmarks.machine import Unequal, peak_mib, require  # noqa: E402
from benchmarks.report import Column, Section, Target, number, ratio, seconds, show  # noqa: E402
from benchmarks.synthetic import problem  # noqa: E402

sys.path.remove(str(ROOT))


@pytest.fixture(scope="module")
def tiny():
    """Return the synthetic problem with two values on each axis: 4,096 designs."""
    return flat.thinned(problem(), 2)


@pytest.fixture(scope="module")
def nodes():
    """Return the problem of the processors with two values on each axis: 1,024 nodes."""
    return processor_forms.problem(2)


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """Return the compiled loop of the processors."""
    built = processor_forms.build(tmp_path_factory.mktemp("processors"))
    if built is None:
        pytest.skip("there is no C compiler 'cc'")
    return built


@pytest.fixture
def rng():
    return np.random.default_rng(5)


class TestEquality:
    def test_unequal_results_stop_the_benchmark(self):
        with pytest.raises(Unequal, match=r"^not equal: one and two$"):
            require(1 == 2, "one and two")

    def test_sweep_gives_the_bits_of_flat_arrays(self, tiny, rng):
        assert equality.sweep_equals_flat(tiny, 1_000, rng).endswith("every bit")

    def test_plain_search_and_bundles_give_the_same_bytes(self, tiny):
        found, text = equality.searches_agree(tiny)

        assert f"frontier of {len(found.numbers)} designs" in text

    def test_frontier_is_that_of_moocore(self):
        assert equality.frontier_is_exact(problem(), 2).startswith("thinned space of 4,096 designs")

    def test_python_loop_gives_every_quantity(self, tiny):
        names = {name for function in tiny.systems[0].graph.functions for name in function.gives}

        assert set(native.QUANTITIES) == names
        assert equality.loop_equals_flat(tiny, 500).startswith("38 quantities of 500 designs")

    def test_python_loop_walks_in_order_of_the_numbers(self, tiny):
        (product,) = tiny.space.products
        last = list(loop.designs(tiny, 4_096))[-1]

        assert last == tuple(axis.columns[axis.name][-1] for axis in product.axes)

    @pytest.mark.slow
    @pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler 'cc'")
    @pytest.mark.parametrize("flags", [*native.STRICT, *native.RELAXED], ids=" ".join)
    def test_c_loops_give_every_quantity(self, tiny, rng, tmp_path, flags):
        built = native.build(tmp_path, flags)
        if built is None:
            pytest.skip(f"the compiler does not take {' '.join(flags)}")

        assert "designs in C and NumPy" in equality.native_equals_flat(tiny, built, native.LOOPS, rng)

    def test_a_wrong_sum_is_noticed(self, tiny, rng):
        class Wrong(native.Native):
            def quantities(self, problem, numbers):
                values = flat.all_quantities(problem, numbers)
                return np.stack([np.broadcast_to(values[name], len(numbers)) for name in native.QUANTITIES], axis=1)

            def sums(self, problem, loop, first, designs):
                return np.ones(3)

        with pytest.raises(Unequal, match="sums of sum_divmod in C"):
            equality.native_equals_flat(tiny, Wrong(Path("wrong")), native.LOOPS, rng)


class TestFilter:
    @pytest.mark.parametrize("chosen", filtering.CASES, ids=lambda one: one[0])
    def test_stream_finds_what_moocore_finds(self, chosen):
        _, make, objectives, _ = chosen
        points = make(np.random.default_rng(6), 3_000, objectives)

        found, passed = filtering.streamed(points)

        assert np.array_equal(found, filtering.alone(points))
        assert passed >= len(found)


class TestPlanning:
    def test_alternatives_have_three_structures(self):
        record = planning.measure(6)

        assert record["alternatives"] == 6
        assert record["structures"] == 3

    def test_many_are_searched(self):
        record = planning.search_many(6)

        assert record["designs"] == 6 * 64
        assert record["exact"] is True


class TestEndToEnd:
    @pytest.mark.slow
    def test_every_step_runs(self, tmp_path):
        told = endtoend.measure(tmp_path, nodes=2, repeats=1)

        assert told["designs"] == 4_000
        assert set(endtoend.LABELS) <= set(told)
        assert told["page bytes"] > 100_000


class TestVariants:
    @pytest.mark.parametrize(
        "order",
        [
            {"variant": "flat", "first": 5, "designs": 700, "chunk": 256},
            {"variant": "python", "designs": 700},
            {"variant": "factored"},
        ],
        ids=lambda order: order["variant"],
    )
    def test_variants_tell_how_many_designs_they_did(self, tiny, order):
        assert variants.VARIANTS[order["variant"]](tiny, order)["designs"] == order.get("designs", 4_096)

    def test_methods_have_one_digest(self, tiny):
        answers = [variants.searched(tiny, {"method": method}) for method in ("exhaustive", "bundles")]

        assert answers[0]["digest"] == answers[1]["digest"]
        assert answers[0]["designs"] == 4_096


class TestReport:
    def test_factor_of_a_target(self):
        more, less = Target("speed", 50.0, 25.0, "x"), Target("memory", 600.0, 300.0, "MiB", more=False)

        assert (more.factor, more.reached) == (2.0, True)
        assert (less.factor, less.reached) == (0.5, False)

    def test_numbers_are_short(self):
        assert [number(x) for x in (None, 0.5, 1234, 98_304_000, 999_900, 1.0e9)] == [
            "–",
            "0.5",
            "1.23 k",
            "98.3 M",
            "1000 k",
            "1 G",
        ]
        assert [seconds(x) for x in (None, 0.0123, 12.34)] == ["–", "12.3 ms", "12.3 s"]
        assert [ratio(x) for x in (None, 0.456, 17.2, 345.6)] == ["–", "0.46 x", "17 x", "346 x"]

    def test_section_shows_and_serialises(self):
        rows = [{"label": "one", "seconds": 2.0}]
        section = Section("name", "Title", [Column("label", "what"), Column("seconds", "time", seconds)], rows)
        section.targets.append(Target("time", 2.0, 3.0, "s", more=False))
        console = Console(width=80, record=True, file=io.StringIO())

        show(section, console)

        text = console.export_text()
        assert "2 s" in text
        assert "reached" in text
        assert json.loads(json.dumps(section.as_json()))["targets"][0]["factor"] == 1.5

    def test_peak_memory_is_plausible(self):
        assert 10 < peak_mib() < 10_000


@pytest.mark.slow
@pytest.mark.parametrize("most", [False, True])
def test_the_known_frontier_of_sums_is_that_of_every_design(most):
    problem = search_spaces.separable(3, 7, most=most)
    values = problem.quantities(np.arange(7**3))[0]["values"]
    points = np.stack([values[one.quantity] for one in problem.objectives], axis=1)
    better = (points[None] <= points[:, None]).all(axis=2) & (points[None] < points[:, None]).any(axis=2)
    expected = np.unique(points[~better.any(axis=1)], axis=0)
    np.testing.assert_array_equal(search_spaces.known_frontier(3, 7, most=most), expected)


def test_the_spaces_of_searches_at_scale_have_designs_that_meet_their_limits():
    assert search_spaces.exascale().space.size == 10_798_057_200
    assert search_spaces.exascale_fine().space.size == 1_104_707_437_680
    assert search_spaces.finer_many_cores().space.size == 46_481_651_193_600
    problem = search_spaces.training()
    assert problem.space.size == 7 * 7 * 11 * 6 * 4 * 3 * 2 * 4 * 8 * 2 * 8 * (4 * 12 * 3) ** 3
    values = problem.quantities(np.random.default_rng(0).integers(0, problem.space.size, 2_000))[0]["values"]
    met = np.logical_and.reduce([values[one.quantity] for one in problem.constraints])
    assert 0.05 < met.mean() < 0.5
    assert (values["time"][met] > 0).all()


def test_scores_beside_a_frontier_by_hand():
    front = np.array([[0.0, 1.0], [1.0, 0.0], [0.0, 1.0]])
    assert peers.scores(front, front) == {"returned": 2, "precision": 1.0, "recall": 1.0, "hypervolume": 1.0}
    found = np.array([[0.0, 1.0], [0.5, 1.0]])
    # From (1.1, 1.1): 0.11 of 0.11 + 0.11 - 0.01.
    expected = {"returned": 2, "precision": 0.5, "recall": 0.5, "hypervolume": pytest.approx(0.11 / 0.21)}
    assert peers.scores(found, front) == expected
    nothing = {"returned": 0, "precision": 0.0, "recall": 0.0, "hypervolume": 0.0}
    assert peers.scores(np.empty((0, 2)), front) == nothing


@pytest.mark.parametrize("method", peers.METHODS)
def test_what_peers_return_are_designs_with_their_objectives(method):
    problem = search_spaces.separable(3, 7)
    try:
        points, numbers, evaluated = peers.METHODS[method](problem, 0.5)
    except ModuleNotFoundError as missing:
        pytest.skip(f"{missing.name} is not installed")
    assert 0 < len(numbers) <= evaluated
    values = problem.quantities(numbers)[0]["values"]
    np.testing.assert_array_equal(points, np.stack([values["time"], values["cost"]], axis=1))


def test_a_search_that_does_not_end_is_told_so():
    rows = [search.measured("small-sums"), search.measured("many-core-finer", 1.0)]
    assert [row["frontier"] for row in rows] == [100, None]
    told = search.section(rows)
    assert [target.value == np.inf for target in told.targets] == [False, True]
    assert not told.targets[1].reached
    assert "not finished in 1 s" in told.notes[0]


def test_libraries_of_check_are_named_or_the_trouble_is():
    """Start-up is measured against the libraries the command loads; if it does not run, the reason is told."""
    names, trouble = startup.libraries()

    assert (names is None) == bool(trouble)
    if names is not None:
        assert "numpy" in names
        assert not any(name.partition(".")[0] == "dse" for name in names)


class TestNetworks:
    @pytest.mark.parametrize(("topology", "pattern"), list(networks.pairs()))
    def test_oracle_and_linear_program_agree_with_the_closed_form(self, topology, pattern, rng):
        row = networks.measured(topology, pattern, 8, rng)

        assert row["combinations"] == 8
        assert 0 < row["of_best"] <= 1 + 1e-7


class TestFlat:
    @pytest.mark.parametrize("shape", [(7,), (2, 3, 5), (60_000, 3, 50_000)])
    def test_rows_are_those_of_unravel_index(self, shape, rng):
        numbers = np.append(rng.integers(0, np.prod(shape), 100), np.prod(shape) - 1)

        assert np.array_equal(flat.decoded(numbers, shape), np.unravel_index(numbers, shape))

    def test_what_is_let_go_changes_nothing(self, tiny):
        numbers = np.arange(100, 400)
        wanted, whole = flat.wanted_quantities(tiny, numbers), flat.all_quantities(tiny, numbers)

        assert list(wanted) == [objective.quantity for objective in tiny.objectives]
        assert all(np.array_equal(value, whole[name]) for name, value in wanted.items())


class TestProcessors:
    def test_forms_and_frontiers_agree(self, nodes, rng):
        told = processors.equal(nodes, None, 500, 2, rng)

        assert [text.split(",")[0] for text in told if "objectives, " in text] == ["2 objectives", "3 objectives"]

    @pytest.mark.slow
    def test_the_c_loop_gives_every_quantity(self, nodes, library, rng):
        told = processors.equal(nodes, library, 500, 2, rng)

        assert any(f"{len(processor_forms.QUANTITIES)} quantities of 500 random designs, C" in text for text in told)

    def test_what_the_c_loop_leaves_out_is_looked_up_or_a_mark(self, nodes):
        given = {name for function in nodes.systems[0].graph.functions for name in function.gives}
        computed = set(processor_forms.QUANTITIES)
        functions = [one for one in nodes.systems[0].graph.functions if computed.isdisjoint(one.gives)]
        marked = {name for one in nodes.systems[0].graph.functions for name in one.valid}

        assert computed <= given
        assert {"node_power", "time_per_program", "chip_area"} <= computed
        for function in functions:
            endings = ("_not_modelled", "_lines_per_set", "in_order")
            marks = all(name.endswith(endings) or name in marked for name in function.gives)
            assert function.points_only or marks, function.label

    def test_the_c_loop_walks_in_order_of_the_numbers(self, nodes, library):
        loop = processor_forms.ProcessorLoop(library, nodes)

        parts = [loop.sums(first, 1) for first in range(100, 200)]

        assert np.allclose(np.sum(parts, axis=0), loop.sums(100, 100), rtol=1e-12, atol=0)

    @pytest.mark.parametrize("name", ["node_power", "reorder_buffer_stalls", "l2_hits"])
    def test_a_wrong_formula_is_noticed(self, nodes, library, rng, monkeypatch, name):
        right = processor_forms.ProcessorLoop.quantities

        def wrong(loop, numbers):
            found = right(loop, numbers)
            return {**found, name: found[name] * (1 + 1e-9)}

        monkeypatch.setattr(processor_forms.ProcessorLoop, "quantities", wrong)

        with pytest.raises(Unequal, match="quantities in C"):
            processors.equal(nodes, library, 500, 2, rng)

    def test_whole_space_has_ten_million_designs(self):
        assert 0.9e7 < processor_forms.problem().space.size < 1.1e7

    def test_every_variant_runs(self, nodes, library):
        sizes = processors.Sizes(2, 700, 500, 600, 0, 0, 1)
        for name, order in processors.orders(sizes, nodes.space.size, library).items():
            done = processors.prepared(nodes, order)()

            assert done["designs"] == order.get("designs", 1_024), name
            assert processors.label(name)


def test_a_run_is_the_same_with_its_check_and_without(tmp_path):
    told = checks.measure(tmp_path, "ska-correlator", 1)
    assert (told["designs"], told["better"]) == (960, 0)
    assert told["cost"] == told["with"] - told["without"]


def test_odd_numbers_of_given_seeds_are_searched():
    section = odd_numbers.run("small", lambda text: None, seeds=3, first=1003)
    assert sum(row["systems"] for row in section.rows) == 3
    assert section.asserted == ["3 systems, seeds 1003 to 1005: every method equals the definition or refuses"]


@pytest.mark.parametrize(
    ("kind", "column", "size"),
    [("frontier", "frontier", 1_000), ("alternatives", "designs", 10_000), ("axes", "designs", 32)],
)
def test_a_kind_of_growth_has_the_size_that_it_says(kind, column, size):
    row = kinds_of_growth.measured(kind, kinds_of_growth.KINDS[kind][2][0])
    assert (row["fault"], row["exact"]) == ("", True)
    assert row[column] == size


def test_growth_that_does_not_end_is_said_so():
    row = kinds_of_growth.measured("functions", 5_000, limit=1)
    assert row["cpu_seconds"] is None
    assert row["fault"] == "did not end in 1 s"


class TestRandomSearches:
    def test_a_search_that_is_wrong_is_counted_with_its_seed(self, monkeypatch):
        def wrong_at_3(seed):
            assert seed != 3, "other designs"
            return seed > 1

        monkeypatch.setattr(random_searches, "checks", lambda: {"made up": wrong_at_3})
        tally = random_searches.checked("made up", 0, 2)
        assert (tally.searched, tally.took_part) == (5, 2)
        assert len(tally.wrong) == 1
        assert tally.wrong[0].startswith("seed 3: AssertionError: other designs")

    def test_a_feature_that_never_takes_part_ends(self, monkeypatch):
        monkeypatch.setattr(random_searches, "checks", lambda: {"made up": lambda seed: False})
        assert random_searches.checked("made up", 0, 3).searched == 60


class TestMethods:
    def test_what_was_cut_is_told_with_its_limit(self):
        searches = {
            "auto": {"limit": 45, "cpu_seconds": 1.0, "method": "groups"},
            "bundles": {"limit": 3, "cpu_seconds": None, "method": None},
            "groups": {"limit": 3, "cpu_seconds": 0.8, "method": "groups"},
        }
        row = methods._row("made up", 10**9, searches)
        assert (row["taken"], row["exhaustive"], row["bundles"]) == ("groups", "–", "> 3 s")
        assert row["over_best"] == pytest.approx(1.05 / 0.85)
        assert row["over_worst"] is None

    def test_a_search_is_measured_in_a_fork(self, tiny):
        record = methods.searched(lambda: tiny, "exhaustive", 20)
        assert record["method"] == "exhaustive"
        assert 0 <= record["cpu_seconds"] < 20
