"""The quantities of synthetic.py in plain Python, one design after the other, with math.* instead of NumPy."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import islice, product

from dse.evaluation.problem import Problem

WORK, TRAFFIC, HALO, STEPS = 1e21, 4e19, 6e12, 1e4


def designs(problem: Problem, count: int) -> Iterator[tuple[float, ...]]:
    """Yield the axis values of the first designs, in order of their numbers."""
    (one,) = problem.space.products
    values = [axis.columns[axis.name].tolist() for axis in one.axes]
    return islice(product(*values), count)


def evaluate(
    nodes: float,
    radix: float,
    link_bandwidth: float,
    taper: float,
    interfaces: float,
    direct_share: float,
    cores: float,
    frequency: float,
    vector_width: float,
    cache: float,
    channels: float,
    memory_kind: float,
) -> tuple[float, ...]:
    """Return all quantities of one design, in the order of `native.QUANTITIES`."""
    voltage = 0.6 + 0.125e-9 * (frequency - 1e9)
    peak_rate = cores * frequency * vector_width * 2.0
    vector_efficiency = 1.0 / (1.0 + 0.06 * math.sqrt(vector_width))
    sustained_rate = peak_rate * vector_efficiency
    miss_factor = math.pow(cache / 1e6, -0.4)
    channel_bandwidth = 20e9 + 15e9 * memory_kind
    channel_power = 3.0 + 2.0 * memory_kind
    channel_cost = 80.0 * math.exp2(0.8 * memory_kind)
    memory_bandwidth = channels * channel_bandwidth
    arithmetic_time = WORK / sustained_rate
    memory_time = TRAFFIC * miss_factor / memory_bandwidth
    one_node_time = max(arithmetic_time, memory_time) + 0.3 * min(arithmetic_time, memory_time)
    dynamic_power = 0.9e-9 * cores * (0.5 + 0.0625 * vector_width) * frequency * voltage * voltage
    cache_power = 0.15 * cores * cache / 1e6
    leakage_power = 0.4 * cores * voltage + cache_power
    memory_power = channels * channel_power
    node_static_power = 60.0 + leakage_power + memory_power
    one_node_dynamic_energy = dynamic_power * arithmetic_time
    processor_area = cores * (1.0 + 0.1 * vector_width) + 0.8 * cores * cache / 1e6
    processor_cost = 200.0 + 6.0 * processor_area * math.sqrt(1.0 + processor_area / 60.0)
    node_cost = 500.0 + processor_cost + channels * channel_cost
    half = radix / 2.0
    tree_levels = 1.0 + (nodes > half) + (nodes > half * half) + (nodes > half * half * half)
    mean_hops = (2.0 * tree_levels - 1.0) * (1.0 - 0.4 * direct_share)
    switches = float(math.ceil(nodes * interfaces * (2.0 * tree_levels - 1.0) / (radix * math.sqrt(taper))))
    injection_bandwidth = link_bandwidth * interfaces
    effective_bandwidth = injection_bandwidth / (1.0 + 0.1 * (taper - 1.0) * mean_hops)
    message_latency = 0.9e-6 + 0.15e-6 * mean_hops
    node_volume = HALO / math.cbrt(nodes * nodes)
    transfer_time = node_volume / effective_bandwidth
    latency_time = STEPS * message_latency
    communication_time = transfer_time + latency_time
    switch_power = 20.0 + radix * (0.4 + 0.06e-9 * link_bandwidth)
    network_power = switches * switch_power + 12.0 * nodes * interfaces
    network_cost = switches * radix * (40.0 + 8e-9 * link_bandwidth) * (1.0 + direct_share) + 300.0 * nodes * interfaces
    compute_time = one_node_time / nodes
    time = max(compute_time, communication_time) + 0.2 * min(compute_time, communication_time)
    energy = (node_static_power * nodes + network_power) * time + one_node_dynamic_energy
    cost = node_cost * nodes + network_cost
    return (
        voltage,
        peak_rate,
        vector_efficiency,
        sustained_rate,
        miss_factor,
        channel_bandwidth,
        channel_power,
        channel_cost,
        memory_bandwidth,
        arithmetic_time,
        memory_time,
        one_node_time,
        dynamic_power,
        cache_power,
        leakage_power,
        memory_power,
        node_static_power,
        one_node_dynamic_energy,
        processor_area,
        processor_cost,
        node_cost,
        tree_levels,
        mean_hops,
        switches,
        injection_bandwidth,
        effective_bandwidth,
        message_latency,
        node_volume,
        transfer_time,
        latency_time,
        communication_time,
        switch_power,
        network_power,
        network_cost,
        compute_time,
        time,
        energy,
        cost,
    )


def walk(problem: Problem, count: int) -> None:
    """Evaluate the first designs and forget the values."""
    for values in designs(problem, count):
        evaluate(*values)
