"""`nodes.csv` has the figures of `processors.csv` under the names of the quantities of a study."""

from pathlib import Path

import pytest

import dse.spaces
from dse import Study
from dse.authoring.table import read_table
from dse.models.processor.node_inputs import PARAMETER_OF

FOLDER = Path(dse.spaces.__file__).parent / "processor"
# Times, inclusion and what no catalogue has are looked at below.
SAME = {
    name: parameter
    for name, parameter in PARAMETER_OF.items()
    if name not in ("l3_latency", "dram_latency", "l2_exclusive", "branch_factor")
}


@pytest.fixture(scope="module")
def tables():
    return read_table(FOLDER / "nodes.csv"), read_table(FOLDER / "processors.csv")


def test_there_are_as_many():
    assert len(SAME) == 28


@pytest.mark.parametrize("name", SAME)
def test_same_figures(tables, name):
    nodes, processors = tables
    assert nodes[name].tolist() == pytest.approx(processors[SAME[name]].tolist(), rel=1e-12)


def test_times_are_cycles_at_the_clock_of_the_row(tables):
    nodes, processors = tables
    for name in ("l3_latency", "dram_latency"):
        cycles = nodes[name] * nodes["frequency"]
        assert cycles.tolist() == pytest.approx(processors[name].tolist(), rel=1e-12)


def test_names_sources_and_inclusion(tables):
    nodes, processors = tables
    for column in ("name", "source", "confidence", "note"):
        assert nodes[column].tolist() == processors[column].tolist()
    assert nodes["l2_exclusive"].tolist() == [float(one == "exclusive") for one in processors["l2_inclusion"]]
    assert set(processors["in_order"]) == {0.0}
    assert {64.0} == {*processors["l1_line_bytes"], *processors["l2_line_bytes"], *processors["l3_line_bytes"]}


def test_every_processor_is_a_part_of_a_study():
    study = Study(
        {
            "name": "parts",
            "models": ["processor"],
            "objectives": [{"minimize": "run_time"}],
            "use": {"branch_estimate": "constant"},
            "quantities": {"threads": "cores"},
            "tables": {"profile": {"file": "profiles/synthetic-stream.json"}},
            "space": {"axes": {"processor": {"part": "processor/nodes.csv"}}},
        }
    )
    assert study.space.size == 10
    assert len(study.run().frontier) == 1
