"""Candidates by climbing: against all designs of a space whose limits make single steps fail."""

from pathlib import Path

import numpy as np
import pytest

from dse import Study
from dse.analysis.uncertainty.axis_blocks import AxisBlocks
from dse.analysis.uncertainty.climb import climbed
from dse.analysis.uncertainty.estimated import estimated_candidates
from dse.analysis.uncertainty.first_answer import far_reaching, first_answer, tables_wanted
from dse.analysis.uncertainty.tally import tally
from dse.evaluation.unknowns import uncertain_problem
from dse.search.account.deadline import Deadline, Late
from dse.search.driver import search

MODEL = '''
from dse import parameter, quantity

nodes = parameter(unit="1", doc="How many.")
cores = parameter(unit="1", doc="Of a node.")
memory = parameter(unit="B", doc="Of a node.")
hops = parameter(unit="1", doc="Of a network.")
core_rate = parameter(unit="flop/s", doc="Of a core.")
core_power = parameter(unit="W", doc="Of a core.")


@quantity(unit="flop/s", source="made up for a test")
def rate(nodes, cores, core_rate):
    """Of all cores."""
    return nodes * cores * core_rate


@quantity(unit="B", source="made up for a test")
def capacity(nodes, memory):
    """Of all nodes."""
    return nodes * memory


@quantity(unit="s", source="made up for a test")
def time(rate, hops):
    """Work over rate, and messages."""
    return 1e15 / rate + 0.05 * hops


@quantity(unit="W", source="made up for a test")
def power(nodes, cores, core_power, memory, hops):
    """Of cores, memory and cards."""
    return nodes * (cores * core_power + memory * 2e-9 + 20.0 / hops)
'''
STUDY = """
name = "limits"
question = "How many nodes?"
models = ["limits.py"]
constraints = ["rate >= 100 Tflop/s", "capacity >= 1 TB", "power <= 40 kW"]

[[objectives]]
minimize = "time"

[[objectives]]
minimize = "power"

[set]
core_rate = "10 Gflop/s"
core_power = "2 W"

[space.axes]
nodes = { values = [40, 60, 80, 100, 120, 160, 200] }

[space.choices.node.lean.axes]
cores = { values = [40, 60, 80, 100, 120, 160, 200] }
memory = { values = ["5 GB", "7 GB", "10 GB", "13 GB", "20 GB", "30 GB"] }

[space.choices.node.fat.axes]
cores = { values = [64, 128, 256, 320] }
memory = { values = ["8 GB", "16 GB", "32 GB"] }

[space.choices.network.tree.axes]
hops = { values = [1, 2, 3, 4, 5] }

[space.choices.network.ring.axes]
hops = { values = [6, 8, 10] }

[uncertain]
core_rate = { within = "40 %" }
core_power = { within = "40 %" }
"""
DRAWS = 1500


@pytest.fixture(scope="module")
def limits(tmp_path_factory):
    folder = tmp_path_factory.mktemp("limits")
    (folder / "limits.py").write_text(MODEL)
    (folder / "limits.toml").write_text(STUDY)
    study = Study.load(str(folder / "limits.toml"))
    return study, uncertain_problem(study.compiled, study.unknowns.every)


def decided(unknown, numbers):
    """Probability of each design to be the best of each objective and the knee, over the whole space."""
    own = np.zeros((3, unknown.problem.space.size))
    own[:, numbers] = tally(unknown, numbers, DRAWS, 4).best
    return own


def test_estimate_is_within_three_points_of_all_designs(limits):
    study, unknown = limits
    everyone = frozenset(range(len(study.space.products)))
    result = search(study.compiled, kept=everyone)
    estimated = estimated_candidates(unknown, result.numbers, result.searches, Deadline(600.0))
    assert len(estimated.numbers) < study.space.size
    assert 50 < estimated.asked <= 100  # where some design meets the limits
    assert 0 <= estimated.missed <= estimated.asked
    difference = decided(unknown, estimated.numbers) - decided(unknown, np.arange(study.space.size))
    assert np.abs(difference).max() <= 0.03


