"""The SKA1-Low correlator in dedicated hardware: contract, laws, printed and corrected forms."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dse import Study
from dse.authoring.library.library import load_model
from dse.models.ska.claims.designs import catalogue, dedicated_correlator, part

MODEL = load_model("ska.dedicated_correlator")
names = st.sampled_from(catalogue("correlator-arithmetic")["name"].tolist())


@pytest.mark.parametrize("function", MODEL.functions, ids=lambda function: f"{function.name} {function.provider or ''}")
def test_contract(function, check_contract, check_ranges):
    check_contract(function, limits={}, tables={})
    check_ranges(function, limits={}, tables={})


def test_declarations(check_declarations):
    check_declarations(MODEL)


def test_printed_and_corrected():
    """2.485 and 17.52 kW as printed; a complex multiply-accumulate is four real ones (Eq. 7.7)."""
    for name, power in (("ASIC 14 nm", 2485.1), ("FPGA 14 nm", 17_521.7)):
        printed = dedicated_correlator(name, use={"complex_mac": "as-printed"})
        assert printed == pytest.approx(power, abs=0.05)
        assert dedicated_correlator(name) == pytest.approx(4 * printed, rel=1e-15)


@given(names, st.integers(2, 2000), st.integers(1, 4))
def test_pairs_counted_one_by_one(name, stations, beams):
    """Both orders, or each pair once with every station and itself."""
    energy = 4 * part("correlator-arithmetic", name)["mac_energy_32bit"]
    per_pair = 4 * beams * 300e6 * energy
    for baselines, pairs in (("ordered", stations**2), ("unique", sum(range(1, stations + 1)))):
        found = dedicated_correlator(name, use={"baselines": baselines}, stations=float(stations), beams=float(beams))
        assert found == pytest.approx(pairs * per_pair, rel=1e-12)


@pytest.mark.parametrize(("study", "asic", "fpga"), [("", 9.94, 70.09), ("-as-printed", 2.485, 17.52)])
def test_studies(study, asic, fpga):
    """Only ASICs are on the frontiers; the FPGA takes seven times as much."""
    loaded = Study.load(f"ska-correlator-dedicated{study}")
    run = loaded.run()
    assert run.frontier["part"].tolist() == ["ASIC 90 nm", "ASIC 22 nm", "ASIC 14 nm"]
    for name, power in (("ASIC 14 nm", asic), ("FPGA 14 nm", fpga)):
        assert loaded.evaluate({"part": name})["correlator_power"] == pytest.approx(power * 1e3, abs=5)


def test_catalogue():
    table = catalogue("correlator-arithmetic")
    assert len(table) == 6
    assert all(table["source"])
    for technology in ("90", "22", "14"):
        fpga, asic = (
            part("correlator-arithmetic", f"{kind} {technology} nm")["mac_energy_32bit"] for kind in ("FPGA", "ASIC")
        )
        assert fpga / asic == pytest.approx(7, rel=0.01)
