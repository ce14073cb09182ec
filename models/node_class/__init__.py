"""Node classes: what a node of a large machine computes, stores, moves and draws, from few figures of its parts.

For studies of whole machines, where a node is a handful of numbers: a peak rate, bandwidth and capacity of its
memory, a rated power, an area of silicon. The slot ``node_class`` takes ``many-core`` (sockets of cores with vector
or matrix units, caches and a memory of channels or stacks, by a law fitted on sockets) or ``accelerated`` (devices of a
catalogue beside a host, or with the host in the package). Finer models of a processor are `dse.models.processor` and
`dse.models.node`.

The slot ``core_unit`` of cores takes ``vectors`` or ``outer-products``.

Both classes give the same quantities, so a study can search over them: ``node_peak_flop_rate``,
``node_memory_bandwidth``, ``node_memory_capacity``, ``node_thermal_design_power``, ``node_cost_weight``. What a design
gains it pays for: a clock has its voltage, a vector width its power and area, a cache its leakage and area.
"""

from dse.authoring.declare.declaration import declarations
from dse.models.node_class import accelerated, core_units, cost, many_core, memory, silicon, socket_power

__all__ = ["accelerated", "core_units", "cost", "many_core", "memory", "silicon", "socket_power"]

globals().update(declarations(memory, many_core, core_units, socket_power, silicon, accelerated, cost))
