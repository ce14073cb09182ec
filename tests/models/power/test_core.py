"""Cores: every row of the tables comes back, what is not in them is refused or marked, and the laws hold."""

import dataclasses

import numpy as np
import pytest

from dse.arithmetic.ranges import Range
from dse.errors import InputError
from dse.models.power import (
    check_voltage,
    core_activity,
    core_energies,
    core_power,
    instruction_energy,
    scaling_factor,
    technology_voltage,
    voltage_factors,
)
from dse.models.power.activity import CoreActivity
from dse.models.power.core_grids import ENERGIES, VALUES
from dse.models.power.tables import power_table, same

TABLE = power_table("cores")
NOMINAL = {22: 0.8, 32: 0.9, 45: 1.0, 65: 1.1, 90: 1.2}
COLUMNS = [name for name in VALUES if name in TABLE.columns]


def looked_up_rows():
    """Return the rows a look-up must give back: at nominal voltage of HP, arrays not made for a clock."""
    for row, device in enumerate(TABLE["device"]):
        node = round(TABLE["technology"][row] * 1e9)
        if TABLE["arrays"][row] != "energy-delay" or (node, device) == (22, "LOP"):
            continue
        if device == "HP" and abs(TABLE["voltage"][row] - NOMINAL[node]) > 1e-9:
            continue
        yield pytest.param(row, id=TABLE["name"][row])


@pytest.mark.parametrize("row", list(looked_up_rows()))
def test_every_row_comes_back(row):
    one = {name: TABLE[name][row] for name in TABLE.columns}
    found = core_energies(
        technology=one["technology"],
        width=one["width"],
        in_order=one["order"] == "in-order",
        device=one["device"],
        l1_size=one["l1_data"],
        threads=one["threads"],
        x86=one["isa"] == "x86",
        temperature=one["temperature"],
    )
    for name in COLUMNS:
        wanted = one[name]
        if name == "pipeline_energy" and one["isa"] == "x86":
            wanted = core_energies(technology=one["technology"], width=one["width"]).pipeline_energy
        tolerance = 6e-3 if one["temperature"] == 330.0 else 5e-6 if one["temperature"] != 360.0 else 1e-12
        assert float(getattr(found, name)) == pytest.approx(float(wanted), rel=tolerance, abs=0), name
    assert not found.extrapolated
    assert found.reasons == ()


def test_rows_at_other_voltages_follow_the_laws():
    for row in np.flatnonzero((TABLE["device"] == "HP") & (TABLE["arrays"] == "energy-delay")):
        node = round(TABLE["technology"][row] * 1e9)
        ratio = TABLE["voltage"][row] / NOMINAL[node]
        if abs(ratio - 1) < 1e-9:
            continue
        core = core_energies(technology=TABLE["technology"][row], width=TABLE["width"][row])
        supply = voltage_factors(ratio, core.leakage_exponent)
        for name, factor, tolerance in (
            ("constant_power", supply.dynamic, 1e-5),
            ("pipeline_energy", supply.dynamic, 1e-5),
            ("load_energy", supply.dynamic, 0.05),
            ("subthreshold_leakage", supply.subthreshold, 0.02),
            ("gate_leakage", supply.gate, 0.02),
        ):
            assert float(getattr(core, name) * factor) == pytest.approx(TABLE[name][row], rel=tolerance)


