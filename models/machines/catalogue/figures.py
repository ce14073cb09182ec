"""The three figures of a real machine: what was measured, and what the model makes of shares by class and device."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from dse.authoring.library.library import load_model
from dse.graph.graph import Graph, Input
from dse.graph.resolve import resolve
from dse.models.machines.catalogue.catalogue import Machine
from dse.models.machines.catalogue.device_laws import device_factors

__all__ = ["FIGURES", "GRADIENT", "LINPACK", "POWER", "Figure", "alone", "columns", "figure_of", "missing", "predicted"]

_NETWORK = {
    "machine_taper": "taper",
    "machine_adapters": "adapters",
    "machine_switch_ports": "switch_ports",
    "machine_optical_ends": "optical_ends",
}
_PARTS = {
    "machine_processors": "processors",
    "machine_processor_power": "processor_power",
    "machine_devices": "devices",
    "machine_device_power": "device_power",
}
_RATES = {"machine_node_flop_rate": "node_flop_rate"}
_MEMORY = {"machine_memory_capacity": "memory_capacity", "machine_memory_bandwidth": "memory_bandwidth"}
_INJECTION = {"machine_injection_bandwidth": "injection_bandwidth"}
_IN_WORDS = {
    "nodes": "nodes of the run",
    "gradient_nodes": "nodes of the run",
    "node_flop_rate": "peak rate of a node",
    "processor_power": "rated power of the processors",
    "device_power": "rated power of the accelerators",
    "memory_capacity": "memory capacity",
    "memory_bandwidth": "memory bandwidth",
    "injection_bandwidth": "injection bandwidth",
    "core_operations": "cores and clock",
}


@dataclass(frozen=True, eq=False)
class Figure:
    """A measured figure and what predicts it.

    Attributes
    ----------
    name : str
        As in JSON.
    title : str
    unit : str
    measured : str
        The attribute of `Machine`.
    quantity : str
        The quantity of the model.
    shares : tuple of str
        The assumptions with the means of classes.
    factors : tuple of str
        The factors of devices.
    nodes : str
        The attribute of `Machine` with the nodes that ran.
    attributes : dict of str to str
        Parameters of the model it needs, and the attributes of `Machine` they come from.
    """

    name: str
    title: str
    unit: str
    measured: str
    quantity: str
    shares: tuple[str, ...]
    factors: tuple[str, ...]
    nodes: str
    attributes: Mapping[str, str]


LINPACK = Figure(
    "linpack",
    "HPL performance",
    "flop/s",
    "linpack_flop_rate",
    "linpack_flop_rate",
    ("kept_clock_peak_share", "falling_clock_peak_share", "accelerator_peak_share"),
    ("device_peak_factor",),
    "nodes",
    {**_RATES, **_INJECTION, "machine_memory_capacity": "memory_capacity"},
)
POWER = Figure(
    "power",
    "HPL power",
    "W",
    "power",
    "machine_power",
    ("processor_power_share", "accelerator_power_share"),
    ("device_peak_factor", "device_efficiency_factor"),
    "nodes",
    {**_PARTS, **_INJECTION},
)
GRADIENT = Figure(
    "hpcg",
    "HPCG performance",
    "flop/s",
    "gradient_flop_rate",
    "conjugate_gradient_flop_rate",
    ("gradient_bandwidth_share",),
    ("device_gradient_factor",),
    "gradient_nodes",
    {**_MEMORY, **_INJECTION},
)
FIGURES = (LINPACK, POWER, GRADIENT)


def missing(machine: Machine, figure: Figure) -> str:
    """Return in words what was not published and keeps a figure from being compared; empty if nothing does."""
    if getattr(machine, figure.measured) is None:
        return "not published"
    wanted = [figure.nodes, *figure.attributes.values()]
    if not machine.accelerated:
        if figure is LINPACK and not machine.clock_kept:
            wanted.append("core_operations")  # narrow units keep their clock
        if figure is POWER:
            wanted += ["memory_capacity", "memory_bandwidth"]
    lacking = [_IN_WORDS[name] for name in wanted if getattr(machine, name) is None]
    return f"without {', '.join(lacking)} it cannot be computed" if lacking else ""


def columns(machines: Sequence[Machine], figure: Figure | None = None) -> dict[str, np.ndarray]:
    """Return the parameters of the component ``real-machine``, a value per machine.

    Parameters
    ----------
    machines : sequence of Machine
    figure : Figure, optional
        What a machine may lack is what this figure does not need; it is NaN. Default: the nodes are those of HPL.
    """
    nodes = figure.nodes if figure else "nodes"
    attributes = {"machine_nodes": nodes, **_PARTS, **_RATES, **_MEMORY, **_INJECTION}
    values = {parameter: figure_of(machines, attribute) for parameter, attribute in attributes.items()}
    for parameter, attribute in _NETWORK.items():
        values[parameter] = _numbers([machine.network and getattr(machine.network, attribute) for machine in machines])
    values["machine_clock_kept"] = np.array([1.0 if machine.clock_kept else 0.0 for machine in machines])
    values["machine_year"] = np.array([float(machine.year) for machine in machines])
    return values | device_factors([machine.device for machine in machines])


def figure_of(machines: Sequence[Machine], attribute: str) -> np.ndarray:
    """Return a figure of each machine, NaN where it is not known."""
    return _numbers([getattr(machine, attribute) for machine in machines])


def _numbers(values: Sequence[float | None]) -> np.ndarray:
    return np.array([np.nan if value is None else value for value in values], dtype=float)


def alone(figure: Figure, share: np.ndarray) -> dict[str, np.ndarray]:
    """Return what gives each machine a share of its own in `predicted`, whatever its class and device."""
    ones = np.ones(len(share))
    shares = dict.fromkeys(figure.shares, share) | dict.fromkeys(figure.factors, ones)
    law = {"device_measured_machines": 0.0 * ones, "processor_power_trend": 0.0 * ones, "least_power_share": 0.0 * ones}
    return shares | law


def predicted(machines: Sequence[Machine], figure: Figure, laws: Mapping[str, np.ndarray] | None = None) -> np.ndarray:
    """Return a figure of each machine by the model.

    Parameters
    ----------
    machines : sequence of Machine
        None of them lacks what the figure needs (see `missing`).
    figure : Figure
    laws : mapping of str to ndarray, optional
        Other means of classes and factors of devices, a value per machine. Default: those that come with the project.
    """
    given = columns(machines, figure)
    graph = _graph(figure.quantity, tuple(given))
    known = {name: np.full(1, value) for name, value in _assumed().items()} | given | dict(laws or {})
    inputs = {name: known[name] for name in graph.inputs}
    return np.broadcast_to(graph.evaluate(inputs)[figure.quantity], (len(machines),)).copy()


@cache
def _graph(quantity: str, parameters: tuple[str, ...]) -> Graph:
    models = [load_model("applications"), load_model("machines")]
    declared = {**models[1].parameters, **models[1].assumptions}
    supplied = {name: Input(name, declared[name].unit, "axis", "a table of machines") for name in parameters}
    return resolve([quantity], models=models, supplied=supplied, use={"node_class": "real-machine"})


@cache
def _assumed() -> dict[str, float]:
    models = [load_model("applications"), load_model("machines")]
    return {name: item.value for model in models for name, item in model.assumptions.items()}
