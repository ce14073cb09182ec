"""A SYNTHETIC system for timing the engine: 12 axes, 38 quantities, node part × network part, joined by 11 operations.

No number in it describes a real machine; the shapes of the formulas (rooflines, fat trees, surface-to-volume traffic)
are those of the real models, so that the work per design is.
"""

from __future__ import annotations

import numpy as np

from dse.authoring.declare.declaration import ModelFunction, assumption, quantities, quantity
from dse.authoring.library.library import model_of
from dse.evaluation.problem import Constraint, Objective, Problem, System
from dse.graph.expression import parse
from dse.graph.graph import Input
from dse.graph.resolve import resolve
from dse.space.axes import values_axis
from dse.space.design_space import Product, Space

SYNTHETIC = "synthetic: made up for the benchmark"

work = assumption(1e21, unit="1", source=SYNTHETIC, doc="Operations of the whole job")
traffic = assumption(4e19, unit="B", source=SYNTHETIC, doc="Memory traffic of the whole job")
halo = assumption(6e12, unit="B", source=SYNTHETIC, doc="Bytes exchanged per node if the job ran on one node")
steps = assumption(1e4, unit="1", source=SYNTHETIC, doc="Exchanges of the job")


@quantity(unit="V", source=SYNTHETIC)
def voltage(frequency):
    return 0.6 + 0.125e-9 * (frequency - 1e9)


@quantity(unit="1/s", source=SYNTHETIC)
def peak_rate(cores, frequency, vector_width):
    return cores * frequency * vector_width * 2.0


@quantity(unit="1", source=SYNTHETIC)
def vector_efficiency(vector_width):
    return 1.0 / (1.0 + 0.06 * np.sqrt(vector_width))


@quantity(unit="1/s", source=SYNTHETIC)
def sustained_rate(peak_rate, vector_efficiency):
    return peak_rate * vector_efficiency


@quantity(unit="1", source=SYNTHETIC)
def miss_factor(cache):
    return np.power(cache / 1e6, -0.4)


@quantities(gives={"channel_bandwidth": "B/s", "channel_power": "W", "channel_cost": "1"}, source=SYNTHETIC)
def memory_kind_figures(memory_kind):
    return 20e9 + 15e9 * memory_kind, 3.0 + 2.0 * memory_kind, 80.0 * np.exp2(0.8 * memory_kind)


@quantity(unit="B/s", source=SYNTHETIC)
def memory_bandwidth(channels, channel_bandwidth):
    return channels * channel_bandwidth


@quantity(unit="s", source=SYNTHETIC)
def arithmetic_time(work, sustained_rate):
    return work / sustained_rate


@quantity(unit="s", source=SYNTHETIC)
def memory_time(traffic, miss_factor, memory_bandwidth):
    return traffic * miss_factor / memory_bandwidth


@quantity(unit="s", source=SYNTHETIC)
def one_node_time(arithmetic_time, memory_time):
    return np.maximum(arithmetic_time, memory_time) + 0.3 * np.minimum(arithmetic_time, memory_time)


@quantity(unit="W", source=SYNTHETIC)
def dynamic_power(cores, vector_width, frequency, voltage):
    return 0.9e-9 * cores * (0.5 + 0.0625 * vector_width) * frequency * voltage * voltage


@quantity(unit="W", source=SYNTHETIC)
def cache_power(cores, cache):
    return 0.15 * cores * cache / 1e6


@quantity(unit="W", source=SYNTHETIC)
def leakage_power(cores, voltage, cache_power):
    return 0.4 * cores * voltage + cache_power


@quantity(unit="W", source=SYNTHETIC)
def memory_power(channels, channel_power):
    return channels * channel_power


@quantity(unit="W", source=SYNTHETIC)
def node_static_power(leakage_power, memory_power):
    return 60.0 + leakage_power + memory_power


@quantity(unit="J", source=SYNTHETIC)
def one_node_dynamic_energy(dynamic_power, arithmetic_time):
    return dynamic_power * arithmetic_time


@quantity(unit="1", source=SYNTHETIC)
def processor_area(cores, vector_width, cache):
    return cores * (1.0 + 0.1 * vector_width) + 0.8 * cores * cache / 1e6


@quantity(unit="1", source=SYNTHETIC)
def processor_cost(processor_area):
    return 200.0 + 6.0 * processor_area * np.sqrt(1.0 + processor_area / 60.0)


@quantity(unit="1", source=SYNTHETIC)
def node_cost(processor_cost, channels, channel_cost):
    return 500.0 + processor_cost + channels * channel_cost


@quantity(unit="1", source=SYNTHETIC)
def tree_levels(nodes, radix):
    half = radix / 2.0
    return 1.0 + (nodes > half) + (nodes > half * half) + (nodes > half * half * half)


@quantity(unit="1", source=SYNTHETIC)
def mean_hops(tree_levels, direct_share):
    return (2.0 * tree_levels - 1.0) * (1.0 - 0.4 * direct_share)


@quantity(unit="1", source=SYNTHETIC)
def switches(nodes, radix, tree_levels, taper, interfaces):
    return np.ceil(nodes * interfaces * (2.0 * tree_levels - 1.0) / (radix * np.sqrt(taper)))


