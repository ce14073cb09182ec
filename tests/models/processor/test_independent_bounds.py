"""The model of independent events: what bounds its execution, and a stack that adds up, as functions and in a study."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dse import Study
from dse.models.processor.core import independent
from dse.models.processor.core.full_window import issue_bound
from dse.models.processor.core.independent import common_parallelism_bound, execution_cycles

from .profiles import with_instruction_reuse

KINDS = ("integer", "float", "memory", "control")
CORE = {"issue_width": 8, "integer_units": 4, "float_units": 2, "memory_units": 2, "control_units": 2}
NODE = {
    **CORE,
    "frequency": "2.6 GHz",
    "cores": 14,
    "threads": 1,
    "vector_width": 256,
    "front_end_stages": 7,
    "reorder_buffer": 192,
    "issue_queue": 54,
    "l1_size": "32 KiB",
    "l1_latency_cycles": 4,
    "l2_latency_cycles": 12,
    "l3_latency": "13.85 ns",
    "dram_latency": "83.46 ns",
}
UNIT_BOUNDS = [getattr(independent, f"common_{kind}_unit_bound") for kind in KINDS]
ILP = st.one_of(st.just(0.0), st.floats(1e-3, 100))


def study(folder, profile="graph500-seq-csr", document=None):
    where = f"profiles/{profile}.json"
    if document is not None:
        (folder / "profile.json").write_text(json.dumps(document), encoding="utf-8")
        where = "profile.json"
    axes = {"l2_size": ["0 B", "256 KiB", "1 MiB"], "l3_size": ["0 B", "8 MiB", "35 MiB"]}
    return Study(
        {
            "name": "independent",
            "models": ["processor"],
            "objectives": [{"minimize": "run_time"}, {"minimize": "l3_size"}],
            "use": {"processor_model": "independent"},
            "tables": {"profile": {"file": where}},
            "set": NODE,
            "space": {"axes": {name: {"values": values} for name, values in axes.items()}},
        },
        folder=folder,
    )


@given(st.floats(0.5, 16), st.lists(ILP, min_size=4, max_size=4), st.lists(st.floats(0.25, 16), min_size=4, max_size=4))
def test_the_greatest_bound_is_the_printed_formula(width, ilp, units):
    """n = min(issue width, sum ILP_x / S), S = max ILP_x / min(units_x, ILP_x) over the types there are."""
    if not any(ilp):
        return
    ready = common_parallelism_bound(*ilp)
    bounds = [bound(one, many, ready) for bound, one, many in zip(UNIT_BOUNDS, ilp, units, strict=True)]
    found = execution_cycles(issue_bound(width), ready, *bounds)
    slowdown = max(one / min(many, one) for one, many in zip(ilp, units, strict=True) if one)
    assert 1 / float(found) == pytest.approx(min(width, sum(ilp) / slowdown), rel=1e-12)


def test_a_type_that_is_not_there_sets_no_bound():
    ready = common_parallelism_bound(2.0, 0.0, 1.0, 1.0)
    for bound in UNIT_BOUNDS:
        assert float(bound(0.0, 2.0, ready)) == 0
        assert float(bound(0.0, 0.0, ready)) == 0
        assert float(bound(1.0, 0.0, ready)) == np.inf


@pytest.mark.slow
@pytest.mark.parametrize("profile", ["graph500-seq-csr", "graph500-seq-list"])
def test_explained(tmp_path, profile):
    built = study(tmp_path, profile)
    for number in range(built.space.size):
        told = built.explain(number).as_dict()
        values = {row["name"]: row["value"] for row in told["numbers"]}
        (stack,) = [one for one in told["breakdowns"] if one["quantity"] == "cycles_per_instruction"]
        assert len(stack["parts"]) == 7
        assert sum(part["value"] for part in stack["parts"]) == pytest.approx(stack["value"], rel=1e-12)
        assert all(part["value"] >= 0 for part in stack["parts"])
        (maximum,) = told["bounds"]
        assert maximum["quantity"] == "execution_cycles"
        assert max(part["value"] for part in maximum["parts"]) == maximum["value"]
        (axis,) = told["rates"]
        assert (axis["rate"], axis["unit"]) == ("instructions per cycle", "1")
        assert axis["achieved"] == 1 / values["cycles_per_instruction"]
        assert axis["binding"] == ["common_integer_unit_bound"]
        rates = {bound["quantity"]: bound["value"] for bound in axis["bounds"]}
        assert len(rates) == 6
        assert rates["issue_bound"] == 8
        ready = sum(values[f"common_{kind}_ilp"] for kind in KINDS)
        assert rates["common_parallelism_bound"] == pytest.approx(ready, rel=1e-14)
        for kind in KINDS:
            share = values[f"common_{kind}_ilp"] / ready
            assert rates[f"common_{kind}_unit_bound"] == pytest.approx(CORE[f"{kind}_units"] / share, rel=1e-12)
        assert min(rates.values()) >= axis["achieved"]


def test_fetches_that_miss(tmp_path):
    """With a profile that knows how instructions are reused; an instruction cache like that of data."""
    built = study(tmp_path, document=with_instruction_reuse("csr"))
    missed = 0.01 + 0.04 / 256  # first touches, and the distance 512 of a bin from 257 to 512
    for number in range(1, built.space.size):  # 0 has no level below the first
        told = built.explain(number).as_dict()
        values = {row["name"]: row["value"] for row in told["numbers"]}
        latency = 13.85 * 2.6 if told["parameters"]["l2_size"].startswith("0") else 12.0
        assert values["instruction_hit_fraction"] == pytest.approx(1 - missed, rel=1e-6)
        assert values["fetch_miss_cycles"] == pytest.approx(latency * missed, rel=1e-4)
        assert values["fetch_miss_cycles"] in [part["value"] for part in told["breakdowns"][-1]["parts"]]
