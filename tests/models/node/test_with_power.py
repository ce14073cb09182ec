"""The quantities of a study give what the functions of `dse.models.power` give, for any design."""

import numpy as np
import pytest
from example_counts import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from dse.models.power import (
    DramDevice,
    DramType,
    access_energy,
    busy_share,
    cache_activity,
    cache_energies,
    cache_power,
    controller_energies,
    core_activity,
    core_energies,
    core_power,
    die_cost,
    die_yield,
    dies_per_wafer,
    instruction_energy,
    mesap_power,
    operating_points,
    processor_power,
    router_energies,
    type_power,
    uncore_power,
)
from dse.models.power import chip_area as area_of

from .nodes import CORE, DDR4, DDR4_2400, KIB, MIB, NODE, evaluated


@st.composite
def nodes(draw):
    pick = lambda *values: draw(st.sampled_from(values))  # noqa: E731
    cores = pick(1, 4, 14)
    width = pick(2, 4, 6, 8)
    return {
        "technology": pick(22e-9, 45e-9, 7e-9),
        "temperature": draw(st.floats(300, 400)),
        "frequency": draw(st.floats(1e9, 2.7e9)),
        "cores": cores,
        "threads": pick(1, cores),
        "dispatch_width": width,
        "issue_width": width,
        "reorder_buffer": 32 * width,
        "vector_units": 2,
        "vector_width": pick(0, 128, 256),
        "l1_size": pick(16, 32, 64) * KIB,
        "l2_size": pick(0, 256, 300, 1024) * KIB,
        "l3_size": pick(0, 14, 16, 40) * MIB,
        "dram_units": pick(1, 3),
    }


def parts(told, node):
    """Return the power of the chip's parts by the functions of the power models."""
    warm = {"technology": node["technology"], "temperature": node["temperature"], "allowed": True}
    clock, cpi, threads = node["frequency"], told["cycles_per_instruction"], node["threads"]
    load, store = 1 - told["store_share"], told["store_share"]
    memory = told["memory_fraction"]
    shares = {
        "integer": told["integer_fraction"],
        "address": told["address_fraction"],
        "floating_point": told["float_fraction"],
        "control": told["control_fraction"],
    }
    wider = max(told["access_bytes"] / 16 - 1, 0)
    lanes = node["vector_units"] * max(node["vector_width"] / 64 - 1, 0)
    core = core_energies(
        width=node["dispatch_width"],
        l1_size=node["l1_size"],
        extra_float_units=lanes,
        extra_integer_units=lanes,
        **warm,
    )
    activity = core_activity(
        load=memory * load,
        store=memory * store,
        **shares,
        multiply=told["integer_multiply_fraction"] + told["integer_divide_fraction"],
        other=max(1 - memory - sum(shares.values()), 0),
        misses_per_control=told["misprediction_rate"],
        wrong_path_per_miss=node["dispatch_width"] * node["front_end_stages"],
        hit_fraction=told["l1_hit_fraction"],
        extra_reads=memory * load * wider,
        extra_writes=memory * store * wider,
        float_lanes=told["float_operations"] - told["float_fraction"],
    )
    point = operating_points(clock, node["nominal_frequency"], node["technology"], allowed=True)
    supply = point.voltage_ratio
    one = core_power(
        core,
        instruction_energy=instruction_energy(core, activity),
        frequency=clock,
        cycles_per_instruction=cpi,
        voltage_ratio=supply,
    )
    found = {"cores": processor_power(one, node["cores"], working=threads)}
    rate = threads * clock / cpi
    for level, size, count, reaching, leaving, volts in (
        ("L2", node["l2_size"], node["cores"], "l2_accesses", "l3_accesses", supply),
        ("L3", node["l3_size"] / node["cores"], node["cores"], "l3_accesses", "dram_accesses", 1.0),
    ):
        if size:
            cache = cache_energies(level, size=size, **warm)
            per = access_energy(cache, cache_activity(load, store, told[reaching], told[leaving]))
            found[level.lower()] = cache_power(
                cache, access_energy=per, instructions_per_second=rate, slices=count, voltage_ratio=volts
            )
    router = router_energies(ports=5, flit=32, **warm)
    controller = controller_energies(peak_bandwidth=25.6e9, **warm)
    accesses = (told["l3_accesses"] if node["l3_size"] else 0) + told["dram_accesses"]
    flits = rate * accesses * 3 * (1 + 2 / 3 * np.sqrt(node["cores"]))
    found["on_chip_network"] = uncore_power(router, events_per_second=flits, count=node["cores"])
    found["memory_interface"] = uncore_power(
        controller, events_per_second=rate * told["dram_accesses"], count=node["dram_units"]
    )
    kind = DramType(
        row=8192.0, down_power=0.0, **{name[5:]: value for name, value in DDR4.items() if name != "dram_units"}
    )
    traffic = told["dram_traffic"]
    found["dram"] = type_power(
        kind, read_bandwidth=load * traffic, write_bandwidth=store * traffic, capacity=node["dram_units"] * 8e9
    )
    assert told["voltage"] == pytest.approx(float(point.voltage), rel=1e-12)
    return found


