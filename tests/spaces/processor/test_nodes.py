"""`nodes.csv` has the figures of `processors.csv` under the names of the quantities of a study."""

from pathlib import Path

import pytest

import dse.spaces
from dse import Study
from dse.table import read_table

FOLDER = Path(dse.spaces.__file__).parent / "processor"
SAME = {
    "cores": "cores",
    "frequency": "f_core_hz",
    "issue_width": "issue_width",
    "dispatch_width": "dispatch_width",
    "integer_units": "fu_int",
    "float_units": "fu_fp",
    "memory_units": "fu_mem",
    "control_units": "fu_control",
    "vector_units": "fu_vector",
    "vector_width": "vector_bits",
    "integer_latency": "t_int",
    "integer_multiply_latency": "t_int_mul",
    "integer_divide_latency": "t_int_div",
    "float_latency": "t_fp",
    "float_multiply_latency": "t_fp_mul",
    "float_divide_latency": "t_fp_div",
    "front_end_stages": "front_pipe",
    "reorder_buffer": "rob",
    "issue_queue": "issue_queue",
    "miss_registers": "mshr",
    "l1_size": "l1_size_bytes",
    "l2_size": "l2_size_bytes",
    "l3_size": "l3_size_bytes",
    "l1_latency_cycles": "l1_latency",
    "l2_latency_cycles": "l2_latency",
    "l1_bandwidth": "bw_l1_Bps",
    "l3_bandwidth": "bw_l3_Bps",
    "dram_bandwidth": "dram_bandwidth_Bps",
}


@pytest.fixture(scope="module")
def tables():
    return read_table(FOLDER / "nodes.csv"), read_table(FOLDER / "processors.csv")


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
