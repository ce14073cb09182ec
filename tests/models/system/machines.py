"""A machine in numbers, and the equations of Anghel 2017, Chapter 6 written out for it: what the tests compare with."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from hypothesis import strategies as st

from dse.evaluation.direct import evaluate_models

NETWORK = {
    "mesh_switches": 8.0,
    "nodes_per_switch": 4.0,
    "node_link_bandwidth": 5e9,
    "switch_link_bandwidth": 5e9,
}
PROCESS = {
    "compute_time": 0.2,
    "messages": 1000.0,
    "message_size": 4096.0,
    "node_static_power": 40.0,
    "node_dynamic_power": 60.0,
}
TARGETS = (
    *("system_time", "system_power", "system_energy", "communication_time", "latency_time", "transfer_time"),
    *("node_static_energy", "node_dynamic_energy", "network_static_energy", "network_dynamic_energy"),
    *("nodes_static_power", "nodes_dynamic_power", "network_power", "transfer_power"),
    *("communication_share", "network_energy_share", "facility_power", "facility_energy", "exposed_communication_time"),
)
OF_NETWORK = ("nodes", "network_latency", "effective_bandwidth", "transfer_energy", "network_power")


def evaluate(*targets: str, use: dict[str, str] | None = None, **changed: Any) -> dict[str, Any]:
    """Quantities of a full mesh of 32 nodes, and of what is changed."""
    given = {**NETWORK, **PROCESS, **changed}
    return evaluate_models(["network", "system"], targets or TARGETS, given, {"topology": "full-mesh", **(use or {})})


def one(*targets: str, use: dict[str, str] | None = None, **changed: Any) -> dict[str, float]:
    """The same as numbers."""
    return {name: float(value[0]) for name, value in evaluate(*targets, use=use, **changed).items()}


@dataclass(frozen=True)
class Class:
    """A class of processes: how many, seconds they compute, messages, bytes, watts at rest and at work."""

    count: float
    compute: float
    messages: float
    size: float
    static: float
    dynamic: float


@dataclass(frozen=True)
class Machine:
    """Classes of processes on a network: seconds per message, bytes per second, joules per byte, watts at rest."""

    classes: tuple[Class, ...]
    latency: float
    bandwidth: float
    byte_energy: float
    network_power: float
    overlap: float = 0.0
    polling: float = 0.0
    answers: dict[str, float] = field(default_factory=dict)

    def solve(self) -> Machine:
        """Equations 6.1 to 6.12, one after the other."""
        times = []
        for c in self.classes:
            communication = c.messages * (self.latency + c.size / self.bandwidth)
            times.append(c.compute + communication - self.overlap * min(c.compute, communication))
        time = max(times)
        static = sum(c.count * c.static for c in self.classes) * time
        dynamic = sum(c.count * c.dynamic * (c.compute + self.polling * (time - c.compute)) for c in self.classes)
        carried = sum(c.count * c.messages * c.size * self.byte_energy for c in self.classes)
        rest = self.network_power * time
        energy = static + dynamic + rest + carried
        found = {
            "system_time": time,
            "node_static_energy": static,
            "node_dynamic_energy": dynamic,
            "network_static_energy": rest,
            "network_dynamic_energy": carried,
            "system_energy": energy,
            "system_power": energy / time,
        }
        return replace(self, answers=found)


def floats(low: float, high: float) -> st.SearchStrategy[float]:
    """Numbers over orders of magnitude."""
    return st.floats(low, high, allow_nan=False, allow_infinity=False)


processes = st.fixed_dictionaries(
    {
        "compute_time": floats(1e-3, 1e3),
        "messages": floats(0.0, 1e7),
        "message_size": floats(0.0, 1e6),
        "node_static_power": floats(0.0, 1e3),
        "node_dynamic_power": floats(0.0, 1e3),
    }
)
