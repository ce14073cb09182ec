"""Printed numbers, step by step: the worked examples of the reference tool's algorithm."""

import math

import numpy as np
import pytest

from dse.authoring.library.claims import counts
from dse.models.processor import predict, predict_mixture
from dse.models.processor.accuracy import ACCURACY, INTERACTION_CONTENTION
from dse.models.processor.claims.published import MEASURED, also_shown, claims
from dse.models.processor.claims.sample_machines import MACHINES
from dse.models.processor.core import full_window, stalls, throughput
from dse.models.workload.profile.vectors import fit_vectors

from . import oracle
from .profiles import document, measured

CLAIMS = claims()
E5, V3 = MACHINES["Xeon E5-2690"], MACHINES["Xeon E5-2697 v3"]


def test_claims():
    found = counts(CLAIMS)
    assert found["fitted"] == 0
    assert found["pass"] >= 200
    assert found["not checkable"] == len(list(MEASURED))
    for claim in CLAIMS:
        assert claim.relative_tolerance == 0
        if claim.kind == "check":
            assert claim.absolute_tolerance <= 1.1e-3 * abs(claim.published) + 1e-6, claim.claim


# What `dse validate processor` shows, by the names the figures have in the specification of these models.
GOLDENS = {
    "G-A1": (6.23878, 1.44759, 0.16029, 0.56242, 0.43071, 0.01333, 0.31948, 0.04348, 1.52970),
    "G-A2": (6.48402, 1.34259, 0.15423, 0.89147, 1.21714, 0.01747, 0.27996, 0.04515, 2.60543),
    "G-B1": (1.02631, 1.48069, 0.0143766, 46.8, 655.2, 1310.4, 0.000101812),
    "G-B2": (1.70038, 2.4532, 0.49275, 2.5, 0.0000614515),
    "G-B3": (
        *(1.026121, 0.801770, 0.006298, 0.218053, 1.237520, 10.1822, 5.3187, 1.2472, 23.7457, 27.788, 6013.28),
        *(15.7805, 6.7076, 49760.18, 9.6595, 11439.07, 130.34, 15.3471, 4342.24),
    ),
    "G-B4": (2.206470, 1.165157, 0.402273, 0.639040, 0.637987),
    "G-B5": (1.280795, 0.940762, 0.093113, 0.246920, 0.967235),
    "G-B6": (1.783804, 1.108236, 0.188462, 0.487106, 0.771189),
    "G-B7": (2.558917, 1.599067, 0.407897, 0.551953, 0.498265),
    "G-B8": (6.980310, 4.915042, 2.065268, 0.203457),
    "G-B9": (1.939117, 1.369393, 0.177464, 0.392260, 0.646472),
    "G-B10": (2.623881, 1.515121, 0.354900, 0.753860, 0.534753),
    "G-B11": (3.328689, 1.369393, 1.301894, 0.657402),
    "G-B12": (1.885632, 0.801770, 0.701807, 0.382055),
    "G-M1": (11.62006, 23.37994, 1.550132, 2.269731),
    "G-M2": (1.445997, 0.045119, 1.629695, 1.700256, 2.294115, 0.279387, 3.891977, 5.464742, 6.9026, 13.3560),
    "G-P1": (1.09, 1.70, 1.11, 1.72),
    "G-P2": (132 / 180,),
    "G-P3": (128 / 180,),
    "G-D1": (2.96562, 0.38009, 3.34572),
    "G-D2": (3.01120, 0.69726, 0.04386, 3.75231, 0.0879, 0.0233, 0.1327, 0.0732, 0.3801, 0.5632, 2.4480),
    "G-D3": (2.99842, 0.60709, 0.04082, 3.64634),
    "G-D4": (2.66796, 0.73653, 0.05641, 3.46090),
    "R1": (1.280785250, 1.656683449, 3.921859, 0.459780, 0.006870, 4.381639, 8707363.1, 0.336377622),
    "R2": (2.206098146, 3.577576198, 0.401773683),
    "R3": (1.700378345, 2.453202686, 0.492749676, 5.471433, 4.465694),
    "R4": (4.686463878, 10.534003006, 1.94822),
    "R5": (6.313912785, 13.310856264, 0.44300, 0.04136),
    "R6": (1.550372, 2.269134, 11.61641, 23.38359),
    "R7": (6.981140913, 12.797819455),
}


@pytest.mark.parametrize("golden", GOLDENS)
def test_every_golden_figure_is_shown_and_passes(golden):
    passed = {claim.published for claim in (*CLAIMS, *also_shown()) if claim.status == "pass"}
    assert set(GOLDENS[golden]) <= passed


