"""What a program asks of any machine: a workload profile, measured once and independent of hardware.

A profile (Anghel 2017, Chapter 3) holds counts of the instructions of an ideal machine: unlimited registers and units,
perfect prediction, unit latency. It is read with `dse.models.workload.profile.reading.read_profile`.

Interface
---------
``WorkloadProfile``: ``name``, ``source``, ``sources``, ``synthetic``, ``sha256``, ``application``, ``run``,
``classes``, ``extrapolation``, ``warnings``; ``profile["name"]`` is a class of threads, ``profile.only`` the single
one.

``ProcessClass`` (one thread or process, standing for ``members`` equal ones):

* ``instructions``; ``count(name)`` and ``fraction(name)`` for a name of `CLASSES`, of `PARTS`, or "mem" (load + store);
  ``fractions()`` is all of them.
* ``scalar_count(name)``, ``vector_count(name)``: instructions of vector length 1 and longer; ``lanes(name)``: elements
  they work on, length × count.
* ``ilp(window, order="ooo", mode="corrected")`` and ``ilp_by_type(window, definition="own", …)``, a dict with the keys
  `TYPES` ("int" is int + addr; 0.0 for a type the program does not have); windows are numbers, arrays or ranges.
  ``window_mismatch(window)`` is 1 inside the profiled windows; above 1.5 warn, and refuse to sweep the issue queue
  of a profile with a single window (``finite_windows``).
* ``data_reuse``, ``inst_reuse``: `dse.models.workload.profile.reuse.ReuseHistogram`; ``reuse(line_bytes)`` picks the
nearest
  line size (64 up to 96 bytes, else 128, …) and refuses a profile without lines. Compare ``.line`` to know.
* ``branch``, ``registers``, ``footprint_bytes``, ``heatmap``, ``address_map``, ``comm``: None when not measured.

Vector instructions stand as the profile's compiler made them: ``vectors.fit_vectors(process_class, vector_bits)``
first. Both modes run on the same object: "reference" is what the published tools compute, "corrected" the exact counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from dse.errors import InputError, one_of
from dse.models.workload.profile.parallelism import TYPES, IlpWindow, Order, interpolated_ilp, window_mismatch
from dse.models.workload.profile.reuse import Mode, ReuseHistogram, check_mode

__all__ = ["CLASSES", "PARTS", "TYPES", "AddressMap", "Application", "Branch", "Collective", "Communication", "HeatMap"]
__all__ += ["MaxOutcome", "Peer", "PointToPoint", "ProcessClass", "Registers", "Run", "SizeBin", "VectorCount"]
__all__ += ["ExtrapolatedParameter", "Extrapolation", "FittedMetric", "ProfileUsed", "WorkloadProfile"]

CLASSES = ("load", "store", "addr", "int", "fp", "control", "vector_move", "other")
"""Classes of instructions; every instruction is in exactly one."""

PARTS = {"int_arith": "int", "int_mul": "int_arith", "int_div": "int_arith", "fp_mul": "fp", "fp_div": "fp"}
"""Parts of classes, and what each is part of."""


@dataclass(frozen=True)
class VectorCount:
    """Instructions of a class or part with one vector length (elements) and element size (bits, 0 = unknown)."""

    of: str
    length: int
    bits: int
    count: int


@dataclass(frozen=True)
class MaxOutcome:
    """Misses of a predictor that foretells the more frequent outcome after each history.

    Attributes
    ----------
    history : int
        Past outcomes known to the predictor.
    table : int or None
        Entries of its table; None: unlimited.
    rule : str
        How histories outside the table are counted.
    miss_rate : float
        Misses per branch event.
    """

    history: int
    table: int | None
    rule: str
    miss_rate: float


@dataclass(frozen=True)
class Branch:
    """Predictability of branches.

    Attributes
    ----------
    events : int
        Branch events of the trace.
    conditional_only : bool
        Whether conditional branches alone were recorded.
    entropy, linear_entropy : tuple of (int, float)
        Past outcomes known to the predictor, and the (linear) entropy of the next outcome.
    max_outcome : tuple of MaxOutcome
    tool_miss_rate : float or None
        The miss rate the profiling tool itself names as its best estimate, per event.
    """

    events: int
    conditional_only: bool
    entropy: tuple[tuple[int, float], ...] = ()
    max_outcome: tuple[MaxOutcome, ...] = ()
    linear_entropy: tuple[tuple[int, float], ...] = ()
    tool_miss_rate: float | None = None


@dataclass(frozen=True)
class Registers:
    """Accesses to registers, in total."""

    reads: int
    writes: int


@dataclass(frozen=True)
class HeatMap:
    """Probability ``p[i][j]`` that the access ``t[i]`` later lies ``s_bytes[j]`` away."""

    s_bytes: tuple[int, ...]
    t: tuple[int, ...]
    p: tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class AddressMap:
    """Accesses by where they begin and when they come, exact counts.

    Attributes
    ----------
    row_bytes : int
        Bytes of a row, a power of two; rows that were not touched are left out.
    column_accesses : int
        Accesses of a column, all but the last.
    accesses : int
        Of all columns.
    first_bytes : tuple of int
        First address of each row, rising.
    counts : tuple of tuple of int
        Accesses, a tuple for each row.
    """

    row_bytes: int
    column_accesses: int
    accesses: int
    first_bytes: tuple[int, ...]
    counts: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Peer:
    """Messages received from the process `offset` ranks further (modulo the number of processes), or sent to it."""

    offset: int
    messages: int
    bytes: int


@dataclass(frozen=True)
class SizeBin:
    """Messages of up to `upper_bytes` each, and of more than the bin before, with their bytes together."""

    upper_bytes: int
    messages: int
    bytes: int


@dataclass(frozen=True)
class PointToPoint:
    """Messages a process receives, and what it sends where that is known.

    `sizes` is the histogram of the messages of `outgoing`; empty where only their mean size is known.
    """

    messages: int
    bytes: int
    sent_messages: int | None = None
    sent_bytes: int | None = None
    pattern: str | None = None
    peers: tuple[Peer, ...] = ()
    sent_peers: tuple[Peer, ...] = ()
    sizes: tuple[SizeBin, ...] = ()

    @property
    def outgoing(self) -> tuple[int, int]:
        """Messages and bytes a process sends; those it receives where the profile counts nothing else."""
        if self.sent_messages is None or self.sent_bytes is None:
            return self.messages, self.bytes
        return self.sent_messages, self.sent_bytes


@dataclass(frozen=True)
class Collective:
    """Calls of a collective operation and the bytes a process receives in all of them, where known."""

    count: int | None = None
    bytes: int | None = None


@dataclass(frozen=True)
class Communication:
    """Messages between processes."""

    p2p: PointToPoint | None = None
    collectives: Mapping[str, Collective] = field(default_factory=dict)


@dataclass(frozen=True)
class Application:
    """The program and its input."""

    name: str
    parameters: Mapping[str, int | float | str | bool] = field(default_factory=dict)


@dataclass(frozen=True)
class Run:
    """How the profile was taken.

    `sampling` has the shares that were analysed: ``ilp_bursts`` of the instructions, ``reuse_rate`` of the lines;
    ``memory_limit``, in bytes, where it was reached and made the measurement leave out or sample more.
    `region` says of which part of the program the record is: "in solve"; empty: of all. `partial` says why the record
    is of a part of the run only.
    """

    processes: int | None = None
    threads: int | None = None
    compiler: str = ""
    flags: str = ""
    tool: str = ""
    tool_version: str = ""
    sampling: Mapping[str, float] = field(default_factory=dict)
    region: str = ""
    partial: str = ""


@dataclass(frozen=True)
class ProcessClass:
    """The profile of one thread or process, which stands for `members` equal ones.

    `memory_entropy` holds, by size of line in bytes, the entropy of the lines referenced, in bits.
    """

    name: str
    instructions: int
    mix: Mapping[str, int]
    members: int = 1
    role: Literal["worker", "master"] = "worker"
    vectors: tuple[VectorCount, ...] = ()
    windows: tuple[IlpWindow, ...] = ()
    data_reuse: tuple[ReuseHistogram, ...] = ()
    inst_reuse: tuple[ReuseHistogram, ...] = ()
    branch: Branch | None = None
    registers: Registers | None = None
    footprint_bytes: int | None = None
    heatmap: HeatMap | None = None
    address_map: AddressMap | None = None
    comm: Communication | None = None
    external_calls: Mapping[str, int] = field(default_factory=dict)
    openmp_calls: Mapping[str, int] = field(default_factory=dict)
    memory_entropy: tuple[tuple[int, float], ...] = ()

    def count(self, name: str) -> int:
        """Return the instructions of a class or part, or of "mem" (load and store)."""
        if name == "mem":
            return self.mix["load"] + self.mix["store"]
        if name not in self.mix:
            known = ["mem", *CLASSES, *PARTS]
            raise InputError(f"unknown class of instructions '{name}'", allowed=known, wrong=name, candidates=known)
        return self.mix[name]

    def fraction(self, name: str) -> float:
        """Return the share of a class or part among all instructions."""
        return self.count(name) / self.instructions

    def fractions(self) -> dict[str, float]:
        """Return the share of every class and part and of "mem"."""
        return {name: self.fraction(name) for name in ("mem", *CLASSES, *PARTS)}

    def vector_count(self, name: str) -> int:
        """Return the instructions of a class that work on more than one element."""
        wanted = ("load", "store") if name == "mem" else (name,)
        return sum(entry.count for entry in self.vectors if entry.of in wanted)

    def scalar_count(self, name: str) -> int:
        """Return the instructions of a class that work on one element."""
        return self.count(name) - self.vector_count(name)

    def lanes(self, name: str) -> int:
        """Return the elements the instructions of a class work on: length times count."""
        wanted = ("load", "store") if name == "mem" else (name,)
        return self.scalar_count(name) + sum(e.length * e.count for e in self.vectors if e.of in wanted)

    @property
    def type_counts(self) -> dict[str, int]:
        """Instructions by type of ILP, and of all types under "all"."""
        counts = {"mem": self.count("mem"), "int": self.count("int") + self.count("addr")}
        return {"all": self.instructions, **counts, "control": self.count("control"), "fp": self.count("fp")}

    def has_order(self, order: Order) -> bool:
        """Whether ILP was measured with this order of issue."""
        return any(entry.order == order for entry in self.windows)

    def finite_windows(self, order: Order = "ooo") -> tuple[float, ...]:
        """Return the bounded windows that were profiled."""
        return tuple(sorted(entry.window for entry in self._entries(order) if np.isfinite(entry.window)))

    def window_mismatch(self, window: Any, order: Order = "ooo") -> Any:
        """Return the factor by which a window lies outside the profiled ones: 1 inside, ``inf`` if none is bounded."""
        return window_mismatch([entry.window for entry in self._entries(order)], window)

    def ilp(self, window: Any, *, order: Order = "ooo", mode: Mode = "corrected") -> Any:
        """Return the instruction-level parallelism of the program.

        Parameters
        ----------
        window : float, array or range
            Entries of the issue queue.
        order : str
            "ooo", "in", "base" or "base-wait" (control instructions one after the other); a profile without in-order
            values answers with the out-of-order ones (`has_order`).
        mode : str
            "reference": the value of this window, else of the first one in the file, cut to four decimals;
            "corrected": a power law through the profiled windows.
        """
        return self._ilp("all", self._entries(order), window, mode)

    def ilp_by_type(
        self,
        window: Any,
        definition: Literal["own", "common"] = "own",
        *,
        order: Order = "ooo",
        mode: Mode = "corrected",
    ) -> dict[str, Any]:
        """Return the instruction-level parallelism of each of `TYPES`.

        Parameters
        ----------
        window, order, mode
            As for `ilp`.
        definition : str
            "own": instructions of the type over the span of the type; "common": over the span of the program.
        """
        entries, counts = self._entries(order), self.type_counts
        if definition == "common":
            whole = self._ilp("all", entries, window, mode)
            return {name: whole * (counts[name] / counts["all"]) for name in TYPES}
        if definition != "own":
            raise InputError(f"unknown definition '{definition}'", allowed="own, common")
        by_type: dict[str, Any] = {}
        for name in TYPES:
            if not counts[name]:
                by_type[name] = 0.0
                continue
            measured = [entry for entry in entries if name in entry.spans]
            if not measured:
                raise InputError(f"the profile of '{self.name}' has no ILP of type '{name}' (span_{name})")
            by_type[name] = self._ilp(name, measured, window, mode)
        return by_type

    def reuse(self, line_bytes: float) -> ReuseHistogram:
        """Return the distances of data whose line size is nearest; of two equally near ones the smaller."""
        lines = [histogram for histogram in self.data_reuse if histogram.line is not None]
        if not lines:
            lack = "counts single addresses only" if self.data_reuse else "has no reuse distances of data"
            raise InputError(f"the profile of '{self.name}' {lack}; no cache can be modelled from it")
        return min(lines, key=lambda histogram: (abs((histogram.line or 0) - line_bytes), histogram.line))

    def _entries(self, order: Order) -> list[IlpWindow]:
        if order not in ("ooo", "in", "base", "base-wait"):
            raise InputError(f"unknown order '{order}'", allowed="ooo, in, base, base-wait")
        entries = [entry for entry in self.windows if entry.order == order]
        if not entries and order == "in":
            return self._entries("ooo")
        if not entries and order in ("base", "base-wait"):
            raise InputError(
                f"the profile of '{self.name}' has no ILP of the BASE machine",
                allowed=f"one recorded with --windows {order} --sample none",
            )
        if not entries:
            raise InputError(f"the profile of '{self.name}' has no ILP")
        return entries

    def _ilp(self, of: str, entries: list[IlpWindow], window: Any, mode: Mode) -> Any:
        check_mode(mode)
        points = [(entry.window, entry.ilp(self.type_counts, of, mode)) for entry in entries]
        if mode == "corrected":
            return interpolated_ilp(points, window, limited=of == "all")
        value: Any = points[0][1]
        for size, ilp in points[1:]:
            value = np.where(window == size, ilp, value)
        return value


@dataclass(frozen=True)
class ExtrapolatedParameter:
    """A parameter of the laws: its values in the runs and at the target.

    Attributes
    ----------
    name : str
    smallest, largest, target : float
        In the runs, and of the profile.
    distance : float
        Target over largest value, of sizes where values are logarithms; below the smallest one, that over the target.
    log2 : bool
        Whether values are binary logarithms of sizes.
    """

    name: str
    smallest: float
    largest: float
    target: float
    distance: float
    log2: bool = False


@dataclass(frozen=True)
class ProfileUsed:
    """A profile that laws were fitted to."""

    name: str
    sha256: str = ""


@dataclass(frozen=True)
class FittedMetric:
    """The law of a metric of a class of processes, and what it foretells [unit]: a value and a band of alike laws."""

    of: str
    metric: str
    unit: str
    law: str
    cross_validation_error: float
    runs: int
    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Extrapolation:
    """How the figures of a profile were foretold from smaller runs."""

    parameters: tuple[ExtrapolatedParameter, ...]
    profiles: tuple[ProfileUsed, ...] = ()
    fits: tuple[FittedMetric, ...] = ()
    warnings: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Say that it is one, and how far."""
        far = ", ".join(
            f"{parameter.name} = {parameter.target:g} "
            f"({f'{parameter.distance:.4g} times' if parameter.distance > 1 else 'within'} the runs)"
            for parameter in self.parameters
        )
        return f"extrapolated from {len(self.profiles)} profiles, not measured: {far}"


