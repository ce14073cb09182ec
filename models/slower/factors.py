"""The product of the factors of SLOWER, P = e s mu a, and what a clock does to them (Sterling et al. 2014, Eq. 1).

The factors are no constants: a faster clock makes every wait longer in cycles, and more cores make the memory a wait.
So the efficiency is computed for a clock and a number of cores (`node_rate`), and availability comes from a model of
failures: neither has a formula here.
"""

from __future__ import annotations

from typing import Any

__all__ = [
    "balance",
    "cycles_at",
    "delivered_performance",
    "energy_per_instruction",
    "node_dynamic_power",
    "scalability",
    "unit_rate",
]


def balance(load_imbalance: Any) -> Any:
    """Return the share of the units that work at any time, 1/(1 + lambda), of an imbalance lambda = max/mean - 1."""
    return 1.0 / (1.0 + load_imbalance)


def scalability(nodes: Any, cores: Any, load_imbalance: Any = 0.0) -> Any:
    """Return the cores that work at the same time, s: nodes x cores x `balance`."""
    return nodes * cores * balance(load_imbalance)


def unit_rate(frequency: Any, cycles_per_instruction: Any) -> Any:
    """Return the instructions per second of one core where nothing waits, mu = f / c0."""
    return frequency / cycles_per_instruction


def delivered_performance(efficiency: Any, scalability: Any, unit_rate: Any, availability: Any) -> Any:
    """Return the average instructions per second of a machine, P = e s mu a."""
    return efficiency * scalability * unit_rate * availability


def cycles_at(time: Any, frequency: Any) -> Any:
    """Return a physical time [s] in cycles of a clock [Hz]: latencies and services do not follow the clock."""
    return time * frequency


def node_dynamic_power(
    reference_power: Any, frequency: Any, reference_frequency: Any, voltage: Any, reference_voltage: Any
) -> Any:
    """Return the dynamic power of a busy node, P0 (f/f0) (V/V0)^2.

    The paper has power proportional to the clock, which holds at one voltage.

    Parameters
    ----------
    reference_power : float or array
        At the reference clock and voltage, W.
    frequency, reference_frequency : float or array
        Hz.
    voltage, reference_voltage : float or array
        V. The voltage of a clock is for a law of supplies to say (slot `supply` of the family `node`).

    Examples
    --------
    >>> round(node_dynamic_power(200.0, 1.3e9, 2.6e9, 0.8, 1.0), 9)
    64.0
    """
    ratio = voltage / reference_voltage
    return reference_power * (frequency / reference_frequency) * (ratio * ratio)


def energy_per_instruction(
    static_power: Any, dynamic_power: Any, busy_fraction: Any, node_rate: Any, frequency: Any
) -> Any:
    """Return the energy of an instruction [J]: (static power + busy share x dynamic power) / instructions per second.

    Parameters
    ----------
    static_power, dynamic_power : float or array
        Of the node, W; dynamic power while all cores are busy.
    busy_fraction : float or array
        Share of the time a core has a task to run, X B.
    node_rate : float or array
        Instructions per cycle of the node.
    frequency : float or array
        Hz.
    """
    return (static_power + busy_fraction * dynamic_power) / (node_rate * frequency)