@pytest.mark.slow
@settings(max_examples=examples(40))
@given(changes=nodes(), profile=st.sampled_from(["graph500-seq-csr", "graph500-seq-list", "synthetic-dense"]))
def test_each_part(changes, profile):
    node = {**NODE, **changes}
    told = evaluated(profile=profile, **changes)
    found = parts(told, node)
    for name in ("cores", "l2", "l3", "on_chip_network", "memory_interface", "dram"):
        power = found.get(name)
        static, total = (0.0, 0.0) if power is None else (float(power.static), float(power.total))
        assert told[f"{name}_power"] == pytest.approx(total, rel=1e-9), name
        if name != "cores":
            assert told[f"{name}_static_power"] == pytest.approx(static, rel=1e-9), name
    assert told["cores_static_power"] == pytest.approx(float(found["cores"].static), rel=1e-9)
    everything = sum(float(power.total) for power in found.values())
    assert told["node_power"] == pytest.approx(everything, rel=1e-9)
    assert told["processor_power"] == pytest.approx(everything - float(found["dram"].total), rel=1e-9)


@given(
    share=st.floats(0, 0.5), defects=st.floats(0, 5000), clustering=st.floats(1, 10), cores=st.sampled_from([1, 4, 30])
)
@settings(max_examples=examples(20))
def test_area_and_cost(share, defects, clustering, cores):
    """Area of the parts that one unit of each has, and the cost of it."""
    given_ = {"unlisted_area_share": share, "defect_clustering": clustering, "wafer_cost": 3.0}
    told = evaluated(cores=cores, threads=1, **given_, defect_density=f"{defects!r} 1/m^2")
    warm = {"technology": 22e-9}
    listed = [
        (core_energies(width=4, **warm).area, cores),
        (cache_energies("L2", size=262144, **warm).area, cores),
        (cache_energies("L3", size=2.0**24 / cores, **warm, allowed=True).area, cores),
        (router_energies(ports=5, flit=32, **warm).area, cores),
        (controller_energies(peak_bandwidth=25.6e9, **warm).area, 2),
    ]
    area = float(area_of(listed, unlisted_share=share))
    assert told["chip_area"] == pytest.approx(area, rel=1e-9)
    cost = die_cost(3.0, dies_per_wafer(area), die_yield(area, defects, clustering=clustering))
    assert told["chip_cost"] == pytest.approx(float(cost), rel=1e-9)


@pytest.mark.parametrize("profile", ["graph500-seq-csr", "graph500-seq-list", "synthetic-pointer-chase"])
@pytest.mark.parametrize("buffers", [0.0, 6.0])
def test_devices_by_their_data_sheet(profile, buffers):
    """The MeSAP equations over the whole run, refreshes as a mean."""
    node = CORE | DDR4_2400
    also = ("dram_power", "dram_bandwidth", "dram_capacity", "dram_busy_share", "time_per_program", "dram_traffic")
    told = evaluated({"memory": "devices"}, node=node, profile=profile, also=also, dram_buffer_power=f"{buffers} W")
    fields = DramDevice.__dataclass_fields__
    device = DramDevice(**{name[5:]: value for name, value in DDR4_2400.items() if name[5:] in fields})
    demand = {
        "bytes_read": told["dram_read_bytes"],
        "bytes_written": told["dram_written_bytes"],
        "duration": told["run_time"],
        "ranks": 8,
        "refreshes": "mean",
    }
    power = mesap_power(device, **demand, buffer_power=buffers)
    assert told["dram_power"] == pytest.approx(float(power.total), rel=1e-9)
    assert told["dram_static_power"] == pytest.approx(float(power.static), rel=1e-9)
    assert told["dram_busy_share"] == pytest.approx(float(busy_share(device, **demand)), rel=1e-9)
    assert told["dram_bandwidth"] == 4 * 2 * 1.2e9 * 8
    assert told["dram_capacity"] == 2**35
    moved = told["dram_read_bytes"] + told["dram_written_bytes"]
    assert moved == pytest.approx(told["dram_traffic"] * told["run_time"], rel=1e-12)


def test_stacks_take_less_per_bit():
    """0.75 pJ/bit and a tenth of the peak's at any load; area and leakage of controllers of that bandwidth."""
    modules, stacks = evaluated(), evaluated({"memory_interface": "stacks"})
    assert modules["chip_area"] == stacks["chip_area"]
    assert modules["memory_interface_static_power"] == stacks["memory_interface_static_power"]
    line = 64 * 8 * 0.75e-12
    lines = stacks["instructions"] * 4 * stacks["dram_accesses"]
    wanted = lines * line + 0.1 * 51.2e9 * 8 * 0.75e-12 * stacks["run_time"]
    assert stacks["memory_interface_dynamic_energy"] == pytest.approx(wanted, rel=1e-12)
    assert stacks["memory_interface_dynamic_energy"] < 0.25 * modules["memory_interface_dynamic_energy"]


def test_components_that_leave_something_out():
    """No on-chip network, no wrong path, four slices of level 3 beside eight cores."""
    full = evaluated(cores=8)
    told = evaluated({"on_chip_network": "none"}, cores=8)
    assert told["on_chip_network_power"] == told["on_chip_network_energy"] == 0
    assert told["energy"] == pytest.approx(full["energy"] - full["on_chip_network_energy"], rel=1e-12)
    told = evaluated({"wrong_path": "none"}, cores=8)
    assert told["wrong_path_instructions"] == 0
    assert told["instruction_energy"] < full["instruction_energy"]
    told = evaluated({"l3_slicing": "given"}, cores=8, given_l3_slices=4)
    assert told["l3_slice_size"] == 4 * MIB
    assert told["l3_area"] == pytest.approx(9.77179e-6)
