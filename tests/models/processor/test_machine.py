"""Machines that are incomplete, misspelt or impossible."""

import numpy as np
import pytest

from dse.errors import InputError
from dse.models.processor import CORRECTED, PARAMETERS, REFERENCE, predict, predict_mixture
from dse.models.processor.claims.sample_machines import MACHINES
from dse.models.processor.predict.machine import UNUSED, read_machine
from dse.models.workload.profile.profile import WorkloadProfile

from . import oracle
from .profiles import measured, thread_of, with_windows

V3, E5 = MACHINES["Xeon E5-2697 v3"], MACHINES["Xeon E5-2690"]


def refused(machine, match, mode="corrected", program=None, **options):
    with pytest.raises(InputError, match=match) as caught:
        predict(program or measured("csr"), machine, mode=mode, **options)
    return str(caught.value)


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("mode", ["reference", "corrected"])
def test_published_machines_are_complete(machine, mode):
    vectors = {"fu_vector": 0, "vector_bits": 0} if "vector_bits" not in MACHINES[machine] else {}
    found = predict(measured("csr"), {**MACHINES[machine], **vectors}, mode=mode)
    assert np.isfinite(found.cpi)
    assert not any("not given" in warning for warning in found.warnings)


def test_defaults_of_the_tool():
    for name, parameter in PARAMETERS.items():
        if name in oracle.TOOL_DEFAULTS:
            assert parameter.tool == oracle.TOOL_DEFAULTS[name], name
    assert set(oracle.TOOL_DEFAULTS) <= set(PARAMETERS)
    assert all(parameter.doc for parameter in PARAMETERS.values())
    assert not set(PARAMETERS) & set(UNUSED)


@pytest.mark.parametrize("name", [name for name in V3 if PARAMETERS[name].needed])
def test_every_parameter_is_needed(name):
    machine = {key: value for key, value in V3.items() if key != name}
    refused(machine, name)
    refused({**machine, name: None}, name)
    refused({**machine, name: np.array([np.nan, 1.0])}, name)
    found = predict(measured("csr"), machine, mode="reference")
    assert name in found.warnings[-1]
    same = predict(measured("csr"), {**machine, name: PARAMETERS[name].tool}, mode="reference")
    assert found.cpi == same.cpi
    some = predict(measured("csr"), {**machine, name: np.array([np.nan, V3[name]])}, mode="reference")
    together = predict(measured("csr"), V3, mode="reference")
    np.testing.assert_allclose(np.broadcast_to(some.cpi, 2), [float(found.cpi), float(together.cpi)], rtol=1e-12)


def test_vectors_must_be_stated():
    refused(E5, "fu_vector")
    refused({**E5, "fu_vector": 1}, "vector_bits")


def test_unknown_parameters():
    assert "did you mean 'issue_width'" in refused({**V3, "issue_with": 4}, "issue_with")
    assert "'l3'" in refused({**V3, "L3": {"latency": 3}}, "unknown level 'L3'")
    refused({**V3, "l3": {"size": 3}}, "l3_size")
    predict(measured("csr"), {**V3, "node_nm": 22, "vdd": 1.0, "threads_per_core": 2, "dram": {"type": "DDR4"}})


def test_levels_may_stand_apart():
    nested = {name: value for name, value in V3.items() if not name.startswith(("l1_", "l3_", "dram_"))}
    for level in ("l1", "l3", "dram"):
        start = f"{level}_"
        nested[level] = {name.removeprefix(start): value for name, value in V3.items() if name.startswith(start)}
    assert predict(measured("csr"), nested).cpi == predict(measured("csr"), V3).cpi


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("f_core_hz", 0),
        ("f_core_hz", -1e9),
        ("f_core_hz", np.inf),
        ("issue_width", 0),
        ("dispatch_width", -4),
        ("mshr", 0),
        ("rob", -1),
        ("l1_size_bytes", -1),
        ("l2_latency", -1),
        ("dram_bandwidth_Bps", 0),
        ("bw_l1_Bps", 0),
        ("in_order", 2),
        ("l3_prefetch_coverage", 1.5),
        ("l3_prefetch_accuracy", 0),
        ("cores", 0),
        ("rob", np.array([64.0, -1.0])),
        ("issue_width", "four"),
        ("l2_inclusion", "sometimes"),
    ],
)
@pytest.mark.parametrize("mode", ["reference", "corrected"])
def test_impossible_values(name, value, mode):
    refused({**V3, name: value}, name, mode)


@pytest.mark.parametrize("unit", ["int", "fp", "mem", "control"])
@pytest.mark.parametrize("mode", ["reference", "corrected"])
@pytest.mark.parametrize("model", ["interaction", "independent"])
def test_missing_units(unit, mode, model):
    refused({**V3, f"fu_{unit}": 0}, "units", mode, model=model)
    refused({**V3, f"fu_{unit}": np.array([0, 1])}, "units", mode, model=model)