class TestRefusals:
    @pytest.mark.parametrize(
        ("given", "message"),
        [
            (
                {"technology": 28e-9, "width": 4},
                "technology in nm = 28; allowed: 22, 32, 45, 65, 90, or by factors 16, 14, 10, 7, 5, 3",
            ),
            ({"technology": 22e-9, "width": 10}, "width = 10; allowed: 2, 4, 6, 8 out of order"),
            ({"technology": 22e-9, "width": 1}, "width = 1; allowed: 2, 4, 6, 8 out of order"),
            ({"technology": 22e-9, "width": 6, "in_order": True}, "width = 6; allowed: 1, 2, 4 in order"),
            (
                {"technology": 22e-9, "width": 3},
                "width = 3: units, ports and queues change in whole steps between the tabulated widths; allowed: 1, 2, "
                "4 in order or 2, 4, 6, 8 out of order (or allowed=True, which marks the result)",
            ),
            ({"technology": 22e-9, "width": 4, "device": "FD"}, "device = 'FD'; allowed: HP, LOP, LSTP"),
            (
                {"technology": 65e-9, "width": 4, "device": "LOP"},
                "device = 'LOP'; allowed: HP, or LOP and LSTP at 22 and 45 nm",
            ),
            (
                {"technology": 22e-9, "width": 4, "device": "LOP"},
                "leakage at 22 nm of device = 'LOP'; allowed: HP or LSTP; McPAT's is invalid (dynamic_only=True)",
            ),
            ({"technology": 7e-9, "width": 4, "device": "LSTP"}, "device below 22 nm = 'LSTP'; allowed: HP"),
            (
                {"technology": 2e-9, "width": 4},
                "technology in nm = 2; allowed: 22, 32, 45, 65, 90, or by factors 16, 14, 10, 7, 5, 3",
            ),
            (
                {"technology": 20e-9, "width": 4},
                "technology in nm = 20; allowed: 22, 32, 45, 65, 90, or by factors 16, 14, 10, 7, 5, 3",
            ),
            ({"technology": 22e-9, "width": 4, "threads": 3}, "threads = 3; allowed: 1, 2, 4"),
            (
                {"technology": 32e-9, "width": 4, "threads": 2},
                "threads = 2: not tabulated for this core; allowed: 1, or 2 and 4 at 22 nm HP on a 4-wide out-of-order "
                "core (4 on a 2-wide in-order one) (or allowed=True, which marks the result)",
            ),
            (
                {"technology": 32e-9, "width": 4, "l1_size": 65536},
                "l1_size in B = 65536: L1 sizes other than 32 KiB are tabulated at 22, 45 and 90 nm only; allowed: "
                "32768 (or allowed=True, which marks the result)",
            ),
            (
                {"technology": 22e-9, "width": 4, "l1_size": 131072},
                "l1_size in B = 131072: outside the tabulated L1 sizes; allowed: 16 KiB to 64 KiB (or allowed=True, "
                "which marks the result)",
            ),
            ({"technology": 22e-9, "width": 4, "l1_size": 0}, "l1_size in B = 0; allowed: a size above 0"),
            (
                {"technology": 22e-9, "width": 8, "x86": True},
                "x86 core of width = 8: x86 is not tabulated for this core; allowed: 4, out of order, at 22 or 45 nm "
                "HP (or allowed=True, which marks the result)",
            ),
            (
                {"technology": 22e-9, "width": 4, "temperature": 420},
                "temperature in K = 420: outside the tabulated off currents; allowed: 300 to 400 (or allowed=True, "
                "which marks the result)",
            ),
            (
                {"technology": 22e-9, "width": 4, "extra_float_units": -1},
                "extra fpus = -1; allowed: 0 or more",
            ),
        ],
    )
    def test_message(self, given, message):
        with pytest.raises(InputError) as error:
            core_energies(**given)
        assert str(error.value) == message

    @pytest.mark.parametrize("given", [{"width": 9}, {"width": 4, "technology": 28e-9}, {"width": 1}])
    def test_some_things_are_never_allowed(self, given):
        with pytest.raises(InputError):
            core_energies(**{"technology": 22e-9, **given}, allowed=True)

    @pytest.mark.parametrize("ratio", [0.7499, 0.0, np.nan])
    def test_voltage_below_three_quarters_is_never_allowed(self, ratio):
        with pytest.raises(InputError, match=r"nothing is known of lower supplies$"):
            check_voltage([1.0, ratio])

    def test_high_voltage(self):
        check_voltage([0.75, 1.25])
        with pytest.raises(InputError, match=r"^voltage_ratio = 1.3: above every swept supply"):
            check_voltage(1.3)


