"""No clock for nothing: the voltage follows it, or is given with it, or the sweep is refused."""

import numpy as np
import pytest

from dse.errors import InputError

from .nodes import evaluated, node_study

POINTS = {"supply": "operating-points"}
GIVEN = {"nominal_frequency": None}


def points_file(folder, *rows):
    lines = ["name,frequency [GHz],supply_voltage [V],source", *(f"p{i},{f},{v},test" for i, (f, v) in enumerate(rows))]
    (folder / "points.csv").write_text("\n".join(lines), encoding="utf-8")
    return {"point": {"part": "points.csv"}}


def swept(quantity, axis, values, use=None, **changes):
    found = [evaluated(use, **{axis: value}, **changes)[quantity] for value in values]
    return np.array(found)


def test_the_voltage_rises_with_the_clock():
    clocks = [2.3e9, 2.5e9, 2.6e9, 2.7e9, 2.8e9]
    volts = swept("voltage", "frequency", clocks)
    assert (np.diff(volts) > 0).all()
    assert volts[2] == 0.8
    # The law itself: K (V - Vth)^alpha / V, 22 nm HP.
    speed = (volts - 0.1395) ** 1.2 / volts
    assert speed / speed[2] == pytest.approx(np.array(clocks) / 2.6e9, rel=1e-12)


def test_slow_clocks_stay_at_the_lowest_voltage():
    """Below three quarters of the nominal voltage nothing is known: no free saving."""
    assert swept("voltage", "frequency", [0.5e9, 1e9, 2.2e9]).tolist() == pytest.approx([0.6] * 3, rel=1e-12)


def test_energy_of_work_goes_with_the_square_of_the_voltage():
    """Level 2 has no constant part: its energy per run at two clocks is as the squares of the voltages."""
    one, other = (evaluated(frequency=clock) for clock in (2.3e9, 2.8e9))
    ratio = (other["voltage"] / one["voltage"]) ** 2
    assert ratio > 2
    assert other["l2_dynamic_energy"] / one["l2_dynamic_energy"] == pytest.approx(ratio, rel=1e-12)
    leakage = (other["voltage"] / one["voltage"]) ** 3
    assert other["l2_static_power"] / one["l2_static_power"] == pytest.approx(leakage, rel=0.02)  # gate leakage: V
    assert other["l3_dynamic_energy"] == one["l3_dynamic_energy"]  # level 3 has a supply of its own


def test_clocks_beyond_every_swept_voltage_are_marked():
    run = node_study({"frequency": [2.8e9, 3.2e9], "cores": [4, 8]}).run()
    marks = dict(zip(run.frontier["frequency"], run.frontier["extrapolated"], strict=True))
    assert marks[3.2e9] == "voltage_ratio"
    assert marks.get(2.8e9, "") == ""


def test_a_sweep_at_one_voltage_is_refused():
    study = node_study({"frequency": [2.0e9, 2.4e9, 2.6e9]}, POINTS, supply_voltage=0.8, **GIVEN)
    with pytest.raises(InputError, match=r"^supply_voltage: the frequency varies at the one voltage of 0\.8 V"):
        study.run(trust=False)


def test_clocks_combined_freely_with_voltages_are_refused():
    axes = {"frequency": [2.0e9, 2.4e9], "supply_voltage": [0.7, 0.8]}
    with pytest.raises(InputError, match="axes of their own, so every clock would run at every voltage") as error:
        node_study(axes, POINTS, **GIVEN).run()
    assert error.value.allowed == "a part axis whose rows bring frequency and supply_voltage, or supply = 'dvfs'"


def test_operating_points_as_parts(tmp_path):
    """Rows of a catalogue bring both; two of them may share a voltage, alone or in a frontier of their own."""
    axes = points_file(tmp_path, (1.6, 0.6), (2.0, 0.6), (2.6, 0.8)) | {"cores": [4, 8]}
    study = node_study(axes, POINTS, folder=tmp_path, frequency=None, **GIVEN)
    run = study.run(trust=False)
    assert set(run.frontier["voltage"]) <= {0.6, 0.8}
    for point, volts in (("p0", 0.6), ("p1", 0.6), ("p2", 0.8)):
        assert study.evaluate({"point": point, "cores": 4})["voltage"] == volts
    axes = points_file(tmp_path, (1.6, 0.6), (2.0, 0.6)) | {"cores": [4, 8]}
    assert len(node_study(axes, POINTS, folder=tmp_path, frequency=None, **GIVEN).run().frontier) > 0


def test_one_clock_at_several_voltages():
    """A higher voltage than needed costs and gains nothing."""
    energies = swept("energy", "supply_voltage", [0.65, 0.8, 0.95], POINTS, **GIVEN)
    assert (np.diff(energies) > 0).all()
    run = node_study({"supply_voltage": [0.65, 0.8, 0.95]}, POINTS, **GIVEN).run()
    assert run.frontier["supply_voltage"].tolist() == [0.65]


@pytest.mark.parametrize("volts", [0.59, 0.3])
def test_voltages_below_the_tables_are_refused(volts):
    with pytest.raises(InputError, match="nothing is known of lower supplies"):
        evaluated(POINTS, supply_voltage=volts, **GIVEN)


def test_voltages_above_the_tables_are_marked():
    run = node_study({"cores": [4]}, POINTS, supply_voltage=1.1, **GIVEN).run()
    assert run.frontier["extrapolated"].tolist() == ["voltage_ratio"]


def test_a_voltage_of_the_study_is_refused():
    with pytest.raises(InputError, match="'voltage' is computed by the models, so it cannot be set"):
        evaluated(voltage=0.8)
