"""Single designs by hand: numbers read straight from the files of the tables, joined in plain arithmetic."""

from math import ceil, pi, sqrt

import pytest

from .nodes import NODE, evaluated, row

PICO, MILLI2 = 1e-12, 1e-6  # pJ to J, mm^2 to m^2


def by_hand(told, *, core, l2, l3, slices, supply=1.0, node=NODE):
    """Return parts of the node from rows of the tables, at a supply over the nominal one, 22 nm and 360 K.

    `told` gives what the processor model says of the program: cycles, accesses, mispredictions.
    """
    cores, threads, clock = node["cores"], node["threads"], node["frequency"]
    n, cpi, time = told["instructions"], told["cycles_per_instruction"], told["run_time"]
    memory, stores = told["memory_fraction"], told["store_share"]
    load, store = memory * (1 - stores), memory * stores
    fp, branch = told["float_fraction"], told["control_fraction"]
    multiply = told["integer_multiply_fraction"] + told["integer_divide_fraction"]
    integer = 1 - memory - fp - branch - multiply
    events = row("power/core-events.csv", core["name"])
    mix = (
        integer * core["integer_energy"]
        + multiply * core["multiply_energy"]
        + fp * core["float_energy"]
        + load * core["load_energy"]
        + store * core["store_energy"]
        + branch * core["branch_energy"]
    )
    missed = branch * told["misprediction_rate"]
    wrong = node["dispatch_width"] * node["front_end_stages"]
    misses = 1 - told["l1_hit_fraction"]
    instruction = mix * (1 + missed * wrong) + missed * core["mispredict_energy"]
    instruction += load * misses * events["l1d_write"] + store * misses * core["write_miss_energy"]
    instruction += max(told["access_bytes"] / 16 - 1, 0) * (load * events["l1d_read"] + store * events["l1d_write"])
    instruction += (told["float_operations"] - fp) * told["float_lane_energy"] / PICO
    rate = threads * clock / cpi
    powers = {
        "cores": cores * (core["subthreshold_leakage"] * supply**3 + core["gate_leakage"] * supply)
        + supply**2 * threads * core["constant_power"]
        + supply**2 * rate * PICO * (instruction + core["pipeline_energy"] / node["dispatch_width"])
    }

    def cache(values, reaching, leaving):
        hits = (reaching - leaving) * ((1 - stores) * values["read_hit_energy"] + stores * values["write_hit_energy"])
        filled = (1 - stores) * (values["read_miss_energy"] + values["write_hit_energy"])
        return PICO * (hits + leaving * (filled + stores * values["write_miss_energy"]))

    powers["l2"] = cores * (l2["subthreshold_leakage"] * supply**3 + l2["gate_leakage"] * supply)
    powers["l2"] += supply**2 * rate * cache(l2, told["l2_accesses"], told["l3_accesses"])
    powers["l3"] = slices * (l3["subthreshold_leakage"] + l3["gate_leakage"])
    powers["l3"] += rate * cache(l3, told["l3_accesses"], told["dram_accesses"])

    router = row("power/routers.csv", "5 ports of 256 bits, 22 nm")
    passed, flits = 1 + 2 / 3 * sqrt(cores), 1 + 64 / 32
    accesses = told["l3_accesses"] + told["dram_accesses"]
    powers["on_chip_network"] = cores * (router["subthreshold_leakage"] + router["gate_leakage"])
    powers["on_chip_network"] += rate * accesses * passed * flits * router["flit_energy"] * PICO

    controller = row("power/memory-controllers.csv", "high-performance 25.6 GB/s, 22 nm")
    count = ceil(node["dram_units"] * node["dram_unit_bandwidth"] / 25.6e9)
    rest = controller["subthreshold_leakage"] + controller["gate_leakage"] + controller["constant_power"]
    powers["memory_interface"] = count * rest + rate * told["dram_accesses"] * controller["access_energy"] * PICO

    dram = row("processor/dram-types.csv", "DDR4-3200")
    gigabytes = node["dram_units"] * dram["dram_unit_capacity"]
    bits = 8 * 64 * rate * told["dram_accesses"]
    read = dram["dram_read_energy"] + dram["dram_read_io_energy"]
    write = dram["dram_write_energy"] + dram["dram_write_io_energy"]
    powers["dram"] = gigabytes * (dram["dram_active_power"] + dram["dram_refresh_power"])
    powers["dram"] += rate * told["dram_accesses"] * dram["dram_activate_energy"] * 1e-9
    powers["dram"] += bits * PICO * ((1 - stores) * read + stores * write)

    area = cores * (core["area"] + l2["area"] + router["area"]) + slices * l3["area"] + count * controller["area"]
    return {name: (power, power * time) for name, power in powers.items()}, area * MILLI2 / 0.8, n


def check(told, powers, area, instructions):
    for name, (power, energy) in powers.items():
        assert told[f"{name}_power"] == pytest.approx(power, rel=1e-9), name
        assert told[f"{name}_energy"] == pytest.approx(energy, rel=1e-9), name
    assert told["node_power"] == pytest.approx(sum(power for power, _ in powers.values()), rel=1e-9)
    assert told["energy"] == pytest.approx(sum(energy for _, energy in powers.values()), rel=1e-9)
    assert told["chip_area"] == pytest.approx(area, rel=1e-9)
    assert told["run_time"] == pytest.approx(instructions * told["cycles_per_instruction"] / told["frequency"])


