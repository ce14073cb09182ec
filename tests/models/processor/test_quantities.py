"""The quantities of a study give what `predict` gives, for points and under ranges."""

from __future__ import annotations

import json
from importlib.resources import files

import numpy as np
import pytest
from example_counts import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from dse import Study
from dse.errors import InputError
from dse.models.processor import predict
from dse.models.processor.node_inputs import PARAMETER_OF
from dse.models.workload.profile.reading import read_profile

PROFILES = ("graph500-seq-csr", "graph500-seq-list", "synthetic-stream")
GIB, KIB, MIB = 2.0**30, 2.0**10, 2.0**20

OPERATIONS = {"t_int": 1, "t_int_mul": 3, "t_int_div": 18, "t_fp": 3, "t_fp_mul": 5, "t_fp_div": 10}
LINES = {"l1_line_bytes": 64, "l2_line_bytes": 64, "l3_line_bytes": 64}

MACHINE = {
    "frequency": 2.6e9,
    "cores": 14,
    "issue_width": 8,
    "dispatch_width": 4,
    "integer_units": 4,
    "float_units": 2,
    "memory_units": 2,
    "control_units": 2,
    "vector_units": 2,
    "vector_width": 256,
    "front_end_stages": 7,
    "reorder_buffer": 192,
    "issue_queue": 54,
    "miss_registers": 10,
    "l1_size": 32 * KIB,
    "l2_size": 256 * KIB,
    "l3_size": 35 * MIB,
    "l1_latency_cycles": 4,
    "l2_latency_cycles": 12,
    "l3_latency": 36 / 2.6e9,
    "dram_latency": 217 / 2.6e9,
    "l1_bandwidth": 160 * GIB,
    "l3_bandwidth": 40 * GIB,
    "dram_bandwidth": 59.7 * GIB,
    "l2_exclusive": 0,
    "branch_factor": 1.71,
}


def study(profile, axes, use=None, **changes):
    fixed = {**MACHINE, "threads": 1, **changes}
    for name in axes:
        del fixed[name]
    # Values are SI: numbers with the unit of the quantity.
    units = {"frequency": "Hz", "l3_latency": "s", "dram_latency": "s"}
    units |= dict.fromkeys(("l1_size", "l2_size", "l3_size"), "B")
    units |= dict.fromkeys(("l1_bandwidth", "l3_bandwidth", "dram_bandwidth"), "B/s")

    def written(name, value):
        return f"{value!r} {units[name]}" if name in units else value

    return Study(
        {
            "name": "quantities",
            "models": ["processor"],
            # what either model reads of the machine, so that nothing given is without use
            "also": ["cycles_per_instruction", "dram_traffic", "float_rate", "branch_cycles", "l3_miss_cycles"],
            "objectives": [{"minimize": "run_time"}, {"minimize": "l3_share"}, {"maximize": "dram_bandwidth_share"}],
            "tables": {"profile": {"file": f"profiles/{profile}.json"}},
            "use": use or {},
            "set": {name: written(name, value) for name, value in fixed.items()},
            "space": {"axes": {name: {"values": [written(name, v) for v in values]} for name, values in axes.items()}},
        }
    )


def predicted(profile, machine, threads, model, in_order):
    given_ = {PARAMETER_OF[name]: value for name, value in machine.items()} | OPERATIONS | LINES
    given_ |= {"in_order": float(in_order), "l3_inclusion": 0}
    rate = 0.03 if profile.startswith("synthetic") else None
    return predict(read_profile(profile), given_, threads=threads, model=model, branch_miss_rate=rate)


@st.composite
def machines(draw):
    pick = lambda *values: draw(st.sampled_from(values))  # noqa: E731
    return {
        **MACHINE,
        "frequency": draw(st.floats(1e9, 5e9)),
        "issue_width": pick(1, 2, 4, 8),
        "dispatch_width": pick(1, 2, 4),
        "integer_units": pick(1, 2, 4),
        "memory_units": pick(1, 2),
        "vector_width": pick(0, 128, 256, 512),
        "reorder_buffer": pick(16, 64, 192, 512),
        "miss_registers": pick(4, 10, 32),
        "l1_size": pick(16, 32, 64) * KIB,
        "l2_size": pick(0, 128, 256, 1024) * KIB,
        "l3_size": pick(1, 8, 35, 128) * MIB,
        "l3_latency": draw(st.floats(8e-9, 20e-9)),
        "dram_latency": draw(st.floats(60e-9, 120e-9)),
        "dram_bandwidth": draw(st.floats(1e9, 2e11)),
        "l2_exclusive": pick(0, 1),
    }


@pytest.mark.slow
@settings(max_examples=examples(60))
@given(
    machine=machines(),
    profile=st.sampled_from(PROFILES),
    threads=st.sampled_from((1, 3, 14)),
    model=st.sampled_from(("interaction", "independent")),
    order=st.sampled_from(("out-of-order", "in-order")),
)
def test_quantities_are_those_of_predict(machine, profile, threads, model, order):
    machine["l2_latency_cycles"] = min(12, machine["l3_latency"] * machine["frequency"])
    machine["l1_latency_cycles"] = min(4, machine["l2_latency_cycles"])
    # The model of independent events takes 3 % mispredictions, that of interacting ones the machine's factor.
    use = {"processor_model": model, "core_order": order}
    use |= {"branch_estimate": "constant"} if profile.startswith("synthetic") else {}
    built = study(profile, {"frequency": [machine["frequency"]]}, use, **{**machine, "threads": threads})
    found = built.evaluate({"frequency": f"{machine['frequency']!r} Hz"})
    expected = predicted(profile, machine, threads, model, order == "in-order")
    assert found["cycles_per_instruction"] == pytest.approx(float(expected.cpi), rel=1e-12)
    assert found["run_time"] == pytest.approx(float(expected.seconds), rel=1e-12)
    assert found["l3_hit_fraction"] == pytest.approx(float(expected.hits["l3"]), rel=1e-12)
    assert found["float_rate"] == pytest.approx(float(expected.total_flops), rel=1e-12)


