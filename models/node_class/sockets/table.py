"""Sockets and accelerators from tables, as arrays in the terms of the law.

``spaces/node_class/sockets.csv`` has sockets of 2011 to 2026, ``anchors.csv`` eight accelerators with what they draw
and sustain in products of matrices. Tables of the user have the columns of the former.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cache
from importlib.resources import files
from pathlib import Path

import numpy as np

from dse.authoring.declare.declaration import Column
from dse.authoring.table import Table, read_table
from dse.errors import InputError

__all__ = [
    "GUESSED_LOAD",
    "NEVER_FITTED",
    "Sockets",
    "anchors",
    "has_matrix_units",
    "joined",
    "read_sockets",
    "sockets",
]

NEVER_FITTED = ("LX2", "LineShine")
"""The blind test: a socket and the machine of it that no law is ever fitted on, whatever a table says of them."""

GUESSED_LOAD = 0.90
"""Share of the peak rate at the clock under load that is taken where a table has the rate or the clock and not both."""

_KINDS = {"big": 0.0, "mid": 0.5, "lean": 1.0, "wide": 1.0}
_VECTOR, _OUTER = "vector", "matrix"
_VECTOR_OPERANDS = 2.0  # operands of an operation of a vector instruction: four of a multiplication and an addition
_LONG = 1024  # bits; longer vectors are registers of 256 elements that several lanes work through
_ELEMENTS = 256
_IN_RATING = "LPDDR5X"  # a memory outside the package that the rated power counts nevertheless
_TEXT = Column("text")
_NUMBER = Column("1")
_COLUMNS = {
    "name": _TEXT,
    "process": _TEXT,
    "node_nm": _NUMBER,
    "cores": _NUMBER,
    "base_clock": Column("Hz"),
    "top_clock": Column("Hz"),
    "load_clock": Column("Hz"),
    "flop_per_cycle": _NUMBER,
    "unit": _TEXT,
    "vector_bits": _NUMBER,
    "vector_pipes": _NUMBER,
    "core_kind": _TEXT,
    "rated_power": Column("W"),
    "die_area": Column("m^2", optional=True),
    "private_cache": Column("B"),
    "shared_cache": Column("B"),
    "memory_kind": _TEXT,
    "memory_bandwidth": Column("B/s"),
    "package_memory_bandwidth": Column("B/s"),
    "hpl_rate": Column("flop/s"),
    "conf_clock": _TEXT,
}


@dataclass(frozen=True)
class Sockets:
    """Sockets in the terms of the law, a value per socket; NaN where a figure is not known.

    Attributes
    ----------
    names, process : ndarray of object
        `process` is "" of anchors, which have no offset.
    energy_class : ndarray
        The process as an energy class [m].
    cores, clock, top_clock, rate : ndarray
        Cores; clock under load and the one the cores are built for [Hz]; rate at HPL [flop/s].
    instruction_flop, instruction_operands : ndarray
        Operations of one vector instruction, and operands read or written per operation.
    leanness : ndarray
        0 of big cores, 1 of lean ones, 1/2 between.
    cache : ndarray
        Level 2 and 3 of the socket [B].
    outside, package : ndarray
        Bandwidth of memory outside and in the rated power [B/s].
    rated_power : ndarray
        W.
    weight : ndarray
        Of a row in the fit; 1/1.6 where the clock is a guess, and of anchors.
    anchor, clock_known : ndarray of bool
    area : ndarray
        Of all dies [m^2].
    """

    names: np.ndarray
    process: np.ndarray
    energy_class: np.ndarray
    cores: np.ndarray
    clock: np.ndarray
    top_clock: np.ndarray
    rate: np.ndarray
    instruction_flop: np.ndarray
    instruction_operands: np.ndarray
    leanness: np.ndarray
    cache: np.ndarray
    outside: np.ndarray
    package: np.ndarray
    rated_power: np.ndarray
    weight: np.ndarray
    anchor: np.ndarray
    clock_known: np.ndarray
    area: np.ndarray

    def __len__(self) -> int:
        return len(self.names)

    def rows(self, mask: np.ndarray) -> Sockets:
        """Return some of them."""
        return Sockets(**{column.name: getattr(self, column.name)[mask] for column in fields(self)})

    @property
    def blind(self) -> np.ndarray:
        """Which of them no law may be fitted on."""
        return np.array([any(name in str(own) for name in NEVER_FITTED) for own in self.names], dtype=bool)


_GUESS_WEIGHT = 1.0 / 1.6


@cache
def sockets() -> Sockets:
    """Return the sockets that come with the project, LX2 with them."""
    return read_sockets(_space("sockets.csv"), name="spaces/node_class/sockets.csv")


def has_matrix_units(processor: str) -> bool:
    """Return whether a processor is a socket of the project's table whose cores have units of outer products."""
    known = sockets()
    outer = known.names[known.instruction_operands < _VECTOR_OPERANDS]
    return any(re.search(rf"(?<!\w){re.escape(str(name))}(?!\w)", processor) for name in outer)


def _space(name: str) -> Path:
    return Path(str(files("dse.spaces"))) / "node_class" / name