def test_no_estimate_without_the_tables_of_the_search_or_the_time(limits):
    study, unknown = limits
    result = search(study.compiled)
    with pytest.raises(Late):
        estimated_candidates(unknown, result.numbers, {}, Deadline(600.0))
    with pytest.raises(Late):
        estimated_candidates(unknown, result.numbers, result.searches, Deadline(0.0))


def test_combinations_lead_where_no_single_axis_does(limits):
    """Fewer nodes of more cores: rate and capacity both bind, so each single step breaks a limit."""
    study, unknown = limits
    space = study.space
    several = climbed(unknown, np.arange(0, space.size, 7), range(len(space.products)), 9).numbers
    every = tally(unknown, np.arange(space.size), 200, 10).best
    assert every[:2][:, ~np.isin(np.arange(space.size), several)].sum() <= 0.06


def test_designs_of_products_that_are_not_climbed_in_stay_as_they_are(limits):
    study, unknown = limits
    start = np.arange(0, study.space.size, 11)
    numbers = climbed(unknown, start, [0], 9).numbers
    assert (numbers < study.space.products[0].size).all()


def test_blocks_are_axes_that_the_same_alternatives_have(limits):
    study, _ = limits
    space = study.space
    names = [product.name for product in space.products]
    lean_tree, fat_ring = names.index("lean tree"), names.index("fat ring")
    numbers = np.array([space.offsets[lean_tree] + 37, space.offsets[fat_ring] + space.products[fat_ring].size - 1])
    blocks = AxisBlocks(space, numbers, np.zeros(2))
    for index, product in enumerate(space.products):
        designs = [space.parameters(int(number)) for number in blocks.combined(index)]
        kinds = {"lean": lean_tree, "fat": fat_ring}, {"tree": lean_tree, "ring": fat_ring}
        node, network = product.name.split()
        given = [space.parameters(int(number)) for number in numbers]
        of_node, of_network = given[kinds[0][node] != lean_tree], given[kinds[1][network] != lean_tree]
        expected = [
            {"nodes": own["nodes"], "cores": of_node["cores"], "memory": of_node["memory"], "hops": of_network["hops"]}
            for own in given
        ]
        assert len(designs) == 2
        for wanted in expected:
            assert any(all(design[name] == value for name, value in wanted.items()) for design in designs)


def test_of_many_blocks_fewer_rows_are_combined(limits, monkeypatch):
    """So that designs do not grow with the power of the blocks; the rows of the nearest designs stay."""
    study, _ = limits
    space = study.compiled.space
    numbers = np.arange(space.size)
    gaps = np.linspace(1.0, 0.0, space.size)
    every = AxisBlocks(space, numbers, gaps)
    monkeypatch.setattr("dse.analysis.uncertainty.axis_blocks._COMBINED", 30)
    few = AxisBlocks(space, numbers, gaps)
    for index in range(len(space.products)):
        combined = few.combined(index)
        assert 0 < len(combined) <= 30
        assert np.isin(combined, every.combined(index)).all()
    last = len(space.products) - 1
    assert space.size - 1 in few.combined(last)


def test_run_says_that_it_is_an_estimate(limits, tmp_path, monkeypatch):
    from dse.analysis.uncertainty import first_answer as module
    from dse.report.words.how_sure import how_sure_notes

    study, unknown = limits
    monkeypatch.setattr(module, "_FAR", -1)
    assert far_reaching(unknown)
    assert tables_wanted(unknown) == frozenset(range(len(study.space.products)))
    run = study.run(str(tmp_path / "run"), trust=False)
    searches = search(study.compiled, kept=tables_wanted(unknown)).searches
    sure = first_answer(run, 600.0, searches)
    assert (sure.way, sure.complete) == ("estimated", False)
    assert [decision.quantity for decision in sure.decided] == ["time", "power", ""]
    (note,) = how_sure_notes(run, sure)
    assert "an estimate" in note
    assert "searches in full" in note
    assert first_answer(run, 0.0, searches).late
    assert Path(run.folder).exists()