class TestMarks:
    def test_only_what_leaves_the_tables_is_marked(self):
        found = core_energies(
            technology=[22e-9, 32e-9, 22e-9], width=[4, 4, 3], l1_size=[65536, 65536, 32768], allowed=True
        )
        np.testing.assert_array_equal(found.extrapolated, [False, True, True])
        assert len(found.reasons) == 2

    def test_a_width_between_lies_between(self):
        two, three, four = (core_energies(technology=22e-9, width=w, allowed=True) for w in (2, 3, 4))
        for name in ("area", "integer_energy", "pipeline_energy", "subthreshold_leakage"):
            assert float(getattr(two, name)) < float(getattr(three, name)) < float(getattr(four, name))
        middle = core_energies(technology=22e-9, width=np.sqrt(8), allowed=True)
        assert float(middle.area) == pytest.approx(np.sqrt(float(two.area * four.area)), rel=1e-12)

    def test_other_technologies_take_the_ratios_between(self):
        def ratio(node):
            one, other = (core_energies(technology=node, width=4, l1_size=s, allowed=True) for s in (32768, 65536))
            return float(other.load_energy / one.load_energy)

        assert min(ratio(22e-9), ratio(45e-9)) < ratio(32e-9) < max(ratio(22e-9), ratio(45e-9))

    def test_two_threads_in_order(self):
        found = [core_energies(technology=22e-9, width=2, in_order=True, threads=t, allowed=True) for t in (1, 2, 4)]
        assert float(found[1].area) == pytest.approx(np.sqrt(float(found[0].area * found[2].area)), rel=1e-12)
        assert [bool(one.extrapolated) for one in found] == [False, True, False]

    def test_warmer_than_tabulated(self):
        found = core_energies(technology=45e-9, width=4, temperature=[400, 410], allowed=True)
        assert found.subthreshold_leakage[1] > found.subthreshold_leakage[0]
        np.testing.assert_array_equal(found.extrapolated, [False, True])


class TestVariants:
    def test_other_l1_sizes_add_the_difference(self):
        """Of an 8-wide core: area and leakage of the larger caches are those of the 4-wide one."""
        small, large = (core_energies(technology=22e-9, width=4, l1_size=s) for s in (32768, 65536))
        wide, wider = (core_energies(technology=22e-9, width=8, l1_size=s) for s in (32768, 65536))
        assert float(wider.area - wide.area) == pytest.approx(float(large.area - small.area), rel=1e-9)
        assert float(wider.load_energy / wide.load_energy) == pytest.approx(
            float(large.load_energy / small.load_energy), rel=1e-12
        )

    def test_other_devices_take_the_ratio_of_the_same_order(self):
        narrow = {d: core_energies(technology=45e-9, width=4, device=d) for d in ("HP", "LSTP")}
        wide = {d: core_energies(technology=45e-9, width=8, device=d) for d in ("HP", "LSTP")}
        ratios = [float(one["LSTP"].load_energy / one["HP"].load_energy) for one in (narrow, wide)]
        assert ratios[0] == pytest.approx(ratios[1], rel=1e-12)
        assert not wide["LSTP"].extrapolated

    def test_leakage_of_22_nm_lstp_is_repaired(self):
        """4.4 times what the program gave, 0.000506158 W."""
        found = core_energies(technology=22e-9, width=4, device="LSTP")
        assert float(found.subthreshold_leakage) == pytest.approx(4.4 * 0.000506158, rel=1e-9)

    def test_dynamic_energies_of_22_nm_lop_are_there(self):
        found = core_energies(technology=22e-9, width=4, device=["HP", "LOP"], dynamic_only=True)
        assert np.isnan(found.subthreshold_leakage[1])
        assert np.isnan(found.gate_leakage[1])
        assert found.integer_energy[1] == pytest.approx(76.1126e-12, rel=1e-9)
        assert np.isfinite(found.subthreshold_leakage[0])

    def test_extra_units_add_area_and_leakage(self):
        parts = power_table("core-parts")
        row = np.flatnonzero((parts["core"] == "out-of-order 4-wide, 22 nm HP") & (parts["part"] == "fpus"))[0]
        one, more = (core_energies(technology=22e-9, width=4, extra_float_units=n) for n in (0, 6))
        unit = parts["area"][row] / parts["count"][row]
        assert float(more.area - one.area) == pytest.approx(6 * unit, rel=1e-9)
        assert float(more.subthreshold_leakage) > float(one.subthreshold_leakage)
        assert float(more.integer_energy) == float(one.integer_energy)

    @pytest.mark.parametrize("node", [16e-9, 14e-9, 10e-9, 7e-9, 5e-9, 3e-9])
    def test_below_22_nm(self, node):
        base, found = core_energies(technology=22e-9, width=4), core_energies(technology=node, width=4)
        energy = float(scaling_factor("energy", node))
        for name in (*ENERGIES, "constant_power"):
            assert float(getattr(found, name)) == pytest.approx(energy * float(getattr(base, name)), rel=1e-12)
        supply = float(technology_voltage(node)) / 0.8
        leakage = float(scaling_factor("leakage", node)) * supply**3
        assert float(found.subthreshold_leakage) == pytest.approx(leakage * float(base.subthreshold_leakage), rel=1e-12)
        assert float(found.area / base.area) == pytest.approx(float(scaling_factor("logic area", node)), rel=1e-12)
        assert float(found.voltage) == float(technology_voltage(node))


