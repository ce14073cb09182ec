"""What joins the families: their functions under one roof, readers of a profile asked at the point of each design.

Everything of `processor`, `node`, `network`, `system` and their joints is there. What reads a profile gets the point of
the run beside it; what this family says better takes the place of what has the same name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from types import ModuleType
from typing import Any

from dse.authoring.declare.declaration import Declaration, ModelFunction, declarations
from dse.authoring.declare.requirement import Requirement
from dse.models import network, node, processor, system
from dse.models.codesign.points import POINT, each_point, threads_of_rank
from dse.models.system import collectives, modelled_nodes, planes, profiled_collectives, profiled_messages

__all__ = ["joined"]

_PROFILES = ("profile", "profile_2")
_DEFAULTS = {"node_processes": "several", "routing": "minimal-of-processes"}
_PLANES = ("network_planes", "planes_switches_power", "planes_links_power")
_REPLACED = frozenset(
    {
        *("run_time", "threads", "compute_time", "node_dynamic_power", "of_entropy"),
        *("profiled_messages", "profiled_collectives", "transfer_time", "network_power", "class_dynamic_energy"),
        "profile_processes_off",
        *("miss_register_bound", "accesses"),
        *("computing_time", "class_static_power"),
    }
)
"""Functions of the families that this one has in another way."""
_ALONE = {
    "l2_latency_cycles": "l2_latency_alone",
    "l3_latency_cycles": "l3_latency_alone",
    "dram_latency_cycles": "dram_latency_alone",
}
"""Latencies before prefetching, which the families give under the name of those after it."""


def joined(own: Mapping[str, Declaration]) -> dict[str, Declaration]:
    """Return the declarations of all families with those of this one.

    Parameters
    ----------
    own : mapping of str to Declaration
        What this family declares itself.
    """
    of_families: dict[str, Declaration] = {}
    for module in (
        processor,
        node,
        network,
        system,
        modelled_nodes,
        profiled_messages,
        collectives,
        profiled_collectives,
    ):
        for name, item in _declared(module):
            if isinstance(item, ModelFunction):
                if item.name not in _REPLACED or item.slot == "programs":
                    of_families[f"{item.module}.{item.name}.{item.provider}"] = _fitted(item)
            elif isinstance(item, Requirement):
                held = item.name or name
                of_families[name] = replace(item, name="dram_ranks" if held == "ranks" else held)
            else:
                of_families[name] = item
    of_families |= {name: item for name, item in _declared(planes) if getattr(item, "name", "") in _PLANES}
    return {**of_families, **own}


def _declared(module: ModuleType) -> Iterator[tuple[str, Declaration]]:
    yield from declarations(module).items()


def _fitted(function: ModelFunction) -> ModelFunction:
    """Return a function as this family has it: at a point, before prefetching, with other defaults."""
    if function.slot in _DEFAULTS:
        function = replace(function, default=function.provider == _DEFAULTS[function.slot])
    if not set(_ALONE).isdisjoint(function.gives):
        function = replace(function, gives={_ALONE.get(name, name): unit for name, unit in function.gives.items()})
    if "effective_bandwidth" in function.needs and function.slot == "message_sizes":
        renamed = {"effective_bandwidth": "message_bandwidth"}
        function = replace(function, needs=tuple(renamed.get(need, need) for need in function.needs))
    if set(_PROFILES).isdisjoint(function.needs):
        return function
    more = tuple(name for name in POINT if name not in function.needs)
    scaled = function.name == "profiled_handshake_messages"
    if scaled:
        more = (*more, "repetitions", "messages_to_self")
    return replace(
        function,
        function=_at_point(function.function, function.needs, scaled),
        needs=(*function.needs, *more),
        points_only=True,
    )


def _at_point(function: Callable[..., Any], needs: tuple[str, ...], scaled: bool) -> Callable[..., Any]:
    places = [place for place, need in enumerate(needs) if need in _PROFILES]

    def called(*given: Any) -> Any:
        own, point, rest = (
            given[: len(needs)],
            given[len(needs) : len(needs) + len(POINT)],
            given[len(needs) + len(POINT) :],
        )
        others = [value for place, value in enumerate(own) if place not in places]

        def at(*arguments: Any) -> Any:
            profiles, values = list(arguments[: len(places)]), list(arguments[len(places) :])
            each = threads_of_rank(profiles[0]) if scaled else 1
            every = [profiles.pop(0) if place in places else values.pop(0) for place in range(len(needs))]
            return function(*every) * each if scaled else function(*every)

        value = each_point([own[place] for place in places], point, at, *others)
        # Messages that ask for leave to send are those of the whole run, none of them to the rank itself.
        return value * rest[0] * (1.0 - rest[1]) if scaled else value

    return called
