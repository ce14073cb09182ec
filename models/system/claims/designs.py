"""The machines of Anghel 2017, Section 7.2: 262,144 nodes of two kinds under many networks, evaluated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from dse.authoring.table import read_table
from dse.evaluation.direct import evaluate_models
from dse.search.frontier.pareto import pareto_mask

__all__ = ["ARM", "HASWELL", "LINKS", "NODES", "TARGETS", "THESIS_PROFILE", "Design", "Machines", "hyperx", "machines"]
__all__ += ["node_types", "powers_of_two"]

NODES = 262_144
HASWELL, ARM = "Haswell (back-calculated)", "ARM (back-calculated)"
LINKS = dict.fromkeys(("node_link_bandwidth", "switch_link_bandwidth", "upper_link_bandwidth"), 5e9)
THESIS_PROFILE = {"messages": 12_255.0, "message_size": 4096.0}
"""Calculated back from the printed designs."""

TARGETS = ("system_time", "system_power", "switches_power", "radix", "nodes", "latency_time", "transfer_time")
_SPACES = Path(str(files("dse.spaces"))) / "system"
_SEARCH = "applications.breadth_first_search"


class Design(NamedTuple):
    """One machine: time s, power and power of the switches W, ports of a switch."""

    node_type: str
    topology: str
    shape: tuple[int, ...]
    values: Mapping[str, float]

    @property
    def point(self) -> tuple[float, float]:
        """Time s and power MW."""
        return self.values["system_time"], self.values["system_power"] / 1e6


class Machines(list[Design]):
    """Designs of one space."""

    @property
    def frontier(self) -> list[Design]:
        """Those that no other beats in time and power, fastest first."""
        mask = pareto_mask([design.point for design in self])
        return sorted((design for design, on in zip(self, mask, strict=True) if on), key=lambda design: design.point)

    def one(self, node_type: str, topology: str, *shape: int) -> Design:
        """Return the design of a kind of node and a shape."""
        (design,) = (d for d in self if (d.node_type, d.topology, d.shape) == (node_type, topology, shape))
        return design


@lru_cache(maxsize=2)
def node_types(catalogue: str = "graph500-nodes") -> dict[str, dict[str, float]]:
    """Return the kinds of node of a catalogue, by name."""
    table = read_table(_SPACES / f"{catalogue}.csv", name=f"system/{catalogue}.csv")
    columns = [name for name, unit in table.units.items() if unit != "text"]
    return {
        str(name): {column: float(table[column][row]) for column in columns} for row, name in enumerate(table["name"])
    }


def powers_of_two(per_switch: Sequence[int], smallest: int) -> list[tuple[int, ...]]:
    """Return every (p, d1, d2) of `NODES` with d1 >= d2 >= smallest, all powers of two."""
    sizes = [2**k for k in range(19)]
    return [(p, NODES // (p * d), d) for p in per_switch for d in sizes if smallest <= d <= NODES // (p * d)]


def hyperx(
    shapes: Sequence[tuple[int, ...]],
    profile: Mapping[str, Any] | None = None,
    *,
    topology: str = "hyperx",
    **changed: Any,
) -> Machines:
    """Return HyperX networks (p, d1, d2, …) with both kinds of node, the arguments as for `machines`."""
    return _evaluated(topology, shapes, ("nodes_per_switch", *_dimensions(shapes)), profile, **changed)


def machines(profile: Mapping[str, Any] | None = None, **changed: Any) -> Machines:
    """Return the machines of the study: HyperX of 64 to 256 nodes per switch, the fat tree, tori of five dimensions.

    Parameters
    ----------
    profile : mapping, optional
        Messages of a process and their size (`THESIS_PROFILE`), or what the model of the search needs instead.
    **changed
        ``catalogue`` of kinds of node, ``use`` of components, and parameters other than the study's.
    """
    tree = ("tree_children_1", "tree_children_2", "tree_children_3", "tree_uplinks_1", "tree_uplinks_2")
    tori = [(1, 16, 16, 16, 8, 8), (16, 8, 8, 8, 8, 4)]
    designs = hyperx([(64, 64, 64), (128, 64, 32), (256, 32, 32)], profile, **changed)
    designs += _evaluated("fat-tree-3-level", [(64,) * 5], tree, profile, **changed)
    designs += _evaluated("torus", tori, ("nodes_per_switch", *_dimensions(tori)), profile, **changed)
    return designs


def _dimensions(shapes: Sequence[tuple[int, ...]]) -> tuple[str, ...]:
    return tuple(f"dimension_{number}" for number in range(1, len(shapes[0])))


def _evaluated(
    topology: str,
    shapes: Sequence[tuple[int, ...]],
    names: Sequence[str],
    profile: Mapping[str, Any] | None,
    *,
    catalogue: str = "graph500-nodes",
    use: Mapping[str, str] | None = None,
    **changed: Any,
) -> Machines:
    kinds = node_types(catalogue)
    given: dict[str, Any] = {
        name: np.array([float(shape[place]) for shape in shapes]) for place, name in enumerate(names)
    }
    given |= {name: value for name, value in LINKS.items() if name != "upper_link_bandwidth" or "tree" in topology}
    given |= profile or THESIS_PROFILE
    models = ["network", "system"] if "messages" in given else ["network", "system", _SEARCH]
    designs = Machines()
    for kind, columns in kinds.items():
        node = {name: value for name, value in columns.items() if name not in ("frequency", "cycles_per_record")}
        if "cycles_per_record" in columns:
            search = {**(profile or {}), "nodes": float(NODES)}
            records = evaluate_models([_SEARCH], ["process_records"], search)["process_records"]
            node["compute_time"] = float(records[0]) * columns["cycles_per_record"] / columns["frequency"]
        values = evaluate_models(models, TARGETS, {**given, **node, **changed}, {"topology": topology, **(use or {})})
        for row, shape in enumerate(shapes):
            own = {name: float(np.broadcast_to(value, len(shapes))[row]) for name, value in values.items()}
            designs.append(Design(kind, topology, tuple(shape), own))
    return designs