class TestArrays:
    def test_equals_one_at_a_time(self):
        rng = np.random.default_rng(4)
        n = 200
        given = {
            "technology": rng.choice([22e-9, 45e-9, 90e-9, 7e-9], n),
            "width": rng.choice([2, 4], n),
            "in_order": rng.random(n) < 0.5,
            "l1_size": rng.choice([16384.0, 30000.0, 65536.0], n),
            "temperature": rng.uniform(300, 400, n),
            "extra_float_units": rng.integers(0, 3, n),
        }
        together = core_energies(**given)
        for row in range(n):
            alone = core_energies(**{name: values[row] for name, values in given.items()})
            for field in dataclasses.fields(alone):
                if field.name != "reasons":
                    whole, single = getattr(together, field.name)[row], getattr(alone, field.name)
                    assert whole == single, field.name

    def test_shapes_broadcast(self):
        found = core_energies(technology=np.full((3, 1, 1), 22e-9), width=np.array([2, 4, 6, 8]).reshape(1, 4, 1))
        assert {getattr(found, field.name).shape for field in dataclasses.fields(found) if field.name != "reasons"} == {
            (3, 4, 1)
        }

    def test_arguments_stay_as_they_are(self):
        width = np.array([2.0, 4.0])
        width.setflags(write=False)
        found = core_energies(technology=22e-9, width=width)
        assert not np.shares_memory(found.width, width)


# ---- the mix of instructions and the power ---------------------------------------------------------------------------


CORE = core_energies(technology=22e-9, width=4)
MIX = {"load": 0.2, "store": 0.1, "integer": 0.4, "address": 0.1, "floating_point": 0.05, "control": 0.15}