def test_what_is_also_shown_counts_elsewhere():
    """The very claims of the other families: none twice, none copied."""
    from dse.models.branches.claims import published as branches
    from dse.models.power.claims import published as power

    elsewhere = also_shown()
    assert {claim.model for claim in elsewhere} == {"branches", "power"}
    owned = {claim.claim: claim for claim in (*branches.claims(), *power.claims())}
    for claim in elsewhere:
        assert owned[claim.claim] == claim
    every = [claim.claim for claim in (*CLAIMS, *branches.claims(), *power.claims())]
    assert len(set(every)) == len(every)


def test_accuracies():
    assert ACCURACY["interaction", "seconds"].mean == 0.34
    assert ACCURACY["independent", "cpi"].mean == 1.26
    assert INTERACTION_CONTENTION.mean == 0.114
    for error in ACCURACY.values():
        assert "Xeon" in error.of
    assert predict(measured("csr"), V3, model="independent").errors["seconds"].mean == 0.45
    for claim in (*CLAIMS, *also_shown()):
        if "the measurements are not published" in claim.note:
            values = claim.published if isinstance(claim.published, tuple) else (claim.published,)
            assert all(0 < value < 2 for value in values)
            if isinstance(claim.published, tuple):
                assert max(len(claim.claim.split(";")), 2) >= len(values) - 1


def test_worked_example():
    """seq-csr on the E5-2690, one thread: every intermediate number."""
    found = predict(measured("csr"), E5, mode="reference")
    rates, arriving = found.rates, found.accesses
    answered = [arriving["l1"] - arriving["l2"], arriving["l2"] - arriving["l3"], arriving["l3"] - arriving["dram"]]
    assert answered == pytest.approx([0.079933689, 0.030033989, 0.014488138], abs=5e-10)
    l1, l2, l3 = answered
    dram = arriving["dram"]
    latencies = (12, 28, 190)
    missed, memory = full_window.access_cycles(l1, l2, l3, dram, 4, *latencies, 0.0)
    assert missed == pytest.approx(1.207116799, abs=5e-10)
    assert memory == pytest.approx(1.526851556, abs=5e-10)
    parts = [l1 * 4, l2 * 12, l3 * 28, dram * 190]
    assert parts == pytest.approx([0.319734757, 0.360407864, 0.405667856, 0.441041079], abs=1e-9)
    fractions = (rates.integer_arithmetic_fraction, rates.integer_multiply_fraction, rates.integer_divide_fraction)
    integer = full_window.integer_cycles(*fractions, 1, 3, 18)
    assert integer == pytest.approx(0.402345, abs=5e-7)
    assert [fractions[1] * 3, fractions[2] * 18] == pytest.approx([0.049225686, 0.252565200], abs=2e-9)
    assert fractions[0] - fractions[1] - fractions[2] == pytest.approx(0.100554156, abs=5e-10)
    base = full_window.memory_parallelism_bound(memory, rates.memory_ilp)
    assert 1 / base == pytest.approx(1.062685824, abs=5e-10)
    assert float(found.stack["base"]) == base

    i = 1 / base
    assert dram * i * 190 == pytest.approx(0.46869, abs=5e-6)
    assert dram * 168 == pytest.approx(0.38997, abs=6e-6)
    entries = stalls.buffer_entries_in_use(168, rates.ilp, base, dram, 190)
    assert entries == pytest.approx(168 - 84 / 9.713191, rel=1e-8)
    assert stalls.buffer_fill_cycles(entries, base, -math.inf) == pytest.approx(149.952096, abs=5e-7)
    assert i * (l3 * 28 + dram * 190) == pytest.approx(0.899786, abs=5e-7)
    assert i * dram * 190 == pytest.approx(0.468688, abs=5e-7)
    queue = [rates.ilp * 54 / 0.899786, 1 / l3, rates.ilp * 54 / 0.468688, 1 / dram]
    assert queue == pytest.approx([582.930, 69.0220, 1119.107, 430.799], rel=2e-6)
    assert 1 / l3 / i == pytest.approx(64.950507, abs=5e-7)
    assert 1 / dram / i == pytest.approx(405.386864, abs=5e-7)
    assert stalls.queue_fill_cycles(54, rates.ilp, base, l3, dram, 28, 190) == math.inf
    stalled = throughput.stalled_cycles(base, 0.0, stalls.access_penalty(dram, 190, 149.952096, base, 168))
    assert 1 / stalled == pytest.approx(0.967142452, abs=5e-9)
    branches = throughput.branch_cycles(rates.control_fraction, 1.71 * 0.0111, 7, 54, stalled)
    assert branches == pytest.approx(0.246811405, abs=5e-10)
    assert stalled + branches == pytest.approx(1.280785250, abs=1e-9)
    assert 2.9e9 * (2 * 0 + 1 * 256 / 32) == 23.2e9  # of the peak


