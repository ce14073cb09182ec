"""SLOWER in a study: rates, efficiency and its parts, the bound, performance, energy of an instruction, memory.

The slot ``task_protocol`` takes ``non-blocking`` (default: every message is a switch to another task) or ``blocking``
(one task, which waits); ``switch_overhead`` takes ``cycles`` (default) or ``time``; ``memory_contention`` takes
``slower`` (default: accesses to the shared memory wait in a queue of this family) or ``processor`` (they wait in the
cycles of the processor model, if at all); ``instruction_variation`` takes ``exponential`` (default) or ``mix``.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from dse.authoring.declare.declaration import ModelFunction, RelativeError, quantity
from dse.authoring.watch.memoise import different_rows, once_per_combination
from dse.errors import TooManyCombinationsError
from dse.models.slower import factors, knees
from dse.models.slower.node_rate import node_rate
from dse.models.slower.work import Work, work_of_thread
from dse.models.sources import STERLING_2014

__all__ = ["MOST_COMBINATIONS", "fixed_points"]

MOST_COMBINATIONS = 3_000_000
"""Different combinations of what the fixed point needs; more take longer than a search should."""

_QUEUES = f"ours: two machine-repairman queues, for the queue experiments of {STERLING_2014}, Section 4"
_FACTORS = f"{STERLING_2014}, Eq. 1"
_CHOICE = "the study"
_FAR = {"near_task_knee": (0.0, 0.0)}
_SIMULATED = "simulations instruction by instruction"
_WORK = ("uncontended_cycles", "shared_memory_accesses", "memory_service_cycles", "messages_per_instruction")
_ASKED = ("slower_latency_cycles", "paid_overhead_cycles", "running_tasks", "memory_sharers", "memory_waits_here")


@quantity(unit="1", name="tasks_switch", source=_CHOICE, slot="task_protocol", provider="non-blocking", default=True)
def tasks_do_switch():
    """1: a task that sent a message makes room for another one."""
    return np.ones(1)


@quantity(unit="1", name="tasks_switch", source=_CHOICE, slot="task_protocol", provider="blocking")
def tasks_do_not_switch():
    """0: a core waits for the answer to its message."""
    return np.zeros(1)


@quantity(unit="1", name="running_tasks", source=_CHOICE, slot="task_protocol", provider="non-blocking", default=True)
def all_tasks(tasks_per_process):
    """Tasks of a core."""
    return tasks_per_process * 1.0


@quantity(unit="1", name="running_tasks", source=_CHOICE, slot="task_protocol", provider="blocking")
def one_task():
    """Tasks of a core: one."""
    return np.ones(1)


@quantity(
    unit="1", name="paid_overhead_cycles", source=_CHOICE, slot="task_protocol", provider="non-blocking", default=True
)
def overhead_of_switches(task_switch_cycles):
    """Cycles that a message costs its core."""
    return task_switch_cycles * 1.0


@quantity(unit="1", name="paid_overhead_cycles", source=_CHOICE, slot="task_protocol", provider="blocking")
def no_overhead():
    """Cycles that a message costs its core, beside waiting: none."""
    return np.zeros(1)


@quantity(unit="1", name="task_switch_cycles", source=_CHOICE, slot="switch_overhead", provider="cycles", default=True)
def switch_in_cycles(switch_overhead_cycles):
    """Cycles of a switch to another task: the same at every clock."""
    return switch_overhead_cycles * 1.0


@quantity(unit="1", name="task_switch_cycles", source=_CHOICE, slot="switch_overhead", provider="time")
def switch_in_time(switch_overhead_time, frequency):
    """Cycles of a switch to another task that takes a fixed time."""
    return factors.cycles_at(switch_overhead_time, frequency)


@quantity(unit="1", name="memory_waits_here", source=_CHOICE, slot="memory_contention", provider="slower", default=True)
def memory_waits_in_queue():
    """1: accesses to the shared memory wait in the queue of this family."""
    return np.ones(1)


@quantity(unit="1", name="memory_waits_here", source=_CHOICE, slot="memory_contention", provider="processor")
def memory_waits_in_processor():
    """0: what the memory costs is in the cycles of an instruction."""
    return np.zeros(1)


def _solve(names: tuple[str, ...], given: tuple[Any, ...]) -> tuple[np.ndarray, np.ndarray]:
    columns = [np.asarray(argument, dtype=float) for argument in given]
    rows, back = different_rows(columns)
    if len(rows[0]) > MOST_COMBINATIONS:
        raise TooManyCombinationsError(
            f"the rate of a node has no form for ranges, and {len(rows[0]):,} different combinations are asked for",
            allowed=f"at most {MOST_COMBINATIONS:,}: fewer values of these axes, or the "
            "objective slower_rate_bound, which has a form for ranges",
        )
    value = dict(zip(names, rows, strict=True))
    waits = value["memory_waits_here"] > 0.0
    rate, response = np.empty(len(back_rows := rows[0])), np.empty(len(back_rows))
    for here, contention in ((waits, "slower"), (~waits, "processor")):
        if here.any():
            rates = node_rate(
                _work({name: column[here] for name, column in value.items()}),
                latency=value["slower_latency_cycles"][here],
                overhead=value["paid_overhead_cycles"][here],
                tasks=value["running_tasks"][here],
                cores=value["memory_sharers"][here],
                contention=contention,
            )
            rate[here], response[here] = rates.core_rate, rates.memory_response
    return rate.take(back), response.take(back)


def _work(value: dict[str, Any]) -> Work:
    work = work_of_thread(*(value[name] for name in _WORK))
    squared, missed = value.get("squared_core_cycles"), value.get("missed_level_cycles", 0.0)
    return replace(work, squared_cycles=squared, miss_cycles=missed)


def fixed_points() -> dict[str, ModelFunction]:
    """Return the functions that solve for the rate of a core and the response of its memory, by variation."""
    kinds = {"exponential": (), "mix": ("squared_core_cycles", "missed_level_cycles")}
    functions: dict[str, ModelFunction] = {}
    for provider, moments in kinds.items():
        for prefix, asked in (("slower", _ASKED), ("blocking", _blocking())):
            names = (*_WORK, *moments, *asked)
            name = f"{prefix}_fixed_point_{provider}"
            functions[name] = ModelFunction(
                name=name,
                function=once_per_combination(_solver(names, prefix == "blocking")),
                needs=names,
                gives={f"{prefix}_core_rate": "1", f"{prefix}_memory_response_cycles": "1"},
                source=_QUEUES,
                error={f"{prefix}_core_rate": RelativeError(0.07, of=f"{_SIMULATED}; 0.15 near the knee of the tasks")},
                doc="Instructions per cycle of a core, and cycles from an access to the shared memory to its answer.",
                slot="instruction_variation",
                provider=provider,
                default=provider == "exponential",
                points_only=True,
                module="slower.quantities",
            )
    return functions


def _blocking() -> tuple[str, ...]:
    return tuple(name for name in _ASKED if name not in ("paid_overhead_cycles", "running_tasks"))


def _solver(names: tuple[str, ...], blocking: bool) -> Any:
    if not blocking:
        return lambda *given: _solve(names, given)
    every = (*names, "paid_overhead_cycles", "running_tasks")
    return lambda *given: _solve(every, (*given, np.zeros(1), np.ones(1)))


@quantity(unit="1", source=_QUEUES)
def tasks_over_knee(running_tasks, slower_latency_cycles, messages_per_instruction, busy_cycles):
    """Tasks over those that would just fill the latency, M/(1 + L/B)."""
    return running_tasks / (1.0 + messages_per_instruction * slower_latency_cycles / busy_cycles)


@quantity(unit="1", source=f"{_QUEUES}: where they differ most from {_SIMULATED}")
def near_task_knee(running_tasks, tasks_over_knee, tasks_switch):
    """1 for at most 16 tasks within a factor of 2.5 of the knee, where the error of the rate is 15 %."""
    few = np.where(running_tasks <= knees.FEW_TASKS, tasks_switch, 0.0)
    inside = np.where(tasks_over_knee >= knees.NEAR[0], few, 0.0)
    return np.where(tasks_over_knee <= knees.NEAR[1], inside, 0.0)


@quantity(unit="1", source=_QUEUES)
def busy_cycles(
    uncontended_cycles,
    shared_memory_accesses,
    memory_service_cycles,
    slower_memory_response_cycles,
    messages_per_instruction,
    paid_overhead_cycles,
):
    """Cycles that an instruction keeps its core, with waiting for the memory and overhead, p B."""
    waiting = shared_memory_accesses * (slower_memory_response_cycles - memory_service_cycles)
    return uncontended_cycles + waiting + messages_per_instruction * paid_overhead_cycles


@quantity(unit="1", source=_QUEUES)
def overhead_efficiency(uncontended_cycles, messages_per_instruction, paid_overhead_cycles):
    """What overhead leaves, e_O = (C + nu S)/(C + nu S + O)."""
    return 1.0 / (1.0 + messages_per_instruction * paid_overhead_cycles / uncontended_cycles)


@quantity(unit="1", source=_QUEUES)
def waiting_efficiency(uncontended_cycles, messages_per_instruction, paid_overhead_cycles, busy_cycles):
    """What waiting for the memory leaves of that, e_W = (C + nu S + O)/(C + nu R + O)."""
    return (uncontended_cycles + messages_per_instruction * paid_overhead_cycles) / busy_cycles


@quantity(unit="1", source=_QUEUES)
def busy_fraction(slower_core_rate, busy_cycles):
    """Share of the time a core has a task to run, e_LS = X B: what latency and starvation leave."""
    return np.minimum(slower_core_rate * busy_cycles, 1.0)


@quantity(unit="1", source=f"{_FACTORS}; {_QUEUES}", valid=_FAR)
def efficiency(slower_core_rate, uncontended_cycles, near_task_knee):
    """Sustained over peak rate, e = e_O e_W e_LS."""
    return slower_core_rate * uncontended_cycles


@quantity(unit="1", source=_QUEUES)
def slower_rate_error(near_task_knee, slower_latency_cycles):
    """Relative error that is to be expected of the rates."""
    short = np.where(slower_latency_cycles < 1024.0, 0.15, 0.07)
    return np.where(near_task_knee > 0.0, 0.15, short)


@quantity(unit="1", source=_QUEUES, valid=_FAR)
def slower_node_rate(memory_sharers, slower_core_rate, near_task_knee):
    """Instructions per cycle of the node."""
    return memory_sharers * slower_core_rate


@quantity(unit="1/s", source=_QUEUES)
def node_instruction_rate(slower_node_rate, frequency):
    """Instructions per second of the node."""
    return slower_node_rate * frequency


@quantity(unit="s", source=_QUEUES, valid=_FAR)
def slower_time(instructions, slower_core_rate, frequency, near_task_knee):
    """Time of the run: the instructions of a core at its rate, waiting, switches and messages included."""
    return instructions / (slower_core_rate * frequency)


@quantity(unit="1", source=f"{STERLING_2014}, Section 4: operations of many tasks over those of blocking cores")
def slower_gain(slower_core_rate, blocking_core_rate):
    """Rate over that of cores that wait for their messages."""
    return slower_core_rate / blocking_core_rate


@quantity(unit="1", source=f"{_QUEUES}: their bounds")
def slower_rate_bound(
    uncontended_cycles,
    shared_memory_accesses,
    memory_service_cycles,
    messages_per_instruction,
    slower_latency_cycles,
    paid_overhead_cycles,
    running_tasks,
    memory_sharers,
):
    """Messages per cycle of a core at most, min(1/B0, M/(B0 + L), 1/(n nu S)); over p, its instructions."""
    busy = uncontended_cycles + messages_per_instruction * paid_overhead_cycles
    away = busy + messages_per_instruction * slower_latency_cycles
    memory = memory_sharers * (shared_memory_accesses * memory_service_cycles)
    slowest = np.maximum(np.maximum(busy, away / running_tasks), memory)
    return messages_per_instruction / slowest


@quantity(unit="1", source=_FACTORS)
def scalability(nodes, memory_sharers, load_imbalance):
    """Cores of the machine that work at the same time, s."""
    return factors.scalability(nodes, memory_sharers, load_imbalance)


@quantity(unit="1/s", source=_FACTORS)
def unit_rate(frequency, uncontended_cycles):
    """Instructions per second of a core where nothing waits, mu."""
    return factors.unit_rate(frequency, uncontended_cycles)


@quantity(unit="1/s", source=_FACTORS)
def delivered_performance(efficiency, scalability, unit_rate, availability):
    """Instructions per second of the machine on average, P = e s mu a."""
    return factors.delivered_performance(efficiency, scalability, unit_rate, availability)


@quantity(unit="J", source="ours: power at rest, and that of work for the share of the time there is any")
def energy_per_instruction(node_static_power, node_dynamic_power, busy_fraction, slower_node_rate, frequency):
    """Energy of the node per instruction."""
    return factors.energy_per_instruction(
        node_static_power, node_dynamic_power, busy_fraction, slower_node_rate, frequency
    )


@quantity(unit="B", source="ours: what is there for every task of every core")
def slower_memory(memory_sharers, running_tasks, task_memory, base_memory):
    """Memory that a node needs."""
    return base_memory + memory_sharers * running_tasks * task_memory
