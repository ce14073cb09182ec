"""Splitting vectors: published figures, and what holds for every width."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_profiles import DOCUMENT

from dse.errors import InputError
from dse.models.workload.profile.documents import as_document
from dse.models.workload.profile.profile import CLASSES, WorkloadProfile
from dse.models.workload.profile.reading import parse_profile, read_profile
from dse.models.workload.profile.vectors import fit_vectors


@pytest.fixture(scope="module")
def csr():
    return read_profile("graph500-seq-csr").only


def test_published_figures_at_256_bits(csr):
    """The worked example of the reference mode, on every printed digit."""
    fitted = fit_vectors(csr, 256)
    assert fitted.instructions == 3751122215
    fractions = {
        "mem": 0.126777084494,
        "addr": 0.121000558,
        "int": 0.475552952,
        "int_arith": 0.130994118,
        "int_mul": 0.016408562,
        "int_div": 0.014031400,
        "fp": 4.0176e-5,
        "fp_mul": 2.4032e-5,
        "fp_div": 1.11e-7,
        "control": 0.206941392,
        "vector_move": 6.9918e-5,
    }
    for name, fraction in fractions.items():
        assert fitted.fraction(name) == pytest.approx(fraction, abs=5e-10), name
    assert fitted.scalar_count("int") / fitted.instructions == pytest.approx(0.475133639, abs=5e-10)
    assert fitted.ilp(54, mode="reference") == pytest.approx(9.713191390, abs=5e-10)
    ilp = fitted.ilp_by_type(54, mode="reference")
    published = {"mem": 1.622563504, "int": 9.547176176, "control": 5.7535, "fp": 1.018881129}
    for name, value in published.items():
        assert ilp[name] == pytest.approx(value, abs=5e-10), name
    hits = fitted.reuse(64).hit_fraction(np.array([512, 4096, 8192, 4608, 262144, 524288, 327680]), "reference")
    printed = [0.630505818, 0.858517100, 0.929658219, 0.867409740, 0.975820013, 0.999300579, 0.981690154]
    assert hits == pytest.approx(printed, abs=5e-10)


def test_two_elements_of_64_bits_fit_in_128(csr):
    at_128, at_127 = fit_vectors(csr, 128), fit_vectors(csr, 64)
    kept = {(v.of, v.length): v.count for v in at_128.vectors}
    assert kept["load", 2] == 7929790 + 12 * 8
    assert not at_127.vectors
    assert fit_vectors(csr, 1024) == csr
    assert fit_vectors(csr, 0) == fit_vectors(csr, 64)


def test_one_vector_load_by_hand():
    """4 x 64 bits on 64 bits: 40 loads become 160, with 120 additions and 120 references to lines just touched."""
    worker = parse_profile(DOCUMENT).only
    fitted = fit_vectors(worker, 64)
    assert fitted.count("load") == 200 + 120
    assert fitted.count("int") == 300 + 120
    assert fitted.count("vector_move") == 0
    assert fitted.instructions == 1000 + 120 + 120 - 20
    assert [(v.of, v.length, v.count) for v in fitted.vectors] == [("int", 2, 30), ("int_arith", 2, 20)]
    window = fitted.windows[1]
    assert (window.span, window.spans) == (200, {"mem": 270, "int": 180, "control": 40, "fp": 50})
    assert fitted.ilp_by_type(64)["mem"] == pytest.approx((300 + 120) / 270)
    assert fitted.ilp(64, order="in", mode="reference") == pytest.approx(1220 / (1000 / 1.9999))
    assert fitted.reuse(64).hit_fraction(1) == pytest.approx((100 + 120) / 420)
    assert fitted.reuse(64).hit_fraction(0, "reference") == pytest.approx((0.3333 * 300 + 120) / 420)
    assert fit_vectors(fitted, 32).count("int") == 420 + 30


def test_reference_mode_leaves_other_line_sizes_alone():
    wide = as_document(WorkloadProfile("x", (parse_profile(DOCUMENT).only,)))
    wide["classes"][0]["data_reuse"] = [
        {"line_bytes": line, "references": 300, "histogram": [[0, 100], [1, 50]]} for line in (64, 128)
    ]
    narrow, broad = fit_vectors(parse_profile(wide).only, 64).data_reuse
    assert broad.hit_fraction(1, "reference") == 0.5
    assert narrow.hit_fraction(1, "reference") == pytest.approx((0.5 * 300 + 120) / 420)
    assert broad.hit_fraction(2) == narrow.hit_fraction(2) == pytest.approx(270 / 420)


def test_unknown_bits_count_as_64_and_halves_of_selections_vanish():
    base = as_document(WorkloadProfile("x", (parse_profile(DOCUMENT).only,)))
    base["classes"][0]["vectors"] = [{"class": "other", "length": 4, "bits": 0, "count": 8}]
    worker = parse_profile(base).only
    assert fit_vectors(worker, 256) == worker
    assert [(v.length, v.count) for v in fit_vectors(worker, 128).vectors] == [(2, 16)]
    gone = fit_vectors(worker, 127)
    assert gone.count("other") == 30 + 8 - 16
    assert not gone.vectors


@given(st.sampled_from(["graph500-seq-csr", "synthetic-dense"]), st.lists(st.integers(0, 2048), min_size=2, max_size=2))
def test_every_width(name, widths):
    narrow, wide = sorted(widths)
    process_class = read_profile(name).only
    fitted = fit_vectors(process_class, narrow)
    assert sum(fitted.count(name) for name in CLASSES) == fitted.instructions
    assert all(v.length * (v.bits or 64) <= narrow for v in fitted.vectors)
    parse_profile(as_document(WorkloadProfile("fitted", (fitted,))))
    assert fit_vectors(fitted, wide) == fitted
    # Splitting in two steps is splitting at once, where reference mode has nothing to cut twice.
    steps = fit_vectors(fit_vectors(process_class, wide), narrow)
    assert (steps.mix, steps.vectors, steps.data_reuse) == (fitted.mix, fitted.vectors, fitted.data_reuse)
    assert steps.ilp(54, mode="reference") == pytest.approx(fitted.ilp(54, mode="reference"), rel=1e-12)
    assert steps.lanes("fp") == process_class.lanes("fp")
    assert fitted.ilp(54) >= process_class.ilp(54) * (1 - 1e-12)


def test_wrong_width(csr):
    for width in (-1, 2.5):
        with pytest.raises(InputError, match=f"vector_bits = {width}; allowed: a whole number of bits >= 0"):
            fit_vectors(csr, width)