@pytest.mark.parametrize("profile", ["graph500-seq-csr", "graph500-seq-list", "synthetic-stream"])
@pytest.mark.parametrize(("l2", "l3"), [(256, 4), (512, 16), (2048, 64)])
@pytest.mark.parametrize("width", [2, 4, 6, 8])
def test_at_the_nominal_supply(width, l2, l3, profile):
    """Four cores, each slice of level 3 a quarter of it, every size a row of the tables."""
    sizes = {4: "1 MiB", 16: "4 MiB", 64: "16 MiB"}
    changes = {"dispatch_width": width, "reorder_buffer": 32 * width, "l2_size": l2 * 1024.0, "l3_size": l3 * 2.0**20}
    told = evaluated(profile=profile, **changes)
    assert told["voltage"] == 0.8
    label = {256: "256 KiB", 512: "512 KiB", 2048: "2 MiB"}[l2]
    found = by_hand(
        told,
        core=row("power/cores.csv", f"out-of-order {width}-wide, 22 nm HP"),
        l2=row("power/caches.csv", f"L2 {label}, 22 nm HP"),
        l3=row("power/caches.csv", f"L3 {sizes[l3]}, 22 nm HP"),
        slices=4,
        node=NODE | changes,
    )
    check(told, *found)


@pytest.mark.parametrize("volts", [0.6, 0.7, 0.9, 1.0])
def test_at_another_supply(volts):
    """Dynamic energy with V², leakage with V³ and V; level 3 and all beyond stay at the nominal supply."""
    told = evaluated({"supply": "operating-points"}, supply_voltage=volts, nominal_frequency=None)
    found = by_hand(
        told,
        core=row("power/cores.csv", "out-of-order 4-wide, 22 nm HP"),
        l2=row("power/caches.csv", "L2 256 KiB, 22 nm HP"),
        l3=row("power/caches.csv", "L3 4 MiB, 22 nm HP"),
        slices=4,
        supply=volts / 0.8,
    )
    check(told, *found)


def test_idle_cores_only_leak():
    """One thread on four cores: the leakage of four, the work and the constant power of one."""
    told = evaluated(threads=1)
    found = by_hand(
        told,
        core=row("power/cores.csv", "out-of-order 4-wide, 22 nm HP"),
        l2=row("power/caches.csv", "L2 256 KiB, 22 nm HP"),
        l3=row("power/caches.csv", "L3 4 MiB, 22 nm HP"),
        slices=4,
        node=NODE | {"threads": 1},
    )
    check(told, *found)


def test_in_order_core():
    """A 2-wide in-order core has no windows to charge, and no constant power."""
    changes = {"dispatch_width": 2, "issue_width": 2, "front_end_stages": 5, "reorder_buffer": None}
    told = evaluated({"core_order": "in-order"}, **changes)
    found = by_hand(
        told,
        core=row("power/cores.csv", "in-order 2-wide, 22 nm HP"),
        l2=row("power/caches.csv", "L2 256 KiB, 22 nm HP"),
        l3=row("power/caches.csv", "L3 4 MiB, 22 nm HP"),
        slices=4,
        node=NODE | changes,
    )
    check(told, *found)
    assert told["core_constant_power"] == 0


def test_vector_lanes():
    """Two units of 256 bits are six lanes more, each an FPU and an ALU of the tables; every lane takes energy."""
    scalar = evaluated(profile="synthetic-dense")
    told = evaluated(profile="synthetic-dense", vector_units=2, vector_width=256)
    assert told["further_lanes"] == 6
    events = row("power/core-events.csv", "out-of-order 4-wide, 22 nm HP")
    names = ("fpu", "float_register_read", "float_register_read", "float_register_write", "fpu_result_bus")
    assert told["float_lane_energy"] == pytest.approx(sum(events[name] for name in names) * PICO, rel=1e-12)
    assert told["float_operations"] > 2 * told["float_fraction"]
    assert told["core_area"] > 1.2 * scalar["core_area"]
    assert told["core_leakage"] > scalar["core_leakage"]
    assert told["dynamic_energy"] < scalar["dynamic_energy"]  # fewer instructions


def test_latencies():
    """512 KiB and 4 MiB beside the known 256 KiB and 16 MiB: the differences of access times in the file."""
    told = evaluated(l2_size=512 * 1024.0, l3_size=4 * 2.0**20, catalogue_l3_size=16 * 2.0**20)
    longer = (0.6511 - 0.5468) * 1e-9
    assert told["l2_latency_cycles"] == pytest.approx(12 + longer * 2.6e9, rel=1e-9)
    assert told["l3_latency"] == pytest.approx(36 / 2.6e9 + longer - (1.3844 - 0.9281) * 1e-9, rel=1e-9)


def test_latencies_of_the_known_machine():
    told = evaluated(l2_size=262144.0, l3_size=36700160.0)
    assert told["l2_latency_cycles"] == 12
    assert told["l3_latency_cycles"] == pytest.approx(36, rel=1e-12)


def test_level_2_is_as_fast_as_its_core():
    """Where the supply follows the clock, the difference is the same number of cycles at any clock."""
    cycles = [evaluated(l2_size=2.0**20, frequency=clock)["l2_latency_cycles"] for clock in (2.3e9, 2.5e9, 2.8e9)]
    assert cycles == pytest.approx([12 + (0.7619 - 0.5468) * 2.6] * 3, rel=1e-9)


def test_cost():
    """Chips of a 300 mm wafer and the yield of clustered defects, by hand."""
    told = evaluated()
    area = told["chip_area"]
    chips = pi * 0.15**2 / area - pi * 0.3 / sqrt(2 * area)
    good = (1 + area * 1000 / 2) ** -2
    assert (told["chips_per_wafer"], told["chip_yield"]) == pytest.approx((chips, good))
    assert told["chip_cost"] == pytest.approx(1 / (chips * good))
