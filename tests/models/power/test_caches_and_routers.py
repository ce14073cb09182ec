"""Caches, routers and memory controllers: rows come back, the rest is refused or marked, fills are charged."""

import dataclasses

import numpy as np
import pytest

from dse.arithmetic.ranges import Range
from dse.errors import InputError
from dse.models.power import (
    access_energy,
    cache_activity,
    cache_energies,
    cache_power,
    controller_energies,
    memory_activity,
    router_energies,
    scaling_factor,
    uncore_power,
)
from dse.models.power.activity import CacheActivity
from dse.models.power.tables import power_table

CACHES, ROUTERS = power_table("caches"), power_table("routers")
CONTROLLERS = power_table("memory-controllers")


def rows(table, keep=None):
    return [pytest.param(row, id=table["name"][row]) for row in range(len(table)) if keep is None or keep(table, row)]


@pytest.mark.parametrize("row", rows(CACHES))
def test_every_cache_comes_back(row):
    one = {name: CACHES[name][row] for name in CACHES.columns}
    lop = one["device"] == "LOP"
    found = cache_energies(
        one["level"], size=one["size"], technology=one["technology"], device=one["device"], dynamic_only=lop
    )
    for field in dataclasses.fields(found):
        if field.name in CACHES.columns and not (lop and "leakage" in field.name):
            assert float(getattr(found, field.name)) == pytest.approx(float(one[field.name]), rel=1e-12), field.name
    assert np.isnan(found.subthreshold_leakage) == lop
    assert not found.extrapolated


@pytest.mark.parametrize("row", rows(ROUTERS))
def test_every_router_comes_back(row):
    one = {name: ROUTERS[name][row] for name in ROUTERS.columns}
    found = router_energies(ports=one["ports"], flit=one["flit"], technology=one["technology"])
    for name, column in {"area": "area", "gate_leakage": "gate_leakage", "event_energy": "flit_energy"}.items():
        assert float(getattr(found, name)) == pytest.approx(float(one[column]), rel=1e-12)
    assert float(found.subthreshold_leakage) == pytest.approx(one["subthreshold_leakage"], rel=1e-12)
    assert float(found.constant_power) == 0.0


@pytest.mark.parametrize("row", rows(CONTROLLERS))
def test_every_controller_comes_back(row):
    one = {name: CONTROLLERS[name][row] for name in CONTROLLERS.columns}
    found = controller_energies(
        peak_bandwidth=one["peak_bandwidth"], technology=one["technology"], design=one["design"]
    )
    for name, column in {"area": "area", "event_energy": "access_energy", "constant_power": "constant_power"}.items():
        assert float(getattr(found, name)) == pytest.approx(float(one[column]), rel=1e-12)


