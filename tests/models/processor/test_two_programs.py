"""Two programs on one chip, in a study: their shares, times and traffic, what is marked and what is refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from example_counts import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from dse.errors import InputError
from dse.models.processor import CORRECTED, predict, predict_mixture
from dse.models.processor.node_inputs import PARAMETER_OF
from dse.models.workload.profile.reading import read_profile

from .small_studies import assert_exact, marks, small_study
from .test_quantities import KIB, LINES, MACHINE, MIB, OPERATIONS, machines

TWO = {"programs": "two"}
CSR, LIST, STREAM = "graph500-seq-csr", "graph500-seq-list", "synthetic-stream"
OBJECTIVES = ("run_time", "run_time_2", "mixture_run_time")
ALSO = ("dram_traffic", "float_rate", "l3_hit_fraction_2")


def told(first, second, use=None, **changes):
    changes = {"threads_2": 1, **changes}
    built = small_study([first, second], use={**TWO, **(use or {})}, objectives=OBJECTIVES, also=ALSO, **changes)
    return built.evaluate({})


def node(machine, **changes):
    found = {PARAMETER_OF[name]: value for name, value in machine.items()} | OPERATIONS | LINES
    return {**found, "l3_inclusion": 0, **changes}


@st.composite
def sharing(draw):
    machine = draw(machines()) | {"l1_latency_cycles": 2, "l2_latency_cycles": 6}
    threads = draw(st.sampled_from([(1, 1), (3, 1), (2, 9), (7, 7)]))
    order, queueing = draw(st.sampled_from(("out-of-order", "in-order"))), draw(st.booleans())
    ways = draw(st.sampled_from([None, (1, 2, 4), (8, 8, 16)]))
    return machine, threads, order, queueing, ways


@pytest.mark.slow
@settings(max_examples=examples(25))
@given(sharing(), st.sampled_from([(CSR, LIST), (LIST, CSR), (LIST, LIST)]))
def test_they_are_what_predict_mixture_gives(case, programs):
    machine, threads, order, queueing, ways = case
    use, changes = {"core_order": order}, {"reorder_buffer": None} if order == "in-order" else {}
    given_ = node(machine, in_order=float(order == "in-order"))
    if queueing:
        use["dram_queueing"] = "queueing"
    if ways:
        use["cache_organisation"] = "set-associative"
        named = dict(zip(("l1_ways", "l2_ways", "l3_ways"), ways, strict=True))
        changes, given_ = changes | named, given_ | named
    found = told(*programs, use, **{**machine, **changes, "threads": threads[0], "threads_2": threads[1]})
    mode = replace(CORRECTED, queueing=queueing, associativity=ways is not None)
    parts = [(read_profile(name), count) for name, count in zip(programs, threads, strict=True)]
    expected = predict_mixture(parts, given_, mode=mode)
    for which, one, share, bandwidth in zip(
        ("", "_2"), expected.predictions, expected.l3_shares, expected.dram_shares, strict=True
    ):
        assert found[f"l3_share{which}"] == pytest.approx(float(share), rel=1e-11)
        assert found[f"dram_bandwidth_share{which}"] == pytest.approx(float(bandwidth), rel=1e-10)
        assert found[f"cycles_per_instruction{which}"] == pytest.approx(float(one.cpi), rel=1e-10)
        assert found[f"run_time{which}"] == pytest.approx(float(one.seconds), rel=1e-10)
        assert found[f"l3_hit_fraction{which}"] == pytest.approx(float(one.hits["l3"]), rel=1e-10)
    traffic = sum(float(one.total_dram_bytes_per_second) for one in expected.predictions)
    assert found["dram_traffic"] == pytest.approx(traffic, rel=1e-10)
    assert found["float_rate"] == pytest.approx(sum(float(one.total_flops) for one in expected.predictions), rel=1e-10)
    assert found["mixture_run_time"] == max(found["run_time"], found["run_time_2"])


def test_shares_follow_use():
    """By `predict` of one thread with so much level 3: accesses per second are in proportion to the shares."""
    found = told(CSR, LIST, threads=3, threads_2=2)
    shares = [found["l3_share"], found["l3_share_2"]]
    assert 3 * shares[0] + 2 * shares[1] == pytest.approx(MACHINE["l3_size"], rel=1e-12)
    assert 3 * found["dram_bandwidth_share"] + 2 * found["dram_bandwidth_share_2"] == pytest.approx(
        MACHINE["dram_bandwidth"], rel=1e-12
    )
    alone = [
        predict(read_profile(name), node(MACHINE, l3_size_bytes=share, cores=1))
        for name, share in zip((CSR, LIST), shares, strict=True)
    ]
    rates = [float(one.accesses["l3"] / one.cpi) for one in alone]
    assert shares[0] / shares[1] == pytest.approx(rates[0] / rates[1], rel=1e-9)
    demands = [float(one.dram_bytes_per_second) for one in alone]
    parts = [found["dram_bandwidth_share"], found["dram_bandwidth_share_2"]]
    assert parts[0] / parts[1] == pytest.approx(demands[0] / demands[1], rel=1e-9)
    assert found["shares_unsettled"] == 0


@pytest.mark.parametrize("queueing", ["none", "queueing"])
@pytest.mark.parametrize("threads", [(1, 1), (2, 5), (7, 7)])
def test_equal_programs_share_as_equal_threads_do(threads, queueing):
    use = {"dram_queueing": queueing}
    found = told(LIST, LIST, use, threads=threads[0], threads_2=threads[1], dram_bandwidth=2e10)
    also = ("cycles_per_instruction", "dram_traffic", "l3_share")
    one = small_study(LIST, use=use, also=also, threads=sum(threads), dram_bandwidth=2e10).evaluate({})
    for name in ("cycles_per_instruction", "run_time", "l3_share"):
        assert found[name] == pytest.approx(one[name], rel=1e-9)
        assert found[f"{name}_2"] == pytest.approx(one[name], rel=1e-9)
    assert found["dram_traffic"] == pytest.approx(one["dram_traffic"], rel=1e-9)


def test_exchanged_profiles_exchange_what_is_told():
    there, back = told(CSR, LIST, threads=4, threads_2=6), told(LIST, CSR, threads=6, threads_2=4)
    for name in ("l3_share", "dram_bandwidth_share", "cycles_per_instruction", "run_time", "l3_hit_fraction"):
        assert there[name] == pytest.approx(back[f"{name}_2"], rel=1e-10)
        assert there[f"{name}_2"] == pytest.approx(back[name], rel=1e-10)
    assert there["dram_traffic"] == pytest.approx(back["dram_traffic"], rel=1e-10)


def test_without_level_3_only_the_bandwidth_is_shared():
    found = told(CSR, LIST, threads=2, threads_2=2, l3_size=0.0)
    assert found["l3_share"] == found["l3_share_2"] == 0
    assert found["l3_hit_fraction"] == found["l2_hit_fraction"]
    assert found["dram_bandwidth_share_2"] > found["dram_bandwidth_share"]


def test_a_neighbour_costs_time():
    alone = small_study(LIST, also=("cycles_per_instruction",), threads=7).evaluate({})
    beside = told(LIST, CSR, threads=7, threads_2=7)
    assert beside["run_time"] > alone["run_time"]
    assert beside["run_time"] > told(LIST, CSR, threads=7, threads_2=1)["run_time"]


AXES = {
    "frequency": [1.4e9, 2.6e9],
    "threads": [1, 4],
    "l2_size": [128 * KIB, 512 * KIB],
    "l3_size": [8 * MIB, 16 * MIB, 35 * MIB],
    "dram_bandwidth": [4e9, 2e10],
}


@pytest.mark.slow
@pytest.mark.parametrize("queueing", ["none", "queueing"])
def test_exact_searches_leave_it_alone(queueing):
    objectives = ("run_time", "run_time_2", "l3_size", "dram_bandwidth")
    use = TWO | {"dram_queueing": queueing}
    changes = {"l1_latency_cycles": 2, "l2_latency_cycles": 6, "threads_2": 3}
    built = small_study([LIST, CSR], AXES, use, objectives=objectives, also=("mixture_run_time",), **changes)
    assert_exact(built, AXES, objectives)


# ---- marks -----------------------------------------------------------------------------------------------------------


def marked(programs, axes, use=None, **changes):
    return marks(small_study(programs, axes, TWO | (use or {}), objectives=OBJECTIVES, threads_2=1, **changes))


def test_more_threads_than_cores_are_marked():
    assert marked([CSR, LIST], {"threads": [13, 14]}) == ["", "threads_per_core"]


def test_small_shares_are_marked_of_each_program():
    found = marked([CSR, LIST], {"l3_size": [MIB / 4, MIB, 35 * MIB]})
    assert set(found[0].split(", ")) == {"l3_share_over_private", "l3_share_over_private_2"}
    assert found[2] == ""


def test_a_queue_the_second_profile_does_not_know_is_marked():
    """The first one has a window of 54; the synthetic one has windows up to 256."""
    use = {"branch_estimate": "constant"}
    assert marked([CSR, STREAM], {"cores": [14]}, use, issue_queue=54) == [""]
    assert marked([STREAM, CSR], {"cores": [14]}, use, issue_queue=128) == ["window_mismatch_2"]


def test_shares_that_do_not_settle_are_marked(monkeypatch):
    monkeypatch.setattr("dse.models.processor.sharing.sharing.STEPS", 3)
    assert marked([CSR, LIST], {"cores": [14]}) == ["shares_unsettled"]


# ---- refusals --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("second", "use", "changes", "message"),
    [
        (LIST, {"processor_model": "independent"}, {}, "'independent' of the slot 'processor_model' does not give"),
        (STREAM, {}, {}, "the profile 'synthetic-stream' names no misprediction rate"),
        (LIST, {}, {"threads_2": None}, "missing quantity 'threads_2'"),
        (LIST, {}, {"threads_2": 0}, "'threads_2' is 0; allowed: >= 1"),
        (LIST, {}, {"threads_2": 1.5}, "'threads_2' is 1.5; allowed: whole numbers"),
    ],
)
def test_refusals(second, use, changes, message):
    with pytest.raises(InputError) as error:
        told(CSR, second, use, **changes)
    assert message in str(error.value)


def test_the_second_profile_is_asked_for():
    with pytest.raises(InputError, match="missing quantity 'profile_2', needed by"):
        small_study(CSR, use=TWO, objectives=OBJECTIVES, threads_2=1).evaluate({})


def test_a_second_profile_nobody_asked_for_is_refused():
    with pytest.raises(InputError, match="profile_2"):
        small_study([CSR, LIST]).evaluate({})


CHIP = {"technology": "22 nm", "temperature": "360 K", "nominal_frequency": "2.6 GHz", "reorder_buffer": 128}
CHIP |= {"dram_units": 2, "dram_unit_bandwidth": "25.6 GB/s", "dram_unit_capacity": "8 GB", "threads_2": 2}
CHIP |= dict.fromkeys(("l2_latency_cycles", "l3_latency", "dram_bandwidth"))


def chip_study(axes, *objectives):
    also, models = ("dram_capacity",), ("processor", "node")
    return small_study([CSR, LIST], axes, TWO, objectives=objectives, also=also, models=models, **CHIP)


@pytest.mark.parametrize("wanted", ["energy", "node_power", "dram_dynamic_energy", "cores_dynamic_energy"])
def test_power_of_two_programs_is_refused(wanted):
    with pytest.raises(InputError) as error:
        chip_study({"l3_size": [16 * MIB]}, wanted, "mixture_run_time").evaluate({})
    assert "the component 'two' of the slot 'programs' does not give 'running_threads', needed by" in str(error.value)
    assert error.value.allowed == ["one"]


@pytest.mark.slow
def test_area_of_a_chip_with_two_programs():
    """What is there whatever runs can be asked for."""
    frontier = chip_study({"l3_size": [16 * MIB, 32 * MIB]}, "chip_area", "mixture_run_time").run().frontier
    assert len(frontier) == 2
    assert (np.diff(frontier["chip_area"]) * np.diff(frontier["mixture_run_time"]) < 0).all()
