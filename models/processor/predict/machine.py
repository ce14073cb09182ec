"""The parameters of a node as the processor models read them, with what the published tool puts in for empty ones.

Values are numbers or arrays that broadcast. Latencies are cycles from the core to the data, so they hold those of the
levels above. A level of 0 bytes is missing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np

from dse.authoring.declare.declaration import Assumption, Parameter
from dse.authoring.declare.limits import within
from dse.errors import InputError
from dse.models.processor import node_inputs as node
from dse.models.processor.memory.memory_access import l3_latency_cycles
from dse.models.processor.program.behaviour import Behaviour
from dse.models.processor.sharing.dram_queueing import idle_latency

__all__ = ["PARAMETERS", "Machine", "MachineParameter", "read_machine"]

LEVELS = ("l1", "l2", "l3", "dram", "l1i")
INCLUSIONS = {"inclusive": 0.0, "exclusive": 1.0}
LARGEST = float(np.finfo(float).max)


@dataclass(frozen=True)
class MachineParameter:
    """One parameter of a node.

    Attributes
    ----------
    unit, doc : str
    tool : float or None
        What the published tool puts in where a machine has no value.
    default : float or None
        What is put in where the tool's values are not wanted; None: the value must be given.
    minimum : float
        Least value with a meaning; `above` if even this has none.
    maximum : float
    above : bool
    needed : bool
        False for parameters that have a meaning only when given.
    """

    unit: str
    doc: str
    tool: float | None = None
    default: float | None = None
    minimum: float = 0.0
    maximum: float = np.inf
    above: bool = False
    needed: bool = True


def _of(
    declared: Parameter | Assumption,
    tool: float | None = None,
    *,
    default: float | None = None,
    needed: bool = True,
    unit: str = "",
    doc: str = "",
) -> MachineParameter:
    """Return a parameter with the limits that studies have for it."""
    above, least = declared.above is not None, declared.minimum if declared.above is None else declared.above
    most = np.inf if declared.maximum is None else declared.maximum
    return MachineParameter(
        unit or declared.unit, doc or declared.doc, tool, default, least or 0.0, most, above, needed
    )


def _given(unit: str, doc: str, tool: float, **limits: Any) -> MachineParameter:
    return MachineParameter(unit, doc, tool, **limits)


def _assumed(unit: str, doc: str, default: float, **limits: Any) -> MachineParameter:
    return MachineParameter(unit, doc, default, default, **limits)


def _optional(unit: str, doc: str, **limits: Any) -> MachineParameter:
    return MachineParameter(unit, doc, needed=False, **limits)


PARAMETERS: Mapping[str, MachineParameter] = MappingProxyType(
    {
        "f_core_hz": _of(node.frequency, 1e9),
        "issue_width": _of(node.issue_width, 4),
        "dispatch_width": _of(node.dispatch_width, 4),
        "fu_int": _of(node.integer_units, 1, doc="Integer units"),
        "fu_fp": _of(node.float_units, 1, doc="Floating-point units"),
        "fu_mem": _of(node.memory_units, 1, doc="Load and store units"),
        "fu_control": _of(node.control_units, 1, doc="Branch units"),
        "fu_vector": _of(node.vector_units, 1, doc="Vector units"),
        "vector_bits": _of(node.vector_width, 256, doc="Width of the vector units; 0: all is scalar", unit="bit"),
        "t_int": _of(node.integer_latency, 1, doc="Latency of an integer operation", unit="cycle"),
        "t_int_mul": _of(node.integer_multiply_latency, 1, doc="Latency of an integer multiplication", unit="cycle"),
        "t_int_div": _of(node.integer_divide_latency, 1, doc="Latency of an integer division", unit="cycle"),
        "t_fp": _of(node.float_latency, 1, doc="Latency of a floating-point operation", unit="cycle"),
        "t_fp_mul": _of(node.float_multiply_latency, 1, doc="Latency of a floating-point multiplication", unit="cycle"),
        "t_fp_div": _of(node.float_divide_latency, 1, doc="Latency of a floating-point division", unit="cycle"),
        "front_pipe": _of(node.front_end_stages, 4, doc="Stages of the front end"),
        "rob": _of(node.reorder_buffer, 128),
        "issue_queue": _of(node.issue_queue, 32),
        "mshr": _of(node.miss_registers, 10, doc="Miss registers"),
        "l1_size_bytes": _of(node.l1_size, 128_000),
        "l2_size_bytes": _of(node.l2_size, 128_000),
        "l3_size_bytes": _of(node.l3_size, 8e6, doc="Level 3 cache, shared by the cores; 0: none"),
        "l1_line_bytes": _given("B", "Line of level 1", 64),
        "l2_line_bytes": _given("B", "Line of level 2", 64),
        "l3_line_bytes": _given("B", "Line of level 3, and of what is fetched from memory", 64),
        "l1_latency": _of(node.l1_latency_cycles, 2, doc="Latency of level 1", unit="cycle"),
        "l2_latency": _of(node.l2_latency_cycles, 8, doc="Latency of level 2, from the core", unit="cycle"),
        "l3_latency": _given("cycle", "Latency of level 3, from the core", 25),
        "dram_latency": _given("cycle", "Latency of the memory, from the core", 400),
        "bw_l1_Bps": _of(node.l1_bandwidth, 1e9),
        "bw_l3_Bps": _of(node.l3_bandwidth, 1e9),
        "dram_bandwidth_Bps": _of(node.dram_bandwidth, 1e9),
        "in_order": _assumed("1", "1 for a core that issues in program order", 0, maximum=1),
        "smt_mode": _assumed("1", "Threads among which a core is divided when all are busy; 0: none", 0),
        "all_threads_busy": _assumed(
            "1", "1 where all threads of a core are busy, so that `smt_mode` counts", 0, maximum=1
        ),
        "cores": _of(node.cores, doc="Cores that share level 3 and the memory", needed=False),
        "branch_factor": _of(
            node.branch_factor,
            1.0,
            doc="Mispredictions over the estimate of the profile, fitted to a machine",
            default=1.0,
        ),
        "l2_inclusion": _of(node.l2_exclusive, 0, default=0),
        "l3_inclusion": _assumed("1", "1 where level 3 holds only what the levels above do not", 0, maximum=1),
        "l2_shared_by": _assumed("1", "Cores that share one level 2", 1, minimum=1),
        "l3_shared_by": _optional("1", "Cores that share one level 3; all when not given", minimum=1),
        "latency_clock_hz": _optional("Hz", "Clock at which the latencies were counted; that of the cores", above=True),
        "l3_latency_s": _of(node.l3_latency, doc="Latency of level 3, instead of cycles", needed=False),
        "dram_latency_s": _of(node.dram_latency, doc="Latency of the memory, instead of cycles", needed=False),
        "l1_ways": _optional("1", "Lines per set of level 1", minimum=1),
        "l2_ways": _optional("1", "Lines per set of level 2"),
        "l3_ways": _optional("1", "Lines per set of level 3"),
        "l1i_size_bytes": _optional("B", "Level 1 instruction cache; that of data when not given"),
        "l1i_line_bytes": _optional("B", "Line of the instruction cache; that of data when not given"),
        "dram_dirty_fraction": _optional("1", "Share of evicted lines that were changed", maximum=1),
        **{
            f"{level}_prefetch_{what}": parameter
            for level in ("l2", "l3", "dram")
            for what, parameter in {
                "coverage": _assumed("1", "Share of the accesses answered there that were prefetched", 0, maximum=1),
                "accuracy": _assumed("1", "Share of prefetched lines that are used", 1, above=True, maximum=1),
                "lead": _assumed("cycle", "How far ahead of its use a line is asked for", 0),
            }.items()
        },
    }
)
"""What the performance models read, by name."""

UNUSED = (
    *("threads_per_core", "f_uncore_hz", "pipe_stages", "datapath_bits", "node_nm", "vdd", "temperature_K"),
    *("device_type", "l1_inclusion", "l1_shared_by", "l1i_ways", "l1i_latency", "dram_capacity", "dram_channels"),
    *("dram_dimms", "dram_ranks", "dram_type", "name", "source", "sources", "note", "confidence", "synthetic"),
    *("t_vec_int", "t_vec_int_mul", "t_vec_int_div", "t_vec_fp", "t_vec_fp_mul", "t_vec_fp_div"),
)
"""Properties of a node that no performance model reads; they may be there."""


@dataclass(frozen=True, eq=False)
class Machine:
    """A node, or arrays of nodes.

    Attributes
    ----------
    values : mapping of str to ndarray
        By the names of `PARAMETERS`; those that have no value are missing.
    defaults : tuple of str
        Parameters that were not given and took a default with an effect.
    """

    values: Mapping[str, Any]
    defaults: tuple[str, ...] = field(default=())

    def __getitem__(self, name: str) -> Any:
        return self.values[name]

    def get(self, name: str, otherwise: Any = None) -> Any:
        """Return a value, or another where the machine has none."""
        return self.values.get(name, otherwise)

    def with_values(self, **values: Any) -> Machine:
        """Return the machine with other values."""
        return Machine({**self.values, **values}, self.defaults)

    @property
    def core_share(self) -> Any:
        """Threads among which a core is divided statically, s."""
        busy = np.greater(self["all_threads_busy"], 0.0)
        return np.where(busy, np.maximum(self["smt_mode"], 1.0), 1.0)


def read_machine(given: Mapping[str, Any], behaviour: Behaviour) -> Machine:
    """Return a machine from values by name.

    Parameters
    ----------
    given : mapping
        Numbers or arrays by the names of `PARAMETERS`; those of a level may stand in a mapping of their own, so
        ``{"l3": {"size_bytes": 2**25}}`` is ``{"l3_size_bytes": 2**25}``. None and NaN are empty.
    behaviour : Behaviour

    Raises
    ------
    InputError
        A value that is missing, unknown or impossible.
    """
    flat = dict(_flat(given))
    for name in flat:
        if name not in PARAMETERS and name not in UNUSED:
            known = list(PARAMETERS)
            raise InputError(f"unknown parameter '{name}' of a machine", key=name, wrong=name, candidates=known)
    tool = behaviour.missing_values == "tool"
    flat = flat if tool else _without_missing_levels(flat)
    values: dict[str, Any] = {}
    defaults = []
    for name, parameter in PARAMETERS.items():
        value = flat.get(name)
        default = parameter.tool if tool else parameter.default
        if value is not None:
            value = _number(name, value)
            empty = np.isnan(value)
            if not empty.any():
                _check(name, parameter, value)
                values[name] = value
                continue
            if default is None:
                raise InputError(
                    "has no value for some machines", key=name, allowed=f"{parameter.doc} [{parameter.unit}]"
                )
            value = np.where(empty, default, value)
            _check(name, parameter, value)
        elif default is not None:
            value = np.asarray(float(default))
        else:
            continue
        if parameter.default is None:
            defaults.append(name)
        values[name] = value
    machine = Machine(values, tuple(defaults))
    if behaviour.latencies == "time":
        machine = _with_latencies_in_time(machine)
    missing = [name for name, parameter in PARAMETERS.items() if parameter.needed and name not in machine.values]
    if missing:
        docs = ", ".join(f"{name} ({PARAMETERS[name].doc} [{PARAMETERS[name].unit}])" for name in missing)
        raise InputError(f"the machine has no value for {docs}", key=missing[0])
    if tool:
        return machine.with_values(fu_vector=np.maximum(machine["fu_vector"], 1.0))
    _check_order(machine)
    return machine


def _flat(given: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in given.items():
        if isinstance(value, Mapping):
            if name not in LEVELS:
                raise InputError(
                    f"unknown level '{name}' of a machine", allowed=list(LEVELS), wrong=name, candidates=LEVELS
                )
            yield from ((f"{name}_{inner}", item) for inner, item in value.items())
        else:
            yield name, value


def _without_missing_levels(flat: dict[str, Any]) -> dict[str, Any]:
    """Return the values with what a level of 0 bytes need not state: its latency, and the line of level 1."""
    stated = dict(flat)
    for level in ("l2", "l3"):
        size = flat.get(f"{level}_size_bytes")
        if size is None or np.any(_number(f"{level}_size_bytes", size) != 0.0):
            continue
        for name, value in ((f"{level}_latency", 0.0), (f"{level}_line_bytes", flat.get("l1_line_bytes"))):
            if stated.get(name) is None:
                stated[name] = value
    return stated


def _number(name: str, value: Any) -> np.ndarray:
    """Return a value as floats, a word of `INCLUSIONS` as its number."""
    if name.endswith("_inclusion"):
        words = np.asarray(value, dtype=object)
        known: dict[Any, float] = {**INCLUSIONS, 0: 0.0, 1: 1.0, "": np.nan, None: np.nan}
        try:
            return np.array([known[word] for word in words.ravel()], dtype=float).reshape(words.shape)
        except KeyError as unknown:
            raise InputError(f"'{unknown.args[0]}'", key=name, allowed=list(INCLUSIONS)) from None
    try:
        return np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"{value!r} is no number", key=name, allowed="a number or an array of numbers") from None


def _check(name: str, parameter: MachineParameter, value: Any) -> None:
    least, most = parameter.minimum, min(parameter.maximum, LARGEST)
    fine = within(value, None if parameter.above else least, most, least if parameter.above else None)
    if fine.all():
        return
    wrong = np.where(fine, np.nan, value).ravel()
    wrong = wrong[~np.isnan(wrong)]
    text = f"{wrong[0]:g}" if wrong.size else "nan"
    limits = f"above {least:g}" if parameter.above else f"at least {least:g}"
    limits += f" and at most {parameter.maximum:g}" if np.isfinite(parameter.maximum) else ""
    raise InputError(
        f"{text} {parameter.unit} is impossible ({parameter.doc})".replace(" 1 is", " is"),
        key=name,
        allowed=f"a finite number {limits}",
    )


def _with_latencies_in_time(machine: Machine) -> Machine:
    """Return the machine with the latencies of level 3 and memory in cycles of its clock, from the time they take."""
    clock, latencies = machine.get("f_core_hz"), {}
    if clock is None:
        return machine
    for level, in_cycles in (("l3", l3_latency_cycles), ("dram", idle_latency)):
        time, cycles = machine.get(f"{level}_latency_s"), machine.get(f"{level}_latency")
        if time is not None:
            latencies[f"{level}_latency"] = in_cycles(time, clock)
        elif cycles is not None and "latency_clock_hz" in machine.values:
            latencies[f"{level}_latency"] = cycles * (clock / machine["latency_clock_hz"])
        elif cycles is not None and np.unique(clock).size > 1 and cycles.size == 1:
            raise InputError(
                "the clock varies and the latency is the same number of cycles at every clock",
                key=f"{level}_latency",
                allowed=f"{level}_latency_s, or latency_clock_hz (the clock at which the cycles were counted)",
            )
    return machine.with_values(**latencies)


def _check_order(machine: Machine) -> None:
    """Refuse latencies that fall from level to level: they were given as increments."""
    above, latency = "l1", machine["l1_latency"]
    for level in ("l2", "l3", "dram"):
        present = np.greater(machine[f"{level}_size_bytes"], 0.0) if level != "dram" else np.True_
        here = machine[f"{level}_latency"]
        falls = present & (here < latency)
        if np.any(falls):
            raise InputError(
                f"the latency of {level} is less than that of {above}",
                key=f"{level}_latency",
                allowed="cycles from the core to the data, not increments from level to level",
            )
        above, latency = level, np.where(present, here, latency)
