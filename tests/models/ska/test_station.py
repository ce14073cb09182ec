"""The SKA1-Low station: contract, laws, the forms of flags 1 and 2, and its catalogue."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dse.authoring.library.library import load_model
from dse.models.ska.claims.designs import catalogue, part, station

MODEL = load_model("ska.station")
LIMITS = {"subbands": (2, 4096), "taps": (1, 32)}
names = st.sampled_from(catalogue("station-technologies")["name"].tolist())


@pytest.mark.parametrize("function", MODEL.functions, ids=lambda function: function.name)
def test_contract(function, check_contract, check_ranges):
    """Shapes, no mutation, and bounds that hold."""
    check_contract(function, limits=LIMITS, tables={})
    check_ranges(function, limits=LIMITS, tables={})


def test_declarations(check_declarations):
    check_declarations(MODEL)


@given(names, st.integers(1, 64))
def test_beams_add_linearly(name, beams):
    """P_DBF and its accesses are linear in the beams; the filters do not see them."""
    one, many = (station(name, "dbf_power", "dbf_access_power", "ppf_power", beams=count) for count in (1, beams))
    assert many[:2] == pytest.approx([beams * value for value in one[:2]], rel=1e-12)
    assert many[2] == one[2]


@given(names, st.integers(1, 12), st.integers(1, 64))
def test_laws_of_the_filter(name, stages, taps):
    """P_FFT grows with log2 of the subbands, FIR parts linearly with the taps."""
    parts = ("fft_power", "fir_power", "fir_memory_power")
    reference = station(name, *parts, subbands=2, taps=1)
    found = station(name, *parts, subbands=2**stages, taps=taps)
    assert found == pytest.approx((stages * reference[0], taps * reference[1], taps * reference[2]), rel=1e-12)


@given(names)
def test_parts_add_up(name):
    """The station is the sum of its terms, the instrument of 512 stations."""
    terms = ("fir_power", "fft_power", "fir_memory_power", "fft_memory_power", "ppf_leakage_power", "dbf_power")
    terms += ("dbf_access_power", "dbf_leakage_power")
    total, instrument = station(name, "station_power", "instrument_power")
    assert sum(station(name, *terms)) == pytest.approx(total, rel=1e-12)
    assert instrument == 512 * total


def test_corrected_forms():
    """Flag 1 adds half the sampling rate of 8-bit reads; flag 2 multiplies the leakage of a bank."""
    numbers = part("station-technologies", "ASIC 14 nm")
    printed = station("ASIC 14 nm", "fft_memory_power", "ppf_leakage_power", "dbf_leakage_power")
    use = {"fft_input_rate": "every-sample", "memory_leakage": "per-bank"}
    corrected = station("ASIC 14 nm", "fft_memory_power", "ppf_leakage_power", "dbf_leakage_power", use=use)
    assert corrected[0] - printed[0] == pytest.approx(512 * numbers["ppf_access_energy_8bit"] * 300e6, rel=1e-12)
    assert corrected[1:] == pytest.approx((512 * 2 * 1.5e-3, 32 * 1.5e-3), rel=1e-12)
    assert printed[1:] == pytest.approx((512 * 1.4e-3, 48e-3), rel=1e-12)


def test_catalogue():
    """Eight rows with sources; 32 nm says whose arithmetic energies it uses; 16-bit energy is four times 8-bit."""
    table = catalogue("station-technologies")
    assert len(table) == 8
    assert all(table["source"])
    assert [bool(note) for note in table["note"]] == [one == 3.2e-8 for one in table["technology"]]
    np.testing.assert_allclose(table["mac_energy_16bit"] / table["mac_energy_8bit"], 4, rtol=0.03)
    for name in ("station-technologies", "correlator-cores"):
        assert b"\r" not in (Path(__file__).parents[3] / "spaces" / "ska" / f"{name}.csv").read_bytes()
