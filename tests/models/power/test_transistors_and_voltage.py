"""Transistors, leakage against temperature and voltage, and the voltage a clock needs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dse.arithmetic.ranges import Range
from dse.errors import InputError
from dse.models.power import (
    leakage_temperature_factor,
    maximum_frequency,
    operating_points,
    refuse_fixed_voltage,
    transistors,
    voltage_factors,
    voltage_for_frequency,
)
from dse.models.power.grids import interpolated, monotone, monotone_slopes
from dse.models.power.tables import NODES, power_table


class TestTransistors:
    def test_are_those_of_the_table(self):
        table = power_table("transistors")
        found = transistors(table["technology"], table["device"].astype(str))
        for name in ("voltage", "threshold_voltage", "alpha", "leakage_exponent"):
            np.testing.assert_array_equal(getattr(found, name), table[name])

    def test_below_22_nm_keep_the_threshold(self):
        found = transistors([22e-9, 7e-9])
        np.testing.assert_array_equal(found.voltage, [0.8, 0.7])
        assert found.threshold_voltage[0] == found.threshold_voltage[1]

    def test_slips_of_the_program_are_repaired(self):
        table = power_table("transistors")
        rows = {name: row for row, name in enumerate(table["name"])}
        assert table["off_current_360"][rows["90 nm LOP"]] == pytest.approx(10.2e-3, rel=1e-12)
        assert table["off_current_360"][rows["22 nm LSTP"]] == pytest.approx(1.55e-3, rel=1e-12)
        assert all(table["note"][rows[name]] for name in ("90 nm LOP", "22 nm LSTP", "22 nm LOP"))


class TestTemperature:
    def test_is_that_of_the_table_at_its_temperatures(self):
        table = power_table("transistors")
        for row, device in enumerate(table["device"]):
            if table["name"][row] == "22 nm LOP":
                continue
            for warmth in (300, 320, 340, 360, 380, 400):
                wanted = table[f"off_current_{warmth}"][row] / table["off_current_360"][row]
                found = leakage_temperature_factor(warmth, table["technology"][row], device)
                assert float(found) == pytest.approx(wanted, rel=1e-12)

    def test_rises_with_temperature(self):
        for node in NODES:
            assert (np.diff(leakage_temperature_factor(np.linspace(300, 400, 2001), node)) > 0).all()

    def test_at_330_kelvin(self):
        """Where the program was asked: 0.16003 W of 0.506763 W."""
        assert float(leakage_temperature_factor(330, 22e-9)) == pytest.approx(0.16003 / 0.506763, rel=0.006)

    def test_invalid_currents_are_refused(self):
        with pytest.raises(InputError, match=r"^leakage of device = 'LOP'; allowed: not LOP at 22 nm"):
            leakage_temperature_factor(350, 22e-9, "LOP")

    def test_refusals(self):
        with pytest.raises(InputError, match=r"^temperature in K = 290: outside the tabulated off currents"):
            leakage_temperature_factor([300, 290], 22e-9)
        with pytest.raises(InputError, match=r"^temperature in K = 0; allowed: 300 to 400$"):
            leakage_temperature_factor(0, 22e-9)


class TestSmoothCurves:
    @given(st.lists(st.floats(-5, 5), min_size=3, max_size=8))
    def test_equal_those_of_scipy(self, values):
        from scipy.interpolate import PchipInterpolator

        knots = np.cumsum(1.0 + np.arange(len(values)) % 3)
        x = np.linspace(knots[0], knots[-1], 40)
        found = monotone(knots, np.array(values), monotone_slopes(knots, np.array(values)), x)
        np.testing.assert_allclose(found, PchipInterpolator(knots, values)(x), rtol=1e-9, atol=1e-9)

    def test_logarithmic_lines_give_the_knots_themselves(self):
        knots, values = np.array([3.0, 7.0, 11.0]), np.array([0.1, 0.7, 0.3])
        np.testing.assert_array_equal(interpolated(knots, values, knots), values)
        assert interpolated([5.0], [2.0], np.array([1.0, 9.0])).tolist() == [2.0, 2.0]


class TestVoltageForFrequency:
    LAW = (2.6e9, 0.8, 0.1395, 1.2)

    @given(
        frequency=st.floats(1e6, 1e10),
        nominal=st.floats(1e8, 5e9),
        threshold=st.floats(0.05, 0.5),
        over=st.floats(0.1, 1.5),
        alpha=st.floats(1.0, 2.0),
    )
    def test_is_the_inverse(self, frequency, nominal, threshold, over, alpha):
        if alpha < 1.05 and frequency / nominal > 1 / (1 - threshold / (threshold + over)) * 0.9:
            return  # f_max levels off: no voltage is enough
        law = (nominal, threshold + over, threshold, alpha)
        voltage = voltage_for_frequency(frequency, *law)
        assert float(maximum_frequency(voltage, *law)) == pytest.approx(frequency, rel=1e-9)

    def test_to_all_digits(self):
        frequency = np.linspace(0.2e9, 6e9, 100_001)
        voltage = voltage_for_frequency(frequency, *self.LAW)
        np.testing.assert_allclose(maximum_frequency(voltage, *self.LAW), frequency, rtol=4e-15)

    def test_rises(self):
        voltage = voltage_for_frequency(np.linspace(1e6, 1e10, 1_000_001), *self.LAW)
        assert (np.diff(voltage) > 0).all()

    def test_gives_the_nominal_voltage_itself(self):
        assert float(voltage_for_frequency(2.6e9, *self.LAW)) == 0.8

    def test_has_the_same_bits_in_any_company(self):
        """Alone, as the first of many, reversed, every third, and beside one that never converges."""
        rng = np.random.default_rng(5)
        threshold = rng.uniform(0.05, 0.5, 2000)
        given = (
            rng.uniform(1e6, 1e10, 2000),
            rng.uniform(1e8, 5e9, 2000),
            threshold + rng.uniform(0.1, 1.5, 2000),
            threshold,
            rng.uniform(1.05, 2.0, 2000),
        )
        many = voltage_for_frequency(*given)
        assert np.isfinite(many).all()
        alone = [float(voltage_for_frequency(*values)) for values in zip(*given, strict=True)]
        assert many.tobytes() == np.array(alone).tobytes()
        for chosen in (slice(0, 1), slice(0, 7), slice(None, None, 3)):
            assert voltage_for_frequency(*(one[chosen] for one in given)).tobytes() == many[chosen].tobytes()
        backwards = voltage_for_frequency(*(np.ascontiguousarray(one[::-1]) for one in given))
        assert backwards[::-1].tobytes() == many.tobytes()
        grid = voltage_for_frequency(given[0][:, None], 2e9, 0.8, 0.1395, np.array([1.1, 1.2, 1.3]))
        column = voltage_for_frequency(given[0], 2e9, 0.8, 0.1395, 1.2)
        assert np.ascontiguousarray(grid[:, 1]).tobytes() == column.tobytes()
        with np.errstate(all="ignore"):  # at alpha = 1 the clock levels off: no voltage is enough for the first
            hopeless = [
                np.concatenate([[value], one]) for value, one in zip((1e12, 1e9, 0.8, 0.3, 1.0), given, strict=True)
            ]
            beside = voltage_for_frequency(*hopeless)
        assert beside[1:].tobytes() == many.tobytes()

    def test_broadcasts(self):
        found = voltage_for_frequency(np.full((3, 1), 1e9), np.full((1, 4), 2e9), 0.8, 0.14, 1.2)
        assert found.shape == (3, 4)
        assert np.ptp(found) == 0

    @pytest.mark.parametrize(
        ("given", "message"),
        [
            ((0, 2e9, 0.8, 0.14, 1.2), "frequency in Hz = 0; allowed: a finite number above 0"),
            ((np.inf, 2e9, 0.8, 0.14, 1.2), "frequency in Hz = inf; allowed: a finite number above 0"),
            ((1e9, 0, 0.8, 0.14, 1.2), "nominal_frequency in Hz = 0; allowed: a number above 0"),
            ((1e9, 2e9, 0.1, 0.14, 1.2), "nominal_voltage in V = 0.1; allowed: a voltage above the threshold"),
            ((1e9, 2e9, 0.8, 0.14, 0.9), "alpha = 0.9; allowed: 1 or more"),
        ],
    )
    def test_refusals(self, given, message):
        with pytest.raises(InputError) as error:
            voltage_for_frequency(*given)
        assert str(error.value) == message

    def test_maximum_frequency_takes_ranges(self):
        rng = np.random.default_rng(1)
        a, b = rng.uniform(0.3, 1.2, 200), rng.uniform(0.3, 1.2, 200)
        bounds = maximum_frequency(Range(np.minimum(a, b), np.maximum(a, b)), *self.LAW)
        for point in (a, b, (a + b) / 2):
            value = maximum_frequency(point, *self.LAW)
            assert (bounds.low <= value).all()
            assert (value <= bounds.high).all()


class TestOperatingPoints:
    def test_anchor_and_floor(self):
        points = operating_points([0.5e9, 1e9, 2.4e9, 2.6e9, 2.8e9], 2.6e9, 22e-9)
        np.testing.assert_array_equal(points.at_lowest, [True, True, False, False, False])
        np.testing.assert_allclose(points.voltage[:2], 0.6)
        assert points.voltage[3] == 0.8
        assert (np.diff(points.voltage[1:]) > 0).all()
        np.testing.assert_allclose(points.voltage_ratio, points.voltage / 0.8)
        assert not points.extrapolated.any()

    def test_no_clock_beyond_what_the_voltage_gives(self):
        points = operating_points(np.linspace(0.5e9, 2.8e9, 47), 2.6e9, 22e-9)
        kind = transistors(22e-9)
        reach = maximum_frequency(points.voltage, 2.6e9, 0.8, kind.threshold_voltage, kind.alpha)
        assert (reach >= points.frequency * (1 - 1e-12)).all()

    def test_clocks_above_the_highest_voltage(self):
        with pytest.raises(InputError) as error:
            operating_points(3.5e9, 2.6e9, 22e-9)
        assert str(error.value) == (
            "frequency in Hz = 3.5e+09: above the highest voltage; allowed: what 1.25 times the voltage of the "
            "technology allows, which is 2.857e+09 Hz for the slowest part (or allowed=True, which marks the result)"
        )
        points = operating_points([2e9, 3.5e9], 2.6e9, 22e-9, allowed=True)
        np.testing.assert_array_equal(points.extrapolated, [False, True])

    def test_a_part_of_another_voltage(self):
        """A 22 nm part that reaches 2.6 GHz at 1 V: ratios stay those over the 0.8 V of the tables."""
        points = operating_points([2.2e9, 2.6e9], 2.6e9, 22e-9, nominal_voltage=1.0)
        assert points.voltage[1] == 1.0
        assert points.voltage_ratio[1] == pytest.approx(1.25)
        assert 0.6 < points.voltage[0] < 1.0

    def test_below_22_nm_is_marked(self):
        assert operating_points(2e9, 2e9, 7e-9).extrapolated
        assert operating_points(2e9, 2e9, [22e-9, 7e-9]).voltage.tolist() == [0.8, 0.7]

    @pytest.mark.parametrize("given", [{"lowest": 0.5}, {"lowest": 1.1}, {"highest": 0.9}])
    def test_limits(self, given):
        with pytest.raises(InputError):
            operating_points(2e9, 2e9, 22e-9, **given)

    def test_energy_falls_with_the_clock_only_down_to_the_floor(self):
        points = operating_points(np.linspace(0.4e9, 2.8e9, 25), 2.6e9, 22e-9)
        energy = voltage_factors(points.voltage_ratio).dynamic
        assert (np.diff(energy) >= 0).all()
        assert (energy[points.at_lowest] == energy[0]).all()


class TestFixedVoltage:
    def test_several_clocks_at_one_voltage_are_refused(self):
        with pytest.raises(InputError) as error:
            refuse_fixed_voltage([1e9, 2e9, 3e9], 0.8)
        assert str(error.value) == (
            "3 frequencies at the one voltage of 0.8 V; allowed: a voltage for each frequency (operating_points)"
        )

    def test_others_pass(self):
        refuse_fixed_voltage(2e9, 0.8)
        refuse_fixed_voltage([1e9, 2e9], [0.7, 0.8])
        refuse_fixed_voltage([2e9, 2e9], [0.8, 0.8])


def test_voltage_factors_take_ranges():
    bounds = voltage_factors(Range(np.array([0.8]), np.array([1.2])), np.array([2.0]))
    for factor, low, high in (
        (bounds.dynamic, 0.64, 1.44),
        (bounds.subthreshold, 0.512, 1.728),
        (bounds.gate, 0.8, 1.2),
    ):
        assert factor.low == pytest.approx(low, rel=1e-9)
        assert factor.high == pytest.approx(high, rel=1e-9)