def read_sockets(path: Path, *, name: str | None = None) -> Sockets:
    """Read a table of sockets.

    Parameters
    ----------
    path : Path
        CSV with the columns of ``spaces/node_class/sockets.csv``.
    name : str, optional
        How messages call the file. Default: its path.

    Raises
    ------
    InputError
        No such file, a missing column, a cell that is no number, a kind of core or of unit that the law does not know,
        neither a clock under load nor a rate.
    """
    table = read_table(path, columns=_COLUMNS, name=name, empty=True)
    kinds = _coded(table, "core_kind", _KINDS)
    outer = _coded(table, "unit", {_VECTOR: 0.0, _OUTER: 1.0}) > 0.0
    cores, cycle = table["cores"], table["flop_per_cycle"]
    given, rate = table["load_clock"], table["hpl_rate"]
    for label, column in (("cores", cores), ("flop_per_cycle", cycle), ("node_nm", table["node_nm"])):
        _refuse(table, ~(column > 0.0), label, "a number above 0")
    _refuse(table, np.isnan(given) & np.isnan(rate), "load_clock", "a clock under load, or a rate at HPL")
    clock = np.where(np.isnan(given), rate / (GUESSED_LOAD * cores * cycle), given)
    rate = np.where(np.isnan(rate), GUESSED_LOAD * cores * cycle * clock, rate)
    flop, operands = _instructions(table, outer)
    top = table["top_clock"]
    counted = np.array([str(kind).startswith(_IN_RATING) for kind in table["memory_kind"]])
    outside, package = np.nan_to_num(table["memory_bandwidth"]), np.nan_to_num(table["package_memory_bandwidth"])
    known = np.array([str(column) != "C" for column in table["conf_clock"]])
    none = np.full(len(table), np.nan)
    return Sockets(
        names=table["name"],
        process=table["process"],
        energy_class=1e-9 * table["node_nm"],
        cores=cores,
        clock=clock,
        top_clock=top,
        rate=rate,
        instruction_flop=flop,
        instruction_operands=operands,
        leanness=kinds,
        cache=cores * (np.nan_to_num(table["private_cache"]) + np.nan_to_num(table["shared_cache"])),
        outside=np.where(counted, 0.0, outside),
        package=np.where(counted, 2.0 * outside, package),
        rated_power=table["rated_power"],
        weight=np.where(known, 1.0, _GUESS_WEIGHT),
        anchor=np.zeros(len(table), dtype=bool),
        clock_known=known,
        area=table["die_area"] if "die_area" in table.columns else none,
    )


def _coded(table: Table, column: str, codes: dict[str, float]) -> np.ndarray:
    for row, cell in enumerate(table[column]):
        if str(cell) not in codes:
            raise InputError(
                f"'{cell}'",
                file=table.name,
                key=f"line {table.lines[row]}, {column}",
                allowed=list(codes),
                wrong=str(cell),
                candidates=list(codes),
            )
    return np.array([codes[str(cell)] for cell in table[column]])


def _refuse(table: Table, wrong: np.ndarray, column: str, allowed: str) -> None:
    if wrong.any():
        row = int(np.argmax(wrong))
        raise InputError(
            f"is missing or not possible, of {table['name'][row]}",
            file=table.name,
            key=f"line {table.lines[row]}, {column}",
            allowed=allowed,
        )


def _instructions(table: Table, outer: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return operations and operands per operation of an instruction; of outer products the rows follow from the rate.

    A unit of r rows and c columns of 64 bits does 2 r c operations per cycle and reads r + c operands.
    """
    columns = table["vector_bits"] / 64.0
    elements = np.where(table["vector_bits"] > _LONG, float(_ELEMENTS), columns)
    flop = np.where(outer, table["flop_per_cycle"] / table["vector_pipes"], 2.0 * elements)
    rows = flop / (2.0 * columns)
    return flop, np.where(outer, (rows + columns) / (2.0 * rows * columns), _VECTOR_OPERANDS)


@cache
def anchors() -> Sockets:
    """Return the accelerators that the energy of matrix units is anchored on."""
    number = ("node_nm", "cores", "flop_per_instruction", "operands_per_flop", "rated_power", "package")
    columns = (
        {"name": _TEXT} | dict.fromkeys(number, _NUMBER) | dict.fromkeys(("load_clock", "top_clock", "rate"), _NUMBER)
    )
    table = read_table(_space("anchors.csv"), columns=columns, name="spaces/node_class/anchors.csv")
    count = len(table)
    zero = np.zeros(count)
    return Sockets(
        names=table["name"],
        process=np.array([""] * count, dtype=object),
        energy_class=1e-9 * table["node_nm"],
        cores=table["cores"],
        clock=1e9 * table["load_clock"],
        top_clock=1e9 * table["top_clock"],
        rate=1e9 * table["rate"],
        instruction_flop=table["flop_per_instruction"],
        instruction_operands=table["operands_per_flop"],
        leanness=np.ones(count),
        cache=zero,
        outside=zero,
        package=1e9 * table["package"],
        rated_power=table["rated_power"],
        weight=np.full(count, _GUESS_WEIGHT),
        anchor=np.ones(count, dtype=bool),
        clock_known=np.zeros(count, dtype=bool),
        area=np.full(count, np.nan),
    )


def joined(parts: Sequence[Sockets]) -> Sockets:
    """Return several tables as one."""
    return Sockets(
        **{column.name: np.concatenate([getattr(part, column.name) for part in parts]) for column in fields(Sockets)}
    )