@quantity(unit="B/s", source=SYNTHETIC)
def injection_bandwidth(link_bandwidth, interfaces):
    return link_bandwidth * interfaces


@quantity(unit="B/s", source=SYNTHETIC)
def effective_bandwidth(injection_bandwidth, taper, mean_hops):
    return injection_bandwidth / (1.0 + 0.1 * (taper - 1.0) * mean_hops)


@quantity(unit="s", source=SYNTHETIC)
def message_latency(mean_hops):
    return 0.9e-6 + 0.15e-6 * mean_hops


@quantity(unit="B", source=SYNTHETIC)
def node_volume(halo, nodes):
    return halo / np.cbrt(nodes * nodes)


@quantity(unit="s", source=SYNTHETIC)
def transfer_time(node_volume, effective_bandwidth):
    return node_volume / effective_bandwidth


@quantity(unit="s", source=SYNTHETIC)
def latency_time(steps, message_latency):
    return steps * message_latency


@quantity(unit="s", source=SYNTHETIC)
def communication_time(transfer_time, latency_time):
    return transfer_time + latency_time


@quantity(unit="W", source=SYNTHETIC)
def switch_power(radix, link_bandwidth):
    return 20.0 + radix * (0.4 + 0.06e-9 * link_bandwidth)


@quantity(unit="W", source=SYNTHETIC)
def network_power(switches, switch_power, nodes, interfaces):
    return switches * switch_power + 12.0 * nodes * interfaces


@quantity(unit="1", source=SYNTHETIC)
def network_cost(switches, radix, link_bandwidth, nodes, interfaces, direct_share):
    return switches * radix * (40.0 + 8e-9 * link_bandwidth) * (1.0 + direct_share) + 300.0 * nodes * interfaces


@quantity(unit="s", source=SYNTHETIC)
def compute_time(one_node_time, nodes):
    return one_node_time / nodes


@quantity(unit="s", source=SYNTHETIC)
def time(compute_time, communication_time):
    return np.maximum(compute_time, communication_time) + 0.2 * np.minimum(compute_time, communication_time)


@quantity(unit="J", source=SYNTHETIC)
def energy(node_static_power, nodes, network_power, time, one_node_dynamic_energy):
    return (node_static_power * nodes + network_power) * time + one_node_dynamic_energy


@quantity(unit="1", source=SYNTHETIC)
def cost(node_cost, nodes, network_cost):
    return node_cost * nodes + network_cost


FUNCTIONS = [item for item in globals().values() if isinstance(item, ModelFunction)]


def problem(node_values: int = 10, limit: str | None = None) -> Problem:
    """Return the problem: `node_values` node counts x 480 networks x 20,480 nodes (10: 9.83e7 designs)."""
    counts = [float(round(64 * 1.9**k)) for k in range(10)]
    if node_values != 10:
        counts = [float(64 + 300 * k) for k in range(node_values)]
    axes = (
        values_axis("nodes", counts, "1"),
        values_axis("radix", [36, 48, 64, 96, 128], "1"),
        values_axis("link_bandwidth", [f"{g} GB/s" for g in (12.5, 25, 50, 100)], "B/s"),
        values_axis("taper", [1, 2, 3, 4], "1"),
        values_axis("interfaces", [1, 2, 4], "1"),
        values_axis("direct_share", [0.0, 0.5], "1"),
        values_axis("cores", [16, 32, 48, 64, 96, 128, 160, 192], "1"),
        values_axis("frequency", [f"{1.2 + 0.3 * k:.1f} GHz" for k in range(8)], "Hz"),
        values_axis("vector_width", [2, 4, 8, 16], "1"),
        values_axis("cache", ["0.5 MB", "1 MB", "2 MB", "3 MB", "4 MB"], "B"),
        values_axis("channels", [4, 8, 12, 16], "1"),
        values_axis("memory_kind", [0, 1, 2, 3], "1"),
    )
    import sys

    model = model_of(sys.modules[__name__], "synthetic")
    supplied = {axis.name: Input(axis.name, axis.units[axis.name], "axis", "study") for axis in axes}
    constraints: tuple[Constraint, ...] = ()
    extra = []
    if limit:
        units = {name: unit for f in model.functions for name, unit in f.gives.items()} | {
            name: item.unit for name, item in supplied.items()
        }
        expression = parse(limit, units)
        extra = [ModelFunction("constraint_0", expression, expression.needs, {"constraint_0": "1"}, limit)]
        constraints = (Constraint(limit, "constraint_0", expression),)
    targets = ["time", "energy", "cost", *(c.quantity for c in constraints)]
    graph = resolve(targets, models=[model], supplied=supplied, extra=extra)
    assumptions = {name: item.value for name, item in model.assumptions.items() if name in graph.inputs}
    space = Space((Product("", axes),))
    objectives = tuple(Objective(name, "min") for name in ("time", "energy", "cost"))
    return Problem(space, (System(graph, assumptions, constraints),), objectives)


class Made:
    """Makes the problem in a worker process."""

    def __init__(self, node_values: int = 10) -> None:
        self.node_values = node_values

    def problem(self) -> Problem:
        """Return the problem."""
        return problem(self.node_values)
