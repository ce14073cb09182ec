"""Reference mode against the scalar re-implementation, over the whole range of machines and several profiles."""

import numpy as np
import pytest

from dse.models.processor import predict, predict_mixture
from dse.models.processor.claims.sample_machines import MACHINES

from . import oracle, random_machines
from .profiles import VARIANTS, document, measured, thread_of

NUMBER = 400


def expected_of(document, machines, threads):
    return [oracle.homogeneous(document, m, int(n)) for m, n in zip(machines, threads, strict=True)]


@pytest.fixture(scope="module")
def machines():
    rng = np.random.default_rng(2018)
    drawn = [random_machines.machine(rng) for _ in range(NUMBER)]
    return drawn, rng.integers(1, 12, NUMBER)


def assert_equal(found, expected, rel=1e-11):
    def close(values, key):
        wanted = np.array([key(one) for one in expected], float)
        values = np.broadcast_to(np.asarray(values, float), wanted.shape)
        np.testing.assert_allclose(values, wanted, rtol=rel, atol=1e-14)

    close(found.cpi, lambda one: one["cpi"])
    close(found.seconds, lambda one: one["seconds"])
    close(found.instructions, lambda one: one["instructions"])
    close(found.bytes_per_second["dram"], lambda one: one["dram"])
    close(found.bytes_per_second["l3"], lambda one: one["l3"])
    close(found.bytes_per_second["l1"], lambda one: one["l1"])
    close(found.dram_reads + found.dram_writes, lambda one: one["dram_accesses"])
    close(found.flops, lambda one: one["flops"])
    close(found.peak_flops, lambda one: one["peak"])
    for index, level in enumerate(("l1", "l2", "l3", "dram")):
        close(found.accesses[level], lambda one, index=index: one["accesses"][index])
    for name in expected[0]["bounds"]:
        close(found.bounds[name], lambda one, name=name: one["bounds"][name])
    for name in expected[0]["stack"]:
        close(found.stack[name], lambda one, name=name: one["stack"][name])
    steady = found.cpi - found.stack["branches"]
    np.testing.assert_allclose(steady, [one["steady"] for one in expected], rtol=1e-9)


@pytest.mark.parametrize("variant", VARIANTS)
def test_arrays_of_random_machines(variant, machines):
    drawn, threads = machines
    found = VARIANTS[variant]()
    expected = expected_of(found, drawn, threads)
    result = predict(thread_of(found), random_machines.columns(drawn), threads=threads, mode="reference")
    assert_equal(result, expected)


def test_the_random_machines_reach_every_branch(machines):
    drawn, threads = machines
    expected = expected_of(document("list"), drawn, threads)
    outs = [one for one in expected if "c_rob" in one]
    assert sum(one["stack"]["issue queue"] > 0 for one in outs) > 10
    assert sum(one["stack"]["reorder buffer"] > 0 for one in outs) > 20
    assert sum(np.isfinite(one["c_iq"]) and one["c_rob"] <= one["c_iq"] for one in outs) > 20
    assert sum(one["c_iq"] == one["c2"] != one["c1"] for one in outs) > 20
    assert sum(one["m"] > 1 for one in outs) > 20
    assert len(expected) - len(outs) > 30  # in order
    assert any(one["answered"][2] < 0 for one in expected)  # a share of level 3 below the private levels
    binding = {min(one["bounds"], key=one["bounds"].get) for one in expected}
    assert binding >= {"issue width", "miss registers", "memory parallelism", "dispatch width"}
    assert binding >= {"l1 bandwidth", "l3 bandwidth", "dram bandwidth"}


@pytest.mark.parametrize("name", ["csr", "list"])
def test_scalars_equal_arrays(name, machines):
    drawn, threads = machines
    whole = predict(measured(name), random_machines.columns(drawn), threads=threads, mode="reference")
    for index in range(0, NUMBER, 7):
        one = predict(measured(name), drawn[index], threads=threads[index], mode="reference")
        for part, other in [
            (one.cpi, whole.cpi),
            (one.seconds, whole.seconds),
            (one.dram_bytes_per_second, whole.dram_bytes_per_second),
            *((one.stack[part], whole.stack[part]) for part in whole.stack),
            *((one.bounds[part], whole.bounds[part]) for part in whole.bounds),
        ]:
            np.testing.assert_allclose(part, np.broadcast_to(other, (NUMBER,))[index], rtol=1e-12, atol=1e-15)
        assert one.binding == whole.binding[index]


def test_binding_is_the_least_bound(machines):
    drawn, threads = machines
    result = predict(measured("list"), random_machines.columns(drawn), threads=threads, mode="reference")
    for one, binding in zip(expected_of(document("list"), drawn, threads), result.binding, strict=True):
        later = ("dispatch width", "l1 bandwidth", "l3 bandwidth", "dram bandwidth")
        stalled = 1 / sum(one["stack"][part] for part in ("base", "issue queue", "reorder buffer"))
        least = min(one["bounds"][name] for name in later)
        full = [name for name in one["bounds"] if name not in later]
        names = later if least < stalled * (1 - 1e-12) else full
        assert one["bounds"][binding] == pytest.approx(min(one["bounds"][name] for name in names), rel=1e-12)


def test_profiled_vectors_can_be_left_alone(machines):
    drawn, threads = machines
    expected = [
        oracle.homogeneous(document("csr"), m, int(n), split=False) for m, n in zip(drawn, threads, strict=True)
    ]
    whole = predict(measured("csr"), random_machines.columns(drawn), threads=threads, mode="reference", split=False)
    assert_equal(whole, expected)


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("names", [("csr", "list"), ("list", "list"), ("csr", "csr", "list")])
def test_mixtures(machine, names):
    if len(names) > MACHINES[machine]["cores"]:
        pytest.skip("too few cores")
    shares, bandwidths, expected = oracle.heterogeneous([document(name) for name in names], MACHINES[machine])
    found = predict_mixture([(measured(name), 1) for name in names], MACHINES[machine], mode="reference")
    np.testing.assert_allclose([float(share) for share in found.l3_shares], shares, rtol=1e-9)
    np.testing.assert_allclose([float(share) for share in found.dram_shares], bandwidths, rtol=1e-9)
    for one, other in zip(found.predictions, expected, strict=True):
        assert float(one.cpi) == pytest.approx(other["cpi"], rel=1e-9)
        assert float(one.seconds) == pytest.approx(other["seconds"], rel=1e-9)


def test_an_empty_machine_is_all_defaults():
    found = predict(measured("csr"), {}, mode="reference")
    assert float(found.cpi) == pytest.approx(oracle.homogeneous(document("csr"), {})["cpi"], rel=1e-12)
    assert "issue_width" in found.warnings[-1]


@pytest.mark.parametrize("model", ["csr", "list"])
@pytest.mark.parametrize("in_order", [0, 1])
def test_independent_events(model, in_order):
    machines = [m for m in MACHINES.values() if m["l2_size_bytes"]]
    for m in machines:
        m = {"fu_vector": 1, "vector_bits": 256, **m, "in_order": in_order}
        expected = oracle.independent(document(model), m)
        found = predict(measured(model), m, mode="reference", model="independent", split=False)
        assert float(found.cpi) == pytest.approx(expected["cpi"], rel=1e-12)
        for part, value in expected["stack"].items():
            assert float(found.stack[part]) == pytest.approx(value, rel=1e-12, abs=1e-15)
