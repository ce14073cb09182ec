"""The columns of a table of machines, and the reading of one cell."""

from __future__ import annotations

import math
from typing import NamedTuple

from dse.errors import InputError

__all__ = ["COLUMNS", "Column", "number"]


class Column(NamedTuple):
    """What may stand in a column.

    Attributes
    ----------
    kind : {"text", "count", "number"}
        A count is a whole number.
    scale : float
        Factor to SI.
    least : float or None
        Smallest value; None: above 0.
    needed : bool
        Whether a table must have the column.
    """

    kind: str
    scale: float = 1.0
    least: float | None = None
    needed: bool = False


_TEXT = Column("text")
_COUNT = Column("count", needed=True)
_FROM_0 = Column("count", least=0.0, needed=True)

COLUMNS: dict[str, Column] = {
    "name": Column("text", needed=True),
    "site": _TEXT,
    "year": Column("count", least=1940.0, needed=True),
    "list_edition": _TEXT,
    "nodes_installed": Column("count"),
    "nodes_hpl": _COUNT,
    "nodes_hpl_rule": _TEXT,
    "nodes_hpcg": Column("count"),
    "cpu_per_node": _FROM_0,
    "cpu_model": _TEXT,
    "cpu_cores_per_socket": _FROM_0,
    "cpu_ghz": Column("number", 1e9, needed=True),
    "acc_per_node": _FROM_0,
    "acc_model": Column("text", needed=True),
    "acc_units_per_device": _COUNT,
    "cores_top500": _COUNT,
    "rmax_pflops": Column("number", 1e15, needed=True),
    "rpeak_pflops": Column("number", 1e15, needed=True),
    "power_kw": Column("number", 1e3, needed=True),
    "hpcg_pflops": Column("number", 1e15, needed=True),
    "topology": Column("text", needed=True),
    "interconnect": _TEXT,
    "link_gbit_s": Column("number", 1e9 / 8, needed=True),
    "nics_per_node": _COUNT,
    "inj_gbyte_s_per_node": Column("number", 1e9, needed=True),
    "switch_radix": Column("count"),
    "nodes_per_group": Column("count"),
    "mem_gbyte_per_node": Column("number", 1e9, needed=True),
    "membw_gbyte_s_per_node": Column("number", 1e9, needed=True),
    "device_tdp_w": Column("number", least=0.0, needed=True),
    "device_power_rating": _TEXT,
    "cpu_tdp_w": Column("number", least=0.0, needed=True),
    "source_perf": _TEXT,
    "source_arch": _TEXT,
    "conf_perf": _TEXT,
    "conf_rpeak": _TEXT,
    "conf_power": _TEXT,
    "conf_arch": _TEXT,
    "peak_note": _TEXT,
    "power_note": _TEXT,
    "notes": _TEXT,
    "fit": _TEXT,
}
"""Every column, by its heading. Headings end in their unit; an empty cell is a figure that was not published."""


def number(cell: str, heading: str) -> float | None:
    """Return the value of a cell in SI, None where it is empty.

    Raises
    ------
    InputError
        What is no number, is not finite, no whole number, or too small.
    """
    if not cell:
        return None
    column = COLUMNS[heading]
    allowed = f"{'whole numbers' if column.kind == 'count' else 'numbers'} "
    allowed += "above 0" if column.least is None else f"from {column.least:g} up"
    try:
        value = float(cell)
    except ValueError:
        raise InputError(
            f"'{cell}' is not a number", key=heading, allowed=f"{allowed}, or nothing where no figure was published"
        ) from None
    low = value <= 0.0 if column.least is None else value < column.least
    if not math.isfinite(value) or low or (column.kind == "count" and value != round(value)):
        raise InputError(f"'{cell}' is not possible", key=heading, allowed=allowed)
    return value * column.scale