@pytest.mark.parametrize("model", ["interaction", "independent"])
@pytest.mark.parametrize("order", ["out-of-order", "in-order"])
def test_bundles_find_what_looking_at_every_design_finds(model, order):
    """Bounds over ranges run through the whole model: the same frontier, ties and bits."""
    axes = {
        "frequency": [1.4e9, 2.0e9, 2.6e9, 3.2e9],
        "threads": [1, 2, 4, 8, 14],
        "reorder_buffer": [64, 128, 192, 256],
        "l2_size": [128 * KIB, 256 * KIB, 512 * KIB],
        "l3_size": [8 * MIB, 16 * MIB, 35 * MIB],
        "dram_bandwidth": [2e10, 6e10, 1e11],
    }
    use = {"processor_model": model, "core_order": order}
    built = study("graph500-seq-list", axes, use, l1_latency_cycles=2, l2_latency_cycles=6)
    plain, bundled = (built.run(method=method, trust=False).frontier for method in ("exhaustive", "bundles"))
    assert plain["design"].tolist() == bundled["design"].tolist()
    assert plain["run_time"].to_numpy().tobytes() == bundled["run_time"].to_numpy().tobytes()


def test_a_sweep_of_the_issue_queue_is_refused_with_one_window():
    """More entries would only cost: the profile knows the parallelism of one window."""
    with pytest.raises(Exception, match=r"issue queue|window"):
        study("graph500-seq-csr", {"issue_queue": [32, 54, 96]}).run()


def test_memory_is_as_slow_at_any_clock():
    """Twice the clock, twice the cycles to the memory."""
    built = study("graph500-seq-list", {"frequency": [2e9, 4e9]})
    slow, fast = (built.evaluate({"frequency": f"{f!r} Hz"}) for f in (2e9, 4e9))
    assert fast["dram_latency_cycles"] == 2 * slow["dram_latency_cycles"]
    assert slow["run_time"] / fast["run_time"] < 2
    assert np.isclose(slow["l3_latency"], fast["l3_latency"])


BRANCHES = {
    "profile": (None, 0.0111),
    "entropy": (8, None),
    "constant": (None, 0.03),
}


@pytest.mark.parametrize("estimate", BRANCHES)
def test_ways_to_estimate_mispredictions(estimate):
    history, expected = BRANCHES[estimate]
    changes = {} if history is None else {"branch_history": history}
    built = study("graph500-seq-csr", {"frequency": [2e9]}, {"branch_estimate": estimate}, **changes)
    found = built.evaluate({"frequency": "2 GHz"})["branch_miss_estimate"]
    if expected is None:
        # The entropy of 9 past outcomes in the raw labels of the profile, .1625: p with H(p) = .1625
        assert -found * np.log2(found) - (1 - found) * np.log2(1 - found) == pytest.approx(0.1625, abs=1e-9)
    else:
        assert found == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize(
    ("use", "history", "told"),
    [
        ("entropy", 17, r"17 bits of history; allowed: 15, 19, 13, 11, 23, 10, … \(\d+ more\) \(nearest first\)"),
        ("entropy", 61, "longer trace"),
        ("max-outcome", 8, "max-outcome rate for 8 bits of history$"),
    ],
)
def test_what_the_profile_does_not_know_is_refused(use, history, told):
    built = study("graph500-seq-csr", {"frequency": [2e9]}, {"branch_estimate": use}, branch_history=history)
    with pytest.raises(InputError, match=told):
        built.evaluate({"frequency": "2 GHz"})


def test_a_study_chooses_one_class_of_a_profile(tmp_path):
    """Files of programs with several threads have a class for each, and a core runs one."""
    document = json.loads((files("dse.spaces") / "profiles/graph500-seq-csr.json").read_text(encoding="utf-8"))
    other = json.loads((files("dse.spaces") / "profiles/graph500-seq-list.json").read_text(encoding="utf-8"))
    document["classes"] = [{**document["classes"][0], "name": "array"}, {**other["classes"][0], "name": "list"}]
    (tmp_path / "two.json").write_text(json.dumps(document))
    values = study("graph500-seq-csr", {"frequency": [2.6e9]})

    def seconds(table):
        given = {**values.document, "tables": {"profile": table}}
        return Study(given, folder=tmp_path).evaluate({"frequency": "2.6 GHz"})["run_time"]

    for name, alone in (("array", "csr"), ("list", "list")):
        own = seconds({"file": f"profiles/graph500-seq-{alone}.json"})
        assert seconds({"file": "two.json", "where": {"class": name}}) == own
    with pytest.raises(InputError, match=r'allowed: array, list \(in a study: where = { class = "…" } beside the file'):
        seconds({"file": "two.json"})
    with pytest.raises(InputError, match=r"where: the profile .* has no class 'lst'; allowed: array, list; did"):
        seconds({"file": "two.json", "where": {"class": "lst"}})
    with pytest.raises(InputError, match="where: a profile has no 'thread' to choose by; allowed: class"):
        seconds({"file": "two.json", "where": {"thread": 0}})
