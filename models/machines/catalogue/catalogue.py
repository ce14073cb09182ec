"""Real machines from a table: figures in SI, those that were not published left out, contradictions refused."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

from dse.authoring.declare.declaration import Column as TableColumn
from dse.authoring.table import read_table
from dse.errors import InputError
from dse.models.machines.catalogue.columns import COLUMNS, number
from dse.models.machines.catalogue.devices import device_flop_rate, device_name
from dse.models.machines.catalogue.networks import Network, network_of
from dse.models.machines.classes import CLOCKS, class_of, keeps_clock

__all__ = ["NEVER_FITTED", "Machine", "catalogue", "later_machines", "read_machines"]

NEVER_FITTED = "LineShine"
"""The blind test: no law is ever fitted on it, whatever a table says of it."""

_MORE_CORES, _FEWER_CORES = 1.25, 0.98  # the list may describe more nodes than ran, but hardly fewer
_GROWN = 1.05  # a machine may have grown since its nodes were counted
_INJECTION = (0.75, 1.25)  # rates of links are rounded, or count what coding takes
_ROUTERS_WITH_ADAPTERS = ("aries", "gemini")  # their links join routers; a node is on the chip itself
_RATED_POWER = (0.2, 10.0)  # of what is rated: a slip of units is a factor of 1,000
_OPERATIONS_PER_CYCLE = (0.5, 512.0)  # of a core
_SAME = 1e-9


@dataclass(frozen=True)
class Machine:
    """One row: figures in SI, None where none was published.

    Attributes
    ----------
    name, source, confidence, note : str
    year : int
    accelerated : bool
    nodes : float or None
        Nodes that ran HPL.
    gradient_nodes : float or None
        Nodes that ran HPCG.
    listed_nodes : float or None
        Nodes that the list's cores, and so its peak rate, belong to; those that ran where no cores are known.
    cores_known : bool
    peak_flop_rate : float or None
        Of the listed nodes [1/s].
    linpack_flop_rate, gradient_flop_rate, power : float or None
        Measured rates of HPL and HPCG [1/s] and power at HPL [W].
    processors, processor_power, devices, device_power : float or None
        Processors and accelerators of a node, and what one is rated at [W].
    memory_capacity, memory_bandwidth, injection_bandwidth : float or None
        Of a node [B, B/s].
    cards : float or None
        Network cards of a node.
    device_model, processor_model : str
        What the accelerators and the processors are called.
    device : str
        What the laws call the accelerator, or the processor of a machine without.
    device_flop_rate : float or None
        The catalogue's peak rate of an accelerator [1/s], where it is a row there.
    power_rating : str
        Which rating `device_power` is.
    peak_note, power_note : str
        What is known of a peak rate or rated power that a check names.
    core_operations : float or None
        Peak operations per core and cycle of a machine without accelerators.
    clock_kept : bool
        Whether its processors keep the clock of their peak rate under load (`keeps_clock`).
    blind : bool
        Whether no law may be fitted on it.
    fit : str
        Empty, or what the table says of fits: "never", "device".
    network : Network or None
    """

    name: str
    year: int
    source: str
    confidence: str
    note: str
    accelerated: bool
    nodes: float | None
    gradient_nodes: float | None
    listed_nodes: float | None
    cores_known: bool
    peak_flop_rate: float | None
    linpack_flop_rate: float | None
    gradient_flop_rate: float | None
    power: float | None
    processors: float
    processor_power: float | None
    devices: float
    device_power: float | None
    memory_capacity: float | None
    memory_bandwidth: float | None
    injection_bandwidth: float | None
    cards: float | None
    device_model: str
    processor_model: str
    device: str
    device_flop_rate: float | None
    power_rating: str
    peak_note: str
    power_note: str
    core_operations: float | None
    clock_kept: bool
    blind: bool
    fit: str
    network: Network | None

    @property
    def rate_class(self) -> str:
        """The class of the machine in the law of the rate, one of `CLASSES`."""
        return class_of(self.accelerated, self.core_operations or 0.0)

    @property
    def clock_class(self) -> str:
        """The class of a machine without accelerators in the law of its rate, one of `CLOCKS`."""
        return CLOCKS[0] if self.clock_kept else CLOCKS[1]

    @property
    def power_class(self) -> str:
        """The class of the machine in the laws of efficiency and power."""
        return "accelerator" if self.accelerated else "no accelerator"

    @property
    def node_flop_rate(self) -> float | None:
        """Peak rate of a node [1/s], the base of the laws: that of the catalogue's devices, else the list's."""
        if self.device_flop_rate is not None:
            return self.devices * self.device_flop_rate
        if self.peak_flop_rate is None or self.listed_nodes is None:
            return None
        return self.peak_flop_rate / self.listed_nodes

    @property
    def whole(self) -> bool:
        """Whether the nodes that ran are those the list describes."""
        if self.nodes is None or self.listed_nodes is None:
            return False
        return abs(self.listed_nodes / self.nodes - 1.0) <= 1.0 - _FEWER_CORES


@cache
def catalogue() -> tuple[Machine, ...]:
    """Return the machines that come with the project."""
    path = Path(str(files("dse.spaces"))) / "machines" / "systems.csv"
    return read_machines(path, name="spaces/machines/systems.csv")


@cache
def later_machines() -> tuple[Machine, ...]:
    """Return the machines of ``spaces/machines/machines-2026.csv``, beside those of `catalogue`."""
    path = Path(str(files("dse.spaces"))) / "machines" / "machines-2026.csv"
    return read_machines(path, name="spaces/machines/machines-2026.csv")


def read_machines(path: Path, *, name: str | None = None) -> tuple[Machine, ...]:
    """Read a table of machines.

    Parameters
    ----------
    path : Path
        CSV with the columns of ``spaces/machines/systems.csv``; those that are neither needed nor known are refused.
    name : str, optional
        How messages call the file. Default: its path.

    Returns
    -------
    tuple of Machine

    Raises
    ------
    InputError
        No such file, an unknown or missing column, a cell that is no possible number, a name that stands twice, figures
        of a machine that contradict each other.
    """
    label = name or str(path)
    _refuse_headings(path, label)
    table = read_table(path, columns={heading: TableColumn("text", optional=True) for heading in COLUMNS}, name=label)
    machines: list[Machine] = []
    for row, line in enumerate(table.lines):
        cells = {heading: str(column[row]) for heading, column in table.columns.items()}
        called = cells["name"]
        try:
            if not called:
                raise InputError("is missing", key="name", allowed="a name for each machine")
            if any(called == other.name for other in machines):
                raise InputError(f"'{called}' stands twice", key="name", allowed="a name that names one row")
            machines.append(_machine(cells))
        except InputError as error:
            heading, error.key = error.key, None
            place = ", ".join(part for part in (f"line {line}", called, heading) if part)
            raise error.within(file=label, key=place) from None
    return tuple(machines)


def _refuse_headings(path: Path, label: str) -> None:
    """Refuse columns nobody knows before the rest is read: a typo also makes a needed column a missing one."""
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError):
        return  # read_table says what is wrong
    heading = next((line for line in lines if line.strip() and not line.startswith("#")), "")
    names = [cell.strip() for cell in next(csv.reader([heading]), [])]
    for name in names:
        if name not in COLUMNS:
            raise InputError(
                f"unknown column '{name}'", file=label, allowed=list(COLUMNS), wrong=name, candidates=COLUMNS
            )
    for wanted, column in COLUMNS.items():
        if column.needed and heading and wanted not in names:
            raise InputError(f"the column '{wanted}' is missing", file=label, allowed=[*_needed()])


def _needed() -> Iterator[str]:
    return (heading for heading, column in COLUMNS.items() if column.needed)


class _Figures:
    """The numbers of a row by heading, None where there is none."""

    def __init__(self, cells: dict[str, str]) -> None:
        self.cells = cells
        self.found = {
            heading: number(cells.get(heading, ""), heading)
            for heading, column in COLUMNS.items()
            if column.kind != "text"
        }

    def __getitem__(self, heading: str) -> float | None:
        return self.found[heading]

    def must(self, heading: str, why: str) -> float:
        value = self.found[heading]
        if value is None:
            raise InputError("is missing", key=heading, allowed=why)
        return value

    def text(self, heading: str) -> str:
        return self.cells.get(heading, "")


def _machine(cells: dict[str, str]) -> Machine:
    row = _Figures(cells)
    year = int(row.must("year", "the year the machine went into service"))
    if not any(row.text(name) for name in _FIGURES_OF_A_MACHINE):
        return _unknown(row, year)
    processors = row.must("cpu_per_node", "a whole number, 0 where the processors are in the accelerators' packages")
    devices = row.must("acc_per_node", "a whole number, 0 where there are no accelerators")
    _refuse_parts(row, processors, devices)
    cores = _cores_per_node(row, processors, devices)
    nodes, listed = row["nodes_hpl"], _listed_nodes(row, cores)
    _refuse_nodes(row, nodes, listed, cores)
    peak = row["rpeak_pflops"]
    operations = None
    if not devices and None not in (peak, listed, cores, row["cpu_ghz"]):
        operations = peak / (listed * cores * row["cpu_ghz"])  # type: ignore[operator]
    _refuse_rates(row, operations)
    network = _network(row, nodes)
    rated = processors * (row["cpu_tdp_w"] or 0.0) + devices * (row["device_tdp_w"] or 0.0)
    _refuse_power(row, nodes, rated)
    return Machine(
        name=row.text("name"),
        year=year,
        source=row.text("source_perf"),
        confidence=_confidence(row),
        note=row.text("notes"),
        accelerated=devices > 0,
        nodes=nodes,
        gradient_nodes=_gradient_nodes(row, nodes),
        listed_nodes=listed if listed is not None else nodes,
        cores_known=listed is not None,
        peak_flop_rate=peak,
        linpack_flop_rate=row["rmax_pflops"],
        gradient_flop_rate=row["hpcg_pflops"],
        power=row["power_kw"],
        processors=processors,
        processor_power=row["cpu_tdp_w"] if processors else 0.0,
        devices=devices,
        device_power=row["device_tdp_w"] if devices else 0.0,
        memory_capacity=row["mem_gbyte_per_node"],
        memory_bandwidth=row["membw_gbyte_s_per_node"],
        injection_bandwidth=row["inj_gbyte_s_per_node"],
        cards=row["nics_per_node"],
        device_model=row.text("acc_model"),
        processor_model=row.text("cpu_model"),
        device=device_name(row.text("acc_model"), row.text("cpu_model")),
        device_flop_rate=device_flop_rate(row.text("acc_model")),
        power_rating=row.text("device_power_rating"),
        peak_note=row.text("peak_note"),
        power_note=row.text("power_note"),
        core_operations=operations,
        clock_kept=not devices and keeps_clock(row.text("cpu_model"), operations),
        blind=NEVER_FITTED in row.text("name") or row.text("fit") == "never",
        fit=row.text("fit"),
        network=network,
    )


_FIGURES_OF_A_MACHINE = ("cpu_per_node", "acc_per_node", "rmax_pflops", "power_kw", "hpcg_pflops", "nodes_hpl")


def _unknown(row: _Figures, year: int) -> Machine:
    """Return a machine of which nothing but its name is known, as lists name some: none of its figures is compared."""
    numbers = dict.fromkeys(
        (
            *("nodes", "gradient_nodes", "listed_nodes", "peak_flop_rate", "linpack_flop_rate", "gradient_flop_rate"),
            *("power", "processor_power", "device_power", "memory_capacity", "memory_bandwidth"),
            *("injection_bandwidth", "cards", "device_flop_rate", "core_operations", "network"),
        )
    )
    texts = dict.fromkeys(("device_model", "processor_model", "power_rating", "peak_note", "power_note"), "")
    return Machine(
        name=row.text("name"),
        year=year,
        source=row.text("source_perf"),
        confidence=_confidence(row),
        note=row.text("notes"),
        accelerated=False,
        cores_known=False,
        processors=0.0,
        devices=0.0,
        device="unknown",
        clock_kept=False,
        blind=row.text("fit") == "never",
        fit=row.text("fit"),
        **numbers,  # type: ignore[arg-type]
        **texts,  # type: ignore[arg-type]
    )


def _confidence(row: _Figures) -> str:
    """Return how sure the figures of each kind are, in one line."""
    kinds = {"performance": "conf_perf", "peak": "conf_rpeak", "power": "conf_power", "node": "conf_arch"}
    return ", ".join(f"{kind} {row.text(heading)}" for kind, heading in kinds.items() if row.text(heading))


def _refuse_parts(row: _Figures, processors: float, devices: float) -> None:
    if not processors and not devices:
        raise InputError("0, and acc_per_node is 0 too", key="cpu_per_node", allowed="a node that computes")
    if devices and not row.text("acc_model"):
        raise InputError(
            f"is missing, and acc_per_node is {devices:g}", key="acc_model", allowed="the name of the accelerator"
        )
    if not devices:
        for heading in ("acc_model", "acc_units_per_device"):
            if row.text(heading):
                raise InputError(
                    f"'{row.text(heading)}', and acc_per_node is 0",
                    key=heading,
                    allowed="nothing, or accelerators in the node",
                )
    if processors and row["cpu_cores_per_socket"] == 0:
        raise InputError(f"0, and cpu_per_node is {processors:g}", key="cpu_cores_per_socket", allowed="cores")


def _cores_per_node(row: _Figures, processors: float, devices: float) -> float | None:
    """Return cores as lists count them: those of the processors, and the units of the accelerators."""
    each, units = row["cpu_cores_per_socket"], row["acc_units_per_device"]
    if each is None or (devices and units is None):
        return None
    return each * (processors or devices) + devices * (units or 0.0)


def _listed_nodes(row: _Figures, cores: float | None) -> float | None:
    total = row["cores_top500"]
    return None if total is None or cores is None else total / cores


def _refuse_nodes(row: _Figures, nodes: float | None, listed: float | None, cores: float | None) -> None:
    if nodes is None:
        return
    installed = row["nodes_installed"]
    if installed is not None and nodes > installed * _GROWN:
        raise InputError(f"{nodes:g}, but only {installed:g} nodes are installed", key="nodes_hpl")
    ran_gradients = row["nodes_hpcg"]
    if ran_gradients is not None and ran_gradients > max(nodes, installed or 0.0) * _GROWN:
        raise InputError(f"{ran_gradients:g}, more than the {nodes:g} that ran HPL", key="nodes_hpcg")
    if listed is not None and not nodes * _FEWER_CORES <= listed <= nodes * _MORE_CORES:
        raise InputError(
            f"{row['cores_top500']:g} cores are {listed:g} nodes of {cores:g}, but {nodes:g} nodes ran",
            key="cores_top500",
            allowed=f"{nodes * cores * _FEWER_CORES:.0f} to {nodes * cores * _MORE_CORES:.0f}",  # type: ignore[operator]
        )


def _refuse_rates(row: _Figures, operations: float | None) -> None:
    peak, linpack, gradients = row["rpeak_pflops"], row["rmax_pflops"], row["hpcg_pflops"]
    for heading, rate, limit, what in (
        ("rmax_pflops", linpack, peak, "rpeak_pflops"),
        ("hpcg_pflops", gradients, linpack or peak, "rmax_pflops" if linpack else "rpeak_pflops"),
    ):
        if rate is not None and limit is not None and rate > limit * (1.0 + _SAME):
            raise InputError(
                f"{rate / 1e15:g} is more than {what}, {limit / 1e15:g}", key=heading, allowed=f"at most {what}"
            )
    low, high = _OPERATIONS_PER_CYCLE
    if operations is not None and not low <= operations <= high:
        raise InputError(
            f"{peak / 1e15:g} is {operations:.3g} operations per core and cycle",  # type: ignore[operator]
            key="rpeak_pflops",
            allowed=f"{low:g} to {high:g} operations per core and cycle",
        )


def _refuse_power(row: _Figures, nodes: float | None, rated: float) -> None:
    power = row["power_kw"]
    if power is None or nodes is None or not rated:
        return
    ratio = power / (nodes * rated)
    if not _RATED_POWER[0] <= ratio <= _RATED_POWER[1]:
        raise InputError(
            f"{power / 1e3:g} kW is {power / nodes:.4g} W for each of {nodes:g} nodes, whose parts are rated at "
            f"{rated:g} W",
            key="power_kw",
            allowed=f"{_RATED_POWER[0]:g} to {_RATED_POWER[1]:g} times the rated power",
        )


def _network(row: _Figures, nodes: float | None) -> Network | None:
    injection, link, cards = row["inj_gbyte_s_per_node"], row["link_gbit_s"], row["nics_per_node"]
    on_router = any(name in row.text("interconnect").casefold() for name in _ROUTERS_WITH_ADAPTERS)
    if None not in (injection, link, cards) and not on_router:
        together = link * cards  # type: ignore[operator]
        low, high = (together * share for share in _INJECTION)
        if not low <= injection <= high:  # type: ignore[operator]
            raise InputError(
                f"{injection / 1e9:g} GB/s, but {cards:g} × {link * 8e-9:g} Gbit/s are "  # type: ignore[operator]
                f"{together / 1e9:g} GB/s",
                key="inj_gbyte_s_per_node",
                allowed=f"{low / 1e9:g} to {high / 1e9:g}",
            )
    if injection is None or nodes is None:
        return None
    return network_of(
        row.text("topology"), nodes=nodes, injection=injection, link=link, interconnect=row.text("interconnect")
    )


def _gradient_nodes(row: _Figures, nodes: float | None) -> float | None:
    """Return the nodes that ran HPCG: those of the table, of the same run in the catalogue, or those that ran HPL."""
    if row["nodes_hpcg"] is not None:
        return row["nodes_hpcg"]
    if "nodes_hpcg" not in row.cells:
        for known in catalogue():
            if known.name == row.text("name") and known.gradient_flop_rate == row["hpcg_pflops"]:
                return known.gradient_nodes
    return nodes
