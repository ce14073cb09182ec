"""From a profile and a part of the catalogues to watts, through the processor models."""

from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from dse.authoring.table import read_table
from dse.models.power import (
    access_energy,
    cache_activity,
    cache_energies,
    cache_power,
    core_activity,
    core_energies,
    core_power,
    dram_device,
    instruction_energy,
    mesap_power,
    operating_points,
    processor_power,
)

predict = pytest.importorskip("dse.models.processor").predict
read_profile = pytest.importorskip("dse.models.workload.profile.reading").read_profile

SPACES = Path(str(files("dse.spaces")))


@pytest.fixture(scope="module")
def profile():
    return read_profile(SPACES / "profiles" / "graph500-seq-csr.json")


def machine(name, table="processors"):
    row = read_table(SPACES / "processor" / f"{table}.csv").where(name=name)
    return {column: values[0] for column, values in row.columns.items()}


@pytest.mark.parametrize(
    ("name", "threads", "static", "total"),
    [("Xeon E5-2690", 1, 3.921859, 4.381639), ("Xeon E5-2697 v3", 14, 4.465694, 5.471433)],
)
def test_memory_power_of_the_published_tool(profile, name, threads, static, total):
    one = machine(name, "processors-reference")
    found = predict(profile, one, threads=threads, mode="reference")
    moved = [64 * threads * lines for lines in (found.dram_reads, found.dram_writes)]
    power = mesap_power(
        dram_device(one["dram_type"]),
        bytes_read=moved[0],
        bytes_written=moved[1],
        duration=found.seconds,
        ranks=one["dram_dimms"] * one["dram_ranks"],
    )
    assert float(power.static) == pytest.approx(static, abs=1e-6)
    assert float(power.total) == pytest.approx(total, abs=1e-6)


def test_a_clock_sweep_of_a_processor(profile):
    """Dynamic power rises faster than the clock where the voltage rises with it."""
    one = machine("Xeon E5-2697 v3")
    clocks = np.linspace(1.2e9, 2.6e9, 15)
    point = operating_points(clocks, 2.6e9, 22e-9)
    latency = {"latency_clock_hz": one["f_core_hz"]}
    found = predict(profile, {**one, **latency, "f_core_hz": clocks}, threads=14)
    rates, accesses = found.rates, found.accesses
    load = rates.memory_fraction * (1 - rates.store_share)
    store = rates.memory_fraction * rates.store_share
    shares = {
        "integer": rates.integer_fraction,
        "address": rates.address_fraction,
        "floating_point": rates.float_fraction,
        "control": rates.control_fraction,
    }
    activity = core_activity(
        load=load,
        store=store,
        **shares,
        other=1 - load - store - sum(shares.values()),
        misses_per_control=rates.branch_miss_estimate,
        hit_fraction=found.hits["l1"],
    )
    core = core_energies(technology=22e-9, width=one["dispatch_width"], temperature=one["temperature_K"])
    cores = core_power(
        core,
        instruction_energy=instruction_energy(core, activity),
        frequency=clocks,
        cycles_per_instruction=found.cpi,
        voltage_ratio=point.voltage_ratio,
    )
    caches = {}
    for level, size, below in (("L2", one["l2_size_bytes"], "l3"), ("L3", one["l3_size_bytes"], "dram")):
        cache = cache_energies(level, size=size, technology=22e-9, temperature=one["temperature_K"])
        per_instruction = access_energy(cache, cache_activity(load, store, accesses[level.lower()], accesses[below]))
        users = 1 if level == "L2" else 14
        caches[level] = cache_power(
            cache, access_energy=per_instruction, instructions_per_second=users * clocks / found.cpi
        )
    power = processor_power(cores + caches["L2"], 14, cache=caches["L3"])
    assert (power.total > 5).all()
    assert (power.total < 145).all()  # rated power
    assert (np.diff(power.total) > 0).all()
    rising = ~point.at_lowest
    per_clock = (power.dynamic / clocks)[rising]
    assert per_clock[-1] > per_clock[0]
    assert not point.extrapolated.any()