class TestSizes:
    def test_between_sizes_in_logarithms(self):
        small, middle, large = (cache_energies("L2", size=s, technology=22e-9) for s in (2**19, 2**19.5, 2**20))
        assert float(middle.read_hit_energy) == pytest.approx(
            np.sqrt(float(small.read_hit_energy * large.read_hit_energy)), rel=1e-12
        )
        assert not middle.extrapolated

    def test_a_larger_cache_costs_more_of_everything(self):
        found = cache_energies("L3", size=np.geomspace(2**20, 2**26, 50), technology=22e-9)
        for name in ("area", "subthreshold_leakage", "read_hit_energy", "write_hit_energy", "access_time"):
            assert (np.diff(getattr(found, name)) > 0).all(), name

    def test_technologies_without_sizes_take_the_course_of_22_nm(self):
        with pytest.raises(InputError, match=r"^L2 size in B = 1.04858e\+06: outside the tabulated sizes"):
            cache_energies("L2", size=2**20, technology=65e-9)
        found = cache_energies("L2", size=2**20, technology=65e-9, allowed=True)
        one, two = (cache_energies("L2", size=s, technology=22e-9) for s in (2**19, 2**20))
        base = cache_energies("L2", size=2**19, technology=65e-9)
        assert float(found.area / base.area) == pytest.approx(float(two.area / one.area), rel=1e-12)
        assert found.extrapolated
        assert found.reasons == ("outside the tabulated sizes",)

    def test_other_devices_at_other_sizes(self):
        with pytest.raises(InputError, match=r"other sizes are tabulated with HP transistors only"):
            cache_energies("L2", size=2**20, technology=22e-9, device="LSTP")
        found = cache_energies("L2", size=2**20, technology=22e-9, device=["HP", "LSTP"], allowed=True)
        np.testing.assert_array_equal(found.extrapolated, [False, True])

    def test_below_22_nm(self):
        base = cache_energies("L3", size=2**24, technology=22e-9)
        for node, time in ((14e-9, 0.4602), (7e-9, 0.3305), (5e-9, 0.3305)):
            found = cache_energies("L3", size=2**24, technology=node)
            assert float(found.area / base.area) == pytest.approx(float(scaling_factor("memory area", node)))
            assert float(found.access_time / base.access_time) == pytest.approx(time)
        offered = "22, 32, 45, 65, 90, or by factors 14, 10, 7, 5, 3"
        with pytest.raises(InputError, match=f"^technology in nm = 16; allowed: {offered}$"):
            cache_energies("L3", size=2**24, technology=16e-9)

    @pytest.mark.parametrize(
        ("given", "message"),
        [
            ({"size": 0, "technology": 22e-9}, "size in B = 0; allowed: a size above 0"),
            (
                {"size": 2**19, "technology": 45e-9, "device": "LSTP"},
                "device = 'LSTP'; allowed: HP, or LOP and LSTP at 22 nm",
            ),
            (
                {"size": 2**19, "technology": 22e-9, "device": "LOP"},
                "leakage at 22 nm of device = 'LOP'; allowed: HP or LSTP; McPAT's is invalid (dynamic_only=True)",
            ),
        ],
    )
    def test_refusals(self, given, message):
        with pytest.raises(InputError) as error:
            cache_energies("L2", **given)
        assert str(error.value) == message

    def test_levels(self):
        with pytest.raises(InputError, match=r"^level = 'L4'; allowed: L2, L3$"):
            cache_energies("L4", size=1, technology=22e-9)

    def test_arrays_equal_one_at_a_time(self):
        rng = np.random.default_rng(2)
        sizes = rng.uniform(2**18, 2**21, 60)
        nodes = rng.choice([22e-9, 45e-9, 90e-9, 7e-9], 60)
        warmth = rng.uniform(300, 400, 60)
        together = cache_energies("L2", size=sizes, technology=nodes, temperature=warmth)
        for row in range(60):
            alone = cache_energies("L2", size=sizes[row], technology=nodes[row], temperature=warmth[row])
            for field in dataclasses.fields(alone):
                if field.name != "reasons":
                    assert getattr(together, field.name)[row] == getattr(alone, field.name), field.name


class TestAccesses:
    def test_a_read_miss_is_charged_the_line_that_comes(self):
        cache = cache_energies("L2", size=2**19, technology=22e-9)
        for activity, picojoules in (
            (CacheActivity(1, 0, 0, 0), 128.923),
            (CacheActivity(0, 1, 0, 0), 3.433 + 149.016),
            (CacheActivity(0, 0, 1, 0), 149.016),
            (CacheActivity(0, 0, 0, 1), 460.84),
        ):
            assert float(access_energy(cache, activity)) == pytest.approx(picojoules * 1e-12, rel=1e-9)

    def test_published_split(self):
        found = cache_activity(0.2, 0.1, 0.06, 0.03)
        np.testing.assert_allclose(found, (0.02, 0.02, 0.01, 0.01))

    def test_write_allocate(self):
        found = cache_activity(0.2, 0.1, 0.06, 0.03, policy="write-allocate")
        np.testing.assert_allclose(found, (0.03, 0.03, 0.02, 0.0))
        found = cache_activity(0.2, 0.1, 0.06, 0.03, policy="write-allocate", dirty=0.5)
        assert found.write_hits == pytest.approx(0.03)

    def test_memory(self):
        np.testing.assert_allclose(memory_activity(0.2, 0.1, 0.03), (0.02, 0.01))
        np.testing.assert_allclose(memory_activity(0.2, 0.1, 0.03, policy="write-allocate"), (0.03, 0.01))
        with pytest.raises(InputError, match=r"^policy: policy is 'none'; allowed: published, write-allocate$"):
            memory_activity(0.2, 0.1, 0.03, policy="none")
        with pytest.raises(InputError, match=r"^policy: policy is 'none'"):
            cache_activity(0.2, 0.1, 0.03, 0.01, policy="none")

    def test_power(self):
        cache = cache_energies("L3", size=2**24, technology=22e-9)
        power = cache_power(cache, access_energy=1e-10, instructions_per_second=1e10, slices=4, voltage_ratio=0.9)
        assert float(power.dynamic) == pytest.approx(0.81)
        assert float(power.static) == pytest.approx(4 * (2.03117 * 0.9**3 + 0.00462197 * 0.9), rel=1e-9)
        bounds = cache_power(
            cache, access_energy=1e-10, instructions_per_second=Range(np.array([1e9]), np.array([2e10]))
        )
        assert bounds.dynamic.low <= 1.0 <= bounds.dynamic.high


