"""What a study gives to the hybrid model: the configuration, three tables of measurements, and the assumptions."""

from __future__ import annotations

from typing import Any

import numpy as np

from dse.authoring.declare.declaration import Column, assumption, parameter, table_parameter
from dse.authoring.table import Table
from dse.errors import InputError
from dse.models.sources import RAMAPANTULU_2015

__all__ = ["baselines", "cores", "frequency", "interpolated", "memory_bandwidth_scale", "messages", "nodes"]
__all__ += ["one_value", "power", "service_scv"]


nodes = parameter(unit="1", doc="Nodes of the cluster, n", minimum=1, integer=True)
cores = parameter(unit="1", doc="Active cores of each node, c", minimum=1, integer=True)
frequency = parameter(unit="Hz", doc="Clock frequency of the active cores, f", above=0)

baselines = table_parameter(
    doc="Counters of one program on one node for a small input, one row per (cores, frequency)",
    columns={
        "cores": Column("1", "Active cores of the node", {"c": "1"}),
        "frequency": Column("Hz", "Clock frequency", {"f_GHz": "GHz"}),
        "baseline_iterations": Column("1", "Iterations of the measured run", {"S_s": "1"}),
        "iterations": Column("1", "Iterations of the run that is predicted", {"S": "1"}),
        "instructions": Column("1", "Instructions of the measured run (not used)", {"I_s": "1"}, optional=True),
        "useful_cycles": Column("1", "Useful cycles, summed over the cores of the node", {"w_s": "1"}),
        "nonmemory_stall_cycles": Column(
            "1", "Stall cycles that no memory access causes, summed over the cores of the node", {"b_s": "1"}
        ),
        "memory_stall_cycles_per_core": Column("1", "Memory stall cycles, mean over the active cores", {"m_s": "1"}),
        "cpu_utilisation": Column("1", "Share of the time in which the cores are busy, 0 to 1", {"U_s": "1"}),
    },
)

messages = table_parameter(
    doc="Traffic of one program on one system: one row; per node and iteration, as power laws in the nodes (n >= 2)",
    columns={
        "messages_per_iteration": Column("1", "Messages per node and iteration, factor", {"eta1_per_iter": "1"}),
        "bytes_per_message": Column("B", "Size of a message, factor", {"nu1_bytes": "B"}),
        "messages_exponent": Column("1", "Power of the nodes the messages grow with", {"eta_exp": "1"}),
        "bytes_exponent": Column("1", "Power of the nodes the size grows with", {"nu_exp": "1"}),
    },
)

power = table_parameter(
    doc="Power of one node and its network link, one row per frequency",
    columns={
        "frequency": Column("Hz", "Clock frequency", {"f_GHz": "GHz"}),
        "core_active_power": Column(
            "W", "Of a computing core, above its share of the idle power", {"P_core_act_W": "W"}
        ),
        "core_stall_power": Column(
            "W", "Of a core stalled on memory, above its share of the idle power", {"P_core_stall_W": "W"}
        ),
        "memory_power": Column("W", "Of the memory of a node while cores wait for it", {"P_mem_W": "W"}),
        "network_power": Column("W", "Of the network card of a node while it communicates", {"P_net_W": "W"}),
        "idle_power": Column("W", "Of an idle node, cores included", {"P_sys_idle_W": "W"}),
        "network_bandwidth": Column("B/s", "Achieved throughput of the link of a node", {"B_bytes_per_s": "B/s"}),
        "message_latency": Column("s", "Time a message takes beside its transfer", {"latency_s": "s"}),
    },
)

memory_bandwidth_scale = assumption(
    1.0,
    unit="1",
    source=f"what-if of {RAMAPANTULU_2015}, Section V-B; 1 is the measured machine",
    doc="Factor on the memory bandwidth; memory stall cycles are divided by it",
    above=0,
)
service_scv = assumption(
    1.0,
    unit="1",
    source=f"{RAMAPANTULU_2015}, Eq. 5 as printed equals Pollaczek-Khinchine at 1 (exponential service); 0 is "
    "fixed-size messages",
    doc="Squared coefficient of variation of the service time of a message",
    minimum=0,
)

_POSITIVE = ("baseline_iterations", "iterations", "network_bandwidth")


def interpolated(table: Table, column: str, **at: Any) -> np.ndarray:
    """Interpolate a column of measurements linearly; refuse negative entries, utilisations over 1, extrapolation."""
    _check(table, column)
    result: np.ndarray = table.interpolate(column, **at)
    return result


def one_value(table: Table, column: str) -> np.ndarray:
    """Return the one value a column has in all rows, as an array of one element."""
    _check(table, column)
    values = table[column]
    different = np.flatnonzero(values != values[0])
    if different.size:
        raise InputError(
            f"column '{column}' is {values[0]:g} in line {table.lines[0]} and {values[different[0]]:g} in line "
            f"{table.lines[different[0]]}, but must be the same in all rows of one program on one system",
            file=table.name,
            allowed="rows of one program on one system (choose them with 'where')",
        )
    return values[:1].copy()


def _check(table: Table, column: str) -> None:
    values = table[column]
    if column.endswith("_exponent"):
        return
    if column in _POSITIVE:
        wrong, allowed = ~(values > 0), "numbers above 0"
    elif column == "cpu_utilisation":
        wrong, allowed = ~((values >= 0) & (values <= 1)), "0 to 1"
    else:
        wrong, allowed = ~(values >= 0), "numbers from 0 up"
    if wrong.any():
        row = int(np.argmax(wrong))
        raise InputError(
            f"line {table.lines[row]}, column '{column}': {values[row]:g}", file=table.name, allowed=allowed
        )
