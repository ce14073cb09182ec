"""What must hold of any node: parts add up, energy is power times time, and what costs more does."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dse.models.node.totals import PARTS

from .nodes import CORE, DDR4_2400, INDEPENDENT, KIB, MIB, evaluated

USES = [
    {},
    {"core_order": "in-order"},
    {"processor_model": "independent"},
    {"memory": "devices"},
    {"memory_interface": "stacks", "wrong_path": "none", "on_chip_network": "none"},
]


def designs(use, **changes):
    """Return one node with the components of `use`, in the form it needs."""
    if "in-order" in use.values():
        changes = {"reorder_buffer": None, "dispatch_width": 2, "issue_width": 2} | changes
    if "independent" in use.values():
        changes = INDEPENDENT | changes
    if "devices" in use.values():
        changes = {"node": CORE | DDR4_2400} | changes
    return evaluated(use, **changes)


@pytest.mark.slow
@pytest.mark.parametrize("use", USES, ids=lambda use: ", ".join(use.values()) or "defaults")
@settings(max_examples=15)
@given(
    frequency=st.floats(1e9, 2.8e9),
    cores=st.sampled_from([1, 4, 12]),
    running=st.sampled_from([1.0, 0.5]),
    l2=st.sampled_from([0.0, 256 * KIB, MIB]),
    l3=st.sampled_from([0.0, 12 * MIB, 48 * MIB]),
    temperature=st.floats(300, 400),
    rest=st.sampled_from([0.0, 12.5]),
)
def test_totals(use, frequency, cores, running, l2, l3, temperature, rest):
    told = designs(
        use,
        frequency=frequency,
        cores=cores,
        threads=max(1, round(cores * running)),
        l2_size=l2,
        l3_size=l3,
        temperature=temperature,
        remainder_power=rest,
    )
    parts = [*PARTS, "remainder"]
    assert told["energy"] == pytest.approx(sum(told[f"{part}_energy"] for part in parts), rel=1e-12)
    assert told["node_power"] == pytest.approx(sum(told[f"{part}_power"] for part in parts), rel=1e-12)
    assert told["energy"] == pytest.approx(told["static_energy"] + told["dynamic_energy"], rel=1e-12)
    assert told["energy"] == pytest.approx(told["node_power"] * told["run_time"], rel=1e-12)
    assert told["static_energy"] == pytest.approx(told["static_power"] * told["run_time"], rel=1e-12)
    assert told["energy_per_program"] * told["running_threads"] == pytest.approx(told["energy"], rel=1e-12)
    assert told["time_per_program"] * told["running_threads"] == pytest.approx(told["run_time"], rel=1e-12)
    for part in PARTS:
        assert told[f"{part}_power"] * told["run_time"] == pytest.approx(told[f"{part}_energy"], rel=1e-12)
        assert told[f"{part}_static_power"] >= 0
        assert told[f"{part}_dynamic_energy"] >= 0
    assert 0 < told["chip_yield"] <= 1
    assert told["chip_cost"] > 0


def rising(quantity, axis, values, **changes):
    found = np.array([evaluated(**{axis: value}, **changes)[quantity] for value in values])
    assert (np.diff(found) > 0).all(), (quantity, axis, found)


def test_a_warmer_chip_takes_more_energy_in_the_same_time():
    warmths = [300.0, 320.0, 340.0, 360.0, 380.0, 400.0]
    rising("energy", "temperature", warmths)
    assert len({evaluated(temperature=warmth)["run_time"] for warmth in warmths}) == 1


def test_wider_cores_take_more_for_an_instruction_and_more_area():
    for quantity in ("instruction_energy", "core_area", "core_leakage", "pipeline_energy", "chip_area"):
        rising(quantity, "dispatch_width", [2, 4, 6, 8])


def test_more_of_anything_leaks_more():
    rising("static_power", "cores", [4, 8, 16], threads=1)
    rising("static_power", "dram_units", [1, 2, 4])
    rising("static_power", "l2_size", [0.0, 256 * KIB, MIB])
    rising("static_power", "l3_size", [0.0, 4 * MIB, 16 * MIB])
    rising("static_power", "vector_width", [64, 128, 256, 512], vector_units=2)


def test_smaller_technologies_take_less():
    nodes = [7e-9, 22e-9, 32e-9, 45e-9, 65e-9, 90e-9]
    rising("instruction_energy", "technology", nodes, l3_size=64 * MIB)
    rising("chip_area", "technology", nodes, l3_size=64 * MIB)


def test_work_does_not_depend_on_the_clock_where_the_voltage_does_not():
    """At the lowest voltage each access takes the same energy at any clock; only what is there for the time changes."""
    slow, fast = (evaluated(frequency=clock) for clock in (1.1e9, 2.2e9))
    for part in ("l2", "l3", "on_chip_network", "dram"):
        assert slow[f"{part}_dynamic_energy"] == pytest.approx(fast[f"{part}_dynamic_energy"], rel=1e-12)
    assert slow["energy"] > fast["energy"]  # leaks longer
    # Cores: the instructions, and a constant power for the time.
    constant = [one["core_constant_power"] * 0.75**2 * 4 * one["run_time"] for one in (slow, fast)]
    work = [one["cores_dynamic_energy"] - part for one, part in zip((slow, fast), constant, strict=True)]
    assert work[0] == pytest.approx(work[1], rel=1e-9)


def test_energy_of_the_work_of_a_program_does_not_depend_on_the_cores():
    """As far as the caches hold as much: with private caches alone every copy does the same."""
    one, many = (evaluated(cores=n, threads=n, l3_size=0.0) for n in (1, 8))
    for part in ("l2", "dram"):
        assert many[f"{part}_dynamic_energy"] == pytest.approx(8 * one[f"{part}_dynamic_energy"], rel=1e-12)
    assert many["on_chip_network_dynamic_energy"] > 8 * one["on_chip_network_dynamic_energy"]  # longer ways


def test_the_best_clock_lies_between():
    """Leakage wants a fast clock, voltage a slow one: energy has its minimum where the voltage begins to rise."""
    clocks = np.arange(1.6e9, 2.81e9, 0.1e9)
    energies = np.array([evaluated(frequency=float(clock))["energy"] for clock in clocks])
    best = int(energies.argmin())
    assert 0 < best < len(clocks) - 1
    assert 2.1e9 <= clocks[best] <= 2.4e9
    assert (np.diff(energies[:best]) < 0).all()
    assert (np.diff(energies[best:]) > 0).all()


def test_magnitudes():
    """Near what such a chip takes: the Xeon E5-2697 v3 is rated 145 W and has 662 mm² (recalled)."""
    told = evaluated(cores=14, threads=14, l3_size=35 * MIB, vector_units=2, vector_width=256, dram_units=4)
    assert 25 < told["processor_power"] < 145
    assert 150e-6 < told["chip_area"] < 662e-6