def test_missing_vector_units():
    """The tool has at least one; otherwise all vectors become scalars."""
    none = {**V3, "fu_vector": 0}
    assert (
        predict(measured("csr"), none, mode="reference").cpi
        == predict(measured("csr"), {**V3, "fu_vector": 1}, mode="reference").cpi
    )
    scalar = predict(measured("csr"), none)
    assert scalar.rates.vector_fraction == 0
    assert scalar.cpi == predict(measured("csr"), {**V3, "vector_bits": 0}).cpi
    both = predict(measured("csr"), {**V3, "fu_vector": np.array([0, 2])})
    np.testing.assert_allclose(both.cpi, [scalar.cpi, predict(measured("csr"), V3).cpi], rtol=1e-12)


def test_increments_are_no_latencies():
    message = refused({**V3, "l3_latency": 10}, "l3_latency")
    assert "increments" in message
    refused({**V3, "dram_latency": np.array([300.0, 30.0])}, "dram_latency")
    predict(measured("csr"), {**V3, "l3_latency": 10}, mode="reference")
    predict(measured("csr"), {**V3, "l2_size_bytes": 0, "l2_latency": 0})


def test_a_clock_that_varies_leaves_memory_as_slow_as_it_is():
    clocks = {"f_core_hz": np.array([2e9, 3e9])}
    assert "latency_clock_hz" in refused({**V3, **clocks}, "l3_latency")
    predict(measured("csr"), {**V3, **clocks}, mode="reference")
    predict(measured("csr"), {**V3, **clocks, "l3_latency": np.array([30, 40]), "dram_latency": np.array([200, 250])})
    times = {"l3_latency_s": 36 / 2.6e9, "dram_latency_s": 217 / 2.6e9}
    counted = predict(measured("csr"), {**V3, **clocks, "latency_clock_hz": 2.6e9})
    np.testing.assert_allclose(predict(measured("csr"), {**V3, **clocks, **times}).cpi, counted.cpi, rtol=1e-12)


def test_a_missing_level_has_no_latency():
    for level in ("l2", "l3"):
        machine = {**V3, f"{level}_size_bytes": 0}
        bare = {
            name: value for name, value in machine.items() if name not in (f"{level}_latency", f"{level}_line_bytes")
        }
        assert predict(measured("csr"), bare).cpi == pytest.approx(float(predict(measured("csr"), machine).cpi))


def test_threads():
    refused(V3, "threads", threads=0)
    refused(V3, "threads", threads=1.5)
    refused(V3, "15 threads on 14 cores", threads=15)
    refused({name: value for name, value in V3.items() if name != "cores"}, "cores", threads=2)
    every, more = (predict(measured("csr"), V3, threads=n, mode="reference") for n in (14, 99))
    assert every.cpi == more.cpi
    assert more.threads == 14
    busy = {**V3, "smt_mode": 2, "all_threads_busy": 1}
    assert predict(measured("csr"), busy, threads=28).threads == 28
    with pytest.raises(InputError, match="15 threads"):
        predict_mixture([(measured("csr"), 8), (measured("list"), 7)], V3, mode="reference")


def test_modes_and_models():
    refused(V3, "unknown mode 'referenz'", mode="referenz")
    refused(V3, "unknown model", model="interval")


def test_lines_that_were_not_profiled():
    found = predict(measured("csr"), {**V3, "l3_line_bytes": 128}, mode="reference")
    assert "lines of 128 B; that for 64 B is used" in found.warnings[0]
    assert not predict(measured("csr"), V3, mode="reference").warnings


def test_profiles_as_a_whole():
    whole = WorkloadProfile("one", (measured("csr"),))
    assert predict(whole, V3).cpi == predict(measured("csr"), V3).cpi
    with pytest.raises(InputError, match="2 classes"):
        predict(WorkloadProfile("two", (measured("csr"), measured("list"))), V3)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("graph500-seq-csr", "'graph500-seq-csr' is no profile; allowed: a profile: read_profile('graph500-seq-csr')"),
        (None, "None is no profile; allowed: a profile: such as read_profile gives"),
        ({"name": "x"}, "{'name': 'x'} is no profile; allowed: a profile: such as read_profile gives"),
    ],
)
def test_what_is_no_profile_is_refused(given, told):
    for ask in (lambda: predict(given, V3), lambda: predict_mixture([(measured("csr"), 1), (given, 1)], V3)):
        with pytest.raises(InputError) as caught:
            ask()
        assert str(caught.value) == f"profile: {told}"


def test_the_window_the_tool_asks_for():
    program = thread_of(with_windows("csr", {24: 1.3, 54: 1.0}))
    assert predict(program, V3, mode="reference").cpi == predict(measured("csr"), V3, mode="reference").cpi
    other = predict(program, V3, mode="reference", window=24)
    assert other.rates.ilp < predict(measured("csr"), V3, mode="reference").rates.ilp


def test_reading():
    machine = read_machine(V3, CORRECTED)
    assert machine.defaults == ()
    assert machine["in_order"] == 0
    assert "latency_clock_hz" not in machine.values
    assert read_machine({}, REFERENCE)["fu_vector"] == 1
    busy = read_machine({**V3, "smt_mode": np.array([0, 1, 4]), "all_threads_busy": 1}, CORRECTED)
    np.testing.assert_array_equal(busy.core_share, [1, 1, 4])