@dataclass(frozen=True)
class WorkloadProfile:
    """The profile of a program with one input and one number of processes and threads.

    Attributes
    ----------
    name : str
    classes : tuple of ProcessClass
        One per class of equal threads or processes.
    source, licence, notes : str
    synthetic : bool
        Whether the figures are invented.
    application : Application
    run : Run
    extrapolation : Extrapolation or None
        How the figures were foretold, where they were not measured.
    sha256 : str
        Of the file it was read from.
    file : str
        This file.
    warnings : tuple of str
        What the reader found odd.
    """

    name: str
    classes: tuple[ProcessClass, ...]
    source: str = ""
    licence: str = ""
    notes: str = ""
    synthetic: bool = False
    application: Application = Application("")
    run: Run = Run()
    extrapolation: Extrapolation | None = None
    sha256: str = field(default="", compare=False)
    file: str = field(default="", compare=False)
    warnings: tuple[str, ...] = field(default=(), compare=False)

    def __hash__(self) -> int:
        """Of names, which equal profiles have in common: tables have no hash."""
        return hash((self.name, tuple(item.name for item in self.classes)))

    def __getitem__(self, name: str) -> ProcessClass:
        names = [item.name for item in self.classes]
        if name not in names:
            raise InputError(
                f"the profile '{self.name}' has no class '{name}'", allowed=names, wrong=name, candidates=names
            )
        return self.classes[names.index(name)]

    def where(self, **conditions: Any) -> WorkloadProfile:
        """Return the profile of one class: ``where(**{"class": "process 0 thread 0"})``, as a study names it.

        Raises
        ------
        InputError
            Another condition, or a class that the profile does not have.
        """
        unknown = next((name for name in conditions if name != "class"), None)
        if unknown is not None:
            raise InputError(
                f"a profile has no '{unknown}' to choose by", allowed="class", wrong=unknown, candidates=["class"]
            )
        return replace(self, classes=(self[str(conditions["class"])],))

    @property
    def only(self) -> ProcessClass:
        """The class of a profile that has one."""
        if len(self.classes) != 1:
            names = [item.name for item in self.classes]
            raise InputError(
                f"the profile '{self.name}' has {len(names)} classes; name one",
                allowed=f'{one_of(names)} (in a study: where = {{ class = "…" }} beside the file)',
            )
        return self.classes[0]

    @property
    def sources(self) -> tuple[str, ...]:
        """Where the figures come from."""
        return (self.source,) if self.source else ()
