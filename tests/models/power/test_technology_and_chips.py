"""Scaling factors, polynomials, multiply-accumulate energies; dies, yields and costs; composition of powers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dse.arithmetic.ranges import Range
from dse.errors import InputError
from dse.models.power import (
    NOTHING,
    Power,
    chip_area,
    die_cost,
    die_yield,
    dies_per_wafer,
    level_power,
    mac_energy,
    package_cost,
    polynomial_energy,
    processor_power,
    scaling_confidence,
    scaling_factor,
    socket_power,
    technology_voltage,
)
from dse.models.power.chip import YIELD_MODELS
from dse.models.power.technology import QUANTITIES, SMALLER


class TestScaling:
    def test_nothing_changes_at_22_nm_and_above(self):
        for quantity in QUANTITIES:
            np.testing.assert_array_equal(scaling_factor(quantity, [22e-9, 32e-9, 90e-9]), 1.0)

    def test_along_the_path(self):
        assert float(scaling_factor("energy", 5e-9)) == pytest.approx(0.2627 * 0.7)
        assert float(scaling_factor("logic area", 3e-9)) == pytest.approx(0.2414 * 0.556 * 0.625)
        assert float(scaling_factor("leakage", 3e-9)) == 0.1364

    def test_smaller_is_better(self):
        for quantity in ("energy", "logic area"):
            factors = scaling_factor(quantity, [node for node in SMALLER if node < 19e-9])
            assert (np.diff(factors) < 0).all()

    def test_delay_is_not_known_at_20_and_16_nm(self):
        with pytest.raises(InputError, match=r"^delay: technology in nm = 16; allowed: 14 nm, 10 nm"):
            scaling_factor("delay", [14e-9, 16e-9])

    def test_voltages(self):
        np.testing.assert_array_equal(technology_voltage([45e-9, 22e-9, 16e-9, 7e-9, 3e-9]), [0.8, 0.8, 0.85, 0.7, 0.7])

    def test_confidence_is_the_least_on_the_path(self):
        assert scaling_confidence("energy", 22e-9) == "high"
        assert scaling_confidence("energy", 7e-9) == "medium"
        assert scaling_confidence("energy", 2e-9) == "low-medium"
        assert scaling_confidence("leakage", 7e-9) == "low"
        with pytest.raises(InputError):
            scaling_confidence("leakage", 20e-9)

    def test_names(self):
        with pytest.raises(InputError, match=r"^quantity = 'speed'; allowed: energy, delay, logic area"):
            scaling_factor("speed", 7e-9)

    def test_polynomials(self):
        assert float(polynomial_energy(32e-9, 0.9)) == pytest.approx(0.4571, abs=5e-5)
        low, middle, high = (float(polynomial_energy(node, 0.8)) for node in (20e-9, 22e-9, 32e-9))
        assert low < middle < high
        with pytest.raises(InputError, match=r"^flavour LP: technology in nm = 22;"):
            polynomial_energy(22e-9, 0.8, "LP")


class TestMultiplyAccumulate:
    def test_goes_with_the_square_of_the_bits(self):
        np.testing.assert_allclose(mac_energy([8, 16, 32]) * 1e12, [0.6, 2.4, 9.6])

    def test_fpga_takes_seven_times_as_much(self):
        assert float(mac_energy(16, 14e-9, fpga=True) / mac_energy(16, 14e-9)) == pytest.approx(7)

    def test_other_technologies_are_refused(self):
        with pytest.raises(InputError, match=r"^technology in nm = 32; allowed: 90, 22 or 14$"):
            mac_energy(8, 32e-9)


class TestDies:
    def test_textbook(self):
        assert float(dies_per_wafer(0.015**2)) == pytest.approx(270, abs=0.6)
        assert float(dies_per_wafer(0.01**2)) == pytest.approx(640, abs=0.6)

    def test_never_negative(self):
        assert dies_per_wafer(np.array([0.3, 1.0])).tolist() == [0.0, 0.0]

    def test_rim_and_lines_cost_dies(self):
        whole = dies_per_wafer(1e-4)
        assert dies_per_wafer(1e-4, edge=0.003) < whole
        assert dies_per_wafer(1e-4, scribe=1e-4) < whole

    @given(st.floats(0, 20), st.floats(0.3, 50))
    def test_order_of_the_models(self, defects, clustering):
        """Clustered defects leave more dies whole than independent ones."""
        found = {name: float(die_yield(defects, 1.0, model=name, clustering=clustering)) for name in YIELD_MODELS}
        assert all(0 < value <= 1 for value in found.values())
        assert found["poisson"] <= found["murphy"] * (1 + 1e-12)
        assert found["murphy"] <= found["seeds"] * (1 + 1e-12)
        assert found["poisson"] <= found["negative-binomial"] * (1 + 1e-9)

    def test_limits_of_the_clustering(self):
        one = die_yield(np.array([0.1, 2.0]), 1.0, clustering=1.0)
        np.testing.assert_allclose(one, die_yield(np.array([0.1, 2.0]), 1.0, model="seeds"))
        many = die_yield(np.array([0.1, 2.0]), 1.0, clustering=1e7)
        np.testing.assert_allclose(many, die_yield(np.array([0.1, 2.0]), 1.0, model="poisson"), rtol=1e-6)

    def test_no_defects(self):
        for name in YIELD_MODELS:
            assert float(die_yield(1e-4, 0.0, model=name, wafer_yield=0.9)) == 0.9

    def test_small_dies_in_murphys_model(self):
        x = np.array([1e-12, 1e-9, 2e-8, 1e-4])
        np.testing.assert_allclose(die_yield(x, 1.0, model="murphy"), 1 - x, rtol=1e-8)

    def test_names(self):
        with pytest.raises(InputError, match=r"^model = 'moore'; allowed: negative-binomial, murphy"):
            die_yield(1e-4, 1e3, model="moore")

    def test_ranges(self):
        for name in YIELD_MODELS:
            bounds = die_yield(Range(np.array([1e-4]), np.array([4e-4])), 1e3, model=name)
            for area in (1e-4, 2e-4, 4e-4):
                assert bounds.low <= die_yield(area, 1e3, model=name) <= bounds.high
        bounds = dies_per_wafer(Range(np.array([1e-4]), np.array([4e-4])))
        assert bounds.low <= dies_per_wafer(2e-4) <= bounds.high

    def test_cost(self):
        assert float(die_cost(100.0, 50.0, 0.5)) == 4.0
        assert float(die_cost(100.0, 0.0, 0.5)) == np.inf
        assert package_cost([(4.0, 8), (2.0, 1)], assembly_yield=0.5, carrier_cost=1.0) == 70.0

    def test_small_dies_are_cheaper_than_one_large_one(self):
        def cost(area):
            return die_cost(1.0, dies_per_wafer(area), die_yield(area, 1000.0))

        assert 4 * cost(1.5e-4) < cost(6e-4)

    def test_area(self):
        assert chip_area([(2e-6, 4), (1e-6, 2)]) == pytest.approx(10e-6)
        assert chip_area([(9e-6, 1)], unlisted_share=0.1) == pytest.approx(10e-6)


class TestComposition:
    CORE = Power(0.5, 2.0)

    def test_equation_4_8(self):
        found = processor_power(self.CORE, 8, cache=Power(1.0, 0.5), network=Power(0.1, 0.2), remainder=Power(0.3, 0.4))
        assert (found.static, found.dynamic, found.total) == pytest.approx((5.4, 17.1, 22.5))

    def test_idle_cores_draw_static_power_only(self):
        found = processor_power(self.CORE, 8, working=3)
        assert (found.static, found.dynamic) == (4.0, 6.0)

    def test_levels_and_efficiencies(self):
        die = level_power(self.CORE, 4, memory=Power(1.0, 0.0), remainder=Power(0.0, 1.0), efficiency=0.8)
        assert (die.static, die.dynamic) == pytest.approx((3.75, 11.25))
        nested = level_power(die, 2, efficiency=0.5)
        assert nested.total == pytest.approx(60.0)

    def test_socket(self):
        found = socket_power(
            self.CORE,
            4,
            dies=2,
            cache=Power(1.0, 1.0),
            network=Power(0.5, 0.5),
            dram=Power(3.0, 2.0),
            die_efficiency=0.9,
            socket_efficiency=0.8,
        )
        assert found.static == pytest.approx((2 * (4 * 0.5 + 1.5) / 0.9 + 3.0) / 0.8)
        assert found.dynamic == pytest.approx((2 * (4 * 2.0 + 1.5) / 0.9 + 2.0) / 0.8)

    @pytest.mark.parametrize("efficiency", [0.0, -1.0, 1.01, np.nan])
    def test_impossible_efficiencies(self, efficiency):
        with pytest.raises(InputError, match="above 0 and at most 1"):
            level_power(self.CORE, 2, efficiency=efficiency)

    def test_arrays_and_ranges(self):
        found = processor_power(Power(np.array([0.5, 1.0]), 2.0), np.array([[1], [4]]))
        assert found.total.shape == (2, 2)
        bounds = level_power(Power(Range(1.0, 2.0), Range(0.0, 1.0)), 4, efficiency=Range(0.8, 0.9))
        assert bounds.total.low <= 4 * 1.5 / 0.85 + 4 * 0.5 / 0.85 <= bounds.total.high

    def test_nothing(self):
        assert (self.CORE + NOTHING) == self.CORE