def test_worked_example_of_the_issue_queue():
    """seq-list on the E5-2697 v3, one thread."""
    found = predict(measured("list"), V3, mode="reference")
    rates, arriving = found.rates, found.accesses
    l3, dram = arriving["l3"] - arriving["dram"], arriving["dram"]
    base = float(found.stack["base"])
    assert 1 / base == pytest.approx(0.857923277, abs=5e-10)
    entries = stalls.buffer_entries_in_use(192, rates.ilp, base, dram, 217)
    full = stalls.buffer_fill_cycles(entries, base, -math.inf)
    assert full == pytest.approx(211.745241, abs=5e-7)
    assert (l3 * 36 + dram * 217) / base == pytest.approx(1.547476, abs=5e-7)
    assert [rates.ilp * 60 / 1.547476, 1 / l3] == pytest.approx([360.021, 20.2394], rel=3e-6)
    queue = stalls.queue_fill_cycles(60, rates.ilp, base, l3, dram, 36, 217)
    assert queue == pytest.approx(23.591124, abs=5e-7)
    assert [l3, l3 / base * 36, l3 * 192] == pytest.approx([0.049408641, 1.52600, 9.48646], rel=2e-6)
    stalled = stalls.queue_stalls(full, queue, base, l3, 36, 192)
    assert stalled == pytest.approx(0.401773683, abs=5e-10)
    assert stalls.buffer_fill_cycles(entries, base + stalled, -math.inf) == pytest.approx(284.731918, abs=5e-7)
    assert 1 / (base + stalled) == pytest.approx(0.638007751, abs=5e-10)
    assert float(found.stack["branches"]) == pytest.approx(0.638719069, abs=5e-10)


def test_splitting():
    assert fit_vectors(measured("csr"), 256).instructions == 3751122215
    assert fit_vectors(measured("csr"), 128).count("load") == 420879559 + 12 * 7


@pytest.mark.parametrize(
    ("cpi", "seconds", "case"),
    [
        (1.280785250, 1.656683449, ("csr", "Xeon E5-2690", 1)),
        (2.206098146, 3.577576198, ("list", "Xeon E5-2697 v3", 1)),
        (1.700378345, 2.453202686, ("csr", "Xeon E5-2697 v3", 14)),
        (4.686463878, 10.534003006, ("csr", "T4240", 12)),
        (6.313912785, 13.310856264, ("list", "SDP little", 4)),
        (6.981140913, 12.797819455, ("list", "Cortex-A15 (Tegra K1)", 1)),
    ],
)
def test_the_oracle_gives_the_reference_cases(cpi, seconds, case):
    program, machine, threads = case
    found = oracle.homogeneous(document(program), MACHINES[machine], threads)
    assert found["cpi"] == pytest.approx(cpi, rel=4e-10)
    assert found["seconds"] == pytest.approx(seconds, rel=4e-10)


def test_the_oracle_gives_independent_events():
    machine = {**V3, "l3_size_bytes": 2**25, "in_order": 0}
    found = oracle.independent(document("csr"), machine)
    assert found["cpi"] == pytest.approx(1.52970, abs=5e-6)
    assert [found["n"], found["pressure"]] == pytest.approx([6.23878, 1.44759], abs=5e-6)


@pytest.mark.parametrize("program", ["csr", "list"])
def test_latencies_read_as_differences_or_as_hits_give_the_same(program):
    """Without a reorder buffer, misses and hits of the independent model cost what each level answers, E7."""
    found = predict(measured(program), {**V3, "rob": 0}, mode="reference", model="independent", split=False)
    memory = sum(found.stack[name] for name in ("l1 hits", "l1 misses", "l2 misses", "l3 misses"))
    arriving = list(found.accesses.values())
    answered = [*(-np.diff(arriving)), arriving[-1]]
    latencies = (4, 12, 36, 217)
    expected = sum(hits * latency for hits, latency in zip(answered, latencies, strict=True))
    assert memory == pytest.approx(expected, rel=1e-13)


def test_mixture_divides_everything():
    found = predict_mixture([(measured("csr"), 1), (measured("list"), 1)], V3, mode="reference")
    assert sum(found.l3_shares) == pytest.approx(V3["l3_size_bytes"], rel=1e-12)
    assert sum(found.dram_shares) == pytest.approx(V3["dram_bandwidth_Bps"], rel=1e-12)
    assert float(found.seconds) == pytest.approx(float(found.predictions[1].seconds))
    assert [float(one.cpi) for one in found.predictions] == pytest.approx([1.550372, 2.269134], abs=5e-7)