class TestInstructionEnergy:
    def test_is_linear_in_each_event(self):
        """A single event at a time gives its energy."""
        none = CoreActivity(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        for event, energy in {
            "integer": "integer_energy",
            "multiply": "multiply_energy",
            "float": "float_energy",
            "load": "load_energy",
            "store": "store_energy",
            "branch": "branch_energy",
            "mispredicts": "mispredict_energy",
            "instruction_misses": "instruction_miss_energy",
            "read_misses": "l1_write_energy",
            "write_misses": "write_miss_energy",
            "extra_reads": "l1_read_energy",
            "extra_writes": "l1_write_energy",
            "float_lanes": "float_lane_energy",
            "integer_lanes": "integer_lane_energy",
        }.items():
            found = instruction_energy(CORE, none._replace(**{event: 3.0}))
            assert float(found) == pytest.approx(3 * float(getattr(CORE, energy)), rel=1e-14), event

    def test_a_read_miss_is_charged_its_fill(self):
        """McPAT charges none, so the line that comes is a write."""
        hit = instruction_energy(CORE, core_activity(**MIX))
        miss = instruction_energy(CORE, core_activity(**MIX, hit_fraction=0.0))
        extra = 0.2 * CORE.l1_write_energy + 0.1 * CORE.write_miss_energy
        assert float(miss - hit) == pytest.approx(float(extra), rel=1e-9)

    def test_wrong_path_instructions_cost_the_mean_of_the_mix(self):
        one = core_activity(**MIX, misses_per_control=0.1)
        wasted = core_activity(**MIX, misses_per_control=0.1, wrong_path_per_miss=20)
        mean = instruction_energy(CORE, core_activity(**MIX))
        more = instruction_energy(CORE, wasted) - instruction_energy(CORE, one)
        assert float(more) == pytest.approx(0.15 * 0.1 * 20 * float(mean), rel=1e-9)

    def test_shares_add_up(self):
        activity = core_activity(**MIX, multiply=0.03, other=0.0)
        shares = (activity.integer, activity.multiply, activity.float, activity.load, activity.store, activity.branch)
        assert sum(shares) == pytest.approx(1.0)


class TestCorePower:
    def given(self, **more):
        energy = instruction_energy(CORE, core_activity(**MIX))
        return {
            "instruction_energy": energy,
            "frequency": 2e9,
            "cycles_per_instruction": 1.25,
            "voltage_ratio": 1.0,
            **more,
        }

    def test_by_hand(self):
        power = core_power(CORE, **self.given())
        energy = float(self.given()["instruction_energy"])
        dynamic = 0.268092 + 1.6e9 * (energy + 96.838e-12 / 4)
        assert float(power.dynamic) == pytest.approx(dynamic, rel=1e-9)
        assert float(power.static) == pytest.approx(0.506763 + 0.00367008, rel=1e-9)

    def test_at_fixed_voltage_energy_per_instruction_is_constant(self):
        slow, fast = (core_power(CORE, **self.given(frequency=f)).dynamic - 0.268092 for f in (1e9, 3e9))
        assert float(fast / slow) == pytest.approx(3.0, rel=1e-12)

    def test_a_clock_without_a_voltage_is_refused(self):
        with pytest.raises(TypeError, match="voltage_ratio"):
            core_power(CORE, instruction_energy=1e-10, frequency=2e9, cycles_per_instruction=1.0)

    def test_voltage(self):
        one, other = (core_power(CORE, **self.given(voltage_ratio=r)) for r in (1.0, 1.1))
        assert float(other.dynamic / one.dynamic) == pytest.approx(1.21, rel=1e-12)
        leakage = 0.506763 * 1.1**3 + 0.00367008 * 1.1
        assert float(other.static) == pytest.approx(leakage, rel=1e-9)

    def test_ranges_hold_the_points(self):
        rng = np.random.default_rng(8)
        names = ("instruction_energy", "frequency", "cycles_per_instruction", "voltage_ratio")
        limits = ((1e-10, 3e-10), (1e9, 4e9), (0.5, 5.0), (0.75, 1.25))
        one, other = (
            {name: rng.uniform(*limit, 300) for name, limit in zip(names, limits, strict=True)} for _ in range(2)
        )
        bounds = {name: Range(np.minimum(one[name], other[name]), np.maximum(one[name], other[name])) for name in names}
        found = core_power(CORE, **bounds)
        for weight in (0.0, 0.5, 1.0):
            points = {name: one[name] * weight + other[name] * (1 - weight) for name in names}
            points = {name: np.clip(v, bounds[name].low, bounds[name].high) for name, v in points.items()}
            power = core_power(CORE, **points)
            for part in ("static", "dynamic", "total"):
                assert (getattr(found, part).low <= getattr(power, part)).all()
                assert (getattr(power, part) <= getattr(found, part).high).all()


def test_no_row_calls_itself_safe_that_is_not():
    """Rows with repaired or unusable values say so."""
    suspicious = same(TABLE["technology"], 22e-9) & (TABLE["device"] != "HP")
    assert all(TABLE["note"][suspicious])
    assert set(TABLE["confidence"][suspicious]) == {"low"}
    assert set(TABLE["leakage_valid"][TABLE["device"] == "LOP"]) == {"no", "yes"}
    assert set(TABLE["leakage_valid"][suspicious & (TABLE["device"] == "LOP")]) == {"no"}
