"""The generator of synthetic profiles: parameters do what they say, and the label is always there."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dse.errors import InputError
from dse.models.workload.profile.reading import read_profile
from dse.models.workload.profile.synthetic import DEFAULT_MIX, EXAMPLES, synthetic_profile


def test_it_is_always_labelled():
    profile = synthetic_profile("x")
    assert profile.synthetic
    assert profile.source.startswith("synthetic")
    assert profile.application.parameters["locality"] == 0.5


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_profiles_of_the_project_are_what_the_generator_makes(name):
    assert read_profile(name) == synthetic_profile(name, **EXAMPLES[name])


def test_parameters_do_what_they_say():
    plain = synthetic_profile("a").only
    assert plain.ilp(54) == pytest.approx(6.0, rel=1e-6)
    assert plain.ilp_by_type(54)["mem"] == pytest.approx(2.5, rel=1e-6)
    assert plain.ilp(108) / plain.ilp(54) == pytest.approx(2**0.4, rel=1e-6)
    assert plain.fraction("load") == pytest.approx(0.24)
    assert plain.reuse(64).cold_fraction == pytest.approx(2**26 / 64 / (0.32e9))
    near, far = synthetic_profile("b", locality=2.0).only, synthetic_profile("c", near_bytes=2**16).only
    caches = 2.0 ** np.arange(2, 18)
    assert (near.reuse(64).hit_fraction(caches) > plain.reuse(64).hit_fraction(caches)).all()
    assert (far.reuse(64).hit_fraction(caches) < plain.reuse(64).hit_fraction(caches)).all()
    assert plain.reuse(128).hit_fraction(256) > plain.reuse(64).hit_fraction(512)
    vector = synthetic_profile("d", vector_length=8, vector_share=0.5).only
    assert vector.lanes("fp") == pytest.approx(4.5 * vector.count("fp"))


@given(
    st.floats(1, 40),
    st.floats(0, 1),
    st.floats(1, 1e6),
    st.floats(0.01, 4),
    st.integers(6, 30),
    st.sampled_from([1, 2, 16]),
    st.floats(0, 1),
)
def test_every_profile_is_valid(ilp, exponent, near, locality, footprint, length, share):
    profile = synthetic_profile(
        "x",
        ilp=ilp,
        ilp_exponent=exponent,
        near_bytes=near,
        locality=locality,
        footprint_bytes=2**footprint,
        vector_length=length,
        vector_share=share,
    )
    hits = profile.only.reuse(64).hit_fraction(2.0 ** np.arange(26))
    assert ((hits >= 0) & (hits <= 1)).all()


@pytest.mark.parametrize(
    ("given_wrong", "told"),
    [
        (
            {"mix": {**DEFAULT_MIX, "load": 0.5}},
            "mix: load + store + addr + int + fp + control + vector_move + other is 1.26",
        ),
        ({"mix": {**DEFAULT_MIX, "laod": 0.1}}, "mix: unknown class 'laod'; .*did you mean 'load'"),
        ({"mix": {**DEFAULT_MIX, "load": -0.1}}, "mix: load = -0.1; allowed: a share from 0 to 1"),
        ({"locality": 0.0}, "locality = 0.0"),
        ({"ilp": 0.5}, "ilp = 0.5; allowed: a number from 1 to inf"),
        ({"ilp_by_type": {"mem": 2}}, "ilp_by_type: int = None; allowed: a number >= 1"),
        ({"vector_share": 2}, "vector_share = 2; allowed: a number from 0 to 1"),
        ({"instructions": 1000, "footprint_bytes": 2**20}, "16384 lines of 64 bytes, but 320 references"),
    ],
    ids=range(8),
)
def test_wrong_parameters(given_wrong, told):
    with pytest.raises(InputError, match=told.replace("+", r"\+")):
        synthetic_profile("x", **given_wrong)