class TestUncore:
    def test_energy_per_bit_grows_with_the_flit(self):
        found = router_energies(ports=5, flit=np.array([8.0, 16, 32, 64]), technology=22e-9)
        per_bit = found.event_energy / np.array([64, 128, 256, 512]) * 1e12
        np.testing.assert_allclose(per_bit, [0.21, 0.40, 0.77, 1.31], atol=0.006)

    def test_high_performance_controllers_cost_the_same_at_any_rate(self):
        found = controller_energies(peak_bandwidth=np.array([12.8e9, 20e9, 38.4e9]), technology=22e-9)
        np.testing.assert_allclose(found.event_energy / 512 * 1e12, 3.866, atol=1e-3)

    def test_low_power_controllers_have_one_rate(self):
        with pytest.raises(InputError) as error:
            controller_energies(peak_bandwidth=25.6e9, technology=22e-9, design="low-power", allowed=True)
        assert str(error.value) == "peak_bandwidth in B/s of a low-power controller = 2.56e+10; allowed: 12.8e9"
        assert (CONTROLLERS["peak_bandwidth"][CONTROLLERS["design"] == "low-power"] == 12.8e9).all()

    @pytest.mark.parametrize(
        ("function", "given", "message"),
        [
            (router_energies, {"ports": 6, "flit": 16}, "ports = 6: not tabulated; allowed: 5 or 8"),
            (router_energies, {"ports": 5, "flit": 4}, "flit in B = 4: outside the tabulated flits; allowed: 8 to 64"),
            (router_energies, {"ports": 0, "flit": 8}, "ports = 0; allowed: 5 or 8, with flits of 8 to 64 B"),
            (
                controller_energies,
                {"peak_bandwidth": 60e9},
                "peak_bandwidth in B/s = 6e+10: outside the tabulated bandwidths; allowed: 12.8e9 to 38.4e9",
            ),
            (controller_energies, {"peak_bandwidth": 0}, "peak_bandwidth in B/s = 0; allowed: a bandwidth above 0"),
            (
                controller_energies,
                {"peak_bandwidth": 1e10, "design": "fast"},
                "design = 'fast'; allowed: high-performance, low-power",
            ),
        ],
    )
    def test_refusals(self, function, given, message):
        with pytest.raises(InputError) as error:
            function(technology=22e-9, **given)
        assert str(error.value).removesuffix(" (or allowed=True, which marks the result)") == message

    def test_between_ports_is_marked(self):
        found = router_energies(ports=[5, 6, 8], flit=16, technology=[22e-9, 22e-9, 7e-9], allowed=True)
        np.testing.assert_array_equal(found.extrapolated, [False, True, False])
        assert found.event_energy[0] < found.event_energy[1]

    def test_power(self):
        part = controller_energies(peak_bandwidth=12.8e9, technology=22e-9)
        power = uncore_power(part, events_per_second=1e8, count=2)
        assert float(power.dynamic) == pytest.approx(1e8 * 1979.32e-12 + 2 * 0.0384, rel=1e-9)
        assert float(power.static) == pytest.approx(2 * (0.017516 + 0.000172519), rel=1e-9)
