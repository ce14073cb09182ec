"""Power of DRAM from energies per access: the CACTI style of Anghel 2017, and energies per bit by type of memory.

`cacti_power` is Anghel 2017, Section 4.3.2, Eqs. 4.9 and 4.10. `type_power` takes a row of
``spaces/processor/dram-types.csv`` (DDR3 to DDR5, LPDDR5X, HBM2 to HBM3E; those from DDR5 on are estimates). What the
currents of a data sheet give, command by command, is in `mesap`. Controllers and the interface on the processor are
apart (`interconnect.controller_energies`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from dse.arithmetic.duals import plain
from dse.arithmetic.duck_array import StandIn
from dse.authoring.table import Table, read_table
from dse.models.power.composition import Power
from dse.models.power.limits import refuse
from dse.models.power.mesap import DramDevice, of_type

__all__ = ["DramType", "LineRates", "cacti_power", "dram_device", "dram_type", "dram_types", "line_rates", "type_power"]

_LINE = 64.0


class LineRates(NamedTuple):
    """Lines per second read from and written to memory."""

    reads: Any
    writes: Any


def line_rates(
    *, read_lines: Any, written_lines: Any, frequency: Any, cycles_per_instruction: Any, threads: Any = 1.0
) -> LineRates:
    """Lines per second of all threads together.

    Parameters
    ----------
    read_lines, written_lines : array_like
        Per instruction of one thread (`activity.memory_activity`).
    frequency : array_like
        Clock of the cores, Hz.
    cycles_per_instruction : array_like
        Of one thread.
    threads : array_like
        Threads at work; the printed equations are for one core.
    """
    rate = threads * frequency / cycles_per_instruction
    return LineRates(rate * read_lines, rate * written_lines)


def cacti_power(
    *,
    capacity: Any,
    die_capacity: Any,
    leakage_per_bank: Any,
    read_rate: Any,
    write_rate: Any,
    read_energy: Any,
    write_energy: Any,
    banks: Any = 8.0,
) -> Power:
    """Power of a memory, CACTI style (Anghel 2017, Eqs. 4.9 and 4.10).

    Parameters
    ----------
    capacity, die_capacity : array_like
        Of the memory, and of one die, B.
    leakage_per_bank : array_like
        W.
    read_rate, write_rate : array_like
        Lines per second of all threads (`line_rates`). The reference tool takes bytes per second and energies per byte,
        which comes to the same.
    read_energy, write_energy : array_like
        J per line.
    banks : array_like
        Of a die.

    Returns
    -------
    Power
        Of whole dies. CACTI knows technologies down to 32 nm.
    """
    static = np.ceil(capacity / die_capacity) * banks * leakage_per_bank
    return Power(static, read_rate * read_energy + write_rate * write_energy)


@dataclass(frozen=True)
class DramType:
    """Energies of a type of memory; every field a number, or an array over designs.

    Attributes
    ----------
    unit_bandwidth, unit_capacity, row : array_like
        Of one unit (channel, package or stack): B/s, B, and bytes of a row that is opened.
    activate_energy : array_like
        J per row.
    read_energy, write_energy, read_io_energy, write_io_energy : array_like
        J/B, in the array and at the pins.
    active_power, precharged_power, down_power, refresh_power : array_like
        W per byte of capacity: rows open, closed, powered down; refresh.
    confidence : str
    """

    unit_bandwidth: Any
    unit_capacity: Any
    row: Any
    activate_energy: Any
    read_energy: Any
    write_energy: Any
    read_io_energy: Any
    write_io_energy: Any
    active_power: Any
    precharged_power: Any
    down_power: Any
    refresh_power: Any
    confidence: str = ""


def type_power(
    dram: DramType,
    *,
    read_bandwidth: Any,
    write_bandwidth: Any,
    capacity: Any,
    bytes_per_activation: Any = _LINE,
    active_share: Any = 1.0,
    down_share: Any = 0.0,
) -> Power:
    """Power of a memory from energies per byte.

    Parameters
    ----------
    dram : DramType
    read_bandwidth, write_bandwidth : array_like
        B/s, of the whole memory.
    capacity : array_like
        B.
    bytes_per_activation : array_like
        Bytes read or written for each row opened: 64 at random, `DramType.row` in a stream.
    active_share, down_share : array_like
        Shares of the time with rows open and powered down; the rest is precharged.

    Returns
    -------
    Power
        Static: background and refresh.

    Raises
    ------
    InputError
        More bandwidth than so much memory has, shares that are none. Checked at points only; ranges and signs pass.
    """
    traffic = read_bandwidth + write_bandwidth
    units = capacity / dram.unit_capacity
    used, active, down, burst = (
        plain(argument)
        for argument in (traffic / (units * dram.unit_bandwidth), active_share, down_share, bytes_per_activation)
    )
    if not any(isinstance(argument, StandIn) for argument in (used, active, down, burst)):
        share = np.asarray(used)
        refuse("traffic over peak bandwidth", ~(share <= 1.0 + 1e-9), share, "at most 1 (more units, or less traffic)")
        shares = np.asarray(active + down, dtype=float)
        wrong = ~((shares <= 1.0) & (np.asarray(active) >= 0) & (np.asarray(down) >= 0))
        refuse("active_share + down_share", wrong, shares, "shares of the time, together at most 1")
        refuse("bytes_per_activation", ~(np.asarray(burst) > 0), burst, "above 0")
    background = (
        active_share * dram.active_power
        + (1.0 - active_share - down_share) * dram.precharged_power
        + down_share * dram.down_power
        + dram.refresh_power
    )
    dynamic = (
        traffic / bytes_per_activation * dram.activate_energy
        + read_bandwidth * (dram.read_energy + dram.read_io_energy)
        + write_bandwidth * (dram.write_energy + dram.write_io_energy)
    )
    return Power(capacity * background, dynamic)


@cache
def _catalogue(name: str) -> Table:
    path = Path(str(files("dse.spaces"))) / "processor" / f"{name}.csv"
    return read_table(path, name=f"spaces/processor/{name}.csv")


def dram_types() -> tuple[str, ...]:
    """Return the names of the types in ``spaces/processor/dram-types.csv``."""
    return tuple(_catalogue("dram-types")["name"])


def dram_type(name: str) -> DramType:
    """Return a type of memory by name."""
    row = _catalogue("dram-types").where(name=name)
    columns = [field for field in DramType.__dataclass_fields__ if field != "confidence"]
    values: dict[str, Any] = {column: float(row[f"dram_{column}"][0]) for column in columns}
    return DramType(**values, confidence=str(row["confidence"][0]))


def dram_device(name: str, *, kind: str | None = None) -> DramDevice:
    """Return a device of ``spaces/processor/dram-devices.csv`` or ``dram-devices-generated.csv`` by name.

    Parameters
    ----------
    name : str
    kind : str, optional
        Type whose pins it has instead of its own (`mesap.IO_POWER`).
    """
    catalogues = [_catalogue(catalogue) for catalogue in ("dram-devices", "dram-devices-generated")]
    table = next((catalogue for catalogue in catalogues if name in set(catalogue["name"])), catalogues[0])
    row = table.where(name=name)
    device = DramDevice(**{field: float(row[f"dram_{field}"][0]) for field in DramDevice.__dataclass_fields__})
    return device if kind is None else of_type(device, kind)
