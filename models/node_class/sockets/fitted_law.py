"""The fitted law of sockets as a file, ``spaces/node_class/socket-law.csv``; a test holds that it is what a fit gives.

``python -m dse.models.machines.laws.fitted_tables`` in a checkout writes it anew with the laws of machines.
"""

from __future__ import annotations

import csv
import io
from functools import cache
from importlib.resources import files
from pathlib import Path

from dse.authoring.declare.declaration import Column
from dse.authoring.table import read_table
from dse.models.node_class.sockets.law import CONSTANTS, SocketLaw

__all__ = ["FILE", "law_file", "shipped_law"]

FILE = "socket-law.csv"

_DIGITS = 5
_OFFSET = "offset of process "
_HEAD = (
    "# Fitted on spaces/node_class/sockets.csv and anchors.csv by python -m dse.models.machines.laws.fitted_tables:\n"
    "# not to be edited. Constants in SI; offsets are of the logarithm of what goes with the clock. LX2 is in no fit.\n"
)


def law_file(law: SocketLaw) -> str:
    """Return the text of the file of a law."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("name", "value", "value_unit"))
    for name, unit in CONSTANTS.items():
        writer.writerow((name, f"{getattr(law, name):.{_DIGITS}g}", unit))
    for process, offset in law.offsets.items():
        writer.writerow((f"{_OFFSET}{process}", f"{offset:.{_DIGITS}f}", "1"))
    return _HEAD + text.getvalue()


@cache
def shipped_law() -> SocketLaw:
    """Return the law of the file, which designs are computed by."""
    path = Path(str(files("dse.spaces"))) / "node_class" / FILE
    table = read_table(path, columns={"name": Column("text"), "value": Column("1")}, name=f"spaces/node_class/{FILE}")
    values = {str(name): float(value) for name, value in zip(table["name"], table["value"], strict=True)}
    offsets = {name.removeprefix(_OFFSET): value for name, value in values.items() if name.startswith(_OFFSET)}
    return SocketLaw(**{name: values[name] for name in CONSTANTS}, offsets=offsets)
